"""What the trace format allows although it is unusual: lanes that err, a winner who takes the tile before the key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from test_tracking_alerts import pipeline_of

from tablectl.base.reports import KeyPressed, LanePassed, Report, ZoneRead
from tablectl.game import events as ev
from tablectl.game.record import differences, records
from tablectl.rules.registry import load
from tablectl.sim.noise import PROFILES
from tablectl.sim.observed import ObservedTable, record
from tablectl.tracking.replay import replay


def clean(rules: str, seed: int) -> ObservedTable:
    return record(load(rules), seed, PROFILES["clean"])


def understood(table: ObservedTable, reports: Sequence[Report]) -> tuple[list[str], list[tuple[str, int | None]]]:
    """How the record of a hand differs from the truth, the wall and alerts aside; the alerts."""
    line = pipeline_of(table)
    replay(line, reports)
    [found], [true] = records(line.table.events), table.truth
    wrong = [each for each in differences(found, true) if not each.startswith(("alert ", "wall"))]
    return wrong, [(event.code, event.seat) for event in line.table.events if isinstance(event, ev.Alerted)]


# --- lanes


def passages(table: ObservedTable) -> list[int]:
    return [n for n, report in enumerate(table.reports) if isinstance(report, LanePassed)]


def exchanged(table: ObservedTable, *pairs: tuple[int, int]) -> list[Report]:
    """The reports with the tags of some passages exchanged."""
    reports, at = list(table.reports), passages(table)
    for pair in pairs:
        one, other = (table.reports[at[n]] for n in pair)
        assert isinstance(one, LanePassed)
        assert isinstance(other, LanePassed)
        reports[at[pair[0]]] = replace(one, tag=other.tag)
        reports[at[pair[1]]] = replace(other, tag=one.tag)
    return reports


@pytest.mark.parametrize(
    ("rules", "seed", "pairs"),
    [
        ("competition", 9, [(1, 5)]),
        ("competition", 9, [(1, 5), (10, 30)]),
        ("mcr", 4, [(0, 2)]),
        ("mcr", 4, [(20, 21)]),
        ("mcr", 4, [(0, 2), (20, 21)]),
    ],
)
def test_a_lane_that_names_dealt_tiles_wrongly_is_told_once(
    rules: str, seed: int, pairs: list[tuple[int, int]]
) -> None:
    """Nobody broke the wall wrongly, and nobody drew the wrong tile."""
    table = clean(rules, seed)
    assert understood(table, exchanged(table, *pairs)) == ([], [("wall_mismatch", None)])


@pytest.mark.parametrize("missed", [[5], [5, 60], [3, 4], [0, 1], [20, 41], [70, 71, 72]])
def test_tiles_that_a_lane_missed_are_no_mismatch(missed: list[int]) -> None:
    table = clean("mcr", 4)
    at = passages(table)
    lost = {at[n] for n in missed}
    assert understood(table, [report for n, report in enumerate(table.reports) if n not in lost]) == ([], [])


@pytest.mark.parametrize(("passage", "later"), [(3, 1), (10, 2), (40, 30)])
def test_a_tile_that_a_lane_saw_twice_is_no_mismatch(passage: int, later: int) -> None:
    table = clean("mcr", 4)
    at, reports = passages(table), list(table.reports)
    seen = reports[at[passage]]
    assert isinstance(seen, LanePassed)
    again = at[passage + later]
    reports.insert(again + 1, replace(seen, t=reports[again].t))
    assert understood(table, reports) == ([], [])


# --- the winning tile


def taken_before_the_key(table: ObservedTable, zone: str, key_s: float) -> list[Report]:
    """The winner lays the discard into ``zone`` half a second after it, and presses the key ``key_s`` after it."""
    events = table.players.truth.events
    won = next(event for event in events if isinstance(event, ev.HandWon))
    assert won.target != won.actor
    cast = [event for event in events if isinstance(event, ev.TileDiscarded)][-1]
    assert cast.t is not None
    lay: frozenset[str] = frozenset()
    for report in table.reports:  # what came to the river last
        if isinstance(report, ZoneRead) and report.zone == f"river.{won.target}":
            if report.t > cast.t and report.tags - lay:
                [tag] = report.tags - lay
                break
            lay = report.tags
    assert table.world.kinds[tag] == cast.pai
    reports: list[Report] = []
    for report in table.reports:
        if isinstance(report, KeyPressed) and report.key == "win":
            report = replace(report, t=cast.t + key_s)
        elif isinstance(report, ZoneRead) and report.t > cast.t + 0.5:
            tags = report.tags - {tag}
            report = ZoneRead(report.t, report.zone, tags | {tag} if report.zone == f"{zone}.{won.actor}" else tags)
        reports.append(report)
    return sorted(reports, key=lambda report: report.t)


@pytest.mark.parametrize(("rules", "seed"), [("competition", 4), ("mcr", 2), ("fuzhou", 4), ("beijing", 2)])
@pytest.mark.parametrize("zone", ["hand", "meld"])
@pytest.mark.parametrize("key_s", [1.0, 2.5])
def test_the_winner_may_take_the_winning_tile_before_the_key(rules: str, seed: int, zone: str, key_s: float) -> None:
    table = clean(rules, seed)
    assert understood(table, taken_before_the_key(table, zone, key_s)) == ([], [])
