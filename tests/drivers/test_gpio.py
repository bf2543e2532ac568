"""The GPIO driver over an imitation of RPi.GPIO and over the real rpi-lgpio: pins, edges, debouncing, PWM."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from contextlib import aclosing

import pytest
from fake_gpio import FakeGPIO, Header, rpi_lgpio

from tablectl.base.clock import LoopClock
from tablectl.base.faults import DeviceError
from tablectl.drivers.gpio import Gpio
from tablectl.drivers.hardware_edges import BREAKER_EDGES
from tablectl.drivers.hardware_pins import parse_pin

clock = LoopClock()


class Rig:
    def __init__(self, header: Header, module: object) -> None:
        self.header = header
        self.module = module
        self.told: list[tuple[str, str]] = []
        tell = lambda name, why: self.told.append((name, why))  # noqa: E731
        self.gpio = Gpio(clock, module, noisy=tell, lost=tell)

    def output(self, text: str, safe: bool = False):  # type: ignore[no-untyped-def]
        return self.gpio.output("lamp", parse_pin(text), safe)

    def input(self, text: str, debounce_ms: float = 10, name: str = "key"):  # type: ignore[no-untyped-def]
        return self.gpio.input(name, parse_pin(text), debounce_ms / 1e3)


@pytest.fixture(params=["RPi.GPIO", "rpi-lgpio"])
def rig(request: pytest.FixtureRequest) -> Iterator[Rig]:
    header = Header()
    if request.param == "RPi.GPIO":
        yield Rig(header, FakeGPIO(header))
        return
    with rpi_lgpio(header) as module:
        yield Rig(header, module)


# --- outputs


async def test_an_output_begins_and_ends_with_its_safe_value(rig: Rig) -> None:
    for pin, safe, level in (("gpio.4", False, False), ("!gpio.5", False, True), ("!gpio.6", True, False)):
        output = rig.output(pin, safe)
        await output.open()
        number = output.pin.number
        assert rig.header.history[number] == [level]
        await output.set(not safe)
        await output.set(safe)
        await output.set(not safe)
        await output.close()
        assert rig.header.history[number] == [level, not level, level, not level, level]
        assert number not in rig.header.driven


async def test_an_output_that_is_not_open_is_refused(rig: Rig) -> None:
    output = rig.output("gpio.4")
    with pytest.raises(DeviceError, match=r"lamp on gpio\.4: is not open"):
        await output.set(True)
    await output.close()


async def test_a_pin_that_another_program_holds_is_named(rig: Rig) -> None:
    rig.header.held.add(17)
    with pytest.raises(DeviceError, match=r"lamp on !gpio\.17: GPIO busy.*gpioinfo names it.*running already"):
        await rig.output("!gpio.17").open()
    with pytest.raises(DeviceError, match=r"key on \^gpio\.17: GPIO busy"):
        await rig.input("^gpio.17").open()


async def test_a_pin_that_does_not_follow_is_named(rig: Rig) -> None:
    rig.header.short[4] = True
    with pytest.raises(DeviceError, match=r"lamp on gpio\.4: driven low, it reads high; expected low.*short circuit"):
        await rig.output("gpio.4").open()
    assert 4 not in rig.header.driven


async def test_a_motor_at_a_fraction_of_its_speed(rig: Rig) -> None:
    motor = rig.gpio.pwm("disc", parse_pin("gpio.18"), 500, 80)
    await motor.open()
    assert rig.header.pwm == {}
    await motor.set(True)
    await motor.set(True)
    assert rig.header.pwm == {18: (500, 80)}
    await motor.set(False)
    assert rig.header.pwm == {}
    assert rig.header.driven[18] is False
    await motor.set(True)
    await motor.close()
    assert rig.header.pwm == {}
    assert rig.header.history[18][-1] is False


def test_a_pwm_that_would_be_on_when_it_stops_is_refused(rig: Rig) -> None:
    with pytest.raises(
        ValueError, match=r"disc: a PWM on an inverted pin \(!gpio\.18\) would be on when it is stopped"
    ):
        rig.gpio.pwm("disc", parse_pin("!gpio.18"), 500, 80)


# --- inputs


async def test_pull_and_inversion(rig: Rig) -> None:
    key = rig.input("^!gpio.22")
    await key.open()
    assert rig.header.pulls[22] is True
    assert await key.read() is False  # pulled up, nobody presses
    await key.close()
    down = rig.input("~gpio.22")
    await down.open()
    assert rig.header.pulls[22] is False
    await down.close()


async def test_an_edge_has_the_time_of_the_first_change_and_comes_once(rig: Rig) -> None:
    key = rig.input("^!gpio.22")
    await key.open()
    async with aclosing(key.edges()) as edges:
        begin = clock.now()
        for level in (False, True, False, True, False):  # the contact bounces
            rig.header.drive(22, level)
            await clock.sleep(0.002)
        assert await key.read() is False  # not settled yet
        t, level = await anext(edges)
        assert (t, level) == (begin, True)
        assert 0.015 < clock.now() - begin < 0.025
        assert await key.read() is True
        await clock.sleep(0.1)
        released = clock.now()
        rig.header.drive(22, True)
        await clock.sleep(0.001)
        rig.header.drive(22, False)
        await clock.sleep(0.001)
        rig.header.drive(22, True)
        assert await anext(edges) == (released, False)
    await key.close()


async def test_a_spike_is_no_edge_and_does_not_hide_the_next_press(rig: Rig) -> None:
    key = rig.input("gpio.22")
    await key.open()
    async with aclosing(key.edges()) as edges:
        rig.header.drive(22, True)
        await clock.sleep(0.003)
        rig.header.drive(22, False)
        await clock.sleep(0.012)
        begin = clock.now()
        rig.header.drive(22, True)
        assert await anext(edges) == (begin, True)
    await key.close()


async def test_an_edge_that_got_lost_is_found_by_looking(rig: Rig) -> None:
    key = rig.input("gpio.22")
    await key.open()
    async with aclosing(key.edges()) as edges:
        rig.header.lost_edges = True
        begin = clock.now()
        rig.header.drive(22, True)
        t, level = await anext(edges)
        assert level is True
        assert t - begin <= 0.25
    await key.close()


async def test_edges_from_the_threads_of_the_backend(rig: Rig) -> None:
    key = rig.input("gpio.22")
    await key.open()
    async with aclosing(key.edges()) as edges:
        rig.header.drive_from_thread(22, True)
        assert (await anext(edges))[1] is True
    await key.close()
    rig.header.drive_from_thread(22, False)  # nobody listens any more


async def test_a_burnt_contact_is_switched_off_and_told(rig: Rig) -> None:
    key = rig.input("gpio.22")
    await key.open()
    for n in range(BREAKER_EDGES + 50):
        rig.header.drive(22, n % 2 == 0)
        await clock.sleep(0.005)
    assert rig.told == [("key", "more than 50 changes a second for 5 s; switched off")]
    rig.header.drive(22, False)
    await clock.sleep(1)
    async with aclosing(key.edges()) as edges:
        key.reset()  # somebody mended it
        before = await key.read()
        rig.header.drive(22, not before)
        assert (await anext(edges))[1] is not before
    await key.close()


async def test_an_input_that_bounces_for_ever_is_told_all_the_same(rig: Rig) -> None:
    key = rig.input("gpio.22")
    await key.open()
    begin = clock.now()
    async with aclosing(key.edges()) as edges:

        async def bounce() -> None:
            while True:
                for level in (True, False, True):
                    rig.header.drive(22, level)
                await clock.sleep(0.008)

        bouncing = asyncio.create_task(bounce())
        t, level = await anext(edges)
        assert (t, level) == (begin, True)
        assert clock.now() - begin < 0.1
        bouncing.cancel()
    await key.close()


async def test_a_pin_that_was_taken_away_is_told(rig: Rig) -> None:
    key = rig.input("gpio.22")
    await key.open()
    if isinstance(rig.module, FakeGPIO):
        del rig.module.directions[22]
    else:
        del rig.module.lgpio.modes[22]  # type: ignore[attr-defined]
    await clock.sleep(0.3)
    ((name, why),) = rig.told
    assert name == "key"
    assert "You must setup() the GPIO channel first" in why
    rig.gpio.module().setup(22, rig.gpio.module().IN)
    await key.close()


async def test_a_backend_without_edges_is_polled_and_that_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    header = Header()
    rig = Rig(header, FakeGPIO(header, has_edges=False))
    keys = [rig.input(f"gpio.{n}", name=f"key {n}") for n in (22, 23)]
    with caplog.at_level(logging.WARNING):
        for key in keys:
            await key.open()
    (said,) = caplog.messages
    assert "no edges (Failed to add edge detection): inputs are polled every 5 ms" in said
    assert "pip uninstall -y RPi.GPIO rpi-lgpio && pip install rpi-lgpio" in said
    async with aclosing(keys[1].edges()) as edges:
        begin = clock.now()
        header.drive(23, True)
        t, level = await anext(edges)
        assert level is True
        assert t - begin <= 0.006
    for key in keys:
        await key.close()
