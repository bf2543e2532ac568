"""Offences, time limits, rulings (competition sections 2, 6, 7)."""

from __future__ import annotations

import pytest
from game_fakes import FakeRules
from game_script import Script, alerts, find, kinds

from tablectl.game import actions as act
from tablectl.game import events as ev
from tablectl.game.limits import LATENCY_SECONDS
from tablectl.game.record import records
from tablectl.game.state import MatchPhase, Phase
from tablectl.game.table import Table
from tablectl.rules import registry
from tablectl.rules.api import MatchState, Play
from tablectl.tiles.tile import Tile

RULES = registry.load("competition")


@pytest.fixture
def script():
    started = Script(RULES, drawn="N")
    started.discard(0, "N")
    return started


# --- dice


def test_only_the_dealer_throws_and_once():  # J3, J120
    script = Script(RULES, deal=False)
    assert script.table.legal(0).throw
    assert not script.table.legal(1).throw
    assert alerts(script.press(1, "dice")) == [("dice_wrong_seat", 1)]
    assert alerts(script.press(0, "dice")) == []
    assert not script.table.legal(0).throw
    assert alerts(script.press(0, "dice")) == [("dice_wrong_seat", 0)]
    script.throw(3, 4)
    assert script.hand.throws == [(3, 4)]
    assert script.throw(5, 5) == []
    assert alerts(script.press(0, "dice")) == []  # told once already in this hand
    assert script.hand.deck is not None
    assert script.hand.deck.places[0].side == 2  # J4: 7 is the opposite seat


def test_keys_between_hands_are_no_offence():
    table = Table(RULES)
    assert table.apply(act.Press(t=1, seat=2, key="dice")) == []


# --- draws and counts


def test_a_draw_before_the_discard():  # J13, J121; mcr T13; zhenjiang Z705
    script = Script(RULES, drawn="N")
    script.discard(0, "N")
    script.draw(1, "E")
    events = script.draw(2, "9s")
    assert alerts(events) == [("draw_out_of_turn", 2)]
    assert (script.hand.turn, script.phase) == (1, Phase.TURN)
    script.discard(1, "E")
    assert alerts(script.discard(2, "9s")) == []  # it holds its tile already
    assert script.hand.next_seat == 3


def test_an_early_draw_put_back_leaves_only_the_alert(script):
    script.draw(1, "E")
    script.draw(2, "9s")
    script.do(act.Amend(t=script.tick(), replaces=script.table.last_seq, event=None))
    script.discard(1, "E")
    script.turn(2, "9s")
    assert [e["type"] for e in records(script.table.events)[0][2:]].count("tsumo") == 2
    assert len(script.hand.seats[2].standing) == 13


def test_a_draw_by_a_seat_whose_turn_it_is_not(script):  # J121
    assert alerts(script.draw(3, "E")) == [("draw_out_of_turn", 3)]
    assert script.hand.turn == 3


def test_the_wrong_end_of_the_wall(script):  # J125
    assert alerts(script.draw(1, "a", end="tail")) == [("wrong_wall_end", 1)]
    script.flower(1, "a")
    assert alerts(script.draw(1, "E", end="live")) == []  # the same offence of the same seat was just told
    fresh = Script(RULES, {0: "123456789m123pa"}, drawn="9p")
    fresh.flower(0, "a")
    assert alerts(fresh.draw(0, "E", end="live")) == [("wrong_wall_end", 0)]


def test_too_few_tiles_are_reported_once_while_it_lasts(script):  # J15, J122
    script.turn(1, "E")
    tile = script.standing(2)[0]
    events = script.discard(2, str(tile))
    (alert,) = find(events, ev.Alerted)
    assert (alert.code, alert.seat, alert.detail) == ("wrong_tile_count", 2, "12 standing tiles, expected 13")
    script.turn(3, "E")
    script.turn(0, "E")
    script.turn(1, "C")
    assert alerts(script.turn(2, "9s")) == []


def test_too_many_tiles(script):  # J122
    script.draw(1, "E")
    script.draw(1, "C")
    assert alerts(script.discard(1, "E")) == [("wrong_tile_count", 1)]
    assert len(script.hand.seats[1].standing) == 14


# --- flowers, dead hands


