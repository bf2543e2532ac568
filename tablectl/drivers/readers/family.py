"""What a family of readers has to do (`Family`), and the two devices made of it: `Reader` for zones, `LaneReader`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import ClassVar, Final

from pydantic import BaseModel, ConfigDict

from tablectl.base.clock import Clock
from tablectl.base.faults import DeviceError
from tablectl.base.reports import LanePassed, ZoneRead
from tablectl.drivers.readers.sightings import Absence, Inventory, Passages, Sighting, TagFilter, Zones
from tablectl.drivers.serial_line import LineSettings

#: Inventories after which the memory of a tag that cannot be read is not tried again.
_MEMORY_TRIES: Final = 5


class Options(BaseModel):
    """The keys of a family under ``options``."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


@dataclass(frozen=True, slots=True)
class Setup:
    """What a reader is told about its site. ``antennas``: in the order in which they are read; ``power_dbm``: by
    antenna, those left out stay as they are; ``identity``: text that the reader's own name must hold, in any case of
    letters; ``period_s``: seconds for one round over all antennas, 0: without pause."""

    name: str
    line: LineSettings
    antennas: tuple[int, ...]
    power_dbm: Mapping[int, float]
    identity: str = ""
    period_s: float = 0.25


@dataclass(frozen=True, slots=True)
class TagCode:
    """Where in the memory of a tag the code of its tile stands: ``bank`` (UHF), first ``block`` (HF: block or page,
    UHF: word), ``byte`` in it."""

    block: int
    byte: int = 0
    bank: int = 3


class Family(ABC):
    """A conversation with one reader of a family. One object lives as long as its reader is configured."""

    #: what the reader is called in errors
    title: ClassVar[str]
    baud: ClassVar[int] = 115_200
    #: the antennas there may be, by the numbers that stand on the reader
    antennas: ClassVar[range] = range(1, 2)
    #: power in dBm that can be set; none: it is set with the maker's program
    power_dbm: ClassVar[tuple[float, float] | None] = None
    #: whether each antenna may have a power of its own
    power_each: ClassVar[bool] = False
    #: how the UIDs of its tags begin, see `sightings.TagFilter`
    tag_prefixes: ClassVar[tuple[str, ...]] = ()
    #: whether `memory` can read what stands in a tag
    reads_memory: ClassVar[bool] = True
    options: ClassVar[type[Options]] = Options

    def __init__(self, setup: Setup, options: Options, clock: Clock) -> None:
        self.setup = setup
        self.clock = clock

    @abstractmethod
    async def open(self) -> str:
        """Open the line, ask who is there, and make it ready; what it calls itself.

        Raises:
            DeviceError: it cannot be opened, or somebody else is there.
        """

    @abstractmethod
    async def close(self) -> None: ...

    @abstractmethod
    def inventories(self) -> AsyncGenerator[list[Inventory], None]:
        """Inventories of all antennas for ever, one round in a period; a list is what one exchange brought.

        Raises:
            DeviceError: the reader is lost.
        """

    async def sightings(self) -> AsyncGenerator[tuple[float, Sighting], None]:
        """Every answer of a tag at the only antenna, as fast as they come, with its time.

        Raises:
            DeviceError: the reader is lost.
        """
        async with aclosing(self.inventories()) as batches:
            async for inventories in batches:
                for inventory in inventories:
                    for sighting in inventory.sightings:
                        yield inventory.t, sighting

    async def memory(self, tag: str, code: TagCode) -> int | None:
        """The byte of a tag in the field that holds the code of its tile; None where it could not be read.

        Raises:
            DeviceError: the reader is lost.
        """
        raise TypeError(f"{type(self).__name__} does not read the memory of tags")

    async def next_round(self, began: float) -> float:
        """Wait for the end of the period that began at ``began``; the time at which the next begins."""
        now = self.clock.now()
        due = max(began + self.setup.period_s, now)
        await self.clock.sleep(due - now)
        return due


class _Device:
    """What `Reader` and `LaneReader` have in common: a name, a conversation, the codes of tags."""

    def __init__(self, name: str, family: Family, prefixes: Sequence[str], code: TagCode | None) -> None:
        self.name = name
        self.backend = family.title
        #: what the reader called itself when it was opened
        self.identity = ""
        #: tag to the code in its memory, for tile sets that come with codes; filled before a tag is reported
        self.codes: dict[str, int] = {}
        self.family: Final = family
        self._filter = TagFilter(name, prefixes)
        self._code = code
        self._failures: dict[str, int] = {}

    async def open(self) -> None:
        """Raises DeviceError: the port cannot be opened, nobody answers, or another device does."""
        try:
            self.identity = await self.family.open()
        except BaseException:
            await self.family.close()
            raise
        wanted = self.family.setup.identity
        if wanted.lower() not in self.identity.lower():
            await self.family.close()
            raise DeviceError(
                self.name,
                self.family.setup.line.port,
                f"another reader is here: it calls itself {self.identity!r}",
                f"{wanted!r}",
                "Plug in the right one, or correct the keys port and identity.",
            )

    async def close(self) -> None:
        await self.family.close()

    async def _known(self, tag: str) -> bool:
        """Whether a tag can be reported: it is none of another trade, and its code is known where codes are wanted."""
        if not self._filter.passes(tag):
            return False
        if self._code is None or tag in self.codes or self._failures.get(tag, 0) >= _MEMORY_TRIES:
            return True
        value = await self.family.memory(tag, self._code)
        if value is None:
            self._failures[tag] = self._failures.get(tag, 0) + 1
            return self._failures[tag] >= _MEMORY_TRIES
        self.codes[tag] = value
        return True


class Reader(_Device):
    """Satisfies `ports.TileReader`.

    A tag whose memory cannot be read (where ``code`` is wanted) is held back for a few inventories, then reported
    without code: the table tells that it is unknown.
    """

    def __init__(
        self,
        family: Family,
        zones: Mapping[int, str],
        absence: Mapping[str, Absence],
        same_tile_s: float,
        prefixes: Sequence[str] = (),
        code: TagCode | None = None,
    ) -> None:
        super().__init__(family.setup.name, family, prefixes, code)
        self.zones = Zones(self.name, zones, absence, same_tile_s)

    async def inventories(self) -> AsyncGenerator[tuple[ZoneRead, ...], None]:
        """Raises DeviceError: the reader is lost."""
        async with aclosing(self.family.inventories()) as batches:
            async for batch in batches:
                if reads := self.zones.reads([await self._of_tiles(inventory) for inventory in batch]):
                    yield reads

    async def _of_tiles(self, inventory: Inventory) -> Inventory:
        sightings = tuple([s for s in inventory.sightings if await self._known(s.tag)])
        return Inventory(inventory.t, inventory.antenna, sightings)


class LaneReader(_Device):
    """Satisfies `ports.Lane`: a tile that passes is reported once, see `sightings.Passages`."""

    def __init__(
        self, side: int, family: Family, rearm_s: float, prefixes: Sequence[str] = (), code: TagCode | None = None
    ) -> None:
        super().__init__(f"lane.{side}", family, prefixes, code)
        self.side = side
        self._passages = Passages(rearm_s)

    async def passages(self) -> AsyncGenerator[LanePassed, None]:
        """Raises DeviceError: the reader is lost."""
        async with aclosing(self.family.sightings()) as sightings:
            async for t, sighting in sightings:
                if await self._known(sighting.tag) and self._passages.passes(t, sighting.tag):
                    yield LanePassed(t, self.side, sighting.tag)
