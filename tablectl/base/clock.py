"""The only source of time.

Everything that waits or stamps asks a `Clock`. On a virtual-time event loop (`VirtualLoop`) the same code runs a
two-hour match in seconds. No other module imports ``time``; a test holds that.
"""

from __future__ import annotations

import asyncio
import selectors
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, Final, Protocol, TypeVar

T = TypeVar("T")

#: Wall time at virtual second 0: 2026-01-01 00:00:00 UTC.
VIRTUAL_START: Final = 1_767_225_600.0

#: A virtual loop that has something to do asks its descriptors once in so many turns.
ASKED_EVERY: Final = 8
#: Real seconds that a virtual loop waits for a thread or another process before it calls that a deadlock.
HOLD_LIMIT_S: Final = 60.0


def cpu_seconds() -> float:
    """Processor time this process has used so far, in seconds."""
    return time.process_time()


#: what the table's clock is ahead of the system's monotonic one; see `go_on_at`
_ahead = 0.0


def go_on_at(t: float) -> None:
    """Let the clock of this process, which is one table's, read ``t`` seconds now: after a power cut it goes on where
    it stood, so that the times of a match are in order and the time without power is no playing time. To be called
    before there is a `TableLoop`."""
    global _ahead
    _ahead = t - time.monotonic()


def _monotonic() -> float:
    return time.monotonic() + _ahead


class Clock(Protocol):
    """Seconds on a monotonic clock (``now``), and the wall clock for people (``wall``, seconds since 1970)."""

    def now(self) -> float: ...

    def wall(self) -> float: ...

    async def sleep(self, seconds: float) -> None: ...


class LoopClock:
    """The time of the running event loop, real or virtual. Outside a loop, the system's."""

    def now(self) -> float:
        loop = asyncio._get_running_loop()
        return loop.time() if loop else _monotonic()

    def wall(self) -> float:
        loop = asyncio._get_running_loop()
        return loop.wall() if isinstance(loop, VirtualLoop) else time.time()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class HandClock:
    """A clock that its owner sets: for replaying a trace without any loop, where time is that of the reports."""

    def __init__(self, now: float = 0.0, start: float = VIRTUAL_START) -> None:
        self._now = now
        self._start = start

    def now(self) -> float:
        return self._now

    def wall(self) -> float:
        return self._start + self._now

    def set(self, now: float) -> None:
        """Go to ``now``. Raises ValueError where that is in the past."""
        if now < self._now:
            raise ValueError(f"time cannot go back from {self._now} s to {now} s")
        self._now = now

    async def sleep(self, seconds: float) -> None:
        self.set(self._now + max(0.0, seconds))


async def at(deadline: float) -> None:
    """Wait until the loop's clock reads ``deadline`` (seconds, as `Clock.now`). Returns at once where it has passed."""
    loop = asyncio.get_running_loop()
    if deadline <= loop.time():
        await asyncio.sleep(0)
        return
    reached = loop.create_future()
    handle = loop.call_at(deadline, _finish, reached)
    try:
        await reached
    finally:
        handle.cancel()


