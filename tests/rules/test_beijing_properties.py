"""北京麻将: what holds for every hand."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from beijing_by_hand import random_options, random_win
from hypothesis import given, settings
from hypothesis import strategies as st
from rule_hands import situation

from tablectl.rules.api import HandResult, Incident, MatchState, Points, RuleSet, Situation, Win
from tablectl.rules.registry import load
from tablectl.tiles.tile import PLAYABLE, Tile

RULES = load("beijing")
KINDS = ("pot_penalty", "exposure", "burn_dealer", "exposed_kong", "added_kong", "concealed_kong", "ready", "inserted")
SELF_DRAWN = {"海底捞月", "杠上开花", "天和", "地和", "自摸"}
ON_A_DISCARD = {"人和", "抢杠和", "海底炮"}

wins = st.integers(0, 1 << 30).map(lambda seed: random_win(Random(seed)))
options = st.integers(0, 1 << 30).map(lambda seed: random_options(Random(seed)))


@st.composite
def situations(draw: st.DrawFn) -> Situation:
    """Hands with events, a pot, and none to three declared wins."""
    cuts = sorted(draw(st.lists(st.integers(0, 1000), min_size=3, max_size=3)))
    points: Points = (100 * cuts[0], 100 * (cuts[1] - cuts[0]), 100 * (cuts[2] - cuts[1]), 100 * (1000 - cuts[2]))
    dealer, incidents = draw(st.integers(0, 3)), []
    for kind in draw(st.lists(st.sampled_from(KINDS), max_size=4)):
        seat = dealer if kind == "burn_dealer" else draw(st.integers(0, 3))
        tiles = tuple(draw(st.lists(st.sampled_from(PLAYABLE), min_size=1, max_size=3)))
        source = (seat + draw(st.integers(1, 3))) % 4
        incidents.append(Incident(kind, seat, source, {"tiles": tiles} if kind == "exposure" else {}))
    first = draw(wins)
    declared = [first]
    if first.source is not None:
        seats = [seat for seat in range(4) if seat not in (first.seat, first.source)]
        for seat in draw(st.sets(st.sampled_from(seats))):
            declared.append(replace(draw(wins), seat=seat, source=first.source, tile=first.tile))
    return situation(
        *declared[: draw(st.integers(0, 3))],
        points=points,
        incidents=incidents,
        dealer=dealer,
        carry=draw(st.sampled_from([{}, {"pot": 3000}])),
    )


rule_sets = st.builds(
    lambda counting, winners, burn, ready, kong: load(
        "beijing",
        {
            **counting,
            "multiple_winners": winners,
            "burn_dealer": burn,
            "draw_ready_points": ready,
            "exposed_kong_points": kong,
            "concealed_kong_points": kong,
        },
    ),
    options,
    st.sampled_from(["nearest", "all"]),
    st.booleans(),
    st.sampled_from([0, 3000, 1000]),
    st.sampled_from([0, 300]),
)


@settings(max_examples=150, deadline=None)
@given(situations(), rule_sets)
def test_points_move_between_seats_and_the_pot_only(here: Situation, rules: RuleSet) -> None:  # T40, T45
    found = rules.settle(here)
    before, after = here.carry.get("pot", 0), found.carry.get("pot", 0)
    assert sum(found.payments) == before - after
    assert after >= 0
    assert all(change % 100 == 0 for change in found.payments)
    legal = [verdict for verdict in found.verdicts if verdict.legal]
    assert len(found.win_payments) == (len(legal) if here.wins else 0)
    if here.wins and legal:
        assert after == 0
    for verdict in found.verdicts:
        assert verdict.legal == (verdict.reason is None)
        assert verdict.legal or (verdict.fans, verdict.score) == ({}, 0)


@settings(max_examples=100, deadline=None)
@given(situations(), rule_sets)
def test_paying_one_by_one_is_settling_at_once(here: Situation, rules: RuleSet) -> None:  # T45
    moved = [0, 0, 0, 0]
    for number, incident in enumerate(here.incidents):
        payment = rules.pay(replace(here, incidents=here.incidents[:number], wins=()), incident)
        moved = [a + b for a, b in zip(moved, payment.deltas, strict=True)]
    found = rules.settle(here)
    if all(verdict.legal for verdict in found.verdicts) and here.wins:
        for each in found.win_payments:
            moved = [a + b for a, b in zip(moved, each, strict=True)]
        assert tuple(moved) == found.payments


@settings(max_examples=100, deadline=None)
@given(wins, options, st.randoms(use_true_random=False))
def test_the_order_of_tiles_and_melds_changes_nothing(win: Win, chosen: dict[str, object], random: Random) -> None:
    rules = load("beijing", chosen)
    tiles, melds = list(win.concealed), list(win.melds)
    random.shuffle(tiles)
    random.shuffle(melds)
    first, second = (
        rules.settle(situation(each)) for each in (win, replace(win, concealed=tuple(tiles), melds=tuple(melds)))
    )
    assert first.payments == second.payments
    assert [(v.legal, v.reason, v.fans) for v in first.verdicts] == [
        (v.legal, v.reason, v.fans) for v in second.verdicts
    ]


@settings(max_examples=200, deadline=None)
@given(wins, options, st.integers(0, 3))
def test_how_the_tile_came_limits_the_fans(win: Win, chosen: dict[str, object], dealer: int) -> None:  # T29
    fans = load("beijing", chosen).settle(situation(win, dealer=dealer)).verdicts[0].fans
    assert SELF_DRAWN.isdisjoint(fans) if win.source is not None else ON_A_DISCARD.isdisjoint(fans)


@settings(max_examples=40, deadline=None)
@given(wins, options, st.lists(st.sampled_from(PLAYABLE), max_size=2))
def test_waits_are_exactly_the_tiles_that_win(
    win: Win, chosen: dict[str, object], shown: list[Tile]
) -> None:  # T19, T28
    rules = load("beijing", chosen)
    here = situation(incidents=[Incident("exposure", win.seat, None, {"tiles": (tile,)}) for tile in shown])
    win = replace(win, source=None)
    told = {wait.tile: wait for wait in rules.waits(here, win)}
    for tile in PLAYABLE:
        settled = rules.settle(replace(here, wins=(replace(win, tile=tile),))).verdicts[0]
        assert (tile in told) == settled.legal
        if tile in told:
            self_draw, discard = told[tile].self_draw, told[tile].discard
            assert self_draw is not None
            assert discard is not None
            assert (self_draw.fans, self_draw.score) == (settled.fans, settled.score)
            assert discard.legal == (tile not in rules.barred(here.incidents, win.seat))
    assert list(told) == sorted(told)


@settings(max_examples=60, deadline=None)
@given(wins, options)
def test_the_smallest_count_is_never_more(win: Win, chosen: dict[str, object]) -> None:  # T38
    smallest, largest = (
        load("beijing", {**chosen, "lowest_reading": lowest}).settle(situation(win)).verdicts[0]
        for lowest in (True, False)
    )
    assert smallest.legal == largest.legal
    assert smallest.score <= largest.score


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 40), st.booleans()), min_size=16, max_size=40))
def test_a_match_ends_by_the_last_hand_of_the_fourth_round(hands: list[tuple[int, int, bool]]) -> None:  # T49, T50
    match: MatchState = RULES.first_hand()
    played = 0
    for winner, hundreds, void in hands:
        deltas = [-100 * hundreds] * 4
        deltas[winner] = 300 * hundreds
        result = HandResult(() if void else (winner,), (deltas[0], deltas[1], deltas[2], deltas[3]), void=void)
        following = RULES.next_hand(match, result, 0)
        assert (following.dealer == match.dealer) == void
        match = following
        played += not void
        if match.over is not None:
            break
    assert sum(match.points) == 100_000
    if match.over == "bust":
        assert min(match.points) < 0
    elif match.over == "goal":
        assert max(match.points) >= 30_000
        assert played in (8, 12)
    elif match.over == "rounds":
        assert played == 16
    else:
        assert played < 16
        assert played < 8 or max(match.points) < 30_000 or played % 4
