"""国标麻将 at the table: two throws, flowers, claims within three seconds, the session's time, change of seats."""

from __future__ import annotations

import pytest
from game_script import Script, alerts, find, kinds

from tablectl.game import actions as act
from tablectl.game import events as ev
from tablectl.game.record import records
from tablectl.game.state import MatchPhase, Phase
from tablectl.game.table import Table
from tablectl.game.views import view
from tablectl.rules import registry
from tablectl.rules.api import MatchState, RuleSet
from tablectl.tiles.tile import Tile

MCR = registry.load("mcr")
PAIRS = "1122334455667p"


def dealt(hands: dict[int, str], drawn: str = "9s", rules: RuleSet = MCR) -> Script:
    script = Script(rules, deal=False, points=(500,) * 4)
    script.throw(3, 4)
    script.throw(5, 6)
    script.deal(hands, drawn)
    return script


# --- the opening


def test_the_second_thrower_is_named_by_the_first_throw():  # T4–T6, T63
    script = Script(MCR, deal=False, points=(500,) * 4)
    assert alerts(script.press(2, "dice")) == [("dice_wrong_seat", 2)]
    script.press(0, "dice")
    script.throw(3, 4)
    assert [script.table.legal(seat).throw for seat in range(4)] == [False, False, True, False]
    assert alerts(script.press(0, "dice")) == [("dice_wrong_seat", 0)]
    script.press(2, "dice")
    script.throw(5, 6)
    assert script.phase is Phase.DEALING
    assert script.hand.deck is not None
    first, last = script.hand.deck.places[0], script.hand.deck.places[-1]
    assert ((first.side, first.stack), (last.side, last.stack)) == ((1, 1), (2, 18))  # example A
    script.deal({}, "9s")
    assert records(script.table.events)[0][0]["dice"] == [3, 4, 5, 6]


def test_thirty_seconds_from_the_deal_to_the_first_discard():  # T14, T16
    script = dealt({0: "123456789m12pab"})
    assert script.hand.deadline == script.t + 30
    script.flower(0, "a")
    script.draw(0, "5p")
    script.flower(0, "b")
    script.draw(0, "6p")
    assert script.phase is Phase.TURN
    assert script.hand.deadline == script.t - 4 + 30
    assert alerts(script.wait(28)) == [("over_time", 0)]


def test_a_flower_may_be_kept_and_discarded_but_not_laid_after_a_claim():  # T15
    script = dealt({2: "99s12345678m12pa"}, drawn="9s")
    assert script.phase is Phase.FLOWERS
    script.discard(0, "9s")  # nobody is made to lay it
    script.meld(2, "pung", "9s", "99s")
    assert script.table.legal(2).flowers == ()
    assert alerts(script.flower(2, "a")) == [("false_meld", 2)]


def test_the_last_tile_is_not_replaced():  # T21
    script = dealt({3: "4444m12345678p1s"})
    script.discard(0, "9s")
    while script.hand.wall_left > 1:
        script.turn(script.hand.next_seat, "9p")
    script.draw(3, "a")
    options = script.table.legal(3)
    assert (options.flowers, options.concealed_kongs) == ((), ())
    assert Tile.PLUM in options.discards
    script.discard(3, "1s")
    assert not any(script.table.legal(s).pung or script.table.legal(s).chows for s in (0, 1, 2))
    assert kinds(script.wait(10)) == ["ryukyoku", "end_kyoku"]


# --- claims


def test_a_pung_within_three_seconds_goes_before_the_chow_already_laid():  # T16, T17
    script = dealt({1: "78s123456789m12p", 3: "99s1234567p1234s"}, drawn="9s")
    script.discard(0, "9s")
    assert not alerts(script.meld(1, "chow", "9s", "78s", after=1))
    assert not alerts(script.meld(3, "pung", "9s", "99s", after=1))
    assert (script.hand.turn, len(script.hand.seats[1].melds)) == (3, 0)
    assert [e["type"] for e in records(script.table.events)[0]][-1] == "pon"


