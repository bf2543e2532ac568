"""Outputs: the longest time on and the interlocks hold whatever the cycle asks for."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated_table import MACHINE

from tablectl.base.clock import LoopClock
from tablectl.machine.description import load_machine
from tablectl.machine.outputs import Outputs, Refused
from tablectl.machine.sensors import Sensors
from tablectl.sim.devices import SimInput, SimOutput

SPEC = load_machine(MACHINE)


class Board:
    """Outputs and inputs with nothing behind them."""

    def __init__(self) -> None:
        self.ports = {name: SimOutput(name) for name, _ in SPEC.output_names()}
        self.inputs = {name: SimInput(name, LoopClock()) for name in SPEC.input_names()}
        self.inputs["dome_down"].drive(True)
        self.sensors = Sensors(self.inputs)
        self.faults: list[tuple[str, str]] = []
        self.outputs = Outputs(self.ports, SPEC, self.sensors, lambda code, where, _: self.faults.append((code, where)))

    async def __aenter__(self) -> Board:
        await self.sensors.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.outputs.close()
        await self.sensors.stop()


async def wait(seconds: float) -> None:
    await LoopClock().sleep(seconds)


@pytest.mark.parametrize("name", [name for name, spec in SPEC.output_names() if spec.max_on_seconds])
async def test_nothing_stays_on_beyond_its_time(name: str) -> None:
    async with Board() as board:
        limit = dict(SPEC.output_names())[name].max_on_seconds
        assert limit is not None
        await board.outputs.set(name, True)
        await wait(limit - 0.01)
        assert board.ports[name].on
        assert board.faults == []
        await wait(0.02)
        assert not board.ports[name].on
        assert board.faults == [("on_too_long", name)]


async def test_switching_on_again_does_not_extend_the_time() -> None:
    async with Board() as board:
        await board.outputs.set("dome_motor", True)
        await wait(4)
        await board.outputs.set("dome_motor", True)
        await wait(1.5)
        assert not board.ports["dome_motor"].on


@pytest.mark.parametrize(
    ("first", "second"), [("disc_motor", "dome_motor"), ("dome_motor", "tray_motor.2"), ("head_motor.3", "dome_motor")]
)
async def test_outputs_that_exclude_each_other(first: str, second: str) -> None:
    async with Board() as board:
        await board.outputs.set(first, True)
        with pytest.raises(Refused, match=f"{second} may not be switched on: .* must be off"):
            await board.outputs.set(second, True)
        assert not board.ports[second].on
        await board.outputs.set(first, False)
        await board.outputs.set(second, True)
        assert board.ports[second].on


async def test_no_motor_below_an_open_dome() -> None:
    async with Board() as board:
        board.inputs["dome_down"].drive(False)
        await wait(0)
        await wait(0)
        for name in ("tray_motor.0", "disc_motor", "ring_motor", "belt_motor.1", "head_motor.2"):
            with pytest.raises(Refused, match="dome_down must be on"):
                await board.outputs.set(name, True)


async def test_safe_off_reaches_every_output_even_where_one_fails() -> None:
    class Broken(SimOutput):
        async def set(self, on: bool) -> None:
            if not on:
                raise OSError("no answer")
            await super().set(on)

    async with Board() as board:
        for name in ("disc_motor", "ring_motor", "belt_motor.0"):
            await board.outputs.set(name, True)
        broken = board.ports["ring_motor"]
        broken.__class__ = Broken
        with pytest.raises(ExceptionGroup, match="could not be switched off"):
            await board.outputs.safe_off()
        assert [name for name, port in board.ports.items() if port.on] == ["ring_motor"]
        broken.__class__ = SimOutput


commands = st.lists(
    st.tuples(st.sampled_from([name for name, _ in SPEC.output_names()]), st.booleans(), st.floats(0, 100)), max_size=20
)


@settings(max_examples=60, deadline=None)
@given(commands)
async def test_whatever_is_commanded_limits_hold(sequence: list[tuple[str, bool, float]]) -> None:
    limits = {name: spec.max_on_seconds for name, spec in SPEC.output_names()}
    clock = LoopClock()
    since: dict[str, float] = {}
    async with Board() as board:

        def switched(name: str, on: bool) -> None:
            if on:
                since[name] = clock.now()
                return
            limit = limits[name]
            assert limit is None or clock.now() - since.pop(name) <= limit + 0.001

        for name, port in board.ports.items():
            port.connect(lambda on, name=name: switched(name, on))
        for name, on, pause in sequence:
            try:
                await board.outputs.set(name, on)
            except Refused:
                assert on
            moving = {n.split(".")[0] for n, port in board.ports.items() if port.on}
            assert not ("dome_motor" in moving and moving - {"dome_motor", "ready_lamp"})
            await clock.sleep(pause)
