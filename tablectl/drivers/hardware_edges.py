"""Levels that come from a device: debounced, and given as edges to everybody who listens."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from typing import Final

#: An input that changes more often than ``BREAKER_EDGES`` times in ``BREAKER_SECONDS`` is broken or disturbed.
BREAKER_EDGES: Final = 250
BREAKER_SECONDS: Final = 5.0


class EdgeFeed:
    """Every listener gets every edge since it began to listen. ``level`` is the last one that was told."""

    def __init__(self) -> None:
        self.level: bool | None = None
        self._listeners: list[asyncio.Queue[tuple[float, bool]]] = []

    def set(self, t: float, level: bool) -> None:
        """The level is ``level`` since ``t``; the first one ever is no edge."""
        before, self.level = self.level, level
        if before is not None and before is not level:
            for queue in self._listeners:
                queue.put_nowait((t, level))

    def edges(self) -> AsyncIterator[tuple[float, bool]]:
        """Edges from this call on, for ever."""
        queue: asyncio.Queue[tuple[float, bool]] = asyncio.Queue()
        self._listeners.append(queue)
        return self._drain(queue)

    async def _drain(self, queue: asyncio.Queue[tuple[float, bool]]) -> AsyncIterator[tuple[float, bool]]:
        try:
            while True:
                yield await queue.get()
        finally:
            self._listeners.remove(queue)


class Breaker:
    """Trips when an input chatters, so that a burnt contact cannot keep the program busy."""

    def __init__(self) -> None:
        self._times: deque[float] = deque(maxlen=BREAKER_EDGES)
        self.tripped = False

    def edge(self, t: float) -> bool:
        """Count a raw edge; True when this one trips the breaker."""
        self._times.append(t)
        full = len(self._times) == BREAKER_EDGES and t - self._times[0] <= BREAKER_SECONDS
        trips, self.tripped = full and not self.tripped, full or self.tripped
        return trips

    def reset(self) -> None:
        self._times.clear()
        self.tripped = False
