"""HF readers for ISO 15693 with frames 7E 55 (AnyID/ThinkShine M32x, R32x, R33x, R34x), with one antenna or several.

9600 to 115200 baud. Frame: 7E 55, length (from the source address to the end of the CRC), source and destination (2
bytes each, the low one first; host 0000, reader 0001, everybody FFFF), in answers 1F, command, 00, parameters,
CRC-16/X-25 from the length on, low byte first. Long form: length 00, and after the command's 00 a length of the
parameters (2 bytes, the low one first). Source: AnyID's protocol V1.1 and captures of R321 readers.

Seen on a wire were version, query (11), read and write of blocks. Push (10) and the scan of several antennas (3F) are
known from the maker's tables alone; where those leave a choice, it is an option (`AnyIDOptions.scan`).
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Final, Literal

from pydantic import Field

from tablectl.base.clock import Clock
from tablectl.drivers.readers.family import Family, Options, Setup, TagCode
from tablectl.drivers.readers.frames import Step, crc16
from tablectl.drivers.readers.link import Heard, Link, NoAnswer
from tablectl.drivers.readers.sightings import Inventory, Sighting

Fits = Callable[["Frame"], bool]

HEAD: Final = b"\x7e\x55"
HOST, READER, EVERYBODY = 0x0000, 0x0001, 0xFFFF
PUSH, QUERY, READ_BLOCKS, WRITE_BLOCKS, SMART, VERSION = 0x10, 0x11, 0x22, 0x23, 0x3F, 0xF7
_ANSWER_MARK: Final = 0x1F
_SEPARATOR: Final = 0xAA
_UID: Final = 8
#: of the long form, whose length has two bytes
MOST_PARAMETERS: Final = 4096

#: The reader wants so long a pause between two requests, and answers within 200 ms (and the time it needs to read).
_GAP_S: Final = 0.05
_ANSWER_S: Final = 0.2
_READ_S: Final = 1.2
#: A reader that pushes is asked who it is when it was silent for so long: that tells a silent lane from a dead one.
_HEARTBEAT_S: Final = 5.0
#: UIDs in one answer; there may be more tags.
_MOST_QUERIES: Final = 8


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame. ``answer``: it carries the mark of answers; the others are requests (a push is one of the reader)."""

    source: int
    destination: int
    answer: bool
    command: int
    data: bytes

    @property
    def version(self) -> str | None:
        """The text of the answer to VERSION; what stands behind its zero is rubbish."""
        if not self.answer or self.command != VERSION:
            return None
        return self.data.partition(b"\x00")[0].decode("ascii", "replace").strip()

    @property
    def query(self) -> tuple[tuple[str, ...], int] | None:
        """UIDs and the number of tags still to come, of the answer to QUERY. None: something else, or malformed."""
        if not self.answer or self.command != QUERY or len(self.data) < 2:
            return None
        records, tail = divmod(len(self.data) - 2, _UID + 1)
        parts = [self.data[n * (_UID + 1) :][: _UID + 1] for n in range(records)]
        if tail or any(part[-1] != _SEPARATOR for part in parts):
            return None
        return tuple(uid(part[:_UID]) for part in parts), self.data[-2]

    @property
    def pushed(self) -> str | None:
        """The UID that the reader pushes."""
        if self.answer or self.command != PUSH or len(self.data) < _UID:
            return None
        return uid(self.data[:_UID])

    @property
    def outcome(self) -> tuple[int, int] | None:
        """Flag and error (0 none, 1 of the tag, 2 CRC, 3 no answer) at the end of an answer about blocks."""
        if not self.answer or self.command not in (READ_BLOCKS, WRITE_BLOCKS) or len(self.data) < 2:
            return None
        return self.data[-2], self.data[-1]

    @property
    def blocks(self) -> tuple[bytes, ...] | None:
        """Blocks of 4 bytes of the answer to READ_BLOCKS."""
        if self.command != READ_BLOCKS or self.outcome is None or (len(self.data) - 2) % 4:
            return None
        return tuple(self.data[n : n + 4] for n in range(0, len(self.data) - 2, 4))

    def scan(self, leading_list: bool = False) -> dict[int, tuple[str, ...]] | None:
        """UIDs by antenna (from 0), of the answer to SMART in mode 1. The count of antennas stands first; then each
        antenna has its index and its tags (count and UIDs), or all indices stand together before all tags
        (``leading_list``). For one antenna both are the same."""
        if not self.answer or self.command != SMART or not self.data:
            return None
        count, at, found = self.data[0], 1, {}
        listed = self.data[1 : 1 + count] if leading_list else b""
        at += len(listed)
        for number in range(count):
            antenna = self.data[at : at + 1]
            if leading_list:
                antenna = listed[number : number + 1]
            else:
                at += 1
            tags = self.data[at] if at < len(self.data) else -1
            end = at + 1 + tags * _UID
            if not antenna or tags < 0 or end > len(self.data):
                return None
            found[antenna[0]] = tuple(uid(self.data[n : n + _UID]) for n in range(at + 1, end, _UID))
            at = end
        return found if len(self.data) - at <= 1 else None  # a flag may end it


