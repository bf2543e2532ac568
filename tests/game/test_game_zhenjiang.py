"""镇江麻将 at the table: the first dealer by dice, duties of the wildcard, tickets, the end of time."""

from __future__ import annotations

from collections import Counter

import pytest
from game_script import Script, alerts, find, kinds

from tablectl.game import actions as act
from tablectl.game import events as ev
from tablectl.game.record import records
from tablectl.game.state import MatchPhase, Phase
from tablectl.game.table import Table
from tablectl.game.views import redact, view
from tablectl.rules import registry
from tablectl.rules.api import RuleSet
from tablectl.tiles.notation import parse_tile, parse_tiles
from tablectl.tiles.tile import Tile

ZHENJIANG = registry.load("zhenjiang")
LOOSE = tuple(parse_tile(f"{rank + step}{suit}") for step in (0, 1, 2) for suit in "mps" for rank in (1, 4, 7))


def dealt(
    hands: dict[int, str], drawn: str = "9s", indicator: str = "W", rules: RuleSet = ZHENJIANG, points: int = 50
) -> Script:
    """A hand with the indicator turned up (百搭 is N); seats without tiles enough get loose ones."""
    script = Script(rules, deal=False, points=(points,) * 4)
    script.throw(4, 5)
    left = Counter(rules.tile_set.tiles())
    left.subtract([tile for told in hands.values() for tile in parse_tiles(told)])
    left.subtract([parse_tile(drawn), parse_tile(indicator)])
    spare = [tile for copies in (3, 2, 1, 0) for tile in LOOSE if left[tile] > copies]
    full = {}
    for seat in range(4):
        lack = 13 - len(parse_tiles(hands.get(seat, "")))
        full[seat] = hands.get(seat, "") + "".join(tile.code for tile in spare[:lack])
        spare = spare[lack:]
    script.deal(full, drawn)
    script.do(act.TurnIndicator(t=script.tick(), tile=parse_tile(indicator), seat=0))
    return script


def facts(events: list[ev.Event]) -> list[tuple[str, int]]:
    return [(e.kind, e.actor) for e in find(events, ev.IncidentNoted)]


# --- before the first hand


def test_any_player_throws_for_the_first_dealer():  # Z103
    table = Table(ZHENJIANG)
    table.apply(act.StartMatch(t=1.0))
    table.apply(act.RaiseWalls(t=2.0))
    assert all(table.legal(seat).throw for seat in range(4))
    assert not alerts(table.apply(act.Press(t=3.0, seat=2, key="dice")))
    assert alerts(table.apply(act.Press(t=3.5, seat=1, key="dice"))) == [("dice_wrong_seat", 1)]  # twice (Z702)
    (thrown,) = find(table.apply(act.RestDice(t=4.0, dice=(2, 4))), ev.DealerThrown)
    assert (thrown.actor, thrown.dealer) == (2, 3)  # third chair, six: the fourth chair
    assert table.hand is not None
    assert (table.hand.dealer, table.hand.throws, table.hand.phase) == (3, [], Phase.DICE)
    assert [table.legal(seat).throw for seat in range(4)] == [False, False, False, True]  # Z104
    table.apply(act.Press(t=5.0, seat=3, key="dice"))
    table.apply(act.RestDice(t=6.0, dice=(4, 5)))
    assert table.hand.phase is Phase.DEALING
    assert Table.replay(ZHENJIANG, table.events).game == table.game


def test_the_first_dealer_is_thrown_for_only_once():  # Z103, Z602
    table = Table(ZHENJIANG)
    table.apply(act.StartMatch(t=1.0))
    table.apply(act.RaiseWalls(t=2.0))
    table.apply(act.Press(t=3.0, seat=0, key="dice"))
    table.apply(act.RestDice(t=4.0, dice=(1, 1)))
    table.apply(act.Rule(t=5.0, do="draw_hand", by="referee", reason="test"))
    assert (table.match.dealer, table.match.first) == (1, 1)
    table.apply(act.RaiseWalls(t=6.0))
    assert [table.legal(seat).throw for seat in range(4)] == [False, True, False, False]
    assert records(table.events) == []