def test_a_pung_after_three_seconds_is_late():  # T16, T63
    script = dealt({3: "99s1234567p1234s"}, drawn="9s")
    script.discard(0, "9s")
    assert alerts(script.press(3, "pung", after=3.5)) == [("late_claim", 3)]


def test_no_kong_right_after_a_claim():  # T18, T63
    script = dealt({2: "99s4444m1234567p"}, drawn="9s")
    script.discard(0, "9s")
    script.meld(2, "pung", "9s", "99s")
    assert alerts(script.meld(2, "concealed", None, "4444m")) == [("kong_refused", 2)]


def test_a_concealed_kong_lies_hidden():  # T19
    script = dealt({0: "4444m123456789p"})
    script.meld(0, "concealed", None, "4444m")
    (meld,) = view(script.table, "spectator")["hand"]["seats"][0]["melds"]
    assert meld["tiles"] == [None] * 4
    assert alerts(script.meld(0, "concealed", None, "123p9p")) == [("false_meld", 0)]


# --- wins


def test_the_first_in_order_wins_alone():  # T29
    script = dealt({1: PAIRS, 2: "1122334455s667p"}, drawn="7p")
    script.discard(0, "7p")
    script.win(2)
    events = script.win(1)
    assert not alerts(events)
    script.rule("confirm")
    assert script.hand.winners == [1]
    assert script.points[2] == 500 - 8


@pytest.mark.parametrize(
    ("hand", "drawn", "reason", "paid"),
    [
        ("123m345p678s12p55s", "3p", "below_minimum", 10),
        (PAIRS, "9s", "wrong_tile", 10),
        ("1122334455p689p", "9s", "not_complete_near", 20),
    ],
)
def test_a_false_win_pays_each_and_is_barred(hand, drawn, reason, paid):  # T25, T57
    script = dealt({1: hand}, drawn=drawn)
    script.discard(0, drawn)
    (event,) = find(script.win(1), ev.WinDeclared)
    assert (event.legal, event.reason) == (False, reason)
    script.rule("confirm")
    assert script.points == (500 + paid, 500 - 3 * paid, 500 + paid, 500 + paid)
    assert script.hand.seats[1].dead == "false_win"
    script.turn(1, "9p")  # it goes on drawing and discarding
    script.rule("draw_hand", reason="exhausted")
    assert sum(script.table.match.points) == 2000
    assert script.table.match.points[1] == 500 - 3 * paid


def test_the_smaller_count_stands_where_points_are_announced():  # T31
    rules = registry.load("mcr", {"score_mode": "announced"})
    script = dealt({1: PAIRS}, drawn="7p", rules=rules)
    script.discard(0, "7p")
    (event,) = find(script.win(1), ev.WinDeclared)
    assert event.score > 24
    (again,) = find(script.rule("announce", seat=1, points=24), ev.WinDeclared)
    assert (again.score, again.payments) == (24, (-32, 48, -8, -8))
    script.rule("confirm")
    assert script.points == (468, 548, 492, 492)
    other = dealt({1: PAIRS}, drawn="7p")
    other.discard(0, "7p")
    other.win(1)
    assert other.table.refusal(act.Rule(t=1, do="announce", by="r", seat=1, points=24)) is not None


def test_what_is_said_is_what_is_laid():  # T24
    script = dealt({1: "999s"})
    script.discard(0, "9s")
    script.press(1, "pung")
    assert ("wrong_call", 1) in alerts(script.meld(1, "kong", "9s", "999s"))


def test_the_winning_tile_is_kept_apart():  # T30
    script = dealt({0: "1122334455667p"}, drawn="7p")
    (declared,) = find(script.win(0), ev.WinDeclared)
    assert declared.pai == Tile.P7
    assert alerts(script.do(act.Suspect(t=script.tick(), code="winning_tile_mixed_in", seat=0)))
    (told,) = view(script.table, "referee")["hand"]["alerts"]
    assert told["proposal"] == {"do": "warning", "points": None}


