"""Fans of the sets of a reading: chows together, pungs together, honours, and what every set must have (T35–T40).

Sets are named by their lowest tile, as numbers, ascending. Everything here depends on little and is kept once found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, pairwise
from typing import Final, NamedTuple

from tablectl.rules.mcr.table import BY_NUMBER, MIXED_KONGS, entries
from tablectl.rules.reading import Group, GroupKind

Used = tuple[int, tuple[int, ...]]
"""A fan's number and the places of its sets among those given."""


class Combined(NamedTuple):
    """The best choice of set fans: its entries, the sets of each fan, and the fans that are there but not chosen."""

    mask: int
    used: tuple[Used, ...]
    spare: tuple[int, ...]


# --- T37: which combinations count


def _combine(sets: Sequence[int], fan_of: Callable[[tuple[int, ...]], int | None]) -> Combined:
    """The choice of T37 worth most, of equal ones the first in the order of T34. ``fan_of`` names the fan that two,
    three or four sets make."""
    places = range(len(sets))
    twos, threes, fours = (
        [(number, some) for some in combinations(places, size) if (number := fan_of(tuple(sets[i] for i in some)))]
        for size in (2, 3, 4)
    )
    best = min(_choices(len(sets), twos, threes, fours), key=_rank)
    chosen = [number for number, _ in best]
    mask = 0
    for number in set(chosen):
        mask |= entries(number, chosen.count(number))
    spare = {number for number, _ in (*twos, *threes)}.difference(chosen)
    return Combined(mask, best, tuple(sorted(spare)))


def _rank(choice: tuple[Used, ...]) -> tuple[int, list[int]]:
    numbers = sorted([number for number, _ in choice])
    return -sum([BY_NUMBER[number].points for number in numbers]), numbers


def _choices(
    count: int, twos: Sequence[Used], threes: Sequence[Used], fours: Sequence[Used]
) -> Iterator[tuple[Used, ...]]:
    """A fan of all four sets alone; or a fan of three sets, or none, with fans of two sets beside it."""
    for four in fours:
        yield (four,)
    yield from _forests(twos, tuple(range(count)))
    for three in threes:
        node = tuple(three[1][0] if i in three[1] else i for i in range(count))
        yield from ((three, *beside) for beside in _forests(twos, node))


def _forests(twos: Sequence[Used], node: tuple[int, ...]) -> Iterator[tuple[Used, ...]]:
    """Every choice of two-set fans as edges between nodes without a cycle (T37d), no set twice in the same fan (T37c).

    ``node[i]`` is the node that set *i* belongs to: three sets of one fan are one node (T37b).
    """
    edges = [edge for edge in twos if node[edge[1][0]] != node[edge[1][1]]]
    for size in range(len(set(node))):
        for chosen in combinations(edges, size):
            tree = list(node)
            seen: set[tuple[int, int]] = set()
            for number, (a, b) in chosen:
                if tree[a] == tree[b] or (number, a) in seen or (number, b) in seen:
                    break
                seen |= {(number, a), (number, b)}
                tree = [tree[b] if root == tree[a] else root for root in tree]
            else:
                yield chosen


# --- chows


@lru_cache(maxsize=1 << 14)
def chow_fans(chows: tuple[int, ...]) -> Combined:
    """The fans of the chows that begin with these tiles, but for those that need a pair (`TWO_DRAGONS`)."""
    return _combine(chows, chow_fan)


def _steps(sets: Sequence[int]) -> set[int]:
    return {b - a for a, b in pairwise(sets)}


