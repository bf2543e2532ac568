"""What a suit can hold: the memo tables behind complete hands, waits and the distance to ready.

A *hold table* of a suit says, for every number of sets and pairs, how many of its tiles at most those sets and pairs
can hold when what is missing in them is filled up from outside (by a wildcard, or by a tile still to be drawn).
Everything else follows by adding tables: a hand is complete when its sets and pair hold all of its tiles; its
distance to ready is what they cannot hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from tablectl.tiles.tile import TILES, Tile

Counts = Sequence[int]
"""How many tiles of each of the 34 playable kinds, natural tiles only: 0–4 each."""

#: Most sets a hand can have.
MOST_SETS: Final = 5
_WIDTH: Final = MOST_SETS + 1

Table = tuple[int, ...]
"""``table[s]``: most tiles that s sets hold; ``table[_WIDTH + s]``: that s sets and a pair hold."""

_EMPTY: Final[Table] = (0,) * (2 * _WIDTH)
_NEVER: Final = -99
_shared: dict[Table, Table] = {}


def _with_set(table: Table, tiles: int) -> Table:
    held = [n + tiles for n in table]
    return (_NEVER, *held[: _WIDTH - 1], _NEVER, *held[_WIDTH:-1])


def _with_pair(table: Table, tiles: int) -> Table:
    return (*(_NEVER,) * _WIDTH, *(n + tiles for n in table[:_WIDTH]))


@lru_cache(maxsize=1 << 13)
def hold_table(suit: tuple[int, ...]) -> Table:
    """The hold table of one suit: nine counts, or seven for the honours (which make no runs)."""
    rank = next((i for i, count in enumerate(suit) if count), None)
    if rank is None:
        return _EMPTY
    count = suit[rank]
    rest = list(suit)
    options = []
    for taken in range(1, min(count, 3) + 1):
        rest[rank] = count - taken
        table = hold_table(tuple(rest))
        if taken == 1:
            options.append(table)  # left out of everything
        options.append(_with_set(table, taken))
        if taken <= 2:
            options.append(_with_pair(table, taken))
    if len(suit) == 9:
        rest[rank] = count - 1
        for steps in ((1,), (2,), (1, 2)):
            if all(rank + step < 9 and rest[rank + step] for step in steps):
                for step in steps:
                    rest[rank + step] -= 1
                options.append(_with_set(hold_table(tuple(rest)), 1 + len(steps)))
                for step in steps:
                    rest[rank + step] += 1
    best = tuple(map(max, *options))
    return _shared.setdefault(best, best)


@lru_cache(maxsize=1 << 13)
def join(a: Table, b: Table) -> Table:
    """The hold table of two suits together."""
    plain = [max(a[i] + b[s - i] for i in range(s + 1)) for s in range(_WIDTH)]
    paired = [max(max(a[_WIDTH + i] + b[s - i], a[i] + b[_WIDTH + s - i]) for i in range(s + 1)) for s in range(_WIDTH)]
    both = (*plain, *paired)
    return _shared.setdefault(both, both)


def suit_tables(counts: Counts) -> tuple[Table, Table, Table, Table]:
    """The hold tables of 万, 饼, 条 and the honours."""
    kinds = tuple(counts)
    return hold_table(kinds[:9]), hold_table(kinds[9:18]), hold_table(kinds[18:27]), hold_table(kinds[27:34])


def held(counts: Counts, sets: int, *, pair: bool = True) -> int:
    """How many of the tiles ``sets`` sets (and a pair) can hold at most."""
    a, b, c, d = suit_tables(counts)
    return join(join(a, b), join(c, d))[_WIDTH + sets if pair else sets]


@lru_cache(maxsize=1 << 12)
def _one_more(suit: tuple[int, ...]) -> tuple[Table, tuple[Table, ...]]:
    """The hold tables of a suit with one more tile, rank by rank; before them the best of all."""
    tables = tuple(hold_table((*suit[:i], suit[i] + 1, *suit[i + 1 :])) for i in range(len(suit)))
    best = tuple(map(max, *tables))
    return _shared.setdefault(best, best), tables


def raising(counts: Counts, sets: int) -> tuple[int, tuple[Tile, ...]]:
    """How many tiles ``sets`` sets and a pair hold, and the kinds of which one more would be held too.

    A hand that is ready holds all its tiles, and these kinds are its waits; before that they are the tiles that bring
    it nearer.
    """
    kinds = tuple(counts)
    suits = (kinds[:9], kinds[9:18], kinds[18:27], kinds[27:34])
    a, b, c, d = (hold_table(suit) for suit in suits)
    ab, cd = join(a, b), join(c, d)
    goal = _WIDTH + sets
    now = join(ab, cd)[goal]
    others = (join(b, cd), join(a, cd), join(ab, d), join(ab, c))
    found: list[Tile] = []
    for base, suit, other in zip((0, 9, 18, 27), suits, others, strict=True):
        best, tables = _one_more(suit)
        if join(best, other)[goal] > now:
            found += [TILES[base + rank] for rank, table in enumerate(tables) if join(table, other)[goal] > now]
    return now, tuple(found)