def test_a_discarded_flower_makes_a_dead_hand_that_plays_mechanically(script):  # J25, J28, J123, J131
    script.draw(1, "a")
    events = script.discard(1, "a")
    assert alerts(events) == [("flower_discarded", 1)]
    assert len(find(events, ev.HandKilled)) == 1
    assert script.hand.seats[1].dead == "flower_discarded"
    script.turn(2, "E")
    script.turn(3, "E")
    script.turn(0, "E")
    script.draw(1, "P")
    assert script.table.legal(1).discards == (Tile.WHITE,)
    other = next(t for t in script.standing(1) if t != Tile.WHITE)
    assert alerts(script.discard(1, str(other))) == [("mechanical_discard", 1)]


def test_a_flower_kept_past_the_own_discard(script):  # J124
    script.draw(1, "a")
    other = script.standing(1)[0]
    events = script.discard(1, str(other))
    (alert,) = find(events, ev.Alerted)
    assert (alert.code, alert.detail) == ("flower_kept", "a")


def test_a_fourth_flower_may_be_discarded_at_a_losing_finish():  # J78
    script = Script(RULES, {1: "123456789m1pabc"}, drawn="N", points=(4, 90, 0, 306))
    for flower, tile in (("a", "9p"), ("b", "9p"), ("c", "8p")):
        script.flower(1, flower)
        script.draw(1, tile)
    script.discard(0, "N")
    script.draw(1, "d")
    events = script.discard(1, "d")
    assert alerts(events) == []
    assert script.hand.seats[1].dead is None


def test_the_penalty_tile_must_be_the_next_discard(script):  # J134
    script.rule("penalty_tile", seat=1, pai=Tile.EAST)
    script.draw(1, "E")
    assert script.table.legal(1).discards == (Tile.EAST,)
    other = next(t for t in script.standing(1) if t != Tile.EAST)
    assert alerts(script.discard(1, str(other))) == [("penalty_tile_kept", 1)]


def test_what_the_antennas_suspect_is_raised_once(script):
    first = script.do(act.Suspect(t=script.tick(), code="tile_exposed", seat=2, detail="5m"))
    again = script.do(act.Suspect(t=script.tick(), code="tile_exposed", seat=2, detail="5m"))
    assert (alerts(first), alerts(again)) == ([("tile_exposed", 2)], [])


def test_a_winning_tile_mixed_in_is_a_fact_for_the_score():  # J38, J54, J132
    script = Script(RULES, drawn="N")
    script.discard(0, "N")
    script.draw(1, "E")
    script.do(act.Suspect(t=script.tick(), code="winning_tile_mixed_in", seat=1))
    assert [i.kind for i in script.hand.incidents] == ["inserted"]


def test_a_discarded_wildcard_where_that_is_forbidden():
    rules = FakeRules(Play(indicator="after_deal", wild_discard_forbidden=True))
    script = Script(rules, drawn="C")
    script.do(act.TurnIndicator(t=script.tick(), tile=Tile.RED))
    assert Tile.RED not in script.table.legal(0).discards
    assert alerts(script.discard(0, "C")) == [("wild_discarded", 0)]


# --- time


def test_the_first_discard_has_twenty_seconds():  # J30
    script = Script(RULES, drawn="N")
    dealt = script.t
    assert script.table.next_deadline() == dealt + 17
    (warned,) = find(script.wait(17), ev.TimeWarned)
    assert (warned.actor, warned.what, warned.seconds) == (0, "first_discard", 3)
    assert script.table.next_deadline() == dealt + 20 + LATENCY_SECONDS
    events = script.wait(3 + LATENCY_SECONDS)
    assert alerts(events) == [("over_time", 0)]
    assert find(events, ev.Alerted)[0].detail == "limit 20 s"
    assert script.wait(60) == []


def test_ten_seconds_from_discard_to_discard(script):  # J30
    start = script.t
    script.draw(1, "a", after=2)
    script.flower(1, "a")
    script.draw(1, "E")
    assert script.table.next_deadline() == start + 7
    events = script.discard(1, "E", after=9)
    assert [e.type for e in events] == ["time_warning", "alert", "dahai"]
    assert script.table.next_deadline() == script.t + 7


def test_an_action_brings_about_what_was_due_before_it(script):
    """A trace without `PassTime` gives the same events."""
    events = script.draw(1, "E", after=30)
    assert [e.type for e in events] == ["time_warning", "alert", "tsumo"]
    assert [e.t for e in events] == sorted(e.t or 0 for e in events)


