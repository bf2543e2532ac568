"""The Modbus driver against emulated boards: order, coalescing, pulses, and everything that goes wrong on a bus."""

from __future__ import annotations

import asyncio
import re

import pytest
from modbus_rig import IO, RELAYS, Rig, rig

from tablectl.base.clock import LoopClock
from tablectl.base.faults import DeviceError
from tablectl.drivers.hardware_errors import HardwareError
from tablectl.drivers.hardware_pins import Pin, parse_pin
from tablectl.drivers.hardware_wiring import Bus
from tablectl.drivers.modbus import ModbusBus
from tablectl.sim.devices import SimInput, SimOutput
from tablectl.sim.wire.modbus_board import EmulatedBoard, Trouble

clock = LoopClock()


def pin(number: int, invert: bool = False) -> Pin:
    return Pin("io", number, invert=invert)


# --- switching


async def test_an_output_is_switched_when_set_returns() -> None:
    async with rig() as r:
        motor = r.board.output("dome", pin(2))
        await motor.open()
        await motor.set(True)
        assert [m.on for m in r.motors] == [False, False, True] + [False] * 5
        assert r.written()[-1].hex(" ") == "01 05 00 02 ff 00 2d fa"
        await motor.set(False)
        assert not r.motors[2].on


async def test_outputs_are_safe_when_the_bus_is_open_and_when_it_is_closed() -> None:
    async with rig() as r:
        brake = r.board.output("brake", pin(0), safe=True)
        lamp = r.board.output("lamp", pin(1, invert=True))
        motor = r.board.output("motor", pin(2))
        await r.bus.open()
        assert [m.on for m in r.motors[:3]] == [True, True, False]
        await brake.set(False)
        await lamp.set(True)
        await motor.set(True)
        assert [m.on for m in r.motors[:3]] == [False, False, True]
        await r.bus.close()
        assert [m.on for m in r.motors[:3]] == [True, True, False]


async def test_every_value_of_an_output_is_sent_in_order() -> None:
    async with rig() as r:
        lamp = r.board.output("lamp", pin(3))
        await r.bus.open()
        seen: list[bool] = []
        r.motors[3].connect(seen.append)
        await asyncio.gather(*(lamp.set(on) for on in (True, False, True, False, True)))
        assert seen == [True, False, True, False, True]


async def test_neighbours_that_wait_together_go_in_one_request() -> None:
    async with rig() as r:
        outputs = [r.board.output(f"motor {n}", pin(n)) for n in range(8)]
        await r.bus.open()
        before = len(r.written())
        await asyncio.gather(*(o.set(True) for o in outputs))
        assert all(m.on for m in r.motors)
        assert [frame.hex(" ") for frame in r.written()[before:]] == ["01 0f 00 00 00 08 01 ff be d5"]


async def test_a_board_that_takes_one_coil_at_a_time_gets_one_at_a_time() -> None:
    kind = RELAYS.model_copy(update={"outputs": RELAYS.outputs.model_copy(update={"many": False})})  # type: ignore[union-attr]
    async with rig(kind) as r:
        outputs = [r.board.output(f"motor {n}", pin(n)) for n in range(3)]
        await r.bus.open()
        await asyncio.gather(*(o.set(True) for o in outputs))
        assert {frame[1] for frame in r.written()} == {5}
        assert [m.on for m in r.motors[:4]] == [True, True, True, False]


async def test_all_sixteen_motors_stop_within_50_ms() -> None:
    kind = RELAYS.model_copy(update={"outputs": RELAYS.outputs.model_copy(update={"count": 16})})  # type: ignore[union-attr]
    async with rig(kind, count=16) as r:
        outputs = [r.board.output(f"motor {n}", pin(n)) for n in range(16)]
        await r.bus.open()
        await asyncio.gather(*(o.set(True) for o in outputs))
        begin = clock.now()
        await asyncio.gather(*(o.set(False) for o in outputs))
        assert clock.now() - begin < 0.05
        assert not any(m.on for m in r.motors)


async def test_switching_does_not_wait_for_a_round_of_polls() -> None:
    async with rig(poll_ms=1000) as r:
        r.board.input("eye", pin(0))
        lamp = r.board.output("lamp", pin(0))
        await r.bus.open()
        await clock.sleep(0.3)
        begin = clock.now()
        await lamp.set(True)
        assert clock.now() - begin < 0.02


