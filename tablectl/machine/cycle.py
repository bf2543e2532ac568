"""The table's cycle: two tile sets in turn, one played while the other is shuffled, stacked and waits in the slots.

Each state that moves something has one step here, a coroutine that reads like the procedure and returns the trigger
of what came out; `machine.states` says where that leads. Keys and commands only set what a step waits for.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tablectl.base.bus import Bus
from tablectl.base.clock import Clock
from tablectl.base.faults import DeviceError, Fault, FaultCleared, FaultLatch
from tablectl.base.reports import LanePassed, MachineReported
from tablectl.machine import trust, upkeep
from tablectl.machine.census import Census
from tablectl.machine.description import SIDES, MachineFileError, MachineSpec, Stacks
from tablectl.machine.heads import Heads
from tablectl.machine.keys import LiftKeys
from tablectl.machine.mechanism import Mechanism, MechanismFault
from tablectl.machine.outputs import Frozen, Outputs, Refused
from tablectl.machine.sensors import Sensors
from tablectl.machine.shuffling import Shuffling
from tablectl.machine.states import Cycle, State
from tablectl.machine.trust import Trust
from tablectl.machine.upkeep import Task, Upkeep, UpkeepChanged
from tablectl.ports import Input, Output

log = logging.getLogger(__name__)

#: after these a person has put tiles right: what passed before says nothing any more
_SORTED: Final = frozenset({"sets_mixed@drum", "foreign_tile@machine"})


@dataclass(frozen=True, slots=True)
class SideProgress:
    """Tiles stacked at one side, of how many; what the eye and the lane's tag reader counted."""

    tiles: int
    target: int
    eye: int
    passages: int


@dataclass(frozen=True, slots=True)
class MachineStatus:
    """Published on the bus whenever something of it changes. ``cycles``: walls raised in the table's life."""

    t: float
    state: State
    ready: bool
    sides: tuple[SideProgress, ...]
    cycles: int
    #: tiles of a set as it is stacked now, and from the next shuffle on
    programme: int
    next_programme: int
    #: sensors that are not believed: the table goes on by time and by the other counts
    degraded: tuple[str, ...]
    #: learned travel times in seconds, by mechanism and stop
    learned: Mapping[str, float]
    maintenance: tuple[Task, ...]


@dataclass(frozen=True, slots=True)
class KeyIgnored:
    """Published when a lift key was pressed that does nothing now; ``why`` says what to do instead."""

    t: float
    why: str


class CommandRefused(Exception):
    """A command does not fit the present state; the message says why and what would."""


