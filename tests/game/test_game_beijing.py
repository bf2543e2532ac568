"""北京麻将 at the table: the pot, exposed tiles, false wins, the dead wall, further rounds."""

from __future__ import annotations

from game_script import Script, alerts, find, kinds

from tablectl.game import actions as act
from tablectl.game import events as ev
from tablectl.game.state import MatchPhase, Phase
from tablectl.game.table import Table
from tablectl.game.views import view
from tablectl.rules import registry
from tablectl.rules.api import MatchState, RuleSet
from tablectl.tiles.notation import parse_tiles
from tablectl.tiles.tile import Tile

BEIJING = registry.load("beijing")
POINTS = (25000, 25000, 25000, 25000)
READY = "123456m123p77s99s"


def dealt(hands: dict[int, str], drawn: str = "9s", rules: RuleSet = BEIJING) -> Script:
    return Script(rules, hands, drawn, points=POINTS)


def passes(script: Script, *seats: int) -> list[ev.Event]:
    return [event for seat in seats for event in script.press(seat, "pass")]


# --- the pot


def test_a_penalty_into_the_pot_goes_to_the_next_winner():  # T40
    script = dealt({2: READY})
    script.rule("penalty", seat=2, points=1000)
    (paid,) = find(script.table.events, ev.PointsPaid)
    assert (paid.reason, paid.deltas, paid.actor) == ("pot_penalty", (0, 0, -1000, 0), 2)
    script.discard(0, "9s")
    (declared,) = find(script.win(2), ev.WinDeclared)
    assert declared.payments == (-8000, 0, 9000, 0)  # 人和 and the pot, the payer himself included
    passes(script, 0, 1, 3)
    assert script.table.match.points == (17000, 25000, 33000, 25000)
    assert not script.table.match.carry


def test_the_pot_stays_open_over_drawn_and_void_hands():  # T40, T44
    for reason in ("exhausted", "void", "referee"):
        script = dealt({})
        script.rule("penalty", seat=1, points=1000)
        script.rule("draw_hand", reason=reason)
        assert script.table.match.carry == {"pot": 1000}
        assert script.table.match.points == (25000, 24000, 25000, 25000)
        script.do(act.RaiseWalls(t=script.tick()))
        assert script.hand.carry == {"pot": 1000}


def test_a_penalty_between_two_hands_lies_in_the_pot_too():  # T40
    script = dealt({})
    script.rule("draw_hand", reason="exhausted")
    script.rule("penalty", seat=3, points=2000)
    assert script.table.match.carry == {"pot": 2000}
    assert script.table.match.points[3] == 23000
    assert Table.replay(BEIJING, script.table.events).match == script.table.match


def test_a_pot_left_goes_to_the_first_however_the_match_ends():  # T40
    script = dealt({})
    script.rule("penalty", seat=0, points=1000)
    script.rule("draw_hand", reason="exhausted")
    (end,) = find(script.rule("end_game"), ev.MatchEnded)
    assert (end.scores, end.ranks) == ((24000, 26000, 25000, 25000), (4, 1, 2, 3))
    assert (script.table.match.points, script.table.match.carry) == (end.scores, {})
    assert script.table.rules.game_points(script.table.match) == end.scores


def test_below_zero_ends_the_match_at_once():  # T50
    script = dealt({})
    script.rule("penalty", seat=1, points=26000)
    assert script.table.game.phase is MatchPhase.OVER
    between = dealt({})
    between.rule("draw_hand", reason="exhausted")
    events = between.rule("penalty", seat=1, points=26000)
    assert kinds(events) == ["ruling", "pay", "end_game"]


def test_no_stick_for_that():  # T39, T40
    script = dealt({})
    assert script.table.refusal(act.Rule(t=1, do="penalty", by="r", seat=1, points=50)) is not None


# --- exposed tiles