# --- pulses


async def test_the_board_ends_a_pulse_by_itself() -> None:
    async with rig() as r:
        kick = r.board.pulse("kick", pin(0), 1000)
        await kick.open()
        await kick.fire(700)
        # Waveshare's example: output 0 flash on for 700 ms
        assert r.written()[-1].hex(" ") == "01 05 02 00 00 07 8d b0"
        assert r.motors[0].on
        await clock.sleep(0.68)
        assert r.motors[0].on
        await clock.sleep(0.02)
        assert not r.motors[0].on
        await clock.sleep(3)
        assert r.reports == []  # an output that changed by itself is no surprise where pulses are


async def test_a_pulse_ends_although_the_host_died() -> None:
    async with rig() as r:
        kick = r.board.pulse("kick", pin(0), 5000)
        await kick.open()
        await kick.fire(3000)
        assert r.bus._task is not None
        r.bus._task.cancel()
        asked = len(r.line.requests)
        await clock.sleep(3.1)
        assert len(r.line.requests) == asked
        assert not r.motors[0].on


@pytest.mark.parametrize(
    ("ms", "words"), [(50, "expected 100 to 1000"), (1100, "expected 100 to 1000"), (250, "100 ms")]
)
async def test_a_pulse_that_the_board_or_the_coil_cannot_do_is_refused(ms: int, words: str) -> None:
    async with rig() as r:
        kick = r.board.pulse("kick", pin(0), 1000)
        await r.bus.open()
        with pytest.raises(ValueError, match=words):
            await kick.fire(ms)
        assert not r.motors[0].on


async def test_a_pulse_is_never_sent_twice() -> None:
    async with rig() as r:
        kick = r.board.pulse("kick", pin(0), 1000)
        await r.bus.open()
        before = len(r.written())
        r.emulated.trouble = Trouble(silent=True)
        with pytest.raises(DeviceError, match="does not answer"):
            await kick.fire(100)
        assert len(r.written()) == before + 1


# --- inputs


async def test_an_edge_has_the_time_of_the_poll_that_saw_it() -> None:
    async with rig(poll_ms=20) as r:
        eye = r.board.input("eye", pin(4))
        await eye.open()
        edges = eye.edges()
        assert await eye.read() is False
        await clock.sleep(0.1)
        r.sensors[4].drive(True)
        pressed = clock.now()
        t, level = await anext(edges)
        assert level is True
        assert pressed <= t <= pressed + 0.03
        assert await eye.read() is True
        await edges.aclose()  # type: ignore[attr-defined]


async def test_inputs_of_a_board_are_read_together_and_can_be_turned_round() -> None:
    async with rig() as r:
        ports = [r.board.input(f"eye {n}", pin(n, invert=n == 1)) for n in range(8)]
        r.sensors[0].drive(True)
        await r.bus.open()
        assert [await port.read() for port in ports[:3]] == [True, True, False]
        assert [f.hex(" ") for f in r.line.requests if f[1] == 2] == ["01 02 00 00 00 08 79 cc"]


async def test_a_level_shorter_than_its_debounce_time_is_no_edge() -> None:
    async with rig(poll_ms=10) as r:
        switch = r.board.input("switch", pin(0), 0.05)
        await r.bus.open()
        edges = switch.edges()
        r.sensors[0].drive(True)
        await clock.sleep(0.03)
        r.sensors[0].drive(False)
        await clock.sleep(0.2)
        begin = clock.now()
        r.sensors[0].drive(True)
        t, level = await anext(edges)
        assert level is True
        assert t - begin < 0.03  # when it was first seen, not when it was sure
        await edges.aclose()  # type: ignore[attr-defined]


# --- what goes wrong on the way


async def poll_and_switch(r: Rig) -> None:
    """Thirty switchings with the right outcome, and inputs that are the real ones."""
    motor = r.board.output("motor", pin(5))
    eye = r.board.input("eye", pin(6))
    await r.bus.open()
    for n in range(30):
        await motor.set(n % 2 == 0)
        assert r.motors[5].on is (n % 2 == 0)
        r.sensors[6].drive(n % 3 == 0)
        await clock.sleep(0.05)
    await clock.sleep(0.5)
    assert await eye.read() is r.sensors[6].level
    assert r.reports == []


