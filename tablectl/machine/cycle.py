"""The table's cycle: two tile sets in turn, one played while the other is shuffled, stacked and waits in the slots.

Each state that moves something has one step here, a coroutine that reads like the procedure and returns the trigger
of what came out; `machine.states` says where that leads. Keys and commands only set what a step waits for.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tablectl.base.bus import Bus
from tablectl.base.clock import Clock
from tablectl.base.faults import DeviceError, FaultCleared, FaultLatch
from tablectl.base.reports import LanePassed, MachineReported
from tablectl.machine.description import SIDES, MachineSpec
from tablectl.machine.heads import Heads
from tablectl.machine.keys import LiftKeys
from tablectl.machine.mechanism import Mechanism, MechanismFault
from tablectl.machine.outputs import Outputs, Refused
from tablectl.machine.sensors import Sensors
from tablectl.machine.states import Cycle, State
from tablectl.ports import Input, Output


@dataclass(frozen=True, slots=True)
class SideProgress:
    """Tiles stacked at one side, of how many; what the eye and the lane's tag reader counted."""

    tiles: int
    target: int
    eye: int
    passages: int


@dataclass(frozen=True, slots=True)
class MachineStatus:
    """Published on the bus whenever something of it changes. ``cycles``: walls raised since the start."""

    t: float
    state: State
    ready: bool
    sides: tuple[SideProgress, ...]
    cycles: int
    #: learned travel times in seconds, by mechanism and stop
    learned: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class KeyIgnored:
    """Published when a lift key was pressed that does nothing now; ``why`` says what to do instead."""

    t: float
    why: str


class CommandRefused(Exception):
    """A command does not fit the present state; the message says why and what would."""


#: what turns while a set is stacked, besides the belts and heads of the sides that are not full
_DRUM: Final = ("disc_motor", "ring_motor")


