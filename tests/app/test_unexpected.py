"""Exceptions that nobody expects, where no task could raise them: in timers, and in what devices call."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from tablectl.app import Core
from tablectl.base.clock import LoopClock
from tablectl.base.reports import Report
from tablectl.core.running import assemble
from tablectl.core.site import Site, load_site
from tablectl.machine.states import State
from tablectl.sim.backend import SimTable

CONFIG = Path(__file__).parents[2] / "config" / "sim.yaml"


def mistake(*_: object) -> list[Report]:
    raise ZeroDivisionError("a mistake in the program")


def in_a_callback(core: Core) -> None:
    asyncio.get_running_loop().call_soon(mistake)


def when_time_passes(core: Core) -> None:
    """In the timer of limits and of what the tracker holds back: it would never ring again."""
    core.pipeline.advance = mistake  # type: ignore[method-assign,assignment]
    assert core._alarm is not None
    core._alarm.set(core.clock.now() + 0.5)


@pytest.mark.parametrize("happens", [in_a_callback, when_time_passes])
async def test_it_is_a_fault_and_ends_the_program(tmp_path: Path, happens: Callable[[Core], None]) -> None:
    site = load_site(CONFIG)
    link = site.settings.link.model_copy(update={"socket": tmp_path / "link.sock"})
    core = assemble(Site(site.settings.model_copy(update={"link": link}), site.rules), LoopClock(), seed=1)
    assert isinstance(core.backend, SimTable)
    running = asyncio.ensure_future(core.run())
    while core.machine.state is not State.SHUFFLING:
        await core.clock.sleep(0.1)
    happens(core)
    with pytest.raises(ExceptionGroup) as caught:
        await running
    assert caught.group_contains(ZeroDivisionError, match="a mistake in the program")
    assert [(fault.code, fault.where) for fault in core.faults.active] == [("E03", "core")]
    assert not any(output.on for output in core.backend.outputs.values())
