"""The requests that boards take, and which bytes answer them.

pymodbus builds requests and reads answers; on a serial line it takes the first frame that fits the address for the
answer. `Answer` looks closer: unit, function, length, checksum, and for a write the echo of what was written. What else
is on the line (the adapter's echo, noise before and after, an answer that came too late, one that came twice) is left
out before pymodbus sees it.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pymodbus.framer import FramerRTU
from pymodbus.pdu import ModbusPDU
from pymodbus.pdu.bit_message import (
    ReadCoilsRequest,
    ReadDiscreteInputsRequest,
    WriteMultipleCoilsRequest,
    WriteSingleCoilRequest,
)
from pymodbus.pdu.register_message import ReadHoldingRegistersRequest

EXCEPTION: Final = 0x80
EXCEPTION_BYTES: Final = 5


class TimedCoilRequest(ModbusPDU):
    """Function 05 with a time instead of FF00: the board switches the output on and, after it, off by itself."""

    function_code = 5
    rtu_frame_size = 8

    def __init__(self, unit: int, address: int, units: int) -> None:
        super().__init__(dev_id=unit, address=address)
        self.units = units

    def encode(self) -> bytes:
        return struct.pack(">HH", self.address, self.units)

    def decode(self, data: bytes) -> None:
        self.address, self.units = struct.unpack(">HH", data[:4])


@dataclass(frozen=True, slots=True)
class Answer:
    """What answers a request: ``length`` bytes of ``unit`` and ``function`` that begin with ``begin``."""

    begin: bytes
    length: int

    def find(self, heard: bytes) -> bytes:
        """The answer in what was heard, an exception of the board counts as one; empty while it is not there."""
        for start in range(len(heard) - EXCEPTION_BYTES + 1):
            part = heard[start:]
            if part.startswith(self.begin) and _sound(part[: self.length], self.length):
                return part[: self.length]
            unit, function = self.begin[:2]
            if part[:2] == bytes([unit, function | EXCEPTION]) and _sound(part[:EXCEPTION_BYTES], EXCEPTION_BYTES):
                return part[:EXCEPTION_BYTES]
        return b""


def _sound(frame: bytes, length: int) -> bool:
    return len(frame) == length and FramerRTU.check_CRC(frame[:-2], int.from_bytes(frame[-2:], "big"))


@dataclass(frozen=True, slots=True)
class Request:
    """A request with its answer. ``again``: sending it a second time does no harm."""

    pdu: ModbusPDU
    answer: Answer
    again: bool = True


def read_coils(unit: int, address: int, count: int) -> Request:
    return _read(ReadCoilsRequest(address=address, count=count, dev_id=unit), (count + 7) // 8)


def read_inputs(unit: int, address: int, count: int) -> Request:
    return _read(ReadDiscreteInputsRequest(address=address, count=count, dev_id=unit), (count + 7) // 8)


def read_registers(unit: int, address: int, count: int) -> Request:
    return _read(ReadHoldingRegistersRequest(address=address, count=count, dev_id=unit), 2 * count)


def write_coils(unit: int, address: int, levels: Sequence[bool]) -> Request:
    """One coil by function 05, several neighbours by 0F."""
    if len(levels) == 1:
        pdu: ModbusPDU = WriteSingleCoilRequest(address=address, bits=list(levels), dev_id=unit)
        return _written(pdu, pdu.encode())
    pdu = WriteMultipleCoilsRequest(address=address, bits=list(levels), dev_id=unit)
    return _written(pdu, struct.pack(">HH", address, len(levels)))


def pulse_coil(unit: int, address: int, units: int) -> Request:
    """A pulse of ``units`` of the board's time. Never sent twice: it would push twice."""
    pdu = TimedCoilRequest(unit, address, units)
    return _written(pdu, pdu.encode(), again=False)


def _read(pdu: ModbusPDU, size: int) -> Request:
    return Request(pdu, Answer(bytes([pdu.dev_id, pdu.function_code, size]), 5 + size))


def _written(pdu: ModbusPDU, echoed: bytes, again: bool = True) -> Request:
    return Request(pdu, Answer(bytes([pdu.dev_id, pdu.function_code]) + echoed, 8), again)
