"""Fans of the tiles of a hand, however they are read: which kinds, suits and fours occur (T45, "tiles only …")."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from tablectl.rules.mcr.table import entries
from tablectl.tiles.notation import parse_tiles
from tablectl.tiles.tile import PLAYABLE, Tile


def _kinds(text: str) -> frozenset[Tile]:
    return frozenset(parse_tiles(text))


def _ranks(*ranks: int) -> frozenset[Tile]:
    return frozenset(tile for tile in PLAYABLE if tile.rank in ranks)


#: Fans of hands that have no other tiles than these.
_ONLY: Final = {
    3: _kinds("23468sF"),
    25: _ranks(7, 8, 9),
    26: _ranks(4, 5, 6),
    27: _ranks(1, 2, 3),
    36: _ranks(6, 7, 8, 9),
    37: _ranks(1, 2, 3, 4),
    40: _kinds("1234589p245689sP"),
    68: _ranks(2, 3, 4, 5, 6, 7, 8),
}

# A mark of a tile: the entries of `_ONLY` that it spoils, and above them what occurs with it. Those of a hand are
# joined by `|`.
_OCCURS: Final = 128
_SUIT: Final = {"m": 1, "p": 2, "s": 4}
_WIND, _DRAGON, _TERMINAL, _SIMPLE = 8, 16, 32, 64


def _occurring(tile: Tile) -> int:
    if tile.is_honour:
        return _WIND if tile.is_wind else _DRAGON
    return _SUIT[tile.suit] | (_TERMINAL if tile.is_terminal else _SIMPLE)


#: By kind.
MARKS: Final[tuple[int, ...]] = tuple(
    sum(entries(number) for number, kinds in _ONLY.items() if tile not in kinds) | _occurring(tile) << _OCCURS
    for tile in PLAYABLE
)
_ALL_ONLY: Final = sum(entries(number) for number in _ONLY)


@lru_cache(maxsize=1 << 12)
def tile_fans(marks: int, fours: int) -> int:
    """The fans of a hand with these marks and so many kinds of which all four are there, not as a kong (F64)."""
    mask = _ALL_ONLY & ~marks | entries(64, fours)
    occurs = marks >> _OCCURS
    suits = sum(1 for suit in _SUIT.values() if occurs & suit)
    honours = bool(occurs & (_WIND | _DRAGON))
    if not honours:
        mask |= entries(76)
    if not occurs & _SIMPLE:
        mask |= entries(11) if not suits else entries(18) if honours else entries(8)
    if suits == 1:
        mask |= entries(49) if honours else entries(22)
    elif suits == 2:
        mask |= entries(75)
    elif suits == 3 and occurs & _WIND and occurs & _DRAGON:
        mask |= entries(51)
    return mask


#: 1112345678999 by rank: with any tile of the suit it is 九莲宝灯 (F4).
_GATES: Final = (3, 1, 1, 1, 1, 1, 1, 1, 3)


def is_nine_gates(standing: list[int]) -> bool:
    """Whether these 13 standing tiles, by kind, are the nine gates."""
    return any(tuple(standing[base : base + 9]) == _GATES for base in (0, 9, 18))
