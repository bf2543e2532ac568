"""The simulated table behind real wires: its motors and sensors hang on an imitated header and on emulated I/O boards,
its antennas on emulated readers, and the program reaches all of them through the drivers of a real table.

Pseudo terminals stand for the serial lines, so every byte of every protocol is spoken. Only copper is imitated.
"""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tablectl.base.bus import Bus
from tablectl.base.clock import Clock
from tablectl.base.faults import FaultLatch
from tablectl.drivers.hardware import HardwareTable
from tablectl.drivers.hardware_deadman import PATIENCE_S, TurnPulse
from tablectl.drivers.hardware_files import Wiring
from tablectl.drivers.hardware_pins import GPIO, Pin
from tablectl.drivers.readers.config import ReaderSection
from tablectl.ports import CommittedDice, Dice, Reveal
from tablectl.sim.backend import SimTable
from tablectl.sim.devices import SimInput, SimOutput
from tablectl.sim.wire.emulator import Emulator
from tablectl.sim.wire.field import LaneField, WorldField
from tablectl.sim.wire.header import FakeGPIO, Header
from tablectl.sim.wire.line import PtyLine
from tablectl.sim.wire.modbus_board import EmulatedBoard, ModbusLine
from tablectl.sim.wire.registry import EMULATORS
from tablectl.tiles.tile import Tile

#: seconds a key of a pad is held
PRESS_S = 0.12


class Contact:
    """A bare contact, as a board sees it: it bounces."""

    def __init__(self, sensor: SimInput) -> None:
        self._sensor = sensor

    @property
    def level(self) -> bool:
        return self._sensor.contact


