"""What every `ports.Dice` does: simulated, electronic, under glass."""

from __future__ import annotations

import asyncio
import inspect
import random

import pytest

from tablectl.base.clock import LoopClock
from tablectl.drivers.dice import ChamberDice, ElectronicDice
from tablectl.sim.devices import SimDice, SimInput, SimOutput

clock = LoopClock()


class Reader:
    """A person who looks through the glass and enters two numbers."""

    def __init__(self) -> None:
        self.rng = random.Random(3)
        motor, eye = SimOutput("motor"), SimInput("eye", clock)
        motor.connect(eye.drive)
        self.dice = ChamberDice(motor, eye, clock, wanted=self._look)

    def _look(self) -> None:
        values = (self.rng.randint(1, 6), self.rng.randint(1, 6))
        asyncio.get_running_loop().call_later(2.0, self.dice.enter, values)


DICE = {
    "simulated": lambda: SimDice(random.Random(1), clock),
    "electronic": lambda: ElectronicDice(clock),
    "chamber": lambda: Reader().dice,
}


@pytest.fixture(params=DICE)
def dice(request):
    return DICE[request.param]()


async def test_two_dice_from_one_to_six_and_not_always_the_same(dice):
    await dice.open()
    throws = [await dice.roll() for _ in range(60)]
    assert all(len(throw) == 2 and all(1 <= face <= 6 for face in throw) for throw in throws)
    assert {face for throw in throws for face in throw} == {1, 2, 3, 4, 5, 6}
    await dice.close()


async def test_a_throw_takes_its_time_and_can_be_cancelled(dice):
    begin = clock.now()
    await dice.roll()
    assert clock.now() - begin > 0.5
    throwing = asyncio.ensure_future(dice.roll())
    await clock.sleep(0.1)
    throwing.cancel()
    await asyncio.gather(throwing, return_exceptions=True)
    await dice.roll()


def test_nobody_can_ask_for_a_value(dice):
    assert list(inspect.signature(dice.roll).parameters) == []
