"""A process that is killed with SIGKILL while it takes in what a table reports, and the next one that goes on.

The reports are those of a match that was recorded; the process is a fork with the whole core but its loop. It tells by
a pipe what it showed and how far it came: everything that comes out of the pipe was seen by somebody.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import select
import signal
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from killed_table import ROOT, Survivor

from tablectl.app import Core
from tablectl.base.clock import HandClock
from tablectl.base.journal import Journal
from tablectl.base.reports import DiceRested, KeyPressed, LanePassed, RefereeActed, Report, ZoneRead
from tablectl.base.settings import load
from tablectl.base.trace import parse_report
from tablectl.core.backends import simulated
from tablectl.core.simulation import play
from tablectl.core.site import CHECKS, Site
from tablectl.game import events as ev
from tablectl.game.record import differences, records
from tablectl.game.state import Phase
from tablectl.rules.registry import load as load_rules

#: seconds of readings that nobody takes in between a kill and the next start
DOWN_S = 2.6
#: seconds of the real clock in which about 50 reports are taken in
MOMENT_S = 0.02
#: reports around a press within which a kill falls: three seconds
CLOSE = 150
#: seconds for which the tiles lie there after the hand: longer than a start takes to look and to wait
AFTER_S = 20.0
#: what a record has too much where a tile was on its way when the table stood still, and no play explains that
QUESTION = "alert too many: moved_while_off, seat None"


@dataclass
class Recorded:
    """A match: what was reported, and the record of it without any interruption."""

    rules: str
    reports: list[Report]
    records: list[list[dict[str, Any]]]
    seed: int = 1


@lru_cache
def record(rules: str = "competition", seed: int = 1, hands: int = 1) -> Recorded:
    """Play ``hands`` hands; what was reported, and what a process that nobody kills makes of it."""
    settings = load(ROOT / "config" / "sim.yaml", CHECKS)
    settings = settings.model_copy(update={"rules": settings.rules.model_copy(update={"id": rules, "options": {}})})
    with tempfile.TemporaryDirectory(prefix="tablectl-kill-") as folder:
        trace = Path(folder) / "match.trace.jsonl"
        play(Site(settings, load_rules(rules)), seed, hands=hands, trace=trace)
        reports = [parse_report(line) for line in trace.read_text(encoding="utf-8").splitlines()[1:]]
        reports += list(_lying_on(reports))
        whole = Killed(Recorded(rules, reports, [], seed), Path(folder) / "whole")
        whole.run()
        return Recorded(rules, reports, whole.record(), seed)


def _lying_on(reports: Sequence[Report]) -> Iterator[Report]:
    """The hand is over and nobody clears the table: the last reads of all zones again and again."""
    last = sorted({report.zone: report for report in reports if isinstance(report, ZoneRead)}.values())
    round_s = last[-1].t - last[0].t
    for number in range(1, int(AFTER_S / round_s) + 1):
        yield from (read._replace(t=read.t + number * (round_s + 0.01)) for read in last)


@dataclass
class Killed:
    """One match in ``folder`` through processes that are killed. ``lost``: shown, and not in the journal then;
    ``questions``: how often a person was asked what was moved meanwhile."""

    recorded: Recorded
    folder: Path
    kills: int = 0
    lost: list[str] = field(default_factory=list)
    shown: dict[int, str] = field(default_factory=dict)
    begin: int = 0
    questions: int = 0

    def match(self, rng: random.Random, every: int) -> list[str]:
        """Kill at any moment, after about ``every`` lines from the pipe, until the match is through; how its record
        differs."""
        while self.run(rng.randint(1, 2 * every), rng.uniform(0, MOMENT_S)):
            self.kills += 1
            self._check()
        return self.wrong()

    def around_calls(self, rng: random.Random) -> list[str]:
        """Kill around three presses of keys, once or twice each, then play to the end; how its record differs."""
        presses = [n for n, report in enumerate(self.recorded.reports) if isinstance(report, KeyPressed)]
        for press in sorted(rng.sample(presses, min(len(presses), 3))):
            for _ in range(rng.randint(1, 2)):
                at = press + rng.randint(-CLOSE, CLOSE)
                if self.begin <= at < len(self.recorded.reports):
                    self.killed_at(at)
        self.run()
        return self.wrong()

    def killed_at(self, report: int) -> None:
        """Kill once the report with this number is taken in."""
        self.kills += self.run(at=report)
        self._check()

    def wrong(self) -> list[str]:
        """How the record differs, now that the match is through."""
        self._check()
        ours = self.record()
        wrong = [] if len(ours) == len(self.recorded.records) else [f"{len(ours)} hands in the record"]
        for number, (got, true) in enumerate(zip(ours, self.recorded.records, strict=False), 1):
            lines = differences(got, true)
            self.questions += lines.count(QUESTION)
            wrong += [f"hand {number}: {line}" for line in lines if line != QUESTION]
            if got[-1].get("scores") != true[-1].get("scores"):
                wrong.append(f"scores {got[-1].get('scores')}, should be {true[-1].get('scores')}")
        return wrong

    def run(self, kill_after: int | None = None, moment_s: float = 0.0, at: int | None = None) -> bool:
        """One process; whether it was killed before it was through: ``moment_s`` after that line, whatever it does, or
        when it has taken in the report with the number ``at``."""
        self.folder.mkdir(parents=True, exist_ok=True)
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(reading)
            _live(self.recorded, self.folder, self.begin, writing, at)
        os.close(writing)
        done, lines = -1, 0
        with os.fdopen(reading, encoding="utf-8") as pipe:
            for line in pipe:
                if not line.endswith("\n"):
                    break
                done = self._take(json.loads(line), done)
                lines += 1
                if lines == kill_after or done == at:
                    select.select([], [], [], moment_s)
                    os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        if not os.WIFSIGNALED(status):
            assert status == 0, f"the process ended with {status}"
            return False
        self._next(done)
        return True

    def _take(self, told: dict[str, Any], done: int) -> int:
        if "event" in told:
            self.shown[told["seq"]] = json.dumps(told["event"], sort_keys=True)
        return int(told.get("done", done))

    def _next(self, done: int) -> None:
        """Readings of a while are missed; what people and machine did meanwhile they do again, or tell anew."""
        self.begin = max(self.begin, done + 1)

    def _check(self) -> None:
        with Journal(self.folder / "journal.sqlite", HandClock(), read_only=True) as journal:
            assert journal.verify() == []
            stored = {entry.seq: json.dumps(entry.data, sort_keys=True) for entry in journal.read()}
        self.lost += [f"event {seq}: {event}" for seq, event in self.shown.items() if stored.get(seq) != event]

    def record(self) -> list[list[dict[str, Any]]]:
        with Journal(self.folder / "journal.sqlite", HandClock(), read_only=True) as journal:
            begun = journal.latest("start_game") or 1
            return records([ev.from_json(entry.data) for entry in journal.read(since=begun - 1)], begun)


def _live(recorded: Recorded, folder: Path, begin: int, pipe: int, at: int | None) -> None:
    """The process: from the report with number ``begin`` on, at ``at`` it stands still. Never returns."""
    try:
        asyncio.run(_core(recorded, folder, begin, pipe, at))
        os._exit(0)
    except BaseException:
        import traceback

        traceback.print_exc()
        os._exit(1)


async def _core(recorded: Recorded, folder: Path, begin: int, pipe: int, at: int | None) -> None:
    settings = load(ROOT / "config" / "sim.yaml", CHECKS)
    journal = settings.journal.model_copy(update={"path": folder / "journal.sqlite"})
    link = settings.link.model_copy(update={"socket": folder / "link.sock"})
    settings = settings.model_copy(update={"journal": journal, "link": link, "displays": []})
    rules, clock = load_rules(recorded.rules), HandClock()
    core = Core(settings, rules, Survivor(simulated(settings, rules, 1, clock)), clock)
    core.draw_seat = partial(random.Random(f"{recorded.seed}/first dealer").randrange, 4)

    def tell(**what: Any) -> None:
        os.write(pipe, (json.dumps(what, ensure_ascii=False) + "\n").encode())

    def show(last: int, events: Sequence[ev.Event]) -> None:
        for seq, event in enumerate(events, last - len(events) + 1):
            tell(seq=seq, event=ev.to_json(event))

    core.listeners.append(show)
    again = begin > 0
    missed_until = recorded.reports[begin].t + DOWN_S if again and begin < len(recorded.reports) else 0.0
    if not core.table.events:
        core.start_match(settings.players)
    core.go_on()
    known = set(filter(_once, core.memory.reports))
    rolled = [report for report in recorded.reports[:begin] if isinstance(report, DiceRested)]
    unheard = rolled[_throws(core) :]  # before the table knew that it was time: a person enters them
    for number, report in enumerate(recorded.reports[begin:], begin):
        missed = isinstance(report, ZoneRead) and report.t < missed_until
        if not missed and not (_once(report) and report in known):
            _pass_time(core, clock, report.t)
            throws = _throws(core) if isinstance(report, DiceRested) else 0
            core.report(report)
            if isinstance(report, DiceRested) and _throws(core) == throws:
                unheard.append(report)
            elif unheard and core.table.hand is not None and core.table.hand.phase is Phase.DICE:
                core.report(replace(unheard.pop(0), t=clock.now()))
        tell(done=number)
        if number == at:
            signal.pause()
    for _ in range(40):  # what is still weighed
        _pass_time(core, clock, clock.now() + 0.5)
    for repeated in _asked_for(core, clock.now()):
        core.report(repeated)
    for roll in core._rolls:
        roll.cancel()
    core.journal.close()


def _asked_for(core: Core, t: float) -> list[Report]:
    """The table still waits for an agreement to a win that was given in the dark, and says so: it is given again."""
    hand = core.table.playing
    if hand is None or hand.phase is not Phase.DECLARED:
        return []
    if core.rules.play.referee_confirms:
        return [RefereeActed(t, {"do": "confirm", "by": "referee"})]
    winners = {win.actor for win in hand.declared}
    return [KeyPressed(t, "pass", seat) for seat in range(4) if seat not in hand.passed | winners]


def _throws(core: Core) -> int:
    return sum(isinstance(event, ev.DiceThrown | ev.DealerThrown) for event in core.table.events)


def _once(report: Report) -> bool:
    """Said once: what people or machine said already they do not say again."""
    return not isinstance(report, (ZoneRead, LanePassed)) and report.__hash__ is not None and _hashable(report)


def _hashable(report: Report) -> bool:
    with contextlib.suppress(TypeError):
        hash(report)
        return True
    return False


def _pass_time(core: Core, clock: HandClock, t: float) -> None:
    last = None
    while (deadline := core.pipeline.next_deadline()) is not None and deadline <= t and deadline != last:
        clock.set(max(clock.now(), deadline))
        core._time_passed()
        last = deadline
    clock.set(max(clock.now(), t))
