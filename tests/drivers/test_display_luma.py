"""The luma driver: the bytes that reach a real controller, and what happens when it does not answer."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import luma.oled.device  # noqa: F401 - starts four threads that stay: before any test looks for leaks
import pytest
from PIL import Image, ImageChops

from tablectl import documents
from tablectl.announce.fonts import Fonts
from tablectl.announce.render import render
from tablectl.announce.samples import sample
from tablectl.announce.texts import load_texts
from tablectl.base.faults import DeviceError
from tablectl.base.settings import DisplaySection, Source, SPISection
from tablectl.drivers import display_luma
from tablectl.drivers.display_luma import CHIPS, I2C, SPI, LumaDisplay, check

# luma reads pictures with a call that Pillow announces to drop in a year; pyproject pins both.
pytestmark = pytest.mark.filterwarnings("ignore:.*getdata.*:DeprecationWarning")


class RecordingBus:
    """A bus whose serial interface keeps what was sent; a controller that can be silent or hang."""

    where = "/dev/test"

    def __init__(self) -> None:
        self.commands: list[int] = []
        self.data_sent: list[list[int]] = []
        self.opened = 0
        self.closed = 0
        self.silent = False
        self.hang: threading.Event | None = None

    def open(self) -> Any:
        self.opened += 1
        return self

    def command(self, *bytes_: int) -> None:
        if self.silent:
            raise OSError(121, "Remote I/O error")
        self.commands += bytes_

    def data(self, data: list[int]) -> None:
        if self.hang is not None:
            self.hang.wait(10)
        self.command()
        self.data_sent.append(list(data))

    def cleanup(self) -> None:
        self.closed += 1


def lit(frame: list[int]) -> Image.Image:
    """The picture that an SSD1306 shows for the 1024 bytes of a frame: a byte is 8 rows of a column."""
    image = Image.new("1", (128, 64))
    for index, byte in enumerate(frame):
        for bit in range(8):
            if byte >> bit & 1:
                image.putpixel((index % 128, index // 128 * 8 + bit), 1)
    return image


async def test_the_bytes_of_a_frame_make_the_same_picture_again() -> None:
    bus = RecordingBus()
    display = LumaDisplay("south", "ssd1306", bus)
    picture = render(sample("turn", load_texts("zh")), display.size, display.mode, Fonts())
    await display.open()
    await display.show(picture)
    frame = bus.data_sent[-1]
    assert len(frame) == 1024
    assert ImageChops.difference(lit(frame).convert("L"), picture.convert("L")).getbbox() is None
    await display.close()
    assert bus.closed == 1


async def test_a_filled_corner_is_eight_full_bytes() -> None:
    bus = RecordingBus()
    display = LumaDisplay("d", "ssd1306", bus)
    await display.open()
    image = Image.new("1", (128, 64))
    image.paste(1, (0, 0, 8, 8))
    await display.show(image)
    assert bus.data_sent[-1][:9] == [0xFF] * 8 + [0]
    assert sum(bus.data_sent[-1]) == 8 * 0xFF
    await display.close()


async def test_contrast_and_rotation_reach_the_controller() -> None:
    bus = RecordingBus()
    display = LumaDisplay("d", "ssd1306", bus, rotate=2, contrast=0x42)
    await display.open()
    assert bus.commands[-2:] == [0x81, 0x42]
    image = Image.new("1", (128, 64))
    image.putpixel((0, 0), 1)
    await display.show(image)
    assert bus.data_sent[-1][-1] == 0x80  # the last column, its lowest row
    await display.close()
    assert LumaDisplay("d", "st7789", SPI(), (240, 320), rotate=1).size == (320, 240)


async def test_an_other_oled_gets_its_frame_page_by_page() -> None:
    bus = RecordingBus()
    display = LumaDisplay("d", "sh1106", bus)
    await display.open()
    await display.show(Image.new("1", (128, 64), 1))
    assert bus.data_sent[-8:] == [[0xFF] * 128] * 8
    await display.close()


async def test_a_display_that_does_not_answer_is_named_with_its_place() -> None:
    bus = RecordingBus()
    bus.silent = True
    display = LumaDisplay("south", "ssd1306", bus)
    with pytest.raises(DeviceError) as caught:
        await display.open()
    await display.close()
    assert str(caught.value).startswith("south on /dev/test: [Errno 121] Remote I/O error")
    assert "i2cdetect" in caught.value.next_step
    assert bus.closed == 1  # the bus was given back


async def test_it_can_be_opened_again_after_it_was_silent() -> None:
    bus = RecordingBus()
    display = LumaDisplay("south", "ssd1306", bus)
    await display.open()
    bus.silent = True
    with pytest.raises(DeviceError):
        await display.show(Image.new("1", (128, 64)))
    with pytest.raises(DeviceError):
        await display.close()
    bus.silent = False
    await display.open()
    await display.show(Image.new("1", (128, 64), 1))
    assert sum(bus.data_sent[-1]) == 1024 * 0xFF
    await display.close()


@pytest.mark.real_time
async def test_a_bus_that_hangs_is_given_up_and_not_sent_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(display_luma, "LONGEST_SECONDS", 0.05)
    bus = RecordingBus()
    display = LumaDisplay("south", "ssd1306", bus)
    await display.open()
    bus.hang = threading.Event()
    with pytest.raises(DeviceError, match=r"does not answer; expected an answer within 0.05 s"):
        await display.show(Image.new("1", (128, 64)))
    with pytest.raises(DeviceError, match="still hangs"):
        await display.show(Image.new("1", (128, 64)))
    with pytest.raises(DeviceError, match="still hangs"):
        await display.close()
    bus.hang.set()
    bus.hang = None
    await asyncio.sleep(0.05)  # its thread ends
    await display.open()
    await display.show(Image.new("1", (128, 64), 1))
    await display.close()


async def test_what_this_machine_does_not_have_is_a_device_error() -> None:
    display = LumaDisplay("south", "ssd1306", I2C(port=99))
    with pytest.raises(DeviceError, match="south on /dev/i2c-99 address 0x3c"):
        await display.open()
    await display.close()


async def test_showing_before_opening_is_refused() -> None:
    with pytest.raises(DeviceError, match="south on /dev/test: is not open"):
        await LumaDisplay("south", "ssd1306", RecordingBus()).show(Image.new("1", (128, 64)))


def test_an_unknown_controller_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"display d: unknown controller 'ssd1305'; expected one of ssd1306, "):
        LumaDisplay("d", "ssd1305", I2C())


def test_a_display_of_the_configuration() -> None:
    section = DisplaySection(
        name="rail", driver="st7789", width_px=240, height_px=320, rotate_degrees=90, spi=SPISection()
    )
    display = LumaDisplay.from_settings(section)
    assert (display.name, display.size, display.mode) == ("rail", (320, 240), "RGB")
    with pytest.raises(ValueError, match="display x: how is it connected"):
        LumaDisplay.from_settings(DisplaySection(name="x", driver="ssd1306", width_px=128, height_px=64))


def test_unknown_controllers_in_a_configuration_are_told_with_their_place(tmp_path: Path) -> None:
    path = tmp_path / "table.yaml"
    path.write_text("displays:\n  - {driver: ssd1306}\n  - driver: st7798\n  - driver: xyz\n", encoding="utf-8")
    root = documents.load(path)
    told = [str(problem) for problem in check(Source(path, root, root, path))]
    assert told[0].startswith(f"{path}:3:13: displays[1].driver: unknown controller 'st7798'; expected one of ssd1306")
    assert told[0].endswith("did you mean 'st7789'?")
    assert "displays[2].driver: unknown controller 'xyz'" in told[1]


@pytest.mark.parametrize("chip", CHIPS)
def test_every_controller_is_one_that_luma_has(chip: str) -> None:
    module = __import__(CHIPS[chip].module, fromlist=[CHIPS[chip].name])
    assert callable(getattr(module, CHIPS[chip].name))


def test_luma_and_pillow_are_not_imported_before_a_display_is_used() -> None:
    code = """
import sys
import tablectl.drivers.display_luma, tablectl.announce.worker, tablectl.sim.display, tablectl.ports
print([name for name in ("PIL", "luma", "smbus2", "fastapi") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