def test_what_the_table_does_not_see_is_entered_by_the_referee():  # T53, T64
    script = dealt({})
    script.rule("penalty", seat=3, points=20, to="each", reason="named a discard wrongly")
    script.rule("penalty", seat=1, points=10, to="nobody", reason="ten minutes late")
    script.rule("warning", seat=2, reason="signals")
    assert script.points == (520, 520, 520, 440)
    assert script.hand.off_board == (0, -10, 0, 0)
    rulings = find(script.table.events, ev.Ruled)
    assert [(r.do, r.seat, r.points, r.by) for r in rulings] == [
        ("penalty", 3, 20, "referee"),
        ("penalty", 1, 10, "referee"),
        ("warning", 2, None, "referee"),
    ]


def test_the_referee_is_told_how_often_and_what_the_scale_says():  # T63
    script = dealt({})
    script.discard(0, "9p")
    for times in range(3):
        script.draw(3, "1m")
        script.turn((1, 2, 3)[times], "1p")
    told = [(a["count"], a["proposal"]) for a in view(script.table, "referee")["hand"]["alerts"] if a["seat"] == 3]
    assert told[:2] == [(1, {"do": "warning", "points": None}), (2, {"do": "penalty", "points": 5})]
    assert all("proposal" not in a for a in view(script.table, "spectator")["hand"]["alerts"])


def test_a_barred_seat_may_not_claim():  # T25, T63
    script = dealt({1: "99s1234567p1234s"}, drawn="9s")
    script.rule("dead_hand", seat=1, reason="barred")
    script.discard(0, "9s")
    assert not script.table.legal(1).claims
    assert alerts(script.meld(1, "pung", "9s", "99s")) == [("false_meld", 1)]


# --- the session


def test_time_breaks_off_the_hand():  # T59
    script = dealt({})
    events = script.wait(165 * 60)
    assert [e.seconds for e in find(events, ev.TimeWarned) if e.what == "match"] == [900.0]
    script.discard(0, "9s")
    events = script.wait(15 * 60)
    assert [e.reason for e in find(events, ev.HandDrawn)] == ["broken_off"]
    assert [e.reason for e in find(events, ev.MatchEnded)] == ["time"]
    assert script.table.match.points == (500,) * 4


def test_the_pause_stands_still_and_is_due_once():  # T59
    script = dealt({})
    script.wait(95 * 60)
    assert script.table.pause_due == 0  # a hand is being played
    script.rule("draw_hand", reason="exhausted")
    assert script.table.pause_due == 15
    script.rule("pause")
    script.t += 15 * 60
    script.rule("resume")
    assert script.table.pause_due == 0
    assert script.table.game.minutes(script.t) < 96


def test_players_change_seats_with_their_points_between_rounds():  # seat_rotation_plan
    plan = [[1, 0, 3, 2], [2, 3, 0, 1], [3, 2, 1, 0]]
    rules = registry.load("mcr", {"seat_rotation_plan": plan})
    match = MatchState(points=(501, 502, 503, 494), dealer=3, hand=4)
    table = Table(rules, match=match, names=("a", "b", "c", "d"))
    table.apply(act.StartMatch(t=0.0))
    table.apply(act.RaiseWalls(t=1.0))
    table.apply(act.Rule(t=2.0, do="draw_hand", by="referee", reason="exhausted"))
    assert table.match.points == (502, 501, 494, 503)
    assert table.game.names == ("b", "a", "d", "c")
    assert Table.replay(rules, table.events).game.names == ("b", "a", "d", "c")
    table.apply(act.Rule(t=3.0, do="undo", by="referee"))
    assert (table.match.points, table.game.names) == ((501, 502, 503, 494), ("a", "b", "c", "d"))


def test_the_deal_passes_after_every_hand():  # T58
    script = dealt({0: "1122334455667p"}, drawn="7p")
    script.win(0)
    script.rule("confirm")
    assert (script.table.match.dealer, script.table.match.streak) == (1, 0)
    assert script.table.game.phase is MatchPhase.BETWEEN
