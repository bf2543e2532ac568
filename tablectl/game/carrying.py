"""One tile, told several times: as a discard, as what is shown of it, in the meld that claims it, in the kong added to
that. Where it was told wrongly once, it was told wrongly in all of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from tablectl.game import events as ev
from tablectl.tiles.tile import Tile

_CLAIMS: Final = (ev.ChowMade, ev.PungMade, ev.ExposedKongMade)
#: melds of equal tiles
_ALIKE: Final = (ev.PungMade, ev.ExposedKongMade, ev.AddedKongMade)
_TOLD: Final = (ev.TileDiscarded, ev.TileShown, ev.AddedKongMade, *_CLAIMS)


def corrections(hand: Iterable[tuple[int, ev.Event]], right: ev.Corrected) -> tuple[ev.Corrected, ...]:
    """``right``, with the other events of ``hand`` that tell of the same tile, or of the seat that discarded it; in
    their order. ``hand``: its events as they stand, with their numbers."""
    events = list(hand)
    told, event = dict(events).get(right.replaces), right.event
    if not isinstance(event, _TOLD) or type(event) is not type(told) or event == told:
        return (right,)
    if isinstance(event, ev.AddedKongMade) and (event.actor, event.pai) in _pungs(events):
        return (right,)  # it was added to another pung
    discarder = event.actor if isinstance(event, ev.TileDiscarded) else None
    same = next((group for group in _tiles(events) if any(seq == right.replaces for seq, _ in group)), [])
    found = [(right.replaces, event), *((n, _as(one, event.pai, discarder)) for n, one in same if n != right.replaces)]
    changed = [(n, one) for n, one in sorted(found) if n == right.replaces or one != dict(events)[n]]
    last = changed[-1][0]
    return tuple(replace(right, replaces=n, event=one, more=n != last) for n, one in changed)


def _tiles(events: Iterable[tuple[int, ev.Event]]) -> Iterator[list[tuple[int, ev.Event]]]:
    """The events of every tile that was discarded, and where it went."""
    groups: list[list[tuple[int, ev.Event]]] = []
    pungs: dict[tuple[int, Tile], list[tuple[int, ev.Event]]] = {}
    for seq, event in events:
        if isinstance(event, ev.TileDiscarded):
            groups.append([(seq, event)])
        elif groups and (isinstance(event, _CLAIMS) or (isinstance(event, ev.TileShown) and event.what == "discard")):
            groups[-1].append((seq, event))
            if isinstance(event, ev.PungMade):
                pungs[event.actor, event.pai] = groups[-1]
        elif isinstance(event, ev.AddedKongMade) and (event.actor, event.pai) in pungs:
            pungs[event.actor, event.pai].append((seq, event))
    return iter(groups)


def _pungs(events: Iterable[tuple[int, ev.Event]]) -> set[tuple[int, Tile]]:
    return {(event.actor, event.pai) for _, event in events if isinstance(event, ev.PungMade)}


def _as(event: ev.Event, tile: Tile, discarder: int | None) -> ev.Event:
    """The event, told of ``tile``; ``discarder``: who discarded it, where that is corrected, too."""
    if isinstance(event, ev.TileDiscarded):
        return replace(event, pai=tile)
    if isinstance(event, ev.TileShown):
        return replace(event, pai=tile, actor=event.actor if discarder is None else discarder)
    if isinstance(event, _ALIKE):
        event = replace(event, consumed=(tile,) * len(event.consumed))
    if isinstance(event, _CLAIMS):
        return replace(event, pai=tile, target=event.target if discarder is None else discarder)
    assert isinstance(event, ev.AddedKongMade)
    return replace(event, pai=tile)


def named(event: ev.Event | None) -> tuple[Tile, ...]:
    """The tiles of a move, as far as they are known."""
    pai: Tile | None = getattr(event, "pai", None)
    consumed: tuple[Tile, ...] = getattr(event, "consumed", ())
    return consumed if pai is None else (pai, *consumed)


def mixed(event: ev.Event | None) -> bool:
    """Whether it tells of a pung or kong of more than one kind."""
    return isinstance(event, (*_ALIKE, ev.ConcealedKongMade)) and len({*named(event)}) > 1
