"""Traces: what the hardware reported, one JSON object a line (docs/trace-format.md), read and checked.

A trace may end in the middle of a line (power cut) or be damaged in transit. Everything before the first broken line
is used; then `TraceError` says what is wrong, where, and what was expected. `trace_log` writes the files.
"""

from __future__ import annotations

import codecs
import gzip
import json
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final

from tablectl.base.reports import (
    DiceRested,
    KeyPressed,
    LanePassed,
    MachineReported,
    RefereeActed,
    Report,
    ZoneRead,
)

VERSION: Final = 1
#: bytes; a header with the tags of two sets takes about 8000
MAX_LINE: Final = 1_000_000
#: problems told at once
MAX_PROBLEMS: Final = 20
#: a reader tells its zones when the round is over: a line may be older than the one before it by so many rounds
LATE_PERIODS: Final = 1.8

WINDS: Final = ("E", "S", "W", "N")
ZONES: Final = frozenset(f"{kind}.{seat}" for kind in ("hand", "meld", "river", "wall") for seat in range(4))
KEYS: Final = frozenset(
    {"dice", "chow", "pung", "kong", "win", "flower", "pass", "call", "ready", "show", "sit", "pull"}
)
MACHINE: Final = frozenset({"raised", "collecting"})
#: acts of a referee, and the keys that each needs
ACTS: Final[Mapping[str, tuple[str, ...]]] = {
    "confirm": (),
    "refuse": (),
    "dead_hand": ("seat",),
    "penalty": ("seat", "points", "to"),
    "correct": ("event", "replaces"),
    "draw_hand": ("reason",),
    "undo": (),
    "pause": (),
    "resume": (),
    "end_game": (),
}

_TILE: Final = re.compile(r"[1-9][mps]|[ESWNCFP]|[a-h]")
#: more tags than the largest set has: there are two sets in the header
_ONE_SET: Final = 152


@dataclass(frozen=True, slots=True)
class TraceHeader:
    """The first line: the situation before the first hand, and what the antennas can say.

    ``first_left``: the first stack built lies at the left-hand end of a side, seen by its player; ``lower_first``: of
    each stack the lower tile passes first. ``period_s``: seconds between two reads of a zone; ``wall_zones``: zones
    ``wall.0`` … exist. ``tags``: tile (in notation) of every tag in play, of both sets where two are used in turn.
    """

    rules: str
    tags: Mapping[str, str]
    options: Mapping[str, Any] = field(default_factory=dict)
    dealer: int = 0
    prevalent: str = "E"
    streak: int = 0
    points: tuple[int, int, int, int] = (0, 0, 0, 0)
    stakes: Mapping[str, Any] = field(default_factory=dict)
    first_left: bool = True
    lower_first: bool = True
    period_s: float = 0.25
    wall_zones: bool = False


@dataclass(frozen=True, slots=True)
class TraceProblem:
    """One thing wrong in a trace. ``line`` counts from 1; 0 where it is the whole file."""

    source: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.source}:{self.line}: {self.text}" if self.line else f"{self.source}: {self.text}"


class TraceError(ValueError):
    """A trace is damaged. ``problems`` in order of lines; everything before the first was usable."""

    def __init__(self, problems: list[TraceProblem]) -> None:
        self.problems: Final = tuple(problems)
        super().__init__("\n".join(map(str, problems)))


class _Wrong(ValueError):
    """What is wrong in the line at hand."""


# --- one line: objects to text


def header_line(header: TraceHeader) -> str:
    """The first line, without its end."""
    return _json(
        {
            "trace": VERSION,
            "rules": header.rules,
            "options": dict(header.options),
            "dealer": header.dealer,
            "prevalent": header.prevalent,
            "streak": header.streak,
            "points": list(header.points),
            "stakes": dict(header.stakes),
            "lanes": {"first": "left" if header.first_left else "right", "lower_first": header.lower_first},
            "zones": {"period_s": header.period_s, "walls": header.wall_zones},
            "tags": dict(header.tags),
        }
    )


