"""Every rare way a hand can end is reached by the people, where the tiles bring it, in all seven rule systems."""

from __future__ import annotations

import pytest
from rare_hands import RARE, SEEDS, Rare, play

from tablectl.rules.registry import RULE_SETS
from tablectl.sim.endings import endings


def test_every_rule_system_has_rare_hands() -> None:
    assert RARE.keys() == RULE_SETS.keys()


CASES = [pytest.param(rules, rare, id=f"{rules}: {rare.ending}") for rules in RARE for rare in RARE[rules]]


@pytest.mark.parametrize(("rules", "rare"), CASES)
def test_a_rare_hand_is_won_as_it_can_be(rules: str, rare: Rare) -> None:
    """`play` sees besides that nobody offends, that accounts sum to zero and that the events replay."""
    assert any(endings(play(rules, rare, seed).players.truth.events)[rare.ending] for seed in SEEDS)
