"""The order of the wall from the lanes, and what leaves it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl.base.reports import LanePassed
from tablectl.rules.registry import load
from tablectl.tiles.tile import Tile
from tablectl.tiles.wall import lane_places
from tablectl.tracking.building import Building
from tablectl.tracking.lanes import Company, Side
from tablectl.tracking.wall import WallOrder

RULES = load("competition")
DECK = RULES.deck(0, [7])
PLACES = [lane_places(RULES.stacks, side, first_left=True, lower_first=True) for side in range(4)]
TAGS = [f"{n:03d}" for n in range(144)]
#: tag of every drawing position when the lanes saw the tags in ascending order
BY_PLACE = {place: TAGS[36 * side + i] for side in range(4) for i, place in enumerate(PLACES[side])}
TRUE = [BY_PLACE[place] for place in DECK.places]


def wall(missed: set[int] = frozenset(), doubled: set[int] = frozenset()) -> WallOrder:  # type: ignore[assignment]
    sides = []
    for s in range(4):
        side, t = Side(), 0.0
        for n in range(36 * s, 36 * s + 36):
            t += 0.5
            if n not in missed:
                side.passed(TAGS[n], t)
            if n in doubled:
                side.passed(TAGS[n], t + 0.4)
        sides.append(side)
    order = WallOrder(sides, RULES.stacks, frozenset(TAGS))
    order.break_at(DECK, PLACES)
    return order


def test_lanes_and_dice_predict_every_tile() -> None:
    order = wall()
    assert order.complete
    assert [order.likely(p) for p in range(1, 145)] == TRUE


@given(st.sets(st.integers(0, 143), max_size=6))
def test_tile_seen_twice_keeps_its_first_place(doubled: set[int]) -> None:
    assert [wall(doubled=doubled).likely(p) for p in range(1, 145)] == TRUE


@given(st.integers(0, 143))
def test_one_missed_tile_is_put_where_the_lane_was_silent(missed: int) -> None:
    order = wall(missed={missed})
    assert not order.complete
    found = [order.likely(p) for p in range(1, 145)]
    # the first and the last tile of a lane leave no gap: there the place stays open
    if missed % 36 not in (0, 35):
        assert found == TRUE


@given(st.integers(0, 3), st.integers(1, 15), st.integers(3, 20))
def test_a_lane_that_was_unplugged_misses_tiles_in_a_row_and_the_others_keep_their_places(
    side: int, first: int, count: int
) -> None:
    missed = set(range(36 * side + first, 36 * side + min(35, first + count)))
    found = [wall(missed=missed).likely(p) for p in range(1, 145)]
    assert found == [None if int(tag) in missed else tag for tag in TRUE]


@pytest.mark.parametrize("missed", [{10}, {10, 11}, {5, 20, 30}, {1, 2, 4, 6}, {8, 9, 25, 26}])
def test_several_missed_tiles_are_put_where_the_lane_was_silent(missed: set[int]) -> None:
    """Which of them lies where is open; all others keep their places."""
    found = [wall(missed={36 + n for n in missed}).odds(p) for p in range(1, 145)]
    lost = {TAGS[36 + n] for n in missed}
    assert [max(odds, key=odds.__getitem__) for odds, tag in zip(found, TRUE, strict=True) if tag not in lost] == [
        tag for tag in TRUE if tag not in lost
    ]
    for odds, tag in zip(found, TRUE, strict=True):
        if tag in lost:
            assert sum(odds.get(each, 0.0) for each in lost) > 0.5


def test_two_tiles_read_at_one_moment_after_a_silence_lie_the_other_way_round() -> None:
    sides = [Side() for _ in range(4)]
    for n in range(144):
        late = n == 50
        if not late:
            sides[n // 36].passed(TAGS[n], 0.5 * (n % 36))
        if n == 51:
            sides[n // 36].passed(TAGS[50], 0.5 * (n % 36))
    order = WallOrder(sides, RULES.stacks, frozenset(TAGS))
    order.break_at(DECK, PLACES)
    assert [order.likely(p) for p in range(1, 145)] == TRUE
    spot = TRUE.index(TAGS[50]) + 1
    order.took(TAGS[51], spot)  # they were read as they lay
    assert order.likely(TRUE.index(TAGS[51]) + 1) == TAGS[50]


def test_tile_that_no_lane_saw_lies_where_none_is_known_until_it_is_drawn() -> None:
    order = wall(missed={10, 60})
    one, other = (TRUE.index(TAGS[n]) + 1 for n in (10, 60))
    for position in (one, other):
        assert order.odds(position)[TAGS[10]] == order.odds(position)[TAGS[60]] > 0.4
    order.took(TAGS[10], one)
    assert order.likely(other) == TAGS[60]


def test_draw_that_was_taken_back_says_nothing_about_the_order() -> None:
    """... nor does one that nobody saw."""
    order = wall(missed={80})
    spot = TRUE.index(TAGS[80]) + 1
    wrong = TRUE[spot]  # the one after it
    before = dict(order.odds(spot))
    order.took(wrong, spot, seen=False)
    assert order.odds(spot) == before
    order.dealt([set(), set(), set(), set()])
    order.took(TRUE[4], 5)
    before = dict(order.odds(spot))
    order.took(wrong, spot)
    assert order.odds(spot) != before
    order.put_back(wrong)
    assert order.odds(spot) == pytest.approx(before)


def test_draws_tell_where_a_missed_tile_was() -> None:
    """The lane's rhythm said nothing; two draws do."""
    sides = [Side() for _ in range(4)]
    for n in range(144):
        if n != 80:
            sides[n // 36].passed(TAGS[n], 0.5 * (n % 36 - (n % 36 > 80 % 36)))
    order = WallOrder(sides, RULES.stacks, frozenset(TAGS))
    order.break_at(DECK, PLACES)
    spot = TRUE.index(TAGS[80]) + 1
    for position in (spot - 1, spot + 1):
        order.took(TRUE[position - 1], position)
    assert order.likely(spot) == TAGS[80]


def test_due_tile_moves_on_and_comes_back() -> None:
    order = wall()
    first, second = DECK.live[:2]
    assert order.due("live") == first
    assert order.due("live", frozenset({first})) == second
    order.took(TRUE[first - 1], first)
    assert order.due("live") == second
    order.put_back(TRUE[first - 1])
    assert order.due("live") == first
    assert order.due("tail") == 143


def test_record_leaves_out_what_is_not_known() -> None:
    names = dict.fromkeys(TAGS, Tile.EAST)
    assert wall().tiles(names) == (Tile.EAST,) * 144
    unknown = WallOrder([Side() for _ in range(4)], RULES.stacks, frozenset())
    unknown.break_at(DECK, PLACES)
    assert unknown.tiles(names) == (None,) * 144


def test_tiles_of_the_set_that_is_not_in_play_are_not_missed() -> None:
    company = Company()
    one, other = {f"a{n}" for n in range(10)}, {f"b{n}" for n in range(10)}
    assert company.others(one - {"a3"}) == set()
    assert company.others(other - {"b4"}) == one - {"a3"}
    assert company.others(one - {"a5"}) == other - {"b4"}
    assert company.others(other - {"b6"}) == one
    assert company.others({*other, "a7"}) == one  # a stranger among them stays one


def test_of_a_set_that_was_seen_before_it_is_known_which_tag_a_lane_missed() -> None:
    """Both sets are registered; the other one never came up."""
    kinds = [tile for tile, n in RULES.tile_set.counts.items() for _ in range(n)]
    tiles = {f"{name}{n}": tile for name in "ab" for n, tile in enumerate(kinds)}
    building = Building(tiles, first_left=True, lower_first=True)
    lost = []
    for missed in (None, 40):
        for n in range(144):
            if n != missed:
                building.passed(LanePassed(0.5 * n, n // 36, f"a{n}"))
        lost.append(building.raised(RULES).wall.lost)
    assert lost == [set(), {"a40"}]


def test_the_place_of_a_missed_tile_that_was_drawn_is_not_given_to_another_one() -> None:
    """Two lanes missed one each."""
    drawn = DECK.live[60]
    other = next(p for p in DECK.live[60:] if DECK.places[p - 1].side != DECK.places[drawn - 1].side)
    missed = {TAGS.index(TRUE[p - 1]) for p in (drawn, other)}
    order = wall(missed)
    kinds = [tile for tile, n in RULES.tile_set.counts.items() for _ in range(n)]
    named = dict(zip(TAGS, kinds, strict=True))
    order.took(TRUE[drawn - 1], drawn)
    found = order.tiles(named)
    assert found[drawn - 1] in (None, named[TRUE[drawn - 1]])
    assert found[other - 1] == named[TRUE[other - 1]]


def test_tiles_that_may_lie_at_a_missed_place_are_named_in_the_same_order_in_every_run() -> None:
    """Where nothing tells them apart the first one is taken: a replay says what the table said."""
    order = wall({*range(0, 36, 6)})
    for position in range(1, 145):
        mixed = [tag for tag in order.odds(position) if tag in order.lost]
        assert mixed == sorted(mixed)
