"""What the table keeps for the report of the week: faults as they come and go, and how well its antennas read.

Faults and, once a hand, the counts of the antennas are facts of the journal (`core.report` reads them).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from tablectl.app import Core
from tablectl.base.faults import FaultCleared, FaultRaised
from tablectl.base.reports import ZoneRead
from tablectl.game import events as ev

FAULT: Final = "fault"
FAULT_ENDED: Final = "fault_ended"
READING: Final = "reading"
#: tags are named that were missed in so many of a zone's rounds
BAD_SHARE: Final = 0.1
#: at most so many of them a hand
NAMED: Final = 5


class Quality:
    """How well antennas read, judged without knowing the truth: a tag that answers before and after a round of its
    zone, but not in it, was missed."""

    def __init__(self) -> None:
        #: by zone: rounds, answers, missed
        self.zones: dict[str, list[int]] = {}
        #: by tag and zone: how often it was missed
        self.missed: Counter[tuple[str, str]] = Counter()
        self._before: dict[str, tuple[frozenset[str], frozenset[str]]] = {}

    def take(self, reads: Sequence[ZoneRead]) -> None:
        """Rounds of zones."""
        for _, zone, tags in reads:
            counts = self.zones.get(zone)
            if counts is None:
                counts = self.zones[zone] = [0, 0, 0]
                self._before.setdefault(zone, (tags, tags))
            counts[0] += 1
            counts[1] += len(tags)
            last, before = self._before[zone]
            if tags is last is before:
                continue
            self._before[zone] = (tags, last)
            if last != before and (gap := (before & tags) - last):
                counts[2] += len(gap)
                self.missed.update((tag, zone) for tag in gap)

    def bad(self) -> dict[str, float]:
        """The tags missed most, with the share of rounds in which they were."""
        shares = {tag: count / self.zones[zone][0] for (tag, zone), count in self.missed.most_common(NAMED)}
        return {tag: round(share, 3) for tag, share in shares.items() if share >= BAD_SHARE}

    def clear(self) -> None:
        """Count anew; what the zones read last is still known."""
        self.zones = {}  # the counts given away stay as they are
        self.missed = Counter()


class Logbook:
    """Keeps the facts of one core."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self.quality = Quality()
        core.readings = self.quality.take
        core.bus.subscribe(FaultRaised, self._raised)
        core.bus.subscribe(FaultCleared, self._ended)
        core.bus.subscribe(ev.HandEnded, self._hand_ended)
        for fault in core.faults.active:  # those that were there before the first report
            self._raised(FaultRaised(fault))

    def _raised(self, raised: FaultRaised) -> None:
        fault = raised.fault
        severity = fault.severity.value
        self._core.journal.note(FAULT, code=fault.code, where=fault.where, severity=severity, detail=fault.detail)

    def _ended(self, cleared: FaultCleared) -> None:
        fault = cleared.fault
        stood = round(self._core.clock.now() - fault.t, 1)
        self._core.journal.note(FAULT_ENDED, code=fault.code, where=fault.where, by=cleared.by, stood_s=stood)

    def _hand_ended(self, _: ev.HandEnded) -> None:
        quality = self.quality
        self._core.journal.note(READING, zones=quality.zones, bad=quality.bad())
        quality.clear()
