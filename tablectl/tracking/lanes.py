"""What the lanes say about the order of the wall.

A lane may miss a tile or two, see one twice, or read one only when the next one passes; one that was unplugged for a
while misses many in a row. So each side has several possible orders with weights: where the count is right, one; where
tiles are lacking, one for every place where they could be missing, the likelier where the lane was silent for about as
long as they take; and two for each pair of tiles that were read at one moment after a silence.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product
from operator import itemgetter
from statistics import median

#: how well a missed tile fits where the lane was not silent for as long as it takes, against where it was; and at the
#: ends of the lane, where there is no silence to see
NO_GAP = 0.003
LANE_END = 0.03
#: probability that two tiles read at one moment, after a silence, lie the other way round; and without a silence
SWAPPED = 0.95
SWAPPED_AT_ONCE = 0.5
#: a time between two passages so short that the tiles were read at one moment (part of the usual one)
AT_ONCE = 0.3
#: tiles that a side may lack at different places; more are missing in one row, while the lane was silent
MOST_MISSING = 4
#: places for missing tiles less likely than this against the best are not considered, and no more than so many
FAR_FETCHED = 1e-4
MOST_ORDERS = 300
#: pairs of a side that may lie the other way round
MOST_SWAPPED = 4


@dataclass(frozen=True, slots=True)
class Order:
    """One possible order of a side, in the lane's order; None where nothing is known."""

    tags: Sequence[str | None]
    weight: float


@dataclass(slots=True)
class Side:
    """The passages of one lane."""

    tags: list[str] = field(default_factory=list)
    times: list[float] = field(default_factory=list)

    def passed(self, tag: str, t: float) -> None:
        """The first reading gives the place; a second one is an echo."""
        if tag not in self.tags:
            self.tags.append(tag)
            self.times.append(t)

    def orders(self, length: int) -> list[Order]:
        """Every order that explains the passages."""
        return [
            Order(self._swap(order.tags, pairs), order.weight * weight)
            for pairs, weight in self._swaps()
            for order in self._filled(length)
        ]

    def _filled(self, length: int) -> list[Order]:
        lack = length - len(self.tags)
        if lack == 0:
            return [Order(list(self.tags), 1.0)]
        if lack < 0:  # a tile of a neighbour's lane among them: any one of them may be it
            dropped = range(len(self.tags))
            return [Order([tag for n, tag in enumerate(self.tags) if n != i][:length], 1.0) for i in dropped]
        if not self.tags:
            return [Order([None] * lack, 1.0)]
        if lack > MOST_MISSING:
            gaps = self._silences(lack)
            return [Order([*self.tags[:n], *[None] * lack, *self.tags[n:]], gap) for n, gap in enumerate(gaps)]
        orders = []
        for weight, before in self._missed(lack):
            tags: list[str | None] = list(self.tags)
            for n in reversed(before):
                tags.insert(n, None)
            orders.append(Order(tags, weight))
        return orders

    def _missed(self, lack: int) -> list[tuple[float, tuple[int, ...]]]:
        """Where ``lack`` tiles may have been missed: before which passages, in ascending order; with the weight."""
        silent = self._silent()
        last = len(self.tags)
        ways: list[tuple[float, tuple[int, ...]]] = [(1.0, ())]
        for _ in range(lack):
            longer: list[tuple[float, tuple[int, ...]]] = []
            least = 0.0
            for weight, at in ways:
                for n in range(at[-1] if at else 0, last + 1):
                    fits = LANE_END if n in (0, last) else 1.0 if at.count(n) < silent[n] else NO_GAP
                    if weight * fits >= least:
                        longer.append((weight * fits, (*at, n)))
                least = max(least, FAR_FETCHED * max(longer)[0])
            longer.sort(key=itemgetter(0), reverse=True)
            ways = [way for way in longer[:MOST_ORDERS] if way[0] >= least]
        return ways

    def _swaps(self) -> list[tuple[tuple[int, ...], float]]:
        """Which passages may have been read before the one they follow, with the weights."""
        steps = self._steps()
        pairs: dict[int, float] = {}
        for n, step in enumerate(steps):
            if step < AT_ONCE and n not in pairs and len(pairs) < MOST_SWAPPED:
                pairs[n + 1] = SWAPPED if n == 0 or 1.3 < steps[n - 1] < 2.9 else SWAPPED_AT_ONCE
        ways = []
        for swapped in product((True, False), repeat=len(pairs)):
            weight = 1.0
            for p, swap in zip(pairs.values(), swapped, strict=True):
                weight *= p if swap else 1 - p
            ways.append((tuple(n for n, swap in zip(pairs, swapped, strict=True) if swap), weight))
        return ways

    def _swap(self, tags: Sequence[str | None], passages: Iterable[int]) -> Sequence[str | None]:
        """``tags`` with these passages and the ones before them exchanged."""
        other: dict[str | None, str] = {}
        for n in passages:
            if n < len(self.tags):
                other[self.tags[n]], other[self.tags[n - 1]] = self.tags[n - 1], self.tags[n]
        return [other.get(tag, tag) for tag in tags] if other else tags

    def _silent(self) -> list[int]:
        """For how many tiles the lane was silent before each passage."""
        swapped = {n for pairs, _ in self._swaps() for n in pairs}  # those explain the silence before them
        return [0, *(0 if n + 2 in swapped else round(step) - 1 for n, step in enumerate(self._steps()))]

    def _silences(self, tiles: int) -> list[float]:
        """How well so many missed tiles in a row fit before each passage, and after the last."""
        inner = [max(NO_GAP, min(1.0, step / (tiles + 1)) ** 4) for step in self._steps()]
        return [LANE_END, *inner, LANE_END]

    def _steps(self) -> list[float]:
        """The times between passages, as multiples of the usual one."""
        steps = [b - a for a, b in zip(self.times, self.times[1:], strict=False)]
        usual = median(steps) if steps else 1.0
        return [step / usual for step in steps]


@dataclass(slots=True)
class Company:
    """The sets of tiles that are used in turn, as far as the lanes saw them together."""

    sets: list[set[str]] = field(default_factory=list)
    #: the one in play
    own: set[str] = field(default_factory=set)

    def others(self, tags: Iterable[str]) -> set[str]:
        """The tags of the sets that are not in play; ``tags`` are those that have just passed the lanes."""
        now = set(tags)
        own = max(self.sets, key=lambda known: len(known & now), default=None)
        if own is None or 2 * len(own & now) < len(now):
            own = set()
            self.sets.append(own)
        others = set[str]().union(*(known for known in self.sets if known is not own)) - own
        own |= now - others
        self.own = own
        return others
