"""PN532 boards on a serial line (HSU) for tags of ISO 14443 type A (NTAG, MIFARE): one antenna, two tags at most.

115200 baud. Frame: 00 00 FF, length, its complement, TFI (D4 to the chip, D5 from it) and data, a byte that makes
their sum 0, 00. A command is acknowledged (00 00 FF 00 FF 00) before it is answered. Source: NXP's PN532 user manual
(UM0701-02), captures. It is meant for the desk where tiles are enrolled, not for zones: two cards an antenna, ten polls
a second.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from enum import Enum
from typing import Final

from tablectl.base.clock import Clock
from tablectl.drivers.readers.family import Family, Options, Setup, TagCode
from tablectl.drivers.readers.frames import Step
from tablectl.drivers.readers.link import Heard, Link, NoAnswer
from tablectl.drivers.readers.sightings import Inventory, Sighting

START: Final = b"\x00\x00\xff"
TO_CHIP, FROM_CHIP, ERROR = 0xD4, 0xD5, 0x7F
VERSION, SAM, RF, LIST, EXCHANGE = 0x02, 0x14, 0x32, 0x4A, 0x40
#: 55 wakes the chip, zeros give it the time to wake
WAKE: Final = b"\x55\x55" + bytes(14)
ACK_BYTES: Final = b"\x00\x00\xff\x00\xff\x00"
#: of an extended frame (those over 255 bytes); the chip has no longer ones
MOST_BYTES: Final = 265

_SENDERS: Final = (bytes((TO_CHIP,)), bytes((FROM_CHIP,)), bytes((ERROR,)))
#: read 16 bytes from a page (NTAG) or a block on
_READ_PAGE: Final = 0x30
_ANSWER_S: Final = 0.3
#: RF configuration item 5: tries to find a tag before a poll is answered
_RETRIES: Final = bytes((5, 0xFF, 0x01, 0x01))


class Kind(Enum):
    """What a frame is."""

    ACK = "ack"
    NACK = "nack"
    ERROR = "error"
    DATA = "data"


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame; ``data`` is what follows the TFI."""

    kind: Kind
    tfi: int = 0
    data: bytes = b""

    def answers(self, command: int) -> bool:
        return self.tfi == FROM_CHIP and self.data[:1] == bytes((command + 1,))

    @property
    def version(self) -> Version | None:
        """What the answer to VERSION says."""
        return Version(*self.data[1:5]) if self.answers(VERSION) and len(self.data) == 5 else None

    @property
    def targets(self) -> tuple[Target, ...] | None:
        """Tags of type A of the answer to LIST; None where it is none or malformed."""
        if not self.answers(LIST) or len(self.data) < 2:
            return None
        at, found = 2, []
        for _ in range(self.data[1]):
            record = self.data[at:]
            if len(record) < 5 or len(record) < 5 + record[4]:
                return None
            found.append(Target(record[0], record[1:3], record[3], record[5 : 5 + record[4]]))
            at += 5 + record[4]
            if record[3] & 0x20:  # a tag of type 4 adds its ATS, which begins with its own length
                at += self.data[at] if at < len(self.data) else 0
        return tuple(found)


@dataclass(frozen=True, slots=True)
class Version:
    """Chip (0x32 = PN532), firmware, what it supports."""

    ic: int
    ver: int
    rev: int
    support: int


@dataclass(frozen=True, slots=True)
class Target:
    """A tag: the number the chip gave it, its answers to anticollision, its UID."""

    number: int
    atqa: bytes
    sak: int
    uid: bytes


def build(data: bytes, tfi: int = TO_CHIP) -> bytes:
    """A frame as bytes; ``data`` begins with the command. Raises ValueError: too long."""
    body = bytes((tfi,)) + data
    if len(body) > MOST_BYTES:
        raise ValueError(f"{len(data)} bytes of data; the chip takes {MOST_BYTES - 1}")
    if len(body) < 256:
        length = bytes((len(body), -len(body) & 0xFF))
    else:
        high, low = divmod(len(body), 256)
        length = bytes((0xFF, 0xFF, high, low, -(high + low) & 0xFF))
    return START + length + body + bytes((-sum(body) & 0xFF, 0))


