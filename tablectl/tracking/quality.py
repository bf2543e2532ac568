"""How well antennas and tags read, judged afterwards from all reads of a trace, without knowing what was played.

A tag lay in a zone from its first to its last answer there, as long as no gap between two answers was longer than
`LONGEST_GAP` reads; reads without an answer in between missed it. An answer in a zone while the tag lay in another one
is a ghost there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from tablectl.base.reports import ZoneRead

#: reads without an answer after which a tag is thought to have left
LONGEST_GAP: Final = 8
#: answers that make a stay
FEWEST: Final = 3


@dataclass
class Counts:
    """Reads of tags that lay there, those that missed them, and answers of tags that lay elsewhere."""

    reads: int = 0
    missed: int = 0
    ghosts: int = 0

    @property
    def miss_rate(self) -> float:
        return self.missed / self.reads if self.reads else 0.0

    @property
    def ghost_rate(self) -> float:
        """Answers elsewhere, for each read of a tag."""
        return self.ghosts / self.reads if self.reads else 0.0


@dataclass
class Quality:
    """By zone (``rounds``: how often it was read) and by tag."""

    zones: dict[str, Counts] = field(default_factory=dict)
    tags: dict[str, Counts] = field(default_factory=dict)
    rounds: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Stay:
    """Answers of one tag in one zone without a long gap: read numbers, times, how many."""

    zone: str
    first: int
    last: int
    begin: float
    end: float
    answers: int

    @property
    def reads(self) -> int:
        return self.last - self.first + 1


def measure(reports: Iterable[object]) -> Quality:
    """The quality of the zone reads among ``reports``."""
    found = Quality()
    answers: dict[str, dict[str, list[tuple[int, float]]]] = defaultdict(lambda: defaultdict(list))
    for report in reports:
        if isinstance(report, ZoneRead):
            number = found.rounds[report.zone] = found.rounds.get(report.zone, 0) + 1
            for tag in report.tags:
                answers[tag][report.zone].append((number, report.t))
    for tag, zones in answers.items():
        stays = [stay for zone, times in zones.items() for stay in _stays(zone, times)]
        counts = found.tags[tag] = Counts()
        for stay in stays:
            zone = found.zones.setdefault(stay.zone, Counts())
            if _is_ghost(stay, stays):
                zone.ghosts += stay.answers
                counts.ghosts += stay.answers
            else:
                zone.reads += stay.reads
                zone.missed += stay.reads - stay.answers
                counts.reads += stay.reads
                counts.missed += stay.reads - stay.answers
    return found


def _stays(zone: str, times: list[tuple[int, float]]) -> Iterator[_Stay]:
    begin = 0
    for n in range(1, len(times) + 1):
        if n == len(times) or times[n][0] - times[n - 1][0] > LONGEST_GAP:
            first, last = times[begin], times[n - 1]
            yield _Stay(zone, first[0], last[0], first[1], last[1], n - begin)
            begin = n


def _is_ghost(stay: _Stay, stays: list[_Stay]) -> bool:
    """Whether the tag lay in another zone meanwhile: one where it answered more densely."""
    density = stay.answers / stay.reads
    for other in stays:
        meanwhile = min(stay.end, other.end) - max(stay.begin, other.begin)
        covers = meanwhile >= 0.5 * (stay.end - stay.begin) and other.answers >= FEWEST
        if other.zone != stay.zone and covers and (stay.answers < FEWEST or density < other.answers / other.reads):
            return other.answers > stay.answers
    return False
