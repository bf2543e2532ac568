"""What a person should look at, as far as only the antennas can tell; each said once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from tablectl.game.actions import Suspect
from tablectl.tiles.sets import TileSet
from tablectl.tiles.tile import Tile
from tablectl.tracking.places import AWAY
from tablectl.tracking.presence import Presence, Zone

#: reads in a row after which a stranger is no ghost; a tag that moved without an explanation did move; a silent tag is
#: lost
STRANGER_READS = 4
UNEXPLAINED_READS = 12
SILENT_READS = 40


@dataclass(slots=True)
class Watch:
    """The alerts of one hand."""

    tiles: Mapping[str, Tile]
    said: set[tuple[str, object]] = field(default_factory=set)

    def say(self, t: float, code: str, seat: int | None, detail: str, about: object = None) -> list[Suspect]:
        """The alert, unless it was raised in this hand already (about the same tag or seat)."""
        key = (code, seat if about is None else about)
        if key in self.said:
            return []
        self.said.add(key)
        return [Suspect(t=t, code=code, seat=seat, detail=detail)]

    def strangers(self, t: float, name: str, zone: Zone, presence: Presence) -> list[Suspect]:
        """Tags that belong to no set, or to the set that is not in play."""
        found: list[Suspect] = []
        for tag, run in zone.strange.items():
            if run < STRANGER_READS or presence.lies(tag) != AWAY:
                continue
            code = "wrong_set" if tag in self.tiles else "unknown_tag"
            detail = f"{self.tiles[tag].code} " if tag in self.tiles else ""
            found += self.say(t, code, _seat(name), f"{detail}tag {tag} in {name}", tag)
        return found

    def silent(self, t: float, name: str, zone: Zone, presence: Presence) -> list[Suspect]:
        """Tags that answer nowhere any more."""
        found: list[Suspect] = []
        for tag, run in zone.missing.items():
            if run >= SILENT_READS and tag in self.tiles and not presence.answers(tag):
                found += self.say(t, "tag_lost", _seat(name), f"{self.tiles[tag].code} in {name} is silent", tag)
        return found

    def composition(self, t: float, tags: Iterable[str], tile_set: TileSet) -> list[Suspect]:
        """Tiles too many of a kind among those that passed the lanes."""
        surplus = tile_set.surplus(self.tiles[tag] for tag in tags if tag in self.tiles)
        if not surplus:
            return []
        return self.say(t, "duplicate_tile", None, " ".join(f"{tile.code}+{n}" for tile, n in sorted(surplus.items())))


def _seat(zone: str) -> int | None:
    kind, _, seat = zone.partition(".")
    return int(seat) if kind != "wall" and seat.isdigit() else None