@pytest.mark.parametrize(
    "trouble",
    [
        Trouble(again_s=0.0),
        Trouble(again_s=0.012),
        Trouble(before=b"\0"),
        Trouble(before=b"\xff\xff"),
        Trouble(after=b"login: "),
        Trouble(pieces=1),
        Trouble(pieces=3),
        Trouble(late_s=0.06),
    ],
    ids=["twice at once", "twice", "leading 00", "leading FF", "console text", "byte by byte", "in threes", "slow"],
)
async def test_a_line_that_is_not_clean_does_no_harm(trouble: Trouble) -> None:
    async with rig() as r:
        r.emulated.trouble = trouble
        await poll_and_switch(r)


async def test_an_adapter_that_echoes() -> None:
    async with rig(echo=True) as r:
        r.emulated.trouble = Trouble(echo=True)
        await poll_and_switch(r)


async def test_an_echo_that_was_not_declared_is_found_at_start() -> None:
    async with rig() as r:
        r.emulated.trouble = Trouble(echo=True)
        motor = r.board.output("motor", pin(0))
        with pytest.raises(HardwareError, match="echoes what is sent") as caught:
            await motor.open()
        assert caught.value.errors[0].next_step == "Set echo: on for bus motion in wiring.yaml."


@pytest.mark.parametrize(
    "trouble", [Trouble(silent=True, times=1), Trouble(damaged=True, times=2)], ids=["lost", "damaged"]
)
async def test_a_request_without_a_good_answer_is_sent_again(trouble: Trouble) -> None:
    async with rig() as r:
        motor = r.board.output("motor", pin(0))
        await r.bus.open()
        r.emulated.trouble = trouble
        await motor.set(True)
        assert r.motors[0].on
        assert r.reports == []


async def test_an_answer_after_its_time_is_not_taken_for_the_next_one() -> None:
    async with rig(timeout_ms=100, poll_ms=20) as r:
        eye = r.board.input("eye", pin(0))
        await r.bus.open()
        r.emulated.trouble = Trouble(late_s=0.15, times=1)
        await clock.sleep(0.11)  # that poll timed out; its answer, all off, comes in 40 ms
        r.sensors[0].drive(True)
        edges = eye.edges()
        assert (await anext(edges))[1] is True
        for _ in range(50):
            await clock.sleep(0.02)
            assert await eye.read() is True  # never an old answer again
        assert r.reports == []
        await edges.aclose()  # type: ignore[attr-defined]


async def test_after_bytes_that_nobody_asked_for_inputs_are_not_read_until_the_line_has_been_quiet() -> None:
    async with rig(timeout_ms=100, poll_ms=20) as r:
        r.board.input("eye", pin(0))
        motor = r.board.output("motor", pin(0))
        await r.bus.open()
        await clock.sleep(0.101)
        r.line.chatter(b"\x01\x02\x01\x00\xa1\x88")  # an answer, but to what?
        await clock.sleep(0.03)
        asked = len(r.line.requests)
        await clock.sleep(0.15)
        assert len(r.line.requests) == asked
        await motor.set(True)  # what is switched does not wait: its answer cannot be taken for another
        await clock.sleep(0.1)
        assert len(r.line.requests) > asked + 2


async def test_chatter_of_another_device_ends_in_an_error_not_in_a_wait() -> None:
    async with rig() as r:
        motor = r.board.output("motor", pin(0))
        await r.bus.open()
        r.emulated.trouble = Trouble(silent=True)

        async def talk() -> None:
            while True:
                r.line.chatter(b"temp=21.5;")
                await clock.sleep(0.01)

        talking = asyncio.create_task(talk())
        begin = clock.now()
        with pytest.raises(DeviceError, match="its answers are damaged"):
            await motor.set(True)
        assert clock.now() - begin < 1.0
        talking.cancel()


#: virtual seconds within which two boards with one address must be told; usually two
TOLD_S = 60.0


