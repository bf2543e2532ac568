"""Steps of play, and the points of play between them: who may do what, real or supposed.

A step moves tags from place to place and becomes one action, and that one event. Which steps are possible from a point
of play is in `steps`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from tablectl.game import events as ev
from tablectl.game.state import Hand, Phase
from tablectl.tiles.tile import Tile
from tablectl.tracking.wall import End

#: the event that a step becomes
EVENT_OF: Final[Mapping[str, type[ev.Event]]] = {
    "draw": ev.TileDrawn,
    "flower": ev.FlowerLaid,
    "discard": ev.TileDiscarded,
    "chow": ev.ChowMade,
    "pung": ev.PungMade,
    "exposed_kong": ev.ExposedKongMade,
    "concealed_kong": ev.ConcealedKongMade,
    "added_kong": ev.AddedKongMade,
}


class Step(NamedTuple):
    """One step of play. ``moves``: tag and new place; ``tile`` as in the action the step becomes (None: not named)."""

    kind: str  # draw, discard, flower, chow, pung, exposed_kong, concealed_kong, added_kong, win, retract
    seat: int
    moves: tuple[tuple[str, str], ...]
    prior: float
    tile: Tile | None = None
    consumed: tuple[Tile, ...] = ()
    end: End = "live"
    position: int | None = None  # of the wall
    offence: str = ""  # alert code that goes with it
    t: float | None = None  # when it happened, where a key tells it

    @property
    def sense(self) -> tuple[object, ...]:
        """What tells it from other steps in the record; two tags of one kind are the same there."""
        return self.kind, self.seat, self.tile, self.consumed, self.offence


@dataclass(slots=True)
class Outlook:
    """A point of play, real or supposed: who may do what, and where the supposed steps have moved tags."""

    phase: Phase
    turn: int
    owed: tuple[int, int, int, int]
    last: str | None  # tag of the discard that may be claimed, or on which a win was declared
    drawn: str | None  # tag of the last live draw while its seat holds it
    ways: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    gone: frozenset[int] = frozenset()
    kong_allowed: bool = True
    #: in the opening: the seat that was supposed to lay flowers last (None: the one in turn), what it has drawn for
    #: those that were told, and the tags that it was supposed to draw since the first of them
    laying: int | None = None
    fresh: tuple[Tile, ...] = ()
    replaced: frozenset[str] = frozenset()


def outlook(hand: Hand, last: str | None, drawn: str | None, fresh: tuple[Tile, ...] = ()) -> Outlook:
    """The real point of play."""
    owed = tuple(seat.owed for seat in hand.seats)
    phase = hand.resume if hand.phase is Phase.DECLARED else hand.phase
    return Outlook(
        hand.phase,
        hand.turn,
        (owed[0], owed[1], owed[2], owed[3]),
        last if phase is Phase.DISCARDED and hand.last_discard else None,
        drawn,
        kong_allowed=hand.after not in ("chow", "pung"),
        fresh=fresh,
    )


def after(look: Outlook, step: Step) -> Outlook:
    """The point of play after ``step``."""
    ways = dict(look.ways)
    for tag, place in step.moves:
        ways[tag] = (*ways.get(tag, ()), place)
    gone = look.gone | {step.position} if step.position is not None else look.gone
    owed = list(look.owed)
    phase, turn, last, drawn = look.phase, look.turn, look.last, look.drawn
    opening = phase is Phase.FLOWERS
    kong_allowed = True
    laying = look.laying
    last_laying = look.turn if laying is None else laying
    replaced = look.replaced
    match step.kind:
        case "draw":
            if owed[step.seat]:
                owed[step.seat] -= 1
            if step.seat == last_laying:
                replaced = replaced.union(tag for tag, _ in step.moves)
            if not opening:
                turn, drawn = step.seat, step.moves[0][0] if step.moves else None
                phase = Phase.REPLACING if owed[step.seat] else Phase.TURN
        case "flower":
            owed[step.seat] += 1
            laying = step.seat
            if step.seat != last_laying:
                replaced = frozenset()
            if not opening:
                phase, turn = Phase.REPLACING, step.seat
        case "discard":
            phase, turn, last, drawn = Phase.DISCARDED, step.seat, step.moves[0][0], None
            owed = [0, 0, 0, 0]
        case "chow" | "pung":
            phase, turn, last, drawn, kong_allowed = Phase.CLAIMED, step.seat, None, None, False
        case "exposed_kong" | "concealed_kong":
            phase, turn, last = Phase.REPLACING, step.seat, None
            owed[step.seat] += 1
        case "added_kong":
            phase, turn, last = Phase.ROBBING, step.seat, step.moves[0][0]
            owed[step.seat] += 1
        case "win":
            phase = Phase.DECLARED
    fresh = look.fresh if laying in (None, look.turn) else ()
    return Outlook(
        phase,
        turn,
        (owed[0], owed[1], owed[2], owed[3]),
        last,
        drawn,
        ways,
        gone,
        kong_allowed,
        laying,
        fresh,
        replaced,
    )


@dataclass(frozen=True, slots=True)
class Told:
    """A step that was told, the point of play before it, where its tags lay, and when it was made."""

    step: Step
    before: Outlook
    homes: tuple[tuple[str, str], ...] = ()
    t: float = 0.0


def retraction(told: Told, look: Outlook, prior: float) -> tuple[Step, Outlook]:
    """The step that takes ``told`` back from ``look``, and the point of play it leads to: a reading was wrong, or the
    players took it back (a tile drawn when another seat called pung)."""
    ways = dict(look.ways)
    for tag, home in told.homes:
        ways[tag] = (*ways.get(tag, ()), home)
    return Step("retract", told.step.seat, told.homes, prior), replace(told.before, ways=ways)
