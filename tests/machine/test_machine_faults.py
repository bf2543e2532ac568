"""Faults of the mechanics: told apart by what moved and what did not, outputs off, nothing resumes by itself."""

from __future__ import annotations

import asyncio

import pytest
from simulated_table import Rig

from tablectl.machine.outputs import Frozen
from tablectl.machine.states import State
from tablectl.machine.status import CommandRefused
from tablectl.sim.faults import inject

#: during a shuffle: what is done to the table, the fault it has to become, and the way back
SHUFFLE_FAULTS = [
    ("jam_head", {"side": 2}, ("H02", "head.2"), ("mend_head", {"side": 2})),
    ("kill_head", {"side": 1}, ("H01", "head.1"), ("mend_head", {"side": 1})),
    ("kill_drum", {}, ("D03", "drum"), ("mend_drum", {})),
]


@pytest.mark.parametrize(("fault", "arguments", "expected", "way_back"), SHUFFLE_FAULTS)
async def test_faults_of_a_shuffle_are_told_apart(
    fault: str, arguments: dict[str, object], expected: tuple[str, str], way_back: tuple[str, dict[str, object]]
) -> None:
    """Jam, dead motor, blind eye and nothing coming are four different faults."""
    async with Rig() as rig:
        inject(rig.sim, fault, **arguments)
        await rig.until(State.FAULT, 60)
        assert rig.raised == [expected]
        await rig.faults.settled()
        rig.assert_all_off()
        inject(rig.sim, way_back[0], **way_back[1])
        await rig.mend()
        await rig.until(State.READY)
        rig.sim.world.check()


async def test_a_tile_on_the_floor_is_missed_and_can_be_given_back() -> None:
    """D02: the counts stop at 143 of 144; top-up with both keys (补牌)."""
    async with Rig() as rig:
        lost = rig.sim.world.tags("drum")[77]
        inject(rig.sim, "lose_tile", tag=lost)
        await rig.until(State.FAULT, 120)
        assert rig.raised == [("D02", "drum")]
        assert f"missing: {rig.sim.tags[lost].code} (" in rig.faults.active[0].detail
        await rig.mend()
        await rig.until(State.SHUFFLING, 5)
        await rig.sim.press_lift(both=True)
        await rig.until(State.PAUSED, 5)
        rig.sim.world.move(lost, "drum")
        await rig.press()
        await rig.until(State.READY)
        assert [side.tiles for side in rig.machine.status.sides] == [36] * 4


#: what is done while the set waits, what the next opening becomes
DOME_FAULTS = [
    ("kill_lift", {"part": "dome"}, ("L01", "dome")),
    ("stall_lift", {"part": "dome"}, ("L01", "dome")),
    ("blind_sensor", {"name": "dome_up"}, ("L04", "dome")),
    ("stick_sensor", {"name": "dome_down"}, ("L01", "dome")),
]


@pytest.mark.parametrize(("fault", "arguments", "expected"), DOME_FAULTS)
async def test_faults_of_the_dome(fault: str, arguments: dict[str, object], expected: tuple[str, str]) -> None:
    async with Rig() as rig:
        await rig.until(State.READY)
        inject(rig.sim, fault, **arguments)
        await rig.press()
        await rig.until(State.FAULT, 6)
        assert rig.raised == [expected]
        await rig.faults.settled()
        rig.assert_all_off()


async def test_a_dome_held_on_its_way_is_stalled_and_goes_on_when_freed() -> None:
    async with Rig() as rig:
        await rig.until(State.READY)
        await rig.press()
        await rig.advance(0.4)
        inject(rig.sim, "stall_lift", part="dome")
        await rig.until(State.FAULT, 6)
        assert rig.raised == [("L03", "dome")]
        inject(rig.sim, "mend_lift", part="dome")
        await rig.mend()
        await rig.until(State.READY, 10)
        await rig.cycle()


async def test_a_tray_held_on_its_way_stops_all_four() -> None:
    async with Rig() as rig:
        await rig.until(State.READY)
        await rig.press()
        await rig.until(State.COLLECTING)
        rig.push_in()
        await rig.press()
        await rig.until(State.RAISING)
        await rig.advance(0.5)
        inject(rig.sim, "stall_lift", part="tray.1")
        await rig.until(State.FAULT, 10)
        assert rig.raised == [("W05", "tray.1")]
        await rig.faults.settled()
        rig.assert_all_off()
        inject(rig.sim, "mend_lift", part="tray.1")
        await rig.mend()
        await rig.until(State.SHUFFLING)
        assert len(rig.sim.world.walls) == 144


async def test_a_tray_away_from_home_below_an_open_dome_comes_home() -> None:
    """A tray may not turn while the dome is up: the dome is closed first, or the table never plays on."""
    async with Rig() as rig:
        await rig.advance(1)  # nothing is in the slots yet
        await rig.machine.stop()
        inject(rig.sim, "turn_lift", part="tray.1", turn=0.2)
        inject(rig.sim, "turn_lift", part="dome")
        await rig.advance(0.1)
        assert rig.machine._sensors["dome_up"]
        assert not rig.machine._sensors["tray_home.1"]
        rig.machine.resume()
        await rig.until(State.READY)
        assert rig.raised == []
        await rig.cycle()


