"""Simulated devices behind the ports: what the rest of the program can know of the simulated world.

The antenna readers are in `sim.antennas`, what hangs on the outputs and inputs in `sim.mechanics`.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Sequence

from tablectl.base.clock import Clock
from tablectl.base.faults import DeviceError
from tablectl.base.reports import KeyPressed, LanePassed, RefereeActed
from tablectl.sim.feed import Feed

BACKEND = "simulated"


class SimDevice:
    """What all simulated devices have: a name, and a cable that can be pulled (`plugged`)."""

    backend = BACKEND

    def __init__(self, name: str) -> None:
        self.name = name
        self.plugged = True

    def unplug(self) -> None:
        """Its cable is pulled out."""
        self.plugged = False

    def plug(self) -> None:
        """Its cable is in again."""
        self.plugged = True

    async def open(self) -> None:
        """A simulated device is always there."""

    async def close(self) -> None:
        """Nothing to release."""


class Supply:
    """The current of all motors. It is there while nothing cuts it: the emergency stop, a fuse, the contactor."""

    def __init__(self) -> None:
        #: what cuts it now
        self.cuts: set[str] = set()
        self._told: list[Callable[[], None]] = []

    @property
    def on(self) -> bool:
        return not self.cuts

    def connect(self, changed: Callable[[], None]) -> None:
        self._told.append(changed)

    def cut(self, by: str) -> None:
        self.cuts.add(by)
        self._tell()

    def restore(self, by: str) -> None:
        self.cuts.discard(by)
        self._tell()

    def _tell(self) -> None:
        for changed in self._told:
            changed()


class SimOutput(SimDevice):
    """A switched motor or lamp. ``on``: what it was told; ``runs``: it has current too. ``connect`` hangs a consequence
    on that."""

    def __init__(self, name: str, supply: Supply | None = None) -> None:
        super().__init__(name)
        self.on = False
        self._supply = supply
        self._runs = False
        self._consequences: list[Callable[[bool], None]] = []
        if supply is not None:
            supply.connect(self._update)

    @property
    def runs(self) -> bool:
        return self.on and (self._supply is None or self._supply.on)

    def connect(self, consequence: Callable[[bool], None]) -> None:
        self._consequences.append(consequence)

    async def set(self, on: bool) -> None:
        """Raises DeviceError: the board it is on does not answer. Its contactor drops all the same (dead-man line)."""
        if not self.plugged:
            self.on = False
            self._update()
            raise DeviceError(self.name, "", "does not answer", "an answer", "Check its board, then clear the fault.")
        self.switch(on)

    def switch(self, on: bool) -> None:
        """As a wire does it."""
        self.on = on
        self._update()

    def _update(self) -> None:
        if self.runs != self._runs:
            self._runs = self.runs
            for consequence in self._consequences:
                consequence(self._runs)


class SimInput(SimDevice):
    """A sensor or key. Physics calls `drive`; a blind or stuck sensor (`stuck_at`) keeps its level whatever happens.

    As a port it is debounced. What a wire sees is ``contact``, which flickers for ``bounce_s`` seconds (drawn from
    ``rng``) at every change; `wire` tells of all its changes.
    """

    def __init__(self, name: str, clock: Clock, bounce_s: float = 0.0, rng: random.Random | None = None) -> None:
        super().__init__(name)
        self.contact = False
        self._clock = clock
        self._bounce_s = bounce_s
        self._rng = rng
        self._true = False
        self._stuck_at: bool | None = None
        self._edges: Feed[tuple[float, bool]] = Feed()
        self._wires: list[Callable[[bool], None]] = []

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

    def wire(self, changed: Callable[[bool], None]) -> None:
        """Call ``changed(level)`` at every change of the bare contact."""
        self._wires.append(changed)

    def _change(self, true: bool, stuck_at: bool | None) -> None:
        before = self.level
        self._true, self._stuck_at = true, stuck_at
        if self.level != before:
            self._edges.put((self._clock.now(), self.level))
            self._touch(self.level)
            if self._bounce_s and self._wires and self._rng is not None:
                self._bounce(self._rng)

    def _bounce(self, rng: random.Random) -> None:
        """Off and on again a few times; it ends at the level it has then."""
        loop = asyncio.get_running_loop()
        flickers = sorted(rng.uniform(0, self._bounce_s) for _ in range(2 * rng.randint(1, 3)))
        for number, after in enumerate(flickers):
            loop.call_later(after, lambda odd=number % 2 == 0: self._touch(self.level != odd))  # type: ignore[misc]

    def _touch(self, level: bool) -> None:
        if level != self.contact:
            self.contact = level
            for changed in self._wires:
                changed(level)

    async def read(self) -> bool:
        return self.level

    def edges(self) -> AsyncIterator[tuple[float, bool]]:
        return self._edges.items()


class SimLane(SimDevice):
    """The reader beside one side's stacking head."""

    def __init__(self, side: int, clock: Clock) -> None:
        super().__init__(f"lane.{side}")
        self.side = side
        #: tags whose chip is damaged: they never answer
        self.dead_tags: set[str] = set()
        #: somebody else who sees them pass: an emulated antenna
        self.seen: Callable[[str], None] = lambda tag: None
        #: the tags that are read when one passes, in order
        self.errors: Callable[[str], Sequence[str]] = lambda tag: (tag,)
        self._clock = clock
        self._passages: Feed[LanePassed] = Feed()

    def see(self, tag: str) -> None:
        """A tile passes."""
        if tag in self.dead_tags:
            return
        self.seen(tag)
        if self.plugged:
            for read in self.errors(tag):
                self._passages.put(LanePassed(self._clock.now(), self.side, read))

    def passages(self) -> AsyncIterator[LanePassed]:
        return self._passages.items()


class SimKeys(SimDevice):
    """The key pads of the four seats: ``async for pressed in keys``."""

    def __init__(self, clock: Clock) -> None:
        super().__init__("keys")
        self._clock = clock
        self._pressed: Feed[KeyPressed] = Feed(repeated=True)
        #: what becomes of a press: ``slips(seat, key, put)`` calls ``put(seat)`` for every press that is one
        self.slips: Callable[[int, str, Callable[[int], None]], None] = lambda seat, key, put: put(seat)
        #: contacts that are closed instead, where the pads are on wires
        self._contacts: Callable[[int, str], object] | None = None

    def wire(self, close: Callable[[int, str], object]) -> None:
        """Every press closes a contact (``close(seat, key)``); nobody hears of it here."""
        self._contacts = close

    def press(self, seat: int, key: str, n: int | None = None) -> None:
        self.slips(seat, key, lambda pad: self.touch(pad, key, n))

    def touch(self, seat: int, key: str, n: int | None = None) -> None:
        """The contact of a key closes, whatever somebody meant to press."""
        if self._contacts is not None:
            self._contacts(seat, key)
        else:
            self._pressed.put(KeyPressed(self._clock.now(), key, seat, n))

    def __aiter__(self) -> AsyncIterator[KeyPressed]:
        return self._pressed.items()


class SimReferee(SimDevice):
    """The console of the simulated referee: ``async for act in referee``."""

    def __init__(self, clock: Clock) -> None:
        super().__init__("referee")
        self._clock = clock
        self._acts: Feed[RefereeActed] = Feed(repeated=True)

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
        self.show(dice)
        return dice

    def show(self, dice: tuple[int, ...]) -> None:
        """Dice come to rest before everybody's eyes: these, or those of a real table."""
        for see in self._watching:
            see(dice)