@pytest.mark.parametrize("turnround_s", [0.0, 0.004], ids=["glued", "apart"])
async def test_two_boards_with_one_address_are_told(turnround_s: float) -> None:
    """Each obeys what is said to the other, and inputs are those of whoever is quicker."""
    async with rig() as r:
        r.board.input("eye", pin(0))
        second = EmulatedBoard(
            [SimOutput("motor of the other")], [SimInput("eye of the other", clock)] * 8, turnround_s=turnround_s
        )
        r.line.twins.append((1, second))
        await r.bus.open()
        await clock.sleep(2.0)
        assert r.reports == []  # both say the same
        r.sensors[0].drive(True)
        while not r.reports and clock.now() < TOLD_S:  # on a busy machine bytes come late to a pty
            await clock.sleep(0.5)
        (board, error), *_ = r.reports
        assert board == "io"
        assert "two boards answer as unit 1" in str(error)


# --- boards and ports that are lost


async def test_a_board_that_is_silent_is_lost_and_comes_back_with_its_outputs_safe() -> None:
    async with rig() as r:
        motor = r.board.output("motor", pin(0))
        eye = r.board.input("eye", pin(1))
        await r.bus.open()
        edges = eye.edges()
        await motor.set(True)
        r.emulated.trouble = Trouble(silent=True)
        begin = clock.now()
        with pytest.raises(
            DeviceError, match=r"^board\.io on /dev/pts/\d+ unit 1: does not answer; expected an answer"
        ):
            await motor.set(False)
        assert clock.now() - begin < 1.0
        ((name, error),) = r.reports
        assert name == "io"
        assert error is not None
        with pytest.raises(DeviceError, match="does not answer"):
            await motor.set(False)  # at once
        with pytest.raises(DeviceError, match="does not answer"):
            await eye.read()
        r.motors[0].on = True  # the answer was lost, or the request: nobody knows
        r.sensors[1].drive(True)
        r.emulated.trouble = Trouble()
        assert (await anext(edges))[1] is True
        assert r.reports[1:] == [("io", None)]
        assert not r.motors[0].on
        await motor.set(True)
        assert r.motors[0].on
        await edges.aclose()  # type: ignore[attr-defined]


async def test_one_lost_board_does_not_stop_the_others() -> None:
    async with rig() as r:
        second = SimInput("second", clock)
        r.line.boards[2] = EmulatedBoard([None] * 8, [second, *[None] * 7])
        eye = r.bus.board("slots", 2, IO).input("slot", Pin("slots", 0))
        r.board.input("eye", pin(0))
        await r.bus.open()
        r.emulated.trouble = Trouble(silent=True)
        await clock.sleep(3)
        assert [name for name, error in r.reports if error] == ["io"]
        second.drive(True)
        await clock.sleep(1)
        assert await eye.read() is True


async def test_silent_boards_delay_what_is_switched_on_another_one_by_one_timeout_at_most() -> None:
    async with rig(timeout_ms=50) as r:
        inputs_only = IO.model_copy(update={"modes": None, "outputs": None, "pulses": None})
        for unit in (2, 3, 4):
            r.line.boards[unit] = EmulatedBoard([], [SimInput(f"eye {n}", clock) for n in range(8)])
            r.bus.board(f"eyes{unit}", unit, inputs_only).input("eye", Pin(f"eyes{unit}", 0))
        motor = r.board.output("motor", pin(0))
        await r.bus.open()
        for unit in (2, 3, 4):
            r.line.boards[unit].trouble = Trouble(silent=True)
        slowest = 0.0
        for n in range(200):
            begin = clock.now()
            await motor.set(n % 2 == 0)
            slowest = max(slowest, clock.now() - begin)
            await clock.sleep(0.013)
        assert [name for name, error in r.reports if error] == ["eyes2", "eyes3", "eyes4"]
        assert 0.04 < slowest < 0.07


async def test_a_board_that_always_answers_too_late_is_lost_not_read_one_answer_behind() -> None:
    async with rig(timeout_ms=100, poll_ms=20) as r:
        r.board.input("eye", pin(0))
        await r.bus.open()
        r.emulated.trouble = Trouble(late_s=0.15)
        await clock.sleep(2)
        (name, error), *_ = r.reports
        assert name == "io"
        assert "does not answer; expected an answer within 100 ms" in str(error)


