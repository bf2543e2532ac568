"""The panel for the technician: which fault stands, in two lines."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Sequence
from typing import Final

from tablectl.base.clock import Clock
from tablectl.base.faults import DeviceError, Fault
from tablectl.drivers.display_hd44780 import TextDisplay
from tablectl.drivers.hardware_guard import Task

log = logging.getLogger(__name__)

#: The controller is begun again so often, in seconds: motors disturb it.
REFRESH_SECONDS: Final = 20.0
#: The line that stands while nothing is wrong.
FINE: Final = "OK"


class PanelWorker:
    """Keeps the panel up to date; where it is not there, that is logged once and it is tried again."""

    def __init__(self, display: TextDisplay, clock: Clock) -> None:
        self.display = display
        self._clock = clock
        self._lines: Sequence[str] = (FINE,)
        self._wanted = asyncio.Event()
        self._task = Task()

    def start(self) -> None:
        self._task.start(self._run, "panel")

    async def stop(self) -> None:
        await self._task.stop()

    def show(self, active: Sequence[Fault]) -> None:
        """The first fault that stands, and how many more."""
        self._lines = lines(active)
        self._wanted.set()

    async def _run(self) -> None:
        opened = False
        told = False
        try:
            while True:
                try:
                    if not opened:
                        await self.display.open()
                        opened, told = True, False
                        self._wanted.set()
                    if self._wanted.is_set():
                        self._wanted.clear()
                        await self.display.write(self._lines)
                    else:
                        await self.display.refresh()
                except DeviceError as error:
                    if not told:
                        log.warning("%s", error)
                    opened, told = False, True
                    with contextlib.suppress(DeviceError):
                        await self.display.close()
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(REFRESH_SECONDS):
                        await self._wanted.wait()
        finally:
            if opened:
                with contextlib.suppress(DeviceError):
                    await self.display.close()


def lines(active: Sequence[Fault]) -> tuple[str, ...]:
    """``B01 board.relays`` and ``An I/O board does not answer``; with several faults, how many more there are."""
    if not active:
        return (FINE,)
    fault = active[0]
    more = f" +{len(active) - 1}" if len(active) > 1 else ""
    return (f"{fault.code}{more} {fault.where}", fault.text("en").title)
