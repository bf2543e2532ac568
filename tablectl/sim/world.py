"""The truth of the simulated table: where every tile is.

A tile is in exactly one spot. Spots with an antenna below them (`ZONES`) remember what they held a moment ago, so that
a reader that looks at one zone after another sees each at its own time. Nobody outside `sim/` looks in here: the rest
of the program gets what the devices report.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import Final

from tablectl.base.clock import Clock
from tablectl.tiles.tile import Tile
from tablectl.tiles.wall import Place

SEATS: Final = range(4)
#: spots above an antenna, in the order in which a reader visits them
ZONES: Final = tuple(f"{part}.{seat}" for seat in SEATS for part in ("hand", "meld", "river"))
WALL_ZONES: Final = tuple(f"wall.{side}" for side in SEATS)
#: ``fingers``: held by a person; ``slot``: a built side waiting below the lid; ``head``, ``belt``: on the way there;
#: ``drum``: below the opening; ``inside``: fallen to the floor of the machine; ``felt``: lying between the zones;
#: ``floor``: off the table
SPOTS: Final = (
    *ZONES,
    *WALL_ZONES,
    *(f"{part}.{n}" for part in ("fingers", "slot", "head", "belt") for n in SEATS),
    "drum",
    "inside",
    "felt",
    "floor",
)


class ImpossibleMove(Exception):
    """Something asked for what cannot happen at a real table: a fault of the simulation, never of the player."""


class Spot:
    """The tags in one place, in the order of their arrival. ``remembers``: an antenna lies below it."""

    __slots__ = ("_changed_at", "_now", "changes", "name", "past", "remembers", "tags")

    def __init__(self, name: str, remembers: bool) -> None:
        self.name = name
        self.remembers = remembers
        #: counts what changed here
        self.changes = 0
        self.tags: dict[str, None] = {}
        self._now: frozenset[str] | None = frozenset()
        #: until when what lay here, oldest first
        self.past: deque[tuple[float, frozenset[str]]] = deque(maxlen=64)
        self._changed_at = 0.0

    def touch(self, t: float) -> None:
        """To be called before ``tags`` change at ``t``."""
        if self.remembers and t > self._changed_at:
            self.past.append((t, self.now()))
            self._changed_at = t
        self._now = None
        self.changes += 1

    def now(self) -> frozenset[str]:
        """What lies here now; the same object as long as nothing changes."""
        if self._now is None:
            self._now = frozenset(self.tags)
        return self._now

    def at(self, t: float) -> frozenset[str]:
        """What lay here at ``t``. Times must not go back from call to call: what is older is forgotten."""
        past = self.past
        while past and past[0][0] <= t:
            past.popleft()
        return past[0][1] if past else self.now()


class World:
    """Both tile sets (``sets``: by name, tag to tile) and the spots they are in. At first all lie on the felt."""

    def __init__(self, clock: Clock, sets: Mapping[str, Mapping[str, Tile]]) -> None:
        self._clock = clock
        self.kinds: dict[str, Tile] = {tag: tile for tags in sets.values() for tag, tile in tags.items()}
        if len(self.kinds) != sum(len(tags) for tags in sets.values()):
            raise ValueError("a tag is in two tile sets")
        self.set_of: dict[str, str] = {tag: name for name, tags in sets.items() for tag in tags}
        self.spots: dict[str, Spot] = {name: Spot(name, name in ZONES or name in WALL_ZONES) for name in SPOTS}
        self._where: dict[str, Spot] = {}
        self.walls: dict[Place, str] = {}
        self._places: dict[str, Place] = {}
        #: tags whose chip is damaged: they answer no antenna
        self.damaged: set[str] = set()
        #: the dome is up, so tiles can be pushed into the drum
        self.opening_free = False
        felt = self.spots["felt"]
        for tag in self.kinds:
            felt.tags[tag] = None
            self._where[tag] = felt
        felt.touch(0.0)

    def add(self, tag: str, tile: Tile, spot: str) -> None:
        """A tile that belongs to none of the sets. Raises ValueError where the tag is there already."""
        if tag in self.kinds:
            raise ValueError(f"{tag} is at this table already")
        self.kinds[tag] = tile
        self.set_of[tag] = ""
        self._where[tag] = self.spots["felt"]
        self.spots["felt"].touch(self._clock.now())
        self.spots["felt"].tags[tag] = None
        self._put(tag, self.spots[spot])

    def where(self, tag: str) -> str:
        """The spot a tag is in. Raises KeyError for a tag that does not exist."""
        return self._where[tag].name

    def tags(self, spot: str) -> tuple[str, ...]:
        """The tags in a spot in the order of their arrival."""
        return tuple(self.spots[spot].tags)

    def contents(self, spot: str) -> frozenset[str]:
        """The tags in a spot; the same object as long as nothing changes."""
        return self.spots[spot].now()

    def move(self, tag: str, to: str) -> None:
        """Put a tile somewhere else.

        Raises:
            ImpossibleMove: into the drum while the dome is down, or into a wall (walls are built by `stand`).
        """
        target = self.spots[to]
        if to == "drum" and not self.opening_free and not self._where[tag].name.startswith("belt."):
            raise ImpossibleMove(f"{self.kinds[tag]} cannot go into the drum: the dome is down")
        if to.startswith("wall."):
            raise ImpossibleMove(f"{self.kinds[tag]} cannot be put into {to} without a place")
        self._put(tag, target)

    def load(self, tag: str) -> None:
        """Put a tile into the drum before the table is switched on, its dome open."""
        self._put(tag, self.spots["drum"])

    def stand(self, tag: str, place: Place) -> None:
        """Put a tile at a place of the wall. Raises ImpossibleMove where another tile is already there."""
        if place in self.walls:
            raise ImpossibleMove(f"{place} holds {self.kinds[self.walls[place]]} already")
        self._put(tag, self.spots[f"wall.{place.side}"])
        self.walls[place] = tag
        self._places[tag] = place

    def _put(self, tag: str, target: Spot) -> None:
        source = self._where[tag]
        t = self._clock.now()
        source.touch(t)
        target.touch(t)
        del source.tags[tag]
        target.tags[tag] = None
        self._where[tag] = target
        place = self._places.pop(tag, None)
        if place is not None:
            del self.walls[place]

    def swap(self, tag: str, other: str) -> None:
        """Exchange two tiles, places in the wall included."""
        spots = self._where[tag], self._where[other]
        places = self._places.get(tag), self._places.get(other)
        self._put(tag, spots[1])
        self._put(other, spots[0])
        for moved, place in ((tag, places[1]), (other, places[0])):
            if place is not None:
                self.walls[place] = moved
                self._places[moved] = place

    def take(self, place: Place, seat: int) -> str:
        """A person takes the tile at a place of the wall. Raises ImpossibleMove where none lies there."""
        tag = self.walls.get(place)
        if tag is None:
            raise ImpossibleMove(f"no tile at {place}")
        self._put(tag, self.spots[f"fingers.{seat}"])
        return tag

    def on_table(self) -> list[str]:
        """The tags that people see and can push together: everything above the table top."""
        names = (*ZONES, *WALL_ZONES, "felt", *(f"fingers.{seat}" for seat in SEATS))
        return [tag for name in names for tag in self.spots[name].tags]

    def check(self) -> None:
        """Every tile exists once, the walls agree with their spots. Raises AssertionError with what is wrong."""
        seen: dict[str, str] = {}
        for spot in self.spots.values():
            for tag in spot.tags:
                assert tag not in seen, f"{tag} is in {seen.get(tag)} and in {spot.name}"
                assert self._where[tag] is spot, f"{tag} lies in {spot.name}, not in {self._where[tag].name}"
                seen[tag] = spot.name
        assert seen.keys() == self.kinds.keys(), f"lost: {sorted(self.kinds.keys() - seen.keys())}"
        for place, tag in self.walls.items():
            assert seen[tag] == f"wall.{place.side}", f"{place} and {tag} disagree"
            assert self._places[tag] == place, f"{tag} is not at {place}"
        assert len(self.walls) == len(self._places), "a tile has a place but is in no wall"


def make_sets(names: Iterable[str], tiles: Iterable[Tile]) -> dict[str, dict[str, Tile]]:
    """Tile sets with tags like those of ISO 15693 chips (``e004…``, 16 hexadecimal digits), by name of the set."""
    kinds = list(tiles)
    return {
        name: {f"e0040150{ord(name[0]) & 0xFF:02x}{number:06x}": tile for number, tile in enumerate(kinds, start=1)}
        for name in names
    }
