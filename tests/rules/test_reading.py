"""The reading engine against slow, independent enumerations."""

from __future__ import annotations

from collections import Counter
from itertools import combinations_with_replacement

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tablectl.rules.reading import (
    Division,
    GroupKind,
    Rest,
    Shape,
    chow,
    counts_of,
    divisions,
    is_complete,
    natural_divisions,
    pair,
    pung,
    readings,
)
from tablectl.tiles.meld import Meld, MeldKind
from tablectl.tiles.tile import PLAYABLE, SUIT_TILES, Tile

#: A small world of kinds in which wildcards have much to choose from and the slow search stays fast.
WORLD = (*SUIT_TILES[:9], Tile.EAST)
SETS = [(t,) * 3 for t in WORLD] + [SUIT_TILES[i : i + 3] for i in range(7)]

Plain = tuple[tuple[tuple[Tile, ...], ...], Tile]


def slow_divisions(tiles: Counter[Tile], sets: int) -> set[Plain]:
    """Every multiset of sets with a pair that is exactly these tiles, by trying the sets in a fixed order."""
    found: set[Plain] = set()

    def place(left: Counter[Tile], first: int, chosen: tuple[tuple[Tile, ...], ...], eyes: Tile) -> None:
        if len(chosen) == sets:
            if not +left:
                found.add((tuple(sorted(chosen)), eyes))
            return
        for number in range(first, len(SETS)):
            need = Counter(SETS[number])
            if all(left[t] >= n for t, n in need.items()):
                place(left - need, number, (*chosen, SETS[number]), eyes)

    for tile in WORLD:
        if tiles[tile] >= 2:
            place(tiles - Counter({tile: 2}), 0, (), tile)
    return found


def slow_with_wilds(tiles: list[Tile], sets: int, wilds: int) -> set[Plain]:
    """As `slow_divisions`, for every filling of the wildcards."""
    found: set[Plain] = set()
    for filling in combinations_with_replacement(WORLD, wilds):
        found |= slow_divisions(Counter([*tiles, *filling]), sets)
    return found


def plain(division: Division) -> set[Plain]:
    """What a division stands for; a free pair stands for every kind."""
    assert division.pair is not None
    sets = tuple(sorted(group.tiles for group in division.sets))
    eyes = WORLD if division.pair.kind is GroupKind.FREE else (division.pair.tile,)
    return {(sets, tile) for tile in eyes}


@st.composite
def world_hands(draw: st.DrawFn, most_wilds: int) -> tuple[list[Tile], int, int]:
    """Tiles, number of sets, wildcards: often complete, of up to three sets so that the slow search is fast."""
    sets = draw(st.integers(1, 3))
    wilds = draw(st.integers(0, most_wilds))
    tiles = [t for s in draw(st.lists(st.sampled_from(SETS), min_size=sets, max_size=sets)) for t in s]
    tiles += [draw(st.sampled_from(WORLD))] * 2
    if draw(st.booleans()):
        tiles[draw(st.integers(0, len(tiles) - 1))] = draw(st.sampled_from(WORLD))
    assume(max(Counter(tiles).values()) <= 4)
    order = draw(st.permutations(tiles))
    return list(order[: len(order) - wilds]), sets, wilds


@settings(max_examples=60, deadline=None)
@given(world_hands(most_wilds=2))
def test_divisions_are_those_of_a_slow_search(hand: tuple[list[Tile], int, int]) -> None:
    tiles, sets, wilds = hand
    expected = slow_with_wilds(tiles, sets, wilds)
    found = [plain(division) for division in divisions(counts_of(tiles), sets, wilds)]
    assert set().union(*found) == expected
    assert is_complete(counts_of(tiles), sets, wilds) == bool(expected)


@settings(max_examples=25, deadline=None)
@given(world_hands(most_wilds=4))
def test_completeness_with_many_wildcards_is_that_of_a_slow_search(hand: tuple[list[Tile], int, int]) -> None:
    tiles, sets, wilds = hand
    if wilds > 3 and sets == 3:
        sets, tiles = 2, tiles[: 8 - wilds]
    expected = bool(slow_with_wilds(tiles, sets, wilds))
    assert is_complete(counts_of(tiles), sets, wilds) == expected
    assert (Rest.of(counts_of(tiles), sets, wilds).first_division() is not None) == expected


@settings(max_examples=60, deadline=None)
@given(world_hands(most_wilds=4))
def test_divisions_come_once_and_use_every_tile(hand: tuple[list[Tile], int, int]) -> None:
    tiles, sets, wilds = hand
    seen = set()
    for division in divisions(counts_of(tiles), sets, wilds):
        assert division.pair is not None
        groups = (*division.sets, division.pair)
        natural = [t for g in groups for place, t in enumerate(g.tiles) if place not in g.wild]
        assert sorted(natural) == sorted(tiles)
        assert sum(len(g.wild) for g in groups) == wilds
        key = tuple(sorted(map(str, groups)))
        assert key not in seen
        seen.add(key)


