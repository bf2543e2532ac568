"""Readers that fall silent while a hand is played: nothing is lost, and nobody is accused of what was not seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from tablectl.base.reports import DiceRested, KeyPressed, RefereeActed, Report, ZoneRead
from tablectl.game import events as ev
from tablectl.game.record import differences, records
from tablectl.game.state import Phase
from tablectl.game.table import Table
from tablectl.rules.registry import load
from tablectl.sim.noise import PROFILES
from tablectl.sim.observed import ObservedTable, record
from tablectl.tracking.keys import Keys
from tablectl.tracking.outages import BACK_READS, GIVEN_UP_S, OUT_PERIODS, Outages
from tablectl.tracking.outlook import Step
from tablectl.tracking.replay import Pipeline, replay
from tablectl.tracking.tracker import Tracker

PERIOD_S = 0.5
OUT_S = 10.0
#: the antennas of a seat; of all seats
SEATS = ("0", "1", "2", "3")
ALL = "0123"
#: some of them, where a hand takes long to be followed
OPPOSITE = ("0", "2")


def outages(*zones: str, until: float) -> Outages:
    """Zones that were all read once in a period until a time."""
    found = Outages(PERIOD_S)
    for n in range(int(until / PERIOD_S) + 1):
        for zone in zones:
            found.read(zone, n * PERIOD_S)
    return found


def test_a_round_that_falls_out_is_no_outage() -> None:
    found = outages("hand.0", "hand.1", until=3.0)
    found.read("hand.0", 3.5)
    found.read("hand.0", 4.0)
    assert not found.holds(4.0)
    found.read("hand.1", 4.0)
    assert not found.holds(4.0)


def test_a_zone_is_out_until_it_was_read_some_times() -> None:
    found = outages("hand.0", "hand.1", until=3.0)
    begun = 3.0 + OUT_PERIODS * PERIOD_S
    found.read("hand.0", begun + 0.1)
    assert found.holds(begun + 0.1)
    for n in range(1, BACK_READS + 1):
        assert found.holds(begun + 0.1 + (n - 1) * PERIOD_S)
        found.read("hand.0", begun + 0.1 + n * PERIOD_S)
        found.read("hand.1", begun + 0.1 + n * PERIOD_S)
    assert not found.holds(begun + 0.1 + BACK_READS * PERIOD_S)


def test_a_zone_that_stays_out_is_not_waited_for_without_end() -> None:
    found = outages("hand.0", "hand.1", until=3.0)
    t = 3.0
    while t < 3.0 + GIVEN_UP_S - PERIOD_S:
        t += PERIOD_S
        found.read("hand.0", t)
        assert found.holds(t) == (t - 3.0 > OUT_PERIODS * PERIOD_S)
    found.read("hand.0", 3.0 + GIVEN_UP_S)
    assert not found.holds(3.0 + GIVEN_UP_S)
    assert found.given_up == {"hand.1"}
    found.read("hand.1", 3.0 + GIVEN_UP_S + 0.1)
    assert found.given_up == set()
    assert found.holds(3.0 + GIVEN_UP_S + 0.1)


# --- hands


def silenced(reports: Sequence[Report], seats: str, after_s: float, out_s: float) -> Iterator[Report]:
    """The reports without those of the antennas of ``seats`` for ``out_s``, from so many seconds after the dice on."""
    thrown = next(report.t for report in reports if isinstance(report, DiceRested))
    return without(reports, seats, thrown + after_s, out_s)


def without(reports: Sequence[Report], seats: str, begun: float, out_s: float) -> Iterator[Report]:
    for report in reports:
        lost = isinstance(report, ZoneRead) and report.zone[-1] in seats and begun <= report.t < begun + out_s
        if not lost:
            yield report


def played(table: ObservedTable, reports: Iterator[Report]) -> Table:
    """What tracker and game make of the reports."""
    followed = Table(table.rules)
    tracker = Tracker(
        followed,
        table.world.kinds,
        first_left=table.first_left,
        lower_first=table.lower_first,
        period_s=table.period_s,
    )
    replay(Pipeline(followed, tracker), reports)
    return followed


def wrong(table: ObservedTable, followed: Table) -> list[str]:
    [true], [found] = records(table.players.truth.events), records(followed.events)
    return differences(found, true)


@pytest.fixture(scope="module", params=[("competition", 3), ("mcr", 5), ("zhenjiang", 4)], ids=lambda p: p[0])
def table(request: pytest.FixtureRequest) -> ObservedTable:
    rules, seed = request.param
    return record(load(rules), seed, replace(PROFILES["clean"], period_s=PERIOD_S))


@pytest.mark.parametrize("seats", [*SEATS, ALL])
@pytest.mark.parametrize("after_s", [25.0, 40.0, 70.0])
def test_ten_seconds_that_nobody_saw_are_told_in_order(table: ObservedTable, seats: str, after_s: float) -> None:
    followed = played(table, silenced(table.reports, seats, after_s, OUT_S))
    assert wrong(table, followed) == []


def test_the_clock_of_a_seat_stands_while_it_is_not_seen(table: ObservedTable) -> None:
    """Whoever's discard is awaited has the whole time once all antennas are back."""
    out_s = (table.rules.play.discard_seconds or 0.0) + 10.0
    for seat in OPPOSITE:
        followed = played(table, silenced(table.reports, seat, 40.0, out_s))
        assert [e for e in followed.events if isinstance(e, ev.Alerted) and e.code == "over_time"] == []


def test_a_reader_that_never_comes_back_accuses_nobody(table: ObservedTable) -> None:
    for seat in OPPOSITE:
        followed = played(table, silenced(table.reports, seat, 40.0, 1e9))
        accused = {e.code for e in followed.events if isinstance(e, ev.Alerted)}
        assert accused.isdisjoint({"over_time", "draw_out_of_turn", "impossible_move", "false_meld", "tile_exposed"})


@pytest.mark.parametrize("seat", SEATS)
def test_a_ruling_waits_for_what_was_not_seen_before_it(table: ObservedTable, seat: str) -> None:
    """The win was called and confirmed while a reader was out."""
    confirmed = next((report.t for report in table.reports if isinstance(report, RefereeActed)), None)
    if confirmed is None:  # rules without a referee: the win itself
        confirmed = next(r.t for r in table.reports if isinstance(r, KeyPressed) and r.key == "win")
    followed = played(table, without(table.reports, seat, confirmed - 7.0, OUT_S))
    assert wrong(table, followed) == []


def test_what_is_pressed_later_is_not_about_a_move_that_is_told_late() -> None:
    """Seat 0 calls a win ten seconds after a discard of its own that no antenna saw until now."""
    keys = Keys()
    keys.pressed(KeyPressed(20.0, "win", 0))
    hand: Any = SimpleNamespace(phase=Phase.TURN, turn=0, since=None, wild=frozenset())
    discard = Step("discard", 0, (), 0.0)
    assert keys.used(discard, 10.0, hand) == []
    assert [press.key for press in keys.held] == ["win"]
    assert [press.key for press in keys.used(discard, 20.5, hand)] == ["win"]  # type: ignore[attr-defined]
    assert keys.held == []
