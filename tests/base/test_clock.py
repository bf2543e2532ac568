"""The virtual loop, alarms and clocks."""

from __future__ import annotations

import asyncio
import os
import socket
import threading
import tty
from pathlib import Path

import pytest

from tablectl.base.clock import (
    VIRTUAL_START,
    Alarm,
    Deadlock,
    HandClock,
    LoopClock,
    TimeLimit,
    VirtualLoop,
    at,
    run_virtual,
)


async def test_sleeping_takes_virtual_time_only() -> None:
    clock = LoopClock()
    assert clock.now() == 0.0
    await clock.sleep(36_000)
    assert clock.now() == 36_000.0


async def test_wall_time_derives_from_the_virtual_one() -> None:
    clock = LoopClock()
    await clock.sleep(12.5)
    assert clock.wall() == VIRTUAL_START + 12.5


def test_two_runs_are_alike() -> None:
    async def main() -> list[tuple[float, float]]:
        clock, seen = LoopClock(), []
        for step in (0.1, 0.7, 3.3):
            await clock.sleep(step)
            seen.append((clock.now(), clock.wall()))
        return seen

    assert run_virtual(main()) == run_virtual(main())


async def test_timers_fire_in_order_at_their_own_time() -> None:
    loop = asyncio.get_running_loop()
    seen: list[tuple[str, float]] = []
    for name, when in (("c", 3.0), ("a", 1.0), ("b", 1.0 + 1e-6)):
        loop.call_at(when, lambda name=name: seen.append((name, loop.time())))
    await asyncio.sleep(4)
    assert seen == [("a", 1.0), ("b", 1.0 + 1e-6), ("c", 3.0)]


async def test_a_timeout_fires_without_real_waiting() -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(30):
            await asyncio.Event().wait()
    assert asyncio.get_running_loop().time() == 30.0


def test_nothing_scheduled_is_a_deadlock_that_names_the_waiter() -> None:
    async def wait_for_ever() -> None:
        await asyncio.Event().wait()

    async def main() -> None:
        await asyncio.create_task(wait_for_ever(), name="lift")

    with pytest.raises(
        Deadlock, match=r"(?s)nothing is scheduled at 0 s.*lift: .*test_clock\.py:\d+|lift: .*Event\.wait"
    ):
        run_virtual(main())


def test_ticking_for_ever_ends_at_the_limit() -> None:
    async def main() -> None:
        while True:
            await LoopClock().sleep(1)

    with pytest.raises(TimeLimit, match="its limit of 600 s"):
        run_virtual(main(), limit_s=600)


def test_a_timer_a_year_ahead_is_reached() -> None:
    async def main() -> float:
        await at(365 * 86_400.0)
        return LoopClock().now()

    assert run_virtual(main()) == 365 * 86_400.0


# --- descriptors and threads


async def test_a_socketpair_loses_nothing_and_moves_no_time() -> None:
    loop = asyncio.get_running_loop()
    left, right = socket.socketpair()
    left.setblocking(False)
    right.setblocking(False)

    async def frames(count: int) -> None:
        for number in range(count):
            await loop.sock_sendall(left, number.to_bytes(4, "big"))
            await asyncio.sleep(0.25)

    with left, right:
        sender = asyncio.create_task(frames(2000))
        seen = []
        for _ in range(2000):
            seen.append((int.from_bytes(await loop.sock_recv(right, 4), "big"), loop.time()))
        await sender
    assert seen == [(number, number * 0.25) for number in range(2000)]


async def test_a_unix_server_answers_in_the_same_process(tmp_path: Path) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := await reader.readline():
            await asyncio.sleep(2)
            writer.write(line.upper())
            await writer.drain()
        writer.close()
        await writer.wait_closed()

    path = tmp_path / "link.sock"
    server = await asyncio.start_unix_server(serve, path)
    reader, writer = await asyncio.open_unix_connection(path)
    for _ in range(3):
        writer.write(b"state.get\n")
        assert await reader.readline() == b"STATE.GET\n"
    assert asyncio.get_running_loop().time() == 6.0
    writer.close()
    await writer.wait_closed()
    server.close()
    await server.wait_closed()
    await asyncio.sleep(1)


