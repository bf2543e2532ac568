"""福州麻将 and 福建麻将 on the hand machine: flowers, gold, reserve, last round, a streak (T108–T115, T202)."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from tablectl.game import actions as act
from tablectl.game import events as ev
from tablectl.game.state import Hand, Phase
from tablectl.game.table import Table
from tablectl.rules.registry import load
from tablectl.tiles.meld import MeldKind
from tablectl.tiles.notation import parse_tile, parse_tiles
from tablectl.tiles.tile import Tile


class Played:
    """A table with one hand dealt, a second a move; seats that are not told hold suit tiles from the end of the set."""

    def __init__(self, id: str, hands: dict[int, str], drawn: str, **options: Any) -> None:
        self.table = Table(load(id, options))
        self.t = 0.0
        self.deal(hands, drawn)

    @property
    def hand(self) -> Hand:
        assert self.table.hand is not None
        return self.table.hand

    def do(self, action: type[act.Action], **keys: Any) -> list[ev.Event]:
        self.t += 1
        return self.table.apply(action(t=self.t, **keys))

    def deal(self, hands: dict[int, str], drawn: str) -> None:
        self.do(act.RaiseWalls)
        self.do(act.RestDice, dice=(3, 4))
        told = {seat: parse_tiles(text) for seat, text in hands.items()}
        left = Counter(self.table.rules.tile_set.tiles())
        left.subtract([*(tile for tiles in told.values() for tile in tiles), parse_tile(drawn)])
        spare = sorted(tile for tile in left.elements() if tile.suit)
        for seat in range(4):
            while len(told.get(seat, ())) < 16:
                told[seat] = (*told.get(seat, ()), spare.pop())
        self.do(act.Deal, hands=tuple(told[seat] for seat in range(4)), drawn=parse_tile(drawn))

    def draw(self, seat: int, tile: str) -> list[ev.Event]:
        end = "tail" if self.hand.seats[seat].owed else "live"
        return self.do(act.Draw, seat=seat, tile=parse_tile(tile), end=end)

    def discard(self, seat: int, tile: str) -> list[ev.Event]:
        return self.do(act.DiscardTile, seat=seat, tile=parse_tile(tile))

    def flower(self, seat: int, tile: str, replacement: str) -> None:
        self.do(act.LayFlower, seat=seat, tile=parse_tile(tile))
        self.draw(seat, replacement)

    def gold(self, tile: str) -> list[ev.Event]:
        return self.do(act.TurnIndicator, tile=parse_tile(tile))

    def kong(self, seat: int, tile: str) -> list[ev.Event]:
        consumed = (parse_tile(tile),) * 4
        return self.do(act.LayMeld, seat=seat, kind=MeldKind.CONCEALED_KONG, consumed=consumed, tile=None)


def alerts(events: list[ev.Event]) -> list[tuple[str, str]]:
    return [(event.code, event.detail) for event in events if isinstance(event, ev.Alerted)]


def found(events: list[ev.Event]) -> list[ev.WinDeclared]:
    return [event for event in events if isinstance(event, ev.WinDeclared)]


READY = "123m456m789m111p99p35s"
#: Hands that nothing completes.
FAR = {2: "147m147p147s258m258p2s", 3: "369m369p369s47m47p15s6s"}


def opened(id: str = "fuzhou", **options: Any) -> Played:
    """Seat 1 laid two flowers and is ready for 4s; the gold is 8p; the dealer is to discard."""
    played = Played(id, {0: "2246m2468p2468s234s6s", 1: READY.replace("35s", "Ea"), **FAR}, "9s", **options)
    assert played.hand.phase is Phase.FLOWERS
    played.flower(1, "E", "3s")
    played.flower(1, "a", "5s")
    assert played.hand.phase is Phase.INDICATOR
    played.gold("8p")
    assert (played.hand.phase, played.hand.turn) == (Phase.TURN, 0)
    return played


def test_a_hand_from_flowers_to_payment() -> None:  # T108–T111, T201, T202, fuzhou T410, T502
    played = opened()
    assert played.hand.wall_left == 144 - 65 - 2 - 1
    assert played.hand.wild == {Tile.P8}
    played.discard(0, "9s")
    for seat, tile in ((1, "1m"), (2, "7s"), (3, "7s")):
        played.draw(seat, tile)
        played.discard(seat, tile)
    played.draw(0, "7s")
    played.discard(0, "4s")
    (declared,) = found(played.do(act.DeclareWin, seat=1))
    assert (declared.legal, declared.score, declared.payments) == (True, 3, (-6, 6, 0, 0))
    played.do(act.Rule, do="confirm", by="referee")
    match = played.table.match
    assert (match.dealer, match.streak, match.points) == (1, 0, (-6, 6, 0, 0))


def test_robbing_the_gold_after_opening_flowers() -> None:  # fuzhou T308, T204
    played = opened()
    played.discard(0, "4s")
    (declared,) = found(played.do(act.DeclareWin, seat=1))
    assert (declared.how, declared.fans) == (("earthly",), {"抢金": 30, "花": 2, "金": 1})
    assert declared.payments == (-36, 108, -36, -36)


def test_the_dealer_robs_the_gold() -> None:  # fuzhou T307
    played = Played("fuzhou", {0: READY, **FAR}, "1s")
    played.gold("8p")
    (declared,) = found(played.do(act.DeclareWin, seat=0))
    assert (declared.how, declared.legal) == (("earthly",), True)
    played.do(act.Rule, do="confirm", by="referee")
    assert (played.table.match.dealer, played.table.match.streak) == (0, 1)


def test_three_golds_before_the_first_draw() -> None:  # fuzhou T312
    played = Played("fuzhou", {0: FAR[3], 3: "888p147m147p147s258m2s"}, "1s")
    played.gold("8p")
    (declared,) = found(played.do(act.DeclareWin, seat=3))
    assert (declared.legal, declared.fans) == (True, {"三金倒": 40, "金": 3})


def test_a_discarded_gold_binds_where_the_house_says_so() -> None:  # fuzhou T209
    for options, legal in (({}, True), ({"gold_discard": "self_draw_only"}, False)):
        played = opened(**options)
        played.discard(0, "9s")
        played.draw(1, "8p")
        events = played.discard(1, "8p")
        assert [event.kind for event in events if isinstance(event, ev.IncidentNoted)] == ["wild_discard"]
        assert not alerts(events)
        for seat in (2, 3):
            played.draw(seat, "7s")
            played.discard(seat, "7s")
        played.draw(0, "7s")
        played.discard(0, "4s")
        (declared,) = found(played.do(act.DeclareWin, seat=1))
        assert declared.legal == legal
        assert declared.reason == (None if legal else "gold_discarded")
    forbidden = opened(gold_discard="forbidden")
    forbidden.discard(0, "9s")
    forbidden.draw(1, "8p")
    assert alerts(forbidden.discard(1, "8p")) == [("wild_discarded", "8p")]


def played_down(id: str, wall: int) -> Played:
    """The dealer holds four 2m and has just drawn; ``wall`` tiles are left and 18 of them stay."""
    flowers = "ab"[: (78 - wall) % 4]
    hands = {0: "2222m46m2468p24689s", 1: READY.replace("35s", flowers or "35s"), **FAR}
    played = Played(id, hands, "9s")
    for flower, tile in zip(flowers, ("3s", "5s"), strict=False):
        played.flower(1, flower, tile)
    played.gold("8p")
    played.discard(0, "9s")
    seat = 1
    while seat or played.hand.wall_left > wall + 1:
        played.draw(seat, "1m")
        played.discard(seat, "1m")
        seat = (seat + 1) % 4
    played.draw(0, "1m")
    assert played.hand.wall_left == wall
    return played


@pytest.mark.parametrize(("id", "wall", "tiles"), [("fuzhou", 22, 1), ("fujian", 24, 3), ("fujian", 26, 0)])
def test_a_kong_shortens_the_last_round(id: str, wall: int, tiles: int) -> None:
    """fuzhou T113: W = 23 before the draw; fujian T113: W = 24 after it; with two more D = 5, a normal turn."""
    played = played_down(id, wall)
    assert not alerts(played.kong(0, "2m"))
    played.draw(0, "9m")
    assert not alerts(played.discard(0, "9m"))
    played.draw(1, "1m")
    if not tiles:
        assert played.hand.phase is Phase.TURN
        return
    for seat in range(2, tiles + 1):
        assert (played.hand.phase, played.hand.last_round) == (Phase.LAST_ROUND, tiles + 1 - seat)
        played.draw(seat, "1m")
    assert (played.hand.phase, played.hand.last_round) == (Phase.ENDED, 0)


def test_a_kong_without_a_replacement_is_refused() -> None:  # fuzhou T114, fujian T113
    roomy = Played("fuzhou", {0: "2222m46m2468p24689s", 1: READY}, "9s", reserve_tiles=75)
    roomy.gold("8p")
    assert roomy.hand.wall_left == 78
    assert roomy.table.legal(0).concealed_kongs == (Tile.M2,)  # 78 - 77 = 1
    tight = Played("fuzhou", {0: "2222m46m2468p24689s", 1: READY}, "9s", reserve_tiles=76)
    tight.gold("8p")
    assert tight.table.legal(0).concealed_kongs == ()
    assert [code for code, _ in alerts(tight.kong(0, "2m"))] == ["kong_refused"]


def test_the_last_round() -> None:  # T112, T115
    played = opened(reserve_tiles=73)
    played.discard(0, "9s")  # 76 lie in the wall: three may be drawn
    played.draw(1, "9m")
    assert (played.hand.phase, played.hand.last_round) == (Phase.LAST_ROUND, 2)
    assert [code for code, _ in alerts(played.discard(1, "9m"))] == ["last_round_discard"]
    played.draw(2, "1m")
    played.draw(3, "1m")
    assert played.hand.phase is Phase.ENDED
    assert played.hand.drawn_reason == "exhausted"
    won = opened(reserve_tiles=73)
    won.discard(0, "9s")
    (declared,) = found(won.draw(1, "4s"))  # the table declares it
    assert (declared.how, declared.legal, declared.score) == (("last_tile",), True, 6)
    claimed = opened(reserve_tiles=73)
    claimed.discard(0, "4s")  # made before the last round: claimed as any other
    (declared,) = found(claimed.do(act.DeclareWin, seat=1))
    assert declared.legal
    assert opened(reserve_tiles=76).table.legal(1).draw is None


def test_a_wrong_number_of_tiles() -> None:  # T701, T702
    played = opened()
    played.discard(0, "9s")
    events = played.discard(1, "3s")  # without a draw
    assert "wrong_tile_count" in [code for code, _ in alerts(events)]
    assert played.hand.seats[1].dead == "wrong_count"
    played.draw(2, "7s")
    played.discard(2, "4s")
    assert not played.table.legal(1).win
    played.do(act.Rule, do="revive", by="referee", seat=1)
    assert played.hand.seats[1].dead is None


@pytest.mark.parametrize("streak", [0, 1])
def test_the_table_knows_how_the_deal_was_kept(streak: int) -> None:  # fujian T408
    played = Played("fujian", {0: "123m456m789m111p9p35s9p"}, "4s", count="full")
    played.gold("8p")
    for number in range(streak + 1):
        (declared,) = found(played.do(act.DeclareWin, seat=0))
        assert (declared.legal, declared.fans.get("连庄", 0)) == (True, 10 * number)
        played.do(act.Rule, do="confirm", by="referee")
        assert played.table.match.carry == {"zimo": number + 1}
        played.deal({0: "123m456m789m111p9p35s9p"}, "4s")
        played.gold("8p")
