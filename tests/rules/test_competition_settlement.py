"""竞技麻将: payments, caps, losing finishes, liability (J60–J92, J100, J101)."""

from __future__ import annotations

from typing import Any

import pytest
from rule_hands import situation, win

from tablectl.rules.api import NO_POINTS, Incident, Payment, Points, RulesError, Settlement, Win
from tablectl.rules.competition.liability import hung_range
from tablectl.rules.registry import load
from tablectl.tiles.notation import parse_tile

PAIRS = "113355m7799p22sE"  # 七对, waits on E: 30


def settled(*wins: Win, options: dict[str, Any] | None = None, **more: Any) -> Settlement:
    return load("competition", options).settle(situation(*wins, **more))


def paid(*wins: Win, **more: Any) -> Points:
    return settled(*wins, **more).payments


# --- J60–J69 kongs, chase, double play, cap


@pytest.mark.parametrize(
    ("incident", "expected"),
    [
        (Incident("exposed_kong", 1, 3), (0, 12, 0, -12)),  # J62
        (Incident("added_kong", 1), (-4, 12, -4, -4)),  # J63
        (Incident("exposed_kong", 1), (-4, 12, -4, -4)),  # J63: without a discarder
        (Incident("concealed_kong", 1), (-6, 18, -6, -6)),  # J64
        (Incident("flower_kong", 1), (-8, 24, -8, -8)),  # J64
        (Incident("chase", 1), (4, -12, 4, 4)),  # J66
        (Incident("bao", 1, 0), NO_POINTS),  # J91
        (Incident("hung", 1), NO_POINTS),
        (Incident("inserted", 1), NO_POINTS),
        (Incident("dead_hand", 1), NO_POINTS),
    ],
)
def test_what_an_incident_moves(incident: Incident, expected: Points) -> None:
    rules = load("competition")
    assert rules.pay(situation(), incident) == Payment(expected)
    assert paid(incidents=[incident]) == expected
    doubled = tuple(2 * amount for amount in expected)
    assert paid(incidents=[incident], streak=1) == doubled  # J60
    assert paid(incidents=[incident], streak=4) == doubled
    assert paid(incidents=[incident], streak=4, options={"double_play_scope": "wins"}) == expected
    assert paid(incidents=[incident], streak=4, options={"double_play_factor": 1}) == expected


def test_every_incident_a_case_may_hold_can_be_paid() -> None:  # J91
    rules = load("competition")
    assert {kind for kind in rules.incident_kinds if any(rules.pay(situation(), Incident(kind, 0, 1)).deltas)} == {
        "exposed_kong",
        "added_kong",
        "concealed_kong",
        "flower_kong",
        "chase",
    }


def test_payments_come_in_time_order_each_limited() -> None:  # J61, J69
    chase, kong = Incident("chase", 0), Incident("concealed_kong", 0)
    assert paid(incidents=[chase], points=(10, 100, 145, 145)) == (-10, 4, 4, 2)
    assert paid(incidents=[kong, chase], points=(10, 100, 145, 145)) == (6, -2, -2, -2)
    assert paid(incidents=[chase], points=(10, 100, 145, 145), options={"cap": "none"}) == (-12, 4, 4, 4)


def test_pay_comes_after_the_incidents_before_it() -> None:  # J61
    before = situation(points=(100, 3, 100, 197), incidents=[Incident("concealed_kong", 0)])
    assert load("competition").pay(before, Incident("concealed_kong", 2)) == Payment((-6, 0, 12, -6))


def test_win_payments() -> None:  # J68
    assert paid(win(PAIRS, "E", seat=1, source=0)) == (-60, 60, 0, 0)
    assert paid(win(PAIRS, "E", seat=1)) == (-30, 90, -30, -30)
    assert paid(win(PAIRS, "E", seat=1, source=0, how=["robbing_kong"])) == (-90, 90, 0, 0)
    assert paid(win(PAIRS, "E", seat=1), streak=1) == (-60, 180, -60, -60)
    factors = {"discard_factor": 1, "self_draw_factor": 2, "robbed_factor": 1}
    assert paid(win(PAIRS, "E", seat=1, source=0), options=factors) == (-30, 30, 0, 0)
    assert paid(win(PAIRS, "E", seat=1), options=factors) == (-60, 180, -60, -60)


