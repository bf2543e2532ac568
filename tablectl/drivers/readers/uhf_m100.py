"""UHF modules with the chip M100/QM100: YRM100, JRD-4035 (M5Stack), YanPodo R200, JRM20x0 and their like.

115200 baud. Frame: header, type (0 command, 1 answer, 2 notification), command, length (2 bytes, the high one first),
parameters, sum (low byte of the sum of everything from type to the last parameter), tail. There is no escaping, so only
the length tells where a frame ends. Header and tail differ from maker to maker (`VARIANTS`). Source: MagicRF's M100
protocol, YanPodo's R200 manual V2.3.3.

The module reads without end ("multiple inventory"); a round without tags is answered by error 0x15, which is no fault.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from pydantic import Field

from tablectl.base.clock import Clock
from tablectl.drivers.readers.family import Family, Options, Setup, TagCode
from tablectl.drivers.readers.frames import Step
from tablectl.drivers.readers.link import Heard, Link, NoAnswer
from tablectl.drivers.readers.sightings import Inventory, Sighting

#: name in the configuration: header and tail
VARIANTS: Final[Mapping[str, tuple[int, int]]] = {
    "bb7e": (0xBB, 0x7E),  # M100, YRM100, M5Stack
    "aadd": (0xAA, 0xDD),  # YanPodo R200
    "aa8e": (0xAA, 0x8E),  # JRM20x0
}
_BY_ENDS: Final = {ends: name for name, ends in VARIANTS.items()}
_HEADERS: Final = {header for header, _ in VARIANTS.values()}

COMMAND, ANSWER, NOTICE = 0, 1, 2
INFO, REGION, SELECT, QUERY, SELECT_MODE = 0x03, 0x07, 0x0C, 0x0E, 0x12
INVENTORY, MULTI, STOP, READ, POWER, ERROR = 0x22, 0x27, 0x28, 0x39, 0xB6, 0xFF
#: the answer to SELECT_MODE carries the command of SELECT
_ANSWERED_AS: Final = {SELECT_MODE: (SELECT_MODE, SELECT)}

NO_TAG, UNKNOWN_COMMAND, NO_CHANNEL = 0x15, 0x17, 0x20
ERRORS: Final[Mapping[int, str]] = {
    0x09: "the tag could not be read",
    0x10: "the tag could not be written",
    0x13: "the tag could not be locked",
    0x15: "no tag",
    0x16: "wrong access password",
    0x17: "unknown command",
    0x20: "no free channel",
}
REGIONS: Final[Mapping[str, int]] = {"cn900": 1, "us": 2, "eu": 3, "cn800": 4, "jp": 5, "kr": 6}

_ROUNDS: Final = 0xFFFF
_ANSWER_S: Final = 0.3
#: Even a round without tags is told, so this long a silence is none of the field.
_SILENT_S: Final = 0.5
_SILENCES: Final = 3


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame. ``variant``: see `VARIANTS`."""

    variant: str
    type: int
    command: int
    data: bytes

    @property
    def error(self) -> int | None:
        """The code of an error answer."""
        return self.data[0] if self.type == ANSWER and self.command == ERROR and self.data else None

    @property
    def tag(self) -> TagNotice | None:
        """What a notification of an inventory says."""
        if self.type != NOTICE or self.command not in (INVENTORY, MULTI) or len(self.data) < 5:
            return None
        rssi = int.from_bytes(self.data[:1], "big", signed=True)
        pc, crc = (int.from_bytes(word, "big") for word in (self.data[1:3], self.data[-2:]))
        return TagNotice(rssi, pc, self.data[3:-2], crc)

    @property
    def memory(self) -> TagMemory | None:
        """What the answer to a read says."""
        if self.type != ANSWER or self.command != READ or not self.data or self.data[0] < 2:
            return None
        length = self.data[0]
        if len(self.data) < 1 + length:
            return None
        return TagMemory(int.from_bytes(self.data[1:3], "big"), self.data[3 : 1 + length], self.data[1 + length :])


@dataclass(frozen=True, slots=True)
class TagNotice:
    """A tag that answered: strength in dBm, protocol control word, EPC, CRC of the tag."""

    rssi_dbm: int
    pc: int
    epc: bytes
    crc: int


