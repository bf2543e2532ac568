"""The file of readers: every shipped one is loaded, every mistake is told with its place, all at once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from reader_frames import CODECS
from reader_rigs import ZONED

from tablectl.base.clock import LoopClock
from tablectl.documents import DocumentError
from tablectl.drivers.readers.config import ZONES, load, make
from tablectl.drivers.readers.registry import FAMILIES
from tablectl.sim.reading import NEIGHBOURS

ROOT = Path(__file__).parents[2]
SHIPPED = sorted((ROOT / "hardware").rglob("readers/*.yaml")) + sorted((ROOT / "hardware").glob("*/readers.yaml"))

GOOD = {"name": "east", "driver": "hf_anyid_7e55", "port": "/dev/tablectl/reader-0", "antennas": {1: "hand.0"}}
LANE = {"lane": 0, "driver": "hf_anyid_7e55", "port": "/dev/tablectl/lane-0"}


def problems(tmp_path, *readers: dict, **changes) -> list[str]:
    """What is wrong with these readers; where none is given, with a good one that is changed."""
    path = tmp_path / "readers.yaml"
    sections = list(readers) or [{key: value for key, value in (GOOD | changes).items() if value is not None}]
    text = json.dumps({"readers": sections})
    path.write_text(text.replace('"0":', "0:").replace('"7":', "7:").replace('"1":', "1:").replace('"2":', "2:"))
    try:
        load(path)
    except DocumentError as error:
        return [problem.message for problem in error.problems]
    return []


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_shipped_file_is_loaded(path):
    readers, lanes = make(load(path), LoopClock())
    assert readers or lanes
    assert len({device.name for device in (*readers, *lanes)}) == len(readers) + len(lanes)


def test_every_family_has_a_shipped_file_an_emulator_and_published_frames():
    files = {path.stem for path in SHIPPED if path.parent.name == "readers"}
    assert files == set(FAMILIES) == set(ZONED)
    codecs = {module.__name__.rpartition(".")[2] for module in CODECS.values()}
    assert codecs == {family.__module__.rpartition(".")[2] for family in FAMILIES.values()}
    assert all(family.title == name for name, family in FAMILIES.items())


def test_the_reference_table_has_all_zones_and_lanes():
    readers, lanes = make(load(ROOT / "hardware" / "reference-4port" / "readers.yaml"), LoopClock())
    zones = [
        zone for section in load(ROOT / "hardware/reference-4port/readers.yaml") for zone in section.antennas.values()
    ]
    assert sorted(zones) == sorted(zone for zone in ZONES if not zone.startswith("wall"))
    assert [lane.side for lane in lanes] == [0, 1, 2, 3]
    assert [lane.name for lane in lanes] == ["lane.0", "lane.1", "lane.2", "lane.3"]
    assert [reader.name for reader in readers] == ["seat0", "seat1", "seat2", "seat3"]


def test_zones_are_those_of_the_table():
    assert set(ZONES) == set(NEIGHBOURS)


def test_defaults_are_those_of_the_family(tmp_path):
    path = tmp_path / "readers.yaml"
    path.write_text(
        "readers:\n"
        "  - {name: a, driver: uhf_reader288, port: /dev/x, antennas: {1: hand.0}}\n"
        "  - {lane: 3, driver: uhf_m100, port: /dev/y}\n"
        "  - {lane: 1, driver: hf_metratec_ascii, port: /dev/z, antenna: 5, tag_prefixes: [e007], baud: 9600}\n"
    )
    (reader,), (first, second) = make(load(path), LoopClock())
    assert reader.family.setup.line.baud == 57_600
    assert reader.family.setup.period_s == 0.25
    assert (first.side, second.side) == (1, 3)
    assert first.family.setup.antennas == (5,)
    assert first.family.setup.line.baud == 9600
    assert second.family.setup.antennas == (1,)
    assert second.family.setup.period_s == 0


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"driver": "hf_anyid"}, "readers[0].driver: found 'hf_anyid', expected one of uhf_m100"),
        ({"driver": "hf_anyid"}, "did you mean 'hf_anyid_7e55'?"),
        ({"antennas": {0: "hnad.0"}}, "expected a zone: hand.0 … wall.3; did you mean 'hand.0'?"),
        ({"port": "ttyUSB0"}, "found 'ttyUSB0', expected a device file (/dev/tablectl/…) or socket://host:port"),
        ({"name": None}, "readers[0].name: this key is missing"),
        ({"name": "Ost Tisch"}, "readers[0].name"),
        ({"antennas": None}, "expected antennas (for zones) or lane (for a lane), one of the two"),
        ({"lane": 2}, "expected antennas (for zones) or lane (for a lane), one of the two"),
        ({"driver": "uhf_m100", "antennas": {2: "hand.0"}}, "uhf_m100 has no antenna 2; expected 1"),
        ({"driver": "uhf_reader288", "antennas": {0: "hand.0"}}, "uhf_reader288 has no antenna 0; expected 1 to 8"),
        ({"power_dbm": 20}, "hf_anyid_7e55 takes no power from here; set it with the maker's program"),
        ({"driver": "uhf_m100", "antennas": {1: "hand.0"}, "power_dbm": 99}, "found 99, expected 5 to 30 dBm"),
        (
            {"driver": "uhf_reader288", "antennas": {1: "hand.0", 2: "meld.0"}, "power_dbm": {1: 5, 2: 9}},
            "uhf_reader288 has one power for all antennas",
        ),
        ({"driver": "uhf_reader288", "antennas": {1: "hand.0"}, "power_dbm": {7: 5}}, "antenna 7 is not used"),
        (
            {"driver": "uhf_reader288", "antennas": {1: "hand.0"}, "code": {"block": 1}},
            "uhf_reader288 does not read the memory of tags",
        ),
        ({"absence": {"river.0": {"reads": 2}}}, "this reader has no zone river.0"),
        ({"absence": {"reads": 0}}, "absence"),
        ({"options": {"scna": "query"}}, "readers[0].options: scna: unknown key; did you mean 'scan'?"),
        ({"options": {"scan": "all"}}, "expected 'query', 'one_by_one', 'repeated_index' or 'leading_list'"),
        ({"baud": 12}, "baud"),
        ({"speed": 9600}, "readers[0].speed: unknown key"),
    ],
)
def test_a_mistake_is_told(tmp_path, changes, said):
    found = problems(tmp_path, **changes)
    assert any(said in text for text in found), found


def test_what_two_readers_share_is_told(tmp_path):
    found = problems(tmp_path, GOOD, GOOD | {"antennas": {1: "hand.0", 2: "river.0"}}, LANE, LANE | {"port": "/dev/q"})
    assert found == [
        "readers[1].name: east belongs to readers[0] already",
        "readers[1].port: /dev/tablectl/reader-0 belongs to readers[0] already",
        "readers[1].antennas: hand.0 belongs to readers[0] already",
        "readers[3].lane: 0 belongs to readers[2] already",
    ]


def test_all_mistakes_at_once_with_their_places(tmp_path):
    path = tmp_path / "readers.yaml"
    path.write_text(
        "readers:\n"
        "  - name: east\n"
        "    driver: uhf_m100\n"
        "    port: /dev/a\n"
        "    antennas: {4: hand.0}\n"
        "    options: {q: 99}\n"
        "  - lane: 0\n"
        "    driver: nobody\n"
        "    port: /dev/b\n"
    )
    with pytest.raises(DocumentError) as caught:
        load(path)
    assert [(problem.line, problem.column) for problem in caught.value.problems] == [(5, 5), (6, 18), (8, 5)]


def test_the_file_itself(tmp_path):
    assert "readers" in problems(tmp_path, "x")[0]
    with pytest.raises(DocumentError, match="cannot be read"):
        load(tmp_path / "nothing.yaml")