def uid(raw: bytes) -> str:
    """A UID as the table writes it; on the wire its low byte comes first."""
    return raw[::-1].hex()


def raw_uid(tag: str) -> bytes:
    """The opposite of `uid`."""
    return bytes.fromhex(tag)[::-1]


def build(
    command: int, data: bytes = b"", *, destination: int = READER, source: int = HOST, answer: bool = False
) -> bytes:
    """A short frame as bytes. Raises ValueError for more parameters than it takes."""
    body = source.to_bytes(2, "little") + destination.to_bytes(2, "little")
    body += bytes((_ANSWER_MARK,)) if answer else b""
    body += bytes((command, 0)) + data
    if len(body) + 2 > 255:
        raise ValueError(f"{len(data)} bytes of parameters do not fit into a short frame")
    body = bytes((len(body) + 2,)) + body
    return HEAD + body + (crc16(body) ^ 0xFFFF).to_bytes(2, "little")


def look(buffer: bytearray, at: int) -> tuple[Frame, int] | Step:
    """Codec for `frames.Scanner`."""
    head = buffer[at : at + 12]
    if head[0] != HEAD[0] or (len(head) > 1 and head[1] != HEAD[1]):
        return Step.SKIP
    if len(head) < 3:
        return Step.WAIT
    if head[2]:
        end = at + 3 + head[2]
    else:  # the long form
        if len(head) > 7 and head[7] != _ANSWER_MARK:
            return Step.SKIP
        if len(head) < 12:
            return Step.WAIT
        parameters = int.from_bytes(head[10:12], "little")
        if parameters > MOST_PARAMETERS:
            return Step.SKIP
        end = at + 12 + parameters + 2
    if len(buffer) < end:
        return Step.WAIT
    if crc16(buffer[at + 2 : end - 2]) ^ 0xFFFF != int.from_bytes(buffer[end - 2 : end], "little"):
        return Step.BAD
    answer = len(head) > 7 and head[7] == _ANSWER_MARK
    command_at = at + 8 if answer else at + 7
    data_at = command_at + 2 if head[2] else at + 12
    if data_at > end - 2:
        return Step.BAD
    source, destination = (int.from_bytes(head[n : n + 2], "little") for n in (3, 5))
    return Frame(source, destination, answer, buffer[command_at], bytes(buffer[data_at : end - 2])), end


class AnyIDOptions(Options):
    """``scan``: how several antennas are read. ``one_by_one``: each with its own request (sure, 50 ms more an antenna);
    ``repeated_index``, ``leading_list``: all with one request, and how its answer is built, see `Frame.scan`. A reader
    with one antenna is asked by ``query``."""

    scan: Literal["query", "one_by_one", "repeated_index", "leading_list"] | None = None
    address: int = Field(default=READER, ge=0, le=0xFFFF)
    lane: Literal["push", "poll"] = "push"


