"""The notation of tiles, hands and melds (that of the Chinese official community)."""

from __future__ import annotations

from tablectl.tiles.tile import BY_CODE, Tile


class NotationError(ValueError):
    """Text that is not in the notation. The message says where and what was expected."""


def parse_tile(text: str) -> Tile:
    """One tile, e.g. ``5m``, ``E``, ``a``."""
    tile = BY_CODE.get(text)
    if tile is None:
        raise NotationError(f"{text!r} is not a tile; expected 1m–9m, 1p–9p, 1s–9s, E S W N, C F P or a–h")
    return tile
