"""What a simulated device says, to everybody who listens."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Generic, TypeVar

T = TypeVar("T")


class Feed(Generic[T]):
    """Every listener gets every item put after it began to listen. Nobody listening: the item is gone; or, where people
    would repeat what got no answer (``repeated``; reports, with a time ``t``), the next listener gets it."""

    def __init__(self, *, repeated: bool = False) -> None:
        self._listeners: list[asyncio.Queue[T]] = []
        self._repeated = repeated
        self._unheard: list[T] = []

    def put(self, item: T) -> None:
        if self._repeated and not self._listeners:
            self._keep(item)
        for queue in self._listeners:
            queue.put_nowait(item)

    def items(self) -> AsyncIterator[T]:
        """Items from now on (from this call, not from the first step of the iteration), for ever."""
        queue: asyncio.Queue[T] = asyncio.Queue()
        for item in self._unheard:
            queue.put_nowait(item)
        self._unheard.clear()
        self._listeners.append(queue)
        return self._drain(queue)

    async def _drain(self, queue: asyncio.Queue[T]) -> AsyncIterator[T]:
        try:
            while True:
                yield await queue.get()
        finally:
            self._listeners.remove(queue)
            while self._repeated and not queue.empty():
                self._keep(queue.get_nowait())

    def _keep(self, item: T) -> None:
        """Pressed again and again it is still one press: the last one."""
        same = replace(item, t=0.0)  # type: ignore[type-var]
        self._unheard = [other for other in self._unheard if replace(other, t=0.0) != same]  # type: ignore[type-var]
        self._unheard.append(item)