def test_a_dealer_set_beforehand():  # Z103 first_dealer
    table = Table(registry.load("zhenjiang", {"first_dealer": 2}))
    table.apply(act.StartMatch(t=1.0))
    table.apply(act.RaiseWalls(t=2.0))
    assert [table.legal(seat).throw for seat in range(4)] == [False, False, True, False]


def test_the_indicator_names_the_kind_after_it():  # Z107–Z110
    script = dealt({})
    assert script.hand.wild == {Tile.NORTH}
    assert (script.phase, script.hand.wall_left) == (Phase.TURN, 82)
    assert script.hand.deck is not None
    assert script.hand.deck.indicator == 54


# --- duties


def test_the_first_wildcard_must_be_thrown():  # Z211, Z707, Z716
    script = dealt({0: "N"})
    assert script.table.legal(0).discards == (Tile.NORTH,)
    assert view(script.table, "player", 0)["hand"]["seats"][0]["must_discard"] == ["N"]
    assert view(script.table, "player", 1)["hand"]["seats"][0]["must_discard"] == []
    events = script.discard(0, "9s")
    assert alerts(events) == [("first_wildcard_kept", 0)]
    (killed,) = find(events, ev.HandKilled)
    assert redact(killed, "spectator") is None  # marked on the referee's console, not on the table
    assert script.hand.seats[0].dead == "first_wildcard_kept"
    script.rule("revive", seat=0)  # Z511
    assert script.hand.seats[0].dead is None


def test_a_thrown_first_wildcard_counts_and_need_not_be_shown():  # Z213, Z214
    script = dealt({0: "N"})
    assert facts(script.discard(0, "N")) == [("wildcard_first", 0)]
    assert "show" not in script.table.legal(0).keys
    assert not alerts(script.draw(1, "1p"))


def test_no_duty_after_the_first_discard():  # Z211
    script = dealt({})
    script.discard(0, "9s")
    for seat in (1, 2, 3):
        script.turn(seat, "9p")
    script.draw(0, "N")
    assert len(script.table.legal(0).discards) > 1


@pytest.mark.parametrize("shown", [True, False])
def test_a_later_wildcard_must_be_shown(shown):  # Z214, Z708
    script = dealt({})
    script.discard(0, "9s")
    for seat in (1, 2, 3):
        script.turn(seat, "9p")
    script.draw(0, "N")
    assert facts(script.discard(0, "N")) == [("wildcard_mid", 0)]
    assert script.table.legal(0).keys == {"show"}
    if shown:
        (event,) = find(script.press(0, "show"), ev.TileShown)
        assert (event.pai, event.what) == (Tile.NORTH, "discard")
        assert not script.table.legal(0).keys
    events = script.draw(1, "1p")
    assert alerts(events) == ([] if shown else [("wildcard_not_shown", 0)])
    assert script.hand.seats[0].dead == (None if shown else "wildcard_not_shown")


def test_the_key_may_be_quicker_than_the_antennas():  # Z214
    script = dealt({1: "N"})
    script.discard(0, "9s")
    script.turn(1, "1m", "N")
    for seat, tile in ((2, "1s"), (3, "2s"), (0, "3s")):
        script.turn(seat, tile)
    script.draw(1, "N")
    script.press(1, "show")
    script.discard(1, "N")
    assert script.hand.discards[-1].shown
    assert not alerts(script.draw(2, "4s"))
    assert script.hand.seats[1].dead is None


def test_shown_too_late():  # Z214: before the next tile leaves the wall
    script = dealt({})
    script.discard(0, "9s")
    for seat in (1, 2, 3):
        script.turn(seat, "9p")
    script.turn(0, "N")
    script.draw(1, "1p")
    script.press(0, "show")
    assert not find(script.table.events, ev.TileShown)
    assert script.hand.seats[0].dead == "wildcard_not_shown"


def test_a_wildcard_right_after_a_pung():  # Z213
    script = dealt({1: "99sNN"}, drawn="9s")
    script.discard(0, "9s")
    script.meld(1, "pung", "9s", "99s")
    assert script.table.legal(1).discards == (Tile.NORTH,)
    assert facts(script.discard(1, "N")) == [("wildcard_first", 1)]  # its first discard, the pung before it


