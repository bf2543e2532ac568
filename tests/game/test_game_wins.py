"""Declared wins, their confirmation, and the ends of a hand (competition sections 2, 3, 5)."""

from __future__ import annotations

import pytest
from game_fakes import FakeRules
from game_script import Script, alerts, find, kinds
from game_truths import load as load_truth
from game_truths import play

from tablectl.game import actions as act
from tablectl.game import events as ev
from tablectl.game.record import records
from tablectl.game.state import MatchPhase, Phase
from tablectl.rules import registry
from tablectl.rules.api import Play
from tablectl.tiles.tile import Tile

RULES = registry.load("competition")
#: 清龙, open wait on 3p and 6p
CLEAR = "123456789m4599p"
#: 清龙 as well, waiting for 6p and 9p
CLEAR_TOO = "123456789m7811p"


def thrown(tile: str = "6p", **hands: str) -> Script:
    """Seat 0 has discarded ``tile``."""
    script = Script(RULES, {int(k[1:]): v for k, v in hands.items()}, drawn=tile)
    script.discard(0, tile)
    return script


def test_a_win_is_proposed_and_settled_only_when_confirmed():  # J107
    script = thrown(s2=CLEAR)
    (declared,) = find(script.win(2), ev.WinDeclared)
    assert (declared.legal, declared.target, declared.hand, declared.melds) == (True, 0, CLEAR, "")
    assert declared.fans == {"清龙": 10, "门清": 8}
    assert declared.payments == (-36, 0, 36, 0)
    assert script.points == (100, 100, 100, 100)
    events = script.rule("confirm")
    assert kinds(events) == ["ruling", "hora", "end_kyoku"]
    assert script.table.match.points == (64, 100, 136, 100)
    assert script.table.match.dealer == 1
    assert script.phase is Phase.ENDED


def test_the_win_key_and_the_open_hand_are_one_declaration():
    script = thrown(s2=CLEAR)
    assert kinds(script.press(2, "win")) == ["win_declared"]
    assert script.win(2) == []


def test_a_self_draw_names_the_tile_drawn():  # J37
    script = Script(RULES, {1: CLEAR}, drawn="N")
    script.discard(0, "N")
    script.draw(1, "6p")
    (declared,) = find(script.win(1), ev.WinDeclared)
    assert (declared.target, declared.pai, declared.how) == (1, Tile.P6, ())
    script.rule("confirm")
    assert script.points == (82, 154, 82, 82)


def test_winning_on_the_dealt_tiles():  # J58
    script = Script(RULES, {0: CLEAR}, drawn="6p")
    assert script.table.legal(0).win
    (declared,) = find(script.win(0), ev.WinDeclared)
    assert declared.how == ("heavenly",)
    assert declared.legal


@pytest.mark.parametrize(
    ("before", "how"),
    [
        ("flower", ("flower_replacement",)),
        ("kong", ("kong_replacement",)),
        ("both", ("flower_replacement", "kong_replacement")),
    ],
)
def test_winning_on_a_replacement(before, how):  # J53
    script = Script(RULES, {1: "EEEE123456m599p" if before != "flower" else CLEAR}, drawn="N")
    script.discard(0, "N")
    script.draw(1, "a" if before == "flower" else "7m")
    if before != "flower":
        script.meld(1, "concealed", None, "EEEE")
        script.draw(1, "a" if before == "both" else "6p")
    if before != "kong":
        script.flower(1, "a")
        script.draw(1, "6p")
    (declared,) = find(script.win(1), ev.WinDeclared)
    assert declared.how == how


def test_several_win_on_one_tile_in_order():  # J47, J70
    script = thrown(s3=CLEAR, s1=CLEAR_TOO)
    script.win(3)
    assert script.table.legal(1).win
    script.win(1)
    assert [win.actor for win in script.hand.declared] == [1, 3]
    script.rule("confirm")
    record = records(script.table.events)[0]
    assert [e["actor"] for e in record if e["type"] == "hora"] == [1, 3]
    assert record[-1]["deltas"] == [-72, 36, 0, 36]


