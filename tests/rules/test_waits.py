"""Waits, the distance to ready and the tiles that shorten it, against definitions and slow searches."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablectl.rules.reading import ORPHANS, Shape, counts_of, is_complete, readings
from tablectl.rules.waits import improving, shanten, waits
from tablectl.tiles.tile import PLAYABLE, TILES, Tile

ALL = frozenset(Shape)


def counts(codes: str) -> list[int]:
    return counts_of([next(t for t in TILES if t.code == code) for code in codes.split()])


@st.composite
def near_hands(draw: st.DrawFn) -> tuple[list[int], int, int]:
    """Counts with sets and wildcards, one tile short of complete; few kinds, so that many are near."""
    kinds = draw(st.lists(st.sampled_from(PLAYABLE), min_size=4, max_size=9, unique=True))
    sets = draw(st.integers(1, 5))
    wilds = draw(st.integers(0, 3))
    pool = [tile for tile in kinds for _ in range(4)]
    tiles = draw(st.permutations(pool))
    return counts_of(tiles[: max(0, 3 * sets + 1 - wilds)]), sets, wilds


@settings(max_examples=120, deadline=None)
@given(near_hands())
def test_waits_are_exactly_the_kinds_that_complete(hand: tuple[list[int], int, int]) -> None:
    some, sets, wilds = hand
    if sum(some) + wilds != 3 * sets + 1:
        return
    expected = []
    for tile in PLAYABLE:
        more = list(some)
        more[tile] += 1
        if is_complete(more, sets, wilds):
            expected.append(tile)
    assert list(waits(some, sets, wilds)) == expected
    assert (shanten(some, sets, wilds) == 0) == bool(expected)


@settings(max_examples=60, deadline=None)
@given(st.permutations([t for t in PLAYABLE for _ in range(4)]), st.sampled_from([1, 2, 4]))
def test_special_waits_are_exactly_the_kinds_that_complete(order: list[Tile], spread: int) -> None:
    tiles = order[:13] if spread == 1 else sorted(order[: 13 * spread])[::spread][:13]
    some = counts_of(tiles)
    for patterned in (False, True):
        expected = []
        for tile in PLAYABLE:
            some[tile] += 1
            if next(readings(some, shapes=ALL, patterned=patterned), None):
                expected.append(tile)
            some[tile] -= 1
        assert list(waits(some, shapes=ALL, patterned=patterned)) == expected


@settings(max_examples=40, deadline=None)
@given(st.permutations([t for t in PLAYABLE for _ in range(4)]))
def test_one_tile_moves_the_distance_by_one_at_most(order: list[Tile]) -> None:
    some = counts_of(order[:13])
    distance = shanten(some, shapes=ALL)
    more = list(some)
    more[order[13]] += 1
    assert distance - 1 <= shanten(more, shapes=ALL) <= distance


@settings(max_examples=30, deadline=None)
@given(st.permutations([t for t in PLAYABLE for _ in range(4)]), st.integers(0, 3))
def test_following_the_improving_tiles_leads_to_ready(order: list[Tile], wilds: int) -> None:
    some = counts_of(order[: 13 - wilds])
    while (distance := shanten(some, 4, wilds)) > 0:
        told, kinds = improving(some, 4, wilds)
        assert told == distance
        assert kinds
        some[kinds[0]] += 1
        for tile in PLAYABLE:  # some discard keeps what was gained
            if some[tile]:
                some[tile] -= 1
                if shanten(some, 4, wilds) == distance - 1:
                    break
                some[tile] += 1
        else:
            pytest.fail("no discard keeps the gain")
    assert waits(some, 4, wilds)


@pytest.mark.parametrize(
    ("hand", "distance", "kinds"),
    [
        ("1m 2m 3m 4m 5m 6m 7m 8m 9m E E P P", 0, "E P"),
        ("1m 1m 1m 2m 3m 4m 5m 6m 7m 8m 9m 9m 9m", 0, "1m 2m 3m 4m 5m 6m 7m 8m 9m"),
        ("1m 1m 2m 2m 3m 3m 5p 5p 7s 7s E E N", 0, "N"),
        ("1m 4m 7m 2p 5p 8p 3s 6s 9s E E P P", 0, "E P"),
        ("1m 4m 7m 2p 5p 8p 3s 6s E E E P P", 0, "9s"),
        ("1m 9m 1p 9p 1s 9s E S W N C F F", 0, "P"),
        ("1m 9m 1p 9p 1s 9s E S W N C F P", 0, " ".join(tile.code for tile in ORPHANS)),
        ("1m 2m 4m 4m 7m 9m 2p 5p 8p 1s E S W", 4, None),
    ],
)
def test_worked_distances(hand: str, distance: int, kinds: str | None) -> None:
    told, better = improving(counts(hand), shapes=ALL, patterned=True)
    assert told == distance
    if kinds is not None:
        assert " ".join(tile.code for tile in better) == kinds
        assert better == waits(counts(hand), shapes=ALL, patterned=True)


def test_scattered_waits_without_a_pattern() -> None:
    hand = counts("1m 4m 7m 1p 4p 7p 1s E S W N C F")
    assert " ".join(tile.code for tile in waits(hand, shapes=ALL)) == "4s 5s 6s 7s 8s 9s P"
    assert not waits(hand, shapes=ALL, patterned=True)


def test_a_wildcard_beside_complete_sets_waits_on_every_kind() -> None:
    assert waits(counts("1m 2m 3m 4p 5p 6p 7s 8s 9s E E E"), 4, 1) == PLAYABLE
    assert waits(counts("1m 2m 3m 4p 5p 6p 7s 8s 9s E E E 2s 2s 2s"), 5, 1) == PLAYABLE
    assert shanten([0] * 34, 4, 14) == -1
