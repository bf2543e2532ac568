"""Outputs, inputs and pulses under test: simulated ones, pins over RPi.GPIO and rpi-lgpio, boards on a bus. Each rig
has the device, and hands that look at its terminals or pull at them.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any

from fake_gpio import FakeGPIO, Header, rpi_lgpio
from modbus_rig import rig as modbus_rig

from tablectl.base.clock import LoopClock
from tablectl.drivers.gpio import Gpio
from tablectl.drivers.hardware_guard import Gang
from tablectl.drivers.hardware_pins import Pin, parse_pin
from tablectl.sim.devices import SimInput, SimOutput
from tablectl.sim.wire.modbus_board import Trouble

clock = LoopClock()


@dataclass
class OutputRig:
    """``history``: every level that the motor had, as on and off; ``break_it``: from now on it cannot be switched."""

    device: Any
    history: list[bool] = field(default_factory=list)
    break_it: Callable[[], object] | None = None


@dataclass
class InputRig:
    """``drive``: the sensor sees something, or nothing; ``latest_s``: after which an edge has come at the latest."""

    device: Any
    drive: Callable[[bool], object]
    latest_s: float


# --- outputs


@asynccontextmanager
async def sim_output() -> AsyncIterator[OutputRig]:
    rig = OutputRig(SimOutput("motor"))
    rig.device.connect(rig.history.append)
    yield rig


@contextmanager
def _header(kind: str) -> Any:
    header = Header()
    if kind == "RPi.GPIO":
        yield header, Gpio(clock, FakeGPIO(header))
        return
    with rpi_lgpio(header) as module:
        yield header, Gpio(clock, module)


def gpio_output(kind: str, text: str, ganged: bool = False) -> Any:
    @asynccontextmanager
    async def rig() -> AsyncIterator[OutputRig]:
        pin = parse_pin(text)
        with _header(kind) as (header, gpio):
            device: Any = gpio.output("motor", pin)
            if ganged:
                device = Gang(device, False).member("motor")
            made = OutputRig(device)
            header.loads[pin.number] = lambda level: made.history.append(pin.level(level))

            def taken_away() -> None:
                gpio.module().cleanup(pin.number)

            made.break_it = taken_away
            yield made

    return rig


@asynccontextmanager
async def gpio_pwm() -> AsyncIterator[OutputRig]:
    with _header("RPi.GPIO") as (header, gpio):
        rig = OutputRig(gpio.pwm("motor", parse_pin("gpio.18"), 400, 80))
        header.loads[18] = rig.history.append
        yield rig


@asynccontextmanager
async def modbus_output() -> AsyncIterator[OutputRig]:
    async with modbus_rig() as r:
        rig = OutputRig(r.board.output("motor", Pin("io", 3)))
        r.motors[3].connect(rig.history.append)

        def silent() -> None:
            r.emulated.trouble = Trouble(silent=True)

        rig.break_it = silent
        yield rig


# --- inputs


@asynccontextmanager
async def sim_input() -> AsyncIterator[InputRig]:
    device = SimInput("eye", clock)
    yield InputRig(device, device.drive, 0.0)


def gpio_input(kind: str, text: str) -> Any:
    @asynccontextmanager
    async def rig() -> AsyncIterator[InputRig]:
        pin = parse_pin(text)
        with _header(kind) as (header, gpio):
            header.drive(pin.number, pin.level(False))
            device = gpio.input("eye", pin, 0.004)
            yield InputRig(device, lambda on: header.drive(pin.number, pin.level(on)), 0.01)

    return rig


@asynccontextmanager
async def gpio_polled() -> AsyncIterator[InputRig]:
    header = Header()
    device = Gpio(clock, FakeGPIO(header, has_edges=False)).input("eye", parse_pin("gpio.5"), 0.004)
    yield InputRig(device, lambda on: header.drive(5, on), 0.02)


@asynccontextmanager
async def modbus_input() -> AsyncIterator[InputRig]:
    async with modbus_rig(poll_ms=20) as r:
        yield InputRig(r.board.input("eye", Pin("io", 2)), r.sensors[2].drive, 0.06)


OUTPUTS = {
    "simulated": sim_output,
    "RPi.GPIO": gpio_output("RPi.GPIO", "gpio.5"),
    "rpi-lgpio": gpio_output("rpi-lgpio", "!gpio.6"),
    "one of a gang": gpio_output("RPi.GPIO", "!gpio.6", ganged=True),
    "PWM": gpio_pwm,
    "Modbus": modbus_output,
}
INPUTS = {
    "simulated": sim_input,
    "RPi.GPIO": gpio_input("RPi.GPIO", "^!gpio.5"),
    "rpi-lgpio": gpio_input("rpi-lgpio", "~gpio.6"),
    "RPi.GPIO without edges": gpio_polled,
    "Modbus": modbus_input,
}
