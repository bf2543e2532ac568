"""The end of the wall: the reserve that stays undrawn, and what raises it (T111–T114)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

from tablectl.rules.api import HandView
from tablectl.rules.gold.options import GoldOptions
from tablectl.tiles.meld import Meld
from tablectl.tiles.tile import FLOWERS, HONOURS, Tile

#: Four same flowers: four copies of one honour, the four plants, the four seasons (fuzhou T405).
FLOWER_SETS: Final = (*((tile,) * 4 for tile in HONOURS), FLOWERS[:4], FLOWERS[4:])


def flower_sets(flowers: Iterable[Tile]) -> list[tuple[Tile, ...]]:
    """The complete sets of four same flowers among those of one seat."""
    laid = Counter(flowers)
    return [kinds for kinds in FLOWER_SETS if all(laid[tile] >= kinds.count(tile) for tile in kinds)]


def raised_by(meld: Meld, options: GoldOptions) -> int:
    """How many tiles a kong adds to the reserve."""
    if not meld.is_kong:
        return 0
    return options.reserve_concealed_kong if meld.is_concealed else options.reserve_exposed_kong


def reserve(hand: HandView, options: GoldOptions) -> int:
    """R of T111: the tiles that stay undrawn now."""
    kongs = sum(raised_by(meld, options) for seat in hand.seats for meld in seat.melds)
    sets = sum(len(flower_sets(seat.flowers)) for seat in hand.seats)
    return options.reserve_tiles + kongs + options.reserve_flower_set * sets
