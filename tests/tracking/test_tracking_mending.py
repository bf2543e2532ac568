"""Tiles that were taken for each other: discards that were named wrongly, tags of one kind."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tablectl.game import events as ev
from tablectl.game.state import Phase
from tablectl.game.table import Table
from tablectl.rules.registry import load
from tablectl.tiles.tile import Tile
from tablectl.tracking.alerts import Watch
from tablectl.tracking.beliefs import Beliefs
from tablectl.tracking.building import unknown_wall
from tablectl.tracking.mending import TWIN_READS, misnamed, swap_twins
from tablectl.tracking.noise import Noise
from tablectl.tracking.outlook import Outlook, Step, Told
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


def test_a_ghost_long_after_the_discard_names_no_other_tile(presence: Presence) -> None:
    """The discard is silent and a ghost of it answers in the hand; so does one in the river of ``c``, which stands."""
    for n in range(4, 40):
        read(presence, n, HAND - {"a"}, "a")
    for n in range(40, 44):
        read(presence, n, HAND, "c")
        assert misnamed(presence, KINDS, told("a"), PERIOD, SURE) is None


# --- two tags of one kind


def twins(seen_in_hand: bool) -> Beliefs:
    """Seat 0 is silent about ``a``, and answers of ``twin`` come from its hand, which lies in the wall."""
    rules = load("competition")
    presence = Presence(Noise(), PERIOD)
    for tag in "ab":
        presence.place(tag, "hand.0", 0.0)
    presence.place("twin", "wall.0", 0.0)
    tiles = {**KINDS, "twin": KINDS["a"]}
    found = Beliefs(Table(rules), tiles, PERIOD, presence, unknown_wall(rules), [], Watch(tiles), t=4.0)
    if not seen_in_hand:
        found.unseen["a"] = 0
    for n in range(TWIN_READS):
        presence.read("hand.0", n * PERIOD, frozenset({"b", "twin"}))
    return found


def test_a_tile_of_the_wall_is_the_twin_of_one_that_nobody_saw_drawn() -> None:
    beliefs = twins(seen_in_hand=False)
    swap_twins(beliefs, "hand.0")
    assert beliefs.presence.lies("twin") == "hand.0"
    assert beliefs.presence.lies("a") == "wall.0"


def test_a_tile_of_the_wall_is_not_the_twin_of_one_that_was_seen_in_the_hand() -> None:
    """That one is silent, and this one may be drawn just now."""
    beliefs = twins(seen_in_hand=True)
    swap_twins(beliefs, "hand.0")
    assert beliefs.presence.lies("twin") == "wall.0"
    assert beliefs.presence.lies("a") == "hand.0"


def test_a_step_that_moved_a_twin_takes_the_right_one_back() -> None:
    """Otherwise the one that lies open would be believed there for good, and the other one in two places."""
    beliefs = twins(seen_in_hand=False)
    draw = Step("draw", 0, (("a", "hand.0"),), 0.0, KINDS["a"])
    before = Outlook(Phase.DISCARDED, 3, (0, 0, 0, 0), "x", None)
    beliefs.told.append(Told(draw, before, (("a", "wall.0"),), 1.0))
    beliefs.drawn = "a"
    beliefs.pungs[0] = [("a", "b", "c")]
    swap_twins(beliefs, "hand.0")
    [told] = beliefs.told
    assert (told.step.moves, told.homes) == ((("twin", "hand.0"),), (("twin", "wall.0"),))
    assert (told.before, beliefs.drawn, beliefs.pungs[0]) == (before, "twin", [("twin", "b", "c")])


def test_few_reads_make_no_twin() -> None:
    beliefs = twins(seen_in_hand=False)
    beliefs.presence.zones["hand.0"].strange["twin"] = TWIN_READS - 1
    swap_twins(beliefs, "hand.0")
    assert beliefs.presence.lies("twin") == "wall.0"