def test_four_readings_of_nine_tiles_in_steps() -> None:
    counts = counts_of([*([Tile.M1] * 3), *([Tile.M2] * 3), *([Tile.M3] * 3), *([Tile.EAST] * 2)])
    assert {tuple(map(str, d.sets)) for d in natural_divisions(counts)} == {
        ("111m", "222m", "333m"),
        ("123m", "123m", "123m"),
    }


def test_taking_a_group_leaves_natural_tiles_to_the_rest_where_a_wildcard_must_lie() -> None:
    rest = Rest.of(counts_of([Tile.M4, Tile.M5, Tile.M6, Tile.P1, Tile.P1]), sets=1, wilds=0)
    assert rest.take(chow(Tile.M4)) is not None
    assert rest.take(chow(Tile.M4), wild=(1,)) is None
    taken = Rest.of(counts_of([Tile.M4, Tile.M6, Tile.P1, Tile.P1]), sets=1, wilds=1).take(chow(Tile.M4), wild=(1,))
    assert taken is not None
    group, left = taken
    assert str(group) == "45*6m"
    assert left.is_complete()
    assert left.take(pung(Tile.P1)) is None


def test_taking_free_groups_and_natural_triplets() -> None:
    rest = Rest.of(counts_of([Tile.S9] * 3), sets=2, wilds=5)
    taken = rest.take(pung(Tile.S9), natural=True)
    assert taken is not None
    free = taken[1].take_free()
    assert free is not None
    eyes = free[1].take_free(pair=True)
    assert eyes is not None
    assert eyes[1].is_complete()
    assert rest.take(pung(Tile.S8), natural=True) is None
    assert taken[1].take(pair(Tile.P5), wild=(0, 1)) is not None


def test_reading_names_melds_first_and_where_the_winning_tile_lies() -> None:
    meld = Meld(MeldKind.PUNG, (Tile.S7,) * 3, source=2)
    counts = counts_of(
        [Tile.M1, Tile.M2, Tile.M3, Tile.M3, Tile.M4, Tile.M5, Tile.P1, Tile.P2, Tile.P3, Tile.P9, Tile.P9]
    )
    found = [str(reading) for reading in readings(counts, [meld], Tile.M3)]
    assert found == [
        "[777s] 123m 345m 123p 99p, 3m in 123m",
        "[777s] 123m 345m 123p 99p, 3m in 345m",
    ]


def test_a_drawn_wildcard_lies_wherever_one_lies() -> None:
    counts = counts_of([Tile.M4, Tile.M6, Tile.P1, Tile.P1])
    found = list(readings(counts, sets=1, wilds=1, tile=Tile.EAST, drawn_wild=True))
    assert [str(r) for r in found] == ["45*6m 11p, 5m in 45*6m"]


@pytest.mark.parametrize(
    ("codes", "shape"),
    [
        ("1m 1m 2m 2m 2m 2m 5p 5p 7s 7s E E C C", Shape.SEVEN_PAIRS),
        ("1m 9m 1p 9p 1s 9s E S W N C F P P", Shape.ORPHANS),
        ("1m 4m 7m 2p 5p 8p 3s 6s 9s E S W N C", Shape.SCATTERED),
        ("1m 4m 7m 2p 5p 8p 3s 6s 9s E E E C C", Shape.KNITTED),
    ],
)
def test_special_shapes(codes: str, shape: Shape) -> None:
    counts = counts_of([next(t for t in PLAYABLE if t.code == code) for code in codes.split()])
    assert [r.shape for r in readings(counts, shapes=frozenset(Shape), patterned=True)] == [shape]
    assert not list(readings(counts, shapes=frozenset({Shape.STANDARD})))


def test_scattered_needs_a_pattern_only_where_asked() -> None:
    codes = "1m 4m 7m 1p 4p 7p 1s E S W N C F P"
    counts = counts_of([next(t for t in PLAYABLE if t.code == code) for code in codes.split()])
    scattered = frozenset({Shape.SCATTERED})
    assert list(readings(counts, shapes=scattered, patterned=False))
    assert not list(readings(counts, shapes=scattered, patterned=True))


def test_quads_as_two_pairs_is_a_choice() -> None:
    counts = counts_of([Tile.M1] * 4 + [Tile.P9] * 2 + [Tile.S3] * 2 + [Tile.S8] * 2 + [Tile.EAST] * 2 + [Tile.RED] * 2)
    pairs = frozenset({Shape.SEVEN_PAIRS})
    assert list(readings(counts, shapes=pairs))
    assert not list(readings(counts, shapes=pairs, quads=False))
