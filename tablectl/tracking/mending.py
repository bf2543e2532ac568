"""Tiles that were taken for each other, although what was told is right otherwise.

A ghost of a standing tile in the river, while the tile that lies there is missed, looks like the discard of the wrong
tile: it still answers in the hand and never in the river. When that comes out other steps may have been told after it,
which are right; so only its name is corrected. Two tags of one kind that were taken for each other change no record.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from tablectl.game import actions as act
from tablectl.game import events as ev
from tablectl.tiles.tile import Tile
from tablectl.tracking.beliefs import Beliefs
from tablectl.tracking.places import HAND, RIVER
from tablectl.tracking.presence import Presence

#: reads in a row in which the tile answers in the hand, and not in the river
MISNAMED_READS = 3
#: log-odds that a discard was misnamed, before the readings
MISNAMED = -5.0
#: log-odds from which a tile went to the river later than the discard in question
RATHER_LATER = 2.0
#: reads in a row after which two tags of one kind are believed to lie in each other's places
TWIN_READS = 3


class Misnamed(NamedTuple):
    """The discard of ``tag``, told as event number ``seq``, was one of ``other``: what the event should have been."""

    tag: str
    other: str
    seq: int
    told: ev.TileDiscarded
    right: ev.TileDiscarded


def rename(beliefs: Beliefs, sure: float) -> list[act.Action]:
    """A discard was named wrongly: what was told after it stands, but the tiles change places. ``sure``: the log-odds
    that are enough."""
    now = beliefs
    found = misnamed(now.presence, now.tiles, now.standing, now.period, sure)
    if found is None:
        return []
    seat, at = found.told.actor, found.told.t or now.t
    now.presence.place(found.tag, HAND[seat], at)
    now.presence.place(found.other, RIVER[seat], at)
    now.told.clear()
    now.last = found.other if now.last == found.tag else now.last
    now.drawn = found.tag if now.drawn == found.other else now.drawn
    if found.right.pai == found.told.pai:
        return []
    return [act.Amend(t=now.t, replaces=found.seq, event=found.right)]


def swap_twins(beliefs: Beliefs, name: str) -> None:
    """Two tags of one kind were taken for each other: that changes no record, only which tag lies in zone ``name``."""
    presence, tiles = beliefs.presence, beliefs.tiles
    zone = presence.zones[name]
    for tag, run in list(zone.strange.items()):
        if run < TWIN_READS or tag not in tiles:
            continue
        home = presence.lies(tag)
        if tag not in presence.zone(home).missing and home.partition(".")[0] in ("hand", "meld", "river"):
            continue
        for twin, silent in zone.missing.items():
            if home.startswith("wall") and twin not in beliefs.unseen:
                continue  # that one was drawn, and this one may be drawn now
            if silent >= TWIN_READS and tiles.get(twin) == tiles[tag]:
                presence.place(tag, name, beliefs.t)
                presence.place(twin, home, beliefs.t)
                _exchange(beliefs, {tag: twin, twin: tag})
                break


def _exchange(beliefs: Beliefs, names: Mapping[str, str]) -> None:
    """The steps told last moved the other one of two tags: if they are taken back, that one goes back."""

    def exchanged(tag: str | None) -> str | None:
        return tag if tag is None else names.get(tag, tag)

    def moved(moves: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
        return tuple((names.get(tag, tag), place) for tag, place in moves)

    for number, told in enumerate(beliefs.told):
        step, before = told.step, told.before
        beliefs.told[number] = replace(
            told,
            step=step._replace(moves=moved(step.moves)),
            before=replace(before, last=exchanged(before.last), drawn=exchanged(before.drawn)),
            homes=moved(told.homes),
        )
    beliefs.last, beliefs.drawn = exchanged(beliefs.last), exchanged(beliefs.drawn)
    for pungs in beliefs.pungs:
        pungs[:] = [tuple(names.get(tag, tag) for tag in pung) for pung in pungs]


def misnamed(
    presence: Presence,
    tiles: Mapping[str, Tile],
    events: Callable[[], Sequence[tuple[int, ev.Event]]],
    period: float,
    sure: float,
) -> Misnamed | None:
    """The first discard that was named wrongly with log-odds of at least ``sure``. ``events`` gives those that stand,
    with their numbers; ``period``: seconds between two reads of a zone."""
    for seat in range(4):
        river, hand = presence.unfit.get(RIVER[seat]), presence.unfit.get(HAND[seat])
        if river is None or hand is None:
            continue
        for tag, silent in river.missing.items():
            if silent < MISNAMED_READS or hand.strange.get(tag, 0) < MISNAMED_READS:
                continue
            found = _discarded(events(), seat, tiles[tag])
            if found is None:
                continue
            seq, told, drawn = found
            needed = sure - MISNAMED - presence.way(tag, HAND[seat]).support
            other = _rather(presence, tiles, seat, told.t or 0.0, period, needed)
            if other is not None:
                straight = drawn is not None and drawn.pai == tiles[other]
                right = ev.TileDiscarded(t=told.t, actor=seat, pai=tiles[other], tsumogiri=straight)
                return Misnamed(tag, other, seq, told, right)
    return None


def _rather(
    presence: Presence, tiles: Mapping[str, Tile], seat: int, t: float, period: float, needed: float
) -> str | None:
    """The tile that ``seat`` discarded by the time ``t`` rather than the one that was told."""
    moved = {*presence.unfit[RIVER[seat]].strange, *presence.unfit[HAND[seat]].missing}
    weighed = {}
    for tag in moved:
        if tag not in tiles or presence.lies(tag) != HAND[seat] or not presence.lay_there(tag, t):
            continue
        if presence.stayed(tag) > t + period:
            continue  # it has answered in the hand since
        support = presence.way(tag, RIVER[seat], until=t + period).support
        if support >= presence.way(tag, RIVER[seat]).support - RATHER_LATER:
            weighed[tag] = support
    other = max(sorted(weighed), key=weighed.__getitem__, default=None)
    return other if other is not None and weighed[other] >= max(needed, 0.1) else None


def _discarded(
    events: Sequence[tuple[int, ev.Event]], seat: int, tile: Tile
) -> tuple[int, ev.TileDiscarded, ev.TileDrawn | None] | None:
    """The last discard of such a tile by ``seat`` in this hand, with its number, and the draw before it."""
    drawn: ev.TileDrawn | None = None
    found: tuple[int, ev.TileDiscarded, ev.TileDrawn | None] | None = None
    for seq, event in events:
        if isinstance(event, ev.HandOpened):
            found = None
        elif isinstance(event, ev.TileDrawn) and event.actor == seat:
            drawn = event
        elif isinstance(event, ev.TileDiscarded) and event.actor == seat:
            if event.pai == tile:
                found = seq, event, drawn
            drawn = None
    return found