def test_the_clock_stands_in_a_pause(script):  # the referee's pause
    left = (script.table.next_deadline() or 0) - script.t
    script.rule("pause")
    assert script.table.next_deadline() is None
    assert script.wait(600) == []
    script.rule("resume")
    assert script.table.next_deadline() == pytest.approx(script.t + left - 1)


def test_a_declared_win_stops_the_clock():
    script = Script(RULES, {2: "123456789m4599p"}, drawn="6p")
    script.discard(0, "6p")
    script.win(2)
    assert script.wait(60) == []


def test_a_mechanical_seat_is_not_timed():  # J34
    script = Script(RULES, drawn="N")
    script.rule("seat_empty", seat=1)
    script.discard(0, "N")
    assert [e for e in script.wait(60) if e.type in ("time_warning", "alert")] == []


def test_five_minutes_before_the_end_and_the_last_hand():  # J98, J112
    script = Script(RULES, drawn="N")
    script.wait(115 * 60)
    told = [e for e in find(script.table.events, ev.TimeWarned) if e.what == "match"]
    assert [(e.seconds, e.t) for e in told] == [(300, 100 + 115 * 60)]
    script.wait(5 * 60)
    told = [e for e in find(script.table.events, ev.TimeWarned) if e.what == "match"]
    assert [e.seconds for e in told] == [300, 0]
    assert script.table.game.phase is MatchPhase.HAND  # the hand in progress is played to its end
    events = script.rule("draw_hand", reason="test")
    assert find(events, ev.MatchEnded)[0].reason == "time"


def test_no_hand_begins_after_the_time_is_over():  # J98: a hand begins with the press of the dice
    script = Script(RULES, drawn="N")
    script.rule("draw_hand", reason="test")
    script.do(act.RaiseWalls(t=script.tick()))
    assert script.table.game.phase is MatchPhase.HAND
    events = script.press(1, "dice", after=120 * 60)
    assert find(events, ev.MatchEnded)[0].reason == "time"
    assert find(events, ev.ClaimCalled) == []
    assert script.table.game.phase is MatchPhase.OVER


def test_a_new_game_begins_after_the_last():  # J98: points do not carry over
    script = Script(RULES, drawn="N", points=(130, 70, 100, 100))
    script.rule("end_game")
    assert script.table.match.points == (130, 70, 100, 100)
    events = script.do(act.RaiseWalls(t=script.tick()))
    assert kinds(events) == ["start_game", "hand_opened"]
    assert (script.table.match.game, script.table.match.points) == (2, (100, 100, 100, 100))
    assert script.hand.dealer == 0


def test_players_change_seats_between_games():  # J97: A B C D, then B A D C, C D B A
    table = Table(RULES)
    table.apply(act.StartMatch(t=1, names=("A", "B", "C", "D")))
    seen = []
    for n in range(3):
        table.apply(act.RaiseWalls(t=10 + n))
        seen.append("".join(table.game.names))
        table.apply(act.Rule(t=10.5 + n, do="end_game", by="referee"))
    assert seen == ["ABCD", "BADC", "CDBA"]
    table.apply(act.NameSeats(t=20, names=("X", "B", "C", "D")))
    assert table.game.names == ("X", "B", "C", "D")


def test_players_that_sit_otherwise_than_by_the_plan():  # J97, J143
    table = Table(RULES, names=("D", "C", "B", "A"))  # as the site has them: no plan is made for the first game
    told = table.apply(act.StartMatch(t=1, names=("A", "B", "C", "D")))
    assert not alerts(told)
    table.apply(act.RaiseWalls(t=1.5))
    table.apply(act.Rule(t=1.7, do="draw_hand", by="referee"))
    table.apply(act.Rule(t=2, do="end_game", by="referee"))
    told = table.apply(act.StartMatch(t=3, names=("B", "A", "C", "D")))  # the plan has B A D C
    assert alerts(told) == [("seat_change", 2), ("seat_change", 3)]
    assert find(told, ev.Alerted)[0].detail == "D sits here by the plan"
    table.apply(act.RaiseWalls(t=3.5))
    table.apply(act.Rule(t=3.7, do="draw_hand", by="referee"))
    table.apply(act.Rule(t=4, do="end_game", by="referee"))
    assert not alerts(table.apply(act.StartMatch(t=5, names=("X", "B", "C", "D"))))  # other people


