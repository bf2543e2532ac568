"""What the table does in each state that moves or waits for something.

Every state has one step here, a coroutine that reads like the procedure and returns the trigger of what came out;
`machine.states` says where that leads. Keys and commands only set what a step waits for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from tablectl.base.bus import Bus
from tablectl.base.clock import Clock
from tablectl.base.faults import FaultLatch
from tablectl.base.reports import MachineReported
from tablectl.machine.census import Census
from tablectl.machine.description import SIDES, MachineSpec, Stacks, Travel
from tablectl.machine.heads import Heads
from tablectl.machine.mechanism import Mechanism, MechanismFault
from tablectl.machine.outputs import Outputs
from tablectl.machine.sensors import Sensors
from tablectl.machine.shuffling import Shuffling
from tablectl.machine.states import State
from tablectl.machine.trust import Trust
from tablectl.machine.upkeep import Upkeep, UpkeepChanged


class Procedure:
    """The steps of one table, by state. ``publish`` is called when a count changed.

    ``next_stacks``: stacks of each side from the next shuffle on. ``lifting``: a set is being lifted; after a stop,
    homing goes on with it. ``counted``: the counts of the heads belong to what stands in the slots.
    """

    def __init__(
        self,
        spec: MachineSpec,
        outputs: Outputs,
        sensors: Sensors,
        upkeep: Upkeep,
        trust: Trust,
        bus: Bus,
        faults: FaultLatch,
        clock: Clock,
        census: Census,
        stacks: Stacks,
        publish: Callable[[], None],
    ) -> None:
        self._outputs = outputs
        self._sensors = sensors
        self._upkeep = upkeep
        self._trust = trust
        self._bus = bus
        self._faults = faults
        self._clock = clock
        self._census = census
        self.heads = Heads(
            *(sensors, spec.shuffle, trust, stacks, publish),
            rows_joined=spec.inputs["slot_full"].joined is not None,
            slots_joined=spec.inputs["slot_loaded"].joined is not None,
        )
        self.shuffling = Shuffling(
            *(spec, outputs, sensors, self.heads, census, trust, faults, clock), slow=self._slow, retried=bus.publish
        )
        self._dome = self._mechanism("dome", "dome_motor", spec.travel.dome)
        self._trays = tuple(
            self._mechanism(f"tray.{n}", f"tray_motor.{n}", spec.travel.tray, f"slot_loaded.{n}") for n in SIDES
        )
        self.next_stacks = stacks
        self.lifting = False
        self.counted = False
        #: set by a press of a lift key
        self.key = asyncio.Event()
        #: open as soon as the set is ready, without a key
        self.reshuffle_wanted = False
        #: trays that have turned and still show stacks in their slot, once already
        self._not_emptied: set[int] = set()
        self.steps: Mapping[State, Callable[[], Coroutine[Any, Any, str]]] = {
            State.HOMING: self._home,
            State.SHUFFLING: self._shuffle,
            State.READY: self._wait_ready,
            State.OPENING: self._open,
            State.COLLECTING: self._collect,
            State.CLOSING: self._close,
            State.RAISING: self._raise_walls,
            State.PAUSING: self._open_paused,
            State.PAUSED: self._wait_paused,
            State.RESUMING: self._close_paused,
        }

    def _mechanism(self, name: str, motor: str, travel: Travel, witness: str | None = None) -> Mechanism:
        parts = (self._outputs, self._sensors, self._clock, self._upkeep, self._trust, self._slow)
        return Mechanism(name, motor, travel, *parts, witness)

    # --- homing

    async def _home(self) -> str:
        """Dome down, trays up; then what stands in the slots decides.

        The dome first: a tray never turns while it is up (their motors are interlocked)."""
        await self._dome.go("dome_down", "dome_up")
        for n in SIDES:
            home = f"tray_home.{n}"
            if home in self._trust and not self._sensors[home]:
                await self._trays[n].go(home)
        if self.lifting:
            return "homed_raising"
        if self.counted and not self.heads.contradicted():
            return "homed_full" if self.heads.full else "homed_empty"
        self.counted = False
        return self._found_in_slots()

    def _found_in_slots(self) -> str:
        """After a restart nothing is known but what the eyes of the slots see."""
        loaded = [n for n in SIDES if self._sensors[f"slot_loaded.{n}"]]
        full = [n for n in SIDES if self._sensors[f"slot_full.{n}"]]
        if len(full) == len(SIDES):
            return "homed_full"
        if not set(full) <= set(loaded) or any(f"slot_full.{n}" not in self._trust for n in loaded):
            sides = ", ".join(map(str, sorted({*full, *loaded})))
            raise MechanismFault(
                "slots_unknown", "machine", f"the slots of side {sides}: their eyes say full {full}, loaded {loaded}"
            )
        if loaded:
            self._begin(known=False)
            sides = ", ".join(map(str, loaded))
            self._faults.raise_fault(
                "shuffle_taken_up", "machine", f"rows of unknown length at side {sides} are built to their end"
            )
        return "homed_empty"

    # --- from one set to the next

    async def _shuffle(self) -> str:
        """Until every side has its pairs; both keys interrupt it."""
        if not self.counted:
            self._begin()
        return await self.shuffling.run()

    def _begin(self, known: bool = True) -> None:
        """A shuffle begins; or (not ``known``) one is taken up of which only the rows are left."""
        self.counted = True
        self.heads.stacks = self.next_stacks
        self._faults.recover("programme_changed", "machine")
        self.shuffling.begin()
        self._census.begin(whole=known)
        if known:
            self._faults.recover("shuffle_taken_up", "machine")
            self.heads.begin(self._clock.now())
        else:
            self.heads.begin_unknown(self._clock.now())

    async def _wait_ready(self) -> str:
        await self._outputs.set("ready_lamp", True)
        if not self.reshuffle_wanted:
            await self._pressed()
        self.reshuffle_wanted = False
        await self._outputs.set("ready_lamp", False)
        return "open"

    async def _open(self) -> str:
        await self._dome.go("dome_up", "dome_down")
        return "opened"

    async def _collect(self) -> str:
        self._report("collecting")
        await self._pressed()
        return "close"

    async def _close(self) -> str:
        await self._dome.go("dome_down", "dome_up")
        return "closed"

    async def _raise_walls(self) -> str:
        """All four together; after an interruption only those that still hold stacks below."""
        sides = [n for n in SIDES if not self.lifting or self._sensors[f"slot_loaded.{n}"]]
        self.lifting = True
        runs = [asyncio.create_task(self._trays[n].go(f"tray_home.{n}"), name=f"tray {n}") for n in sides]
        try:
            await asyncio.gather(*runs)
        finally:
            for run in runs:
                run.cancel()
            await asyncio.gather(*runs, return_exceptions=True)
        self._check_slots()
        self.lifting = False
        self.counted = False
        self._upkeep.cycle()
        self._bus.publish(UpkeepChanged(self._upkeep.as_json()))
        self._report("raised")
        return "raised"

    def _check_slots(self) -> None:
        """The trays must have taken everything out of the slots. Raises MechanismFault; where it says so again after a
        person looked, its eye is not believed."""
        for n in SIDES:
            slot = f"slot_loaded.{n}"
            if not self._sensors[slot] or slot not in self._trust:
                self._not_emptied.discard(n)
            elif n in self._not_emptied and self._trust.may_ignore(slot):
                self._trust.ignore(slot, "it still shows stacks after the tray turned twice")
            else:
                self._not_emptied.add(n)
                raise MechanismFault("stacks_left", f"tray.{n}", f"the tray is up, but {slot} still sees stacks")

    # --- 补牌: opened in the middle of a shuffle

    async def _open_paused(self) -> str:
        await self._dome.go("dome_up", "dome_down")
        return "paused"

    async def _wait_paused(self) -> str:
        await self._pressed()
        return "resume"

    async def _close_paused(self) -> str:
        await self._dome.go("dome_down", "dome_up")
        return "resumed"

    # --- what steps wait for, what others hear

    async def _pressed(self) -> None:
        """Wait for a press of a lift key; what was pressed before does not count."""
        self.key.clear()
        await self.key.wait()

    def _report(self, point: str) -> None:
        self._bus.publish(MachineReported(self._clock.now(), point))

    def _slow(self, where: str, why: str | None) -> None:
        """A warning that ends by itself when the next run is as fast as it should be."""
        if why is None:
            self._faults.recover("slow", where)
        else:
            self._faults.raise_fault("slow", where, why)