class Machine:
    """The mechanics of one table. ``await start()`` once; then keys, commands and faults drive it until ``stop``.

    ``stacks``: stacks to build at each side, as the rules in force have it.
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
    ) -> None:
        self._spec = spec
        self._bus = bus
        self._faults = faults
        self._clock = clock
        self._sensors = Sensors({name: inputs[name] for name in spec.input_names()})
        self._outputs = Outputs(outputs, spec, self._sensors, self._raise_fault)
        self._heads = Heads(self._sensors, spec.shuffle, stacks, self._publish)
        self._dome = self._mechanism("dome", "dome_motor", spec.travel.dome)
        self._trays = tuple(self._mechanism(f"tray.{n}", f"tray_motor.{n}", spec.travel.tray) for n in SIDES)
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
        self._pause_wanted = False
        self._reshuffle_wanted = False
        #: a set is being lifted: after a stop, homing goes on with it
        self._lifting = False
        #: the counts of the heads belong to what stands in the slots
        self._counted = False
        self._cycles = 0
        self._unsubscribe = bus.subscribe(LanePassed, lambda passage: self._heads.passed(passage.lane, passage.t))
        self._keys = LiftKeys(
            self._sensors, spec.keys.both_seconds, lambda: self._press(self.lift), lambda: self._press(self._both)
        )
        faults.add_safe_off(self._on_fault)
        self._unsubscribe_faults = bus.subscribe(FaultCleared, lambda cleared: self._on_cleared())

    def _mechanism(self, name: str, motor: str, travel: Any) -> Mechanism:
        return Mechanism(name, motor, travel, self._outputs, self._sensors, self._clock, self._slow)

    # --- life

    async def start(self) -> None:
        """Everything off, levels read, then home and go on with what stands in the slots."""
        await self._sensors.start()
        await self._outputs.safe_off()
        self.resume()

    async def close(self) -> None:
        """Everything off; nothing of the machine runs any more."""
        self._unsubscribe()
        self._unsubscribe_faults()
        self._keys.close()
        await self._halt()
        await self._outputs.close()
        await self._sensors.stop()

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
        except MechanismFault as fault:
            self._raise_fault(fault.code, fault.where, str(fault))
        except Refused as refused:
            self._raise_fault("interlock", "machine", str(refused))
        except DeviceError as error:
            self._raise_fault("board_lost", error.device, str(error))

    # --- faults

    def _raise_fault(self, code: str, where: str, detail: str) -> None:
        self._faults.raise_fault(code, where, detail)

    def _on_fault(self) -> Awaitable[None]:
        """Everything off. Nothing moves again until a human has cleared the fault, and then asked for it (`resume`)."""
        if self.state is not State.FAULT:
            self._cycle.step("fail")
        return self._make_safe()

    async def _make_safe(self) -> None:
        await self._outputs.safe_off()
        await self._halt()

    def _on_cleared(self) -> None:
        if self.state is State.FAULT and not self._faults.stopped:
            self._cycle.step("clear")

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
        self._pause_wanted = True
        self._sensors.look()

    def resume(self) -> None:
        """After a pause: close and go on. From idle: home everything and go on with what stands in the slots.

        Raises:
            CommandRefused: nothing is paused, or a fault stands.
        """
        if self.state is State.PAUSED:
            self._key.set()
        elif self.state is State.IDLE:
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

    async def stop(self) -> None:
        """The reset switch (复位): everything off, idle. In a fault everything is off already."""
        if self.state in (State.IDLE, State.FAULT):
            return
        await self._outputs.safe_off()
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
            if not self._sensors[f"tray_home.{n}"]:
                await self._trays[n].go(f"tray_home.{n}")
        await self._dome.go("dome_down", "dome_up")
        loaded = [self._sensors[f"slot_loaded.{n}"] for n in SIDES]
        full = [self._sensors[f"slot_full.{n}"] for n in SIDES]
        if self._lifting:
            return "homed_raising"
        if self._counted:
            return "homed_full" if self._heads.full else "homed_empty"
        if all(full):
            return "homed_full"
        if any(loaded):
            sides = ", ".join(str(n) for n in SIDES if loaded[n])
            raise MechanismFault(
                "slots_unknown", "machine", f"stacks stand in the slots of side {sides}, how many is not known"
            )
        return "homed_empty"

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
        self._lifting = False
        self._counted = False
        self._cycles += 1
        self._report("raised")
        return "raised"

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
        """Disc, ring, belts and heads until every side has its pairs; both keys interrupt it."""
        limits = self._spec.shuffle
        begin = self._clock.now()
        if not self._counted:
            self._counted = True
            self._heads.begin(begin)
        self._heads.go_on(begin)
        self._pause_wanted = False
        sides = [side for side in self._heads.sides if not side.full]
        try:
            await self._outputs.set_all(_DRUM, True)
            for side in sides:
                await self._run_side(side.number, True)
            while not self._heads.full:
                wake = min(self._heads.quiet_at(), begin + limits.hard_seconds)
                await self._sensors.until(self._attention, wake - self._clock.now())
                if self._pause_wanted:
                    return "pause"
                await self._look_after(begin)
        finally:
            for side in sides:
                await self._run_side(side.number, False)
            await self._outputs.set_all(_DRUM, False)
        took = self._clock.now() - begin
        slow = f"{took:.0f} s, more than {limits.soft_seconds:g} s" if took > limits.soft_seconds else None
        self._slow("shuffle", slow)
        for where, detail in self._heads.disagreements():
            self._faults.raise_fault("count_mismatch", where, detail)
        return "filled"

    def _attention(self) -> bool:
        return self._heads.attention or self._pause_wanted

    async def _look_after(self, begin: float) -> None:
        """Stop what is full, rest disc and ring while all belts are full, and find out about silent sides."""
        self._heads.attention = False
        for side in self._heads.sides:
            if side.full and self._outputs.is_on(f"head_motor.{side.number}"):
                await self._run_side(side.number, False)
        if not self._heads.full:
            rest = self._heads.throttled
            if rest is not self._heads.resting:
                self._heads.resting = rest
                await self._outputs.set_all(_DRUM, not rest)
        now = self._clock.now()
        fault = self._heads.diagnose(now)
        if fault is not None:
            raise fault
        if now - begin >= self._spec.shuffle.hard_seconds and not self._heads.full:
            raise MechanismFault("shuffle_too_long", "machine", f"not all sides full after {now - begin:.0f} s")

    async def _run_side(self, side: int, on: bool) -> None:
        await self._outputs.set_all((f"belt_motor.{side}", f"head_motor.{side}"), on)

    # --- what others hear

    @property
    def state(self) -> State:
        return self._cycle.state

    @property
    def status(self) -> MachineStatus:
        mechanisms = {"dome": (self._dome, ("dome_up", "dome_down"))} | {
            tray.name: (tray, (f"tray_home.{n}",)) for n, tray in enumerate(self._trays)
        }
        return MachineStatus(
            t=self._clock.now(),
            state=self.state,
            ready=self.state is State.READY,
            sides=tuple(SideProgress(2 * s.pairs, 2 * s.target, s.eye, s.passages) for s in self._heads.sides),
            cycles=self._cycles,
            learned={
                f"{name}:{stop}": time
                for name, (mechanism, stops) in mechanisms.items()
                for stop in stops
                if (time := mechanism.learned(stop)) is not None
            },
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
