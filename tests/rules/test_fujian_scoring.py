"""福建麻将: the streak and its steps, swimming gold, proof (T303–T308, T406–T411, T601)."""

from __future__ import annotations

from typing import Any

import pytest
from rule_hands import situation, win

from tablectl.rules.api import NO_POINTS, FanProof, HandResult, MatchState, Win
from tablectl.rules.registry import load
from tablectl.tiles.notation import parse_tile

FULL = load("fujian", {"count": "full"})
PLAIN: dict[str, Any] = {"concealed": "123m789m456p22s78s", "melds": "[NNNN,3]", "tile": "6s"}
SWIM: dict[str, Any] = {"concealed": "123m456m789m345p678s1p", "tile": "W"}


def proof(found: Win, indicator: str, rules: Any = FULL) -> dict[str, FanProof]:
    (verdict,) = rules.settle(situation(found, indicator=parse_tile(indicator))).verdicts
    assert sum(entry.value for entry in verdict.proof) == sum(verdict.fans.values())
    return {entry.name: entry for entry in verdict.proof}


# --- the streak


def test_a_streak_through_a_match() -> None:  # T408–T410, T601
    """Plain, plain, self-draw, then a swimming gold: 30 + (5+5+10) + 3X."""
    match = FULL.first_hand()
    hands = [
        (win(**PLAIN, source=1), {"屁胡": 10, "大字光杠": 3}, 13),
        (win(**PLAIN, source=1), {"屁胡": 10, "连庄": 5, "大字光杠": 3}, 18),
        (win(**PLAIN), {"自摸": 20, "连庄": 10, "大字光杠": 3}, 36),
        (win(**SWIM), {"游金": 30, "连庄": 20, "金": 1}, 53),
    ]
    for declared, fans, score in hands:
        indicator = parse_tile("1p")
        here = situation(declared, dealer=match.dealer, streak=match.streak, carry=match.carry, indicator=indicator)
        settled = FULL.settle(here)
        assert (dict(settled.verdicts[0].fans), settled.verdicts[0].score) == (fans, score)
        match = FULL.next_hand(match, HandResult((0,), settled.payments, carry=settled.carry), 0)
    assert match.carry == {"pi": 2, "zimo": 1, "youjin": 1}
    assert (match.streak, match.points) == (4, (360, -120, -120, -120))
    passed = FULL.next_hand(match, HandResult((2,), NO_POINTS, carry=match.carry), 0)
    assert (passed.dealer, passed.streak, passed.carry) == (1, 0, {})


def test_another_seats_win_ends_the_history() -> None:  # T408
    declared = win(**PLAIN, seat=2, source=1)
    settled = FULL.settle(situation(declared, streak=2, carry={"pi": 2}, indicator=parse_tile("1p")))
    assert settled.carry == {}
    assert "连庄" not in settled.verdicts[0].fans


def test_a_refused_win_changes_no_history() -> None:
    declared = win("123m789m456p22s79s", "6s", melds="[NNNN,3]", source=1)
    settled = FULL.settle(situation(declared, streak=2, carry={"pi": 2}, indicator=parse_tile("1p")))
    assert (settled.verdicts[0].reason, settled.carry) == ("not_complete", {"pi": 2})


def test_a_deal_kept_in_a_drawn_hand_adds_nothing() -> None:  # T408, draw_keeps_deal
    rules = load("fujian", {"count": "full", "draw_keeps_deal": True})
    match = MatchState(NO_POINTS, streak=1, carry={"zimo": 1})
    drawn = rules.settle(situation(streak=1, carry=match.carry))
    match = rules.next_hand(match, HandResult((), NO_POINTS, carry=drawn.carry), 0)
    assert (match.dealer, match.streak, match.carry) == (0, 2, {"zimo": 1, "draw": 1})
    here = situation(win(**PLAIN, source=1), streak=2, carry=match.carry, indicator=parse_tile("1p"))
    assert rules.settle(here).verdicts[0].fans["连庄"] == 10
    void = rules.next_hand(match, HandResult((), NO_POINTS, carry=match.carry, void=True), 0)
    assert (void.dealer, void.streak, void.carry) == (0, 2, {"zimo": 1, "draw": 1})


