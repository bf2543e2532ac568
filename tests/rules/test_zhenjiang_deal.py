"""镇江麻将: tiles, first dealer, break, deal, indicator, replacements, wildcard kind (Z101–Z113), and play as data."""

from __future__ import annotations

import pytest
from rule_hands import HandOf

from tablectl.rules.registry import load
from tablectl.tiles.notation import parse_tile
from tablectl.tiles.tile import PLAYABLE
from tablectl.tiles.wall import Place

RULES = load("zhenjiang")

# Z112: T, wall, first stack, last block stack, dealer jumps, next, opposite, previous, indicator, draw, replacement
TABLE = """
2 | 1 | 1/2 | 0/8 | 0/9 u, 0/11 u | 0/9 l | 0/10 u | 0/10 l | 0/11 l | 0/12 u | 1/1 u
3 | 2 | 2/3 | 1/9 | 1/10 u, 1/12 u | 1/10 l | 1/11 u | 1/11 l | 1/12 l | 1/13 u | 2/2 u
4 | 3 | 3/4 | 2/10 | 2/11 u, 2/13 u | 2/11 l | 2/12 u | 2/12 l | 2/13 l | 2/14 u | 3/3 u
5 | 0 | 0/5 | 3/11 | 3/12 u, 3/14 u | 3/12 l | 3/13 u | 3/13 l | 3/14 l | 3/15 u | 0/4 u
6 | 1 | 1/6 | 0/12 | 0/13 u, 0/15 u | 0/13 l | 0/14 u | 0/14 l | 0/15 l | 0/16 u | 1/5 u
7 | 2 | 2/7 | 1/13 | 1/14 u, 1/16 u | 1/14 l | 1/15 u | 1/15 l | 1/16 l | 1/17 u | 2/6 u
8 | 3 | 3/8 | 2/14 | 2/15 u, 2/17 u | 2/15 l | 2/16 u | 2/16 l | 2/17 l | 1/1 u | 3/7 u
9 | 0 | 0/9 | 3/15 | 3/16 u, 2/1 u | 3/16 l | 3/17 u | 3/17 l | 2/1 l | 2/2 u | 0/8 u
10 | 1 | 1/10 | 0/16 | 0/17 u, 3/2 u | 0/17 l | 3/1 u | 3/1 l | 3/2 l | 3/3 u | 1/9 u
11 | 2 | 2/11 | 1/17 | 0/1 u, 0/3 u | 0/1 l | 0/2 u | 0/2 l | 0/3 l | 0/4 u | 2/10 u
12 | 3 | 3/12 | 1/1 | 1/2 u, 1/4 u | 1/2 l | 1/3 u | 1/3 l | 1/4 l | 1/5 u | 3/11 u
"""


def place(text: str, dealer: int) -> Place:
    where, _, half = text.strip().partition(" ")
    wall, stack = where.split("/")
    return Place((dealer + int(wall)) % 4, int(stack), half.strip() == "u")


@pytest.mark.parametrize("dealer", range(4))
@pytest.mark.parametrize("row", TABLE.strip().splitlines(), ids=lambda row: row.split(" ")[0])
def test_table_of_breaks(row: str, dealer: int) -> None:  # Z104–Z107, Z110, Z112
    total, broken, first, last, jump, following, opposite, previous, indicator, live, tail = row.split("|")
    deck = RULES.deck(dealer, [int(total)])
    at = deck.places
    assert at[0] == place(f"{first} u", dealer)
    assert at[0].side == (dealer + int(broken)) % 4
    assert at[47] == place(f"{last} l", dealer)
    assert [at[p - 1] for p in deck.dealt(dealer)[-2:]] == [place(tile, dealer) for tile in jump.split(",")]
    for seat, cell in ((1, following), (2, opposite), (3, previous)):
        assert at[deck.dealt((dealer + seat) % 4)[-1] - 1] == place(cell, dealer)
    assert deck.indicator is not None
    assert at[deck.indicator - 1] == place(indicator, dealer)
    assert at[deck.live[0] - 1] == place(live, dealer)
    assert at[deck.tail[0] - 1] == place(tail, dealer)


def test_worked_example() -> None:  # Z105, Z113
    deck = RULES.deck(0, [9])
    stacks = [(deck.places[2 * n].side, deck.places[2 * n].stack) for n in (0, 8, 9, 25, 26, 42, 43, 59, 60, 67)]
    assert stacks == [(0, 9), (0, 17), (3, 1), (3, 17), (2, 1), (2, 17), (1, 1), (1, 17), (0, 1), (0, 8)]


