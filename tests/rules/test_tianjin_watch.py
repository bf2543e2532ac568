"""天津麻将: what the table sees by itself, and whole hands at the table (T103, T203–T213, T701, T702)."""

from __future__ import annotations

import pytest
from rule_hands import HandOf, SeatOf

from tablectl.game import actions as act
from tablectl.game import events as ev
from tablectl.game.state import Phase
from tablectl.game.table import Table
from tablectl.rules.api import Discard, Incident
from tablectl.rules.registry import load
from tablectl.tiles.meld import Meld, MeldKind
from tablectl.tiles.notation import parse_tiles
from tablectl.tiles.tile import Tile

RULES = load("tianjin")


def hand(*discards: tuple[int, Tile], indicator: Tile = Tile.EAST, standing: int = 13, dealer: int = 0) -> HandOf:
    seats = [SeatOf(standing=[Tile.P9] * standing) for _ in range(4)]
    told = [Discard(seat, tile) for seat, tile in discards]
    return HandOf(dealer=dealer, seats=seats, discards=told, indicator=indicator)


# --- observe


def test_a_discarded_wild_is_a_fact_each_time() -> None:  # T211
    here = hand((0, Tile.P1), (1, Tile.SOUTH))
    (fact,) = RULES.observe(here)
    assert (fact.kind, fact.seat, fact.extra.get("dead")) == ("wild_discard", 1, None)
    here.incidents.append(fact)
    assert RULES.observe(here) == ()
    here.discards.append(Discard(2, Tile.WEST))
    assert RULES.observe(here) == ()
    here.discards.append(Discard(1, Tile.EAST))
    assert [fact.kind for fact in RULES.observe(here)] == ["wild_discard"]
    assert load("tianjin", {"wild_discard": "forbidden"}).observe(here) == ()


@pytest.mark.parametrize("dealer", range(4))
def test_chan(dealer: int) -> None:  # T213
    order = [(dealer + i) % 4 for i in range(4)]
    here = hand(*((seat, Tile.P9) for seat in order), dealer=dealer)
    assert RULES.observe(here) == (Incident("chan", dealer),)
    here.incidents.append(Incident("chan", dealer))
    assert RULES.observe(here) == ()
    assert load("tianjin", {"chan_enabled": False}).observe(hand(*((s, Tile.P9) for s in order), dealer=dealer)) == ()


def test_chan_of_a_wild_kind_counts_too() -> None:  # T213
    kinds = [fact.kind for fact in RULES.observe(hand(*((seat, Tile.SOUTH) for seat in range(4))))]
    assert kinds == ["wild_discard", "chan"]


def test_no_chan() -> None:  # T213
    assert RULES.observe(hand(*((seat, Tile.P9) for seat in (0, 1, 2)))) == ()
    assert RULES.observe(hand((0, Tile.P9), (1, Tile.P9), (2, Tile.P9), (3, Tile.P8))) == ()
    assert RULES.observe(hand((0, Tile.P9), (2, Tile.P9), (3, Tile.P9), (0, Tile.P9))) == ()
    late = hand((0, Tile.P1), *((seat, Tile.P9) for seat in (1, 2, 3, 0)))
    assert RULES.observe(late) == ()
    second_round = hand((0, Tile.P1), (1, Tile.P9), (2, Tile.P9), (3, Tile.P9), *((seat, Tile.P9) for seat in range(4)))
    assert RULES.observe(second_round) == ()


def test_a_wrong_count_makes_a_dead_hand_that_may_not_claim() -> None:  # T701
    here = hand((2, Tile.P9), standing=12)
    (fact,) = RULES.observe(here)
    assert (fact.kind, fact.seat, fact.extra["dead"]) == ("dead_hand", 2, True)
    here.incidents.append(fact)
    assert RULES.observe(here) == ()
    pung = Meld(MeldKind.PUNG, (Tile.P8,) * 3, 1)
    assert RULES.refuse_claim(here, 2, pung) == "dead_hand"
    assert RULES.refuse_claim(here, 1, pung) is None
    assert RULES.refuse_claim(here, 2, Meld(MeldKind.CONCEALED_KONG, (Tile.P8,) * 4)) is None
    assert load("tianjin", {"wrong_count_dead_hand": False}).observe(hand((2, Tile.P9), standing=12)) == ()


def test_a_dead_hand_by_a_false_win_still_claims() -> None:  # T511
    here = hand((2, Tile.P9))
    here.incidents.append(Incident("dead_hand", 2))
    assert RULES.refuse_claim(here, 2, Meld(MeldKind.PUNG, (Tile.P8,) * 3, 1)) is None


