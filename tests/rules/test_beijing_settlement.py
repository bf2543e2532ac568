"""北京麻将: payments, pot, false win, 烧庄, penalties (T26, T39–T47)."""

from __future__ import annotations

import pytest
from rule_hands import situation, win

from tablectl.rules.api import NO_POINTS, Incident, Points, RulesError
from tablectl.rules.registry import load
from tablectl.tiles.tile import Tile

RULES = load("beijing")
EVEN: Points = (25_000,) * 4
POT = {"pot": 3000}
OPEN = win("678m99m345s78p", "6p", melds="[234p,1]", seat=1, source=2)
BROKEN = win("234m567p1189sCCF", "7s", seat=1, source=2)

# T41: f, V, discard other / dealer wins; self-drawn other wins: from dealer / each other (sum), dealer wins: each (sum)
TABLE = [
    (0, 500, 500, 800, 300, 200, 700, 300, 900),
    (1, 1000, 1000, 1500, 500, 300, 1100, 500, 1500),
    (2, 2000, 2000, 3000, 1000, 500, 2000, 1000, 3000),
    (3, 4000, 4000, 6000, 2000, 1000, 4000, 2000, 6000),
    (4, 8000, 8000, 12_000, 4000, 2000, 8000, 4000, 12_000),
]


def paid(fans: int, seat: int, source: int | None, dealer: int) -> tuple[int, Points]:
    """Score and payments of a concealed hand worth ``fans``."""
    rules = load("beijing", {"fan_values": {"门清": fans}})
    hand = win("345m111p56789sEE", "7s", seat=seat, source=source)
    found = rules.settle(situation(hand, points=EVEN, dealer=dealer))
    return found.verdicts[0].score, found.payments


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"fans{row[0]}")
@pytest.mark.parametrize("dealer", range(4))
def test_the_table_of_payments(row: tuple[int, ...], dealer: int) -> None:  # T31, T39, T41
    fans, value, other, by_dealer, from_dealer, each, total, to_dealer, dealers = row
    seat, third = (dealer + 1) % 4, (dealer + 3) % 4
    for source in (dealer, third):
        score, change = paid(fans, seat, source, dealer)
        assert score == value
        assert (change[seat], change[source]) == (other, -other)
    _, change = paid(fans, dealer, seat, dealer)
    assert (change[dealer], change[seat]) == (by_dealer, -by_dealer)
    _, change = paid(fans, seat, None, dealer)
    assert (change[dealer], change[third], change[seat]) == (-from_dealer, -each, total)
    _, change = paid(fans, dealer, None, dealer)
    assert (change[seat], change[dealer]) == (-to_dealer, dealers)


# --- pot


def test_the_pot_goes_to_the_next_winner() -> None:  # T40
    found = RULES.settle(situation(OPEN, points=EVEN, carry=POT, incidents=[Incident("pot_penalty", 0)]))
    assert found.payments == (-1000, 4500, -500, 0)
    assert found.win_payments == ((0, 4500, -500, 0),)
    assert found.carry == {}


def test_the_pot_stays_in_a_drawn_hand_and_after_a_false_win() -> None:  # T40, T44
    penalty = [Incident("pot_penalty", 2)]
    drawn = RULES.settle(situation(points=EVEN, carry=POT, incidents=penalty))
    assert (drawn.payments, drawn.carry) == ((0, 0, -1000, 0), {"pot": 4000})
    false_win = RULES.settle(situation(BROKEN, points=EVEN, carry=POT, incidents=penalty))
    assert (false_win.payments, false_win.carry) == ((4000, -8000, 1000, 2000), {"pot": 4000})
    assert false_win.win_payments == ()


def test_the_first_of_several_winners_gets_the_pot() -> None:  # T26, T40
    rules = load("beijing", {"multiple_winners": "all"})
    far = win("45p22m678s", "3p", melds="[EEE,1][789m,1]", seat=3, source=1)
    near = win("24p55m678s", "3p", melds="[NNN,1][123m,1]", seat=2, source=1)
    found = rules.settle(situation(far, near, points=EVEN, carry=POT))
    assert found.win_payments == ((0, -500, 0, 500), (0, -500, 3500, 0))
    assert found.payments == (0, -1000, 3500, 500)


