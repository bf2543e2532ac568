"""天津麻将: stakes, kongs, chan, refused wins, the session (T501–T511, T601–T603)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from rule_hands import situation, win

from tablectl.rules.api import HandResult, Incident, MatchState, Points, RulesError, Settlement, Situation
from tablectl.rules.registry import load
from tablectl.tiles.tile import Tile

RULES = load("tianjin")
#: T504: the dealer sits; seat 1 does not pull, seat 2 once, seat 3 twice
STAKES = {"sit": True, "pull": {1: 0, 2: 1, 3: 2}}
TWO = ("123m456p789s444p7m", "7m")  # 素提溜 2
THREE = ("46m123p777s99p123s", "E")  # 捉五 3


def settled(*wins: Any, incidents: tuple[Incident, ...] = (), stakes: Any = STAKES, **options: Any) -> Settlement:
    here = situation(*wins, incidents=incidents, stakes=stakes, indicator=Tile.EAST, points=(0, 0, 0, 0))
    return load("tianjin", options).settle(here)


def paid(kind: str, seat: int, source: int | None = None, *, stakes: Any = STAKES, **options: Any) -> Points:
    here = Situation(stakes=stakes, indicator=Tile.EAST)
    return load("tianjin", options).pay(here, Incident(kind, seat, source)).deltas


# --- T501–T504


def test_worked_numbers() -> None:  # T502, T503, T504
    assert settled(win(*THREE, seat=2)).payments == (-12, -3, 18, -3)
    assert settled(win(*THREE, seat=3)).payments == (-24, -3, -3, 30)
    assert settled(win(*TWO, seat=0)).payments == (28, -4, -8, -16)
    not_sitting = {"pull": {2: 1, 3: 2}}
    assert settled(win(*TWO, seat=0), stakes=not_sitting).payments == (14, -2, -4, -8)


def test_factors_and_unit() -> None:  # T501, T502
    options = {"sit_factor": 3, "pull_factor": 5, "unit": 2}
    assert settled(win(*TWO, seat=2), **options).payments == (-60, -4, 68, -4)


def test_without_stakes_nothing_is_doubled() -> None:  # T501
    assert settled(win(*TWO, seat=0), stakes={}).payments == (6, -2, -2, -2)


def test_win_payments_stand_apart_from_events() -> None:
    found = settled(win(*TWO, seat=1), incidents=(Incident("concealed_kong", 3),), stakes={})
    assert found.payments == (-4, 4, -4, 4)
    assert found.win_payments == ((-2, 6, -2, -2),)


# --- T505–T510


def test_kongs_by_kind() -> None:  # T505, T507
    assert paid("concealed_kong", 3) == (-16, -2, -2, 20)
    assert paid("concealed_kong", 0) == (28, -4, -8, -16)
    assert paid("exposed_kong", 1, 2) == (-2, 4, -1, -1)
    assert paid("exposed_kong", 1) == paid("added_kong", 1) == (-2, 4, -1, -1)
    assert paid("gold_kong", 2, stakes={}) == (-4, -4, 12, -4)


def test_the_discarder_alone_pays_where_a_house_says_so() -> None:  # T505
    option = {"exposed_kong_payer": "discarder"}
    assert paid("exposed_kong", 1, 2, **option) == (0, 3, -3, 0)
    assert paid("exposed_kong", 3, 0, **option) == (-24, 0, 0, 24)
    assert paid("exposed_kong", 1, None, **option) == (-2, 4, -1, -1)
    assert paid("added_kong", 1, None, **option) == (-2, 4, -1, -1)


def test_chan_the_documents_example() -> None:  # T506
    assert paid("chan", 0) == (-14, 2, 4, 8)
    assert paid("chan", 0, chan=0) == (0, 0, 0, 0)
    assert paid("chan", 0, exposed_kong=2) == (-28, 4, 8, 16)
    assert paid("chan", 0, chan_enabled=False) == (0, 0, 0, 0)


def test_facts_pay_nothing() -> None:  # T510
    assert paid("wild_discard", 1) == paid("dead_hand", 1) == (0, 0, 0, 0)


def test_a_drawn_hand_is_kongs_and_chan() -> None:  # T505, T509
    events = (Incident("concealed_kong", 2), Incident("chan", 0))
    found = settled(incidents=events, stakes={})
    assert found.payments == (-5, -1, 7, -1)
    assert [(v.legal, v.reason, dict(v.fans), v.score) for v in found.verdicts] == [(True, None, {}, 0)]
    assert settled(incidents=events, stakes={}, kongs_paid_on_draw=False).payments == (-3, 1, 1, 1)
    refused = settled(win("123m456p789s444p7m", "8m", seat=1), incidents=events, stakes={}, kongs_paid_on_draw=False)
    assert refused.payments == (-5, -1, 7, -1)  # the hand is not drawn yet


def test_false_win() -> None:  # T511
    assert settled(win("123m456p789s444p7m", "8m", seat=1)).payments == (0, 0, 0, 0)
    assert settled(win("123m456p789s444p7m", "8m", seat=1), false_win_penalty=4, unit=9).payments == (4, -12, 4, 4)


def test_dead_hands_cannot_win() -> None:  # T211, T310.9, T510, T701
    wild, dead = Incident("wild_discard", 1), Incident("dead_hand", 1)
    reasons = [settled(win(*TWO, seat=1), incidents=events).verdicts[0].reason for events in ((dead, wild), (dead,))]
    assert reasons == ["small_xianggong", "dead_hand"]
    assert settled(win(*TWO, seat=2), incidents=(dead, wild)).verdicts[0].legal


def test_impossible_situations_are_input_errors() -> None:  # T205, T301, T510
    here = Situation(
        dealer=2,
        indicator=Tile.EAST,
        stakes={"pull": {0: 3, 2: 1}},
        incidents=(Incident("chan", 0), Incident("chan", 2)),
        wins=(win(*TWO, seat=0), win(*TWO, seat=1)),
    )
    with pytest.raises(RulesError) as told:
        load("tianjin").settle(here)
    assert [problem.split(":")[0] for problem in told.value.problems] == [
        "wins",
        "events",
        "events",
        "stakes.pull",
        "stakes.pull",
    ]
    with pytest.raises(RulesError, match="pulls 2 times; expected 0 to 1"):
        load("tianjin", {"pull_max": 1}).settle(Situation(stakes={"pull": {1: 2}}))


def test_two_seats_that_claim_one_discard_are_both_refused() -> None:  # T301
    wins = [win(*TWO, seat=seat, source=0) for seat in (1, 2)]
    assert [verdict.reason for verdict in settled(*wins).verdicts] == ["discard_win", "discard_win"]


# --- T601–T603


def after(match: MatchState, *winners: int, minutes: float = 0, **options: Any) -> MatchState:
    return load("tianjin", options).next_hand(match, HandResult(winners, (1, -1, 0, 0)), minutes)


def test_who_deals_next() -> None:  # T201, T601
    first = RULES.first_hand()
    assert (first.dealer, first.points, first.hand, first.circle) == (0, (0, 0, 0, 0), 1, 1)
    kept = after(first, 0)
    assert (kept.dealer, kept.streak, kept.hand, kept.points) == (0, 1, 2, (1, -1, 0, 0))
    assert (after(kept).dealer, after(kept).streak) == (0, 2)
    assert after(kept, draw_keeps_deal=False).dealer == 1
    passed = after(kept, 3)
    assert (passed.dealer, passed.streak) == (1, 0)  # to the next seat, whoever won


def test_a_void_hand_is_played_again() -> None:
    match = MatchState(points=(5, -5, 0, 0), dealer=2, streak=1, hand=7)
    again = RULES.next_hand(match, HandResult((), (0, 0, 0, 0), void=True), 0)
    assert again == replace(match)


def test_end_of_the_session() -> None:  # T603
    last = MatchState(points=(0, 0, 0, 0), dealer=3, circle=4, prevalent=Tile.NORTH, hand=16)
    assert after(last, 3).over is None
    over = after(last, 0)
    assert (over.over, over.circle, over.prevalent) == ("circles", 4, Tile.NORTH)
    assert after(last, 0, match_rounds=None).over is None
    assert after(last, 0, match_rounds=None).circle == 5
    assert after(last, 3, match_hands=16).over == "hands"
    assert after(last, 3, match_hands=17).over is None
    assert after(last, 3, match_minutes=60, minutes=60).over == "time"
    assert after(last, 3, match_minutes=60, minutes=59.5).over is None
    first_round = MatchState(points=(0, 0, 0, 0), dealer=3)
    assert (after(first_round, 1).circle, after(first_round, 1).prevalent) == (2, Tile.SOUTH)


def test_ranking_shares_places() -> None:  # T603
    assert RULES.ranks((5, -10, 5, 0)) == (1, 4, 1, 3)
