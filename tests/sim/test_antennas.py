"""The antenna zones: rounds, times, misses and ghosts."""

from __future__ import annotations

import asyncio
import random

import pytest

from tablectl.base.clock import LoopClock
from tablectl.base.reports import ZoneRead
from tablectl.sim.antennas import SimReader
from tablectl.sim.noise import PROFILES, Antennas
from tablectl.sim.reading import NEIGHBOURS
from tablectl.sim.world import ZONES, World, make_sets
from tablectl.tiles.sets import TILE_SETS

SETS = make_sets(("A",), TILE_SETS["144"].tiles())
TAGS = sorted(SETS["A"])


def table(noise: Antennas = PROFILES["clean"].antennas, **arguments: object) -> tuple[World, SimReader]:
    """A world with thirteen tiles in hand 0 and twenty in river 1, and its reader."""
    clock = LoopClock()
    world = World(clock, SETS)
    for tag in TAGS[:13]:
        world.move(tag, "hand.0")
    for tag in TAGS[13:33]:
        world.move(tag, "river.1")
    return world, SimReader("zones", world, clock, random.Random(7), noise=noise, **arguments)  # type: ignore[arg-type]


async def rounds(reader: SimReader, count: int) -> list[tuple[ZoneRead, ...]]:
    found: list[tuple[ZoneRead, ...]] = []
    inventories = reader.inventories()
    async for batch in inventories:
        found.append(batch)
        if len(found) == count:
            break
    await inventories.aclose()  # type: ignore[attr-defined]
    return found


async def test_a_round_visits_every_zone_once_in_its_period() -> None:
    _, reader = table(period_s=0.6)
    for number, batch in enumerate(await rounds(reader, 5)):
        assert [read.zone for read in batch] == list(ZONES)
        times = [read.t for read in batch]
        assert times == pytest.approx([number * 0.6 + 0.05 * n for n in range(1, 13)])


async def test_a_clean_reader_tells_the_truth_with_the_same_object() -> None:
    world, reader = table()
    first, second = await rounds(reader, 2)
    seen = {read.zone: read.tags for read in first}
    assert seen["hand.0"] == set(TAGS[:13])
    assert seen["river.1"] == set(TAGS[13:33])
    assert seen["meld.3"] == set()
    assert all(a.tags is b.tags for a, b in zip(first, second, strict=True))
    assert seen["hand.0"] is world.contents("hand.0")


async def test_each_zone_is_seen_at_its_own_time() -> None:
    """A tile that moves in the middle of a round is missed by both zones, or seen by both, as the visit falls."""
    world, reader = table(period_s=1.2)  # a zone every 0.1 s: hand.0 at 0.1, river.1 at 0.6
    asyncio.get_running_loop().call_later(0.3, world.move, TAGS[0], "river.1")
    asyncio.get_running_loop().call_later(0.9, world.move, TAGS[13], "hand.0")
    first, second = await rounds(reader, 2)
    seen = {read.zone: read.tags for read in first}
    assert TAGS[0] in seen["hand.0"]
    assert TAGS[0] in seen["river.1"]
    assert TAGS[13] in seen["river.1"]
    assert TAGS[13] not in seen["hand.0"]
    later = {read.zone: read.tags for read in second}
    assert later["hand.0"] == world.contents("hand.0")
    assert later["river.1"] == world.contents("river.1")


async def test_misses_come_as_often_as_the_profile_says() -> None:
    world, reader = table(Antennas(miss=0.02))
    batches = await rounds(reader, 2000)
    missed = sum(33 - sum(len(read.tags) for read in batch) for batch in batches)
    assert missed / (2000 * 33) == pytest.approx(0.02, rel=0.1)
    assert all(read.tags <= world.contents(read.zone) for batch in batches for read in batch)


async def test_misses_may_last_several_rounds() -> None:
    _, reader = table(Antennas(miss=0.02, miss_rounds=4.0))
    batches = await rounds(reader, 3000)
    gaps, runs = 0, 0
    silent: set[str] = set()
    for batch in batches:
        answered = frozenset().union(*(read.tags for read in batch))
        now = set(TAGS[:33]) - answered
        gaps += len(now)
        runs += len(now - silent)
        silent = now
    assert gaps / runs == pytest.approx(4.0, rel=0.15)
    assert gaps / (3000 * 33) == pytest.approx(0.02, rel=0.15)


async def test_ghosts_answer_in_a_neighbouring_zone() -> None:
    world, reader = table(Antennas(ghost=0.01))
    batches = await rounds(reader, 2000)
    ghosts = [(read.zone, tag) for batch in batches for read in batch for tag in read.tags - world.contents(read.zone)]
    assert len(ghosts) / (2000 * 33) == pytest.approx(0.01, rel=0.15)
    assert all(zone in NEIGHBOURS[world.where(tag)] for zone, tag in ghosts)
    vanished = sum(len(world.contents(read.zone) - read.tags) for batch in batches for read in batch)
    assert vanished / len(ghosts) == pytest.approx(0.3, abs=0.06)


async def test_a_dead_tag_never_answers_and_an_unplugged_reader_says_nothing() -> None:
    _, reader = table()
    reader.dead_tags.add(TAGS[0])
    (batch,) = await rounds(reader, 1)
    assert TAGS[0] not in batch[0].tags
    assert len(batch[0].tags) == 12
    reader.plugged = False
    asyncio.get_running_loop().call_later(10, setattr, reader, "plugged", True)
    begin = LoopClock().now()
    (batch,) = await rounds(reader, 1)
    assert batch[0].t - begin > 9.7


def test_neighbours_are_zones_of_the_table() -> None:
    assert all(zone in NEIGHBOURS and zone != other for other, zones in NEIGHBOURS.items() for zone in zones)