def test_a_late_claim_costs_nothing() -> None:  # T26
    far = win("45p22m678s", "3p", melds="[EEE,1][789m,1]", seat=3, source=1)
    near = win("24p55m678s", "3p", melds="[NNN,1][123m,1]", seat=2, source=1)
    found = RULES.settle(situation(far, near, points=EVEN))
    assert [verdict.reason for verdict in found.verdicts] == ["not_first", None]
    assert found.payments == (0, -500, 500, 0)


def test_a_penalty_moves_at_once() -> None:  # T16, T40, T45
    here = situation(points=EVEN)
    assert RULES.pay(here, Incident("pot_penalty", 2)).deltas == (0, 0, -1000, 0)
    assert RULES.pay(here, Incident("pot_penalty", 2, None, {"points": 2000})).deltas == (0, 0, -2000, 0)
    assert RULES.pay(here, Incident("exposure", 2, None, {"tiles": "45m"})).deltas == NO_POINTS
    assert RULES.pay(here, Incident("burn_dealer", 0, None, {"count": 1})).deltas == NO_POINTS
    dear = load("beijing", {"penalty_points": 3000})
    assert dear.pay(here, Incident("pot_penalty", 2)).deltas == (0, 0, -3000, 0)


@pytest.mark.parametrize("to", [None, "nobody"])
def test_a_referees_penalty_goes_into_the_pot(to: str | None) -> None:  # T40, T53
    payment = RULES.penalty(situation(points=EVEN), EVEN, 3, 1000, to)
    assert payment.deltas == (0, 0, 0, -1000)
    assert payment.off_board == NO_POINTS
    assert payment.incident == Incident("pot_penalty", 3, None, {"points": 1000})
    found = RULES.settle(situation(OPEN, points=EVEN, incidents=[payment.incident]))
    assert found.payments == (0, 1500, -500, -1000)


def test_a_referees_penalty_for_others_goes_to_them() -> None:  # T53
    here = situation(points=EVEN)
    assert RULES.penalty(here, EVEN, 3, 1000, "each").deltas == (1000, 1000, 1000, -3000)
    payment = RULES.penalty(here, EVEN, 3, 1000, 0)
    assert (payment.deltas, payment.incident) == ((1000, 0, 0, -1000), None)


def test_a_penalty_no_stick_can_pay_is_refused() -> None:  # T39
    with pytest.raises(RulesError, match=r"penalty 50: expected a multiple of 100, e\.g\. 1000"):
        RULES.penalty(situation(points=EVEN), EVEN, 3, 50, None)


# --- kongs and drawn hands


def test_kongs_move_points_at_once_with_their_options() -> None:  # T42, T45
    rules = load("beijing", {"exposed_kong_points": 600, "added_kong_points": 200, "concealed_kong_points": 300})
    here = situation(points=EVEN)
    assert rules.pay(here, Incident("exposed_kong", 1, 2)).deltas == (0, 600, -600, 0)
    assert rules.pay(here, Incident("added_kong", 1)).deltas == (-200, 600, -200, -200)
    assert rules.pay(here, Incident("concealed_kong", 1)).deltas == (-300, 900, -300, -300)
    assert RULES.pay(here, Incident("exposed_kong", 1, 2)).deltas == NO_POINTS
    assert RULES.pay(here, Incident("concealed_kong", 1)).deltas == NO_POINTS


@pytest.mark.parametrize(
    ("ready", "payments"),
    [
        ((), NO_POINTS),
        ((2,), (-1000, -1000, 3000, -1000)),
        ((1, 2), (-1500, 1500, 1500, -1500)),
        ((0, 1, 2), (1000, 1000, 1000, -3000)),
        ((0, 1, 2, 3), NO_POINTS),
    ],
)
def test_the_ready_share_a_sum_in_a_drawn_hand(ready: tuple[int, ...], payments: Points) -> None:  # T42
    rules = load("beijing", {"draw_ready_points": 3000})
    incidents = [Incident("ready", seat) for seat in ready]
    assert rules.settle(situation(points=EVEN, incidents=incidents)).payments == payments
    assert RULES.settle(situation(points=EVEN, incidents=incidents)).payments == NO_POINTS


