"""The standard form: sets and a pair, with and without wildcards.

Counts are those of the *standing* tiles (winning tile included, melds not); ``sets`` is the number of sets they have
to make: 4 (or 5, for hands of 16 tiles) less the melds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import compress, product
from typing import Final, NamedTuple

from tablectl.rules.reading.groups import FREE_PAIR, FREE_SET, Group, GroupKind, chow, pair, pung
from tablectl.rules.reading.tables import Counts, held

_BASES: Final = (0, 9, 18, 27)
#: suits whose divisions are remembered: a match meets some hundred of them, a season most of all there are
SUITS: Final = 1 << 11


class Division(NamedTuple):
    """Standing tiles divided into sets and a pair (None where none was asked for)."""

    sets: tuple[Group, ...]
    pair: Group | None


def is_complete(counts: Counts, sets: int, wilds: int = 0, *, with_pair: bool = True) -> bool:
    """Whether the tiles and ``wilds`` wildcards make exactly ``sets`` sets (and a pair).

    Wildcards may be any kind, several in a set, and are not limited by the four copies of a kind.
    """
    tiles = sum(counts)
    return tiles + wilds == 3 * sets + 2 * with_pair and held(counts, sets, pair=with_pair) == tiles


# --- natural tiles


@lru_cache(maxsize=SUITS)
def _suit_sets(base: int, suit: tuple[int, ...]) -> tuple[tuple[Group, ...], ...]:
    """Every way to divide a suit into sets alone."""
    rank = next((i for i, count in enumerate(suit) if count), None)
    if rank is None:
        return ((),)
    found: list[tuple[Group, ...]] = []
    count = suit[rank]
    for pungs in (0, 1) if count >= 3 else (0,):
        runs = count - 3 * pungs
        rest = list(suit)
        rest[rank] = 0
        if runs:
            if len(suit) != 9 or rank > 6 or suit[rank + 1] < runs or suit[rank + 2] < runs:
                continue
            rest[rank + 1] -= runs
            rest[rank + 2] -= runs
        head = (pung(base + rank),) * pungs + (chow(base + rank),) * runs if runs else (pung(base + rank),)
        found += [head + tail for tail in _suit_sets(base, tuple(rest))]
    return tuple(found)


@lru_cache(maxsize=SUITS)
def _suit_divisions(base: int, suit: tuple[int, ...]) -> tuple[tuple[tuple[Group, ...], Group | None], ...]:
    """Every way to divide a suit into sets, with a pair where two tiles are over."""
    over = sum(suit) % 3
    if over == 0:
        return tuple((sets, None) for sets in _suit_sets(base, suit))
    if over == 1:
        return ()
    return tuple(
        (sets, pair(base + rank))
        for rank, count in enumerate(suit)
        if count >= 2
        for sets in _suit_sets(base, (*suit[:rank], count - 2, *suit[rank + 1 :]))
    )


def natural_divisions(counts: Counts) -> list[Division]:
    """Every way to divide the tiles into sets and one pair, no wildcards. Empty where there is none."""
    kinds = tuple(counts)
    parts = []
    pairs = 0
    for base in _BASES:
        suit = kinds[base : base + 9]
        tiles = sum(suit)
        if not tiles:
            continue
        pairs += tiles % 3 == 2
        found = _suit_divisions(base, suit)
        if not found or pairs > 1:
            return []
        parts.append(found)
    if pairs != 1:
        return []
    if len(parts) == 1:
        return [Division(sets, two) for sets, two in parts[0]]
    divisions = []
    for chosen in product(*parts):
        sets: tuple[Group, ...] = ()
        eyes = None
        for some, two in chosen:
            sets += some
            eyes = two or eyes
        divisions.append(Division(sets, eyes))
    return divisions


# --- with wildcards


@dataclass(frozen=True, slots=True)
class Rest:
    """Tiles and wildcards not yet placed, and the sets (and the pair) they still have to make.

    Rules with wildcards ask for what scores instead of looking through every filling: take the groups a pattern
    needs, then ask whether the rest is complete. That is exact: a natural tile may always change places with the
    wildcard standing for it.

    >>> rest = Rest.of(counts, sets=4, wilds=3)
    >>> taken = rest.take(chow(Tile.M4), wild=(1,))   # 4m 5m* 6m, the wildcard drawn as 5m
    >>> taken is not None and taken[1].is_complete()
    """

    counts: tuple[int, ...]
    sets: int
    wilds: int = 0
    with_pair: bool = True

    @classmethod
    def of(cls, counts: Counts, sets: int, wilds: int = 0, *, with_pair: bool = True) -> Rest:
        return cls(tuple(counts), sets, wilds, with_pair)

    def take(self, group: Group, *, wild: tuple[int, ...] = (), natural: bool = False) -> tuple[Group, Rest] | None:
        """Place a standing chow, pung or pair: natural tiles where there are some, wildcards elsewhere.

        Args:
            wild: places in the group where a wildcard must lie.
            natural: no wildcard in it at all.

        Returns:
            The group with its wildcards marked, and what is left; None where the tiles do not suffice.
        """
        is_pair = len(group.tiles) == 2
        if (is_pair and not self.with_pair) or (not is_pair and not self.sets):
            return None
        left = list(self.counts)
        places = list(wild)
        for place, tile in enumerate(group.tiles):
            if place in wild:
                continue
            if left[tile]:
                left[tile] -= 1
            else:
                places.append(place)
        if len(places) > self.wilds or (natural and places):
            return None
        make = chow if group.is_chow else pair if is_pair else pung
        rest = Rest(tuple(left), self.sets - (not is_pair), self.wilds - len(places), self.with_pair and not is_pair)
        return make(group.tile, tuple(sorted(places))), rest

    def take_free(self, *, pair: bool = False) -> tuple[Group, Rest] | None:
        """Place three wildcards as a set, or two as the pair."""
        if pair:
            if self.wilds < 2 or not self.with_pair:
                return None
            return FREE_PAIR, Rest(self.counts, self.sets, self.wilds - 2, False)
        if self.wilds < 3 or not self.sets:
            return None
        return FREE_SET, Rest(self.counts, self.sets - 1, self.wilds - 3, self.with_pair)

    def is_complete(self) -> bool:
        return is_complete(self.counts, self.sets, self.wilds, with_pair=self.with_pair)

    def divisions(self) -> Iterator[Division]:
        """Every distinct way to place the rest, those with the fewest wildcards in sets of natural tiles first. There
        can be thousands with many wildcards; they come one by one."""
        if not self.is_complete():
            return
        for needs in _shares(self):
            eyes_free = self.with_pair and not any(two for _, two in needs)
            free = self.sets - sum(sets for sets, _ in needs)
            suits = [(base, self.counts[base : base + 9], *need) for base, need in zip(_BASES, needs, strict=True)]
            for sets, eyes in _over_suits(suits):
                yield Division(sets + (FREE_SET,) * free, FREE_PAIR if eyes_free else eyes)

    def first_division(self) -> Division | None:
        """One way to place the rest, None where there is none."""
        return next(self.divisions(), None)


def divisions(counts: Counts, sets: int, wilds: int = 0) -> Iterator[Division]:
    """Every distinct way to divide the tiles and wildcards into ``sets`` sets and a pair."""
    if wilds == 0:
        yield from (division for division in natural_divisions(counts) if len(division.sets) == sets)
    else:
        yield from Rest.of(counts, sets, wilds).divisions()


def _shares(rest: Rest) -> Iterator[tuple[tuple[int, bool], ...]]:
    """How many sets, and whether the pair, each suit's natural tiles lie in; every such set has a natural tile."""
    suits = [sum(rest.counts[base : base + 9]) for base in _BASES]
    choices = [
        [(sets, two) for sets in range(min(rest.sets, tiles) + 1) for two in (False, True) if _may(tiles, sets, two)]
        for tiles in suits
    ]
    shares = [
        share
        for share in product(*choices)
        if sum(sets for sets, _ in share) <= rest.sets
        and sum(two for _, two in share) <= rest.with_pair
        and (not rest.with_pair or any(two for _, two in share) or rest.wilds >= 2)
    ]
    yield from sorted(shares, key=lambda share: sum(sets for sets, _ in share))


