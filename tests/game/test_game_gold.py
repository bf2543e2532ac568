"""福州麻将 and 福建麻将 at the table: opening flowers, the gold, wins on dealt tiles, the reserve, the last round."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from game_script import Script, alerts, find, kinds

from tablectl.game import actions as act
from tablectl.game import events as ev
from tablectl.game.record import records
from tablectl.game.state import Phase
from tablectl.rules import registry
from tablectl.rules.api import RuleSet
from tablectl.tiles.notation import parse_tile, parse_tiles
from tablectl.tiles.tile import Tile

FUZHOU = registry.load("fuzhou")
FUJIAN = registry.load("fujian")
#: kinds in an order in which a hand filled with them goes nowhere
LOOSE = tuple(parse_tile(f"{rank + step}{suit}") for step in (0, 1, 2) for suit in "mps" for rank in (1, 4, 7))


def dealt(
    hands: dict[int, str], drawn: str = "9s", gold: str = "5p", rules: RuleSet = FUZHOU, **options: Any
) -> Script:
    """A hand with the gold turned up; seats without tiles enough get loose ones."""
    left = Counter(rules.tile_set.tiles())
    left.subtract([tile for told in hands.values() for tile in parse_tiles(told)])
    left.subtract([parse_tile(drawn), *[parse_tile(gold)] * 4])
    spare = [tile for copies in (3, 2, 1, 0) for tile in LOOSE if left[tile] > copies]
    full = {}
    for seat in range(4):
        lack = 16 - len(parse_tiles(hands.get(seat, "")))
        full[seat] = hands.get(seat, "") + "".join(tile.code for tile in spare[:lack])
        spare = spare[lack:]
    script = Script(rules, full, drawn, **options)
    if script.phase is Phase.INDICATOR:
        turn_up(script, gold)
    return script


def turn_up(script: Script, *tiles: str) -> list[ev.Event]:
    return [
        event
        for tile in tiles
        for event in script.do(act.TurnIndicator(t=script.tick(), tile=parse_tile(tile), seat=script.hand.dealer))
    ]


def declared(events: list[ev.Event]) -> ev.WinDeclared:
    return find(events, ev.WinDeclared)[-1]


# --- the opening


def test_flowers_go_in_rounds_and_only_then_the_gold_is_turned_up():  # fuzhou T108, T109
    script = dealt({0: "E", 1: "a", 2: "C"})
    assert script.phase is Phase.FLOWERS
    assert script.table.legal(0).flowers == (Tile.EAST,)
    assert not script.table.legal(0).discards
    script.flower(0, "E")
    script.draw(0, "S")  # waits for the next round
    for seat, flower, tile in ((1, "a", "2s"), (2, "C", "3s")):
        script.flower(seat, flower)
        script.draw(seat, tile)
    assert script.phase is Phase.FLOWERS
    script.flower(0, "S")
    script.draw(0, "1s")
    assert script.phase is Phase.INDICATOR
    turn_up(script, "5p")
    assert (script.phase, script.hand.turn, script.hand.wild) == (Phase.TURN, 0, {Tile.P5})
    assert script.hand.wall_left == 79 - 4 - 1
    assert records(script.table.events)[0][0]["indicator"] == "5p"


@pytest.mark.parametrize("receiver", ["dealer", "nobody"])
def test_a_flower_turned_up_as_the_gold(receiver):  # fuzhou T109, fujian T109
    for name in ("fuzhou", "fujian"):
        script = dealt({}, rules=registry.load(name, {"flip_flower_to": receiver}), gold="a")
        assert script.phase is Phase.INDICATOR
        turn_up(script, "5p")
        assert script.phase is Phase.TURN
        assert script.hand.seats[0].flowers == ([Tile.PLUM] if receiver == "dealer" else [])
        assert len(script.hand.seats[0].standing) == 17
        assert script.hand.wall_left == 79 - 2


def test_honours_are_flowers_or_not():  # fujian T102
    simple = dealt({1: "E"}, rules=FUJIAN)
    assert simple.phase is Phase.FLOWERS
    full = dealt({1: "E"}, rules=registry.load("fujian", {"count": "full"}), gold="E")
    assert (full.phase, full.hand.wild) == (Phase.TURN, {Tile.EAST})


# --- wins on dealt tiles


def test_the_dealer_wins_on_the_seventeen_dealt():  # fuzhou T306
    script = dealt({0: "123456789m123p789s1s"}, drawn="1s")
    event = declared(script.win(0))
    assert (event.legal, event.how, event.fans.get("天胡")) == (True, ("heavenly",), 30)
    script.rule("confirm")
    assert script.hand.winners == [0]


def test_heavenly_is_lost_with_the_first_discard():  # fuzhou T306
    script = dealt({0: "123456789m123p789s1s"}, drawn="1s")
    script.discard(0, "1s")
    assert script.table.legal(0).win is False


def test_the_dealer_robs_the_gold_and_others_are_asked_first():  # fuzhou T307, T310
    script = dealt({0: "123456789m123p78s44p", 2: "123456789s456p78m11p"}, drawn="1m", gold="9p")
    mine = declared(script.win(0))
    assert (mine.pai, mine.how, mine.legal, mine.fans.get("抢金")) == (Tile.P9, ("earthly",), True, 30)
    assert script.table.legal(2).win
    assert not script.table.legal(1).win
    events = script.win(2)
    (other,) = [e for e in find(events, ev.WinDeclared) if e.actor == 2]
    assert (other.how, other.legal) == (("earthly",), True)
    (late,) = [e for e in find(events, ev.WinDeclared) if e.actor == 0]
    assert (late.legal, late.reason) == (False, "outranked")
    assert not alerts(events)  # a lost race is no offence
    script.rule("confirm")
    assert script.hand.winners == [2]
    assert script.hand.seats[0].dead is None


def test_another_seat_robs_from_the_dealers_first_discard_on():  # fuzhou T308
    script = dealt({2: "123456789s456p78m11p"}, drawn="9p", gold="9p")
    assert not script.table.legal(2).win
    script.discard(0, "1s")
    assert script.table.legal(2).win
    script.turn(1, "8s", "8s")
    assert script.table.legal(2).win  # until it draws itself
    event = declared(script.win(2))
    assert (event.actor, event.target, event.pai, event.legal) == (2, 2, Tile.P9, True)
    assert script.hand.discards[-1].seat == 1  # nothing was taken back for it
    script.rule("confirm")
    assert records(script.table.events)[0][-1]["deltas"][2] > 0


def test_drawing_ends_the_right_to_rob():  # fuzhou T308
    script = dealt({1: "123456789s456p78m11p"}, drawn="9p", gold="9p")
    script.discard(0, "1s")
    assert script.table.legal(1).win
    script.draw(1, "3m")
    assert not script.table.legal(1).win


def test_robbing_goes_before_a_win_on_the_first_discard():  # fuzhou T309, T310
    rules = registry.load("fuzhou", {"rob_gold_as": "natural"})
    hands = {1: "123456789m123p789s1s", 2: "123456789s111m78p22m"}
    script = dealt(hands, drawn="1s", gold="9p", rules=rules)
    script.discard(0, "1s")
    first = declared(script.win(1))
    assert (first.target, first.legal) == (0, True)
    verdicts = {e.actor: (e.legal, e.reason) for e in find(script.win(2), ev.WinDeclared)}
    assert verdicts == {1: (False, "outranked"), 2: (True, None)}


def test_the_indicator_taken_by_a_seat_that_may_not():  # fuzhou T702: with a declared win a false win
    script = dealt({}, gold="9p")
    script.discard(0, "9s")
    assert alerts(script.win(2)) == [("false_win", 2)]
    assert declared(script.table.events).legal is False


def test_a_seat_that_leaves_is_charged_and_the_hand_is_void():  # fuzhou T507, fujian T505
    for rules in (FUZHOU, FUJIAN):
        script = dealt({}, rules=rules)
        script.rule("seat_empty", seat=2)
        assert [e.reason for e in find(script.table.events, ev.HandDrawn)] == ["void"]
        assert script.table.match.off_board == (0, 0, -8, 0)
        assert (script.table.match.dealer, script.table.match.hand) == (0, 1)


def test_three_golds_in_the_opening():  # fuzhou T302, T312
    script = dealt({2: "555p"}, gold="5p")
    event = declared(script.win(2))
    assert (event.actor, event.legal, event.fans.get("三金倒")) == (2, True, 40)
    assert len(event.hand) > 0
    script.rule("confirm")
    assert script.hand.winners == [2]


def test_heavenly_goes_before_three_golds():  # fuzhou T310
    script = dealt({0: "123456789m123p789s1s", 2: "555p"}, drawn="1s", gold="5p")
    assert declared(script.win(2)).legal
    assert script.table.legal(0).win
    verdicts = {e.actor: (e.legal, e.reason) for e in find(script.win(0), ev.WinDeclared)}
    assert verdicts == {0: (True, None), 2: (False, "outranked")}


def test_the_third_gold_drawn_wins_at_once():  # fuzhou T312
    script = dealt({1: "55p"}, gold="5p", drawn="9s")
    script.discard(0, "9s")
    assert not script.table.legal(1).win
    script.draw(1, "5p")
    assert script.table.legal(1).win
    assert declared(script.win(1)).fans.get("三金倒") == 40


# --- golds and flowers in play


def test_a_discarded_gold_lies_dead():  # fuzhou T208, T209, T702
    script = dealt({0: "5p", 2: "55p"}, gold="5p")
    events = script.discard(0, "5p")
    assert [e.kind for e in find(events, ev.IncidentNoted)] == ["wild_discard"]
    assert not alerts(events)
    assert not script.table.legal(2).claims
    assert alerts(script.meld(2, "pung", "5p", "55p")) == [("false_meld", 2)]


def test_a_gold_that_may_not_be_discarded():  # fuzhou T209, T702
    rules = registry.load("fuzhou", {"gold_discard": "forbidden"})
    script = dealt({0: "5p"}, gold="5p", rules=rules)
    assert Tile.P5 not in script.table.legal(0).discards
    assert alerts(script.discard(0, "5p")) == [("wild_discarded", 0)]


def test_the_next_seat_may_pung_but_not_kong():  # fuzhou T203, fujian T203
    for rules in (FUZHOU, FUJIAN):
        script = dealt({1: "999s"}, drawn="9s", rules=rules)
        script.discard(0, "9s")
        options = script.table.legal(1)
        assert (options.pung, options.kong) == (True, False)
        (alert,) = find(script.meld(1, "kong", "9s", "999s"), ev.Alerted)
        assert (alert.code, alert.seat, alert.detail.split(":")[0]) == ("false_meld", 1, "bad_meld")


def test_what_is_shown_of_a_false_meld_begins_with_its_reason():  # fuzhou T702, fujian T702
    for rules in (FUZHOU, FUJIAN):
        script = dealt({1: "99s78s", 2: "56s"}, drawn="9s", rules=rules)
        script.discard(0, "9s")
        no_run = find(script.meld(1, "chow", "9s", "77s"), ev.Alerted)
        wrong_seat = find(script.meld(2, "chow", "9s", "78s"), ev.Alerted)
        assert [alert.detail.split(":")[0] for alert in (*no_run, *wrong_seat)] == ["bad_meld", "bad_meld"]


def test_a_flower_is_never_kept_or_discarded():  # fuzhou T202, T210, T702
    script = dealt({})
    script.discard(0, "9s")
    script.draw(1, "C")
    assert script.table.legal(1).flowers == (Tile.RED,)
    assert not script.table.legal(1).discards
    assert alerts(script.discard(1, "C")) == [("flower_discarded", 1)]


def test_a_dead_hand_may_not_claim():  # fuzhou T701
    script = dealt({2: "99s"}, drawn="9s")
    script.do(act.Draw(t=script.tick(), seat=2, tile=Tile.S3, end="live"))  # 多张
    script.discard(2, "3s")
    script.rule("dead_hand", seat=2, reason="wrong_count")
    script.discard(0, "9s")
    assert not script.table.legal(2).claims
    assert ("false_meld", 2) in alerts(script.meld(2, "pung", "9s", "99s"))


# --- the reserve and the last round


def near_the_end(script: Script, drawable: int) -> Script:
    """Turns of seats that draw and discard until so many tiles may still be drawn. (The same tile comes again and
    again: the game does not count copies.)"""
    seat = script.hand.turn
    while script.hand.wall_left - script.table.rules.undrawn(script.hand) > drawable:
        seat = (seat + 1) % 4
        script.turn(seat, "9s")
    return script


def test_kongs_and_sets_of_flowers_raise_the_reserve():  # fuzhou T111
    script = dealt({1: "9999s"}, drawn="1m")
    script.discard(0, "1m")
    script.draw(1, "8p")
    assert script.table.rules.undrawn(script.hand) == 18
    script.meld(1, "concealed", None, "9999s")
    assert script.table.rules.undrawn(script.hand) == 20
    for flower in "EEEE":
        script.draw(1, flower)
        script.flower(1, flower)
    assert script.table.rules.undrawn(script.hand) == 22


def test_the_last_round_is_drawn_and_not_discarded():  # fuzhou T112, T702; fujian T112
    for rules in (FUZHOU, FUJIAN):
        script = near_the_end(dealt({}, rules=rules), 4)
        seats = [(script.hand.turn + n) % 4 for n in (1, 2, 3, 4)]
        assert script.table.legal(seats[0]).draw == "live"
        script.draw(seats[0], "E")  # a flower is not laid in the last round
        assert (script.phase, script.hand.last_round) == (Phase.LAST_ROUND, 3)
        assert script.table.legal(seats[0]) == type(script.table.legal(0))()
        assert alerts(script.discard(seats[0], "E")) == [("last_round_discard", seats[0])]
        script.draw(seats[1], "8s")
        script.draw(seats[2], "8s")
        assert kinds(script.draw(seats[3], "8s")) == ["tsumo", "ryukyoku", "end_kyoku"]


def test_five_tiles_are_a_normal_turn():  # fuzhou T112: D ≥ 5
    script = near_the_end(dealt({}), 5)
    seat = (script.hand.turn + 1) % 4
    script.draw(seat, "9s")
    assert script.phase is Phase.TURN
    script.discard(seat, "9s")
    script.draw((seat + 1) % 4, "8s")
    assert script.phase is Phase.LAST_ROUND


def test_a_kong_takes_tiles_from_the_last_round():  # fuzhou T113, fujian T112, T113
    for rules in (FUZHOU, FUJIAN):
        script = near_the_end(dealt({0: "2222s"}, drawn="1m", rules=rules), 5)
        assert (script.hand.next_seat, script.hand.wall_left) == (0, 23)
        script.draw(0, "9p")
        script.meld(0, "concealed", None, "2222s")
        script.draw(0, "9p")
        script.discard(0, "9p")
        assert script.table.legal(1).draw == "live"
        assert kinds(script.draw(1, "8s")) == ["tsumo", "ryukyoku", "end_kyoku"]


def test_the_discard_before_the_last_round_may_be_claimed():  # fuzhou T115, fujian T114
    for rules in (FUZHOU, FUJIAN):
        script = near_the_end(dealt({1: "99p", 2: "99p"}, drawn="1m", rules=rules), 5)
        seat = script.hand.next_seat
        script.draw(seat, "9p")
        script.discard(seat, "9p")
        assert any(script.table.legal(other).pung for other in (1, 2))


def test_points_may_be_negative():  # fuzhou T506, T508, fujian T504
    for name, option in (("fuzhou", "false_win_units"), ("fujian", "false_win_fan")):
        script = dealt({}, rules=registry.load(name, {option: 50}))
        script.win(0)
        script.rule("confirm")
        assert script.points == (-50, 150, 150, 150)


def test_offences_are_recorded_and_punish_nobody():  # fuzhou T703, fujian T703
    for rules in (FUZHOU, FUJIAN):
        script = dealt({1: "99s"}, drawn="9s", rules=rules)
        found = alerts(script.draw(2, "1p"))
        script.discard(0, "9s")
        found += alerts(script.meld(1, "chow", "9s", "99s"))
        found += alerts(script.draw(1, "1p", end="tail"))
        assert [code for code, _ in found] == ["draw_out_of_turn", "false_meld", "wrong_wall_end"]
        assert script.points == (100,) * 4
        assert [seat.dead for seat in script.hand.seats] == [None] * 4
        assert not find(script.table.events, ev.Ruled)


def test_the_table_declares_a_win_in_the_last_round():  # fuzhou T112, T317
    hands = {1: "123456789m123p789s1s"}
    script = near_the_end(dealt(hands, drawn="2m"), 4)
    assert script.hand.next_seat == 1
    event = declared(script.draw(1, "1s"))
    assert (event.actor, event.legal, event.how) == (1, True, ("last_tile",))
    script.rule("confirm")
    assert script.hand.winners == [1]


def test_the_third_gold_wins_in_the_last_round():  # fuzhou T112, T312
    script = near_the_end(dealt({1: "55p"}, gold="5p"), 4)
    assert script.hand.next_seat == 1
    assert declared(script.draw(1, "5p")).fans.get("三金倒") == 40


def test_no_tile_to_draw_ends_the_hand_at_once():  # fuzhou T112: D ≤ 0
    rules = registry.load("fuzhou", {"last_round_tiles": 0})
    script = near_the_end(dealt({}, rules=rules), 1)
    seat = (script.hand.turn + 1) % 4
    script.draw(seat, "9s")
    script.discard(seat, "9s")
    assert kinds(script.wait(10)) == ["ryukyoku", "end_kyoku"]


@pytest.mark.parametrize(("left", "may"), [(3, True), (2, False)])
@pytest.mark.parametrize("name", ["fuzhou", "fujian"])
def test_a_kong_needs_a_replacement_after_it_has_raised_the_reserve(name, left, may):  # fuzhou T114, fujian T113
    script = dealt({1: "9999s"}, drawn="1m", rules=registry.load(name, {"last_round_tiles": 0}))
    script.discard(0, "1m")
    near_the_end(script, left + 4)
    while script.hand.next_seat != 1:
        script.turn(script.hand.next_seat, "8s")
    extra = script.hand.wall_left - script.table.rules.undrawn(script.hand) - left - 1
    script.draw(1, "8s")
    for _ in range(extra):  # flowers take what is too much
        script.flower(1, "a") if not script.hand.seats[1].flowers else script.flower(1, "e")
        script.draw(1, "8s")
    assert script.hand.wall_left - script.table.rules.undrawn(script.hand) == left
    assert script.table.legal(1).concealed_kongs == ((Tile.S9,) if may else ())
    assert alerts(script.meld(1, "concealed", None, "9999s")) == ([] if may else [("kong_refused", 1)])


def test_the_reserve_may_not_be_touched():  # fuzhou T702
    rules = registry.load("fuzhou", {"last_round_tiles": 0})
    script = near_the_end(dealt({}, rules=rules), 1)
    seat = (script.hand.turn + 1) % 4
    script.turn(seat, "9s")
    assert ("draw_from_reserve", (seat + 1) % 4) in alerts(script.draw((seat + 1) % 4, "8s"))


# --- several on one tile, the match


def test_a_golden_pair_goes_before_the_nearer_seat():  # fuzhou T311, T313
    hands = {1: "123456789m123p78s11p", 2: "123456m123456p78s55p"}
    script = dealt(hands, drawn="9s", gold="5p")
    script.discard(0, "9s")
    script.win(1)
    verdicts = {e.actor: (e.legal, e.reason) for e in find(script.win(2), ev.WinDeclared)}
    assert verdicts == {1: (False, "outranked"), 2: (True, None)}


def test_a_false_win_makes_a_dead_hand_and_play_goes_on():  # fuzhou T508
    script = dealt({})
    script.discard(0, "9s")
    script.draw(1, "8s")
    assert alerts(script.win(1)) == [("false_win", 1)]
    script.rule("confirm")
    assert (script.phase, script.hand.seats[1].dead) == (Phase.TURN, "false_win")
    assert not script.table.legal(1).win
    script.discard(1, "8s")


def test_a_robbed_kong_stays_a_pung():  # fuzhou T207
    script = dealt({1: "123456789m123p78s11p", 3: "99s5m"}, drawn="9s", gold="4m")
    script.discard(0, "9s")
    script.meld(3, "pung", "9s", "99s")
    script.discard(3, "5m")
    for seat in (0, 1, 2):
        script.turn(seat, "8p")
    script.draw(3, "9s")
    reserve = FUZHOU.undrawn(script.hand)
    script.meld(3, "added", "9s", "999s")
    event = declared(script.win(1))
    assert (event.target, event.legal) == (3, True)
    assert "robbing_kong" in event.how
    script.rule("confirm")
    assert script.hand.seats[3].melds[0].kind.value == "pung"
    assert FUZHOU.undrawn(script.hand) == reserve


def test_a_winning_dealer_keeps_the_deal_and_a_drawn_hand_passes_it():  # fuzhou T601
    script = dealt({0: "123456789m123p789s1s"}, drawn="1s")
    script.win(0)
    script.rule("confirm")
    assert (script.table.match.dealer, script.table.match.streak) == (0, 1)
    script.do(act.RaiseWalls(t=script.tick()))
    script.rule("draw_hand", reason="test")
    assert (script.table.match.dealer, script.table.match.streak) == (1, 0)


def fujian_dealer_win() -> Script:
    script = dealt({0: "123456789m123p789s1s"}, drawn="1s", rules=FUJIAN)
    script.win(0)
    return script


def test_an_amended_win_of_the_dealer_keeps_the_deal_by_its_kind():  # fujian T405, T408
    script = fujian_dealer_win()
    assert "自摸" in script.hand.declared[0].fans
    script.rule("amend", seat=0, fans={"游金": 12})
    script.rule("confirm")
    assert script.table.match.carry == {"youjin": 1}


def test_a_corrected_win_of_the_dealer_keeps_the_deal_by_its_kind():  # fujian T405, T408, T601
    script = fujian_dealer_win()
    script.rule("confirm")
    assert (script.table.match.dealer, script.table.match.carry) == (0, {"zimo": 1})
    (record,) = records(script.table.events)
    won = next(n for n, line in enumerate(record) if line["type"] == "hora")
    script.rule("correct", replaces=won, event=right(script, fans={"游金": 12}))
    assert (script.table.match.streak, script.table.match.carry) == (1, {"youjin": 1})
    # another seat had won: the deal passes, and the history with it
    script.rule("correct", replaces=won, event=right(script, actor=2, target=2, deltas=(-5, -5, 15, -5)))
    assert (script.table.match.dealer, script.table.match.streak, script.table.match.carry) == (1, 0, {})


def right(script: Script, **changes: Any) -> ev.Event:
    return replace(find(script.table.events, ev.HandWon)[0], **changes)
