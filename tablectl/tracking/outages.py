"""Readers that fall silent: what their antennas would have seen is not known, and nobody may be judged by it.

A zone that was not read for a few periods while others are is out (its reader is unplugged, without power, or busy).
Until it has been read again the tracker tells nothing and accuses nobody; what the other antennas see meanwhile is kept
and weighed together with what the lost ones see first.
"""

from __future__ import annotations

from typing import Final

#: read periods without a read after which a zone is out
OUT_PERIODS: Final = 2.5
#: reads of a zone that is back before it is believed
BACK_READS: Final = 3
#: seconds after which a zone that stays out is not waited for any more
GIVEN_UP_S: Final = 60.0


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
