"""The twelve fans of 竞技麻将 (J40–J46) as data: how each is found in a reading."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from tablectl.rules.api import How, Win
from tablectl.rules.competition.options import Options
from tablectl.rules.reading import Group, GroupKind, Reading, Shape, counts_of, whole_pattern
from tablectl.rules.waits import waits
from tablectl.tiles.meld import MeldKind
from tablectl.tiles.tile import DRAGONS, TILES, Tile

#: The forms of J36.
FORMS: Final = frozenset({Shape.STANDARD, Shape.SEVEN_PAIRS, Shape.SCATTERED, Shape.KNITTED})

WaitShape = Literal["gap", "edge", "pair"]


def wait_set(win: Win, options: Options) -> tuple[Tile, ...]:
    """The kinds that complete the 13 tiles of ``win``, ascending; a kind held four times is none (J43)."""
    kinds = waits(counts_of(win.concealed), 4 - len(win.melds), shapes=FORMS, quads=options.seven_pairs_quads)
    if not kinds or options.own_four_waits == "counted":
        return kinds
    held = counts_of((*win.concealed, *(tile for meld in win.melds for tile in meld.tiles)))
    return tuple(tile for tile in kinds if held[tile] < 4)


class WonHand:
    """A declared win as the fans look at it: the facts that are the same in every reading."""

    def __init__(
        self, win: Win, options: Options, *, mixed_in: bool = False, waits: tuple[Tile, ...] | None = None
    ) -> None:
        self.win = win
        self.options = options
        #: the self-drawn tile was put among the standing tiles (J38)
        self.mixed_in = mixed_in and win.source is None
        self.self_drawn = win.source is None
        self.robbed = How.ROBBING_KONG in win.how
        self.counts = counts_of((*win.concealed, win.tile))
        #: the winning tile; None for a win on the initial tiles, where no tile is (J58)
        self.tile = None if How.HEAVENLY in win.how else win.tile
        self.concealed = all(meld.is_concealed for meld in win.melds)
        melded = [meld.tile for meld in win.melds]
        self.suits = {
            suit
            for suit, base in (("m", 0), ("p", 9), ("s", 18))
            if any(self.counts[base : base + 9]) or any(tile.suit == suit for tile in melded)
        }
        self._waits = waits
        self.honours = any(self.counts[27:]) or any(tile.is_honour for tile in melded)

    @property
    def pure(self) -> bool:
        """All tiles of one suit, no honours."""
        return len(self.suits) == 1 and not self.honours

    @property
    def waits(self) -> tuple[Tile, ...]:
        """The wait set of J43."""
        if self._waits is None:
            self._waits = wait_set(self.win, self.options)
        return self._waits

    @property
    def single_wait(self) -> bool:
        """One kind is waited on (J44a, J45), or the shape alone decides (`single_wait_unique`)."""
        return len(self.waits) == 1 or not self.options.single_wait_unique

    @property
    def last_of_kind(self) -> bool:
        """The three other tiles of the winning kind lie on the table as a pung (J44c)."""
        if self.robbed:
            return self.options.last_of_kind_robbed
        own = any(meld.kind is MeldKind.PUNG and meld.tile is self.win.tile for meld in self.win.melds)
        return own or How.LAST_OF_KIND in self.win.how

    def wait_shape(self, reading: Reading) -> WaitShape | None:
        """夹, 边 or 单吊: how the winning tile lies in this reading (J43)."""
        group = reading.winning
        if group is None:
            return None
        if group.is_chow:
            if reading.place == 1:
                return "gap"
            rank = group.tile.rank
            return "edge" if (rank, reading.place) in ((1, 2), (7, 0)) else None
        if group is reading.pair:
            return "pair"
        return "gap" if group.kind is GroupKind.KNITTED and self.options.knitted_wait_counts else None


Groups = Sequence[Group]
Finder = Callable[[WonHand, Reading], Groups | None]
"""The groups of a reading that make a fan, None where they do not."""


@dataclass(frozen=True, slots=True)
class Fan:
    """One fan of J40."""

    number: int
    name: str
    paragraph: str
    definition: str
    definition_zh: str
    find: Finder


def _straights(*bases: tuple[int, int, int]) -> tuple[tuple[int, int, int], ...]:
    """For each choice of suits the lowest tiles of the chows 123, 456, 789."""
    return tuple((first, second + 3, third + 6) for first, second, third in bases)


_MIXED_STRAIGHTS: Final = _straights((0, 9, 18), (0, 18, 9), (9, 0, 18), (9, 18, 0), (18, 0, 9), (18, 9, 0))
_PURE_STRAIGHTS: Final = _straights((0, 0, 0), (9, 9, 9), (18, 18, 18))


def _straight(reading: Reading, straights: tuple[tuple[int, int, int], ...]) -> Groups | None:
    chows = {group.tile: group for group in reading.groups if group.is_chow}
    if len(chows) >= 3:
        for first, second, third in straights:
            if first in chows and second in chows and third in chows:
                return [chows[TILES[tile]] for tile in (first, second, third)]
    return None


def _mixed_dragon(hand: WonHand, reading: Reading) -> Groups | None:
    return _straight(reading, _MIXED_STRAIGHTS) if len(hand.suits) == 3 else None


def _pure_dragon(hand: WonHand, reading: Reading) -> Groups | None:
    return _straight(reading, _PURE_STRAIGHTS)


def _knitted_dragon(hand: WonHand, reading: Reading) -> Groups | None:
    if reading.shape is Shape.KNITTED:
        return [group for group in reading.groups if group.kind is GroupKind.KNITTED]
    if reading.shape is Shape.SCATTERED and hand.options.scattered_knitted:
        return whole_pattern(hand.counts) or None
    return None


def _one_suit(hand: WonHand, reading: Reading) -> bool:
    return len(hand.suits) == 1 and reading.shape in (Shape.STANDARD, Shape.SEVEN_PAIRS)


def _mixed_suit(hand: WonHand, reading: Reading) -> Groups | None:
    return reading.groups if hand.honours and _one_suit(hand, reading) else None


def _pure_suit(hand: WonHand, reading: Reading) -> Groups | None:
    return reading.groups if not hand.honours and _one_suit(hand, reading) else None


def _all_pungs(hand: WonHand, reading: Reading) -> Groups | None:
    if reading.shape is not Shape.STANDARD or not all(group.is_pung for group in reading.sets):
        return None
    return reading.sets


def _scattered(hand: WonHand, reading: Reading) -> Groups | None:
    return reading.groups if reading.shape is Shape.SCATTERED else None


def _all_claimed(hand: WonHand, reading: Reading) -> Groups | None:
    if len(hand.win.melds) < 4 or not all(group.exposed for group in reading.sets):
        return None
    return reading.groups if hand.options.full_claim_self_draw or not hand.self_drawn else None


def _last_in_the_gap(hand: WonHand, reading: Reading) -> Groups | None:
    group = reading.winning
    if group is None or not hand.last_of_kind or hand.wait_shape(reading) not in ("gap", "edge"):
        return None
    return [group] if hand.single_wait else None


def _three_chows(rank: int) -> Finder:
    def find(hand: WonHand, reading: Reading) -> Groups | None:
        chows = [group for group in reading.groups if group.is_chow and group.tile.rank == rank]
        return chows if len(chows) >= 3 else None

    return find


def _seven_pairs(hand: WonHand, reading: Reading) -> Groups | None:
    return reading.groups if reading.shape is Shape.SEVEN_PAIRS else None


def _three_dragons(hand: WonHand, reading: Reading) -> Groups | None:
    pungs = [group for group in reading.groups if group.is_pung and group.tile in DRAGONS]
    return pungs if len(pungs) == 3 else None


FANS: Final[tuple[Fan, ...]] = (
    Fan(
        1,
        "花龙",
        "J40",
        "chows 123, 456 and 789, one in each of the three suits",
        "三种花色的一二三、四五六、七八九顺子各一副",
        _mixed_dragon,
    ),
    Fan(
        2, "清龙", "J40", "chows 123, 456 and 789 of one suit", "一种花色的一二三、四五六、七八九三副顺子", _pure_dragon
    ),
    Fan(
        3,
        "组合龙",
        "J40",
        "147, 258 and 369 of three suits, knitted or within 大乱",
        "三种花色的一四七、二五八、三六九，单独成形或在大乱中",
        _knitted_dragon,
    ),
    Fan(4, "混一色", "J40", "one suit and honours", "一种花色的序数牌加字牌", _mixed_suit),
    Fan(5, "对对和", "J40", "four pungs and a pair", "四副刻子（杠）和一对将", _all_pungs),
    Fan(
        6,
        "大乱",
        "J40",
        "fourteen different tiles, in each suit three or more ranks apart",
        "十四张各不相同，同花色的牌相隔三位以上",
        _scattered,
    ),
    Fan(
        7,
        "全求独钓",
        "J40",
        "four melds claimed from others, the last standing tile makes the pair",
        "四副牌都吃碰杠自他家，单钓最后一张成将",
        _all_claimed,
    ),
    Fan(
        8,
        "夹绝张",
        "J44",
        "single wait in a gap or at an edge, the other three lie as a pung",
        "独听坎张或边张，其余三张已成刻子亮在桌上",
        _last_in_the_gap,
    ),
    Fan(9, "全大", "J40", "three chows 789", "三副七八九顺子", _three_chows(7)),
    Fan(9, "全中", "J40", "three chows 456", "三副四五六顺子", _three_chows(4)),
    Fan(9, "全小", "J40", "three chows 123", "三副一二三顺子", _three_chows(1)),
    Fan(10, "清一色", "J40", "one suit, no honours", "全部同一种花色的序数牌", _pure_suit),
    Fan(11, "七对", "J40", "seven pairs", "七个对子，四张相同可作两对", _seven_pairs),
    Fan(12, "三箭刻", "J40", "pungs or kongs of 中, 发 and 白", "中发白三副刻子（杠）", _three_dragons),
)
