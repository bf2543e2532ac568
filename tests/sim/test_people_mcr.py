"""Four people play 国标麻将: a hand needs eight points."""

from __future__ import annotations

from collections import Counter

import pytest
from quick_people import first_win, played, stacked

from tablectl.sim.endings import endings


def test_a_few_hands() -> None:
    found: Counter[str] = Counter()
    for seed in (1, 2):
        found += endings(played("mcr", seed).players.truth.events)
    assert found["hands"] == 16
    assert found["won"] >= 6


@pytest.mark.parametrize(
    ("hand", "live", "fan"),
    [
        ("19m19p19sESWNCFP", "9p", "十三幺"),
        ("147m258p369sESWN", "C", "全不靠"),
        ("1122334455667m", "7m", "连七对"),
        ("123456789m1p555s", "1p", "清龙"),
    ],
)
def test_hands_of_every_shape_are_declared(hand: str, live: str, fan: str) -> None:  # T26
    with stacked({1: hand}, live=live):
        wins = [first_win(played("mcr", seed, 1)) for seed in range(4)]
    assert any(win["actor"] == 1 and fan in win["fans"] for win in wins)


def test_a_ready_hand_below_eight_points_is_not_declared() -> None:  # T27
    with stacked({1: "123m345p678s12p55s"}, live="3p"):
        played("mcr", 1, 1)  # `played` sees that no false win was called
