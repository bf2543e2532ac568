"""Four people play 北京麻将."""

from __future__ import annotations

import pytest
from quick_people import first_win, played, stacked

from tablectl.sim.endings import endings


def test_a_few_hands() -> None:
    found = endings(played("beijing", 1).players.truth.events)
    assert found["hands"] == 8
    assert found["won"] >= 4


def test_a_whole_match() -> None:
    truth = played("beijing", 2, None).players.truth
    assert truth.match.over in ("goal", "rounds", "bust")
    assert sum(truth.rules.game_points(truth.match)) == 100_000


@pytest.mark.parametrize(
    ("hands", "live", "fan", "actor"),
    [
        ({0: "123456m123p777s99s"}, "", "天和", 0),
        ({2: "456789m456p88p78s", 0: "123456m123p77sEE9s"}, "", "人和", 2),
        ({1: "123456m123p777s9s", 0: "147m258p369sESWNN"}, "9s", "地和", 1),
    ],
)
def test_wins_of_the_first_turn(hands: dict[int, str], live: str, fan: str, actor: int) -> None:  # T27
    with stacked(hands, live=live):
        wins = [first_win(played("beijing", seed, 1)) for seed in range(5)]
    assert any(win["actor"] == actor and fan in win["fans"] for win in wins)


def test_an_added_kong_is_robbed() -> None:  # T15
    hands = {0: "234m678m234s66s22p5p", 1: "55p123s789s88mESW", 2: "123456m77s99s46pE"}
    with stacked(hands, live="7s1m1p5p"):
        win = first_win(played("beijing", 1, 1, notices=1.0))
    assert (win["actor"], win["target"]) == (2, 1)
    assert "robbing_kong" in win["how"]