class AnyID(Family):
    """The conversation with a reader. Its power, and whether it pushes, are set with the maker's program."""

    title = "hf_anyid_7e55"
    antennas = range(1, 33)
    tag_prefixes = ("e0",)
    options = AnyIDOptions

    def __init__(self, setup: Setup, options: Options, clock: Clock) -> None:
        super().__init__(setup, options, clock)
        assert isinstance(options, AnyIDOptions)
        self._options = options
        self._scan = options.scan or ("query" if len(setup.antennas) == 1 else "one_by_one")
        self._link: Link[Frame] = Link(
            setup.name, setup.line, look, clock, unasked=lambda frame: frame.pushed is not None, gap_s=_GAP_S
        )

    async def open(self) -> str:
        await self._link.open()
        return await self._version()

    async def close(self) -> None:
        await self._link.close()

    async def _version(self) -> str:
        try:
            heard = await self._ask(VERSION, b"", lambda frame: frame.version is not None, destination=EVERYBODY)
        except NoAnswer:
            raise self._link.stranger("an HF reader with frames 7E 55") from None
        return heard.frame.version or ""

    # --- zones

    async def inventories(self) -> AsyncGenerator[list[Inventory], None]:
        began = self.clock.now()
        while True:
            try:
                if self._scan == "query":
                    yield [await self._query(self.setup.antennas[0])]
                elif self._scan == "one_by_one":
                    for antenna in self.setup.antennas:
                        yield await self._smart((antenna,))
                else:
                    yield await self._smart(self.setup.antennas)
            except NoAnswer:
                raise self._link.unanswered("the request for an inventory") from None
            began = await self.next_round(began)

    async def _query(self, antenna: int) -> Inventory:
        """All tags in the field; of more than 25 the rest is asked for."""
        tags: dict[str, None] = {}
        for _ in range(_MOST_QUERIES):
            heard = await self._ask(QUERY, b"\x00", lambda frame: frame.query is not None, _READ_S)
            uids, remaining = heard.frame.query or ((), 0)
            before = len(tags)
            tags.update(dict.fromkeys(uids))
            if not remaining or len(tags) == before:
                break
        return Inventory(heard.t, antenna, tuple(map(Sighting, tags)))

    async def _smart(self, antennas: Sequence[int]) -> list[Inventory]:
        """Several antennas in one exchange. On the wire they count from 0."""
        indices = [antenna - 1 for antenna in antennas]
        which = bytes(indices) if len(indices) == 1 else bytes((0xFF, len(indices), *indices))
        leading = self._scan == "leading_list"

        def fits(frame: Frame) -> bool:
            found = frame.scan(leading)
            return found is not None and found.keys() <= set(indices)

        heard = await self._ask(SMART, which + b"\x01", fits, _READ_S * len(antennas))
        found = heard.frame.scan(leading) or {}
        return [
            Inventory(heard.t, index + 1, tuple(map(Sighting, found[index]))) for index in indices if index in found
        ]

    # --- lanes

    async def sightings(self) -> AsyncGenerator[tuple[float, Sighting], None]:
        """The reader pushes every tag, and pushes it again until the host has acknowledged it."""
        if self._options.lane == "poll":
            async with aclosing(super().sightings()) as polled:
                async for sighting in polled:
                    yield sighting
        while True:
            try:
                heard = await self._link.heard(_HEARTBEAT_S)
            except NoAnswer:
                await self._version()
                continue
            if (tag := heard.frame.pushed) is not None:
                self._link.write(build(PUSH, b"\x00", destination=heard.frame.source, answer=True))
                yield heard.t, Sighting(tag)

    # --- memory

    async def memory(self, tag: str, code: TagCode) -> int | None:
        question = raw_uid(tag) + bytes((code.block, 1))

        def fits(frame: Frame) -> bool:
            return frame.command == READ_BLOCKS and frame.outcome is not None

        try:
            heard = await self._ask(READ_BLOCKS, question, fits, _READ_S)
        except NoAnswer:
            return None
        blocks = heard.frame.blocks
        if heard.frame.outcome != (0, 0) or not blocks or code.byte >= len(blocks[0]):
            return None
        return blocks[0][code.byte]

    async def _ask(
        self, command: int, data: bytes, fits: Fits, within_s: float = _ANSWER_S, destination: int | None = None
    ) -> Heard[Frame]:
        to = self._options.address if destination is None else destination
        return await self._link.ask(build(command, data, destination=to), fits, within_s)
