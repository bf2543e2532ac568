"""What was played while no program ran is found out from where the tiles lie: killed every few seconds, in long
openings of flowers, with the indicator out of the tail of the wall; the record ends as if nobody had been killed."""

from __future__ import annotations

from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from dark import Dark, asked

from tablectl.base.reports import KeyPressed, ZoneRead
from tablectl.core.resume import known
from tablectl.game import events as ev
from tablectl.game.state import Phase
from tablectl.game.table import Table
from tablectl.rules.registry import load
from tablectl.sim.noise import PROFILES
from tablectl.sim.observed import ObservedTable, record
from tablectl.tiles.tile import Tile
from tablectl.tracking.keys import Keys
from tablectl.tracking.layout import _came_from
from tablectl.tracking.outlook import Step
from tablectl.tracking.recovery import GUESSED, UNORDERED

#: seconds before the end of the reports in which nobody is killed any more: a win is agreed to again
QUIET_S = 16.0


def kills(seed: int, end: float) -> list[float]:
    rng, times = Random(seed), []
    t = rng.uniform(1.0, 8.0)
    while t < end - QUIET_S:
        times.append(t)
        t += rng.uniform(3.0, 16.0)
    return times


def test_a_win_called_before_the_antennas_were_heard_is_about_what_lies_then() -> None:
    """What was played in the dark comes before the key, and is no reason to take it for a false win."""
    observed = record(load("fuzhou"), 4, PROFILES["normal"])
    assert [line for line in Dark(observed, [44.15]).wrong() if line.startswith("scores")] == []


@pytest.mark.parametrize(
    ("rules", "seed"),
    [
        ("competition", 9),  # a flower, its replacement, two discards in the dark: longer than is weighed
        ("fuzhou", 1),  # replacements after the indicator was turned from the tail
        ("fujian", 6),  # five flowers of one seat laid open at once are neither a win nor a kong
        ("tianjin", 10),  # the win was agreed to in the dark: the keys are asked for again
    ],
)
def test_killed_every_few_seconds(rules: str, seed: int) -> None:
    observed = record(load(rules), seed, PROFILES["clean"])
    dark = Dark(observed, kills(seed, observed.reports[-1].t))
    assert [line for line in dark.wrong() if line.startswith(("scores", "wall"))] == []


def exchanged(observed: ObservedTable, t: float) -> str:
    """From the time ``t`` on a standing tile of seat 1 stands with seat 3, and one of seat 3 with seat 1; which."""
    names = ("hand.1", "hand.3")
    first: dict[str, set[str]] = {name: set() for name in names}
    for report in observed.reports:
        if isinstance(report, ZoneRead) and report.zone in names and t - 2 < report.t < t:
            first[report.zone] = set(report.tags)
    stay = {name: first[name].intersection(*_later(observed, name, t)) for name in names}
    kinds = observed.world.kinds
    one, other = next((a, b) for a in sorted(stay["hand.1"]) for b in sorted(stay["hand.3"]) if kinds[a] != kinds[b])
    swap = {one: other, other: one}
    observed.reports[:] = [
        r._replace(tags=frozenset(swap.get(tag, tag) for tag in r.tags)) if isinstance(r, ZoneRead) and r.t >= t else r
        for r in observed.reports
    ]
    return f"{kinds[other].code} in hand.1"


def _later(observed: ObservedTable, name: str, t: float) -> list[frozenset[str]]:
    return [r.tags for r in observed.reports if isinstance(r, ZoneRead) and r.zone == name and t <= r.t < t + 20]


def test_where_no_play_explains_the_tiles_a_person_is_asked() -> None:
    """Two tiles changed hands in the dark. Silence would be the defect: what is told from then on may be wrong."""
    observed = record(load("competition"), 9, PROFILES["clean"])
    assert asked(Dark(observed, [84.0]).play()) == []
    lies = exchanged(observed, 84.0)
    [question] = asked(Dark(observed, [84.0]).play())
    assert question.startswith(GUESSED)
    assert lies in question


def test_what_came_to_the_river_under_the_eyes_of_the_antennas_was_discarded_last() -> None:
    """Both stood in the hand when the program ended; one lies in the river at the first look, the other comes then."""
    dark = Dark(record(load("competition"), 42, PROFILES["clean"]), [44.47], down_s=13.94)
    assert dark.wrong() == []
    assert asked(dark.play()) == []


def test_an_order_of_discards_that_nobody_saw_is_asked_for() -> None:
    table = Dark(record(load("competition"), 41, PROFILES["clean"]), [131.0], down_s=14.0).play()
    assert asked(table) == [f"{UNORDERED}: seat 0 4m S"]


def test_a_call_before_the_first_discard_was_made_in_the_dark_is_no_error_of_the_program() -> None:
    """The dealer's first discard is found on the table; somebody pressed a key before it."""
    dealer = SimpleNamespace(standing=[Tile.EAST])
    hand: Any = SimpleNamespace(phase=Phase.TURN, turn=0, since=1.0, discards=[], seats=[dealer] * 4, wild=frozenset())
    keys = Keys()
    assert keys.pressed(KeyPressed(2.0, "pung", 1)) == []
    discard = Step("discard", 0, (("tag", "river.0"),), 0.0, Tile.EAST)
    assert keys.used(discard, 3.0, hand) == []
    assert keys.fresh == {1: "pung"}


def test_a_wildcard_thrown_in_the_dark_counts_as_shown() -> None:  # Z214
    """Whether the key was pressed while no program ran nobody knows, and nobody is called 相公 for it."""
    observed = record(load("zhenjiang"), 4, PROFILES["clean"])
    [shown] = [report for report in observed.reports if isinstance(report, KeyPressed) and report.key == "show"]
    observed.reports.remove(shown)
    assert "wildcard_not_shown" in alerts(Dark(observed, []).play())
    for before_s in (2.0, 1.0, -0.1):
        assert alerts(Dark(observed, [shown.t - before_s]).play()) == []
    assert "wildcard_not_shown" in alerts(Dark(observed, [shown.t - 20.0]).play())  # the table looked again by then


@pytest.mark.parametrize("down_s", [8.0, 20.0])
def test_a_claim_made_in_the_dark_is_not_late(down_s: float) -> None:  # J20
    """The discard was told, no key was heard, and after a while without a program the pung lies there."""
    observed = record(load("competition"), 33, PROFILES["clean"])
    [pung] = [e for e in observed.players.truth.events if isinstance(e, ev.PungMade) and e.pai is Tile.RED]
    [called] = [r for r in observed.reports if isinstance(r, KeyPressed) and r.key == "pung" and r.seat == pung.actor]
    observed.reports.remove(called)
    assert alerts(Dark(observed, [called.t - 0.2], down_s=down_s).play()) == []


def alerts(table: Table) -> list[str]:
    return [event.code for event in table.events if isinstance(event, ev.Alerted)]


def test_a_flower_that_lies_open_came_from_nobody_else() -> None:
    assert list(_came_from("meld.2", flower=True)) == ["hand.2", "river.2"]
    assert list(_came_from("river.2", flower=True)) == ["hand.2"]
    assert list(_came_from("meld.2", flower=False))[:3] == ["hand.2", "river.1", "hand.1"]


def test_a_show_key_that_the_record_holds_is_not_told_again() -> None:  # zhenjiang Z214
    shown = ev.TileShown(t=10.0, actor=1, pai=Tile.WEST, what="discard")
    press = KeyPressed(10.0, "show", 1)
    assert list(known([press], [shown])) == [(press, True)]
    assert list(known([press], [ev.TileDrawn(t=11.0, actor=2, pai=Tile.WEST)])) == [(press, False)]
