"""A table that is not switched off plays match after match and does not grow."""

from __future__ import annotations

from random import Random

from game_driver import Players

from tablectl.game import actions as act
from tablectl.game import events as ev
from tablectl.game.table import Table
from tablectl.rules.registry import load

NAMES = ("林", "陈", "王", "赵")


def match(players: Players, hands: int = 2) -> list[ev.Event]:
    """A match that the referee ends after some hands; the events that began it."""
    begun = players.table.apply(act.StartMatch(t=players.tick(), names=NAMES))
    for _ in range(hands):
        players.play_hand()
    players.do(act.Rule(t=players.tick(), do="end_game", by="referee"))
    assert players.table.match.over is not None
    return begun


def test_the_table_holds_the_events_of_the_match_that_is_played() -> None:
    players = Players(Table(load("mcr")), Random(1))
    table, lengths = players.table, []
    for _ in range(4):
        before = table.last_seq
        begun = match(players)
        assert [type(event) for event in begun] == [ev.MatchStarted]
        assert table.state.first_seq == before + 1
        assert table.events[0] is begun[0]
        assert len(table.events) == table.last_seq - before
        lengths.append(len(table.events))
        again = Table.replay(table.rules, table.events, first_seq=table.state.first_seq)
        assert again.game == table.game
    assert max(lengths) < sum(lengths) / 2


def test_the_games_of_one_round_stay_together() -> None:
    """J96, J97: the sheet of the round needs all its games."""
    players = Players(Table(load("competition", {"games": 2})), Random(2))
    match(players)
    match(players)
    assert players.table.match.game == 2
    assert [type(event) for event in players.table.events].count(ev.MatchStarted) == 2
    assert players.table.state.first_seq == 1
