"""Four people play 福州麻将."""

from __future__ import annotations

from unittest.mock import patch

from quick_people import first_win, needless_wilds, played, stacked

from tablectl.game.state import Hand, Phase
from tablectl.rules.registry import load
from tablectl.sim import play
from tablectl.sim.endings import endings
from tablectl.sim.person import Habits, Person
from tablectl.sim.quick import QuickTable
from tablectl.sim.scene import Scene

READY = "123456789s456p78m11p"


def test_a_few_hands() -> None:
    found = endings((truth := played("fuzhou", 1).players.truth).events)
    assert found["hands"] == 8
    assert found["won"] >= 4
    assert not needless_wilds(truth)


def test_the_dealer_wins_on_the_tiles_dealt() -> None:  # T306
    with stacked({0: "123456789m123p789s11s"}, indicator="5p"):
        win = first_win(played("fuzhou", 1, 1))
    assert (win["actor"], win["how"]) == (0, {"heavenly"})


def test_a_seat_robs_the_gold() -> None:  # T308
    with stacked({2: READY}, live="8p", indicator="9p"):
        win = first_win(played("fuzhou", 3, 1))
    assert (win["actor"], win["target"], win["how"]) == (2, 2, {"earthly"})
    assert "抢金" in win["fans"]


def test_another_seat_goes_before_the_dealer() -> None:  # T310
    with stacked({0: "1m123456789m123p78s44p", 3: READY}, indicator="9p"):
        win = first_win(played("fuzhou", 2, 1))
    assert (win["actor"], win["how"]) == (3, {"earthly"})


def test_three_golds_dealt() -> None:  # T312
    with stacked({1: "147m258s369p14m2s555p"}, indicator="5p"):
        win = first_win(played("fuzhou", 2, 1))
    assert win["actor"] == 1
    assert "三金倒" in win["fans"]


def test_a_flower_turned_up_goes_to_the_dealer() -> None:  # T109
    with stacked({}, indicator="a", tail="5p"):
        table = played("fuzhou", 1, 1)
    assert table.truth[0][0]["indicator"] == "5p"


def test_a_golden_pair() -> None:  # T313, T409: worth more than robbing alone
    with stacked({2: "123456789m123p45s99p"}, live="8p", indicator="9p"):
        win = first_win(played("fuzhou", 3, 1))
    assert win["actor"] == 2
    assert "金雀" in win["fans"]


def test_the_table_declares_in_the_last_round() -> None:  # T112
    ways: set[str] = set()
    for seed in (4, 5, 6):
        ways |= set(endings(played("fuzhou", seed, None).players.truth.events))
    assert ways & {"last_tile", "drawn: exhausted"}


def test_the_first_tile_of_the_last_round_is_not_kept_in_the_fingers() -> None:  # T112
    draw, in_fingers = play.draw_tile, []

    async def drawn(scene: Scene, hand: Hand, person: Person) -> None:
        await draw(scene, hand, person)
        if hand.phase is not Phase.TURN:
            in_fingers.append(scene.world.tags(f"fingers.{person.seat}"))

    with patch.object(play, "draw_tile", drawn):
        for seed in range(4, 9):
            QuickTable(load("fuzhou"), seed, Habits(straight=1.0)).play(4)
    assert in_fingers
    assert not any(in_fingers)