def test_who_has_signed_in_is_told_before_the_match():  # zhenjiang Z610
    table = Table(RULES)
    (named,) = find(table.apply(act.NameSeats(t=1, names=("A", "", "C", "D"))), ev.SeatsNamed)
    assert named.names == table.game.names == ("A", "", "C", "D")
    (started,) = find(table.apply(act.StartMatch(t=2)), ev.MatchStarted)
    assert started.names == ("A", "", "C", "D")


# --- rulings


def test_penalties(script):  # J100, J101
    script.rule("penalty", seat=1, points=20, to=2, reason="naming a discard")
    assert script.points == (100, 80, 120, 100)
    script.rule("penalty", seat=1, points=10, to="nobody")
    assert script.points == (100, 80, 120, 100)
    assert script.hand.off_board == (0, -10, 0, 0)
    script.rule("penalty", seat=0, points=10, to="each")
    assert script.points == (70, 90, 130, 110)
    pays = [e for e in records(script.table.events)[0] if e["type"] == "pay"]
    assert [e["reason"] for e in pays] == ["penalty"] * 3
    script.rule("draw_hand", reason="test")
    assert script.table.match.points == (70, 90, 130, 110)
    assert script.table.match.off_board == (0, -10, 0, 0)


def test_a_penalty_between_hands(script):
    script.rule("draw_hand", reason="test")
    script.rule("penalty", seat=3, points=10, to=0)
    assert script.table.match.points == (110, 100, 100, 90)


@pytest.mark.parametrize(
    ("ruling", "why"),
    [
        ({"do": "confirm"}, "no win is declared"),
        ({"do": "refuse"}, "no win is declared"),
        ({"do": "undo"}, "a hand is being played"),
        ({"do": "penalty", "seat": 1, "points": 15, "to": 2}, "expected one of 10, 20, 30, 40, 50"),
        ({"do": "penalty", "seat": 1, "points": 10, "to": 1}, "cannot go to the seat that pays"),
        ({"do": "penalty", "seat": 1, "points": 10, "to": "all"}, "'each', 'nobody' or a seat"),
        ({"do": "penalty", "seat": 1}, "points above 0"),
        ({"do": "penalty", "points": 10}, "needs a seat"),
        ({"do": "dead_hand"}, "needs a seat"),
        ({"do": "resume"}, "the clock is running"),
        ({"do": "dismiss"}, "needs the number of the alert"),
        ({"do": "penalty_tile", "seat": 1}, "needs the tile"),
        ({"do": "correct", "replaces": 99}, "has no event 99"),
        ({"do": "correct"}, "needs the place"),
        ({"do": "shoot"}, "is no ruling"),
    ],
)
def test_rulings_without_effect_say_why(script, ruling, why):
    action = act.Rule(t=script.tick(), by="referee", **ruling)
    assert why in str(script.table.refusal(action))
    assert script.do(action) == []


def test_a_dead_hand_may_be_revived(script):
    script.rule("dead_hand", seat=2, reason="wrong tile count")
    assert script.hand.seats[2].dead == "wrong tile count"
    assert [i.kind for i in script.hand.incidents] == ["dead_hand"]
    script.rule("revive", seat=2)
    assert script.hand.seats[2].dead is None
    assert script.hand.incidents == []


def test_undo_gives_back_the_hand(script):
    script.rule("penalty", seat=1, points=20, to=2)
    script.rule("draw_hand", reason="test")
    assert (script.table.match.dealer, script.table.match.hand) == (1, 2)
    script.rule("undo")
    assert script.table.match == MatchState(points=(100, 100, 100, 100))
    script.do(act.RaiseWalls(t=script.tick()))
    assert (script.hand.number, script.hand.dealer, script.points) == (1, 0, (100, 100, 100, 100))


def test_undo_while_the_next_walls_stand(script):
    script.rule("draw_hand", reason="test")
    script.do(act.RaiseWalls(t=script.tick()))
    assert (script.hand.number, script.hand.dealer) == (2, 1)
    assert kinds(script.rule("undo")) == ["ruling", "hand_opened"]
    assert (script.hand.number, script.hand.dealer, script.phase) == (1, 0, Phase.DICE)
    script.throw(3, 4)
    script.deal({}, "9p")
    assert len(records(script.table.events)) == 1


