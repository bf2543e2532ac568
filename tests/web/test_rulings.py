"""The referee's acts on the fixed hand of the page's tests: what each does to the table, and that the account sums."""

from __future__ import annotations

from typing import Any

import pytest
from played import NAMES, OPENING, PLAY, WIN, discard, draw, lay

from tablectl.core.console import ruling_of
from tablectl.core.rules_info import rules_json
from tablectl.game import actions as act
from tablectl.game import events as ev
from tablectl.game import record
from tablectl.game.carrying import corrections
from tablectl.game.state import Phase
from tablectl.game.table import Table
from tablectl.link.protocol import RpcError
from tablectl.refusals import Refused
from tablectl.rules import registry
from tablectl.tiles.meld import MeldKind
from tablectl.tiles.tile import Tile


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
    return str(reason)


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
    with pytest.raises(Refused, match="none of this hand's record"):
        ruling_of("correct", {"by": "Wu", "seq": 1}, table, 0.0)


def event_of(table: Table, kind: str, nth: int = 0) -> tuple[int, dict[str, Any]]:
    """The number and the JSON of the ``nth`` event of a type, as it stands."""
    found = [(seq, event) for seq, event in table.state.effective() if event.type == kind]
    return found[nth][0], ev.to_json(found[nth][1])


CLAIMED = (
    *OPENING,
    discard(0, "N"),
    *(draw(1, "S"), discard(1, "S"), draw(2, "1m"), discard(2, "1m"), lay(1, MeldKind.PUNG, "1m", "1m 1m")),
)


@pytest.mark.parametrize(("kind", "right"), [("dahai", {"pai": "5m"}), ("pon", {"pai": "5m", "consumed": ["5m"] * 2})])
def test_a_claimed_discard_is_corrected_with_its_meld(kind: str, right: dict[str, Any]) -> None:
    table = at(*CLAIMED, discard(1, "E"))
    seq, told = event_of(table, kind, 2 if kind == "dahai" else 0)
    rule(table, "correct", seq=seq, event={**told, **right}, reason="read wrongly")
    assert table.hand is not None
    caller, discarder = table.hand.seats[1], table.hand.seats[2]
    assert [lying.tile for lying in discarder.river] == [Tile.M5]
    assert caller.melds[0].tiles == (Tile.M5,) * 3
    assert (len(caller.standing), len(discarder.standing)) == (10, 13)
    assert Tile.M1 not in (*caller.standing, *discarder.standing)  # they were taken for what they are not
    replayed = Table.replay(registry.load("competition"), table.events)
    assert replayed.hand == table.hand
    assert dict(record.effective(table.events)) == dict(table.state.effective())


def test_a_chow_takes_the_tile_that_was_discarded() -> None:
    table = at(
        *OPENING,
        discard(0, "N"),
        *(draw(1, "3m"), discard(1, "3m"), lay(2, MeldKind.CHOW, "3m", "2m 4m")),
        discard(2, "W"),
    )
    seq, told = event_of(table, "dahai", 1)
    rule(table, "correct", seq=seq, event={**told, "pai": "5m"})
    seq, told = event_of(table, "chi")
    assert (told["pai"], told["consumed"]) == ("5m", ["2m", "4m"])
    rule(table, "correct", seq=seq, event={**told, "consumed": ["3m", "4m"]})
    assert table.hand is not None
    assert table.hand.seats[2].melds[0].tiles == (Tile.M3, Tile.M4, Tile.M5)
    assert [lying.tile for lying in table.hand.seats[1].river] == [Tile.M5]
    assert len(table.hand.seats[2].standing) == 10


def test_a_kong_added_to_a_misread_pung_is_another_one_too() -> None:
    table = at(*CLAIMED, discard(1, "E"), draw(2, "8p"), discard(2, "8p"))
    table.apply(draw(3, "6m"))
    table.apply(discard(3, "6m"))
    for action in (draw(0, "1s"), discard(0, "1s"), draw(1, "1m"), lay(1, MeldKind.ADDED_KONG, "1m", "1m 1m 1m")):
        table.apply(action)
    seq, told = event_of(table, "dahai", 2)
    rule(table, "correct", seq=seq, event={**told, "pai": "5m"})
    assert table.hand is not None
    assert table.hand.seats[1].melds[0].tiles == (Tile.M5,) * 4
    assert event_of(table, "kakan")[1]["consumed"] == ["5m"] * 3


