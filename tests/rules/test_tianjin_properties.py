"""天津麻将: what holds for every hand, and the count against one by the letter."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rule_hands import situation
from tianjin_hands import random_win
from tianjin_oracle import best

from tablectl.rules.api import How, Incident, Situation, Win
from tablectl.rules.registry import load
from tablectl.tiles.tile import PLAYABLE, Tile

RULES = load("tianjin")
KINDS = sorted(RULES.incident_kinds - {"chan"})


@st.composite
def won(draw: st.DrawFn) -> tuple[Win, Tile]:
    return random_win(random.Random(draw(st.integers(0, 2**32))), draw(st.integers(0, 7)))


@st.composite
def situations(draw: st.DrawFn) -> Situation:
    win, indicator = draw(won())
    dealer = draw(st.integers(0, 3))
    incidents = [Incident("chan", dealer)] if draw(st.booleans()) else []
    for _ in range(draw(st.integers(0, 3))):
        seat = draw(st.integers(0, 3))
        kind = draw(st.sampled_from(KINDS))
        source = (seat + draw(st.integers(1, 3))) % 4 if kind == "exposed_kong" and draw(st.booleans()) else None
        incidents.append(Incident(kind, seat, source))
    pulls = {seat: draw(st.integers(0, 2)) for seat in range(4) if seat != dealer}
    stakes = {"sit": draw(st.booleans()), "pull": pulls}
    wins = (replace(win, seat=draw(st.integers(0, 3)), how=frozenset()),) if draw(st.booleans()) else ()
    return situation(*wins, dealer=dealer, incidents=incidents, stakes=stakes, indicator=indicator)


@settings(max_examples=150)
@given(situations(), st.integers(0, 9))
def test_payments_sum_to_nothing(here: Situation, fine: int) -> None:  # T508
    found = load("tianjin", {"false_win_penalty": fine}).settle(here)
    assert sum(found.payments) == 0
    for verdict in found.verdicts:
        assert verdict.legal == (verdict.reason is None)
        assert (verdict.score > 0) == bool(verdict.fans)


@settings(max_examples=60)
@given(situations())
def test_paying_one_by_one_is_settling_at_once(here: Situation) -> None:  # T505, T506
    paid = [RULES.pay(here, incident).deltas for incident in here.incidents]
    drawn = RULES.settle(replace(here, wins=()))
    assert drawn.payments == tuple(map(sum, zip((0, 0, 0, 0), *paid, strict=False)))


@settings(max_examples=60)
@given(won(), st.randoms(use_true_random=False))
def test_the_order_of_tiles_and_melds_changes_nothing(told: tuple[Win, Tile], rng: random.Random) -> None:
    win, indicator = told
    other = replace(
        win,
        concealed=tuple(rng.sample(win.concealed, len(win.concealed))),
        melds=tuple(rng.sample(win.melds, len(win.melds))),
    )
    first, second = (RULES.settle(situation(each, indicator=indicator)) for each in (win, other))
    assert first.payments == second.payments
    assert first.verdicts[0].fans == second.verdicts[0].fans


@settings(max_examples=25)
@given(won())
def test_waits_are_exactly_the_tiles_that_win_or_make_a_diliu(told: tuple[Win, Tile]) -> None:
    win, indicator = replace(told[0], how=frozenset()), told[1]
    waits = {wait.tile: wait for wait in RULES.waits(Situation(indicator=indicator), win)}
    for tile in PLAYABLE:
        verdict = RULES.settle(situation(replace(win, tile=tile), indicator=indicator)).verdicts[0]
        assert (tile in waits) == (verdict.reason in (None, "below_minimum"))
        if verdict.legal:
            told_wait = waits[tile].self_draw
            assert told_wait is not None
            assert (told_wait.fans, told_wait.score) == (verdict.fans, verdict.score)


@settings(max_examples=60)
@given(won(), st.data())
def test_a_wild_in_place_of_a_natural_tile_is_never_worse(told: tuple[Win, Tile], data: st.DataObject) -> None:
    """But for 素, which a wild takes away (T408)."""
    win, indicator = told
    kinds = RULES.wild(indicator)
    natural = [i for i, tile in enumerate(win.concealed) if tile not in kinds]
    free = [
        tile
        for tile in sorted(kinds)
        if [*win.concealed, win.tile].count(tile) + sum(m.tiles.count(tile) for m in win.melds)
        < 4 - (tile == indicator)
    ]
    if not natural or not free:
        return
    at, tile = data.draw(st.sampled_from(natural)), data.draw(st.sampled_from(free))
    richer = replace(win, concealed=(*win.concealed[:at], tile, *win.concealed[at + 1 :]))
    rules = load("tianjin", {"su_factor": 1, "minimum": 0})
    less, more = (rules.settle(situation(each, indicator=indicator)).verdicts[0] for each in (win, richer))
    assert more.score >= less.score


OPTIONS: list[dict[str, object]] = [
    {},
    {"hundiao_inside_dragon": True},
    {"su_ben_factor": 2, "hundiao_inside_dragon": True},
    {"su_ben_factor": 3},
    {"heavenly_free_tile": True},
    {"diliu": 5},
    {"long": 0},
    {"zhuowu": 0, "double_hundiao_factor": 1},
]


@pytest.mark.parametrize("given_options", OPTIONS, ids=str)
def test_the_count_is_that_of_the_letter(given_options: dict[str, object]) -> None:  # T303–T412
    rng = random.Random(str(given_options))
    rules = load("tianjin", {**given_options, "minimum": 0})
    options = rules.options.model_dump()
    for number in range(60):
        win, indicator = random_win(rng, number % 4)
        if not win.melds and number % 3 == 0:
            win = replace(win, seat=0, how=frozenset({How.HEAVENLY}))
        names = {How.HEAVENLY: "天和", How.KONG_REPLACEMENT: "杠开"}
        always = {names[how] for how in win.how}
        verdict = rules.settle(situation(win, indicator=indicator)).verdicts[0]
        laid = [meld.tile for meld in win.melds]
        expected = best(list(win.concealed), win.tile, laid, rules.wild(indicator), always, options)
        if expected is None:
            assert verdict.reason == "not_complete"
        else:
            assert (verdict.score, dict(verdict.fans)) == expected
