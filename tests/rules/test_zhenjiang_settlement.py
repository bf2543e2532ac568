"""镇江麻将: payments, holdings, fines, match, tickets, tournament (Z501–Z512, Z601–Z611)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rule_hands import situation, win

from tablectl.rules.api import Handover, HandResult, Incident, MatchState, Points, RulesError, Settlement, Win
from tablectl.rules.registry import load
from tablectl.rules.zhenjiang import tickets
from tablectl.rules.zhenjiang.accounts import fines
from tablectl.rules.zhenjiang.options import Options
from tablectl.rules.zhenjiang.tickets import Tickets
from tablectl.tiles.tile import Tile

RULES = load("zhenjiang")
SIX = ("123p456p678sEEE9m", "9m")  # 脱搭自摸 6
FALSE = ("123p456p678sEEE9m", "8m")


def settled(
    *wins: Win, events: tuple[Incident, ...] = (), points: Points = (50, 50, 50, 50), carry: Any = None, **options: Any
) -> Settlement:
    here = situation(*wins, indicator=Tile.M4, incidents=events, points=points, carry=carry or {})
    return load("zhenjiang", options).settle(here)


# --- Z501–Z507


def test_self_draw_and_discard() -> None:  # Z501, Z502
    assert settled(win(*SIX, seat=2)).payments == (-6, -6, 18, -6)
    assert settled(win(*SIX, seat=2, source=0)).payments == (-4, -2, 8, -2)
    assert settled(win(*SIX, seat=2, source=0), base=3).payments == (-12, -6, 24, -6)


@given(st.permutations((0, 3, 9, 50)), st.integers(0, 2), st.booleans(), st.integers(1, 3))
def test_the_formulae(held: list[int], thrown: int, drawn: bool, base: int) -> None:  # Z512
    facts = tuple(Incident("wildcard_mid", 2, None, {"discard": n}) for n in range(thrown))
    points = (held[0], held[1], held[2], held[3])
    found = settled(win(*SIX, seat=2, source=None if drawn else 0), events=facts, points=points, base=base)
    add_ons = 4 * thrown
    units = {seat: 6 + add_ons if drawn else (4 if seat == 0 else 2) + add_ons for seat in (0, 1, 3)}
    paid = {seat: min(held[seat], base * due) for seat, due in units.items()}
    assert found.payments == tuple(sum(paid.values()) if seat == 2 else -paid[seat] for seat in range(4))
    assert found.verdicts[0].score == base * units[0]


def test_plus_one_by_all_or_by_the_discarder() -> None:  # Z502
    robbed = win("123p456p78sEEE99m", "9s", seat=1, source=3, how=("robbing_kong",))
    thrown = (Incident("wildcard_pung", 1),)
    assert settled(robbed, events=thrown).payments == (-5, 17, -5, -7)
    assert settled(robbed, events=thrown, plus_one_payer="discarder").payments == (-4, 15, -4, -7)
    assert settled(robbed, bonus_rob_kong=5).payments == (-7, 23, -7, -9)


def test_kongs() -> None:  # Z503
    events = (Incident("exposed_kong", 1, 0), Incident("added_kong", 2), Incident("concealed_kong", 3))
    assert settled(events=events).payments == (-4, 0, 0, 4)
    assert settled(events=events, kong_payer="discarder").payments == (-6, 0, 1, 5)
    assert settled(events=events, kong_exposed=0, kong_concealed=3).payments == (-3, -3, -3, 9)
    pay = RULES.pay(situation(indicator=Tile.M4, points=(50, 50, 50, 50)), events[2])
    assert pay.deltas == (-2, -2, -2, 6)


def test_only_tickets_held() -> None:  # Z504, Z505
    found = settled(win(*SIX, seat=2), points=(3, 0, 10, 100))
    assert found.payments == (-3, 0, 9, -6)
    assert found.verdicts[0].score == 6
    events = (Incident("concealed_kong", 1), Incident("concealed_kong", 2))
    assert settled(events=events, points=(3, 0, 10, 100)).payments == (-3, 4, 3, -4)
    assert settled(win(*SIX, seat=2), points=(3, 0, 10, 100), cap_by_holdings=False).payments == (-6, -6, 18, -6)


def test_paying_after_what_was_paid_before() -> None:  # Z504: seat 0 has 1 left after the first kong
    here = situation(indicator=Tile.M4, points=(3, 50, 50, 50), incidents=(Incident("concealed_kong", 1),))
    assert RULES.pay(here, Incident("concealed_kong", 2)).deltas == (-1, -2, 5, -2)


def test_a_drawn_hand() -> None:  # Z506
    found = settled()
    assert found.payments == (0, 0, 0, 0)
    assert [(v.legal, v.reason, dict(v.fans), v.score) for v in found.verdicts] == [(True, None, {}, 0)]


# --- Z204, Z508–Z511


def test_the_nearest_claimant_wins_alone() -> None:  # Z204
    wins = [win(*SIX, seat=seat, source=3) for seat in (2, 1, 0)]
    found = settled(*wins)
    assert [verdict.reason for verdict in found.verdicts] == ["outranked", "outranked", None]
    assert found.payments == found.win_payments[0] == (8, -2, -2, -4)
    assert found.carry == {}  # a lost race costs nothing
    middle = settled(*(win(*SIX, seat=seat, source=1) for seat in (0, 3, 2)))
    assert [verdict.reason for verdict in middle.verdicts] == ["outranked", "outranked", None]
    dead = (Incident("wrong_count", 0),)
    assert [v.reason for v in settled(*wins, events=dead).verdicts] == ["outranked", None, "dead_hand"]


def test_fines_wait_for_the_end_of_the_match() -> None:  # Z508, Z509
    found = settled(win(*FALSE, seat=1))
    assert found.payments == (0, 0, 0, 0)
    assert fines(found.carry) == [(1, 6)]
    more = settled(win(*FALSE, seat=3), events=(Incident("false_win", 2),), carry=found.carry, false_win_units=5)
    assert fines(more.carry) == [(1, 6), (2, 5), (3, 5)]
    assert fines(settled(win(*FALSE, seat=1, how=("flower_replacement",))).carry) == []  # impossible input


def test_fines_on_the_spot() -> None:  # Z509, Z510
    at_once = {"false_win_settle": "at_once"}
    assert settled(win(*FALSE, seat=1), **at_once).payments == (6, -18, 6, 6)
    assert settled(win(*FALSE, seat=1), points=(50, 8, 50, 50), **at_once).payments == (2, -8, 3, 3)
    split = {**at_once, "false_win_payee": "split"}
    assert settled(win(*FALSE, seat=1), **split).payments == (2, -6, 2, 2)
    assert settled(win(*FALSE, seat=1), false_win_units=7, **split).payments == (2, -7, 3, 2)
    assert settled(win(*FALSE, seat=1), **at_once).carry == {}
    uncapped = {**at_once, "cap_by_holdings": False}
    assert settled(win(*FALSE, seat=1), points=(50, 8, 50, 50), **uncapped).payments == (6, -18, 6, 6)


def test_fines_go_before_the_win_in_turn_order() -> None:  # Z509: seat 1 before seat 2, then seat 3 wins
    wins = [win(*SIX, seat=3, source=0), win(*SIX, seat=2, source=0), win(*SIX, seat=1, source=0)]
    dead = (Incident("wrong_count", 1), Incident("wrong_count", 2))
    found = settled(*wins, events=dead, points=(50, 7, 1, 50), false_win_settle="at_once", false_win_units=2)
    assert [verdict.reason for verdict in found.verdicts] == [None, "dead_hand", "dead_hand"]
    # seat 1 pays 2 to each, seat 2 one ticket to each of its three, then the win: 4 from seat 0, 2 from seat 1, 0
    assert found.payments == (-1, -7, -1, 9)


def test_penalties_of_the_referee() -> None:  # Z511
    here = situation(indicator=Tile.M4, points=(50, 50, 50, 50))
    assert RULES.penalty(here, (50, 4, 50, 50), 1, 2, "each").deltas == (1, -4, 2, 1)
    assert RULES.penalty(here, (50, 4, 50, 50), 1, 9, 3).deltas == (0, -4, 0, 4)
    assert RULES.penalty(here, (50, 4, 50, 50), 1, 9, "nobody").off_board == (0, -9, 0, 0)


def test_wins_on_different_tiles_are_an_input_error() -> None:  # Z312
    with pytest.raises(RulesError, match="one discarded or robbed tile"):
        settled(win(*SIX, seat=1), win(*SIX, seat=2))
    with pytest.raises(RulesError, match="seat 2 on 9m from 0"):
        settled(win(*SIX, seat=1, source=3), win(*SIX, seat=2, source=0))


# --- Z601–Z606


def after(
    match: MatchState, *winners: int, minutes: float = 0, deltas: Points = (0, 0, 0, 0), **options: Any
) -> MatchState:
    return load("zhenjiang", options).next_hand(match, HandResult(winners, deltas), minutes)


def test_who_deals_next() -> None:  # Z601
    first = RULES.first_hand()
    assert (first.dealer, first.points) == (0, (50, 50, 50, 50))
    assert (after(first).dealer, after(first).streak) == (0, 1)
    assert (after(first, 0).dealer, after(first, 0).streak) == (0, 1)
    assert (after(first, 2).dealer, after(first, 2).streak) == (1, 0)
    assert after(first, draw_keeps_deal=False).dealer == 1
    assert after(first, 0, dealer_win_keeps_deal=False).dealer == 1


def test_rounds_from_the_first_dealer() -> None:  # Z103, Z602
    match = load("zhenjiang", {"first_dealer": 2}).first_hand()
    seen = []
    for _ in range(6):
        match = after(match, (match.dealer + 1) % 4)
        seen.append((match.dealer, match.circle, match.prevalent))
    assert [dealer for dealer, _, _ in seen] == [3, 0, 1, 2, 3, 0]
    assert [circle for _, circle, _ in seen] == [1, 1, 1, 2, 2, 2]
    assert seen[-1][2] is Tile.SOUTH


def test_end_of_the_match() -> None:  # Z602, Z603
    last = MatchState(points=(50, 50, 50, 50), dealer=3, circle=4, prevalent=Tile.NORTH)
    assert after(last, 0).over == "circles"
    assert after(last, 0, match_rounds=5).over is None
    assert after(last, 3).over is None
    assert after(last, 3, minutes=60).over == "time"
    assert after(last, 3, minutes=59).over is None
    assert after(last, 3, minutes=500, match_minutes=None).over is None
    broken = replace(HandResult((), (0, 0, 0, 0)), broken_off=True)
    assert RULES.next_hand(last, broken, 3).over == "time"
    assert after(last, 3, deltas=(-50, -50, 40, 60)).over == "two_out"
    assert after(last, 3, deltas=(-50, -49, 40, 59)).over is None
    assert after(last, 3, deltas=(-50, -49, 40, 59), out_seats=1).over == "two_out"
    assert after(last, 3, deltas=(-50, -50, 40, 60), out_seats=None).over is None


def test_the_fines_account_is_paid_before_the_ranking() -> None:  # Z606
    carry = settled(win(*FALSE, seat=1)).carry
    match = MatchState(points=(70, 8, 90, 32), carry=carry, over="circles")
    assert RULES.game_points(match) == (72, 0, 93, 35)
    assert RULES.ranks(RULES.game_points(match)) == (2, 4, 1, 3)
    assert RULES.game_points(replace(match, off_board=(0, 0, -5, 0))) == (72, 0, 88, 35)
    assert after(replace(match, over=None, points=(92, 0, 8, 100)), 3).over is None  # the account does not count (D18)


def test_fines_are_paid_in_their_order() -> None:  # Z606: seat 1 first, then seat 2 with what it got
    first = settled(win(*FALSE, seat=1)).carry
    both = settled(win(*FALSE, seat=2), carry=first).carry
    match = MatchState(points=(100, 9, 0, 91), carry=both)
    assert RULES.game_points(match) == (104, 1, 0, 95)


def test_ranking_and_advancing() -> None:  # Z607, Z608
    places = RULES.placings((80, 60, 60, 0))
    assert [(p.rank, p.advances) for p in places] == [(1, True), (2, False), (2, False), (4, False)]
    second = load("zhenjiang", {"stage": "second"})
    assert [p.advances for p in second.placings((80, 60, 60, 0))] == [True, True, True, False]
    three = load("zhenjiang", {"advance_preliminary": 3})
    assert [p.advances for p in three.placings((10, 90, 60, 40))] == [False, True, True, True]
    assert [
        p.advances for p in load("zhenjiang", {"stage": "second", "advance_second": 1}).placings((70, 70, 60, 0))
    ] == [
        True,
        True,
        False,
        False,
    ]
    assert all(p.standard == 0 for p in places)  # no tournament points


# --- Z605 tickets


def test_tickets_at_the_start_and_by_name() -> None:  # Z605
    options = Options()
    assert tickets.at_start(options) == Tickets(4, 10)
    assert tickets.named(12, options) == Tickets(1, 2)
    assert tickets.named(0, options) == Tickets(0, 0)
    assert tickets.at_start(Options(start_points=70)) == Tickets(7, 0)
    fives = Options(start_points=80, large_tickets=3, small_tickets=5, large_value=20, small_value=4)
    assert tickets.at_start(fives) == Tickets(3, 5)
    assert tickets.named(28, fives) == Tickets(1, 2)


def test_handing_over_with_change() -> None:  # Z605
    options = Options()
    exact = tickets.way(Tickets(4, 10), Tickets(4, 10), 12, options)
    assert exact is not None
    assert (exact.paid, exact.change) == (Tickets(1, 2), Tickets(0, 0))
    changed = tickets.way(Tickets(4, 0), Tickets(0, 10), 12, options)
    assert changed is not None
    assert (changed.paid, changed.change) == (Tickets(2, 0), Tickets(0, 8))
    assert tickets.way(Tickets(1, 0), Tickets(3, 5), 4, options) is None
    assert tickets.changer([Tickets(1, 0), Tickets(3, 5), Tickets(0, 15), Tickets(0, 20)], options) == 3
    assert tickets.changer([Tickets(1, 0)] * 4, options) is None


def test_who_gives_change_follows_from_what_was_paid_before() -> None:  # Z605
    def told(*payments: Points) -> Handover:
        (only,) = RULES.handed_over(payments)
        return only

    assert told((-12, 12, 0, 0)) == Handover(0, {10: 1, 1: 2})
    # its small ones are gone: it lays down a large one, and gets change from the seat that has them
    assert told((-9, 9, 0, 0), (-9, 9, 0, 0)) == Handover(0, {10: 1}, {1: {1: 1}})
    # neither has small ones enough: a third seat changes a large one first
    spent: tuple[Points, ...] = ((-9, 0, 0, 9), (0, -9, 0, 9))
    assert told(*spent, (-8, 8, 0, 0)) == Handover(0, {1: 8}, {}, 3)
    # a fine to each: what all three get, and who of them gives change
    assert told((-18, 6, 6, 6)) == Handover(0, {10: 1, 1: 12}, {2: {1: 4}})


def test_tickets_that_cannot_be_changed_are_named_alone() -> None:  # Z605
    rules = load("zhenjiang", {"large_tickets": 5, "small_tickets": 0})
    assert rules.handed_over([(-12, 12, 0, 0)]) == (Handover(0, {10: 1, 1: 2}),)
    uneven = load("zhenjiang", {"large_value": 10, "small_value": 4, "large_tickets": 1, "small_tickets": 10})
    assert uneven.handed_over([(-12, 12, 0, 0), (-13, 0, 13, 0)]) == (Handover(0, {10: 1, 4: 1}),)
