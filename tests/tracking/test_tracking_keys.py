"""Keys that are pressed before the table knows what they are about."""

from __future__ import annotations

from tablectl.base.reports import KeyPressed
from tablectl.game import actions as act
from tablectl.game.state import Hand, Phase
from tablectl.tiles.tile import Tile
from tablectl.tracking.keys import FRESH_S, Keys


def hand_in(phase: Phase) -> Hand:
    zero = (0, 0, 0, 0)
    return Hand(number=1, dealer=0, prevalent=Tile.EAST, streak=0, start_points=zero, points=zero, phase=phase)


def test_who_agrees_to_a_win_that_is_still_held_back_is_heard_after_it() -> None:
    keys = Keys()
    assert keys.pressed(KeyPressed(10.0, "win", 3)) == []
    assert keys.pressed(KeyPressed(10.5, "pass", 1)) == []
    assert keys.due(10.6, hand_in(Phase.TURN)) == []
    assert keys.due(10.6, hand_in(Phase.DECLARED)) == [act.Press(t=10.5, seat=1, key="pass", n=None)]


def test_a_pass_that_no_declared_win_answers_is_told_late() -> None:
    keys = Keys()
    keys.pressed(KeyPressed(10.0, "win", 3))
    keys.pressed(KeyPressed(10.5, "pass", 1))
    told = keys.due(10.5 + FRESH_S, hand_in(Phase.TURN))
    assert [(press.seat, press.key) for press in told if isinstance(press, act.Press)] == [(3, "win"), (1, "pass")]


def test_a_pass_without_a_call_of_win_is_told_at_once() -> None:
    keys = Keys()
    keys.pressed(KeyPressed(10.0, "pung", 3))
    assert keys.pressed(KeyPressed(10.5, "pass", 1)) == [act.Press(t=10.5, seat=1, key="pass", n=None)]
