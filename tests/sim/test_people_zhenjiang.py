"""Four people play 镇江麻将."""

from __future__ import annotations

from quick_people import first_win, played, stacked

from tablectl.game import events as ev
from tablectl.sim.endings import endings


def test_a_few_hands() -> None:
    truth = played("zhenjiang", 1).players.truth
    found = endings(truth.events)
    assert found["hands"] == 8
    assert found["won"] >= 4
    assert sum(isinstance(event, ev.DealerThrown) for event in truth.events) == 1
    assert sum(truth.match.points) == 200


def test_the_first_wildcard_is_thrown_and_later_ones_are_shown() -> None:  # Z211, Z214
    thrown = 0
    for seed in (1, 2):
        truth = played("zhenjiang", seed).players.truth
        assert not [event for event in truth.events if isinstance(event, ev.HandKilled)]
        thrown += sum(isinstance(event, ev.IncidentNoted) for event in truth.events)
    assert thrown > 4


def test_the_dealer_wins_on_the_tiles_dealt() -> None:  # Z309
    with stacked({0: "123456m123p777s9sN"}, indicator="W"):
        win = first_win(played("zhenjiang", 1, 1))
    assert win["fans"] >= {"天胡"}


def test_a_thrown_wildcard_is_won() -> None:  # Z210, Z311
    with stacked({0: "19m19p19sESWCFP9mN", 2: "123456m123p777sN"}, indicator="W"):
        wins = [first_win(played("zhenjiang", seed, 1)) for seed in range(4)]
    assert any("成搭" in win["fans"] for win in wins)
