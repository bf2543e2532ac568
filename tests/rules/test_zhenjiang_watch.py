"""镇江麻将: what the table sees by itself, and hands at the table (Z203–Z215, Z701–Z711)."""

from __future__ import annotations

from typing import Any

import pytest
from rule_hands import HandOf, SeatOf

from tablectl.game import actions as act
from tablectl.game import events as ev
from tablectl.game.judge import situation
from tablectl.game.state import Hand, Phase
from tablectl.game.table import Table
from tablectl.rules.api import Discard, Incident, MatchState
from tablectl.rules.registry import load
from tablectl.rules.zhenjiang.accounts import fines
from tablectl.tiles.meld import Meld, MeldKind
from tablectl.tiles.notation import parse_tile, parse_tiles
from tablectl.tiles.tile import Tile

RULES = load("zhenjiang")
WILD = Tile.M5


def hand(*discards: Discard, holds: int = 0, shown: int = 0, left: bool = True, standing: int = 13) -> HandOf:
    """5m is the wildcard; every seat holds so many of it. ``left``: a draw or a claim has followed the discard."""
    tiles = [WILD] * holds + [Tile.P9] * (standing - holds)
    seats = [SeatOf(standing=list(tiles), shown=[WILD] * shown) for _ in range(4)]
    return HandOf(seats=seats, discards=list(discards), indicator=Tile.M4, open_discard=not left)


def facts(here: HandOf, **options: Any) -> list[tuple[str, int, bool]]:
    found = load("zhenjiang", options).observe(here)
    return [(fact.kind, fact.seat, bool(fact.extra.get("dead"))) for fact in found]


# --- Z211 首搭必打


def test_a_wildcard_held_at_the_first_discard() -> None:  # Z211
    kept = hand(Discard(1, Tile.P1), holds=1, left=False)
    assert facts(kept) == [("first_wildcard_kept", 1, True)]
    assert facts(kept, first_wildcard_rule="free") == []
    kept.incidents.extend(RULES.observe(kept))
    assert facts(kept) == []
    assert facts(hand(Discard(1, Tile.P1), left=False)) == []
    thrown = hand(Discard(1, WILD), holds=2, left=False)
    assert facts(thrown) == [("wildcard_first", 1, False)]
    later = hand(Discard(1, Tile.P1), Discard(2, Tile.P2), Discard(1, Tile.P3), holds=1, left=False)
    assert facts(later) == []  # no duty later in the hand


def test_the_duty_is_told_before_the_discard() -> None:  # Z211, Z212
    before = hand(holds=1)
    assert RULES.must_discard(before, 2) == {WILD}
    assert RULES.must_discard(hand(), 2) == frozenset()
    assert RULES.must_discard(hand(Discard(2, Tile.P1), holds=1), 2) == frozenset()
    assert load("zhenjiang", {"first_wildcard_rule": "free"}).must_discard(before, 2) == frozenset()


# --- Z213 three kinds of 打搭


def test_three_kinds_of_thrown_wildcards() -> None:  # Z213
    first = Discard(1, Tile.P1)
    assert facts(hand(Discard(1, WILD, after="pung"), left=False)) == [("wildcard_first", 1, False)]
    assert facts(hand(first, Discard(1, WILD, after="pung"), left=False)) == [("wildcard_pung", 1, False)]
    assert facts(hand(first, Discard(1, WILD), left=False)) == [("wildcard_mid", 1, False)]
    assert facts(hand(first, Discard(1, WILD, after="replacement"), left=False)) == [("wildcard_mid", 1, False)]


def test_a_run_of_first_wildcards() -> None:  # Z213 first_wildcard_run
    two = hand(Discard(1, WILD), Discard(2, Tile.P1), Discard(1, WILD, after="pung"), left=False)
    gap = hand(Discard(1, WILD), Discard(1, Tile.P1), Discard(1, WILD), left=False)
    assert facts(two) == [("wildcard_pung", 1, False)]
    assert facts(two, first_wildcard_run=True) == [("wildcard_first", 1, False)]
    assert facts(gap, first_wildcard_run=True) == [("wildcard_mid", 1, False)]


def test_a_claimed_wildcard_takes_its_record_back_where_a_house_says_so() -> None:  # Z213
    claimed = hand(Discard(1, WILD, claimed=True))
    assert facts(claimed) == [("wildcard_first", 1, False)]
    taken = facts(claimed, claimed_wildcard_keeps_bonus=False)
    assert taken == [("wildcard_first", 1, False), ("wildcard_claimed", 1, False)]


# --- Z214 二搭必亮


