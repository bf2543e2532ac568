"""A whole core that works, asked over its link."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tablectl.app import Core
from tablectl.base.clock import LoopClock
from tablectl.core.console import Console
from tablectl.core.running import assemble
from tablectl.core.site import Site, load_site
from tablectl.link.client import LinkClient

CONFIG = Path(__file__).parents[1] / "config" / "sim.yaml"


@asynccontextmanager
async def running(folder: Path) -> AsyncIterator[tuple[Core, LinkClient]]:
    """The simulated table of `config/sim.yaml` at work, with seed 3, and somebody on its link."""
    site = load_site(CONFIG)
    link = site.settings.link.model_copy(update={"socket": folder / "link.sock"})
    core = assemble(Site(site.settings.model_copy(update={"link": link}), site.rules), LoopClock(), seed=3)
    console = Console(core)
    await console.link.start()
    working = asyncio.ensure_future(core.run())
    try:
        async with LinkClient(link.socket) as client:
            while not client.connected:
                await core.clock.sleep(0.05)
            yield core, client
    finally:
        core.stop()
        await working
        await console.link.stop()
