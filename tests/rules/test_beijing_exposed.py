"""北京麻将: exposed tiles 曝光牌 (T16–T19)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rule_hands import situation, win

from tablectl.rules.api import Incident
from tablectl.rules.beijing.exposed import kinds_barred
from tablectl.rules.registry import load
from tablectl.tiles.notation import parse_tiles
from tablectl.tiles.tile import PLAYABLE, Tile

RULES = load("beijing")


def shown(seat: int, tiles: str) -> Incident:
    return Incident("exposure", seat, None, {"tiles": parse_tiles(tiles)})


@pytest.mark.parametrize(
    ("tiles", "barred"),
    [
        ("45m", "3456m"),
        ("12p", "123p"),
        ("89p", "789p"),
        ("456s", "34567s"),
        ("123456789m", "123456789m"),
        ("46m", "46m"),
        ("5m", "5m"),
        ("55m", "5m"),
        ("ES", "ES"),
        ("CF", "CF"),
        ("9m1p", "9m1p"),
        ("4568s", "345678s"),
        ("12m89m", "12378m9m"),
        ("5m6p", "5m6p"),
        ("5464m", "34567m"),
    ],
)
def test_kinds_barred(tiles: str, barred: str) -> None:  # T18
    assert kinds_barred(parse_tiles(tiles)) == frozenset(parse_tiles(barred))


@given(st.lists(st.sampled_from(PLAYABLE), max_size=6))
def test_barred_are_the_tiles_and_what_lies_beside_two_neighbours(tiles: list[Tile]) -> None:  # T18
    def beside(kind: Tile, step: int) -> bool:
        """Whether the next two numbers in this direction are there."""
        return {kind.rank + step, kind.rank + 2 * step} <= {tile.rank for tile in tiles if tile.suit == kind.suit}

    wanted = {k for k in PLAYABLE if k in tiles or (k.suit and (beside(k, 1) or beside(k, -1)))}
    assert kinds_barred(tiles) == wanted


def test_exposures_belong_to_their_seat_and_moment() -> None:  # T17, T18
    incidents = [shown(1, "4m"), shown(1, "5m"), shown(2, "78s"), Incident("pot_penalty", 1)]
    assert RULES.barred(incidents, 1) == frozenset(parse_tiles("45m"))
    assert RULES.barred(incidents, 2) == frozenset(parse_tiles("6789s"))
    assert RULES.barred(incidents, 0) == frozenset()


def test_tiles_may_come_as_notation() -> None:  # as the journal keeps them
    assert RULES.barred([Incident("exposure", 0, None, {"tiles": "45m"})], 0) == frozenset(parse_tiles("3456m"))


def test_a_barred_kind_may_be_drawn_but_not_taken() -> None:  # T19
    hand = win("234m567s5688p333s", "7p", seat=3, source=0)
    here = situation(hand, incidents=[shown(3, "7p")])
    verdict = RULES.settle(here).verdicts[0]
    assert (verdict.legal, verdict.reason, verdict.score) == (False, "exposed_tile", 0)
    assert "门清" in [fan.name for fan in verdict.proof]  # the proof says what was there
    assert verdict.reading.endswith("7p in 567p")
    waits = {wait.tile: wait for wait in RULES.waits(here, hand)}
    seven, four = waits[Tile.P7], waits[Tile.P4]
    assert seven.discard is not None
    assert seven.self_draw is not None
    assert four.discard is not None
    assert (seven.discard.reason, seven.self_draw.legal, four.discard.legal) == ("exposed_tile", True, True)
