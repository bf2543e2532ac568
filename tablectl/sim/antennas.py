"""The antenna zones: what a reader reports of the tiles that lie above its antennas.

A reader visits its zones one after another, and each inventory shows the zone as it was at its own time. How antennas
err is the business of `sim.reading`.
"""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Sequence

from tablectl.base.clock import Clock
from tablectl.base.reports import ZoneRead
from tablectl.sim.devices import SimDevice
from tablectl.sim.noise import PROFILES, Antennas
from tablectl.sim.reading import Readings
from tablectl.sim.world import SEATS, ZONES, World


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
        noise: Antennas = PROFILES["clean"].antennas,
    ) -> None:
        super().__init__(name)
        self.zones = tuple(zones)
        self.period_s = period_s
        self._world = world
        self._clock = clock
        self._rng = rng
        self.readings = Readings(noise, self.zones, rng)
        self.readings.dead_tags = world.damaged

    @property
    def dead_tags(self) -> set[str]:
        """Tags whose chip is damaged: they never answer."""
        return self.readings.dead_tags

    async def inventories(self) -> AsyncIterator[tuple[ZoneRead, ...]]:
        spots = [self._world.spots[zone] for zone in self.zones]
        fingers = [self._world.spots[f"fingers.{seat}"] for seat in SEATS]
        noise = self.readings.noise
        begin = self._clock.now()
        changes, still = -1, [spot.now() for spot in spots]
        while True:
            period = self.period_s * (1 + noise.jitter * self._rng.uniform(-1, 1)) if noise.jitter else self.period_s
            step = period / len(spots)
            await self._clock.sleep(begin + period - self._clock.now())
            if self.plugged:
                times = [begin + step * n for n in range(1, len(spots) + 1)]
                seen = still
                if (now := sum([spot.changes for spot in spots])) != changes:
                    seen = [spot.at(t) if spot.past else spot.now() for spot, t in zip(spots, times, strict=True)]
                    if not any(spot.past for spot in spots):  # what changed since the last round is told
                        changes, still = now, [spot.now() for spot in spots]
                if self.readings.errs or self.dead_tags:
                    held = {seat: spot.tags for seat, spot in enumerate(fingers) if spot.tags}
                    seen = self.readings.round(times[-1], seen, held)
                if not noise.skip or self._rng.random() >= noise.skip:
                    yield tuple(map(ZoneRead, times, self.zones, seen))
            begin += period
