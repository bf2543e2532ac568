"""What a simulated player plays for under each rule system: which plans there are, and which of them he thinks of.

A rule system that is not listed is one in which any sets and a pair win.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations_with_replacement, permutations
from typing import Final

from tablectl.rules.reading.shapes import KNITTED_PATTERNS, ORPHANS
from tablectl.sim.plans import (
    ANY_TILE,
    KINDS,
    AllClaimed,
    AnyTile,
    Kinds,
    Middle,
    Natural,
    Pairs,
    Pattern,
    Plan,
    Pungs,
    Scattered,
    Sets,
    Singles,
)
from tablectl.tiles.meld import Meld, MeldKind
from tablectl.tiles.tile import DRAGONS

SUITS: Final = (range(9), range(9, 18), range(18, 27))
WINDS: Final = range(27, 31)
DRAGON_KINDS: Final = range(31, 34)

Melds = tuple[Meld, ...]
#: the plans for a hand of so many sets in all
Maker = Callable[[Melds, int], Iterable[Plan]]


def any_hand(melds: Melds, sets: int) -> Iterable[Plan]:
    yield Sets("any", KINDS, sets - len(melds))


def natural(melds: Melds, sets: int) -> Iterable[Plan]:
    yield Natural("natural", KINDS, sets - len(melds))


def any_tile(melds: Melds, sets: int) -> Iterable[Plan]:
    yield AnyTile(sets - len(melds))


def middle(melds: Melds, sets: int) -> Iterable[Plan]:
    if len(melds) < sets:
        yield Middle(sets - 1 - len(melds))


def _within(melds: Melds, kinds: Iterable[int]) -> bool:
    return {int(tile) for meld in melds for tile in meld.tiles} <= set(kinds)


def flushes(melds: Melds, sets: int) -> Iterable[Plan]:
    """One suit, with or without honours."""
    for suit in SUITS:
        kinds = (*suit, *WINDS, *DRAGON_KINDS)
        if _within(melds, kinds):
            yield Sets("flush", kinds, sets - len(melds))


def pure_flushes(melds: Melds, sets: int) -> Iterable[Plan]:
    for suit in SUITS:
        if _within(melds, suit):
            yield Sets("pure flush", suit, sets - len(melds))


def neighbours(melds: Melds, sets: int) -> Iterable[Plan]:
    """小于五, 大于五: four numbers of the three suits."""
    for name, ranks in (("lower four", range(4)), ("upper four", range(5, 9))):
        kinds = tuple(suit[rank] for suit in SUITS for rank in ranks)
        if _within(melds, kinds):
            yield Sets(name, kinds, sets - len(melds))


def five_kinds(melds: Melds, sets: int) -> Iterable[Plan]:
    """五门齐."""
    groups = [*SUITS, WINDS, DRAGON_KINDS]
    for meld in melds:
        own = [group for group in groups if int(meld.tile) in group]
        if not own:
            return
        groups.remove(own[0])
    yield Kinds(groups)


def pairs(melds: Melds, sets: int) -> Iterable[Plan]:
    if not melds and sets == 4:
        yield Pairs("pairs")


def pungs(melds: Melds, sets: int) -> Iterable[Plan]:
    if all(meld.kind is not MeldKind.CHOW for meld in melds):
        yield Pungs("pungs", sets - len(melds))


def orphans(melds: Melds, sets: int) -> Iterable[Plan]:
    if not melds:
        yield Singles("orphans", map(int, ORPHANS), pair=True)


def scattered(melds: Melds, sets: int) -> Iterable[Plan]:
    """大乱: no two tiles of a suit near each other."""
    if not melds and sets == 4:
        yield Scattered("scattered")


def knitted_singles(melds: Melds, sets: int) -> Iterable[Plan]:
    """全不靠: honours and tiles of one knitted pattern."""
    for pattern in KNITTED_PATTERNS if not melds else ():
        nine = [int(tile) for group in pattern for tile in group.tiles]
        yield Singles("scattered", (*nine, *WINDS, *DRAGON_KINDS), pair=False)


def all_claimed(melds: Melds, sets: int) -> Iterable[Plan]:
    if len(melds) >= 2 and not any(meld.is_concealed for meld in melds):
        yield AllClaimed("all claimed", sets - len(melds))


def knitted(melds: Melds, sets: int) -> Iterable[Plan]:
    """组合龙: none of the nine can be claimed, so one meld at most."""
    for pattern in KNITTED_PATTERNS if len(melds) <= 1 else ():
        nine = [int(tile) for group in pattern for tile in group.tiles]
        yield Pattern("knitted", nine, sets - 3 - len(melds))


Groups = tuple[tuple[int, ...], ...]


def _chow(first: int) -> tuple[int, ...]:
    return (first, first + 1, first + 2)


def _in_suits(firsts: Iterable[int]) -> Groups:
    """A chow in each suit, beginning at these numbers (from 0)."""
    return tuple(_chow(9 * suit + first) for suit, first in enumerate(firsts))


PURE_STRAIGHTS: Final = tuple(("pure straight", tuple(_chow(suit[0] + first) for first in (0, 3, 6))) for suit in SUITS)
MIXED_STRAIGHTS: Final = tuple(("mixed straight", _in_suits(order)) for order in permutations((0, 3, 6)))
DRAGON_PUNGS: Final = (("dragons", tuple((int(dragon),) * 3 for dragon in DRAGONS)),)
#: 全小, 全中, 全大 of chows
THREE_ALIKE: Final = tuple(
    ("three alike", tuple(_chow(base + first) for base in bases))
    for first in (0, 3, 6)
    for bases in combinations_with_replacement((0, 9, 18), 3)
)
#: 三色三同顺; 一色三步高; 三色三步高
MIXED_TRIPLE: Final = tuple(("three alike", _in_suits((first,) * 3)) for first in range(7))
PURE_STEPS: Final = tuple(
    ("pure steps", tuple(_chow(suit[0] + first + step * n) for n in range(3)))
    for suit in SUITS
    for step in (1, 2)
    for first in range(7 - 2 * step)
)
MIXED_STEPS: Final = tuple(
    ("mixed steps", _in_suits(order)) for first in range(5) for order in permutations((first, first + 1, first + 2))
)


def patterns(named: Iterable[tuple[str, Groups]]) -> Maker:
    """Plans of three certain groups, which may be claimed; a further set and the pair are free."""
    listed = tuple(named)

    def make(melds: Melds, sets: int) -> Iterable[Plan]:
        laid = [tuple(int(tile) for tile in meld.tiles[:3]) for meld in melds]
        for name, groups in listed:
            left, others = list(groups), 0
            for group in laid:
                if group in left:
                    left.remove(group)
                else:
                    others += 1
            if others <= sets - 3:
                yield Pattern(name, (kind for group in left for kind in group), sets - 3 - others)

    return make


@dataclass(frozen=True, slots=True)
class Repertoire:
    """``makers`` of the plans; ``weights``: how often a player has such a hand in mind, against the others (empty:
    always all); ``thinks_of``: how many he has in mind in one hand; ``counts_points``: a complete hand may be worth too
    little to win; ``kongs_pay``: kongs are paid whoever wins; ``thrown_wilds_count``: wildcards that a winner threw
    away count for him."""

    makers: tuple[Maker, ...] = (any_hand,)
    weights: Mapping[str, float] = field(default_factory=dict)
    thinks_of: int = 2
    counts_points: bool = False
    kongs_pay: bool = False
    thrown_wilds_count: bool = False


REPERTOIRES: Final[Mapping[str, Repertoire]] = {
    "beijing": Repertoire(
        (any_hand, pairs, pungs, pure_flushes, all_claimed, patterns(PURE_STRAIGHTS)),
        {"any": 10, "pairs": 3, "pungs": 3, "pure flush": 2, "all claimed": 2, "pure straight": 3},
    ),
    "tianjin": Repertoire((natural, any_tile, middle, patterns(PURE_STRAIGHTS)), kongs_pay=True),
    "fujian": Repertoire((any_hand, any_tile), {"any": 1, ANY_TILE: 1}, thinks_of=1),
    "zhenjiang": Repertoire(
        (any_hand, any_tile), {"any": 3, ANY_TILE: 1}, thinks_of=1, kongs_pay=True, thrown_wilds_count=True
    ),
    "competition": Repertoire(
        (
            *(flushes, pairs, pungs, scattered, all_claimed, knitted),
            patterns((*PURE_STRAIGHTS, *MIXED_STRAIGHTS, *THREE_ALIKE, *DRAGON_PUNGS)),
        ),
        {
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
        },
        counts_points=True,
        kongs_pay=True,
    ),
    "mcr": Repertoire(
        (
            *(pure_flushes, flushes, neighbours, five_kinds, pairs, pungs, orphans, knitted_singles),
            *(all_claimed, knitted),
            patterns((*PURE_STRAIGHTS, *MIXED_STRAIGHTS, *MIXED_TRIPLE, *PURE_STEPS, *MIXED_STEPS)),
        ),
        {
            "pure flush": 3,
            "flush": 3,
            "lower four": 1,
            "upper four": 1,
            "five kinds": 3,
            "pairs": 3,
            "pungs": 4,
            "orphans": 0.5,
            "scattered": 2,
            "all claimed": 2,
            "knitted": 3,
            "pure straight": 5,
            "mixed straight": 5,
            "three alike": 5,
            "pure steps": 4,
            "mixed steps": 4,
        },
        thinks_of=5,
        counts_points=True,
    ),
}
_PLAIN: Final = Repertoire()


def repertoire(rules: str) -> Repertoire:
    """That of a rule system, by its id."""
    return REPERTOIRES.get(rules, _PLAIN)


@lru_cache(maxsize=256)  # some 5 kB each; those of a hand in play are asked for again and again
def _possible(rules: str, sets: int, melds: Melds) -> tuple[Plan, ...]:
    return tuple(plan for maker in repertoire(rules).makers for plan in maker(melds, sets))


def plans(rules: str, sets: int, melds: Melds, in_mind: frozenset[str]) -> tuple[Plan, ...]:
    """The plans that a rule system and these melds allow, of those ``in_mind``; all where that leaves none. ``sets``:
    how many a complete hand has."""
    possible = _possible(rules, sets, melds)
    return tuple(plan for plan in possible if plan.name in in_mind) or possible if in_mind else possible
