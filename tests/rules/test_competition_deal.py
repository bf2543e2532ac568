"""竞技麻将: dice, break, deal, replacements (J3–J10)."""

from __future__ import annotations

import pytest

from tablectl.rules.registry import load
from tablectl.tiles.tile import FLOWERS
from tablectl.tiles.wall import Place

RULES = load("competition")

# J7: t, first stack, 24th stack, dealer's jump, next, opposite, previous, first live draw, first replacement
TABLE = """
2 | 1/2 | 0/7 | 0/8 0/10 | 0/8 l | 0/9 u | 0/9 l | 0/10 l | 1/1 u
3 | 2/3 | 1/8 | 1/9 1/11 | 1/9 l | 1/10 u | 1/10 l | 1/11 l | 2/2 u
4 | 3/4 | 2/9 | 2/10 2/12 | 2/10 l | 2/11 u | 2/11 l | 2/12 l | 3/3 u
5 | 0/5 | 3/10 | 3/11 3/13 | 3/11 l | 3/12 u | 3/12 l | 3/13 l | 0/4 u
6 | 1/6 | 0/11 | 0/12 0/14 | 0/12 l | 0/13 u | 0/13 l | 0/14 l | 1/5 u
7 | 2/7 | 1/12 | 1/13 1/15 | 1/13 l | 1/14 u | 1/14 l | 1/15 l | 2/6 u
8 | 3/8 | 2/13 | 2/14 2/16 | 2/14 l | 2/15 u | 2/15 l | 2/16 l | 3/7 u
9 | 0/9 | 3/14 | 3/15 3/17 | 3/15 l | 3/16 u | 3/16 l | 3/17 l | 0/8 u
10 | 1/10 | 0/15 | 0/16 0/18 | 0/16 l | 0/17 u | 0/17 l | 0/18 l | 1/9 u
11 | 2/11 | 1/16 | 1/17 0/1 | 1/17 l | 1/18 u | 1/18 l | 0/1 l | 2/10 u
12 | 3/12 | 2/17 | 2/18 1/2 | 2/18 l | 1/1 u | 1/1 l | 1/2 l | 3/11 u
"""


def place(text: str, dealer: int, half: str) -> Place:
    wall, stack = text.split("/")
    return Place((dealer + int(wall)) % 4, int(stack), half == "u")


@pytest.mark.parametrize("dealer", range(4))
@pytest.mark.parametrize("row", TABLE.strip().splitlines(), ids=lambda row: row.split(" ")[0])
def test_worked_table(row: str, dealer: int) -> None:  # J4–J8
    total, first, last, jump, following, opposite, previous, live, tail = (cell.strip() for cell in row.split("|"))
    deck = RULES.deck(dealer, [int(total)])
    one, two = jump.split()
    at = deck.places
    assert at[0] == place(first, dealer, "u")
    assert at[47] == place(last, dealer, "l")
    assert [at[p - 1] for p in deck.dealt(dealer)][-2:] == [place(one, dealer, "u"), place(two, dealer, "u")]
    for seat, cell in ((1, following), (2, opposite), (3, previous)):
        where, half = cell.split()
        assert at[deck.dealt((dealer + seat) % 4)[-1] - 1] == place(where, dealer, half)
    assert at[deck.live[0] - 1] == place(*live.split()[:1], dealer, live.split()[1])
    assert at[deck.tail[0] - 1] == place(*tail.split()[:1], dealer, tail.split()[1])


def test_deal_leaves_91_tiles() -> None:  # J6, J9
    deck = RULES.deck(0, [7])
    assert [len(deck.dealt(seat)) for seat in range(4)] == [14, 13, 13, 13]
    assert len(deck.live) == 91
    assert deck.live[0] == 54
    assert sorted({p for block in deck.deal for p in block.positions} | set(deck.live)) == list(range(1, 145))


def test_replacements_from_the_tail() -> None:  # J8
    deck = RULES.deck(0, [7])
    assert deck.tail[:6] == (143, 144, 141, 142, 139, 140)
    assert [(p.side, p.stack, p.upper) for p in (deck.places[n - 1] for n in deck.tail[:3])] == [
        (2, 6, True),
        (2, 6, False),
        (2, 5, True),
    ]
    lower = load("competition", {"tail_upper_first": False}).deck(0, [7])
    assert lower.tail[:4] == (144, 143, 142, 141)
    assert sorted(lower.tail) == sorted(deck.tail)


def test_break_behind_the_stack_named() -> None:  # J4, D1
    deck = load("competition", {"break_stack": "after"}).deck(0, [7])
    assert deck.places[0] == Place(2, 8, True)
    far = load("competition", {"break_stack": "after", "dice_count": 3}).deck(0, [18])
    assert far.places[0] == Place(0, 1, True)


def test_one_throw_by_the_dealer() -> None:  # J3
    assert [RULES.thrower(dealer, []) for dealer in range(4)] == [0, 1, 2, 3]
    assert RULES.thrower(2, [7]) is None


def test_tiles_and_play() -> None:  # J1, J2, J10, J17–J33
    assert RULES.tile_set.total == 144
    assert sum(RULES.stacks) * 2 == 144
    play = RULES.play
    assert play.flowers == frozenset(FLOWERS)
    assert play.opening_flowers == "complete"
    assert play.rob_added_kong
    assert play.win_on_discard
    assert not play.kong_after_claim
    assert play.flower_discard_kills
    assert play.dead_hand_mechanical
    assert play.last_tiles == 4
    assert play.last_of_kind == "pung"
    assert play.multiple_winners
    assert (play.first_discard_seconds, play.discard_seconds, play.claim_seconds) == (20, 10, 3)


def test_options_that_are_data_of_play() -> None:
    play = load(
        "competition",
        {
            "dice_count": 1,
            "dice_pressed_by": "any",
            "initial_flowers": "one_each",
            "last_lap_tiles": 1,
            "multiple_winners": "first",
            "last_of_kind_needs_pung": False,
            "referee_present": False,
            "discard_rows": "towards",
            "announce_discards": True,
            "match_format": "eight",
        },
    ).play
    assert (play.dice_count, play.any_seat_throws, play.opening_flowers) == (1, True, "one_each")
    assert (play.last_tiles, play.multiple_winners, play.last_of_kind) == (1, False, "visible")
    assert not play.referee_confirms
    assert (play.discard_rows, play.announce_discards) == ("towards", True)
    assert (play.match_minutes, play.warn_minutes_left) == (60, 5)
