"""A table as a process: core and link together, until a signal ends them."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Final

from tablectl import __version__
from tablectl.app import Core
from tablectl.base.clock import LoopClock, go_on_at
from tablectl.base.heartbeat import Pulse
from tablectl.base.notify import notify, sign_seconds
from tablectl.base.settings import remember
from tablectl.base.tasks import beside
from tablectl.core.backends import backend, people
from tablectl.core.console import Console
from tablectl.core.logbook import Logbook
from tablectl.core.resume import last_time, peek
from tablectl.core.site import Site
from tablectl.game import actions as act
from tablectl.game import events as ev
from tablectl.sim.backend import SimTable

log = logging.getLogger(__name__)

#: seconds between two looks at the devices' tasks where no watchdog waits
UNWATCHED_S: Final = 5.0
#: what an alert names that asks for the indicator
INDICATOR_METHOD: Final = "match.indicator"
#: seconds until a simulated referee has read that, and looked
LOOKS_UP_S: Final = 6.0


async def serve(
    site: Site, *, seed: int | None = None, state_dir: Path | None = None, ready: Callable[[], object] = lambda: None
) -> None:
    """Run the table of ``site`` until SIGINT, SIGTERM or `core.stop`; ``ready`` as of `run`.

    Raises:
        BackendError, JournalError, LinkError: it cannot start; the message says what to do.
    """
    clock = LoopClock()
    core = assemble(site, clock, seed)
    Logbook(core)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, _end, core, number.name)
    if site.warning:
        core.faults.raise_fault("last_good_settings", "settings", site.warning)
    if state_dir is not None and site.warning is None:
        with contextlib.suppress(OSError):  # a read-only card: the table plays all the same
            remember(site.settings, state_dir)
    core.bus.subscribe(ev.HandEnded, lambda over: log.info("hand over: scores %s", " ".join(map(str, over.scores))))
    signs: dict[str, object] = {"WATCHDOG": 1}
    beating = beside(_pulse(core, signs).run(), "pulse")
    try:
        await run(core, partial(_is_ready, core, signs, ready))
    finally:
        notify(STOPPING=1)
        beating.cancel()
        log.info("ended: %s", _status(core))


def _is_ready(core: Core, signs: dict[str, object], ready: Callable[[], object]) -> None:
    """Say so now, and with every sign of life again: a message that systemd had no room for is lost."""
    signs["READY"] = 1
    notify(READY=1, STATUS=_status(core))
    log.info("ready: %s, tablectl %s", _status(core), __version__)
    ready()


def _end(core: Core, why: str) -> None:
    notify(STOPPING=1, STATUS=f"stopping: {why}")
    log.info("stopping: %s", why)
    core.stop()


def take_up(site: Site) -> Site:
    """For a table whose tiles stay where they are: its clock goes on where it stood, and a match that is not over keeps
    the rules it began with. Before there is an event loop."""
    if site.settings.backend != "hardware":
        return site
    table = peek(site.settings.journal.path, LoopClock())
    if table is None:
        return site
    stood = last_time(table.events)
    if stood is not None:
        go_on_at(stood)
    return site if table.match.over is not None else replace(site, rules=table.rules)


def _pulse(core: Core, signs: Mapping[str, object]) -> Pulse:
    every = sign_seconds()
    return Pulse(
        core.clock,
        every if every is not None else UNWATCHED_S,
        core.silent,
        lambda: notify(**signs),
        lambda why: notify(STATUS=f"watchdog not fed: {why}" if why else _status(core)),
    )


def _status(core: Core) -> str:
    mark = "SIMULATED, " if core.simulated else ""
    return f"{mark}{core.settings.table}, {core.rules.id}, machine {core.machine.state.value}"


def assemble(site: Site, clock: LoopClock, seed: int | None = None) -> Core:
    """The core of a site with its backend."""
    settings = site.settings
    chosen = seed if seed is not None else settings.sim.seed
    if chosen is None:
        import secrets

        chosen = secrets.randbits(32)
    devices = backend(settings, site.rules, chosen, clock)
    core = Core(settings, site.rules, devices, clock)
    if (sim := people(devices)) is not None:
        core.draw_seat = partial(Random(f"{chosen}/first dealer").randrange, 4)
        core.hearers.append(sim.players.rule)
        sim.players.drawn_dealer = lambda: core.table.match.dealer
        if settings.sim.referee:
            core.bus.subscribe(ev.Alerted, lambda alert: _answer(core, sim, alert))
    return core


def _answer(core: Core, sim: SimTable, asked: ev.Alerted) -> None:
    """No antenna sees the indicator. Where the lanes left it open the table asks for it, and the simulated referee
    looks and enters it; nothing else of what happened is told to the table."""
    if INDICATOR_METHOD in asked.detail and sim.players.truth.playing is not None:
        sim.players.meanwhile(_enter_indicator(core, sim))


async def _enter_indicator(core: Core, sim: SimTable) -> None:
    await core.clock.sleep(LOOKS_UP_S)
    seen, hand = sim.players.truth.playing, core.table.playing
    if seen is not None and seen.indicator is not None and hand is not None and hand.indicator != seen.indicator:
        core.apply(act.TurnIndicator(t=core.clock.now(), tile=seen.indicator, seat=hand.dealer, by="referee"))


async def run(core: Core, ready: Callable[[], object] = lambda: None) -> None:
    """The core with its link, until it is stopped. ``ready``: called once the link listens and devices were tried."""
    console = Console(core)
    await console.link.start()
    try:
        await core.run(ready)
    finally:
        await console.link.stop()
