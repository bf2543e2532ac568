"""Random hands of 镇江麻将, nearly all complete, with 0 to 4 wildcards."""

from __future__ import annotations

import random
from collections import Counter

from tablectl.rules.api import How, Incident, Win
from tablectl.rules.common.wildcards import kind_after
from tablectl.tiles.meld import Meld, MeldKind
from tablectl.tiles.tile import PLAYABLE, Tile

_CHOWS = [tile for tile in PLAYABLE[:27] if tile.rank <= 7]


def random_win(rng: random.Random, wilds: int) -> tuple[Win, Tile, tuple[Incident, ...]]:
    """A self-drawn win of seat 1, the indicator, the kongs of the hand."""
    while True:
        indicator = rng.choice(PLAYABLE)
        wildcard = kind_after(indicator)
        melds = _melds(rng, rng.choice((0, 0, 0, 1, 2, 3, 4)))
        groups = [_set(rng) for _ in range(4 - len(melds))] + [[rng.choice(PLAYABLE)] * 2]
        standing = [tile for group in groups for tile in group]
        drawn = rng.choice(standing)
        standing.remove(drawn)
        rng.shuffle(standing)
        if rng.random() < 0.4 and standing:  # one 百搭 over: 跑搭
            standing = [tile for group in groups[:-1] for tile in group] + [wildcard]
            drawn = rng.choice(PLAYABLE)
        for at in rng.sample(range(len(standing)), min(wilds, len(standing))):
            standing[at] = wildcard
        if rng.random() < 0.1:
            drawn = wildcard
        held = Counter([*standing, drawn, *(tile for meld in melds for tile in meld.tiles)])
        if all(n <= 4 - (tile == indicator) for tile, n in held.items()):
            kongs = [meld for meld in melds if meld.is_kong]
            events = tuple(Incident(meld.kind.value, 1, meld.source_seat(1)) for meld in kongs)
            how = frozenset({How.KONG_REPLACEMENT} if kongs and rng.random() < 0.5 else ())
            return Win(1, tuple(standing), tuple(melds), (), drawn, None, how), indicator, events


def _set(rng: random.Random) -> list[Tile]:
    if rng.random() < 0.7:
        first = rng.choice(_CHOWS)
        return [Tile(first + i) for i in range(3)]
    return [rng.choice(PLAYABLE)] * 3


def _melds(rng: random.Random, number: int) -> list[Meld]:
    found = []
    for tile in rng.sample(PLAYABLE, number):
        kind = rng.choice([kind for kind in MeldKind if kind is not MeldKind.CHOW])
        size = 3 if kind is MeldKind.PUNG else 4
        found.append(Meld(kind, (tile,) * size, 0 if kind is MeldKind.CONCEALED_KONG else rng.randint(1, 3)))
    return found
