"""From what antennas say to what the ports report: zones with their tags, and passages of single tiles."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tablectl.base.reports import ZoneRead

log = logging.getLogger(__name__)

#: Foreign tags are told in the log so many times, then no more.
_FOREIGN_TOLD: Final = 20


@dataclass(frozen=True, slots=True)
class Sighting:
    """A tag that answered. ``strength``: of its answer, where the reader tells; larger is nearer, and only values of
    one reader can be compared."""

    tag: str
    strength: float | None = None


@dataclass(frozen=True, slots=True)
class Inventory:
    """One inventory of one antenna, complete at ``t`` (seconds, as `Clock`)."""

    t: float
    antenna: int
    sightings: tuple[Sighting, ...]


@dataclass(frozen=True, slots=True)
class Absence:
    """When a tag that does not answer is gone: after ``reads`` inventories in a row without it, and not before
    ``seconds`` since its last answer. One and 0: at once."""

    reads: int = 1
    seconds: float = 0.0


class Zones:
    """The zones of one reader.

    Args:
        zones: antenna to zone; several antennas may be of the same zone.
        absence: by zone, see `Absence`.
        same_tile_s: a tag that answered in another zone of this reader within so many seconds lies where its answer is
            stronger; where the reader tells no strength, or both are equal, where it answered last.
    """

    def __init__(self, name: str, zones: Mapping[int, str], absence: Mapping[str, Absence], same_tile_s: float) -> None:
        self.name = name
        self._zones = zones
        self._absence = absence
        self._same_tile = same_tile_s
        self._seen: dict[int, dict[str, _Seen]] = {antenna: {} for antenna in zones}
        #: answers of a tag that had just answered in another zone
        self.doubles = 0

    def reads(self, inventories: Iterable[Inventory]) -> tuple[ZoneRead, ...]:
        """The zones of these inventories, in their order. An antenna without zone says nothing."""
        return tuple(self._read(inventory) for inventory in inventories if inventory.antenna in self._zones)

    def _read(self, inventory: Inventory) -> ZoneRead:
        t, zone = inventory.t, self._zones[inventory.antenna]
        seen = self._seen[inventory.antenna]
        absence = self._absence.get(zone, Absence())
        fresh = {s.tag: s.strength for s in inventory.sightings if self._lies_here(s, zone, t)}
        for tag, strength in fresh.items():
            seen[tag] = _Seen(t, strength)
        for tag, last in list(seen.items()):
            if tag not in fresh and last.missed_again(absence, t):
                del seen[tag]
        antennas = [antenna for antenna, its in self._zones.items() if its == zone]
        return ZoneRead(t, zone, frozenset().union(*(self._seen[antenna] for antenna in antennas)))

    def _lies_here(self, sighting: Sighting, zone: str, t: float) -> bool:
        """Whether a tag belongs to this zone and not to one in which it answered a moment ago."""
        for antenna, other in self._zones.items():
            last = self._seen[antenna].get(sighting.tag) if other != zone else None
            if last is None or t - last.t > self._same_tile:
                continue
            self.doubles += 1
            there = last.strength is not None and sighting.strength is not None and last.strength > sighting.strength
            counted = other if there else zone
            log.info("reader %s: %s answers in %s and %s, counted in %s", self.name, sighting.tag, other, zone, counted)
            if there:
                return False
            del self._seen[antenna][sighting.tag]
        return True


class _Seen:
    """The last answer of a tag in a zone, and how many inventories it missed since."""

    __slots__ = ("missed", "strength", "t")

    def __init__(self, t: float, strength: float | None) -> None:
        self.t = t
        self.strength = strength
        self.missed = 0

    def missed_again(self, absence: Absence, t: float) -> bool:
        """An inventory without it: whether it is gone now."""
        self.missed += 1
        return self.missed >= absence.reads and t - self.t >= absence.seconds


class Passages:
    """Single passages out of tags that answer again and again while they are in the field.

    ``rearm_s``: a tag passes again only after it was silent for so many seconds; one that stands still in front of the
    antenna passed once.
    """

    def __init__(self, rearm_s: float) -> None:
        self._rearm = rearm_s
        self._last: dict[str, float] = {}

    def passes(self, t: float, tag: str) -> bool:
        """Whether this answer is the beginning of a passage."""
        last = self._last.get(tag)
        self._last[tag] = t
        return last is None or t - last > self._rearm


class TagFilter:
    """Keeps out what cannot be a tag of a tile: ``prefixes`` are the beginnings of the UIDs that are let through, in
    lower case; none: all are."""

    def __init__(self, name: str, prefixes: Sequence[str]) -> None:
        self._name = name
        self._prefixes = tuple(prefixes)
        self.foreign: set[str] = set()

    def passes(self, tag: str) -> bool:
        if not self._prefixes or tag.startswith(self._prefixes):
            return True
        if tag not in self.foreign and len(self.foreign) < _FOREIGN_TOLD:
            self.foreign.add(tag)
            log.warning(
                "reader %s: foreign tag %s, expected one that begins with %s",
                self._name,
                tag,
                " or ".join(self._prefixes),
            )
        return False
