"""An emulated PN532 on a serial line, with tags of type A (NTAG) in its field.

Written from NXP's UM0701-02: it acknowledges after 1 to 15 ms and answers 10 to 100 ms later; every second time both
come in one piece. A new frame of the host breaks off the command that runs.
"""

from __future__ import annotations

import random
from typing import Final

from tablectl.sim.wire.emulator import Emulator
from tablectl.sim.wire.field import Field
from tablectl.sim.wire.line import Line

ACK: Final = bytes.fromhex("0000ff00ff00")
SYNTAX_ERROR: Final = bytes.fromhex("0000ff01ff7f8100")
#: of a frame, the TFI counted
MOST_BYTES: Final = 265
#: bytes that a sleeping chip loses while it wakes
WAKING_BYTES: Final = 5
#: lengths of a UID of type A
UID_BYTES: Final = (4, 7, 10)
FOREVER: Final = 0xFF
POLL_S: Final = 0.03
PAGE_BYTES: Final = 4
#: registers that a host looks at after a poll without tags: the request is still in the buffer
FIFO_DATA: Final = 0x6339


class PN532Emulator(Emulator):
    """``answer_s``: shortest and longest time from acknowledgement to answer; ``asleep``: the first bytes wake it
    and are lost."""

    def __init__(self, line: Line, field: Field, answer_s: tuple[float, float] = (0.01, 0.1)) -> None:
        super().__init__(line, field)
        self._answer_s = answer_s
        self._chance = random.Random("pn532/0")
        self._glue = False
        self._start()

    def _start(self) -> None:
        self.asleep = True
        self._retries = FOREVER
        self._running = 0
        self._selected: list[str] = []

    def reset(self) -> None:
        super().reset()
        self._start()

    def frame(self, data: bytes) -> bytes:
        body = b"\xd5" + data
        if len(body) < 256:
            length = bytes([len(body), 256 - len(body)])
        else:
            length = bytes([255, 255, len(body) >> 8, len(body) % 256, -(len(body) // 256 + len(body)) % 256])
        return b"\x00\x00\xff" + length + body + bytes([-sum(body) % 256, 0])

    def understand(self, data: bytes) -> int:
        if self.asleep:
            if len(data) < WAKING_BYTES:
                return 0
            self.asleep = False
            return WAKING_BYTES
        start = data.find(b"\x00\xff")
        if start < 0:
            return max(0, len(data) - 1)
        if start:
            return start
        if len(data) < 4:
            return 0
        if data[2:4] in (b"\x00\xff", b"\xff\x00"):
            self._break_off()  # an ACK of the host ends what runs
            return 4
        at, length, check = 4, data[2], data[3]
        if (length, check) == (0xFF, 0xFF):  # extended: two bytes of length, and their check
            if len(data) < 7:
                return 0
            at, length, check = 7, data[4] * 256 + data[5], data[4] + data[6]
        if (length + check) % 256 or length > MOST_BYTES:
            return 2
        if len(data) < at + length + 1:
            return 0
        body = data[at : at + length]
        if sum(data[at : at + length + 1]) % 256 or body[:1] != b"\xd4" or len(body) < 2:
            return 2
        self._break_off()
        self._do(body[1], body[2:])
        return at + length + 1

    def _break_off(self) -> None:
        self._running += 1
        self.line.silence()

    def _say(self, data: bytes) -> None:
        """Acknowledge, and answer."""
        ack_s, answer_s = self._chance.uniform(0.001, 0.015), self._chance.uniform(*self._answer_s)
        self._glue = not self._glue
        if self._glue:
            self.line.send(ACK + self.frame(data), ack_s)
        else:
            self.line.send(ACK, ack_s)
            self.line.send(self.frame(data), ack_s + answer_s)

    def _do(self, command: int, parameters: bytes) -> None:
        self.heard.append((command, parameters))
        answer = bytes([command + 1])
        match command:
            case 0x00:  # diagnose: the line test sends back what came
                self._say(answer + parameters)
            case 0x02:
                self._say(answer + bytes.fromhex("32010607"))
            case 0x06:  # registers
                count = len(parameters) // 2
                values = [
                    0x26 if parameters[2 * n : 2 * n + 2] == FIFO_DATA.to_bytes(2, "big") else 0 for n in range(count)
                ]
                self._say(answer + bytes(values))
            case 0x32:
                if parameters[:1] == b"\x05":
                    self._retries = parameters[-1]
                self._say(answer)
            case 0x4A:
                self._list(parameters)
            case 0x40:
                self._say(answer + self._exchange(parameters))
            case 0x44 | 0x52 | 0x54:  # deselect, release, select
                self._say(answer + b"\x00")
            case 0x08 | 0x10 | 0x12 | 0x14:
                self._say(answer)
            case 0x16:
                self._say(answer + b"\x00")
                self.asleep = True
            case _:
                self.line.send(ACK + SYNTAX_ERROR, 0.005)

    # --- tags

    def _list(self, parameters: bytes) -> None:
        """Poll for tags of type A (others are not emulated)."""
        most, kind = parameters[0], parameters[1]
        tags = [tag for tag in self.field.tags(1) if len(tag) // 2 in UID_BYTES] if kind == 0 else []
        self._selected = tags[:most]
        if tags or self._retries != FOREVER or kind != 0:
            records = b"".join(self._record(number, tag) for number, tag in enumerate(self._selected, start=1))
            self._say(bytes([0x4B, len(self._selected)]) + records)
            return
        self.line.send(ACK, 0.005)
        running = self._running
        self.line.later(POLL_S, lambda: self._poll_on(running, parameters))

    def _poll_on(self, running: int, parameters: bytes) -> None:
        """It polls for ever, until a tag comes or the host breaks off."""
        if running != self._running:
            return
        tags = [tag for tag in self.field.tags(1) if len(tag) // 2 in UID_BYTES]
        if not tags:
            self.line.later(POLL_S, lambda: self._poll_on(running, parameters))
            return
        self._selected = tags[: parameters[0]]
        records = b"".join(self._record(number, tag) for number, tag in enumerate(self._selected, start=1))
        self.line.send(self.frame(bytes([0x4B, len(self._selected)]) + records))

    @staticmethod
    def _record(number: int, tag: str) -> bytes:
        uid = bytes.fromhex(tag)
        atqa, sak = (b"\x00\x04", 0x08) if len(uid) == 4 else (b"\x00\x44", 0x00)
        return bytes([number]) + atqa + bytes([sak, len(uid)]) + uid

    def _exchange(self, parameters: bytes) -> bytes:
        """Status and answer of a tag."""
        number, command = parameters[0], parameters[1:]
        tag = self._selected[number - 1] if 0 < number <= len(self._selected) else None
        if tag is None or tag not in self.field.tags(1):
            return b"\x01"  # time-out
        if command[:1] != b"\x30":
            return b"\x13"  # not understood
        at = PAGE_BYTES * command[1]
        return b"\x00" + self.field.memory(tag)[at : at + 16].ljust(16, b"\x00")
