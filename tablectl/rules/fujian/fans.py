"""The fans of 福建麻将 (T401–T407) as data, in the order of the specification's tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tablectl.rules.fujian.options import Kept, Options
from tablectl.tiles.meld import MeldKind


@dataclass(frozen=True, slots=True)
class WinKind:
    """屁胡, 自摸 or 游金: its value, the weight of the other fans, the step a kept deal of it adds. ``key`` names it in
    options and in `streak_history`."""

    name: str
    key: Kept
    paragraph: str
    definition: str
    definition_zh: str

    def value(self, options: Options) -> int:
        """B of a seat that is not the dealer (T401, T402)."""
        return _option(options, f"{options.count}_{self.key}")

    def weight(self, options: Options) -> int:
        """k (T403, T404)."""
        weighs = options.count == "full" or options.simple_weights
        return _option(options, f"full_weight_{self.key}") if weighs else 1


PI: Final = WinKind("屁胡", "pi", "T305", "won on a discard or a robbed kong", "放冲或抢杠胡")
ZIMO: Final = WinKind("自摸", "zimo", "T305", "won by self-draw, the dealer's dealt hand too", "自摸胡，庄家起手胡也算")
YOUJIN: Final = WinKind(
    "游金",
    "youjin",
    "T306",
    "self-drawn with five sets and a gold: the hand waited on every tile, the gold pairs the tile drawn",
    "五组牌已成、以一张金单吊任意牌，自摸即成",
)
WIN_KINDS: Final = (PI, ZIMO, YOUJIN)


def step(kept: str, options: Options) -> int:
    """What a deal kept so adds to the dealer's later wins (T405, T408, T411)."""
    if options.count == "simple":
        return options.simple_streak_step
    return 0 if kept == "draw" else _option(options, f"full_step_{kept}")


@dataclass(frozen=True, slots=True)
class Fan:
    """One of the other fans (T407). ``simple``, ``full``: the option that holds its value there, empty where the count
    does not know it."""

    name: str
    simple: str
    full: str
    definition: str
    definition_zh: str

    def option(self, options: Options) -> str:
        return self.simple if options.count == "simple" else self.full

    def value(self, options: Options) -> int:
        """The value each; 0 where it is not counted."""
        name = self.option(options)
        return _option(options, name) if name else 0


FANS: Final = {
    fan.name: fan
    for fan in (
        Fan("花", "simple_flowers_per_fan", "full_flower", "flower tiles of the winner", "胡家的花牌"),
        Fan("金", "simple_gold", "full_gold", "each gold in hand, the drawn one too", "手中每张金，摸到的也算"),
        Fan("光杠", "simple_exposed_kong", "", "exposed kong, from a discard or added", "明杠，碰后再杠也算"),
        Fan("暗杠", "simple_concealed_kong", "", "concealed kong", "暗杠"),
        Fan(
            "大字碰",
            "",
            "full_honour_pung",
            "honour pung, claimed or completed by the claimed winning tile",
            "碰大字，或以放冲之牌凑成的大字刻子",
        ),
        Fan("数牌暗刻", "", "full_suit_triplet", "natural suit triplet in hand", "手中三张相同数牌，不用金"),
        Fan("大字暗刻", "", "full_honour_triplet", "natural honour triplet in hand", "手中三张相同大字，不用金"),
        Fan("数牌补杠", "", "full_suit_added_kong", "suit kong added to a pung", "数牌碰后再杠"),
        Fan("数牌光杠", "", "full_suit_exposed_kong", "suit kong from a discard", "数牌明杠"),
        Fan("大字补杠", "", "full_honour_added_kong", "honour kong added to a pung", "大字碰后再杠"),
        Fan("大字光杠", "", "full_honour_exposed_kong", "honour kong from a discard", "大字明杠"),
        Fan("数牌暗杠", "", "full_suit_concealed_kong", "concealed suit kong", "数牌暗杠"),
        Fan("大字暗杠", "", "full_honour_concealed_kong", "concealed honour kong", "大字暗杠"),
    )
}

#: Melds that score in full: of suit tiles and of honours. A claimed suit pung is worth nothing.
FULL_MELDS: Final = {
    (MeldKind.PUNG, True): "大字碰",
    (MeldKind.ADDED_KONG, False): "数牌补杠",
    (MeldKind.EXPOSED_KONG, False): "数牌光杠",
    (MeldKind.ADDED_KONG, True): "大字补杠",
    (MeldKind.EXPOSED_KONG, True): "大字光杠",
    (MeldKind.CONCEALED_KONG, False): "数牌暗杠",
    (MeldKind.CONCEALED_KONG, True): "大字暗杠",
}
#: In simple no meld but a kong scores, whatever its tiles.
SIMPLE_MELDS: Final = {
    MeldKind.ADDED_KONG: "光杠",
    MeldKind.EXPOSED_KONG: "光杠",
    MeldKind.CONCEALED_KONG: "暗杠",
}


def _option(options: Options, name: str) -> int:
    value: int = getattr(options, name)
    return value
