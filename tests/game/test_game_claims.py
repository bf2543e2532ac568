"""Claims, kongs, robbing (competition section 2)."""

from __future__ import annotations

import pytest
from game_script import Script, alerts, find, kinds

from tablectl.game import actions as act
from tablectl.game import events as ev
from tablectl.game.claims import claims_until
from tablectl.game.ends import exhausted_at
from tablectl.game.record import records
from tablectl.game.state import Phase
from tablectl.rules import registry
from tablectl.tiles.meld import MeldKind
from tablectl.tiles.tile import Tile

RULES = registry.load("competition")
#: seat 1 may chow and pung 5m, seat 2 may pung and kong it
HANDS = {1: "4688m1123p456sEE", 2: "555m1123p456sSSC", 3: "11m29p19sESWNCFP"}


def record_of(script: Script) -> list[str]:
    """The moves of the record after the dealer's first tile."""
    return [e["type"] for e in records(script.table.events)[0][2:]]


@pytest.fixture
def script():
    started = Script(RULES, HANDS, drawn="5m")
    started.discard(0, "5m")
    return started


def test_a_chow_is_from_the_previous_seat_and_the_claimer_discards(script):  # J17, J14
    script.meld(1, "chow", "5m", "46m")
    meld = script.hand.seats[1].melds[0]
    assert (meld.kind, meld.source, meld.taken) == (MeldKind.CHOW, 1, Tile.M5)
    assert script.phase is Phase.CLAIMED
    assert script.hand.seats[0].river[0].claimed_by == 1
    assert kinds(script.discard(1, "8m")) == ["dahai"]
    assert script.hand.next_seat == 2


def test_what_a_seat_may_claim(script):  # J17
    one, two, three = (script.table.legal(seat) for seat in (1, 2, 3))
    assert one.chows == ((Tile.M4, Tile.M6),)
    assert one.draw == "live"
    assert (two.pung, two.kong, two.chows, two.draw) == (True, True, (), None)
    assert not three.claims
    assert not script.table.legal(0).claims


def test_a_pung_in_time_goes_before_the_draw_of_the_next_seat(script):  # J20
    script.draw(1, "E")
    events = script.meld(2, "pung", "5m", "55m")
    assert alerts(events) == []
    assert find(events, ev.Corrected)[0].event is None
    assert record_of(script) == ["dahai", "pon"]
    assert script.hand.wall_left == 144 - 53
    assert script.hand.seats[1].standing.count(Tile.EAST) == 2  # the third is in the wall again
    assert script.hand.turn == 2


def test_a_pung_in_time_goes_before_a_chow(script):  # J18
    script.meld(1, "chow", "5m", "46m")
    script.meld(2, "pung", "5m", "55m")
    assert record_of(script) == ["dahai", "pon"]
    assert script.hand.seats[1].melds == []
    assert len(script.hand.seats[1].standing) == 13


def test_a_pung_after_three_seconds_is_late(script):  # J20, J128
    assert alerts(script.meld(2, "pung", "5m", "55m", after=6)) == [("late_claim", 2)]
    assert record_of(script) == ["dahai", "alert", "pon"]


@pytest.mark.parametrize(("after", "late"), [(6.0, []), (9.0, [("late_claim", 2)])])
def test_the_time_for_claims_begins_anew_when_the_table_is_seen_again(script, after, late):  # J20
    """When a pung was made that lay there after a start, nobody saw."""
    script.table.stop_clock(script.t + 4.0)
    assert alerts(script.meld(2, "pung", "5m", "55m", after=after)) == late


def test_so_does_the_time_for_calls(script):  # J20
    script.draw(1, "E")
    script.table.stop_clock(script.t + 4.0)
    assert alerts(script.press(2, "pung", after=5)) == []


def test_the_last_discard_may_be_claimed_as_long():  # J20, J33
    script = Script(registry.load("competition", {"claim_seconds": 20}), HANDS, drawn="5m")
    script.discard(0, "5m")
    script.table.stop_clock(script.t + 100.0)
    script.hand.wall_left = 0
    assert exhausted_at(script.table) == claims_until(script.table, script.hand) == script.t + 120.0


