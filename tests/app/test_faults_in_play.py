"""Faults of the machine while a hand is played above it: play goes on, nothing of the hand is lost, and the next walls
rise when somebody has mended, cleared and resumed."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tablectl.app import Core
from tablectl.base.clock import LoopClock
from tablectl.base.faults import FaultRaised, Severity
from tablectl.core import simulation
from tablectl.core.running import assemble
from tablectl.core.site import Site, load_site
from tablectl.machine.states import State
from tablectl.sim.backend import SimTable
from tablectl.sim.faults import inject

CONFIG = Path(__file__).parents[2] / "config" / "sim.yaml"
#: seconds after a fault in which the outputs must be off, and until a technician is there
SAFE_S = 0.05
VISIT_S = 30.0

#: what happens in the shuffle below the first hand, the code that must be told, the way back
FAULTS = [
    (("jam_head", {"side": 2}), "H02", ("mend_head", {"side": 2})),
    (("press_emergency_stop", {}), "E01", ("release_emergency_stop", {})),
]


@pytest.mark.parametrize(("fault", "code", "mend"), FAULTS, ids=[fault for (fault, _), _, _ in FAULTS])
def test_a_hand_is_recorded_as_it_was_played_whatever_the_machine_does(
    fault: tuple[str, dict[str, object]],
    code: str,
    mend: tuple[str, dict[str, object]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[str] = []
    still_on: list[str] = []
    visits: list[asyncio.Task[None]] = []

    async def trouble(core: Core, table: SimTable, clock: LoopClock) -> None:
        """In the middle of the shuffle below the hand; a technician comes half a minute later."""
        while core.table.hand is None or core.machine.state is not State.SHUFFLING:
            await clock.sleep(0.5)
        await clock.sleep(6)
        inject(table, fault[0], **fault[1])
        while core.machine.state is not State.FAULT:
            await clock.sleep(0.5)
        await clock.sleep(VISIT_S)
        assert not [name for name, output in table.outputs.items() if output.runs]
        inject(table, mend[0], **mend[1])
        await core.faults.settled()
        for standing in {fault.code for fault in core.faults.active}:
            core.faults.clear(standing, by="technician:Zhou")
        core.machine.resume()

    def watched(site: Site, clock: LoopClock, seed: int | None = None) -> Core:
        core = assemble(site, clock, seed)
        table = core.backend
        assert isinstance(table, SimTable)

        def raised(event: FaultRaised) -> None:
            told.append(event.fault.code)
            if event.fault.severity is Severity.STOP:
                asyncio.get_running_loop().call_later(
                    SAFE_S, lambda: still_on.extend(n for n, output in table.outputs.items() if output.runs)
                )

        core.bus.subscribe(FaultRaised, raised)
        visits.append(asyncio.get_running_loop().create_task(trouble(core, table, clock)))
        return core

    monkeypatch.setattr(simulation, "assemble", watched)
    match = simulation.play(load_site(CONFIG), seed=1, hands=2, limit_s=3000)
    (visit,) = visits
    assert visit.done()
    assert code in told
    assert still_on == []
    assert match.hands == 2, "the second hand is played with the walls of the shuffle that failed"
    assert match.wrong == []
