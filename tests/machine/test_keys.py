"""Lift keys: one, both, and fingers that are not exact."""

from __future__ import annotations

import pytest

from tablectl.base.clock import LoopClock
from tablectl.machine.keys import KEYS, LiftKeys
from tablectl.machine.sensors import Sensors
from tablectl.sim.devices import SimInput

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
    keys = LiftKeys(sensors, 0.3, lambda: heard.append("single"), lambda: heard.append("both"))
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
    keys = LiftKeys(sensors, 0.3, lambda: heard.append("single"), lambda: heard.append("both"))
    await sensors.start()
    inputs[KEYS[0]].drive(True)
    await clock.sleep(0.1)
    keys.close()
    await clock.sleep(1)
    assert heard == []
    await sensors.stop()
