"""Counters, learned times and maintenance: kept over a restart, due when they say so."""

from __future__ import annotations

import json

import pytest
from simulated_table import MACHINE, Rig

from tablectl.machine.description import Maintenance, load_machine
from tablectl.machine.states import State
from tablectl.sim.faults import inject

SPEC = load_machine(MACHINE)


async def test_counters_and_times_are_kept_over_a_restart() -> None:
    async with Rig() as rig:
        for _ in range(3):
            await rig.cycle()
        learned = rig.machine.status.learned["dome:dome_up"]
        kept = json.loads(json.dumps(rig.kept))
    async with Rig(seed=2, kept=kept) as rig:
        assert rig.machine.status.cycles == 3
        assert rig.machine.status.learned["dome:dome_up"] == pytest.approx(learned, abs=0.001)
        inject(rig.sim, "blind_sensor", name="dome_up")  # by the time that was learned before the restart
        await rig.cycle()
        assert rig.raised == [("S02", "sensor.dome_up")]
        assert rig.machine.status.cycles == 4


async def test_hours_are_those_of_the_motors() -> None:
    async with Rig() as rig:
        await rig.until(State.READY)
        await rig.machine.close()
        ran = rig.kept["run_seconds"]
        on = sum(off - on for name, on, off in rig.runs if name == "disc_motor")
        assert ran["disc_motor"] == pytest.approx(on, abs=0.1)
        assert 10 < ran["head_motor.2"] < 40
        rig.machine = rig.new_machine()
        await rig.machine.start()


async def test_maintenance_is_due_until_somebody_did_it() -> None:
    tasks = {
        "eyes": Maintenance(zh="清洁光控", en="clean the eyes", every_cycles=2),
        "drum": Maintenance(zh="清洁大盘", en="clean the drum", every_hours=1000, group="disc_motor"),
    }
    async with Rig(spec=SPEC.model_copy(update={"maintenance": tasks})) as rig:
        await rig.cycle()
        assert rig.faults.active == ()
        await rig.cycle()
        assert rig.raised == [("M01", "upkeep.eyes")]
        assert rig.faults.active[0].detail == "清洁光控 / clean the eyes (every 2 cycles)"
        assert [round(task.used, 1) for task in rig.machine.status.maintenance] == [1.0, 0.0]
        rig.faults.clear("M01", by="technician")
        assert rig.kept["done"] == {"eyes": 2.0}
        await rig.cycle()
        assert rig.faults.active == ()
        await rig.cycle()
        assert rig.raised[-1] == ("M01", "upkeep.eyes")


async def test_friction_is_noticed_as_it_grows() -> None:
    """Dirt: every run a little slower; the warning comes before anything fails."""
    from tablectl.sim.wear import Wear

    async with Rig(wear=Wear(friction=0.02)) as rig:
        for _ in range(25):
            await rig.cycle()
            if rig.raised:
                break
        assert {code for code, _ in rig.raised} <= {"L02", "W03"}
        assert rig.raised


async def test_tiles_that_lie_face_up_make_a_long_tail() -> None:
    from tablectl.sim.wear import Wear

    took = []
    for wear in (Wear(), Wear(face_up=0.5)):
        async with Rig(wear=wear) as rig:
            took.append(await rig.until(State.READY))
            assert rig.raised == []
            rig.sim.world.check()
    assert took[1] > took[0] + 2