def test_a_correction_puts_the_right_tile(script):
    """`replaces` is the place in the hand's record (trace format)."""
    right = ev.TileDiscarded(t=script.t, actor=0, pai=Tile.SOUTH)
    script.rule("correct", replaces=2, event=right)
    assert records(script.table.events)[0][2]["pai"] == "S"
    assert script.hand.discards[0].tile is Tile.SOUTH
    assert script.hand.seats[0].river[0].tile is Tile.SOUTH


def test_a_correction_of_the_result_closes_the_account_again():  # J107
    script = Script(RULES, {2: "123456789m4599p"}, drawn="6p")
    script.discard(0, "6p")
    script.win(2)
    script.rule("confirm")
    place = [e["type"] for e in records(script.table.events)[0]].index("hora")
    won = find(script.table.events, ev.HandWon)[0]
    right = ev.HandWon(t=won.t, actor=2, target=0, pai=won.pai, fans={"清龙": 10}, score=10, deltas=(-20, 0, 20, 0))
    script.rule("correct", replaces=place, event=right)
    assert script.table.match.points == (80, 100, 120, 100)
    assert records(script.table.events)[0][-1]["scores"] == [80, 100, 120, 100]
    script.do(act.RaiseWalls(t=script.tick()))
    assert script.points == (80, 100, 120, 100)


def test_a_correction_that_cannot_be_is_reported_and_changes_nothing(script):
    script.turn(1, "E")
    before = script.hand
    events = script.do(act.Amend(t=script.tick(), replaces=script.table.last_seq + 9, event=None))
    assert alerts(events) == [("impossible_move", None)]
    assert script.hand.discards == before.discards
    script.meld(2, "pung", "E", "EE")  # whatever it holds: the tiles lie there
    seq = next(n for n, e in enumerate(script.table.events, 1) if e.type == "dahai" and e.actor == 1)
    events = script.do(act.Amend(t=script.tick(), replaces=seq, event=None))
    assert alerts(events) == []  # the same alert was just raised
    assert script.hand.seats[2].melds


def test_alerts_are_answered(script):
    script.draw(3, "E")
    script.do(act.Suspect(t=script.tick(), code="tile_exposed", seat=2))
    first, second = script.hand.alerts
    script.rule("dismiss", alert=first.seq)
    assert script.hand.alerts == [second]
    script.rule("warning", seat=2, reason="be careful")
    assert script.hand.alerts == []


def test_three_players_left():  # J34, J141
    script = Script(RULES, drawn="N")
    script.discard(0, "N")
    assert alerts(script.rule("seat_empty", seat=2)) == [("seat_empty", 2)]
    script.turn(1, "E")
    assert not script.table.legal(2).claims
    script.draw(2, "P")
    assert script.table.legal(2).discards == (Tile.WHITE,)
    script.discard(2, "P")
    script.rule("draw_hand", reason="test")
    script.do(act.RaiseWalls(t=script.tick()))
    assert script.hand.seats[2].dead == "mechanical"
    script.rule("seat_taken", seat=2)
    script.rule("draw_hand", reason="test")
    script.do(act.RaiseWalls(t=script.tick()))
    assert script.hand.seats[2].dead is None


def test_ready_before_the_first_discard_is_kept():  # J29
    script = Script(RULES, {2: "123456789m4599p"}, drawn="6p")
    script.press(2, "ready")
    script.discard(0, "6p")
    (declared,) = find(script.win(2), ev.WinDeclared)
    assert declared.how == ("earthly", "human", "ready")


def test_hung_tile_widens_the_liability():  # J84
    script = Script(RULES, drawn="N")
    script.discard(0, "N")
    script.draw(1, "E")
    script.do(act.ShowTile(t=script.tick(), seat=1, tile=Tile.EAST, what="hung"))
    assert script.hand.seats[1].hung is Tile.EAST
    assert [(i.kind, i.extra) for i in script.hand.incidents] == [("hung", {"count": 1})]
    script.discard(1, "E")
    assert script.hand.seats[1].hung is None
    assert [i.extra["count"] for i in script.hand.incidents if i.kind == "hung"] == [1, 0]
