"""The levels of all inputs, kept up to date from their edges, and waiting for them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping

from tablectl.base.tasks import beside
from tablectl.ports import Input

Watcher = Callable[[str, float, bool], None]


class Sensors:
    """``await start()``, then ask: ``sensors["dome_down"]``, ``await sensors.until(condition, seconds)``."""

    def __init__(self, inputs: Mapping[str, Input]) -> None:
        self._inputs = inputs
        self._levels: dict[str, bool] = {}
        self._watchers: dict[str, list[Watcher]] = {}
        self._waiting: list[tuple[Callable[[], bool], asyncio.Future[None]]] = []
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Read every level once, then follow the edges."""
        for name, port in self._inputs.items():
            edges = port.edges()
            self._levels[name] = await port.read()
            self._tasks.append(beside(self._follow(name, edges), f"input {name}"))

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks.clear()

    def __getitem__(self, name: str) -> bool:
        return self._levels[name]

    def watch(self, name: str, watcher: Watcher) -> None:
        """Call ``watcher(name, t, level)`` at every edge of an input, before anybody who waits is woken."""
        self._watchers.setdefault(name, []).append(watcher)

    async def _follow(self, name: str, edges: AsyncIterator[tuple[float, bool]]) -> None:
        async for t, level in edges:
            self._levels[name] = level
            for watcher in self._watchers.get(name, ()):
                watcher(name, t, level)
            self.look()

    def look(self) -> None:
        """Let everybody who waits look at the condition again."""
        for condition, future in self._waiting:
            if not future.done() and condition():
                future.set_result(None)

    async def until(self, condition: Callable[[], bool], seconds: float) -> bool:
        """Wait until ``condition`` holds, looked at after every edge; False when ``seconds`` went by without it."""
        if condition():
            return True
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        entry = (condition, future)
        self._waiting.append(entry)
        try:
            async with asyncio.timeout(max(0.0, seconds)):
                await future
        except TimeoutError:
            return False
        finally:
            self._waiting.remove(entry)
        return True
