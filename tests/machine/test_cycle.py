"""The cycle of the table: order, times, keys, counts, commands."""

from __future__ import annotations

from collections import Counter

import pytest
from simulated_table import MACHINE, Rig

from tablectl.machine.description import load_machine
from tablectl.machine.states import State
from tablectl.machine.status import CommandRefused
from tablectl.sim.faults import inject


async def test_two_sets_in_turn() -> None:
    """Domain 1.5: the set that waited is lifted, the other is stacked meanwhile."""
    async with Rig() as rig:
        for played in "ABAB":
            await rig.cycle()
            standing = {rig.sim.world.set_of[tag] for tag in rig.sim.world.walls.values()}
            assert standing == {played}
            assert len(rig.sim.world.walls) == 144
            rig.sim.world.check()
        assert [point for _, point in rig.points] == ["collecting", "raised"] * 4
        assert rig.machine.status.cycles == 4


async def test_order_and_times_of_a_cycle() -> None:
    async with Rig() as rig:
        shuffled = await rig.until(State.READY)
        assert 18 < shuffled < 40
        await rig.cycle()
        order = [state for _, state in rig.states]
        assert order == [
            State.HOMING,
            State.SHUFFLING,
            State.READY,
            State.OPENING,
            State.COLLECTING,
            State.CLOSING,
            State.RAISING,
            State.SHUFFLING,
        ]
        at = dict(reversed([(state, t) for t, state in rig.states]))
        assert 1.2 < at[State.COLLECTING] - at[State.OPENING] < 1.8
        raised = next(t for t, point in rig.points if point == "raised")
        assert 2.5 < raised - at[State.RAISING] < 3.5


async def test_every_side_gets_its_stacks_and_all_counts_agree() -> None:
    async with Rig() as rig:
        await rig.until(State.READY)
        for side in rig.machine.status.sides:
            assert (side.tiles, side.target, side.eye, side.passages) == (36, 36, 36, 36)
        assert rig.raised == []
        assert Counter(p.lane for p in rig.passages) == dict.fromkeys(range(4), 36)
        assert not any(rig.machine.status.learned.get(f"tray.{n}:tray_home.{n}") for n in range(4))


async def test_disc_and_ring_rest_while_all_belts_are_full() -> None:
    async with Rig() as rig:
        await rig.until(State.READY)
        runs = [name for name, _, _ in rig.runs]
        assert runs.count("disc_motor") > 1
        assert runs.count("disc_motor") == runs.count("ring_motor")
        assert all(runs.count(f"head_motor.{n}") == 1 for n in range(4))


async def test_a_full_side_stops_before_the_others() -> None:
    async with Rig() as rig:
        await rig.until(State.READY)
        ends = sorted(off for name, _, off in rig.runs if name.startswith("head_motor"))
        assert ends[0] < ends[-1]
        assert rig.states[-1][1] is State.READY
        assert [name for name, output in rig.sim.outputs.items() if output.on] == ["ready_lamp"]


async def test_one_key_does_nothing_during_a_shuffle() -> None:
    """Domain 1.5, top-up: the ready lamp is off and ONE key does nothing."""
    async with Rig() as rig:
        await rig.advance(5)
        await rig.press()
        assert rig.machine.state is State.SHUFFLING
        (why,) = rig.ignored
        assert "both lift keys" in why


async def test_both_keys_pause_a_shuffle_and_one_resumes_it() -> None:
    """Domain 1.5, top-up: both keys raise the dome and stop disc, ring, belts and heads; one key closes it."""
    async with Rig() as rig:
        await rig.advance(6)
        before = sum(side.tiles for side in rig.machine.status.sides)
        assert before > 0
        await rig.sim.press_lift(both=True)
        await rig.until(State.PAUSED, 5)
        rig.assert_all_off()
        assert rig.sim.world.opening_free
        stacked = [side.tiles for side in rig.machine.status.sides]
        await rig.advance(30)
        assert [side.tiles for side in rig.machine.status.sides] == stacked
        await rig.press()
        await rig.until(State.READY)
        assert [side.tiles for side in rig.machine.status.sides] == [36] * 4
        rig.sim.world.check()


