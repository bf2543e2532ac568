"""The geometry of the wall: breaks, drawing order, deal and tail, with the numbers of every rule system.

A place is written as the specifications do: ``2/7u`` is the upper tile of stack 7 of wall 2.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl.tiles.deal import block_deal, counted_seat, jump_deal, lay_out, upper_from_tail
from tablectl.tiles.wall import DealBlock, Deck, Place, lane_places, round_the_city, tail_order

EIGHTEEN = (18, 18, 18, 18)
SEVENTEEN = (17, 17, 17, 17)
SUMS = range(2, 13)


def place(text: str) -> Place:
    wall, stack = text[:-1].split("/")
    return Place(int(wall), int(stack), {"u": True, "l": False}[text[-1]])


def from_left(text: str, stacks: Sequence[int]) -> Place:
    """A place whose stack is counted from the left-hand end."""
    right = place(text)
    return Place(right.side, stacks[right.side] + 1 - right.stack, right.upper)


def at(deck: Deck, positions: Sequence[int]) -> list[Place]:
    return [deck.places[p - 1] for p in positions]


def stack(deck: Deck, n: int) -> tuple[int, int]:
    """Wall and stack of the n-th stack in drawing order (from 1)."""
    assert deck.places[2 * n - 2] == Place(deck.places[2 * n - 1].side, deck.places[2 * n - 1].stack, True)
    assert not deck.places[2 * n - 1].upper
    return deck.places[2 * n - 2].side, deck.places[2 * n - 2].stack


# The decks of the rule systems, with the numbers of their first sections.


def competition(dealer: int, total: int) -> Deck:  # J4, J5, J6
    return lay_out(round_the_city(EIGHTEEN, counted_seat(dealer, total), total), jump_deal(dealer))


def mcr(dealer: int, a: int, b: int) -> Deck:  # T4, T5: behind the n-th stack
    return lay_out(round_the_city(EIGHTEEN, counted_seat(dealer, a), a + b + 1), jump_deal(dealer))


def tianjin(dealer: int, total: int, second: int) -> Deck:  # T104–T107
    places = round_the_city(SEVENTEEN, dealer, total + 1)
    return lay_out(places, jump_deal(dealer), indicator=upper_from_tail(136, second))


def fuzhou(dealer: int, total: int, *, dice_seat_first: bool = False) -> Deck:  # T104–T106; fujian the same
    side = counted_seat(dealer, total)
    return lay_out(round_the_city(EIGHTEEN, side, total), block_deal(dealer, side if dice_seat_first else dealer))


def zhenjiang(dealer: int, total: int, offset: int = 0) -> Deck:  # Z104–Z107
    places = round_the_city(SEVENTEEN, counted_seat(dealer, total), total + offset)
    return lay_out(places, jump_deal(dealer), indicator=54)


def beijing(dealer: int, total: int, *, clockwise: bool = False) -> Deck:  # T3–T6, T8
    places = round_the_city(SEVENTEEN, counted_seat(dealer, total), total + 1, clockwise=clockwise)
    return lay_out(places, jump_deal(dealer))


seats = st.integers(0, 3)
sums = st.integers(2, 12)
decks = st.one_of(
    st.builds(competition, seats, sums),
    st.builds(mcr, seats, sums, sums),
    st.builds(tianjin, seats, sums, sums),
    st.builds(fuzhou, seats, sums, dice_seat_first=st.booleans()),
    st.builds(zhenjiang, seats, sums, st.integers(0, 17)),
    st.builds(beijing, seats, sums, clockwise=st.booleans()),
)


# --- what holds for every deck


@given(decks)
def test_a_deck_holds_every_place_once(deck: Deck) -> None:
    length = len(deck.places) // 8
    assert set(deck.places) == {Place(w, s, u) for w in range(4) for s in range(1, length + 1) for u in (True, False)}
    assert len(set(deck.places)) == len(deck.places) == 8 * length


@given(decks)
def test_every_tile_is_dealt_drawn_or_turned_up_just_once(deck: Deck) -> None:
    dealt = [p for block in deck.deal for p in block.positions]
    turned = [] if deck.indicator is None else [deck.indicator]
    assert sorted([*dealt, *deck.live, *turned]) == list(range(1, len(deck.places) + 1))
    assert sorted(deck.tail) == list(deck.live) == sorted(deck.live)
    assert sorted(dealt) == sorted(p for seat in range(4) for p in deck.dealt(seat))


@given(decks)
def test_the_tail_runs_backwards_stack_by_stack_upper_tile_first(deck: Deck) -> None:
    by_stack = [((p + 1) // 2, p % 2) for p in deck.tail]
    assert by_stack == sorted(by_stack, reverse=True)


@given(decks)
def test_neighbours_in_the_deck_are_neighbours_in_the_city(deck: Deck) -> None:
    length = len(deck.places) // 8
    order = [stack(deck, n) for n in range(1, len(deck.places) // 2 + 1)]
    steps = {((w2 - w1) % 4, s2 - s1) for (w1, s1), (w2, s2) in zip(order, order[1:] + order[:1], strict=True)}
    assert steps in ({(0, 1), (3, 1 - length)}, {(0, -1), (1, length - 1)})


@given(seats, sums)
def test_the_dealer_gets_one_tile_more(dealer: int, total: int) -> None:
    for deck, hand in ((competition(dealer, total), 13), (fuzhou(dealer, total), 16), (beijing(dealer, total), 13)):
        assert [len(deck.dealt((dealer + i) % 4)) for i in range(4)] == [hand + 1, hand, hand, hand]


def test_the_blocks_go_round_in_playing_order() -> None:
    assert jump_deal(2)[:5] == (
        DealBlock(2, (1, 2, 3, 4)),
        DealBlock(3, (5, 6, 7, 8)),
        DealBlock(0, (9, 10, 11, 12)),
        DealBlock(1, (13, 14, 15, 16)),
        DealBlock(2, (17, 18, 19, 20)),
    )
    assert jump_deal(2)[12:] == (DealBlock(2, (49, 53)), DealBlock(3, (50,)), DealBlock(0, (51,)), DealBlock(1, (52,)))


# --- competition


# J7, line by line: first stack, 24th stack, the dealer's two upper tiles, next, opposite, previous, first live draw,
# first replacement; walls relative to the dealer
J7 = """
2  | 1 | 1/2  | 0/7  | 0/8u 0/10u | 0/8l  | 0/9u  | 0/9l  | 0/10l | 1/1u
3  | 2 | 2/3  | 1/8  | 1/9u 1/11u | 1/9l  | 1/10u | 1/10l | 1/11l | 2/2u
4  | 3 | 3/4  | 2/9  | 2/10u 2/12u | 2/10l | 2/11u | 2/11l | 2/12l | 3/3u
5  | 0 | 0/5  | 3/10 | 3/11u 3/13u | 3/11l | 3/12u | 3/12l | 3/13l | 0/4u
6  | 1 | 1/6  | 0/11 | 0/12u 0/14u | 0/12l | 0/13u | 0/13l | 0/14l | 1/5u
7  | 2 | 2/7  | 1/12 | 1/13u 1/15u | 1/13l | 1/14u | 1/14l | 1/15l | 2/6u
8  | 3 | 3/8  | 2/13 | 2/14u 2/16u | 2/14l | 2/15u | 2/15l | 2/16l | 3/7u
9  | 0 | 0/9  | 3/14 | 3/15u 3/17u | 3/15l | 3/16u | 3/16l | 3/17l | 0/8u
10 | 1 | 1/10 | 0/15 | 0/16u 0/18u | 0/16l | 0/17u | 0/17l | 0/18l | 1/9u
11 | 2 | 2/11 | 1/16 | 1/17u 0/1u | 1/17l | 1/18u | 1/18l | 0/1l | 2/10u
12 | 3 | 3/12 | 2/17 | 2/18u 1/2u | 2/18l | 1/1u | 1/1l | 1/2l | 3/11u
"""

# Z112, line by line: the same columns, with the indicator between `previous` and the first draw
Z112 = """
2  | 1 | 1/2  | 0/8  | 0/9u 0/11u | 0/9l | 0/10u | 0/10l | 0/11l | 0/12u | 1/1u
3  | 2 | 2/3  | 1/9  | 1/10u 1/12u | 1/10l | 1/11u | 1/11l | 1/12l | 1/13u | 2/2u
4  | 3 | 3/4  | 2/10 | 2/11u 2/13u | 2/11l | 2/12u | 2/12l | 2/13l | 2/14u | 3/3u
5  | 0 | 0/5  | 3/11 | 3/12u 3/14u | 3/12l | 3/13u | 3/13l | 3/14l | 3/15u | 0/4u
6  | 1 | 1/6  | 0/12 | 0/13u 0/15u | 0/13l | 0/14u | 0/14l | 0/15l | 0/16u | 1/5u
7  | 2 | 2/7  | 1/13 | 1/14u 1/16u | 1/14l | 1/15u | 1/15l | 1/16l | 1/17u | 2/6u
8  | 3 | 3/8  | 2/14 | 2/15u 2/17u | 2/15l | 2/16u | 2/16l | 2/17l | 1/1u | 3/7u
9  | 0 | 0/9  | 3/15 | 3/16u 2/1u | 3/16l | 3/17u | 3/17l | 2/1l | 2/2u | 0/8u
10 | 1 | 1/10 | 0/16 | 0/17u 3/2u | 0/17l | 3/1u | 3/1l | 3/2l | 3/3u | 1/9u
11 | 2 | 2/11 | 1/17 | 0/1u 0/3u | 0/1l | 0/2u | 0/2l | 0/3l | 0/4u | 2/10u
12 | 3 | 3/12 | 1/1  | 1/2u 1/4u | 1/2l | 1/3u | 1/3l | 1/4l | 1/5u | 3/11u
"""


def rows(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")] for line in table.strip().splitlines()]


@pytest.mark.parametrize("dealer", range(4))
@pytest.mark.parametrize("row", rows(J7), ids=lambda row: f"sum{row[0]}")
def test_competition_table_of_breaks(dealer: int, row: list[str]) -> None:
    total, broken, first, block24, jump, following, opposite, previous, live, tail = row
    deck = competition(dealer, int(total))

    def seen(text: str) -> Place:
        there = place(text)
        return Place((there.side + dealer) % 4, there.stack, there.upper)

    assert stack(deck, 1)[0] == (int(broken) + dealer) % 4  # J4
    assert at(deck, [1, 47]) == [seen(first + "u"), seen(block24 + "u")]
    assert at(deck, deck.dealt(dealer)[12:]) == [seen(text) for text in jump.split()]  # J6
    for i, text in enumerate((following, opposite, previous), 1):
        assert at(deck, deck.dealt((dealer + i) % 4)[12:]) == [seen(text)]
    assert at(deck, deck.live[:1]) == [seen(live)]
    assert at(deck, deck.tail[:1]) == [seen(tail)]


def test_competition_full_example() -> None:  # J7, t = 7
    deck = competition(0, 7)
    blocks = [{(p.side, p.stack) for p in at(deck, block.positions)} for block in deck.deal[:12]]
    assert [block.seat for block in deck.deal] == [0, 1, 2, 3] * 4
    # fmt: off
    assert blocks == [
        {(2, 7), (2, 8)}, {(2, 9), (2, 10)}, {(2, 11), (2, 12)}, {(2, 13), (2, 14)},
        {(2, 15), (2, 16)}, {(2, 17), (2, 18)}, {(1, 1), (1, 2)}, {(1, 3), (1, 4)},
        {(1, 5), (1, 6)}, {(1, 7), (1, 8)}, {(1, 9), (1, 10)}, {(1, 11), (1, 12)},
    ]
    # fmt: on
    assert at(deck, deck.live[:2]) == [place("1/15l"), place("1/16u")]
    assert deck.live[0] == 54
    assert at(deck, deck.tail[:3]) == [place("2/6u"), place("2/6l"), place("2/5u")]


def test_competition_tail_order() -> None:  # J8
    assert tail_order(144)[:5] == (143, 144, 141, 142, 139)
    assert tail_order(144, upper_first=False)[:4] == (144, 143, 142, 141)


def test_competition_no_dead_wall() -> None:  # J6, J9: 53 out, 91 remain
    assert len(competition(3, 5).live) == 91


# --- mcr


@pytest.mark.parametrize(
    ("dealer", "a", "b", "second_thrower", "first", "last"),
    [(0, 7, 11, 2, (1, 1), (2, 18)), (3, 9, 12, 3, (2, 4), (2, 3)), (1, 2, 2, 2, (2, 5), (2, 4))],
    ids=["A", "B", "C"],
)
def test_mcr_examples(  # T6
    dealer: int, a: int, b: int, second_thrower: int, first: tuple[int, int], last: tuple[int, int]
) -> None:
    assert counted_seat(dealer, a) == second_thrower
    deck = mcr(dealer, a, b)
    assert (stack(deck, 1), stack(deck, 72)) == (first, last)


@given(seats, sums, sums)
def test_mcr_arithmetic(dealer: int, a: int, b: int) -> None:  # T6: Di at offset (n + i − 1) mod 72 of wall q
    deck, q = mcr(dealer, a, b), (dealer + a - 1) % 4
    for i in range(1, 73):
        offset = (a + b + i - 1) % 72
        assert stack(deck, i) == ((q - offset // 18) % 4, offset % 18 + 1)


def test_mcr_second_thrower() -> None:  # T4
    relative = {total: counted_seat(0, total) for total in SUMS}
    assert relative == {5: 0, 9: 0, 2: 1, 6: 1, 10: 1, 3: 2, 7: 2, 11: 2, 4: 3, 8: 3, 12: 3}


def test_mcr_jump_draws_and_replacements() -> None:  # T7, T8, T9
    deck = mcr(1, 2, 2)  # D1 = 2/5
    assert at(deck, deck.dealt(1)[12:]) == [place("1/11u"), place("1/13u")]  # D25, D27
    assert [at(deck, deck.dealt(seat)[12:]) for seat in (2, 3, 0)] == [
        [place("1/11l")],
        [place("1/12u")],
        [place("1/12l")],
    ]
    assert at(deck, deck.live[:3]) == [place("1/13l"), place("1/14u"), place("1/14l")]
    assert at(deck, deck.tail[:3]) == [place("2/4u"), place("2/4l"), place("2/3u")]
    assert len(deck.live) == 91  # T10


# --- tianjin


def test_tianjin_worked_example() -> None:  # T109
    deck = tianjin(2, 7, 3)
    assert [stack(deck, n + 1) for n in range(10)] == [(2, s) for s in range(8, 18)]
    for seat, first in ((1, 10), (0, 27), (3, 44)):
        assert [stack(deck, n + 1) for n in range(first, first + 17)] == [(seat, s) for s in range(1, 18)]
    assert [stack(deck, n + 1) for n in range(61, 68)] == [(2, s) for s in range(1, 8)]
    assert at(deck, [deck.dealt(2)[-1]]) == [place("1/17u")]  # the fourteenth tile, T106
    assert at(deck, deck.live[:1]) == [place("1/17l")]
    assert deck.indicator is not None
    assert at(deck, [deck.indicator]) == [place("2/5u")]
    assert at(deck, [tianjin(2, 7, 9).indicator or 0]) == [place("3/16u")]
    assert (sum(len(b.positions) for b in deck.deal), len(deck.live)) == (53, 82)
    # T110: of the indicator's stack only the lower tile
    assert at(deck, deck.tail[:6]) == [place(text) for text in ("2/7u", "2/7l", "2/6u", "2/6l", "2/5l", "2/4u")]


@given(seats, sums, sums)
def test_tianjin_place_of_the_indicator(dealer: int, total: int, second: int) -> None:  # T108
    deck = tianjin(dealer, total, second)
    if second <= total:
        expected = Place(dealer, total + 1 - second, True)
    else:
        expected = Place((dealer + 1) % 4, 18 - (second - total), True)
    assert at(deck, [deck.indicator or 0]) == [expected]


@given(seats, sums, sums)
def test_tianjin_breaks_the_dealers_wall(dealer: int, total: int, second: int) -> None:  # T104, T105
    deck = tianjin(dealer, total, second)
    assert stack(deck, 1) == (dealer, total + 1)
    assert stack(deck, 68) == (dealer, total)


# --- fuzhou and fujian


def test_fuzhou_worked_example() -> None:  # fuzhou T107
    deck = fuzhou(0, 7)
    assert [stack(deck, n + 1) for n in range(12)] == [(2, s) for s in range(7, 19)]
    assert [stack(deck, n + 1) for n in range(12, 30)] == [(1, s) for s in range(1, 19)]
    assert [stack(deck, n + 1) for n in range(30, 48)] == [(0, s) for s in range(1, 19)]
    assert [stack(deck, n + 1) for n in range(48, 66)] == [(3, s) for s in range(1, 19)]
    assert [stack(deck, n + 1) for n in range(66, 72)] == [(2, s) for s in range(1, 7)]
    assert max(p for block in deck.deal[:16] for p in block.positions) == 64
    assert stack(deck, 32) == (0, 2)
    assert at(deck, deck.dealt(0)[16:]) == [place("0/3u")]
    assert at(deck, deck.live[:1]) == [place("0/3l")]
    assert at(deck, deck.tail[:1]) == [place("2/6u")]
    assert (sum(len(b.positions) for b in deck.deal), len(deck.live)) == (65, 79)


def test_fujian_worked_example() -> None:  # fujian T107
    deck = fuzhou(3, 5)
    assert [stack(deck, n + 1) for n in range(14)] == [(3, s) for s in range(5, 19)]
    assert [stack(deck, n + 1) for n in range(14, 32)] == [(2, s) for s in range(1, 19)]
    assert stack(deck, 33) == (1, 1)
    assert [stack(deck, n + 1) for n in range(68, 72)] == [(3, s) for s in range(1, 5)]
    assert at(deck, deck.dealt(3)[16:]) == [place("1/1u")]
    assert at(deck, deck.live[:1]) == [place("1/1l")]
    assert at(deck, deck.tail[:1]) == [place("3/4u")]
    assert len(deck.live) == 79


@given(seats, sums)
def test_fuzhou_first_taker_by_dice(dealer: int, total: int) -> None:  # fuzhou T106, fujian T106
    deck = fuzhou(dealer, total, dice_seat_first=True)
    side = (dealer + total - 1) % 4
    assert [block.seat for block in deck.deal] == [(side + i) % 4 for i in range(16)] + [dealer]
    assert deck.deal[-1].positions == (65,)
    assert [len(deck.dealt((dealer + i) % 4)) for i in range(4)] == [17, 16, 16, 16]


# --- zhenjiang


@pytest.mark.parametrize("dealer", range(4))
@pytest.mark.parametrize("row", rows(Z112), ids=lambda row: f"sum{row[0]}")
def test_zhenjiang_table_of_breaks(dealer: int, row: list[str]) -> None:
    total, broken, first, block23, jump, following, opposite, previous, indicator, live, tail = row
    deck = zhenjiang(dealer, int(total))

    def seen(text: str) -> Place:
        there = place(text)
        return Place((there.side + dealer) % 4, there.stack, there.upper)

    assert stack(deck, 1)[0] == (int(broken) + dealer) % 4  # Z104
    assert at(deck, [1, 47]) == [seen(first + "u"), seen(block23 + "u")]
    assert at(deck, deck.dealt(dealer)[12:]) == [seen(text) for text in jump.split()]  # Z106
    for i, text in enumerate((following, opposite, previous), 1):
        assert at(deck, deck.dealt((dealer + i) % 4)[12:]) == [seen(text)]
    assert at(deck, [deck.indicator or 0]) == [seen(indicator)]  # Z107
    assert at(deck, deck.live[:1]) == [seen(live)]  # Z110
    assert at(deck, deck.tail[:1]) == [seen(tail)]
    assert len(deck.live) == 82


def test_zhenjiang_worked_example() -> None:  # Z113
    deck = zhenjiang(0, 9)
    assert [stack(deck, n + 1) for n in range(9)] == [(0, s) for s in range(9, 18)]
    assert [stack(deck, n + 1) for n in range(9, 26)] == [(3, s) for s in range(1, 18)]
    assert [stack(deck, n + 1) for n in range(60, 68)] == [(0, s) for s in range(1, 9)]
    blocks = [sorted({(p.side, p.stack) for p in at(deck, block.positions)}) for block in deck.deal[:12]]
    # fmt: off
    assert blocks == [
        [(0, 9), (0, 10)], [(0, 11), (0, 12)], [(0, 13), (0, 14)], [(0, 15), (0, 16)],
        [(0, 17), (3, 1)], [(3, 2), (3, 3)], [(3, 4), (3, 5)], [(3, 6), (3, 7)],
        [(3, 8), (3, 9)], [(3, 10), (3, 11)], [(3, 12), (3, 13)], [(3, 14), (3, 15)],
    ]
    # fmt: on
    assert at(deck, [deck.indicator or 0, deck.live[0]]) == [place("2/1l"), place("2/2u")]
    assert at(deck, deck.tail[:3]) == [place("0/8u"), place("0/8l"), place("0/7u")]  # Z110


def test_zhenjiang_offset_goes_on_in_the_next_wall() -> None:  # Z104, Z105
    assert stack(zhenjiang(0, 12, offset=6), 1) == (2, 1)  # wall 3 has 17 stacks


def test_zhenjiang_first_dealer() -> None:  # Z103: the third chair presses, 6 leads to the fourth
    assert counted_seat(2, 6) == 3


# --- beijing


def test_beijing_examples() -> None:  # T6; stacks counted from the left-hand end
    a, b = beijing(0, 9), beijing(2, 12)
    left = [from_left(text, SEVENTEEN) for text in ("0/10u", "0/9u", "1/1u")]
    assert at(a, [1, 135, 17]) == left
    assert at(b, [1, 11, 135]) == [from_left(text, SEVENTEEN) for text in ("1/13u", "2/1u", "1/12u")]


@given(seats, sums)
def test_beijing_arithmetic(dealer: int, total: int) -> None:  # T6, both directions
    q = (dealer + total - 1) % 4
    for clockwise, turn in ((False, 1), (True, -1)):
        deck = beijing(dealer, total, clockwise=clockwise)
        for i in range(1, 69):
            offset = (total + i - 1) % 68
            text = f"{(q + turn * (offset // 17)) % 4}/{offset % 17 + 1}u"
            assert deck.places[2 * i - 2] == (place(text) if clockwise else from_left(text, SEVENTEEN))


def test_beijing_deal_and_replacements() -> None:  # T8, T9
    deck = beijing(0, 9)
    assert len(deck.live) == 83
    assert at(deck, deck.dealt(0)[12:]) == [from_left(text, SEVENTEEN) for text in ("1/17u", "2/2u")]  # D25, D27
    assert at(deck, deck.live[:2]) == [from_left(text, SEVENTEEN) for text in ("2/2l", "2/3u")]
    # the 杠底 laid down is the upper tile of D68
    assert at(deck, deck.tail[:3]) == [from_left(text, SEVENTEEN) for text in ("0/9u", "0/9l", "0/8u")]


# --- walls of any size, and the lanes that build them


@given(
    st.lists(st.integers(1, 20), min_size=4, max_size=4), seats, st.integers(1, 90), st.booleans(), st.integers(1, 20)
)
def test_uneven_walls(stacks: list[int], side: int, count: int, clockwise: bool, first: int) -> None:
    places = round_the_city(stacks, side, count, clockwise=clockwise)
    assert set(places) == {
        Place(w, s, upper) for w in range(4) for s in range(1, stacks[w] + 1) for upper in (True, False)
    }
    assert len(places) == 2 * sum(stacks)
    if first <= stacks[side]:
        start = round_the_city(stacks, side, first, clockwise=clockwise)[0]
        assert start == Place(side, first if clockwise else stacks[side] + 1 - first, True)


def test_lane_order_first_stack_at_the_left_lower_tile_first() -> None:
    places = lane_places(EIGHTEEN, 2, first_left=True, lower_first=True)
    assert places[:3] == (place("2/18l"), place("2/18u"), place("2/17l"))
    assert places[-1] == place("2/1u")


@given(seats, st.booleans(), st.booleans())
def test_a_lane_builds_every_place_of_its_side_once(side: int, first_left: bool, lower_first: bool) -> None:
    places = lane_places((14, 13, 14, 13), side, first_left=first_left, lower_first=lower_first)
    assert len(set(places)) == len(places) == 2 * (14, 13)[side % 2]
    assert {p.stack for p in places[:2]} == {(14, 13)[side % 2] if first_left else 1}
    assert places[0].upper is not lower_first
