"""A hand won under 天津麻将, and what its dearest reading can be (T302–T306).

Not all fillings of the wilds are looked through, of which there are thousands: only the parts that a pattern needs are
taken, and then it is asked whether the rest is complete. That is exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from tablectl.rules.api import Win
from tablectl.rules.common.wildcards import kind_after
from tablectl.rules.reading import (
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
from tablectl.rules.tianjin.patterns import BENHUN, DOUBLE_HUNDIAO, HUNDIAO, LONG, ZHUOWU
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


class Part(NamedTuple):
    """One part that the drawn tile can play, or none: the patterns in it, its group, what is left to place."""

    names: frozenset[str]
    taken: tuple[Group, ...]
    rest: Rest


@dataclass(frozen=True, slots=True)
class Candidate:
    """Readings with these patterns at least: a part of the drawn tile, and the runs of a 龙 still to be taken."""

    names: frozenset[str]
    part: Part
    runs: tuple[Tile, ...] = ()

    def readings(self, hand: Hand) -> tuple[Reading, ...]:
        """One division of this sort with every place of the drawn tile; empty where there is none.

        Natural tiles go before wilds, which is never worse: they may always change places.
        """
        _, taken, rest = self.part
        for first in self.runs:
            more = rest.take(chow(first))
            if more is None:
                return ()
            taken, rest = (*taken, more[0]), more[1]
        division = rest.first_division() if rest.is_complete() else None
        if division is None:
            return ()
        groups = (*taken, *division.sets, *((division.pair,) if division.pair else ()))
        eyes = next(group for group in groups if len(group.tiles or group.wild) == 2)
        return tuple(_placed(hand, tuple(group for group in groups if group is not eyes), eyes))


def candidates(hand: Hand, *, dragons: bool = True, double_inside_dragon: bool = False) -> Iterator[Candidate]:
    """What the dearest reading can be, whatever the wilds stand for: each part of the drawn tile without a 龙, and with
    each 龙 beside it or around it (T404–T407).

    Args:
        dragons: 龙 is played.
        double_inside_dragon: 双混吊 counts in a run that the 龙 needs.
    """
    for part in _parts(hand):
        yield Candidate(part.names, part)
        for dragon in DRAGONS if dragons else ():
            names = part.names | _with_dragon(hand, dragon)
            yield Candidate(names, part, dragon)
            beside = _beside(part, dragon)
            if len(beside) == 2 and (double_inside_dragon or DOUBLE_HUNDIAO not in names):
                yield Candidate(names, part, beside)
    for part in _inside_dragon(hand) if dragons and double_inside_dragon else ():
        for dragon in DRAGONS:
            beside = _beside(part, dragon)
            if len(beside) == 2:
                yield Candidate(part.names | _with_dragon(hand, dragon), part, beside)


def _with_dragon(hand: Hand, dragon: tuple[Tile, ...]) -> frozenset[str]:
    return frozenset({LONG, BENHUN} if dragon == hand.dragon_of_wilds else {LONG})


def _beside(part: Part, dragon: tuple[Tile, ...]) -> tuple[Tile, ...]:
    """The runs of the 龙 but the one in which the drawn tile lies."""
    return tuple(first for first in dragon if not any(group.tiles == chow(first).tiles for group in part.taken))


def _parts(hand: Hand) -> Iterator[Part]:
    """The drawn tile lies anywhere; as the 5m of 456m; in the pair, or in a set, with wilds only."""
    rest, drawn = hand.rest, hand.drawn
    yield Part(frozenset(), (), rest)
    takes: list[tuple[set[str], tuple[Group, Rest] | None]] = []
    if hand.drawn_wild:
        takes += [({ZHUOWU}, rest.take(_AROUND_FIVE, wild=(1,)))]
        takes += [({ZHUOWU, DOUBLE_HUNDIAO}, rest.take(_AROUND_FIVE, wild=(0, 1, 2)))]
        takes += [({HUNDIAO}, rest.take_free(pair=True)), ({DOUBLE_HUNDIAO}, rest.take_free())]
    else:
        if drawn is Tile.M5:
            takes += [({ZHUOWU}, rest.take(_AROUND_FIVE))]
            takes += [({ZHUOWU, DOUBLE_HUNDIAO}, rest.take(_AROUND_FIVE, wild=(0, 2)))]
        takes += [({HUNDIAO}, rest.take(pair(drawn), wild=(1,)))]
        takes += [({DOUBLE_HUNDIAO}, rest.take(pung(drawn), wild=(1, 2)))]
    for names, taken in takes:
        if taken is not None:
            yield Part(frozenset(names), (taken[0],), taken[1])


def _inside_dragon(hand: Hand) -> Iterator[Part]:
    """The drawn tile with two wilds in a run that a 龙 has."""
    for first in (first for dragon in DRAGONS for first in dragon):
        run = chow(first)
        wild = tuple(place for place, tile in enumerate(run.tiles) if tile is not hand.drawn)
        taken = hand.rest.take(run, wild=(0, 1, 2) if hand.drawn_wild else wild)
        if taken is not None and (hand.drawn_wild or len(wild) == 2):
            yield Part(frozenset({DOUBLE_HUNDIAO}), (taken[0],), taken[1])


def every_reading(hand: Hand) -> Iterator[Reading]:
    """All fillings of the wilds: there may be thousands."""
    for sets, eyes in divisions(hand.counts, 4 - len(hand.melds), len(hand.wilds)):
        if eyes is not None:
            yield from _placed(hand, sets, eyes)


def as_themselves(hand: Hand) -> Iterator[Reading]:
    """Readings in which every wild stands as its own kind (T412)."""
    counts = list(hand.counts)
    for tile in hand.wilds:
        counts[tile] += 1
    for sets, eyes in natural_divisions(counts):
        if eyes is not None and len(sets) == 4 - len(hand.melds):
            yield from _placed(hand, tuple(_marked(hand, group) for group in sets), _marked(hand, eyes))


def _marked(hand: Hand, group: Group) -> Group:
    make = chow if group.is_chow else pair if len(group.tiles) == 2 else pung
    return make(group.tile, tuple(place for place, tile in enumerate(group.tiles) if tile in hand.kinds))


def _placed(hand: Hand, sets: tuple[Group, ...], eyes: Group) -> Iterator[Reading]:
    """The drawn tile at each of its places; equal groups once."""
    melds = len(hand.melds)
    groups = (*hand.melds, *sets, eyes)
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