def test_held_wildcards_must_be_shown():  # Z214 show_held, Z708
    rules = registry.load("zhenjiang", {"second_wildcard_rule": "show_held", "first_wildcard_rule": "free"})
    for shown in (True, False):
        script = dealt({0: "NN"}, rules=rules)
        script.discard(0, "9s")
        if shown:
            script.do(act.ShowTile(t=script.tick(), seat=0, tile=Tile.NORTH, what="held"))
        events = script.turn(1, "9p")
        assert alerts(events) == ([] if shown else [("second_wildcard_hidden", 0)])


# --- claims, wins


def test_a_dead_hand_still_claims_but_does_not_win():  # Z215
    script = dealt({1: "99s", 0: "N"}, drawn="1p")
    script.discard(0, "1p")
    script.turn(1, "9p")
    script.rule("dead_hand", seat=1, reason="wrong_count")
    script.turn(2, "9s")
    assert script.table.legal(1).pung
    assert not alerts(script.meld(1, "pung", "9s", "99s"))
    assert script.hand.seats[0].dead == "first_wildcard_kept"


def test_there_is_no_chow_and_a_wildcard_melds_as_itself():  # Z203, Z209
    script = dealt({0: "N", 1: "78s", 2: "NN"}, drawn="9s")
    script.discard(0, "N")
    assert script.table.legal(2).pung
    assert not alerts(script.meld(2, "pung", "N", "NN"))
    again = dealt({1: "78s"}, drawn="9s")
    again.discard(0, "9s")
    assert alerts(again.meld(1, "chow", "9s", "78s")) == [("false_meld", 1)]


def test_a_win_on_a_thrown_wildcard():  # Z210, Z311
    script = dealt({0: "N", 2: "123456m123p777sN"}, drawn="9s")
    script.discard(0, "N")
    (event,) = find(script.win(2), ev.WinDeclared)
    assert (event.legal, event.target, event.fans.get("成搭")) == (True, 0, 1)
    for seat in (0, 1, 3):
        script.press(seat, "pass")
    assert script.hand.winners == [2]


def test_a_self_drawn_win_after_a_thrown_wildcard():  # Z213: the record of the discard before it stays
    script = dealt({0: "N", 1: "123456m123p777s9s"}, drawn="1p")
    script.discard(0, "N")
    script.draw(1, "9s")
    (event,) = find(script.win(1), ev.WinDeclared)
    assert (event.target, event.legal) == (1, True)
    assert [fact.kind for fact in script.hand.incidents] == ["wildcard_first"]


def test_a_win_on_a_thrown_wildcard_after_the_next_draw():  # Z210: the draw is taken back, not the record
    script = dealt({0: "N", 2: "123456m123p777sN"}, drawn="9s")
    script.discard(0, "N")
    script.draw(1, "1p")
    (event,) = find(script.win(2), ev.WinDeclared)
    assert (event.target, event.legal) == (0, True)
    assert [fact.kind for fact in script.hand.incidents] == ["wildcard_first"]
    assert script.hand.wall_left == 82


def test_kongs_are_paid_before_the_replacement():  # Z503
    script = dealt({1: "999s"}, drawn="9s")
    script.discard(0, "9s")
    assert kinds(script.meld(1, "kong", "9s", "999s")) == ["daiminkan", "pay"]
    assert script.points == (49, 53, 49, 49)


def test_replacements_from_the_head():  # Z110
    rules = registry.load("zhenjiang", {"kong_replacement_from": "head"})
    script = dealt({0: "1111p"}, rules=rules)
    script.meld(0, "concealed", None, "1111p")
    assert script.table.legal(0).draw == "live"
    (drawn,) = find(script.draw(0, "2p", end="live"), ev.TileDrawn)
    assert drawn.from_ == "live"
    assert (script.hand.tail_taken, script.hand.live_taken) == (0, 54)
    other = dealt({0: "1111p"}, rules=rules)
    other.meld(0, "concealed", None, "1111p")
    assert alerts(other.draw(0, "2p", end="tail")) == [("wrong_wall_end", 0)]


def test_a_false_win_is_fined_after_the_match_and_the_hand_goes_on():  # Z508, Z509, Z710
    script = dealt({})
    script.discard(0, "9s")
    script.draw(1, "9p")
    assert alerts(script.win(1)) == [("false_win", 1)]
    script.rule("confirm")
    assert (script.phase, script.points) == (Phase.TURN, (50, 50, 50, 50))
    assert script.hand.seats[1].dead is not None
    script.discard(1, "9p")
    script.rule("draw_hand", reason="exhausted")
    assert sum(script.table.match.carry.values()) > 0


