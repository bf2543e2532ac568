"""What only the antennas see: tiles that lie where no play takes them, raised once, and not in honest play."""

from __future__ import annotations

import pytest

from tablectl.game import actions as act
from tablectl.game.events import Alerted, MatchStarted
from tablectl.game.table import Table
from tablectl.rules.registry import load
from tablectl.sim.noise import PROFILES
from tablectl.sim.observed import ObservedTable, record
from tablectl.sim.offences import OFFENCES
from tablectl.tracking.replay import Pipeline, replay
from tablectl.tracking.tracker import Tracker


def told(table: ObservedTable) -> list[tuple[str, int | None]]:
    """The alerts that the reports of a table bring about."""
    game = Table(table.rules)
    started = table.players.truth.events[0]
    assert isinstance(started, MatchStarted)
    game.apply(act.StartMatch(t=0.0, dealer=started.dealer))
    tags = {tag: tile for tag, tile in table.world.kinds.items() if table.world.set_of[tag]}
    tracker = Tracker(game, tags, first_left=table.first_left, lower_first=table.lower_first, period_s=table.period_s)
    events = replay(Pipeline(game, tracker), table.reports)
    return [(event.code, event.seat) for event in events if isinstance(event, Alerted)]


def due(table: ObservedTable) -> list[tuple[str, int | None]]:
    return [(event.code, event.seat) for event in table.players.truth.events if isinstance(event, Alerted)]


@pytest.mark.parametrize(
    ("name", "rules", "seed"),
    [
        ("hand_shown_early", "competition", 1),
        ("false_meld_kong", "mcr", 4),
        ("tile_exposed", "competition", 1),
        ("impossible_move_river", "mcr", 4),
    ],
)
def test_an_offence_is_raised_with_its_seat(name: str, rules: str, seed: int) -> None:
    table = record(load(rules), seed, PROFILES["normal"], offence=OFFENCES[name])
    assert due(table)
    assert set(due(table)) <= set(told(table))


def test_honest_play_raises_nothing() -> None:
    assert told(record(load("competition"), 1, PROFILES["normal"])) == []
