"""What other rule systems ask of the hand machine, each with a rule system made for the occasion."""

from __future__ import annotations

import pytest
from game_fakes import FakeRules
from game_script import Script, alerts, find, kinds

from tablectl.game import actions as act
from tablectl.game import events as ev
from tablectl.game.record import records
from tablectl.game.state import Phase
from tablectl.rules.api import Incident, Play
from tablectl.tiles.tile import FLOWERS, HONOURS, Tile


def test_two_throws_by_two_seats():  # mcr T4, T5
    script = Script(FakeRules(throws=2), deal=False)
    assert script.table.legal(0).throw
    script.press(0, "dice")
    script.throw(3, 4)
    assert script.phase is Phase.DICE
    assert alerts(script.press(0, "dice")) == [("dice_wrong_seat", 0)]
    assert script.table.legal(2).throw
    script.press(2, "dice")
    script.throw(1, 5)
    assert script.phase is Phase.DEALING
    script.deal({}, "9p")
    assert records(script.table.events)[0][0]["dice"] == [3, 4, 1, 5]


def test_a_second_throw_after_the_deal_finds_the_indicator():  # tianjin T103
    rules = FakeRules(Play(throws_before_deal=1, indicator="after_deal"), throws=2)
    script = Script(rules)
    assert script.phase is Phase.DICE
    assert script.table.legal(2).throw
    script.throw(1, 2)
    assert script.phase is Phase.INDICATOR
    left = script.hand.wall_left
    script.do(act.TurnIndicator(t=script.tick(), tile=Tile.RED, seat=2))
    assert (script.phase, script.hand.turn, script.hand.wall_left) == (Phase.TURN, 0, left - 1)
    assert script.hand.wild == frozenset({Tile.RED})
    assert records(script.table.events)[0][0]["indicator"] == "C"


def test_sitting_and_pulling():  # tianjin T203–T205, T702
    script = Script(FakeRules(Play(extra_keys=frozenset({"sit", "pull"}))), deal=False)
    assert script.phase is Phase.STAKES
    assert script.table.legal(0).keys == {"sit"}
    assert script.table.legal(1).keys == set()
    assert alerts(script.press(1, "pull", 2)) == [("stake_key_refused", 1)]  # the dealer chooses first
    script.press(0, "sit")
    assert script.table.legal(1).keys == {"pull"}
    assert alerts(script.press(0, "pull", 1)) == [("stake_key_refused", 0)]
    for seat, n in ((1, 2), (2, 0), (3, 1)):
        assert script.phase is Phase.STAKES
        script.press(seat, "pull", n)
    assert script.phase is Phase.DICE
    assert script.hand.stakes == {"sit": True, "pull": {1: 2, 2: 0, 3: 1}}
    assert alerts(script.press(3, "pull", 2)) == [("stake_key_refused", 3)]


@pytest.mark.parametrize("manner", ["complete", "one_each", "rounds"])
def test_opening_flowers_in_any_manner_end_with_the_last_one(manner):
    """competition J10, fuzhou T108: in whatever order seats lay and replace, play begins when no flower stands."""
    rules = FakeRules(Play(flowers=frozenset(FLOWERS), opening_flowers=manner), tiles="144")
    script = Script(rules, {0: "123456789m12pab", 2: "123456789m34pch"}, drawn="9p")
    assert script.phase is Phase.FLOWERS
    if manner == "complete":
        moves = [(0, "a", "5p"), (0, "b", "d"), (0, "d", "6p"), (2, "c", "7p"), (2, "h", "8p")]
        for seat, flower, replacement in moves:
            assert script.phase is Phase.FLOWERS
            script.flower(seat, flower)
            script.draw(seat, replacement)
    else:
        for seat, flower in ((0, "a"), (0, "b"), (2, "c"), (2, "h")):
            script.flower(seat, flower)
        for seat, tile in ((0, "5p"), (0, "6p"), (2, "7p"), (2, "8p")):
            assert script.phase is Phase.FLOWERS
            script.draw(seat, tile)
    assert (script.phase, script.hand.turn) == (Phase.TURN, 0)
    assert [len(seat.standing) for seat in script.hand.seats] == [14, 13, 13, 13]
    assert script.hand.tail_taken == 4 + (manner == "complete")


