"""What every `ports.Output`, `ports.Input` and `ports.Pulse` does, simulated or real."""

from __future__ import annotations

import asyncio
import inspect
from contextlib import AsyncExitStack
from itertools import pairwise

import pytest
from modbus_rig import rig as modbus_rig
from switch_rigs import INPUTS, OUTPUTS

from tablectl.base.clock import LoopClock
from tablectl.base.faults import DeviceError
from tablectl.drivers.hardware_pins import Pin

clock = LoopClock()


def changes(levels):
    """The levels that differ from the one before; it was off in the beginning."""
    return [level for before, level in pairwise([False, *levels]) if level is not before]


# --- outputs


@pytest.fixture(params=OUTPUTS)
def output(request):
    return OUTPUTS[request.param]


async def test_an_output_has_a_name_and_says_what_it_is_behind(output):
    async with output() as rig:
        assert rig.device.name == "motor"
        assert rig.device.backend in {"simulated", "gpio", "modbus"}


async def test_opening_and_closing_an_output_leaves_it_off(output):
    async with output() as rig:
        await rig.device.open()
        assert not any(rig.history)
        await rig.device.set(True)
        assert rig.history[-1] is True
        if rig.device.backend != "simulated":  # nobody else would switch a real one off
            await rig.device.close()
            assert rig.history[-1] is False


async def test_a_level_is_reached_when_set_returns_and_every_one_is_passed(output):
    async with output() as rig:
        await rig.device.open()
        del rig.history[:]
        levels = [True, False, True, False, False, True, True, False]
        for level in levels:
            await rig.device.set(level)
            assert (rig.history or [False])[-1] is level
        assert changes(rig.history) == [True, False, True, False, True, False]
        await rig.device.close()


async def test_levels_that_are_set_at_once_come_in_order(output):
    async with output() as rig:
        await rig.device.open()
        del rig.history[:]
        await asyncio.gather(*(rig.device.set(level) for level in (True, False, True, False)))
        assert changes(rig.history) == [True, False, True, False]
        await rig.device.close()


async def test_an_output_that_cannot_be_switched_says_so_with_its_place(output):
    async with output() as rig:
        if rig.break_it is None:
            return
        await rig.device.open()
        rig.break_it()
        with pytest.raises(DeviceError) as caught:
            await rig.device.set(True)
        assert caught.value.port
        assert caught.value.next_step


# --- inputs


@pytest.fixture(params=INPUTS)
def sensor(request):
    return INPUTS[request.param]


async def test_an_input_reads_its_level(sensor):
    async with sensor() as rig:
        await rig.device.open()
        assert await rig.device.read() is False
        rig.drive(True)
        await clock.sleep(rig.latest_s + 0.3)
        assert await rig.device.read() is True
        await rig.device.close()


async def test_every_edge_comes_once_in_order_with_its_time(sensor):
    async with sensor() as rig:
        await rig.device.open()
        edges = rig.device.edges()
        begun = []
        for level in (True, False, True, False):
            await clock.sleep(0.5)
            begun.append(clock.now())
            rig.drive(level)
        got = [await anext(edges) for _ in range(4)]
        assert [level for _, level in got] == [True, False, True, False]
        for (t, _), begin in zip(got, begun, strict=True):
            assert begin <= t <= begin + rig.latest_s
        await edges.aclose()
        await rig.device.close()


async def test_edges_count_from_the_call_and_for_every_listener(sensor):
    async with AsyncExitStack() as stack:
        rig = await stack.enter_async_context(sensor())
        await rig.device.open()
        rig.drive(True)
        await clock.sleep(0.5)
        early = rig.device.edges()
        rig.drive(False)
        await clock.sleep(0.5)
        late = rig.device.edges()
        rig.drive(True)
        assert [(await anext(early))[1] for _ in range(2)] == [False, True]
        assert (await anext(late))[1] is True
        for listener in (early, late):
            await listener.aclose()
        await rig.device.close()


async def test_a_level_that_stays_is_no_edge(sensor):
    async with sensor() as rig:
        await rig.device.open()
        edges = rig.device.edges()
        for _ in range(5):
            rig.drive(False)
            await clock.sleep(0.3)
        waiting = asyncio.ensure_future(anext(edges))
        await clock.sleep(1)
        assert not waiting.done()
        rig.drive(True)
        assert (await waiting)[1] is True
        await edges.aclose()
        await rig.device.close()


async def test_a_listener_goes_away_without_a_trace(sensor):
    async with sensor() as rig:
        await rig.device.open()
        edges = rig.device.edges()
        assert inspect.isasyncgen(edges)
        listening = asyncio.ensure_future(anext(edges))
        await clock.sleep(0.1)
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)
        rig.drive(True)
        await clock.sleep(0.5)
        assert await rig.device.read() is True
        await rig.device.close()


# --- pulses: boards only, for only they can end one by themselves


async def test_a_pulse_begins_when_fire_returns_and_ends_by_itself():
    async with modbus_rig() as r:
        kick = r.board.pulse("kick", Pin("io", 1), 500)
        await kick.open()
        await kick.fire(200)
        assert r.motors[1].on
        await clock.sleep(0.25)
        assert not r.motors[1].on
        await kick.fire(100)
        await kick.fire(100)  # another one before the first has ended begins anew
        await clock.sleep(0.05)
        assert r.motors[1].on
        await clock.sleep(0.1)
        assert not r.motors[1].on
        await kick.close()