def test_fines_are_paid_when_the_match_ends():  # Z509, Z606
    script = dealt({})
    script.discard(0, "9s")
    script.draw(1, "9p")
    script.win(1)
    script.rule("confirm")
    script.discard(1, "9p")
    script.rule("draw_hand", reason="exhausted")
    (end,) = find(script.rule("end_game"), ev.MatchEnded)
    assert end.scores == (56, 32, 56, 56)
    assert end.ranks == (1, 4, 1, 1)
    assert (script.table.match.points, script.table.match.carry) == (end.scores, {})


def test_every_false_win_is_fined():  # Z508
    rules = registry.load("zhenjiang", {"false_win_settle": "at_once"})
    script = dealt({}, rules=rules)
    script.discard(0, "9s")
    script.draw(1, "9p")
    for times in (1, 2):
        script.win(1)
        script.rule("confirm")
        assert script.points == (50 + 6 * times, 50 - 18 * times, 50 + 6 * times, 50 + 6 * times)
    script.discard(1, "9p")
    script.rule("draw_hand", reason="exhausted")
    assert script.table.match.points == (62, 14, 62, 62)


# --- offences and absences


def test_a_wrong_indicator_is_put_back_and_the_right_one_turned_up():  # Z107, Z704
    script = dealt({})
    assert script.hand.wild == {Tile.NORTH}
    assert alerts(script.do(act.Suspect(t=script.tick(), code="wrong_indicator", seat=0))) == [("wrong_indicator", 0)]
    place = next(n for n, event in enumerate(script.table.events, 1) if isinstance(event, ev.IndicatorTurned))
    right = ev.IndicatorTurned(t=script.t, pai=Tile.M9, actor=0)
    script.do(act.Amend(t=script.tick(), replaces=place, event=right))
    assert (script.hand.indicator, script.hand.wild) == (Tile.M9, {Tile.M1})


def test_a_wall_broken_wrongly_is_dealt_again():  # Z703
    script = dealt({})
    assert alerts(script.do(act.Suspect(t=script.tick(), code="wrong_break", seat=1))) == [("wrong_break", 1)]
    script.rule("draw_hand", reason="void")
    match = script.table.match
    assert (match.hand, match.dealer, match.points) == (1, 0, (50, 50, 50, 50))


def test_an_empty_seat_is_played_mechanically():  # Z609, Z713
    script = dealt({})
    assert ("seat_empty", 2) in alerts(script.rule("seat_empty", seat=2, reason="left"))
    assert script.hand.seats[2].dead == "mechanical"
    script.rule("draw_hand", reason="exhausted")
    script.rule("seat_taken", seat=2)
    script.do(act.RaiseWalls(t=script.tick()))
    assert script.hand.seats[2].dead is None


# --- tickets and time


def test_what_was_paid_so_far_tells_who_can_change():  # Z605
    script = Script(ZHENJIANG, deal=False, points=(50,) * 4)

    def paid():
        return [event.deltas for event in script.table.game.payments]

    script.rule("penalty", seat=0, points=3, to=1)
    script.rule("draw_hand")
    drawn = (0, 0, 0, 0)
    assert paid() == [(-3, 3, 0, 0), drawn]
    script.rule("penalty", seat=0, points=4, to=2)  # between two hands
    script.do(act.RaiseWalls(t=script.tick()))
    script.rule("penalty", seat=0, points=5, to=3)
    assert paid() == [(-3, 3, 0, 0), drawn, (-4, 0, 4, 0), (-5, 0, 0, 5)]
    (last,) = ZHENJIANG.handed_over([*paid(), (-9, 9, 0, 0)])
    assert (last.seat, last.paid, last.change) == (0, {10: 1}, {1: {1: 1}})
    again = Table.replay(ZHENJIANG, script.table.events)  # after a power cut
    assert again.game.payments == script.table.game.payments
    script.rule("draw_hand")
    script.rule("undo")
    assert paid() == [(-3, 3, 0, 0), drawn, (-4, 0, 4, 0)]
    script.rule("draw_hand")
    script.do(act.Rule(t=script.tick(), do="end_game", by="referee"))
    script.do(act.StartMatch(t=script.tick()))
    assert paid() == []