def test_a_later_wildcard_must_be_shown() -> None:  # Z214
    first = Discard(1, Tile.P1)
    for after in ("draw", "pung"):
        lies = hand(first, Discard(1, WILD, after=after), left=False)
        assert "wildcard_not_shown" not in [kind for kind, _, _ in facts(lies)]
        assert RULES.must_show(lies, 1)
        assert not RULES.must_show(lies, 2)
        left = hand(first, Discard(1, WILD, after=after))
        assert ("wildcard_not_shown", 1, True) in facts(left)
        assert not RULES.must_show(left, 1)
        assert [k for k, _, _ in facts(left, second_wildcard_rule="none")] == [
            f"wildcard_{'pung' if after == 'pung' else 'mid'}"
        ]
    shown = hand(first, Discard(1, WILD, shown=True))
    assert [kind for kind, _, _ in facts(shown)] == ["wildcard_mid"]
    assert not RULES.must_show(hand(first, Discard(1, WILD, shown=True), left=False), 1)


def test_the_first_wildcard_need_not_be_shown() -> None:  # Z214
    assert facts(hand(Discard(1, WILD))) == [("wildcard_first", 1, False)]
    assert not RULES.must_show(hand(Discard(1, WILD), left=False), 1)


def test_a_later_discard_still_tells_of_the_one_before() -> None:  # Z214
    moved_on = hand(Discard(1, Tile.P1), Discard(1, WILD), Discard(2, Tile.P1), left=False)
    assert ("wildcard_not_shown", 1, True) in facts(moved_on)


def test_held_wildcards_must_be_shown_where_a_house_plays_so() -> None:  # Z214 show_held
    rule = {"second_wildcard_rule": "show_held", "first_wildcard_rule": "free"}
    one = Discard(1, Tile.P1)
    assert facts(hand(one, holds=3, shown=1), **rule) == [("second_wildcard_hidden", 1, True)]
    assert facts(hand(one, holds=3, shown=2), **rule) == []
    assert facts(hand(one, holds=1), **rule) == []
    assert facts(hand(one, holds=2, left=False), **rule) == []
    assert facts(hand(one, Discard(2, Tile.P2), holds=2, shown=0, left=False), **rule) == [
        ("second_wildcard_hidden", 1, True)
    ]


# --- Z209, Z215


def test_a_wrong_number_of_tiles() -> None:  # Z215, Z706
    assert facts(hand(Discard(1, Tile.P1), standing=12, left=False)) == [("wrong_count", 1, True)]
    assert facts(hand(Discard(1, Tile.P1), standing=12, left=False), wrong_count_dead_hand=False) == []


def test_nothing_to_see_without_indicator_or_discards() -> None:
    assert facts(HandOf(discards=[Discard(1, Tile.P1)])) == []
    assert facts(hand()) == []


def test_melds_of_the_wildcard_kind() -> None:  # Z209, Z709
    meld = Meld(MeldKind.PUNG, (WILD,) * 3, 1)
    assert RULES.refuse_claim(hand(), 1, meld) is None
    forbidden = load("zhenjiang", {"wildcard_meld": "forbidden"})
    assert forbidden.refuse_claim(hand(), 1, meld) == "wild_in_meld"
    assert forbidden.refuse_claim(hand(), 1, Meld(MeldKind.PUNG, (Tile.M4,) * 3, 1)) is None


# --- at the table


class Session:
    """A table at which a hand is played move by move, a second each. 4m is turned up: 5m is the wildcard."""

    def __init__(self, *hands: str, drawn: str = "P", **options: Any) -> None:
        rules = load("zhenjiang", {"first_dealer": 0, **options})
        self.table = Table(rules, match=MatchState(points=(50, 50, 50, 50), first=0))
        self.t = 0.0
        self.do(act.RaiseWalls, {})
        self.do(act.RestDice, {"dice": (3, 4)})
        self.do(act.Deal, {"hands": tuple(map(parse_tiles, hands)), "drawn": parse_tile(drawn)})
        self.do(act.TurnIndicator, {"tile": Tile.M4})

    def do(self, kind: type[act.Action], given: dict[str, object]) -> list[ev.Event]:
        self.t += 1
        return self.table.apply(kind(t=self.t, **given))

    def discard(self, seat: int, tile: Tile) -> list[ev.Event]:
        return self.do(act.DiscardTile, {"seat": seat, "tile": tile})

    def draw(self, seat: int, tile: Tile) -> list[ev.Event]:
        return self.do(act.Draw, {"seat": seat, "tile": tile})

    def turn(self, seat: int, drawn: Tile, discarded: Tile | None = None) -> list[ev.Event]:
        return self.draw(seat, drawn) + self.discard(seat, discarded or drawn)

    @property
    def hand(self) -> Hand:
        assert self.table.hand is not None
        return self.table.hand