async def test_a_port_that_is_pulled_out_loses_all_its_boards_and_is_opened_again() -> None:
    async with rig() as r:
        motor = r.board.output("motor", pin(0))
        r.board.input("eye", pin(0))
        await r.bus.open()
        port = r.bus.port
        await r.line.close()
        await clock.sleep(0.5)
        ((name, error),) = r.reports
        assert name == "io"
        assert error is not None
        assert "the port is gone" in str(error)
        with pytest.raises(DeviceError, match="the port is gone"):
            await motor.set(True)
        assert await r.line.open() == port  # the same name, as udev gives it
        await clock.sleep(12)
        assert r.reports[-1] == ("io", None)
        await motor.set(True)
        assert r.motors[0].on


async def test_a_board_that_lost_its_supply_for_a_moment_is_noticed() -> None:
    async with rig() as r:
        motor = r.board.output("motor", pin(3))
        await r.bus.open()
        await motor.set(True)
        await r.emulated.power_cycle()
        await clock.sleep(1.5)
        (name, error), *_ = r.reports
        assert name == "io"
        assert re.search("output 3 is off; expected on, as it was switched. The board lost its supply", str(error))


async def test_an_output_that_the_board_would_switch_itself_is_found_at_start() -> None:
    async with rig() as r:
        r.board.output("motor", pin(0))
        r.emulated.modes[2] = 1
        with pytest.raises(HardwareError, match="output 2 is in mode 1: the board switches it by itself") as caught:
            await r.bus.open()
        assert caught.value.errors[0].next_step == "Write 0 to holding register 0x1002."


async def test_a_board_that_refuses_is_named_with_what_was_asked() -> None:
    async with rig(count=4) as r:
        r.board.output("motor", pin(7))
        with pytest.raises(DeviceError, match=r"refused function 03 at 0x1000 \(Modbus exception 2\)"):
            await r.bus.open()


async def test_no_board_at_start() -> None:
    async with rig() as r:
        r.emulated.trouble = Trouble(silent=True)
        with pytest.raises(DeviceError, match=r"does not answer; .* Check its power, wires A and B"):
            await r.board.output("motor", pin(0)).open()


async def test_no_port_at_start() -> None:
    bus = ModbusBus("motion", Bus(port="/dev/nowhere"), clock)
    with pytest.raises(
        DeviceError, match=r"bus\.motion on /dev/nowhere: the port cannot be opened.*fuser -v /dev/nowhere"
    ):
        await bus.open()
    await bus.close()


async def test_a_port_that_another_program_holds_is_refused() -> None:
    async with rig() as r:
        await r.bus.open()
        other = ModbusBus("other", Bus(port=r.bus.port), clock)
        with pytest.raises(DeviceError, match="a serial port that no other program holds"):
            await other.open()


async def test_nothing_can_be_switched_before_the_bus_is_open_or_after_it_is_closed() -> None:
    async with rig() as r:
        motor = r.board.output("motor", pin(0))
        eye = r.board.input("eye", pin(0))
        with pytest.raises(DeviceError, match="is not open"):
            await motor.set(True)
        with pytest.raises(DeviceError, match="is not open"):
            await eye.read()
        await r.bus.open()
        await r.bus.open()  # the second owner changes nothing
        await r.bus.close()
        with pytest.raises(DeviceError, match="is not open"):
            await motor.set(True)


async def test_whoever_waits_when_the_bus_closes_is_told() -> None:
    async with rig() as r:
        motor = r.board.output("motor", pin(0))
        await r.bus.open()
        r.emulated.trouble = Trouble(silent=True)
        waiting = asyncio.create_task(motor.set(True))
        await clock.sleep(0.05)
        await r.bus.close()
        with pytest.raises(DeviceError, match="the bus was closed"):
            await waiting


def test_pins_of_boards() -> None:
    assert parse_pin("!relays.3") == Pin("relays", 3, invert=True)
    assert str(parse_pin("^!gpio.17")) == "^!gpio.17"
    for wrong in ("relays", "^relays.3", "gpio.40", "gpio.1", "relays.x", "!^gpio.4"):
        with pytest.raises(ValueError, match="found"):
            parse_pin(wrong)