@dataclass(frozen=True, slots=True)
class TagMemory:
    """Words read out of a tag."""

    pc: int
    epc: bytes
    data: bytes


def build(command: int, data: bytes = b"", variant: str = "bb7e", type_: int = COMMAND) -> bytes:
    """A frame as bytes."""
    header, tail = VARIANTS[variant]
    body = bytes((type_, command, *len(data).to_bytes(2, "big"))) + data
    return bytes((header, *body, sum(body) & 0xFF, tail))


def look(buffer: bytearray, at: int) -> tuple[Frame, int] | Step:
    """Codec for `frames.Scanner`; all variants."""
    if buffer[at] not in _HEADERS:
        return Step.SKIP
    head = buffer[at : at + 5]
    if (len(head) > 1 and head[1] > NOTICE) or (len(head) > 3 and head[3]):
        return Step.SKIP
    if len(head) < 5:
        return Step.WAIT
    end = at + 7 + head[4]
    if len(buffer) < end:
        return Step.WAIT
    variant = _BY_ENDS.get((buffer[at], buffer[end - 1]))
    if variant is None or sum(buffer[at + 1 : end - 2]) & 0xFF != buffer[end - 2]:
        return Step.BAD
    return Frame(variant, head[1], head[2], bytes(buffer[at + 5 : end - 2])), end


def select(epc: bytes) -> bytes:
    """Parameters of SELECT: only the tag with this EPC (bank 1, from bit 0x20)."""
    return bytes((0x01, 0, 0, 0, 0x20, len(epc) * 8, 0)) + epc


def read(bank: int, word: int, words: int, password: bytes = bytes(4)) -> bytes:
    """Parameters of READ."""
    return password + bytes((bank,)) + word.to_bytes(2, "big") + words.to_bytes(2, "big")


class M100Options(Options):
    """``variant``: header and tail, found out by asking where it is ``auto``; ``q``: slots of a round are 2 to the
    power of q, session 0; ``region``: see `REGIONS`; left out, both stay as they are."""

    variant: Literal["auto", "bb7e", "aadd", "aa8e"] = "auto"
    q: int | None = Field(default=None, ge=0, le=15)
    region: Literal["cn900", "us", "eu", "cn800", "jp", "kr"] | None = None


