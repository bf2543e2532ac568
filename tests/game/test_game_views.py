"""What each role sees."""

from __future__ import annotations

import json

import pytest
from game_fakes import FakeRules
from game_script import Script, find

from tablectl.game import actions as act
from tablectl.game import events as ev
from tablectl.game.state import Phase
from tablectl.game.views import PUBLIC_ALERTS, Role, redact, view
from tablectl.rules import registry
from tablectl.rules.api import Play
from tablectl.tiles.tile import Tile

RULES = registry.load("competition")
CLEAR = "123456789m4599p"
OTHERS = [(Role.SPECTATOR, None), (Role.OPERATOR, None), (Role.PLAYER, 1)]


@pytest.fixture
def script():
    started = Script(RULES, {2: CLEAR, 1: "46m1123p456s1234s"}, drawn="5m")
    started.discard(0, "5m")
    return started


def test_standing_tiles_are_for_the_referee_and_their_owner(script):
    referee = view(script.table, "referee")["hand"]["seats"]
    assert referee[2]["standing"] == ["1m", "2m", "3m", "4m", "5m", "6m", "7m", "8m", "9m", "4p", "5p", "9p", "9p"]
    mine = view(script.table, "player", 2)["hand"]["seats"]
    assert mine[2]["standing"] == referee[2]["standing"]
    assert [seat["standing"] for n, seat in enumerate(mine) if n != 2] == [None] * 3
    for role in ("spectator", "operator"):
        seats = view(script.table, role)["hand"]["seats"]
        assert [seat["standing"] for seat in seats] == [None] * 4
        assert [seat["count"] for seat in seats] == [13] * 4


def test_a_view_is_json_and_holds_no_wall(script):
    for role, seat in [(Role.REFEREE, None), *OTHERS]:
        text = json.dumps(view(script.table, role, seat))
        assert json.loads(text)["hand"]["wall_left"] == 91
        assert '"deck"' not in text
        assert '"wall"' not in text


def test_the_claimed_tile_points_to_where_it_came_from(script):  # J26
    script.meld(1, "chow", "5m", "46m")
    (meld,) = view(script.table, "spectator")["hand"]["seats"][1]["melds"]
    assert (meld["tiles"], meld["sideways"], meld["source_seat"]) == (["5m", "4m", "6m"], 0, 0)
    river = view(script.table, "spectator")["hand"]["seats"][0]["river"]
    assert river == [{"tile": "5m", "claimed_by": 1}]


@pytest.mark.parametrize(
    ("seat", "kind", "consumed", "sideways"),
    [
        (1, "pung", "55m", 0),
        (2, "pung", "55m", 1),
        (3, "pung", "55m", 2),
        (2, "kong", "555m", 1),
        (3, "kong", "555m", 3),
    ],
)
def test_crosswise_tiles(seat, kind, consumed, sideways):  # J26; mcr T22
    script = Script(RULES, {seat: "555m1123p456s123s"}, drawn="5m")
    script.discard(0, "5m")
    script.meld(seat, kind, "5m", consumed)
    assert view(script.table, "spectator")["hand"]["seats"][seat]["melds"][0]["sideways"] == sideways


def test_a_declared_hand_lies_open_but_its_worth_is_for_the_referee():  # J107
    script = Script(RULES, {2: CLEAR}, drawn="6p")
    script.discard(0, "6p")
    script.win(2)
    (told,) = view(script.table, "referee")["hand"]["declared"]
    assert (told["score"], told["payments"], told["legal"]) == (18, [-36, 0, 36, 0], True)
    for role, seat in OTHERS:
        (seen,) = view(script.table, role, seat)["hand"]["declared"]
        assert (seen["hand"], seen["pai"]) == (CLEAR, "6p")
        assert (seen["score"], seen["payments"], "proof" in seen) == (0, [0, 0, 0, 0], False)


def test_a_refused_win_looks_like_any_other_until_it_is_ruled_on():  # J126: the console alone says why
    script = Script(RULES, {2: CLEAR}, drawn="E")
    script.discard(0, "E")
    events = script.win(2)
    assert [a["code"] for a in view(script.table, "referee")["hand"]["alerts"]] == ["false_win"]
    for role, seat in OTHERS:
        assert view(script.table, role, seat)["hand"]["alerts"] == []
        assert find([e for e in (redact(e, role, seat) for e in events) if e], ev.WinDeclared)[0].legal


