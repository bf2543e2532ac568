"""Digits on a MAX7219 and letters on an HD44780: the bytes that reach the controllers."""

from __future__ import annotations

from typing import Any

import luma.core.virtual
import luma.lcd.device
import pytest
from luma.core.interface.serial import pcf8574

from tablectl.base.faults import DeviceError
from tablectl.drivers.display_hd44780 import Backpack, TextDisplay
from tablectl.drivers.display_max7219 import DigitDisplay, PlainSPI

# luma reads pictures with a call that Pillow announces to drop in a year; pyproject pins both.
pytestmark = pytest.mark.filterwarnings("ignore:.*getdata.*:DeprecationWarning")


class RecordingBus:
    """A bus that keeps what was sent. ``silent``: nobody answers."""

    where = "/dev/test"

    def __init__(self) -> None:
        self.sent: list[tuple[str, list[int]]] = []
        self.silent = False
        self.closed = 0

    def open(self) -> Any:
        return self

    def command(self, *bytes_: int) -> None:
        self._put("command", list(bytes_))

    def data(self, data: Any) -> None:
        self._put("data", list(data))

    def _put(self, kind: str, data: list[int]) -> None:
        if self.silent:
            raise OSError(121, "Remote I/O error")
        self.sent.append((kind, data))

    def cleanup(self) -> None:
        self.closed += 1


def digits(bus: RecordingBus) -> dict[int, int]:
    """The last value of each digit register of one MAX7219, 8 = leftmost."""
    found = {}
    for _, data in bus.sent:
        for register, value in zip(data[::2], data[1::2], strict=True):
            if 1 <= register <= 8:
                found[register] = value
    return found


async def test_a_throw_on_the_digits() -> None:
    bus = RecordingBus()
    display = DigitDisplay("digits", bus)
    await display.open()
    await display.dice((3, 5))
    assert [digits(bus)[register] for register in (8, 7, 6, 5)] == [0x3D, 0x79, 0x00, 0x5B]  # "d3 5"
    await display.write("0123456789")
    assert digits(bus)[1] == 0x70  # the 7; 8 and 9 have no place
    await display.write("")
    assert set(digits(bus).values()) == {0}
    await display.close()
    assert bus.closed == 1


class Controller:
    """An I²C bus with an HD44780 behind a PCF8574: it takes half a byte whenever E rises, as the real one does."""

    where = "/dev/test"

    def __init__(self) -> None:
        self.halves: list[tuple[bool, int]] = []
        self.lines = {0: [" "] * 16, 1: [" "] * 16}
        self.silent = False
        self._high: int | None = None
        self._four_bit = False
        self._address = 0

    def open(self) -> Any:
        return pcf8574(pulse_time=0, bus=self, address=0x27)

    def write_byte(self, _address: int, port: int) -> None:
        if self.silent:
            raise OSError(121, "Remote I/O error")
        if port & 0x04:
            self._half(bool(port & 0x01), port >> 4)

    def _half(self, data: bool, half: int) -> None:
        self.halves.append((data, half))
        if not self._four_bit:
            self._four_bit = half == 2
        elif self._high is None:
            self._high = half
        else:
            byte, self._high = self._high << 4 | half, None
            self._byte(data, byte)

    def _byte(self, data: bool, byte: int) -> None:
        if data:
            line, column = self.lines[self._address // 0x40], self._address % 0x40
            line[column : column + 1] = chr(byte)
            self._address = (self._address + 1) & 0x7F
        elif byte & 0x80:
            self._address = byte & 0x7F
        elif byte == 0x01:
            self.lines = {0: [" "] * 16, 1: [" "] * 16}
        elif byte & 0xF0 == 0x30:
            self._four_bit = False

    @property
    def text(self) -> list[str]:
        return ["".join(self.lines[n]) for n in (0, 1)]


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """The controller's pauses, 0.7 s in all, are not needed here."""
    monkeypatch.setattr(luma.lcd.device, "sleep", lambda seconds: None)
    monkeypatch.setattr(luma.core.device, "sleep", lambda seconds: None)


async def test_two_lines_for_the_technician(quick: None) -> None:
    controller = Controller()
    panel = TextDisplay("panel", controller)
    await panel.open()
    await panel.write(["B01 board.relays", "An I/O board does not answer"])
    assert controller.text == ["B01 board.relays", "An I/O board doe"]
    await panel.write(["OK"])
    assert controller.text == ["OK".ljust(16), " " * 16]
    await panel.close()


async def test_a_controller_that_lost_half_a_byte_is_begun_again(quick: None) -> None:
    controller = Controller()
    panel = TextDisplay("panel", controller)
    await panel.open()
    await panel.write(["READY", "12 cycles"])
    controller._half(True, 7)  # a motor stops: one half too many
    await panel.write(["READY", "13 cycles"])
    assert controller.text != ["READY".ljust(16), "13 cycles".ljust(16)]
    await panel.refresh()
    assert controller.text == ["READY".ljust(16), "13 cycles".ljust(16)]
    await panel.close()


async def test_a_display_that_does_not_answer_is_named(quick: None) -> None:
    for kind, bus in ((DigitDisplay, RecordingBus()), (TextDisplay, Controller())):
        display: Any = kind("display", bus)
        with pytest.raises(DeviceError, match="on /dev/test: is not open"):
            await display.write("1")
        bus.silent = True
        with pytest.raises(DeviceError, match=r"display on /dev/test: .*(Remote I/O error|I2C device not found)"):
            await display.open()
        await display.close()


@pytest.mark.parametrize("display", [DigitDisplay("d", PlainSPI(9, 9)), TextDisplay("p", Backpack(99))])
async def test_what_this_machine_does_not_have_is_a_device_error(display: Any) -> None:
    with pytest.raises(DeviceError, match=r"on /dev/(spidev9\.9|i2c-99 address 0x27)"):
        await display.open()
    await display.close()


def test_a_size_that_does_not_exist() -> None:
    with pytest.raises(ValueError, match="display p: 8 × 2 letters; expected one of"):
        TextDisplay("p", Backpack(), 8, 2)
