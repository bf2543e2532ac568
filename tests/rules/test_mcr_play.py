"""国标麻将: wall, dice, deal and how the hand is played, as data (T1–T25)."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import pytest
from rule_hands import HandOf, situation

from tablectl.rules.api import Discard, Incident
from tablectl.rules.mcr import Mcr
from tablectl.rules.registry import load
from tablectl.tiles.notation import parse_melds
from tablectl.tiles.tile import FLOWERS, Tile
from tablectl.tiles.wall import Place


def rules(**options: Any) -> Mcr:
    found = load("mcr", options)
    assert isinstance(found, Mcr)
    return found


def test_equipment() -> None:  # T1, T2, T11
    mcr = rules()
    assert (mcr.tile_set.total, mcr.stacks) == (144, (18, 18, 18, 18))
    assert mcr.play.hand_tiles == 13
    assert mcr.wild(None) == frozenset()
    assert mcr.play.indicator == "none"
    assert mcr.undrawn(HandOf()) == 0  # T10


@pytest.mark.parametrize(("total", "distance"), [(5, 0), (9, 0), (2, 1), (6, 1), (10, 1), (3, 2), (7, 2), (11, 2)])
def test_the_second_thrower(total: int, distance: int) -> None:  # T4, T5
    for dealer in range(4):
        assert rules().thrower(dealer, []) == dealer
        assert rules().thrower(dealer, [total]) == (dealer + distance) % 4
        assert rules().thrower(dealer, [total, 7]) is None
    for other in (4, 8, 12):
        assert rules().thrower(1, [other]) == 0


@pytest.mark.parametrize(
    ("dealer", "throws", "first", "last"),
    [
        (0, (7, 11), Place(1, 1, True), Place(2, 18, False)),
        (3, (9, 12), Place(2, 4, True), Place(2, 3, False)),
        (1, (2, 2), Place(2, 5, True), Place(2, 4, False)),
    ],
)
def test_the_break(dealer: int, throws: tuple[int, int], first: Place, last: Place) -> None:  # T3, T5, T6, examples A–C
    deck = rules().deck(dealer, throws)
    assert (deck.places[0], deck.places[-1]) == (first, last)
    assert len(set(deck.places)) == 144


@pytest.mark.parametrize("dealer", range(4))
def test_every_break_follows_the_arithmetic(dealer: int) -> None:  # T6
    for a in range(2, 13):
        for b in range(2, 13):
            q, n = (dealer + a - 1) % 4, a + b
            deck = rules().deck(dealer, (a, b))
            for i in (1, 2, 18, 72):
                offset = (n + i - 1) % 72
                place = Place((q - offset // 18) % 4, offset % 18 + 1, True)
                assert deck.places[2 * i - 2] == place


def test_the_deal_and_the_jump() -> None:  # T7
    deck = rules().deck(1, (4, 5))
    assert [len(deck.dealt(seat)) for seat in range(4)] == [13, 14, 13, 13]
    assert [block.seat for block in deck.deal] == [1, 2, 3, 0] * 3 + [1, 2, 3, 0]
    assert deck.deal[0].positions == (1, 2, 3, 4)
    assert [block.positions for block in deck.deal[12:]] == [(49, 53), (50,), (51,), (52,)]


def test_draws_and_replacements() -> None:  # T8, T9, T10
    deck = rules().deck(0, (3, 4))
    assert deck.live[:3] == (54, 55, 56)
    assert deck.tail[:4] == (143, 144, 141, 142)
    assert len(deck.live) == 91
    assert all(a < b for a, b in pairwise(deck.live))
    assert Counter(deck.live) == Counter(deck.tail)


def test_how_the_hand_is_played() -> None:  # T14–T21, T23
    play = rules().play
    assert play.flowers == frozenset(FLOWERS)
    assert (play.opening_flowers, play.flowers_compulsory) == ("complete", False)
    assert (play.chow_waits, play.rob_added_kong, play.kong_after_claim) == (True, True, False)
    assert (play.multiple_winners, play.last_tiles, play.last_discard_claims) == (False, 1, "win")
    assert (play.referee_confirms, play.discards_per_row, play.last_of_kind) == (True, 6, "visible")
    assert (play.flower_discard_kills, play.false_win_kills) == (False, True)
    assert "not_first" in play.harmless_refusals


@pytest.mark.parametrize(
    ("options", "field", "value"),
    [
        ({"claim_seconds": 5}, "claim_seconds", 5),
        ({"initial_flower_seconds": 40}, "initial_flower_seconds", 40),
        ({"first_discard_seconds": 20}, "first_discard_seconds", 20),
        ({"discard_seconds": 10}, "discard_seconds", 10),
        ({"session_minutes": 120}, "match_minutes", 120),
        ({"session_minutes": 120, "break_stops_clock": False}, "match_minutes", 105),
        ({"warn_minutes_left": 5}, "warn_minutes_left", 5),
        ({"warn_minutes_left": 0}, "warn_minutes_left", None),
        ({"barred_may_claim": True}, "dead_hand_claims", True),
        ({"at_time": "finish_hand"}, "time_up", "finish_hand"),
    ],
)
def test_options_of_play(options: dict[str, Any], field: str, value: object) -> None:  # T16, T25, T59
    assert getattr(rules(**options).play, field) == value
    assert getattr(rules().play, field) != value


def test_defaults_of_time() -> None:  # T14, T16, T59
    play = rules().play
    assert (play.initial_flower_seconds, play.first_discard_seconds) == (30, 30)
    assert (play.discard_seconds, play.claim_seconds) == (15, 3)
    assert (play.match_minutes, play.warn_minutes_left, play.time_up) == (180, 15, "stop_now")


def test_a_discarded_flower_is_told_where_it_is_not_allowed() -> None:  # T15, T63
    strict = rules(flower_discard_allowed=False)
    hand = HandOf(discards=[Discard(0, Tile.M1), Discard(1, Tile.PLUM)])
    (offence,) = strict.observe(hand)
    assert (offence.kind, offence.seat, offence.extra["detail"]) == ("flower_discarded", 1, "a")
    assert offence.kind in strict.incident_kinds
    assert strict.pay(situation(), offence).deltas == (0, 0, 0, 0)
    hand.incidents.append(offence)
    assert strict.observe(hand) == ()  # once only
    hand.discards.append(Discard(2, Tile.EAST))
    assert strict.observe(hand) == ()
    assert rules().observe(HandOf(discards=[Discard(1, Tile.PLUM)])) == ()


def test_a_barred_seat_makes_no_kong_of_its_own() -> None:  # T25
    (concealed,), (added,), (pung,) = (parse_melds(text) for text in ("[EEEE]", "[EEEE,7]", "[EEE,3]"))
    hand = HandOf(incidents=[Incident("false_win", 2)])
    assert rules().refuse_claim(hand, 2, concealed) == "dead_hand"
    assert rules().refuse_claim(hand, 2, added) == "dead_hand"
    assert rules().refuse_claim(hand, 2, pung) is None  # the general checks see to claims
    assert rules().refuse_claim(hand, 1, concealed) is None
    assert rules(barred_may_claim=True).refuse_claim(hand, 2, concealed) is None
