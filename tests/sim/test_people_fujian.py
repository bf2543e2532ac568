"""Four people play 福建麻将, both counts."""

from __future__ import annotations

from collections import Counter

import pytest
from quick_people import first_win, needless_wilds, played, stacked

from tablectl.rules.registry import load
from tablectl.sim.endings import endings


@pytest.mark.parametrize("count", ["simple", "full"])
def test_a_few_hands(count: str) -> None:
    found: Counter[str] = Counter()
    for seed in (1, 2):
        truth = played(load("fujian", {"count": count}), seed).players.truth
        found += endings(truth.events)
        assert not needless_wilds(truth)
    assert found["hands"] == 16
    assert found["won"] >= 8


def test_who_waits_on_every_tile_lets_discards_pass() -> None:  # T306, T307
    ready = "123456789s456p123m5p"
    with stacked({2: ready}, live="9m", indicator="5p"):
        win = first_win(played("fujian", 3, 1))
    assert (win["actor"], win["target"]) == (2, 2)
    assert "游金" in win["fans"]
