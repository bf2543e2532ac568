"""An emulated HF reader with frames 7E 55: it is asked (query, scan of several antennas), or pushes every tag it sees.

Written from AnyID's command tables: 50 ms between two requests (an earlier one is not heard), 25 UIDs a frame. No bytes
of a push and of a scan have been published; here they are as the tables describe them.
"""

from __future__ import annotations

from typing import Final

from tablectl.sim.wire.emulator import Emulator, air_seconds
from tablectl.sim.wire.field import Field
from tablectl.sim.wire.line import Line

SPACING_S: Final = 0.05
UIDS_A_FRAME: Final = 25
PUSH_S: Final = 0.1
LOOK_S: Final = 0.02


def checksum(data: bytes) -> bytes:
    """CRC-16/X-25 bit by bit, low byte first."""
    register = 0xFFFF
    for byte in data:
        for bit in range(8):
            odd = (register ^ byte >> bit) & 1
            register = (register >> 1) ^ (0x8408 if odd else 0)
    register ^= 0xFFFF
    return register.to_bytes(2, "little")


def wire_uid(tag: str) -> bytes:
    """Low byte first."""
    return bytes(reversed(bytes.fromhex(tag)))


class AnyIDEmulator(Emulator):
    """``antennas``: how many; the first is 0 on the wire and 1 of the field. ``pushes``: it reports tags by itself, and
    each again every 100 ms while it is in the field, or until it is acknowledged where ``quiet``; ``layout``: how the
    answer about several antennas is built (``repeated_index``, ``leading_list``)."""

    def __init__(
        self,
        line: Line,
        field: Field,
        *,
        antennas: int = 1,
        pushes: bool = False,
        quiet: bool = False,
        layout: str = "repeated_index",
        name: str = "R321G 21042100 150503",
    ) -> None:
        super().__init__(line, field)
        self.name = name
        self.antennas = antennas
        self.pushes = pushes
        self.quiet = quiet
        self.layout = layout
        #: requests that came too early and were not heard
        self.unheard = 0
        #: pushes that the host acknowledged
        self.acknowledged = 0
        self._last_request = -1.0
        self._rest: list[str] = []
        self._acknowledged: set[str] = set()
        self._pushed: str | None = None
        self._pushed_at: dict[str, float] = {}

    def reset(self) -> None:
        super().reset()
        self._last_request = -1.0
        self._rest.clear()
        self._acknowledged.clear()
        self._pushed_at.clear()
        if self.pushes:
            self.line.later(LOOK_S, self._look_for_tags)

    # --- frames

    def _frame(self, content: bytes) -> bytes:
        body = bytes([len(content) + 2]) + content
        return b"\x7e\x55" + body + checksum(body)

    def answer(self, command: int, parameters: bytes) -> bytes:
        return self._frame(b"\x01\x00\x00\x00\x1f" + bytes([command, 0]) + parameters)

    def long_answer(self, command: int, parameters: bytes) -> bytes:
        body = b"\x00\x01\x00\x00\x00\x1f" + bytes([command, 0]) + len(parameters).to_bytes(2, "little") + parameters
        return b"\x7e\x55" + body + checksum(body)

    def understand(self, data: bytes) -> int:
        if not data:
            return 0
        if not b"\x7e\x55".startswith(data[:2]):
            return 1
        if len(data) < 3 or len(data) < 3 + data[2]:
            return 0
        size = 3 + data[2]
        if size < 11 or checksum(data[2 : size - 2]) != data[size - 2 : size]:
            return 1
        if data[7] == 0x1F:
            self._acknowledge(data[8])
        else:
            self._do(data[7], data[9 : size - 2])
        return size

    # --- commands

    def _do(self, command: int, parameters: bytes) -> None:
        now = self.clock.now()
        if self._last_request >= 0 and now - self._last_request < SPACING_S - 1e-6:
            self.unheard += 1
            return
        self._last_request = now
        self.heard.append((command, parameters))
        if command == 0xF7:
            self.line.send(self.answer(command, self.name.encode() + bytes.fromhex("00000080b5fef7")), 0.01)
        elif command == 0x11:
            self._query(parameters)
        elif command == 0x3F:
            self._scan(parameters)
        elif command in (0x22, 0x23):
            self._blocks(command, parameters)

    def _query(self, parameters: bytes) -> None:
        if not self._rest:
            self._rest = list(self.field.tags(1))
        tags, self._rest = self._rest[:UIDS_A_FRAME], self._rest[UIDS_A_FRAME:]
        records = b"".join(wire_uid(tag) + b"\xaa" for tag in tags)
        self.line.send(self.answer(0x11, records + bytes([len(self._rest), 0])), air_seconds(len(tags)))

    def _scan(self, parameters: bytes) -> None:
        listed = parameters[0] == 0xFF
        antennas = list(parameters[2 : 2 + parameters[1]]) if listed else [parameters[0]]
        seen = {antenna: self.field.tags(antenna + 1) for antenna in antennas}
        content = bytes([len(antennas)])
        if self.layout == "leading_list":
            content += bytes(antennas)
        for antenna, tags in seen.items():
            if self.layout == "repeated_index":
                content += bytes([antenna])
            content += bytes([len(tags)]) + b"".join(map(wire_uid, tags))
        self.line.send(self.long_answer(0x3F, content), sum(air_seconds(len(tags)) for tags in seen.values()))

    def _blocks(self, command: int, parameters: bytes) -> None:
        tag = bytes(reversed(parameters[:8])).hex()
        first, count = parameters[8], parameters[9]
        present = any(tag in self.field.tags(antenna) for antenna in range(1, self.antennas + 1))
        if not present:
            self.line.send(self.answer(command, b"\x01\x03"), 0.02)
        elif command == 0x22:
            data = self.field.memory(tag)[4 * first : 4 * (first + count)]
            self.line.send(self.answer(command, data + b"\x00\x00"), 0.01)
        else:
            self.line.send(self.answer(command, b"\x00\x00"), 0.03)

    # --- push

    def _look_for_tags(self) -> None:
        if self.powered:
            now = self.clock.now()
            tags = self.field.tags(1)
            self._acknowledged &= set(tags)
            for tag in tags:
                due = self._pushed_at.get(tag, -1.0) + PUSH_S <= now
                if due and not (self.quiet and tag in self._acknowledged):
                    self._pushed, self._pushed_at[tag] = tag, now
                    self.line.send(self._frame(b"\x01\x00\x00\x00\x10\x00" + wire_uid(tag)), air_seconds(1))
                    break  # one at a time: the next after this is acknowledged, or on the next look
        self.line.later(LOOK_S, self._look_for_tags)

    def _acknowledge(self, command: int) -> None:
        if command == 0x10 and self._pushed is not None:
            self.acknowledged += 1
            self._acknowledged.add(self._pushed)
            self._pushed = None
