"""北京麻将: tiles, wall, break, deal, and how the hand is played (T1–T20)."""

from __future__ import annotations

import pytest
from rule_hands import HandOf

from tablectl.rules.registry import load
from tablectl.tiles.wall import Place

RULES = load("beijing")


def left(seat: int, stack: int, upper: bool = True) -> Place:
    """A place whose stack is counted from the seat's left-hand end (T3)."""
    return Place(seat, 18 - stack, upper)


def test_equipment() -> None:  # T1, T2, T11, T12
    assert RULES.tile_set.total == 136
    assert not any(tile.is_flower for tile in RULES.tile_set.tiles())
    assert RULES.stacks == (17, 17, 17, 17)
    assert not RULES.play.flowers
    assert RULES.wild(None) == frozenset()
    assert RULES.first_hand().points == (25_000,) * 4
    assert load("beijing", {"start_points": 30_000}).first_hand().points == (30_000,) * 4


def test_one_throw_by_the_dealer_alone() -> None:  # T4
    assert [RULES.thrower(3, throws) for throws in ([], [7])] == [3, None]
    assert not RULES.play.any_seat_throws
    assert RULES.play.dice_count == 2


@pytest.mark.parametrize(
    ("dealer", "total", "first", "last"),
    [(0, 9, left(0, 10), left(0, 9)), (2, 12, left(1, 13), left(1, 12)), (0, 5, left(0, 6), left(0, 5))],
)
def test_break_behind_the_stack_counted(dealer: int, total: int, first: Place, last: Place) -> None:  # T4–T6
    deck = RULES.deck(dealer, [total])
    assert deck.places[0] == first
    assert deck.places[134] == last


def test_the_wall_runs_on_at_the_next_seat() -> None:  # T3, T6
    places = RULES.deck(0, [9]).places
    assert (places[14], places[16]) == (left(0, 17), left(1, 1))  # D8 and D9


def test_counted_and_drawn_the_other_way() -> None:  # T3, option wall_direction
    places = load("beijing", {"wall_direction": "clockwise"}).deck(0, [9]).places
    assert (places[0], places[134]) == (Place(0, 10, True), Place(0, 9, True))
    assert places[16] == Place(3, 1, True)


def test_deal_and_replacements() -> None:  # T8, T9
    deck = RULES.deck(0, [9])
    at = deck.places
    assert [len(deck.dealt(seat)) for seat in range(4)] == [14, 13, 13, 13]
    assert [block.seat for block in deck.deal] == [0, 1, 2, 3] * 4
    assert [at[p - 1] for p in deck.dealt(0)[12:]] == [left(1, 17), left(2, 2)]  # upper of D25 and D27
    assert [at[deck.dealt(seat)[12] - 1] for seat in (1, 2, 3)] == [left(1, 17, False), left(2, 1), left(2, 1, False)]
    assert len(deck.live) == 83
    assert at[deck.live[0] - 1] == left(2, 2, False)
    assert [at[p - 1] for p in deck.tail[:3]] == [left(0, 9), left(0, 9, False), left(0, 8)]


def test_fourteen_tiles_stay_however_many_are_replaced() -> None:  # T10
    for replaced in (0, 3):
        hand = HandOf(wall_left=83 - 20, tail_taken=replaced)
        assert hand.wall_left - RULES.undrawn(hand) == 69 - 20
    assert RULES.play.last_tiles == 1
    assert load("beijing", {"dead_wall_tiles": 0}).undrawn(HandOf()) == 0


def test_the_kong_tile_is_laid_down() -> None:  # T7
    assert RULES.play.lay_down_last_tile
    assert not load("beijing", {"lay_down_kong_tile": False}).play.lay_down_last_tile


def test_claims_and_kongs() -> None:  # T13–T15
    play = RULES.play
    assert play.chow_allowed
    assert play.rob_added_kong
    assert play.win_on_discard
    assert not play.kong_after_claim
    assert play.last_discard_claims == "win"
    assert play.discards_per_row == 6
    assert play.earthly == "first_draw"  # T27


def test_no_limits_of_time_by_default() -> None:  # T20
    play = RULES.play
    assert (play.claim_seconds, play.first_discard_seconds, play.discard_seconds) == (None, None, None)
    assert play.match_minutes is None
    timed = load("beijing", {"turn_seconds": 20, "claim_seconds": 5}).play
    assert (timed.claim_seconds, timed.first_discard_seconds, timed.discard_seconds) == (5, 20, 20)


def test_the_other_three_agree_before_tiles_are_mixed() -> None:  # T25
    assert not RULES.play.referee_confirms


@pytest.mark.parametrize(
    ("option", "kills", "after"),
    [("replay", False, "replay"), ("pass_deal", False, "draw"), ("continue", True, "continue")],
)
def test_what_becomes_of_the_hand_after_a_false_win(option: str, kills: bool, after: str) -> None:  # T44
    play = load("beijing", {"after_false_win": option}).play
    assert (play.false_win_kills, play.after_false_win) == (kills, after)
    assert "not_first" in play.harmless_refusals  # T26


def test_several_winners_are_an_option() -> None:  # T26
    assert not RULES.play.multiple_winners
    assert load("beijing", {"multiple_winners": "all"}).play.multiple_winners
