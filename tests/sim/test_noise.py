"""Noise profiles: what antennas, lanes and keys make of what happens, whatever the tracker assumes."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise

import pytest

from tablectl.base.reports import KeyPressed, LanePassed
from tablectl.game.record import records
from tablectl.rules.registry import load
from tablectl.sim.noise import PROFILES, Antennas, Keys, Lanes
from tablectl.sim.observed import record
from tablectl.sim.offences import OFFENCES
from tablectl.sim.reading import PHANTOM, Readings
from tablectl.sim.slips import KeySlips, LaneErrors
from tablectl.sim.world import ZONES

TAGS = [f"e00401504100{n:04x}" for n in range(120)]


def lying() -> list[frozenset[str]]:
    """13 tiles in each hand, 6 in each meld, 11 in each river."""
    tags = iter(TAGS)
    size = {"hand": 13, "meld": 6, "river": 11}
    return [frozenset(next(tags) for _ in range(size[zone.split(".")[0]])) for zone in ZONES]


def watch(noise: Antennas, rounds: int, seed: int = 1) -> list[list[frozenset[str]]]:
    """What the antennas say of tiles that do not move."""
    truth = lying()
    readings = Readings(noise, ZONES, random.Random(seed))
    return [readings.round(0.5 * n, truth) for n in range(rounds)]


@pytest.mark.parametrize(("name", "miss", "ghost"), [("normal", 0.02, 0.003), ("hard", 0.05, 0.01)])
def test_profiles_err_as_often_as_they_say(name: str, miss: float, ghost: float) -> None:
    truth = lying()
    looked = missed = ghosts = 0
    for seed in range(6):
        for seen in watch(PROFILES[name].antennas, 250, seed):
            looked += sum(map(len, truth))
            missed += sum(len(there - read) for there, read in zip(truth, seen, strict=True))
            ghosts += sum(len(read - there - {PHANTOM}) for there, read in zip(truth, seen, strict=True))
    assert missed / looked == pytest.approx(miss, rel=0.25)
    assert ghosts / looked == pytest.approx(ghost, rel=0.35)


def test_clean_antennas_tell_the_truth() -> None:
    assert all(seen == lying() for seen in watch(PROFILES["clean"].antennas, 20))


def test_some_spots_and_tags_are_much_worse_than_others() -> None:
    truth = lying()
    misses: Counter[str] = Counter()
    for seen in watch(Antennas(miss=0.05, uneven=0.7, bad_spots=0.03, weak_tags=0.02), 600):
        for there, read in zip(truth, seen, strict=True):
            misses.update(there - read)
    shares = sorted(misses[tag] / 600 for tag in TAGS)
    assert shares[-1] > 0.15
    assert shares[len(shares) // 4] < 0.04


def test_a_silent_tag_silences_its_neighbour() -> None:
    """Misses of one round come together more often than chance would have it."""

    def together(noise: Antennas) -> float:
        counts = [sum(map(len, lying())) - sum(map(len, seen)) for seen in watch(noise, 1500)]
        mean = sum(counts) / len(counts)
        return sum((count - mean) ** 2 for count in counts) / len(counts) / mean

    assert together(Antennas(miss=0.02, company=0.6)) > 1.3 * together(Antennas(miss=0.02))


def test_a_disturbance_silences_many_tags_of_one_zone_for_a_while() -> None:
    rounds = watch(Antennas(burst_every_s=60, burst_s=3, burst_miss=0.8), 600)
    sizes = [[len(seen[zone]) for seen in rounds] for zone in range(len(ZONES))]
    bursts = [zone for zone in range(len(ZONES)) if min(sizes[zone]) < 0.5 * max(sizes[zone])]
    assert len(bursts) > 6
    low = [n for n, size in enumerate(sizes[bursts[0]]) if size < 0.6 * max(sizes[bursts[0]])]
    assert any(b - a == 1 for a, b in pairwise(low))


def test_an_inventory_may_tell_of_the_round_before() -> None:
    readings = Readings(Antennas(lag=0.5), ("hand.0", "river.0"), random.Random(1))
    before, after = [frozenset({"aa"}), frozenset[str]()], [frozenset[str](), frozenset({"aa"})]
    seen = []
    for _ in range(100):
        readings.round(0.0, before)
        readings.round(0.5, before)
        seen.append(readings.round(1.0, after))
    assert {tuple(map(len, each)) for each in seen} == {(0, 0), (0, 1), (1, 0), (1, 1)}


def test_a_tile_in_the_fingers_answers_below_them() -> None:
    readings = Readings(Antennas(hover=0.3), ZONES, random.Random(1))
    nothing = [frozenset[str]()] * len(ZONES)
    where = Counter(
        zone
        for _ in range(500)
        for zone, tags in zip(ZONES, readings.round(0.0, nothing, {2: ["aa"]}), strict=True)
        if tags
    )
    assert set(where) == {"hand.2", "meld.2", "river.2"}
    assert sum(where.values()) == pytest.approx(150, rel=0.25)


def test_lanes_miss_and_double_tiles() -> None:
    tags = [f"{n:04}" for n in range(2000)]
    lane = LaneErrors(Lanes(missed=0.02, doubled=0.02), random.Random(1))
    read = [tag for passed in tags for tag in lane.passes(passed)]
    times = Counter(read)
    assert sum(times[tag] == 0 for tag in tags) == pytest.approx(40, rel=0.4)
    assert sum(times[tag] == 2 for tag in tags) == pytest.approx(40, rel=0.4)
    first = list(dict.fromkeys(read))
    assert first == sorted(first)  # the first reading gives the place
    assert {abs(read.index(tag) - (len(read) - 1 - read[::-1].index(tag))) for tag in tags if times[tag] == 2} == {1, 2}


def test_lanes_may_read_two_tiles_the_wrong_way_round() -> None:
    lane = LaneErrors(Lanes(swapped=0.05), random.Random(1))
    read = [tag for n in range(500) for tag in lane.passes(f"{n:04}")]
    assert sorted(read)[:-1] == sorted(set(read))[:-1]
    assert read != sorted(read)


def test_what_a_lane_has_still_to_read_is_read_when_the_wall_is_built() -> None:
    """... and not when the next one is."""
    lane = LaneErrors(Lanes(swapped=1.0), random.Random(1))
    assert lane.passes("last") == []
    assert lane.ends() == ["last"]
    assert lane.ends() == []


def test_calls_are_forgotten_late_doubled_and_pressed_at_the_neighbours() -> None:
    now: list[int] = []
    later: list[float] = []
    slips = KeySlips(
        Keys(missing=0.2, late=0.2, doubled=0.1, wrong_seat=0.1),
        random.Random(1),
        lambda seconds, action: later.append(seconds),
    )
    for _ in range(1000):
        slips.press(2, "pung", now.append)
    assert 600 < len(now) < 700
    assert {1, 2, 3} == set(now)
    assert len(later) == pytest.approx(0.8 * (200 + 100), rel=0.2)
    slips.press(0, "dice", now.append)
    assert now[-1] == 0  # what nobody can do without comes through


@pytest.mark.parametrize("rules", ["competition", "tianjin"])
def test_the_same_seed_gives_the_same_reports(rules: str) -> None:
    one, two = (record(load(rules), 7, PROFILES["hard"]) for _ in range(2))
    assert one.reports == two.reports
    assert any(isinstance(report, LanePassed) for report in one.reports)
    assert [report.t for report in one.reports] == sorted(report.t for report in one.reports)


@pytest.mark.parametrize("name", ["wrong_wall_end_draw", "wrong_tile_count_double_draw", "claim_not_carried_out"])
def test_an_offence_is_told_to_the_truth(name: str) -> None:
    table = record(load("mcr"), 3, PROFILES["clean"], offence=OFFENCES[name])
    assert table.offended
    codes = {
        event["code"] for hand in records(table.players.truth.events) for event in hand if event["type"] == "alert"
    }
    assert any(name.startswith(code) for code in codes)
    assert any(isinstance(report, KeyPressed) for report in table.reports)
