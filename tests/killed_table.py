"""A table whose program is killed again and again while four people play on: the world survives, the core does not.

A kill is abrupt: nothing of the old core runs any more, and the next one gets the files as they lay on the disk at that
moment (copied, so that nothing the old one does on its way out reaches them).
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Literal

from dark import pressed_again

from tablectl.app import Core
from tablectl.base.clock import LoopClock, cpu_seconds
from tablectl.base.journal import PAGE_BYTES
from tablectl.base.reports import DiceRested, KeyPressed
from tablectl.base.settings import Settings, load
from tablectl.core.backends import simulated
from tablectl.core.memory import Memory
from tablectl.core.site import CHECKS
from tablectl.game import actions as act
from tablectl.game import events as ev
from tablectl.game.opening import stakes_due
from tablectl.game.record import differences, records
from tablectl.game.state import Phase
from tablectl.machine.states import State
from tablectl.rules.api import RuleSet
from tablectl.rules.registry import load as load_rules
from tablectl.sim.backend import SimTable

ROOT = Path(__file__).parents[1]

#: where in the writing of an event the program is killed: nothing is on disk; it is on disk and nobody has seen it; it
#: was shown
Moment = Literal["before", "after", "shown"]
#: ``crash``: the program is started again at once, memory stays; ``power``: memory is gone, the table stays dark for a
#: while and people wait for it
Kind = Literal["crash", "power"]

#: seconds until the next program runs
DOWN_S = {"crash": 2.6, "power": 35.0}
#: seconds between two looks at whether the table knows again where the tiles lie
LOOKS_S = 0.05
#: seconds after which somebody reads the display and presses the lift key
LOOK_S = 6.0


class Killed(BaseException):
    """The program ends here."""


class Survivor:
    """The simulated table as devices that were there before the program and stay when it ends."""

    resumes = True

    def __init__(self, sim: SimTable) -> None:
        self._sim = sim
        self._playing = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sim, name)

    async def start(self) -> None:
        if not self._playing:
            self._playing = True
            await self._sim.start()

    async def stop(self) -> None:
        """The people stay."""

    async def close(self) -> None:
        """So do the devices."""


@dataclass
class Outcome:
    """What came of a match: counted, and what was wrong."""

    kills: int = 0
    starts: int = 0
    lost: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    questions: int = 0
    faults: list[str] = field(default_factory=list)
    moved: list[str] = field(default_factory=list)
    hands: int = 0
    #: of every start after a kill: seconds of processor until the core stood where it had stood, and seconds of the
    #: table's clock until the antennas had said where every tile lies
    ready_s: list[float] = field(default_factory=list)
    looked_s: list[float] = field(default_factory=list)


class KilledTable:
    """Play ``hands`` hands; ``when(n)`` says whether (and where) the program is killed in the n-th write of events."""

    def __init__(
        self,
        folder: Path,
        *,
        rules: str = "competition",
        seed: int = 1,
        hands: int = 1,
        noise: str = "clean",
        kind: Kind = "crash",
        when: Callable[[int], Moment | None] = lambda n: None,
        timers: Iterator[float] | None = None,
        torn: bool = False,
    ) -> None:
        self.folder = folder
        self.kind = kind
        self.when = when
        #: the kill comes in the middle of writing a page: half of it is in the journal's log
        self.torn = Random(seed) if torn else None
        self.timers = timers or iter(())
        self.clock = LoopClock()
        self.rules: RuleSet = load_rules(rules)
        self.settings = self._settings(seed, hands, noise)
        self.sim = simulated(self.settings, self.rules, seed, self.clock)
        self.backend = Survivor(self.sim)
        self.outcome = Outcome()
        #: everything that anybody outside the program has seen, by number
        self.shown: dict[int, dict[str, Any]] = {}
        self._writes = 0
        self._life = 0
        self._lit = asyncio.Event()
        self._lit.set()
        self._wait_in_the_dark()

    def _settings(self, seed: int, hands: int, noise: str) -> Settings:
        settings = load(ROOT / "config" / "sim.yaml", CHECKS)
        sim = settings.sim.model_copy(update={"seed": seed, "hands": hands, "noise": noise})
        return settings.model_copy(update={"sim": sim, "displays": settings.displays[:1]})

    def _wait_in_the_dark(self) -> None:
        """People finish their movement and wait while the table is dark."""
        for person in self.sim.players._scene.people:
            spend = person.spend

            async def patient(what: str, times: float = 1.0, spend: Any = spend) -> None:
                await spend(what, times)
                await self._lit.wait()

            person.spend = patient  # type: ignore[method-assign]

    # --- a match

    async def play(self) -> Outcome:
        loop = asyncio.get_running_loop()
        handler = loop.get_exception_handler()
        loop.set_exception_handler(partial(_unless_killed, handler))
        core = self._start()
        while await self._live(core):
            await self._die()
            core = self._start()
        self.outcome.wrong += self._compare(core)
        loop.set_exception_handler(handler)
        return self.outcome

    def _start(self) -> Core:
        """A new program on the files as they are."""
        here = self.folder / str(self._life)
        here.mkdir(parents=True, exist_ok=True)
        link = self.settings.link.model_copy(update={"socket": here / "link.sock"})
        journal = self.settings.journal.model_copy(update={"path": here / "journal.sqlite"})
        begun = cpu_seconds()
        core = Core(
            self.settings.model_copy(update={"link": link, "journal": journal}), self.rules, self.backend, self.clock
        )
        self.outcome.starts += 1
        if self.outcome.kills:
            self.outcome.ready_s.append(cpu_seconds() - begun)
        stored = {entry.seq: entry.data for entry in core.journal.read()}
        for seq, event in self.shown.items():
            if stored.get(seq) != event:
                self.outcome.lost.append(
                    f"start {self.outcome.starts}: event {seq} {event['type']} was shown and is gone"
                )
        core.hearers.append(self.sim.players.rule)
        core.draw_seat = partial(Random(f"{self.settings.sim.seed}/first dealer").randrange, 4)
        self.sim.players.drawn_dealer = lambda: core.table.match.dealer
        self._watch_writes(core)
        return core

    def _show(self, dead: asyncio.Event, last: int, events: Any) -> None:
        if dead.is_set():
            return
        for seq, event in enumerate(events, last - len(events) + 1):
            self.shown[seq] = ev.to_json(event)
            self.outcome.questions += isinstance(event, ev.Alerted) and (
                event.code == "moved_while_off" or "Enter it" in event.detail
            )
        self._kill_if("shown")

    def _watch_writes(self, core: Core) -> None:
        """What a killed core still does on its way out reaches nothing."""
        journal, append, note = core.journal, core.journal.append, core.journal.note
        self._moment: Moment | None = None
        dead = self._dead = asyncio.Event()

        def watched(events: Any) -> int:
            if dead.is_set():
                return 0
            self._writes += 1
            self._moment = self.when(self._writes)
            self._kill_if("before")
            first = append(events)
            self._kill_if("after")
            return first

        journal.append = watched  # type: ignore[method-assign]
        journal.note = lambda *args, **data: 0 if dead.is_set() else note(*args, **data)  # type: ignore[method-assign]
        core.listeners.append(partial(self._show, dead))
        self._core = core

    def _kill_if(self, moment: Moment) -> None:
        if self._moment == moment:
            self.kill()
            raise Killed

    def kill(self) -> None:
        """The files stay as they are now; nothing reaches them any more."""
        core, here, there = self._core, self.folder / str(self._life), self.folder / str(self._life + 1)
        there.mkdir(parents=True)
        for name in ("journal.sqlite", "journal.sqlite-wal"):
            if (here / name).exists():
                shutil.copy(here / name, there)
        if self.torn is not None and (there / "journal.sqlite-wal").exists():
            tear(there / "journal.sqlite-wal", self.torn)
        if self.kind == "crash" and (here / "link.memory").exists():
            shutil.copy(here / "link.memory", there)
        core.memory.close()
        core.memory = Memory(None)
        self._dead.set()
        self.outcome.kills += 1
        self._life += 1

    async def _live(self, core: Core) -> bool:
        """Until the people are done (False) or the program is killed (True)."""
        running = asyncio.ensure_future(core.run())
        waits = [
            asyncio.ensure_future(self._dead.wait()),
            asyncio.ensure_future(self._finished()),
            asyncio.ensure_future(self._on_time()),
        ]
        reader = asyncio.ensure_future(self._read_the_display(core))
        done, _ = await asyncio.wait([running, *waits], return_when=asyncio.FIRST_COMPLETED)
        killed = self._dead.is_set()
        if not killed and running in done:
            await running  # whatever it raises
        if not killed:
            core.stop()
            await running
        left = [task for task in asyncio.all_tasks() if killed and task.get_name().startswith("input ")]
        waits += left
        for task in (running, reader, *waits):
            task.cancel()
        for task in (running, reader, *waits):
            with contextlib.suppress(asyncio.CancelledError, Killed, BaseExceptionGroup):
                await task
        return killed

    async def _finished(self) -> None:
        await self.sim.finished.wait()
        await self.clock.sleep(20.0)

    async def _on_time(self) -> None:
        """A kill at any moment, whatever the program does just then."""
        wait = next(self.timers, None)
        if wait is None:
            await asyncio.Event().wait()
        await self.clock.sleep(wait or 0.0)
        self.kill()

    async def _die(self) -> None:
        """Outputs drop, readers fall silent; after a while the program is started again."""
        for output in self.sim.outputs.values():
            await output.set(False)
        if self.kind == "power":
            self._lit.clear()
        await self.clock.sleep(DOWN_S[self.kind])
        on = [name for name, output in self.sim.outputs.items() if output.on]
        if on:
            self.outcome.moved.append(f"{on} on while nobody drives them")
        self._lit.set()

    async def _read_the_display(self, core: Core) -> None:
        """A person does what the display says: press the lift key; empty slots whose count is not known."""
        begun, tracker = self.clock.now(), core.pipeline.tracker
        while tracker.looking:
            await self.clock.sleep(LOOKS_S)
        if self.outcome.kills and core.table.playing is not None:
            self.outcome.looked_s.append(self.clock.now() - begun)
        while True:
            on_table = len(self.sim.world.on_table())
            await self.clock.sleep(LOOK_S)
            if self.sim.world.opening_free and len(self.sim.world.on_table()) != on_table:
                continue  # hands are in the opening
            for fault in core.faults.active:
                if fault.code not in self.outcome.faults:
                    self.outcome.faults.append(fault.code)
            await self._enter_dice(core)
            self._choose_again(core)
            self._enter_indicator(core)
            for repeated in pressed_again(core.table, self.sim.players.truth, self.clock.now()):
                core.report(repeated)
            if core.machine.state is State.FAULT:
                for fault in [fault for fault in core.faults.active if fault.code == "C04"]:
                    for side in range(4):
                        for tag in self.sim.world.tags(f"slot.{side}"):
                            self.sim.world.load(tag)
                        self.sim.heads[side].slot_changed()
                    core.faults.clear(fault.code, "player", fault.where)
            if core.machine.state is State.IDLE:
                await self.sim.press_lift()

    async def _enter_dice(self, core: Core) -> None:
        """The table asks for dice that people have seen already: a person enters them."""
        hand, seen = core.table.playing, self.sim.players.truth.playing
        if hand is not None and seen is not None and hand.phase is Phase.DICE and len(seen.throws) > len(hand.throws):
            core.report(DiceRested(self.clock.now(), seen.throws[len(hand.throws)]))

    def _choose_again(self, core: Core) -> None:
        """The table asks for a stake that was chosen in the dark: the key is pressed once more (T203, T204)."""
        hand, seen = core.table.playing, self.sim.players.truth.playing
        chosen: Any = seen.stakes if seen is not None else {}
        for seat in stakes_due(hand) if hand is not None else ():
            key, own = ("sit", "sit") if seat == hand.dealer else ("pull", seat)  # type: ignore[union-attr]
            found = chosen if key == "sit" else chosen.get("pull", {})
            if own in found:
                core.report(KeyPressed(self.clock.now(), key, seat, int(found[own])))

    def _enter_indicator(self, core: Core) -> None:
        """The table asks for the indicator: a person enters the tile that lies there."""
        hand, seen = core.table.playing, self.sim.players.truth.playing
        asked = any("Enter it" in alert.alert.detail for alert in hand.alerts) if hand is not None else False
        if asked and hand is not None and hand.indicator is None and seen is not None and seen.indicator:
            core.apply(act.TurnIndicator(t=self.clock.now(), tile=seen.indicator, seat=hand.dealer))

    def _compare(self, core: Core) -> list[str]:
        """The record against what really happened."""
        tracked, truth = records(core.table.events, core.table.state.first_seq), self.sim.truth
        self.outcome.hands = len(truth)
        dark = self.kind == "power"  # the limit ran then
        skip = {"moved_while_off", "wall_mismatch", *(["over_time"] if dark else [])}
        wrong = [] if len(tracked) == len(truth) else [f"{len(tracked)} hands in the record, {len(truth)} were played"]
        for number, (record, true) in enumerate(zip(tracked, truth, strict=False), 1):
            wrong += [f"hand {number}: {line}" for line in differences(_without(record, skip), _without(true, skip))]
        if core.table.match.points != self.sim.players.truth.match.points:
            wrong.append(f"scores {core.table.match.points}, should be {self.sim.players.truth.match.points}")
        return wrong


#: bytes of SQLite's log before its first frame, and of a frame before its page
_LOG_BYTES, _FRAME_BYTES = 32, 24


def tear(log: Path, rng: Random) -> None:
    """Put a part of a page, and nonsense, behind the last frame that counts (https://sqlite.org/walformat.html)."""
    data = bytearray(log.read_bytes())
    salt, at = data[16:24], _LOG_BYTES
    while data[at + 8 : at + 16] == salt and len(salt) == 8:
        at += _FRAME_BYTES + PAGE_BYTES
    frame = data[at - _FRAME_BYTES - PAGE_BYTES : at] if at > _LOG_BYTES else b""
    half = bytes(frame[: rng.randrange(len(frame) + 1)]) + rng.randbytes(rng.randrange(600))
    data[at : at + len(half)] = half
    log.write_bytes(data)


def _unless_killed(handler: Any, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """A kill in a timer of the loop is no mistake."""
    if not isinstance(context.get("exception"), Killed):
        (handler or asyncio.AbstractEventLoop.default_exception_handler)(loop, context)


def _without(record: list[dict[str, Any]], alerts: set[str]) -> list[dict[str, Any]]:
    return [event for event in record if event.get("code") not in alerts]
