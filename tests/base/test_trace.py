"""Reading traces: the shipped examples, and everything that may be wrong with a file."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl.base.reports import (
    DiceRested,
    KeyPressed,
    LanePassed,
    MachineReported,
    RefereeActed,
    Report,
    ZoneRead,
)
from tablectl.base.trace import KEYS, ZONES, Trace, TraceError, TraceHeader, header_line, report_line

TRACES = sorted((Path(__file__).parents[1] / "traces").glob("*.trace.jsonl.gz"))
HEADER = header_line(TraceHeader(rules="mcr", tags={"e001": "1m", "e002": "1m"}, points=(500, 500, 500, 500)))


def write(path: Path, *lines: str | bytes, end: bytes = b"\n") -> Path:
    raw = [line.encode() if isinstance(line, str) else line for line in lines]
    path.write_bytes(b"\n".join(raw) + end)
    return path


def read(path: Path) -> tuple[list[Report], list[str]]:
    """What was usable, and the problems (without the file's name)."""
    reports: list[Report] = []
    try:
        for report in Trace(path):
            reports.append(report)
    except TraceError as error:
        return reports, [str(problem).removeprefix(str(path)) for problem in error.problems]
    return reports, []


# --- the examples


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.name.split(".")[0])
def test_the_examples_read_and_write_again_the_same(path: Path) -> None:
    lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    trace = Trace(path)
    header = json.loads(header_line(trace.header))
    for key, value in json.loads(lines[0]).items():
        assert header[key] == (value if key != "zones" else {"walls": False, **value})
    reports = list(trace)
    assert len(reports) == len(lines) - 1
    for line, report in zip(lines[1:], reports, strict=True):
        told, again = json.loads(line), json.loads(report_line(report))
        if "tags" in told:
            told["tags"].sort()
        assert again == told


def test_there_are_six_examples() -> None:
    assert len(TRACES) == 6


def test_a_trace_can_be_read_twice() -> None:
    trace = Trace(TRACES[0])
    assert list(trace) == list(trace)


# --- any report


TAGS = st.text("0123456789abcdef", min_size=1, max_size=24)
SEATS = st.integers(0, 3)
TIMES = st.integers(0, 10**12).map(lambda t: t / 1e6)
REPORTS = st.one_of(
    st.builds(ZoneRead, TIMES, st.sampled_from(sorted(ZONES)), st.frozensets(TAGS)),
    st.builds(LanePassed, TIMES, SEATS, TAGS),
    st.builds(KeyPressed, TIMES, st.sampled_from(sorted(KEYS - {"pull"})), SEATS),
    st.builds(KeyPressed, TIMES, st.just("pull"), SEATS, st.integers(0, 2)),
    st.builds(DiceRested, TIMES, st.lists(st.integers(1, 6), min_size=1, max_size=4).map(tuple)),
    st.builds(MachineReported, TIMES, st.sampled_from(["raised", "collecting"])),
    st.builds(
        RefereeActed,
        TIMES,
        st.sampled_from(
            [
                {"do": "confirm"},
                {"do": "dead_hand", "seat": 2},
                {"do": "penalty", "seat": 0, "points": 20, "to": "each"},
                {"do": "correct", "event": {"type": "dahai"}, "replaces": 40},
                {"do": "correct", "event": None, "replaces": 40},
                {"do": "draw_hand", "reason": "地震"},
            ]
        ),
    ),
)


@given(reports=st.lists(REPORTS, max_size=20))
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, reports: list[Report]) -> None:
    reports.sort(key=lambda report: report.t)
    path = tmp_path_factory.getbasetemp() / "any.trace.jsonl"
    assert read(write(path, HEADER, *map(report_line, reports))) == (reports, [])


@given(cut=st.integers(0, 400), reports=st.lists(REPORTS, min_size=3, max_size=6))
def test_wherever_a_trace_is_cut_all_before_is_used(
    tmp_path_factory: pytest.TempPathFactory, cut: int, reports: list[Report]
) -> None:
    reports.sort(key=lambda report: report.t)
    path = tmp_path_factory.getbasetemp() / "cut.trace.jsonl"
    whole = write(path, HEADER, *map(report_line, reports)).read_bytes()
    begin = len(HEADER) + 1
    path.write_bytes(whole[: begin + cut])
    text = whole[begin : begin + cut].decode(errors="replace")
    complete = text.count("\n")
    rest = text.rpartition("\n")[2]
    found, problems = read(path)
    if rest and complete < len(reports) and rest == report_line(reports[complete]):
        complete, rest = complete + 1, ""  # only the line's end is missing
    assert found == reports[:complete]
    assert len(problems) == (1 if rest else 0)