class Machine:
    """The mechanics of one table. ``await start()`` once; then keys, commands and faults drive it until ``stop``.

    Args:
        stacks: stacks to build at each side, as the rules in force have it.
        sets: the tile sets as enrolled, by name: tag to the tile in the notation. None: tiles are only counted.
        kept: what `upkeep.UpkeepChanged` told last before the program ended.
        degraded: it may go on without a sensor that another one or a learned time can stand in for.

    Raises:
        MachineFileError: walls of so many stacks cannot be built here.
    """

    def __init__(
        self,
        spec: MachineSpec,
        outputs: Mapping[str, Output],
        inputs: Mapping[str, Input],
        stacks: Sequence[int],
        bus: Bus,
        faults: FaultLatch,
        clock: Clock,
        *,
        sets: Mapping[str, Mapping[str, str]] | None = None,
        kept: Mapping[str, Any] | None = None,
        degraded: bool = True,
    ) -> None:
        if wrong := spec.fits(stacks):
            raise MachineFileError(f"{spec.model}: {wrong}")
        self._spec = spec
        self._bus = bus
        self._faults = faults
        self._clock = clock
        self._sensors = Sensors({name: inputs[name] for name in spec.input_names()})
        self._upkeep = Upkeep(spec, faults, kept)
        self._outputs = Outputs(outputs, spec, self._sensors, self._raise_fault, self._upkeep.ran)
        self._trust = Trust(faults, _vital(spec), degraded, self._publish)
        self._census = Census(sets or {})
        self._next_stacks: Stacks = (stacks[0], stacks[1], stacks[2], stacks[3])
        self._heads = Heads(self._sensors, spec.shuffle, self._trust, self._next_stacks, self._publish)
        self._shuffling = Shuffling(
            *(spec, self._outputs, self._sensors, self._heads, self._census, self._trust, faults, clock),
            slow=self._slow,
            retried=bus.publish,
        )
        self._dome = self._mechanism("dome", "dome_motor", spec.travel.dome)
        self._trays = tuple(
            self._mechanism(f"tray.{n}", f"tray_motor.{n}", spec.travel.tray, f"slot_loaded.{n}") for n in SIDES
        )
        self._cycle = Cycle(self._publish)
        self._steps: Mapping[State, Callable[[], Coroutine[Any, Any, str]]] = {
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
        self._work: asyncio.Task[None] | None = None
        self._key = asyncio.Event()
        self._reshuffle_wanted = False
        #: a set is being lifted: after a stop, homing goes on with it
        self._lifting = False
        #: the counts of the heads belong to what stands in the slots
        self._counted = False
        #: trays that have turned and still show stacks in their slot, once already
        self._not_emptied: set[int] = set()
        self._unsubscribe = bus.subscribe(LanePassed, self._passed)
        self._keys = LiftKeys(
            self._sensors,
            spec.keys,
            lambda: self._press(self.lift),
            lambda: self._press(self._both),
            self._key_stuck,
        )
        faults.add_safe_off(self._on_fault)
        self._unsubscribe_faults = bus.subscribe(FaultCleared, self._on_cleared)

    def _mechanism(self, name: str, motor: str, travel: Any, witness: str | None = None) -> Mechanism:
        parts = (self._outputs, self._sensors, self._clock, self._upkeep, self._trust, self._slow)
        return Mechanism(name, motor, travel, *parts, witness)

    def _passed(self, passage: LanePassed) -> None:
        if self._counted:  # what a reader says between two shuffles is no tile of a row
            self._heads.passed(passage.lane, passage.t)
            self._census.passed(passage.lane, passage.tag)

    # --- life

    async def start(
        self, *, waiting: bool = False, lifting: bool = False, stacked: Sequence[int] | None = None
    ) -> None:
        """Everything off, levels read, then home and go on with what stands in the slots.

        ``waiting``: nothing moves until a person asks for it (a lift key, `resume`): the program did not end in order.
        ``lifting``: it ended while walls were raised. ``stacked``: the tiles it had stacked at each side, if that is
        known; the slots' eyes must not contradict it.
        """
        await self._sensors.start()
        await self._all_off()
        self._lifting = lifting
        if stacked is not None and all(bool(stacked[n]) is self._sensors[f"slot_loaded.{n}"] for n in SIDES):
            self._heads.adopt(stacked)
            self._census.begin(whole=False)
            self._counted = any(stacked)
        self._keys.start()
        self._upkeep.check()
        if self._faults.stopped:
            if self.state is not State.FAULT:  # the emergency stop was pressed before
                self._cycle.step("fail")
        elif not waiting:
            self.resume()

    async def close(self) -> None:
        """Everything off; nothing of the machine runs any more. Raises an ExceptionGroup of outputs that failed."""
        self._unsubscribe()
        self._unsubscribe_faults()
        self._keys.close()
        await self._halt()
        try:
            await self._outputs.close()
        finally:
            await self._sensors.stop()
            self._keep()

    async def _all_off(self) -> None:
        """Every output to its safe value; one that cannot be reached is a fault."""
        try:
            await self._outputs.safe_off()
        except* DeviceError as failed:
            for error in failed.exceptions:
                self._raise_fault("board_lost", getattr(error, "device", "machine"), str(error))

    async def _halt(self) -> None:
        work, self._work = self._work, None
        if work is not None and work is not asyncio.current_task():
            work.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await work

    async def _run(self) -> None:
        try:
            while self.state in self._steps:
                trigger = await self._steps[self.state]()
                self._cycle.step(trigger)
        except Frozen:
            return
        except MechanismFault as fault:
            self._raise_fault(fault.code, fault.where, str(fault))
        except Refused as refused:
            self._raise_fault("interlock", "machine", str(refused))
        except DeviceError as error:
            self._raise_fault("board_lost", error.device, str(error))
        except Exception as error:
            log.exception("the machine's task failed")
            self._raise_fault("exception", "machine", f"{type(error).__name__}: {error}")

    # --- faults

    def _raise_fault(self, code: str, where: str, detail: str) -> None:
        self._faults.raise_fault(code, where, detail)

    def _on_fault(self) -> Awaitable[None]:
        """Everything off. Nothing moves again until a human has cleared the fault, and then asked for it (`resume`)."""
        self._outputs.frozen = True
        if self.state is not State.FAULT:
            self._cycle.step("fail")
        return self._make_safe()

    async def _make_safe(self) -> None:
        await self._outputs.safe_off()
        await self._halt()

    def _on_cleared(self, cleared: FaultCleared) -> None:
        fault = cleared.fault
        if cleared.by:
            self._mended(fault)
        if self.state is State.FAULT and not self._faults.stopped:
            self._cycle.step("clear")

    def _mended(self, fault: Fault) -> None:
        """A person cleared a fault."""
        if trust.CAUSE in fault.kind.raised_as:
            self._trust.cleared(fault.where)
        elif not _SORTED.isdisjoint(fault.kind.raised_as):
            self._census.begin(whole=False)
        elif upkeep.CAUSE in fault.kind.raised_as:
            self._upkeep.done(fault.where.removeprefix("upkeep."))
            self._keep()

    def _keep(self) -> None:
        self._bus.publish(UpkeepChanged(self._upkeep.as_json()))

    def _key_stuck(self, name: str, stuck: bool) -> None:
        if stuck:
            self._raise_fault("key_stuck", name, f"held for {self._spec.keys.stuck_seconds:g} s; it does not count")
        else:
            self._faults.recover("key_stuck", name)

    # --- commands and keys

    def lift(self) -> None:
        """What one press of a lift key does: open, close, or close and go on after a pause.

        Raises:
            CommandRefused: no set is ready, or something moves.
        """
        if self.state in (State.READY, State.COLLECTING, State.PAUSED):
            self._key.set()
        elif self.state is State.IDLE:
            self.resume()
        else:
            raise CommandRefused(f"the lift key does nothing while the table is {self.state.value}; {self._advice()}")

    def pause(self) -> None:
        """Both lift keys (补牌): stop the shuffle and raise the dome. Raises CommandRefused where none runs."""
        if self.state is not State.SHUFFLING:
            raise CommandRefused(f"there is no shuffle to pause: the table is {self.state.value}")
        self._shuffling.pause_wanted = True
        self._sensors.look()

    def resume(self) -> None:
        """After a pause: close and go on. From idle: home everything and go on with what stands in the slots.

        Raises:
            CommandRefused: nothing is paused, or a fault stands.
        """
        if self.state is State.PAUSED:
            self._key.set()
        elif self.state is State.IDLE:
            self._outputs.frozen = False
            self._cycle.step("start")
            self._work = asyncio.create_task(self._run(), name="machine")
        else:
            raise CommandRefused(f"nothing is paused: the table is {self.state.value}; {self._advice()}")

    def shuffle(self) -> None:
        """Shuffle anew what is on the table: open as soon as the waiting set is ready. Raises CommandRefused."""
        if self.state in (State.SHUFFLING, State.PAUSED):
            self._reshuffle_wanted = True
        else:
            self.lift()

    def programme(self, tiles: int) -> None:
        """挡位: stack sets of so many tiles from the next shuffle on; what stands in the slots or is being stacked
        stays as it is.

        Raises:
            CommandRefused: the table has no such programme.
        """
        if tiles not in self._spec.programmes:
            known = ", ".join(map(str, sorted(self._spec.programmes)))
            raise CommandRefused(f"{self._spec.model} has no programme for {tiles} tiles; it has {known}")
        self._next_stacks = self._spec.programmes[tiles]
        if self._next_stacks == self._heads.stacks:
            self._faults.recover("programme_changed", "machine")
        elif self._counted:
            now = 2 * sum(self._heads.stacks)
            self._raise_fault("programme_changed", "machine", f"{now} tiles now, {tiles} from the next shuffle on")
        self._publish()

    async def stop(self) -> None:
        """The reset switch (复位): everything off, idle. In a fault everything is off already."""
        if self.state in (State.IDLE, State.FAULT):
            return
        self._outputs.frozen = True
        await self._all_off()
        if not self._faults.stopped:
            await self._halt()
            self._cycle.step("stop")

    def _advice(self) -> str:
        if self.state is State.FAULT:
            return "clear the fault first"
        if self.state is State.SHUFFLING:
            return "press both lift keys to open in the middle of a shuffle, or wait for the ready lamp"
        return "wait until it stands still"

    def _both(self) -> None:
        """Both lift keys: pause a shuffle; at other times as one of them."""
        if self.state is State.SHUFFLING:
            self.pause()
        else:
            self.lift()

    def _press(self, command: Callable[[], None]) -> None:
        try:
            command()
        except CommandRefused as refused:
            self._bus.publish(KeyIgnored(self._clock.now(), str(refused)))

    # --- the steps

    async def _home(self) -> str:
        """Trays up, dome down; then what stands in the slots decides."""
        for n in SIDES:
            home = f"tray_home.{n}"
            if home in self._trust and not self._sensors[home]:
                await self._trays[n].go(home)
        await self._dome.go("dome_down", "dome_up")
        if self._lifting:
            return "homed_raising"
        if self._counted and not self._heads.contradicted():
            return "homed_full" if self._heads.full else "homed_empty"
        self._counted = False
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
            self._raise_fault(
                "shuffle_taken_up", "machine", f"rows of unknown length at side {sides} are built to their end"
            )
        return "homed_empty"

    def _begin(self, known: bool = True) -> None:
        """A shuffle begins; or (not ``known``) one is taken up of which only the rows are left."""
        self._counted = True
        self._heads.stacks = self._next_stacks
        self._faults.recover("programme_changed", "machine")
        self._shuffling.begin()
        self._census.begin(whole=known)
        if known:
            self._faults.recover("shuffle_taken_up", "machine")
            self._heads.begin(self._clock.now())
        else:
            self._heads.begin_unknown(self._clock.now())

    async def _wait_ready(self) -> str:
        await self._outputs.set("ready_lamp", True)
        if not self._reshuffle_wanted:
            await self._pressed()
        self._reshuffle_wanted = False
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
        sides = [n for n in SIDES if not self._lifting or self._sensors[f"slot_loaded.{n}"]]
        self._lifting = True
        runs = [asyncio.create_task(self._trays[n].go(f"tray_home.{n}"), name=f"tray {n}") for n in sides]
        try:
            await asyncio.gather(*runs)
        finally:
            for run in runs:
                run.cancel()
            await asyncio.gather(*runs, return_exceptions=True)
        self._check_slots()
        self._lifting = False
        self._counted = False
        self._upkeep.cycle()
        self._keep()
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

    async def _open_paused(self) -> str:
        await self._dome.go("dome_up", "dome_down")
        return "paused"

    async def _wait_paused(self) -> str:
        await self._pressed()
        return "resume"

    async def _close_paused(self) -> str:
        await self._dome.go("dome_down", "dome_up")
        return "resumed"

    async def _pressed(self) -> None:
        """Wait for a press of a lift key; what was pressed before does not count."""
        self._key.clear()
        await self._key.wait()

    async def _shuffle(self) -> str:
        """Until every side has its pairs; both keys interrupt it."""
        if not self._counted:
            self._begin()
        return await self._shuffling.run()

    # --- what others hear

    @property
    def state(self) -> State:
        return self._cycle.state

    @property
    def status(self) -> MachineStatus:
        return MachineStatus(
            t=self._clock.now(),
            state=self.state,
            ready=self.state is State.READY,
            sides=tuple(SideProgress(2 * s.pairs, 2 * s.target, s.eye, s.passages) for s in self._heads.sides),
            cycles=self._upkeep.cycles,
            programme=2 * sum(self._heads.stacks),
            next_programme=2 * sum(self._next_stacks),
            degraded=self._trust.ignored,
            learned=self._upkeep.all_learned,
            maintenance=tuple(self._upkeep.tasks),
        )

    def _publish(self) -> None:
        self._bus.publish(self.status)

    def _report(self, point: str) -> None:
        self._bus.publish(MachineReported(self._clock.now(), point))

    def _slow(self, where: str, why: str | None) -> None:
        """A warning that ends by itself when the next run is as fast as it should be."""
        if why is None:
            self._faults.recover("slow", where)
        else:
            self._faults.raise_fault("slow", where, why)


def _vital(spec: MachineSpec) -> set[str]:
    """The inputs that an interlock hangs on."""
    groups = {lock.input for output in spec.outputs.values() for lock in output.interlocks}
    return {name for name in spec.input_names() if name in groups or name.partition(".")[0] in groups}
