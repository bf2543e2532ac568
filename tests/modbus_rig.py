"""A bus of the driver against emulated boards, in virtual time."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tablectl.base.clock import LoopClock
from tablectl.base.faults import DeviceError
from tablectl.drivers.hardware_files import load_boards
from tablectl.drivers.hardware_wiring import BoardType, Bus
from tablectl.drivers.modbus import ModbusBus
from tablectl.drivers.modbus_devices import ModbusBoard
from tablectl.sim.devices import SimInput, SimOutput
from tablectl.sim.wire.modbus_board import EmulatedBoard, ModbusLine

BOARDS = load_boards(Path(__file__).parents[1] / "hardware" / "boards")
IO = BOARDS["waveshare-io-8ch"]
RELAYS = BOARDS["waveshare-relay-8ch"]


@dataclass
class Rig:
    """``line`` emulates what ``bus`` drives; ``reports``: what the bus said of its boards."""

    line: ModbusLine
    bus: ModbusBus
    motors: list[SimOutput]
    sensors: list[SimInput]
    reports: list[tuple[str, DeviceError | None]] = field(default_factory=list)

    @property
    def board(self) -> ModbusBoard:
        return self.bus.boards[0]

    @property
    def emulated(self) -> EmulatedBoard:
        return self.line.boards[1]

    def written(self) -> list[bytes]:
        """The requests that switched something."""
        return [frame for frame in self.line.requests if frame[1] in (5, 15)]


@asynccontextmanager
async def rig(kind: BoardType = IO, count: int = 8, **settings: Any) -> AsyncIterator[Rig]:
    """A bus with one board of ``kind`` at address 1, not opened yet."""
    clock = LoopClock()
    motors = [SimOutput(f"motor {n}") for n in range(count)]
    sensors = [SimInput(f"sensor {n}", clock) for n in range(count)]
    line = ModbusLine({1: EmulatedBoard(motors, sensors)}, clock)
    port = await line.open()
    reports: list[tuple[str, DeviceError | None]] = []
    bus = ModbusBus("motion", Bus(port=port, **settings), clock, lambda name, error: reports.append((name, error)))
    bus.board("io", 1, kind)
    made = Rig(line, bus, motors, sensors, reports)
    try:
        yield made
    finally:
        await bus.close()
        await line.close()
