"""The table of transitions of a hand, and of a match: data in one place.

One `transitions` machine serves every hand: `game.fold` triggers it with the hand as model, so an event that the phase
does not allow raises. `diagram` draws the Mermaid picture from the same rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from functools import lru_cache
from typing import Final

from transitions import Machine, MachineError

from tablectl.game.state import Hand, MatchPhase, Phase


class IllegalStep(ValueError):
    """A step that the present phase does not allow."""


Row = tuple[str, Sequence[Enum], Enum | None]

_P = Phase
#: the hand is being played: tiles move
PLAYING: Final = (_P.TURN, _P.REPLACING, _P.CLAIMED, _P.DISCARDED, _P.ROBBING, _P.LAST_ROUND)
#: before the first discard: the dealer may already win, kong or discard
OPENING: Final = (_P.FLOWERS, _P.INDICATOR)
#: a win may be declared from here
DECLARABLE: Final = (*OPENING, *PLAYING)

#: Trigger, the phases it may come from, the phase it leads to (None: it stays).
HAND: Final[tuple[Row, ...]] = (
    ("open", (_P.IDLE,), _P.DICE),
    ("open_stakes", (_P.IDLE,), _P.STAKES),
    ("choose", (_P.STAKES,), None),
    ("close_stakes", (_P.STAKES,), _P.DICE),
    ("throw", (_P.DICE,), None),
    ("complete_throws", (_P.DICE,), _P.DEALING),
    ("deal", (_P.DICE, _P.DEALING), _P.DEALING),
    ("throw_again", (_P.DEALING,), _P.DICE),
    ("begin_flowers", (_P.DEALING, _P.DICE, _P.INDICATOR), _P.FLOWERS),
    ("await_indicator", (_P.DEALING, _P.DICE, _P.FLOWERS), _P.INDICATOR),
    ("begin_play", (_P.DEALING, _P.DICE, _P.FLOWERS, _P.INDICATOR), _P.TURN),
    ("turn_indicator", (*OPENING, *PLAYING), None),  # in play: entered by a person, where the table could not know it
    ("lay_opening_flower", (_P.FLOWERS,), None),
    ("replace_opening_flower", (_P.FLOWERS,), None),
    ("draw", (_P.TURN, _P.CLAIMED, _P.DISCARDED), _P.TURN),
    ("draw_last_round", (_P.DISCARDED, _P.LAST_ROUND), _P.LAST_ROUND),
    ("lay_flower", (_P.TURN, _P.CLAIMED, _P.REPLACING), _P.REPLACING),
    ("replace", (_P.REPLACING, _P.ROBBING), _P.TURN),
    ("replace_more", (_P.REPLACING, _P.ROBBING), _P.REPLACING),
    ("move_out_of_turn", (*OPENING, *PLAYING), None),
    ("discard", (*OPENING, *PLAYING), _P.DISCARDED),
    ("claim", (_P.DISCARDED,), _P.CLAIMED),
    ("claim_kong", (_P.DISCARDED,), _P.REPLACING),
    ("conceal_kong", (*OPENING, _P.TURN, _P.CLAIMED, _P.REPLACING), _P.REPLACING),
    ("add_kong", (*OPENING, _P.TURN, _P.CLAIMED, _P.REPLACING), _P.REPLACING),
    ("add_robbable_kong", (*OPENING, _P.TURN, _P.CLAIMED, _P.REPLACING), _P.ROBBING),
    ("declare", (*DECLARABLE, _P.DECLARED), _P.DECLARED),
    *((f"withdraw_to_{phase.value}", (_P.DECLARED,), phase) for phase in DECLARABLE),
    ("win", (_P.DECLARED,), None),
    ("end_drawn", tuple(p for p in Phase if p not in (_P.IDLE, _P.ENDED)), None),
    ("end", tuple(p for p in Phase if p not in (_P.IDLE, _P.ENDED)), _P.ENDED),
)

_M = MatchPhase
MATCH: Final[tuple[Row, ...]] = (
    ("start", (_M.WAITING, _M.BETWEEN, _M.OVER), _M.BETWEEN),
    ("open_hand", (_M.BETWEEN,), _M.HAND),
    ("close_hand", (_M.HAND,), _M.BETWEEN),
    ("undo_hand", (_M.BETWEEN, _M.HAND, _M.OVER), _M.BETWEEN),
    ("finish", (_M.BETWEEN, _M.HAND), _M.OVER),
)


def _build(states: type[Enum], rows: Sequence[Row], initial: Enum) -> Machine:
    machine = Machine(
        model=None, states=states, initial=initial, auto_transitions=False, model_attribute="phase", send_event=False
    )
    for trigger, sources, dest in rows:
        machine.add_transition(trigger, list(sources), dest)
    return machine


@lru_cache(maxsize=1)
def _hand_machine() -> Machine:
    return _build(Phase, HAND, Phase.IDLE)


@lru_cache(maxsize=1)
def _match_machine() -> Machine:
    return _build(MatchPhase, MATCH, MatchPhase.WAITING)


def step(hand: Hand, trigger: str) -> None:
    """Move ``hand`` by ``trigger``.

    Raises:
        IllegalStep: the hand's phase does not allow it.
    """
    try:
        _hand_machine().events[trigger].trigger(hand)
    except MachineError:
        raise IllegalStep(f"{trigger.replace('_', ' ')!r} is not possible in phase {hand.phase.value!r}") from None


def step_match(game: object, trigger: str) -> None:
    """Move a match (anything with a ``phase`` of `MatchPhase`) by ``trigger``.

    Raises:
        IllegalStep: its phase does not allow it.
    """
    try:
        _match_machine().events[trigger].trigger(game)
    except MachineError:
        phase: MatchPhase = getattr(game, "phase")  # noqa: B009 - any model with a phase
        raise IllegalStep(f"{trigger.replace('_', ' ')!r} is not possible while the match is {phase.value!r}") from None


def diagram(rows: Sequence[Row], initial: Enum) -> str:
    """The rows as the text of a Mermaid state diagram: one arrow for each pair of phases."""
    arrows: dict[tuple[str, str], list[str]] = {}
    for trigger, sources, dest in rows:
        for source in sources:
            arrows.setdefault((source.value, (dest or source).value), []).append(trigger)
    lines = ["stateDiagram-v2", f"    [*] --> {initial.value}"]
    lines += [f"    {source} --> {dest}: {', '.join(triggers)}" for (source, dest), triggers in arrows.items()]
    return "\n".join(lines) + "\n"


def hand_diagram() -> str:
    """Mermaid text of the hand (``tablectl diagram hand``)."""
    return diagram(HAND, Phase.IDLE)


def match_diagram() -> str:
    """Mermaid text of the match (``tablectl diagram match``)."""
    return diagram(MATCH, MatchPhase.WAITING)
