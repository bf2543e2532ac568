"""Where every tag is believed to lie, and what the antennas say for and against its having moved.

Nothing is decided here. The tracker moves a tag when it has decided what was played; until then `Presence.way` weighs a
possible way of the tag (hand, river, another seat's meld …) against its still lying where it lay, from the last reads
of the zones on that way. One tag lies in one place: that is the conservation of the tiles.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from itertools import islice
from math import inf

from tablectl.base.reports import ZoneRead
from tablectl.tracking.noise import Noise
from tablectl.tracking.places import AWAY
from tablectl.tracking.weighing import Chain, Read, Way, looks_at, moving, staying

#: reads of a zone that are looked back at; so many where it was not known for a while what happened in another one
MEMORY = 14
LONG_MEMORY = 80
#: a read that lacks this part of the tags (and at least 3) failed as a whole: its silence says nothing ...
BLACKOUT_PART = 0.6
#: ... unless that many such reads come in a row
BLACKOUT_RUN = 3

#: a tag that answered so often where it lies had not left before
SURE_HITS = 2
#: ... and one that was told to have come there did come
SURE_READS = 5
#: a tag silent for so many reads may be damaged
LOST_READS = 12
#: ... and reads in a row elsewhere that show it to be well
ELSEWHERE_READS = 3
#: read periods after the time it was told for, until which a move may have come to its end
LATE_READS = 2.0
#: reads that are the last ones
LATELY = 3
#: reads that are enough to look at where a tag has not answered at all
FEW = 5

_NOTHING: frozenset[str] = frozenset()


@dataclass(slots=True)
class Zone:
    """One antenna zone: the tags believed to lie there, its last reads, what does not fit."""

    #: the last ones: time, tags that answered, whether the read failed as a whole
    reads: deque[Read]
    tags: set[str] = field(default_factory=set)
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


class Presence:
    """Beliefs and evidence for all tags of a hand."""

    def __init__(self, noise: Noise, period: float) -> None:
        self.noise = noise
        self.period = period
        self.zones: dict[str, Zone] = {}
        #: those with tags that are missing or strange
        self.unfit: dict[str, Zone] = {}
        #: the places of every tag: where it surely lay, and what was told of it since; the last is where it lies
        self._trails: dict[str, tuple[str, ...]] = {}
        #: since when it lay in the first of them, and when it came to the last
        self._since: dict[str, float] = {}
        self._arrived: dict[str, float] = {}
        self._looked: dict[str, int] = {}
        #: ways weighed before, by tag and places
        self._chains: dict[tuple[str, ...], Chain] = {}
        self._reads = 0
        #: how many reads of a zone are kept
        self.memory = MEMORY
        #: not known what happens in some zone: nothing is learned about the antennas
        self.learns = True

    def zone(self, name: str) -> Zone:
        zone = self.zones.get(name)
        if zone is None:
            zone = self.zones[name] = Zone(deque(maxlen=self.memory))
        return zone

    def remember(self, reads: int) -> None:
        """Keep so many reads of every zone from now on."""
        self.memory = reads
        for zone in self.zones.values():
            zone.reads = deque(zone.reads, reads)

    def lies(self, tag: str) -> str:
        trail = self._trails.get(tag)
        return trail[-1] if trail else AWAY

    def came_from(self, tag: str) -> str:
        """The place from which ``tag`` was told to have come, while that may still be called in question; else ""."""
        trail = self._trails.get(tag, ())
        return trail[-2] if len(trail) > 1 else ""

    def answered(self, tag: str, name: str) -> bool:
        """Whether one of the last reads of ``name`` brought ``tag``."""
        return self._last_answer(tag, name, LATELY) > -inf

    def went(self, tag: str, home: str, name: str, lately: int) -> bool:
        """Whether the last of ``lately`` reads of ``name`` that brought ``tag`` came after all of ``home`` that did."""
        return self._last_answer(tag, name, lately) > self._last_answer(tag, home, lately)

    def _last_answer(self, tag: str, name: str, lately: int) -> float:
        zone = self.zones.get(name)
        reads = () if zone is None else islice(reversed(zone.reads), lately)
        return next((t for t, tags, _ in reads if tag in tags), -inf)

    def answers_mostly(self, tag: str, name: str) -> bool:
        """Whether more than half of the reads of ``name`` that are kept brought ``tag``."""
        zone = self.zones.get(name)
        return zone is not None and 2 * sum(tag in tags for _, tags, _ in zone.reads) > len(zone.reads)

    def lay_there(self, tag: str, t: float) -> bool:
        """Whether ``tag`` had come to where it lies before the time ``t``."""
        return self._arrived.get(tag, 0.0) <= t

    def stayed(self, tag: str) -> float:
        """Until when ``tag`` surely lay where it lies: it answered there again after that (seconds; 0: not known)."""
        zone = self.zones.get(self.lies(tag))
        return 0.0 if zone is None else _surely_there(tag, zone)

    def lost(self, tag: str) -> bool:
        """Whether ``tag`` has been silent so long, where it lies and elsewhere, that its silence says nothing."""
        zone = self.zones.get(self.lies(tag))
        if zone is None or zone.missing.get(tag, 0) < LOST_READS:
            return False
        return not any(other.strange.get(tag, 0) >= ELSEWHERE_READS for other in self.unfit.values())

    def answers(self, tag: str) -> bool:
        """Whether the last read of any zone brought ``tag``."""
        return any(tag in zone.last for zone in self.zones.values())

    # --- reading

    def read(self, name: str, t: float, tags: frozenset[str]) -> bool:
        """Take in one inventory. True where it holds something that the beliefs do not explain."""
        zone = self.zones.get(name) or self.zone(name)
        self._reads += 1
        zone.count += 1
        if zone.calm and tags == zone.last:
            zone.reads.append((t, tags, False))
            zone.quiet += 1
            return False
        zone.last = tags
        missing = zone.tags - tags
        strange = tags - zone.tags
        blackout = len(missing) >= 3 and len(missing) > BLACKOUT_PART * len(zone.tags)
        zone.blackouts = zone.blackouts + 1 if blackout else 0
        blackout = blackout and zone.blackouts < BLACKOUT_RUN
        zone.reads.append((t, tags, blackout))
        if zone.missing:
            for tag in [tag for tag in zone.missing if tag in tags]:
                run = zone.missing.pop(tag)
                if self.learns:
                    self.noise.missed(name, tag, run)
        if zone.strange:
            for tag in [tag for tag in zone.strange if tag not in tags]:
                run = zone.strange.pop(tag)
                if self.learns:
                    self.noise.ghosted(self.lies(tag), name, tag, run)
        if not blackout:
            for tag in missing:
                zone.missing[tag] = zone.missing.get(tag, 0) + 1
        for tag in strange:
            zone.strange[tag] = zone.strange.get(tag, 0) + 1
        self.noise.looked(name, len(zone.tags) * (zone.quiet + 1))
        zone.quiet = 0
        zone.calm = not missing and not strange
        self._sort(name, zone)
        return not zone.calm

    def same(self, reads: Sequence[ZoneRead]) -> int:
        """Take in the inventories at the head of ``reads`` that are what was read before, and what is believed; how
        many of them."""
        zones, taken = self.zones, 0
        for t, name, tags in reads:
            zone = zones.get(name)
            if zone is None or not zone.calm or tags != zone.last:
                break
            zone.reads.append((t, tags, False))
            zone.count += 1
            zone.quiet += 1
            taken += 1
        self._reads += taken
        return taken

    def _sort(self, name: str, zone: Zone) -> None:
        if zone.missing or zone.strange:
            self.unfit[name] = zone
        else:
            self.unfit.pop(name, None)

    def stirs(self, name: str, open_tags: Set[str]) -> bool:
        """Whether the last read of a zone says that something may have moved: a tag answers elsewhere, or is silent
        again and again. Only tags that can move in play count: those of hands and wall, and ``open_tags``."""
        zone = self.zones[name]
        for tag in zone.strange:
            if tag in open_tags or self.lies(tag).startswith(("hand", "wall")):
                return True
        movable = name.startswith("hand")
        return any(run > 1 and (movable or tag in open_tags) for tag, run in zone.missing.items())

    # --- moving

    def place(self, tag: str, name: str, t: float) -> None:
        """``tag`` surely lies in ``name``, since time ``t``."""
        self._move(tag, name, t)
        self._trails[tag] = (name,)
        self._since[tag] = self._arrived[tag] = t

    def follow(self, tag: str, name: str, t: float) -> None:
        """``tag`` is told to have come to ``name`` at time ``t``; `back` takes that back, `settle` makes it sure."""
        self._move(tag, name, t)
        self._trails[tag] = (*self._trails[tag], name)
        self._arrived[tag] = t

    def back(self, tag: str, name: str, t: float) -> None:
        """What was told last of ``tag`` was wrong: it still lies in ``name``. Where that was settled since, it came
        back there at time ``t``."""
        trail = self._trails[tag]
        if len(trail) > 1 and trail[-2] == name:
            self._move(tag, name, self._since[tag])
            self._trails[tag] = trail[:-1]
        else:
            self.place(tag, name, t)

    def sure(self, tag: str) -> bool:
        """Whether ``tag`` answered so often in a row where it is told to lie that this is not called in question."""
        zone = self.zones.get(self.lies(tag))
        if zone is None or len(zone.reads) < SURE_READS:
            return False
        arrived = self._arrived.get(tag, 0.0)
        return all(tag in zone.reads[-n][1] and zone.reads[-n][0] >= arrived for n in range(1, SURE_READS + 1))

    def settle(self, tag: str) -> None:
        """What was told of ``tag`` is not called in question any more."""
        if len(self._trails[tag]) == 1:
            return
        self._trails[tag] = self._trails[tag][-1:]
        self._since[tag] = self._arrived[tag]
        self._chains.clear()

    def _move(self, tag: str, name: str, t: float) -> None:
        left = self.lies(tag)
        old = self.zones.get(left)
        if old is not None:
            self._looked_at(tag, old)
            old.tags.discard(tag)
            old.missing.pop(tag, None)
            if tag in old.last:
                old.strange[tag] = 1
            old.calm = False
            self._sort(left, old)
        zone = self.zone(name)
        zone.tags.add(tag)
        zone.strange.pop(tag, None)
        run = 0
        for at, tags, blackout in reversed(zone.reads):
            if tag in tags or at < t:
                break
            run += not blackout
        if run:
            zone.missing[tag] = run
        zone.calm = False
        self._sort(name, zone)
        self._looked[tag] = zone.count
        self._chains.clear()  # seldom enough

    def _looked_at(self, tag: str, zone: Zone) -> None:
        """``tag`` leaves ``zone``."""
        self.noise.lay(tag, zone.count - self._looked.get(tag, zone.count))

    def clear(self) -> None:
        """The tiles left the table. What was learned about the antennas stays."""
        for zone in self.zones.values():
            for tag in zone.tags:
                self._looked_at(tag, zone)
        for memory in (self.zones, self.unfit, self._trails, self._since, self._arrived, self._looked, self._chains):
            memory.clear()

    # --- weighing

    def way(self, tag: str, *places: str, until: float = inf) -> Way:
        """Weigh that ``tag`` went on through ``places`` from where it is believed to lie, and came to the last one by
        the time ``until``.

        Between two places it may have been in the air. The likelihood is that of the best times of leaving and
        arriving (Viterbi over the reads of the zones concerned).
        """
        key = (tag, *places)
        found = self._chains.get(key)
        if found is None or found.asked != self._reads:
            found = self._chains[key] = self._chain(tag, places, found)
        return found.way(until)

    def _chain(self, tag: str, places: tuple[str, ...], before: Chain | None) -> Chain:
        """What is to be weighed of a way; ``before``, where none of its zones was read since."""
        trail = self._trails.get(tag, (AWAY,))
        chain = (*trail, *places)
        read = sum([zone.count for name in chain if (zone := self.zones.get(name))])
        if before is not None and before.read == read:
            before.asked = self._reads
            return before
        first, home = trail[0], trail[-1]
        since = self._since.get(tag, 0.0)
        home_zone = self.zones.get(home)
        looked = size = 0
        if home_zone is not None:
            looked, size = home_zone.count - self._looked.get(tag, 0), len(home_zone.tags)
            if len(trail) == 1:
                since = max(since, _surely_there(tag, home_zone))
        reads = {}
        for name in chain:
            zone = self.zones.get(name)
            if zone is not None and zone.reads:
                reads[name] = _since(zone.reads, since)
        nowhere = first not in reads
        begun = 0.0
        unread: float | None = None
        if nowhere:
            # silence before the first answer says nothing where the first place is not read
            begun = min([each[0] for some in reads.values() for each in some if tag in each[1]], default=inf)
            if begun == inf and len(trail) == 1:
                unread = max([some[-1][0] for some in reads.values() if some], default=inf)
        weights = {}
        for name in reads:
            lay = home if home != name else first
            weights[name] = self.noise.weights(tag, lay, size, name, self.zones[name].count, looked)
        if self.lost(tag):
            weights = {name: self.noise.damaged(each) for name, each in weights.items()}
        looks = looks_at(tag, reads, weights, first, since, self.period)
        if nowhere:
            looks = [look for look in looks if look[0] >= begun] or looks[-FEW:]
        if len(trail) == 1:
            believed = staying(looks, home)
        else:  # it was told to have come: not that it has come since
            believed = moving(looks, trail, self._arrived.get(tag, inf) + LATE_READS * self.period)[0]
        return Chain(chain, len(trail) - 1, looks, believed, unread, self._reads, read)


def _since(reads: Sequence[Read], t: float) -> list[Read]:
    """The reads since the time ``t``, the last of all the reads."""
    found = []
    for read in reversed(reads):
        if read[0] < t:
            break
        found.append(read)
    found.reverse()
    return found


def _surely_there(tag: str, zone: Zone) -> float:
    """The time of the last read but one in which ``tag`` answered where it lies: it did not leave before that."""
    hits = 0
    for t, tags, _ in reversed(zone.reads):
        if tag in tags:
            hits += 1
            if hits == SURE_HITS:
                return t
    return 0.0
