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

from tablectl.base.bus import Bus
from tablectl.base.clock import LoopClock
from tablectl.base.faults import FaultLatch, FaultRaised
from tablectl.core.wired import Copper
from tablectl.drivers.hardware import HardwareTable
from tablectl.drivers.hardware_deadman import TurnPulse
from tablectl.drivers.hardware_files import Wiring, load_wiring
from tablectl.machine.cycle import Machine
from tablectl.machine.description import MachineSpec, load_machine
from tablectl.rules.registry import load
from tablectl.sim.backend import SimSettings, SimTable
from tablectl.sim.devices import SimInput
from tablectl.sim.display import MemorySound
from tablectl.sim.wire.header import FakeGPIO, Header
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


@asynccontextmanager
async def hardware(
    model: str = "reference-4port", poll_ms: Mapping[str, int] | None = None, seed: int = 1
) -> AsyncIterator[HardwareRig]:
    """A table of ``model``, not opened yet."""
    clock = LoopClock()
    spec, wiring = load_model(model)
    sim = SimTable(SimSettings(), load("competition"), seed, clock)
    copper = Copper(wiring, sim, clock, spec.joined_inputs())
    polls = {"motion": 50, "keys": 200} | dict(poll_ms or {})
    buses = {
        name: bus.model_copy(update={"port": await copper.lines[name].open(), "poll_ms": polls[name]})
        for name, bus in wiring.file.buses.items()
    }
    file = wiring.file.model_copy(update={"buses": buses, "digits": None, "panel": None})
    wiring = replace(wiring, file=file, readers=())
    safe = {name: output.safe for name, output in spec.output_names()}
    module = FakeGPIO(copper.header)
    table: HardwareTable[Any] = HardwareTable(wiring, safe, sim.sets, {}, MemorySound(), clock, module, TurnPulse)
    bus = Bus()
    faults = FaultLatch(bus, clock)
    rig = HardwareRig(table, spec, sim, copper.header, copper.lines, copper.contacts, bus, faults)
    bus.subscribe(FaultRaised, partial(_raised, rig))
    table.watch(bus, faults)
    try:
        yield rig
    finally:
        await table.close()
        await faults.settled()
        await asyncio.gather(*(line.close() for line in copper.lines.values()))
        copper.contactor.release()


def _raised(rig: HardwareRig, event: FaultRaised) -> None:
    fault = event.fault
    rig.raised.append((fault.code, fault.where, fault.detail))
