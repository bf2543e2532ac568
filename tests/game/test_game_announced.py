"""What the table says and shows of facts that only some rule systems know."""

from __future__ import annotations

from game_script import Script

from tablectl.announce.announcer import Announcer, View
from tablectl.announce.texts import load_texts
from tablectl.game import actions as act
from tablectl.game import events as ev
from tablectl.game.fold import Fold
from tablectl.game.table import Table
from tablectl.rules import registry
from tablectl.rules.api import HandResult, MatchState, RuleSet
from tablectl.tiles.notation import parse_tiles
from tablectl.tiles.tile import Tile

ZH = load_texts("zh")


def said(rules: RuleSet, events: list[ev.Event]) -> list[str]:
    """Everything that the speaker says while this happens."""
    fold = Fold(rules)
    announcer = Announcer(fold, ZH)
    found = []
    for n, event in enumerate(events):
        fold.apply(event)
        announcer.event(event, float(n))
        found += [speech.text(ZH) for speech in announcer.take_speech()]
    return found


def test_a_thrown_wildcard_is_told_by_its_kind():  # zhenjiang Z612
    rules = registry.load("zhenjiang")
    script = Script(rules, deal=False, points=(50,) * 4)
    script.throw(4, 5)
    script.deal({0: "N123456m123p77s9s", 1: "N23456m123p77s99s"}, "9s")
    script.do(act.TurnIndicator(t=script.tick(), tile=Tile.WEST, seat=0))
    script.discard(0, "N")
    script.turn(1, "1m", "N")
    for seat, tile in ((2, "1s"), (3, "2s"), (0, "3s")):
        script.turn(seat, tile)
    script.turn(1, "N")
    script.press(1, "show")
    told = said(rules, script.table.events)
    assert "百搭北风" in told
    assert [line for line in told if "搭" in line and "百搭" not in line] == ["东家首搭", "南家首搭", "南家半途打搭"]


def test_a_dead_hand_is_shown_where_the_rules_want_it():  # zhenjiang Z716, mcr T25
    for system, shown in (("zhenjiang", None), ("mcr", "本盘不能和牌"), ("competition", "本盘请打出所摸的牌")):
        script = Script(registry.load(system), deal=False)
        while script.hand.deck is None:
            script.throw()
        script.deal({}, "9s")
        script.rule("dead_hand", seat=1, reason="referee")
        fold = Fold(script.table.rules)
        announcer = Announcer(fold, ZH)
        for event in script.table.events:
            fold.apply(event)
            announcer.event(event, script.t)
        screen = announcer.current(View(ZH, None), script.t)
        assert (screen.kind == "dead") == (shown is not None)
        assert shown is None or shown in repr(screen)


def test_a_small_xianggong_and_chan_are_told():  # tianjin T604
    rules = registry.load("tianjin")
    script = Script(rules, deal=False)
    script.press(0, "sit", 0)
    for seat in (1, 2, 3):
        script.press(seat, "pull", 0)
    script.throw(3, 4)
    script.deal({}, "E")
    script.throw(1, 2)
    script.do(act.TurnIndicator(t=script.tick(), tile=Tile.EAST, seat=2))
    script.discard(0, "E")
    for seat in (1, 2, 3):
        script.turn(seat, "E")
    told = said(rules, script.table.events)
    assert "东家小相公" in told
    assert any(line.startswith("铲，") for line in told)


def test_pot_and_barred_tiles_are_told():  # beijing T52
    rules = registry.load("beijing")
    script = Script(rules, {}, "9s", points=(25000,) * 4)
    script.rule("penalty", seat=1, points=1000)
    script.rule("penalty", seat=2, points=1000)
    script.rule("expose", seat=2, tiles=parse_tiles("45m"))
    told = said(rules, script.table.events)
    assert "公池1000点" in told
    assert "公池2000点" in told
    assert "西家曝光，不能和三万 四万 五万 六万" in told


def test_the_rounds_of_beijing_are_told():  # beijing T49, T52
    rules = registry.load("beijing")
    match = MatchState(points=(25000,) * 4, dealer=3, prevalent=Tile.SOUTH, hand=8, circle=2)
    table = Table(rules, match=match)
    table.apply(act.StartMatch(t=0.0))
    table.apply(act.RaiseWalls(t=1.0))
    table.apply(act.Rule(t=2.0, do="draw_hand", by="referee", reason="exhausted"))
    table.apply(act.RaiseWalls(t=3.0))
    told = said(rules, table.events)
    assert [line for line in told if "圈" in line] == [
        "南圈第8盘，D坐庄",
        "本圈最后一盘",
        "西圈第9盘，A坐庄",
        "无人达到30000，加打一圈",
    ]


def test_why_a_match_is_over_is_told():  # beijing T50, T52; zhenjiang Z603, Z612
    script = Script(registry.load("beijing"), {}, "9s", points=(25000,) * 4)
    script.rule("penalty", seat=1, points=26000)
    assert any(line.startswith("本局结束，有一家低于零点") for line in said(script.table.rules, script.table.events))
    zhenjiang = registry.load("zhenjiang")
    over = zhenjiang.next_hand(zhenjiang.first_hand(), HandResult((0,), (100, -50, -50, 0)), 1)
    assert f"over.{over.over}" in ZH


def test_competition_says_what_its_list_says():  # J113
    script = Script(registry.load("competition"))
    assert not [line for line in said(script.table.rules, script.table.events) if "坐庄" in line]
