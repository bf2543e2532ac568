"""The backend of a real table: drivers, boards and header as a whole, moving the simulated mechanics."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from itertools import pairwise

import pytest
from hardware_rig import hardware

from tablectl.base.clock import LoopClock, VirtualLoop
from tablectl.base.faults import ClearRefused
from tablectl.drivers.dice import ElectronicDice, verify
from tablectl.drivers.hardware_deadman import SURPRISES_S, TurnPulse
from tablectl.drivers.hardware_errors import HardwareError
from tablectl.machine.states import State
from tablectl.machine.status import MachineStatus
from tablectl.sim.wire.modbus_board import Trouble

clock = LoopClock()


async def until(rig, machine, state: State, limit_s: float = 200) -> None:
    reached = asyncio.Event()
    unsubscribe = rig.bus.subscribe(MachineStatus, lambda s: reached.set() if s.state is state else None)
    if machine.state is not state:
        async with asyncio.timeout(limit_s):
            await reached.wait()
    unsubscribe()


async def press(rig, key: str, seconds: float = 0.15) -> None:
    rig.sim.inputs[key].drive(True)
    await clock.sleep(seconds)
    rig.sim.inputs[key].drive(False)


async def test_the_reference_table_shuffles_and_lifts_through_its_drivers() -> None:
    """The same cycle as with simulated ports: through relays on RS-485, PWM and sensors on the header."""
    async with hardware() as rig:
        await rig.table.open()
        machine = rig.machine()
        await machine.start()
        await until(rig, machine, State.READY)
        await clock.sleep(0.1)  # the lamp is a request on the bus
        assert [(side.tiles, side.eye) for side in machine.status.sides] == [(36, 36)] * 4
        assert rig.sim.outputs["ready_lamp"].on
        assert not rig.sim.outputs["disc_motor"].on
        await press(rig, "lift_key.1")
        await until(rig, machine, State.COLLECTING)
        await press(rig, "lift_key.0")
        await until(rig, machine, State.SHUFFLING)
        assert machine.status.cycles == 1
        assert len(rig.sim.world.walls) == 144
        assert rig.header.pwm == {18: (400, 80)}  # the disc at 80 %
        await machine.stop()
        assert not any(output.on for output in rig.sim.outputs.values())
        assert rig.raised == []
        await machine.close()


async def test_the_table_with_six_relays_runs_the_same_program() -> None:
    async with hardware("six-relay") as rig:
        await rig.table.open()
        tray, other = rig.table.outputs["tray_motor.0"], rig.table.outputs["tray_motor.3"]
        assert rig.header.driven[6] is True  # a relay that is on at low level
        await tray.set(True)
        await other.set(True)
        assert all(rig.sim.outputs[f"tray_motor.{n}"].on for n in range(4))
        await tray.set(False)
        assert rig.header.driven[6] is False  # the other one still needs it
        await other.set(False)
        assert rig.header.driven[6] is True
        assert rig.table.inputs["tray_home.0"] is rig.table.inputs["tray_home.2"]
        machine = rig.machine()
        await machine.start()
        await until(rig, machine, State.SHUFFLING)
        assert {rig.header.driven[pin] for pin in (13, 16, 19, 20)} == {False}  # disc, ring, belts, heads run
        await until(rig, machine, State.READY)
        assert [(side.tiles, side.eye) for side in machine.status.sides] == [(36, 36)] * 4
        await press(rig, "lift_key.0")
        await until(rig, machine, State.COLLECTING)
        await press(rig, "lift_key.1")
        await until(rig, machine, State.SHUFFLING)
        assert len(rig.sim.world.walls) == 144
        assert rig.raised == []
        await machine.close()
        assert {rig.header.driven[pin] for pin in (5, 6, 13, 16, 19, 20)} == {True}


async def test_a_board_that_is_lost_stops_the_table_and_cannot_be_cleared_before_it_is_back() -> None:
    async with hardware() as rig:
        await rig.table.open()
        machine = rig.machine()
        await machine.start()
        await until(rig, machine, State.SHUFFLING)
        assert rig.table.deadman.stopped == ""
        rig.board("rows").trouble = Trouble(silent=True)
        await until(rig, machine, State.FAULT, 5)
        await clock.sleep(0.5)
        (code, where, detail) = rig.raised[0]
        assert (code, where) == ("B01", "board.rows")
        assert "does not answer" in detail
        assert not any(output.on for output in rig.sim.outputs.values())
        assert rig.table.deadman.stopped == "a fault stands"
        with pytest.raises(ClearRefused, match="B01 cannot be cleared yet: it still does not answer"):
            rig.faults.clear("B01", "technician")
        rig.board("rows").trouble = Trouble()
        await clock.sleep(12)
        rig.faults.clear("B01", "technician")
        await clock.sleep(0.2)
        assert rig.table.deadman.stopped == ""
        assert not any(output.on for output in rig.sim.outputs.values())  # nothing goes on by itself
        await machine.close()


def stand_still(seconds: float) -> None:
    """Nothing of the program runs for so long: a disk that hangs, SIGSTOP, a computer without memory."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualLoop)
    loop._virtual_now += seconds


