"""The dead-man line: it toggles while the program lives; a circuit drops the motors' supply when it stands still.

The line is driven from a thread that hears of the event loop every few milliseconds. When the loop hangs the thread
stops toggling, when the program is killed or stopped the thread is too: within `PATIENCE_S` and the time of the circuit
(``drops_after_ms`` of the wiring) no motor has a supply any more. A program that is well pauses too: the supply of a
short pause comes back with the next sign of life, and while a disk is waited for the line toggles on for longer.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from typing import Final, Protocol

from tablectl.base.clock import Clock, LoopClock
from tablectl.base.faults import DeviceError
from tablectl.drivers.gpio import GpioOutput
from tablectl.drivers.hardware_guard import Task

#: seconds between two signs of life of the event loop, and without one after which the line stands still
BEAT_S: Final = 0.01
PATIENCE_S: Final = 0.025
#: ... while the loop waits for a disk
DISK_S: Final = 0.25
#: A motor that starts again after so many seconds surprises a hand: somebody has to clear that.
SURPRISES_S: Final = 0.3


class Pulse(Protocol):
    """Drives the line. ``every_s``: how often it wants a sign of life."""

    every_s: float

    def __init__(self, line: GpioOutput, toggle_s: float) -> None: ...

    def start(self) -> None: ...

    def beat(self, until: float) -> None:
        """A sign of life: it is good until then. Raises DeviceError: the line cannot be driven any more."""

    def stop(self) -> None: ...


class ThreadPulse:
    """Satisfies `Pulse` beside the event loop: toggles every ``toggle_s`` seconds while a sign of life is good."""

    every_s = BEAT_S

    def __init__(self, line: GpioOutput, toggle_s: float) -> None:
        self._line = line
        self._toggle_s = toggle_s
        self._clock = LoopClock()
        self._until = -inf
        self._failed: DeviceError | None = None
        self._ending = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        self._ending.clear()
        self._thread = threading.Thread(target=self._run, name="dead-man line", daemon=True)
        self._thread.start()

    def beat(self, until: float) -> None:
        self._until = until
        if self._failed is not None:
            raise self._failed

    def stop(self) -> None:
        thread, self._thread = self._thread, None
        if thread is not None:
            self._ending.set()
            thread.join()

    def _run(self) -> None:
        level = False
        while not self._ending.wait(self._toggle_s):
            if self._clock.now() <= self._until:
                level = not level
                try:
                    self._line.drive(level)
                except DeviceError as error:
                    self._failed = error
                    return


class TurnPulse:
    """Satisfies `Pulse` on virtual time, where no thread can be: toggles with every sign of life."""

    every_s = 2 * BEAT_S

    def __init__(self, line: GpioOutput, toggle_s: float) -> None:
        self._line = line
        self._level = False

    def start(self) -> None: ...

    def beat(self, until: float) -> None:
        self._level = not self._level
        self._line.drive(self._level)

    def stop(self) -> None: ...


class Deadman:
    """Gives signs of life while everything lives. ``alive`` says why it must not, or nothing.

    Where the program goes on after it stood still for `SURPRISES_S`, ``hung(seconds)`` says whether relays are on, so
    that motors would go on by themselves. Then the line stands still until somebody has cleared that (`release`).
    """

    def __init__(
        self, line: GpioOutput, pulse: Pulse, alive: Callable[[], str], hung: Callable[[float], bool], clock: Clock
    ) -> None:
        self._line = line
        self._pulse = pulse
        self._alive = alive
        self._ask = hung
        self._hung = ""
        self._clock = clock
        self._task = Task()
        #: when it was asked last whether anything speaks against a sign of life; None while the line is closed
        self._looked: float | None = None
        #: why it stands still; empty while it toggles
        self.stopped = "not started"

    async def open(self) -> None:
        """Raises DeviceError: the line cannot be driven."""
        await self._line.open()
        self.release()
        self._looked = self._clock.now()
        self._pulse.start()
        self._task.start(self._beat, "dead-man line")

    def release(self) -> None:
        """Somebody has seen that the program hung, and that nothing moves."""
        self._hung = ""

    async def close(self) -> None:
        """The supply drops."""
        self._looked = None
        await self._task.stop()
        self._pulse.stop()
        await self._line.close()

    @contextmanager
    def pausing(self) -> Iterator[None]:
        """Meanwhile the event loop stands still because it waits for a disk."""
        self._sign(DISK_S)
        try:
            yield
        finally:
            self._sign(PATIENCE_S)

    async def _beat(self) -> None:
        while True:
            self._sign(PATIENCE_S)
            await self._clock.sleep(self._pulse.every_s)

    def _sign(self, seconds: float) -> None:
        """A sign of life that is good for so long, if nothing speaks against it: not before that was asked, whoever is
        the first to go on after a pause."""
        if self._looked is None:
            return
        now = self._clock.now()
        stood, self._looked = now - self._looked, now
        if stood >= SURPRISES_S and self._ask(stood):
            self._hung = f"the program stood still for {stood:.1f} s"
        self.stopped = self._hung or self._alive()
        if not self.stopped:
            try:
                self._pulse.beat(now + seconds)
            except DeviceError as error:
                self.stopped = str(error)
