"""挡位: sets of every size are stacked and lifted; another size counts from the next shuffle on."""

from __future__ import annotations

import random
from itertools import cycle, islice

import pytest
from simulated_table import MACHINE, Rig

from tablectl.base.bus import Bus
from tablectl.base.clock import LoopClock
from tablectl.base.faults import FaultLatch
from tablectl.machine.cycle import Machine
from tablectl.machine.description import MachineFileError, MachineSpec, load_machine
from tablectl.machine.states import State
from tablectl.machine.status import CommandRefused
from tablectl.sim.machinery import Machinery
from tablectl.sim.world import World, make_sets
from tablectl.tiles.tile import Tile

SPEC = load_machine(MACHINE)


def test_the_programmes_are_those_of_the_walls() -> None:
    assert SPEC.programmes == {
        108: (14, 13, 14, 13),
        112: (14, 14, 14, 14),
        120: (15, 15, 15, 15),
        136: (17, 17, 17, 17),
        144: (18, 18, 18, 18),
        148: (19, 18, 19, 18),
        152: (19, 19, 19, 19),
        160: (20, 20, 20, 20),
    }


@pytest.mark.parametrize("tiles", sorted(SPEC.programmes))
async def test_a_set_of_every_size_is_stacked_and_lifted(tiles: int) -> None:
    clock = LoopClock()
    bus = Bus()
    faults = FaultLatch(bus, clock)
    world = World(clock, make_sets("A", islice(cycle(Tile), tiles)))
    stacks = SPEC.programmes[tiles]
    table = Machinery(world, stacks, random.Random(tiles), clock)
    for tag in world.kinds:
        world.load(tag)
    machine = Machine(SPEC, table.outputs, table.inputs, stacks, bus, faults, clock)
    await machine.start()
    while machine.state is not State.READY:
        await clock.sleep(1)
    assert [side.tiles for side in machine.status.sides] == [2 * n for n in stacks]
    assert machine.status.programme == tiles
    machine.lift()
    while machine.state is not State.COLLECTING:
        await clock.sleep(0.1)
    machine.lift()
    while machine.status.cycles == 0:
        await clock.sleep(0.1)
    assert len(world.walls) == tiles
    assert [len(world.tags(f"wall.{n}")) for n in range(4)] == [2 * n for n in stacks]
    assert faults.active == ()
    await machine.close()


async def test_another_programme_counts_from_the_next_shuffle_on() -> None:
    """C02 (domain 2.2): moved during a run, which is normal."""
    async with Rig() as rig:
        await rig.advance(5)
        rig.machine.programme(136)
        assert rig.raised == [("C02", "machine")]
        assert (rig.machine.status.programme, rig.machine.status.next_programme) == (144, 136)
        await rig.until(State.READY)
        assert [side.tiles for side in rig.machine.status.sides] == [36] * 4
        for tag in rig.sim.world.on_table()[:8]:  # without the flowers
            rig.sim.world.move(tag, "floor")
        await rig.cycle()  # the walls of 144 go up with the rows they were built for
        rig.sim.machinery.build(SPEC.programmes[136])
        await rig.until(State.READY)
        assert [side.tiles for side in rig.machine.status.sides] == [34] * 4
        assert rig.machine.status.programme == 136
        assert "C02" not in {fault.code for fault in rig.faults.active}


async def test_a_programme_taken_back_in_time_changes_nothing() -> None:
    async with Rig() as rig:
        await rig.advance(5)
        rig.machine.programme(112)
        rig.machine.programme(144)
        assert rig.faults.active == ()
        with pytest.raises(CommandRefused, match="no programme for 130 tiles; it has 108, 112"):
            rig.machine.programme(130)


async def test_rows_that_a_slot_cannot_take_are_refused() -> None:
    async with Rig() as rig:
        ports = (rig.spec, rig.sim.outputs, rig.sim.inputs)
        for stacks, why in (((21, 18, 18, 18), "a slot of reference-4port takes 20"), ((18, 18, 18), "for 4 sides")):
            with pytest.raises(MachineFileError, match=why):
                Machine(*ports, stacks, rig.bus, rig.faults, rig.clock)


def test_programmes_that_do_not_add_up_are_told() -> None:
    data = SPEC.model_dump(by_alias=True)
    data["programmes"] |= {136: (17, 17, 17, 16), 200: (25, 25, 25, 25)}
    with pytest.raises(
        ValueError, match=r"programmes.136: \[17, 17, 17, 16\] are 134 tiles.*programmes.200: a side has 25"
    ):
        MachineSpec.model_validate(data)
