"""One set from the drum into the slots: disc, ring, belts and heads, until every side has its row.

What goes wrong is tried again a few times (with a new start, the disc the other way where the table can); then it is a
fault and a person is asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from tablectl.base.clock import Clock
from tablectl.base.faults import FaultLatch
from tablectl.machine.census import Census
from tablectl.machine.description import REVERSE, SIDES, MachineSpec
from tablectl.machine.diagnosis import Diagnosis
from tablectl.machine.heads import COUNT_CAUSES, Heads
from tablectl.machine.mechanism import MechanismFault
from tablectl.machine.outputs import Outputs
from tablectl.machine.sensors import Sensors
from tablectl.machine.trust import Trust

#: what turns while a set is stacked, besides the belts and heads of the sides that are not full
DRUM: Final = ("disc_motor", "ring_motor")


@dataclass(frozen=True, slots=True)
class Retried:
    """Published when the table tries again by itself: what it took it for (as a fault), and for which time."""

    t: float
    code: str
    where: str
    detail: str
    number: int


class Shuffling:
    """``slow(where, why)`` as of mechanisms; ``retried`` is told of every new start."""

    def __init__(
        self,
        spec: MachineSpec,
        outputs: Outputs,
        sensors: Sensors,
        heads: Heads,
        census: Census,
        trust: Trust,
        faults: FaultLatch,
        clock: Clock,
        slow: Callable[[str, str | None], object],
        retried: Callable[[Retried], object],
    ) -> None:
        self._spec = spec
        self._outputs = outputs
        self._sensors = sensors
        self._heads = heads
        self._census = census
        self._trust = trust
        self._faults = faults
        self._clock = clock
        self._slow = slow
        self._retried = retried
        self._diagnosis = Diagnosis(heads, sensors, trust, census)
        self._tries: Counter[str] = Counter()
        #: somebody wants it to stand still: set from outside, then `Sensors.look`
        self.pause_wanted = False

    def begin(self) -> None:
        """A new set: what was tried before does not count any more."""
        self._tries.clear()

    async def run(self) -> str:
        """Stack until all sides are full (``filled``) or somebody wants to open (``pause``).

        Raises:
            MechanismFault: it cannot go on without a person. The motors are off again.
        """
        limits = self._spec.shuffle
        begin = self._clock.now()
        self.pause_wanted = False
        self._heads.go_on(begin)
        try:
            await self._start()
            while not self._heads.full:
                wake = min(
                    self._diagnosis.quiet_at(self._clock.now(), self._silent_seconds()),
                    self._heads.settle_at(),
                    begin + limits.hard_seconds,
                )
                await self._sensors.until(self._attention, wake - self._clock.now())
                if self.pause_wanted:
                    return "pause"
                await self._look_after(begin)
        finally:
            await self._stop()
        took = self._clock.now() - begin
        slow = f"{took:.0f} s, more than {limits.soft_seconds:g} s" if took > limits.soft_seconds else None
        self._slow("shuffle", slow)
        self._compare()
        return "filled"

    def _attention(self) -> bool:
        return self._heads.attention or self.pause_wanted

    def _silent_seconds(self) -> float:
        return self._spec.recovery.silent_seconds if self._tries else self._spec.shuffle.silent_seconds

    # --- motors

    async def _start(self) -> None:
        await self._outputs.set_all(DRUM, True)
        for side in self._heads.sides:
            await self._run_side(side.number, side.running)

    async def _stop(self) -> None:
        """Everything off, also what was just being switched on."""
        for n in SIDES:
            await self._outputs.set_all((f"belt_motor.{n}", f"head_motor.{n}"), False)
        await self._outputs.set_all(DRUM, False)

    async def _run_side(self, side: int, on: bool) -> None:
        if self._outputs.is_on(f"head_motor.{side}") is not on:
            await self._outputs.set_all((f"belt_motor.{side}", f"head_motor.{side}"), on)

    # --- looking after it

    async def _look_after(self, begin: float) -> None:
        """Stop what is full, rest disc and ring while all belts are full, and find out about silent sides."""
        heads = self._heads
        heads.attention = False
        now = self._clock.now()
        heads.settle(now)
        for side in heads.sides:
            await self._run_side(side.number, side.running)
        if heads.full:
            return
        rest = heads.throttled
        if rest is not heads.resting:
            heads.resting = rest
            await self._outputs.set_all(DRUM, not rest)
        if self._census.mixed:
            raise self._mixed()
        self._diagnosis.check_sensors()
        fault = self._diagnosis.silence(now, self._silent_seconds())
        if fault is not None:
            await self._try_again(fault)
        elif now - begin >= self._spec.shuffle.hard_seconds - 1e-6:
            raise MechanismFault("shuffle_too_long", "machine", f"not all sides full after {now - begin:.0f} s")

    async def _try_again(self, fault: MechanismFault) -> None:
        """A rest and a new start, the disc the other way first where that may free something. Raises ``fault`` where
        that was tried often enough."""
        recovery = self._spec.recovery
        if self._tries[fault.where] >= recovery.tries:
            raise fault
        self._tries[fault.where] += 1
        number = self._tries[fault.where]
        self._retried(Retried(self._clock.now(), fault.code, fault.where, str(fault), number))
        part, _, side = fault.where.partition(".")
        if fault.code == "no_motion" and part == "head":
            self._heads.sides[int(side)].belt_believed = False  # or it is the belt's eye that is stuck
        await self._stop()
        if part == "drum" and REVERSE in self._outputs:
            await self._turn_back(recovery.reverse_seconds)
        await self._wait(recovery.rest_seconds)
        if not self.pause_wanted:
            self._heads.go_on(self._clock.now())
            await self._start()

    async def _turn_back(self, seconds: float) -> None:
        try:
            await self._outputs.set(REVERSE, True)
            await self._outputs.set("disc_motor", True)
            await self._wait(seconds)
        finally:
            await self._outputs.set("disc_motor", False)
            await self._outputs.set(REVERSE, False)

    async def _wait(self, seconds: float) -> None:
        await self._sensors.until(lambda: self.pause_wanted, seconds)

    # --- when it is done

    def _compare(self) -> None:
        """Hold the counts and the tags against each other. Raises MechanismFault where nobody can play with this."""
        found = self._heads.disagreements()
        told = {(cause, where) for cause, where, _ in found}
        for cause, part in COUNT_CAUSES:
            for n in SIDES:
                if (cause, f"{part}.{n}") not in told:
                    self._faults.recover(cause, f"{part}.{n}")
        for cause, where, detail in found:
            self._faults.raise_fault(cause, where, detail)
        for side in self._heads.sides:
            belt = f"belt_full.{side.number}"
            if self._sensors[belt] and not side.belt_edges:
                self._trust.ignore(belt, "it says full from the beginning to the end of a shuffle")
        census = self._census
        if strangers := census.strangers():
            missing = f"; not read: {census.named(unread)}" if (unread := census.unread()) and census.whole else ""
            raise MechanismFault("foreign_tile", "machine", "; ".join(strangers) + missing)
        if census.others():
            raise self._mixed()
        if census.whole:
            self._tell_incomplete()

    def _mixed(self) -> MechanismFault:
        others = self._census.others()
        more = f" and {len(others) - 5} more" if len(others) > 5 else ""
        return MechanismFault("sets_mixed", "drum", f"in set {self._census.set_name}: {'; '.join(others[:5])}{more}")

    def _tell_incomplete(self) -> None:
        """The row is complete, but tags were not read: in one shuffle a reader may miss one, in two the tag is dead."""
        if not self._census.set_name or any(side.passages == 0 for side in self._heads.sides):
            return
        if silent := self._census.silent_again():
            detail = f"read at no lane in two shuffles of set {self._census.set_name}: {self._census.named(silent)}"
            self._faults.raise_fault("set_incomplete", "machine", detail)
        elif not self._census.unread():
            self._faults.recover("set_incomplete", "machine")
