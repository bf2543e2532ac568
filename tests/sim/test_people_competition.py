"""Four people play 竞技麻将: a hand needs a fan, several may win on one tile."""

from __future__ import annotations

from collections import Counter

from quick_people import first_win, played, stacked

from tablectl.game import events as ev
from tablectl.sim.endings import endings


def test_a_few_hands() -> None:
    found: Counter[str] = Counter()
    for seed in (1, 2):
        found += endings(played("competition", seed).players.truth.events)
    assert found["hands"] >= 12
    assert found["won"] >= 5


def test_two_win_on_one_tile() -> None:
    hands = {0: "19m19p2468sESWNC9s", 1: "123456789m78s11p", 2: "123456789p78s22p"}
    with stacked(hands):
        tables = [played("competition", seed, 1) for seed in range(6)]
    won = [sum(isinstance(e, ev.HandWon) for e in table.players.truth.events) for table in tables]
    assert 2 in won


def test_a_hand_ready_on_the_tiles_dealt_is_announced() -> None:  # J29, J57
    with stacked({1: "123456789m78s11p"}):
        table = played("competition", 3, 1)
    assert [e.actor for e in table.players.truth.events if isinstance(e, ev.ClaimCalled) and e.claim == "ready"] == [1]
    assert first_win(table)["actor"] is not None
