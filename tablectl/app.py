"""The core of one table: every part put together, and the one way events take.

Reports of devices go through tracker and game; the events are in the journal before anything shows them, then go to
bus, displays and link. What people do at the console takes the same way (`Core.apply`). There is no network here.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterable, AsyncIterator, Callable, Coroutine, Mapping, Sequence
from functools import partial
from pathlib import Path
from random import SystemRandom
from typing import Any, Final, Protocol, TypeVar

from tablectl.announce.announcer import Announcer
from tablectl.announce.fonts import Fonts
from tablectl.announce.texts import load_texts
from tablectl.announce.worker import Presenter
from tablectl.base.bus import Bus
from tablectl.base.clock import Alarm, Clock
from tablectl.base.faults import DeviceError, FaultLatch
from tablectl.base.journal import Journal
from tablectl.base.reports import DiceRested, KeyPressed, LanePassed, MachineReported, RefereeActed, Report
from tablectl.base.settings import Settings
from tablectl.base.trace import TraceHeader
from tablectl.base.trace_log import TraceLog
from tablectl.game import actions as act
from tablectl.game import events as ev
from tablectl.game.table import Table
from tablectl.machine.cycle import Machine, MachineStatus
from tablectl.machine.description import load_machine
from tablectl.ports import Device, Dice, Display, Input, Lane, Output, Sound, TileReader
from tablectl.rules.api import RuleSet
from tablectl.seals import Seals
from tablectl.tiles.tile import Tile
from tablectl.tracking.replay import Pipeline
from tablectl.tracking.tracker import Tracker

LANGUAGES: Final = ("zh", "en")
#: seconds until a reader that was lost is tried again: the first time, and at most
RETRY_SECONDS: Final = (1.0, 30.0)

Item = TypeVar("Item")


class Backend(Protocol):
    """The devices of a table. ``name``: ``simulated`` or ``hardware``; ``tags``: every enrolled tag and its tile;
    ``referee``: a console that is a device of its own (that of the simulated referee)."""

    @property
    def name(self) -> str: ...
    @property
    def tags(self) -> Mapping[str, Tile]: ...
    @property
    def readers(self) -> Sequence[TileReader]: ...
    @property
    def lanes(self) -> Sequence[Lane]: ...
    @property
    def outputs(self) -> Mapping[str, Output]: ...
    @property
    def inputs(self) -> Mapping[str, Input]: ...
    @property
    def dice(self) -> Dice: ...
    @property
    def keys(self) -> AsyncIterable[KeyPressed]: ...
    @property
    def referee(self) -> AsyncIterable[RefereeActed]: ...
    @property
    def displays(self) -> Mapping[str, Display]: ...
    @property
    def sound(self) -> Sound: ...

    def watch(self, bus: Bus, faults: FaultLatch) -> None:
        """Tell ``faults`` what goes wrong with the devices by themselves: boards, supply, emergency stop."""

    async def open(self) -> None:
        """Open outputs, at their safe values, and inputs. Raises DeviceError with everything that does not work."""

    async def close(self) -> None:
        """Outputs safe, everything let go."""

    async def start(self) -> None: ...

    async def stop(self) -> None: ...


class Core:
    """One table, running. ``await run()`` until it is cancelled or `stop` is called."""

    def __init__(self, settings: Settings, rules: RuleSet, backend: Backend, clock: Clock) -> None:
        self.settings = settings
        self.rules = rules
        self.backend = backend
        self.clock = clock
        self.bus = Bus()
        self.faults = FaultLatch(self.bus, clock)
        self.journal = Journal(settings.journal.path, clock)
        backend.watch(self.bus, self.faults)
        self.machine = Machine(
            load_machine(settings.machine / "machine.yaml"),
            backend.outputs,
            backend.inputs,
            rules.stacks,
            self.bus,
            self.faults,
            clock,
        )
        #: told after events are journaled: (number of the last one, events)
        self.listeners: list[Callable[[int, Sequence[ev.Event]], None]] = []
        #: people at the table who hear what a referee at the console rules
        self.hearers: list[Callable[[act.Rule], object]] = []
        #: draws a seat by lot
        self.draw_seat: Callable[[], int] = partial(SystemRandom().randrange, 4)
        self.status: MachineStatus | None = None
        self.pipeline = self._pipeline()
        self._seals = Seals(backend.dice, self.pipeline.tracker.built)
        self.announcer = self._announcer()
        self.presenter = self._presenter()
        self._trace = self._trace_log() if settings.trace else None
        self._alarm: Alarm | None = None
        self._ending = asyncio.Event()
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
        """The match of the journal goes on if it is of these rules and not over; a simulated world always begins anew,
        for its tiles are where they were only while it runs."""
        names = self.settings.players
        last = self.journal.last
        if not self.simulated:
            begun = list(self.journal.read(type=ev.MatchStarted.type))
            if begun and begun[-1].data["rules"] == self.rules.id:
                entries = self.journal.read(since=begun[-1].seq - 1)
                events = (ev.from_json(entry.data) for entry in entries)
                return Table.replay(self.rules, events, first_seq=begun[-1].seq)
        return Table(self.rules, names=names, simulated=self.backend.name == "simulated", first_seq=last + 1)

    def _announcer(self) -> Announcer:
        return Announcer(self.table, load_texts(self.settings.language))

    def _presenter(self) -> Presenter:
        texts = {language: load_texts(language) for language in LANGUAGES}
        presenter = Presenter(self.announcer, texts, Fonts(), self.clock, self._display_reported)
        for section in self.settings.displays:
            display = self.backend.displays[section.name]
            presenter.add_display(display, section.language or self.settings.language, seat=section.seat)
        presenter.add_sound(self.backend.sound, self.settings.language)
        return presenter

    def _display_reported(self, device: Device, error: Exception | None) -> None:
        cause = "sound_lost" if hasattr(device, "say") else "display_lost"
        if error is None:
            self.faults.recover(cause, device.name)
        else:
            self.faults.raise_fault(cause, device.name, str(error))

    def _trace_log(self) -> TraceLog:
        traces = self.settings.traces
        return TraceLog(
            traces.folder, self.trace_header, max_bytes=round(traces.file_megabytes * 1e6), files=traces.files
        )

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

    async def run(self) -> None:
        """Work until `stop`. Whatever happens, the outputs are safe afterwards and the journal is closed."""
        self._alarm = Alarm(self._time_passed)
        self.bus.subscribe(MachineReported, self.report)
        self.bus.subscribe(MachineStatus, self._machine_status)
        unlisten = self.announcer.listen(self.bus, self.clock, self.faults)
        try:
            await self.backend.open()
            await self._until_stopped()
        finally:
            unlisten()
            await self.backend.close()
            if self._trace is not None:
                self._trace.close()
            self.journal.close()

    async def _until_stopped(self) -> None:
        assert self._alarm is not None
        try:
            async with asyncio.TaskGroup() as group:
                for name, work in self._work():
                    group.create_task(self._guarded(name, work), name=name)
                await self.machine.start()
                if self.table.match.over is not None or not self.table.events:
                    self.start_match(self.settings.players)
                await self.backend.start()
                await self._ending.wait()
                raise _Ended
        except* _Ended:
            pass
        finally:
            await self.backend.stop()
            try:
                await self.machine.close()
            except* DeviceError as failed:
                self.faults.raise_fault("safe_off_failed", "machine", "; ".join(map(str, failed.exceptions)))
            self._alarm.off()
            for roll in self._rolls:
                roll.cancel()
            await asyncio.gather(*self._rolls, return_exceptions=True)

    def stop(self) -> None:
        """End `run`."""
        self._ending.set()

    @property
    def simulated(self) -> bool:
        return self.backend.name == "simulated"

    def _work(self) -> list[tuple[str, Coroutine[Any, Any, None]]]:
        backend = self.backend
        return [
            *((reader.name, self._follow(reader, reader.inventories, self._batch)) for reader in backend.readers),
            *((lane.name, self._follow(lane, lane.passages, self._passed)) for lane in backend.lanes),
            ("keys", _each(backend.keys, self.report)),
            ("referee", _each(backend.referee, self.report)),
            ("presenter", self.presenter.run()),
        ]

    async def _guarded(self, name: str, work: Coroutine[Any, Any, None]) -> None:
        """An unexpected exception is a fault: outputs go safe before the program ends."""
        try:
            await work
        except Exception as error:
            self.faults.raise_fault("exception", name, f"{type(error).__name__}: {error}")
            raise

    async def _follow(
        self, device: Device, source: Callable[[], AsyncIterator[Item]], take: Callable[[Item], None]
    ) -> None:
        """Give what ``device`` says to ``take``. A lost reader is a fault that ends by itself when it is back."""
        wait = RETRY_SECONDS[0]
        where = device.name if device in self.backend.lanes else f"reader.{device.name}"
        while True:
            try:
                await device.open()
                self.faults.recover("reader_lost", where)
                wait = RETRY_SECONDS[0]
                async for item in source():
                    take(item)
                return
            except DeviceError as error:
                self.faults.raise_fault("reader_lost", where, str(error))
            finally:
                with contextlib.suppress(DeviceError):
                    await device.close()
            await self.clock.sleep(wait)
            wait = min(2 * wait, RETRY_SECONDS[1])

    # --- in

    def _batch(self, reads: Sequence[Report]) -> None:
        for read in reads:
            self._take(read)
        self._set_alarm()

    def _passed(self, passage: LanePassed) -> None:
        self.bus.publish(passage)
        self.report(passage)

    def report(self, report: Report) -> None:
        """What a device said."""
        self._take(report)
        self._set_alarm()

    def _take(self, report: Report) -> None:
        if self._trace is not None:
            self._trace.write(report)
        self._happened(self.pipeline.feed(report))

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
        self.status = status
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
            if isinstance(event, ev.ClaimCalled) and event.claim == "dice":
                roll = asyncio.get_running_loop().create_task(self._roll(), name="dice")
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


class _Ended(Exception):
    """`Core.stop` was called."""


async def _each(source: AsyncIterable[Item], take: Callable[[Item], None]) -> None:
    async for item in source:
        take(item)


def shipped(*parts: str) -> Path:
    """A file that comes with the program (`config`, `hardware`)."""
    return Path(__file__).resolve().parents[1].joinpath(*parts)
