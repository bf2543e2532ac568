"""Lift keys: one, both, and fingers that are not exact."""

from __future__ import annotations

import pytest

from tablectl.base.clock import LoopClock
from tablectl.machine.description import Keys
from tablectl.machine.keys import KEYS, LiftKeys
from tablectl.machine.sensors import Sensors
from tablectl.sim.devices import SimInput

TIMES = Keys(both_seconds=0.3, stuck_seconds=10)

PRESSES = [
    ("one key", [(0.0, 0, True), (0.15, 0, False)], ["single"]),
    ("both at once", [(0.0, 0, True), (0.0, 1, True), (0.2, 0, False), (0.2, 1, False)], ["both"]),
    ("one shortly after the other was let go", [(0.0, 1, True), (0.1, 1, False), (0.25, 0, True)], ["both"]),
    ("one long after the other", [(0.0, 1, True), (0.1, 1, False), (0.5, 0, True), (0.6, 0, False)], ["single"] * 2),
    ("the other joins while one is held", [(0.0, 0, True), (2.0, 1, True)], ["single", "both"]),
    ("the same key twice in a hurry", [(0.0, 0, True), (0.1, 0, False), (0.2, 0, True)], ["single"]),
]


@pytest.mark.parametrize(("presses", "expected"), [case[1:] for case in PRESSES], ids=[case[0] for case in PRESSES])
async def test_presses(presses: list[tuple[float, int, bool]], expected: list[str]) -> None:
    clock = LoopClock()
    inputs = {name: SimInput(name, clock) for name in KEYS}
    sensors = Sensors(inputs)
    heard: list[str] = []
    keys = LiftKeys(sensors, TIMES, lambda: heard.append("single"), lambda: heard.append("both"))
    await sensors.start()
    for at, key, level in presses:
        await clock.sleep(at - clock.now())
        inputs[KEYS[key]].drive(level)
    await clock.sleep(1)
    assert heard == expected
    keys.close()
    await sensors.stop()


async def test_closed_keys_say_nothing() -> None:
    clock = LoopClock()
    inputs = {name: SimInput(name, clock) for name in KEYS}
    sensors = Sensors(inputs)
    heard: list[str] = []
    keys = LiftKeys(sensors, TIMES, lambda: heard.append("single"), lambda: heard.append("both"))
    await sensors.start()
    inputs[KEYS[0]].drive(True)
    await clock.sleep(0.1)
    keys.close()
    await clock.sleep(1)
    assert heard == []
    await sensors.stop()


async def test_a_key_that_is_held_too_long_does_not_count_until_it_is_released() -> None:
    clock = LoopClock()
    inputs = {name: SimInput(name, clock) for name in KEYS}
    sensors = Sensors(inputs)
    heard: list[str] = []
    inputs[KEYS[1]].drive(True)  # something lies on it from the beginning
    keys = LiftKeys(
        sensors,
        TIMES,
        lambda: heard.append("single"),
        lambda: heard.append("both"),
        lambda name, stuck: heard.append(f"{name} {'stuck' if stuck else 'free'}"),
    )
    await sensors.start()
    keys.start()
    await clock.sleep(11)
    inputs[KEYS[0]].drive(True)
    await clock.sleep(0.2)
    inputs[KEYS[0]].drive(False)
    await clock.sleep(1)
    inputs[KEYS[1]].drive(False)
    await clock.sleep(1)
    assert heard == ["lift_key.1 stuck", "single", "lift_key.1 free"]
    keys.close()
    await sensors.stop()