def test_the_indicator_comes_after_the_flowers():  # fuzhou T108, T109
    flowers = frozenset((*HONOURS, *FLOWERS))
    rules = FakeRules(Play(hand_tiles=16, flowers=flowers, indicator="after_flowers"), tiles="144")
    script = Script(rules, {0: "123456789m12345pE"}, drawn="9p")
    assert script.table.legal(0).flowers == (Tile.EAST,)
    script.flower(0, "E")
    script.draw(0, "9s")
    assert script.phase is Phase.INDICATOR
    script.do(act.TurnIndicator(t=script.tick(), tile=Tile.PLUM))  # a flower goes to the dealer (T109)
    assert script.phase is Phase.INDICATOR
    assert script.hand.seats[0].flowers == [Tile.EAST, Tile.PLUM]
    script.do(act.TurnIndicator(t=script.tick(), tile=Tile.S5))
    assert script.phase is Phase.TURN
    assert script.hand.wall_left == 144 - 65 - 1 - 2
    assert len(script.hand.seats[0].standing) == 17


def test_a_flower_kept_when_the_indicator_is_turned():  # fuzhou T702
    rules = FakeRules(Play(flowers=frozenset(FLOWERS), indicator="after_flowers"), tiles="144")
    script = Script(rules, {2: "123456789m12pab"}, drawn="9p")
    events = script.do(act.TurnIndicator(t=script.tick(), tile=Tile.S5))
    assert alerts(events) == [("flower_kept", 2)]
    for flower, tile in (("a", "5p"), ("b", "6p")):
        script.flower(2, flower)
        script.draw(2, tile)
    assert script.phase is Phase.TURN


def test_flowers_may_be_kept_and_discarded():  # mcr T15
    rules = FakeRules(Play(flowers=frozenset(FLOWERS), flowers_compulsory=False), tiles="144")
    script = Script(rules, {0: "123456789m12pab"}, drawn="9p")
    assert alerts(script.discard(0, "a")) == []
    assert script.table.hand is not None
    assert script.table.hand.seats[0].dead is None


def test_reserve_and_dead_wall_stay_undrawn():  # fuzhou T111, beijing T10
    script = Script(FakeRules(undrawn=81), drawn="N")
    script.discard(0, "N")
    script.turn(1, "N")
    script.draw(2, "N")
    assert script.hand.wall_left == 81
    script.discard(2, "9s")
    assert script.table.legal(3).draw is None
    assert alerts(script.draw(3, "N")) == [("draw_from_reserve", 3)]


def last_round(play: Play | None = None) -> Script:
    """Two tiles may be drawn when seat 1 is about to draw."""
    script = Script(FakeRules(play or Play(last_round_tiles=4, earthly="indicator"), undrawn=81), drawn="N")
    script.discard(0, "N")
    return script


def test_the_last_round_is_drawn_without_discards():  # fuzhou T112
    script = last_round()
    script.draw(1, "9s")
    assert (script.phase, script.hand.last_round) == (Phase.LAST_ROUND, 1)
    assert not script.table.legal(1).discards
    assert script.table.legal(2).draw == "live"
    assert alerts(script.discard(1, "9s")) == [("last_round_discard", 1)]
    events = script.draw(2, "8s")
    assert kinds(events) == ["tsumo", "ryukyoku", "end_kyoku"]


def test_the_table_declares_a_win_of_the_last_round():  # fuzhou T112
    script = last_round()
    script.draw(1, "9s")
    (declared,) = find(script.draw(2, "C"), ev.WinDeclared)
    assert (declared.actor, declared.legal, declared.how) == (2, True, ("last_tile",))
    assert kinds(script.rule("confirm")) == ["ruling", "hora", "end_kyoku"]


def test_self_draw_only():  # tianjin T207
    script = Script(FakeRules(Play(win_on_discard=False, last_discard_claims="none"), undrawn=83), drawn="N")
    assert kinds(script.discard(0, "N")) == ["dahai", "ryukyoku", "end_kyoku"]  # nothing can be claimed


def test_the_next_seat_may_not_kong():  # fuzhou T203
    rules = FakeRules(Play(next_seat_may_kong=False))
    script = Script(rules, {1: "555m123456p123sE"}, drawn="5m")
    script.discard(0, "5m")
    assert (script.table.legal(1).pung, script.table.legal(1).kong) == (True, False)
    assert alerts(script.meld(1, "kong", "5m", "555m")) == [("false_meld", 1)]


def test_no_robbing_where_the_rules_know_none():  # tianjin T209: paid at once
    rules = FakeRules(Play(rob_added_kong=False))
    script = Script(rules, {1: "55m123456p123sES"}, drawn="5m")
    script.discard(0, "5m")
    script.meld(1, "pung", "5m", "55m")
    script.discard(1, "E")
    for seat in (2, 3, 0):
        script.turn(seat, "9s")
    script.draw(1, "5m")
    assert kinds(script.meld(1, "added", "5m", "555m")) == ["kakan", "pay"]
    assert script.phase is Phase.REPLACING