def test_without_a_referee_everybody_sees_what_to_agree_to():
    rules = registry.load("competition", {"referee_present": False})
    script = Script(rules, {2: CLEAR}, drawn="6p")
    script.discard(0, "6p")
    script.win(2)
    assert view(script.table, "player", 1)["hand"]["declared"][0]["score"] == 18


def test_the_dealt_tiles_and_draws_of_others_have_no_face(script):
    script.draw(1, "E")
    dealt = find(script.table.events, ev.HandDealt)[0]
    assert redact(dealt, "spectator") == ev.HandDealt(t=dealt.t, tehais=((None,) * 13,) * 4)
    mine = redact(dealt, "player", 2)
    assert isinstance(mine, ev.HandDealt)
    assert [hand[0] is not None for hand in mine.tehais] == [False, False, True, False]
    drawn = find(script.table.events, ev.TileDrawn)[-1]
    assert redact(drawn, "player", 1) == drawn
    assert redact(drawn, "player", 2) == ev.TileDrawn(t=drawn.t, actor=1, pai=None)
    assert redact(drawn, "referee") == drawn


def test_alerts_about_hidden_tiles_are_for_the_console(script):
    kept = ev.Alerted(t=1, code="flower_kept", seat=2, detail="a")
    over = ev.Alerted(t=1, code="draw_out_of_turn", seat=2, detail="5m")
    assert redact(kept, "spectator") is None
    assert redact(over, "spectator") == ev.Alerted(t=1, code="draw_out_of_turn", seat=2)
    assert {"flower_kept", "wrong_tile_count", "false_win", "false_meld"}.isdisjoint(PUBLIC_ALERTS)


def test_a_correction_hides_what_its_event_hides():
    right = ev.Corrected(t=1, replaces=9, event=ev.TileDrawn(t=1, actor=2, pai=Tile.M5))
    assert redact(right, "spectator") == ev.Corrected(t=1, replaces=9, event=ev.TileDrawn(t=1, actor=2, pai=None))
    gone = ev.Corrected(t=1, replaces=9, event=ev.Alerted(t=1, code="flower_kept", seat=2))
    assert redact(gone, "spectator") == ev.Corrected(t=1, replaces=9, event=None)


def test_concealed_kongs_lie_as_the_rules_say():  # competition J21: one face up; mcr T19: face down to the end
    for hidden in (False, True):
        rules = FakeRules(Play(concealed_kong_hidden=hidden))
        script = Script(rules, {0: "5555m1123p44sEES"}, drawn="9p")
        (made,) = find(script.meld(0, "concealed", None, "5555m"), ev.ConcealedKongMade)
        seen = redact(made, "spectator", play=rules.play)
        assert isinstance(seen, ev.ConcealedKongMade)
        assert seen.consumed == (() if hidden else (Tile.M5,) * 4)
        (meld,) = view(script.table, "spectator")["hand"]["seats"][0]["melds"]
        assert meld["tiles"] == ([None] * 4 if hidden else ["5m"] * 4)
        assert view(script.table, "player", 0)["hand"]["seats"][0]["melds"][0]["tiles"] == ["5m"] * 4
        script.rule("draw_hand", reason="test")
        assert view(script.table, "spectator")["hand"]["seats"][0]["melds"][0]["tiles"] == ["5m"] * 4


def test_pulls_are_shown_when_all_are_made():  # tianjin T204
    script = Script(FakeRules(Play(extra_keys=frozenset({"sit", "pull"}))), deal=False)
    script.press(0, "sit")
    events = script.press(1, "pull", 2)
    assert redact(events[0], "spectator") is None
    assert view(script.table, "spectator")["hand"]["stakes"] == {"sit": True}
    script.press(2, "pull", 0)
    script.press(3, "pull", 1)
    assert script.phase is Phase.DICE
    assert view(script.table, "spectator")["hand"]["stakes"] == {"sit": True, "pull": {1: 2, 2: 0, 3: 1}}


def test_a_death_that_tells_of_a_standing_tile_is_not_shown():  # zhenjiang Z211, Z716
    killed = ev.HandKilled(t=1, actor=2, reason="first_wildcard_kept")
    assert redact(killed, "spectator") is None
    assert redact(killed, "player", 2) == killed
    assert redact(ev.HandKilled(t=1, actor=2, reason="false_win"), "spectator") is not None


def test_who_is_waited_for(script):
    def waited():
        return view(script.table, "spectator")["hand"]["to_act"]

    assert waited() == 1
    script.draw(1, "E")
    assert waited() == 1
    script.discard(1, "E")
    assert waited() == 2
    script.do(act.DeclareWin(t=script.tick(), seat=2))
    assert waited() is None
