"""UHF readers with the protocol UHFReader18/UHFReader288 (Chafon CF-RU64xx, CF-MU80x and their like), 1 to 8 antennas.

57600 baud, or TCP. Frame: length (bytes after it), address, command, data, CRC-16/MCRF4XX (low byte first); an answer
has the command it answers and a status before its data. An address of FF asks whoever is there. An inventory is
answered by several frames: status 3 = more follow. Source: UHFReader288 user's manual, captures of CF-RU6403 readers.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from pydantic import Field

from tablectl.base.clock import Clock
from tablectl.drivers.readers.family import Family, Options, Setup
from tablectl.drivers.readers.frames import Step, crc16
from tablectl.drivers.readers.link import Heard, Link, NoAnswer
from tablectl.drivers.readers.sightings import Inventory, Sighting

log = logging.getLogger(__name__)

INVENTORY, INFO, POWER = 0x01, 0x21, 0x2F
DONE, TIME_OVER, MORE, MEMORY_FULL, STATISTICS, ANTENNA_FAULT, NO_TAGS = 0x01, 0x02, 0x03, 0x04, 0x26, 0xF8, 0xFB
#: how a frame that ends an inventory may be called
_ENDS: Final = frozenset({0, DONE, TIME_OVER, MEMORY_FULL, STATISTICS, ANTENNA_FAULT, NO_TAGS})
#: readers tell a number as their type; one that is not here works all the same
TYPES: Final[Mapping[int, str]] = {0x09: "UHFReader18", 0x0C: "UHFReader288M", 0x20: "UHFReader288MP"}
ANYBODY: Final = 0xFF

Fits = Callable[["Frame"], bool]

#: What answers may answer; fewer commands are fewer false beginnings in garbage, for a frame has no header. EE: a
#: report that models for networks send by themselves.
_COMMANDS: Final = frozenset((*range(0x01, 0x10), 0x21, 0x22, 0x24, 0x25, 0x28, 0x2F, 0xEE))
#: the shortest answer: address, command, status, CRC
_SHORTEST: Final = 5
_ANSWER_S: Final = 0.5
_SCAN_UNIT_S: Final = 0.1


@dataclass(frozen=True, slots=True)
class Frame:
    """One answer."""

    address: int
    command: int
    status: int
    data: bytes

    @property
    def info(self) -> Info | None:
        """What the answer to INFO says."""
        d = self.data
        if self.command != INFO or len(d) < 8:
            return None
        return Info(f"{d[0]}.{d[1]:02d}", d[2], max_freq=d[4], min_freq=d[5], power_dbm=d[6], scan_time_100ms=d[7])

    def tags(self, generation: int = 288) -> Tags | None:
        """What an answer to INVENTORY says; None where it is none or its counts are wrong. Readers of generation 18
        tell neither antenna nor strength."""
        if self.command != INVENTORY or self.status in (STATISTICS, ANTENNA_FAULT):
            return None
        if not self.data:
            return Tags(None, ())
        rest, antenna, extra = self.data, None, 0
        if generation == 288:
            antenna, rest, extra = rest[0].bit_length(), rest[1:], 1
        if not rest:
            return None
        count, at, found = rest[0], 1, []
        for _ in range(count):
            if at >= len(rest) or (end := at + 1 + rest[at]) + extra > len(rest):
                return None
            found.append((rest[at + 1 : end], rest[end] if extra else None))
            at = end + extra
        return Tags(antenna, tuple(found)) if at == len(rest) else None


@dataclass(frozen=True, slots=True)
class Info:
    """What a reader tells about itself."""

    firmware: str
    type: int
    max_freq: int
    min_freq: int
    power_dbm: int
    scan_time_100ms: int


@dataclass(frozen=True, slots=True)
class Tags:
    """Tags of one frame: EPC and raw strength (larger is nearer). ``antenna`` counts from 1."""

    antenna: int | None
    tags: tuple[tuple[bytes, int | None], ...]


def build(command: int, data: bytes = b"", address: int = ANYBODY) -> bytes:
    """A question as bytes."""
    body = bytes((len(data) + 4, address, command)) + data
    return body + crc16(body).to_bytes(2, "little")


def inventory(q: int, session: int, antenna: int, scan_100ms: int) -> bytes:
    """Data of INVENTORY for one antenna (from 1): no mask, target A."""
    return bytes((q, session, 1, 0, 0, 0, 0, 0x80 + antenna - 1, scan_100ms))


def look(buffer: bytearray, at: int) -> tuple[Frame, int] | Step:
    """Codec for `frames.Scanner`. The heartbeat of readers in a network (56 00 00 00 00 00) is stepped over: no command
    is 0."""
    if buffer[at] < _SHORTEST:
        return Step.SKIP
    head = buffer[at + 1 : at + 3]
    if head[:1] == b"\xff" or (len(head) == 2 and head[1] not in _COMMANDS):
        return Step.SKIP
    end = at + 1 + buffer[at]
    if len(buffer) < end:
        return Step.WAIT
    if crc16(buffer[at : end - 2]) != int.from_bytes(buffer[end - 2 : end], "little"):
        return Step.BAD
    return Frame(buffer[at + 1], buffer[at + 2], buffer[at + 3], bytes(buffer[at + 4 : end - 2])), end


class Reader288Options(Options):
    """``generation``: 18 for the older type without antenna numbers; ``address``: of the reader on a shared line, 255:
    whoever is there; ``q``: slots of a round are 2 to the power of q; ``scan_100ms``: longest time at an antenna."""

    generation: Literal[18, 288] = 288
    address: int = Field(default=ANYBODY, ge=0, le=255)
    q: int = Field(default=4, ge=0, le=15)
    session: int = Field(default=0, ge=0, le=3)
    scan_100ms: int = Field(default=1, ge=1, le=255)


class Reader288(Family):
    """The conversation with a reader. The memory of tags is not read: no frames of that are known to be right."""

    title = "uhf_reader288"
    baud = 57_600
    antennas = range(1, 9)
    power_dbm = (0.0, 33.0)
    reads_memory = False
    options = Reader288Options

    def __init__(self, setup: Setup, options: Options, clock: Clock) -> None:
        super().__init__(setup, options, clock)
        assert isinstance(options, Reader288Options)
        self._options = options
        self._link: Link[Frame] = Link(setup.name, setup.line, look, clock)
        #: antennas that the reader calls faulty: not plugged in, or badly matched
        self.faulty: set[int] = set()

    async def open(self) -> str:
        await self._link.open()
        try:
            heard = await self._ask(INFO)
        except NoAnswer:
            raise self._link.stranger("a UHF reader of the family UHFReader18/288") from None
        info = heard.frame.info
        if info is None:
            raise self._link.stranger("a UHF reader of the family UHFReader18/288", heard.frame.data.hex(" "))
        wanted = {round(power) for power in self.setup.power_dbm.values()}
        if wanted and wanted != {info.power_dbm}:
            await self._set_power(wanted.pop())
        return f"{TYPES.get(info.type, f'type {info.type:02X}')} {info.firmware}"

    async def close(self) -> None:
        await self._link.close()

    async def _set_power(self, dbm: int) -> None:
        """Only where it differs: the reader keeps it in a memory that wears."""
        try:
            heard = await self._ask(POWER, bytes((dbm,)))
        except NoAnswer:
            raise self._link.unanswered("a change of the power") from None
        if heard.frame.status:
            raise self._link.error(
                f"refuses a power of {dbm} dBm: status {heard.frame.status:02X}", "its consent", "Correct power_dbm."
            )

    async def inventories(self) -> AsyncGenerator[list[Inventory], None]:
        began = self.clock.now()
        while True:
            for antenna in self.setup.antennas:
                found = await self._inventory(antenna)
                if found is not None:
                    yield [found]
            if self.faulty.issuperset(self.setup.antennas):
                raise self._link.error(
                    "calls all antennas faulty", "an antenna", "Check the plugs of the antennas; none may be open."
                )
            began = await self.next_round(began)

    async def _inventory(self, antenna: int) -> Inventory | None:
        """One antenna; None where the reader calls it faulty. Raises DeviceError."""
        options = self._options
        longest = _ANSWER_S + options.scan_100ms * _SCAN_UNIT_S
        data = b""  # readers of generation 18 have one antenna and nothing to choose
        if options.generation == 288:
            data = inventory(options.q, options.session, antenna, options.scan_100ms)

        def fits(frame: Frame) -> bool:
            tags = frame.tags(options.generation)
            if tags is None:
                return frame.command == INVENTORY and frame.status in (STATISTICS, ANTENNA_FAULT)
            return tags.antenna in (None, 0, antenna)

        strengths: dict[str, float | None] = {}
        try:
            heard = await self._ask(INVENTORY, data, fits, longest)
        except NoAnswer:
            raise self._link.unanswered(f"the request for an inventory of antenna {antenna}") from None
        try:
            while True:
                tags = heard.frame.tags(options.generation)
                for epc, strength in tags.tags if tags is not None else ():
                    strengths[epc.hex()] = strength
                if heard.frame.status in _ENDS:
                    break
                heard = await self._link.answer(fits, longest)
        except NoAnswer:  # the end was lost on its way: what came before counts
            await self._link.settle()
        if heard.frame.status == ANTENNA_FAULT:
            self._call_faulty(antenna)
            return None
        self.faulty.discard(antenna)
        return Inventory(heard.t, antenna, tuple(Sighting(epc, s) for epc, s in strengths.items() if epc))

    def _call_faulty(self, antenna: int) -> None:
        if antenna not in self.faulty:
            self.faulty.add(antenna)
            log.warning(
                "%s",
                self._link.error(f"calls antenna {antenna} faulty", "an antenna", "Check its plug; it is left out."),
            )

    async def _ask(
        self, command: int, data: bytes = b"", fits: Fits | None = None, within_s: float = _ANSWER_S
    ) -> Heard[Frame]:
        question = build(command, data, self._options.address)
        return await self._link.ask(question, fits or (lambda frame: frame.command == command), within_s)