def test_a_pung_called_in_time_may_be_laid_later(script):  # J20: the call counts
    script.press(2, "pung", after=2.5)
    assert alerts(script.meld(2, "pung", "5m", "55m", after=3)) == []


def test_a_late_call_is_reported_even_without_a_meld(script):  # J128
    script.draw(1, "E")
    assert alerts(script.press(2, "pung", after=5)) == [("late_claim", 2)]


def test_a_call_after_its_meld_lies_is_no_offence(script):
    script.meld(2, "pung", "5m", "55m")
    assert alerts(script.press(2, "pung", after=5)) == []
    assert alerts(script.discard(2, "S")) == []


def test_a_call_without_its_meld(script):  # J138
    script.press(3, "pung")
    script.draw(1, "E")
    assert alerts(script.discard(1, "E")) == [("claim_not_carried_out", 3)]


def test_a_call_that_another_seat_overtook_is_no_offence(script):  # J18
    script.press(1, "chow")
    script.meld(2, "pung", "5m", "55m")
    assert alerts(script.discard(2, "S")) == []


def test_another_meld_than_the_one_called(script):  # J142
    script.press(2, "pung")
    events = script.meld(2, "kong", "5m", "555m")
    assert alerts(events) == [("wrong_call", 2)]
    assert find(events, ev.Alerted)[0].detail == "called pung, laid kong"


@pytest.mark.parametrize(
    ("seat", "kind", "tile", "consumed"),
    [
        (1, "chow", "5m", "48m"),  # no run
        (2, "pung", "5m", "5m1p"),  # not alike
        (1, "pung", "8m", "88m"),  # another tile than the one discarded
        (1, "chow", "5m", "4m"),  # a tile missing
        (0, "pung", "5m", "55m"),  # the own discard
    ],
)
def test_tiles_that_are_no_meld_are_reported_and_change_nothing(script, seat, kind, tile, consumed):  # J137
    events = script.meld(seat, kind, tile, consumed)
    assert alerts(events) == [("false_meld", seat)]
    assert kinds(events) == ["alert"]
    assert script.phase is Phase.DISCARDED


def test_a_chow_of_another_than_the_previous_seats_tile():  # J17, J137
    script = Script(RULES, {2: "46m1123p456sEESS"}, drawn="5m")
    script.discard(0, "5m")
    events = script.meld(2, "chow", "5m", "46m")
    assert alerts(events) == [("false_meld", 2)]
    assert find(events, ev.ChowMade)  # the tiles lie there: play follows them until they are taken back


def test_a_meld_taken_back_leaves_no_trace():
    """The tracker sees a false meld undone and takes its event out; the alert stays."""
    script = Script(RULES, {2: "46m1123p456sEESS"}, drawn="5m")
    script.discard(0, "5m")
    script.meld(2, "chow", "5m", "46m")
    script.do(act.Amend(t=script.tick(), replaces=script.table.last_seq, event=None))
    assert record_of(script) == ["dahai", "alert"]
    assert len(script.hand.seats[2].standing) == 13
    assert script.phase is Phase.DISCARDED


def test_an_exposed_kong_is_paid_by_the_discarder_at_once(script):  # J21, J62
    events = script.meld(2, "kong", "5m", "555m")
    assert kinds(events) == ["daiminkan", "pay"]
    assert script.points == (88, 100, 112, 100)
    assert script.phase is Phase.REPLACING
    assert script.table.legal(2).draw == "tail"
    script.draw(2, "9s")
    assert script.phase is Phase.TURN
    assert script.hand.after == "kong"
    assert script.hand.tail_taken == 1


def test_a_concealed_kong_is_paid_by_all_before_the_replacement():  # J64
    script = Script(RULES, {0: "5555m1123p44sEES"}, drawn="9p")
    assert script.table.legal(0).concealed_kongs == (Tile.M5,)
    script.meld(0, "concealed", None, "5555m")
    script.draw(0, "S")
    assert record_of(script)[:3] == ["ankan", "pay", "tsumo"]
    assert script.points == (118, 94, 94, 94)


def test_a_concealed_kong_of_unequal_tiles():  # J137
    script = Script(RULES, {0: "5556m1123p44sEES"}, drawn="9p")
    events = script.meld(0, "concealed", None, "5556m")
    assert (alerts(events), find(events, ev.Alerted)[0].detail) == ([("false_meld", 0)], "false_kong: 5m 5m 5m 6m")


