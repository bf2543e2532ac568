"""Tile sets: which tiles, how many of each. Data, by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from tablectl.tiles.tile import FLOWERS, HONOURS, SUIT_TILES, Tile


@dataclass(frozen=True)
class TileSet:
    """A composition: how many tiles of each kind."""

    id: str
    counts: Mapping[Tile, int]

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    def tiles(self) -> list[Tile]:
        """Every tile of the set, by kind in ascending order."""
        return [tile for tile, count in sorted(self.counts.items()) for _ in range(count)]

    def missing(self, tiles: Iterable[Tile]) -> Counter[Tile]:
        """What ``tiles`` lack of the set."""
        lack = Counter(dict(self.counts))
        lack.subtract(Counter(tiles))
        return +lack

    def surplus(self, tiles: Iterable[Tile]) -> Counter[Tile]:
        """What ``tiles`` have beyond the set."""
        more = Counter(tiles)
        more.subtract(dict(self.counts))
        return +more


def _four(*groups: Iterable[Tile]) -> dict[Tile, int]:
    return {tile: 4 for group in groups for tile in group}


#: By number of tiles.
TILE_SETS: Final[Mapping[str, TileSet]] = {
    tile_set.id: tile_set
    for tile_set in (
        TileSet("144", _four(SUIT_TILES, HONOURS) | dict.fromkeys(FLOWERS, 1)),
        TileSet("136", _four(SUIT_TILES, HONOURS)),
        TileSet("112", _four(SUIT_TILES, (Tile.RED,))),
        TileSet("108", _four(SUIT_TILES)),
        TileSet("120", _four(SUIT_TILES, (Tile.RED, Tile.GREEN, Tile.WHITE))),
    )
}
