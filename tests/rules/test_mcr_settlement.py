"""国标麻将: who may win, who pays, false wins (T25, T27–T33, T46–T57)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from rule_hands import situation, win

from tablectl.rules.api import Incident, Settlement, Win
from tablectl.rules.mcr import Mcr
from tablectl.rules.registry import load

#: worth 9: 门前清, 平和, 断幺, 喜相逢 twice, 连六
NINE: dict[str, Any] = {"concealed": "234567s23456p88m", "tile": "7p"}
#: one tile away from ready, and two
NEAR: dict[str, Any] = {"concealed": "234m678s3589p", "melds": "[PPP,1]", "tile": "4p"}
FAR: dict[str, Any] = {"concealed": "2346m68s3589p", "melds": "[PPP,1]", "tile": "4p"}


def rules(**options: Any) -> Mcr:
    found = load("mcr", options)
    assert isinstance(found, Mcr)
    return found


def settled(*wins: Win, incidents: tuple[Incident, ...] = (), options: dict[str, Any] | None = None) -> Settlement:
    return rules(**(options or {})).settle(situation(*wins, points=(500, 500, 500, 500), incidents=incidents))


def nine(seat: int = 0, source: int | None = 2) -> Win:
    return win(**NINE, seat=seat, source=source)


# --- T47–T52 payments


def test_on_a_discard_two_pay_the_base_and_one_everything() -> None:  # T47, T49
    found = settled(nine())
    assert found.payments == (33, -8, -17, -8)
    assert found.win_payments == (found.payments,)


def test_self_drawn_everybody_pays_everything() -> None:  # T48
    found = settled(nine(source=None))
    score = found.verdicts[0].score
    assert found.payments == (3 * (8 + score), -8 - score, -8 - score, -8 - score)


def test_who_deals_makes_no_difference_and_points_may_fall_below_zero() -> None:  # T46, T50, T52
    for dealer in range(4):
        poor = situation(nine(), points=(0, 0, 5, 0), dealer=dealer, streak=0)
        assert rules().settle(poor).payments == (33, -8, -17, -8)


def test_the_seat_that_added_the_robbed_tile_pays() -> None:  # T20, T49
    robbed = win("123456m67s55p", "8s", melds="[999p,2]", seat=1, source=2, how=("robbing_kong",))
    found = settled(robbed)
    assert found.verdicts[0].fans["抢杠和"] == 8
    assert found.payments == (-8, 24 + found.verdicts[0].score, -8 - found.verdicts[0].score, -8)


def test_base_and_flower_points_are_options() -> None:  # T47, F81
    flowered = win(**NINE, seat=0, source=2, flowers="abc")
    assert settled(flowered).verdicts[0].score == 12
    assert settled(flowered, options={"flower_points": 2}).verdicts[0].score == 15
    assert "花牌" not in settled(flowered, options={"flower_points": 0}).verdicts[0].fans
    assert settled(nine(), options={"base_points": 4}).payments == (21, -4, -13, -4)


def test_a_draw_moves_nothing_but_what_was_paid_before() -> None:  # T51, T55
    assert settled().payments == (0, 0, 0, 0)
    assert settled().verdicts[0].legal
    earlier = Incident("false_win", 2, None, {"points": 10})
    assert settled(incidents=(earlier,)).payments == (10, 10, -30, 10)
    assert rules().pay(situation(), earlier).deltas == (10, 10, -30, 10)
    assert rules().pay(situation(), Incident("dead_hand", 2)).deltas == (0, 0, 0, 0)


def test_every_way_to_win() -> None:  # T28
    """Self-drawn, also on a replacement; on a discard; by robbing a kong. Who pays follows from the way."""
    hand = {"concealed": "123456m67s55p", "tile": "8s", "melds": "[9999p]", "seat": 1}
    drawn = [settled(win(**hand, how=how)).payments for how in ((), ("kong_replacement",), ("flower_replacement",))]
    assert all(paid[0] == paid[2] == paid[3] < 0 for paid in drawn)
    for how in ((), ("robbing_kong",)):
        paid = settled(win(**hand, source=2, how=(*how, "last_tile"))).payments
        assert paid[2] < paid[0] == paid[3] == -8


# --- T27 the minimum


def test_flowers_do_not_help_to_the_minimum() -> None:  # T27
    seven = win("123m78sEE", "9s", melds="[123s,1][999p,2]", source=1, flowers="abcdefgh")
    assert settled(seven).verdicts[0].reason == "below_minimum"
    assert settled(seven, options={"minimum_points": 7}).verdicts[0].score == 15
    assert settled(nine(), options={"minimum_points": 10}).verdicts[0].reason == "below_minimum"


# --- T29 one winner


def test_the_first_after_the_discarder_wins() -> None:  # T29
    first, second = nine(seat=1, source=0), nine(seat=3, source=0)
    for wins in ((first, second), (second, first)):
        found = settled(*wins)
        order = [each.seat for each in wins]
        assert found.verdicts[order.index(1)].legal
        assert found.verdicts[order.index(3)].reason == "not_first"
        assert found.payments == (-17, 33, -8, -8)
        assert found.win_payments == ((-17, 33, -8, -8),)


def test_a_declaration_that_is_not_legal_falls_out_and_pays() -> None:  # T29, T56, T57
    found = settled(win(**NEAR, seat=1, source=0), nine(seat=3, source=0))
    assert [verdict.reason for verdict in found.verdicts] == ["not_complete_near", None]
    assert found.payments == (-17 + 20, -8 - 60, -8 + 20, 33 + 20)
    assert found.win_payments == ((-17, -8, -8, 33),)


def test_nobody_is_too_late_for_a_refused_hand() -> None:  # T29
    found = settled(nine(seat=1, source=0), win(**NEAR, seat=3, source=0))
    assert [verdict.reason for verdict in found.verdicts] == [None, "not_complete_near"]
    assert found.payments == (-17 + 20, 33 + 20, -8 + 20, -8 - 60)


# --- T31 the announced count


def test_the_smaller_count_stands_where_it_is_announced() -> None:  # T31
    hand = situation(nine())
    announced = rules(score_mode="announced")
    assert announced.settle(replace(hand, announced={0: 8})).payments == (32, -8, -16, -8)
    assert announced.settle(replace(hand, announced={0: 88})).payments == (33, -8, -17, -8)
    assert announced.settle(hand).payments == (33, -8, -17, -8)
    assert rules().settle(replace(hand, announced={0: 8})).payments == (33, -8, -17, -8)


# --- T33, T57 reasons


@pytest.mark.parametrize(
    ("hand", "reason", "each"),
    [
        ({"concealed": "345m78sEE", "tile": "9s", "melds": "[123s,1][999p,2]"}, "below_minimum", 10),
        ({"concealed": "234m678s3455p", "tile": "6p", "melds": "[PPP,1]"}, "wrong_tile", 10),
        (NEAR, "not_complete_near", 20),
        (FAR, "not_complete_far", 0),
        ({"concealed": "123m78sEE99p", "tile": "9s", "melds": "[123s,1][999m,2]"}, "wrong_count", 20),
        ({"concealed": "23456789m55pPPa", "tile": "1m"}, "wrong_count", 20),
        ({"concealed": "23456789m55pPPP", "tile": "a"}, "wrong_tile", 10),  # nobody wins on a flower
    ],
)
@pytest.mark.parametrize("source", [None, 2])
def test_false_wins(hand: dict[str, Any], reason: str, each: int, source: int | None) -> None:  # T33, T57
    found = settled(win(**hand, seat=1, source=source))
    verdict = found.verdicts[0]
    assert (verdict.legal, verdict.reason, dict(verdict.fans), verdict.score) == (False, reason, {}, 0)
    assert found.payments == (each, -3 * each, each, each)
    assert found.win_payments == ()


def test_what_false_wins_cost_is_an_option() -> None:  # T57
    options = {"false_win_points": 5, "false_win_not_ready_points": 30}
    assert settled(win(**NEAR, seat=0, source=1), options=options).payments == (-90, 30, 30, 30)
    wrong = win("234m678s3455p", "6p", melds="[PPP,1]", seat=0, source=1)
    assert settled(wrong, options=options).payments == (-15, 5, 5, 5)


@pytest.mark.parametrize("kind", ["false_win", "dead_hand"])
def test_a_barred_seat_does_not_win(kind: str) -> None:  # T25, T33, T57
    found = settled(nine(), incidents=(Incident(kind, 0),))
    assert found.verdicts[0].reason == "barred"
    assert found.payments == (-60, 20, 20, 20)
    assert settled(nine(), incidents=(Incident(kind, 1),)).verdicts[0].legal


def test_reasons_in_their_order() -> None:  # T33
    short = win("234567s2345p88m", "7p", source=2)
    assert settled(short, incidents=(Incident("dead_hand", 0),)).verdicts[0].reason == "wrong_count"
    cheap = win("123m78sEE", "9s", melds="[123s,1][999p,2]", source=1)
    assert settled(cheap, incidents=(Incident("false_win", 0),)).verdicts[0].reason == "barred"


@pytest.mark.parametrize(
    ("concealed", "melds"), [("123456789m1p", "[111p,1]"), ("1111m23456789m", ""), ("345m7789p", "[9999p][EEE,1]")]
)
def test_five_of_a_kind_are_no_hand(concealed: str, melds: str) -> None:  # T1
    tile = {"123456789m1p": "1p", "1111m23456789m": "1m", "345m7789p": "7p"}[concealed]
    verdict = settled(win(concealed, tile, melds=melds, source=1)).verdicts[0]
    assert not verdict.legal
    assert verdict.reason != "below_minimum"


def test_distance_over_all_shapes() -> None:  # T57: seven pairs, orphans, scattered and knitted count too
    ready = ["1199m1199p99sEEC", "19m19p19sESWNCFP", "147m258p369sESWN", "147m258p36sWW555s"]
    assert [settled(win(hand, "2m", source=1)).verdicts[0].reason for hand in ready] == ["wrong_tile"] * 4
    near = ["1199m1199p9sEECF", "19m19p19sESWNCF2s", "147m258p369sESW2m", "147m258p36sWW556s"]
    assert [settled(win(hand, "3m", source=1)).verdicts[0].reason for hand in near] == ["not_complete_near"] * 4
