"""国标麻将 beside PyMahjongGB: the same won hand to both, and what may differ (mcr.md, decision 18)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from random import Random

from MahjongGB import MahjongFanCalculator, MahjongShanten

from tablectl.rules.api import How, Situation, Win
from tablectl.rules.mcr.options import Options
from tablectl.rules.mcr.ready import SHAPES
from tablectl.rules.mcr.scoring import best, fans_of, hand_of, names
from tablectl.rules.mcr.table import entries
from tablectl.rules.waits import shanten
from tablectl.tiles.meld import Meld, MeldKind
from tablectl.tiles.tile import PLAYABLE, Tile

#: Our options that make the rules those of PyMahjongGB (decision 5).
OPTIONS = Options(mixed_kongs_points=5, minimum_points=0)
_NAMES = {"独听・边张": "边张", "独听・嵌张": "坎张", "独听・单钓": "单钓将"}
_LETTERS = {"m": "W", "p": "B", "s": "T"}


def spelled(tile: Tile) -> str:
    """A kind as PyMahjongGB writes it: W 万, B 饼, T 条, F winds, J dragons."""
    if tile.suit:
        return f"{_LETTERS[tile.suit]}{tile.rank}"
    return f"F{tile - Tile.EAST + 1}" if tile.is_wind else f"J{tile - Tile.RED + 1}"


def _pack(meld: Meld) -> tuple[str, str, int]:
    if meld.kind is MeldKind.CHOW:
        return "CHI", spelled(meld.tiles[1]), 1 + meld.tiles.index(meld.taken or meld.tile)
    return ("GANG" if meld.is_kong else "PENG"), spelled(meld.tile), meld.source


def oracle_fans(win: Win, situation: Situation) -> dict[str, int]:
    """The fans PyMahjongGB counts, under our names; 花牌 with them."""
    robbed = How.ROBBING_KONG in win.how
    replaced = {How.KONG_REPLACEMENT} == win.how & {How.KONG_REPLACEMENT, How.FLOWER_REPLACEMENT}
    found = MahjongFanCalculator(
        tuple(_pack(meld) for meld in win.melds),
        tuple(spelled(tile) for tile in win.concealed),
        spelled(win.tile),
        len(win.flowers),
        win.source is None,
        How.LAST_OF_KIND in win.how,
        robbed or replaced,
        How.LAST_TILE in win.how,
        (win.seat - situation.dealer) % 4,
        situation.prevalent - Tile.EAST,
        True,
    )
    return {_NAMES.get(name, name): points * times for points, times, name, _ in found}


@dataclass(frozen=True)
class Compared:
    """One hand counted by both. ``equal``: every choice of fans worth as much as ours, in the order of T34."""

    win: Win
    ours: dict[str, int]
    theirs: dict[str, int]
    equal: list[dict[str, int]]

    @property
    def verdict(self) -> str:
        """``same``, ``named otherwise`` (an equally valued choice), or ``different``."""
        if sum(self.ours.values()) != sum(self.theirs.values()):
            return "different"
        if self.ours == self.theirs:
            return "same"
        return "named otherwise" if self.theirs in self.equal else "different"


def compare(win: Win, situation: Situation) -> Compared:
    hand = hand_of(win, situation, OPTIONS)
    forms = hand.forms(win.tile)
    count = best(hand, win.tile, forms, win.source is None, win.how, OPTIONS)
    assert count is not None, win
    ours = names(count.fans, len(win.flowers), OPTIONS)
    theirs = oracle_fans(win, situation)
    equal = [] if ours == theirs else equally_valued(win, situation)
    return Compared(win, ours, theirs, equal)


# --- T34 and T37, written once more from the text


def equally_valued(win: Win, situation: Situation) -> list[dict[str, int]]:
    """The fans of every reading, place of the winning tile and choice of set fans that is worth the most, in the order
    of T34."""
    hand = hand_of(win, situation, OPTIONS)
    value = fans_of(OPTIONS)
    found = {}
    for form in hand.forms(win.tile):
        choices = list(product(_choices(form.chows, _chow_fan), _choices(form.pungs, _pung_fan)))
        for place in form.places:
            count = best(hand, win.tile, [form._replace(places=(place,))], win.source is None, win.how, OPTIONS)
            assert count is not None
            needs_pair = any(count.mask & entries(number) for number in (13, 29))
            for chows, pungs in choices if not needs_pair else ():
                fans = value(count.mask & ~_SET_FANS | _entries((*chows, *pungs)))
                found[fans.places] = fans
            found[count.fans.places] = count.fans
    most = max(fans.total for fans in found.values())
    equal = [found[places] for places in sorted(found) if found[places].total == most]
    return [names(fans, len(win.flowers), OPTIONS) for fans in equal]


_SET_FANS = sum(
    entries(n, times)
    for n, times in {14: 1, 15: 1, 16: 1, 23: 1, 24: 1, 28: 1, 30: 1, 32: 1, 39: 1, 41: 1, 42: 1, 50: 1}.items()
) | sum(entries(n, 2) for n in (65, 69, 70, 71, 72))


def _entries(numbers: Sequence[int]) -> int:
    mask = 0
    for number, times in Counter(numbers).items():
        mask |= entries(number, times)
    return mask


FanOf = Callable[[Sequence[tuple[int, int]]], int | None]


def _choices(sets: Sequence[int], fan_of: FanOf) -> list[tuple[int, ...]]:
    """The fans of every choice that T37 allows, greedy or not."""
    spots = [divmod(tile, 9) for tile in sets]
    makes = [
        (number, some)
        for size in (2, 3, 4)
        for some in combinations(range(len(sets)), size)
        if (number := fan_of(sorted(spots[i] for i in some))) is not None
    ]
    found = [
        tuple(sorted(number for number, _ in chosen))
        for size in range(1, 4)
        for chosen in combinations(makes, size)
        if _allowed(chosen)
    ]
    return found or [()]  # a fan that can be counted is counted


def _allowed(chosen: Sequence[tuple[int, tuple[int, ...]]]) -> bool:
    """A fan of four sets stands alone; one of three at most; fans of two join what is not joined yet, none twice at one
    set."""
    if any(len(some) == 4 for _, some in chosen):
        return len(chosen) == 1
    if sum(len(some) == 3 for _, some in chosen) > 1:
        return False
    islands = [{i} for i in range(4)]
    for number, some in sorted(chosen, key=lambda fan: -len(fan[1])):
        touched = [island for island in islands if island & set(some)]
        if len(touched) < len(some):
            return False
        islands = [island for island in islands if island not in touched] + [set().union(*touched)]
        if len(some) == 2 and any(n == number and some != other and set(some) & set(other) for n, other in chosen):
            return False
    return True


def _chow_fan(spots: Sequence[tuple[int, int]]) -> int | None:
    suits, ranks = {suit for suit, _ in spots}, sorted(rank for _, rank in spots)
    first = ranks[0]
    shape = tuple(rank - first for rank in ranks)
    if len(suits) == 1:
        return {(0, 0): 69, (0, 3): 71, (0, 6): 72, (0, 0, 0): 23, (0, 3, 6): 28, (0, 1, 2): 30, (0, 2, 4): 30,
                (0, 0, 0, 0): 14, (0, 1, 2, 3): 16, (0, 2, 4, 6): 16}.get(shape)  # fmt: skip
    if len(suits) == len(spots):
        return {(0, 0): 70, (0, 0, 0): 41, (0, 3, 6): 39, (0, 1, 2): 50}.get(shape)
    return None


def _pung_fan(spots: Sequence[tuple[int, int]]) -> int | None:
    suits, ranks = {suit for suit, _ in spots}, sorted(rank for _, rank in spots)
    shape = tuple(rank - ranks[0] for rank in ranks)
    if 3 in suits:
        return None
    if len(suits) == 1:
        return {(0, 1, 2): 24, (0, 1, 2, 3): 15}.get(shape)
    return {(0, 0): 65, (0, 0, 0): 32, (0, 1, 2): 42}.get(shape) if len(suits) == len(spots) else None


# --- T57


@dataclass(frozen=True)
class Measured:
    """Thirteen tiles with our distance to ready."""

    win: Win
    distance: int


def distance(win: Win, rng: Random) -> Measured:
    """A hand some tiles away from the won one, measured by us."""
    standing = list(win.concealed)
    wall = [tile for tile in PLAYABLE if [*standing, *(t for m in win.melds for t in m.tiles)].count(tile) < 4]
    for place in rng.sample(range(len(standing)), min(len(standing), rng.randrange(5))):
        kind = rng.choice(wall)
        if standing.count(kind) < 3:
            standing[place] = kind
    changed = replace(win, concealed=tuple(standing))
    counts = hand_of(changed, Situation(), OPTIONS).standing
    return Measured(changed, shanten(counts, 4 - len(win.melds), shapes=SHAPES, patterned=True))


def oracle_distance(win: Win) -> int:
    return int(MahjongShanten(tuple(_pack(m) for m in win.melds), tuple(spelled(t) for t in win.concealed)))
