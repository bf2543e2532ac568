"""天津麻将 at the table: stakes, two throws, the indicator in the wall, kongs, small xianggong, chan."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from game_script import Script, alerts, find, kinds

from tablectl.game import actions as act
from tablectl.game import events as ev
from tablectl.game.record import records
from tablectl.game.state import Phase
from tablectl.game.table import Table
from tablectl.game.views import view
from tablectl.rules import registry
from tablectl.rules.api import NO_POINTS, HandResult, RuleSet
from tablectl.tiles.notation import parse_tile, parse_tiles
from tablectl.tiles.tile import Tile

TIANJIN = registry.load("tianjin")
LOOSE = tuple(parse_tile(f"{rank + step}{suit}") for step in (0, 1, 2) for suit in "mps" for rank in (1, 4, 7))


def opened(rules: RuleSet = TIANJIN) -> Script:
    return Script(rules, deal=False)


def choose(script: Script, sit: int = 0, pulls: tuple[int, int, int] = (0, 0, 0)) -> None:
    script.press(0, "sit", sit)
    for seat, n in zip((1, 2, 3), pulls, strict=True):
        script.press(seat, "pull", n)


def dealt(
    hands: dict[int, str],
    drawn: str = "9s",
    indicator: str = "E",
    rules: RuleSet = TIANJIN,
    **stakes: Any,
) -> Script:
    """A hand from the stakes to the dealer's turn; seats without tiles enough get loose ones."""
    script = opened(rules)
    choose(script, **stakes)
    script.throw(3, 4)
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
    script.throw(1, 2)
    script.do(act.TurnIndicator(t=script.tick(), tile=parse_tile(indicator), seat=2))
    return script


def declared(events: list[ev.Event]) -> ev.WinDeclared:
    return find(events, ev.WinDeclared)[-1]


# --- before the deal


def test_a_hand_comes_in_its_order():  # T103
    script = opened()
    phases = [script.phase]
    choose(script)
    phases.append(script.phase)
    assert script.table.legal(0).throw
    assert alerts(script.press(2, "dice")) == [("dice_wrong_seat", 2)]
    script.press(0, "dice")
    script.throw(3, 4)
    phases.append(script.phase)
    script.deal({}, "9s")
    phases.append(script.phase)
    assert alerts(script.press(0, "dice")) == [("dice_wrong_seat", 0)]  # his opposite throws (T103)
    script.press(2, "dice")
    script.throw(1, 2)
    phases.append(script.phase)
    script.do(act.TurnIndicator(t=script.tick(), tile=Tile.P3, seat=2))
    phases.append(script.phase)
    assert phases == [Phase.STAKES, Phase.DICE, Phase.DEALING, Phase.DICE, Phase.INDICATOR, Phase.TURN]
    assert script.hand.deck is not None
    assert script.hand.deck.indicator == 136 - 2 * 3 + 1  # the upper tile of the third stack from the tail (T107)
    assert script.hand.wild == {Tile.P3, Tile.P4}  # T112
    assert script.hand.wall_left == 82  # T109
    head = records(script.table.events)[0][0]
    assert (head["dice"], head["indicator"]) == ([3, 4, 1, 2], "3p")


def test_the_second_throw_may_come_as_the_last_tiles_of_the_deal_are_seen():  # T103
    script = opened()
    choose(script)
    script.throw(3, 4)
    assert alerts(script.press(1, "dice")) == [("dice_wrong_seat", 1)]
    assert not alerts(script.press(2, "dice"))
    script.deal({}, "9s")
    assert script.hand.dice_pressed
    assert (script.hand.dice_presser, script.hand.early_dice) == (2, None)
    script.throw(1, 2)
    assert script.phase is Phase.INDICATOR


def test_a_throw_in_the_middle_of_the_deal_is_refused():  # T103, T702
    script = opened()
    choose(script)
    script.throw(3, 4)
    for _ in range(2):
        script.press(2, "dice")
        assert alerts(script.wait(5)) == [("dice_wrong_seat", 2)]
    script.deal({}, "9s")
    assert not script.hand.dice_pressed


