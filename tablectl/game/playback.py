"""A hand step by step, for the eye: what the board shows after every event.

The steps are views of a real table (`game.views`), each as the difference to the one before, so that a page that plays
them knows nothing of the rules. Only for hands that are over: everything is seen, the standing tiles of all seats too.

A difference says what to put in place of the old value. For a mapping with the same keys, and for a list of as many
mappings, it holds the differences of those that changed, by key or place; ``{"+": items}`` adds to the end of a list;
``{"=": value}`` replaces a whole mapping; everything else replaces what was there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from tablectl.game import events as ev
from tablectl.game.exports import hand_lines
from tablectl.game.fairness import index_of
from tablectl.game.record import effective, hands_of, matches_of, records
from tablectl.game.table import Table
from tablectl.game.views import Role, view
from tablectl.game.walls import walls
from tablectl.rules.registry import load

Json = dict[str, Any]

#: events that are told in words, but change nothing on the board
_UNSEEN: Final = frozenset({"wall", "opened"})


@dataclass(frozen=True, slots=True)
class PlayedHand:
    """A hand that is over: its number in the match, how that began (``start``, with the names and the first dealer as
    they are known now), its events."""

    number: int
    start: ev.MatchStarted
    events: tuple[ev.Event, ...]

    @property
    def names(self) -> tuple[str, str, str, str]:
        """Who sat where."""
        return self.start.names


def played_hands(events: Sequence[ev.Event], first_seq: int = 1) -> list[PlayedHand]:
    """The hands that are over, as corrected, numbered through all matches; one that was undone is left out.

    ``events``: the first has number ``first_seq``.
    """
    found: list[PlayedHand] = []
    for begin, match in matches_of(events):
        _add_hands(found, effective(match, first_seq + begin))
    return found


def _add_hands(found: list[PlayedHand], numbered: Sequence[tuple[int, ev.Event]]) -> None:
    """Add those of one match."""
    start = numbered[0][1]
    assert isinstance(start, ev.MatchStarted)
    for hand in hands_of(numbered):
        own = [event for _, event in hand]
        end = next((n for n, event in enumerate(own) if isinstance(event, ev.HandEnded)), None)
        if end is None or not any(isinstance(event, ev.HandDealt) for event in own):
            continue
        known = start
        for seq, event in numbered:
            if seq < hand[0][0] and isinstance(event, ev.SeatsNamed):
                known = replace(known, names=event.names)
            elif seq < hand[0][0] and isinstance(event, ev.DealerThrown):
                known = replace(known, dealer=event.dealer)
        after = [event for event in own[end + 1 :] if event.type in _UNSEEN]
        found.append(PlayedHand(len(found) + 1, known, (*own[: end + 1], *after)))


def playback(hand: PlayedHand) -> Json:
    """The hand for a page that plays it: ``first`` is the state before the first step, ``steps`` are the events with
    what each changes, ``record`` is its hand record, ``lines`` the wins in one line each."""
    rules = load(hand.start.rules, hand.start.options)
    table = Table(rules, names=hand.names)
    table.fold(hand.start)
    first: Json = {}
    state: Json = {}
    steps: list[Json] = []
    for event in hand.events:
        seq = table.fold(event)
        shown = _state(table, event, state)
        if not state:
            first = shown
        steps.append({"event": {"seq": seq, **ev.to_json(event)}, "change": difference(state, shown) if state else {}})
        state = shown
    return {
        "hand": hand.number,
        "names": list(hand.names),
        "rules": {"id": rules.id, "zh": rules.name_zh, "en": rules.name_en},
        "first": first,
        "steps": steps,
        "record": records(hand.events)[0],
        "lines": hand_lines(hand.events),
        "deck": _deck(table),
    }


def _deck(table: Table) -> Json | None:
    """Where the tiles of the wall came to lie by drawing positions, for who checks the seal (`game.fairness`): of
    each its side and its place in the side's text; which positions were dealt to whom, drawn from the live end, from
    the tail. None where no wall was broken."""
    deck = table.hand.deck if table.hand is not None else None
    if deck is None:
        return None
    return {
        "places": [[place.side, index_of(place)] for place in deck.places],
        "dealt": [list(deck.dealt(seat)) for seat in range(4)],
        "live": [position for position in deck.live if position != deck.indicator],
        "tail": [position for position in deck.tail if position != deck.indicator],
    }


def _state(table: Table, event: ev.Event, before: Json) -> Json:
    if event.type in _UNSEEN and before:
        return before
    shown = view(table, Role.REFEREE)
    del shown["seq"]
    return {"table": shown, "walls": walls(table)}


def difference(old: Any, new: Any) -> Any:
    """What to put in place of ``old`` to have ``new``. They differ, or the result is that of two equal mappings: {}."""
    if isinstance(new, Mapping):
        if isinstance(old, Mapping) and old.keys() == new.keys():
            return {key: difference(old[key], new[key]) for key in new if old[key] != new[key]}
        return {"=": new}
    if _same_shape(old, new):
        pairs = enumerate(zip(old, new, strict=True))
        return {str(n): difference(a, b) for n, (a, b) in pairs if a != b}
    if isinstance(old, list) and isinstance(new, list) and 0 < len(old) < len(new) and new[: len(old)] == old:
        return {"+": new[len(old) :]}
    return new


def _same_shape(old: Any, new: Any) -> bool:
    """Two lists of as many mappings."""
    if not (isinstance(old, list) and isinstance(new, list) and len(old) == len(new) and new):
        return False
    return all(isinstance(item, Mapping) for item in (*old, *new))


def changed(old: Any, change: Any) -> Any:
    """``old`` with a `difference` put in."""
    if not isinstance(change, Mapping):
        return change
    if "=" in change:
        return change["="]
    if "+" in change:
        return [*old, *change["+"]]
    if isinstance(old, list):
        return [changed(item, change[str(n)]) if str(n) in change else item for n, item in enumerate(old)]
    return {key: changed(value, change[key]) if key in change else value for key, value in old.items()}


def states(played: Json) -> Iterator[Json]:
    """The state after each step of a `playback`."""
    state = played["first"]
    for step in played["steps"]:
        state = changed(state, step["change"])
        yield state
