"""I/O boards that speak Modbus RTU on a pseudo terminal, in front of simulated motors and sensors.

What the boards of one maker do (the register map in Waveshare's wiki): coils, discrete inputs, the mode of every
output, the firmware's version, and outputs that switch themselves off after a time. Requests with a wrong checksum or
for another unit get no answer, as on a real bus. `Trouble` is what goes wrong on the way.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import struct
import tty
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Final, Protocol

from tablectl.base.clock import Clock


class Function(IntEnum):
    """What these boards understand."""

    READ_COILS = 1
    READ_INPUTS = 2
    READ_REGISTERS = 3
    WRITE_COIL = 5
    WRITE_REGISTER = 6
    WRITE_COILS = 15


ILLEGAL_FUNCTION: Final = 1
ILLEGAL_ADDRESS: Final = 2
ILLEGAL_VALUE: Final = 3

#: the register map
ALL_OUTPUTS: Final = 0x00FF
PULSE_ON: Final = 0x0200
PULSE_OFF: Final = 0x0400
PULSE_UNIT_S: Final = 0.1
OUTPUT_MODES: Final = 0x1000
UNIT: Final = 0x4000
FIRMWARE: Final = 0x8000
ON: Final = 0xFF00
OFF: Final = 0x0000
TOGGLE: Final = 0x5500

#: a request is this long; those that write several coils carry the number of bytes that follow at `COUNT_AT`
REQUEST_BYTES: Final = 8
COUNT_AT: Final = 6


class Switched(Protocol):
    """A simulated motor, lamp or solenoid."""

    async def set(self, on: bool) -> None: ...


class Sensed(Protocol):
    """A simulated sensor or key."""

    @property
    def level(self) -> bool: ...


@dataclass
class Trouble:
    """What happens to answers. Each holds until it is taken back; ``times`` lets it end by itself after so many."""

    #: seconds by which answers come later than they should
    late_s: float = 0.0
    #: every answer comes twice, the second one so many seconds later (None: once)
    again_s: float | None = None
    #: the adapter also hears what the host sends
    echo: bool = False
    #: no answer
    silent: bool = False
    #: a bit of the answer is wrong
    damaged: bool = False
    #: bytes before and after the answer
    before: bytes = b""
    after: bytes = b""
    #: the answer comes in pieces of so many bytes (None: whole)
    pieces: int | None = None
    #: how many more requests it happens to (None: all)
    times: int | None = None

    def next(self) -> Trouble:
        """What happens to the next request."""
        if self.times is None:
            return self
        self.times -= 1
        return self if self.times >= 0 else Trouble()


@dataclass
class EmulatedBoard:
    """One board: outputs and inputs by number (None: nothing connected)."""

    outputs: Sequence[Switched | None] = ()
    inputs: Sequence[Sensed | None] = ()
    firmware: int = 200
    #: seconds between a request and its answer
    turnround_s: float = 0.005
    trouble: Trouble = field(default_factory=Trouble)
    coils: list[bool] = field(init=False)
    modes: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self.coils = [False] * len(self.outputs)
        self.modes = [0] * len(self.outputs)

    async def switch(self, number: int, on: bool) -> None:
        self.coils[number] = on
        output = self.outputs[number]
        if output is not None:
            await output.set(on)

    async def power_cycle(self) -> None:
        """Its supply fails for a moment: all outputs drop."""
        for number in range(len(self.coils)):
            await self.switch(number, False)


class ModbusLine:
    """A bus with emulated boards behind a pseudo terminal: `open` gives the path of the port. ``twins``: boards that
    somebody gave an address which another one has."""

    def __init__(self, boards: dict[int, EmulatedBoard], clock: Clock) -> None:
        self.boards = boards
        self.twins: list[tuple[int, EmulatedBoard]] = []
        self._clock = clock
        self._master = self._slave = -1
        self._heard = b""
        self._frames: asyncio.Queue[bytes] = asyncio.Queue()
        self._tasks: set[asyncio.Task[None]] = set()
        self._pulses: dict[tuple[int, int], asyncio.TimerHandle] = {}
        #: every request that was understood, in order, as bytes
        self.requests: list[bytes] = []

    # --- life

    async def open(self) -> str:
        """Begin to listen; the path under which the host opens the line."""
        self._master, self._slave = os.openpty()
        for descriptor in (self._master, self._slave):
            tty.setraw(descriptor)
        os.set_blocking(self._master, False)
        asyncio.get_running_loop().add_reader(self._master, self._read)
        self._start(self._serve())
        return os.ttyname(self._slave)

    async def close(self) -> None:
        """The adapter is pulled out: the host gets an error at once. Outputs stay as they are."""
        if self._master < 0:
            return
        asyncio.get_running_loop().remove_reader(self._master)
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for timer in self._pulses.values():
            timer.cancel()
        self._pulses.clear()
        for descriptor in (self._master, self._slave):
            os.close(descriptor)
        self._master = self._slave = -1

    def chatter(self, noise: bytes) -> None:
        """Bytes on the line that nobody asked for."""
        self._write(noise)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work, name="modbus board")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # --- bytes

    def _read(self) -> None:
        with contextlib.suppress(BlockingIOError, OSError):
            self._heard += os.read(self._master, 4096)
        while (frame := self._next_frame()) is not None:
            self._frames.put_nowait(frame)

    def _next_frame(self) -> bytes | None:
        """The next sound request in what was heard; what does not belong to one is dropped."""
        for start in range(len(self._heard)):
            rest = self._heard[start:]
            length = _request_length(rest)
            if length is not None and len(rest) >= length and crc(rest[: length - 2]) == rest[length - 2 : length]:
                self._heard = rest[length:]
                return rest[:length]
        self._heard = self._heard[-256:]
        return None

    def _write(self, data: bytes) -> None:
        with contextlib.suppress(BlockingIOError, OSError):
            os.write(self._master, data)

    async def _serve(self) -> None:
        while True:
            frame = await self._frames.get()
            for unit, board in (*self.boards.items(), *self.twins):
                if frame[0] not in (0, unit):
                    continue
                self.requests.append(frame)
                answer = await self._answer(unit, board, frame[1:-2])
                if frame[0]:  # nobody answers what is said to all
                    body = bytes([unit]) + answer
                    await self._send(board, frame, body + crc(body))

    async def _send(self, board: EmulatedBoard, request: bytes, answer: bytes) -> None:
        trouble = board.trouble.next()
        if trouble.echo:
            self._write(request)
        await self._clock.sleep(board.turnround_s)
        if trouble.silent:
            return
        if trouble.damaged:
            answer = answer[:2] + bytes([answer[2] ^ 0x10]) + answer[3:]
        data = trouble.before + answer + trouble.after
        if trouble.late_s:
            self._start(self._later(trouble.late_s, data))
        elif trouble.pieces:
            for at in range(0, len(data), trouble.pieces):
                self._write(data[at : at + trouble.pieces])
                await self._clock.sleep(0.001)
        else:
            self._write(data)
        if trouble.again_s is not None:
            self._start(self._later(trouble.again_s, data))

    async def _later(self, seconds: float, data: bytes) -> None:
        await self._clock.sleep(seconds)
        self._write(data)

    # --- what a board understands

    async def _answer(self, unit: int, board: EmulatedBoard, request: bytes) -> bytes:
        """The answer to function and data, without unit and checksum."""
        function = request[0]
        address, value = struct.unpack(">HH", request[1:5])
        try:
            match function:
                case Function.READ_COILS | Function.READ_INPUTS:
                    levels = (
                        board.coils if function == Function.READ_COILS else [bool(s and s.level) for s in board.inputs]
                    )
                    data = pack(_slice(levels, address, value))
                    return bytes([function, len(data)]) + data
                case Function.READ_REGISTERS:
                    registers = _registers(unit, board, address, value)
                    return bytes([function, 2 * len(registers)]) + struct.pack(f">{len(registers)}H", *registers)
                case Function.WRITE_COIL:
                    await self._write_coil(unit, board, address, value)
                case Function.WRITE_REGISTER:
                    _write_register(board, address, value)
                case Function.WRITE_COILS:
                    levels = unpack(request[6:], value)
                    for number, _ in enumerate(_slice(board.coils, address, value)):
                        await self._switch(unit, board, address + number, levels[number])
                case _:
                    raise _Refused(ILLEGAL_FUNCTION)
        except _Refused as refused:
            return bytes([function | 0x80, refused.code])
        return request[:5]

    async def _write_coil(self, unit: int, board: EmulatedBoard, address: int, value: int) -> None:
        for base, level in ((PULSE_ON, True), (PULSE_OFF, False)):
            number = address - base
            if 0 <= number < len(board.coils):
                if not 0 < value <= 0x7FFF:
                    raise _Refused(ILLEGAL_VALUE)
                await self._switch(unit, board, number, level)
                timer = asyncio.get_running_loop().call_later(
                    value * PULSE_UNIT_S, self._pulse_ends, unit, board, number, not level
                )
                self._pulses[unit, number] = timer
                return
        numbers = range(len(board.coils)) if address == ALL_OUTPUTS else [address]
        if address != ALL_OUTPUTS:
            _slice(board.coils, address, 1)
        if value not in (ON, OFF, TOGGLE):
            raise _Refused(ILLEGAL_VALUE)
        for number in numbers:
            level = value == ON if value != TOGGLE else not board.coils[number]
            await self._switch(unit, board, number, level)

    def _pulse_ends(self, unit: int, board: EmulatedBoard, number: int, level: bool) -> None:
        del self._pulses[unit, number]
        self._start(board.switch(number, level))

    async def _switch(self, unit: int, board: EmulatedBoard, number: int, on: bool) -> None:
        """Switch an output; a pulse that runs on it ends."""
        if (timer := self._pulses.pop((unit, number), None)) is not None:
            timer.cancel()
        await board.switch(number, on)


class _Refused(Exception):
    """The board answers with a Modbus exception."""

    def __init__(self, code: int) -> None:
        super().__init__(f"exception {code}")
        self.code = code


def _registers(unit: int, board: EmulatedBoard, address: int, count: int) -> list[int]:
    known = {OUTPUT_MODES + number: mode for number, mode in enumerate(board.modes)}
    known |= {UNIT: unit, FIRMWARE: board.firmware}
    try:
        return [known[address + n] for n in range(count)]
    except KeyError:
        raise _Refused(ILLEGAL_ADDRESS) from None


def _write_register(board: EmulatedBoard, address: int, value: int) -> None:
    number = address - OUTPUT_MODES
    if not 0 <= number < len(board.modes):
        raise _Refused(ILLEGAL_ADDRESS)
    if value > 3:
        raise _Refused(ILLEGAL_VALUE)
    board.modes[number] = value


def _slice(levels: Sequence[bool], address: int, count: int) -> Sequence[bool]:
    if not count or address + count > len(levels):
        raise _Refused(ILLEGAL_ADDRESS)
    return levels[address : address + count]


def _request_length(data: bytes) -> int | None:
    """How long the request is that ``data`` begins with; None while that is not known."""
    if len(data) < REQUEST_BYTES:
        return None
    if data[1] != Function.WRITE_COILS:
        return REQUEST_BYTES
    return COUNT_AT + 1 + data[COUNT_AT] + 2


def crc(data: bytes) -> bytes:
    """The checksum of Modbus RTU, low byte first: polynomial A001, begun with FFFF."""
    register = 0xFFFF
    for byte in data:
        register ^= byte
        for _ in range(8):
            register = register >> 1 ^ 0xA001 if register & 1 else register >> 1
    return register.to_bytes(2, "little")


def pack(levels: Sequence[bool]) -> bytes:
    """Eight levels a byte, the first one lowest."""
    return bytes(sum(level << n for n, level in enumerate(levels[at : at + 8])) for at in range(0, len(levels), 8))


def unpack(data: bytes, count: int) -> list[bool]:
    return [bool(data[n // 8] >> n % 8 & 1) for n in range(count)]
