"""A hand won under 天津麻将, and its readings among which the dearest one is (T302–T306)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from tablectl.rules.api import Win
from tablectl.rules.common.wildcards import kind_after
from tablectl.rules.reading import (
    Division,
    Group,
    Reading,
    Rest,
    Shape,
    chow,
    counts_of,
    divisions,
    natural_divisions,
    of_meld,
    pair,
    pung,
)
from tablectl.tiles.tile import TILES, Tile

#: The first tiles of 123, 456 and 789 in 万, 饼 and 条.
DRAGONS: Final = tuple(tuple(TILES[base + step] for step in (0, 3, 6)) for base in (0, 9, 18))
_AROUND_FIVE: Final = chow(Tile.M4)


def wild_kinds(indicator: Tile | None) -> frozenset[Tile]:
    """The indicator's kind and the kind after it (T112); none without an indicator."""
    if indicator is None or indicator.is_flower:
        return frozenset()
    return frozenset({indicator, kind_after(indicator)})


@dataclass(frozen=True, slots=True)
class Hand:
    """A winner's tiles: the natural standing ones by kind, and the wilds; the ``drawn`` tile is in the one or other."""

    counts: tuple[int, ...]
    wilds: tuple[Tile, ...]
    drawn: Tile
    kinds: frozenset[Tile]
    melds: tuple[Group, ...]

    @classmethod
    def of(cls, win: Win, kinds: frozenset[Tile]) -> Hand:
        standing = (*win.concealed, win.tile)
        return cls(
            counts=tuple(counts_of(tile for tile in standing if tile not in kinds)),
            wilds=tuple(sorted(tile for tile in standing if tile in kinds)),
            drawn=win.tile,
            kinds=kinds,
            melds=tuple(of_meld(meld) for meld in win.melds),
        )

    @property
    def drawn_wild(self) -> bool:
        return self.drawn in self.kinds

    @property
    def rest(self) -> Rest:
        """All standing tiles, nothing placed yet."""
        return Rest.of(self.counts, 4 - len(self.melds), len(self.wilds))

    @property
    def dragon_of_wilds(self) -> tuple[Tile, ...]:
        """The 龙 in the suit of the wilds; empty where they are honours."""
        return next((runs for runs in DRAGONS if any(kind.suit == runs[0].suit for kind in self.kinds)), ())


def readings(hand: Hand, *, su_ben: bool = False, every: bool = False) -> Iterator[Reading]:
    """Readings of the complete hand with every place of the drawn tile; the dearest one is among them.

    Rather than all fillings of the wilds (there are thousands) these are, for each 龙 and none, one reading for every
    part that the drawn tile can play. That is exact: a natural tile may always change places with the wild standing
    for it.

    Args:
        su_ben: also those in which all wilds stand as themselves (T412).
        every: all fillings.
    """
    if not hand.rest.is_complete():
        return
    for sets, eyes in _divisions(hand, su_ben, every):
        groups = (*hand.melds, *sets, eyes)
        yield from _placed(hand, groups, eyes)


def _divisions(hand: Hand, su_ben: bool, every: bool) -> Iterator[tuple[tuple[Group, ...], Group]]:
    found = _wanted(hand)
    if su_ben and hand.wilds:
        found = (*found, *_as_themselves(hand))
    yield from found
    if every:
        for sets, eyes in divisions(hand.counts, 4 - len(hand.melds), len(hand.wilds)):
            if eyes is not None:
                yield sets, eyes


def _wanted(hand: Hand) -> tuple[tuple[tuple[Group, ...], Group], ...]:
    """One division for each part of the drawn tile with no 龙 and with each one, beside it or around it."""
    found: dict[tuple[tuple[Group, ...], Group], None] = {}
    for taken, rest in _parts(hand):
        around = {group.tile for group in taken if group.is_chow}
        wanted = dict.fromkeys(((), *DRAGONS))
        wanted |= dict.fromkeys(tuple(first for first in dragon if first not in around) for dragon in DRAGONS)
        for runs in wanted:
            division = _completed(taken, rest, runs)
            if division is not None:
                found[division] = None
    return tuple(found)


def _parts(hand: Hand) -> Iterator[tuple[tuple[Group, ...], Rest]]:
    """What the drawn tile lies in, and what is left: anything; the 5m of 456m; the pair, or a set, with wilds only."""
    rest, drawn, wild = hand.rest, hand.drawn, hand.drawn_wild
    yield (), rest
    takes = []
    if wild:
        takes += [rest.take(_AROUND_FIVE, wild=(1,)), rest.take(_AROUND_FIVE, wild=(0, 1, 2))]
        takes += [rest.take_free(pair=True), rest.take_free()]
    else:
        if drawn is Tile.M5:
            takes += [rest.take(_AROUND_FIVE), rest.take(_AROUND_FIVE, wild=(0, 2))]
        takes += [rest.take(pair(drawn), wild=(1,)), rest.take(pung(drawn), wild=(1, 2))]
    takes += [rest.take(run, wild=places) for run, places in _runs_with_two_wilds(drawn, wild)]
    for taken in takes:
        if taken is not None:
            yield (taken[0],), taken[1]


def _runs_with_two_wilds(drawn: Tile, wild: bool) -> Iterator[tuple[Group, tuple[int, ...]]]:
    """The runs of a 龙 in which the drawn tile can lie between or beside two wilds."""
    for dragon in DRAGONS:
        for first in dragon:
            if wild:
                yield chow(first), (0, 1, 2)
            elif 0 <= drawn - first <= 2 and drawn.suit == first.suit:
                yield chow(first), tuple(place for place in range(3) if first + place != drawn)


def _completed(taken: tuple[Group, ...], rest: Rest, runs: tuple[Tile, ...]) -> tuple[tuple[Group, ...], Group] | None:
    """The groups ``taken``, the ``runs`` that begin with these tiles, and one way to place the rest."""
    for first in runs:
        more = rest.take(chow(first))
        if more is None:
            return None
        taken, rest = (*taken, more[0]), more[1]
    division = rest.first_division()
    if division is None:
        return None
    groups = (*taken, *division.sets, *((division.pair,) if division.pair else ()))
    eyes = next(group for group in groups if len(group.tiles or group.wild) == 2)
    return tuple(group for group in groups if group is not eyes), eyes


def _as_themselves(hand: Hand) -> Iterator[tuple[tuple[Group, ...], Group]]:
    """Divisions in which every wild stands as its own kind."""
    counts = list(hand.counts)
    for tile in hand.wilds:
        counts[tile] += 1
    for division in natural_divisions(counts):
        if division.pair is not None and len(division.sets) == 4 - len(hand.melds):
            marked = Division(tuple(_marked(hand, group) for group in division.sets), _marked(hand, division.pair))
            if marked.pair is not None:
                yield marked.sets, marked.pair


def _marked(hand: Hand, group: Group) -> Group:
    make = chow if group.is_chow else pair if len(group.tiles) == 2 else pung
    return make(group.tile, tuple(place for place, tile in enumerate(group.tiles) if tile in hand.kinds))


def _placed(hand: Hand, groups: tuple[Group, ...], eyes: Group) -> Iterator[Reading]:
    """The drawn tile at each of its places; equal groups once."""
    melds = len(hand.melds)
    for number in range(melds, len(groups)):
        group = groups[number]
        if group in groups[melds:number]:
            continue
        if hand.drawn_wild:
            places = group.wild if group.tiles else group.wild[:1]
        else:
            places = tuple(p for p, tile in enumerate(group.tiles) if tile is hand.drawn and p not in group.wild)
        for place in places:
            yield Reading(Shape.STANDARD, groups, eyes, number, place)