def test_a_later_winner_gets_what_is_left():  # J70: the proposal of the first is judged again
    script = Script(RULES, {3: CLEAR, 1: CLEAR_TOO}, drawn="6p", points=(40, 120, 120, 120))
    script.discard(0, "6p")
    script.win(3)
    events = script.win(1)
    assert {win.actor: win.payments for win in find(events, ev.WinDeclared)} == {1: (-36, 36, 0, 0), 3: (-4, 0, 0, 4)}
    script.rule("confirm")
    assert script.table.match.points == (0, 156, 120, 124)


def test_a_win_goes_before_a_pung_already_laid():  # J18
    script = thrown(s2=CLEAR, s3="66p123m123789sEE")
    script.meld(3, "pung", "6p", "66p")
    assert find(script.win(2), ev.WinDeclared)[0].legal
    assert script.hand.seats[3].melds == []


def test_a_win_goes_before_an_exposed_kong_and_its_payment():  # J18
    script = thrown(s2=CLEAR, s3="666p123m12378sEE")
    script.meld(3, "kong", "6p", "666p")
    assert script.points[3] == 112
    script.win(2)
    script.rule("confirm")
    assert [e["type"] for e in records(script.table.events)[0][2:]] == ["dahai", "hora", "end_kyoku"]
    assert script.points == (64, 100, 136, 100)


def test_a_later_seat_may_still_win_after_the_next_one_drew():  # J20
    script = thrown(s2=CLEAR)
    script.draw(1, "9s")
    assert find(script.win(2), ev.WinDeclared)[0].legal
    assert [e["type"] for e in records(script.table.events)[0][2:]] == ["dahai"]


def test_a_seat_that_drew_has_given_up_the_discard():  # J20, J129
    script = thrown(s1=CLEAR)
    script.draw(1, "9s")
    events = script.win(1)
    assert alerts(events) == [("late_claim", 1)]
    assert script.phase is Phase.TURN


def test_nobody_wins_on_a_discard_after_the_next_one():  # J20
    script = thrown(s2=CLEAR)
    script.turn(1, "E")
    assert find(script.win(2), ev.WinDeclared)[0].reason == "not_a_hand"


# --- refused wins


def test_a_false_win_makes_a_dead_hand_and_play_goes_on():  # J89, J126
    script = thrown("E", s2=CLEAR)
    events = script.win(2)
    assert alerts(events) == [("false_win", 2)]
    assert find(events, ev.Alerted)[0].detail == "not_a_hand"
    events = script.rule("confirm")
    assert kinds(events) == ["ruling", "win_withdrawn", "dead_hand"]
    assert script.phase is Phase.DISCARDED
    assert script.hand.seats[2].dead == "false_win"
    script.turn(1, "6p")
    assert find(script.win(2), ev.WinDeclared)[0].reason == "dead_hand"


def test_play_that_goes_on_drops_a_false_win():  # J89
    script = thrown("E", s2=CLEAR)
    script.win(2)
    events = script.draw(1, "9s")
    assert kinds(events) == ["win_withdrawn", "dead_hand", "tsumo"]


def test_no_fan_no_win():  # J35
    script = thrown("6p", s2="123m456m123s4599p")
    assert find(script.win(2), ev.WinDeclared)[0].reason == "no_fan"


def test_a_wrong_count_cannot_win():  # J90
    script = thrown("N", s2=CLEAR)
    script.turn(1, "N")
    script.discard(2, "9m")  # without a draw
    script.turn(3, "N")
    script.turn(0, "6p")
    assert find(script.win(2), ev.WinDeclared)[0].reason == "wrong_tile_count"


