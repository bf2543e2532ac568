"""Fault commands of the simulated table: by name, with arguments, errors in words."""

from __future__ import annotations

import pytest
from simulated_table import Rig

from tablectl.machine.states import State
from tablectl.sim.faults import FAULTS, UnknownFault, inject


async def test_errors_name_what_there_is() -> None:
    async with Rig() as rig:
        with pytest.raises(UnknownFault, match="did you mean 'jam_head'"):
            inject(rig.sim, "jam_haed", side=1)
        with pytest.raises(UnknownFault, match=r"jam_head takes side, starts \(or not\), not none"):
            inject(rig.sim, "jam_head")
        with pytest.raises(UnknownFault, match="there is no such part"):
            inject(rig.sim, "jam_head", side=7)
        with pytest.raises(UnknownFault, match="there is no such part"):
            inject(rig.sim, "blind_sensor", name="head_eye.9")
        with pytest.raises(UnknownFault, match="there is no such part"):
            inject(rig.sim, "lose_tile", tag="e0ff")


def test_every_fault_says_what_it_does() -> None:
    assert all(fault.__doc__ for fault, _ in FAULTS.values())


async def test_a_lost_tile_is_on_the_floor_until_it_is_returned() -> None:
    async with Rig() as rig:
        tag = rig.sim.world.tags("drum")[5]
        assert tag in inject(rig.sim, "lose_tile", tag=tag)
        assert rig.sim.world.where(tag) == "floor"
        inject(rig.sim, "return_tile", tag=tag)
        assert rig.sim.world.where(tag) == "felt"
        rig.sim.world.check()


async def test_a_tile_of_the_other_set_is_told_by_the_lane() -> None:
    """The eyes cannot see it; the tags can (domain 1.4)."""
    async with Rig() as rig:
        world = rig.sim.world
        own, other = world.tags("drum")[0], world.tags("felt")[0]
        said = inject(rig.sim, "mix_tile", tag=own, other=other)
        assert own in said
        await rig.until(State.FAULT)
        assert rig.raised == [("X01", "drum")]
        detail = rig.faults.active[0].detail
        assert f"in set A: {rig.sim.tags[other].code} of set B, side " in detail
        one, two = world.tags("slot.1")[:2]
        with pytest.raises(UnknownFault, match="one of each"):
            inject(rig.sim, "mix_tile", tag=one, other=two)
        await rig.mend()  # a person says that it is to be lifted all the same
        await rig.until(State.READY)
        world.check()


async def test_an_unplugged_lane_is_silent_and_the_row_is_built_all_the_same() -> None:
    async with Rig() as rig:
        inject(rig.sim, "unplug_reader", name="lane.2")
        await rig.until(State.READY)
        assert {passage.lane for passage in rig.passages} == {0, 1, 3}
        assert rig.machine.status.sides[2].passages == 0
        assert rig.raised == []  # a lane that tells nothing at all is not a count that differs
        inject(rig.sim, "plug_reader", name="lane.2")
        await rig.cycle()
        await rig.until(State.READY)
        assert rig.machine.status.sides[2].passages == 36
