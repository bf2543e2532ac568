"""What hangs on a Modbus board: outputs, inputs, pulses. The line itself is in `drivers.modbus`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tablectl.base.faults import DeviceError
from tablectl.drivers.hardware_edges import EdgeFeed
from tablectl.drivers.hardware_pins import Pin
from tablectl.drivers.hardware_wiring import BoardType

if TYPE_CHECKING:
    from tablectl.drivers.modbus import ModbusBus


@dataclass
class Job:
    """Something to switch: ``level`` for an output, ``units`` of time for a pulse."""

    board: ModbusBoard
    number: int
    level: bool = False
    units: int | None = None
    done: asyncio.Future[None] = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    def end(self, error: DeviceError | None) -> None:
        """It was done, or why not."""
        if self.done.done():
            return
        if error is None:
            self.done.set_result(None)
        else:
            self.done.set_exception(error)
            self.done.exception()  # whoever asked may not wait any more


class ModbusBoard:
    """A board on a bus: makes its outputs, inputs and pulses. ``lost``: why it cannot be used now."""

    def __init__(self, bus: ModbusBus, name: str, unit: int, kind: BoardType) -> None:
        self.bus = bus
        self.name = name
        self.unit = unit
        self.kind = kind
        self.lost: DeviceError | None = None
        #: safe values of the outputs that are wired
        self.safe: dict[int, bool] = {}
        #: outputs that end their pulses by themselves
        self.pulsed: set[int] = set()
        #: what the other outputs were told last
        self.written: dict[int, bool] = {}
        self.verify_at = 0.0
        #: polls in a row without an answer, and until when it is not read
        self.failures = 0
        self.quiet_until = 0.0
        self.feeds: dict[int, _Debounced] = {}

    def output(self, name: str, pin: Pin, safe: bool = False) -> ModbusOutput:
        self.safe[pin.number] = pin.level(safe)
        return ModbusOutput(self, name, pin)

    def input(self, name: str, pin: Pin, debounce_seconds: float = 0.0) -> ModbusInput:
        feed = self.feeds[pin.number] = _Debounced(pin, debounce_seconds)
        return ModbusInput(self, name, pin, feed)

    def pulse(self, name: str, pin: Pin, longest_ms: int) -> ModbusPulse:
        self.safe[pin.number] = False
        self.pulsed.add(pin.number)
        return ModbusPulse(self, name, pin, longest_ms)

    def error(self, what: str, expected: str = "", next_step: str = "") -> DeviceError:
        return DeviceError(f"board.{self.name}", f"{self.bus.port} unit {self.unit}", what, expected, next_step)


class _Debounced(EdgeFeed):
    """A level that is read again and again; a change counts from when it was first seen, if it is still there
    ``seconds`` later."""

    def __init__(self, pin: Pin, seconds: float) -> None:
        super().__init__()
        self._pin = pin
        self._seconds = seconds
        self._since: float | None = None

    def seen(self, t: float, raw: bool) -> None:
        level = self._pin.level(raw)
        if self.level is None or level is self.level:
            self._since = None
            self.set(t, level)
        elif self._since is None and self._seconds > 0:
            self._since = t
        elif self._since is None or t - self._since >= self._seconds:
            since, self._since = self._since, None
            self.set(t if since is None else since, level)


class _ModbusDevice:
    """What outputs, inputs and pulses share. They live with their bus: opening one opens the bus."""

    backend = "modbus"

    def __init__(self, board: ModbusBoard, name: str, pin: Pin) -> None:
        self.name = name
        self.pin = pin
        self._board = board

    async def open(self) -> None:
        """Raises DeviceError: the bus or a board on it does not work."""
        await self._board.bus.open()

    async def close(self) -> None:
        await self._board.bus.close()


class ModbusOutput(_ModbusDevice):
    """Satisfies `ports.Output`: a relay or transistor of a board."""

    async def set(self, on: bool) -> None:
        """Returns when the board said that it is done. Raises DeviceError where the board is lost."""
        await self._board.bus.submit(Job(self._board, self.pin.number, self.pin.level(on)))


class ModbusPulse(_ModbusDevice):
    """Satisfies `ports.Pulse`: the board itself ends the pulse, whatever happens to this program."""

    def __init__(self, board: ModbusBoard, name: str, pin: Pin, longest_ms: int) -> None:
        super().__init__(board, name, pin)
        self._longest_ms = longest_ms

    async def fire(self, pulse_ms: int) -> None:
        """Returns when the board has begun. It is sent once: an answer that is lost is an error, not a second push.

        Raises:
            ValueError: no time that the board can keep, or longer than the coil bears.
            DeviceError: the board is lost.
        """
        kind = self._board.kind.pulses
        assert kind is not None
        if not kind.unit_ms <= pulse_ms <= self._longest_ms:
            raise ValueError(f"{self.name}: a pulse of {pulse_ms} ms; expected {kind.unit_ms} to {self._longest_ms} ms")
        if pulse_ms % kind.unit_ms:
            raise ValueError(f"{self.name}: a pulse of {pulse_ms} ms; the board counts in {kind.unit_ms} ms")
        units = pulse_ms // kind.unit_ms
        await self._board.bus.submit(Job(self._board, self.pin.number, units=units))


class ModbusInput(_ModbusDevice):
    """Satisfies `ports.Input`. Its edges have the time of the poll that saw them first; they go on when a lost board is
    back."""

    def __init__(self, board: ModbusBoard, name: str, pin: Pin, feed: _Debounced) -> None:
        super().__init__(board, name, pin)
        self._feed = feed

    async def read(self) -> bool:
        """The level at the last poll. Raises DeviceError where the board is lost or not open."""
        if self._board.lost is not None:
            raise self._board.lost
        if self._feed.level is None:
            raise self._board.error("is not open")
        return self._feed.level

    def edges(self) -> AsyncIterator[tuple[float, bool]]:
        return self._feed.edges()