def test_no_meld_of_wilds_but_the_gold_kong() -> None:  # T209, T210
    here = hand()
    south = (Tile.SOUTH,) * 4
    assert RULES.refuse_claim(here, 1, Meld(MeldKind.PUNG, south[:3], 1)) == "wild_in_meld"
    assert RULES.refuse_claim(here, 1, Meld(MeldKind.EXPOSED_KONG, south, 1)) == "wild_in_meld"
    assert RULES.refuse_claim(here, 1, Meld(MeldKind.ADDED_KONG, south, 1)) == "wild_in_meld"
    gold = Meld(MeldKind.CONCEALED_KONG, south)
    assert RULES.refuse_claim(here, 1, gold) is None
    assert RULES.kong(here, 1, gold) == Incident("gold_kong", 1)
    assert RULES.kong(here, 1, Meld(MeldKind.CONCEALED_KONG, (Tile.WEST,) * 4)) == Incident("concealed_kong", 1)
    assert RULES.kong(here, 1, Meld(MeldKind.EXPOSED_KONG, (Tile.WEST,) * 4, 1)) == Incident("exposed_kong", 1, 0)
    assert RULES.kong(here, 1, Meld(MeldKind.ADDED_KONG, (Tile.WEST,) * 4, 1)) == Incident("added_kong", 1)


# --- at the table


class Session:
    """A table at which a hand is played move by move, a second each."""

    def __init__(self, *hands: str, drawn: str, indicator: str = "E") -> None:
        self.table = Table(RULES)
        self.t = 0.0
        self.do(act.RaiseWalls, {})
        for seat, key, n in ((0, "sit", 1), (1, "pull", 0), (2, "pull", 1), (3, "pull", 2)):
            self.do(act.Press, {"seat": seat, "key": key, "n": n})
        self.do(act.RestDice, {"dice": (3, 4)})
        self.do(act.Deal, {"hands": tuple(map(parse_tiles, hands)), "drawn": parse_tiles(drawn)[0]})
        self.do(act.RestDice, {"dice": (1, 2)})
        self.do(act.TurnIndicator, {"tile": parse_tiles(indicator)[0]})

    def do(self, kind: type[act.Action], given: dict[str, object]) -> list[ev.Event]:
        self.t += 1
        return self.table.apply(kind(t=self.t, **given))

    def discard(self, seat: int, tile: Tile) -> list[ev.Event]:
        return self.do(act.DiscardTile, {"seat": seat, "tile": tile})

    def turn(self, seat: int, drawn: Tile, discarded: Tile | None = None) -> list[ev.Event]:
        return self.do(act.Draw, {"seat": seat, "tile": drawn}) + self.discard(seat, discarded or drawn)

    @property
    def points(self) -> tuple[int, int, int, int]:
        assert self.table.hand is not None
        return self.table.hand.points


def session() -> Session:
    """The dealer holds nothing yet, seat 1 waits on the 5m."""
    hands = ("147m147p147s1p3s3s6s", "46m123p777s99p123s", "258m258p258sSW33m", "369m369p369sNCFP")
    return Session(*hands, drawn="P")


def test_a_hand_from_the_stakes_to_the_first_turn() -> None:  # T103, T203–T205, T107, T504
    here = session()
    now = here.table.hand
    assert now is not None
    assert now.phase is Phase.TURN
    assert now.stakes == {"sit": True, "pull": {1: 0, 2: 1, 3: 2}}
    assert now.wild == {Tile.EAST, Tile.SOUTH}
    assert now.wall_left == 82  # T109


def test_chan_is_paid_when_the_fourth_follows() -> None:  # T213, T506
    here = session()
    here.discard(0, Tile.WHITE)
    here.turn(1, Tile.WHITE)
    here.turn(2, Tile.WHITE)
    here.turn(3, Tile.EAST, Tile.WHITE)
    assert here.points == (-14, 2, 4, 8)


def test_a_small_xianggong_claims_but_cannot_win() -> None:  # T211
    here = session()
    here.discard(0, Tile.WHITE)
    here.turn(1, Tile.SOUTH)
    now = here.table.hand
    assert now is not None
    assert now.incidents == [Incident("wild_discard", 1, None, {"discard": 2})]
    assert not here.table.legal(2).pung  # T210: a discarded wild cannot be claimed
    here.turn(2, Tile.S7)
    assert here.table.legal(1).pung or here.table.legal(1).kong
    here.turn(3, Tile.P4)
    here.turn(0, Tile.P4)
    here.do(act.Draw, {"seat": 1, "tile": Tile.M5})
    told = here.do(act.DeclareWin, {"seat": 1})
    assert [event.reason for event in told if isinstance(event, ev.WinDeclared)] == ["small_xianggong"]


def test_a_win_pays_by_the_stakes() -> None:  # T502, T504
    here = session()
    here.discard(0, Tile.WHITE)
    here.do(act.Draw, {"seat": 1, "tile": Tile.M5})
    here.do(act.DeclareWin, {"seat": 1})
    for seat in (0, 2, 3):
        here.do(act.Press, {"seat": seat, "key": "pass"})
    assert here.points == (-12, 24, -6, -6)  # 素捉五 6, doubled by the sitting dealer


def test_nothing_is_won_on_a_discard() -> None:  # T207, T301, T702
    here = session()
    here.discard(0, Tile.WHITE)
    here.turn(1, Tile.WHITE)
    here.turn(2, Tile.M5)
    told = here.do(act.DeclareWin, {"seat": 1})
    assert [(event.code, event.detail) for event in told if isinstance(event, ev.Alerted)] == [
        ("false_win", "discard_win")
    ]