def test_a_kong_was_added_to_the_other_pung() -> None:
    table = at(*CLAIMED, discard(1, "E"), draw(2, "5m"), discard(2, "5m"), lay(1, MeldKind.PUNG, "5m", "5m 5m"))
    table.apply(discard(1, "W"))
    for seat, tile in ((2, "8p"), (3, "6m"), (0, "1s")):
        table.apply(draw(seat, tile))
        table.apply(discard(seat, tile))
    table.apply(draw(1, "1m"))
    table.apply(lay(1, MeldKind.ADDED_KONG, "1m", "1m 1m 1m"))
    seq, told = event_of(table, "kakan")
    rule(table, "correct", seq=seq, event={**told, "pai": "5m", "consumed": ["5m"] * 3})
    assert table.hand is not None
    assert [meld.tiles for meld in table.hand.seats[1].melds] == [(Tile.M1,) * 3, (Tile.M5,) * 4]
    assert [lying.tile for lying in table.hand.seats[2].river] == [Tile.M1, Tile.M5, Tile.P8]


def test_a_claimed_discard_was_of_another_seat() -> None:
    table = at(*CLAIMED, discard(1, "E"))
    seq, told = event_of(table, "dahai", 2)
    assert "does not fit" in refused(table, "correct", seq=seq, event={**told, "actor": 1})
    assert table.refusal(ruling_of("correct", {"by": "Wu", "seq": seq, "event": None}, table, 0.0)) is not None


def test_corrections_that_do_not_fit_together_leave_no_trace() -> None:
    """What only both together would mend is not written by half."""
    table = at(*CLAIMED, discard(1, "E"))
    seq, _ = event_of(table, "dahai", 2)
    before = len(table.events)
    wrong = ev.TileDiscarded(actor=1, pai=Tile.M5, tsumogiri=True)
    told = table.apply(act.Amend(t=0.0, replaces=seq, event=wrong))
    assert [event.type for event in told] == ["alert"]
    assert len(table.events) == before + 1
    assert Table.replay(registry.load("competition"), table.events).hand == table.hand


def test_what_was_shown_is_the_tile_that_was_discarded() -> None:  # zhenjiang Z214
    told = [
        (5, ev.TileDiscarded(actor=0, pai=Tile.WEST, tsumogiri=True)),
        (6, ev.TileShown(actor=0, pai=Tile.WEST, what="discard")),
    ]
    right = ev.TileDiscarded(actor=1, pai=Tile.EAST, tsumogiri=True)
    first, second = corrections(told, ev.Corrected(replaces=5, event=right))
    assert (first.replaces, first.event, first.more) == (5, right, True)
    shown = ev.TileShown(actor=1, pai=Tile.EAST, what="discard")
    assert (second.replaces, second.event, second.more) == (6, shown, False)


def test_a_tile_that_was_misread_leaves_the_hand() -> None:
    """The seat holds no 5m: what it discarded was taken for the 1m all along."""
    table = at(*OPENING, discard(0, "N"), draw(1, "S"), discard(1, "S"), draw(2, "1m"), discard(2, "1m"))
    seq, told = event_of(table, "dahai", 2)
    rule(table, "correct", seq=seq, event={**told, "pai": "5m"})
    assert table.hand is not None
    assert len(table.hand.seats[2].standing) == 13
    rule(table, "correct", seq=seq, event={**told, "pai": "W"})  # or it held that one, and keeps the 1m
    assert len(table.hand.seats[2].standing) == 13
    assert Tile.M1 in table.hand.seats[2].standing


def test_a_tile_that_the_game_does_not_have_is_refused() -> None:
    table = at(*OPENING[:2], rules="beijing")
    for action in (*OPENING[2:4], act.Deal(t=0, hands=((None,) * 13,) * 4, drawn=Tile.NORTH), discard(0, "N")):
        table.apply(action)
    seq, told = event_of(table, "dahai")
    assert "without a" in refused(table, "correct", seq=seq, event={**told, "pai": "a"})
    assert "a" not in rules_json(table.rules)["kinds"]


def test_what_has_no_effect_is_refused() -> None:
    table = at(*OPENING, *PLAY)
    for do, words in (("revive", "not dead"), ("seat_taken", "not empty")):
        assert words in refused(table, do, seat=1)
    for do in ("dead_hand", "seat_empty"):
        rule(table, do, seat=1)
        assert "already" in refused(table, do, seat=1)
    assert "no match" in refused(at(), "penalty", seat=1, points=10)


def test_a_penalty_no_stick_can_pay_is_refused() -> None:  # beijing T39
    table = at(act.RaiseWalls(t=0), rules="beijing")
    for to in ("nobody", "each", 0):
        assert "expected a multiple of 100" in refused(table, "penalty", seat=3, points=50, to=to)
    assert rule(table, "penalty", seat=3, points=1000)


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
