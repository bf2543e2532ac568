"""Random complete hands of 天津麻将 with 0 to 7 wilds."""

from __future__ import annotations

import random
from collections import Counter

from tablectl.rules.api import How, Win
from tablectl.rules.common.wildcards import kind_after
from tablectl.tiles.meld import Meld, MeldKind
from tablectl.tiles.tile import PLAYABLE, Tile

_CHOWS = [tile for tile in PLAYABLE[:27] if tile.rank <= 7]
_FAVOURED = [Tile.M4, Tile.M1, Tile.M7, Tile.P1, Tile.P4, Tile.P7]


def random_win(rng: random.Random, wilds: int) -> tuple[Win, Tile]:
    """A win of seat 1 and the indicator; ``wilds`` at most, as far as the hand has room."""
    while True:
        indicator = rng.choice([*PLAYABLE, *_FAVOURED])
        kinds = {indicator, kind_after(indicator)}
        melds = [] if rng.random() < 0.7 else _melds(rng, rng.randint(1, 4), kinds)
        sets = [_set(rng) for _ in range(4 - len(melds))]
        if len(sets) >= 3 and rng.random() < 0.5:
            base = rng.choice((0, 9, 18))
            sets[:3] = [[Tile(base + step + i) for i in range(3)] for step in (0, 3, 6)]
        standing = [tile for group in sets for tile in group] + [rng.choice(PLAYABLE)] * 2
        rng.shuffle(standing)
        pool = [indicator] * 3 + [kind_after(indicator)] * 4
        rng.shuffle(pool)
        count = min(wilds, len(standing))
        standing = pool[:count] + standing[count:]
        rng.shuffle(standing)
        held = Counter([*standing, *(tile for meld in melds for tile in meld.tiles)])
        if all(n <= 4 - (tile == indicator) for tile, n in held.items()):
            how = set()
            if any(meld.is_kong for meld in melds) and rng.random() < 0.5:
                how.add(How.KONG_REPLACEMENT)
            return Win(1, tuple(standing[1:]), tuple(melds), (), standing[0], None, frozenset(how)), indicator


def _set(rng: random.Random) -> list[Tile]:
    if rng.random() < 0.7:
        first = rng.choice([*_CHOWS, *_FAVOURED])
        return [Tile(first + i) for i in range(3)]
    return [rng.choice(PLAYABLE)] * 3


def _melds(rng: random.Random, number: int, kinds: set[Tile]) -> list[Meld]:
    found = []
    for tile in rng.sample([tile for tile in PLAYABLE if tile not in kinds], number):
        kind = rng.choice([kind for kind in MeldKind if kind is not MeldKind.CHOW])
        size = 3 if kind is MeldKind.PUNG else 4
        found.append(Meld(kind, (tile,) * size, 0 if kind is MeldKind.CONCEALED_KONG else rng.randint(1, 3)))
    return found
