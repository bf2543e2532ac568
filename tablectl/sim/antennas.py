"""The antenna zones: what a reader reports of the tiles that lie above its antennas.

A reader visits its zones one after another, and each inventory shows the zone as it was at its own time. Readers miss
tags, and tags answer in a neighbouring zone: the `Noise` of a profile, drawn here and known to nobody else.
"""

from __future__ import annotations

import math
import random
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tablectl.base.clock import Clock
from tablectl.base.reports import ZoneRead
from tablectl.sim.devices import SimDevice
from tablectl.sim.world import SEATS, ZONES, World


@dataclass(frozen=True, slots=True)
class Noise:
    """How a reader errs: ``miss`` and ``ghost`` are probabilities a tag and round; a missed tag stays silent for
    ``miss_rounds`` rounds on average; of the ghosts, ``instead`` answer only in the wrong zone."""

    miss: float = 0.0
    ghost: float = 0.0
    miss_rounds: float = 1.0
    instead: float = 0.3


#: By name, as the option ``noise`` gives it.
NOISE: Final[Mapping[str, Noise]] = {
    "clean": Noise(),
    "normal": Noise(miss=0.02, ghost=0.003),
}


def neighbours(zone: str) -> tuple[str, ...]:
    """The zones whose antennas a tag above ``zone`` may reach across the edge."""
    part, number = zone.split(".")
    seat = int(number)
    if part == "hand":
        return (f"meld.{seat}",)
    if part == "meld":
        return (f"hand.{seat}", f"river.{seat}")
    if part == "river":
        return (f"meld.{seat}", f"river.{(seat + 1) % 4}", f"river.{(seat - 1) % 4}")
    return (f"meld.{seat}",)


NEIGHBOURS: Final = {zone: neighbours(zone) for zone in (*ZONES, *(f"wall.{side}" for side in SEATS))}


class _Chance:
    """Picks members of a long stream, each with probability ``p``, at a cost that grows with the picks alone."""

    def __init__(self, rng: random.Random, p: float) -> None:
        self._rng = rng
        self._log = math.log1p(-p) if p else 0.0
        self._skip = self._gap()

    def _gap(self) -> float:
        return math.floor(math.log(1.0 - self._rng.random()) / self._log) if self._log else math.inf

    def picks(self, count: int) -> list[int]:
        """Which of the next ``count`` members of the stream are picked (indices)."""
        if self._skip >= count:
            self._skip -= count
            return []
        picked = []
        while self._skip < count:
            picked.append(int(self._skip))
            self._skip += 1 + self._gap()
        self._skip -= count
        return picked


class SimReader(SimDevice):
    """A reader with many antennas: a batch is one round over ``zones``, which takes ``period_s`` seconds."""

    def __init__(
        self,
        name: str,
        world: World,
        clock: Clock,
        rng: random.Random,
        zones: Sequence[str] = ZONES,
        period_s: float = 0.25,
        noise: Noise = NOISE["clean"],
    ) -> None:
        super().__init__(name)
        self.zones = tuple(zones)
        self.period_s = period_s
        #: tags whose chip is damaged: they never answer
        self.dead_tags: set[str] = set()
        self._world = world
        self._clock = clock
        self._rng = rng
        #: what lay in each zone when it was last put in order (a set has none that is the same in every run)
        self._in_order: list[tuple[frozenset[str], list[str]]] = [(frozenset(), []) for _ in self.zones]
        self.disturb(noise)

    def disturb(self, noise: Noise) -> None:
        """Err like ``noise`` from now on."""
        self.noise = noise
        self._missed = _Chance(self._rng, noise.miss / noise.miss_rounds)
        self._ghosts = _Chance(self._rng, noise.ghost)
        self._silent: dict[str, int] = {}

    async def inventories(self) -> AsyncIterator[tuple[ZoneRead, ...]]:
        spots = [self._world.spots[zone] for zone in self.zones]
        step = self.period_s / len(spots)
        begin = self._clock.now()
        changes, still = -1, [spot.now() for spot in spots]
        while True:
            await self._clock.sleep(begin + self.period_s - self._clock.now())
            if self.plugged:
                times = [begin + step * n for n in range(1, len(spots) + 1)]
                seen = still
                if (now := sum([spot.changes for spot in spots])) != changes:
                    seen = [spot.at(t) if spot.past else spot.now() for spot, t in zip(spots, times, strict=True)]
                    if not any(spot.past for spot in spots):  # what changed since the last round is told
                        changes, still = now, [spot.now() for spot in spots]
                if self.noise.miss or self.noise.ghost or self.dead_tags:
                    seen = self._err(seen)
                yield tuple(map(ZoneRead, times, self.zones, seen))
            begin += self.period_s

    def _err(self, truth: list[frozenset[str]]) -> list[frozenset[str]]:
        """What the antennas make of ``truth``, zone by zone."""
        seen = list(truth)
        total = sum(map(len, truth))
        silent = self._silent
        if silent or self.dead_tags:
            self._silent = {tag: left - 1 for tag, left in silent.items() if left > 1}
            hidden = silent.keys() | self.dead_tags
            seen = [tags if hidden.isdisjoint(tags) else tags - hidden for tags in seen]
        for index, tag in self._pick(truth, self._missed.picks(total)):
            seen[index] -= {tag}
            if (more := self._rounds() - 1) > 0:
                self._silent[tag] = more
        for index, tag in self._pick(truth, self._ghosts.picks(total)):
            others = [zone for zone in NEIGHBOURS[self.zones[index]] if zone in self.zones]
            if others and tag not in self.dead_tags:
                other = self.zones.index(self._rng.choice(others))
                seen[other] |= {tag}
                if self._rng.random() < self.noise.instead:
                    seen[index] -= {tag}
        return seen

    def _rounds(self) -> int:
        """How long a missed tag stays silent."""
        rounds = 1
        while self.noise.miss_rounds > 1 and self._rng.random() > 1 / self.noise.miss_rounds:
            rounds += 1
        return rounds

    def _pick(self, zones: list[frozenset[str]], picks: list[int]) -> list[tuple[int, str]]:
        """The picked members of all zones in a row, as (index of the zone, tag)."""
        found = []
        index, before = 0, 0
        for pick in picks:
            while pick >= before + len(zones[index]):
                before += len(zones[index])
                index += 1
            tags, in_order = self._in_order[index]
            if tags is not zones[index]:
                in_order = sorted(zones[index])
                self._in_order[index] = (zones[index], in_order)
            found.append((index, in_order[pick - before]))
        return found
