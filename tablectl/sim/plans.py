"""Plans: the kinds of hand a simulated player may play for, and how far a hand is from each.

A distance is counted in tiles that lack (1: ready, 0: complete). Only what the player may know comes in: the own hand,
and how many of each kind have not been seen.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import lru_cache
from itertools import combinations_with_replacement, permutations
from typing import Final

from tablectl.rules.reading.tables import held, raising
from tablectl.tiles.meld import Meld, MeldKind
from tablectl.tiles.tile import DRAGONS

#: a distance no hand has: the plan is impossible
FAR: Final = 99
KINDS: Final = range(34)
SUITS: Final = (range(9), range(9, 18), range(18, 27))
HONOUR_KINDS: Final = range(27, 34)


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
        return all(hand.counts[kind] + hand.unseen[kind] >= n for kind, n in self._need)

    def at_least(self, hand: Standing) -> int:
        return self._total - self._present(hand) - 3 * self._sets - 2

    def distance(self, hand: Standing) -> int:
        if not self._possible(hand):
            return FAR
        return self._total - self._present(hand) - held(self._rest(hand), self._sets)

    def wanted(self, hand: Standing) -> frozenset[int]:
        missing = {kind for kind, n in self._need if hand.counts[kind] < n}
        _, kinds = raising(self._rest(hand), self._sets)
        return frozenset(missing | {int(k) for k in kinds if hand.unseen[k] > 0})

    def loose(self, hand: Standing) -> set[int]:
        rest = self._rest(hand)
        now = held(rest, self._sets)
        return {k for k in KINDS if rest[k] and held(_less(rest, k), self._sets) == now}


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


# --- which plans there are

Melds = tuple[Meld, ...]
#: the plans for a hand of so many sets in all
Maker = Callable[[Melds, int], Iterable[Plan]]


def any_hand(melds: Melds, sets: int) -> Iterable[Plan]:
    yield Sets("any", KINDS, sets - len(melds))


def flushes(melds: Melds, sets: int) -> Iterable[Plan]:
    """One suit, with or without honours."""
    laid = {int(meld.tile) for meld in melds}
    for suit in SUITS:
        kinds = {*suit, *HONOUR_KINDS}
        if laid <= kinds:
            yield Sets("flush", kinds, sets - len(melds))


def pairs(melds: Melds, sets: int) -> Iterable[Plan]:
    if not melds and sets == 4:
        yield Pairs("pairs")


def pungs(melds: Melds, sets: int) -> Iterable[Plan]:
    if all(meld.kind is not MeldKind.CHOW for meld in melds):
        yield Pungs("pungs", sets - len(melds))


def scattered(melds: Melds, sets: int) -> Iterable[Plan]:
    if not melds and sets == 4:
        yield Scattered("scattered")


def all_claimed(melds: Melds, sets: int) -> Iterable[Plan]:
    if len(melds) >= 2 and not any(meld.is_concealed for meld in melds):
        yield AllClaimed("all claimed", sets - len(melds))


def knitted(melds: Melds, sets: int) -> Iterable[Plan]:
    """组合龙: none of the nine can be claimed, so one meld at most."""
    if len(melds) <= 1:
        for order in permutations(range(3)):
            nine = [9 * suit + first + step for suit, first in enumerate(order) for step in (0, 3, 6)]
            yield Pattern("knitted", nine, sets - 3 - len(melds))


def _chow(first: int) -> tuple[int, ...]:
    return (first, first + 1, first + 2)


#: the groups of each pattern whose groups may be claimed
PATTERNS: Final[tuple[tuple[str, tuple[tuple[int, ...], ...]], ...]] = (
    *(("pure straight", tuple(_chow(base + first) for first in (0, 3, 6))) for base in (0, 9, 18)),
    *(
        ("mixed straight", tuple(_chow(9 * suit + first) for suit, first in enumerate(order)))
        for order in permutations((0, 3, 6))
    ),
    *(
        ("three alike", tuple(_chow(base + first) for base in bases))
        for first in (0, 3, 6)
        for bases in combinations_with_replacement((0, 9, 18), 3)
    ),
    ("dragons", tuple((int(dragon),) * 3 for dragon in DRAGONS)),
)


def patterns(melds: Melds, sets: int) -> Iterable[Plan]:
    laid = [tuple(int(tile) for tile in meld.tiles[:3]) for meld in melds]
    for name, groups in PATTERNS:
        left, others = list(groups), 0
        for group in laid:
            if group in left:
                left.remove(group)
            else:
                others += 1
        if others <= sets - 3:
            yield Pattern(name, (kind for group in left for kind in group), sets - 3 - others)


#: What is played for where a hand needs a fan of its own (8 or more points).
WITH_FANS: Final[tuple[Maker, ...]] = (flushes, pairs, pungs, scattered, all_claimed, knitted, patterns)
#: By rule system; where none is named, any four sets and a pair will do.
PLAYED_FOR: Final[dict[str, tuple[Maker, ...]]] = {
    "beijing": (any_hand, pairs),
    "competition": WITH_FANS,
    "mcr": WITH_FANS,
}
#: How often a player has such a hand in mind, against the others: nobody plays for everything at once.
IN_MIND: Final[dict[str, float]] = {
    "flush": 7,
    "pungs": 5,
    "pure straight": 6,
    "mixed straight": 4,
    "three alike": 3,
    "pairs": 3,
    "all claimed": 2,
    "knitted": 2,
    "dragons": 1,
    "scattered": 1.5,
}


@lru_cache(maxsize=4096)
def plans(rules: str, sets: int, melds: Melds, in_mind: frozenset[str]) -> tuple[Plan, ...]:
    """The plans that a rule system and these melds allow, of those ``in_mind``; all where that leaves none. ``sets``:
    how many a complete hand has."""
    possible = tuple(plan for maker in PLAYED_FOR.get(rules, (any_hand,)) for plan in maker(melds, sets))
    return tuple(plan for plan in possible if plan.name in in_mind) or possible
