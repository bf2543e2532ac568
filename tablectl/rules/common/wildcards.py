"""The circles in which a turned-up tile names the kind after it (tianjin T112, zhenjiang Z108); and what a situation
must not hold where there are no wildcards."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tablectl.rules.api import RulesError, Situation
from tablectl.tiles.tile import DRAGONS, SUIT_TILES, TILES, WINDS, Tile

_CIRCLES: Final = (SUIT_TILES[:9], SUIT_TILES[9:18], SUIT_TILES[18:], WINDS, DRAGONS)

_AFTER: Final = {tile: circle[(i + 1) % len(circle)] for circle in _CIRCLES for i, tile in enumerate(circle)}


def kind_after(tile: Tile) -> Tile:
    """The next kind of its circle: 1 → 2 … 9 → 1 in a suit, E → S → W → N → E, C → F → P → C.

    Raises:
        KeyError: a flower is in no circle.
    """
    return TILES[_AFTER[tile]]


def unknown_wildcards(situation: Situation, paragraph: str) -> Iterator[str]:
    """What a rule system without wildcards and stakes does not know, a line each."""
    if situation.indicator is not None:
        yield f"indicator {situation.indicator}: expected none, there are no wildcards ({paragraph})"
    if situation.stakes:
        yield f"stakes: expected none ({paragraph})"


def refuse_wildcards(situation: Situation, paragraph: str) -> None:
    """Raises RulesError for them."""
    problems = list(unknown_wildcards(situation, paragraph))
    if problems:
        raise RulesError(*problems)