async def test_a_slow_lift_warns_before_it_fails() -> None:
    """Domain 2.3, early warning: slower than learned is a warning, and it ends when it is fast again."""
    async with Rig() as rig:
        for _ in range(2):
            await rig.cycle()
        inject(rig.sim, "slow_lift", part="tray.0", times=1.6)
        await rig.cycle()
        assert rig.raised == [("W03", "tray.0")]
        assert rig.machine.state is State.SHUFFLING
        inject(rig.sim, "slow_lift", part="tray.0", times=1 / 1.6)
        await rig.cycle()
        assert rig.faults.active == ()


async def test_outputs_are_safe_within_50_ms_and_nothing_resumes_by_itself() -> None:
    async with Rig() as rig:
        await rig.advance(10)
        rig.faults.raise_fault("emergency_stop", "machine", "pressed")
        await rig.advance(0.05)
        rig.assert_all_off()
        assert rig.machine.state is State.FAULT
        with pytest.raises(CommandRefused, match="clear the fault first"):
            rig.machine.lift()
        (fault,) = rig.faults.active
        rig.faults.clear(fault.code, by="technician")
        assert rig.machine.state is State.IDLE
        await rig.advance(120)
        rig.assert_all_off()
        rig.machine.resume()
        await rig.until(State.READY)


async def test_an_interlock_that_is_lost_switches_off() -> None:
    """The dome leaves its place under a hand while the disc runs: nothing below it may turn."""
    async with Rig() as rig:
        await rig.advance(6)
        assert rig.sim.outputs["disc_motor"].on
        inject(rig.sim, "blind_sensor", name="dome_down")
        await rig.advance(0.05)
        rig.assert_all_off()
        assert {code for code, _ in rig.raised} == {"O02"}
        assert rig.machine.state is State.FAULT


async def test_a_bad_count_is_reported_and_does_not_stop_play() -> None:
    """C06: the eye missed tiles; the row is complete all the same."""
    async with Rig() as rig:
        await rig.advance(9)
        inject(rig.sim, "blind_sensor", name="head_eye.0")
        await rig.advance(3)
        inject(rig.sim, "mend_sensor", name="head_eye.0")
        await rig.until(State.READY)
        assert rig.raised == [("C06", "head.0")]
        assert "lane 36" in rig.faults.active[0].detail


async def test_what_went_on_before_a_fault_has_ended_even_where_an_output_could_not_be_switched_off() -> None:
    """E04: a board does not answer while everything is made safe. Cleared and resumed, one step goes on, not two."""
    async with Rig() as rig:
        await rig.until(State.READY)
        inject(rig.sim, "loosen_wire", name="tray_motor.1")
        inject(rig.sim, "press_emergency_stop")
        await rig.faults.settled()
        assert [code for code, _ in rig.raised] == ["E01", "E04"]
        inject(rig.sim, "mend_wire", name="tray_motor.1")
        inject(rig.sim, "release_emergency_stop")
        await rig.mend()
        rig.raised.clear()
        await rig.cycle()
        assert rig.raised == []


@pytest.mark.parametrize("name", ["disc_motor", "ready_lamp"])
async def test_nothing_can_be_switched_on_while_a_fault_stands_or_the_table_is_stopped(name: str) -> None:
    """The last line of defence: whoever is still about to switch something on is refused by the outputs themselves."""
    async with Rig() as rig:
        await rig.advance(6)
        await rig.machine.stop()
        with pytest.raises(Frozen):
            await rig.machine._outputs.set(name, True)
        rig.machine.resume()
        await rig.advance(2)
        rig.faults.raise_fault("E01", "table", "test")
        await rig.faults.settled()
        with pytest.raises(Frozen):
            await rig.machine._outputs.set(name, True)
        rig.assert_all_off()


async def test_two_who_stop_the_table_at_once_stop_it_once() -> None:
    """The reset switch and the console."""
    async with Rig() as rig:
        await rig.advance(6)
        await asyncio.gather(rig.machine.stop(), rig.machine.stop())
        rig.assert_all_off()
        assert rig.machine.state is State.IDLE
        assert rig.raised == []


async def test_what_is_begun_waits_until_the_last_fault_has_switched_everything_off() -> None:
    """A hand quicker than the slowest board: it clears and resumes while the outputs are still being made safe."""
    async with Rig() as rig:
        await rig.until(State.READY)
        slow = asyncio.Event()
        rig.faults.add_safe_off(slow.wait)  # type: ignore[arg-type]
        inject(rig.sim, "press_emergency_stop")
        inject(rig.sim, "release_emergency_stop")
        rig.faults.clear("E01", by="technician")
        rig.machine.resume()
        await rig.advance(0.5)
        rig.assert_all_off()
        assert rig.machine.state is State.HOMING
        slow.set()
        await rig.until(State.READY)
