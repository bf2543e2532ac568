"""A whole table whose devices are the real drivers. Behind them are a header of copper, emulated boards on pseudo
terminals, and the simulated mechanics: only the wires are imitated.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from fake_gpio import FakeGPIO, Header

from tablectl.base.bus import Bus
from tablectl.base.clock import LoopClock
from tablectl.base.faults import FaultLatch, FaultRaised
from tablectl.drivers.hardware import HardwareTable
from tablectl.drivers.hardware_files import Wiring, load_wiring
from tablectl.drivers.hardware_pins import GPIO, Pin
from tablectl.machine.cycle import Machine
from tablectl.machine.description import MachineSpec, load_machine
from tablectl.rules.registry import load
from tablectl.sim.backend import SimSettings, SimTable
from tablectl.sim.devices import SimInput, SimOutput
from tablectl.sim.display import MemorySound
from tablectl.sim.wire.modbus_board import EmulatedBoard, ModbusLine

HARDWARE = Path(__file__).parents[1] / "hardware"


def load_model(model: str) -> tuple[MachineSpec, Wiring]:
    machine = load_machine(HARDWARE / model / "machine.yaml")
    wiring = load_wiring(HARDWARE / model, [name for name, _ in machine.output_names()], list(machine.input_names()))
    return machine, wiring


@dataclass
class HardwareRig:
    """``table``: the backend under test; ``sim``: what it moves; ``lines``: its buses; ``header``: its pins."""

    table: HardwareTable[Any]
    spec: MachineSpec
    sim: SimTable
    header: Header
    lines: Mapping[str, ModbusLine]
    contacts: Mapping[str, SimInput]
    bus: Bus
    faults: FaultLatch
    raised: list[tuple[str, str, str]] = field(default_factory=list)

    def machine(self) -> Machine:
        rules = load("competition")
        ports = self.table
        return Machine(self.spec, ports.outputs, ports.inputs, rules.stacks, self.bus, self.faults, self.table._clock)

    def board(self, name: str) -> EmulatedBoard:
        board = self.table.wiring.file.boards[name]
        return self.lines[board.bus].boards[board.unit]


class Wires:
    """Connects the names of a wiring with what is behind them."""

    def __init__(self, wiring: Wiring, sim: SimTable, clock: LoopClock) -> None:
        self.header = Header()
        self.clock = clock
        self.contacts: dict[str, SimInput] = {}
        self._sim = sim
        boards = wiring.file.boards
        self.outputs: dict[str, list[SimOutput | None]] = {}
        self.inputs: dict[str, list[SimInput | None]] = {}
        for name in boards:
            kind = wiring.type_of(name)
            self.outputs[name] = [None] * (kind.outputs.count if kind.outputs else 0)
            self.inputs[name] = [None] * (kind.inputs.count if kind.inputs else 0)
        for _, kind, name, pin in wiring.pins():
            (self._load if kind == "output" else self._sensor)(name, pin)
        self.lines = {
            bus: ModbusLine(
                {b.unit: EmulatedBoard(self.outputs[n], self.inputs[n]) for n, b in boards.items() if b.bus == bus},
                clock,
            )
            for bus in wiring.file.buses
        }

    def _load(self, name: str, pin: Pin) -> None:
        """A motor; of a name that stands for four, all four."""
        loads = [output for full, output in self._sim.outputs.items() if name in (full, full.partition(".")[0])]
        if not loads:
            return
        if pin.chip != GPIO:
            self.outputs[pin.chip][pin.number] = loads[0]
            return

        def switch(level: bool) -> None:
            for motor in loads:
                waits = list(motor.set(pin.level(level)).__await__())
                assert not waits  # a simulated motor never does

        self.header.loads[pin.number] = switch

    def _sensor(self, name: str, pin: Pin) -> None:
        sensors = [port for full, port in self._sim.inputs.items() if name in (full, full.partition(".")[0])]
        if not sensors:  # a key, a contact that the simulated table does not have
            sensors = [self.contacts.setdefault(name, SimInput(name, self.clock))]
        if pin.chip != GPIO:
            self.inputs[pin.chip][pin.number] = sensors[0]
            return
        self._sensors_on_header(sensors, pin)

    def _sensors_on_header(self, sensors: list[SimInput], pin: Pin) -> None:
        """In series: on while all of them are, as the wirings of groups have it; those in parallel differ only while
        some are on."""

        def follow() -> None:
            self.header.drive(pin.number, pin.level(all(sensor.level for sensor in sensors)))

        for sensor in sensors:
            change = sensor._change

            def changed(true: bool, stuck_at: bool | None, change: Any = change) -> None:
                change(true, stuck_at)
                follow()

            sensor._change = changed  # type: ignore[method-assign]
        follow()


@asynccontextmanager
async def hardware(
    model: str = "reference-4port", poll_ms: Mapping[str, int] | None = None, seed: int = 1
) -> AsyncIterator[HardwareRig]:
    """A table of ``model``, not opened yet."""
    clock = LoopClock()
    spec, wiring = load_model(model)
    sim = SimTable(SimSettings(), load("competition"), seed, clock)
    wires = Wires(wiring, sim, clock)
    polls = {"motion": 50, "keys": 200} | dict(poll_ms or {})
    buses = {
        name: bus.model_copy(update={"port": await wires.lines[name].open(), "poll_ms": polls[name]})
        for name, bus in wiring.file.buses.items()
    }
    file = wiring.file.model_copy(update={"buses": buses, "digits": None, "panel": None})
    wiring = replace(wiring, file=file, readers=())
    safe = {name: output.safe for name, output in spec.output_names()}
    module = FakeGPIO(wires.header)
    table: HardwareTable[Any] = HardwareTable(wiring, safe, sim.sets, {}, MemorySound(), clock, module)
    bus = Bus()
    faults = FaultLatch(bus, clock)
    rig = HardwareRig(table, spec, sim, wires.header, wires.lines, wires.contacts, bus, faults)
    bus.subscribe(FaultRaised, partial(_raised, rig))
    table.watch(bus, faults)
    try:
        yield rig
    finally:
        await table.close()
        await faults.settled()
        await asyncio.gather(*(line.close() for line in wires.lines.values()))


def _raised(rig: HardwareRig, event: FaultRaised) -> None:
    fault = event.fault
    rig.raised.append((fault.code, fault.where, fault.detail))
