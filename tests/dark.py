"""Tracker and table dropped at any moment of a recorded match, and set up again from the record: no machine, no disk.

Like `killed_table`, at a hundredth of its price, for what the readings before and after say. People play on while
nobody looks; keys that they press in the dark they press again when it is over.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from tablectl.base.reports import KeyPressed, LanePassed, RefereeActed, Report, ZoneRead
from tablectl.core.resume import recall
from tablectl.game import actions as act
from tablectl.game import events as ev
from tablectl.game.record import differences, records
from tablectl.game.state import Phase
from tablectl.game.table import Table
from tablectl.sim.observed import ObservedTable
from tablectl.tracking.replay import Pipeline
from tablectl.tracking.tracker import Tracker

#: seconds of readings that nobody takes in between a kill and the next start
DOWN_S = 2.6
#: seconds after which people see that nothing came of what they entered in the dark, and enter it again
AGAIN_S = 4.0
#: alerts that say that nobody looked, and that something could not be made out
QUESTIONS = frozenset({"moved_while_off", "wall_mismatch"})


@dataclass
class Dark:
    """``observed`` followed by programs that are killed at the times ``kills``; ``power``: their memory goes too."""

    observed: ObservedTable
    kills: Iterable[float]
    power: bool = False
    down_s: float = DOWN_S
    #: what the last program was asked to remember beyond a kill
    _memory: list[Report] = field(default_factory=list)

    def play(self) -> Table:
        """The table in the end."""
        kills = iter(sorted(self.kills))
        kill, light, looked = next(kills, None), 0.0, 0.0
        started = next(e for e in self.observed.players.truth.events if isinstance(e, ev.MatchStarted))
        line = self._line(Table(self.observed.rules))
        line.apply(act.StartMatch(t=0.0, dealer=started.dealer))
        late: list[Report] = []
        for report in self.observed.reports:
            if kill is not None and report.t >= kill:
                line, light = self._again(line, kill), kill + self.down_s
                kill = next((later for later in kills if later > light), None)
            if report.t < light:
                if not isinstance(report, ZoneRead):
                    late.append(report)
                continue
            for missed in list(late):
                at = light + (AGAIN_S if isinstance(missed, RefereeActed) else 0.0)
                if report.t >= at:
                    self._feed(line, missed if isinstance(missed, LanePassed) else replace(missed, t=at))
                    late.remove(missed)
            self._feed(line, report)
            if light and report.t >= max(light, looked) + AGAIN_S:
                looked = report.t
                for repeated in pressed_again(line.table, self.observed.players.truth, report.t):
                    self._feed(line, repeated)
        return line.table

    def wrong(self) -> list[str]:
        """How the record differs from what happened, alerts aside; "scores" first."""
        table = self.play()
        tracked, truth = records(table.events), self.observed.truth
        found = [] if len(tracked) == len(truth) else [f"{len(tracked)} hands in the record"]
        if table.match.points != self.observed.players.truth.match.points:
            found.append(f"scores {table.match.points}, should be {self.observed.players.truth.match.points}")
        for record, true in zip(tracked, truth, strict=False):
            found += [line for line in differences(record, true) if not line.startswith("alert")]
        return found

    def _line(self, table: Table) -> Pipeline:
        observed = self.observed
        tags = {tag: tile for tag, tile in observed.world.kinds.items() if observed.world.set_of[tag]}
        lanes = {"first_left": observed.first_left, "lower_first": observed.lower_first}
        return Pipeline(table, Tracker(table, tags, period_s=observed.period_s, **lanes))

    def _again(self, line: Pipeline, t: float) -> Pipeline:
        """The next program: it has the record, and what is remembered if the power stayed."""
        stored = [ev.from_json(ev.to_json(event)) for event in line.table.events]
        line = self._line(Table.replay(self.observed.rules, stored, first_seq=1))
        memory = [] if self.power else self._memory
        self._memory = list(memory)
        for report in recall(memory, line.table, line.tracker):
            line.feed(report)
        return line

    def _feed(self, line: Pipeline, report: Report) -> None:
        if not isinstance(report, ZoneRead):
            self._memory.append(report)
            raised = [n for n, r in enumerate(self._memory) if getattr(r, "machine", "") == "raised"]
            if len(raised) > 1:
                del self._memory[: raised[-2] + 1]
        last = None
        while (deadline := line.next_deadline()) is not None and deadline <= report.t and deadline != last:
            line.advance(deadline)
            last = deadline
        line.feed(report)


def pressed_again(table: Table, truth: Table, t: float) -> list[Report]:
    """A hand was won, and the table does not know it, or still waits for those who agreed while it was dark (or for the
    referee): it says so on its display, and they press again."""
    hand, rules = table.playing, table.rules
    if hand is None or hand.opened_at is None:
        return []
    won = [e for e in truth.events if isinstance(e, ev.HandWon) and e.t is not None and hand.opened_at < e.t <= t]
    if not won:
        return []
    if hand.phase is not Phase.DECLARED:
        return [KeyPressed(t, "win", event.actor) for event in won]
    if rules.play.referee_confirms:
        return [RefereeActed(t, {"do": "confirm", "by": "referee"})]
    winners = {win.actor for win in hand.declared}
    return [KeyPressed(t, "pass", seat) for seat in range(4) if seat not in hand.passed | winners]


def asked(table: Table) -> list[str]:
    """The questions to a person in the record."""
    return [e.detail for e in table.events if isinstance(e, ev.Alerted) and e.code in QUESTIONS]