def session(**options: Any) -> Session:
    """Seat 1 waits on 6s and 9s, seat 2 holds two 百搭."""
    return Session("147m147p147s1p3s3s6s", "123p456p78sEEE9m9m", "258m5m8p258sSW33m2p", "369m369p369sNCFP", **options)


def codes(told: list[ev.Event]) -> list[tuple[str, int | None]]:
    return [(event.code, event.seat) for event in told if isinstance(event, ev.Alerted)]


def test_from_the_dice_to_the_first_turn() -> None:  # Z107, Z110
    here = session()
    assert here.hand.phase is Phase.TURN
    assert here.hand.wild == {WILD}
    assert here.hand.wall_left == 82


def test_who_keeps_his_first_wildcard_is_dead() -> None:  # Z211, Z215, Z701, Z707
    here = session()
    here.discard(0, Tile.WHITE)
    here.turn(1, Tile.WHITE)
    told = here.turn(2, Tile.WHITE)
    assert codes(told) == [("first_wildcard_kept", 2)]
    assert here.hand.seats[2].dead == "first_wildcard_kept"
    here.do(act.Rule, {"do": "revive", "by": "referee", "seat": 2})  # Z511
    assert here.hand.seats[2].dead is None
    here.turn(3, Tile.WHITE)
    assert here.hand.seats[2].dead is None


def test_a_later_wildcard_shown_in_time_or_not() -> None:  # Z213, Z214, Z708
    for shows in (True, False):
        here = session()
        here.discard(0, Tile.WHITE)
        here.turn(1, Tile.WHITE)
        here.turn(2, Tile.WHITE, WILD)
        here.turn(3, Tile.WEST)
        here.turn(0, Tile.WEST)
        here.turn(1, Tile.WEST)
        here.turn(2, Tile.NORTH, WILD)
        assert [i.kind for i in here.hand.incidents] == ["wildcard_first", "wildcard_mid"]
        if shows:
            here.do(act.Press, {"seat": 2, "key": "show"})
        told = here.draw(3, Tile.NORTH)
        assert codes(told) == ([] if shows else [("wildcard_not_shown", 2)])
        assert (here.hand.seats[2].dead is None) == shows


def test_a_discarded_wildcard_is_its_own_kind_for_who_claims_it() -> None:  # Z210, Z213
    here = Session("147m147p147s1p3s3s6s", "123p456p678sEEE5m", "258m5m8p258sSW33m2p", "369m369p369sNCFP")
    here.discard(0, Tile.WHITE)
    here.turn(1, Tile.WHITE, WILD)
    here.turn(2, Tile.WHITE, WILD)
    assert here.hand.incidents == [
        Incident("wildcard_first", 1, None, {"discard": 2}),
        Incident("wildcard_first", 2, None, {"discard": 3}),
    ]
    told = here.do(act.DeclareWin, {"seat": 1})
    assert [event.reason for event in told if isinstance(event, ev.WinDeclared)] == ["not_complete"]


def test_a_self_draw_is_paid_by_all() -> None:  # Z501
    here = session()
    here.discard(0, Tile.WHITE)
    here.draw(1, Tile.S9)
    here.do(act.DeclareWin, {"seat": 1})
    for seat in (0, 2, 3):
        here.do(act.Press, {"seat": seat, "key": "pass"})
    assert here.table.match.points == (44, 68, 44, 44)


def test_a_false_win_waits_in_the_fines_account() -> None:  # Z508, Z509
    here = session()
    here.discard(0, Tile.WHITE)
    here.turn(1, Tile.M9)
    here.do(act.DeclareWin, {"seat": 3})
    here.draw(2, Tile.WHITE)  # play goes on: the refused win falls
    assert here.hand.seats[3].dead == "false_win"
    assert here.hand.points == (50, 50, 50, 50)
    settled = here.table.rules.settle(situation(here.table.game, here.hand))
    assert fines(settled.carry) == [(3, 6)]


@pytest.mark.parametrize("seat", [1, 2])
def test_the_game_offers_only_the_wildcard_first(seat: int) -> None:  # Z211
    here = session()
    here.discard(0, Tile.WHITE)
    here.draw(1, Tile.WHITE)
    if seat == 2:
        here.discard(1, Tile.WHITE)
        here.draw(2, Tile.WHITE)
    offered = here.table.legal(seat).discards
    assert (offered == (WILD,)) == (seat == 2)
