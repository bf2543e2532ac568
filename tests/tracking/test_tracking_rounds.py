"""Reads of one round taken in at once: nothing follows from them that would not follow one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

import pytest
from followed import pipeline_of

from tablectl.base.reports import Report, ZoneRead
from tablectl.game import events as ev
from tablectl.rules.registry import load
from tablectl.sim.noise import PROFILES
from tablectl.sim.observed import ObservedTable, record
from tablectl.tracking.noise import Noise
from tablectl.tracking.presence import Presence
from tablectl.tracking.replay import Pipeline

Taking = Callable[[Pipeline, Sequence[ZoneRead]], Iterable[list[ev.Event]]]


def one_by_one(pipeline: Pipeline, reads: Sequence[ZoneRead]) -> Iterator[list[ev.Event]]:
    for read in reads:
        yield pipeline.feed(read)


def followed(table: ObservedTable, reports: Iterable[Report], taking: Taking) -> tuple[list[ev.Event], list[bool], int]:
    """What is told of the reports, whether after each round some zone was not seen, how many reads were passed over."""
    pipeline = pipeline_of(table)
    tracker = pipeline.tracker
    passed, unseen = 0, []
    pass_over = tracker.pass_over

    def counted(reads: Sequence[ZoneRead]) -> int:
        nonlocal passed
        taken = pass_over(reads)
        passed += taken
        return taken

    tracker.pass_over = counted  # type: ignore[method-assign]
    for is_read, group in groupby(reports, lambda report: isinstance(report, ZoneRead)):
        waiting = list(group)
        while waiting:
            first = waiting[: 12 if is_read else 1]
            del waiting[: len(first)]
            last = None
            while (due := pipeline.next_deadline()) is not None and due <= first[0].t and due != last:
                pipeline.advance(due)
                last = due
            for _ in taking(pipeline, first) if is_read else [pipeline.feed(first[0])]:  # type: ignore[arg-type]
                pass
            unseen.append(tracker.unseen)
    return list(pipeline.table.events), unseen, passed


@pytest.mark.parametrize(
    ("rules", "seed", "noise", "out_s"),
    [
        ("competition", 3, "clean", 0.0),
        ("zhenjiang", 4, "clean", 12.0),
        ("zhenjiang", 4, "hard", 0.0),
        ("tianjin", 4, "normal", 12.0),
        ("fuzhou", 2, "clean", 0.0),
    ],
)
def test_a_round_says_what_its_reads_say_one_by_one(rules: str, seed: int, noise: str, out_s: float) -> None:
    """``out_s``: a reader is silent for so long in the middle of the hand, and once more for good."""
    table = record(load(rules), seed, replace(PROFILES[noise]))
    begun = table.reports[len(table.reports) // 2].t

    def heard(report: Report) -> bool:
        seat = isinstance(report, ZoneRead) and report.zone.endswith("2") and out_s > 0
        return not (seat and (begun <= report.t < begun + out_s or report.t > begun + 3 * out_s))

    reports = list(filter(heard, table.reports))
    *rounds, passed = followed(table, reports, Pipeline.read)
    *alone, none = followed(table, reports, one_by_one)
    assert rounds == alone
    assert (passed > 0, none) == (True, 0)
    assert any(rounds[1]) == (out_s > 0)


def test_reads_are_passed_over_up_to_the_first_that_holds_news() -> None:
    presence = Presence(Noise(), 0.25)
    for zone in ("hand.0", "hand.1", "hand.2"):
        presence.place(f"tag of {zone}", zone, 0.0)
    reads = [ZoneRead(0.1 * n, zone, frozenset({f"tag of {zone}"})) for n, zone in enumerate(presence.zones, 1)]
    assert presence.same(reads) == 0  # nothing was read before
    for read in reads:
        assert not presence.read(read.zone, read.t, read.tags)
    assert presence.same(reads) == 3
    lifted = [reads[0], reads[1]._replace(tags=frozenset()), reads[2]]
    assert presence.same(lifted) == 1
    assert [presence.zones[read.zone].count for read in reads] == [3, 2, 2]
    assert presence.read("hand.1", 1.0, frozenset())
    assert presence.same(lifted[1:]) == 0  # as before, but not as believed
