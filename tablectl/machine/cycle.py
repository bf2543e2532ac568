"""The table's cycle: two tile sets in turn, one played while the other is shuffled, stacked and waits in the slots.

`Machine` goes from state to state (`machine.states`), runs the step of each (`machine.procedure`), takes keys and
commands, and stops everything when a fault stands.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final

from tablectl.base.bus import Bus
from tablectl.base.clock import Clock
from tablectl.base.faults import DeviceError, Fault, FaultCleared, FaultLatch
from tablectl.base.reports import LanePassed
from tablectl.machine import trust, upkeep
from tablectl.machine.census import Census
from tablectl.machine.description import MachineFileError, MachineSpec
from tablectl.machine.keys import LiftKeys
from tablectl.machine.mechanism import MechanismFault
from tablectl.machine.outputs import Frozen, Outputs, Refused
from tablectl.machine.procedure import Procedure
from tablectl.machine.sensors import Sensors
from tablectl.machine.states import Cycle, State
from tablectl.machine.status import COMMANDS, CommandRefused, KeyIgnored, MachineStatus, SideProgress
from tablectl.machine.trust import Trust
from tablectl.machine.upkeep import Upkeep, UpkeepChanged
from tablectl.ports import Input, Output
from tablectl.refusals import Refusal

log = logging.getLogger(__name__)

#: after these a person has put tiles right: what passed before says nothing any more
_SORTED: Final = frozenset({"sets_mixed@drum", "foreign_tile@machine"})


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
        self._outputs = Outputs(outputs, spec, self._sensors, faults.raise_fault, self._upkeep.ran)
        self._trust = Trust(faults, spec.vital_inputs(), degraded, self._publish)
        self._census = Census(sets or {})
        self._procedure = Procedure(
            *(spec, self._outputs, self._sensors, self._upkeep, self._trust, bus, faults, clock, self._census),
            (stacks[0], stacks[1], stacks[2], stacks[3]),
            self._publish,
        )
        self._heads = self._procedure.heads
        self._cycle = Cycle(self._publish)
        self._work: asyncio.Task[None] | None = None
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

    def _passed(self, passage: LanePassed) -> None:
        if self._procedure.counted:  # what a reader says between two shuffles is no tile of a row
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
        self._procedure.lifting = lifting
        if stacked is not None and self._heads.fits(stacked):
            self._heads.adopt(stacked)
            self._census.begin(whole=False)
            self._procedure.counted = any(stacked)
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
        self._outputs.frozen = True
        work = self._halt()
        try:
            await self._outputs.close()  # all at once: the step that ends switches off one after another
        finally:
            await _ended(work)
            await self._sensors.stop()
            self._keep()

    async def _all_off(self) -> None:
        """Every output to its safe value; one that cannot be reached is a fault."""
        try:
            await self._outputs.safe_off()
        except* DeviceError as failed:
            for error in failed.exceptions:
                self._faults.raise_fault("board_lost", getattr(error, "device", "machine"), str(error))

    def _halt(self) -> asyncio.Task[None] | None:
        """End the step that goes on; its task, None where it is this one or none."""
        work, self._work = self._work, None
        if work is None or work is asyncio.current_task():
            return None
        work.cancel()
        return work

    async def _run(self) -> None:
        await self._faults.settled()  # what is still being switched off would switch off what is begun here
        steps = self._procedure.steps
        try:
            while self.state in steps:
                trigger = await steps[self.state]()
                self._cycle.step(trigger)
        except Frozen:
            return
        except MechanismFault as fault:
            self._faults.raise_fault(fault.code, fault.where, str(fault))
        except Refused as refused:
            self._faults.raise_fault("interlock", "machine", str(refused))
        except DeviceError as error:
            self._faults.raise_fault("board_lost", error.device, str(error))
        except Exception as error:
            log.exception("the machine's task failed")
            self._faults.raise_fault("exception", "machine", f"{type(error).__name__}: {error}")

    # --- faults

    def _on_fault(self) -> Awaitable[None]:
        """Everything off. Nothing moves again until a human has cleared the fault, and then asked for it (`resume`)."""
        self._outputs.frozen = True
        if self.state is not State.FAULT:
            self._cycle.step("fail")
        return self._make_safe(self._halt())

    async def _make_safe(self, work: asyncio.Task[None] | None) -> None:
        """Whatever cannot be switched off, the step that went on has ended afterwards."""
        try:
            await self._outputs.safe_off()
        finally:
            await _ended(work)

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
            self._faults.raise_fault(
                "key_stuck", name, f"held for {self._spec.keys.stuck_seconds:g} s; it does not count"
            )
        else:
            self._faults.recover("key_stuck", name)

    # --- commands and keys

    def lift(self) -> None:
        """What one press of a lift key does: open, close, or close and go on after a pause.

        Raises:
            CommandRefused: no set is ready, or something moves.
        """
        if self.state not in COMMANDS["lift"]:
            raise self._refused("lift_does_nothing", advice=self._advice())
        if self.state is State.IDLE:
            self.resume()
        else:
            self._procedure.key.set()

    def pause(self) -> None:
        """Both lift keys (补牌): stop the shuffle and raise the dome. Raises CommandRefused where none runs."""
        if self.state not in COMMANDS["pause"]:
            raise self._refused("no_shuffle_to_pause")
        self._procedure.shuffling.pause_wanted = True
        self._sensors.look()

    def resume(self) -> None:
        """After a pause: close and go on. From idle: home everything and go on with what stands in the slots.

        Raises:
            CommandRefused: nothing is paused, or a fault stands.
        """
        if self.state not in COMMANDS["resume"]:
            raise self._refused("nothing_paused", advice=self._advice())
        if self.state is State.PAUSED:
            self._procedure.key.set()
        else:
            self._outputs.frozen = False
            self._cycle.step("start")
            self._work = asyncio.create_task(self._run(), name="machine")

    def shuffle(self) -> None:
        """Shuffle anew what is on the table: open as soon as the waiting set is ready. Raises CommandRefused."""
        if self.state in (State.SHUFFLING, State.PAUSED):
            self._procedure.reshuffle_wanted = True
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
            raise CommandRefused(Refusal("no_programme", model=self._spec.model, tiles=tiles, known=known))
        self._procedure.next_stacks = self._spec.programmes[tiles]
        if self._procedure.next_stacks == self._heads.stacks:
            self._faults.recover("programme_changed", "machine")
        elif self._procedure.counted:
            now = 2 * sum(self._heads.stacks)
            self._faults.raise_fault(
                "programme_changed", "machine", f"{now} tiles now, {tiles} from the next shuffle on"
            )
        self._publish()

    async def stop(self) -> None:
        """The reset switch (复位): everything off, idle. In a fault everything is off already."""
        if self.state not in COMMANDS["stop"]:
            return
        self._outputs.frozen = True
        await self._all_off()
        await _ended(self._halt())
        if self.state not in (State.IDLE, State.FAULT):  # unless a fault or a second press came before
            self._cycle.step("stop")

    def _refused(self, key: str, **values: Refusal) -> CommandRefused:
        return CommandRefused(Refusal(key, state=Refusal(f"state.{self.state.value}"), **values))

    def _advice(self) -> Refusal:
        if self.state is State.FAULT:
            return Refusal("clear_first")
        return Refusal("open_with_both" if self.state is State.SHUFFLING else "wait_until_still")

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
            next_programme=2 * sum(self._procedure.next_stacks),
            degraded=self._trust.ignored,
            learned=self._upkeep.all_learned,
            maintenance=tuple(self._upkeep.tasks),
            programmes=tuple(sorted(self._spec.programmes)),
        )

    def _publish(self) -> None:
        self._bus.publish(self.status)


async def _ended(work: asyncio.Task[None] | None) -> None:
    """Wait for a task that was cancelled; how it ended was told there."""
    if work is not None:
        await asyncio.wait([work])
