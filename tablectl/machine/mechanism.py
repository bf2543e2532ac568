"""Mechanisms: a motor that moves something from sensor to sensor within limits.

A `Mechanism` with one stop (单停: tray and lid) turns until it is back on its sensor; one with two (双停: the dome)
goes from one sensor to the other. Motion is verified on the way: what moved and what did not tells the faults apart.

- never left the sensor it stood on: the motor is dead, or that sensor stuck: ``no_motion``
- came past where it started without the target being seen: the target's sensor is blind: ``sensor_blind``
- left and arrived nowhere: something blocks it: ``stalled``
- slower than its limit or than it has learned: a warning (``slow``), before it fails
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final

from tablectl.base.clock import Clock
from tablectl.machine.description import Travel
from tablectl.machine.outputs import Outputs
from tablectl.machine.sensors import Sensors

#: runs from which a travel time is learned
LEARNED_RUNS: Final = 20


class MechanismFault(Exception):
    """A movement failed: ``code`` and ``where`` as in the fault table, the message is the detail."""

    def __init__(self, code: str, where: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code
        self.where = where


class Mechanism:
    """One motor with its stops. ``slow(where, why)`` is called after every run; None: it was not slow."""

    def __init__(
        self,
        name: str,
        motor: str,
        travel: Travel,
        outputs: Outputs,
        sensors: Sensors,
        clock: Clock,
        slow: Callable[[str, str | None], object],
    ) -> None:
        self.name = name
        self._motor = motor
        self._travel = travel
        self._outputs = outputs
        self._sensors = sensors
        self._clock = clock
        self._slow = slow
        self._times: dict[str, deque[float]] = {}

    def learned(self, target: str) -> float | None:
        """The mean time of the last runs to ``target`` in seconds; None before the first."""
        times = self._times.get(target)
        return sum(times) / len(times) if times else None

    async def go(self, target: str, origin: str | None = None) -> float:
        """Run until ``target`` is on; ``origin`` is the other stop (None: one stop, a full turn). Seconds it took.

        From an unknown position (neither sensor on) it goes too, and nothing is learned from it. Nothing moves where a
        mechanism of two stops is at its target already.

        Raises:
            MechanismFault: it did not move, did not arrive, or the sensor is blind. The motor is off again.
        """
        stands_on = target if origin is None else origin
        if origin is not None and self._sensors[target]:
            return 0.0
        known = self._sensors[stands_on]
        begin = self._clock.now()
        await self._outputs.set(self._motor, True)
        try:
            if known:
                await self._leave(stands_on)
            await self._arrive(target, origin if known else None, begin)
        finally:
            await self._outputs.set(self._motor, False)
        took = self._clock.now() - begin
        if known:
            self._learn(target, took)
        return took

    async def _leave(self, sensor: str) -> None:
        if not await self._sensors.until(lambda: not self._sensors[sensor], self._travel.leave_seconds):
            raise MechanismFault(
                "no_motion",
                self.name,
                f"{sensor} is still on {self._travel.leave_seconds:g} s after {self._motor} was switched on: "
                f"the motor does not turn, or {sensor} is stuck",
            )

    async def _arrive(self, target: str, origin: str | None, begin: float) -> None:
        sensors = self._sensors
        left = self._travel.hard_seconds - (self._clock.now() - begin)

        def stopped() -> bool:
            return sensors[target] or (origin is not None and sensors[origin])

        if not await sensors.until(stopped, left):
            raise MechanismFault(
                "stalled",
                self.name,
                f"{target} was not reached within {self._travel.hard_seconds:g} s: it left its stop and is held "
                f"on the way" + ("" if origin else f", or {target} is blind"),
            )
        if not sensors[target]:
            raise MechanismFault(
                "sensor_blind",
                self.name,
                f"{self._motor} came round to {origin} again without {target} being seen: clean or replace {target}",
            )

    def _learn(self, target: str, took: float) -> None:
        usual = self.learned(target)
        times = self._times.setdefault(target, deque(maxlen=LEARNED_RUNS))
        why = None
        if took > self._travel.soft_seconds:
            why = f"{target} took {took:.1f} s, more than {self._travel.soft_seconds:g} s"
        elif usual is not None and took > usual * self._travel.soft_ratio:
            why = f"{target} took {took:.1f} s, usually {usual:.1f} s"
        self._slow(self.name, why)
        times.append(took)