def report_line(report: Report) -> str:
    """The line of a report, without its end. Times are written to the microsecond, tags in ascending order."""
    out: dict[str, Any] = {"t": round(report.t, 6)}
    match report:
        case ZoneRead():
            out |= {"zone": report.zone, "tags": sorted(report.tags)}
        case LanePassed():
            out |= {"lane": report.lane, "tag": report.tag}
        case KeyPressed():
            out |= {"key": report.key, "seat": report.seat}
            if report.n is not None:
                out["n"] = report.n
        case DiceRested():
            out["dice"] = list(report.dice)
        case MachineReported():
            out["machine"] = report.machine
        case RefereeActed():
            out["referee"] = dict(report.act)
    return _json(out)


def _json(data: Mapping[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


# --- one line: text to objects


def _object(line: bytes) -> dict[str, Any]:
    if len(line) > MAX_LINE:
        raise _Wrong(f"longer than {MAX_LINE} bytes; expected one report")
    try:
        data = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise _Wrong(f"not UTF-8 at byte {error.start + 1}; expected a JSON object") from None
    except (ValueError, RecursionError) as error:
        if not line.endswith(b"\n"):
            raise _Wrong("the last line is cut off; expected a whole JSON object") from None
        place = f" at column {error.colno}: {error.msg}" if isinstance(error, json.JSONDecodeError) else ""
        raise _Wrong(f"not JSON{place}; expected one JSON object a line") from None
    if not isinstance(data, dict):
        raise _Wrong(f"found {_shown(data)}; expected a JSON object")
    return data


def parse_report(line: str) -> Report:
    """The report of one line (`report_line`). Raises ValueError: it is none."""
    return _parse_report(_object(line.encode()))


def _parse_report(data: dict[str, Any]) -> Report:
    """Raises `_Wrong`. Keys that are not known are ignored."""
    t = data.get("t")
    if type(t) not in (float, int) or not 0 <= t < 1e9:  # type: ignore[operator]
        raise _Wrong(f"t: found {_shown(t)}; expected seconds as a number, 0 or more")
    for kind, make in _KINDS.items():
        if kind in data:
            return make(float(t), data)  # type: ignore[arg-type]
    raise _Wrong(f"found the keys {', '.join(data)}; expected one of {', '.join(_KINDS)}")


def _zone(t: float, data: dict[str, Any]) -> ZoneRead:
    zone, tags = data["zone"], data.get("tags")
    if not isinstance(zone, str) or zone not in ZONES:
        raise _Wrong(f"zone: found {_shown(zone)}; expected hand, meld, river or wall with .0 to .3")
    if not isinstance(tags, list) or not all(isinstance(tag, str) and tag for tag in tags):
        raise _Wrong(f"tags: found {_shown(tags)}; expected a list of tags")
    unique = frozenset(tags)
    if len(unique) != len(tags):
        twice = next(tag for tag, count in Counter(tags).items() if count > 1)
        raise _Wrong(f"tags: {twice} stands twice in one read; expected each tag once")
    return ZoneRead(t, zone, unique)


def _lane(t: float, data: dict[str, Any]) -> LanePassed:
    tag = data.get("tag")
    if not isinstance(tag, str) or not tag:
        raise _Wrong(f"tag: found {_shown(tag)}; expected a tag")
    return LanePassed(t, _seat(data, "lane"), tag)


def _key(t: float, data: dict[str, Any]) -> KeyPressed:
    key, n = data["key"], data.get("n")
    if not isinstance(key, str) or key not in KEYS:
        raise _Wrong(f"key: found {_shown(key)}; expected one of {', '.join(sorted(KEYS))}")
    if (n is not None or key == "pull") and (type(n) is not int or not 0 <= n <= 2):
        raise _Wrong(f"n: found {_shown(n)}; expected 0, 1 or 2")
    return KeyPressed(t, key, _seat(data, "seat"), n)


def _dice(t: float, data: dict[str, Any]) -> DiceRested:
    dice = data["dice"]
    if not isinstance(dice, list) or not 1 <= len(dice) <= 4 or not all(type(d) is int and 1 <= d <= 6 for d in dice):
        raise _Wrong(f"dice: found {_shown(dice)}; expected a list of 1 to 4 numbers from 1 to 6")
    return DiceRested(t, tuple(dice))


def _machine(t: float, data: dict[str, Any]) -> MachineReported:
    machine = data["machine"]
    if not isinstance(machine, str) or machine not in MACHINE:
        raise _Wrong(f"machine: found {_shown(machine)}; expected {' or '.join(sorted(MACHINE))}")
    return MachineReported(t, machine)


def _referee(t: float, data: dict[str, Any]) -> RefereeActed:
    act = data["referee"]
    do = act.get("do") if isinstance(act, dict) else None
    if not isinstance(do, str) or do not in ACTS:
        found = _shown(do if isinstance(act, dict) else act)
        raise _Wrong(f"referee: found {found}; expected do: one of {', '.join(ACTS)}")
    for key in ACTS[do]:
        if key not in act:
            raise _Wrong(f"referee: {do} without {key}; expected {', '.join(ACTS[do])}")
    if act.get("seat") is not None:
        _seat(act, "seat")
    if "points" in act and type(act["points"]) is not int:
        raise _Wrong(f"points: found {_shown(act['points'])}; expected a whole number")
    if "to" in act and act["to"] not in ("each", "nobody", 0, 1, 2, 3, None):
        raise _Wrong(f"to: found {_shown(act['to'])}; expected each, nobody or a seat from 0 to 3")
    if "replaces" in act and type(act["replaces"]) is not int:
        raise _Wrong(f"replaces: found {_shown(act['replaces'])}; expected the number of an event")
    if not isinstance(act.get("event"), dict | None):
        raise _Wrong(f"event: found {_shown(act['event'])}; expected an event or null")
    return RefereeActed(t, act)


def _seat(data: Mapping[str, Any], key: str) -> int:
    seat = data.get(key)
    if type(seat) is not int or not 0 <= seat <= 3:
        raise _Wrong(f"{key}: found {_shown(seat)}; expected a number from 0 to 3")
    return seat


#: by the key that tells what a line is, the commonest first
_KINDS: Final[Mapping[str, Callable[[float, dict[str, Any]], Report]]] = {
    "zone": _zone,
    "lane": _lane,
    "key": _key,
    "dice": _dice,
    "machine": _machine,
    "referee": _referee,
}


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False) if value is not None else "nothing"
    return text if len(text) <= 60 else text[:59] + "…"


# --- the header


def _parse_header(data: dict[str, Any]) -> tuple[TraceHeader | None, list[str]]:
    """The header, or everything that is wrong with it."""
    if data.get("trace") != VERSION:
        return None, [f'trace: found {_shown(data.get("trace"))}; expected the header, {{"trace": {VERSION}, …}}']
    wrong: list[str] = []

    def take(source: dict[str, Any], name: str, default: object, fine: Callable[[Any], bool], expected: str) -> Any:
        value = source.get(name.rpartition(".")[2], default)
        if fine(value):
            return value
        wrong.append(f"{name}: found {_shown(value)}; expected {expected}")
        return default

    def mapping(name: str) -> Any:
        return take(data, name, {}, lambda v: isinstance(v, dict), "an object")

    lanes, zones = mapping("lanes"), mapping("zones")
    header = TraceHeader(
        rules=take(data, "rules", None, lambda v: isinstance(v, str) and v != "", "the id of a rule system"),
        tags=take(data, "tags", None, lambda v: isinstance(v, dict) and v != {}, "an object, tag to tile"),
        options=mapping("options"),
        dealer=take(data, "dealer", 0, lambda v: type(v) is int and 0 <= v <= 3, "a seat from 0 to 3"),
        prevalent=take(data, "prevalent", "E", lambda v: v in WINDS, "E, S, W or N"),
        streak=take(data, "streak", 0, lambda v: type(v) is int and v >= 0, "a whole number, 0 or more"),
        points=tuple(take(data, "points", [0] * 4, _four_numbers, "four whole numbers")),
        stakes=mapping("stakes"),
        first_left=take(lanes, "lanes.first", "left", lambda v: v in ("left", "right"), "left or right") == "left",
        lower_first=take(lanes, "lanes.lower_first", True, lambda v: type(v) is bool, "true or false"),
        period_s=float(take(zones, "zones.period_s", 0.25, _positive, "seconds, more than 0")),
        wall_zones=take(zones, "zones.walls", False, lambda v: type(v) is bool, "true or false"),
    )
    if header.tags:
        wrong += _wrong_tags(header.tags)
    return (None, wrong) if wrong else (header, [])


def _four_numbers(value: object) -> bool:
    return isinstance(value, list) and len(value) == 4 and all(type(number) is int for number in value)


def _positive(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 3600


def _wrong_tags(tags: Mapping[str, Any]) -> list[str]:
    wrong = [
        f"tags: {tag} is {_shown(tile)}; expected a tile: 1m–9m, 1p–9p, 1s–9s, E S W N, C F P or a–h"
        for tag, tile in tags.items()
        if not isinstance(tile, str) or not _TILE.fullmatch(tile)
    ]
    sets = 1 if len(tags) <= _ONE_SET else 2
    for tile, count in Counter(map(str, tags.values())).items():
        most = sets * (1 if tile in "abcdefgh" else 4)
        if _TILE.fullmatch(tile) and count > most:
            wrong.append(f"tags: {count} tags are {tile}; expected {most} at most")
    return wrong


# --- files


class Trace:
    """A trace file (``.gz`` too). ``header`` is read at once; iterating gives the reports from the beginning.

    Raises:
        TraceError: the file cannot be read or its header is wrong; while iterating, after everything before the
            broken line was given.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.header = self._read_header()

    def __iter__(self) -> Iterator[Report]:
        problems: list[TraceProblem] = []
        last = 0.0
        for number, line in self._lines(problems):
            if number == 1 or not line.strip():
                continue
            try:
                report = _parse_report(_object(line))
                if report.t < last - LATE_PERIODS * self.header.period_s:
                    raise _Wrong(f"t: {report.t:g} is before {last:g} of an earlier line; expected times in order")
            except _Wrong as wrong:
                problems.append(TraceProblem(str(self.path), number, str(wrong)))
                if len(problems) >= MAX_PROBLEMS:
                    break
                continue
            last = max(last, report.t)
            if not problems:
                yield report
        if problems:
            raise TraceError(problems)

    def _read_header(self) -> TraceHeader:
        problems: list[TraceProblem] = []
        _, line = next(self._lines(problems), (1, b""))
        line = line.removeprefix(codecs.BOM_UTF8)
        if problems:
            raise TraceError(problems)
        try:
            header, wrong = _parse_header(_object(line)) if line.strip() else (None, ["empty; expected a header"])
        except _Wrong as error:
            header, wrong = None, [str(error)]
        if header is None:
            raise TraceError([TraceProblem(str(self.path), 1, text) for text in wrong])
        return header

    def _lines(self, problems: list[TraceProblem]) -> Iterator[tuple[int, bytes]]:
        """The lines of the file by number; what breaks the file itself is added to ``problems``."""
        number = 0
        try:
            with _opened(self.path) as file:
                while line := file.readline(MAX_LINE + 1):
                    number += 1
                    yield number, line
                    if len(line) > MAX_LINE:
                        return
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            problems.append(TraceProblem(str(self.path), number + 1, f"the compressed file is damaged here: {error}"))
        except OSError as error:
            problems.append(TraceProblem(str(self.path), 0, f"cannot be read: {error.strerror or error}"))


def _opened(path: Path) -> IO[bytes]:
    return gzip.open(path) if path.suffix == ".gz" else path.open("rb")  # type: ignore[return-value]
