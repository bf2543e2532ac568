"""What a wiring consists of: the models of ``hardware/boards/*.yaml`` and ``hardware/<model>/wiring.yaml``."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, Strict, model_validator

from tablectl import documents
from tablectl.drivers.hardware_pins import Pin, parse_pin


def _register(value: object) -> object:
    """A Modbus address as data sheets write it: ``0x0200``, or a number."""
    if isinstance(value, str) and re.fullmatch(r"0x[0-9a-fA-F]{1,4}", value):
        return int(value, 16)
    return value


def _pin(value: object) -> object:
    if isinstance(value, Pin):
        return value
    if not isinstance(value, str):
        raise ValueError(f"found {documents.shown(value)}, expected a pin, e.g. gpio.17 or relays.3")
    return parse_pin(value)


def _wire(value: object) -> object:
    """A pin alone stands for a wire with no more to say."""
    return {"pin": value} if isinstance(value, str) else value


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, arbitrary_types_allowed=True)


Register = Annotated[int, BeforeValidator(_register), Field(ge=0, le=0xFFFF)]
PinText = Annotated[Pin, BeforeValidator(_pin)]
Switch = Annotated[bool, Strict(False)]
UsbSocket = Annotated[str, Field(pattern=r"[0-9]+(\.[0-9]+)*")]


# --- boards


class Coils(_Part):
    """Outputs of a board: ``count`` coils from ``coil`` on; ``many``: it takes several in one request (code 0F)."""

    count: int = Field(ge=1, le=64)
    coil: Register = 0
    many: Switch = True


class Discretes(_Part):
    """Inputs of a board: ``count`` from ``discrete`` on."""

    count: int = Field(ge=1, le=64)
    discrete: Register = 0


class Pulses(_Part):
    """Outputs that the board itself switches off: write the time in units of ``unit_ms`` to ``coil`` + output."""

    coil: Register
    unit_ms: int = Field(ge=1)
    longest: int = Field(ge=1, le=0xFFFF)


class Modes(_Part):
    """Holding registers with the mode of each output; any other than ``normal`` lets the board switch by itself."""

    holding: Register
    normal: int = 0


class BoardType(_Part):
    """A kind of I/O board that speaks Modbus RTU, as its maker describes it (``hardware/boards/*.yaml``)."""

    name: str
    source: str
    factory: str
    baudrates: Annotated[tuple[int, ...], Strict(False)]
    #: a holding register that every one answers: who is there
    identity: Register | None = None
    outputs: Coils | None = None
    inputs: Discretes | None = None
    pulses: Pulses | None = None
    modes: Modes | None = None

    @model_validator(mode="after")
    def _useful(self) -> BoardType:
        if self.outputs is None and self.inputs is None:
            raise ValueError("a board has outputs, inputs or both")
        if self.outputs is None and (self.pulses or self.modes):
            raise ValueError("pulses and modes need outputs")
        return self


# --- wiring


class Bus(_Part):
    """An RS-485 line. ``echo``: the adapter also hears what it sends; ``timeout_ms``: how long an answer may take;
    ``poll_ms``: how often inputs are read."""

    port: str = Field(pattern=r"/dev/.+")
    baudrate: int = Field(default=115200, ge=1200, le=921600)
    parity: Literal["none", "even", "odd"] = "none"
    stopbits: Literal[1, 2] = 1
    echo: Switch = False
    timeout_ms: int = Field(default=100, ge=20, le=2000)
    poll_ms: int = Field(default=20, ge=5, le=1000)


class Board(_Part):
    """One board: its kind, its bus, its address there."""

    type: str
    bus: str
    unit: int = Field(ge=1, le=247)


class Pwm(_Part):
    hertz: float = Field(gt=0, le=2000)
    duty_percent: float = Field(gt=0, le=100)


class Wire(_Part):
    """Where an output is; with ``pwm`` it runs at a fraction of its speed (header only)."""

    pin: PinText
    pwm: Pwm | None = None


class SensorWire(_Part):
    """Where an input is; ``debounce_ms``: how long a level must stand."""

    pin: PinText
    debounce_ms: float = Field(default=10, ge=0, le=500)


class PulseWire(_Part):
    """A solenoid on a board that ends the pulse by itself; ``longest_ms`` protects the coil."""

    pin: PinText
    longest_ms: int = Field(ge=1, le=60_000)


class KeyWire(_Part):
    """A key of a seat. ``key`` as in docs/trace-format.md; ``n`` for keys that carry a number."""

    seat: int = Field(ge=0, le=3)
    key: str = Field(min_length=1)
    pin: PinText
    n: int | None = None
    debounce_ms: float = Field(default=15, ge=0, le=500)


class Deadman(_Part):
    """A line that the program toggles while it lives; a circuit drops the motors' supply when it stands still for
    ``drops_after_ms``."""

    pin: PinText
    toggle_ms: int = Field(default=4, ge=2, le=500)
    drops_after_ms: int = Field(ge=10, le=2000)

    @model_validator(mode="after")
    def _in_time(self) -> Deadman:
        if self.drops_after_ms < 3 * self.toggle_ms:
            raise ValueError(f"drops_after_ms must be at least three times toggle_ms ({3 * self.toggle_ms})")
        return self


class EmergencyStop(_Part):
    """The contact that tells the program of the emergency stop, which cuts the motors by itself; on = pressed."""

    pin: PinText
    debounce_ms: float = Field(default=5, ge=0, le=100)


class ElectronicDice(_Part):
    kind: Literal["electronic"]


class ChamberDice(_Part):
    """Dice under glass: a motor spins the pan, an eye sees them move, a person reads and enters them."""

    kind: Literal["chamber"]
    motor: PinText
    eye: PinText
    spin_seconds: float = Field(gt=0, le=10)
    rest_seconds: float = Field(default=0.8, gt=0, le=5)
    limit_seconds: float = Field(default=10, gt=0, le=60)


class Digits(_Part):
    """Digits of seven segments behind a MAX7219 on SPI: they show the dice."""

    port: int = Field(default=0, ge=0, le=9)
    device: int = Field(default=1, ge=0, le=9)
    count: Literal[4, 8] = 8


class Panel(_Part):
    """Two or four lines for the technician, an HD44780 behind a PCF8574 on I²C."""

    port: int = Field(default=1, ge=0, le=9)
    address: Register = 0x27
    columns: Literal[16, 20] = 16
    rows: Literal[2, 4] = 2


class Supply(_Part):
    """A power supply: what it feeds, and the fuse in its line."""

    name: str
    volts: float = Field(gt=0, le=240)
    amperes: float = Field(gt=0)
    fuse_amperes: float = Field(gt=0)
    feeds: list[str] = Field(min_length=1)
    behind_deadman: Switch = False


class Part(_Part):
    """A line of the bill of materials, by function: what it must do, how many, one that does."""

    function: str
    count: int = Field(ge=1)
    example: str
    note: str = ""


class WiringFile(_Part):
    """The file ``wiring.yaml``. ``usb``: the socket (as the kernel counts them, ``1.2.4``) of every adapter, by the
    name it gets below ``/dev/tablectl/``. Outputs and inputs have the names of ``machine.yaml``; where one relay or one
    sensor serves all four sides, the name of the group (``tray_motor``) stands for them."""

    model: str
    #: header pins that something else uses, with what
    reserved: dict[int, str] = {}
    usb: dict[str, UsbSocket] = {}
    buses: dict[str, Bus] = {}
    boards: dict[str, Board] = {}
    outputs: dict[str, Annotated[Wire, BeforeValidator(_wire)]]
    inputs: dict[str, Annotated[SensorWire, BeforeValidator(_wire)]]
    pulses: dict[str, PulseWire] = {}
    keys: list[KeyWire] = []
    deadman: Deadman
    emergency_stop: EmergencyStop | None = None
    dice: Annotated[ElectronicDice | ChamberDice, Field(discriminator="kind")]
    digits: Digits | None = None
    panel: Panel | None = None
    power: list[Supply]
    parts: list[Part]
