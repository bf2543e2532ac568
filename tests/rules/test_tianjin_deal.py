"""天津麻将: tiles, dice, break, deal, the indicator, replacements, wild kinds (T101–T113), and play as data."""

from __future__ import annotations

import pytest
from rule_hands import HandOf

from tablectl.rules.registry import load
from tablectl.tiles.notation import parse_tile
from tablectl.tiles.tile import PLAYABLE
from tablectl.tiles.wall import Place

RULES = load("tianjin")


def test_tiles_and_walls() -> None:  # T101, T102
    assert RULES.tile_set.total == 136
    assert set(RULES.tile_set.counts.values()) == {4}
    assert RULES.stacks == (17, 17, 17, 17)


@pytest.mark.parametrize("dealer", range(4))
def test_dealer_throws_then_his_opposite(dealer: int) -> None:  # T103
    assert RULES.thrower(dealer, []) == dealer
    assert RULES.thrower(dealer, [7]) == (dealer + 2) % 4
    assert RULES.thrower(dealer, [7, 3]) is None


def test_worked_example() -> None:  # T104, T105, T106, T109
    deck = RULES.deck(2, [7, 3])
    at = deck.places
    assert [(at[2 * n].side, at[2 * n].stack) for n in (0, 9, 10, 26, 27, 43, 44, 60, 61, 67)] == [
        (2, 8),
        (2, 17),
        (1, 1),
        (1, 17),
        (0, 1),
        (0, 17),
        (3, 1),
        (3, 17),
        (2, 1),
        (2, 7),
    ]
    assert [len(deck.dealt(seat)) for seat in range(4)] == [13, 13, 14, 13]
    assert [at[p - 1] for p in deck.dealt(2)[-2:]] == [Place(1, 15, True), Place(1, 17, True)]
    assert at[deck.live[0] - 1] == Place(1, 17, False)
    assert len(deck.live) == 82
    assert deck.indicator is not None
    assert at[deck.indicator - 1] == Place(2, 5, True)
    assert [at[p - 1] for p in deck.tail[:6]] == [  # T110
        Place(2, 7, True),
        Place(2, 7, False),
        Place(2, 6, True),
        Place(2, 6, False),
        Place(2, 5, False),
        Place(2, 4, True),
    ]


def test_before_the_second_throw_there_is_no_indicator() -> None:  # T103
    first, both = RULES.deck(1, [5]), RULES.deck(1, [5, 9])
    assert first.indicator is None
    assert (first.deal, first.places) == (both.deal, both.places)


@pytest.mark.parametrize("dealer", range(4))
@pytest.mark.parametrize("total", range(2, 13))
@pytest.mark.parametrize("counted", range(2, 13))
def test_the_stack_of_the_indicator(dealer: int, total: int, counted: int) -> None:  # T107, T108
    deck = RULES.deck(dealer, [total, counted])
    assert deck.indicator is not None
    own = counted <= total
    side, stack = (dealer, total + 1 - counted) if own else ((dealer + 1) % 4, 18 - (counted - total))
    assert deck.places[deck.indicator - 1] == Place(side, stack, True)
    dealt = {p for block in deck.deal for p in block.positions}
    assert dealt.isdisjoint(deck.live)
    assert deck.indicator not in {*deck.live, *deck.tail, *dealt}
    assert set(deck.live) == set(deck.tail)
    assert deck.places[0] == Place(dealer, total + 1, True)


@pytest.mark.parametrize(
    ("indicator", "wilds"),
    [("3p", "3p 4p"), ("9s", "9s 1s"), ("W", "W N"), ("N", "N E"), ("P", "P C"), ("F", "F P"), ("9m", "9m 1m")],
)
def test_wild_kinds(indicator: str, wilds: str) -> None:  # T112, T113
    assert RULES.wild(parse_tile(indicator)) == {parse_tile(code) for code in wilds.split()}


def test_every_kind_is_wild_for_two_indicators() -> None:  # T112
    assert all(sum(tile in RULES.wild(indicator) for indicator in PLAYABLE) == 2 for tile in PLAYABLE)
    assert RULES.wild(None) == frozenset()


def test_play_as_data() -> None:  # T202, T206–T212, T214, T301
    play = RULES.play
    assert play.indicator == "after_deal"
    assert play.throws_before_deal == 1
    assert not play.chow_allowed
    assert not play.win_on_discard
    assert not play.rob_added_kong
    assert not play.kong_after_claim
    assert not play.multiple_winners
    assert play.last_discard_claims == "none"  # T111
    assert play.extra_keys == {"sit", "pull"}
    assert (play.pull_max, play.stakes_seconds, play.first_dealer) == (2, None, "random")
    assert (play.first_discard_seconds, play.discard_seconds, play.claim_seconds) == (None, None, None)
    assert (play.match_minutes, play.warn_minutes_left) == (None, 5)
    assert play.false_win_kills
    assert not play.wild_discard_forbidden
    assert RULES.undrawn(HandOf()) == 0
    assert RULES.first_seat(3, 9) == 0


def test_options_that_are_data_of_play() -> None:
    rules = load(
        "tianjin",
        {
            "first_discard_seconds": 30,
            "discard_seconds": 15,
            "claim_seconds": 3,
            "stakes_seconds": 10,
            "pull_max": 1,
            "first_dealer": "seat",
            "false_win_dead_hand": False,
            "wild_discard": "forbidden",
            "undrawn_tiles": 14,
            "match_minutes": 90,
            "warn_minutes_left": None,
        },
    )
    play = rules.play
    assert (play.first_discard_seconds, play.discard_seconds, play.claim_seconds) == (30, 15, 3)
    assert (play.stakes_seconds, play.pull_max, play.first_dealer) == (10, 1, "set")
    assert (play.match_minutes, play.warn_minutes_left) == (90, None)
    assert not play.false_win_kills
    assert play.wild_discard_forbidden
    assert rules.undrawn(HandOf()) == 14


def test_without_stakes_nobody_is_asked_for_them() -> None:  # T203, T204
    assert load("tianjin", {"sit_factor": 1}).play.extra_keys == {"sit", "pull"}
    assert load("tianjin", {"sit_factor": 1, "pull_factor": 1}).play.extra_keys == frozenset()
    assert load("tianjin", {"sit_factor": 1, "pull_max": 0}).play.extra_keys == frozenset()