def test_an_exhaustive_draw_keeps_kongs() -> None:  # J33, J65, J92
    found = settled(incidents=[Incident("concealed_kong", 0)])
    (verdict,) = found.verdicts
    assert (verdict.legal, verdict.reason, verdict.fans, verdict.score) == (True, None, {}, 0)
    assert found.payments == (18, -6, -6, -6)


# --- J70–J74 several winners, empty seats


def both(source: int = 3) -> list[Win]:
    return [win(PAIRS, "E", seat=1, source=source), win("EE123456789m99p", "E", seat=0, source=source)]


def test_several_winners_are_paid_in_order_from_the_discarder() -> None:  # J70
    found = settled(*both(), points=(100, 100, 135, 65))
    assert [verdict.score for verdict in found.verdicts] == [30, 18]
    assert found.payments == (36, 29, 0, -65)
    assert found.win_payments == ((0, 29, 0, -29), (36, 0, 0, -36))
    assert settled(*reversed(both()), points=(100, 100, 135, 65)).payments == found.payments


def test_first_only_is_an_option() -> None:  # J47
    found = settled(*both(), options={"multiple_winners": "first"})
    assert [(v.legal, v.reason, dict(v.fans), v.score) for v in found.verdicts] == [
        (False, "not_first", {}, 0),
        (True, None, {"清龙": 10, "门清": 8}, 18),
    ]
    assert found.payments == (36, 0, 0, -36)
    false_first = win("234m567p34567s88m", "8s", seat=0, source=3)
    second = settled(win(PAIRS, "E", seat=1, source=3), false_first, options={"multiple_winners": "first"})
    assert [verdict.reason for verdict in second.verdicts] == [None, "no_fan"]


def test_a_win_on_a_seat_without_points_costs_the_offender() -> None:  # J73, J74
    empty = (100, 100, 200, 0)
    found = settled(win(PAIRS, "E", seat=1, source=3), points=empty)
    (verdict,) = found.verdicts
    assert (verdict.legal, verdict.reason, verdict.score) == (False, "discarder_no_points", 30)
    assert found.payments == (10, -90, 10, 70)
    assert found.win_payments == ()
    robbed = paid(win(PAIRS, "E", seat=1, source=3, how=["robbing_kong"]), points=(100, 150, 150, 0))
    assert robbed == (10, -120, 10, 100)
    allowed = settled(win(PAIRS, "E", seat=1, source=3), points=empty, options={"win_from_empty": True})
    assert (allowed.verdicts[0].legal, allowed.payments) == (True, NO_POINTS)


def test_the_fine_goes_round_from_the_offender() -> None:  # J74
    points = (100, 75, 225, 0)  # 60 to the discarder, then 10 to seat 2, and the last 5 to him again
    assert paid(win(PAIRS, "E", seat=1, source=3), points=points) == (0, -75, 10, 65)


def test_none_of_several_winners_is_on_an_empty_seat_because_an_earlier_one_was_paid() -> None:  # J73
    found = settled(*both(), points=(100, 100, 164, 36))
    assert all(verdict.legal for verdict in found.verdicts)
    assert found.payments == (36, 0, 0, -36)


# --- J72, J75–J79 losing finish


def test_one_seat_at_nothing_ends_nothing() -> None:  # J72
    rules = load("competition")
    assert not rules.broken_off((0, 100, 150, 150))
    assert rules.broken_off((0, 0, 150, 250))
    assert load("competition", {"bust_seats_to_end": 1}).broken_off((0, 100, 150, 150))


def test_a_win_may_not_end_the_game_behind_another() -> None:  # J75
    points = (40, 0, 20, 340)
    found = settled(win(PAIRS, "E"), points=points)
    assert (found.verdicts[0].reason, found.verdicts[0].score, found.payments) == ("losing_finish", 30, NO_POINTS)
    assert settled(win(PAIRS, "E"), points=points, options={"losing_finish": "off"}).verdicts[0].legal


def test_a_tie_for_first_is_first() -> None:  # J75
    points = (125, 0, 30, 215)
    found = settled(win(PAIRS, "E"), points=points)  # 185, 0, 0, 185
    assert found.verdicts[0].legal
    assert found.payments == (60, 0, -30, -30)
    strict = settled(win(PAIRS, "E"), points=points, options={"tie_counts_as_first": False})
    assert strict.verdicts[0].reason == "losing_finish"


