"""A simulated table with the machine's controller, for tests: what the program does with keys and dice, in short."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from pathlib import Path
from typing import Any, Self

from tablectl.base.bus import Bus
from tablectl.base.clock import LoopClock
from tablectl.base.faults import FaultLatch, FaultRaised
from tablectl.base.reports import LanePassed, MachineReported, ZoneRead
from tablectl.machine.cycle import Machine
from tablectl.machine.description import MachineSpec, load_machine
from tablectl.machine.shuffling import Retried
from tablectl.machine.states import State
from tablectl.machine.status import KeyIgnored, MachineStatus
from tablectl.machine.upkeep import UpkeepChanged
from tablectl.rules.registry import load
from tablectl.sim.backend import SimSettings, SimTable

ROOT = Path(__file__).parents[1]
MACHINE = ROOT / "hardware" / "reference-4port" / "machine.yaml"


class Rig:
    """``async with Rig(seed=3) as rig:`` — the machine runs; ``await rig.play()`` lets the people play."""

    def __init__(
        self,
        seed: int = 1,
        spec: MachineSpec | None = None,
        rules: str = "competition",
        degraded: bool = True,
        kept: Mapping[str, Any] | None = None,
        **settings: Any,
    ) -> None:
        self.clock = LoopClock()
        self.bus = Bus()
        self.faults = FaultLatch(self.bus, self.clock)
        self.rules = load(rules)
        self.sim = SimTable(SimSettings(**settings), self.rules, seed, self.clock)
        self.spec = spec or load_machine(MACHINE)
        self.degraded = degraded
        #: what the machine wants to be kept over a restart
        self.kept = kept
        self.bus.subscribe(UpkeepChanged, lambda changed: setattr(self, "kept", changed.kept))
        self.sim.watch(self.bus, self.faults)
        self.machine = self.new_machine()
        self.states: list[tuple[float, State]] = []
        self.points: list[tuple[float, str]] = []
        self.raised: list[tuple[str, str]] = []
        self.ignored: list[str] = []
        self.retried: list[Retried] = []
        self.passages: list[LanePassed] = []
        self.rounds: list[tuple[ZoneRead, ...]] = []
        #: (name, on, off) of every time an output was on
        self.runs: list[tuple[str, float, float]] = []
        self._on_since: dict[str, float] = {}
        self._tasks: list[asyncio.Task[None]] = []

    def new_machine(self) -> Machine:
        """A controller on the same devices, as after a restart of the program."""
        sim = self.sim
        sets = {name: {tag: tile.code for tag, tile in tags.items()} for name, tags in sim.sets.items()}
        ports = (self.spec, sim.outputs, sim.inputs, self.rules.stacks, self.bus, self.faults, self.clock)
        return Machine(*ports, sets=sets, kept=self.kept, degraded=self.degraded)

    async def __aenter__(self) -> Self:
        self.bus.subscribe(MachineStatus, self._status)
        self.bus.subscribe(MachineReported, lambda report: self.points.append((report.t, report.machine)))
        self.bus.subscribe(FaultRaised, lambda raised: self.raised.append((raised.fault.code, raised.fault.where)))
        self.bus.subscribe(Retried, self.retried.append)
        self.bus.subscribe(KeyIgnored, lambda ignored: self.ignored.append(ignored.why))
        for name, output in self.sim.outputs.items():
            output.connect(lambda on, name=name: self._switched(name, on))
        self._spawn(self._keys())
        for lane in self.sim.lanes:
            self._spawn(self._lane(lane.passages()))
        await self.machine.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.sim.stop()
        await self.machine.close()
        await self.faults.settled()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _spawn(self, doing: Coroutine[Any, Any, None]) -> None:
        self._tasks.append(asyncio.create_task(doing))

    def read_zones(self) -> None:
        """Keep every round of every reader in ``rounds``."""
        for reader in self.sim.readers:
            self._spawn(self._reader(reader))

    async def _reader(self, reader: Any) -> None:
        async for batch in reader.inventories():
            self.rounds.append(batch)

    async def _keys(self) -> None:
        async for pressed in self.sim.keys:
            if pressed.key == "dice":
                self._spawn(self._roll())

    async def _roll(self) -> None:
        await self.sim.dice.roll()

    async def _lane(self, passages: Any) -> None:
        async for passage in passages:
            self.passages.append(passage)
            self.bus.publish(passage)

    def _status(self, status: MachineStatus) -> None:
        if not self.states or self.states[-1][1] is not status.state:
            self.states.append((status.t, status.state))

    def _switched(self, name: str, on: bool) -> None:
        if on:
            self._on_since[name] = self.clock.now()
        else:
            self.runs.append((name, self._on_since.pop(name), self.clock.now()))

    # --- what tests say

    async def advance(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def until(self, state: State, seconds: float = 200.0) -> float:
        """Wait for a state; how long it took. AssertionError where it does not come."""
        begin = self.clock.now()
        while self.machine.state is not state:
            assert self.clock.now() - begin < seconds, f"{state} did not come: {self.states[-3:]} {self.raised}"
            await asyncio.sleep(0.05)
        return self.clock.now() - begin

    async def press(self) -> None:
        """One lift key, and the moment in which the other might have followed."""
        await self.sim.press_lift()
        await asyncio.sleep(0.3)

    def push_in(self) -> None:
        """Everything that lies on the table goes into the opening."""
        for tag in self.sim.world.on_table():
            self.sim.world.move(tag, "drum")

    async def cycle(self) -> None:
        """From ready to raised walls."""
        await self.until(State.READY)
        await self.press()
        await self.until(State.COLLECTING)
        self.push_in()
        await self.press()
        await self.until(State.SHUFFLING)

    async def play(self) -> None:
        """The people play their hands."""
        await self.sim.run()

    async def mend(self) -> None:
        """A technician clears all faults and starts the machine again."""
        await self.faults.settled()
        for code in {fault.code for fault in self.faults.active}:
            self.faults.clear(code, by="technician")
        self.machine.resume()

    def assert_all_off(self) -> None:
        on = [name for name, output in self.sim.outputs.items() if output.on]
        assert not on, f"still on: {on}"