def look(buffer: bytearray, at: int) -> tuple[Frame, int] | Step:
    """Codec for `frames.Scanner`."""
    head = buffer[at : at + 8]
    if head[:3] != START[: len(head)]:
        return Step.SKIP
    if len(head) < 5:
        return Step.WAIT
    length, check = head[3], head[4]
    if (length, check) in ((0, 0xFF), (0xFF, 0)):
        return Frame(Kind.NACK if length else Kind.ACK), at + 5 + head[5:6].startswith(b"\x00")
    data_at = at + 5
    if (length, check) == (0xFF, 0xFF):
        if len(head) < 8:
            return Step.WAIT
        length, check = head[5] * 256 + head[6], head[5] + head[6] + head[7]
        if check & 0xFF or length > MOST_BYTES:
            return Step.BAD
        data_at = at + 8
    elif (length + check) & 0xFF:
        return Step.BAD
    end = data_at + length + 1
    if len(buffer) < end:
        return Step.WAIT
    body = bytes(buffer[data_at : end - 1])
    if body[:1] not in _SENDERS or sum(buffer[data_at:end]) & 0xFF:
        return Step.BAD
    return Frame(Kind.ERROR if body == bytes((ERROR,)) else Kind.DATA, body[0], body[1:]), end


class PN532(Family):
    """The conversation with a chip."""

    title = "nfc_pn532_hsu"
    antennas = range(1, 2)

    def __init__(self, setup: Setup, options: Options, clock: Clock) -> None:
        super().__init__(setup, options, clock)
        self._link: Link[Frame] = Link(setup.name, setup.line, look, clock)
        self._numbers: dict[str, int] = {}

    async def open(self) -> str:
        await self._link.open()
        self._link.write(WAKE + ACK_BYTES)
        try:
            await self._ask(bytes((SAM, 1, 0)), wake=True)
            heard = await self._ask(bytes((VERSION,)))
        except NoAnswer:
            raise self._link.stranger("an NFC chip PN532") from None
        version = heard.frame.version
        if version is None or version.ic != 0x32:
            raise self._link.stranger("an NFC chip PN532", heard.frame.data.hex(" "))
        try:
            await self._ask(bytes((RF,)) + _RETRIES)
        except NoAnswer:
            raise self._link.unanswered("a change of its retries") from None
        return f"PN532 {version.ver}.{version.rev}"

    async def close(self) -> None:
        await self._link.close()

    async def inventories(self) -> AsyncGenerator[list[Inventory], None]:
        (antenna,) = self.setup.antennas
        began = self.clock.now()
        while True:
            try:
                heard = await self._ask(bytes((LIST, 2, 0)), wake=True)
            except NoAnswer:
                raise self._link.unanswered("a poll for tags") from None
            targets = heard.frame.targets or ()
            self._numbers = {target.uid.hex(): target.number for target in targets}
            yield [Inventory(heard.t, antenna, tuple(map(Sighting, self._numbers)))]
            began = await self.next_round(began)

    async def memory(self, tag: str, code: TagCode) -> int | None:
        """A byte of a page of an NTAG; it must be in the field since the last inventory."""
        number = self._numbers.get(tag)
        if number is None:
            return None
        try:
            heard = await self._ask(bytes((EXCHANGE, number, _READ_PAGE, code.block)))
        except NoAnswer:
            return None
        status, data = heard.frame.data[1:2], heard.frame.data[2:]
        return data[code.byte] if status == b"\x00" and code.byte < len(data) else None

    async def _ask(self, data: bytes, *, wake: bool = False) -> Heard[Frame]:
        """An acknowledgement is awaited together with the answer: the two come glued, or in pieces."""

        def fits(frame: Frame) -> bool:
            return frame.kind is Kind.ERROR or frame.answers(data[0])

        question = (WAKE if wake else b"") + build(data)
        heard = await self._link.ask(question, fits, _ANSWER_S)
        if heard.frame.kind is Kind.ERROR:
            raise self._link.error(f"refuses the command {data[0]:02X}", "an answer", "Check which board is connected.")
        return heard
