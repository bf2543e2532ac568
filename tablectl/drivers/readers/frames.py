"""Frames in a stream of bytes: found one after another, whatever lies between them and however they are cut.

A codec gives one function, `Look`: what begins at this byte? The scanner does the rest the same way for all: it waits
for the rest of a frame, steps over garbage byte by byte, and after a frame that is wrong it looks again from the next
byte on, so that a good frame inside or right behind a bad one is not lost. Nothing depends on pauses in the stream.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Final, Generic, TypeVar

F = TypeVar("F")

#: CRC-16 with polynomial 0x1021, reflected
_POLYNOMIAL: Final = 0x8408


class Step(Enum):
    """What begins at a byte that is not a whole frame: the beginning of one (``WAIT``), no frame (``SKIP``), or a frame
    that is wrong (``BAD``)."""

    WAIT = "wait"
    SKIP = "skip"
    BAD = "bad"


#: (all bytes, where to look) -> the frame and where it ends, or a step
Look = Callable[[bytearray, int], tuple[F, int] | Step]


class Scanner(Generic[F]):
    """Finds the frames of one codec. ``noise``: bytes stepped over; ``refused``: frames that were wrong."""

    def __init__(self, look: Look[F]) -> None:
        self.noise = 0
        self.refused = 0
        self._look = look
        self._buffer = bytearray()

    @property
    def pending(self) -> int:
        """Bytes of a frame that is not complete."""
        return len(self._buffer)

    def feed(self, data: bytes) -> list[F]:
        """The frames that are complete with ``data``."""
        self._buffer += data
        return self._scan(0)

    def give_up(self) -> list[F]:
        """Do not wait any longer for the rest of the frame that has begun; the frames that follow it."""
        if not self._buffer:
            return []
        self.refused += 1
        self.noise += 1
        return self._scan(1)

    def clear(self) -> None:
        """Forget what has come."""
        self._buffer.clear()

    def _scan(self, at: int) -> list[F]:
        buffer, found = self._buffer, []
        while at < len(buffer):
            match self._look(buffer, at):
                case Step.WAIT:
                    break
                case Step.SKIP:
                    at += 1
                    self.noise += 1
                case Step.BAD:
                    at += 1
                    self.noise += 1
                    self.refused += 1
                case frame, end:
                    found.append(frame)
                    at = end
        del buffer[:at]
        return found


def _table() -> tuple[int, ...]:
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ _POLYNOMIAL if value & 1 else value >> 1
        table.append(value)
    return tuple(table)


_TABLE: Final = _table()


def crc16(data: bytes | bytearray) -> int:
    """CRC-16/MCRF4XX: register 0xFFFF, reflected polynomial 0x8408, not inverted at the end. Its complement is
    CRC-16/X-25."""
    register = 0xFFFF
    for byte in data:
        register = register >> 8 ^ _TABLE[(register ^ byte) & 0xFF]
    return register
