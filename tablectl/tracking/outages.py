"""Readers that fall silent: what their antennas would have seen is not known, and nobody may be judged by it.

A zone that was not read for a few periods while others are is out (its reader is unplugged, without power, or busy).
Until it has been read again the tracker tells nothing and accuses nobody; what the other antennas see meanwhile is kept
and weighed together with what the lost ones see first.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Final

from tablectl.base.reports import ZoneRead
from tablectl.tracking.presence import LONG_MEMORY, MEMORY, Presence

#: read periods without a read after which a zone is out
OUT_PERIODS: Final = 2.5
#: reads of a zone that is back before it is believed
BACK_READS: Final = 3
#: seconds after which a zone that stays out is not waited for any more
GIVEN_UP_S: Final = 60.0
#: read periods after an outage of a reader for which everything read meanwhile is looked back at
CATCH_UP_PERIODS: Final = 12.0


class Outages:
    """The zones that are out. ``period``: about how often a zone is read, in seconds."""

    def __init__(self, period: float) -> None:
        self._limit = OUT_PERIODS * period
        #: when each zone was read last
        self._read: dict[str, float] = {}
        #: zones that are back, and the reads still to come
        self._back: dict[str, int] = {}
        #: zones that nobody waits for
        self.given_up: set[str] = set()
        #: before this moment none can be out
        self._look_at = 0.0

    def read(self, zone: str, t: float) -> None:
        """A zone was read."""
        last = self._read.get(zone)
        if zone in self.given_up:
            self.given_up.discard(zone)
            self._back[zone] = BACK_READS
        elif last is not None and t - last > self._limit:
            self._back[zone] = BACK_READS
        if zone in self._back:
            self._back[zone] -= 1
            if not self._back[zone]:
                del self._back[zone]
        self._read[zone] = t

    def saw(self, reads: Sequence[ZoneRead]) -> None:
        """Zones were read, of which none was out."""
        self._read.update([(zone, t) for t, zone, _ in reads])

    def holds(self, t: float) -> bool:
        """Whether at the time ``t`` it is not known what happens in some zone."""
        if t < self._look_at:
            return bool(self._back)
        waited_for = [last for zone, last in self._read.items() if zone not in self.given_up]
        self._look_at = min(waited_for, default=t) + self._limit
        for zone, last in self._read.items():
            if t - last > self._limit and zone not in self.given_up:
                if t - last < GIVEN_UP_S:
                    return True
                self.given_up.add(zone)
                self._back.pop(zone, None)
        return bool(self._back)


class Sight:
    """What is seen of the table, and since when all of it. While a reader is silent the other reads are kept for
    longer, and nothing is learned from them."""

    def __init__(self, presence: Presence, period: float) -> None:
        self._presence = presence
        self._period = period
        self._outages = Outages(period)
        self._held = False
        #: since when it is known again what happens everywhere
        self.seen_since = -inf

    def read(self, zone: str, t: float) -> None:
        """A zone was read."""
        self._outages.read(zone, t)

    def steady(self, t: float) -> bool:
        """Whether all zones were read in turn until the time ``t``."""
        return not (self.lacking or self._outages.holds(t))

    def saw(self, reads: Sequence[ZoneRead]) -> None:
        """Zones were read while the sight was steady."""
        self._outages.saw(reads)

    def holds(self, t: float) -> bool:
        """Whether nothing is told because a reader is silent."""
        holds = self._outages.holds(t)
        if holds and not self._held:
            self._presence.learns = False
            self._presence.remember(LONG_MEMORY)
        elif self._held and not holds:
            self.sees(t)
            self._presence.learns = True
        self._held = holds
        return holds

    def sees(self, t: float) -> None:
        """From the time ``t`` on it is known again what happens everywhere: a reader is back, or the program is."""
        self.seen_since = t

    @property
    def held(self) -> bool:
        """Whether `holds` was true when it was asked last."""
        return self._held

    @property
    def lacking(self) -> bool:
        """Whether it is not known just now what happens in some zone: its reader is silent."""
        return self._held or self.blind

    @property
    def blind(self) -> bool:
        """Whether nobody waits any more for some zone that is out."""
        return bool(self._outages.given_up)

    def caught_up(self, t: float) -> bool:
        """Whether what moved while a reader was silent has been explained, if it can be."""
        return t - self.seen_since > CATCH_UP_PERIODS * self._period

    def blames(self, t: float) -> bool:
        """Whether what lies where it does not belong is anybody's offence, and not a move that no antenna saw."""
        return self.caught_up(t) and not self.blind

    def shorten(self, t: float) -> None:
        """The reads of an outage are not needed any more once all is explained."""
        if self.caught_up(t) and self._presence.memory != MEMORY and not self._held:
            self._presence.remember(MEMORY)
