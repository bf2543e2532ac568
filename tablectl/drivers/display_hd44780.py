"""Two lines of text on an HD44780 behind a PCF8574 on I²C: the panel under the table top for the technician.

The controller has Latin letters only. Relays and motors disturb it: it loses the halves of its bytes and shows garbage
until it is begun again. So `refresh` begins it again and writes all lines; call it now and then and after motors stop.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from tablectl.drivers.display_luma import Bus, LumaDevice

#: columns and rows that there are
SIZES: Final = ((16, 2), (16, 4), (20, 2), (20, 4))


@dataclass(frozen=True)
class Backpack:
    """The PCF8574 on ``/dev/i2c-<port>``."""

    port: int = 1
    address: int = 0x27

    @property
    def where(self) -> str:
        return f"/dev/i2c-{self.port} address 0x{self.address:02x}"

    def open(self) -> Any:
        from luma.core.interface.serial import pcf8574

        return pcf8574(port=self.port, address=self.address)


class TextDisplay(LumaDevice):
    """``columns`` × ``rows`` letters, one of `SIZES`."""

    def __init__(self, name: str, bus: Bus, columns: int = 16, rows: int = 2) -> None:
        if (columns, rows) not in SIZES:
            raise ValueError(f"display {name}: {columns} × {rows} letters; expected one of {SIZES}")
        super().__init__(name, bus)
        self.columns = columns
        self.rows = rows
        self._text = ""

    def make(self, serial: Any) -> Any:
        from luma.core.framebuffer import full_frame
        from luma.lcd.device import hd44780

        return hd44780(serial, self.columns, self.rows, undefined="?", framebuffer=full_frame())

    async def write(self, lines: Sequence[str]) -> None:
        """Show ``lines``; what has no place is left out.

        Raises:
            DeviceError: not open, or the display does not answer.
        """
        shown = [line[: self.columns].ljust(self.columns) for line in lines[: self.rows]]
        self._text = "\n".join(shown)
        await self._put()

    async def refresh(self) -> None:
        """Begin the controller again and write its lines once more. Raises as `write`."""
        device = self.needs_open()
        # luma does this when it makes a device, and has no other name for it
        await self.call(device._initialize_device)
        await self._put()

    async def _put(self) -> None:
        device = self.needs_open()

        def put() -> None:
            device.text = self._text

        await self.call(put)
