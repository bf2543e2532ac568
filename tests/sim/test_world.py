"""The world: every tile is somewhere, once; nothing happens that cannot."""

from __future__ import annotations

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from tablectl.base.clock import HandClock
from tablectl.sim.world import SPOTS, ImpossibleMove, World, make_sets
from tablectl.tiles.sets import TILE_SETS
from tablectl.tiles.tile import Tile
from tablectl.tiles.wall import Place

TILES = TILE_SETS["144"].tiles()
SETS = make_sets(("A", "B"), TILES)
TAGS = sorted(tag for tags in SETS.values() for tag in tags)
OPEN_SPOTS = [spot for spot in SPOTS if not spot.startswith("wall")]
places = st.builds(Place, st.integers(0, 3), st.integers(1, 18), st.booleans())


class Conservation(RuleBasedStateMachine):
    """Whatever people, motors and faults do, no tile is lost or doubled."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = HandClock()
        self.world = World(self.clock, SETS)

    @rule(tag=st.sampled_from(TAGS), to=st.sampled_from(OPEN_SPOTS))
    def move(self, tag: str, to: str) -> None:
        allowed = to != "drum" or self.world.opening_free or self.world.where(tag).startswith("belt.")
        if allowed:
            self.world.move(tag, to)
            assert self.world.where(tag) == to
        else:
            with pytest.raises(ImpossibleMove):
                self.world.move(tag, to)

    @rule(tag=st.sampled_from(TAGS), place=places)
    def stand(self, tag: str, place: Place) -> None:
        if place in self.world.walls:
            with pytest.raises(ImpossibleMove):
                self.world.stand(tag, place)
        else:
            self.world.stand(tag, place)
            assert self.world.walls[place] == tag

    @precondition(lambda self: self.world.walls)
    @rule(data=st.data(), seat=st.integers(0, 3))
    def take(self, data: st.DataObject, seat: int) -> None:
        place = data.draw(st.sampled_from(sorted(self.world.walls, key=str)))
        tag = self.world.take(place, seat)
        assert self.world.where(tag) == f"fingers.{seat}"
        with pytest.raises(ImpossibleMove):
            self.world.take(place, seat)

    @rule(one=st.sampled_from(TAGS), other=st.sampled_from(TAGS))
    def swap(self, one: str, other: str) -> None:
        before = self.world.where(one), self.world.where(other)
        self.world.swap(one, other)
        assert (self.world.where(other), self.world.where(one)) == before

    @rule(free=st.booleans())
    def dome(self, free: bool) -> None:
        self.world.opening_free = free

    @rule(seconds=st.floats(0, 2))
    def wait(self, seconds: float) -> None:
        self.clock.set(self.clock.now() + seconds)

    @invariant()
    def conserved(self) -> None:
        self.world.check()
        assert sum(len(spot.tags) for spot in self.world.spots.values()) == 288


TestConservation = Conservation.TestCase


def test_a_spot_tells_what_lay_there_at_a_time() -> None:
    clock = HandClock()
    world = World(clock, SETS)
    a, b = TAGS[:2]
    for t, tag, to in ((1.0, a, "river.2"), (2.0, b, "river.2"), (3.0, a, "meld.1")):
        clock.set(t)
        world.move(tag, to)
    clock.set(4.0)
    river = world.spots["river.2"]
    assert river.at(0.5) == set()
    assert river.at(1.5) == {a}
    assert river.at(2.0) == {a, b}
    assert river.at(3.5) == {b}


def test_the_same_object_while_nothing_changes() -> None:
    clock = HandClock()
    world = World(clock, SETS)
    world.move(TAGS[0], "hand.1")
    clock.set(1.0)
    first = world.contents("hand.1")
    world.move(TAGS[1], "hand.2")
    assert world.contents("hand.1") is first
    assert world.spots["hand.1"].at(0.9) is first


def test_a_check_finds_what_is_wrong() -> None:
    world = World(HandClock(), SETS)
    world.stand(TAGS[0], Place(0, 1, True))
    world.check()
    del world.walls[Place(0, 1, True)]
    with pytest.raises(AssertionError, match="has a place"):
        world.check()


def test_sets_are_whole_and_apart() -> None:
    assert SETS["A"].keys().isdisjoint(SETS["B"])
    assert all(sorted(tags.values()) == sorted(TILES) for tags in SETS.values())
    with pytest.raises(ValueError, match="two tile sets"):
        World(HandClock(), {"A": {"e0": Tile.EAST}, "B": {"e0": Tile.EAST}})