def test_several_winners_are_judged_one_after_the_other() -> None:  # J75, J70
    # seat 3 has 50 left after seat 0; seat 1 would take all of it with seat 2 at nothing already, seat 0 leading
    found = settled(*both(), points=(290, 24, 0, 86))
    assert [verdict.reason for verdict in found.verdicts] == ["losing_finish", None]
    assert found.payments == (36, 0, 0, -36)


def test_a_kong_that_would_end_the_game_goes_off_board() -> None:  # J76, J111
    rules = load("competition")
    worked = situation(points=(70, 4, 0, 326))
    assert rules.pay(worked, Incident("concealed_kong", 0)) == Payment(NO_POINTS, (18, -6, -6, -6))
    void = load("competition", {"kong_at_losing_finish": "void"})
    assert void.pay(worked, Incident("concealed_kong", 0)) == Payment(NO_POINTS)
    found = settled(incidents=[Incident("concealed_kong", 0)], points=(70, 4, 0, 326))
    assert (found.payments, found.off_board) == (NO_POINTS, (18, -6, -6, -6))


def test_a_kong_of_the_leader_is_paid_and_ends_the_game() -> None:  # J76
    rules = load("competition")
    payment = rules.pay(situation(points=(326, 4, 0, 70)), Incident("concealed_kong", 0))
    assert payment == Payment((10, -4, 0, -6))
    assert rules.broken_off((336, 0, 0, 64))


def test_a_chase_that_would_end_the_game_goes_off_board_always() -> None:  # J77
    rules = load("competition")
    payment = rules.pay(situation(points=(8, 0, 0, 392)), Incident("chase", 0))
    assert payment == Payment((-8, 4, 4, 0))  # the seats at nothing receive something first
    one_is_enough = load("competition", {"bust_seats_to_end": 1})
    payment = one_is_enough.pay(situation(points=(10, 100, 5, 285)), Incident("chase", 0))
    assert payment == Payment(NO_POINTS, (-12, 4, 4, 4))
    payment = rules.pay(situation(points=(4, 100, 0, 296)), Incident("chase", 0))
    assert payment == Payment(NO_POINTS, (-12, 4, 4, 4))


# --- J80–J88 liability

DRAGON = {"concealed": "78s66m", "tile": "9s"}  # with chows 123m, 456p: 花龙 10


def test_feeding_the_first_three_claims() -> None:  # J80
    fed = "[123m,1][456p,1][EEE,1]"
    assert paid(win(**DRAGON, melds=fed, seat=1)) == (-30, 30, 0, 0)
    assert paid(win(**DRAGON, melds=fed, seat=1, source=0)) == (-30, 30, 0, 0)  # J86
    assert paid(win(**DRAGON, melds=fed, seat=1, source=2)) == (-30, 30, 0, 0)
    third = {"liability_third_party": "discarder"}
    assert paid(win(**DRAGON, melds=fed, seat=1, source=2), options=third) == (0, 20, -20, 0)
    assert paid(win(**DRAGON, melds=fed, seat=1, source=0), options=third) == (-30, 30, 0, 0)
    assert paid(win(**DRAGON, melds=fed, seat=1), options=third) == (-30, 30, 0, 0)
    assert paid(win(**DRAGON, melds=fed, seat=1), options={"liability_claims": 0}) == (-10, 30, -10, -10)
    assert paid(win(**DRAGON, melds="[123m,1][456p,1][EEE,2]", seat=1)) == (-10, 30, -10, -10)


def test_which_melds_are_claims() -> None:  # J80, D26
    skipped = {"liability_counts_kongs": False}
    exposed = win(**DRAGON, melds="[123m,1][456p,1][EEEE,1]", seat=1)
    assert paid(exposed) == (-30, 30, 0, 0)
    assert paid(exposed, options=skipped) == (-10, 30, -10, -10)
    added = win(**DRAGON, melds="[123m,1][456p,1][EEEE,5]", seat=1)  # a pung from the previous seat, extended
    assert paid(added, options=skipped) == (-30, 30, 0, 0)
    concealed = win("8p", "8p", melds="[EEEE][123m,1][456p,1][789s,1]", seat=1)  # 花龙 10, 单张和牌 4
    assert paid(concealed) == (-42, 42, 0, 0)
    later = win("8p", "8p", melds="[EEE,2][123m,1][456p,1][789s,1]", seat=1)  # 花龙 10, 全求独钓 20
    assert paid(later) == (-30, 90, -30, -30)


