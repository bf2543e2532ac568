"""What a simulated device says, to everybody who listens."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Generic, TypeVar

T = TypeVar("T")


class Feed(Generic[T]):
    """Every listener gets every item put after it began to listen. Nobody listening: the item is gone."""

    def __init__(self) -> None:
        self._listeners: list[asyncio.Queue[T]] = []

    def put(self, item: T) -> None:
        for queue in self._listeners:
            queue.put_nowait(item)

    def items(self) -> AsyncIterator[T]:
        """Items from now on (from this call, not from the first step of the iteration), for ever."""
        queue: asyncio.Queue[T] = asyncio.Queue()
        self._listeners.append(queue)
        return self._drain(queue)

    async def _drain(self, queue: asyncio.Queue[T]) -> AsyncIterator[T]:
        try:
            while True:
                yield await queue.get()
        finally:
            self._listeners.remove(queue)