def test_an_exposed_tile_bars_its_kinds_for_the_hand():  # T17–T19, T53
    script = dealt({2: READY})
    script.do(act.Suspect(t=script.tick(), code="tile_exposed", seat=2, detail="78s"))
    assert alerts(script.table.events) == [("tile_exposed", 2)]
    script.rule("expose", seat=2, tiles=parse_tiles("78s"))
    assert view(script.table, "spectator")["hand"]["seats"][2]["barred"] == ["6s", "7s", "8s", "9s"]
    script.discard(0, "9s")
    assert not script.table.legal(2).win
    assert alerts(script.win(2)) == [("false_win", 2)]
    assert find(script.table.events, ev.WinDeclared)[-1].reason == "exposed_tile"


def test_it_may_be_drawn():  # T19
    script = dealt({1: READY}, drawn="1s")
    script.rule("expose", seat=1, tiles=(Tile.S9,))
    script.discard(0, "1s")
    script.draw(1, "9s")
    assert find(script.win(1), ev.WinDeclared)[-1].legal


def test_an_exposure_after_the_call_refuses_the_win():  # T53: the referee is final
    script = dealt({2: READY})
    script.discard(0, "9s")
    assert find(script.win(2), ev.WinDeclared)[-1].legal
    (again,) = find(script.rule("expose", seat=2, tiles=(Tile.S9,)), ev.WinDeclared)
    assert (again.legal, again.reason) == (False, "exposed_tile")


def test_an_unclear_call():  # T24
    script = dealt({2: READY})
    script.discard(0, "9s")
    script.win(2)
    (again,) = find(script.rule("unclear_call", seat=2), ev.WinDeclared)
    assert (again.legal, again.reason) == (False, "unclear_call")


def test_other_systems_know_no_exposed_tiles():
    table = Script(registry.load("competition")).table
    assert table.refusal(act.Rule(t=1, do="expose", by="r", seat=1, tiles=(Tile.M1,))) is not None
    assert dealt({}).table.refusal(act.Rule(t=1, do="expose", by="r", seat=1)) is not None


# --- false wins


def test_after_a_false_win_the_hand_is_dealt_again():  # T43, T44
    script = dealt({})
    script.rule("penalty", seat=3, points=1000)
    script.discard(0, "9s")
    script.win(2)
    events = passes(script, 0, 1, 3)
    assert [e.reason for e in find(events, ev.HandDrawn)] == ["void"]
    match = script.table.match
    assert match.points == (29000, 27000, 17000, 26000)  # 4000 to the dealer, 2000 each; the pot stays
    assert (match.dealer, match.hand, match.carry) == (0, 1, {"pot": 1000})


def test_after_a_false_win_the_deal_passes():  # T44 pass_deal
    script = dealt({}, rules=registry.load("beijing", {"after_false_win": "pass_deal"}))
    script.discard(0, "9s")
    script.win(2)
    script.rule("refuse", seat=2)
    assert [e.reason for e in find(script.table.events, ev.HandDrawn)] == ["false_win"]
    assert script.table.match.dealer == 1


def test_after_a_false_win_the_others_play_on():  # T44 continue
    script = dealt({}, rules=registry.load("beijing", {"after_false_win": "continue"}))
    script.discard(0, "9s")
    script.win(2)
    passes(script, 0, 1, 3)
    assert (script.phase, script.hand.seats[2].dead) == (Phase.DISCARDED, "false_win")
    assert script.points[2] == 17000


def test_a_call_taken_back_costs_nothing():  # T43
    script = dealt({})
    script.discard(0, "9s")
    script.win(2)
    script.turn(1, "1s")
    assert script.points == POINTS
    assert script.hand.seats[2].dead is None


def test_a_discard_called_falsely_is_to_become_an_exposed_tile():  # T17, T43, T53
    script = dealt({})
    script.discard(0, "9s")
    script.win(2)
    script.turn(1, "1s")
    shown = view(script.table, "referee")["hand"]["alerts"]
    asked = [(a["code"], a["seat"], a["detail"], a["proposal"]["do"]) for a in shown if a["proposal"]]
    assert asked == [("claim_not_carried_out", 2, "win 9s", "expose")]
    script.rule("expose", seat=2, tiles=parse_tiles("9s"), alert=shown[-1]["seq"])
    assert view(script.table, "spectator")["hand"]["seats"][2]["barred"] == ["9s"]