def test_a_dead_hand_that_still_claims():  # zhenjiang Z215
    rules = FakeRules(Play(dead_hand_claims=True))
    script = Script(rules, {1: "55m123456p123sES"}, drawn="5m")
    script.discard(0, "5m")
    script.rule("dead_hand", seat=1, reason="x")
    assert script.table.legal(1).pung
    assert alerts(script.meld(1, "pung", "5m", "55m")) == []


def test_a_fact_that_is_an_offence_and_kills():
    """zhenjiang Z211: the rules notice it, the table raises the alert of that name and makes the hand dead."""

    def watch(hand):
        kept = hand.discards and hand.discards[-1].seat == 1 and not hand.seats[1].flowers
        return (Incident("first_wildcard_kept", 1, None, {"dead": True}),) if kept else ()

    script = Script(FakeRules(observe=watch), drawn="N")
    script.discard(0, "N")
    events = script.turn(1, "N")
    assert alerts(events) == [("first_wildcard_kept", 1)]
    assert [(e.actor, e.reason) for e in find(events, ev.HandKilled)] == [(1, "first_wildcard_kept")]


def test_a_noted_fact_reaches_the_settlement():  # tianjin T211
    def watch(hand):
        last = hand.discards[-1]
        fact = Incident("wild_discard", last.seat)
        return (fact,) if last.tile is Tile.RED and fact not in hand.incidents else ()

    script = Script(FakeRules(observe=watch), drawn="C")
    events = script.discard(0, "C")
    assert [(e.kind, e.actor) for e in find(events, ev.IncidentNoted)] == [("wild_discard", 0)]
    assert script.hand.incidents == [Incident("wild_discard", 0)]


def test_late_without_a_clock_is_after_the_next_draw():  # tianjin T207, beijing T53
    script = Script(FakeRules(), {2: "55m123456p123sES"}, drawn="5m")
    script.discard(0, "5m")
    assert script.table.next_deadline() is None
    assert alerts(script.press(2, "pung", after=60)) == []
    assert alerts(script.meld(2, "pung", "5m", "55m", after=60)) == []
    again = Script(FakeRules(), {2: "55m123456p123sES"}, drawn="5m")
    again.discard(0, "5m")
    again.draw(1, "9s")
    assert alerts(again.meld(2, "pung", "5m", "55m")) == [("late_claim", 2)]
    assert again.hand.turn == 2


def test_taking_the_indicator_out_of_turn():  # fuzhou T308
    rules = FakeRules(Play(indicator="after_deal", earthly="indicator"), robs=lambda hand, seat: seat == 2)
    script = Script(rules, drawn="N")
    script.do(act.TurnIndicator(t=script.tick(), tile=Tile.RED))
    assert [script.table.legal(seat).win for seat in range(4)] == [False, False, True, False]
    assert alerts(script.win(3)) == [("false_win", 3)]
    (declared,) = find(script.win(2), ev.WinDeclared)
    assert (declared.pai, declared.target, declared.how, declared.legal) == (Tile.RED, 2, ("earthly",), True)


def test_a_concealed_first_draw():  # beijing T27
    script = Script(FakeRules(), drawn="N")
    script.discard(0, "N")
    script.draw(1, "C")
    assert find(script.win(1), ev.WinDeclared)[0].how == ("earthly",)


def test_the_fourth_of_a_kind():  # mcr T42: three lie open in any way
    script = Script(FakeRules(), drawn="C")
    script.discard(0, "C")
    script.turn(1, "C")
    script.turn(2, "C")
    script.turn(3, "N")
    script.draw(0, "C")
    assert "last_of_kind" in find(script.win(0), ev.WinDeclared)[0].how


def test_a_call_heard_of_after_the_next_draw_but_made_before_it_is_not_late():  # tianjin T207: antennas lag behind keys
    script = Script(FakeRules(), {2: "55m123456p123sES"}, drawn="5m")
    script.discard(0, "5m")
    called_at = script.t + 1.0
    script.draw(1, "9s", after=2.0)
    assert alerts(script.table.apply(act.Press(t=called_at, seat=2, key="pung"))) == []
    assert script.hand.calls == {2: "pung"}
    assert alerts(script.discard(1, "9s")) == [("claim_not_carried_out", 2)]