def test_winning_from_a_seat_without_points_costs_the_offender():  # J73, J74
    script = Script(RULES, {2: CLEAR}, drawn="6p", points=(0, 100, 200, 100))
    script.discard(0, "6p")
    (declared,) = find(script.win(2), ev.WinDeclared)
    assert (declared.legal, declared.reason, declared.payments) == (False, "discarder_no_points", (46, 10, -66, 10))
    events = script.rule("confirm")
    assert kinds(events) == ["ruling", "win_withdrawn", "pay", "dead_hand"]
    assert script.points == (46, 110, 134, 110)
    assert script.hand.seats[2].dead == "false_win"


def test_a_losing_finish_is_refused_without_a_dead_hand():  # J75, J127
    script = Script(RULES, {2: CLEAR}, drawn="6p", points=(4, 0, 100, 296))
    script.discard(0, "6p")
    assert find(script.win(2), ev.WinDeclared)[0].reason == "losing_finish"
    assert kinds(script.rule("confirm")) == ["ruling", "win_withdrawn"]
    assert script.hand.seats[2].dead is None


def test_a_referee_may_refuse_a_good_win():
    script = thrown(s2=CLEAR)
    script.win(2)
    assert kinds(script.rule("refuse", reason="taken back")) == ["ruling", "win_withdrawn"]
    assert script.hand.seats[2].dead is None
    assert script.table.legal(2).win


def test_without_a_referee_all_other_seats_agree():  # J107, option referee_present
    script = Script(registry.load("competition", {"referee_present": False}), {2: CLEAR}, drawn="6p")
    script.discard(0, "6p")
    script.win(2)
    script.press(0, "pass")
    script.press(1, "pass")
    assert script.phase is Phase.DECLARED
    events = script.press(3, "pass")
    assert kinds(events) == ["ruling", "hora", "end_kyoku"]
    assert find(events, ev.Ruled)[0].by == "players"


def test_a_win_that_waits_for_names_of_tiles():
    """A standing tile was not read: the call stands, and is judged when the tracker names the tile."""
    script = Script(RULES, {1: CLEAR}, drawn="N")
    script.discard(0, "N")
    script.draw(1)
    seq = script.table.last_seq
    assert find(script.win(1), ev.WinDeclared) == []
    events = script.do(act.Amend(t=script.tick(), replaces=seq, event=ev.TileDrawn(t=script.t, actor=1, pai=Tile.P6)))
    assert find(events, ev.WinDeclared)[0].legal


def test_only_one_wins_where_the_rules_say_so():
    rules = FakeRules(Play(multiple_winners=False))
    script = Script(rules, drawn="C")
    script.discard(0, "C")
    script.win(3)
    script.win(2)
    (legal,) = [win for win in script.hand.declared if win.legal]
    assert legal.actor == 2
    events = script.rule("confirm")
    assert kinds(events) == ["ruling", "win_withdrawn", "hora", "end_kyoku"]
    assert find(events, ev.WinWithdrawn)[0].actor == 3
    assert script.points == (97, 100, 103, 100)


# --- other ends


def last_tiles(left: int, **hands: str) -> Script:
    """Nobody has won and ``left`` tiles are in the wall, which seat 0 has just discarded before."""
    script = thrown("N", **hands)
    seat = 1
    while script.hand.wall_left > left or script.hand.turn != 0:
        script.turn(seat, "N")
        seat = (seat + 1) % 4
    return script


def test_the_last_discard_may_only_be_won_on():  # J33
    script = last_tiles(3)
    for seat in (1, 2, 3):
        script.turn(seat, "9s")
    assert script.hand.wall_left == 0
    options = [script.table.legal(seat) for seat in range(4)]
    assert not any(o.pung or o.kong or o.chows or o.draw for o in options)


def test_an_empty_wall_draws_the_hand():  # J33
    script = last_tiles(3)
    for seat in (1, 2, 3):
        script.turn(seat, "9s")
    due = script.table.next_deadline()
    assert due is not None
    events = script.wait(due - script.t)
    assert kinds(events) == ["ryukyoku", "end_kyoku"]
    assert find(events, ev.HandDrawn)[0].reason == "exhausted"
    assert script.table.match.dealer == 1  # J94


