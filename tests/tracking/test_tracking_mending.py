"""Discards that were named wrongly."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tablectl.game import events as ev
from tablectl.tiles.tile import Tile
from tablectl.tracking.mending import misnamed
from tablectl.tracking.noise import Noise
from tablectl.tracking.presence import Presence

PERIOD = 0.5
KINDS = dict(zip("abcdefgh", list(Tile)[:8], strict=True))
HAND = frozenset("abcdefgh")
SURE = 7.5


@pytest.fixture
def presence() -> Presence:
    """Seat 0 discarded ``b``; a ghost of ``a`` had it told that it was that one."""
    found = Presence(Noise(), PERIOD)
    for tag in KINDS:
        found.place(tag, "hand.0", 0.0)
    for n in range(3):
        read(found, n, HAND, "")
    read(found, 3, HAND - {"a", "b"}, "a")
    found.follow("a", "river.0", 3 * PERIOD)
    return found


def read(presence: Presence, n: int, hand: frozenset[str], river: str) -> None:
    presence.read("hand.0", n * PERIOD, hand)
    presence.read("river.0", n * PERIOD + 0.1, frozenset(river))


def told(tag: str, drawn: str = "h") -> Callable[[], list[tuple[int, ev.Event]]]:
    return lambda: [
        (5, ev.TileDrawn(t=1.0, actor=0, pai=KINDS[drawn])),
        (6, ev.TileDiscarded(t=3 * PERIOD, actor=0, pai=KINDS[tag])),
        (7, ev.TileDrawn(t=2.5, actor=1, pai=KINDS["c"])),
    ]


def test_tile_that_lies_in_the_river_is_named_once_the_other_answers_in_the_hand(presence: Presence) -> None:
    for n in (4, 5):
        read(presence, n, HAND - {"b"}, "b")
        assert misnamed(presence, KINDS, told("a"), PERIOD, SURE) is None
    for n in (6, 7):
        read(presence, n, HAND - {"b"}, "b")
    found = misnamed(presence, KINDS, told("a"), PERIOD, SURE)
    assert found is not None
    assert (found.tag, found.other, found.seq) == ("a", "b", 6)
    assert found.right == ev.TileDiscarded(t=3 * PERIOD, actor=0, pai=KINDS["b"], tsumogiri=False)
    straight = misnamed(presence, KINDS, told("a", drawn="b"), PERIOD, SURE)
    assert straight is not None
    assert straight.right.tsumogiri


def test_tile_that_was_in_the_hand_later_was_not_discarded_then(presence: Presence) -> None:
    """``c`` goes to the river three rounds later: that is another discard."""
    for n in (4, 5, 6):
        read(presence, n, HAND, "")
    for n in (7, 8, 9):
        read(presence, n, HAND - {"c"}, "c")
    assert misnamed(presence, KINDS, told("a"), PERIOD, SURE) is None


def test_tile_that_came_later_was_not_discarded_then(presence: Presence) -> None:
    presence.place("b", "hand.0", 9.0)
    for n in (4, 5, 6, 7):
        read(presence, n, HAND - {"b"}, "b")
    assert misnamed(presence, KINDS, told("a"), PERIOD, SURE) is None
