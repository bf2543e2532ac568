"""What the antennas of an emulated reader see."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from tablectl.base.clock import Clock
from tablectl.sim.world import World

#: of an ICODE SLIX: 28 blocks of 4 bytes
MEMORY_BYTES = 112
#: dBm of an answer that is neither near nor far
USUAL_STRENGTH = -55
#: seconds that a tile is in the field of a lane: 26 mm at 0.13 m/s
DWELL_S = 0.2


class Field(Protocol):
    """The tags above antennas, by the numbers of the reader."""

    def tags(self, antenna: int) -> Sequence[str]:
        """UIDs in lower case, in the order in which they answer."""

    def strength(self, antenna: int, tag: str) -> int:
        """Of its answer, in dBm."""

    def memory(self, tag: str) -> bytes:
        """What stands in its user memory."""


class Bench:
    """A field that is set by hand: ``lie[antenna] = [tag, …]``; ``strengths`` by antenna and tag; ``memories`` by
    tag."""

    def __init__(self, lie: Mapping[int, Sequence[str]] | None = None) -> None:
        self.lie: dict[int, list[str]] = {antenna: list(tags) for antenna, tags in (lie or {}).items()}
        self.strengths: dict[tuple[int, str], int] = {}
        self.memories: dict[str, bytes] = {}

    def tags(self, antenna: int) -> Sequence[str]:
        return tuple(self.lie.get(antenna, ()))

    def strength(self, antenna: int, tag: str) -> int:
        return self.strengths.get((antenna, tag), USUAL_STRENGTH)

    def memory(self, tag: str) -> bytes:
        return self.memories.get(tag, bytes(MEMORY_BYTES))


class WorldField(Bench):
    """The zones of the simulated table, by antenna. ``dead``: tags whose chip is damaged."""

    def __init__(self, world: World, zones: Mapping[int, str], dead: Collection[str] = ()) -> None:
        super().__init__()
        self._world = world
        self._zones = zones
        self._dead = dead

    def tags(self, antenna: int) -> Sequence[str]:
        zone = self._zones.get(antenna)
        return [tag for tag in self._world.tags(zone) if tag not in self._dead] if zone is not None else ()


class LaneField(Bench):
    """The antenna beside a stacking head: a tile that passes (`see`, as `sim.devices.SimLane`) is in the field for
    `DWELL_S`."""

    def __init__(self, side: int, clock: Clock) -> None:
        super().__init__()
        self.side = side
        self._clock = clock
        self._until: dict[str, float] = {}

    def see(self, tag: str) -> None:
        """A tile passes."""
        self._until[tag] = self._clock.now() + DWELL_S

    def tags(self, antenna: int) -> Sequence[str]:
        now = self._clock.now()
        self._until = {tag: until for tag, until in self._until.items() if until > now}
        return (*self._until, *super().tags(antenna))
