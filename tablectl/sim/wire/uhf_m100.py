"""An emulated UHF module with the chip M100, in all three dresses its makers give its frames.

Written from MagicRF's protocol text; timing 6 ms a tag, 0.6 ms an empty slot.
"""

from __future__ import annotations

from typing import Final

from tablectl.sim.wire.emulator import Emulator
from tablectl.sim.wire.field import Field
from tablectl.sim.wire.line import Line

ENDS: Final = {"bb7e": b"\xbb\x7e", "aadd": b"\xaa\xdd", "aa8e": b"\xaa\x8e"}
TAG_S: Final = 0.006
EMPTY_SLOT_S: Final = 0.0006
_SETTINGS: Final = (0x07, 0x0E, 0xB6, 0xAD, 0xAB)


class M100Emulator(Emulator):
    """``first``, ``last``: how its frames begin and end."""

    def __init__(self, line: Line, field: Field) -> None:
        super().__init__(line, field)
        self.first, self.last = ENDS["bb7e"]
        #: set by the host: command to parameters
        self.settings: dict[int, bytes] = {}
        self.rounds_left = 0
        self._mask = b""
        self._select_mode = 1

    def reset(self) -> None:
        super().reset()
        self.settings.clear()
        self.rounds_left = 0
        self._mask, self._select_mode = b"", 1

    # --- frames

    def frame(self, kind: int, command: int, parameters: bytes = b"") -> bytes:
        middle = bytes([kind, command, len(parameters) >> 8, len(parameters) % 256]) + parameters
        return bytes([self.first]) + middle + bytes([sum(middle) % 256, self.last])

    def understand(self, data: bytes) -> int:
        if not data:
            return 0
        if data[0] != self.first:
            return 1
        if len(data) < 7:
            return 0
        size = 7 + data[3] * 256 + data[4]
        if size > 300:
            return 1
        if len(data) < size:
            return 0
        question = data[:size]
        if question[-1] != self.last or sum(question[1:-2]) % 256 != question[-2] or question[1] != 0:
            return 1
        self._do(question[2], question[5:-2])
        return size

    def _say(self, command: int, parameters: bytes, after_s: float = 0.002) -> None:
        self.line.send(self.frame(1, command, parameters), after_s)

    def _fail(self, code: int) -> None:
        self._say(0xFF, bytes([code]))

    # --- commands

    def _do(self, command: int, parameters: bytes) -> None:
        self.heard.append((command, parameters))
        if command == 0x03:
            texts = {0: "M100 26dBm V1.0", 1: "V2.3.5", 2: "MagicRF"}
            self._say(command, parameters[:1] + texts[parameters[0]].encode())
        elif command in _SETTINGS:
            self.settings[command] = parameters
            self._say(command, b"\x00")
        elif command == 0x0C:
            self._mask = parameters[7:]
            self._say(command, b"\x00")
        elif command == 0x12:
            self._select_mode = parameters[0]
            self._say(0x0C, b"\x00")  # as the manual prints it
        elif command == 0x22:
            self._round(once=True)
        elif command == 0x27:
            running, self.rounds_left = self.rounds_left > 0, int.from_bytes(parameters[1:3], "big")
            if not running:
                self._round()
        elif command == 0x28:
            self.rounds_left = 0
            self._say(command, b"\x00")
        elif command == 0x39:
            self._read(parameters)
        else:
            self._fail(0x17)

    def _round(self, once: bool = False) -> None:
        """One round over the field; then the next, as long as rounds are left."""
        if not once:
            if self.rounds_left <= 0 or not self.powered:
                return
            self.rounds_left -= 1
        tags = self.field.tags(1)
        slots = 1 << self.settings.get(0x0E, b"\x10\x20")[1] // 8 % 16
        for number, tag in enumerate(tags, start=1):
            self.line.later(number * TAG_S, lambda tag=tag: self._notice(tag, once))  # type: ignore[misc]
        took = len(tags) * TAG_S + max(0, slots - len(tags)) * EMPTY_SLOT_S
        if not tags:
            self.line.later(took, lambda: self._empty(once))
        if not once:
            self.line.later(took, self._round)

    def _notice(self, tag: str, once: bool) -> None:
        if self.rounds_left <= 0 and not once:
            return
        epc = bytes.fromhex(tag)
        words = len(epc) // 2
        check = sum(epc) & 0xFFFF
        strength = self.field.strength(1, tag) & 0xFF
        self.line.send(self.frame(2, 0x22, bytes([strength, words << 3, 0]) + epc + check.to_bytes(2, "big")))

    def _empty(self, once: bool) -> None:
        if self.rounds_left > 0 or once:
            self._fail(0x15)

    def _read(self, parameters: bytes) -> None:
        """Words of the selected tag's memory."""
        word, count = int.from_bytes(parameters[5:7], "big"), int.from_bytes(parameters[7:9], "big")
        tags = [tag for tag in self.field.tags(1) if self._select_mode or bytes.fromhex(tag) == self._mask]
        data = self.field.memory(tags[0])[2 * word : 2 * (word + count)] if tags else b""
        if len(data) < 2 * count or not data:
            self._fail(0x09)
            return
        epc = bytes.fromhex(tags[0])
        self._say(0x39, bytes([len(epc) + 2, len(epc) // 2 << 3, 0]) + epc + data, 0.02)