def added_kong() -> Script:
    """Seat 2 has laid a fourth 5m to its pung; seat 3 waits for it."""
    script = Script(
        RULES,
        {2: "55m1123p456sSSCE", 3: "12346m234p234s88p"},
        drawn="5m",
    )
    script.discard(0, "5m")
    script.meld(2, "pung", "5m", "55m")
    script.discard(2, "E")
    script.turn(3, "9s")
    script.turn(0, "9s")
    script.turn(1, "9s")
    script.draw(2, "5m")
    script.meld(2, "added", "5m", "555m")
    return script


def test_an_added_kong_is_paid_when_it_was_not_robbed():  # J24, J63
    script = added_kong()
    assert script.phase is Phase.ROBBING
    assert script.points == (100, 100, 100, 100)
    events = script.draw(2, "9s")
    assert kinds(events) == ["pay", "tsumo"]
    assert script.points == (96, 96, 112, 96)
    assert script.hand.seats[2].melds[0].kind is MeldKind.ADDED_KONG


def test_robbing_the_kong():  # J24, J40, J68: the konger pays three times, the kong is neither made nor paid
    script = added_kong()
    assert script.table.legal(3).win
    (declared,) = find(script.win(3), ev.WinDeclared)
    assert (declared.target, declared.pai, declared.how) == (2, Tile.M5, ("last_of_kind", "robbing_kong"))
    assert declared.legal, declared.reason
    script.rule("confirm")
    assert script.hand.seats[2].melds[0].kind is MeldKind.PUNG
    assert "kakan" in record_of(script)
    assert "pay" not in record_of(script)
    (won,) = find(script.table.events, ev.HandWon)
    assert won.deltas == (0, 0, -3 * won.score, 3 * won.score)


def test_no_robbing_after_the_replacement_was_drawn():  # J24
    script = added_kong()
    script.draw(2, "9s")
    events = script.win(3)
    assert alerts(events) == [("late_claim", 3)]
    assert script.phase is Phase.TURN


def test_no_kong_right_after_a_claim(script):  # J22, J139
    script.meld(2, "pung", "5m", "55m")
    assert script.table.legal(2).added_kongs == ()
    assert alerts(script.meld(2, "added", "5m", "555m")) == [("kong_refused", 2)]


def test_a_dead_hand_may_not_claim(script):  # J28, J140
    script.rule("dead_hand", seat=2, reason="wrong tile count")
    assert not script.table.legal(2).claims
    events = script.meld(2, "pung", "5m", "55m")
    assert [(e.code, e.detail) for e in find(events, ev.Alerted)] == [("false_meld", "dead_hand")]


def test_three_claims_from_one_seat_are_noted():  # J80
    script = Script(RULES, {1: "4646m4646p46123s", 0: "55m55p1123578sE"}, drawn="9p")
    for tile, pair, out in (("5m", "46m", "4m"), ("5p", "46p", "4p"), ("5s", "46s", "1s")):
        script.discard(0, tile) if not script.hand.discards else script.turn(0, "N", tile)
        script.meld(1, "chow", tile, pair)
        script.discard(1, out)
        script.turn(2, "N") if tile == "5m" else script.turn(2, "9m")
        script.turn(3, "8m")
    (bao,) = [e for e in find(script.table.events, ev.IncidentNoted) if e.kind == "bao"]
    assert (bao.actor, bao.target) == (1, 0)


def test_chase_is_paid_with_the_fourth_equal_discard():  # J66
    script = Script(RULES, drawn="N")
    script.discard(0, "N")
    script.turn(1, "N")
    script.turn(2, "N")
    events = script.turn(3, "N")
    (paid,) = find(events, ev.PointsPaid)
    assert (paid.reason, paid.deltas) == ("chase", (-12, 4, 4, 4))


def test_a_flower_kong_is_paid_with_its_fourth_flower():  # J64: the initial replacement included
    script = Script(RULES, {0: "123456789mabcd"}, drawn="9p")
    for flower in "abc":
        assert kinds(script.flower(0, flower)) == ["flower"]
    assert kinds(script.flower(0, "d")) == ["flower", "pay"]
    assert script.points == (124, 92, 92, 92)
