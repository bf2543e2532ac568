"""Displays with a controller that luma knows: small OLEDs on I²C (SSD1306 …), colour panels on SPI (ST7789 …).

luma is imported when a display is opened. Each display has one thread of its own, which does nothing but send pictures.
"""

from __future__ import annotations

import asyncio
import importlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, TypeVar

from tablectl.base.faults import DeviceError
from tablectl.documents import Problem, nearest

if TYPE_CHECKING:
    from PIL import Image

    from tablectl.base.settings import DisplaySection, Source

T = TypeVar("T")

#: A display call that takes longer hangs: the bus is stuck.
LONGEST_SECONDS: Final = 5.0
#: A command without effect: whether somebody answers is asked before luma makes a device, which it never forgets.
NOP: Final = 0xE3


@dataclass(frozen=True)
class Chip:
    """A controller: luma's module and class, the mode of its pictures."""

    module: str
    name: str
    mode: Literal["1", "RGB"]


#: The controllers by the name in the configuration.
CHIPS: Final[Mapping[str, Chip]] = {
    "ssd1306": Chip("luma.oled.device", "ssd1306", "1"),
    "ssd1309": Chip("luma.oled.device", "ssd1309", "1"),
    "sh1106": Chip("luma.oled.device", "sh1106", "1"),
    "sh1107": Chip("luma.oled.device", "sh1107", "1"),
    "ssd1351": Chip("luma.oled.device", "ssd1351", "RGB"),
    "st7735": Chip("luma.lcd.device", "st7735", "RGB"),
    "st7789": Chip("luma.lcd.device", "st7789", "RGB"),
    "ili9341": Chip("luma.lcd.device", "ili9341", "RGB"),
}


class Bus(Protocol):
    """What a display hangs on."""

    @property
    def where(self) -> str: ...

    def open(self) -> Any:
        """luma's serial interface; raises where there is no bus, or nobody answers on it."""


@dataclass(frozen=True)
class I2C:
    """``port`` n is ``/dev/i2c-n``."""

    port: int = 1
    address: int = 0x3C

    @property
    def where(self) -> str:
        return f"/dev/i2c-{self.port} address 0x{self.address:02x}"

    def open(self) -> Any:
        from luma.core.interface.serial import i2c

        serial = i2c(port=self.port, address=self.address)
        try:
            serial.command(NOP)
        except Exception:
            serial.cleanup()
            raise
        return serial


@dataclass(frozen=True)
class SPI:
    """``/dev/spidev<port>.<device>``, with the BCM numbers of the pins for data/command and reset."""

    port: int = 0
    device: int = 0
    speed_hz: int = 8_000_000
    dc_pin: int = 24
    reset_pin: int = 25

    @property
    def where(self) -> str:
        return f"/dev/spidev{self.port}.{self.device}"

    def open(self) -> Any:
        from luma.core.interface.serial import spi

        return spi(
            port=self.port,
            device=self.device,
            bus_speed_hz=self.speed_hz,
            gpio_DC=self.dc_pin,
            gpio_RST=self.reset_pin,
        )


class LumaDevice(ABC):
    """A device of luma's with a thread of its own, in which `call` does what takes time."""

    backend = "luma"

    def __init__(self, name: str, bus: Bus) -> None:
        self.name = name
        self._bus = bus
        self._device: Any = None
        self._thread: ThreadPoolExecutor | None = None
        #: the call that was given up; its thread may never come back
        self._hanging: asyncio.Future[Any] | None = None

    @abstractmethod
    def make(self, serial: Any) -> Any:
        """luma's device on this serial interface. May raise anything, ImportError where luma is not installed."""

    async def open(self) -> None:
        """Raises DeviceError: no luma, no bus, no display at the address."""
        self._device = await self.call(self._make)

    async def close(self) -> None:
        """Switch the display off and give the bus back."""
        device, self._device = self._device, None
        try:
            if device is not None:
                await self.call(device.cleanup)
        finally:
            if self._thread is not None:
                self._thread.shutdown(wait=False)
                self._thread = None

    def _make(self) -> Any:
        try:
            serial = self._bus.open()
            try:
                return self.make(serial)
            except Exception:
                serial.cleanup()
                raise
        except ImportError as error:
            raise self.error(str(error), next_step="Install the extra: pip install 'tablectl[display]'.") from None

    def needs_open(self) -> Any:
        """luma's device. Raises DeviceError where it is not open."""
        if self._device is None:
            raise self.error("is not open")
        return self._device

    async def call(self, work: Callable[[], T]) -> T:
        """Do ``work`` in the display's thread. While one that did not end in time still hangs, nothing more is sent."""
        if self._hanging is not None and not self._hanging.done():
            raise self.error("still hangs", next_step=_CHECK)
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, thread_name_prefix=f"display-{self.name}")
        working = asyncio.get_running_loop().run_in_executor(self._thread, work)
        try:
            async with asyncio.timeout(LONGEST_SECONDS):
                return await asyncio.shield(working)
        except TimeoutError:
            self._hanging = working
            working.add_done_callback(asyncio.Future.exception)  # what it says in the end does not matter any more
            raise self.error("does not answer", f"an answer within {LONGEST_SECONDS:g} s", _CHECK) from None
        except DeviceError:
            raise
        except Exception as error:  # luma, smbus2 and spidev each have their own
            raise self.error(str(error) or type(error).__name__, next_step=_CHECK) from None

    def error(self, what: str, expected: str = "", next_step: str = "") -> DeviceError:
        return DeviceError(self.name, self._bus.where, what, expected, next_step)


