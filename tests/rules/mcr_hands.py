"""Won hands of 国标麻将 at random: every fan, every shape, with melds, kongs, flowers and circumstances.

A hand begins with a recipe, which fixes some of its sets so that a fan comes about; the rest is drawn at random, so
that fans meet in every mixture. Nothing here knows how fans are counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple

from tablectl.rules.api import How, Situation, Win
from tablectl.tiles.meld import Meld, MeldKind
from tablectl.tiles.tile import FLOWERS, TILES, WINDS

Set = tuple[int, ...]
SUITS = (0, 9, 18)
TERMINALS = (0, 8, 9, 17, 18, 26)
HONOURS = tuple(range(27, 34))
GREEN = (19, 20, 21, 23, 25, 32)
REVERSIBLE = (*(9 + i for i in (0, 1, 2, 3, 4, 7, 8)), *(18 + i for i in (1, 3, 4, 5, 7, 8)), 33)


class Parts(NamedTuple):
    """What a recipe fixes: sets and pair, how they may be laid open (`closed`, `some`, `mixed`, `open`), the least
    number of kongs, and the pool that the rest comes from."""

    sets: tuple[Set, ...] = ()
    pair: int | None = None
    style: str = "mixed"
    kongs: int = 0
    pool: tuple[int, ...] = tuple(range(34))


class Whole(NamedTuple):
    """A special shape: fourteen concealed tiles, the winning one among them."""

    tiles: tuple[int, ...]
    #: places of tiles that may be the winning one; all where empty
    winning: tuple[int, ...] = ()
    #: a set laid open beside them
    meld: Set = ()


def chow(tile: int) -> Set:
    return (tile, tile + 1, tile + 2)


def pung(tile: int) -> Set:
    return (tile,) * 3


def suits(rng: Random) -> list[int]:
    return rng.sample(SUITS, 3)


def pattern(rng: Random) -> list[int]:
    return [base + first + 3 * i for first, base in enumerate(suits(rng)) for i in range(3)]


def some_set(rng: Random, pool: Sequence[int]) -> Set:
    """A set of the kinds in ``pool``; chows are likelier than pungs, as at a table."""
    starts = [t for t in pool if t < 27 and t % 9 < 7 and t + 1 in pool and t + 2 in pool]
    return chow(rng.choice(starts)) if starts and rng.random() < 0.6 else pung(rng.choice(pool))


def ranked(*ranks: int) -> tuple[int, ...]:
    return tuple(base + rank - 1 for base in SUITS for rank in ranks)


def of_suit(base: int) -> tuple[int, ...]:
    return tuple(range(base, base + 9))


# --- recipes


def _pairs(rng: Random, pool: Sequence[int]) -> Whole:
    """Seven pairs of a pool; four alike now and then, always where it has less than seven kinds."""
    kinds = list(pool) * (1 if len(pool) >= 7 and rng.random() < 0.7 else 2)
    return Whole(tuple(t for t in rng.sample(kinds, 7) for _ in (0, 1)))


def _nine_gates(rng: Random) -> Whole:
    base = rng.choice(SUITS)
    return Whole((*(base + r for r in (0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 8)), base + rng.randrange(9)), (13,))


def _shifted_pairs(rng: Random) -> Whole:
    start = rng.choice(SUITS) + rng.randrange(3)
    return Whole(tuple(start + i for i in range(7) for _ in (0, 1)))


def _orphans(rng: Random) -> Whole:
    kinds = (*TERMINALS, *HONOURS)
    return Whole((*kinds, rng.choice(kinds)))


def _scattered(rng: Random, honours: int | None = None) -> Whole:
    count = rng.choice((5, 6, 6, 7)) if honours is None else honours
    return Whole((*rng.sample(HONOURS, count), *rng.sample(pattern(rng), 14 - count)))


def _knitted(rng: Random) -> Whole:
    nine = pattern(rng)
    fourth = some_set(rng, range(34))
    pair = rng.randrange(34)
    if rng.random() < 0.5:
        return Whole((*nine, pair, pair), meld=fourth)
    return Whole((*nine, *fourth, pair, pair))


def _steps(rng: Random, count: int, step: int, make: Callable[[int], Set], base: int | None = None) -> tuple[Set, ...]:
    ranks = 9 - step * (count - 1) - (2 if make is chow else 0)
    start = (rng.choice(SUITS) if base is None else base) + rng.randrange(ranks)
    return tuple(make(start + step * i) for i in range(count))


def _three_suits(rng: Random, step: int, make: Callable[[int], Set]) -> tuple[Set, ...]:
    start = rng.randrange(9 - 2 * step - (2 if make is chow else 0))
    return tuple(make(base + start + step * i) for i, base in enumerate(suits(rng)))


def _fives(rng: Random) -> Parts:
    sets = tuple(rng.choice((chow(b + 2), chow(b + 3), chow(b + 4), pung(b + 4))) for b in rng.choices(SUITS, k=4))
    return Parts(sets, rng.choice(SUITS) + 4)


def _outside(rng: Random) -> Parts:
    ends = [chow(b) for b in SUITS] + [chow(b + 6) for b in SUITS] + [pung(t) for t in (*TERMINALS, *HONOURS)]
    return Parts(tuple(rng.choices(ends, k=4)), rng.choice((*TERMINALS, *HONOURS)))


def _nothing(rng: Random) -> Parts:
    """Sets that have little to do with each other, and an honour pair: 无番和 often."""
    a, b, c = suits(rng)
    sets = (chow(a + rng.choice((0, 1, 2))), chow(b + rng.choice((3, 4, 5))), chow(c + rng.choice((1, 6))))
    fourth = pung(rng.choice((a, b, c)) + rng.randrange(1, 8))
    return Parts((*sets, fourth), rng.choice(HONOURS), "some")


def _gate(rng: Random) -> Parts:
    suit = of_suit(rng.choice(SUITS))
    return Parts(pool=suit if rng.random() < 0.6 else (*suit, *HONOURS))


def _all_types(rng: Random) -> Parts:
    sets = [some_set(rng, of_suit(base)) for base in SUITS]
    wind, dragon = rng.choice(HONOURS[:4]), rng.choice(HONOURS[4:])
    if rng.random() < 0.5:
        wind, dragon = dragon, wind
    return Parts((*sets, pung(wind)), dragon)


def _two_dragons(rng: Random) -> Parts:
    a, b, c = suits(rng)
    return Parts((chow(a), chow(a + 6), chow(b), chow(b + 6)), c + 4)


def _one_double_dragon(rng: Random) -> Parts:
    a = rng.choice(SUITS)
    return Parts((chow(a), chow(a), chow(a + 6), chow(a + 6)), a + 4)


def _last_shown(rng: Random) -> Parts:
    """Three of a kind in chows laid open, the fourth is won."""
    return Parts(rng.choice(((chow(rng.choice(SUITS) + rng.randrange(7)),) * 3, ())), None, "open")


RECIPES: tuple[Callable[[Random], Parts | Whole], ...] = (
    lambda r: Parts(),
    lambda r: Parts(style="closed"),
    lambda r: Parts(style="open"),
    lambda r: Parts(kongs=1),
    lambda r: Parts(kongs=2),
    lambda r: Parts(kongs=2, style="closed"),
    lambda r: Parts(pool=tuple(range(27))),
    lambda r: Parts(pool=ranked(2, 3, 4, 5, 6, 7, 8)),
    lambda r: Parts(tuple(pung(t) for t in HONOURS[:4])),
    lambda r: Parts(tuple(pung(t) for t in HONOURS[4:])),
    lambda r: Parts(pool=GREEN),
    lambda r: _pairs(r, GREEN),
    _nine_gates,
    lambda r: Parts(tuple(pung(t) for t in r.sample(range(34), 4)), kongs=4),
    _shifted_pairs,
    _orphans,
    lambda r: Parts(tuple(pung(t) for t in r.sample(TERMINALS, 4)), pool=TERMINALS),
    lambda r: _pairs(r, TERMINALS),
    lambda r: (lambda w: Parts(tuple(pung(t) for t in w[:3]), w[3]))(r.sample(HONOURS[:4], 4)),
    lambda r: (lambda d: Parts(tuple(pung(t) for t in d[:2]), d[2]))(r.sample(HONOURS[4:], 3)),
    lambda r: Parts(pool=HONOURS),
    lambda r: _pairs(r, HONOURS),
    lambda r: Parts(tuple(pung(t) for t in r.sample(range(34), 4)), style="closed"),
    _one_double_dragon,
    lambda r: Parts((chow(r.choice(SUITS) + r.randrange(7)),) * 4),
    lambda r: Parts(_steps(r, 4, 1, pung)),
    lambda r: Parts(_steps(r, 4, r.choice((1, 2)), chow)),
    lambda r: Parts(tuple(pung(t) for t in r.sample(range(34), 3)), kongs=3),
    lambda r: Parts(pool=(*TERMINALS, *HONOURS)),
    lambda r: _pairs(r, (*TERMINALS, *HONOURS)),
    lambda r: _pairs(r, range(34)),
    lambda r: _pairs(r, of_suit(r.choice(SUITS))),
    lambda r: _pairs(r, REVERSIBLE),
    lambda r: _scattered(r, 7),
    _scattered,
    lambda r: _scattered(r, 5),
    lambda r: Parts(tuple(pung(t) for t in r.sample(ranked(2, 4, 6, 8), 4)), r.choice(ranked(2, 4, 6, 8))),
    _gate,
    _gate,
    lambda r: Parts((chow(r.choice(SUITS) + r.randrange(7)),) * 3),
    lambda r: Parts(_steps(r, 3, 1, pung)),
    lambda r: Parts(pool=ranked(7, 8, 9)),
    lambda r: Parts(pool=ranked(4, 5, 6)),
    lambda r: Parts(pool=ranked(1, 2, 3)),
    lambda r: Parts(_steps(r, 3, 3, chow)),
    _two_dragons,
    lambda r: Parts(_steps(r, 3, r.choice((1, 2)), chow)),
    _fives,
    lambda r: Parts(tuple(pung(b + t) for t in [r.randrange(9)] for b in SUITS)),
    lambda r: Parts(tuple(pung(t) for t in r.sample(range(34), 3)), style="closed"),
    _knitted,
    lambda r: Parts(pool=ranked(6, 7, 8, 9)),
    lambda r: Parts(pool=ranked(1, 2, 3, 4)),
    lambda r: Parts(tuple(pung(t) for t in r.sample(HONOURS[:4], 3))),
    lambda r: Parts(_three_suits(r, 3, chow)),
    lambda r: Parts(pool=REVERSIBLE),
    lambda r: Parts(_three_suits(r, 0, chow)),
    lambda r: Parts(_three_suits(r, 1, pung)),
    _nothing,
    _nothing,
    _nothing,
    lambda r: Parts(tuple(pung(t) for t in r.sample(range(34), 4))),
    lambda r: Parts(_three_suits(r, 1, chow)),
    _all_types,
    lambda r: Parts(tuple(pung(t) for t in r.sample(HONOURS[4:], 2))),
    _outside,
    lambda r: Parts(tuple(chow(b + r.randrange(7)) for b in r.choices(SUITS, k=4)), r.randrange(27)),
    lambda r: Parts(tuple(pung(b + t) for t in r.sample(range(9), 2) for b in r.sample(SUITS, 2))),
    lambda r: Parts((chow(b := r.choice(SUITS)), chow(b + 6))),
    lambda r: Parts(_steps(r, 2, 3, chow)),
    lambda r: Parts(tuple(chow(b + t) for t in [r.randrange(7)] for b in r.sample(SUITS, 2))),
    lambda r: Parts((chow(r.choice(SUITS) + r.randrange(7)),) * 2),
    _last_shown,
)


# --- from a recipe to a win


def won_hand(rng: Random) -> tuple[Win, Situation]:
    """A complete hand as it may be declared."""
    while True:
        parts = rng.choice(RECIPES)(rng)
        win = _of_whole(rng, parts) if isinstance(parts, Whole) else _of_parts(rng, parts)
        if win is not None:
            situation = Situation(dealer=rng.randrange(4), prevalent=rng.choice(WINDS), points=(500, 500, 500, 500))
            return win, situation


def _possible(tiles: Sequence[int]) -> bool:
    return max(Counter(tiles).values()) <= 4


def _of_whole(rng: Random, whole: Whole) -> Win | None:
    tiles = list(whole.tiles)
    if not _possible((*tiles, *whole.meld)):
        return None
    tile = tiles.pop(rng.choice(whole.winning or range(len(tiles))))
    melds = [_laid(rng, whole.meld, rng.random() < 0.3)] if whole.meld else []
    kong = bool(melds) and melds[0].is_kong
    if kong and whole.meld[0] in (*tiles, tile):
        return None
    return _declared(rng, tiles, melds, tile)


def _of_parts(rng: Random, parts: Parts) -> Win | None:
    sets = list(parts.sets)[:4]
    sets += [some_set(rng, parts.pool) for _ in range(4 - len(sets))]
    rng.shuffle(sets)
    pair = rng.choice(parts.pool) if parts.pair is None else parts.pair
    pungs = [n for n, some in enumerate(sets) if some[0] == some[1]]
    if len(pungs) < parts.kongs:
        return None
    kongs = set(rng.sample(pungs, parts.kongs))
    kongs |= {n for n in pungs if rng.random() < 0.05}
    laid = {"closed": 0.0, "some": 0.4, "mixed": rng.choice((0.0, 0.3, 0.6, 1.0)), "open": 1.0}[parts.style]
    melds: list[Meld] = []
    standing: list[int] = [pair, pair]
    count = 0
    for number, some in enumerate(sets):
        if number in kongs:
            concealed = parts.style == "closed" or (parts.style == "mixed" and rng.random() < 0.5)
            melds.append(_laid(rng, some, True, concealed))
            count += 1
        elif rng.random() < laid:
            melds.append(_laid(rng, some, False))
        else:
            standing += some
    everything = [*standing, *(tile for meld in melds for tile in meld.tiles)]
    if not _possible(everything):
        return None
    tile = standing.pop(rng.randrange(len(standing)))
    return _declared(rng, standing, melds, tile)


def _laid(rng: Random, some: Set, kong: bool, concealed: bool | None = None) -> Meld:
    tiles = tuple(TILES[tile] for tile in some)
    if tiles[0] is not tiles[1]:
        return Meld(MeldKind.CHOW, tiles, 1, rng.choice(tiles))
    if not kong:
        return Meld(MeldKind.PUNG, tiles, rng.randint(1, 3))
    if concealed if concealed is not None else rng.random() < 0.5:
        return Meld(MeldKind.CONCEALED_KONG, (tiles[0],) * 4)
    return Meld(rng.choice((MeldKind.EXPOSED_KONG, MeldKind.ADDED_KONG)), (tiles[0],) * 4, rng.randint(1, 3))


def _declared(rng: Random, standing: Sequence[int], melds: Sequence[Meld], tile: int) -> Win:
    """The win with circumstances that can be true of it."""
    rng.shuffle(melds := list(melds))
    seat = rng.randrange(4)
    source = None if rng.random() < 0.45 else (seat + rng.randint(1, 3)) % 4
    own = Counter([*standing, *(t for meld in melds for t in meld.tiles)])[tile]
    how: set[How] = set()
    if source is None and any(meld.is_kong for meld in melds) and rng.random() < 0.3:
        how.add(How.KONG_REPLACEMENT)
    if source is None and rng.random() < 0.06:
        how.add(How.FLOWER_REPLACEMENT)
    if source is not None and not own and rng.random() < 0.12:
        how.add(How.ROBBING_KONG)
    elif rng.random() < 0.08:
        how.add(How.LAST_TILE)
    shown = all(tile not in (meld.tiles if meld.is_concealed else ()) for meld in melds)
    if tile not in standing and shown and rng.random() < 0.15:
        how.add(How.LAST_OF_KIND)
    flowers = tuple(rng.sample(FLOWERS, rng.choice((0, 0, 0, 1, 2, 5, 8))))
    concealed = [TILES[t] for t in standing]
    rng.shuffle(concealed)
    return Win(seat, tuple(concealed), tuple(melds), flowers, TILES[tile], source, frozenset(how))
