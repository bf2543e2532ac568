"""The notation: examples of the community's calculators, round trips, and what every error says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl.tiles.meld import Meld, MeldKind
from tablectl.tiles.notation import (
    HandLine,
    NotationError,
    format_line,
    format_meld,
    format_melds,
    format_tiles,
    parse_line,
    parse_meld,
    parse_melds,
    parse_tile,
    parse_tiles,
)
from tablectl.tiles.tile import FLOWERS, PLAYABLE, TILES, WINDS, Tile

M, P, S = (TILES[start : start + 9] for start in (0, 9, 18))


def chow(first: Tile, taken: int | None) -> Meld:
    tiles = tuple(TILES[first : first + 3])
    return Meld(MeldKind.CHOW, tiles, 1, None if taken is None else tiles[taken])


chows = st.builds(chow, st.sampled_from([t for t in PLAYABLE if 1 <= t.rank <= 7]), st.none() | st.integers(0, 2))
pungs = st.builds(lambda t, source: Meld(MeldKind.PUNG, (t,) * 3, source), st.sampled_from(PLAYABLE), st.integers(0, 3))
kongs = st.builds(
    lambda t, kind, source: Meld(kind, (t,) * 4, 0 if kind is MeldKind.CONCEALED_KONG else source),
    st.sampled_from(PLAYABLE),
    st.sampled_from([MeldKind.EXPOSED_KONG, MeldKind.ADDED_KONG, MeldKind.CONCEALED_KONG]),
    st.integers(1, 3),
)
melds = chows | pungs | kongs
tiles = st.lists(st.sampled_from(TILES), max_size=20).map(tuple)
lines = st.builds(
    HandLine,
    concealed=st.sampled_from([1, 4, 7, 10, 13, 16]).flatmap(
        lambda n: st.lists(st.sampled_from(PLAYABLE), min_size=n, max_size=n).map(tuple)
    ),
    melds=st.lists(melds, max_size=5).map(tuple),
    tile=st.none() | st.sampled_from(PLAYABLE),
    prevalent=st.sampled_from(WINDS),
    seat_wind=st.sampled_from(WINDS),
    self_drawn=st.booleans(),
    last_of_kind=st.booleans(),
    last_tile=st.booleans(),
    kong=st.booleans(),
    flowers=st.lists(st.sampled_from(FLOWERS), max_size=8, unique=True).map(tuple),
)


@given(tiles)
def test_tiles_survive_the_round_trip(some: tuple[Tile, ...]) -> None:
    assert parse_tiles(format_tiles(some)) == some


@given(melds)
def test_a_meld_survives_the_round_trip(meld: Meld) -> None:
    assert parse_meld(format_meld(meld)) == meld


@given(st.lists(melds, max_size=5).map(tuple))
def test_melds_survive_the_round_trip(some: tuple[Meld, ...]) -> None:
    assert parse_melds(format_melds(some)) == some


@given(lines)
def test_a_line_survives_the_round_trip(line: HandLine) -> None:
    assert parse_line(format_line(line)) == line


@given(st.text(alphabet="123456789mpsESWNCFPabh[],|01 x²", max_size=30))
def test_any_text_is_read_or_refused_with_a_place_in_it(text: str) -> None:
    for read in (parse_tile, parse_tiles, parse_meld, parse_melds, parse_line):
        try:
            read(text)
        except NotationError as error:
            assert 1 <= error.position <= len(text) + 1  # noqa: PT017


def test_runs_share_a_suffix() -> None:
    assert parse_tiles("123m55pEPa") == (*M[:3], P[4], P[4], Tile.EAST, Tile.WHITE, Tile.PLUM)
    assert format_tiles(parse_tiles("1m2m3m 5p5p E P a")) == "123m55pEPa"


def test_every_tile_has_its_own_code() -> None:
    assert [parse_tile(tile.code) for tile in TILES] == list(TILES)


@pytest.mark.parametrize(
    ("text", "kind", "source", "taken"),
    [
        ("[123m,1]", MeldKind.CHOW, 1, Tile.M1),
        ("[345m,2]", MeldKind.CHOW, 1, Tile.M4),
        ("[345m2]", MeldKind.CHOW, 1, Tile.M4),
        ("[543m, 3]", MeldKind.CHOW, 1, Tile.M5),
        ("[345m]", MeldKind.CHOW, 1, None),
        ("[777s,2]", MeldKind.PUNG, 2, None),
        ("[7s7s7s1]", MeldKind.PUNG, 1, None),
        ("[777s]", MeldKind.PUNG, 0, None),
        ("[EEEE,3]", MeldKind.EXPOSED_KONG, 3, None),
        ("[EEEE3]", MeldKind.EXPOSED_KONG, 3, None),
        ("[EEEE,5]", MeldKind.ADDED_KONG, 1, None),
        ("[EEEE,6]", MeldKind.ADDED_KONG, 2, None),
        ("[EEEE,7]", MeldKind.ADDED_KONG, 3, None),
        ("[EEEE]", MeldKind.CONCEALED_KONG, 0, None),
    ],
)
def test_the_number_of_a_meld_says_source_or_taken_tile(
    text: str, kind: MeldKind, source: int, taken: Tile | None
) -> None:
    meld = parse_meld(text)
    assert (meld.kind, meld.source, meld.taken) == (kind, source, taken)


def test_a_false_run_is_a_chow_for_the_rules_to_refuse() -> None:
    assert parse_meld("[235p,1]") == Meld(MeldKind.CHOW, (Tile.P2, Tile.P3, Tile.P5), 1, Tile.P2)


@pytest.mark.parametrize(
    ("text", "kind", "source"),
    [
        ("[222s,5]", MeldKind.PUNG, 5),
        ("[2222s,4]", MeldKind.EXPOSED_KONG, 4),
        ("[2222s,8]", MeldKind.ADDED_KONG, 4),
        ("[22s,1]", MeldKind.CHOW, 1),
        ("[2223s]", MeldKind.CHOW, 1),
        ("[aaa,1]", MeldKind.PUNG, 1),
    ],
)
def test_what_is_no_meld_can_be_read_on_request(text: str, kind: MeldKind, source: int) -> None:
    with pytest.raises(NotationError):
        parse_melds(text)
    (meld,) = parse_melds(text, strict=False)
    assert (meld.kind, meld.source) == (kind, source)


def test_an_open_kong_without_source_cannot_be_written() -> None:
    with pytest.raises(ValueError, match="needs a source"):
        format_meld(Meld(MeldKind.EXPOSED_KONG, (Tile.EAST,) * 4))


# Lines as the community's calculators take and print them.
def test_a_line_without_bars() -> None:
    line = parse_line("123789s123789p33m")
    assert (format_tiles(line.concealed), line.tile, line.prevalent, line.flowers) == (
        "123789s123789p3m",
        Tile.M3,
        Tile.EAST,
        (),
    )


def test_melds_may_stand_among_the_tiles() -> None:
    line = parse_line("345s3p55p5567p[7777s]4p|EE0100|cbaghdfe")
    assert line.melds == (Meld(MeldKind.CONCEALED_KONG, (Tile.S7,) * 4),)
    assert line.tile is Tile.P4
    assert (line.self_drawn, line.last_of_kind, line.last_tile, line.kong) == (False, True, False, False)
    assert format_tiles(line.flowers) == "cbaghdfe"


def test_flowers_by_number_are_the_first_of_plum_to_winter() -> None:
    line = parse_line("[1111s,1][2222m,2][3333p,7][4444p]88s|WN1010|2")
    assert line.flowers == (Tile.PLUM, Tile.ORCHID)
    assert (line.prevalent, line.seat_wind, line.self_drawn, line.last_tile) == (Tile.WEST, Tile.NORTH, True, True)
    assert format_line(line) == "[1111s,1][2222m,2][3333p,7][4444p]88s|WN1010|ab"


def test_a_waiting_hand_has_no_winning_tile() -> None:
    line = parse_line("[456s,1][456s,1][456s,3]45s55m |EE0000|fah")
    assert line.tile is None
    assert format_line(line) == "[456s,1][456s,1][456s,3]45s55m |EE0000|fah"


@pytest.mark.parametrize(
    ("read", "text", "position", "found", "expected"),
    [
        (parse_tile, "", 1, "the end", "a tile"),
        (parse_tile, "5", 2, "the end", "m, p or s after 5"),
        (parse_tile, "12m", 4, "the end", "one tile only, not 2"),
        (parse_tiles, "12x", 3, "'x'", "m, p or s after 12"),
        (parse_tiles, "123", 4, "the end", "m, p or s after 123"),
        (parse_tiles, "1mm", 3, "'m'", "a number 1–9 before m"),
        (parse_tiles, "10m", 2, "'0'", "m, p or s after 1"),
        (parse_tiles, "5m z", 4, "'z'", "a tile"),
        (parse_meld, "", 1, "the end", "a meld such as"),
        (parse_meld, "[EEE,1][SSS,1]", 8, "'['", "one meld only"),
        (parse_melds, "[EEE,1]5m", 8, "'5'", "a meld such as"),
        (parse_melds, "[EEE,1", 7, "the end", "] for the [ at character 1"),
        (parse_melds, "[]", 2, "']'", "a meld such as"),
        (parse_melds, "[EE,1]", 2, "'E'", "three tiles, or four equal ones"),
        (parse_melds, "[1234m]", 2, "'1'", "three tiles, or four equal ones"),
        (parse_melds, "[abc,1]", 2, "'a'", "no flowers in a meld"),
        (parse_melds, "[123m,4]", 7, "'4'", "one of 1 2 3 (which was taken)"),
        (parse_melds, "[EEE,5]", 6, "'5'", "one of 1 2 3 (who discarded it)"),
        (parse_melds, "[EEEE,4]", 7, "'4'", "one of 1 2 3 5 6 7"),
        (parse_melds, "[EEEE,0]", 7, "'0'", "one of 1 2 3 5 6 7"),
        (parse_melds, "[EEEE,]", 7, "']'", "one of 1 2 3 5 6 7"),
        (parse_melds, "[123m,12]", 7, "'1'", "one of 1 2 3"),
        (parse_line, "123m|EE", 5, "'|'", "3n + 1 standing tiles, or 3n + 2 with the winning tile, not 3"),
        (parse_line, "1m|XE1000", 4, "'X'", "a wind: E, S, W or N (圈风)"),
        (parse_line, "1m|EE1200", 7, "'2'", "0 or 1 (绝张)"),
        (parse_line, "1m|EE100", 9, "the end", "0 or 1 (杠)"),
        (parse_line, "1m|EE10000", 10, "'0'", "the end of EE1000"),
        (parse_line, "1m|EE1000|9", 11, "'9'", "how many: 0–8"),
        (parse_line, "1m|EE1000|x", 11, "'x'", "a tile"),
        (parse_line, "1m|EE1000|a|", 12, "'|'", "at most two bars"),
    ],
)
def test_an_error_says_where_what_and_what_was_expected(
    read: type[object], text: str, position: int, found: str, expected: str
) -> None:
    with pytest.raises(NotationError) as caught:
        read(text)
    assert caught.value.position == position
    assert f"character {position}: found {found}, expected" in str(caught.value)
    assert expected in str(caught.value)


def test_an_error_in_a_long_text_stays_short() -> None:
    with pytest.raises(NotationError) as caught:
        parse_tiles("1m" * 5000 + "x")
    assert len(str(caught.value)) < 250
    assert caught.value.position == 10001
