"""The report of the week: what it counts, what it tells a person to look at, and how antennas are judged."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from typer.testing import CliRunner

from tablectl.base.clock import VIRTUAL_START, HandClock
from tablectl.base.journal import Journal
from tablectl.base.reports import ZoneRead
from tablectl.cli import app
from tablectl.core.logbook import BAD_SHARE, Quality
from tablectl.core.report import Report, report

DAY = 86_400.0
BAD_TAG = "e004015000a1b2ff"


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """Two weeks of a table whose dome gets slow, whose second zone reads badly, and that lost its power once."""
    clock = HandClock()
    with Journal(tmp_path / "journal.sqlite", clock) as kept:
        for day in range(14):
            clock.set(day * DAY)
            kept.note("begun")
            kept.append([{"type": "start_game", "rules": "competition"}])
            for _ in range(4):
                kept.append([{"type": "start_kyoku"}, {"type": "end_kyoku", "scores": [0] * 4, "deltas": [0] * 4}])
                zones = {"hand.0": [100, 1300, 13], "hand.1": [100, 1300, 130]}
                kept.note("reading", zones=zones, bad={BAD_TAG: 0.3} if day == 10 else {})
            kept.append([{"type": "alert", "code": "tag_lost", "seat": None}])
            kept.note("fault", code="H02", where="head.2" if day % 2 else "head.1", severity="stop", detail="")
            times = {"dome_up": [1.5 + 0.05 * day] * 3, "tray.0_home": [3.0]}
            run_s = {"dome_motor": 3600.0 * (day + 1)}
            kept.note("upkeep", kept={"cycles": 4 * (day + 1), "run_seconds": run_s, "times": times, "done": {}})
            kept.note("machine_retried", cause="jam", where="head.1", detail="", number=1)
            if day != 9:
                kept.note("ended")
    return tmp_path / "journal.sqlite"


def made(journal: Path, since: float, until: float) -> Report:
    with Journal(journal, HandClock(), read_only=True) as kept:
        names = {BAD_TAG: "3m of set green"}
        return report(kept.read(), kept.facts(), VIRTUAL_START + since, VIRTUAL_START + until, names)


def test_the_second_week(journal: Path) -> None:
    week = made(journal, 6.5 * DAY, 13.5 * DAY)
    assert (week.matches, week.hands) == (7, 28)
    assert (week.cycles, week.cycles_ever) == (28, 56)
    assert week.motor_hours == {"dome_motor": 7.0}
    assert (week.starts, week.cut_off, week.retried) == (7, 1, 7)
    (fault,) = week.faults
    assert (fault.code, fault.times, fault.where) == ("H02", 7, "head.2")
    assert (fault.title_en, bool(fault.title_zh)) == ("A head is jammed", True)
    assert {zone.name: zone.missed for zone in week.zones} == {"hand.0": 0.0099, "hand.1": 0.0909}
    assert week.alerts == {"tag_lost": 7}
    assert week.bad_tags == {BAD_TAG: 4}
    travel = {travel.name: (travel.first_s, travel.last_s, travel.slower) for travel in week.travel}
    assert travel == {"dome_up": (1.8, 2.15, True), "tray.0_home": (3.0, 3.0, False)}
    assert week.look_at == [
        "H02 A head is jammed came 7 times, most often at head.2",
        "dome_up takes 2.15 s, 1.8 s before: clean and grease its guides",
        "zone hand.1 misses 9% of its tags: tune the antenna, look at its plug",
        f"tag {BAD_TAG} (3m of set green) was read badly in 4 hands: change this tile",
        "the program ended 1 times unasked: power, or a crash (journalctl -u tablectl)",
    ]


def test_the_first_day_and_a_week_in_which_nobody_played(journal: Path) -> None:
    first = made(journal, 0, 0.5 * DAY)
    assert (first.cycles, first.motor_hours, first.look_at[:1]) == (
        4,
        {"dome_motor": 1.0},
        ["zone hand.1 misses 9% of its tags: tune the antenna, look at its plug"],
    )
    idle = made(journal, 100 * DAY, 107 * DAY)
    assert (idle.hands, idle.cycles, idle.faults, idle.zones, idle.look_at) == (0, 0, [], [], [])


def run(*words: object) -> Any:
    return CliRunner().invoke(app, ["report", *map(str, words)])


def test_the_command(journal: Path, tmp_path: Path) -> None:
    config = tmp_path / "none.yaml"
    words = ("--journal", journal, "--config", config, "--days", 36_500)
    told = run(*words)
    assert told.exit_code == 1
    assert "fault H02 A head is jammed / 机头卡牌: 14 times" in told.output
    assert "LOOK AT: tag " in told.output
    kept = run(*words, "--json", "--keep", tmp_path / "reports")
    (file,) = (tmp_path / "reports").iterdir()
    assert json.loads(file.read_text()) == json.loads(kept.output)
    assert json.loads(kept.output)["hands"] == 56
    quiet = run("--journal", journal, "--config", config, "--days", 1)
    assert (quiet.exit_code, "nothing to look at" in quiet.output) == (0, True)


# --- how antennas are judged


@pytest.mark.parametrize("missed", [0.0, 0.02, 0.2])
def test_the_share_that_is_missed_is_found_without_the_truth(missed: float) -> None:
    random, quality = Random(1), Quality()
    tags = [f"e0040150{n:08x}" for n in range(13)]
    for n in range(4000):
        answered = frozenset(tag for tag in tags if random.random() >= missed)
        quality.take([ZoneRead(n / 4, "hand.0", answered)])
    rounds, answers, gaps = quality.zones["hand.0"]
    # a tag missed twice in a row is taken for one that went and came: a few are not counted
    assert gaps / (answers + gaps) == pytest.approx(missed * (1 - missed) ** 2, abs=0.02)
    assert rounds == 4000
    assert quality.bad() == {} or missed > BAD_SHARE


def test_one_bad_tag_is_named() -> None:
    random, quality = Random(1), Quality()
    tags = [f"e0040150{n:08x}" for n in range(13)]
    for n in range(1000):
        quality.take([ZoneRead(n, "hand.2", frozenset(t for t in tags if t != tags[3] or random.random() > 0.4))])
    assert set(quality.bad()) == {tags[3]}
    quality.clear()
    assert (quality.zones, quality.bad()) == ({}, {})


def test_tiles_that_come_and_go_are_not_missed() -> None:
    quality = Quality()
    for n in range(0, 100, 2):
        quality.take([ZoneRead(n, "river.0", frozenset({f"{n:08x}"}))])
        quality.take([ZoneRead(n + 1, "river.0", frozenset({f"{n:08x}"}))])
    assert quality.zones["river.0"][2] == 0
