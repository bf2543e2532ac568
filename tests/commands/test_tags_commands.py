"""``tablectl tags`` and ``replay --explain``: registers, seen tags, how well antennas read, what spoke for what."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tablectl.app import shipped
from tablectl.base.faults import DeviceError
from tablectl.base.reports import LanePassed, MachineReported, ZoneRead
from tablectl.base.trace_log import TraceFile
from tablectl.cli import app
from tablectl.rules.registry import load
from tablectl.sim.noise import PROFILES
from tablectl.sim.observed import ObservedTable, record
from tablectl.sim.world import ZONES
from tablectl.tiles.enrol import STEADY, Enrolment
from tablectl.tiles.sets import TILE_SETS
from tablectl.tiles.tags import TagRegister, load_register, save_register
from tablectl.tiles.tile import Tile
from tablectl.tracking.quality import measure

RUNNER = CliRunner()
CONFIG = str(shipped("config", "sim.yaml"))


@pytest.fixture(scope="module")
def played() -> ObservedTable:
    """A hand at a table whose antennas err as usual."""
    return record(load("beijing"), 3, PROFILES["normal"])


@pytest.fixture(scope="module")
def trace(played: ObservedTable, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("traces") / "hand.trace.jsonl"
    assert played.header is not None
    with TraceFile(path, played.header) as file:
        for report in played.reports:
            file.write(report)
    return path


def run(*arguments: object, code: int = 0) -> str:
    result = RUNNER.invoke(app, list(map(str, arguments)), env={"COLUMNS": "200"})
    assert result.exit_code == code, result.output
    return result.output


# --- quality


def test_quality_finds_the_rates_of_the_antennas(played: ObservedTable) -> None:
    found = measure(played.reports)
    reads = sum(counts.reads for counts in found.zones.values())
    assert reads > 10_000
    assert sum(counts.missed for counts in found.zones.values()) / reads == pytest.approx(0.02, rel=0.3)
    assert sum(counts.ghosts for counts in found.zones.values()) / reads == pytest.approx(0.003, rel=0.6)


def test_quality_names_a_bad_tag_and_a_bad_zone(played: ObservedTable, tmp_path: Path) -> None:
    """A tag that misses every third round, a zone that misses every fifth tag."""
    assert played.header is not None
    reads = [report for report in played.reports if isinstance(report, ZoneRead)]
    bad = min(reads[len(reads) // 2].tags | reads[len(reads) // 2 + 1].tags | reads[len(reads) // 2 + 2].tags)
    path = tmp_path / "bad.trace.jsonl"
    with TraceFile(path, played.header) as file:
        for n, report in enumerate(reads):
            turn = n // len(ZONES)
            gone = {bad} if turn % 3 == 0 else set()
            if report.zone == "river.2":
                gone |= {tag for tag in report.tags if (int(tag, 16) + turn) % 5 == 0}
            file.write(ZoneRead(report.t, report.zone, report.tags - gone))
    told = json.loads(run("tags", "quality", path, "--json", code=1))
    assert bad in told["look_at"]
    assert "river.2" in told["look_at"]
    assert "river.1" not in told["look_at"]
    words = run("tags", "quality", path, code=1)
    assert f"LOOK AT 请检查: {bad}" in words


def test_a_tag_that_answers_across_an_edge_is_a_ghost_there() -> None:
    reads = [ZoneRead(0.5 * n, "hand.0", frozenset({"aa"})) for n in range(100)]
    reads += [ZoneRead(0.5 * n + 0.1, "meld.0", frozenset({"aa"} if n % 10 == 0 else ())) for n in range(100)]
    found = measure(reads)
    assert (found.tags["aa"].reads, found.tags["aa"].missed, found.tags["aa"].ghosts) == (100, 0, 10)
    assert found.zones["meld.0"].reads == 0


def test_a_tag_that_moved_was_not_missed() -> None:
    reads = [ZoneRead(0.5 * n, "hand.0", frozenset({"aa"} if n < 50 else ())) for n in range(100)]
    reads += [ZoneRead(0.5 * n + 0.1, "river.0", frozenset({"aa"} if n >= 52 else ())) for n in range(100)]
    found = measure(reads)
    assert found.zones["hand.0"].reads == 50
    assert found.zones["river.0"].reads == 48
    assert sum(counts.missed + counts.ghosts for counts in found.zones.values()) == 0


# --- check and list


def test_check_of_a_whole_trace_is_fine(trace: Path) -> None:
    assert "every tile is there once (136 tiles)" in run("tags", "check", trace, "--config", CONFIG)


def test_check_says_which_tile_is_missing_and_which_is_foreign(played: ObservedTable, tmp_path: Path) -> None:
    assert played.header is not None
    path = tmp_path / "short.trace.jsonl"
    passed = [report for report in played.reports if isinstance(report, LanePassed)]
    with TraceFile(path, played.header) as file:
        for report in [LanePassed(0.0, 0, "e0ffffffffffffff"), *passed[1:], MachineReported(40.0, "raised")]:
            file.write(report)
    found = json.loads(run("tags", "check", path, "--json", "--config", CONFIG, code=1))
    assert {finding["fault"] for finding in found} == {"unknown_tag", "tag_lost"}
    missing = next(finding for finding in found if finding["fault"] == "tag_lost")
    assert missing["uid"] == passed[0].tag
    assert missing["tile"] == played.world.kinds[passed[0].tag].code


def register(path: Path, tags: dict[str, Tile]) -> Path:
    save_register(TagRegister({"green": tags}), path)
    return path


def whole_set(rules: str = "competition") -> dict[str, Tile]:
    return {f"e004{n:012x}": tile for n, tile in enumerate(load(rules).tile_set.tiles())}


def test_list_and_check_of_a_register(tmp_path: Path) -> None:
    path = register(tmp_path / "tiles.yaml", whole_set())
    assert "144 tags" in run("tags", "list", "--tiles", path)
    assert "every tile is there once" in run("tags", "check", "--tiles", path, "--config", CONFIG)
    tags = whole_set()
    del tags[f"e004{0:012x}"]
    path = register(tmp_path / "short.yaml", tags)
    assert "set green: tags of 1m 一万: 3, expected 4" in run(
        "tags", "check", "--tiles", path, "--config", CONFIG, code=1
    )


def test_a_set_that_is_not_registered_is_misuse(tmp_path: Path) -> None:
    path = register(tmp_path / "tiles.yaml", whole_set())
    said = run("tags", "check", "--tiles", path, "--config", CONFIG, "--set", "blue", code=2)
    assert "expected one of green" in said


# --- enrolling


class LaidDown:
    """The devices of a table on one zone of which a person lays the tiles that are asked for; the zone belongs to the
    second reader. Takes the place of `drivers.hardware.HardwareTable`."""

    def __init__(self, wiring: Any, _safe: object, sets: dict[str, Any], *_: object) -> None:
        assert sets == {}  # none is known yet
        self.wiring = wiring
        self.readers = [LostReader("seat1", "hand.1", []), FakeReader("seat0", "hand.0", kinds_in_order())]
        LaidDown.last = self

    last: LaidDown
    closed = False

    async def open(self) -> None: ...

    async def close(self) -> None:
        self.closed = True


def kinds_in_order() -> list[frozenset[str]]:
    new = uids(144)
    kinds = sorted(TILE_SETS["144"].counts.items())
    return [frozenset(next(new) for _ in range(count)) for _, count in kinds]


class FakeReader:
    def __init__(self, name: str, zone: str, laid: list[frozenset[str]]) -> None:
        self.name = name
        self.zone = zone
        self.laid = laid
        self.opened = False

    async def open(self) -> None:
        self.opened = True

    async def close(self) -> None:
        self.opened = False

    async def inventories(self) -> AsyncIterator[tuple[ZoneRead, ...]]:
        if not self.opened:
            raise DeviceError(self.name, "/dev/tablectl/reader", "is not open")
        for tags in self.laid:
            for _ in range(STEADY):
                await asyncio.sleep(0)
                yield (ZoneRead(0.0, self.zone, tags),)
        while True:  # a reader never ends
            await asyncio.sleep(0)
            yield (ZoneRead(0.0, self.zone, frozenset()),)


class LostReader(FakeReader):
    """Not plugged in; nobody lays anything there."""

    async def open(self) -> None:
        raise DeviceError(self.name, "/dev/tablectl/reader", "is not there")


def test_a_new_table_enrols_its_first_set_on_the_zone_of_any_reader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tablectl.drivers.hardware.HardwareTable", LaidDown)
    register = tmp_path / "tiles.yaml"
    words = ("tags", "enroll", "green", "--tiles", register, "--config", shipped("config", "table.yaml"))
    assert run(*words).endswith(f"set green: complete, 144 tags in {register}\n")
    assert LaidDown.last.closed
    assert load_register(register).check_set("green", TILE_SETS["144"]) == []
    assert not any(reader.opened for reader in LaidDown.last.readers)
    assert "no zone" in run(*words, "--zone", "kitchen", code=2)
    assert "is not there" in run(*words, "--again", "--zone", "hand.1", code=1)
    said = run(*words, "--again", "--zone", "wall.0", code=1)
    assert "--zone wall.0: no reader of readers.yaml has it; expected one of hand.0, " in said


def test_a_register_that_cannot_be_written_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tablectl.drivers.hardware.HardwareTable", LaidDown)
    register = tmp_path / "nowhere" / "tiles.yaml"
    said = run("tags", "enroll", "green", "--tiles", register, "--config", shipped("config", "table.yaml"), code=2)
    assert f"{register.name}.new: No such file or directory" in said


def lay(enrolment: Enrolment, *tags: str, reads: int = STEADY) -> list[str]:
    return [said for _ in range(reads) if (said := enrolment.take(tags)) is not None]


def uids(count: int) -> Iterator[str]:
    return (f"e004{n:012x}" for n in range(count))


def test_a_set_is_enrolled_kind_by_kind() -> None:
    tile_set = TILE_SETS["144"]
    enrolment = Enrolment(TagRegister({}), "green", tile_set)
    new = uids(144)
    while (due := enrolment.due) is not None:
        tile, count = due
        said = lay(enrolment, *(next(new) for _ in range(count)))
        assert len(said) == 1
        assert said[0].startswith(tile.code)
    assert enrolment.result().check_set("green", tile_set) == []


def test_too_few_and_too_many_tiles_are_told_and_nothing_is_written() -> None:
    enrolment = Enrolment(TagRegister({}), "green", TILE_SETS["136"])
    few, many = list(uids(3)), list(uids(5))
    assert "3 new tags answer, 4 are due" in lay(enrolment, *few)[0]
    assert "take away what is no 1m" in lay(enrolment, *many)[0]
    assert enrolment.enrolled == 0


def test_a_tag_that_answers_now_and_then_is_waited_for() -> None:
    enrolment = Enrolment(TagRegister({}), "green", TILE_SETS["136"])
    tags = list(uids(4))
    for _ in range(5):
        assert lay(enrolment, *tags, reads=STEADY - 1) == []
        assert lay(enrolment, *tags[:3], reads=1) == []
    assert len(lay(enrolment, *tags)) == 1


def test_tags_of_another_set_are_refused_and_those_enrolled_are_kept() -> None:
    tags = list(uids(8))
    known = TagRegister({"blue": dict.fromkeys(tags[:4], Tile(0)), "green": dict.fromkeys(tags[4:], Tile(0))})
    enrolment = Enrolment(known, "green", TILE_SETS["136"])
    assert enrolment.due == (Tile(1), 4)
    assert "belong to set blue" in lay(enrolment, *tags[:4])[0]
    again = Enrolment(known, "green", TILE_SETS["136"], again=True)
    assert again.due == (Tile(0), 4)


# --- explain


def test_explain_tells_the_sequence_believed_and_the_one_next_to_it(trace: Path, played: ObservedTable) -> None:
    moves: list[Any] = [event for hand in played.truth for event in hand if event["type"] == "dahai"]
    fifth = moves[5]
    said = run("replay", trace, "--explain", fifth["t"] + 4.0)
    assert f"seat {fifth['actor']} discard {fifth['pai']}, odds" in said
    assert "nothing happened" in said
    assert "hand.0:" in said
    before = run("replay", trace, "--explain", 0.5)
    assert "no hand is being played" in before
