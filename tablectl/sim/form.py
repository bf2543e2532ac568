"""The form of a hand as anybody at the table sees it: complete or not, and what would complete it.

Whether such a hand may be declared is for the rules to say.
"""

from __future__ import annotations

from typing import Final

from tablectl.rules.reading.readings import Shape
from tablectl.rules.reading.shapes import KNITTED_PATTERNS
from tablectl.rules.reading.tables import held
from tablectl.rules.waits import shanten, waits
from tablectl.sim.plans import Standing

_ALL: Final = frozenset(Shape)
_SPECIAL: Final = _ALL - {Shape.STANDARD}
_KNITTED: Final = tuple(sum(1 << tile for group in pattern for tile in group.tiles) for pattern in KNITTED_PATTERNS)


def lacking(hand: Standing, sets: int) -> int:
    """Tiles that lack to ``sets`` sets and a pair."""
    return 3 * sets + 2 - hand.wilds - held(hand.counts, sets)


def is_complete(hand: Standing, sets: int) -> bool:
    """``sets``: those that stand. A third wildcard may win by itself (三金倒)."""
    if lacking(hand, sets) <= 0 or hand.wilds >= 3:
        return True
    return _may_be_special(hand, sets) and shanten(hand.counts, sets, shapes=_SPECIAL) == -1


def ready_for(hand: Standing, sets: int) -> frozenset[int]:
    """The kinds that complete a hand between two turns."""
    shapes = _ALL if _may_be_special(hand, sets) else frozenset({Shape.STANDARD})
    if len(shapes) == 1 and lacking(hand, sets) > 1:
        return frozenset()
    return frozenset(int(tile) for tile in waits(hand.counts, sets, hand.wilds, shapes=shapes))


def _may_be_special(hand: Standing, sets: int) -> bool:
    """A quick look whether pairs, singles or knitted tiles are worth a closer one."""
    if hand.wilds or sets not in (3, 4):
        return False
    one_by_one = sets == 4 and (hand.twos.bit_count() >= 5 or hand.ones.bit_count() >= 12)
    return one_by_one or any((hand.ones & mask).bit_count() >= 8 for mask in _KNITTED)
