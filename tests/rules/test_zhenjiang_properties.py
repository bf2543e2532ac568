"""镇江麻将: what holds for every hand, and the count against one by the letter."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rule_hands import situation
from zhenjiang_hands import random_win
from zhenjiang_oracle import self_drawn

from tablectl.rules.api import How, Incident, Points, Situation, Win
from tablectl.rules.common.wildcards import kind_after
from tablectl.rules.reading import counts_of, is_complete
from tablectl.rules.registry import load
from tablectl.rules.zhenjiang import tickets
from tablectl.rules.zhenjiang.hand import waits_on_everything
from tablectl.rules.zhenjiang.options import Options
from tablectl.tiles.tile import PLAYABLE, Tile

RULES = load("zhenjiang")
KINDS = sorted(RULES.incident_kinds - {"dead_hand"})
AT_ONCE = load("zhenjiang", {"false_win_settle": "at_once"})


@st.composite
def won(draw: st.DrawFn) -> tuple[Win, Tile, tuple[Incident, ...]]:
    return random_win(random.Random(draw(st.integers(0, 2**32))), draw(st.integers(0, 4)))


@st.composite
def situations(draw: st.DrawFn) -> Situation:
    win, indicator, events = draw(won())
    cuts = sorted(draw(st.lists(st.integers(0, 60), min_size=3, max_size=3)))
    points: Points = (cuts[0], cuts[1] - cuts[0], cuts[2] - cuts[1], 60 - cuts[2])
    incidents = list(events)
    for _ in range(draw(st.integers(0, 4))):
        seat = draw(st.integers(0, 3))
        kind = draw(st.sampled_from(KINDS))
        incidents.append(Incident(kind, seat, (seat + 1) % 4 if kind == "exposed_kong" else None))
    wins: list[Win] = []
    if draw(st.booleans()):
        source = draw(st.sampled_from([None, 0]))
        wins.append(replace(win, source=source, how=frozenset() if source == 0 else win.how))
        if source == 0 and draw(st.booleans()):
            wins.append(replace(wins[0], seat=draw(st.sampled_from([2, 3]))))
    return situation(*wins, points=points, incidents=incidents, indicator=indicator)


@settings(max_examples=200)
@given(situations(), st.sampled_from([RULES, AT_ONCE]))
def test_payments_sum_to_nothing_and_nobody_pays_more_than_he_holds(here: Situation, rules: object) -> None:  # Z504
    found = (RULES if rules is RULES else AT_ONCE).settle(here)
    assert sum(found.payments) == 0
    assert all(held + change >= 0 for held, change in zip(here.points, found.payments, strict=True))
    assert sum(verdict.legal for verdict in found.verdicts) <= 1
    for verdict in found.verdicts:
        assert verdict.legal == (verdict.reason is None)
        assert verdict.score == sum(verdict.fans.values())


@settings(max_examples=80)
@given(situations())
def test_paying_one_by_one_is_settling_at_once(here: Situation) -> None:  # Z503, Z504, Z509
    held = list(here.points)
    for number, incident in enumerate(here.incidents):
        payment = AT_ONCE.pay(replace(here, incidents=here.incidents[:number], wins=()), incident)
        held = [a + b for a, b in zip(held, payment.deltas, strict=True)]
    drawn = AT_ONCE.settle(replace(here, wins=()))
    assert [a + b for a, b in zip(here.points, drawn.payments, strict=True)] == held


@settings(max_examples=80)
@given(won(), st.randoms(use_true_random=False))
def test_the_order_of_tiles_and_melds_changes_nothing(
    told: tuple[Win, Tile, tuple[Incident, ...]], rng: random.Random
) -> None:
    win, indicator, events = told
    other = replace(
        win,
        concealed=tuple(rng.sample(win.concealed, len(win.concealed))),
        melds=tuple(rng.sample(win.melds, len(win.melds))),
    )
    first, second = (RULES.settle(situation(each, indicator=indicator, incidents=events)) for each in (win, other))
    assert first.payments == second.payments
    assert first.verdicts[0].fans == second.verdicts[0].fans


@settings(max_examples=60)
@given(won())
def test_a_discard_win_names_nothing_self_drawn(told: tuple[Win, Tile, tuple[Incident, ...]]) -> None:  # Z310
    win, indicator, events = told
    claimed = replace(win, source=0, how=frozenset())
    found = RULES.settle(situation(claimed, indicator=indicator, incidents=events)).verdicts[0]
    assert set(found.fans) <= {"放冲", "成搭"}


@settings(max_examples=40)
@given(won())
def test_waits_are_exactly_the_tiles_that_win(told: tuple[Win, Tile, tuple[Incident, ...]]) -> None:
    win, indicator = replace(told[0], how=frozenset()), told[1]
    waits = {wait.tile: wait for wait in RULES.waits(situation(indicator=indicator), win)}
    for tile in PLAYABLE:
        for source in (None, 0):
            declared = replace(win, tile=tile, source=source)
            verdict = RULES.settle(situation(declared, indicator=indicator)).verdicts[0]
            wait = waits.get(tile)
            own = None if wait is None else wait.self_draw if source is None else wait.discard
            assert verdict.legal == (own is not None and own.legal)
            assert own is None or own.fans == verdict.fans


@settings(max_examples=60)
@given(won())
def test_waiting_on_everything_is_a_wildcard_left_over(told: tuple[Win, Tile, tuple[Incident, ...]]) -> None:  # Z306
    win, wildcard = told[0], kind_after(told[1])
    natural = [tile for tile in win.concealed if tile is not wildcard]
    sets, wilds = 4 - len(win.melds), len(win.concealed) - len(natural)
    everything = all(is_complete(counts_of([*natural, tile]), sets, wilds) for tile in PLAYABLE)
    assert waits_on_everything(win.concealed, sets, wildcard) == everything


@settings(max_examples=60)
@given(won(), st.data())
def test_a_wildcard_in_place_of_another_tile_never_spoils_a_hand(
    told: tuple[Win, Tile, tuple[Incident, ...]], data: st.DataObject
) -> None:  # Z303
    win, indicator, events = told
    wildcard = kind_after(indicator)
    others = [i for i, tile in enumerate(win.concealed) if tile is not wildcard]
    held = [*win.concealed, win.tile].count(wildcard) + sum(meld.tiles.count(wildcard) for meld in win.melds)
    if not others or held == 4:
        return
    at = data.draw(st.sampled_from(others))
    richer = replace(win, concealed=(*win.concealed[:at], wildcard, *win.concealed[at + 1 :]))
    less, more = (
        RULES.settle(situation(each, indicator=indicator, incidents=events)).verdicts[0] for each in (win, richer)
    )
    assert more.legal or not less.legal


@settings(max_examples=100)
@given(st.integers(0, 6), st.integers(0, 20), st.integers(0, 6), st.integers(0, 20), st.integers(0, 60))
def test_tickets_handed_over_make_the_amount(a: int, b: int, c: int, d: int, amount: int) -> None:  # Z605
    options = Options()
    payer, receiver = tickets.Tickets(a, b), tickets.Tickets(c, d)
    way = tickets.way(payer, receiver, amount, options)
    if way is None:
        assert amount > payer.worth(options) or b < amount % options.large_value
        return
    assert way.paid.worth(options) - way.change.worth(options) == amount
    assert way.paid.large <= a
    assert way.paid.small <= b
    assert way.paid.small <= b
    assert way.change.small <= d + way.paid.small


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(1, 30)), min_size=1, max_size=12))
def test_what_is_handed_over_is_what_was_due(moves: list[tuple[int, int, int]]) -> None:  # Z605
    options, points, payments = Options(), [50] * 4, []
    for payer, payee, amount in moves:
        amount = min(amount, points[payer])
        deltas = [0, 0, 0, 0]
        deltas[payer] -= amount
        deltas[payee] += amount
        points = [held + delta for held, delta in zip(points, deltas, strict=True)]
        payments.append((deltas[0], deltas[1], deltas[2], deltas[3]))
        for told in tickets.handed_over(payments, options):
            back = sum(value * n for cards in told.change.values() for value, n in cards.items())
            assert sum(value * n for value, n in told.paid.items()) - back == -deltas[told.seat]
            assert told.changer not in (told.seat, payee)


@pytest.mark.parametrize(
    "given_options", [{}, {"no_wildcard_self_draw": "youda"}, {"paoda": 9, "kong_youda": 9}], ids=str
)
def test_the_count_is_that_of_the_letter(given_options: dict[str, object]) -> None:  # Z301–Z308, Z402, Z404
    rng = random.Random(str(given_options))
    rules = load("zhenjiang", given_options)
    options = rules.options.model_dump()
    for number in range(90):
        win, indicator, events = random_win(rng, (0, 0, 1, 0, 1, 0, 1, 0, 2)[number % 9])
        heavenly = not win.melds and number % 7 == 0
        if heavenly:
            win = replace(win, seat=0, how=frozenset({How.HEAVENLY}))
        verdict = rules.settle(situation(win, indicator=indicator, incidents=events)).verdicts[0]
        kong = events[-1].kind if How.KONG_REPLACEMENT in win.how else None
        laid = [meld.tile for meld in win.melds]
        expected = self_drawn(list(win.concealed), win.tile, laid, kind_after(indicator), kong, heavenly, options)
        if expected is None:
            assert verdict.reason == "not_complete"
        else:
            assert (*verdict.fans.items(),) == (expected,)
