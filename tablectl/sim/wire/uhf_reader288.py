"""An emulated UHF reader with several antennas and the protocol UHFReader288 (or the older UHFReader18).

Written from the user's manual: 1.7 ms a tag, at most 8 tags a frame, 30 ms between the frames of an answer, which end
with status 01.
"""

from __future__ import annotations

from typing import Final

from tablectl.sim.wire.emulator import Emulator
from tablectl.sim.wire.field import Field
from tablectl.sim.wire.line import Line

TAG_S: Final = 0.0017
DWELL_S: Final = 0.005
BETWEEN_FRAMES_S: Final = 0.03
TAGS_A_FRAME: Final = 8
#: as readers come from the factory, and the one that all of them obey
ADDRESS, BROADCAST = 0, 0xFF


def checksum(data: bytes) -> bytes:
    """CRC-16/MCRF4XX bit by bit, low byte first."""
    register = 0xFFFF
    for byte in data:
        register ^= byte
        for _ in range(8):
            odd = register & 1
            register >>= 1
            if odd:
                register ^= 0x8408
    return bytes([register & 0xFF, register >> 8])


class Reader288Emulator(Emulator):
    """``generation``: 288, or 18 without antennas and strengths; ``broken``: antennas that are not plugged in;
    ``heartbeat_s``: how often it sends the six bytes that models for networks send by themselves; None: never."""

    def __init__(self, line: Line, field: Field, generation: int = 288) -> None:
        super().__init__(line, field)
        self.generation = generation
        self.heartbeat_s: float | None = None
        self.type = 0x0C if generation == 288 else 0x09
        self.power_dbm = 30
        self.broken: set[int] = set()

    def reset(self) -> None:
        super().reset()
        if self.heartbeat_s is not None:
            self.line.later(self.heartbeat_s, self._beat)

    def _beat(self) -> None:
        assert self.heartbeat_s is not None
        if self.powered:
            self.line.write(bytes.fromhex("560000000000"))
            self.line.later(self.heartbeat_s, self._beat)

    def frame(self, command: int, status: int, data: bytes = b"") -> bytes:
        body = bytes([len(data) + 5, ADDRESS, command, status]) + data
        return body + checksum(body)

    def understand(self, data: bytes) -> int:
        if not data:
            return 0
        size = data[0] + 1
        if size < 5:
            return 1
        if len(data) < size:
            return 0
        if checksum(data[: size - 2]) != data[size - 2 : size]:
            return 1
        if data[1] in (ADDRESS, BROADCAST):
            self._do(data[2], data[3 : size - 2])
        return size

    def _do(self, command: int, parameters: bytes) -> None:
        self.heard.append((command, parameters))
        if command == 0x21:
            about = bytes([0, 0x16, self.type, 3, 0x4E, 0, self.power_dbm, 10, 1, 0, 0, 0])
            self.line.send(self.frame(command, 0, about[: 8 if self.generation == 18 else 9]), 0.005)
        elif command == 0x2F:
            self.power_dbm = parameters[0]
            self.line.send(self.frame(command, 0), 0.02)
        elif command == 0x01:
            self._inventory(parameters)
        else:
            self.line.send(self.frame(command, 0xFE), 0.005)

    def _inventory(self, parameters: bytes) -> None:
        antenna = parameters[7] - 0x80 + 1 if self.generation == 288 else 1
        if antenna in self.broken:
            self.line.send(self.frame(0x01, 0xF8), DWELL_S)
            return
        mask = bytes([1 << antenna - 1]) if self.generation == 288 else b""
        tags = list(self.field.tags(antenna))
        after = DWELL_S + TAG_S * len(tags)
        for at in range(0, len(tags), TAGS_A_FRAME):
            group = tags[at : at + TAGS_A_FRAME]
            records = b"".join(self._record(antenna, tag) for tag in group)
            self.line.send(self.frame(0x01, 0x03, mask + bytes([len(group)]) + records), after)
            after += BETWEEN_FRAMES_S
        self.line.send(self.frame(0x01, 0x01, mask + b"\x00"), after)

    def _record(self, antenna: int, tag: str) -> bytes:
        epc = bytes.fromhex(tag)
        strength = bytes([self.field.strength(antenna, tag) + 160]) if self.generation == 288 else b""
        return bytes([len(epc)]) + epc + strength
