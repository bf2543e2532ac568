"""The shared reading engine: how a hand can be read.

Used by every rule system:

- `readings` – every reading of a complete hand with every place of the winning tile, special shapes included;
- `natural_divisions`, `divisions` – only the sets and the pair, fastest where the winning tile's place is no matter;
- `is_complete`, `Rest` – wildcards without trying all fillings: take the groups a pattern needs, ask if the rest fits;
- `counts_of` – count array of tiles; `Group` and its makers `chow`, `pung`, `pair`, `knitted`, `of_meld`.

Waits and the distance to ready are in `tablectl.rules.waits`.
"""

from collections.abc import Iterable

from tablectl.rules.reading.groups import (
    FREE_PAIR,
    FREE_SET,
    Group,
    GroupKind,
    chow,
    knitted,
    of_meld,
    pair,
    pung,
    singles,
)
from tablectl.rules.reading.readings import NO_TILE, Reading, Shape, readings
from tablectl.rules.reading.shapes import (
    KNITTED_PATTERNS,
    ORPHANS,
    knitted_divisions,
    scattered,
    seven_pairs,
    thirteen_orphans,
    whole_pattern,
)
from tablectl.rules.reading.standard import Division, Rest, divisions, is_complete, natural_divisions
from tablectl.rules.reading.tables import Counts, held
from tablectl.tiles.tile import Tile

__all__ = [
    "FREE_PAIR",
    "FREE_SET",
    "KNITTED_PATTERNS",
    "NO_TILE",
    "ORPHANS",
    "Counts",
    "Division",
    "Group",
    "GroupKind",
    "Reading",
    "Rest",
    "Shape",
    "chow",
    "counts_of",
    "divisions",
    "held",
    "is_complete",
    "knitted",
    "knitted_divisions",
    "natural_divisions",
    "of_meld",
    "pair",
    "pung",
    "readings",
    "scattered",
    "seven_pairs",
    "singles",
    "thirteen_orphans",
    "whole_pattern",
]


def counts_of(tiles: Iterable[Tile]) -> list[int]:
    """The count array of tiles. Flowers are no part of a hand and must not be among them."""
    counts = [0] * 34
    for tile in tiles:
        counts[tile] += 1
    return counts
