"""The watchdog is fed only while the loop is on time and every device's task works."""

from __future__ import annotations

import asyncio
import contextlib

from tablectl.base.clock import HandClock, LoopClock
from tablectl.base.heartbeat import LATE_S, Heartbeat, Pulse


def test_who_is_silent_for_too_long_is_named() -> None:
    clock = HandClock()
    heartbeat = Heartbeat(clock)
    heartbeat.expect("reader.east", 5.0)
    heartbeat.expect("reader.west", 60.0)
    clock.set(5.0)
    assert heartbeat.silent() == []
    clock.set(5.1)
    assert heartbeat.silent() == ["reader.east silent for 5 s"]
    heartbeat.beat("reader.east")
    assert heartbeat.silent() == []


class Fed:
    def __init__(self) -> None:
        self.times: list[float] = []
        self.told: list[str] = []
        self.silent: list[str] = []
        self.clock = LoopClock()
        self.pulse = Pulse(
            self.clock, 3.0, lambda: self.silent, lambda: self.times.append(self.clock.now()), self.told.append
        )

    async def run(self, seconds: float) -> None:
        task = asyncio.create_task(self.pulse.run())
        await asyncio.sleep(seconds)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def test_it_is_fed_in_time() -> None:
    fed = Fed()
    await fed.run(10.0)
    assert fed.times == [3.0, 6.0, 9.0]
    assert fed.told == []


async def test_it_is_not_fed_while_a_task_is_silent_and_says_who_once() -> None:
    fed = Fed()
    asyncio.get_running_loop().call_at(4.0, fed.silent.append, "lane.2 ended")
    asyncio.get_running_loop().call_at(13.0, fed.silent.clear)
    await fed.run(16.0)
    assert fed.times == [3.0, 15.0]
    assert fed.told == ["lane.2 ended", ""]


async def test_it_is_not_fed_by_a_loop_that_hangs() -> None:
    fed = Fed()
    now, behind = fed.clock.now, 0.0
    fed.clock.now = lambda: now() + behind  # type: ignore[method-assign]

    def hang() -> None:
        nonlocal behind
        behind += LATE_S + 0.2

    asyncio.get_running_loop().call_at(4.0, hang)
    await fed.run(10.0)
    assert [round(t, 1) for t in fed.times] == [3.0, 9.7]
    assert fed.told == ["event loop 0.7 s late", ""]
