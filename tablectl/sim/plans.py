"""Plans: the kinds of hand a simulated player may play for, and how far a hand is from each.

A distance is counted in tiles that lack (1: ready, 0: complete). Only what the player may know comes in: the own hand,
and how many of each kind have not been seen.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from typing import Final

from tablectl.rules.reading.tables import held, hold_table, raising

#: a distance no hand has: the plan is impossible
FAR: Final = 99
KINDS: Final = range(34)
#: the plan to wait on every tile
ANY_TILE: Final = "any tile"


class Standing:
    """The standing tiles as plans look at them: ``counts`` of the 34 kinds, wildcards apart, and what is ``unseen``."""

    __slots__ = ("counts", "ones", "threes", "twos", "unseen", "wilds")

    def __init__(self, counts: Iterable[int], unseen: Sequence[int], wilds: int = 0) -> None:
        self.counts = tuple(counts)
        self.unseen = unseen
        self.wilds = wilds
        #: bit masks of the kinds of which there are at least one, two, three
        self.ones = self.twos = self.threes = 0
        for kind, count in enumerate(self.counts):
            if count:
                bit = 1 << kind
                self.ones |= bit
                if count > 1:
                    self.twos |= bit
                    if count > 2:
                        self.threes |= bit

    def more(self, kind: int, change: int = 1) -> Standing:
        """The hand with more (or fewer) tiles of a kind."""
        counts = list(self.counts)
        counts[kind] += change
        return Standing(counts, self.unseen, self.wilds)

    def kinds(self) -> list[int]:
        return [kind for kind, count in enumerate(self.counts) if count]


class Plan(ABC):
    """A kind of hand, fitted to the melds already laid."""

    def __init__(self, name: str) -> None:
        self.name = name

    def at_least(self, hand: Standing) -> int:
        """A quick lower bound of `distance`."""
        return self.distance(hand)

    @abstractmethod
    def distance(self, hand: Standing) -> int:
        """How many tiles lack; `FAR` where the plan cannot come true."""

    def wanted(self, hand: Standing) -> frozenset[int]:
        """The kinds not all seen that shorten the distance."""
        now = self.distance(hand)
        return frozenset(k for k in KINDS if hand.unseen[k] > 0 and self.distance(hand.more(k)) < now)

    def loose(self, hand: Standing) -> set[int]:
        """The kinds of which one tile may go without lengthening the distance."""
        now = self.distance(hand)
        return {k for k in hand.kinds() if self.distance(hand.more(k, -1)) <= now}


class Sets(Plan):
    """So many sets and a pair of certain kinds only: any hand, or 清一色 / 混一色."""

    def __init__(self, name: str, kinds: Collection[int], sets: int) -> None:
        super().__init__(name)
        self._kinds = frozenset(kinds)
        self._mask = tuple(kind in self._kinds for kind in KINDS)
        self._sets = sets

    def _own(self, hand: Standing) -> tuple[int, ...]:
        if len(self._kinds) == len(KINDS):
            return hand.counts
        return tuple(count if ours else 0 for count, ours in zip(hand.counts, self._mask, strict=True))

    def at_least(self, hand: Standing) -> int:
        return 3 * self._sets + 2 - hand.wilds - sum(hand.counts[kind] for kind in self._kinds)

    def distance(self, hand: Standing) -> int:
        return max(0, 3 * self._sets + 2 - hand.wilds - held(self._own(hand), self._sets))

    def wanted(self, hand: Standing) -> frozenset[int]:
        _, kinds = raising(self._own(hand), self._sets)
        return frozenset(int(k) for k in kinds if k in self._kinds and hand.unseen[k] > 0)

    def loose(self, hand: Standing) -> set[int]:
        own = self._own(hand)
        now = held(own, self._sets)
        return {k for k in hand.kinds() if k not in self._kinds or held(_less(own, k), self._sets) == now}


class Pattern(Plan):
    """Certain tiles, and so many sets and a pair beside them: the straights, 组合龙, 三箭刻, 全小 …"""

    def __init__(self, name: str, tiles: Iterable[int], sets: int) -> None:
        super().__init__(name)
        self._need = tuple(sorted(Counter(tiles).items()))
        self._sets = sets
        self._total = sum(n for _, n in self._need) + 3 * sets + 2
        self._ones, self._twos, self._threes = (
            sum(1 << kind for kind, n in self._need if n >= level) for level in (1, 2, 3)
        )

    def _present(self, hand: Standing) -> int:
        return (
            (hand.ones & self._ones).bit_count()
            + (hand.twos & self._twos).bit_count()
            + (hand.threes & self._threes).bit_count()
        )

    def _rest(self, hand: Standing) -> list[int]:
        rest = list(hand.counts)
        for kind, n in self._need:
            rest[kind] = max(0, rest[kind] - n)
        return rest

    def _possible(self, hand: Standing) -> bool:
        return hand.wilds > 0 or all(hand.counts[kind] + hand.unseen[kind] >= n for kind, n in self._need)

    def at_least(self, hand: Standing) -> int:
        return self._total - self._present(hand) - 3 * self._sets - 2 - hand.wilds

    def distance(self, hand: Standing) -> int:
        if not self._possible(hand):
            return FAR
        return max(0, self._total - self._present(hand) - held(self._rest(hand), self._sets) - hand.wilds)

    def wanted(self, hand: Standing) -> frozenset[int]:
        missing = {kind for kind, n in self._need if hand.counts[kind] < n}
        _, kinds = raising(self._rest(hand), self._sets)
        return frozenset(missing | {int(k) for k in kinds if hand.unseen[k] > 0})

    def loose(self, hand: Standing) -> set[int]:
        rest = self._rest(hand)
        now = held(rest, self._sets)
        return {k for k in KINDS if rest[k] and held(_less(rest, k), self._sets) == now}


class Middle(Pattern):
    """捉五: everything but the tile between 4 and 6 万, which must come last."""

    def __init__(self, sets: int) -> None:
        super().__init__("middle", (3, 5), sets)
        self._complete = Pattern("", (3, 4, 5), sets)

    def distance(self, hand: Standing) -> int:
        if self._complete.distance(hand) == 0:
            return 0
        rest = super().distance(hand)
        return rest + 1 if rest < FAR and hand.unseen[4] > 0 else FAR

    def wanted(self, hand: Standing) -> frozenset[int]:
        return frozenset({4}) if self.distance(hand) == 1 else super().wanted(hand)

    def loose(self, hand: Standing) -> set[int]:
        return Plan.loose(self, hand)


class Natural(Sets):
    """Any hand, as long as no wildcard is in it (素)."""

    def distance(self, hand: Standing) -> int:
        return FAR if hand.wilds else super().distance(hand)


class AnyTile(Plan):
    """混吊, 双混吊: sets, and a wildcard beside which any tile makes the pair; or a pair and two wildcards."""

    def __init__(self, sets: int) -> None:
        super().__init__(ANY_TILE)
        self._sets = sets

    def at_least(self, hand: Standing) -> int:
        return 1

    def distance(self, hand: Standing) -> int:
        n, wilds = self._sets, hand.wilds
        if not wilds:
            return FAR
        lack = 3 * n - (wilds - 1) - held(hand.counts, n, pair=False)
        if wilds > 1 and n:
            lack = min(lack, 3 * n - 1 - (wilds - 2) - held(hand.counts, n - 1))
        return 1 + max(0, lack)


class Kinds(Plan):
    """五门齐: a set or the pair of each suit, of the winds, of the dragons; ``groups`` are those still without one."""

    def __init__(self, groups: Sequence[range]) -> None:
        super().__init__("five kinds")
        self._groups = tuple(groups)

    def distance(self, hand: Standing) -> int:
        sets, pairs = [], []
        for group in self._groups:
            own = hand.counts[group.start : group.stop]
            most = max(own)
            sets.append(hold_table(own)[1] if len(own) == 9 else min(3, most))
            pairs.append(min(2, most))
        best = max(sum(sets) - sets[n] + pairs[n] for n in range(len(sets)))
        return max(0, 3 * len(sets) - 1 - best - hand.wilds)


class Singles(Plan):
    """Different kinds of one list each once, and with ``pair`` one of them twice: 十三幺, 全不靠."""

    def __init__(self, name: str, kinds: Iterable[int], *, pair: bool) -> None:
        super().__init__(name)
        self._mask = sum(1 << kind for kind in kinds)
        self._pair = pair

    def distance(self, hand: Standing) -> int:
        paired = self._pair and hand.twos & self._mask
        return max(0, 14 - min(14, (hand.ones & self._mask).bit_count()) - bool(paired))


class Pairs(Plan):
    """七对."""

    def distance(self, hand: Standing) -> int:
        return max(0, 7 - hand.wilds - sum(count // 2 for count in hand.counts))

    def wanted(self, hand: Standing) -> frozenset[int]:
        return frozenset(k for k in hand.kinds() if hand.counts[k] % 2 and hand.unseen[k] > 0)

    def loose(self, hand: Standing) -> set[int]:
        return {k for k in hand.kinds() if hand.counts[k] % 2}


class Pungs(Plan):
    """对对和: ``sets`` more pungs and a pair."""

    def __init__(self, name: str, sets: int) -> None:
        super().__init__(name)
        self._sets = sets

    def distance(self, hand: Standing) -> int:
        best = sorted((min(3, count) for count in hand.counts if count), reverse=True)[: self._sets + 1]
        pair = min(2, best.pop()) if len(best) > self._sets else 0
        return max(0, 3 * self._sets + 2 - hand.wilds - sum(best) - pair)

    def wanted(self, hand: Standing) -> frozenset[int]:
        now = self.distance(hand)
        kinds = [k for k in KINDS if hand.unseen[k] > 0 and (hand.counts[k] in (1, 2) or now > self._sets)]
        return frozenset(k for k in kinds if self.distance(hand.more(k)) < now)


class Scattered(Plan):
    """大乱: fourteen different tiles, honours and suit tiles that lie three or more ranks apart."""

    def distance(self, hand: Standing) -> int:
        honours = (hand.ones >> 27).bit_count()
        return 14 - honours - sum(_most_apart((hand.ones >> 9 * suit) & 511) for suit in range(3))


class AllClaimed(Plan):
    """全求独钓: every set is claimed from another, the last tile waits for its pair."""

    def __init__(self, name: str, sets: int) -> None:
        super().__init__(name)
        self._sets = sets

    def distance(self, hand: Standing) -> int:
        n = self._sets
        if n == 0:
            return 0 if max(hand.counts) > 1 and sum(hand.counts) == 2 else 1
        return 1 + 3 * n - min(2 * n, held(hand.counts, n, pair=False))

    def wanted(self, hand: Standing) -> frozenset[int]:
        if self._sets == 0:
            return frozenset(k for k in hand.kinds() if hand.unseen[k] > 0)
        made = held(hand.counts, self._sets, pair=False)
        return frozenset(
            k for k in KINDS if hand.unseen[k] > 0 and held(_more(hand.counts, k), self._sets, pair=False) > made
        )


@lru_cache(maxsize=512)
def _most_apart(ranks: int) -> int:
    """How many of the nine ranks (a bit mask) can stay so that any two are three or more apart."""
    if not ranks:
        return 0
    low = (ranks & -ranks).bit_length() - 1
    return max(1 + _most_apart(ranks & (511 << (low + 3)) & 511), _most_apart(ranks & (ranks - 1)))


def _less(counts: Sequence[int], kind: int) -> tuple[int, ...]:
    return (*counts[:kind], counts[kind] - 1, *counts[kind + 1 :])


def _more(counts: Sequence[int], kind: int) -> tuple[int, ...]:
    return (*counts[:kind], counts[kind] + 1, *counts[kind + 1 :])
