"""Tiles taken from others, for the slow readings by the letter."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

Item = TypeVar("Item")


def without(tiles: Sequence[Item], taken: Iterable[Item]) -> list[Item] | None:
    """``tiles`` without ``taken``; None where those are not all there."""
    left = list(tiles)
    for tile in taken:
        if tile not in left:
            return None
        left.remove(tile)
    return left
