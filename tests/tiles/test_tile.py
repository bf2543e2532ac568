"""The kinds of tile: their attributes, and the geometry of seats and winds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl.tiles.meld import Meld, MeldKind, source_of
from tablectl.tiles.tile import BY_CODE, DRAGONS, FLOWERS, HONOURS, PLAYABLE, SUIT_TILES, TILES, WINDS, Tile, seat_wind


def test_there_are_42_kinds_each_with_its_own_code() -> None:
    assert len(TILES) == len(BY_CODE) == len({tile.name_zh for tile in TILES}) == len({t.name_en for t in TILES}) == 42
    assert [len(group) for group in (PLAYABLE, SUIT_TILES, HONOURS, WINDS, DRAGONS, FLOWERS)] == [34, 27, 7, 4, 3, 8]


@pytest.mark.parametrize(
    ("code", "suit", "rank", "name"),
    [("1m", "m", 1, "一万"), ("9p", "p", 9, "九饼"), ("5s", "s", 5, "五条"), ("E", "", 0, "东风"), ("h", "", 0, "冬")],
)
def test_suit_rank_and_name(code: str, suit: str, rank: int, name: str) -> None:
    tile = BY_CODE[code]
    assert (tile.suit, tile.rank, tile.name_zh, str(tile)) == (suit, rank, name, code)


def test_groups_and_attributes_agree() -> None:
    assert [t for t in TILES if t.is_wind] == list(WINDS)
    assert [t for t in TILES if t.is_dragon] == list(DRAGONS)
    assert [t for t in TILES if t.is_honour] == list(HONOURS)
    assert [t for t in TILES if t.is_flower] == list(FLOWERS)
    assert [t.code for t in TILES if t.is_terminal] == ["1m", "9m", "1p", "9p", "1s", "9s"]


@pytest.mark.parametrize("dealer", range(4))
def test_winds_go_round_from_the_dealer(dealer: int) -> None:
    assert [seat_wind((dealer + i) % 4, dealer) for i in range(4)] == list(WINDS)


@given(st.integers(0, 3), st.integers(0, 3))
def test_source_and_seat_are_each_others_inverse(owner: int, discarder: int) -> None:
    source = source_of(owner, discarder)
    meld = Meld(MeldKind.PUNG, (Tile.EAST,) * 3, source)
    assert meld.source_seat(owner) == (None if owner == discarder else discarder)


def test_source_one_is_the_previous_seat() -> None:
    assert [source_of(1, seat) for seat in (0, 3, 2)] == [1, 2, 3]


def test_kongs() -> None:
    concealed, added = (Meld(kind, (Tile.S9,) * 4, 0) for kind in (MeldKind.CONCEALED_KONG, MeldKind.ADDED_KONG))
    chow = Meld(MeldKind.CHOW, (Tile.M1, Tile.M2, Tile.M3), 1, Tile.M3)
    assert (concealed.is_kong, concealed.is_concealed) == (True, True)
    assert (added.is_kong, added.is_concealed) == (True, False)
    assert (chow.is_kong, chow.is_concealed, chow.tile) == (False, False, Tile.M1)