def test_the_dealer_sits_before_the_others_pull_in_secret():  # T203–T205, T702
    script = opened()
    assert alerts(script.press(1, "pull", 1)) == [("stake_key_refused", 1)]
    script.press(0, "sit", 1)
    script.press(2, "pull", 2)
    seen = view(script.table, "spectator")["hand"]
    assert (seen["stakes"], seen["to_choose"]) == ({"sit": True}, [1, 3])
    assert view(script.table, "player", 2)["hand"]["stakes"] == {"sit": True, "pull": {2: 2}}
    assert view(script.table, "player", 1)["hand"]["stakes"] == {"sit": True}
    assert alerts(script.press(2, "pull", 0)) == [("stake_key_refused", 2)]  # cannot be changed
    assert alerts(script.press(3, "pull", 3)) == [("stake_key_refused", 3)]  # pull_max
    assert alerts(script.press(0, "pull", 1)) == [("stake_key_refused", 0)]
    script.press(1, "pull", 0)
    script.press(3, "pull", 1)
    assert view(script.table, "spectator")["hand"]["stakes"] == {"sit": True, "pull": {1: 0, 2: 2, 3: 1}}
    assert records(dealt_after(script).table.events)[0][0]["stakes"] == [
        [0, "sit", 1],
        [2, "pull", 2],
        [1, "pull", 0],
        [3, "pull", 1],
    ]


def dealt_after(script: Script) -> Script:
    script.throw(3, 4)
    script.deal({}, "9s")
    return script


def test_who_does_not_choose_in_time_does_not_sit_or_pull():  # T205
    script = opened(registry.load("tianjin", {"stakes_seconds": 20}))
    assert script.table.next_deadline() == 120.0
    assert alerts(script.wait(20.5)) == [("over_time", 0)]
    script.press(2, "pull", 1)
    assert alerts(script.wait(20)) == [("over_time", 1), ("over_time", 3)]
    assert script.phase is Phase.DICE
    assert script.hand.stakes == {"sit": False, "pull": {1: 0, 2: 1, 3: 0}}


def test_a_seat_without_a_player_does_not_keep_the_others_waiting():
    script = opened()
    script.rule("draw_hand", reason="test")
    script.rule("seat_empty", seat=3)
    script.do(act.RaiseWalls(t=script.tick()))
    script.press(0, "sit", 1)
    script.press(1, "pull", 0)
    script.press(2, "pull", 0)
    assert script.phase is Phase.DICE


def test_the_table_draws_the_first_dealer():  # T201
    table = Table(TIANJIN)
    table.apply(act.StartMatch(t=1.0, names=("a", "b", "c", "d"), dealer=2))
    table.apply(act.RaiseWalls(t=2.0))
    assert table.hand is not None
    assert (table.hand.dealer, table.match.first) == (2, 2)
    assert Table.replay(TIANJIN, table.events).match == table.match
    match = table.match
    for dealer in (3, 0, 1, 2):  # a round is over when the deal is back at him (T603)
        assert match.circle == 1
        match = TIANJIN.next_hand(match, HandResult(((match.dealer + 1) % 4,), NO_POINTS), 0.0)
        assert match.dealer == dealer
    assert match.circle == 2


# --- play


def test_nothing_is_won_from_another():  # T207, T301, T702
    script = dealt({2: "123456m123p77s99s"}, drawn="9s")
    script.discard(0, "9s")
    options = script.table.legal(2)
    assert (options.win, options.pung, options.chows) == (False, True, ())
    assert alerts(script.win(2)) == [("false_win", 2)]
    assert declared(script.table.events).reason == "discard_win"


def test_there_is_no_chow():  # T207, T702
    script = dealt({1: "78s"}, drawn="9s")
    script.discard(0, "9s")
    (alert,) = find(script.meld(1, "chow", "9s", "78s"), ev.Alerted)
    assert (alert.code, alert.seat, alert.detail) == ("false_meld", 1, "bad_meld: there is no chow")