def test_tickets_that_do_not_add_up():  # Z605, Z712
    script = dealt({})
    script.rule("draw_hand", reason="test")
    assert "tickets_mismatch" not in [code for code, _ in alerts(script.table.events)]
    other = dealt({}, points=49)
    other.rule("draw_hand", reason="test")
    assert alerts(other.table.events) == [("tickets_mismatch", None)]


def test_the_match_stops_at_once_when_the_time_is_up():  # Z603, Z604
    script = dealt({1: "999s"}, drawn="9s")
    script.discard(0, "9s")
    script.meld(1, "kong", "9s", "999s")
    script.rule("pause")  # the clock never stops
    events = script.wait(50 * 60)
    assert [(e.what, e.seconds) for e in find(events, ev.TimeWarned)] == [("match", 600.0)]
    script.rule("resume")
    events = script.wait(10 * 60)
    assert [e.reason for e in find(events, ev.HandDrawn)] == ["broken_off"]
    assert [e.reason for e in find(events, ev.MatchEnded)] == ["time"]
    assert script.table.match.points == (49, 53, 49, 49)  # kongs already paid stand


def test_a_win_declared_before_the_time_is_up_counts():  # Z603
    script = dealt({0: "123456m123p777s9s"}, drawn="9s")
    script.win(0)
    script.wait(60 * 60)
    assert script.phase is Phase.DECLARED
    for seat in (1, 2, 3):
        script.press(seat, "pass")
    assert script.hand.winners == [0]
    assert script.table.game.phase is MatchPhase.OVER


def test_the_hand_may_be_played_out():  # Z603 time_up: finish_hand
    script = dealt({}, rules=registry.load("zhenjiang", {"time_up": "finish_hand"}))
    script.wait(61 * 60)
    assert script.phase is Phase.TURN
    script.rule("draw_hand", reason="exhausted")
    assert script.table.match.over == "time"


def test_a_seat_whose_tickets_are_counted():  # Z605, Z712
    script = dealt({})
    assert not alerts(script.rule("count", seat=1, points=50))
    assert alerts(script.rule("count", seat=1, points=47)) == [("tickets_mismatch", 1)]
    (told,) = [alert.alert for alert in script.hand.alerts]
    assert told.detail == "counted 47, expected 50"
    refusal = script.table.refusal
    assert "needs the tickets" in str(refusal(act.Rule(t=0.0, do="count", by="referee", seat=1)))
    written = Script(registry.load("tianjin"))
    assert "nothing is counted" in str(written.table.refusal(act.Rule(t=0.0, do="count", by="", seat=1, points=5)))


def test_the_result_waits_for_the_chief_referee():  # Z611
    script = dealt({})
    confirm = act.Rule(t=0.0, do="confirm", by="referee:Wu")
    assert str(script.table.refusal(confirm)) == "no win is declared"
    script.rule("end_game")
    assert script.table.unconfirmed
    assert view(script.table, "spectator")["match"]["unconfirmed"]
    assert script.table.refusal(confirm) is None
    script.rule("confirm")
    assert not script.table.unconfirmed
    assert not Table.replay(ZHENJIANG, script.table.events).unconfirmed
    assert str(script.table.refusal(confirm)) == "no win is declared"
    script.do(act.StartMatch(t=script.tick()))
    script.rule("end_game")
    assert script.table.unconfirmed  # the next match has a result of its own


def test_a_result_that_was_undone_is_confirmed_anew():  # Z611
    script = dealt({})
    script.rule("end_game")
    script.rule("confirm")
    script.rule("undo")
    assert not script.table.unconfirmed  # the match goes on
    script.do(act.RaiseWalls(t=script.tick()))
    script.rule("draw_hand")
    script.rule("end_game")
    assert script.table.unconfirmed


def test_a_seat_is_counted_as_often_as_somebody_asks():  # Z605
    script = dealt({})
    assert alerts(script.rule("count", seat=1, points=47)) == [("tickets_mismatch", 1)]
    assert alerts(script.rule("count", seat=1, points=49)) == [("tickets_mismatch", 1)]
