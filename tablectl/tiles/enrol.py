"""Enrolling a tile set: its tiles are laid on an antenna kind by kind, and their tags are written down."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from tablectl.tiles.sets import TileSet
from tablectl.tiles.tags import TagRegister, normal_uid
from tablectl.tiles.tile import Tile

#: reads in a row with the same new tags after which they are believed to lie there, all of them
STEADY: Final = 4


@dataclass
class Enrolment:
    """Enrols the set ``name`` as ``tile_set`` has it, in the order of its kinds. Of each kind all tiles are laid at
    once; once their tags answered `STEADY` reads in a row, the next kind is due. Tags of the set that are
    registered already are kept where ``again`` is False, so that an interrupted enrolment goes on."""

    register: TagRegister
    name: str
    tile_set: TileSet
    again: bool = False
    _seen: frozenset[str] = frozenset()
    _steady: int = 0
    _done: dict[str, Tile] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.again:
            self._done = dict(self.register.sets.get(self.name, {}))

    @property
    def due(self) -> tuple[Tile, int] | None:
        """The kind to lay down now and how many tags of it are lacking; None: the set is complete."""
        lacking = self.tile_set.missing(self._done.values())
        tile = min(lacking, default=None)
        return None if tile is None else (tile, lacking[tile])

    @property
    def enrolled(self) -> int:
        return len(self._done)

    def take(self, tags: Iterable[str]) -> str | None:
        """One read of the antenna. None while nothing is to be said; else what was enrolled, or what is wrong."""
        due = self.due
        new = frozenset(normal_uid(tag) for tag in tags) - self._done.keys()
        if due is None or new != self._seen or not new:
            self._seen, self._steady = new, 1
            return None
        self._steady += 1
        if self._steady != STEADY:
            return None
        tile, count = due
        foreign = Counter(tag.set for uid in new if (tag := self.register.tag(uid)) and tag.set != self.name)
        if foreign:
            return f"{sum(foreign.values())} of these tags belong to set {', '.join(sorted(foreign))}: take them away"
        if len(new) < count:
            self._steady = 0
            return f"{len(new)} new tags answer, {count} are due: lay all {tile.code} {tile.name_zh} flat on the zone"
        if len(new) > count:
            return f"{len(new)} new tags answer, {count} are due: take away what is no {tile.code} {tile.name_zh}"
        self._done |= dict.fromkeys(new, tile)
        self._seen = frozenset()
        return f"{tile.code} {tile.name_zh}: {' '.join(sorted(new))}"

    def result(self) -> TagRegister:
        """The register with what was enrolled so far."""
        kept = {name: tags for name, tags in self.register.sets.items() if name != self.name}
        return TagRegister({**kept, self.name: dict(self._done)})