def _finish(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


class Alarm:
    """A timer that is set again and again (a time limit, a watchdog): ``ring`` is called once, at the deadline.

    Moving the deadline later costs no timer of the loop: the old one finds that it is too early and waits on.
    """

    def __init__(self, ring: Callable[[], None]) -> None:
        self._ring = ring
        self._deadline: float | None = None
        self._handle: asyncio.TimerHandle | None = None

    @property
    def deadline(self) -> float | None:
        """When it will ring (seconds, as `Clock.now`); None while it is off."""
        return self._deadline

    def set(self, deadline: float) -> None:
        """Ring at ``deadline``, instead of whenever it was set to."""
        self._deadline = deadline
        if self._handle is not None and deadline < self._handle.when():
            self._handle.cancel()
            self._handle = None
        if self._handle is None:
            self._handle = asyncio.get_running_loop().call_at(deadline, self._due, deadline)

    def off(self) -> None:
        """Do not ring."""
        self._deadline = None
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None

    def _due(self, when: float) -> None:
        self._handle = None
        if self._deadline is not None and self._deadline > when:
            self.set(self._deadline)
            return
        self._deadline = None
        self._ring()


class Deadlock(RuntimeError):
    """Virtual time can never move on: nothing is ready and nothing is scheduled. The message names who waits where."""


class TimeLimit(RuntimeError):
    """Virtual time went past the limit of its loop: somebody waits for what never comes while others tick."""


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop whose time jumps: when nothing is ready, it is at once the time of the next timer.

    Time stands still while something may yet arrive: jobs in executors and the inside of `hold` are waited for in
    reality, and before every jump all descriptors are asked. Bytes sent over a Unix socket or pipe inside this
    process are there as soon as they are sent; those of a pty are there when it is polled (epoll would not see
    them). A partner in another process needs `hold`.

    Args:
        limit_s: virtual seconds after which `TimeLimit` is raised.
        start: wall time at virtual second 0.
    """

    def __init__(self, *, limit_s: float = float("inf"), start: float = VIRTUAL_START) -> None:
        self._virtual_now = 0.0
        self._limit = limit_s
        self._start = start
        self._holds = 0
        super().__init__(_JumpingSelector(self))
        # A timer is due when its time is less than now + resolution. The system clock's 1 ns is lost in the rounding of
        # times beyond half a year, and such a timer would never be due.
        self._clock_resolution = 1e-7

    def time(self) -> float:
        return self._virtual_now

    def wall(self) -> float:
        """Seconds since 1970, reckoned from the fixed start."""
        return self._start + self._virtual_now

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Inside, time does not jump: what comes from outside the process is waited for in reality."""
        self._holds += 1
        try:
            yield
        finally:
            self._holds -= 1

    def run_in_executor(self, executor: Any, func: Callable[..., T], *args: Any) -> asyncio.Future[T]:  # type: ignore[override]
        job = super().run_in_executor(executor, func, *args)
        self._holds += 1
        job.add_done_callback(self._release)
        return job

    def _release(self, _job: asyncio.Future[Any]) -> None:
        self._holds -= 1

    async def shutdown_default_executor(self, *args: Any) -> None:
        with self.hold():
            await super().shutdown_default_executor(*args)

    def _jump(self) -> None:
        """Go to the next timer. Raises `Deadlock` or `TimeLimit`."""
        timers: list[asyncio.TimerHandle] = self._scheduled  # type: ignore[attr-defined]
        if not timers:
            raise Deadlock(
                f"nothing is ready and nothing is scheduled at {self._virtual_now:g} s of virtual time\n"
                + "\n".join(f"  {describe(task)}" for task in asyncio.all_tasks(self))
            )
        when = timers[0].when()
        if when > self._limit:
            raise TimeLimit(
                f"virtual time reached its limit of {self._limit:g} s; still waiting:\n"
                + "\n".join(f"  {describe(task)}" for task in asyncio.all_tasks(self))
            )
        self._virtual_now = max(self._virtual_now, when)


def describe(task: asyncio.Task[Any]) -> str:
    """Where a task stands, in one line: its name and the innermost line that awaits."""
    coroutine: Any = task.get_coro()
    frame = None
    while coroutine is not None:
        frame = getattr(coroutine, "cr_frame", None) or getattr(coroutine, "ag_frame", None) or frame
        coroutine = getattr(coroutine, "cr_await", None) or getattr(coroutine, "ag_await", None)
    if frame is None:
        return f"{task.get_name()}: not in a coroutine"
    return f"{task.get_name()}: {frame.f_code.co_qualname} at {frame.f_code.co_filename}:{frame.f_lineno}"


class _JumpingSelector(selectors.PollSelector):
    """Asks the descriptors, and where none is ready lets the loop jump instead of waiting."""

    def __init__(self, loop: VirtualLoop) -> None:
        super().__init__()
        self._loop = loop
        self._turns = 0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is not None and timeout <= 0:  # there is enough to do: descriptors wait for a few turns
            self._turns = (self._turns + 1) % ASKED_EVERY
            return [] if self._turns else super().select(0)
        held = self._loop._holds > 0
        ready = super().select(HOLD_LIMIT_S if held else 0)
        if not ready:
            if held:
                raise Deadlock(f"nothing came from outside in {HOLD_LIMIT_S:g} real seconds; time was held")
            self._loop._jump()
        return ready


class TableLoop(asyncio.SelectorEventLoop):
    """The event loop of a real table: its time is that of `LoopClock` (`go_on_at`)."""

    def time(self) -> float:
        return _monotonic()


class SpedLoop(asyncio.SelectorEventLoop):
    """An event loop on which ``speed`` seconds pass in every real one: to watch a simulated table in a hurry.

    Devices outside the simulation do not hurry with it.
    """

    def __init__(self, speed: float) -> None:
        super().__init__(_SpedSelector(speed))
        self._speed = speed
        self._start = time.monotonic()

    def time(self) -> float:
        return self._start + (time.monotonic() - self._start) * self._speed


class _SpedSelector(selectors.DefaultSelector):
    """Waits for ``speed`` times less than it is told."""

    def __init__(self, speed: float) -> None:
        super().__init__()
        self._speed = speed

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        return super().select(None if timeout is None else timeout / self._speed)


def run_virtual(main: Coroutine[Any, Any, T], *, limit_s: float = float("inf"), start: float = VIRTUAL_START) -> T:
    """`asyncio.run` in virtual time.

    Raises:
        Deadlock: nothing is ready and nothing is scheduled.
        TimeLimit: virtual time went past ``limit_s``.
    """
    with asyncio.Runner(loop_factory=lambda: VirtualLoop(limit_s=limit_s, start=start)) as runner:
        return runner.run(main)
