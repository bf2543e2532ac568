"""A register in which a tile set is not whole for the rules: the table starts, says so, and shuffles nothing.

The tags are taken up at the start, by tracker and machine alike; so the fault ends only with another one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from tablectl.base.faults import FaultLatch
from tablectl.documents import DocumentError, Problem
from tablectl.refusals import Refusal
from tablectl.tiles.sets import TileSet
from tablectl.tiles.tags import lacking, load_register
from tablectl.tiles.tile import Tile

if TYPE_CHECKING:
    from tablectl.core.site import Site

#: the command that mends it
ENROLL: Final = "sudo -u tablectl tablectl tags enroll {}, with the table stopped"
_CODE: Final = "X04"
#: a register without any set
_EMPTY: Final[Mapping[str, Mapping[str, Tile]]] = {"NAME": {}}


def tell(sets: Mapping[str, Mapping[str, Tile]], tile_set: TileSet, faults: FaultLatch) -> None:
    """A fault for each of ``sets`` that lacks tiles; nobody can clear it."""
    faults.add_obstacle(lambda fault: Refusal("enroll_first", name=fault.where) if fault.code == _CODE else None)
    for name, tiles in lacking(sets or _EMPTY, tile_set).items():
        faults.raise_fault("register_incomplete", name, tiles)


def problems(site: Site) -> Iterator[Problem]:
    """What is wrong with the register of a site. A new table has none yet."""
    path = site.settings.tiles
    if site.settings.backend != "hardware" or path is None or not path.exists():
        return
    try:
        sets = load_register(path).sets
    except DocumentError as error:
        yield from error.problems
        return
    for name, tiles in lacking(sets or _EMPTY, site.rules.tile_set).items():
        yield Problem(str(path), 0, 0, f"sets.{name}: lacks {tiles} for {site.rules.id}: {ENROLL.format(name)}")
