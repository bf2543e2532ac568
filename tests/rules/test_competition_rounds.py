"""竞技麻将: dealer, circles, games, round, ranking (J93–J112)."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tablectl.rules.api import HandResult, MatchState, Points, RoundResult
from tablectl.rules.competition import rounds
from tablectl.rules.competition.options import Options
from tablectl.rules.play import ScoreQueries
from tablectl.rules.registry import load
from tablectl.tiles.tile import Tile

RULES = load("competition")
EVEN: Points = (0, 0, 0, 0)


def after(match: MatchState, *winners: int, deltas: Points = EVEN, minutes: float = 0, **more: object) -> MatchState:
    return RULES.next_hand(match, HandResult(winners, deltas, **more), minutes)  # type: ignore[arg-type]


def test_first_hand() -> None:  # J11, J93
    match = RULES.first_hand()
    assert (match.points, match.dealer, match.streak) == ((100, 100, 100, 100), 0, 0)
    assert (match.hand, match.circle, match.game, match.prevalent) == (1, 1, 1, Tile.EAST)


def test_worked_sequence_of_dealers() -> None:  # J94, J95, J110
    match = RULES.first_hand()
    seen = []
    for winners in ((0,), (0,), (), (3,), (2, 0), (1,), (0,)):
        match = after(match, *winners)
        seen.append((match.dealer, match.streak, match.circle))
    assert seen == [(0, 1, 1), (0, 2, 1), (1, 0, 1), (2, 0, 1), (2, 1, 1), (3, 0, 1), (0, 0, 2)]
    assert match.prevalent is Tile.SOUTH
    assert match.hand == 8


def test_the_dealer_may_keep_the_deal_in_a_draw_by_option() -> None:
    rules = load("competition", {"dealer_keeps_on_draw": True})
    match = rules.next_hand(rules.first_hand(), HandResult((), EVEN), 0)
    assert (match.dealer, match.streak) == (0, 0)


def test_a_void_hand_is_played_again() -> None:
    match = after(after(RULES.first_hand(), 0), void=True)
    assert (match.dealer, match.streak, match.hand) == (0, 1, 3)


def test_a_game_ends_with_its_circles() -> None:  # J96, J98 (1)
    match = MatchState((100, 100, 100, 100), dealer=3, circle=4, prevalent=Tile.NORTH)
    assert after(match, 3).over is None
    ended = after(match, 1)
    assert (ended.over, ended.circle, ended.prevalent) == ("circles", 4, Tile.NORTH)
    eight = load("competition", {"match_format": "eight"})
    assert eight.next_hand(MatchState(EVEN, dealer=3, circle=1), HandResult((), (1, 1, 1, 1)), 0).over is None
    assert eight.next_hand(MatchState(EVEN, dealer=3, circle=2), HandResult((), (1, 1, 1, 1)), 0).over == "circles"


def test_a_game_ends_with_its_time() -> None:  # J98 (2), J112
    rules = load("competition", {"match_format": "eight"})
    assert rules.play.match_minutes == 60
    assert rules.play.warn_minutes_left == 5
    match = rules.first_hand()
    assert rules.next_hand(match, HandResult((0,), EVEN), 59.9).over is None
    assert rules.next_hand(match, HandResult((0,), EVEN), 63 + 10 / 60).over == "time"
    endless = load("competition", {"game_minutes": 0})
    assert endless.play.match_minutes is None
    assert endless.next_hand(match, HandResult((0,), EVEN), 10_000).over is None


def test_a_game_ends_by_poverty() -> None:  # J72, J98 (3)
    match = RULES.first_hand()
    assert after(match, 0, deltas=(200, -100, -100, 0)).over == "poverty"
    assert after(match, 0, deltas=(100, -100, 0, 0)).over is None
    assert after(match, broken_off=True).over == "poverty"


def test_game_points_include_the_off_board_account() -> None:  # J99, J111
    match = MatchState((70, 4, 0, 326))
    match = after(match, off_board=(18, -6, -6, -6))
    assert match.points == (70, 4, 0, 326)
    assert RULES.game_points(match) == (88, -2, -6, 320)


def test_games_of_a_round_start_again() -> None:  # J96, J98
    match = after(RULES.first_hand(), 0, deltas=(60, -20, -20, -20), off_board=(6, -2, -2, -2))
    seen = []
    game: MatchState | None = match
    while game is not None:
        seen.append(game.game)
        game = RULES.next_game(game)
        if game is not None:
            assert (game.points, game.off_board, game.dealer, game.hand) == ((100,) * 4, EVEN, 0, 1)
    assert seen == [1, 2, 3, 4]
    assert load("competition", {"match_format": "four"}).next_game(match) is None


def test_nobody_sits_twice_on_a_seat() -> None:  # J97
    plan = [RULES.seating(game) for game in (1, 2, 3, 4)]
    assert plan == [(0, 1, 2, 3), (1, 0, 3, 2), (2, 3, 1, 0), (3, 2, 0, 1)]
    by_player = {player: [seats.index(player) for seats in plan] for player in range(4)}
    assert by_player == {0: [0, 1, 3, 2], 1: [1, 0, 2, 3], 2: [2, 3, 0, 1], 3: [3, 2, 1, 0]}
    assert load("competition", {"match_format": "four"}).seating(1) == (0, 1, 2, 3)


def test_totals_follow_the_players_over_their_seats() -> None:  # J99
    games = [(180, 60, 0, 160), (160, 40, 100, 100)]  # in game 2 seat 0 is B, seat 1 is A
    assert rounds.totals(games, Options()) == (220, 220, 100, 260)


@pytest.mark.parametrize(
    ("form", "rests"),
    [("sixteen", [15, 15, 15, 0]), ("eight", [0, 15, 0, 0]), ("four", [0])],
)
def test_rests(form: str, rests: list[int]) -> None:  # J96
    rules = load("competition", {"match_format": form})
    assert [rules.rest_minutes(game) for game in range(1, len(rests) + 1)] == rests


def test_worked_ranking() -> None:  # J103, J109
    standings = rounds.standings((410, 430, 320, 440), Options())
    assert ["ABCD"[s.player] for s in standings] == ["D", "B", "A", "C"]
    assert [s.rank for s in standings] == [1, 2, 3, 4]
    assert [(s.advances, s.filed, s.standard_points) for s in standings] == [
        (True, False, 1),
        (False, True, 0),
        (False, False, 0),
        (False, False, 0),
    ]
    assert RULES.ranks((410, 430, 320, 440)) == (3, 2, 4, 1)


def test_two_may_advance() -> None:  # J103, J104
    standings = rounds.standings((410, 430, 320, 440), Options(advance_per_table=2, round_standard_points=9))
    assert [(s.advances, s.filed, s.standard_points) for s in standings] == [
        (True, False, 9),
        (True, False, 9),
        (False, True, 0),
        (False, False, 0),
    ]


def test_a_tie_at_the_border_is_the_referees() -> None:  # J103, D34
    standings = rounds.standings((430, 430, 320, 420), Options())
    assert [(s.player, s.rank, s.tied, s.advances) for s in standings][:2] == [(0, 1, True, False), (1, 1, True, False)]
    assert not any(s.filed or s.advances for s in standings)
    second = rounds.standings((440, 400, 400, 360), Options())
    assert [(s.advances, s.filed, s.tied) for s in second] == [
        (True, False, False),
        (False, False, True),
        (False, False, True),
        (False, False, False),
    ]


def test_individuals_and_teams() -> None:  # J105
    def won(standard: int, points: int) -> RoundResult:
        return RoundResult(points, Fraction(standard))

    results = {"甲": [won(1, 200), won(2, 300)], "乙": [won(3, 510)], "丙": [won(2, 900)], "丁": [won(2, 900)]}
    assert RULES.event_ranks(results) == {"甲": 2, "乙": 1, "丙": 3, "丁": 3}
    teams = {"红": {"a": [won(1, 100)], "b": [won(2, 50)]}, "蓝": {"c": [won(3, 149)]}, "白": {"d": [won(3, 150)]}}
    assert RULES.team_ranks(teams) == {"红": 1, "蓝": 3, "白": 1}


@pytest.mark.parametrize(("players", "expected"), [(16, (0, 0)), (17, (1, 0)), (18, (2, 0)), (19, (0, 1))])
def test_numbers_that_do_not_fit(players: int, expected: tuple[int, int]) -> None:  # J106
    assert rounds.byes(players) == expected


def test_asking_the_score() -> None:  # J102
    assert load("competition").play.score_queries == ScoreQueries(times=2, game=4)
    assert load("competition", {"score_query_scope": "table"}).play.score_queries == ScoreQueries(2, 4, by_table=True)
    assert load("competition", {"match_format": "four"}).play.score_queries is None  # no change of seats
