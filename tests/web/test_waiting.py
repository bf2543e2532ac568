"""What the referee is told of each seat's waits."""

from __future__ import annotations

from played import NAMES, OPENING, PLAY, WIN, draw

from tablectl.core.waiting import Waiting
from tablectl.game import actions as act
from tablectl.game.table import Table
from tablectl.game.views import Role
from tablectl.rules import registry


def at(*actions: act.Action) -> Table:
    table = Table(registry.load("competition"), names=NAMES)
    for action in actions:
        table.apply(action)
    return table


def test_waits_with_what_each_brings_and_how_many_are_left() -> None:
    told = Waiting(lambda: at(*OPENING, *PLAY)).section(Role.REFEREE, None)
    own = {"discard": 20, "self_draw": 20}
    # 清龙 10, 门清 8, one flower 2; all four 9s lie in a kong
    assert told == [[{"tile": "6s", **own, "left": 4}, {"tile": "9s", **own, "left": 0}], [], [], []]


def test_a_seat_that_has_drawn_waits_for_what_it_waited_for() -> None:
    table = at(*OPENING, *PLAY)
    waiting = Waiting(lambda: table)
    table.apply(draw(0, "6s"))
    assert [wait["left"] for wait in waiting.section(Role.REFEREE, None)[0]] == [3, 0]  # one is in the hand now


def test_nobody_but_the_referee_is_told_and_a_dead_hand_waits_for_nothing() -> None:
    table = at(*OPENING, *PLAY)
    waiting = Waiting(lambda: table)
    for role in (Role.SPECTATOR, Role.OPERATOR, Role.PLAYER):
        assert waiting.section(role, 0 if role is Role.PLAYER else None) == []
    table.apply(act.Rule(t=0, do="dead_hand", by="Wu", seat=0))
    assert waiting.section(Role.REFEREE, None) == [[], [], [], []]
    assert Waiting(lambda: at(*OPENING[:2])).section(Role.REFEREE, None) == []
    over = at(*OPENING, *PLAY, *WIN, act.Rule(t=0, do="confirm", by="Wu"))
    assert Waiting(lambda: over).section(Role.REFEREE, None) == []
