"""The referee's acts on the fixed hand of the page's tests: what each does to the table, and that the account sums."""

from __future__ import annotations

from typing import Any

import pytest
from played import NAMES, OPENING, PLAY, WIN, discard, draw

from tablectl.core.console import ruling_of
from tablectl.game import actions as act
from tablectl.game import events as ev
from tablectl.game.state import Phase
from tablectl.game.table import Table
from tablectl.link.protocol import RpcError
from tablectl.rules import registry


def at(*actions: act.Action, rules: str = "competition") -> Table:
    table = Table(registry.load(rules), names=NAMES)
    for action in actions:
        table.apply(action)
    return table


def rule(table: Table, do: str, **params: Any) -> list[ev.Event]:
    ruling = ruling_of(do, {"by": "referee Wu", **params}, table, 0.0)
    assert table.refusal(ruling) is None, table.refusal(ruling)
    return list(table.apply(ruling))


def refused(table: Table, do: str, **params: Any) -> str:
    reason = table.refusal(ruling_of(do, {"by": "referee Wu", **params}, table, 0.0))
    assert reason is not None
    return reason


def summed(table: Table) -> int:
    return sum(table.match.points) + sum(table.match.off_board)


def test_other_fans_are_put_in_place_of_those_counted() -> None:
    table = at(*OPENING, *PLAY, *WIN)
    assert "has not declared" in refused(table, "amend", seat=1, fans={"清龙": 10})
    assert "fans" in refused(table, "amend", seat=0, fans={})
    unknown = refused(table, "amend", seat=0, fans={"清龙": 10, "混一": 8})
    assert unknown == "'混一' is no fan of 竞技麻将; did you mean '混一色'?"
    rule(table, "amend", seat=0, fans={"清龙": 10, "花牌": 2}, reason="a meld was claimed")
    assert table.hand is not None
    (win,) = table.hand.declared
    assert dict(win.fans) == {"清龙": 10, "花牌": 2}
    assert win.score == 12
    assert win.payments == (36, -12, -12, -12)  # J60: three times the points from each
    rule(table, "confirm")
    assert table.match.points == (130, 82, 70, 118)
    assert summed(table) == 400


def test_a_good_win_is_found_false() -> None:
    table = at(*OPENING, *PLAY, *WIN)
    rule(table, "false_win", seat=0, reason="named before he drew")
    assert table.hand is not None
    assert table.hand.phase is Phase.TURN
    assert table.hand.declared == []
    assert table.hand.seats[0].dead == "false_win"  # J89


def test_where_the_winning_tile_was_put() -> None:
    table = at(*OPENING, *PLAY, *WIN)
    assert "was not put" in refused(table, "apart", seat=0)
    rule(table, "inserted", seat=0)
    assert table.hand is not None
    assert [i.kind for i in table.hand.incidents if i.seat == 0] == ["inserted"]  # J38
    rule(table, "apart", seat=0)
    assert [i.kind for i in table.hand.incidents if i.seat == 0] == []


def test_a_wrong_draw_goes_back() -> None:
    table = at(*OPENING, discard(0, "N"), draw(2, "6m"))  # J121: it is the turn of seat 1
    assert table.hand is not None
    assert len(table.hand.seats[2].standing) == 14
    left = table.hand.wall_left
    rule(table, "put_back", seat=2, reason="drew out of turn")
    assert len(table.hand.seats[2].standing) == 13
    assert table.hand.wall_left == left + 1
    assert table.hand.phase is Phase.DISCARDED
    assert "just drawn" in refused(table, "put_back", seat=0)
    table.apply(draw(1, "S"))
    assert table.hand.turn == 1


def test_a_hand_is_dealt_again_by_the_same_dealer() -> None:
    table = at(*OPENING, *PLAY)
    rule(table, "replay_hand", reason="a tile fell from the wall")
    assert table.match.dealer == 0
    assert table.match.hand == 2
    assert summed(table) == 400


def test_time_is_added_for_this_table() -> None:
    table = at(*OPENING)
    due = table.game.minutes(600.0)
    rule(table, "extra_time", seconds=120, reason="the table was repaired")
    assert table.game.minutes(600.0) == due - 2
    assert "limit" in refused(at(*OPENING[:2], rules="fujian"), "extra_time", seconds=60)


def test_an_event_is_corrected_by_its_number() -> None:
    table = at(*OPENING, discard(0, "N"))
    seq = table.last_seq
    rule(table, "correct", seq=seq, event={"type": "dahai", "actor": 0, "pai": "9m"})
    assert table.hand is not None
    assert [lying.tile.code for lying in table.hand.seats[0].river] == ["9m"]
    with pytest.raises(RpcError, match="none of this hand's record"):
        ruling_of("correct", {"by": "Wu", "seq": 1}, table, 0.0)


def test_what_is_no_ruling_is_said() -> None:
    table = at(*OPENING)
    for params, words in (
        ({"pai": "11"}, "pai"),
        ({"seat": "east"}, "seat"),
        ({"colour": "red"}, "colour: no key of a ruling"),
        ({"tiles": "5x"}, "tiles"),
        ({"event": {"type": "dance"}}, "unknown event type"),
    ):
        with pytest.raises(RpcError, match=words):
            ruling_of("penalty", {"by": "Wu", **params}, table, 0.0)
