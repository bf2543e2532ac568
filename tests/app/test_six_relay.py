"""The table with six relays has no key pads: a hand goes on because a person at the console presses the keys of the
seats, and the two lift keys work as at every table."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tablectl.base.clock import LoopClock
from tablectl.base.faults import FaultRaised
from tablectl.core.console import Console
from tablectl.core.running import assemble
from tablectl.core.site import Site, load_site
from tablectl.core.wired import WiredTable
from tablectl.game.state import Phase
from tablectl.link.client import LinkClient
from tablectl.link.protocol import RpcError

ROOT = Path(__file__).parents[2]
BY = {"by": "referee:Zhou"}


@pytest.mark.virtual_limit(600)
async def test_the_referee_presses_the_keys_of_the_seats(tmp_path: Path) -> None:
    site = load_site(ROOT / "config" / "sim-wire.yaml")
    link = site.settings.link.model_copy(update={"socket": tmp_path / "link.sock"})
    changes = {"link": link, "machine": ROOT / "hardware" / "six-relay"}
    core = assemble(Site(site.settings.model_copy(update=changes), site.rules), LoopClock(), seed=3)
    table = core.backend
    assert isinstance(table, WiredTable)
    table.readers, table.lanes = table.sim.readers, table.sim.lanes  # antennas without wires: not what is looked at
    console = Console(core)
    await console.link.start()
    raised: list[str] = []
    core.bus.subscribe(FaultRaised, lambda told: raised.append(f"{told.fault.code}@{told.fault.where}"))
    wanted: asyncio.Queue[tuple[int, str]] = asyncio.Queue()
    table.sim.keys.wire(lambda seat, key: wanted.put_nowait((seat, key)))
    working = asyncio.ensure_future(core.run())
    try:
        async with LinkClient(link.socket) as client:
            seat, key = await wanted.get()
            assert (seat, key) == (0, "dice"), "the walls were raised with the lift keys"
            while core.table.hand is None:  # the trays have just come to rest
                await core.clock.sleep(0.1)
            assert core.table.hand.phase is Phase.DICE
            with pytest.raises(RpcError, match="expected one of call, chow, dice, flower, kong, pass, pung"):
                await client.call("match.key", {"key": "roll", "seat": 0, **BY})
            with pytest.raises(RpcError, match="expected a seat, 0 to 3"):
                await client.call("match.key", {"key": "dice", "seat": 4, **BY})
            await client.call("match.key", {"key": key, "seat": seat, **BY})
            while len(core.table.hand.discards) < 3:
                await core.clock.sleep(0.5)
                while not wanted.empty():
                    seat, key = wanted.get_nowait()
                    await client.call("match.key", {"key": key, "seat": seat, **BY})
            assert core.table.hand.deck is not None
            pressed = [fact.data for fact in core.journal.facts() if fact.type == "key_pressed"]
            assert (pressed[0]["key"], pressed[0]["seat"], pressed[0]["by"]) == ("dice", 0, "referee:Zhou")
            assert raised == []
    finally:
        core.stop()
        await working
        await console.link.stop()