def test_feeder_and_fed_are_liable_for_each_other() -> None:  # J80, J81
    bao = Incident("bao", 2, 1)  # the first three claims of seat 2 came from seat 1
    assert paid(win(PAIRS, "E", seat=1), incidents=[bao]) == (0, 90, -90, 0)
    assert paid(win(PAIRS, "E", seat=2), incidents=[bao]) == (0, -90, 90, 0)
    assert paid(win(PAIRS, "E", seat=1), incidents=[bao], options={"liability_mutual": False}) == (-30, 90, -30, -30)
    assert paid(win(PAIRS, "E", seat=3), incidents=[bao]) == (-30, -30, -30, 90)


def test_one_suit_on_the_table() -> None:  # J82
    melds = "[123p,1][456p,2][777p,3]"
    pure, mixed = win("55p88p", "8p", melds=melds, seat=1, source=3), win("55pCC", "C", melds=melds, seat=1, source=3)
    assert paid(pure) == (0, 90, 0, -90)
    assert paid(mixed) == (0, 40, 0, -40)
    assert paid(pure, options={"pure_suit_liability": False}) == (0, 60, 0, -60)
    assert paid(win("55p88p", "8p", melds=melds, seat=1)) == (-30, 90, -30, -30)
    with_kong = win("8p", "8p", melds="[123p,1][456p,2][777p,3][EEEE]", seat=1, source=3)
    assert paid(with_kong)[3] == -2 * settled(with_kong).verdicts[0].score


def test_the_fourth_meld_of_a_suit() -> None:  # J83, D27
    four = "[123s,1][555s,3][678s,2][999s,2]"
    assert paid(win("4s", "4s", melds=four, seat=2)) == (-100, 0, 100, 0)  # 全求独钓 + 清一色, 150 due
    honour = win("E", "E", melds=four, seat=2, source=1)  # 混一色 + 全求独钓: the last tile need not be of the suit
    assert settled(honour).payments == (-100, 0, 100, 0)
    off = {"fourth_meld_liability": False}
    assert settled(honour, options=off).payments == (0, -80, 80, 0)
    assert settled(honour, options={"liability_third_party": "discarder"}).payments == (0, -80, 80, 0)
    on_a_discard = win("4s", "4s", melds=four, seat=2, source=1)  # J82 comes first
    assert settled(on_a_discard).payments == (0, -100, 100, 0)
    mixed = "[123s,1][EEE,3][678s,2][999s,2]"
    assert settled(win("4s", "4s", melds=mixed, seat=2)).payments == (-40, -40, 120, -40)


def test_the_hung_tile() -> None:  # J84
    melds = "[234m,1][888p,2][CCC,3][567s,1]"
    hung = [Incident("hung", 3)]
    assert paid(win("6m", "6m", melds=melds, seat=3, source=0), incidents=hung) == (-60, 0, 0, 60)
    assert paid(win("6m", "6m", melds=melds, seat=3), incidents=hung) == (-20, -20, -20, 60)
    assert paid(win("6m", "6m", melds=melds, seat=3, source=0)) == (-40, 0, 0, 40)
    other = [Incident("hung", 2)]
    assert paid(win("6m", "6m", melds=melds, seat=3, source=0), incidents=other) == (-40, 0, 0, 40)
    exchanged = [*hung, Incident("hung", 3, None, {"count": 0})]
    assert paid(win("6m", "6m", melds=melds, seat=3, source=0), incidents=exchanged) == (-40, 0, 0, 40)
    off = {"hung_tile_range": -1}
    assert paid(win("6m", "6m", melds=melds, seat=3, source=0), incidents=hung, options=off) == (-40, 0, 0, 40)


@pytest.mark.parametrize(
    ("tile", "ranks", "expected"),
    [
        ("5m", 2, "3m 4m 5m 6m 7m"),
        ("1p", 2, "1p 2p 3p"),
        ("9s", 1, "8s 9s"),
        ("E", 2, "E S W N"),
        ("F", 2, "C F P"),
    ],
)
def test_tiles_around_a_hung_tile(tile: str, ranks: int, expected: str) -> None:  # J84
    assert " ".join(sorted(t.code for t in hung_range(parse_tile(tile), ranks))) == " ".join(sorted(expected.split()))


