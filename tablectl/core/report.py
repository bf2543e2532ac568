"""What a table tells of itself: cycles, faults, slow mechanisms, bad tags and how well antennas read, over some days.

All of it comes from the journal's facts and events (`core.logbook` and the machine's upkeep); nothing in it tells which
tile lay where.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from tablectl.app import UPKEEP
from tablectl.base.faults import catalogue
from tablectl.base.journal import Entry
from tablectl.core.logbook import FAULT, READING
from tablectl.core.resume import BEGUN, ENDED

#: a mechanism is slow when its mean travel time has grown by so much over the days
SLOWER: Final = 1.15
#: a zone reads badly when it misses so much of what lies in it
MISSES: Final = 0.05
#: a fault comes often when it comes so often
OFTEN: Final = 3


@dataclass(frozen=True, slots=True)
class FaultCount:
    """How often a fault came, and where most often."""

    code: str
    title_zh: str
    title_en: str
    times: int
    where: str


@dataclass(frozen=True, slots=True)
class Travel:
    """Mean seconds of a mechanism in the first and in the last cycle of these days."""

    name: str
    first_s: float
    last_s: float

    @property
    def slower(self) -> bool:
        return self.last_s > SLOWER * self.first_s


@dataclass(frozen=True, slots=True)
class Zone:
    """An antenna zone: rounds, and the share of tags missed in them."""

    name: str
    rounds: int
    missed: float


@dataclass
class Report:
    """The days from ``since`` to ``until`` (seconds since 1970). ``look_at``: what a person should see to, in words."""

    since: float
    until: float
    matches: int = 0
    hands: int = 0
    cycles: int = 0
    cycles_ever: int = 0
    motor_hours: dict[str, float] = field(default_factory=dict)
    starts: int = 0
    cut_off: int = 0
    retried: int = 0
    faults: list[FaultCount] = field(default_factory=list)
    travel: list[Travel] = field(default_factory=list)
    zones: list[Zone] = field(default_factory=list)
    #: by tag: the hands in which it was missed too often
    bad_tags: dict[str, int] = field(default_factory=dict)
    alerts: dict[str, int] = field(default_factory=dict)
    looks: int = 0
    look_at: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def report(
    events: Iterable[Entry], facts: Iterable[Entry], since: float, until: float, names: Mapping[str, str]
) -> Report:
    """What happened between two times; ``names``: the tile of each tag, for people."""
    made = Report(since, until)
    _events(made, (entry for entry in events if since <= entry.wall <= until))
    kept = [entry for entry in facts if entry.wall <= until]
    _facts(made, [entry for entry in kept if entry.wall >= since])
    _upkeep(made, [entry for entry in kept if entry.type == UPKEEP])
    made.look_at = list(_look_at(made, names))
    return made


def _events(made: Report, events: Iterable[Entry]) -> None:
    alerts: Counter[str] = Counter()
    for entry in events:
        made.matches += entry.type == "start_game"
        made.hands += entry.type == "end_kyoku"
        if entry.type == "alert":
            alerts[str(entry.data["code"])] += 1
    made.alerts = dict(alerts.most_common())


def _facts(made: Report, facts: Sequence[Entry]) -> None:
    faults: dict[str, Counter[str]] = {}
    zones: dict[str, list[int]] = {}
    bad: Counter[str] = Counter()
    running = False
    for entry in facts:
        if entry.type == BEGUN:
            made.starts += 1
            made.cut_off += running
            running = True
        elif entry.type == ENDED:
            running = False
        elif entry.type == FAULT:
            faults.setdefault(entry.data["code"], Counter())[entry.data["where"]] += 1
        elif entry.type == READING:
            for name, counts in entry.data["zones"].items():
                zones[name] = [a + b for a, b in zip(zones.get(name, [0, 0, 0]), counts, strict=True)]
            bad.update(entry.data["bad"].keys())
        elif entry.type == "machine_retried":
            made.retried += 1
        elif entry.type == "looked":
            made.looks += 1
    made.faults = sorted((_count(code, where) for code, where in faults.items()), key=lambda f: (-f.times, f.code))
    made.zones = [
        Zone(name, rounds, round(missed / (answers + missed), 4) if answers else 0.0)
        for name, (rounds, answers, missed) in sorted(zones.items())
    ]
    made.bad_tags = dict(bad.most_common())


def _count(code: str, where: Counter[str]) -> FaultCount:
    kind = catalogue().get(code)
    zh, en = (kind.texts[language].title if kind else code for language in ("zh", "en"))
    return FaultCount(code, zh, en, where.total(), where.most_common(1)[0][0])


def _upkeep(made: Report, kept: Sequence[Entry]) -> None:
    """From what the machine told of its counters: the last before these days, and those in them."""
    before = next((entry for entry in reversed(kept) if entry.wall < made.since), None)
    during = [entry for entry in kept if entry.wall >= made.since]
    if not during:
        return
    first, last = (before or during[0]).data["kept"], during[-1].data["kept"]
    made.cycles_ever = last["cycles"]
    made.cycles = last["cycles"] - (first["cycles"] if before else 0)
    made.motor_hours = {
        name: round((seconds - (first["run_seconds"].get(name, 0.0) if before else 0.0)) / 3600, 2)
        for name, seconds in last["run_seconds"].items()
    }
    made.travel = [
        Travel(name, round(_mean(first["times"][name]), 2), round(_mean(times), 2))
        for name, times in last["times"].items()
        if times and first["times"].get(name)
    ]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _look_at(made: Report, names: Mapping[str, str]) -> Iterable[str]:
    for fault in made.faults:
        if fault.times >= OFTEN:
            place = f", most often at {fault.where}" if fault.where else ""
            yield f"{fault.code} {fault.title_en} came {fault.times} times{place}"
    for travel in made.travel:
        if travel.slower:
            yield f"{travel.name} takes {travel.last_s:g} s, {travel.first_s:g} s before: clean and grease its guides"
    for zone in made.zones:
        if zone.missed > MISSES:
            yield f"zone {zone.name} misses {zone.missed:.0%} of its tags: tune the antenna, look at its plug"
    for tag, hands in made.bad_tags.items():
        if hands >= OFTEN:
            yield f"tag {tag} ({names.get(tag, 'of no known tile')}) was read badly in {hands} hands: change this tile"
    if made.cut_off:
        yield f"the program ended {made.cut_off} times unasked: power, or a crash (journalctl -u tablectl)"