def test_tiles_pushed_in_end_an_exhausted_hand():
    script = last_tiles(3)
    for seat in (1, 2, 3):
        script.turn(seat, "9s")
    assert kinds(script.do(act.ClearTable(t=script.tick()))) == ["ryukyoku", "end_kyoku"]


def test_a_flower_as_last_tile_draws_the_hand_at_once():  # J33
    script = last_tiles(3)
    script.turn(1, "9s")
    script.turn(2, "9s")
    script.draw(3, "a")
    assert kinds(script.flower(3, "a")) == ["flower", "ryukyoku", "end_kyoku"]


def test_no_kong_without_a_replacement():  # J22, J139
    script = last_tiles(3, s3="5555m1123p444sSS")
    script.turn(1, "9s")
    script.turn(2, "9s")
    script.draw(3, "9s")
    assert script.table.legal(3).concealed_kongs == ()
    assert alerts(script.meld(3, "concealed", None, "5555m"))[0] == ("kong_refused", 3)


def test_the_last_four_tiles_are_the_last_lap():  # J32
    script = last_tiles(3, s2=CLEAR)
    script.turn(1, "6p")
    assert find(script.win(2), ev.WinDeclared)[0].how == ("last_tile",)
    early = last_tiles(7, s2=CLEAR)
    early.turn(1, "6p")
    assert find(early.win(2), ev.WinDeclared)[0].how == ()


def test_a_kong_that_leaves_two_seats_without_points_ends_the_game():  # J72, J76
    script = Script(RULES, {0: "5555m1123p44sEES"}, drawn="9p", points=(300, 4, 0, 96))
    events = script.meld(0, "concealed", None, "5555m")
    assert kinds(events) == ["ankan", "pay", "ryukyoku", "end_kyoku", "end_game"]
    assert find(events, ev.HandDrawn)[0].reason == "broken_off"
    (ended,) = find(events, ev.MatchEnded)
    assert (ended.reason, ended.scores, ended.ranks) == ("poverty", (310, 0, 0, 90), (1, 3, 3, 2))
    assert script.table.game.phase is MatchPhase.OVER


def test_a_kong_at_a_losing_finish_goes_beside_the_table():  # J76, J111
    script = Script(RULES, {0: "5555m1123p44sEES"}, drawn="9p", points=(70, 4, 0, 326))
    (paid,) = find(script.meld(0, "concealed", None, "5555m"), ev.PointsPaid)
    assert (paid.deltas, paid.off_board) == ((0, 0, 0, 0), (18, -6, -6, -6))
    script.rule("draw_hand", reason="end of the test")
    assert script.table.match.off_board == (18, -6, -6, -6)


def test_walls_raised_over_an_unfinished_hand_make_it_void():
    script = thrown("N")
    events = script.do(act.RaiseWalls(t=script.tick()))
    assert kinds(events) == ["ryukyoku", "end_kyoku", "hand_opened"]
    assert find(events, ev.HandDrawn)[0].reason == "void"
    assert script.hand.dealer == 0


def test_hand_mixed_before_the_win_was_confirmed():
    script = thrown(s2=CLEAR)
    script.win(2)
    assert alerts(script.do(act.ClearTable(t=script.tick()))) == [("hand_mixed_early", None)]
    assert kinds(script.rule("confirm")) == ["ruling", "hora", "end_kyoku"]


def test_dealer_sequence():  # J110
    script = Script(RULES, {0: CLEAR}, drawn="6p")
    script.win(0)
    script.rule("confirm")
    assert (script.table.match.dealer, script.table.match.streak) == (0, 1)
    script.do(act.RaiseWalls(t=script.tick()))
    assert (script.hand.dealer, script.hand.streak, script.hand.number) == (0, 1, 2)


def test_the_true_records_end_where_the_rules_say():
    table = play(RULES, load_truth("competition-normal"))
    assert (table.match.dealer, table.match.streak) == (2, 3)  # J94: the dealer won
    table = play(RULES, load_truth("competition-clean"))
    assert (table.match.dealer, table.match.streak) == (3, 0)
