"""From answers of tags to zones and passages."""

from __future__ import annotations

import logging

from hypothesis import given
from hypothesis import strategies as st

from tablectl.drivers.readers.sightings import Absence, Inventory, Passages, Sighting, TagFilter, Zones

ZONES = {1: "hand.0", 2: "meld.0", 3: "river.0"}
GHOST = "c219191919191919"


def inventory(t: float, antenna: int, *tags: str | tuple[str, float]) -> Inventory:
    sightings = tuple(Sighting(tag) if isinstance(tag, str) else Sighting(*tag) for tag in tags)
    return Inventory(t, antenna, sightings)


def zones(same_tile_s: float = 0.3, **absence: Absence) -> Zones:
    rules = {name.replace("_", "."): rule for name, rule in absence.items()}
    return Zones("east", ZONES, rules, same_tile_s)


def seen(z: Zones, *inventories: Inventory) -> dict[str, set[str]]:
    return {read.zone: set(read.tags) for read in z.reads(inventories)}


def test_an_antenna_without_zone_says_nothing():
    assert zones().reads([inventory(0, 7, "a")]) == ()


def test_time_and_order_are_those_of_the_inventories():
    reads = zones().reads([inventory(1.0, 2), inventory(1.1, 1, "a")])
    assert [(read.t, read.zone, read.tags) for read in reads] == [
        (1.0, "meld.0", frozenset()),
        (1.1, "hand.0", frozenset("a")),
    ]


def test_two_antennas_of_one_zone_together():
    z = Zones("east", {1: "river.0", 2: "river.0"}, {}, 0.3)
    assert seen(z, inventory(0.0, 1, "a", "b"), inventory(0.1, 2, "b", "c")) == {"river.0": {"a", "b", "c"}}
    assert seen(z, inventory(0.2, 1, "a")) == {"river.0": {"a", "b", "c"}}
    assert seen(z, inventory(0.3, 2, "c")) == {"river.0": {"a", "c"}}


# --- absence


def test_without_a_rule_a_missed_tag_is_gone_at_once():
    z = zones()
    assert seen(z, inventory(0, 1, "a")) == {"hand.0": {"a"}}
    assert seen(z, inventory(0.25, 1)) == {"hand.0": set()}


def test_gone_after_so_many_reads_and_so_much_time():
    """A resting tag is missed every other poll; three misses within 150 ms are not yet an absence."""
    z = zones(hand_0=Absence(reads=3, seconds=0.5))
    seen(z, inventory(0.0, 1, "a"))
    for t in (0.05, 0.1, 0.15, 0.2, 0.45):
        assert seen(z, inventory(t, 1)) == {"hand.0": {"a"}}
    assert seen(z, inventory(0.5, 1)) == {"hand.0": set()}
    z = zones(hand_0=Absence(reads=3, seconds=0.5))
    seen(z, inventory(0.0, 1, "a"))
    assert seen(z, inventory(1.0, 1)) == {"hand.0": {"a"}}
    assert seen(z, inventory(2.0, 1)) == {"hand.0": {"a"}}
    assert seen(z, inventory(2.1, 1, "a")) == {"hand.0": {"a"}}
    assert seen(z, inventory(2.2, 1)) == {"hand.0": {"a"}}, "an answer begins the count anew"
    assert seen(z, inventory(3.0, 1)) == {"hand.0": {"a"}}
    assert seen(z, inventory(3.1, 1)) == {"hand.0": set()}


def test_the_rule_is_that_of_the_zone():
    z = zones(hand_0=Absence(reads=2))
    seen(z, inventory(0, 1, "a"), inventory(0, 2, "b"))
    assert seen(z, inventory(0.3, 1), inventory(0.3, 2)) == {"hand.0": {"a"}, "meld.0": set()}


# --- one tile in two zones


def test_the_same_tile_lies_where_it_is_stronger(caplog):
    caplog.set_level(logging.INFO)
    z = zones()
    seen(z, inventory(0.0, 1, ("a", -40.0)))
    assert seen(z, inventory(0.1, 2, ("a", -62.0))) == {"meld.0": set()}
    assert "a answers in hand.0 and meld.0, counted in hand.0" in caplog.text
    assert z.doubles == 1


def test_the_same_tile_stronger_in_the_later_zone_leaves_the_first():
    z = zones(hand_0=Absence(reads=5, seconds=9))
    seen(z, inventory(0.0, 1, ("a", -62.0)))
    assert seen(z, inventory(0.1, 2, ("a", -40.0))) == {"meld.0": {"a"}}
    assert seen(z, inventory(0.2, 1)) == {"hand.0": set()}, "moved, not absent: the rule of absence does not hold it"


def test_equal_or_without_strength_the_newest_counts():
    for strength in (-50.0, None):
        z = zones()
        seen(z, Inventory(0.0, 1, (Sighting("a", strength),)))
        assert seen(z, Inventory(0.2, 3, (Sighting("a", strength),))) == {"river.0": {"a"}}
        assert seen(z, inventory(0.25, 1)) == {"hand.0": set()}


def test_after_the_moment_a_weaker_answer_counts():
    z = zones()
    seen(z, inventory(0.0, 1, ("a", -40.0)))
    assert seen(z, inventory(0.31, 2, ("a", -62.0))) == {"meld.0": {"a"}}


@given(
    st.lists(
        st.tuples(st.sampled_from((1, 2, 3)), st.dictionaries(st.sampled_from("abcde"), st.integers(-70, -30))),
        max_size=30,
    )
)
def test_a_tile_is_never_in_two_zones_at_once(rounds):
    """Whatever the antennas say: within the moment of the rule, a tag stands in one zone only."""
    z = zones(same_tile_s=100.0)
    last: dict[str, frozenset[str]] = {}
    for number, (antenna, tags) in enumerate(rounds):
        t = number * 0.05
        for read in z.reads([inventory(t, antenna, *tags.items())]):
            last[read.zone] = read.tags
            holders = [zone for zone in ZONES.values() if zone != read.zone and last.get(zone, frozenset()) & read.tags]
            for zone in holders:  # told in the zone it left before: its next read takes it back
                antenna_of = next(number for number, its in ZONES.items() if its == zone)
                (again,) = z.reads([inventory(t, antenna_of)])
                last[zone] = again.tags
                assert not again.tags & read.tags


# --- lanes


def test_a_tile_passes_once_however_often_it_answers():
    p = Passages(rearm_s=2.0)
    assert p.passes(10.0, "a")
    assert not any(p.passes(10.0 + n * 0.1, "a") for n in range(1, 600)), "a tile that stands still for a minute"
    assert p.passes(75.0, "a"), "it came back after a silence"


def test_tiles_between_do_not_arm_it_again():
    p = Passages(rearm_s=2.0)
    assert [p.passes(t, tag) for t, tag in ((0, "a"), (0.5, "b"), (0.6, "a"), (1.0, "c"), (1.1, "b"))] == [
        True,
        True,
        False,
        True,
        False,
    ]


# --- foreign tags


def test_what_cannot_be_a_tag_of_a_tile_is_told_and_kept_out(caplog):
    accept = TagFilter("east", ("e0",))
    assert accept.passes("e004015000a1b201")
    assert not accept.passes(GHOST)
    assert not accept.passes(GHOST)
    assert accept.foreign == {GHOST}
    assert [record.getMessage() for record in caplog.records] == [
        f"reader east: foreign tag {GHOST}, expected one that begins with e0"
    ]
    assert TagFilter("east", ()).passes(GHOST)
