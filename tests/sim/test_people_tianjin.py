"""Four people play 天津麻将."""

from __future__ import annotations

import random

from quick_people import first_win, needless_wilds, played, stacked

from tablectl.game import events as ev
from tablectl.sim.endings import endings
from tablectl.sim.strategy import Mind


def test_a_few_hands() -> None:
    truth = played("tianjin", 1).players.truth
    found = endings(truth.events)
    assert found["hands"] == 8
    assert found["won"] == found["self_draw"] >= 4
    assert not needless_wilds(truth)
    stakes = [event for event in truth.events if isinstance(event, ev.StakeChosen)]
    assert len(stakes) == 4 * 8
    assert {event.stake for event in stakes} == {"sit", "pull"}


def test_temper_decides_about_stakes() -> None:
    minds = sorted((Mind("tianjin", 4, random.Random(seed)) for seed in range(20)), key=lambda mind: mind.bold)
    sums = [sum(mind.stake(2) for _ in range(50)) for mind in minds]
    assert sum(sums[:5]) < sum(sums[-5:]) / 2
    assert all(0 <= mind.stake(1) <= 1 for mind in minds)


def test_a_plain_hand_is_not_declared() -> None:  # T307: 提溜 cannot be won
    with stacked({0: "123m456p789s444pES9p"}, indicator="E"):
        events = played("tianjin", 1, 1).players.truth.events
    declared = [event for event in events if isinstance(event, ev.WinDeclared)]
    assert all(event.legal for event in declared)


def test_the_dealer_wins_on_the_tiles_dealt() -> None:  # T410
    with stacked({0: "123456m123p777s99s"}, indicator="E"):
        win = first_win(played("tianjin", 1, 1))
    assert win["fans"] == {"天和", "素"}