def test_the_wrong_word_costs_a_stick_into_the_pot():  # T16, T53
    script = dealt({1: "99s78s1m4m7m1p4p7pESW", 2: "99p123456m123s77m"})
    script.discard(0, "9s")
    script.press(1, "chow")
    assert ("wrong_call", 1) in alerts(script.meld(1, "pung", "9s", "99s"))
    (alert,) = view(script.table, "referee")["hand"]["alerts"]
    assert alert["proposal"] == {"do": "penalty", "points": 1000}
    script.rule("penalty", seat=1, points=1000)
    assert view(script.table, "spectator")["hand"]["pot"] == 1000


def test_below_zero_by_a_false_win_still_pays_the_legal_one():  # T26, T43, T50
    script = Script(BEIJING, {2: READY}, "9s", points=(40000, 25000, 30000, 5000))
    script.discard(0, "9s")
    script.win(3)
    script.win(2)
    passes(script, 0, 1)
    assert script.hand.winners == [2]
    assert script.table.match.points == (36000, 27000, 40000, -3000)
    assert script.table.match.over == "bust"


def test_below_zero_by_a_false_win_ends_the_match():  # T43, T50
    for after in ("replay", "continue"):
        rules = registry.load("beijing", {"after_false_win": after})
        script = Script(rules, {}, "9s", points=(40000, 25000, 30000, 5000))
        script.discard(0, "9s")
        script.win(3)
        passes(script, 0, 1, 2)
        assert script.table.match.over == "bust"


def test_a_legal_win_on_the_same_tile_saves_the_hand():  # T26
    script = dealt({2: READY})
    script.discard(0, "9s")
    script.win(3)
    script.win(2)
    passes(script, 0, 1)
    assert script.hand.winners == [2]
    assert script.table.match.points == (25000 - 8000 + 4000, 27000, 35000, 17000)


def test_only_the_nearest_wins_and_the_late_one_is_no_offence():  # T26
    script = dealt({1: READY, 2: "456789m456p88p78s"})
    script.discard(0, "9s")
    script.win(2)
    events = script.win(1)
    assert not alerts(events)
    passes(script, 0, 3)
    assert script.hand.winners == [1]
    assert script.points[2] == 25000


def test_all_may_win():  # T26 multiple_winners: all
    script = dealt({1: READY, 2: "456789m456p88p78s"}, rules=registry.load("beijing", {"multiple_winners": "all"}))
    script.discard(0, "9s")
    script.win(2)
    script.win(1)
    passes(script, 0, 3)
    assert script.hand.winners == [1, 2]


# --- the wall, the match


def test_fourteen_tiles_stay_undrawn():  # T10, T53
    script = dealt({})
    seat = 0
    script.discard(0, "9s")
    for _ in range(69):
        seat = (seat + 1) % 4
        script.turn(seat, "9p")
    assert script.hand.wall_left == 14
    assert script.table.legal((seat + 1) % 4).draw is None
    assert ("draw_from_reserve", (seat + 1) % 4) in alerts(script.draw((seat + 1) % 4, "9p"))


def test_west_is_played_where_nobody_has_enough():  # T49, T52
    for richest, over in ((29900, None), (30000, "goal")):
        points = (richest, 50000 - richest, 25000, 25000)
        match = MatchState(points=points, dealer=3, prevalent=Tile.SOUTH, hand=8, circle=2)
        table = Table(BEIJING, match=match)
        table.apply(act.StartMatch(t=0.0))
        table.apply(act.RaiseWalls(t=1.0))
        table.apply(act.Rule(t=2.0, do="draw_hand", by="referee", reason="exhausted"))
        assert table.match.over == over
        if over is None:
            assert (table.match.prevalent, table.match.dealer) == (Tile.WEST, 0)
