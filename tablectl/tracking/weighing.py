"""What the reads of a few zones say for a way of one tag: the likelihood of its best times of leaving and arriving."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from operator import itemgetter
from typing import NamedTuple

from tablectl.tracking.noise import Weights

_time = itemgetter(0)

#: reads of silence after which a tag is thought covered, in a bad spot, or damaged
LONG_SILENCE = 3

#: one inventory: time, tags that answered, whether it failed as a whole
Read = tuple[float, frozenset[str], bool]


#: What one read said of one tag: time, zone, whether it answered; whether it did in the zone's read before and when
#: that was; when it had been silent for some reads already; the log-probability of its silence if it lies there (a
#: ghost often answers instead of the tag where it lies: then one error explains both readings); the other weights
Look = tuple[float, str, bool, bool, float, float, float, Weights]


class Way(NamedTuple):
    """How well a way explains the reads: log-likelihood against what is believed, and when the tag came to each of its
    places."""

    support: float
    arrivals: tuple[float, ...]


def looks_at(
    tag: str,
    reads: Mapping[str, Sequence[Read]],
    weights: Mapping[str, Weights],
    first: str,
    since: float,
    period: float,
) -> list[Look]:
    """What the reads of some zones since the time ``since`` say of ``tag``, which lay in ``first`` then; in order of
    time."""
    hits = {name: [t for t, tags, _ in some if tag in tags] for name, some in reads.items()}
    looks: list[Look] = []
    for name, some in reads.items():
        w = weights[name]
        elsewhere = [t for other, times in hits.items() if other != name for t in times]
        was, before, run, silence = name == first, since, 0, [-inf] * LONG_SILENCE
        for t, tags, blackout in some:
            hit = tag in tags
            if hit:
                run = 0
            elif blackout:
                continue
            long = silence[run % LONG_SILENCE] if run >= LONG_SILENCE else -inf
            silent = w.miss
            if not hit:
                for at in elsewhere:
                    if -period < at - t < period:
                        silent = w.instead
                        break
            looks.append((t, name, hit, was, before, long, silent, w))
            was, before = hit, t
            if not hit:
                silence[run % LONG_SILENCE] = t
                run += 1
    if len(reads) > 1:
        looks.sort(key=_time)
    return looks


def staying(looks: Sequence[Look], place: str) -> float:
    """Log-likelihood of having lain in ``place`` all the time."""
    total = 0.0
    for _, zone, hit, was, _, long, silent, w in looks:
        if zone == place:
            total += w.hit if hit else silent if was else w.miss_long if long > -inf else max(silent, w.miss_run)
        elif hit:
            total += w.ghost_run if was else w.ghost
    return total


#: the moments of leaving and arriving so far: the latest one, those before
_Moments = tuple[float, "_Moments"] | None


def moving(looks: Sequence[Look], chain: Sequence[str], until: float) -> tuple[float, tuple[float, ...]]:
    """Log-likelihood of the best way through ``chain`` that comes to its end by ``until``, and its times of arrival
    (Viterbi; between two places the tag may have been in the air)."""
    if len(chain) == 2 and chain[0] != chain[1]:
        return _moving_once(looks, chain[0], chain[1], until)
    count = 2 * len(chain) - 1  # even: at a place, odd: in the air on the way to the next one
    at: dict[str, list[int]] = {}
    for place, zone in enumerate(chain):
        at.setdefault(zone, []).append(2 * place)
    scores = [0.0] + [-inf] * (count - 1)
    moments: list[_Moments] = [None] * count
    on_the_way = range(1, count)
    closed = False
    for t, zone, hit, was, before, long, silent, w in looks:
        if not closed:
            closed = t > until
            moment = until if closed else t
            for state in on_the_way:  # leave, or arrive, just before this read
                if scores[state - 1] >= scores[state]:
                    scores[state] = scores[state - 1]
                    moments[state] = (moment, moments[state - 1])
            if closed:
                scores[:-1] = [-inf] * (count - 1)
        here = at.get(zone, ())
        if hit:
            for state in range(count):
                if state in here:
                    scores[state] += w.hit
                else:
                    again = was and before >= _left(moments[state], state, here)
                    scores[state] += w.ghost_run if again else w.ghost
            continue
        for state in here:
            last = moments[state]
            came = last[0] if last else -inf
            if was or before < came:
                scores[state] += silent
            else:
                scores[state] += w.miss_long if long > -inf and long >= came else max(silent, w.miss_run)
    if not closed:
        end = min(until, looks[-1][0] if looks else inf)
        for state in on_the_way:
            if scores[state - 1] >= scores[state]:
                scores[state] = scores[state - 1]
                moments[state] = (end, moments[state - 1])
    times, rest = [], moments[-1]
    while rest:
        times.append(rest[0])
        rest = rest[1]
    return scores[-1], tuple(times[-2::-2])


def _left(moments: _Moments, state: int, here: Sequence[int]) -> float:
    """When a tag in ``state`` left the last of the places ``here`` that it has passed; -inf if it has passed none."""
    passed = [place for place in here if place < state]
    if not passed:
        return -inf
    for _ in range(state - 1 - passed[-1]):
        moments = moments[1] if moments else None
    return moments[0] if moments else -inf


def _moving_once(looks: Sequence[Look], home: str, goal: str, until: float) -> tuple[float, tuple[float, ...]]:
    """The same for the commonest way, from one place to another: at home, in the air, or there."""
    at_home, in_air, there = 0.0, -inf, -inf
    left = left_there = came = 0.0
    closed = False
    for t, zone, hit, was, before, long, silent, w in looks:
        if not closed:
            closed = t > until
            moment = until if closed else t
            if at_home >= in_air:
                in_air, left = at_home, moment
            if in_air >= there:
                there, left_there, came = in_air, left, moment
            if closed:
                at_home = in_air = -inf
        if hit:
            ghost = w.ghost_run if was else w.ghost
            if zone == home:
                at_home += w.hit
                in_air += ghost if before >= left else w.ghost
                there += ghost if before >= left_there else w.ghost
            else:
                at_home += ghost
                in_air += ghost
                there += w.hit if zone == goal else ghost
        elif zone == home:
            at_home += silent if was else w.miss_long if long > -inf else max(silent, w.miss_run)
        elif zone == goal:
            if was or before < came:
                there += silent
            else:
                there += w.miss_long if long >= came else max(silent, w.miss_run)
    if not closed:
        end = min(until, looks[-1][0] if looks else inf)
        in_air = max(in_air, at_home)
        if in_air >= there:
            there, came = in_air, end
    return there, (came,)


@dataclass(slots=True)
class Chain:
    """The way of a tag through ``places``, at number ``home`` of which it is believed to lie, and the ``looks`` at it,
    which weigh ``believed`` for its lying there.

    ``unread``: the last read, where none of them brought the tag and it is not read where it lies. ``asked``: how many
    reads there were of all zones when it was asked for last; ``read``: of its own ones when it was made.
    """

    places: tuple[str, ...]
    home: int
    looks: Sequence[Look]
    believed: float
    unread: float | None
    asked: int
    read: int
    _ways: dict[float, Way] = field(default_factory=dict)

    def way(self, until: float) -> Way:
        """The best way that comes to its end by ``until``, against what is believed."""
        if self.looks and until >= self.looks[-1][0]:
            until = inf  # nothing was read since: all the same
        way = self._ways.get(until)
        if way is None:
            way = self._ways[until] = self._weighed(until)
        return way

    def _weighed(self, until: float) -> Way:
        if self.unread is not None and until >= self.unread:
            return Way(0.0, (self.unread,) * (len(self.places) - 1))
        supposed, arrivals = moving(self.looks, self.places, until)
        return Way(supposed - self.believed, arrivals[self.home :])