async def test_motors_do_not_go_on_by_themselves_after_the_program_stood_still() -> None:
    """K1 has dropped while relays were on; it must not come back before they are off and a person has looked."""
    async with hardware() as rig:
        await rig.table.open()
        machine = rig.machine()
        await machine.start()
        await until(rig, machine, State.SHUFFLING)
        toggled = len(rig.header.history[21])
        stand_still(SURPRISES_S)
        await until(rig, machine, State.FAULT, 1)
        await clock.sleep(1)
        assert [(code, where) for code, where, _ in rig.raised] == [("E02", "program")]
        assert "stood still for 0.3 s" in rig.raised[0][2]
        assert not any(output.on for output in rig.sim.outputs.values())
        assert len(rig.header.history[21]) == toggled
        rig.faults.clear("E02", "operator")
        await clock.sleep(0.3)
        assert len(rig.header.history[21]) > toggled
        assert machine.state is State.IDLE
        assert not any(output.on for output in rig.sim.outputs.values())
        await machine.close()


async def test_a_program_that_stood_still_while_nothing_moved_goes_on() -> None:
    async with hardware() as rig:
        await rig.table.open()
        machine = rig.machine()
        await machine.start()
        await until(rig, machine, State.READY)
        await clock.sleep(0.5)
        assert rig.sim.outputs["ready_lamp"].on
        stand_still(2.0)
        await clock.sleep(1)
        assert rig.raised == []
        assert rig.table.deadman.stopped == ""
        await machine.close()


async def test_motors_go_on_after_a_short_pause() -> None:
    """Their supply drops, and comes back with the next sign of life: nobody has put a hand in meanwhile."""
    async with hardware() as rig:
        await rig.table.open()
        machine = rig.machine()
        await machine.start()
        await until(rig, machine, State.SHUFFLING)
        stand_still(SURPRISES_S - 2 * TurnPulse.every_s)
        await until(rig, machine, State.READY)
        assert rig.raised == []
        assert rig.table.deadman.stopped == ""
        await machine.close()


async def test_the_dead_man_line_toggles_only_while_everything_lives() -> None:
    async with hardware() as rig:
        await rig.table.open()
        line = rig.header.history[21]
        await clock.sleep(1)
        toggles = sum(a is not b for a, b in pairwise(line))
        assert toggles == pytest.approx(1 / TurnPulse.every_s, abs=1)
        rig.faults.raise_fault("emergency_stop", "table", "test")
        await clock.sleep(0.1)
        count = len(line)
        await clock.sleep(1)
        assert len(line) == count


async def test_a_bus_that_hangs_is_a_missing_heartbeat() -> None:
    async with hardware() as rig:
        await rig.table.open()
        task = rig.table.buses["motion"]._task
        assert task is not None
        task.cancel()
        await clock.sleep(4)
        assert [(code, where) for code, where, _ in rig.raised] == [("E02", "bus.motion")]
        assert rig.table.deadman.stopped


async def test_the_emergency_stop_is_a_fault_until_it_is_released() -> None:
    async with hardware() as rig:
        await rig.table.open()
        assert rig.raised == []
        rig.contacts["emergency_stop"].drive(True)
        await clock.sleep(0.1)
        assert [(code, where) for code, where, _ in rig.raised] == [("E01", "table")]
        with pytest.raises(ClearRefused, match="the emergency stop is still pressed"):
            rig.faults.clear("E01", "operator")
        rig.contacts["emergency_stop"].drive(False)
        await clock.sleep(0.1)
        rig.faults.clear("E01", "operator")


async def test_an_emergency_stop_that_is_pressed_at_start_is_noticed() -> None:
    async with hardware() as rig:
        rig.contacts["emergency_stop"].drive(True)
        await rig.table.open()
        await clock.sleep(0.1)
        assert [code for code, _, _ in rig.raised] == ["E01"]


async def test_keys_are_reports_and_go_into_the_dice() -> None:
    async with hardware(poll_ms={"keys": 10}) as rig:
        await rig.table.open()
        dice = rig.table.dice
        assert isinstance(dice, ElectronicDice)
        commitment = dice.commitment
        async with aclosing(aiter(rig.table.keys)) as keys:
            await clock.sleep(0.5)
            begin = clock.now()
            rig.contacts["key dice of seat 2"].drive(True)
            pressed = await anext(keys)
            assert (pressed.key, pressed.seat, pressed.n) == ("dice", 2, None)
            assert begin < pressed.t < begin + 0.1
            await clock.sleep(0.3)
            rig.contacts["key dice of seat 2"].drive(False)
            await clock.sleep(0.3)
            rig.contacts["key win of seat 0"].drive(True)
            assert (await anext(keys)).key == "win"  # a release is no press
        values = await dice.roll()
        revealed = dice.reveal()
        (throw,) = revealed.throws
        assert throw.commitment == commitment
        assert throw.dice == values
        assert throw.message.startswith(f"2@{round(pressed.t * 1e9)},0@")
        assert verify(throw, revealed.secret) == ""