class M100(Family):
    """The conversation with a module."""

    title = "uhf_m100"
    power_dbm = (5.0, 30.0)
    options = M100Options

    def __init__(self, setup: Setup, options: Options, clock: Clock) -> None:
        super().__init__(setup, options, clock)
        assert isinstance(options, M100Options)
        self._options = options
        self._link: Link[Frame] = Link(setup.name, setup.line, look, clock, unasked=lambda frame: frame.type == NOTICE)
        self._variant = "bb7e"
        self._reading = False
        self._silent_since = 0.0
        self._restarts = 0

    async def open(self) -> str:
        await self._link.open()
        identity = await self._identify()
        options = self._options
        if options.region is not None:
            await self._set(REGION, bytes((REGIONS[options.region],)), "the region")
        for power in self.setup.power_dbm.values():
            await self._set(POWER, round(power * 100).to_bytes(2, "big"), "the power")
        if options.q is not None:
            await self._set(QUERY, (0x1000 | options.q << 3).to_bytes(2, "big"), "the query parameters")
        await self._set(SELECT_MODE, b"\x01", "the select mode")
        return identity

    async def close(self) -> None:
        await self._link.close()
        self._reading = False

    async def _identify(self) -> str:
        """Which variant answers the question for the hardware's name. A module that was left reading is stopped first;
        that also wakes one that sleeps, which loses the first frame."""
        wanted = self._options.variant
        for variant in VARIANTS if wanted == "auto" else (wanted,):
            self._variant = variant
            self._link.write(build(STOP, variant=variant))
            try:
                heard = await self._ask(INFO, b"\x00", tries=2)
            except NoAnswer:
                continue
            self._reading = False
            return heard.frame.data[1:].decode("ascii", "replace").strip("\x00 ")
        raise self._link.stranger("a UHF module of the M100 family")

    async def inventories(self) -> AsyncGenerator[list[Inventory], None]:
        (antenna,) = self.setup.antennas
        began = self.clock.now()
        while True:
            end = began + self.setup.period_s
            strengths: dict[str, float] = {}
            while (left := end - self.clock.now()) > 0:
                heard = await self._next(left)
                if heard is not None and (tag := heard.frame.tag) is not None:
                    epc = tag.epc.hex()
                    strengths[epc] = max(tag.rssi_dbm, strengths.get(epc, tag.rssi_dbm))
            sightings = tuple(Sighting(epc, strength) for epc, strength in strengths.items())
            yield [Inventory(self.clock.now(), antenna, sightings)]
            began = max(end, self.clock.now() - self.setup.period_s)

    async def sightings(self) -> AsyncGenerator[tuple[float, Sighting], None]:
        while True:
            heard = await self._next(_SILENT_S)
            if heard is not None and (tag := heard.frame.tag) is not None:
                yield heard.t, Sighting(tag.epc.hex(), tag.rssi_dbm)

    async def memory(self, tag: str, code: TagCode) -> int | None:
        await self._stop()
        epc = bytes.fromhex(tag)
        await self._set(SELECT, select(epc), "the selection")
        await self._set(SELECT_MODE, b"\x00", "the select mode")
        try:
            heard = await self._ask(READ, read(code.bank, code.block, code.byte // 2 + 1))
        except NoAnswer:
            raise self._link.unanswered("the question for a tag's memory") from None
        finally:
            await self._set(SELECT_MODE, b"\x01", "the select mode")
        memory = heard.frame.memory
        if memory is None or memory.epc != epc or len(memory.data) <= code.byte:
            return None
        return memory.data[code.byte]

    # --- the stream of notifications

    async def _next(self, within_s: float) -> Heard[Frame] | None:
        """The next frame of the stream, or None. The stream is started where it does not run, and again where nothing
        came for long. Raises DeviceError where even that brings nothing."""
        if not self._reading:
            self._silent_since, self._restarts = self.clock.now(), 0
            self._start()
        try:
            heard = await self._link.heard(within_s)
        except NoAnswer:
            if self.clock.now() - self._silent_since >= _SILENT_S:
                self._restarts += 1
                if self._restarts >= _SILENCES:
                    raise self._link.unanswered("the request for an inventory") from None
                self._silent_since = self.clock.now()
                self._start()
            return None
        self._silent_since, self._restarts = self.clock.now(), 0
        if heard.frame.error in (UNKNOWN_COMMAND, NO_CHANNEL):
            raise self._link.error(f"cannot read: {_said(heard.frame)}", "an inventory", "Check region and module.")
        return heard

    def _start(self) -> None:
        self._link.write(build(MULTI, b"\x22" + _ROUNDS.to_bytes(2, "big"), self._variant))
        self._reading = True

    async def _stop(self) -> None:
        """Stop reading. The answer may come after notifications that were on their way."""
        if self._reading:
            await self._set(STOP, b"", "the request to stop")
            self._reading = False

    # --- questions

    async def _ask(self, command: int, data: bytes, tries: int = 3) -> Heard[Frame]:
        answers = _ANSWERED_AS.get(command, (command,))

        def fits(frame: Frame) -> bool:
            if frame.type != ANSWER or frame.variant != self._variant:
                return False
            return frame.command in answers or frame.error not in (None, NO_TAG)

        return await self._link.ask(build(command, data, self._variant), fits, _ANSWER_S, tries=tries)

    async def _set(self, command: int, data: bytes, what: str) -> None:
        """Raises DeviceError: no answer, or the module refuses."""
        try:
            heard = await self._ask(command, data)
        except NoAnswer:
            raise self._link.unanswered(f"a change of {what}" if command != STOP else what) from None
        if heard.frame.error is not None or heard.frame.data != b"\x00":
            raise self._link.error(f"refuses {what}: {_said(heard.frame)}", "its consent", "Correct the configuration.")


def _said(frame: Frame) -> str:
    """An answer that is no consent, in words."""
    code = frame.error
    return frame.data.hex(" ") if code is None else ERRORS.get(code, f"error {code:02X}")
