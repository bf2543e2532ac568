"""Where every tag is believed to lie, and what the antennas say for and against its having moved.

Nothing is decided here. The tracker moves a tag when it has decided what was played; until then `support` weighs a
possible way of the tag (hand, river, another seat's meld …) against its still lying where it lay, from the last reads of
the zones on that way. One tag lies in one place: that is the conservation of the tiles.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from math import inf

from tablectl.tracking.noise import Noise
from tablectl.tracking.places import AWAY

#: reads of a zone that are looked back at
MEMORY = 20
#: a read that lacks this part of the tags (and at least 3) failed as a whole: its silence says nothing ...
BLACKOUT_PART = 0.6
#: ... unless that many such reads come in a row
BLACKOUT_RUN = 3

Read = tuple[float, frozenset[str], bool]
_NOTHING: frozenset[str] = frozenset()


@dataclass(slots=True)
class Zone:
    """One antenna zone: the tags believed to lie there, its last reads, what does not fit."""

    tags: set[str] = field(default_factory=set)
    #: time, tags that answered, whether the read failed as a whole
    reads: deque[Read] = field(default_factory=lambda: deque(maxlen=MEMORY))
    count: int = 0
    #: reads since the noise was last told, all of them as believed
    quiet: int = 0
    last: frozenset[str] = _NOTHING
    blackouts: int = 0
    #: tags that lie there and are silent, tags that answer and lie elsewhere; with the length of the run
    missing: dict[str, int] = field(default_factory=dict)
    strange: dict[str, int] = field(default_factory=dict)
    #: the last read was exactly what is believed
    calm: bool = True


@dataclass(frozen=True, slots=True)
class Way:
    """How well a way explains the reads: log-likelihood against staying, and when the tag came to its end."""

    support: float
    arrived: float


class Presence:
    """Beliefs and evidence for all tags of a hand."""

    def __init__(self, noise: Noise, period: float) -> None:
        self.noise = noise
        self.period = period
        self.zones: dict[str, Zone] = {}
        self.home: dict[str, str] = {}
        self._since: dict[str, float] = {}
        self._looked: dict[str, int] = {}
        self._ways: dict[tuple[object, ...], Way] = {}

    def zone(self, name: str) -> Zone:
        zone = self.zones.get(name)
        if zone is None:
            zone = self.zones[name] = Zone()
        return zone

    def lies(self, tag: str) -> str:
        return self.home.get(tag, AWAY)

    # --- reading

    def read(self, name: str, t: float, tags: frozenset[str]) -> bool:
        """Take in one inventory. True where it holds something that the beliefs do not explain."""
        zone = self.zones.get(name) or self.zone(name)
        zone.count += 1
        if zone.calm and (tags is zone.last or tags == zone.last):
            zone.reads.append((t, tags, False))
            zone.quiet += 1
            return False
        self._ways.clear()
        zone.last = tags
        missing = zone.tags - tags
        strange = tags - zone.tags
        blackout = len(missing) >= 3 and len(missing) > BLACKOUT_PART * len(zone.tags)
        zone.blackouts = zone.blackouts + 1 if blackout else 0
        blackout = blackout and zone.blackouts < BLACKOUT_RUN
        zone.reads.append((t, tags, blackout))
        if zone.missing:
            for tag in [tag for tag in zone.missing if tag in tags]:
                self.noise.missed(name, tag, zone.missing.pop(tag))
        if zone.strange:
            for tag in [tag for tag in zone.strange if tag not in tags]:
                self.noise.ghosted(self.lies(tag), name, tag, zone.strange.pop(tag))
        if not blackout:
            for tag in missing:
                zone.missing[tag] = zone.missing.get(tag, 0) + 1
        for tag in strange:
            zone.strange[tag] = zone.strange.get(tag, 0) + 1
        self.noise.looked(name, len(zone.tags) * (zone.quiet + 1))
        zone.quiet = 0
        zone.calm = not missing and not strange
        return not zone.calm

    @property
    def unsettled(self) -> bool:
        """Whether any zone's last read was not what is believed."""
        return any(not zone.calm for zone in self.zones.values())

    # --- moving

    def place(self, tag: str, name: str, t: float) -> None:
        """Believe from now on that ``tag`` lies in ``name``, since time ``t``."""
        old = self.zones.get(self.home.get(tag, ""))
        if old is not None:
            old.tags.discard(tag)
            old.missing.pop(tag, None)
            old.calm = False
        zone = self.zone(name)
        zone.tags.add(tag)
        zone.strange.pop(tag, None)
        zone.calm = False
        self.home[tag] = name
        self._since[tag] = t
        self._looked[tag] = zone.count
        self._ways.clear()

    def clear(self) -> None:
        """The tiles left the table. What was learned about the antennas stays."""
        self.zones.clear()
        self.home.clear()
        self._since.clear()
        self._looked.clear()
        self._ways.clear()

    # --- weighing

    def way(self, tag: str, *places: str, until: float = inf) -> Way:
        """Weigh that ``tag`` went from where it is believed to lie through ``places`` and lies in the last one now,
        having come there by the time ``until``.

        Between two places it may have been in the air. The likelihood is that of the best times of leaving and
        arriving (Viterbi over the reads of the zones concerned).
        """
        key = (tag, until, *places)
        found = self._ways.get(key)
        if found is None:
            found = self._ways[key] = self._weigh(tag, places, until)
        return found

    def _weigh(self, tag: str, places: tuple[str, ...], until: float) -> Way:
        home = self.lies(tag)
        stops = (home, *places)
        since = self._since.get(tag, 0.0)
        home_zone = self.zones.get(home)
        looked = home_zone.count - self._looked.get(tag, 0) if home_zone else 0
        size = len(home_zone.tags) if home_zone else 0
        reads: list[tuple[float, int, bool, bool, float]] = []
        hits: list[tuple[float, int]] = []
        weights = []
        names: list[str] = []
        for name in dict.fromkeys(stops):
            zone = self.zones.get(name)
            if zone is None or not zone.reads:
                continue
            index = len(names)
            names.append(name)
            weights.append(self.noise.weights(tag, home, size, name, zone.count, looked))
            was, before = name == home, since
            for t, tags, blackout in zone.reads:
                if t >= since:
                    hit = tag in tags
                    if hit or not blackout:
                        reads.append((t, index, hit, was, before))
                        was, before = hit, t
                        if hit:
                            hits.append((t, index))
        reads.sort()
        # zone index of every stop, and the stops of every zone
        at = [names.index(stop) if stop in names else -1 for stop in stops]
        states = 2 * len(stops) - 1  # even: at a stop, odd: in the air on the way to the next one
        scores = [0.0] + [-inf] * (states - 1)
        times: list[tuple[float, ...]] = [()] * states
        stay = 0.0
        closed = False
        for t, index, hit, was, before in reads:
            w = weights[index]
            if not closed:
                closed = t > until
                for state in range(1, states):  # leave, or arrive, just before this read
                    if scores[state - 1] >= scores[state]:
                        scores[state] = scores[state - 1]
                        times[state] = (*times[state - 1], min(t, until))
                if closed:
                    scores[:-1] = [-inf] * (states - 1)
            # a ghost often answers instead of the tag where it lies: then one error explains both readings
            silent = 0.0 if hit else w.instead if self._elsewhere(hits, t, index) else w.miss
            if at[0] == index:
                stay += w.hit if hit else silent if was else max(silent, w.miss_run)
            elif hit:
                stay += w.ghost_run if was else w.ghost
            for state in range(states):
                if state % 2 == 0 and at[state // 2] == index:
                    if hit:
                        scores[state] += w.hit
                    else:
                        run = not was and (state == 0 or before >= times[state][-1])
                        scores[state] += max(silent, w.miss_run) if run else silent
                elif hit:
                    left = -1.0
                    for stop in range((state + 1) // 2):
                        if at[stop] == index:
                            left = times[state][2 * stop]
                    scores[state] += w.ghost_run if was and before >= left else w.ghost
        end = min(until, reads[-1][0] if reads else since)
        for state in range(1, states):
            if not closed and scores[state - 1] >= scores[state]:
                scores[state] = scores[state - 1]
                times[state] = (*times[state - 1], end)
        return Way(scores[-1] - stay, times[-1][-1])

    def _elsewhere(self, hits: list[tuple[float, int]], t: float, index: int) -> bool:
        """Whether the tag answered in another of the zones within the round of time ``t``."""
        return any(zone != index and abs(at - t) < self.period for at, zone in hits)
