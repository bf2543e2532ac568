"""Reports in, events out: tracker and table working together, live or from a trace."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tablectl.base.reports import Report, ZoneRead
from tablectl.game import actions as act
from tablectl.game.events import Event
from tablectl.game.table import Table
from tablectl.tracking.tracker import Tracker

#: most steps of play told at one report
MOST_ROUNDS = 40


class Pipeline:
    """A table and its tracker."""

    def __init__(self, table: Table, tracker: Tracker) -> None:
        self.table = table
        self.tracker = tracker

    def feed(self, report: Report) -> list[Event]:
        """Take one report; the events that it brought about, in order."""
        actions = self.tracker.feed(report)
        if self.tracker.unseen:
            self.table.stop_clock(report.t)
        return self._run(actions, report.t) if actions else []

    def read(self, reads: Sequence[ZoneRead]) -> Iterator[list[Event]]:
        """Take what a reader read at once; after each read of which something follows its events, which are to be
        told before the next is asked for."""
        first = 0
        while first < len(reads):
            first += self.tracker.pass_over(reads[first:] if first else reads)
            if first < len(reads):
                events = self.feed(reads[first])
                if events:
                    yield events
                first += 1

    def apply(self, action: act.Action) -> list[Event]:
        """Take what a person did at the console; the events that it brought about, in order."""
        return self._run([action], action.t)

    def advance(self, t: float) -> list[Event]:
        """Time has come to ``t`` (seconds, monotonic): what was waiting for it."""
        actions = self.tracker.advance(t)
        if self.tracker.unseen:
            self.table.stop_clock(t)
        return self._run([act.PassTime(t=t), *actions], t)

    def next_deadline(self) -> float | None:
        """When `advance` must be called; None while nothing waits."""
        limit, held = self.table.next_deadline(), self.tracker.next_deadline()
        return limit if held is None or (limit is not None and limit < held) else held

    def _run(self, actions: list[act.Action], t: float) -> list[Event]:
        events: list[Event] = []
        for _ in range(MOST_ROUNDS):
            for action in actions:
                events += self.table.apply(action)
            actions = self.tracker.advance(t)
            if not actions:
                return events
        return events  # the evidence contradicts itself; the next reading decides


def replay(pipeline: Pipeline, reports: Iterable[Report]) -> list[Event]:
    """Run a trace through ``pipeline`` as fast as it goes; all events in order."""
    return list(replayed(pipeline, reports))


def replayed(pipeline: Pipeline, reports: Iterable[Report]) -> Iterator[Event]:
    """The events of a trace, one after another. The table itself lets go of a match once the next one begins."""
    deadline = pipeline.table.next_deadline()
    for report in reports:
        while deadline is not None and deadline <= report.t:
            yield from pipeline.advance(deadline)
            later = pipeline.table.next_deadline()
            deadline = later if later != deadline else None
        told = pipeline.feed(report)
        if told:  # nothing else moves a deadline
            yield from told
            deadline = pipeline.table.next_deadline()
