"""Simulated devices behind the ports: what the rest of the program can know of the simulated world.

The antenna readers are in `sim.antennas`, what hangs on the outputs and inputs in `sim.mechanics`.
"""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Callable

from tablectl.base.clock import Clock
from tablectl.base.reports import KeyPressed, LanePassed, RefereeActed
from tablectl.sim.feed import Feed

BACKEND = "simulated"


class SimDevice:
    """What all simulated devices have: a name, and a cable that can be pulled (`plugged`)."""

    backend = BACKEND

    def __init__(self, name: str) -> None:
        self.name = name
        self.plugged = True

    async def open(self) -> None:
        """A simulated device is always there."""

    async def close(self) -> None:
        """Nothing to release."""


class SimOutput(SimDevice):
    """A switched motor or lamp. ``connect`` hangs a consequence on it."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.on = False
        self._consequences: list[Callable[[bool], None]] = []

    def connect(self, consequence: Callable[[bool], None]) -> None:
        self._consequences.append(consequence)

    async def set(self, on: bool) -> None:
        if on != self.on:
            self.on = on
            for consequence in self._consequences:
                consequence(on)


class SimInput(SimDevice):
    """A sensor or key. Physics calls `drive`; a blind or stuck sensor (`stuck_at`) keeps its level whatever happens."""

    def __init__(self, name: str, clock: Clock) -> None:
        super().__init__(name)
        self._clock = clock
        self._true = False
        self._stuck_at: bool | None = None
        self._edges: Feed[tuple[float, bool]] = Feed()

    @property
    def level(self) -> bool:
        """The level the device reports."""
        return self._true if self._stuck_at is None else self._stuck_at

    def drive(self, level: bool) -> None:
        self._change(level, self._stuck_at)

    @property
    def stuck_at(self) -> bool | None:
        return self._stuck_at

    @stuck_at.setter
    def stuck_at(self, level: bool | None) -> None:
        self._change(self._true, level)

    def _change(self, true: bool, stuck_at: bool | None) -> None:
        before = self.level
        self._true, self._stuck_at = true, stuck_at
        if self.level != before:
            self._edges.put((self._clock.now(), self.level))

    async def read(self) -> bool:
        return self.level

    def edges(self) -> AsyncIterator[tuple[float, bool]]:
        return self._edges.items()


class SimLane(SimDevice):
    """The reader beside one side's stacking head."""

    def __init__(self, side: int, clock: Clock) -> None:
        super().__init__(f"lane.{side}")
        self.side = side
        self._clock = clock
        self._passages: Feed[LanePassed] = Feed()

    def see(self, tag: str) -> None:
        """A tile passes."""
        if self.plugged:
            self._passages.put(LanePassed(self._clock.now(), self.side, tag))

    def passages(self) -> AsyncIterator[LanePassed]:
        return self._passages.items()


class SimKeys(SimDevice):
    """The key pads of the four seats: ``async for pressed in keys``."""

    def __init__(self, clock: Clock) -> None:
        super().__init__("keys")
        self._clock = clock
        self._pressed: Feed[KeyPressed] = Feed()

    def press(self, seat: int, key: str, n: int | None = None) -> None:
        self._pressed.put(KeyPressed(self._clock.now(), key, seat, n))

    def __aiter__(self) -> AsyncIterator[KeyPressed]:
        return self._pressed.items()


class SimReferee(SimDevice):
    """The console of the simulated referee: ``async for act in referee``."""

    def __init__(self, clock: Clock) -> None:
        super().__init__("referee")
        self._clock = clock
        self._acts: Feed[RefereeActed] = Feed()

    def act(self, **act: object) -> None:
        self._acts.put(RefereeActed(self._clock.now(), act))

    def __aiter__(self) -> AsyncIterator[RefereeActed]:
        return self._acts.items()


class SimDice(SimDevice):
    """Two dice under the dome's glass: they roll for ``roll_s`` seconds, people see them come to rest."""

    def __init__(self, rng: random.Random, clock: Clock, roll_s: float = 1.3) -> None:
        super().__init__("dice")
        self._rng = rng
        self._clock = clock
        self._roll_s = roll_s
        self._watching: list[Callable[[tuple[int, ...]], None]] = []

    def connect(self, watching: Callable[[tuple[int, ...]], None]) -> None:
        """Somebody at the table who sees the dice come to rest."""
        self._watching.append(watching)

    async def roll(self) -> tuple[int, ...]:
        await self._clock.sleep(self._roll_s * self._rng.uniform(0.8, 1.2))
        dice = (self._rng.randint(1, 6), self._rng.randint(1, 6))
        for see in self._watching:
            see(dice)
        return dice
