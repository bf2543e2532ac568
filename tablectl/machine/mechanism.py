"""Mechanisms: a motor that moves something from sensor to sensor within limits.

A `Mechanism` with one stop (单停: tray and lid) turns until it is back on its sensor; one with two (双停: the dome)
goes from one sensor to the other. Motion is verified on the way: what moved and what did not tells the faults apart.

- never left the sensor it stood on: the motor is dead, or that sensor stuck: ``no_motion``
- came past where it started, or did its work, without the target being seen: the target's sensor is blind:
  ``sensor_blind``; where that is allowed the table goes on by the learned time (degraded)
- left and arrived nowhere: something blocks it: ``stalled``
- both stops at once: one of the sensors is stuck: ``sensors_contradict``
- slower than its limit or than it has learned: a warning (``slow``), before it fails
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tablectl.base.clock import Clock
from tablectl.machine.description import Travel
from tablectl.machine.outputs import Outputs
from tablectl.machine.sensors import Sensors
from tablectl.machine.trust import Trust
from tablectl.machine.upkeep import Upkeep

#: how much later than learned a target may be seen before its sensor counts as blind: so many times, and seconds
LATE: Final = (1.5, 0.3)


class MechanismFault(Exception):
    """A movement failed: ``code`` and ``where`` as in the fault table, the message is the detail."""

    def __init__(self, code: str, where: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code
        self.where = where


class Mechanism:
    """One motor with its stops. ``slow(where, why)`` is called after every run; None: it was not slow.

    ``witness``: a sensor that goes off on the way, when the work is done (the stacks have left the slot). It tells a
    blind sensor from something that holds, and the position of a lift whose own sensor is not believed.
    """

    def __init__(
        self,
        name: str,
        motor: str,
        travel: Travel,
        outputs: Outputs,
        sensors: Sensors,
        clock: Clock,
        upkeep: Upkeep,
        trust: Trust,
        slow: Callable[[str, str | None], object],
        witness: str | None = None,
    ) -> None:
        self.name = name
        self._motor = motor
        self._travel = travel
        self._outputs = outputs
        self._sensors = sensors
        self._clock = clock
        self._upkeep = upkeep
        self._trust = trust
        self._slow = slow
        self._witness = witness

    def learned(self, sensor: str) -> float | None:
        """The usual time to ``sensor`` in seconds; None before the first run."""
        return self._upkeep.learned(f"{self.name}:{sensor}")

    async def go(self, target: str, origin: str | None = None) -> float:
        """Run until ``target`` is on; ``origin`` is the other stop (None: one stop, a full turn). Seconds it took.

        From an unknown position (neither sensor on) it goes too, and nothing is learned from it. Nothing moves where a
        mechanism of two stops is at its target already.

        Raises:
            MechanismFault: it did not move, did not arrive, or the sensor is blind. The motor is off again.
        """
        if origin is not None and self._sensors[target]:
            if self._sensors[origin]:
                raise MechanismFault("sensors_contradict", self.name, f"{target} and {origin} are on at the same time")
            return 0.0
        begin = self._clock.now()
        if target not in self._trust:
            await self._go_by_time(target, origin)
            return self._clock.now() - begin
        known = self._sensors[target if origin is None else origin]
        seen_at: dict[str, float] = {}
        await self._outputs.set(self._motor, True)
        try:
            if known:
                await self._leave(target if origin is None else origin)
            blind = await self._arrive(target, origin if known else None, begin, seen_at)
        finally:
            await self._outputs.set(self._motor, False)
        took = self._clock.now() - begin
        if blind:
            await self._blind(target, origin, blind)
        elif known:
            self._learn(target, took)
            for sensor, seconds in seen_at.items():
                self._upkeep.learn(f"{self.name}:{sensor}", seconds)
        return took

    async def _leave(self, sensor: str) -> None:
        if not await self._sensors.until(lambda: not self._sensors[sensor], self._travel.leave_seconds):
            raise MechanismFault(
                "no_motion",
                self.name,
                f"{sensor} is still on {self._travel.leave_seconds:g} s after {self._motor} was switched on: "
                f"the motor does not turn, or {sensor} is stuck",
            )

    async def _arrive(self, target: str, origin: str | None, begin: float, seen_at: dict[str, float]) -> str:
        """Empty when it arrived; else why ``target`` must be blind. Raises MechanismFault where it is held."""
        sensors, witness = self._sensors, self._witness
        works = witness is not None and sensors[witness]

        def stopped() -> bool:
            return sensors[target] or (origin is not None and sensors[origin])

        def left() -> float:
            return self._travel.hard_seconds - (self._clock.now() - begin)

        if works and witness is not None:
            await sensors.until(lambda: stopped() or not sensors[witness], left())
            works = not sensors[witness]
            seen_at |= {witness: self._clock.now() - begin} if works else {}
        patience = self._rest(target) * LATE[0] + LATE[1] if works and self._rest(target) else left()
        if not await sensors.until(stopped, min(patience, left())):
            if works:
                return f"{self.name} did its work ({witness} went off), but {target} was not seen"
            raise MechanismFault(
                "stalled",
                self.name,
                f"{target} was not reached within {self._travel.hard_seconds:g} s: it left its stop and is held "
                f"on the way" + ("" if origin else f", or {target} is blind"),
            )
        return "" if sensors[target] else f"{self._motor} came round to {origin} again without {target} being seen"

    def _rest(self, target: str) -> float:
        """Learned seconds from the witness to ``target``; 0 where they are not known."""
        whole = self.learned(target)
        work = self.learned(self._witness) if self._witness is not None else None
        return whole - work if whole is not None and work is not None else 0.0

    # --- a sensor that is not believed

    async def _blind(self, target: str, origin: str | None, why: str) -> None:
        """Go on without ``target`` where that is allowed and its time is known; else raises MechanismFault."""
        if not self._trust.may_ignore(target) or self.learned(target) is None:
            raise MechanismFault("sensor_blind", self.name, f"{why}: clean or replace {target}")
        self._trust.ignore(target, f"{why}; it goes by its learned time")
        if origin is not None:
            await self._go_by_time(target, origin)

    async def _go_by_time(self, target: str, origin: str | None) -> None:
        """From its origin as long as it usually takes; a lift with one stop from where its witness goes off."""
        start = origin if origin is not None else self._witness
        if start is None or not self._sensors[start]:
            raise MechanismFault(
                "sensor_blind", self.name, f"{target} is not believed and {start} is off: its position is not known"
            )
        whole = self.learned(target)
        assert whole is not None
        await self._outputs.set(self._motor, True)
        try:
            if origin is not None:
                begin = self._clock.now()
                await self._leave(origin)
                rest = whole - (self._clock.now() - begin)
            elif await self._sensors.until(lambda: not self._sensors[start], self._travel.hard_seconds):
                rest = self._rest(target)
            else:
                raise MechanismFault("stalled", self.name, f"{start} did not go off: it is held on the way")
            rest += self._travel.dwell_seconds
            seen = await self._sensors.until(lambda: self._sensors[target], rest)
        finally:
            await self._outputs.set(self._motor, False)
        if seen:
            self._trust.believe(target)

    def _learn(self, target: str, took: float) -> None:
        usual = self.learned(target)
        why = None
        if took > self._travel.soft_seconds:
            why = f"{target} took {took:.1f} s, more than {self._travel.soft_seconds:g} s"
        elif usual is not None and took > usual * self._travel.soft_ratio:
            why = f"{target} took {took:.1f} s, usually {usual:.1f} s"
        self._slow(self.name, why)
        self._upkeep.learn(f"{self.name}:{target}", took)
