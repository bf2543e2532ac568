"""What all emulated readers have in common: a line, a field, and a way to find questions in what the host sends."""

from __future__ import annotations

from abc import ABC, abstractmethod

from tablectl.base.clock import LoopClock
from tablectl.sim.wire.field import Field
from tablectl.sim.wire.line import Line

#: Bytes of a question that has not ended; a host that sends more talks nonsense.
_MOST_WAITING = 1024


class Emulator(ABC):
    """A reader at the far end of a line. ``powered``: it has current; without, it hears and says nothing, as one behind
    an adapter that is still plugged in.

    Use it as ``async with``: it is plugged in, and pulled out at the end.
    """

    def __init__(self, line: Line, field: Field) -> None:
        self.line = line
        self.field = field
        self.clock = LoopClock()
        self.powered = True
        #: questions that were understood, for tests: (command, parameters)
        self.heard: list[tuple[int | str, bytes]] = []
        self._input = bytearray()
        line.received = self._received

    async def __aenter__(self) -> Emulator:
        await self.plug()
        return self

    async def __aexit__(self, *error: object) -> None:
        self.unplug()

    async def plug(self) -> None:
        """The cable is in; the reader starts as from cold."""
        await self.line.plug()
        self.reset()

    def unplug(self) -> None:
        """The cable is out."""
        self.line.unplug()
        self._input.clear()

    def power_off(self) -> None:
        """Current is gone; the adapter stays."""
        self.powered = False
        self.line.silence()

    def power_on(self) -> None:
        """Current is back: the reader starts as from cold."""
        self.powered = True
        self.reset()

    def reset(self) -> None:
        """As after switching on."""
        self._input.clear()

    def _received(self, data: bytes) -> None:
        if not self.powered:
            return
        self._input += data
        while (used := self.understand(bytes(self._input))) > 0:
            del self._input[:used]
        if len(self._input) > _MOST_WAITING:
            self._input.clear()

    @abstractmethod
    def understand(self, data: bytes) -> int:
        """Act on what stands at the beginning of ``data``; how many bytes of it are done with, 0: more must come."""


def air_seconds(tags: int) -> float:
    """Time an inventory of ISO 15693 takes in the air with 16 slots, 26 kbit/s: 6 ms for one tag, 140 ms for 14, 374 ms
    for 34."""
    return 0.0062 if tags <= 1 else 0.0105 * tags
