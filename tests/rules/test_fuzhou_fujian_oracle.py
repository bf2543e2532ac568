"""福州麻将 and 福建麻将 agree with the slow enumeration on random hands with 0–4 golds, under many options."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
from fuzhou_fujian_oracle import Found, fujian, fuzhou, random_win

from tablectl.rules.api import How, Situation
from tablectl.rules.registry import load
from tablectl.tiles.tile import HONOURS

FUZHOU: tuple[dict[str, Any], ...] = (
    {},
    {"rob_gold_as": "natural", "any_wait_self_draw_only": True, "streak_in_special": "multiply"},
    {"mult_golden_pair": 2, "mult_three_gold": 3, "mult_plain": 4, "special_flower_factor": 1, "base": 5},
    {"streak_in_special": "none", "streak_unit": 2, "self_draw_factor": 3, "flower_set_units": 9, "gold_unit": 3},
)
FUJIAN: tuple[dict[str, Any], ...] = (
    {"count": "full"},
    {"count": "full", "three_gold_win": True, "any_wait_self_draw_only": False, "full_youjin": 9, "unit": 3},
    {"count": "full", "full_suit_triplet": 4, "full_honour_pung": 5, "full_weight_zimo": 4, "full_weight_youjin": 1},
    {},
    {"three_gold_win": True, "simple_weights": True, "simple_streak_step": 2, "honours_are_flowers": False},
)


def compare(id: str, options: dict[str, Any], hands: int, seed: str) -> int:
    """Judge random hands twice; how many were won."""
    rules = load(id, options)
    chance = random.Random(f"{id} {seed}")
    chosen = rules.options.model_dump()
    won = 0
    for _ in range(hands):
        win, gold = random_win(chance, honours=not rules.play.flowers.intersection(HONOURS))
        if id == "fujian":
            win = replace(win, how=win.how - {How.EARTHLY})
            if [*win.concealed, win.tile].count(gold) > 3:
                continue
        situation = Situation(dealer=0, streak=chance.randrange(3), indicator=gold, wins=(win,))
        (verdict,) = rules.settle(situation).verdicts
        wanted = (fuzhou if id == "fuzhou" else fujian)(win, situation, chosen)
        assert Found(verdict.reason, verdict.fans, verdict.score) == wanted, (win, situation.streak, gold, options)
        won += verdict.legal
    return won


@pytest.mark.parametrize("number", range(len(FUZHOU)))
def test_fuzhou(number: int) -> None:  # T301–T316, T402–T413
    assert compare("fuzhou", FUZHOU[number], 250, str(number)) > 100


@pytest.mark.parametrize("number", range(len(FUJIAN)))
def test_fujian(number: int) -> None:  # T301–T308, T401–T411
    assert compare("fujian", FUJIAN[number], 250, str(number)) > 80
