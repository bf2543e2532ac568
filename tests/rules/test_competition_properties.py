"""竞技麻将: what holds for every hand."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from rule_hands import situation

from tablectl.rules.api import How, Incident, Points, Situation, Win
from tablectl.rules.registry import load
from tablectl.tiles.meld import Meld, MeldKind
from tablectl.tiles.tile import FLOWERS, PLAYABLE, Tile

RULES = load("competition")
CHOWS = [tile for tile in PLAYABLE[:27] if tile.rank <= 7]
KINDS = sorted({"exposed_kong", "added_kong", "concealed_kong", "flower_kong", "chase", "bao", "hung", "inserted"})


@st.composite
def wins(draw: st.DrawFn, seat: int) -> Win:
    """Complete standard hands, now and then with one tile wrong; melds of every sort."""
    kinds = draw(st.sampled_from([PLAYABLE, PLAYABLE[:9] + PLAYABLE[27:], PLAYABLE[:9]]))
    groups: list[tuple[Tile, ...]] = []
    for _ in range(4):
        tile = draw(st.sampled_from(kinds))
        is_chow = tile in CHOWS and draw(st.booleans())
        groups.append(tuple(Tile(tile + i) for i in range(3)) if is_chow else (tile,) * 3)
    melds = []
    for group in groups[draw(st.integers(0, 4)) :]:
        if group[0] is not group[1]:
            melds.append(Meld(MeldKind.CHOW, group, 1, group[0]))
            continue
        kind = draw(st.sampled_from([kind for kind in MeldKind if kind is not MeldKind.CHOW]))
        tiles = group if kind is MeldKind.PUNG else (*group, group[0])
        melds.append(Meld(kind, tiles, 0 if kind is MeldKind.CONCEALED_KONG else draw(st.integers(1, 3))))
    standing = [tile for group in groups[: 4 - len(melds)] for tile in group]
    standing += [draw(st.sampled_from(kinds))] * 2
    if draw(st.integers(0, 9)) == 0:
        standing[0] = draw(st.sampled_from(kinds))
    held = Counter([*standing, *(tile for meld in melds for tile in meld.tiles)])
    assume(max(held.values()) <= 4)
    last = standing.pop(draw(st.integers(0, len(standing) - 1)))
    flowers = tuple(sorted(draw(st.sets(st.sampled_from(FLOWERS), max_size=5))))
    source = draw(st.sampled_from([None, *(other for other in range(4) if other != seat)]))
    how = draw(st.sets(st.sampled_from([How.LAST_OF_KIND, How.LAST_TILE, How.KONG_REPLACEMENT]), max_size=2))
    return Win(seat, tuple(standing), tuple(melds), flowers, last, source, frozenset(how))


@st.composite
def situations(draw: st.DrawFn) -> Situation:
    cuts = sorted(draw(st.lists(st.integers(0, 200), min_size=3, max_size=3)))
    points: Points = (2 * cuts[0], 2 * (cuts[1] - cuts[0]), 2 * (cuts[2] - cuts[1]), 2 * (200 - cuts[2]))
    incidents = []
    for _ in range(draw(st.integers(0, 3))):
        seat = draw(st.integers(0, 3))
        incidents.append(Incident(draw(st.sampled_from(KINDS)), seat, (seat + draw(st.integers(1, 3))) % 4))
    winners = draw(st.sampled_from([(), (0,), (0,), (0,), (0, 2)]))
    declared = [draw(wins(seat)) for seat in winners]
    if len(declared) == 2:
        declared = [replace(each, source=1) for each in declared]
    return situation(*declared, points=points, incidents=incidents, streak=draw(st.integers(0, 2)))


@settings(max_examples=150, deadline=None)
@given(situations())
def test_payments_sum_to_nothing_and_nobody_pays_more_than_he_holds(here: Situation) -> None:  # J69, J92
    found = RULES.settle(here)
    assert sum(found.payments) == 0
    assert sum(found.off_board) == 0
    assert all(held + change >= 0 for held, change in zip(here.points, found.payments, strict=True))
    for verdict in found.verdicts:
        assert verdict.score == sum(verdict.fans.values())
        assert verdict.legal == (verdict.reason is None)


@settings(max_examples=100, deadline=None)
@given(situations(), st.integers(0, 1000))
def test_the_order_of_tiles_changes_nothing(here: Situation, seed: int) -> None:
    def shuffled(win: Win) -> Win:
        tiles = list(win.concealed)
        random.Random(seed).shuffle(tiles)
        return replace(win, concealed=tuple(tiles), flowers=win.flowers[::-1])

    other = RULES.settle(replace(here, wins=tuple(map(shuffled, here.wins))))
    assert other == RULES.settle(here)


@settings(max_examples=100, deadline=None)
@given(wins(0), st.permutations(range(4)))
def test_the_order_of_melds_changes_no_fan(win: Win, order: list[int]) -> None:  # it may change who is liable
    melds = tuple(win.melds[i] for i in order if i < len(win.melds))
    first, second = (RULES.settle(situation(each)).verdicts[0] for each in (win, replace(win, melds=melds)))
    assert (first.legal, first.fans) == (second.legal, second.fans)


@settings(max_examples=40, deadline=None)
@given(wins(0))
def test_waits_are_exactly_the_tiles_that_make_a_hand(win: Win) -> None:  # J43
    win = replace(win, source=1, how=frozenset())
    told = {wait.tile: wait for wait in RULES.waits(situation(), win)}
    for tile in PLAYABLE:
        verdict = RULES.settle(situation(replace(win, tile=tile))).verdicts[0]
        assert (tile in told) == (verdict.reason in (None, "no_fan"))
        if tile in told and verdict.legal:
            discard = told[tile].discard
            assert discard is not None
            assert discard.fans == verdict.fans


@settings(max_examples=60, deadline=None)
@given(situations())
def test_paying_one_by_one_is_settling_at_once(here: Situation) -> None:  # J61
    held, off_board = list(here.points), [0, 0, 0, 0]
    for number, incident in enumerate(here.incidents):
        payment = RULES.pay(replace(here, incidents=here.incidents[:number], wins=()), incident)
        held = [a + b for a, b in zip(held, payment.deltas, strict=True)]
        off_board = [a + b for a, b in zip(off_board, payment.off_board, strict=True)]
    drawn = RULES.settle(replace(here, wins=()))
    assert [a + b for a, b in zip(here.points, drawn.payments, strict=True)] == held
    assert list(drawn.off_board) == off_board


@given(wins(0), st.sampled_from([frozenset({How.LAST_TILE}), frozenset({How.KONG_REPLACEMENT}), frozenset()]))
def test_a_discard_win_names_nothing_self_drawn(win: Win, how: frozenset[How]) -> None:  # J52
    """妙手回春, 杠上开花, 补花和 are for tiles of the wall, 海底捞月 is for a discard."""
    on_discard = replace(win, source=2, how=how)
    drawn = replace(win, source=None, how=how)
    for declared, never in ((on_discard, {"妙手回春", "杠上开花", "补花和"}), (drawn, {"海底捞月"})):
        (verdict,) = RULES.settle(situation(declared)).verdicts
        assert not never & verdict.fans.keys()
