"""国标麻将: what holds for every hand."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from mcr_hands import won_hand

from tablectl.rules.api import Incident, Situation, Verdict, Win
from tablectl.rules.mcr import Mcr
from tablectl.rules.registry import load
from tablectl.tiles.tile import FLOWERS, PLAYABLE, Tile

SELF_DRAWN_ONLY = {"妙手回春", "杠上开花", "不求人", "自摸"}
DISCARD_ONLY = {"海底捞月", "抢杠和", "全求人", "门前清", "无番和"}

hands = st.integers(0, 1 << 32).map(lambda seed: won_hand(Random(seed)))
any_hand = settings(max_examples=150, deadline=None)


def rules(**options: Any) -> Mcr:
    found = load("mcr", options)
    assert isinstance(found, Mcr)
    return found


FREE = rules(minimum_points=0)


def judged(win: Win, situation: Situation, mcr: Mcr = FREE) -> Verdict:
    return mcr.settle(replace(situation, wins=(win,))).verdicts[0]


@any_hand
@given(hands, st.lists(st.tuples(st.integers(0, 3), st.integers(0, 60)), max_size=3))
def test_payments_sum_to_zero(hand: tuple[Win, Situation], false_wins: list[tuple[int, int]]) -> None:  # T48, T49, T57
    win, situation = hand
    incidents = tuple(Incident("false_win", seat, None, {"points": points}) for seat, points in false_wins)
    found = rules().settle(replace(situation, wins=(win,), incidents=incidents))
    assert sum(found.payments) == 0
    assert all(sum(payment) == 0 for payment in found.win_payments)


@any_hand
@given(hands, st.randoms(use_true_random=False))
def test_the_order_of_tiles_and_melds_changes_nothing(hand: tuple[Win, Situation], chance: Random) -> None:
    win, situation = hand
    concealed, melds, flowers = list(win.concealed), list(win.melds), list(win.flowers)
    for some in (concealed, melds, flowers):
        chance.shuffle(some)
    other = replace(win, concealed=tuple(concealed), melds=tuple(melds), flowers=tuple(flowers))
    mine, theirs = judged(win, situation), judged(other, situation)
    assert (mine.fans, mine.score) == (theirs.fans, theirs.score)


@any_hand
@given(hands)
def test_suits_may_change_places(hand: tuple[Win, Situation]) -> None:
    """But for 绿一色 and 推不倒, which are bound to suits, no fan knows which suit is which."""

    def turned(tile: Tile) -> Tile:
        return PLAYABLE[(tile + 9) % 27] if tile < 27 else tile

    win, situation = hand
    melds = tuple(
        replace(meld, tiles=tuple(map(turned, meld.tiles)), taken=meld.taken and turned(meld.taken))
        if meld.tile < 27
        else meld
        for meld in win.melds
    )
    other = replace(win, concealed=tuple(map(turned, win.concealed)), melds=melds, tile=turned(win.tile))
    bound = {"绿一色", "推不倒"}
    mine, theirs = judged(win, situation), judged(other, situation)
    if not bound & (set(mine.fans) | set(theirs.fans)):
        assert mine.score == theirs.score


@any_hand
@given(hands)
def test_the_way_of_winning_shows_in_the_fans(hand: tuple[Win, Situation]) -> None:  # T43, T44
    win, situation = hand
    found = set(judged(win, situation).fans)
    assert not found & (SELF_DRAWN_ONLY if win.source is not None else DISCARD_ONLY)


@any_hand
@given(hands)
def test_a_win_is_the_sum_of_its_fans_and_the_proof_agrees(hand: tuple[Win, Situation]) -> None:  # T34, T47
    win, situation = hand
    verdict = judged(win, situation)
    assert verdict.score == sum(verdict.fans.values())
    counted = {line.name: line.value for line in verdict.proof if not line.refused}
    assert counted == dict(verdict.fans)
    assert all(line.value == 0 and line.name not in verdict.fans for line in verdict.proof if line.refused)
    texts = set(verdict.reading.split(", ")[0].split())
    assert all(text in texts for line in verdict.proof for text in line.sets if line.name != "花牌")


@any_hand
@given(hands)
def test_waits_are_exactly_the_tiles_that_win(hand: tuple[Win, Situation]) -> None:  # T26, T41
    win, situation = hand
    ready = replace(win, how=frozenset())
    found = FREE.waits(situation, ready)
    assert win.tile in [wait.tile for wait in found]
    assert [wait.tile for wait in found] == sorted(wait.tile for wait in found)
    by_tile = {wait.tile: wait for wait in found}
    for tile in PLAYABLE:
        for source in (None, (win.seat + 3) % 4):
            verdict = judged(replace(ready, tile=tile, source=source), situation)
            assert verdict.legal == (tile in by_tile)
            if verdict.legal:
                mine = by_tile[tile].self_draw if source is None else by_tile[tile].discard
                assert mine is not None
                assert (mine.fans, mine.score) == (verdict.fans, verdict.score)


@any_hand
@given(hands)
def test_waits_below_the_minimum_say_so(hand: tuple[Win, Situation]) -> None:  # T27
    win, situation = hand
    for cheap, free in zip(rules().waits(situation, win), FREE.waits(situation, win), strict=True):
        assert cheap.tile is free.tile
        for mine, worth in ((cheap.discard, free.discard), (cheap.self_draw, free.self_draw)):
            assert mine is not None
            assert worth is not None
            assert mine.legal == (worth.score - len(win.flowers) >= 8)
            assert mine.reason == (None if mine.legal else "below_minimum")


@any_hand
@given(hands, st.integers(0, 8))
def test_flowers_only_add_their_points(hand: tuple[Win, Situation], number: int) -> None:  # F81
    win, situation = hand
    bare = judged(replace(win, flowers=()), situation)
    shown = judged(replace(win, flowers=tuple(FLOWERS[:number])), situation)
    assert shown.score == bare.score + number
    assert {name: value for name, value in shown.fans.items() if name != "花牌"} == dict(bare.fans)


@any_hand
@given(hands)
def test_a_hand_that_cannot_wait_has_no_waits(hand: tuple[Win, Situation]) -> None:  # T33
    win, situation = hand
    assert FREE.waits(situation, replace(win, concealed=win.concealed[1:])) == ()
    with_flower = (*win.concealed[1:], Tile.PLUM)
    assert FREE.waits(situation, replace(win, concealed=with_flower)) == ()