class LumaDisplay(LumaDevice):
    """Satisfies `ports.Display`. ``size`` before rotation by ``rotate`` quarter turns; ``contrast`` 0–255."""

    def __init__(
        self,
        name: str,
        chip: str,
        bus: Bus,
        size: tuple[int, int] = (128, 64),
        *,
        rotate: int = 0,
        contrast: int | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        """``options``: further keywords of luma's class (``h_offset``, ``bgr`` …).

        Raises:
            ValueError: luma has no such controller.
        """
        if chip not in CHIPS:
            raise ValueError(f"display {name}: {_unknown(chip)}")
        super().__init__(name, bus)
        self.mode: str = CHIPS[chip].mode
        self.size = size if rotate % 2 == 0 else (size[1], size[0])
        self._chip = CHIPS[chip]
        self._keywords = {"width": size[0], "height": size[1], "rotate": rotate, **(options or {})}
        self._contrast = contrast

    @classmethod
    def from_settings(cls, section: DisplaySection) -> LumaDisplay:
        """The display that a section ``displays`` of the configuration describes. Raises ValueError: see `check`."""
        bus: Bus | None = None
        if section.i2c is not None:
            bus = I2C(section.i2c.port, section.i2c.address)
        elif section.spi is not None:
            spi = section.spi
            bus = SPI(spi.port, spi.device, spi.speed_hz, spi.dc_pin, spi.reset_pin)
        if bus is None:
            raise ValueError(f"display {section.name}: how is it connected? expected one of the keys i2c and spi")
        size = (section.width_px, section.height_px)
        quarters = section.rotate_degrees // 90
        return cls(section.name, section.driver, bus, size, rotate=quarters, contrast=section.contrast)

    async def show(self, image: Image.Image) -> None:
        """Raises DeviceError: not open, or the display does not answer."""
        device = self.needs_open()
        await self.call(lambda: device.display(image))

    def make(self, serial: Any) -> Any:
        cls = getattr(importlib.import_module(self._chip.module), self._chip.name)
        device = cls(serial, **self._keywords)
        if self._contrast is not None:
            device.contrast(self._contrast)
        return device


def check(source: Source) -> Iterator[Problem]:
    """What is wrong with the controllers in a configuration (a check for `base.settings.load`)."""
    displays = source.find("displays")
    for number, display in enumerate(displays.items() if displays is not None else ()):
        driver = display.value.get("driver") if isinstance(display.value, dict) else None
        if driver is not None and driver.value not in CHIPS:
            text = f"displays[{number}].driver: {_unknown(driver.value)}"
            yield Problem(str(source.path), driver.line, driver.column, text)


def header_pins(section: Any) -> list[int]:
    """The pins of the header (BCM numbers) that a display of the configuration uses."""
    connected = section if isinstance(section, dict) else {}
    i2c, spi = connected.get("i2c"), connected.get("spi")
    pins = [2, 3] if isinstance(i2c, dict) and i2c.get("port", I2C.port) == 1 else []
    if isinstance(spi, dict):
        if spi.get("port", SPI.port) == 0:
            pins += [9, 10, 11, 7 if spi.get("device", SPI.device) == 1 else 8]
        pins += [spi.get("dc_pin", SPI.dc_pin), spi.get("reset_pin", SPI.reset_pin)]
    return pins


def _unknown(chip: object) -> str:
    return f"unknown controller {chip!r}; expected one of {', '.join(CHIPS)}{nearest(chip, CHIPS)}"


_CHECK: Final = "Check plug and power, that the bus is enabled (raspi-config), and the address (i2cdetect -y 1)."
