"""What every `ports.Lane` does, simulated or real (its device emulated on a pty)."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from functools import partial

import pytest
from reader_rigs import ZONED, simulated_lane, wired_lane

from tablectl.base.clock import LoopClock
from tablectl.base.faults import DeviceError
from tablectl.base.reports import LanePassed

LANES = {"simulated": simulated_lane, **{kind: partial(wired_lane, kind) for kind in ZONED if kind != "nfc_pn532_hsu"}}
#: seconds between two tiles in a lane
TILE_S = 0.5

pytestmark = pytest.mark.virtual_limit(300)


@pytest.fixture(params=LANES)
def lane(request, tmp_path):
    return partial(LANES[request.param], tmp_path)


async def passed(device, within_s: float, act) -> list[LanePassed]:
    """What the lane reports while ``act`` goes on and ``within_s`` seconds after."""
    found: list[LanePassed] = []

    async def listen(passages) -> None:
        async for passage in passages:
            found.append(passage)

    async with aclosing(device.passages()) as passages:
        listening = asyncio.ensure_future(listen(passages))
        try:
            await asyncio.wait([listening], timeout=0.3)
            await act()
            await asyncio.wait([listening], timeout=within_s)
            if listening.done():
                listening.result()
        finally:
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)
    return found


async def test_tiles_are_reported_one_after_another(lane):
    clock = LoopClock()
    async with lane() as rig:
        seen = []

        async def act():
            for tag in rig.tags[:10]:
                rig.see(tag)
                seen.append(clock.now())
                await asyncio.sleep(TILE_S)

        found = await passed(rig.device, 1.0, act)
        assert [passage.tag for passage in found] == rig.tags[:10]
        assert all(passage.lane == rig.device.side == 2 for passage in found)
        for passage, t in zip(found, seen, strict=True):
            assert 0 <= passage.t - t < 0.3


async def test_nothing_passes_nothing_is_reported(lane):
    async with lane() as rig:
        assert await passed(rig.device, 12.0, lambda: asyncio.sleep(0)) == []


async def test_it_can_be_closed_and_opened_again(lane):
    async with lane() as rig:
        await rig.device.close()
        await rig.device.close()
        await rig.device.open()

        async def act():
            rig.see(rig.tags[0])

        assert [p.tag for p in await passed(rig.device, 1.0, act)] == [rig.tags[0]]


async def test_unplugged_it_reports_nothing_and_back_it_reports_again(lane):
    async with lane() as rig:

        async def lose():
            rig.unplug()
            rig.see(rig.tags[0])

        found, said = [], ""
        try:
            found = await passed(rig.device, 3.0, lose)
        except DeviceError as error:
            said = error.device
        assert found == []
        assert said == ("" if rig.device.backend == "simulated" else "lane.2"), "a real lane that is lost says so"
        await rig.device.close()
        await asyncio.sleep(1)  # the tile that passed meanwhile is gone
        await rig.plug()
        await rig.device.open()

        async def act():
            rig.see(rig.tags[1])

        assert [p.tag for p in await passed(rig.device, 1.0, act)] == [rig.tags[1]]
