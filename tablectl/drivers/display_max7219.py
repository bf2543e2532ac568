"""Digits of seven segments behind a MAX7219 on SPI: they show the dice, or a few letters and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tablectl.drivers.display_luma import Bus, LumaDevice


@dataclass(frozen=True)
class PlainSPI:
    """``/dev/spidev<port>.<device>``, without pins for data/command and reset."""

    port: int = 0
    device: int = 1

    @property
    def where(self) -> str:
        return f"/dev/spidev{self.port}.{self.device}"

    def open(self) -> Any:
        from luma.core.interface.serial import noop, spi

        return spi(port=self.port, device=self.device, gpio=noop(), bus_speed_hz=1_000_000)


class DigitDisplay(LumaDevice):
    """``count`` digits, a multiple of 8 behind 1, 2 … chips in a row; fewer are wired to the right end of a chip."""

    def __init__(self, name: str, bus: Bus, count: int = 8, brightness: int = 0x70) -> None:
        super().__init__(name, bus)
        self._count = count
        self._brightness = brightness

    def make(self, serial: Any) -> Any:
        from luma.core.virtual import sevensegment
        from luma.led_matrix.device import max7219

        device = max7219(serial, cascaded=-(-self._count // 8), contrast=self._brightness)
        self._segments = sevensegment(device)
        return device

    async def write(self, text: str) -> None:
        """Show ``text`` from the left; what has no place at the right is left out.

        Raises:
            DeviceError: not open, or the bus failed.
        """
        self.needs_open()
        shown = text[: self._count].ljust(self._count)

        def put() -> None:
            self._segments.text = shown

        await self.call(put)

    async def dice(self, dice: Sequence[int]) -> None:
        """Show a throw: ``d3 5``. Raises as `write`."""
        await self.write("d" + " ".join(map(str, dice)))
