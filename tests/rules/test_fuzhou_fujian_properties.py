"""福州麻将 and 福建麻将: what holds for every hand."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
from fuzhou_fujian_oracle import random_win
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from tablectl.rules.api import How, Situation, Win
from tablectl.rules.registry import load
from tablectl.tiles.meld import Meld, MeldKind
from tablectl.tiles.tile import FLOWERS, HONOURS, PLAYABLE, TILES, Tile

SYSTEMS: dict[str, tuple[str, dict[str, Any]]] = {
    "fuzhou": ("fuzhou", {}),
    "fuzhou-capped": ("fuzhou", {"loss_cap": 20, "false_win_units": 3, "streak_payer": "dealer_only"}),
    "fujian-simple": ("fujian", {}),
    "fujian-full": ("fujian", {"count": "full"}),
    "fujian-capped": (
        "fujian",
        {"count": "full", "loss_cap": 20, "false_win_fan": 9, "discard_payer": "discarder", "dealer_pays_factor": 2},
    ),
}
NAMES = pytest.mark.parametrize("name", SYSTEMS)
seeds = st.integers(0, 1 << 32)


def declared(name: str, seed: int) -> tuple[Win, Tile, random.Random]:
    """A win of the system, and its gold."""
    chance = random.Random(seed)
    flowers = load(*SYSTEMS[name]).play.flowers
    win, gold = random_win(chance, honours=not flowers.intersection(HONOURS))
    return win, gold, chance


def situation(*wins: Win, gold: Tile, streak: int = 0) -> Situation:
    return Situation(dealer=0, streak=streak, indicator=gold, wins=wins)


@NAMES
@given(seed=seeds)
@hypothesis_settings(max_examples=60)
def test_points_only_move(name: str, seed: int) -> None:  # fuzhou T501–T505, fujian T501–T504
    id, options = SYSTEMS[name]
    win, gold, chance = declared(name, seed)
    other, _, _ = declared(name, seed + 1)
    wins = [win] if chance.random() < 0.6 or other.seat == win.seat else [win, other]
    found = load(id, options).settle(situation(*wins, gold=gold, streak=chance.randrange(3)))
    assert sum(found.payments) == 0
    assert min(found.payments) >= -options.get("loss_cap", 1_000_000)
    legal = [verdict for verdict in found.verdicts if verdict.legal]
    assert len(legal) <= 1
    assert len(found.win_payments) == len(legal)
    for verdict in found.verdicts:
        assert verdict.legal == (verdict.reason is None)
        assert bool(verdict.fans) == verdict.legal
        assert sum(entry.value for entry in verdict.proof) >= sum(verdict.fans.values())


@NAMES
@given(seed=seeds)
@hypothesis_settings(max_examples=50)
def test_the_order_of_tiles_and_melds_changes_nothing(name: str, seed: int) -> None:
    rules = load(*SYSTEMS[name])
    win, gold, chance = declared(name, seed)
    mixed = replace(
        win,
        concealed=tuple(chance.sample(win.concealed, len(win.concealed))),
        melds=tuple(chance.sample(win.melds, len(win.melds))),
        flowers=win.flowers[::-1],
    )
    one, other = (rules.settle(situation(each, gold=gold, streak=1)) for each in (win, mixed))
    assert one.payments == other.payments
    assert [(v.reason, v.fans, v.score) for v in one.verdicts] == [(v.reason, v.fans, v.score) for v in other.verdicts]


@NAMES
@given(seed=seeds)
@hypothesis_settings(max_examples=12)
def test_waits_are_exactly_the_tiles_that_win(name: str, seed: int) -> None:
    rules = load(*SYSTEMS[name])
    win, gold, _ = declared(name, seed)
    hand = replace(win, source=None, how=frozenset())
    waits = {wait.tile: wait for wait in rules.waits(situation(gold=gold), hand)}
    assert list(waits) == sorted(waits)
    for tile in TILES:
        drawn, claimed = (
            rules.settle(situation(replace(hand, tile=tile, source=source), gold=gold)).verdicts[0]
            for source in (None, (win.seat + 3) % 4)
        )
        assert (tile in waits) == (drawn.legal or claimed.legal), tile
        if tile not in waits:
            continue
        wait = waits[tile]
        assert wait.self_draw is not None
        assert (wait.self_draw.legal, wait.self_draw.fans, wait.self_draw.score) == (
            drawn.legal,
            drawn.fans,
            drawn.score,
        )
        assert (wait.discard is None) == (tile is gold)
        if wait.discard is not None:
            found = (wait.discard.legal, wait.discard.reason, wait.discard.fans)
            assert found == (claimed.legal, claimed.reason, claimed.fans)


@pytest.mark.parametrize("name", ["fuzhou", "fujian-full"])
@given(seed=seeds)
@hypothesis_settings(max_examples=60)
def test_a_gold_for_a_natural_tile_never_lowers_the_score_but_for_triplets(name: str, seed: int) -> None:
    """T303: a gold may stand for the tile it replaces and scores besides. A natural triplet it breaks is lost (fujian
    T304), and a hand that waited on everything may not claim (fujian T307): self-draws only, triplets set aside."""
    id, options = SYSTEMS[name]
    triplets = {"full_suit_triplet": 0, "full_honour_triplet": 0, "full_honour_pung": 0} if id == "fujian" else {}
    rules = load(id, options | triplets)
    win, gold, chance = declared(name, seed)
    win = replace(win, source=None, how=frozenset())
    naturals = [tile for tile in win.concealed if tile is not gold]
    if [*win.concealed, win.tile].count(gold) >= 3 or not naturals:
        return
    less = list(win.concealed)
    less[less.index(chance.choice(naturals))] = gold
    before, after = (
        rules.settle(situation(each, gold=gold)).verdicts[0] for each in (win, replace(win, concealed=tuple(less)))
    )
    assert after.score >= before.score


@NAMES
@given(seed=seeds)
@hypothesis_settings(max_examples=40)
def test_a_claimed_win_has_no_fan_of_a_self_draw(name: str, seed: int) -> None:
    win, gold, _ = declared(name, seed)
    if win.source is None:
        return
    (verdict,) = load(*SYSTEMS[name]).settle(situation(win, gold=gold)).verdicts
    assert not {"三金倒", "天胡", "抢金", "自摸", "游金"} & set(verdict.fans)


def _nonsense(win: Win, gold: Tile) -> list[tuple[str, Win]]:
    """Hands that no table could show, with the reason that refuses them (fuzhou T318, fujian T310)."""
    five = next(tile for tile in PLAYABLE[:27] if tile is not gold)
    run = Meld(MeldKind.CHOW, (Tile.M8, Tile.M9, Tile.P1), 1, Tile.M8)
    return [
        ("impossible_tiles", replace(win, concealed=(five,) * 5 + win.concealed[5:], tile=five)),
        ("impossible_tiles", replace(win, flowers=(Tile.PLUM, Tile.PLUM))),
        ("impossible_tiles", replace(win, flowers=(Tile.M1,))),
        ("wrong_tile_count", replace(win, concealed=win.concealed[1:])),
        ("bad_meld", replace(win, melds=(*win.melds, run))),
        ("gold_in_meld", replace(win, melds=(*win.melds, Meld(MeldKind.PUNG, (gold,) * 3, 2)))),
        ("flower_in_hand", replace(win, concealed=(FLOWERS[0], *win.concealed[1:]))),
        ("bad_how", replace(win, how=frozenset({How.ROBBING_KONG}), source=None)),
        ("bad_how", replace(win, source=win.seat)),
    ]


@NAMES
@given(seed=seeds)
@hypothesis_settings(max_examples=25)
def test_nonsense_is_refused_with_its_reason(name: str, seed: int) -> None:  # fuzhou T318, fujian T310
    rules = load(*SYSTEMS[name])
    win, gold, _ = declared(name, seed)
    win = replace(win, how=frozenset(), source=None)
    if not win.concealed or [*win.concealed, win.tile].count(gold) > 3:
        return
    for reason, wrong in _nonsense(win, gold):
        (verdict,) = rules.settle(situation(wrong, gold=gold)).verdicts
        assert (verdict.reason, verdict.fans, verdict.score) == (reason, {}, 0), (reason, wrong)
    for missing in (None, FLOWERS[3]):
        here = Situation(indicator=missing, wins=(win,))
        assert rules.settle(here).verdicts[0].reason == "bad_indicator"
        assert rules.waits(here, win) == ()
