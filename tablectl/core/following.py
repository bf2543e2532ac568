"""Takes in what readers, lanes and keys say, and brings back a reader that was lost."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, TypeVar

from tablectl.base.clock import Clock
from tablectl.base.faults import DeviceError, FaultLatch
from tablectl.base.heartbeat import Heartbeat
from tablectl.base.reports import LanePassed, ZoneRead
from tablectl.ports import Device, Lane, TileReader

#: seconds until a reader that was lost is tried again: the first time, and at most
RETRY_SECONDS: Final = (0.5, 4.0)
#: seconds after which a reader that neither reads nor is tried again hangs
HANGS_SECONDS: Final = 45.0
#: seconds in which a reader that is there has been opened: a start waits no longer for one
OPENS_SECONDS: Final = 5.0

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Following:
    """A lost reader is a fault that ends by itself when it is back; one that hangs misses its ``heartbeat``."""

    clock: Clock
    faults: FaultLatch
    heartbeat: Heartbeat
    #: where those are that were not opened yet, nor failed to
    _untried: set[str] = field(default_factory=set)
    _one_tried: asyncio.Event = field(default_factory=asyncio.Event)

    async def tried(self) -> None:
        """Wait until every device that is followed was tried once. One that takes longer than `OPENS_SECONDS` is a
        fault like one that cannot be opened; it is not given up."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(OPENS_SECONDS):
                while self._untried:
                    self._one_tried.clear()
                    await self._one_tried.wait()
        for where in sorted(self._untried):
            self.faults.raise_fault("reader_lost", where, f"it is not open after {OPENS_SECONDS:g} s")

    async def reader(self, reader: TileReader, take: Callable[[Sequence[ZoneRead]], object]) -> None:
        """Give every round of ``reader`` to ``take``. It has to beat: a table is read all the time."""
        self.heartbeat.expect(reader.name, HANGS_SECONDS)
        beat = partial(self.heartbeat.beat, reader.name)
        await self._follow(reader, f"reader.{reader.name}", reader.inventories, take, beat)

    async def lane(self, lane: Lane, take: Callable[[LanePassed], object]) -> None:
        """Give every tile that passes ``lane`` to ``take``. It is silent while nothing is stacked."""
        await self._follow(lane, lane.name, lane.passages, take, lambda: None)

    async def _follow(
        self,
        device: Device,
        where: str,
        source: Callable[[], AsyncIterable[Item]],
        take: Callable[[Item], object],
        beat: Callable[[], object],
    ) -> None:
        wait = RETRY_SECONDS[0]
        self._untried.add(where)
        while True:
            try:
                try:
                    await device.open()
                finally:
                    self._untried.discard(where)
                    self._one_tried.set()
                self.faults.recover("reader_lost", where)
                wait = RETRY_SECONDS[0]
                async for item in source():
                    take(item)
                    beat()
                return
            except DeviceError as error:
                self.faults.raise_fault("reader_lost", where, str(error))
            finally:
                with contextlib.suppress(DeviceError):
                    await device.close()
            beat()
            await self.clock.sleep(wait)
            wait = min(2 * wait, RETRY_SECONDS[1])


async def each(source: AsyncIterable[Item], take: Callable[[Item], object]) -> None:
    """Give everything of ``source`` to ``take``."""
    async for item in source:
        take(item)