# --- what may be wrong


GOOD = '{"t":5,"lane":0,"tag":"e001"}'

BROKEN: dict[str, tuple[str | bytes, str]] = {
    "no json": ("t=6 zone=hand.0", "not JSON at column 1: Expecting value; expected one JSON object a line"),
    "zeros from a power cut": (b"\0" * 40, "not JSON at column 1: Expecting value; expected one JSON object a line"),
    "a list": ("[1,2]", "found [1, 2]; expected a JSON object"),
    "deeply nested": ("[" * 100_000, "not JSON; expected one JSON object a line"),
    "a number of 5000 digits": ('{"t":' + "9" * 5000 + "}", "not JSON; expected one JSON object a line"),
    "not utf-8": (b'{"t":6,"key":"\xff"}', "not UTF-8 at byte 15; expected a JSON object"),
    "much too long": ('{"t":6,"zone":"' + "x" * 1_000_000 + '"}', "longer than 1000000 bytes; expected one report"),
    "no t": ('{"lane":0,"tag":"e001"}', "t: found nothing; expected seconds as a number, 0 or more"),
    "t as text": ('{"t":"6","lane":0,"tag":"e001"}', 't: found "6"; expected seconds as a number, 0 or more'),
    "t true": ('{"t":true,"lane":0,"tag":"e001"}', "t: found true; expected seconds as a number, 0 or more"),
    "t below zero": ('{"t":-1,"lane":0,"tag":"e001"}', "t: found -1; expected seconds as a number, 0 or more"),
    "t not a number": ('{"t":NaN,"lane":0,"tag":"e001"}', "t: found NaN; expected seconds as a number, 0 or more"),
    "time runs backwards": (
        '{"t":4.5,"lane":0,"tag":"e001"}',
        "t: 4.5 is before 5 of an earlier line; expected times in order",
    ),
    "nothing known": (
        '{"t":6,"camera":1}',
        "found the keys t, camera; expected one of zone, lane, key, dice, machine, referee",
    ),
    "unknown zone": (
        '{"t":6,"zone":"hand.4","tags":[]}',
        'zone: found "hand.4"; expected hand, meld, river or wall with .0 to .3',
    ),
    "zone as a number": (
        '{"t":6,"zone":3,"tags":[]}',
        "zone: found 3; expected hand, meld, river or wall with .0 to .3",
    ),
    "no tags": ('{"t":6,"zone":"hand.0"}', "tags: found nothing; expected a list of tags"),
    "tags as text": ('{"t":6,"zone":"hand.0","tags":"e001"}', 'tags: found "e001"; expected a list of tags'),
    "a tag as a number": ('{"t":6,"zone":"hand.0","tags":[1]}', "tags: found [1]; expected a list of tags"),
    "a tag twice": (
        '{"t":6,"zone":"hand.0","tags":["e001","e002","e001"]}',
        "tags: e001 stands twice in one read; expected each tag once",
    ),
    "unknown lane": ('{"t":6,"lane":4,"tag":"e001"}', "lane: found 4; expected a number from 0 to 3"),
    "lane true": ('{"t":6,"lane":true,"tag":"e001"}', "lane: found true; expected a number from 0 to 3"),
    "lane without tag": ('{"t":6,"lane":0}', "tag: found nothing; expected a tag"),
    "unknown key": (
        '{"t":6,"key":"hu","seat":0}',
        'key: found "hu"; expected one of call, chow, dice, flower, kong, pass, pull, pung, ready, show, sit, win',
    ),
    "key without seat": ('{"t":6,"key":"win"}', "seat: found nothing; expected a number from 0 to 3"),
    "pull without n": ('{"t":6,"key":"pull","seat":1}', "n: found nothing; expected 0, 1 or 2"),
    "pull three": ('{"t":6,"key":"pull","seat":1,"n":3}', "n: found 3; expected 0, 1 or 2"),
    "seven on a die": ('{"t":6,"dice":[3,7]}', "dice: found [3, 7]; expected a list of 1 to 4 numbers from 1 to 6"),
    "no dice": ('{"t":6,"dice":[]}', "dice: found []; expected a list of 1 to 4 numbers from 1 to 6"),
    "unknown machine": ('{"t":6,"machine":"up"}', 'machine: found "up"; expected collecting or raised'),
    "referee as text": (
        '{"t":6,"referee":"confirm"}',
        'referee: found "confirm"; expected do: one of confirm, refuse, dead_hand, penalty, correct, draw_hand, undo, '
        "pause, resume, end_game",
    ),
    "unknown act": (
        '{"t":6,"referee":{"do":"cancel"}}',
        'referee: found "cancel"; expected do: one of confirm, refuse, dead_hand, penalty, correct, draw_hand, undo, '
        "pause, resume, end_game",
    ),
    "penalty without points": (
        '{"t":6,"referee":{"do":"penalty","seat":1}}',
        "referee: penalty without points; expected seat, points, to",
    ),
    "penalty to whom": (
        '{"t":6,"referee":{"do":"penalty","seat":1,"points":5,"to":"all"}}',
        'to: found "all"; expected each, nobody or a seat from 0 to 3',
    ),
    "half a point": (
        '{"t":6,"referee":{"do":"penalty","seat":1,"points":0.5,"to":2}}',
        "points: found 0.5; expected a whole number",
    ),
    "dead hand of nobody": (
        '{"t":6,"referee":{"do":"dead_hand","seat":"east"}}',
        'seat: found "east"; expected a number from 0 to 3',
    ),
    "correct a text": (
        '{"t":6,"referee":{"do":"correct","event":"dahai","replaces":3}}',
        'event: found "dahai"; expected an event or null',
    ),
    "correct nothing": (
        '{"t":6,"referee":{"do":"correct","event":null,"replaces":"3"}}',
        'replaces: found "3"; expected the number of an event',
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_line_ends_it_there_and_says_what_was_expected(tmp_path: Path, name: str) -> None:
    line, text = BROKEN[name]
    path = write(tmp_path / "x.trace.jsonl", HEADER, GOOD, line, '{"t":7,"dice":[1,2]}')
    assert read(path) == ([LanePassed(5.0, 0, "e001")], [f":3: {text}"])


def test_all_broken_lines_are_told_at_once(tmp_path: Path) -> None:
    path = write(
        tmp_path / "x.trace.jsonl", HEADER, '{"t":1,"machine":"up"}', GOOD, '{"t":2,"dice":[1]}', '{"t":9,"lane":7}'
    )
    reports, problems = read(path)
    assert reports == []
    assert [problem.split(" ")[0] for problem in problems] == [":2:", ":4:", ":5:"]


def test_a_file_of_rubbish_is_not_told_line_by_line(tmp_path: Path) -> None:
    path = write(tmp_path / "x.trace.jsonl", HEADER, *["rubbish"] * 1000)
    assert len(read(path)[1]) == 20


def test_the_last_line_cut_off(tmp_path: Path) -> None:
    path = write(tmp_path / "x.trace.jsonl", HEADER, GOOD, '{"t":6,"zone":"han', end=b"")
    assert read(path) == ([LanePassed(5.0, 0, "e001")], [":3: the last line is cut off; expected a whole JSON object"])


def test_a_last_line_without_its_end_is_whole(tmp_path: Path) -> None:
    assert read(write(tmp_path / "x.trace.jsonl", HEADER, GOOD, end=b"")) == ([LanePassed(5.0, 0, "e001")], [])


def test_unknown_keys_empty_lines_and_foreign_line_ends_are_no_matter(tmp_path: Path) -> None:
    line = b'{"t":5,"lane":0,"tag":"e001","rssi":-60}\r'
    path = write(tmp_path / "x.trace.jsonl", b"\xef\xbb\xbf" + HEADER.encode() + b"\r", b"", line, b"")
    assert read(path) == ([LanePassed(5.0, 0, "e001")], [])


def test_a_compressed_file_cut_off_is_used_as_far_as_it_goes(tmp_path: Path) -> None:
    path = tmp_path / "cut.trace.jsonl.gz"
    path.write_bytes(TRACES[0].read_bytes()[:20_000])
    reports, problems = read(path)
    whole = list(Trace(TRACES[0]))
    assert 1000 < len(reports) < len(whole)
    assert reports == whole[: len(reports)]
    assert len(problems) == 1
    assert problems[0].endswith(
        "the compressed file is damaged here: Compressed file ended before the end-of-stream marker was reached"
    )


def test_what_is_not_compressed_but_says_so(tmp_path: Path) -> None:
    path = write(tmp_path / "x.trace.jsonl.gz", HEADER)
    assert read(path)[1] == [":1: the compressed file is damaged here: Not a gzipped file (b'{\"')"]


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    assert read(tmp_path / "none.trace.jsonl")[1] == [": cannot be read: No such file or directory"]
    assert read(tmp_path)[1] == [": cannot be read: Is a directory"]


# --- the header


def header(**changes: Any) -> str:
    data = json.loads(HEADER) | changes
    return json.dumps({key: value for key, value in data.items() if value is not ...})


SUIT = [f"{rank}{suit}" for suit in "mps" for rank in range(1, 10)]
FULL_SET = [tile for tile in [*SUIT, *"ESWNCFP"] for _ in range(4)] + list("abcdefgh")


def tags(tiles: list[str]) -> dict[str, str]:
    return {f"e0{number:06x}": tile for number, tile in enumerate(tiles)}


HEADERS: dict[str, tuple[str, list[str]]] = {
    "empty": ("", ["empty; expected a header"]),
    "no json": ("trace", ["not JSON at column 1: Expecting value; expected one JSON object a line"]),
    "a report": (GOOD, ['trace: found nothing; expected the header, {"trace": 1, …}']),
    "another version": (header(trace=2), ['trace: found 2; expected the header, {"trace": 1, …}']),
    "no rules": (header(rules=...), ["rules: found nothing; expected the id of a rule system"]),
    "no tags": (header(tags=...), ["tags: found nothing; expected an object, tag to tile"]),
    "tags empty": (header(tags={}), ["tags: found {}; expected an object, tag to tile"]),
    "dealer": (header(dealer=4), ["dealer: found 4; expected a seat from 0 to 3"]),
    "prevalent": (header(prevalent="C"), ['prevalent: found "C"; expected E, S, W or N']),
    "streak": (header(streak=-1), ["streak: found -1; expected a whole number, 0 or more"]),
    "points": (header(points=[1, 2, 3]), ["points: found [1, 2, 3]; expected four whole numbers"]),
    "stakes": (header(stakes=[]), ["stakes: found []; expected an object"]),
    "options": (header(options="none"), ['options: found "none"; expected an object']),
    "lanes": (header(lanes="left"), ['lanes: found "left"; expected an object']),
    "first": (header(lanes={"first": "top"}), ['lanes.first: found "top"; expected left or right']),
    "lower first": (header(lanes={"lower_first": 1}), ["lanes.lower_first: found 1; expected true or false"]),
    "period": (header(zones={"period_s": 0}), ["zones.period_s: found 0; expected seconds, more than 0"]),
    "walls": (header(zones={"walls": "no"}), ['zones.walls: found "no"; expected true or false']),
    "not a tile": (
        header(tags={"e001": "0m", "e002": 5}),
        [
            'tags: e001 is "0m"; expected a tile: 1m–9m, 1p–9p, 1s–9s, E S W N, C F P or a–h',
            "tags: e002 is 5; expected a tile: 1m–9m, 1p–9p, 1s–9s, E S W N, C F P or a–h",
        ],
    ),
    "five of a kind": (header(tags=tags(["5p"] * 5)), ["tags: 5 tags are 5p; expected 4 at most"]),
    "two of a flower": (header(tags=tags(["a", "a"])), ["tags: 2 tags are a; expected 1 at most"]),
    "nine in two sets": (
        header(tags=tags([*FULL_SET, *FULL_SET, "5p"])),
        ["tags: 9 tags are 5p; expected 8 at most"],
    ),
    "several things": (
        header(rules="", dealer="east", points=None),
        [
            'rules: found ""; expected the id of a rule system',
            'dealer: found "east"; expected a seat from 0 to 3',
            "points: found nothing; expected four whole numbers",
        ],
    ),
}


@pytest.mark.parametrize("name", HEADERS)
def test_a_broken_header_tells_everything_that_is_wrong(tmp_path: Path, name: str) -> None:
    line, texts = HEADERS[name]
    path = write(tmp_path / "x.trace.jsonl", line, GOOD)
    assert read(path) == ([], [f":1: {text}" for text in texts])


def test_an_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "x.trace.jsonl"
    path.touch()
    assert read(path) == ([], [":1: empty; expected a header"])


def test_two_sets_in_turn_are_fine(tmp_path: Path) -> None:
    path = write(tmp_path / "x.trace.jsonl", header(tags=tags([*FULL_SET, *FULL_SET])), GOOD)
    assert read(path) == ([LanePassed(5.0, 0, "e001")], [])


def test_what_a_header_leaves_out_has_its_usual_value(tmp_path: Path) -> None:
    path = write(tmp_path / "x.trace.jsonl", '{"trace":1,"rules":"mcr","tags":{"e001":"1m"}}')
    assert Trace(path).header == TraceHeader(rules="mcr", tags={"e001": "1m"})
