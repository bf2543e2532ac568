"""The only source of time.

Everything that waits or stamps asks a `Clock`. On a virtual-time event loop (`VirtualLoop`) the same code runs a
two-hour match in seconds.
"""

from __future__ import annotations

import asyncio
import time
from typing import Protocol


class Clock(Protocol):
    """Seconds on a monotonic clock (``now``), and the wall clock for people (``wall``, seconds since 1970)."""

    def now(self) -> float: ...

    def wall(self) -> float: ...

    async def sleep(self, seconds: float) -> None: ...


class LoopClock:
    """The time of the running event loop, real or virtual."""

    def now(self) -> float:
        return asyncio.get_running_loop().time()

    def wall(self) -> float:
        return time.time()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