class Contactor:
    """K1 in the supply of the motors: it holds while the dead-man line toggles, or would (`TurnPulse`)."""

    def __init__(self, sim: SimTable, drops_after_s: float) -> None:
        self._supply = sim.machinery.supply
        self._drops_after_s = drops_after_s
        self._timer: asyncio.TimerHandle | None = None
        self._drop()

    def toggled(self, _level: bool) -> None:
        self.release()
        self._supply.restore("dead-man line")
        self._timer = asyncio.get_running_loop().call_later(self._drops_after_s, self._drop)

    def _drop(self) -> None:
        self._supply.cut("dead-man line")

    def release(self) -> None:
        """No timer is left."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class Copper:
    """Connects the names of a wiring with motors, sensors, keys and contacts of a simulated table.

    ``joined``: groups of sensors on one pin, ``all`` for those in series (as where nothing is said), ``any`` for those
    in parallel.
    """

    def __init__(
        self, wiring: Wiring, sim: SimTable, clock: Clock, joined: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        self.header = Header()
        self._joined = joined
        self.contactor = Contactor(sim, PATIENCE_S + wiring.file.deadman.drops_after_ms / 1e3)
        #: keys of the pads and other contacts that no mechanism moves, by the name of their wire
        self.contacts: dict[str, SimInput] = {"emergency_stop": sim.emergency}
        self._sim = sim
        self._clock = clock
        boards = wiring.file.boards
        self._outputs: dict[str, list[SimOutput | None]] = {}
        self._inputs: dict[str, list[Contact | None]] = {}
        for name in boards:
            kind = wiring.type_of(name)
            self._outputs[name] = [None] * (kind.outputs.count if kind.outputs else 0)
            self._inputs[name] = [None] * (kind.inputs.count if kind.inputs else 0)
        for _, kind_of_wire, name, pin in wiring.pins():
            (self._load if kind_of_wire == "output" else self._sensor)(name, pin)
        self.lines = {
            bus: ModbusLine(
                {b.unit: EmulatedBoard(self._outputs[n], self._inputs[n]) for n, b in boards.items() if b.bus == bus},
                clock,
            )
            for bus in wiring.file.buses
        }
        self._keys = {(key.seat, key.key): f"key {key.key} of seat {key.seat}" for key in wiring.file.keys}
        sim.keys.wire(self._press)

    def _load(self, name: str, pin: Pin) -> None:
        """A motor; of a name that stands for four, all four."""
        if name == "deadman":
            self.header.loads[pin.number] = self.contactor.toggled
            return
        loads = [output for full, output in self._sim.outputs.items() if name in (full, full.partition(".")[0])]
        if not loads:
            return
        if pin.chip != GPIO:
            self._outputs[pin.chip][pin.number] = loads[0]
            return

        def switch(level: bool) -> None:
            for motor in loads:
                motor.switch(pin.level(level))

        self.header.loads[pin.number] = switch
        if name == "head_motor":
            self._sim.machinery.one_shaft_for_heads()
        elif name == "tray_motor":
            self._sim.machinery.one_linkage_for_trays()

    def _sensor(self, name: str, pin: Pin) -> None:
        sensors = [port for full, port in self._sim.inputs.items() if name in (full, full.partition(".")[0])]
        if not sensors:
            sensors = [self.contacts.setdefault(name, SimInput(name, self._clock))]
        if pin.chip != GPIO:
            self._inputs[pin.chip][pin.number] = Contact(sensors[0])
            return

        join = any if self._joined.get(name) == "any" else all

        def follow(_level: bool) -> None:
            self.header.drive(pin.number, pin.level(join(sensor.contact for sensor in sensors)))

        for sensor in sensors:
            sensor.wire(follow)
        follow(False)

    def _press(self, seat: int, key: str) -> None:
        """A key of a pad; one that this table does not have cannot be pressed."""
        name = self._keys.get((seat, key))
        if name is not None:
            contact = self.contacts[name]
            contact.drive(True)
            asyncio.get_running_loop().call_later(PRESS_S, contact.drive, False)


class Plug:
    """The cable of an emulated reader."""

    def __init__(self, emulator: Emulator) -> None:
        self._emulator = emulator
        self._plugging: set[asyncio.Task[None]] = set()

    def unplug(self) -> None:
        self._emulator.unplug()

    def plug(self) -> None:
        task = asyncio.get_running_loop().create_task(self._emulator.plug())
        self._plugging.add(task)
        task.add_done_callback(self._plugging.discard)


class SeenDice:
    """The dice of the program, which the people at the table see come to rest."""

    def __init__(self, dice: CommittedDice, sim: SimTable) -> None:
        self.name = dice.name
        self.backend = dice.backend
        self._dice = dice
        self._sim = sim

    async def open(self) -> None:
        """They are opened with the table."""

    async def close(self) -> None:
        """They are closed with the table."""

    async def roll(self) -> tuple[int, ...]:
        dice = await self._dice.roll()
        self._sim.dice.show(dice)
        return dice

    @property
    def commitment(self) -> str:
        return self._dice.commitment

    def reveal(self) -> Reveal:
        return self._dice.reveal()


class WiredTable:
    """Satisfies `core.backend.Backend`: the ports are those of a real table, people and tiles those of ``sim``.

    ``wiring``, ``safe``: as of `drivers.hardware.HardwareTable`; ``joined``: as of `Copper`.
    """

    name = SimTable.name
    resumes = False

    def __init__(
        self, sim: SimTable, wiring: Wiring, safe: Mapping[str, bool], clock: Clock, joined: Mapping[str, str]
    ) -> None:
        self.sim = sim
        self.sets = sim.sets
        self.tags: Mapping[str, Tile] = sim.tags
        self.referee = sim.referee
        self.displays = sim.displays
        self.sound = sim.sound
        self._clock = clock
        self._folder = tempfile.TemporaryDirectory(prefix="tablectl-wires-")
        self.copper = Copper(wiring, sim, clock, joined)
        self.emulators: dict[str, Emulator] = {}
        readers = [self._emulate(section) for section in wiring.readers]
        folder = Path(self._folder.name)
        buses = {
            name: bus.model_copy(update={"port": str(folder / f"bus-{name}")})
            for name, bus in wiring.file.buses.items()
        }
        file = wiring.file.model_copy(update={"buses": buses, "digits": None, "panel": None})
        module = FakeGPIO(self.copper.header)
        self.hardware: HardwareTable[Tile] = HardwareTable(
            replace(wiring, file=file, readers=readers),
            safe,
            sim.sets,
            sim.displays,
            sim.sound,
            clock,
            module,
            TurnPulse,
        )
        self.readers = self.hardware.readers
        self.lanes = self.hardware.lanes
        self.outputs = self.hardware.outputs
        self.inputs = self.hardware.inputs
        self.keys = self.hardware.keys
        dice = self.hardware.dice
        self.dice: Dice = SeenDice(dice, sim) if isinstance(dice, CommittedDice) else dice

    def _emulate(self, section: ReaderSection) -> ReaderSection:
        """An emulated reader for a section of the antenna plan; the section with the port of that one."""
        name = section.name or f"lane.{section.lane}"
        line = PtyLine(Path(self._folder.name) / name)
        if section.lane is None:
            field: Any = WorldField(self.sim.world, section.antennas, self.sim.readers[0].dead_tags)
        else:
            field = LaneField(section.lane, self._clock)
            self.sim.lanes[section.lane].seen = field.see
        emulator = EMULATORS[section.driver](line, field, section.lane is not None)
        self.emulators[name] = emulator
        return section.model_copy(update={"port": line.port})

    # --- life

    def watch(self, bus: Bus, faults: FaultLatch) -> None:
        self.hardware.watch(bus, faults)

    def pausing(self) -> contextlib.AbstractContextManager[None]:
        return self.hardware.pausing()

    async def open(self) -> None:
        """Plug everything in, then open the devices as a real table does. Raises DeviceError."""
        for name, emulator in self.emulators.items():
            await emulator.plug()
            self.sim.cables[name] = Plug(emulator)
        self.sim.cables.pop("zones", None)
        for name, line in self.copper.lines.items():
            (Path(self._folder.name) / f"bus-{name}").symlink_to(await line.open())
        await self.hardware.open()

    async def close(self) -> None:
        await self.hardware.close()
        for emulator in self.emulators.values():
            emulator.unplug()
        for line in self.copper.lines.values():
            await line.close()
        self.copper.contactor.release()
        with contextlib.suppress(OSError):
            self._folder.cleanup()

    async def start(self) -> None:
        await self.sim.start()

    async def stop(self) -> None:
        await self.sim.stop()