def test_what_is_left() -> None:  # Z101, Z102, Z110
    deck = RULES.deck(3, [7])
    assert RULES.tile_set.total == 136
    assert set(RULES.tile_set.counts) == set(PLAYABLE)
    assert RULES.stacks == (17, 17, 17, 17)
    assert [len(deck.dealt(seat)) for seat in range(4)] == [13, 13, 13, 14]
    assert len(deck.live) == len(deck.tail) == 82
    assert deck.tail[:4] == (135, 136, 133, 134)
    assert deck.indicator not in deck.live


def test_replacements_from_the_head() -> None:  # Z110
    rules = load("zhenjiang", {"kong_replacement_from": "head"})
    deck = rules.deck(0, [7])
    assert deck.tail == deck.live
    assert rules.play.replacements_from == "head"


def test_leave_the_stacks_standing() -> None:  # Z104 first_stack_offset
    deck = load("zhenjiang", {"first_stack_offset": 1}).deck(0, [12])
    assert deck.places[0] == Place(3, 13, True)
    assert load("zhenjiang", {"first_stack_offset": 5}).deck(0, [12]).places[0] == Place(3, 17, True)


def test_first_dealer_is_counted_from_the_presser() -> None:  # Z103: the third chair throws 6, the fourth deals
    assert RULES.first_seat(2, 6) == 3
    assert [RULES.first_seat(0, total) for total in (2, 5, 12)] == [1, 0, 3]
    assert RULES.play.first_dealer == "dice"
    chosen = load("zhenjiang", {"first_dealer": 2})
    assert chosen.first_seat(0, 7) == 2
    assert chosen.play.first_dealer == "set"
    assert (chosen.first_hand().dealer, chosen.first_hand().first) == (2, 2)


def test_one_throw_by_the_dealer() -> None:  # Z104
    assert [RULES.thrower(dealer, []) for dealer in range(4)] == [0, 1, 2, 3]
    assert RULES.thrower(2, [7]) is None


@pytest.mark.parametrize(
    ("indicator", "wildcard"), [("1m", "2m"), ("9m", "1m"), ("9s", "1s"), ("N", "E"), ("P", "C"), ("E", "S")]
)
def test_wildcard_kind(indicator: str, wildcard: str) -> None:  # Z108
    assert RULES.wild(parse_tile(indicator)) == {parse_tile(wildcard)}
    assert RULES.wild(None) == frozenset()


def test_play_as_data() -> None:  # Z201–Z208, Z215–Z217, Z603, Z604, Z711
    play = RULES.play
    assert (play.indicator, play.indicator_lies) == ("after_deal", "apart")  # Z107
    assert not play.chow_allowed
    assert play.win_on_discard
    assert play.rob_added_kong
    assert not play.multiple_winners  # Z204
    assert not play.kong_after_claim
    assert play.last_discard_claims == "win"  # Z208
    assert play.dead_hand_claims
    assert not play.dead_hand_shown  # Z716
    assert play.false_win_kills
    assert "outranked" in play.harmless_refusals
    assert "dead_hand" not in play.harmless_refusals
    assert play.extra_keys == {"show"}
    assert (play.first_discard_seconds, play.discard_seconds, play.claim_seconds) == (None, None, None)
    assert (play.match_minutes, play.warn_minutes_left, play.time_up) == (60, 10, "stop_now")
    assert not play.pause_stops_clock
    assert play.points_in_play == 200
    assert RULES.undrawn(HandOf()) == 0


def test_options_that_are_data_of_play() -> None:
    rules = load(
        "zhenjiang",
        {
            "first_discard_seconds": 30,
            "discard_seconds": 15,
            "claim_seconds": 3,
            "second_wildcard_rule": "none",
            "reserve_tiles": 14,
            "match_minutes": None,
            "warn_minutes_left": None,
            "time_up": "finish_hand",
            "start_points": 100,
            "show_dead_hand": True,
        },
    )
    play = rules.play
    assert (play.first_discard_seconds, play.discard_seconds, play.claim_seconds) == (30, 15, 3)
    assert play.extra_keys == frozenset()
    assert (play.match_minutes, play.warn_minutes_left, play.time_up) == (None, None, "finish_hand")
    assert play.points_in_play == 400
    assert play.dead_hand_shown
    assert rules.undrawn(HandOf()) == 14  # Z111
