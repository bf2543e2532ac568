"""How soon the table is safe, and how long the event loop is busy at a time: ``python -m benchmarks reaction``.

On virtual time: what is counted in seconds of the table is what devices and lines take (a Modbus board answers after
5 ms), what is counted as processor time is what this machine takes. In real time, as a process that is signalled,
killed and stopped: ``tests/operation/test_service.py``.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
import tempfile
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from benchmarks import Row
from tablectl.app import Core
from tablectl.base.clock import LoopClock, VirtualLoop, run_virtual
from tablectl.base.reports import Report
from tablectl.core.running import assemble
from tablectl.core.site import Site, load_site
from tablectl.core.wired import WiredTable
from tablectl.machine.states import State
from tablectl.sim.backend import SimTable
from tablectl.sim.faults import inject

CONFIG = Path(__file__).parents[1] / "config"
BACKENDS = {"simulated": "sim.yaml", "on wires": "sim-wire.yaml"}
#: virtual seconds of play whose turns of the loop are timed
BUSY_S = 120.0
#: seconds between two bursts on the bus that chatters
CHATTER_S = 0.01


def run() -> list[Row]:
    logging.disable(logging.CRITICAL)
    try:
        rows = [row for name, config in BACKENDS.items() for row in _safe(name, config)]
        return [*rows, _stalled(), *_busy()]
    finally:
        logging.disable(logging.NOTSET)


# --- outputs safe


def _emergency(core: Core, sim: SimTable) -> None:
    inject(sim, "press_emergency_stop")


def _exception(core: Core, sim: SimTable) -> None:
    def broken(report: object) -> list[Any]:
        raise ZeroDivisionError("a mistake in the program")

    core.pipeline.feed = broken  # type: ignore[method-assign]


def _terminate(core: Core, sim: SimTable) -> None:
    core.stop()  # what the handler of SIGTERM does


HAPPENS: dict[str, Callable[[Core, SimTable], None]] = {
    "emergency stop": _emergency,
    "exception in the core": _exception,
    "SIGTERM": _terminate,
}


def _safe(name: str, config: str) -> list[Row]:
    return [
        Row(f"outputs safe after {what}, {name}", 1e3 * run_virtual(_until_off(config, happens)), "ms", "≤ 50")
        for what, happens in HAPPENS.items()
    ]


async def _until_off(config: str, happens: Callable[[Core, SimTable], None]) -> float:
    """Seconds from what happens (or, for an exception, from its fault) to the last motor that goes off."""

    async def work(core: Core, sim: SimTable, clock: LoopClock) -> float:
        off = 0.0

        def switched(on: bool) -> None:
            nonlocal off
            off = off if on else clock.now()

        while core.machine.state is not State.SHUFFLING or sum(o.on for o in sim.outputs.values()) < 8:
            await clock.sleep(0.1)
        for output in sim.outputs.values():
            output.connect(switched)
        begun = clock.now()
        happens(core, sim)
        while any(output.on for output in sim.outputs.values()):
            await clock.sleep(0.001)
        faults = [fault.t for fault in core.faults.active if fault.code == "E03"]
        return off - min(faults, default=begun)

    return await _with(config, work)


async def _with(
    config: str,
    work: Callable[[Core, SimTable, LoopClock], Coroutine[Any, Any, float]],
    *,
    period_s: float | None = None,
    prepare: Callable[[Core], None] = lambda core: None,
) -> float:
    """A running core of a shipped configuration while ``work`` goes on."""
    loaded = load_site(CONFIG / config)
    zones = loaded.settings.zones.model_copy(update={} if period_s is None else {"period_s": period_s})
    with tempfile.TemporaryDirectory() as folder:
        link = loaded.settings.link.model_copy(update={"socket": Path(folder) / "link.sock"})
        clock = LoopClock()
        settings = loaded.settings.model_copy(update={"link": link, "zones": zones})
        core = assemble(Site(settings, loaded.rules), clock, seed=1)
        prepare(core)
        sim = core.backend.sim if isinstance(core.backend, WiredTable) else core.backend
        assert isinstance(sim, SimTable)
        running = asyncio.ensure_future(core.run())
        try:
            return await work(core, sim, clock)
        finally:
            core.stop()
            with contextlib.suppress(ExceptionGroup):
                await running


def _stalled() -> Row:
    async def work(core: Core, sim: SimTable, clock: LoopClock) -> float:
        while core.machine.state is not State.SHUFFLING:
            await clock.sleep(0.1)
        assert isinstance(core.backend, WiredTable)
        await core.backend.hardware.deadman.close()  # a loop that hangs toggles nothing
        begun = clock.now()
        while not sim.machinery.supply.cuts:
            await clock.sleep(0.001)
        return clock.now() - begun

    value = 1e3 * run_virtual(_with("sim-wire.yaml", work))
    return Row("motors without supply after the last sign of life", value, "ms", "≤ 50")


# --- full load: 12 zones, four reads of each a second, and noise on both buses


class _Timed(VirtualLoop):
    """Keeps the processor seconds of every turn: so much later may anything else be due."""

    def __init__(self) -> None:
        super().__init__()
        self.turns: list[float] = []

    def _run_once(self) -> None:
        begun = time.process_time()
        super()._run_once()  # type: ignore[misc]
        self.turns.append(time.process_time() - begun)


def _fast_antennas(core: Core) -> None:
    """Emulated readers take the air time of HF, half a second a round; this one reads each zone four times a second."""
    assert isinstance(core.backend, WiredTable)
    core.backend.readers = core.backend.sim.readers


def _time_reports(core: Core) -> list[float]:
    """The processor seconds from every report that brought about events to when these are journaled and told."""
    found: list[float] = []
    take = core._take

    def timed(report: Report) -> None:
        before, begun = core.table.last_seq, time.process_time()
        take(report)
        if core.table.last_seq != before:
            found.append(time.process_time() - begun)

    core._take = timed  # type: ignore[method-assign]
    return found


def _busy() -> list[Row]:
    turns: list[float] = []
    reports: list[float] = []

    async def work(core: Core, sim: SimTable, clock: LoopClock) -> float:
        while core.table.hand is None:
            await clock.sleep(1)
        assert isinstance(core.backend, WiredTable)
        lines, chance = list(core.backend.copper.lines.values()), random.Random(1)
        end = clock.now() + BUSY_S
        told = _time_reports(core)
        loop.turns.clear()
        while clock.now() < end:
            for line in lines:
                line.chatter(chance.randbytes(24))
            await clock.sleep(CHATTER_S)
        turns.extend(sorted(loop.turns))
        reports.extend(sorted(told))
        return 0.0

    with asyncio.Runner(loop_factory=_Timed) as runner:
        loop = runner.get_loop()
        assert isinstance(loop, _Timed)
        runner.run(_with("sim-wire.yaml", work, period_s=0.25, prepare=_fast_antennas))
    load = "12 zones × 4 reads/s, both buses chatter"
    return [
        Row(f"report to event journaled and told, p50: {load}", 1e3 * _part(reports, 0.5), "ms"),
        Row(f"… p99 of {len(reports)} reports with events", 1e3 * _part(reports, 0.99), "ms", "< 5"),
        Row("… longest", 1e3 * reports[-1], "ms"),
        Row(f"a turn of the loop, p99 of {len(turns)}", 1e3 * _part(turns, 0.99), "ms", "≤ 5"),
        Row("the longest turn of the loop", 1e3 * turns[-1], "ms", "≤ 20: nobody else waits longer"),
    ]


def _part(ordered: list[float], part: float) -> float:
    return ordered[int(len(ordered) * part)]
