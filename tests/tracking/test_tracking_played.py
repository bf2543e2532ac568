"""Whole hands through antennas that err: the record is what was played."""

from __future__ import annotations

from dataclasses import replace

import pytest
from made_up_hands import CLEAN, HARD, NORMAL, Noise, Player, pipeline, read, understood

from tablectl.base.reports import ZoneRead
from tablectl.game.events import Alerted, TileDiscarded, TileDrawn
from tablectl.game.record import differences, records
from tablectl.rules.registry import load
from tablectl.tiles.tile import Tile
from tablectl.tracking import noise
from tablectl.tracking.alerts import Watch
from tablectl.tracking.places import HAND
from tablectl.tracking.presence import Presence
from tablectl.tracking.replay import replay

RULES = load("competition")


@pytest.mark.parametrize(("noise", "seed"), [(CLEAN, 12), (NORMAL, 3), (NORMAL, 36), (HARD, 7), (HARD, 138)])
def test_record_is_exact(noise: Noise, seed: int) -> None:
    played = Player(RULES, seed, noise).play()
    assert differences(understood(played, RULES, noise, seed)[0], played.truth[0]) == []


def test_hands_of_a_match_follow_from_the_rules() -> None:
    played = Player(RULES, 301, NORMAL).play(hands=2)
    found = understood(played, RULES, NORMAL, 301)
    assert len(found) == 2
    assert [differences(*pair) for pair in zip(found, played.truth, strict=True)] == [[], []]


@pytest.mark.parametrize("offence", ["early_draw", "missing_draw", "double_draw", "wrong_end"])
def test_offence_is_seen_and_not_explained_away(offence: str) -> None:
    seed = 4
    played = Player(RULES, seed, NORMAL, offences=(offence,)).play()
    codes = {event["code"] for event in played.truth[0] if event["type"] == "alert"}
    assert codes  # the hand contains the offence
    assert differences(understood(played, RULES, NORMAL, seed)[0], played.truth[0]) == []


def test_lanes_that_miss_and_double_tiles_do_not_matter() -> None:
    noise = replace(NORMAL, lane_missed=2, lane_doubled=2)
    played = Player(RULES, 5, noise).play()
    assert differences(understood(played, RULES, noise, 5)[0], played.truth[0]) == []


def test_hand_is_followed_without_any_lane() -> None:
    played = Player(RULES, 6, CLEAN).play()
    reports = [report for report in read(played, CLEAN, 6) if not hasattr(report, "lane")]
    line = pipeline(played, RULES, CLEAN)
    replay(line, reports)
    record = records(line.table.events)[0]
    moves = [event for event in record if event["type"] in ("dahai", "chi", "pon", "hora", "ryukyoku")]
    true = [event for event in played.truth[0] if event["type"] in ("dahai", "chi", "pon", "hora", "ryukyoku")]
    assert [(m["type"], m.get("actor"), m.get("pai")) for m in moves] == [
        (m["type"], m.get("actor"), m.get("pai")) for m in true
    ]


def test_strange_tag_is_told_once() -> None:
    played = Player(RULES, 1, CLEAN).play()
    line = pipeline(played, RULES, CLEAN)
    for report in read(played, CLEAN, 1):
        if isinstance(report, ZoneRead) and report.zone == "river.1" and report.t > 60:
            report = ZoneRead(report.t, report.zone, report.tags | {"e0ffffffffffffff"})
        replay(line, [report])
    told = [event for event in line.table.events if isinstance(event, Alerted)]
    assert [(event.code, event.seat) for event in told] == [("unknown_tag", 1)]


def test_two_tiles_with_one_tag_are_told_once() -> None:
    played = Player(RULES, 1, CLEAN).play()
    twin = next(tag for _, tag, place in played.world.moves if place == HAND[0])
    line = pipeline(played, RULES, CLEAN)
    for report in read(played, CLEAN, 1):
        if isinstance(report, ZoneRead) and report.zone == "river.2" and 60 < report.t < 90:
            report = ZoneRead(report.t, report.zone, report.tags | {twin})
        replay(line, [report])
    told = [event for event in line.table.events if isinstance(event, Alerted)]
    assert [(event.code, event.seat) for event in told] == [("duplicate_tile", 2)]
    assert told[0].detail.endswith("and in river.2")


def test_a_tile_that_lies_elsewhere_and_answers_once_from_its_hand_is_no_second_one() -> None:
    """A winner has laid his hand open before him, and a tile at the edge answers in the other zone now and then."""
    presence = Presence(noise.Noise(), 0.25)
    watch = Watch({"a": Tile.EAST})
    presence.place("a", "hand.0", 0.0)
    told = []
    for n in range(40):
        presence.read("hand.0", n * 0.25, frozenset("a" if n % 7 == 6 else ()))
        presence.read("meld.0", n * 0.25 + 0.1, frozenset("a"))
        told += watch.twice(n * 0.25 + 0.1, "meld.0", presence.zones["meld.0"], presence)
    assert told == []


def test_a_tile_too_many_of_a_kind_passes_the_lanes() -> None:
    watch = Watch(dict.fromkeys("abcde", Tile.EAST))
    (suspect,) = watch.composition(5.0, "abcde", RULES.tile_set)
    assert (suspect.code, suspect.seat, suspect.detail) == ("duplicate_tile", None, "E+1")


def test_tile_whose_tag_dies_is_followed_and_told() -> None:
    played = Player(RULES, 12, NORMAL).play()
    deal = next(tag for _, tag, place in played.world.moves if place == HAND[2])
    died_at = 70.0
    line = pipeline(played, RULES, NORMAL)
    for report in read(played, NORMAL, 12):
        if isinstance(report, ZoneRead) and report.t > died_at:
            report = ZoneRead(report.t, report.zone, report.tags - {deal})
        replay(line, [report])
    told = [event.code for event in line.table.events if isinstance(event, Alerted)]
    assert told.count("tag_lost") == 1


def test_steps_are_told_soon() -> None:
    """Half of the draws and discards within 1.5 read periods, all but 1 % within 6."""
    played = Player(RULES, 8, NORMAL).play()
    line = pipeline(played, RULES, NORMAL)
    told: list[float] = []
    for report in read(played, NORMAL, 8):
        told += [report.t for event in replay(line, [report]) if isinstance(event, (TileDrawn, TileDiscarded))]
    true = [event["t"] for event in played.truth[0] if event["type"] in ("tsumo", "dahai")]
    delays = sorted((a - b) / NORMAL.period_s for a, b in zip(told, true, strict=True))
    assert delays[len(delays) // 2] <= 1.5
    assert delays[int(len(delays) * 0.99)] <= 6.0