async def test_pause_and_resume_over_the_link() -> None:
    async with Rig() as rig:
        with pytest.raises(CommandRefused, match="nothing is paused"):
            rig.machine.resume()
        await rig.advance(3)
        rig.machine.pause()
        await rig.until(State.PAUSED, 5)
        rig.machine.resume()
        await rig.until(State.SHUFFLING, 5)
        with pytest.raises(CommandRefused, match="does nothing while the table is shuffling"):
            rig.machine.lift()
        await rig.until(State.READY)
        with pytest.raises(CommandRefused, match="no shuffle to pause"):
            rig.machine.pause()


async def test_reshuffle_opens_as_soon_as_the_waiting_set_is_ready() -> None:
    async with Rig() as rig:
        await rig.cycle()
        rig.machine.shuffle()
        await rig.until(State.COLLECTING)
        assert [point for _, point in rig.points] == ["collecting", "raised", "collecting"]


async def test_stop_is_idle_with_everything_off_and_resume_goes_on() -> None:
    async with Rig() as rig:
        await rig.advance(8)
        await rig.machine.stop()
        assert rig.machine.state is State.IDLE
        rig.assert_all_off()
        stacked = [side.tiles for side in rig.machine.status.sides]
        await rig.advance(60)
        assert [side.tiles for side in rig.machine.status.sides] == stacked
        rig.machine.resume()
        await rig.until(State.READY)
        assert [side.tiles for side in rig.machine.status.sides] == [36] * 4


async def test_stop_while_the_walls_rise_goes_on_raising() -> None:
    async with Rig() as rig:
        await rig.until(State.READY)
        await rig.press()
        await rig.until(State.COLLECTING)
        rig.push_in()
        await rig.press()
        await rig.until(State.RAISING)
        await rig.advance(1.0)
        await rig.machine.stop()
        rig.assert_all_off()
        rig.machine.resume()
        await rig.until(State.SHUFFLING)
        assert len(rig.sim.world.walls) == 144
        assert rig.points[-1][1] == "raised"


async def test_a_restart_finds_a_waiting_set() -> None:
    """After power loss the slots tell whether a set waits (domain 2.4)."""
    async with Rig() as rig:
        await rig.until(State.READY)
        await rig.machine.close()
        rig.machine = rig.new_machine()
        await rig.machine.start()
        await rig.until(State.READY, 5)


async def test_a_restart_in_the_middle_of_a_shuffle_builds_the_rows_to_their_end() -> None:
    """How many stacks stand in the slots is not known, but the eyes at their ends tell when a row is complete."""
    async with Rig() as rig:
        await rig.advance(8)
        await rig.machine.close()
        rig.machine = rig.new_machine()
        await rig.machine.start()
        await rig.until(State.READY)
        assert rig.raised == [("C07", "machine")]
        assert all(len(rig.sim.world.tags(f"slot.{n}")) == 36 for n in range(4))
        await rig.cycle()
        await rig.until(State.READY)
        assert rig.faults.active == ()  # the next shuffle is watched from its beginning


async def test_a_restart_with_slots_that_contradict_asks() -> None:
    """C04: an eye at the far end sees a row where the near one sees none."""
    async with Rig() as rig:
        await rig.advance(8)
        await rig.machine.close()
        inject(rig.sim, "blind_sensor", name="slot_loaded.1")
        inject(rig.sim, "stick_sensor", name="slot_full.1")
        rig.machine = rig.new_machine()
        await rig.machine.start()
        await rig.advance(1)
        assert rig.raised == [("C04", "machine")]
        rig.assert_all_off()


async def test_no_output_is_on_longer_than_allowed() -> None:
    limits = {name: spec.max_on_seconds for name, spec in load_machine(MACHINE).output_names()}
    async with Rig() as rig:
        for _ in range(2):
            await rig.cycle()
        await rig.until(State.READY)
        for name, on, off in rig.runs:
            limit = limits[name]
            assert limit is None or off - on <= limit, name


async def test_learned_travel_times() -> None:
    async with Rig() as rig:
        for _ in range(3):
            await rig.cycle()
        learned = rig.machine.status.learned
        assert learned["dome:dome_up"] == pytest.approx(1.45, abs=0.15)
        assert learned["tray.2:tray_home.2"] == pytest.approx(2.9, abs=0.25)
