"""A tracker at the beginning of the match that was played at an observed table."""

from __future__ import annotations

from tablectl.game import actions as act
from tablectl.game import events as ev
from tablectl.game.table import Table
from tablectl.sim.observed import ObservedTable
from tablectl.tracking.replay import Pipeline
from tablectl.tracking.tracker import Tracker


def pipeline_of(table: ObservedTable) -> Pipeline:
    game = Table(table.rules)
    started = table.players.truth.events[0]
    assert isinstance(started, ev.MatchStarted)
    game.apply(act.StartMatch(t=0.0, dealer=started.dealer))
    tags = {tag: tile for tag, tile in table.world.kinds.items() if table.world.set_of[tag]}
    tracker = Tracker(game, tags, first_left=table.first_left, lower_first=table.lower_first, period_s=table.period_s)
    return Pipeline(game, tracker)
