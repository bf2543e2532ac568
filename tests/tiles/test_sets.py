"""Tile sets: every composition adds up, and differences from it are told exactly."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl.tiles.sets import TILE_SETS, TileSet
from tablectl.tiles.tile import FLOWERS, HONOURS, SUIT_TILES, TILES, Tile


@pytest.mark.parametrize("tile_set", TILE_SETS.values(), ids=lambda tile_set: tile_set.id)
def test_a_set_is_named_by_its_number_of_tiles(tile_set: TileSet) -> None:
    assert str(tile_set.total) == tile_set.id
    tiles = tile_set.tiles()
    assert Counter(tiles) == dict(tile_set.counts)
    assert tiles == sorted(tiles)


def test_the_sets_of_the_rule_systems() -> None:  # competition J1, mcr T1, tianjin T101, zhenjiang Z101, beijing T1
    with_flowers, without = TILE_SETS["144"].counts, TILE_SETS["136"].counts
    assert {without[tile] for tile in (*SUIT_TILES, *HONOURS)} == {4}
    assert not set(without) & set(FLOWERS)
    assert dict(with_flowers) == {**without, **dict.fromkeys(FLOWERS, 1)}


@given(st.lists(st.sampled_from(TILES)))
def test_missing_and_surplus_are_the_whole_difference(tiles: list[Tile]) -> None:
    tile_set = TILE_SETS["136"]
    missing, surplus = tile_set.missing(tiles), tile_set.surplus(tiles)
    assert not set(missing) & set(surplus)
    assert Counter(tiles) + missing - surplus == Counter(tile_set.tiles())


def test_a_swapped_tile_is_missing_and_surplus() -> None:
    tiles = TILE_SETS["144"].tiles()
    tiles[tiles.index(Tile.EAST)] = Tile.WEST
    assert TILE_SETS["144"].missing(tiles) == {Tile.EAST: 1}
    assert TILE_SETS["144"].surplus(tiles) == {Tile.WEST: 1}
