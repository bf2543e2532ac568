"""Random hands for the benchmarks: the same ones every time."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from tablectl.tiles.meld import Meld, MeldKind
from tablectl.tiles.tile import PLAYABLE, Tile


@dataclass(frozen=True)
class CompleteHand:
    """Standing tiles without the winning one, melds, the winning tile."""

    concealed: tuple[Tile, ...]
    melds: tuple[Meld, ...]
    tile: Tile


def complete_hand(chance: random.Random, *, sets: int = 4, most_melds: int = 0) -> CompleteHand:
    """Sets and a pair as the wall could give them, seven chows in ten sets."""
    while True:
        groups = [_chow(chance) if chance.random() < 0.7 else [chance.randrange(34)] * 3 for _ in range(sets)]
        eyes = chance.randrange(34)
        tiles = [tile for group in groups for tile in group] + [eyes] * 2
        if max(map(tiles.count, tiles)) <= 4:
            break
    melded = chance.randint(0, most_melds)
    standing = [Tile(tile) for group in groups[melded:] for tile in group] + [Tile(eyes)] * 2
    chance.shuffle(standing)
    melds = tuple(_meld(group, chance) for group in groups[:melded])
    return CompleteHand(tuple(standing[:-1]), melds, standing[-1])


def _chow(chance: random.Random) -> list[int]:
    lowest = chance.choice((0, 9, 18)) + chance.randrange(7)
    return [lowest, lowest + 1, lowest + 2]


def _meld(group: Sequence[int], chance: random.Random) -> Meld:
    tiles = tuple(Tile(tile) for tile in group)
    if tiles[0] is tiles[1]:
        return Meld(MeldKind.PUNG, tiles, chance.randint(1, 3))
    return Meld(MeldKind.CHOW, tiles, 1, tiles[0])


def with_wildcards(hand: CompleteHand, wild: Sequence[Tile], count: int, chance: random.Random) -> list[Tile]:
    """The standing tiles with ``count`` of them, and every tile of a wild kind, replaced by tiles of wild kinds."""
    tiles = [tile for tile in (*hand.concealed, hand.tile) if tile not in wild]
    chance.shuffle(tiles)
    missing = len(hand.concealed) + 1 - len(tiles)
    tiles = tiles[: len(tiles) - max(0, count - missing)]
    supply = [tile for tile in wild for _ in range(4)]
    return tiles + supply[: len(hand.concealed) + 1 - len(tiles)]


def dealt_hands(chance: random.Random, number: int, tiles: int = 13) -> list[list[Tile]]:
    """Tiles as they are dealt."""
    wall = [tile for tile in PLAYABLE for _ in range(4)]
    return [chance.sample(wall, tiles) for _ in range(number)]
