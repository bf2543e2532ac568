"""The fans of 北京麻将 (T29, T33–T36) as data: how each is found in a reading."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from tablectl.rules.api import How, Situation, Win
from tablectl.rules.beijing.options import Options
from tablectl.rules.reading import Group, Reading, Shape, counts_of
from tablectl.tiles.meld import KONGS
from tablectl.tiles.tile import Tile

#: Events that tell of a kong: the first turn is over (T27).
KONG_EVENTS: Final = frozenset(kind.value for kind in KONGS)


class WonHand:
    """A declared win as the fans look at it: the facts that are the same in every reading.

    ``lowest``: the smallest count, where the winning tile is not known (T38).
    """

    def __init__(self, win: Win, situation: Situation, options: Options, *, lowest: bool = False) -> None:
        self.win = win
        self.options = options
        self.lowest = lowest
        self.counts = counts_of((*win.concealed, win.tile))
        self.self_drawn = win.source is None
        #: chow, pung, exposed and added kong open a hand (T15, T29)
        self.concealed = all(meld.is_concealed and options.concealed_kong_keeps for meld in win.melds)
        self.all_claimed = len(win.melds) == 4 and not any(meld.is_concealed for meld in win.melds)
        self.has_kong = any(meld.is_kong for meld in win.melds)
        kinds = (*win.concealed, win.tile, *(meld.tile for meld in win.melds))
        self.suits = {tile.suit for tile in kinds} - {""}
        self.honours = any(tile.is_honour for tile in kinds)
        self.is_dealer = win.seat == situation.dealer
        self.from_dealer = win.source == situation.dealer
        #: nobody has claimed or declared a kong (T27)
        self.first_turn = not win.melds and not any(event.kind in KONG_EVENTS for event in situation.incidents)

    def called(self, how: How) -> bool:
        """Whether the win was made in this way, as far as that is known."""
        return how in self.win.how


Groups = Sequence[Group]
Finder = Callable[[WonHand, Reading], Groups | None]
"""The groups of a reading that make a fan, None where they do not."""


@dataclass(frozen=True, slots=True)
class Fan:
    """One fan of T29. ``needs_tile``: it counts only where the winning tile is known (T38)."""

    name: str
    zh: str
    en: str
    find: Finder
    needs_tile: bool = False


def _if(fact: Callable[[WonHand], bool]) -> Finder:
    """A fan of the way of winning: no groups make it."""
    return lambda hand, _: () if fact(hand) else None


def _all_groups(fact: Callable[[WonHand], bool]) -> Finder:
    """A fan of the tiles: all groups make it."""
    return lambda hand, reading: reading.groups if fact(hand) else None


def _all_pungs(hand: WonHand, reading: Reading) -> Groups | None:
    if reading.shape is not Shape.STANDARD or not all(group.is_pung for group in reading.sets):
        return None
    return reading.sets


def _big_hook(hand: WonHand, reading: Reading) -> Groups | None:
    barred = hand.self_drawn and hand.options.big_hook_discard_only
    return reading.groups if hand.all_claimed and not barred else None


def _middle_five(hand: WonHand, reading: Reading) -> Groups | None:
    group = reading.winning
    if group is None or hand.win.tile is not Tile.M5 or not group.is_chow or reading.place != 1:
        return None
    return (group,)


def _straight(hand: WonHand, reading: Reading) -> Groups | None:
    chows = {group.tile: group for group in reading.groups if group.is_chow}
    for first in (Tile.M1, Tile.P1, Tile.S1):
        parts = [chows[tile] for tile in (first, Tile(first + 3), Tile(first + 6)) if tile in chows]
        if len(parts) == 3:
            return parts
    return None


def _seven_pairs(*, quads: bool) -> Finder:
    def find(hand: WonHand, reading: Reading) -> Groups | None:
        if reading.shape is not Shape.SEVEN_PAIRS or (4 in hand.counts) is not quads:
            return None
        return reading.groups

    return find


def _orphans(hand: WonHand, reading: Reading) -> Groups | None:
    return reading.groups if reading.shape is Shape.ORPHANS else None


# fmt: off
#: In the order of T29. 门清 does not count beside those of `CONCEALED_ALREADY`.
FANS: Final[tuple[Fan, ...]] = (
    Fan("门清", "没有吃、碰、明杠、加杠，点炮也算；不与七小对、豪华七小对、十三幺、天和、地和、人和同计",
        "no chow, pung, exposed or added kong, also on a discard; not beside seven pairs, 十三幺, 天和, 地和, 人和",
        _if(lambda hand: hand.concealed)),
    Fan("对对和", "四副刻子或杠，一对将", "four pungs or kongs and a pair", _all_pungs),
    Fan("大吊车", "四副吃碰明杠加杠，手中单吊一张",
        "four exposed melds, the one tile in hand won as the pair", _big_hook),
    Fan("捉五魁", "和五万，五万是手中四五六万的中张",
        "won on 5m as the middle of a concealed 456m", _middle_five, needs_tile=True),
    Fan("海底捞月", "自摸最后一张牌", "self-drawn on the last tile",
        _if(lambda hand: hand.self_drawn and hand.called(How.LAST_TILE)), needs_tile=True),
    Fan("杠上开花", "自摸杠后补的牌", "self-drawn on a kong replacement",
        _if(lambda hand: hand.self_drawn and hand.has_kong and hand.called(How.KONG_REPLACEMENT)), needs_tile=True),
    Fan("一条龙", "同花色的一二三、四五六、七八九，吃的也算",
        "chows 123, 456, 789 of one suit, melded or not", _straight),
    Fan("七小对", "七个不同的对子", "seven pairs of seven kinds", _seven_pairs(quads=False)),
    Fan("豪华七小对", "七对中有四张相同的牌，没有开杠；不计七小对",
        "seven pairs with four alike, not declared as a kong; not beside 七小对", _seven_pairs(quads=True)),
    Fan("清一色", "全是一种花色，没有字牌", "all tiles of one suit, no honours",
        _all_groups(lambda hand: len(hand.suits) == 1 and not hand.honours)),
    Fan("天和", "庄家起手十四张成和", "the dealer's 14 dealt tiles are complete",
        _if(lambda hand: hand.called(How.HEAVENLY) and hand.is_dealer and hand.self_drawn and hand.first_turn),
        needs_tile=True),
    Fan("地和", "闲家第一次摸牌自摸，此前无人吃碰杠",
        "another seat wins self-drawn on its first draw, before any claim or kong",
        _if(lambda hand: hand.called(How.EARTHLY) and not hand.is_dealer and hand.self_drawn and hand.first_turn),
        needs_tile=True),
    Fan("人和", "和庄家打出的第一张牌，此前无人吃碰杠",
        "another seat wins on the dealer's first discard, before any claim or kong",
        _if(lambda hand: hand.called(How.HUMAN) and hand.from_dealer and hand.first_turn)),
    Fan("自摸", "自己摸牌和", "self-drawn", _if(lambda hand: hand.self_drawn)),
    Fan("抢杠和", "抢别家的加杠", "robbing an added kong",
        _if(lambda hand: not hand.self_drawn and hand.called(How.ROBBING_KONG))),
    Fan("海底炮", "最后一张牌摸后打出的牌点炮", "won on the discard after the last tile",
        _if(lambda hand: not hand.self_drawn and hand.called(How.LAST_TILE))),
    Fan("十三幺", "十三种幺九字牌各一张，其中一种两张", "one of each terminal and honour, one of them twice", _orphans),
    Fan("混一色", "一种花色和字牌", "one suit and honours",
        _all_groups(lambda hand: len(hand.suits) == 1 and hand.honours)),
    Fan("字一色", "全是字牌", "honours only", _all_groups(lambda hand: not hand.suits)),
)
# fmt: on

#: Fans of which 门清 is a part, or beside which it does not count (T29, T34).
CONCEALED_ALREADY: Final = frozenset({"七小对", "豪华七小对", "十三幺", "天和", "地和", "人和"})
