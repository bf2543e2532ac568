"""Wins that the table has to find out: no key was pressed, or the winning tile was hardly seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from followed import pipeline_of

from tablectl.base.reports import KeyPressed, RefereeActed, Report, ZoneRead
from tablectl.game import events as ev
from tablectl.game.record import differences, records
from tablectl.rules.registry import load
from tablectl.sim.noise import PROFILES
from tablectl.sim.observed import record
from tablectl.sim.world import ZONES
from tablectl.tracking.replay import replay


@pytest.mark.parametrize("drawn_seen", [False, True])
def test_a_win_that_nobody_called_on_a_discard_that_nobody_saw(drawn_seen: bool) -> None:
    """A tile goes from the fingers or the hand of its seat through the river to the winner, and no key was pressed: the
    referee confirms, and nobody is accused of having drawn it."""
    table = record(load("competition"), 11, PROFILES["clean"])
    truth = table.players.truth.events
    discard = [event for event in truth if isinstance(event, ev.TileDiscarded)][-1]
    [win] = [event for event in truth if isinstance(event, ev.HandWon)]
    drawn = [event for event in truth if isinstance(event, ev.TileDrawn)][-1]
    assert drawn.actor == discard.actor == win.target
    begun = (discard if drawn_seen else drawn).t or 0.0
    gone = {f"hand.{discard.actor}", f"river.{discard.actor}"}

    def seen() -> Iterator[Report]:
        last: frozenset[str] = frozenset()
        for report in table.reports:
            if isinstance(report, ZoneRead) and report.zone == f"river.{discard.actor}" and report.t < begun:
                last = report.tags
            if isinstance(report, KeyPressed) and report.key == "win":
                continue
            if isinstance(report, ZoneRead) and report.t >= begun:
                if report.zone == f"river.{discard.actor}":
                    report = report._replace(tags=last)
                elif report.zone in gone:
                    report = report._replace(tags=report.tags - taken)
                elif report.zone == f"hand.{win.actor}" and report.t > (discard.t or 0.0) + 1.0:
                    report = report._replace(tags=report.tags | taken)
            yield report

    taken = _new_in(table.reports, f"river.{discard.actor}", discard.t or 0.0)
    line = pipeline_of(table)
    replay(line, seen())
    [found], [true] = records(line.table.events), table.truth
    assert differences(found, true) == []


@pytest.mark.parametrize("seed", [11, 597])
def test_a_winner_who_only_takes_the_tile(seed: int) -> None:
    """No key, and the hand stays where it stood: the discard lies in the hand that wins with it. Another one may have
    called before (competition J47)."""
    table = record(load("competition"), seed, PROFILES["clean"])
    truth = table.players.truth.events
    discard = [event for event in truth if isinstance(event, ev.TileDiscarded)][-1]
    win = [event for event in truth if isinstance(event, ev.HandWon)][-1]
    river, hand, begun = f"river.{discard.actor}", f"hand.{win.actor}", (discard.t or 0.0) + 1.0
    tile = _new_in(table.reports, river, discard.t or 0.0)
    before = [report for report in table.reports if isinstance(report, ZoneRead) and report.t < begun]
    last = {zone: [read.tags for read in before if read.zone == zone][-1] for zone in ZONES}

    def seen() -> Iterator[Report]:
        lying = last | {river: last[river] - tile, hand: last[hand] | tile}
        for report in table.reports:
            if isinstance(report, ZoneRead) and report.t >= begun:
                report = report._replace(tags=lying[report.zone])
            if not (isinstance(report, KeyPressed) and (report.key, report.seat) == ("win", win.actor)):
                yield report

    line = pipeline_of(table)
    replay(line, seen())
    [found], [true] = records(line.table.events), table.truth
    assert differences(found, true) == []


def test_a_win_that_nobody_called_although_a_tile_of_it_was_taken_for_a_discard() -> None:
    """A standing tile answers in the river while the hand misses it; the hand stays where it stood, and no key was
    pressed. The tile is back in the hand, and nobody else wins, when the referee confirms."""
    table = record(load("competition"), 6, PROFILES["clean"])
    truth = table.players.truth.events
    drawn = [event for event in truth if isinstance(event, ev.TileDrawn)][-1]
    [win] = [event for event in truth if isinstance(event, ev.HandWon)]
    assert drawn.actor == win.actor == win.target
    begun = (drawn.t or 0.0) + 1.0
    confirmed = next(report.t for report in table.reports if isinstance(report, RefereeActed))
    hand, river = f"hand.{win.actor}", f"river.{win.actor}"
    reads = [report for report in table.reports if isinstance(report, ZoneRead)]
    lying = {zone: [read.tags for read in reads if read.zone == zone and read.t < begun][-1] for zone in ZONES}
    *astray, back = [read.t for read in reads if read.zone == hand and confirmed - 2.0 < read.t < confirmed]
    tile = frozenset(sorted(lying[hand])[:1])

    def seen() -> Iterator[Report]:
        for report in table.reports:
            if isinstance(report, ZoneRead) and report.t >= begun:
                report = report._replace(tags=lying[report.zone])
                if astray[0] <= report.t < back and report.zone in (hand, river):
                    report = report._replace(tags=report.tags ^ tile)
            if not (isinstance(report, KeyPressed) and report.key == "win"):
                yield report

    line = pipeline_of(table)
    replay(line, seen())
    [found], [true] = records(line.table.events), table.truth
    assert differences(found, true) == []


def _new_in(reports: Sequence[Report], zone: str, t: float) -> frozenset[str]:
    """What came to ``zone`` after the time ``t``, and may have left it again."""
    reads = [report for report in reports if isinstance(report, ZoneRead) and report.zone == zone]
    before = [read.tags for read in reads if read.t < t][-1]
    return frozenset().union(*(read.tags for read in reads if read.t >= t)) - before
