"""The core of one table: every part put together, and the one way events take.

Reports of devices go through tracker and game; the events are in the journal before anything shows them, then go to
bus, displays and link. What people do at the console takes the same way (`Core.apply`). There is no network here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import partial
from pathlib import Path
from random import SystemRandom
from typing import Any, Final

from tablectl.announce.announcer import Announcer
from tablectl.announce.texts import LANGUAGES, load_texts
from tablectl.base.bus import Bus
from tablectl.base.clock import Alarm, Clock
from tablectl.base.faults import DeviceError, Fault, FaultLatch
from tablectl.base.heartbeat import Heartbeat
from tablectl.base.keeper import RETRY_S, Keeper
from tablectl.base.reports import DiceRested, LanePassed, MachineReported, Report, ZoneRead
from tablectl.base.settings import Settings
from tablectl.base.tasks import beside
from tablectl.base.trace import TraceHeader
from tablectl.base.trace_log import TraceKeeper
from tablectl.core import register
from tablectl.core.backend import Backend
from tablectl.core.following import Following, each
from tablectl.core.memory import Memory
from tablectl.core.presenting import presenter
from tablectl.core.resume import (
    BEGUN,
    ENDED,
    LIFTING,
    ROUND,
    Unreadable,
    last_match,
    recall,
    still_lifting,
    walls_before,
)
from tablectl.core.seals import Seals
from tablectl.game import actions as act
from tablectl.game import events as ev
from tablectl.game.state import Phase
from tablectl.game.table import Table
from tablectl.machine.cycle import Machine
from tablectl.machine.description import load_machine
from tablectl.machine.states import State
from tablectl.machine.status import MachineStatus
from tablectl.machine.upkeep import UpkeepChanged
from tablectl.refusals import Refusal
from tablectl.rules.api import RuleSet
from tablectl.tracking.replay import Pipeline
from tablectl.tracking.tracker import Tracker

#: the fact under which the journal keeps the upkeep of the machine
UPKEEP: Final = "upkeep"


class Core:
    """One table, running. ``await run()`` until it is cancelled or `stop` is called."""

    def __init__(self, settings: Settings, rules: RuleSet, backend: Backend, clock: Clock) -> None:
        self.settings = settings
        self.rules = rules
        self.backend = backend
        self.clock = clock
        self.bus = Bus()
        self.faults = FaultLatch(self.bus, clock)
        self._alarm: Alarm | None = None
        self._journal_alarm: Alarm | None = None
        self.journal = self._keeper(settings.journal.path)
        self.memory = Memory(settings.link.socket.with_suffix(".memory") if backend.resumes else None)
        backend.watch(self.bus, self.faults)
        self.machine = Machine(
            load_machine(settings.machine / "machine.yaml"),
            backend.outputs,
            backend.inputs,
            rules.stacks,
            self.bus,
            self.faults,
            clock,
            sets={name: {tag: tile.code for tag, tile in tags.items()} for name, tags in backend.sets.items()},
            kept=self._kept_upkeep(),
            degraded=settings.degraded,
        )
        self.bus.subscribe(UpkeepChanged, self._keep_upkeep)
        #: told after events are journaled: (number of the last one, events)
        self.listeners: list[Callable[[int, Sequence[ev.Event]], None]] = []
        #: people at the table who hear what a referee at the console rules
        self.hearers: list[Callable[[act.Rule], object]] = []
        #: told of what a reader read at once
        self.readings: Callable[[Sequence[ZoneRead]], object] = lambda reads: None
        #: write down what devices report, before anybody acts on it
        self.recorders: list[Callable[[Report], object]] = []
        #: draws a seat by lot
        self.draw_seat: Callable[[], int] = partial(SystemRandom().randrange, 4)
        self.status: MachineStatus | None = None
        self.pipeline = self._pipeline()
        self._seals = Seals(backend.dice, self.pipeline.tracker.built, remember=self.memory.seal)
        #: the last run did not end in order: what the record does not know yet of what was reported then
        self.interrupted = backend.resumes and self._was_cut_off()
        self._unheard = self._recall()
        texts = {language: load_texts(language) for language in LANGUAGES}
        self.announcer = Announcer(self.table, texts[settings.language], quiet=settings.sound.quiet)
        self.presenter = presenter(self.announcer, texts, settings, backend, clock, self.faults)
        self._trace: TraceKeeper | None = None
        if settings.trace:
            kept = settings.traces
            size = round(kept.file_megabytes * 1e6)
            self._trace = TraceKeeper(kept.folder, self.trace_header, max_bytes=size, files=kept.files)
            self.recorders.append(self._trace.write)
        self.heartbeat = Heartbeat(clock)
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._ending = asyncio.Event()
        #: an exception in a callback of the loop, which no task could raise
        self._broken: Exception | None = None
        self._rolls: set[asyncio.Task[None]] = set()

    @property
    def table(self) -> Table:
        return self.pipeline.table

    # --- assembly

    def _pipeline(self) -> Pipeline:
        """Tracker and table; the table stands where the journal left it."""
        table = self._resumed_table()
        tracker = Tracker(
            table,
            self.backend.tags,
            first_left=self.settings.lanes.first == "left",
            lower_first=self.settings.lanes.lower_first,
            period_s=self.settings.zones.period_s,
        )
        return Pipeline(table, tracker)

    def _resumed_table(self) -> Table:
        """The match of the journal goes on if it is of these rules. A world that begins anew begins a match."""
        if self.backend.resumes:
            try:
                table = last_match(self.journal, self.rules)
            except Unreadable as error:
                self.faults.raise_fault("match_unreadable", "journal", str(error))
            else:
                if table is not None:
                    return table
        first_seq = self.journal.last + 1
        return Table(self.rules, names=self.settings.players, simulated=self.simulated, first_seq=first_seq)

    def _was_cut_off(self) -> bool:
        fact = self.journal.last_fact(BEGUN, ENDED)
        return fact is not None and fact.type == BEGUN

    def _recall(self) -> list[Report]:
        """Take up what is remembered; the reports that the record does not know of yet."""
        memory, table = self.memory, self.table
        if not walls_before(memory.reports, table.events):
            memory.forget_all()
        unheard = recall(memory.reports, table, self.pipeline.tracker)
        if table.playing is not None:
            self._seals.resume(table.playing.commitments.get("wall"), memory.salt)
        return unheard

    def _keep_upkeep(self, upkeep: UpkeepChanged) -> None:
        self.journal.note(UPKEEP, kept=upkeep.kept)

    def _kept_upkeep(self) -> Mapping[str, Any] | None:
        """What the machine told last of its counters and travel times."""
        fact = self.journal.last_fact(UPKEEP)
        return fact.data["kept"] if fact is not None else None

    # --- the disk

    def _keeper(self, path: Path) -> Keeper:
        keeper = Keeper(path, self.clock, self._journal_failing, self.backend.pausing)
        if keeper.damage is not None:
            self.faults.raise_fault("journal_damaged", "journal", keeper.damage)
        self.faults.add_obstacle(self._disk_fails)
        return keeper

    def _disk_fails(self, fault: Fault) -> Refusal | None:
        trouble = self.journal.trouble if fault.code == "J01" else None
        return None if trouble is None else Refusal("words", text=trouble)

    def _journal_failing(self, why: str | None) -> None:
        if why is None:
            self.faults.recover("journal_failing", "journal")
        else:
            self.faults.raise_fault("journal_failing", "journal", why)
            self._try_journal_later()

    def _try_journal_later(self) -> None:
        if self._journal_alarm is not None:
            self._journal_alarm.set(self.clock.now() + RETRY_S)

    def _write_again(self) -> None:
        if not self.journal.write():
            self._try_journal_later()

    def trace_header(self) -> TraceHeader:
        """The first line of a trace that begins now."""
        match = self.table.match
        return TraceHeader(
            rules=self.rules.id,
            tags={tag: tile.code for tag, tile in self.backend.tags.items()},
            options=dict(self.settings.rules.options),
            dealer=match.dealer,
            prevalent=match.prevalent.code,
            streak=match.streak,
            points=match.points,
            first_left=self.settings.lanes.first == "left",
            lower_first=self.settings.lanes.lower_first,
            period_s=self.settings.zones.period_s,
            wall_zones=self.settings.zones.walls,
        )

    # --- life

    async def run(self, ready: Callable[[], object] = lambda: None) -> None:
        """Work until `stop`; ``ready`` is called once all devices were tried. Whatever happens, the outputs are safe
        afterwards and the journal is closed."""
        self._alarm = Alarm(self._time_passed)
        self._journal_alarm = Alarm(self._write_again)
        self.bus.subscribe(MachineReported, self.report)
        self.bus.subscribe(MachineStatus, self._machine_status)
        unlisten = self.announcer.listen(self.bus, self.clock, self.faults)
        loop = asyncio.get_running_loop()
        otherwise = loop.get_exception_handler()
        loop.set_exception_handler(partial(self._unexpected, otherwise))
        try:
            await self.backend.open()
            await self._until_stopped(ready)
        finally:
            loop.set_exception_handler(otherwise)
            unlisten()
            await self.backend.close()
            if self._trace is not None:
                self._trace.close()
            self.journal.close()

    async def _until_stopped(self, ready: Callable[[], object]) -> None:
        assert self._alarm is not None
        following = Following(self.clock, self.faults, self.heartbeat)
        try:
            async with asyncio.TaskGroup() as group:
                for name, work in self._work(following):
                    self._tasks[name] = group.create_task(self._guarded(name, work), name=name)
                register.tell(self.backend.sets, self.rules.tile_set, self.faults)
                self.go_on()
                await self.machine.start(
                    waiting=self.interrupted, lifting=still_lifting(self.journal), stacked=self.memory.stacked
                )
                # a result that waits for its confirmation can still get it
                if (self.table.match.over is not None and not self.table.unconfirmed) or not self.table.events:
                    self.start_match(self.settings.players)
                await self.backend.start()
                group.create_task(_once_tried(following, ready), name="opening")
                await self._ending.wait()
                raise self._broken or _Ended
        except* _Ended:
            self.journal.note(ENDED)
        finally:
            await self.backend.stop()
            try:
                await self.machine.close()
            except* DeviceError as failed:
                self.faults.raise_fault("safe_off_failed", "machine", "; ".join(map(str, failed.exceptions)))
            self._alarm.off()
            if self._journal_alarm is not None:
                self._journal_alarm.off()
            self.memory.close()
            for roll in self._rolls:
                roll.cancel()
            await asyncio.gather(*self._rolls, return_exceptions=True)

    def go_on(self) -> None:
        """Say that the table was interrupted if it was, and take in what was reported last."""
        if self.interrupted:
            self.faults.raise_fault("interrupted", "table", self._where())
        if self.journal.trouble is not None:
            self._try_journal_later()
        self.memory.begin()
        self.journal.note(BEGUN)
        unheard, self._unheard = self._unheard, []
        for report in unheard:
            self._happened(self.pipeline.feed(report))

    def _where(self) -> str:
        """Where play goes on, for a person."""
        hand = self.table.playing
        if hand is None:
            return f"between two hands; hand {self.table.match.hand} is next"
        if hand.phase is Phase.DICE and hand.dice_pressed:
            return f"hand {hand.number}: if the dice lie already, enter what they show (match.dice); else throw again"
        return f"hand {hand.number}, {len(hand.discards)} discards, seat {hand.turn} in turn"

    def stop(self) -> None:
        """End `run`."""
        self._ending.set()

    def silent(self) -> list[str]:
        """Which devices' tasks do not work any more, in words; [] = all do."""
        return [f"{name} ended" for name, task in self._tasks.items() if task.done()] + self.heartbeat.silent()

    @property
    def simulated(self) -> bool:
        return self.backend.name == "simulated"

    def _work(self, following: Following) -> list[tuple[str, Coroutine[Any, Any, None]]]:
        backend = self.backend
        return [
            *((reader.name, following.reader(reader, self._batch)) for reader in backend.readers),
            *((lane.name, following.lane(lane, self._passed)) for lane in backend.lanes),
            ("keys", each(backend.keys, self.report)),
            ("referee", each(backend.referee, self.report)),
            ("presenter", self.presenter.run()),
        ]

    async def _guarded(self, name: str, work: Coroutine[Any, Any, None]) -> None:
        """An unexpected exception is a fault: outputs go safe before the program ends."""
        try:
            await work
        except Exception as error:
            self.faults.raise_fault("exception", name, f"{type(error).__name__}: {error}")
            raise

    def _unexpected(
        self,
        otherwise: Callable[[asyncio.AbstractEventLoop, dict[str, Any]], object] | None,
        loop: asyncio.AbstractEventLoop,
        context: dict[str, Any],
    ) -> None:
        """An exception in a timer or in what a device calls ends the program like one in a task: asyncio would only
        log it, and whatever that callback was for would never happen again."""
        error = context.get("exception")
        if "handle" not in context or not isinstance(error, Exception):
            (otherwise or asyncio.AbstractEventLoop.default_exception_handler)(loop, context)
            return
        loop.default_exception_handler(context)
        self._broken = self._broken or error
        self.faults.raise_fault("exception", "core", f"{type(error).__name__}: {error}")
        self._ending.set()

    # --- in

    def _batch(self, reads: Sequence[ZoneRead]) -> None:
        self.readings(reads)
        for record in self.recorders:
            for read in reads:
                record(read)
        for events in self.pipeline.read(reads):
            self._happened(events)
        self._set_alarm()

    def _passed(self, passage: LanePassed) -> None:
        self.bus.publish(passage)
        self.report(passage)

    def report(self, report: Report) -> None:
        """What a device said."""
        for record in self.recorders:
            record(report)
        self.memory.take(report)
        self._happened(self.pipeline.feed(report))
        self._set_alarm()

    def apply(self, action: act.Action) -> list[ev.Event]:
        """What a person did at the console; the events it brought about."""
        events = self.pipeline.apply(action)
        self._happened(events)
        self._set_alarm()
        return events

    def start_match(self, names: tuple[str, str, str, str]) -> list[ev.Event]:
        """Begin a match of these players; the table draws who deals first where the rules want that (tianjin T201)."""
        drawn = self.draw_seat() if self.rules.play.first_dealer == "random" else None
        return self.apply(act.StartMatch(t=self.clock.now(), names=names, simulated=self.simulated, dealer=drawn))

    def rule(self, ruling: act.Rule) -> list[ev.Event]:
        """A referee's ruling at the console: journaled, then heard at the table; the events it brought about."""
        events = self.apply(ruling)
        for hear in self.hearers:
            hear(ruling)
        return events

    def _time_passed(self) -> None:
        self._happened(self.pipeline.advance(self.clock.now()))
        self._set_alarm()

    def _set_alarm(self) -> None:
        deadline = self.pipeline.next_deadline()
        if self._alarm is None:
            return
        if deadline is None:
            self._alarm.off()
        else:
            self._alarm.set(deadline)

    def _machine_status(self, status: MachineStatus) -> None:
        before, self.status = self.status, status
        if status.state is State.RAISING and (before is None or before.state is not State.RAISING):
            self.journal.note(LIFTING, after=self.journal.last)
        if status.state is State.SHUFFLING:
            self.memory.stack([side.tiles for side in status.sides])
        if self.interrupted and status.state is not State.IDLE:  # a person has asked for it
            self.interrupted = False
            self.faults.recover("interrupted", "table")
        sides = [(side.tiles, side.target) for side in status.sides]
        self.announcer.machine(status.state.value, sides, self.clock.now())

    # --- out

    def _happened(self, events: list[ev.Event]) -> None:
        """Journal first, then everybody else."""
        if not events:
            return
        self.journal.append([ev.to_json(event) for event in events])
        for event in events:
            self.bus.publish(event)
            if isinstance(event, ev.MatchStarted):
                self.journal.note(ROUND, begun=self.table.state.first_seq)
            if isinstance(event, ev.ClaimCalled) and event.claim == "dice":
                roll = beside(self._roll(), "dice")
                self._rolls.add(roll)
                roll.add_done_callback(self._rolls.discard)
        for listener in self.listeners:
            listener(self.table.last_seq, events)
        for event in events:
            for action in self._seals.follow(event, self.clock.now()):
                self._happened(self.pipeline.apply(action))

    async def _roll(self) -> None:
        try:
            dice = await self.backend.dice.roll()
        except DeviceError as error:
            self.faults.raise_fault("dice_stuck", "dice", str(error))
        else:
            self.report(DiceRested(self.clock.now(), dice))


async def _once_tried(following: Following, ready: Callable[[], object]) -> None:
    await following.tried()
    ready()


class _Ended(Exception):
    """`Core.stop` was called."""


def shipped(*parts: str) -> Path:
    """A file that comes with the program (`config`, `hardware`)."""
    return Path(__file__).resolve().parents[1].joinpath(*parts)
