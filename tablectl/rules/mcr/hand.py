"""Thirteen tiles, and every way to read them with a fourteenth (T26, T34–T36).

A reading is kept as a `Form`: what it is worth is one set of entries (`table.entries`), complete but for what depends
on the way of winning; its `Place`s say where the winning tile may lie.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from tablectl.rules.mcr.ready import form_waits
from tablectl.rules.mcr.sets import TWO_DRAGONS, chow_fans, honour_fans, pung_fans, shared
from tablectl.rules.mcr.table import entries
from tablectl.rules.mcr.tile_fans import MARKS, is_nine_gates, tile_fans
from tablectl.rules.reading import (
    Group,
    GroupKind,
    Shape,
    knitted_divisions,
    natural_divisions,
    of_meld,
    scattered,
    seven_pairs,
    thirteen_orphans,
    whole_pattern,
)
from tablectl.tiles.meld import Meld
from tablectl.tiles.tile import HONOURS, Tile


class Place(NamedTuple):
    """Where the winning tile may lie: the number of the group, whether it makes a concealed pung exposed when it comes
    from a discard (T36), and the entry of the wait (T41)."""

    group: int
    in_pung: bool
    wait: int


class Form(NamedTuple):
    """A reading. ``groups`` as in `reading.Reading`; ``chows`` and ``pungs`` are the lowest tiles of the sets, in
    ascending order, kongs among the pungs; ``hidden`` counts concealed pungs and kongs, the winning tile's
    own pung among them."""

    shape: Shape
    groups: tuple[Group, ...]
    pair: Group | None
    mask: int
    hidden: int
    places: tuple[Place, ...]
    chows: tuple[Tile, ...] = ()
    pungs: tuple[Tile, ...] = ()


_F4, _F6, _F7, _F19, _F20, _F34, _F35 = (entries(number) for number in (4, 6, 7, 19, 20, 34, 35))


class Hand:
    """The 13 tiles before the winning one: everything that does not depend on it.

    Args:
        was_waiting: False on a heavenly hand, which never waited: no wait fan and no 九莲宝灯 (T32).
    """

    def __init__(
        self,
        concealed: Sequence[Tile],
        melds: Sequence[Meld],
        prevalent: Tile,
        seat_wind: Tile,
        *,
        was_waiting: bool = True,
    ) -> None:
        self.prevalent, self.seat_wind = prevalent, seat_wind
        self.was_waiting = was_waiting
        #: standing tiles by kind
        self.standing = standing = [0] * 34
        marks = 0
        for tile in concealed:
            standing[tile] += 1
            marks |= MARKS[tile]
        #: standing and melded tiles by kind, kongs left out
        self.held = held = standing[:] if melds else standing
        self.laid = tuple([of_meld(meld) for meld in melds])
        self.exposed_kongs = self.concealed_kongs = 0
        self.every = -1
        for group in self.laid:
            self.every &= shared(group)
            if group.is_kong:
                marks |= MARKS[group.tile]
                if group.exposed:
                    self.exposed_kongs += 1
                else:
                    self.concealed_kongs += 1
            else:
                for tile in group.tiles:
                    held[tile] += 1
                    marks |= MARKS[tile]
        self.marks = marks
        self.fours = held.count(4)
        self.chows = [group.tile for group in self.laid if group.is_chow]
        self.pungs = [group.tile for group in self.laid if group.is_pung]
        self.exposed = len(self.laid) - self.concealed_kongs
        self._waits: tuple[int, ...] | None = None

    @property
    def waits(self) -> tuple[int, ...]:
        """The waiting set in form (T41)."""
        if self._waits is None:
            self._waits = form_waits(self.standing)
        return self._waits

    @property
    def single_wait(self) -> bool:
        """The hand waits for exactly one kind (T41)."""
        return self.was_waiting and len(self.waits) == 1

    def may_hold(self, tile: Tile) -> bool:
        """Whether ``tile`` can be the fourteenth: no flower, and no fifth of its kind. False for all tiles where there
        is a fifth already."""
        kongs = [group.tile for group in self.laid if group.is_kong]
        if tile.is_flower or tile in kongs or self.held[tile] > 3:
            return False
        return max(self.held) <= 4 and not any(self.held[kong] for kong in kongs)

    def fans_of_tiles(self, tile: Tile) -> int:
        """The entries that hold for the tiles with ``tile``, in every reading."""
        return tile_fans(self.marks | MARKS[tile], self.fours + (self.held[tile] == 3))

    def forms(self, tile: Tile) -> list[Form]:
        """Every reading with ``tile`` as the fourteenth; empty where the hand is not complete."""
        counts = self.standing[:]
        counts[tile] += 1
        nine_gates = self.was_waiting and not self.laid and is_nine_gates(self.standing)
        found = [
            self._of_sets(division.sets, division.pair, tile, nine_gates)
            for division in natural_divisions(counts)
            if division.pair is not None
        ]
        if not self.laid and (pairs := seven_pairs(counts)):
            found.append(_seven_pairs(pairs, tile))
        elif not found:  # what can be read as sets and a pair fits none of the other shapes
            found += self._of_special_shapes(counts, tile)
        return found

    def _of_sets(self, sets: tuple[Group, ...], pair: Group, tile: Tile, nine_gates: bool) -> Form:
        chows, pungs = self.chows[:], self.pungs[:]
        every = self.every & shared(pair)
        hidden = self.concealed_kongs
        for group in sets:
            every &= shared(group)
            if group.is_chow:
                chows.append(group.tile)
            else:
                pungs.append(group.tile)
                hidden += 1
        chows.sort()
        pungs.sort()
        mask = every | self._set_fans(tuple(chows), tuple(pungs), pair, nine_gates)
        groups = (*self.laid, *sets, pair)
        if nine_gates:
            mask |= _F4
        places = self._places(groups, len(self.laid), tile)
        return Form(Shape.STANDARD, groups, pair, mask, hidden, places, tuple(chows), tuple(pungs))

    def _set_fans(self, chows: tuple[Tile, ...], pungs: tuple[Tile, ...], pair: Group, nine_gates: bool) -> int:
        mask = 0
        if chows:
            dragons = TWO_DRAGONS.get((chows, pair.tile)) if len(chows) == 4 else None
            mask = chow_fans(chows).mask if dragons is None else entries(dragons)
        if pungs:
            eyes = pair.tile if pair.tile >= Tile.EAST else -1
            mask |= pung_fans(pungs).mask | honour_fans(pungs, eyes, self.prevalent, self.seat_wind, nine_gates)
        return mask

    def _places(self, groups: tuple[Group, ...], first: int, tile: Tile) -> tuple[Place, ...]:
        """Each distinct place of the winning tile among the standing groups from ``first`` on."""
        found = []
        for number in range(first, len(groups)):
            group = groups[number]
            if tile in group.tiles and group not in groups[first:number]:
                in_pung, wait = completed(group, tile)
                found.append(Place(number, in_pung, wait if wait and self.single_wait else 0))
        return tuple(found)

    # --- the special shapes

    def _of_special_shapes(self, counts: list[int], tile: Tile) -> Iterator[Form]:
        if len(self.laid) > 1:
            return
        for division in knitted_divisions(counts, 4 - len(self.laid)):
            if division.pair is not None:
                yield self._knitted(division.sets, division.pair, tile)
        if self.laid:
            return
        if single := scattered(counts, patterned=True):
            seven = all(counts[honour] for honour in HONOURS)
            mask = (_F20 if seven else _F34) | (_F35 if whole_pattern(counts) else 0)
            yield Form(Shape.SCATTERED, (single,), None, mask, 0, (Place(0, False, 0),))
        if orphans := thirteen_orphans(counts):
            places = tuple([Place(n, False, 0) for n, group in enumerate(orphans) if tile in group.tiles])
            yield Form(Shape.ORPHANS, orphans, orphans[1], _F7, 0, places)

    def _knitted(self, sets: tuple[Group, ...], pair: Group, tile: Tile) -> Form:
        """The nine knitted tiles, which stand first among ``sets``, with a fourth set and a pair (T26e)."""
        fourth = self.laid[0] if self.laid else sets[3]
        chows, pungs = ((fourth.tile,), ()) if fourth.is_chow else ((), (fourth.tile,))
        mask = _F35 | self._set_fans(chows, pungs, pair, False)
        every = shared(sets[0]) & shared(fourth) & shared(pair)
        hidden = self.concealed_kongs + (not self.laid and fourth.is_pung)
        groups = (*self.laid, *sets, pair)
        places = []
        for number in range(len(self.laid), len(groups)):
            group = groups[number]
            if tile not in group.tiles:
                continue
            in_pung, wait = completed(group, tile)
            if wait and not self._rest_waits_once(sets[:3]):
                wait = 0
            places.append(Place(number, in_pung, wait))
        return Form(Shape.KNITTED, groups, pair, mask | every, hidden, tuple(places), chows, pungs)

    def _rest_waits_once(self, pattern: tuple[Group, ...]) -> bool:
        """Whether the tiles left after the nine wait for exactly one kind (T41)."""
        rest = self.standing[:]
        for group in pattern:
            for tile in group.tiles:
                rest[tile] -= 1
        return self.was_waiting and min(rest) >= 0 and len(form_waits(rest)) == 1


def _seven_pairs(pairs: tuple[Group, ...], tile: Tile) -> Form:
    first = pairs[0].tile
    in_a_row = first < 21 and first % 9 < 3 and all(pair.tile == first + i for i, pair in enumerate(pairs))
    number = next(i for i, pair in enumerate(pairs) if pair.tile is tile)
    return Form(Shape.SEVEN_PAIRS, pairs, None, _F19 | _F6 if in_a_row else _F19, 0, (Place(number, False, 0),))


@lru_cache(maxsize=1 << 12)
def completed(group: Group, tile: Tile) -> tuple[bool, int]:
    """Whether ``tile`` completes a pung of standing tiles, and the entry of the wait it would be (T41)."""
    if group.kind is GroupKind.PAIR:
        return False, entries(79)
    if group.is_chow:
        place = group.tiles.index(tile)
        if place == 1:
            return False, entries(78)
        return False, entries(77) if (group.tile.rank, place) in ((1, 2), (7, 0)) else 0
    return group.is_pung, 0
