"""The special forms of 福州麻将 (T402) as data, the highest places first among equals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from tablectl.rules.api import How
from tablectl.rules.fuzhou.options import Options
from tablectl.rules.gold.hand import GoldHand
from tablectl.tiles.meld import KONGS


@dataclass(frozen=True, slots=True)
class Form:
    """A special form: counted instead of 底分. ``holds`` gets the hand and whether its reading pairs two golds."""

    name: str
    option: str
    paragraph: str
    definition: str
    definition_zh: str
    holds: Callable[[GoldHand, bool], bool]

    def units(self, options: Options) -> int:
        """M of T412."""
        units: int = getattr(options, self.option)
        return units


def has_no_flower_or_kong(hand: GoldHand) -> bool:
    return not hand.win.flowers and not hand.kongs(*KONGS)


FORMS: Final[tuple[Form, ...]] = (
    Form(
        "金雀",
        "mult_golden_pair",
        "T313",
        "a complete hand whose pair is two golds, however it is won",
        "以两张金作将，不论自摸、放冲、抢杠或抢金",
        lambda hand, golden: golden,
    ),
    Form(
        "三金倒",
        "mult_three_gold",
        "T312",
        "three golds in hand, by self-draw; the other tiles may be anything",
        "手中摸齐三张金，自摸，其余各牌不论",
        lambda hand, golden: hand.has_three_golds,
    ),
    Form(
        "天胡",
        "mult_heavenly",
        "T306",
        "the dealer's dealt hand is complete",
        "庄家开金后起手即胡",
        lambda hand, golden: How.HEAVENLY in hand.win.how and hand.is_complete,
    ),
    Form(
        "抢金",
        "mult_rob_gold",
        "T307, T308",
        "the tile turned up as the gold completes the dealt hand",
        "起手以翻出的金牌成胡",
        lambda hand, golden: How.EARTHLY in hand.win.how and hand.is_complete,
    ),
    Form(
        "平胡",
        "mult_plain",
        "T314",
        "the winner has no flower tile and no kong",
        "胡牌者无花无杠",
        lambda hand, golden: has_no_flower_or_kong(hand),
    ),
)