def _may(tiles: int, sets: int, two: bool) -> bool:
    return sets + two <= tiles <= 3 * sets + 2 * two


_Suit = tuple[int, tuple[int, ...], int, bool]


def _over_suits(suits: list[_Suit]) -> Iterator[tuple[tuple[Group, ...], Group | None]]:
    if not suits:
        yield (), None
        return
    base, suit, sets, two = suits[0]
    for some, eyes in _place(base, list(suit), sets, two, 0):
        for more, other in _over_suits(suits[1:]):
            yield some + more, eyes or other


def _place(
    base: int, suit: list[int], sets: int, two: bool, first: int
) -> Iterator[tuple[tuple[Group, ...], Group | None]]:
    """Every way to lay the natural tiles of a suit into exactly ``sets`` sets and ``two`` pairs, each holding at least
    one. The lowest tile is placed first; groups that begin with the same tile come in one order only (``first``)."""
    tiles = sum(suit)
    if not tiles:
        if not sets and not two:
            yield (), None
        return
    if not _may(tiles, sets, two):
        return
    rank = next(i for i, count in enumerate(suit) if count)
    for number, (natural, group) in enumerate(_groups_from(base, rank)[first:], first):
        is_pair = group.kind is GroupKind.PAIR
        if not (two if is_pair else sets) or any(suit[i] < natural.count(i) for i in natural):
            continue
        for i in natural:
            suit[i] -= 1
        for more, eyes in _place(base, suit, sets - (not is_pair), two and not is_pair, number if suit[rank] else 0):
            yield (more, group) if is_pair else ((group, *more), eyes)
        for i in natural:
            suit[i] += 1


@cache
def _groups_from(base: int, rank: int) -> tuple[tuple[tuple[int, ...], Group], ...]:
    """The groups whose lowest natural tile is ``rank``, each with the ranks of its natural tiles."""
    tile = base + rank
    found = [((rank,) * n, pung(tile, tuple(range(n, 3)))) for n in (3, 2, 1)]
    found += [((rank,) * n, pair(tile, tuple(range(n, 2)))) for n in (2, 1)]
    for start in range(max(rank - 2, 0), min(rank, 6) + 1) if base < 27 else ():
        above = range(rank + 1, start + 3)
        for present in product((True, False), repeat=len(above)):
            natural = (rank, *compress(above, present))
            wild = tuple(i for i in range(3) if start + i not in natural)
            found.append((natural, chow(base + start, wild)))
    return tuple(found)