# --- false win


@pytest.mark.parametrize("dealer", range(4))
def test_a_false_win_pays_a_limit_hand_to_each(dealer: int) -> None:  # T43
    change = RULES.settle(situation(BROKEN, points=EVEN, dealer=dealer)).payments
    if dealer == 1:
        assert change == (4000, -12_000, 4000, 4000)
    else:
        assert [change[seat] for seat in range(4) if seat not in (1, dealer)] == [2000, 2000]
        assert (change[dealer], change[1]) == (4000, -8000)


def test_a_false_win_with_another_limit() -> None:  # T30, T43
    rules = load("beijing", {"limit_fan": 2, "base_value": 1000})
    assert rules.settle(situation(BROKEN, points=EVEN)).payments == (2000, -4000, 1000, 1000)


def test_facts_of_another_seat_refuse_nobody() -> None:  # T24, T44
    for kind in ("unclear_call", "dead_hand"):
        own, other = (RULES.settle(situation(OPEN, incidents=[Incident(kind, seat)])).verdicts[0] for seat in (1, 2))
        assert (own.reason, other.reason) == (kind, None)


# --- 烧庄


def test_burning_the_dealer_is_paid_to_the_winner_too() -> None:  # T46
    rules = load("beijing", {"burn_dealer": True})
    burns = [Incident("burn_dealer", 0, None, {"count": count}) for count in (1, 2)]
    for n, owed in ((1, 1000), (2, 2000)):
        found = rules.settle(situation(OPEN, points=EVEN, incidents=burns[:n]))
        assert found.payments == (-3 * owed, owed + 500, owed - 500, owed)
        assert found.win_payments == (found.payments,)
    once = rules.settle(situation(OPEN, points=EVEN, incidents=[Incident("burn_dealer", 0)]))
    assert once.payments[3] == 1000


# --- nonsense


def test_wins_that_no_table_could_show_are_refused() -> None:
    own = win("678m99m345s78p", "6p", melds="[234p,1]", seat=1, source=1)
    with pytest.raises(RulesError, match="seat 1 cannot win on its own tile; expected another seat"):
        RULES.settle(situation(own))
    other = win("45p22m678s", "3p", melds="[EEE,1][789m,1]", seat=3, source=2)
    with pytest.raises(RulesError, match="several wins are on different tiles"):
        RULES.settle(situation(OPEN, other))
    drawn = [win("45p22m678s", "3p", melds="[EEE,1][789m,1]", seat=seat) for seat in (0, 1)]
    with pytest.raises(RulesError, match="several wins are self-drawn"):
        RULES.settle(situation(*drawn))


def test_what_the_rules_do_not_know_is_refused_all_at_once() -> None:  # T11, T45, T46
    incidents = [Incident("exposure", 1), Incident("exposed_kong", 2), Incident("burn_dealer", 3)]
    here = situation(OPEN, incidents=incidents, indicator=Tile.M5, stakes={"sit": True})
    with pytest.raises(RulesError) as caught:
        RULES.settle(here)
    expected = ["expected its tiles", "expected from", "expected the dealer, seat 0", "no wildcards", "stakes"]
    assert len(caught.value.problems) == 5
    assert all(word in problem for word, problem in zip(expected, caught.value.problems, strict=True))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"penalty_point": 1}, "penalty_point: unknown option; did you mean 'penalty_points'"),
        ({"fan_values": {"七对": 1}}, "unknown name '七对'; did you mean '七小对'"),
        ({"fan_values": {"自摸": -1}}, "自摸 -1: expected 0"),
        ({"max_rounds": 1}, "expected at least the 2 rounds"),
        ({"rounds": 5}, "rounds: 5"),
        ({"uma": [1, 2, 3, 4]}, "no more for a lower rank"),
        ({"uma": [1, 2, 3]}, "uma"),
        ({"dealer_repeat": "always"}, "'never', 'win' or 'win_or_draw'"),
        ({"limit_fan": "4"}, "limit_fan"),
    ],
)
def test_bad_options_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(RulesError, match=message):
        load("beijing", options)
