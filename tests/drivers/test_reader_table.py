"""The simulated table in virtual time, its antennas and lanes read by the real drivers over the wire protocol of the
reference table's readers: a reader is lost and comes back. (Hands: tests/app/test_sim_wire.py.)"""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tablectl.base.clock import LoopClock
from tablectl.core.running import assemble, run
from tablectl.core.site import Site, load_site
from tablectl.drivers.readers.config import load, make
from tablectl.sim.wire.field import LaneField, WorldField
from tablectl.sim.wire.hf_anyid_7e55 import AnyIDEmulator
from tablectl.sim.wire.line import TcpLine

ROOT = Path(__file__).parents[2]
READERS = ROOT / "hardware" / "reference-4port" / "readers.yaml"


async def wire(table, stack: AsyncExitStack, clock: LoopClock) -> list[AnyIDEmulator]:
    """Put the drivers of the reference table in the place of the simulated readers; their emulators, plugged in. The
    lines are TCP: a pty costs ten times as much."""
    emulators, sections = [], []
    for number, section in enumerate(load(READERS)):
        line = TcpLine(seed=number)
        if section.lane is None:
            field = WorldField(table.world, section.antennas)
        else:
            field = LaneField(section.lane, clock)
            table.lanes[section.lane].see = field.see
        emulator = AnyIDEmulator(line, field, antennas=3, pushes=section.lane is not None)
        emulators.append(await stack.enter_async_context(emulator))
        sections.append(section.model_copy(update={"port": line.port}))
    table.readers, table.lanes = make(sections, clock)
    return emulators


@pytest.mark.virtual_limit(3600)
async def test_a_reader_is_lost_and_found_again(tmp_path):
    clock = LoopClock()
    site = load_site(ROOT / "config" / "sim.yaml")
    settings = site.settings.model_copy(
        update={
            "sim": site.settings.sim.model_copy(update={"hands": 1}),
            "link": site.settings.link.model_copy(update={"socket": tmp_path / "link.sock"}),
        }
    )
    core = assemble(Site(settings, site.rules), clock, seed=4)
    table = core.backend
    async with AsyncExitStack() as stack:
        emulators = await wire(table, stack, clock)
        working = asyncio.ensure_future(run(core))
        await clock.sleep(10)
        emulators[2].unplug()
        await clock.sleep(1.0)
        assert [(fault.code, fault.where) for fault in core.faults.active] == [("R01", "reader.seat2")]
        emulators[2].power_off()
        await emulators[2].plug()
        await clock.sleep(8.0)
        assert "nobody answers" in core.faults.active[0].detail or "unplugged" in core.faults.active[0].detail
        emulators[2].power_on()
        await clock.sleep(20.0)
        assert core.faults.active == (), "it is found again without anybody's help"
        core.stop()
        await working
    assert sum(emulator.acknowledged for emulator in emulators) > 20, "tiles passed the lanes meanwhile"