async def test_bytes_in_a_pty_are_seen_before_time_jumps() -> None:
    loop = asyncio.get_running_loop()
    master, slave = os.openpty()
    tty.setraw(slave)
    got: list[tuple[bytes, float]] = []
    loop.add_reader(slave, lambda: got.append((os.read(slave, 64), loop.time())))
    for number in range(200):
        os.write(master, b"frame %03d" % number)
        await asyncio.sleep(1)
    loop.remove_reader(slave)
    os.close(master)
    os.close(slave)
    assert got == [(b"frame %03d" % number, float(number)) for number in range(200)]


async def test_a_job_in_a_thread_holds_time() -> None:
    loop = asyncio.get_running_loop()
    go = threading.Event()
    asyncio.get_running_loop().call_later(0, go.set)
    alarm_at: list[float] = []
    timer = loop.call_later(10, lambda: alarm_at.append(loop.time()))
    assert await asyncio.to_thread(go.wait, 5)
    assert loop.time() == 0.0
    assert alarm_at == []
    timer.cancel()


async def test_hold_waits_for_another_thread_in_reality() -> None:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualLoop)
    come = asyncio.Event()
    outside = threading.Thread(target=lambda: loop.call_soon_threadsafe(come.set))
    with loop.hold():
        outside.start()
        await come.wait()
    outside.join()
    assert loop.time() == 0.0


def test_a_partner_that_never_comes_is_a_deadlock_too(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        with loop.hold():
            await asyncio.Event().wait()

    monkeypatch.setattr("tablectl.base.clock.HOLD_LIMIT_S", 0.01)
    with pytest.raises(Deadlock, match=r"nothing came from outside in 0\.01 real seconds"):
        run_virtual(main())


# --- deadlines


async def test_at_returns_exactly_then() -> None:
    clock = LoopClock()
    await at(0.1 + 0.2)
    assert clock.now() == 0.1 + 0.2
    await at(0.2)
    assert clock.now() == 0.1 + 0.2


async def test_an_alarm_rings_once_at_its_deadline() -> None:
    clock, rung = LoopClock(), []
    alarm = Alarm(lambda: rung.append(clock.now()))
    alarm.set(5)
    assert alarm.deadline == 5
    await clock.sleep(20)
    assert rung == [5.0]
    assert alarm.deadline is None


async def test_an_alarm_moved_later_earlier_and_off() -> None:
    clock, rung = LoopClock(), []
    alarm = Alarm(lambda: rung.append(clock.now()))
    alarm.set(5)
    alarm.set(8)  # later
    await clock.sleep(6)
    assert rung == []
    alarm.set(7)  # earlier
    await clock.sleep(4)
    assert rung == [7.0]
    alarm.set(20)
    alarm.off()
    await clock.sleep(20)
    assert rung == [7.0]


async def test_an_alarm_may_be_set_by_its_own_ring() -> None:
    clock, rung = LoopClock(), []

    def ring() -> None:
        rung.append(clock.now())
        if len(rung) < 3:
            alarm.set(clock.now() + 2)

    alarm = Alarm(ring)
    alarm.set(1)
    await clock.sleep(10)
    assert rung == [1.0, 3.0, 5.0]


async def test_fed_often_an_alarm_costs_no_timers() -> None:
    loop, clock = asyncio.get_running_loop(), LoopClock()
    alarm = Alarm(lambda: None)
    for _ in range(1000):
        alarm.set(clock.now() + 10)
        await clock.sleep(0.01)
    assert len(loop._scheduled) == 1  # type: ignore[attr-defined]
    alarm.off()


def test_a_hand_clock_goes_where_it_is_set_and_never_back() -> None:
    clock = HandClock()
    clock.set(3.5)
    assert (clock.now(), clock.wall()) == (3.5, VIRTUAL_START + 3.5)
    with pytest.raises(ValueError, match=r"from 3\.5 s to 3\.0 s"):
        clock.set(3.0)


def test_outside_a_loop_the_clock_is_the_systems() -> None:
    clock = LoopClock()
    first = clock.now()
    assert clock.now() >= first
    assert clock.wall() > 1_700_000_000
