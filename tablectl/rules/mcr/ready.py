"""What a hand waits for: in form (T41), and of any shape (T26).

The waiting set in form is asked for with nearly every win, so it is found suit by suit from memory: one suit is a tile
short, every other one is whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from tablectl.rules.reading import Shape
from tablectl.rules.waits import waits

_BASES: Final = (0, 9, 18, 27)
_SPECIAL: Final = frozenset(Shape) - {Shape.STANDARD}
#: The shapes of T26.
SHAPES: Final = frozenset(Shape)

_Suit = tuple[int, ...]


def form_waits(counts: Sequence[int]) -> tuple[int, ...]:
    """The kinds that would complete these standing tiles, one short of whole, as sets and a pair or as seven pairs,
    ascending; also kinds of which no tile is left (T41)."""
    found = _set_waits(counts)
    if sum(counts) == 13:
        odd = [kind for kind, count in enumerate(counts) if count & 1]
        if len(odd) == 1 and odd[0] not in found:
            return tuple(sorted((*found, odd[0])))
    return found


def all_waits(counts: Sequence[int], sets: int) -> tuple[int, ...]:
    """The kinds that would complete these standing tiles to any shape of T26, ascending. ``sets``: 4 less the melds."""
    found = form_waits(counts)
    if found:  # tiles that are a tile short of sets and pair, or of seven pairs, lie too close for the other shapes
        return found
    return waits(counts, sets, shapes=_SPECIAL, patterned=True)


def _set_waits(counts: Sequence[int]) -> tuple[int, ...]:
    kinds = tuple(counts)
    suits = (kinds[:9], kinds[9:18], kinds[18:27], kinds[27:])
    short: list[int] = []  # where the missing tile must be: one suit of 3n + 1 tiles, or one of two of 3n + 2
    for number, suit in enumerate(suits):
        if sum(suit) % 3:
            short.append(number)
        elif not _is_whole(suit, False):
            return ()
    if len(short) == 1:
        return _completing(_BASES[short[0]], suits[short[0]], True) if sum(suits[short[0]]) % 3 == 1 else ()
    if len(short) != 2:
        return ()
    a, b = short
    found: tuple[int, ...] = ()
    if _is_whole(suits[b], True):
        found += _completing(_BASES[a], suits[a], False)
    if _is_whole(suits[a], True):
        found += _completing(_BASES[b], suits[b], False)
    return found


@lru_cache(maxsize=1 << 14)
def _is_whole(suit: _Suit, with_pair: bool) -> bool:
    """Whether the tiles of one suit make sets, or sets and a pair."""
    if not with_pair:
        return _makes_sets(suit)
    return any(
        count > 1 and _makes_sets((*suit[:rank], count - 2, *suit[rank + 1 :])) for rank, count in enumerate(suit)
    )


def _makes_sets(suit: _Suit) -> bool:
    """From the lowest rank up: three alike are a pung (three equal chows are three pungs), the rest begin chows."""
    left = list(suit)
    for rank, count in enumerate(left):
        if count < 0:
            return False
        if runs := count % 3:
            if len(suit) < 9 or rank > 6:
                return False
            left[rank + 1] -= runs
            left[rank + 2] -= runs
    return True


@lru_cache(maxsize=1 << 14)
def _completing(base: int, suit: _Suit, with_pair: bool) -> tuple[int, ...]:
    """The kinds of a suit that make it whole."""
    return tuple(
        base + rank
        for rank, count in enumerate(suit)
        if _is_whole((*suit[:rank], count + 1, *suit[rank + 1 :]), with_pair)
    )
