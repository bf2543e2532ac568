"""What watches over the hardware: the supply voltage, the emergency stop; and outputs in a gang."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Final

from tablectl.base.clock import Clock
from tablectl.base.tasks import beside
from tablectl.ports import Input, Output

#: where the firmware of a Raspberry Pi says that its supply is low: bit 0, now
THROTTLED: Final = Path("sys/devices/platform/soc/soc:firmware/get_throttled")
UNDERVOLTAGE_NOW: Final = 1
#: seconds between two looks at it
POWER_SECONDS: Final = 5.0


class Task:
    """One coroutine that runs from `start` to `stop`."""

    def __init__(self) -> None:
        self._task: asyncio.Task[None] | None = None

    def start(self, work: Callable[[], Coroutine[Any, Any, None]], name: str) -> None:
        self._task = beside(work(), name)

    async def stop(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


class PowerWatch:
    """Looks at the supply voltage of the Raspberry Pi. ``told(low)`` is called when that changes."""

    def __init__(self, told: Callable[[bool], object], clock: Clock, root: Path = Path("/")) -> None:
        self._told = told
        self._clock = clock
        self._root = root
        self._task = Task()

    def start(self) -> None:
        self._task.start(self._watch, "supply voltage")

    async def stop(self) -> None:
        await self._task.stop()

    async def _watch(self) -> None:
        low = False
        while (flags := throttled(self._root)) is not None:
            if bool(flags & UNDERVOLTAGE_NOW) is not low:
                low = not low
                self._told(low)
            await self._clock.sleep(POWER_SECONDS)


def throttled(root: Path = Path("/")) -> int | None:
    """The firmware's flags (bit 0 undervoltage now, bit 16 since the start …); None where there are none."""
    try:
        return int((root / THROTTLED).read_text().strip(), 16)
    except (OSError, ValueError):
        return None


class Watched:
    """Calls ``changed(t, level)`` at every edge of an input, from `open` to `close`; ``level`` is the last one."""

    def __init__(self, port: Input, changed: Callable[[float, bool], object]) -> None:
        self.port = port
        self.level = False
        self._changed = changed
        self._task = Task()

    async def open(self) -> None:
        """Raises DeviceError: the input cannot be opened."""
        await self.port.open()
        edges = self.port.edges()
        self.level = await self.port.read()

        async def follow() -> None:
            async for t, level in edges:
                self.level = level
                self._changed(t, level)

        self._task.start(follow, f"input {self.port.name}")

    async def close(self) -> None:
        await self._task.stop()
        await self.port.close()


class Noted:
    """Satisfies `ports.Output`: keeps its name in ``on`` while it is away from its safe value, or may be."""

    def __init__(self, name: str, output: Output, safe: bool, on: set[str]) -> None:
        self.name = name
        self.backend = output.backend
        self._output = output
        self._safe = safe
        self._on = on

    async def open(self) -> None:
        """Raises DeviceError as the output itself."""
        await self._output.open()

    async def close(self) -> None:
        await self._output.close()
        self._on.discard(self.name)

    async def set(self, on: bool) -> None:
        if on is not self._safe:
            self._on.add(self.name)
        await self._output.set(on)
        if on is self._safe:
            self._on.discard(self.name)


class Gang:
    """One output that serves several names: it leaves its safe value while any of them does."""

    def __init__(self, output: Output, safe: bool) -> None:
        self.output = output
        self._safe = safe
        self._active: set[str] = set()

    def member(self, name: str) -> GangMember:
        return GangMember(self, name)

    async def set(self, name: str, on: bool) -> None:
        (self._active.discard if on is self._safe else self._active.add)(name)
        await self.output.set(not self._safe if self._active else self._safe)


class GangMember:
    """Satisfies `ports.Output` with a share of a `Gang`."""

    def __init__(self, gang: Gang, name: str) -> None:
        self.name = name
        self.backend = gang.output.backend
        self._gang = gang

    async def open(self) -> None:
        """Raises DeviceError as the output it shares."""
        await self._gang.output.open()

    async def close(self) -> None:
        await self._gang.output.close()

    async def set(self, on: bool) -> None:
        await self._gang.set(self.name, on)