async def test_a_chattering_input_is_switched_off_and_listened_to_again_after_the_fault_is_cleared() -> None:
    async with hardware() as rig:
        await rig.table.open()
        eye = rig.sim.inputs["head_eye.1"]
        for n in range(300):
            eye.drive(n % 2 == 0)
            await clock.sleep(0.01)
        assert [(code, where) for code, where, _ in rig.raised] == [("S01", "head_eye.1")]
        rig.faults.clear("S01", "technician")
        await clock.sleep(0.1)
        assert await rig.table.inputs["head_eye.1"].read() is False  # as it is now
        async with aclosing(rig.table.inputs["head_eye.1"].edges()) as edges:  # type: ignore[type-var]
            eye.drive(True)
            assert (await anext(edges))[1] is True


async def test_everything_that_is_missing_at_start_is_told_at_once() -> None:
    async with hardware() as rig:
        rig.header.held.add(18)
        rig.board("relays").trouble = Trouble(silent=True)
        rig.board("trays").trouble = Trouble(silent=True)
        rig.board("pad2").trouble = Trouble(silent=True)
        with pytest.raises(HardwareError) as caught:
            await rig.table.open()
        told = str(caught.value).splitlines()
        assert [line.partition(" on ")[0] for line in told] == [
            "disc_motor",
            "board.relays",
            "board.trays",
            "board.pad2",
        ]
        assert "GPIO busy" in told[0]
        assert "does not answer" in told[1]
        assert 21 not in rig.header.driven  # no supply for motors


async def test_everything_is_safe_after_closing() -> None:
    async with hardware() as rig:
        await rig.table.open()
        for name in ("dome_motor", "disc_motor", "ready_lamp"):
            await rig.table.outputs[name].set(True)
            assert rig.sim.outputs[name].on
        await rig.table.close()
        assert not any(output.on for output in rig.sim.outputs.values())
        assert rig.header.driven == {}
        await rig.table.open()  # and again
        await rig.table.outputs["dome_motor"].set(True)
        assert rig.sim.outputs["dome_motor"].on


async def test_outputs_are_safe_within_50_ms_of_a_fault() -> None:
    """All motors on, the slowest moment: a round of polls has just begun."""
    async with hardware(poll_ms={"motion": 20}) as rig:
        await rig.table.open()
        machine = rig.machine()
        await machine.start()
        await until(rig, machine, State.SHUFFLING)
        await clock.sleep(2)
        on = [name for name, output in rig.sim.outputs.items() if output.on]
        assert len(on) == 10
        begin = clock.now()
        offs: list[float] = []
        for name in on:
            rig.sim.outputs[name].connect(lambda level: offs.append(clock.now() - begin))
        rig.faults.raise_fault("emergency_stop", "table", "test")
        await rig.faults.settled()
        assert len(offs) == 10
        assert max(offs) < 0.05
        await machine.close()


async def test_outputs_are_safe_within_50_ms_when_the_program_ends() -> None:
    async with hardware(poll_ms={"motion": 20}) as rig:
        await rig.table.open()
        machine = rig.machine()
        await machine.start()
        await until(rig, machine, State.SHUFFLING)
        await clock.sleep(2)
        begin = clock.now()
        offs: list[float] = []
        for output in rig.sim.outputs.values():
            output.connect(lambda level: offs.append(clock.now() - begin))
        await machine.close()
        assert len(offs) == 10
        assert max(offs) < 0.05


async def test_a_motor_that_cannot_be_switched_is_a_fault_not_an_exception() -> None:
    """The relays go silent in the moment at which they are wanted."""
    async with hardware(poll_ms={"motion": 1000}) as rig:
        await rig.table.open()
        machine = rig.machine()
        await machine.start()
        await until(rig, machine, State.READY)
        await clock.sleep(0.2)
        rig.board("relays").trouble = Trouble(silent=True)
        await press(rig, "lift_key.0")
        await until(rig, machine, State.FAULT, 5)
        await rig.faults.settled()
        # read once a second, the eyes of the slots are late: that alone is a warning
        assert [(code, where) for code, where, _ in rig.raised if code not in ("C03", "S02")] == [
            ("B01", "board.relays"),
            ("E04", "Machine._on_fault"),
        ]
        await clock.sleep(0.1)
        assert rig.table.deadman.stopped == "a fault stands"  # what the relays cannot do, the contactor does
        rig.board("relays").trouble = Trouble()
        await clock.sleep(3)
        await machine.close()
