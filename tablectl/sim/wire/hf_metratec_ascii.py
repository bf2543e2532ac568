"""An emulated metraTec reader for ISO 15693 (QuasarMX) with a multiplexer.

Written from the dialogue that the maker's own SDK holds: lines end with CR, and after ``EOF`` each answer with LF too.
"""

from __future__ import annotations

from typing import Final

from tablectl.sim.wire.emulator import Emulator, air_seconds
from tablectl.sim.wire.field import Field
from tablectl.sim.wire.line import Line

ANSWER_S: Final = 0.003
LINE_FEED: Final = b"\n"
BLOCK_BYTES: Final = 4


class MetratecEmulator(Emulator):
    """``hardware``, ``firmware``: what it says of itself; ``old``: it knows REV only, not HWR and RFW."""

    def __init__(
        self,
        line: Line,
        field: Field,
        *,
        antennas: int = 16,
        hardware: str = "QUASAR_MX       0100",
        firmware: str = "QUASAR_MX       0320",
        old: bool = False,
    ) -> None:
        super().__init__(line, field)
        self.antennas = antennas
        self.hardware = hardware
        self.firmware = firmware
        self.old = old
        self.reset_state()

    def reset_state(self) -> None:
        """The settings after switching on."""
        self.line_feeds = False
        self.radio = False
        self.antenna = 0
        self.multiplexed = 0
        self.tells_antenna = False
        self.repeating = False

    def reset(self) -> None:
        super().reset()
        self.reset_state()

    def restart(self) -> None:
        """It starts again by itself, and says so."""
        self.reset_state()
        self._say("SRT")

    def heartbeat(self) -> None:
        """The line that it sends from time to time where it was told to."""
        self._say("HBT")

    def understand(self, data: bytes) -> int:
        end = data.find(b"\r")
        if end < 0:
            return 0
        words = data[:end].decode("ascii", "replace").split()
        if words:
            self.heard.append((words[0], " ".join(words[1:]).encode()))
            self._do(words[0], words[1:])
        return end + 1

    def _say(self, *lines: str, after_s: float = ANSWER_S) -> None:
        text = "".join(f"{line}\r" for line in lines).encode("ascii")
        self.line.send(text + (LINE_FEED if self.line_feeds else b""), after_s)

    def _do(self, command: str, words: list[str]) -> None:
        match command, words:
            case "BRK", _:
                self._say("BRA" if self.repeating else "NCM")
                self.repeating = False
            case "EOF", _:
                self.line_feeds = True
                self._say("OK!")
            case "HWR", _ if not self.old:
                self._say(self.hardware)
            case "RFW", _ if not self.old:
                self._say(self.firmware)
            case "REV", _:
                self._say("DESKID_ISO     01000218")
            case "SRI", _:
                self.radio = True
                self._say("OK!")
            case "SAP", _:
                self._say(self._antennas(words))
            case "INV", _:
                self._inventory()
            case "CNR", ["INV", *_]:
                self.repeating = True
                self._inventory()
            case "REQ" | "WRQ", [request, *_]:
                self._say(*self._request(request), after_s=0.02)
            case "COF" | "RST" | "HBT" | "WAK", _:
                self._say("OK!")
            case _:
                self._say("UCO")

    def _antennas(self, words: list[str]) -> str:
        match words:
            case ["MAN", number] if number.isdigit() and int(number) < self.antennas:
                self.antenna, self.multiplexed = int(number), 0
            case ["AUT", number, *_] if number.isdigit() and 0 < int(number) <= self.antennas:
                self.antenna, self.multiplexed = 0, int(number)
            case ["ARP", "ON" | "OFF" as switch]:
                self.tells_antenna = switch == "ON"
            case ["MAN" | "AUT", *_]:
                return "WPA"
            case _:
                return "UPA"
        return "OK!"

    def _inventory(self) -> None:
        if not self.radio:
            self._say("RNW")
            return
        tags = self.field.tags(self.antenna)
        self.line.later(air_seconds(len(tags)), lambda: self._tell(self.antenna))

    def _tell(self, antenna: int) -> None:
        if not self.powered or not self.radio:
            return
        tags = self.field.tags(antenna)
        report = [f"ARP {antenna:02d}"] if self.tells_antenna else []
        self._say(*(tag.upper() for tag in tags), *report, f"IVF {len(tags):02d}", after_s=0.0)
        if self.multiplexed:
            self.antenna = (antenna + 1) % self.multiplexed
        if self.repeating:
            self._inventory()

    def _request(self, request: str) -> list[str]:
        """A raw request: command 20 (read a block) to one tag (flag 20 hexadecimal set) or to the only one there."""
        raw = bytes.fromhex(request)
        tags = list(self.field.tags(self.antenna))
        if raw[0] & 0x20:
            wanted = bytes(reversed(raw[2:10])).hex()
            tags = [tag for tag in tags if tag == wanted]
        if len(tags) != 1 or raw[1] != 0x20:
            return ["TNR"]
        block = raw[-1]
        data = self.field.memory(tags[0])[BLOCK_BYTES * block : BLOCK_BYTES * (block + 1)]
        if not data:
            return ["TDT", "010F1234", "COK", "NCL"]
        return ["TDT", f"00{data.hex().upper()}B7DD", "COK", "NCL"]
