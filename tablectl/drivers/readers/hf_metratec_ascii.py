"""metraTec readers for ISO 15693 with the ASCII protocol: DeskID ISO, QR15, Dwarf15, UM15, QuasarMX and QuasarLR with a
multiplexer, antennas 0 to 15.

115200 baud, or TCP port 10001. Commands and answers are lines that end with CR; after ``EOF`` a line feed ends each
answer too, so nothing depends on pauses. Source: metraTec's ISO 15693 protocol guide 3.x, comments of the maker's SDK.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from tablectl.base.clock import Clock
from tablectl.drivers.readers.family import Family, Options, Setup, TagCode
from tablectl.drivers.readers.frames import Step
from tablectl.drivers.readers.link import Heard, Link, NoAnswer
from tablectl.drivers.readers.sightings import Inventory, Sighting

Fits = Callable[[list[str]], bool]

CR, LF = 0x0D, 0x0A
#: A longer line is none.
MOST_CHARACTERS: Final = 120
#: Lines that a reader sends by itself.
HEARTBEAT: Final = "HBT"
#: The reader started again, or lost its settings: it must be set up again.
RESTARTED: Final = ("SRT", "RNW")
REFUSALS: Final = {
    "UCO": "unknown command",
    "UPA": "unknown parameter",
    "WPA": "wrong parameter",
    "NOS": "not supported",
    "CCE": "checksums are switched on",
}

_UID: Final = re.compile(r"[0-9A-F]{16}")
_COUNT: Final = re.compile(r"IVF (\d+)")
_ANTENNA: Final = re.compile(r"ARP (\d+)")
_ANSWER_S: Final = 0.5
_READ_S: Final = 2.0
_SILENT_S: Final = 3.0


@dataclass(frozen=True, slots=True)
class Line:
    """One line without its end; "" for a line feed, which ends an answer."""

    text: str


END: Final = Line("")


def look(buffer: bytearray, at: int) -> tuple[Line, int] | Step:
    """Codec for `frames.Scanner`. What holds other than printable characters is no line."""
    if buffer[at] == LF:
        return END, at + 1
    if not 0x20 <= buffer[at] <= 0x7E:
        return Step.SKIP
    end = buffer.find(CR, at, at + MOST_CHARACTERS + 1)
    text = buffer[at : end if end >= 0 else at + MOST_CHARACTERS + 1]
    if any(not 0x20 <= byte <= 0x7E for byte in text) or (end < 0 and len(text) > MOST_CHARACTERS):
        return Step.SKIP
    return (Line(text.decode("ascii")), end + 1) if end >= 0 else Step.WAIT


def build(command: str, *parameters: object) -> bytes:
    """A command as bytes. ``INV`` has a blank before its end even without parameters."""
    words = [command, *map(str, parameters)]
    return (" ".join(words) + (" " if command == "INV" and not parameters else "")).encode("ascii") + b"\r"


@dataclass(frozen=True, slots=True)
class Tags:
    """UIDs of one inventory as the reader writes them, the antenna where it tells it, and the count it tells."""

    uids: tuple[str, ...]
    antenna: int | None
    count: int

    @property
    def complete(self) -> bool:
        return self.count == len(self.uids)


def tags(lines: Sequence[str]) -> Tags | None:
    """What an answer to ``INV`` says; None where it is none."""
    count = _COUNT.fullmatch(lines[-1]) if lines else None
    if count is None:
        return None
    antennas = [int(found[1]) for line in lines if (found := _ANTENNA.fullmatch(line))]
    uids = tuple(line for line in lines if _UID.fullmatch(line))
    return Tags(uids, antennas[-1] if antennas else None, int(count[1]))


def tag_data(lines: Sequence[str]) -> bytes | None:
    """What an answer to ``REQ`` says: the data of the tag, without its flags (first byte) and CRC (last two). None
    where there is none, or where it is wrong."""
    if len(lines) < 4 or lines[0] != "TDT" or lines[2:4] != ["COK", "NCL"]:
        return None
    raw = bytes.fromhex(lines[1]) if re.fullmatch(r"([0-9A-F]{2})+", lines[1]) else b""
    return raw[1:-2] if len(raw) > 3 and not raw[0] & 1 else None


class MetratecOptions(Options):
    """``carrier``: single (``SS``) or double subcarrier (``DS``); ``rf_power``: per cent, or milliwatts on a Quasar."""

    carrier: Literal["SS", "DS"] = "SS"
    rf_power: int = 100


class Metratec(Family):
    """The conversation with a reader."""

    title = "hf_metratec_ascii"
    antennas = range(0, 16)
    tag_prefixes = ("e0",)
    options = MetratecOptions

    def __init__(self, setup: Setup, options: Options, clock: Clock) -> None:
        super().__init__(setup, options, clock)
        assert isinstance(options, MetratecOptions)
        self._options = options
        self._link: Link[Line] = Link(setup.name, setup.line, look, clock)
        self._antenna: int | None = None

    async def open(self) -> str:
        await self._link.open()
        return await self._begin()

    async def close(self) -> None:
        await self._link.close()

    async def _begin(self) -> str:
        """Who is there, and all settings."""
        family = "a metraTec reader for ISO 15693"
        self._antenna = None
        try:
            await self._link.ask(build("BRK"), lambda line: line.text in ("BRA", "NCM"), _ANSWER_S)
            await self._link.ask(build("EOF"), lambda line: line.text.startswith("OK"), _ANSWER_S)
            identity = await self._lines("HWR")
            if "UCO" in identity:
                identity = await self._lines("REV")
        except NoAnswer:
            raise self._link.stranger(family) from None
        if not identity or identity[0] in REFUSALS:
            raise self._link.stranger(family, repr(identity))
        await self._set("SRI", self._options.carrier, self._options.rf_power)
        if len(self.setup.antennas) > 1:
            await self._set("SAP", "ARP", "ON")
        return identity[0].strip()

    # --- zones and lanes

    async def inventories(self) -> AsyncGenerator[list[Inventory], None]:
        began = self.clock.now()
        while True:
            for antenna in self.setup.antennas:
                try:
                    found = await self._inventory(antenna)
                except _Restarted:
                    await self._begin()
                    continue
                yield [found]
            began = await self.next_round(began)

    async def _inventory(self, antenna: int) -> Inventory:
        """Raises _Restarted, DeviceError."""
        if len(self.setup.antennas) > 1 and antenna != self._antenna:
            await self._set("SAP", "MAN", antenna)
            self._antenna = antenna
        for _ in range(2):
            t, found = await self._tags("INV")
            if found.complete and found.antenna in (None, antenna):
                break
        return Inventory(t, antenna, _sightings(found))

    async def _tags(self, command: str) -> tuple[float, Tags]:
        try:
            answer = await self._answer(build(command), lambda lines: tags(lines) is not None, _READ_S)
        except NoAnswer:
            raise self._link.unanswered("the request for an inventory") from None
        found = tags(answer.frame)
        assert found is not None
        return answer.t, found

    async def sightings(self) -> AsyncGenerator[tuple[float, Sighting], None]:
        """The reader repeats its inventory without end (``CNR INV``)."""
        self._link.write(build("CNR", "INV"))
        lines: list[str] = []
        while True:
            try:
                heard = await self._link.heard(_SILENT_S)
            except NoAnswer:
                raise self._link.unanswered("the request for inventories without end") from None
            if heard.frame.text.startswith(RESTARTED):
                await self._begin()
                self._link.write(build("CNR", "INV"))
            elif heard.frame != END and not _COUNT.fullmatch(heard.frame.text):
                lines.append(heard.frame.text)
                continue
            elif (found := tags([*lines, heard.frame.text])) is not None:
                for sighting in _sightings(found):
                    yield heard.t, sighting
            lines.clear()

    async def memory(self, tag: str, code: TagCode) -> int | None:
        """Reads the block with a raw request of ISO 15693: flags 22 (this UID only, fast), command 20."""
        request = f"2220{bytes.fromhex(tag)[::-1].hex().upper()}{code.block:02X}"

        def fits(lines: list[str]) -> bool:
            return lines[:1] in (["TDT"], ["TNR"])

        try:
            answer = await self._answer(build("REQ", request, "CRC"), fits, _ANSWER_S)
        except (NoAnswer, _Restarted):
            return None
        data = tag_data(answer.frame)
        return data[code.byte] if data is not None and code.byte < len(data) else None

    # --- questions

    async def _answer(self, question: bytes, fits: Fits, within_s: float, tries: int = 3) -> Heard[list[str]]:
        """The lines of the first answer that fits; ``UCO`` and its like fit always. Raises NoAnswer, _Restarted."""
        for _ in range(tries):
            try:
                heard = await self._link.ask(question, lambda line: True, within_s, tries=1)
                lines: list[str] = []
                while True:
                    text = heard.frame.text
                    if text.startswith(RESTARTED):
                        raise _Restarted
                    if heard.frame != END:
                        lines += [text] if text.split()[0] != HEARTBEAT else []
                    elif lines and (fits(lines) or lines[0] in REFUSALS):
                        return Heard(heard.t, lines)
                    else:
                        lines = []
                    heard = await self._link.answer(lambda line: True, within_s)
            except NoAnswer:
                await self._link.settle()
        raise NoAnswer

    async def _lines(self, *command: object) -> list[str]:
        """The answer to a question, whatever it says. Raises NoAnswer, _Restarted."""
        return (await self._answer(build(*map(str, command)), lambda lines: True, _ANSWER_S)).frame

    async def _set(self, *command: object) -> None:
        """Raises DeviceError: no answer, or the reader refuses."""
        what = " ".join(map(str, command))
        try:
            answer = await self._answer(build(what), lambda lines: lines == ["OK!"], _ANSWER_S)
        except NoAnswer:
            raise self._link.unanswered(what) from None
        if (said := REFUSALS.get(answer.frame[0])) is not None:
            raise self._link.error(f"refuses {what}: {said}", "OK!", "Correct antennas and options of this reader.")


class _Restarted(Exception):
    """The reader lost its settings."""


def _sightings(found: Tags) -> tuple[Sighting, ...]:
    return tuple(Sighting(text.lower()) for text in dict.fromkeys(found.uids))