def chow_fan(chows: tuple[int, ...]) -> int | None:
    suits = {tile // 9 for tile in chows}
    ranks = sorted(tile % 9 for tile in chows)
    steps = _steps(ranks)
    if len(suits) == 1:
        if steps == {0}:
            return {2: 69, 3: 23, 4: 14}[len(chows)]
        if len(chows) == 2:
            return 71 if steps == {3} else 72 if ranks == [0, 6] else None
        if steps == {3}:
            return 28
        return {3: 30, 4: 16}[len(chows)] if steps in ({1}, {2}) else None
    if len(suits) == len(chows):
        if steps == {0}:
            return {2: 70, 3: 41}[len(chows)]
        if len(chows) == 3:
            return 39 if steps == {3} else 50 if steps == {1} else None
    return None


#: 一色双龙会 (F13) and 三色双龙会 (F29): the four chows and the pair.
TWO_DRAGONS: Final[Mapping[tuple[tuple[int, ...], int], int]] = {
    **{((base, base, base + 6, base + 6), base + 4): 13 for base in (0, 9, 18)},
    **{((a, a + 6, b, b + 6), c + 4): 29 for a, b, c in ((0, 9, 18), (0, 18, 9), (9, 18, 0))},
}


# --- pungs


@lru_cache(maxsize=1 << 14)
def pung_fans(pungs: tuple[int, ...]) -> Combined:
    """The fans of pungs of numbers: of two, three and four."""
    return _combine(pungs, pung_fan)


def pung_fan(pungs: tuple[int, ...]) -> int | None:
    if pungs[-1] >= 27:
        return None
    suits = {tile // 9 for tile in pungs}
    steps = _steps(sorted(tile % 9 for tile in pungs))
    if len(suits) == 1:
        return {2: None, 3: 24, 4: 15}[len(pungs)] if steps == {1} else None
    if len(suits) == len(pungs):
        if steps == {0}:
            return {2: 65, 3: 32}[len(pungs)]
        return 42 if len(pungs) == 3 and steps == {1} else None
    return None


@lru_cache(maxsize=1 << 14)
def honour_fans(pungs: tuple[int, ...], pair: int, prevalent: int, seat: int, fewer: int) -> int:
    """Fans of winds and dragons, and 幺九刻 (T40). ``fewer``: so many 幺九刻 less (F4)."""
    winds = [tile for tile in pungs if 27 <= tile < 31]
    dragons = sum(1 for tile in pungs if tile >= 31)
    mask = 0
    if len(winds) >= 3:
        mask |= entries(1) if len(winds) == 4 else entries(38)
        if len(winds) == 3 and 27 <= pair < 31:
            mask |= entries(9)
    if dragons:
        mask |= entries({1: 59, 2: 54, 3: 2}[dragons])
        if dragons == 2 and pair >= 31:
            mask |= entries(10)
    mask |= entries(60) if prevalent in winds else 0
    mask |= entries(61) if seat in winds else 0
    orphans = sum(1 for tile in pungs if tile < 27 and tile % 9 in (0, 8))
    if len(winds) < 3:
        orphans += sum(1 for tile in winds if tile not in (prevalent, seat))
    return mask | entries(73, max(0, orphans - fewer))


# --- what every set and the pair must have


@lru_cache(maxsize=1 << 10)
def shared(group: Group) -> int:
    """Of the fans that all sets and the pair must allow (F21, F31, F48, F55, F63), those that this one allows."""
    tiles = group.tiles
    mask = 0
    if group.kind is not GroupKind.KNITTED:
        mask |= entries(55) if any(tile.is_honour or tile.is_terminal for tile in tiles) else 0
        mask |= entries(31) if any(tile.rank == 5 for tile in tiles) else 0
    if group.is_pung or group.kind is GroupKind.PAIR:
        mask |= entries(48)
        mask |= entries(21) if tiles[0].rank in (2, 4, 6, 8) else 0
    if not group.is_pung and not tiles[0].is_honour:
        mask |= entries(63)
    return mask


# --- kongs and concealed pungs


def kong_fans(exposed: int, concealed: int, mixed_kongs_points: int) -> int:
    """The kong series: one entry at most (T38)."""
    if (exposed, concealed) == (1, 1):
        return entries(MIXED_KONGS) if mixed_kongs_points else entries(67) | entries(74)
    if exposed + concealed > 2:
        return entries(17 if exposed + concealed == 3 else 5)
    return _KONGS[exposed, concealed]


_KONGS: Final = {
    (0, 0): 0, (0, 1): entries(67), (1, 0): entries(74), (0, 2): entries(53), (2, 0): entries(57)
}  # fmt: skip

#: The concealed-pung series (T39), by the number of concealed pungs and kongs.
CONCEALED_PUNGS: Final = (0, 0, entries(66), entries(33), entries(12))
