"""The indicator that lies in the wall: no antenna sees it, only the order of the wall says which tile it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace as _replace
from itertools import pairwise
from typing import Any

from tablectl.base.reports import LanePassed, Report
from tablectl.game import actions as act
from tablectl.game import events as ev
from tablectl.game.table import Table
from tablectl.rules.registry import load
from tablectl.sim.noise import PROFILES
from tablectl.sim.observed import ObservedTable, record
from tablectl.tiles.notation import parse_tile
from tablectl.tracking.replay import Pipeline, replay
from tablectl.tracking.tracker import Tracker

RULES = load("tianjin")


def pipeline(table: ObservedTable) -> Pipeline:
    game = Table(RULES)
    game.apply(act.StartMatch(t=0.0, dealer=table.players.truth.events[0].dealer))  # type: ignore[attr-defined]
    tags = {tag: tile for tag, tile in table.world.kinds.items() if table.world.set_of[tag]}
    tracker = Tracker(game, tags, first_left=table.first_left, lower_first=table.lower_first, period_s=table.period_s)
    return Pipeline(game, tracker)


def missed(reports: list[Report], tag: str) -> Iterator[Report]:
    """The reports of lanes that missed ``tag``, and whose rhythm does not say where."""
    passed = [0, 0, 0, 0]
    for report in reports:
        if isinstance(report, LanePassed):
            if report.tag == tag:
                continue
            passed[report.lane] += 1
            yield moved(report, 0.1 * passed[report.lane])
        elif report.t > 0.1 * 36:
            yield report


def moved(report: Any, t: float) -> Report:
    return report._replace(t=t) if hasattr(report, "_replace") else _replace(report, t=t)


def until_turned(line: Pipeline, reports: Iterator[Report]) -> list[ev.Event]:
    for report in reports:
        replay(line, [report])
        if line.table.hand is not None and line.table.hand.indicator is not None:
            break
    return line.table.events


def asked(events: list[ev.Event]) -> list[str]:
    return [e.detail for e in events if isinstance(e, ev.Alerted) and e.detail.startswith("the indicator may be")]


def test_which_tile_is_the_indicator_is_asked_where_the_lanes_leave_it_open() -> None:  # T107
    table = record(RULES, 1, PROFILES["clean"], 1)
    true = parse_tile(table.truth[0][0]["indicator"])
    passages = [report for report in table.reports if isinstance(report, LanePassed)]
    lanes = [[p for p in passages if p.lane == side] for side in range(4)]
    questions = 0
    for lane in lanes:
        for before, here in pairwise(lane):
            if table.world.kinds[here.tag] is not true:
                continue
            line = pipeline(table)
            (question,) = asked(until_turned(line, missed(table.reports, before.tag))) or [""]
            if not question:
                continue
            questions += 1
            assert true.code in question
            line.apply(act.TurnIndicator(t=table.reports[-1].t, tile=true, by="referee"))
            assert line.table.hand is not None
            assert line.table.hand.indicator is true
    assert questions == 1


def test_nothing_is_asked_where_the_lanes_know_it() -> None:
    table = record(RULES, 1, PROFILES["clean"], 1)
    line = pipeline(table)
    assert not asked(until_turned(line, iter(table.reports)))
    assert line.table.hand is not None
    assert line.table.hand.indicator is parse_tile(table.truth[0][0]["indicator"])