def test_one_rule_decides() -> None:  # J85
    fed = "[123m,1][456p,1][EEE,1]"
    robbed = win(**DRAGON, melds=fed, seat=1, source=2, how=["robbing_kong"])
    assert paid(robbed) == (0, 30, -30, 0)  # (1) the konger, not the feeder
    assert paid(robbed, options={"robbed_factor": 2}) == (0, 20, -20, 0)


def test_of_several_liable_the_discarder_then_the_own_feeder_then_the_earliest() -> None:  # J85 (4)
    fed = "[123m,1][456p,3][EEE,2]"
    two = [Incident("bao", 3, 2), Incident("bao", 0, 2)]  # seat 2 fed both
    assert paid(win(**DRAGON, melds=fed, seat=2), incidents=two) == (0, 0, 30, -30)
    assert paid(win(**DRAGON, melds=fed, seat=2, source=0), incidents=two) == (-30, 0, 30, 0)
    own = "[123m,1][456p,1][EEE,1]"
    assert paid(win(**DRAGON, melds=own, seat=2), incidents=two) == (0, -30, 30, 0)
    assert paid(win(**DRAGON, melds=own, seat=2, source=3), incidents=two) == (0, 0, 30, -30)


def test_liability_is_for_wins_only() -> None:  # J87
    bao = Incident("bao", 2, 1)
    assert paid(incidents=[bao, Incident("concealed_kong", 2)]) == (-6, -6, 18, -6)


# --- J89, J90 false wins


def test_reasons_come_in_order() -> None:  # J90
    dead = [Incident("dead_hand", 0)]
    assert settled(win("12m", "5s"), incidents=dead).verdicts[0].reason == "wrong_tile_count"
    assert settled(win("147m258p36s11s22p1s", "E"), incidents=dead).verdicts[0].reason == "dead_hand"
    empty = {"points": (100, 150, 150, 0)}
    assert settled(win("234m567p34567s88m", "8s", source=3), **empty).verdicts[0].reason == "no_fan"
    assert settled(win(PAIRS, "E", source=3), points=(10, 0, 390, 0)).verdicts[0].reason == "discarder_no_points"


def test_a_false_win_leaves_the_incidents_paid() -> None:  # J89
    found = settled(win("234m567p34567s88m", "8s", source=3), incidents=[Incident("added_kong", 0)])
    assert (found.verdicts[0].score, found.payments) == (0, (12, -4, -4, -4))


# --- J100, J101 penalties


def test_a_penalty_goes_to_a_seat_or_off_board() -> None:
    rules = load("competition")
    here = situation()
    assert rules.penalty(here, (100, 100, 100, 100), 1, 20, 3) == Payment((0, -20, 0, 20))
    assert rules.penalty(here, (100, 15, 100, 185), 1, 20, 3) == Payment((0, -15, 0, 15))
    assert rules.penalty(here, (100, 15, 100, 185), 1, 50, "nobody") == Payment(NO_POINTS, (0, -50, 0, 0))
    assert rules.penalty(here, (100, 100, 100, 100), 1, 10, "each") == Payment((10, -30, 10, 10))


def test_a_penalty_that_would_be_a_losing_finish_goes_off_board() -> None:  # J79
    rules = load("competition")
    assert rules.penalty(situation(), (70, 10, 0, 320), 1, 20, 0) == Payment(NO_POINTS, (20, -20, 0, 0))


def test_penalties_double_only_by_option() -> None:  # J60
    kept = situation(streak=1)
    assert load("competition").penalty(kept, (100,) * 4, 1, 20, 3) == Payment((0, -20, 0, 20))
    doubling = load("competition", {"double_penalties": True})
    assert doubling.penalty(kept, (100,) * 4, 1, 20, 3) == Payment((0, -40, 0, 40))


@pytest.mark.parametrize("amount", [0, 5, 15, 60, -10])
def test_a_penalty_comes_in_units(amount: int) -> None:  # J100
    with pytest.raises(RulesError, match="expected one of 10, 20, 30, 40, 50"):
        load("competition").penalty(situation(), (100,) * 4, 1, amount, 3)
