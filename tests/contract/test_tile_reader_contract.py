"""What every `ports.TileReader` does, simulated or real (its device emulated on a pty)."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from functools import partial

import pytest
from reader_rigs import NAMES, ZONED, simulated_reader, wired_reader

from tablectl.base.clock import LoopClock
from tablectl.base.faults import DeviceError
from tablectl.base.reports import ZoneRead

READERS = {"simulated": simulated_reader, **{kind: partial(wired_reader, kind) for kind in ZONED}}
#: seconds within which what lies in the zones must be reported
SOON_S = 3.0

pytestmark = pytest.mark.virtual_limit(300)


@pytest.fixture(params=READERS)
def reader(request, tmp_path):
    return partial(READERS[request.param], tmp_path)


async def until(device, wanted: dict[str, set[str]]) -> list[ZoneRead]:
    """Read until every zone shows ``wanted`` in its last inventory; all reads that were made."""
    reads: list[ZoneRead] = []
    last: dict[str, frozenset[str]] = {}
    async with aclosing(device.inventories()) as batches:
        async with asyncio.timeout(SOON_S):
            async for batch in batches:
                assert isinstance(batch, tuple)
                reads += batch
                last.update({read.zone: read.tags for read in batch})
                if last == wanted:
                    return reads
    raise AssertionError("inventories ended")


async def test_every_zone_is_reported_with_its_tags(reader):
    async with reader() as rig:
        wanted = {}
        for number, zone in enumerate(rig.zones):
            tags = rig.tags[number * 14 : number * 14 + min(14, rig.most)]
            rig.put(zone, *tags)
            wanted[zone] = set(tags)
        await until(rig.device, wanted)


async def test_an_empty_zone_is_reported_as_empty(reader):
    async with reader() as rig:
        await until(rig.device, {zone: set() for zone in rig.zones})


async def test_a_tile_that_is_moved_is_reported_there_and_not_here(reader):
    async with reader() as rig:
        nothing = {zone: set() for zone in rig.zones}
        tag = rig.tags[0]
        rig.put(rig.zones[0], tag)
        await until(rig.device, nothing | {rig.zones[0]: {tag}})
        rig.put(rig.zones[0])
        rig.put(rig.zones[-1], tag)
        await until(rig.device, nothing | {rig.zones[-1]: {tag}})


async def test_times_are_those_of_the_clock_and_go_on(reader):
    clock = LoopClock()
    async with reader() as rig:
        began = clock.now()
        rig.put(rig.zones[0], rig.tags[0])
        times: list[float] = []
        async with aclosing(rig.device.inventories()) as batches:
            async for batch in batches:
                times += [read.t for read in batch]
                assert times[-1] <= clock.now()
                if len(times) >= 9:
                    break
        assert times == sorted(times)
        assert began < times[0]
        assert clock.now() - times[-1] < 0.3, "the time is that of the answer"


async def test_zones_are_those_of_the_table(reader):
    async with reader() as rig:
        rig.put(rig.zones[0], rig.tags[0])
        reads = await until(rig.device, {zone: {rig.tags[0]} if zone == rig.zones[0] else set() for zone in rig.zones})
        assert {read.zone for read in reads} == set(rig.zones) <= set(NAMES)
        assert all(tag == tag.lower() for read in reads for tag in read.tags)


async def test_it_can_be_closed_and_opened_again(reader):
    async with reader() as rig:
        rig.put(rig.zones[0], rig.tags[1])
        wanted = {zone: set() for zone in rig.zones} | {rig.zones[0]: {rig.tags[1]}}
        await until(rig.device, wanted)
        await rig.device.close()
        await rig.device.close()
        await rig.device.open()
        await until(rig.device, wanted)


async def test_unplugged_it_reports_nothing_and_back_it_reports_again(reader):
    """A reader that is lost says so (DeviceError) or is silent; it never says that its zones are empty."""
    async with reader() as rig:
        tag = rig.tags[0]
        wanted = {zone: set() for zone in rig.zones} | {rig.zones[0]: {tag}}
        rig.put(rig.zones[0], tag)
        await until(rig.device, wanted)
        rig.unplug()
        after: list[ZoneRead] = []
        began, said = LoopClock().now(), None
        try:
            async with asyncio.timeout(5), aclosing(rig.device.inventories()) as batches:
                async for batch in batches:
                    after += batch
        except DeviceError as error:
            said = error
        except TimeoutError:
            assert rig.device.backend == "simulated", "a real reader that is lost must say so"
        if said is not None:
            assert said.device == rig.device.name
            assert said.next_step
            assert LoopClock().now() - began < 1.0
        assert after == []
        await rig.device.close()
        await rig.plug()
        await rig.device.open()
        await until(rig.device, wanted)


async def test_it_says_what_it_is(reader):
    async with reader() as rig:
        assert rig.device.name in ("zones", "east")
        assert rig.device.backend in ("simulated", *ZONED)