def test_no_win_and_no_kong_right_after_a_pung():  # T208, T702
    script = dealt({2: "99s4444p"}, drawn="9s")
    script.discard(0, "9s")
    script.meld(2, "pung", "9s", "99s")
    options = script.table.legal(2)
    assert (options.win, options.concealed_kongs) == (False, ())
    assert alerts(script.meld(2, "concealed", None, "4444p")) == [("kong_refused", 2)]


def test_a_discarded_wild_makes_a_small_xianggong_and_is_nobodys():  # T210, T211, T310
    script = dealt({0: "123456m11p22s12sE", 2: "SS"}, drawn="S", indicator="E")
    events = script.discard(0, "S")
    assert [e.kind for e in find(events, ev.IncidentNoted)] == ["wild_discard"]
    assert not alerts(events)
    assert not script.table.legal(2).claims
    assert alerts(script.meld(2, "pung", "S", "SS")) == [("false_meld", 2)]
    for seat in (1, 2, 3):
        script.turn(seat, "9p")
    script.draw(0, "9p")
    assert not script.table.legal(0).win
    assert declared(script.win(0)).reason == "small_xianggong"


def test_another_indicator_lies_there_than_was_told():  # T107, T211
    script = dealt({0: "123456m11p22s12sE", 2: "SS"}, drawn="S", indicator="E")
    script.discard(0, "S")
    script.do(act.TurnIndicator(t=script.tick(), tile=Tile.S3, seat=0))
    assert (script.hand.indicator, script.hand.wild) == (Tile.S3, frozenset({Tile.S3, Tile.S4}))
    assert not script.hand.incidents
    script.meld(2, "pung", "S", "SS")
    assert script.hand.seats[2].melds
    assert not script.do(act.TurnIndicator(t=script.tick(), tile=Tile.S3, seat=0))


def test_a_wild_that_may_not_be_discarded():  # T211, T702
    script = dealt({}, drawn="S", rules=registry.load("tianjin", {"wild_discard": "forbidden"}))
    assert Tile.SOUTH not in script.table.legal(0).discards
    assert alerts(script.discard(0, "S")) == [("wild_discarded", 0)]


def test_a_kong_of_four_wilds_is_a_gold_kong():  # T209, T505
    script = dealt({0: "SSSS"}, indicator="E", sit=1, pulls=(0, 1, 2))
    assert script.table.legal(0).concealed_kongs == (Tile.SOUTH,)
    (paid,) = find(script.meld(0, "concealed", None, "SSSS"), ev.PointsPaid)
    assert (paid.reason, paid.deltas) == ("gold_kong", (56, -8, -16, -32))
    script.draw(0, "1p")
    assert script.phase is Phase.TURN


def test_kongs_are_paid_and_never_robbed():  # T209, T505
    script = dealt({1: "99s"}, drawn="9s")
    script.discard(0, "9s")
    script.meld(1, "pung", "9s", "99s")
    script.discard(1, script.hand.seats[1].standing[0].code)  # type: ignore[union-attr]
    for seat in (2, 3, 0):
        script.turn(seat, "9p")
    script.draw(1, "9s")
    (paid,) = find(script.meld(1, "added", "9s", "999s"), ev.PointsPaid)
    assert (paid.reason, paid.deltas) == ("added_kong", (-1, 3, -1, -1))
    assert script.phase is Phase.REPLACING
    assert not any(script.table.legal(seat).claims for seat in range(4))


def test_three_follow_the_dealer():  # T213, T506
    script = dealt({1: "9p", 2: "9p", 3: "9p"}, drawn="9p", sit=1, pulls=(0, 1, 2))
    script.discard(0, "9p")
    for seat in (1, 2):
        script.turn(seat, "1s", "9p")
    (paid,) = find(script.turn(3, "1s", "9p"), ev.PointsPaid)
    assert (paid.reason, paid.deltas) == ("chan", (-14, 2, 4, 8))


def test_the_discard_after_the_last_tile_is_nobodys():  # T111
    script = dealt({2: "99s"})
    seat = 0
    script.discard(0, "9s")
    while script.hand.wall_left > 1:
        seat = (seat + 1) % 4
        script.turn(seat, "9p")
    seat = (seat + 1) % 4
    script.draw(seat, "9s")
    assert kinds(script.discard(seat, "9s")) == ["dahai", "ryukyoku", "end_kyoku"]
    assert (script.table.match.dealer, script.table.match.streak) == (0, 1)  # T601


