"""Evidence for and against a tag's having moved."""

from __future__ import annotations

from math import exp

import pytest

from tablectl.tracking.noise import MISS_PRIOR, Noise
from tablectl.tracking.places import near
from tablectl.tracking.presence import Presence
from tablectl.tracking.weighing import Chain, moving

PERIOD = 0.5
HAND = [f"tag{i}" for i in range(13)]


@pytest.fixture
def presence() -> Presence:
    found = Presence(Noise(), PERIOD)
    for tag in HAND:
        found.place(tag, "hand.0", 0.0)
    return found


def feed(presence: Presence, zone: str, *rounds: set[str], begin: float = 0.1) -> None:
    for i, tags in enumerate(rounds):
        presence.read(zone, begin + i * PERIOD, frozenset(tags))


def test_read_as_believed_is_calm(presence: Presence) -> None:
    assert not presence.read("hand.0", 0.1, frozenset(HAND))
    assert not presence.read("hand.0", 0.6, frozenset(HAND))
    assert not presence.stirs("hand.0", set())
    assert presence.read("hand.0", 1.1, frozenset(HAND[1:]))
    assert not presence.stirs("hand.0", set())  # silent once: happens all the time
    presence.read("hand.0", 1.6, frozenset(HAND[1:]))
    assert presence.stirs("hand.0", set())


def test_tile_in_the_river_and_no_more_in_the_hand_speaks_for_a_discard(presence: Presence) -> None:
    all_tags, rest = set(HAND), set(HAND[1:])
    feed(presence, "hand.0", all_tags, all_tags, rest, rest)
    feed(presence, "river.0", set(), set(), {HAND[0]}, {HAND[0]}, begin=0.3)
    moved = presence.way(HAND[0], "river.0")
    assert moved.support > 8
    assert moved.arrivals == pytest.approx((1.3,))
    assert presence.way(HAND[1], "river.0").support <= 0


def test_ghost_that_answers_instead_is_one_error(presence: Presence) -> None:
    """A tag seen across the edge in one round, and missed where it lies in that round, has not moved for certain."""
    all_tags, rest = set(HAND), set(HAND[1:])
    feed(presence, "hand.0", all_tags, all_tags, rest)
    feed(presence, "river.0", set(), set(), {HAND[0]}, begin=0.3)
    once = presence.way(HAND[0], "river.0").support
    feed(presence, "hand.0", all_tags, begin=1.6)
    assert presence.way(HAND[0], "river.0").support < once - 4


def test_order_of_two_moves_is_weighed(presence: Presence) -> None:
    """A tile still read in the hand at 1.1 s had not come to the river by 0.9 s."""
    all_tags, rest = set(HAND), set(HAND[1:])
    feed(presence, "hand.0", all_tags, all_tags, all_tags, rest, rest)
    feed(presence, "river.0", set(), set(), set(), {HAND[0]}, {HAND[0]}, begin=0.3)
    free = presence.way(HAND[0], "river.0").support
    assert free > 6
    assert presence.way(HAND[0], "river.0", until=0.9).support < free - 5


def test_read_that_failed_as_a_whole_says_nothing(presence: Presence) -> None:
    feed(presence, "hand.0", set(HAND), set())
    assert presence.zones["hand.0"].missing == {}
    feed(presence, "hand.0", set(), set(), begin=1.1)
    assert len(presence.zones["hand.0"].missing) == 13  # three in a row: the hand was really emptied


def test_rates_are_learned_from_errors_that_resolved(presence: Presence) -> None:
    rest = set(HAND[1:])
    feed(presence, "hand.0", *[set(HAND), rest] * 100, set(HAND))
    assert presence.noise.miss["hand.0"].value == pytest.approx(100 / 2613, rel=0.1)
    moved = Presence(Noise(), PERIOD)
    for tag in HAND:
        moved.place(tag, "hand.0", 0.0)
    feed(moved, "hand.0", set(HAND), *[rest] * 50)
    moved.place(HAND[0], "river.0", 25.0)  # it had been discarded: no error at all
    assert moved.noise.miss["hand.0"].value <= MISS_PRIOR[0]


