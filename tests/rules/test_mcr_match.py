"""国标麻将: sessions, rounds, standard points, ranking, penalties, cards (T12, T53, T54, T58–T63)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rule_hands import situation

from tablectl.rules.api import Handover, HandResult, MatchState, Proposal, RulesError
from tablectl.rules.mcr import Mcr, rounds
from tablectl.rules.mcr.options import Options
from tablectl.rules.mcr.rounds import SessionResult
from tablectl.rules.registry import load
from tablectl.tiles.tile import WINDS

ROTATION = [[1, 0, 3, 2], [2, 3, 1, 0], [3, 2, 0, 1]]
DRAWN = HandResult((), (0, 0, 0, 0))
WON = HandResult((0,), (24, -8, -8, -8))


def rules(**options: Any) -> Mcr:
    found = load("mcr", options)
    assert isinstance(found, Mcr)
    return found


def options(**given: Any) -> Options:
    return rules(**given).options


def played(hands: int, mcr: Mcr, result: HandResult = DRAWN) -> MatchState:
    match = mcr.first_hand()
    for _ in range(hands):
        match = mcr.next_hand(match, result, 0)
    return match


# --- T58, T59


def test_the_deal_passes_after_every_hand() -> None:  # T58
    mcr = rules()
    match = mcr.first_hand()
    assert (match.dealer, match.prevalent, match.points, match.hand) == (0, WINDS[0], (500,) * 4, 1)
    for hand, result in enumerate([WON, DRAWN] * 8):
        assert match.dealer == hand % 4
        assert match.prevalent is WINDS[hand // 4]
        assert (match.streak, match.over) == (0, None)
        match = mcr.next_hand(match, result, 5.0 * hand)
    assert match.over == "circles"
    assert match.prevalent is WINDS[3]
    assert match.points == (500 + 8 * 24, 436, 436, 436)


def test_a_void_hand_is_played_again() -> None:  # T62: a place that turns out empty
    match = rules().next_hand(rules().first_hand(), HandResult((), (0, 0, 0, 0), void=True), 3)
    assert (match.dealer, match.circle, match.over) == (0, 1, None)


def test_rounds_and_start_points_are_options() -> None:  # T12, T59
    assert played(3, rules(rounds=1)).over is None
    assert played(4, rules(rounds=1)).over == "circles"
    assert played(16, rules(rounds=5)).prevalent is WINDS[0]
    assert rules(start_points=0).first_hand().points == (0, 0, 0, 0)


def test_the_session_ends_when_its_time_is_up() -> None:  # T59
    mcr = rules()
    assert mcr.next_hand(mcr.first_hand(), WON, 179.9).over is None
    late = mcr.next_hand(mcr.first_hand(), WON, 180)
    assert (late.over, late.points) == ("time", (524, 492, 492, 492))
    assert rules(session_minutes=60).next_hand(mcr.first_hand(), DRAWN, 60).over == "time"
    running = rules(break_stops_clock=False)
    assert running.next_hand(mcr.first_hand(), DRAWN, 165).over == "time"
    broken = HandResult((), (0, 0, 0, 0), broken_off=True)
    assert mcr.next_hand(mcr.first_hand(), broken, 170).over == "time"


@pytest.mark.parametrize(
    ("hands", "minutes", "due"), [(0, 0, False), (7, 60, False), (8, 60, True), (5, 89, False), (5, 90, True)]
)
def test_the_pause_is_due_after_two_rounds_or_at_half_time(hands: int, minutes: float, due: bool) -> None:  # T59
    assert rounds.break_due(played(hands, rules()), minutes, options()) == due
    assert not rounds.break_due(played(hands, rules()), minutes, options(break_minutes=0))


def test_no_pause_is_due_when_the_session_is_over() -> None:  # T59
    assert not rounds.break_due(played(16, rules()), 100, options())


# --- seats change between rounds


def test_players_change_seats_with_their_points() -> None:  # section 8, seat_rotation_plan
    mcr = rules(seat_rotation_plan=ROTATION)
    match = played(3, mcr, HandResult((0,), (30, -5, -10, -15)))
    assert match.points == (590, 485, 470, 455)
    match = mcr.next_hand(match, DRAWN, 0)
    assert match.points == (485, 590, 455, 470)  # players 1, 0, 3, 2
    for _ in range(4):
        match = mcr.next_hand(match, DRAWN, 0)
    assert match.points == (470, 455, 485, 590)  # players 2, 3, 1, 0
    for _ in range(8):
        match = mcr.next_hand(match, DRAWN, 0)
    assert (match.over, match.points) == ("circles", (455, 470, 590, 485))  # players 3, 2, 0, 1: as they sit
    assert played(8, rules(), HandResult((0,), (30, -10, -10, -10))).points == (740, 420, 420, 420)


def test_off_board_points_go_along() -> None:
    mcr = rules(seat_rotation_plan=ROTATION)
    match = played(3, mcr)
    match = mcr.next_hand(match, HandResult((), (0, 0, 0, 0), off_board=(-10, 0, 0, 0)), 0)
    assert match.off_board == (0, -10, 0, 0)
    assert mcr.game_points(match) == (500, 490, 500, 500)


# --- T53, T63 penalties


def test_a_penalty_goes_to_nobody_or_where_the_referee_says() -> None:  # T53
    mcr, now = rules(), situation()
    points = (500, 500, 500, 500)
    taken = mcr.penalty(now, points, 1, 20, "nobody")
    assert (taken.deltas, taken.off_board) == ((0, 0, 0, 0), (0, -20, 0, 0))
    assert mcr.penalty(now, points, 1, 60, 3).deltas == (0, -60, 0, 60)
    assert mcr.penalty(now, points, 0, 10, "each").deltas == (-30, 10, 10, 10)
    match = mcr.next_hand(mcr.first_hand(), HandResult((), (0, 0, 0, 0), off_board=(0, -20, 0, 0)), 0)
    assert sum(mcr.game_points(match)) == 1980  # the four no longer add up to 2000


@pytest.mark.parametrize("amount", [1, 15, 70])
def test_other_amounts_are_refused(amount: int) -> None:  # T53
    with pytest.raises(RulesError, match="expected one of 5, 10, 20, 30, 40, 50, 60"):
        rules().penalty(situation(), (500,) * 4, 0, amount, "nobody")


def test_amounts_of_the_options_are_allowed() -> None:  # T57, T63
    own = rules(false_win_points=15, penalty_scale=[0, 7])
    for amount in (15, 7, 5):
        own.penalty(situation(), (500,) * 4, 0, amount, "nobody")


def test_the_scale_of_penalties_within_a_hand() -> None:  # T63
    late = [rules().proposal("late_claim", count) for count in range(1, 11)]
    assert [proposal.points for proposal in late] == [None, 5, 10, 20, 30, 40, 50, 60, 60, 60]
    assert [proposal.do for proposal in late] == ["warning", *["penalty"] * 9]
    short = rules(penalty_scale=[0, 10])
    assert [short.proposal("over_time", count).points for count in (1, 2, 3)] == [None, 10, 10]
    assert rules().proposal("wrong_tile_count", 1) == Proposal("dead_hand")
    assert rules().proposal("unknown_tag", 1) is None


# --- T54 cards


def test_amounts_in_the_fewest_cards() -> None:  # T12, T54
    assert rules().handed_over([(-1, 1, 0, 0), (-16, 121, -97, -8)]) == (
        Handover(0, {8: 2}),
        Handover(2, {50: 1, 10: 3, 8: 2, 1: 1}),
        Handover(3, {8: 1}),
    )
    assert rules().handed_over([(0, 0, 0, 0)]) == ()
    assert rules(card_values={25: 4, 1: 100}).handed_over([(-30, 30, 0, 0)]) == (Handover(0, {25: 1, 1: 5}),)


@given(st.integers(0, 700))
def test_cards_add_up(amount: int) -> None:  # T54
    found = rounds.cards_for(amount, options())
    assert sum(value * count for value, count in found.items()) == amount
    assert list(found) == sorted(found, reverse=True)


# --- T60–T62


def test_standard_points() -> None:  # T61
    assert rounds.standard_points([540, 500, 480, 479], options()) == (4, 2, 1, 0)
    assert rounds.standard_points([540, 540, 480, 440], options()) == (3, 3, 1, 0)
    assert rounds.standard_points([500, 500, 500, 500], options()) == (Fraction(7, 4),) * 4
    assert rounds.standard_points([540, 480, 480, 500], options()) == (4, Fraction(1, 2), Fraction(1, 2), 2)
    higher = options(tie_standard_points="higher")
    assert rounds.standard_points([540, 540, 480, 480], higher) == (4, 4, 1, 1)
    sixteen = options(group_size=16)
    assert rounds.standard_points(range(16, 0, -1), sixteen) == (16, *range(14, -1, -1))
    with pytest.raises(RulesError, match="4 session points; expected those of a group of 16"):
        rounds.standard_points([1, 2, 3, 4], sixteen)


def result(standard: int, points: int = 500, counts: bool = True) -> SessionResult:
    return SessionResult(points, Fraction(standard), counts)


def test_the_final_ranking() -> None:  # T62
    found = rounds.final_ranks(
        {
            "more standard points": [result(4), result(4)],
            "more points": [result(4, 600), result(2, 500)],
            "a better session": [result(4, 500), result(1, 500), result(1, 50)],
            "level sessions": [result(2, 500), result(2, 500), result(2, 50)],
            "the same": [result(2, 500), result(2, 50), result(2, 500)],
            "last": [result(0, 2000)],
        }
    )
    assert list(found.values()) == [1, 2, 3, 4, 4, 6]


def test_more_sessions_with_the_best_figure_then_the_next_lower() -> None:  # T62
    found = rounds.final_ranks(
        {
            "one best": [result(4), result(2), result(2), result(0)],
            "two best": [result(4), result(4), result(0), result(0)],
            "next lower": [result(4), result(2), result(1), result(1)],
        }
    )
    assert found == {"two best": 1, "one best": 2, "next lower": 3}


def test_a_substitute_does_not_rank() -> None:  # T62
    found = rounds.final_ranks({"dropped out": [result(2), result(4, 600, counts=False)], "stayed": [result(2, 501)]})
    assert found == {"stayed": 1, "dropped out": 2}


def test_teams_rank_by_the_sum_over_their_players() -> None:  # T62
    red = {name: [result(2)] for name in "abcd"}
    blue = {"e": [result(4)], "f": [result(4)], "g": [result(0)], "h": [result(1)], "substitute": [result(0)]}
    assert rounds.team_ranks({"red": red, "blue": blue}) == {"blue": 1, "red": 2}
    with pytest.raises(RulesError, match="team red: 6 players; expected at most 5"):
        rounds.team_ranks({"red": {name: [result(1)] for name in "abcdef"}})