def test_the_dealer_wins_with_the_tiles_dealt():  # T410, T604
    script = dealt({0: "123456m123p777s9s"}, drawn="9s", sit=1, pulls=(0, 1, 2))
    event = declared(script.win(0))
    assert (event.how, event.fans, event.payments) == (("heavenly",), {"天和": 4, "素": 2}, (112, -16, -32, -64))
    assert TIANJIN.win_name(event.fans) == "天和素"


@pytest.mark.parametrize("passes", [2, 3])
def test_all_others_agree_to_a_win(passes):
    """No referee: the win counts when the three others have pressed 过."""
    script = dealt({0: "123456m123p777s9s"}, drawn="9s")
    script.win(0)
    for seat in range(1, passes + 1):
        script.press(seat, "pass")
    assert script.phase is (Phase.ENDED if passes == 3 else Phase.DECLARED)


def test_a_wrong_count_is_dead_and_claims_nothing_but_a_false_win_still_claims():  # T511, T701, T702
    script = dealt({1: "99s", 2: "88s"}, drawn="9p")
    script.do(act.Draw(t=script.tick(), seat=2, tile=Tile.P1, end="live"))
    script.discard(0, "9p")
    script.turn(1, "1s")
    assert alerts(script.turn(2, "1s")) == [("wrong_tile_count", 2)]
    script.turn(3, "8s")
    assert not script.table.legal(2).pung
    assert ("false_meld", 2) in alerts(script.meld(2, "pung", "8s", "88s"))
    other = dealt({1: "99s"}, drawn="9s")
    other.win(0)
    other.rule("refuse", seat=0)
    other.discard(0, "1m")
    assert other.hand.seats[0].dead == "false_win"


def test_offences_are_recorded_and_punish_nobody():  # T703
    script = dealt({1: "99s"}, drawn="9s")
    found = alerts(script.draw(2, "1p"))
    script.discard(0, "9s")
    found += alerts(script.meld(1, "chow", "9s", "99s"))
    found += alerts(script.draw(1, "1p", end="tail"))
    assert [code for code, _ in found] == ["draw_out_of_turn", "false_meld", "wrong_wall_end"]
    assert script.points == (100,) * 4
    assert [seat.dead for seat in script.hand.seats] == [None] * 4
    assert not find(script.table.events, ev.Ruled)


def test_a_false_win_taken_back_before_the_tiles_are_shown_has_no_consequence():  # T511
    rules = registry.load("tianjin", {"false_win_penalty": 5})
    script = dealt({1: "99s"}, drawn="9s", rules=rules)
    assert ("false_win", 0) in alerts(script.win(0))
    script.discard(0, "1m")
    assert (script.points, script.hand.seats[0].dead) == ((100,) * 4, None)


def test_a_false_win_shown_costs_each_other_seat_as_much():  # T511
    rules = registry.load("tianjin", {"false_win_penalty": 5})
    script = dealt({1: "99s"}, drawn="9s", rules=rules)
    script.win(0)
    for seat in (1, 2, 3):
        script.press(seat, "pass")
    assert (script.points, script.hand.seats[0].dead) == ((85, 105, 105, 105), "false_win")
    script.discard(0, "1m")
    script.rule("draw_hand", reason="exhausted")
    assert script.table.match.points == (85, 105, 105, 105)


def test_kongs_and_chan_of_a_drawn_hand():  # T505, T506, T509
    for paid, points in ((True, (106, 98, 98, 98)), (False, (100,) * 4)):
        script = dealt({0: "2222m"}, drawn="9s", rules=registry.load("tianjin", {"kongs_paid_on_draw": paid}))
        script.meld(0, "concealed", None, "2222m")
        assert script.points == (106, 98, 98, 98)
        script.rule("draw_hand", reason="exhausted")
        assert script.table.match.points == points