def test_step_taken_back_keeps_the_evidence(presence: Presence) -> None:
    rest = set(HAND[1:])
    feed(presence, "hand.0", set(HAND), rest, rest)
    feed(presence, "river.0", set(), {HAND[0]}, {HAND[0]}, begin=0.3)
    before = presence.way(HAND[0], "river.0").support
    presence.follow(HAND[0], "river.0", 0.8)
    assert presence.lies(HAND[0]) == "river.0"
    assert presence.way(HAND[0], "hand.0").support <= 0
    presence.back(HAND[0], "hand.0", 1.3)
    assert presence.lies(HAND[0]) == "hand.0"
    assert presence.way(HAND[0], "river.0").support == pytest.approx(before, abs=1.5)


def test_one_tag_lies_in_one_place(presence: Presence) -> None:
    presence.place(HAND[0], "meld.0", 1.0)
    homes = [name for name, zone in presence.zones.items() if HAND[0] in zone.tags]
    assert homes == ["meld.0"]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("hand.0", "meld.0", True),
        ("river.1", "river.2", True),
        ("hand.0", "hand.2", False),
        ("hand.1", "river.2", False),
    ],
)
def test_near(one: str, other: str, expected: bool) -> None:
    assert near(one, other) is near(other, one) is expected


def test_a_tag_is_as_good_after_a_long_match_as_before() -> None:
    """Misses of all its places are held against the reads at all its places, not against those since it moved last."""
    presence, t = Presence(Noise(), 0.25), 0.0
    for _ in range(40):  # hands: now in a river, now in a hand, 2 reads of 100 missed
        presence.place("a", "river.0", t)
        for n in range(100):
            t += 0.25
            presence.read("river.0", t, frozenset() if n in (20, 60) else frozenset({"a"}))
        presence.clear()
    presence.place("a", "hand.0", t)
    presence.read("hand.0", t + 0.25, frozenset({"a"}))
    weights = presence.noise.weights("a", "hand.0", 14, "hand.0", 1, 1)
    assert 0.01 < exp(weights.miss) < 0.04


def test_a_discard_told_for_a_ghost_is_soon_called_in_question(presence: Presence) -> None:
    """A tile that answered once in the river was told to lie there; it did not go there since it was told either."""
    all_tags, tag = set(HAND), HAND[0]
    feed(presence, "hand.0", all_tags, all_tags)
    feed(presence, "river.0", set(), {tag}, begin=0.3)
    presence.follow(tag, "river.0", 0.8)
    feed(presence, "hand.0", *[all_tags] * 5, begin=1.1)
    feed(presence, "river.0", *[set()] * 5, begin=1.3)
    assert presence.way(tag, "hand.0").support > 14


def test_an_end_later_than_all_reads_is_no_end(presence: Presence) -> None:
    """A way is looked at once for all ends by which it may have come."""
    feed(presence, "hand.0", set(HAND), set(HAND), set(HAND[1:]), set(HAND[1:]))
    feed(presence, "river.0", set(), set(), {HAND[0]}, {HAND[0]}, begin=0.3)
    last = 1.8
    open_end = presence.way(HAND[0], "river.0")
    assert presence.way(HAND[0], "river.0", until=last) == open_end == presence.way(HAND[0], "river.0", until=9.0)
    chain = Chain(("hand.0", "river.0"), 0, presence._chains[HAND[0], "river.0"].looks, 0.0, None, 0, 0)
    for until in (0.2, 0.9, 1.2, 1.35, 1.7):
        support, arrivals = moving(chain.looks, chain.places, until)
        assert chain.way(until) == (support, arrivals[:1])
        assert presence.way(HAND[0], "river.0", until=until).arrivals == arrivals[:1]
    assert presence.way(HAND[0], "river.0", until=0.2).support < open_end.support
    feed(presence, "river.0", set(), set(), begin=2.3)
    assert presence.way(HAND[0], "river.0").support < open_end.support