@pytest.mark.parametrize(
    ("options", "streak", "steps"),
    [
        ({"streak_history": ["zimo"]}, 1, 10),
        ({"streak_history": ["youjin", "draw", "pi"]}, 3, 20),
        ({}, 2, 10),
        ({"streak_history": ["zimo"]}, 2, 15),  # what is not told counts as a plain win
        ({"streak_history": ["zimo", "zimo"]}, 0, 0),  # a hand of the first deal has none
    ],
)
def test_steps_of_a_case(options: dict[str, Any], streak: int, steps: int) -> None:  # T405, T408
    rules = load("fujian", {"count": "full", **options})
    here = situation(win(**PLAIN, source=1), streak=streak, indicator=parse_tile("1p"))
    assert rules.settle(here).verdicts[0].fans.get("连庄", 0) == steps


def test_simple_steps_count_every_kept_deal() -> None:  # T411
    rules = load("fujian", {"simple_streak_step": 2})
    plain = win("123m456m789m11p46p234s", "5p", source=3)
    here = situation(plain, streak=3, carry={"zimo": 2, "draw": 1}, indicator=parse_tile("9s"))
    assert dict(rules.settle(here).verdicts[0].fans) == {"屁胡": 2, "连庄": 6}


# --- readings and their proof


def test_reading_of_a_swimming_gold() -> None:  # T306
    (verdict,) = FULL.settle(situation(win(**SWIM), indicator=parse_tile("1p"))).verdicts
    assert verdict.reading == "123m 456m 789m 345p 678s WW*"
    assert proof(win(**SWIM), "1p")["游金"].sets == ("WW*",)
    (verdict,) = FULL.settle(situation(win(**SWIM | {"tile": "1p"}), indicator=parse_tile("1p"))).verdicts
    assert verdict.reading.endswith("**")


def test_reading_with_triplets() -> None:  # T303, T304
    found = win("111222333m456p99s78s", "9s")
    (verdict,) = FULL.settle(situation(found, indicator=parse_tile("5m"))).verdicts
    assert verdict.reading == "111m 222m 333m 456p 789s 99s"
    shown = proof(found, "5m")
    assert shown["数牌暗刻"].sets == ("111m", "222m", "333m")
    assert "游金" not in shown


def test_proof_says_why_it_is_no_swim() -> None:  # T306
    heavenly = win(**SWIM | {"tile": "5s"}, how=["heavenly"])
    assert "dealt hand" in proof(heavenly, "1p")["游金"].refused
    two = win("123m456m789m123p9s45s7p", "6s", seat=1)
    assert "did not wait on every tile" in proof(two, "7p")["游金"].refused


def test_proof_says_what_is_worth_nothing() -> None:  # T407
    pung = win("123m456m22s789p46s", "5s", melds="[888s,2]", seat=1, source=3)
    assert "worth nothing" in proof(pung, "9m")["数牌碰"].refused
    claimed = win("44p123m456m789m234s66s", "4p", seat=2, source=1)
    assert "not in hand" in proof(claimed, "9p")["数牌暗刻"].refused
    simple = load("fujian")
    odd = win("234m345m678p111s44s56p", "7p", source=2, flowers="N")
    assert "1 over" in proof(odd, "9m", simple)["花"].refused
    kong = win("WWW123s456m789p4s", "4s", melds="[1111m,2]", source=2)
    shown = proof(kong, "9m")
    assert (shown["数牌光杠"].sets, shown["大字暗刻"].sets) == (("[1111m]",), ("WWW",))
    assert (shown["数牌光杠"].paragraph, shown["屁胡"].paragraph) == ("T407", "T305")


def test_reading_of_three_golds_without_shape() -> None:  # T308
    rules = load("fujian", {"three_gold_win": True})
    (verdict,) = rules.settle(situation(win("13379m12458p134679s", "3m", seat=3), indicator=parse_tile("3m"))).verdicts
    assert (verdict.legal, verdict.reading) == (True, "133379m12458p134679s")
