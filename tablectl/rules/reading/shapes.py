"""The special shapes: seven pairs, knitted, scattered, thirteen orphans. Natural tiles only.

Each helper takes the counts of the standing tiles, winning tile included, and gives the groups, or an empty result
where the tiles are no such shape.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, permutations
from typing import Final

from tablectl.rules.reading.groups import Group, knitted, pair, singles
from tablectl.rules.reading.standard import Division, natural_divisions
from tablectl.rules.reading.tables import Counts
from tablectl.tiles.tile import PLAYABLE, Tile

#: The six knitted patterns: which of 147, 258, 369 lies in which suit.
KNITTED_PATTERNS: Final[tuple[tuple[Group, Group, Group], ...]] = tuple(
    (knitted(first), knitted(9 + second), knitted(18 + third)) for first, second, third in permutations(range(3))
)
#: 1, 9 and honours.
ORPHANS: Final[tuple[Tile, ...]] = tuple(tile for tile in PLAYABLE if tile.is_terminal or tile.is_honour)


def seven_pairs(counts: Counts, *, quads: bool = True) -> tuple[Group, ...]:
    """The seven pairs, ascending. ``quads``: four alike may be two pairs."""
    if sum(counts) != 14:
        return ()
    pairs: list[Group] = []
    for tile, count in enumerate(counts):
        if count % 2 or (count == 4 and not quads):
            return ()
        pairs += [pair(tile)] * (count // 2)
    return tuple(pairs)


def knitted_divisions(counts: Counts, sets: int) -> Iterator[Division]:
    """The nine knitted tiles in place of three sets: three knitted groups, then ``sets - 3`` sets and a pair."""
    if sets < 3:
        return
    for pattern in KNITTED_PATTERNS:
        if all(counts[tile] for group in pattern for tile in group.tiles):
            rest = list(counts)
            for group in pattern:
                for tile in group.tiles:
                    rest[tile] -= 1
            for division in natural_divisions(rest):
                yield Division(pattern + division.sets, division.pair)


def scattered(counts: Counts, *, patterned: bool) -> Group | None:
    """Fourteen different singles: honours, and suit tiles of which in each suit any two are three or more ranks apart.

    ``patterned``: the suit tiles must also fit one of the knitted patterns (`mcr` T26d); without it any tiles that
    far apart do (`competition` J36.3).
    """
    if sum(counts) != 14 or max(counts) > 1:
        return None
    tiles = tuple(tile for tile in PLAYABLE if counts[tile])
    for a, b in pairwise(tiles):
        if a.suit and a.suit == b.suit and b - a < 3:
            return None
    if patterned and not any(_fits(tiles, pattern) for pattern in KNITTED_PATTERNS):
        return None
    return singles(tiles)


def _fits(tiles: tuple[Tile, ...], pattern: tuple[Group, ...]) -> bool:
    allowed = {tile for group in pattern for tile in group.tiles}
    return all(tile in allowed for tile in tiles if tile.suit)


def whole_pattern(counts: Counts) -> tuple[Group, ...]:
    """A knitted pattern of which all nine tiles are there; empty where there is none."""
    return next(
        (p for p in KNITTED_PATTERNS if all(counts[tile] for group in p for tile in group.tiles)),
        (),
    )


def thirteen_orphans(counts: Counts) -> tuple[Group, Group] | None:
    """The singles and the pair of thirteen orphans."""
    if sum(counts) != 14 or not all(counts[tile] for tile in ORPHANS):
        return None
    double = next((tile for tile in ORPHANS if counts[tile] == 2), None)
    if double is None:
        return None
    return singles(tuple(tile for tile in ORPHANS if tile is not double)), pair(double)
