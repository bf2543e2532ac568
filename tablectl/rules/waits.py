"""Waits (听), the distance to ready (向听) and the tiles that shorten it.

Counts are those of the standing natural tiles, one tile short of a complete hand or of any number; ``sets`` is the
number of sets these tiles have to make (4 or 5 less the melds). Everything is judged *in form*: whether copies are
left, or a kind is already held four times, is for the caller to see.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import Final

from tablectl.rules.reading.readings import Shape
from tablectl.rules.reading.shapes import KNITTED_PATTERNS, ORPHANS
from tablectl.rules.reading.tables import Counts, held, raising
from tablectl.tiles.tile import HONOURS, PLAYABLE, Tile

STANDARD: Final = frozenset({Shape.STANDARD})
#: A distance no hand has: the shape cannot be reached.
FAR: Final = 99


def waits(
    counts: Counts,
    sets: int = 4,
    wilds: int = 0,
    *,
    shapes: Collection[Shape] = STANDARD,
    quads: bool = True,
    patterned: bool = False,
) -> tuple[Tile, ...]:
    """The kinds that complete the hand, ascending; empty where it is not ready.

    Special shapes need 13 standing tiles without wildcards. ``quads`` and ``patterned`` as in `reading.readings`.
    """
    if sum(counts) + wilds != 3 * sets + 1:
        return ()
    found: set[Tile] = set()
    if Shape.STANDARD in shapes:
        now, kinds = raising(counts, sets) if held(counts, sets) == sum(counts) else (-1, ())
        found.update(kinds if now >= 0 else ())
    if wilds == 0:
        found |= _special_waits(counts, sets, shapes, quads, patterned)
    return tuple(sorted(found))


def _special_waits(counts: Counts, sets: int, shapes: Collection[Shape], quads: bool, patterned: bool) -> set[Tile]:
    found = _knitted_waits(counts, sets) if Shape.KNITTED in shapes and sets >= 3 else set()
    if sets != 4:
        return found
    if Shape.SEVEN_PAIRS in shapes:
        odd = [tile for tile in PLAYABLE if counts[tile] % 2]
        if len(odd) == 1 and (quads or (counts[odd[0]] == 1 and max(counts) < 4)):
            found.add(odd[0])
    if Shape.ORPHANS in shapes:
        missing = [tile for tile in ORPHANS if not counts[tile]]
        if len(missing) <= 1 and sum(counts[tile] for tile in ORPHANS) == 13:
            found.update(missing or ORPHANS)
    if Shape.SCATTERED in shapes and max(counts) == 1:
        found.update(_scattered_waits(counts, patterned))
    return found


def _knitted_waits(counts: Counts, sets: int) -> set[Tile]:
    """With the nine of a pattern, or all but one of them, and the rest of a standard hand beside them."""
    found: set[Tile] = set()
    for pattern in KNITTED_PATTERNS:
        nine = [tile for group in pattern for tile in group.tiles]
        missing = [tile for tile in nine if not counts[tile]]
        if len(missing) > 1:
            continue
        rest = list(counts)
        for tile in nine:
            rest[tile] -= tile not in missing
        if held(rest, sets - 3) == sum(rest):
            found.update(missing or raising(rest, sets - 3)[1])
    return found


def _scattered_waits(counts: Counts, patterned: bool) -> set[Tile]:
    tiles = [tile for tile in PLAYABLE if counts[tile]]
    if not patterned:
        if any(_near(a, b) for a, b in pairwise(tiles)):
            return set()
        return {tile for tile in PLAYABLE if not any(_near(tile, other) for other in tiles)}
    found: set[Tile] = set()
    for pattern in KNITTED_PATTERNS:
        allowed = {tile for group in pattern for tile in group.tiles}.union(HONOURS)
        if allowed.issuperset(tiles):
            found |= allowed.difference(tiles)
    return found


def _near(a: Tile, b: Tile) -> bool:
    """Equal, or too close together in one suit for a scattered hand."""
    return a is b or (a.suit != "" and a.suit == b.suit and abs(a - b) < 3)


# --- the distance to ready


def shanten(
    counts: Counts,
    sets: int = 4,
    wilds: int = 0,
    *,
    shapes: Collection[Shape] = STANDARD,
    patterned: bool = False,
) -> int:
    """The least number of tiles to exchange until the hand is ready: 0 ready, -1 complete.

    Several shapes: the nearest. Special shapes are looked at for hands without melds and wildcards only, the knitted
    one also with one meld.
    """
    best = FAR
    if Shape.STANDARD in shapes:
        best = 3 * sets + 1 - wilds - held(counts, sets)
    if wilds:
        return max(best, -1)
    if Shape.KNITTED in shapes and sets >= 3:
        best = min(best, _knitted_shanten(counts, sets))
    if sets == 4:
        if Shape.SEVEN_PAIRS in shapes:
            best = min(best, 6 - sum(count // 2 for count in counts))
        if Shape.ORPHANS in shapes:
            kinds = [counts[tile] for tile in ORPHANS]
            best = min(best, 13 - sum(map(bool, kinds)) - any(count > 1 for count in kinds))
        if Shape.SCATTERED in shapes:
            best = min(best, _scattered_shanten(counts, patterned))
    return best


def _knitted_shanten(counts: Counts, sets: int) -> int:
    best = FAR
    for pattern in KNITTED_PATTERNS:
        rest = list(counts)
        present = 0
        for group in pattern:
            for tile in group.tiles:
                if rest[tile]:
                    rest[tile] -= 1
                    present += 1
        best = min(best, 3 * sets + 1 - present - held(rest, sets - 3))
    return best


def _scattered_shanten(counts: Counts, patterned: bool) -> int:
    honours = sum(1 for tile in HONOURS if counts[tile])
    if patterned:
        suited = max(sum(1 for group in p for tile in group.tiles if counts[tile]) for p in KNITTED_PATTERNS)
    else:
        suited = sum(_most_apart(counts[base : base + 9]) for base in (0, 9, 18))
    return 13 - honours - suited


def _most_apart(suit: Sequence[int]) -> int:
    """How many tiles of a suit can be kept so that any two are three ranks apart."""
    best = [0] * 12
    for rank in range(8, -1, -1):
        best[rank] = max(best[rank + 1], best[rank + 3] + 1 if suit[rank] else 0)
    return best[0]


def improving(
    counts: Counts,
    sets: int = 4,
    wilds: int = 0,
    *,
    shapes: Collection[Shape] = STANDARD,
    patterned: bool = False,
) -> tuple[int, tuple[Tile, ...]]:
    """The distance to ready, and the kinds that make it smaller (进张), ascending; for a ready hand its waits."""
    if set(shapes) == {Shape.STANDARD}:
        now, kinds = raising(counts, sets)
        return 3 * sets + 1 - wilds - now, kinds
    distance = shanten(counts, sets, wilds, shapes=shapes, patterned=patterned)
    more = list(counts)
    found = []
    for tile in PLAYABLE:
        more[tile] += 1
        if shanten(more, sets, wilds, shapes=shapes, patterned=patterned) < distance:
            found.append(tile)
        more[tile] -= 1
    return distance, tuple(found)
