"""Walls that bring what chance seldom brings: for every rule system the rare ways a hand can end, with the people as
they are. Only tests and benchmarks stack walls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from quick_people import played, stacked

from tablectl.rules.registry import load
from tablectl.sim.quick import QuickTable


@dataclass(frozen=True)
class Rare:
    """``ending`` (of `tablectl.sim.endings`) that these tiles bring about with one of `SEEDS` at least. ``hands`` by
    seat from the dealer, ``live`` and ``tail`` from both ends of the wall."""

    ending: str
    hands: Mapping[int, str]
    live: str = ""
    tail: str = ""
    indicator: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    hands_played: int | None = 1


#: how many matches are tried
SEEDS: Final = range(8)

_ROBBED: Final = {0: "234m678m234s66s22p5p", 1: "55p123s789s88mESW", 2: "123456m77s99s46pE"}
_ROBBED_PUNGS: Final = {0: "123456789m11s23p5p", 1: "55p222s222p888mSW", 2: "123456m77s99s46pE"}
_ROBBED_LONG: Final = {0: "234m678m456m234s66s22p5p", 1: "55p123s789s88m999m147m", 2: "123456m77s99s678p46p1s"}
_CHASED: Final = {0: "123m456p789s11p23sE", 1: "234m567p22s45s88pE", 2: "345m678p33s56s99pE", 3: "456m123p44s67s11mE"}
_KONGED: Final = {0: "1111m234p567p22s78s"}
_KONGED_STRAIGHT: Final = {0: "EEEE123456m78m22s"}
_KONGED_LONG: Final = {0: "1111m345m234p567p22s78s"}
_HOOKED: Final = {1: "EEESSWWNN5p8s2m9p", 0: "ESWN147m258p369s", 2: "SWN258m369p147s1p", 3: "369m147p258s1m9m2p5s"}
_READY: Final = "123456789s456p78m11p"
_SHORT_SESSION: Final = {"session_minutes": 8, "break_minutes": 0, "warn_minutes_left": 0}

RARE: Final[Mapping[str, tuple[Rare, ...]]] = {
    "competition": (
        Rare("robbed", _ROBBED_PUNGS, live="7s1m9p5p"),
        Rare("2 winners", {0: "19m19p2468sESWNC9s", 1: "123456789m78s11p", 2: "123456789p78s22p"}),
        Rare(
            "3 winners",
            {0: "444p555p666p77p88s9m", 1: "123456789p78m11s", 2: "123456789s78m22p", 3: "123p456s78mEEE11p"},
        ),
        Rare("heavenly", {0: "123456789m123p11s"}),
        Rare("earthly", {1: "123456789m78s11p"}, live="9s"),
        Rare("杠上开花", _KONGED_STRAIGHT, tail="9m"),
        Rare("补花和", {1: "123456789m12p11s"}, live="a", tail="3p"),
        Rare("flower_kong", {1: "abcd123456m123p"}),
        Rare("chase", _CHASED, live="6s7s8s"),
        Rare("三箭刻", {1: "CCCFFFPPP12m55s"}, live="3m"),
        Rare("清一色", {1: "1112345678999m"}, live="5m"),
        Rare("match: time", {}, options={"game_minutes": 8}, hands_played=None),
    ),
    "mcr": (
        Rare("robbed", _ROBBED, live="7s1m1p5p"),
        Rare("heavenly", {0: "123456789m123p11s"}),
        Rare("杠上开花", _KONGED_STRAIGHT, tail="9m"),
        Rare("flower_replacement", {1: "123456789m12p11s"}, live="a", tail="3p"),
        Rare("overtaken", {0: "19m19p2468sESWNC9s", 1: "123456789m78s11p", 2: "123456789p78s22p"}),
        Rare("drawn: broken_off", {}, options=_SHORT_SESSION, hands_played=None),  # and the match ends by time
    ),
    "tianjin": (
        Rare("天和", {0: "123456m123p777s99s"}, indicator="E"),
        Rare("杠开", _KONGED, tail="9s", indicator="E"),
        Rare("本混", {1: "123456789m1p555s"}, live="3s1p", indicator="2m"),
        Rare("gold_kong", {0: "SSSS147m258p36s1pP"}, indicator="E"),
        Rare("chan", _CHASED, live="6s7s8s", indicator="C"),
        Rare("地和", {1: "123456m123p777s9s"}, live="9s", indicator="E", options={"earthly": 4}),
    ),
    "fuzhou": (
        Rare("天胡", {0: "123456789m123p789s11s"}, indicator="5p"),
        Rare("金雀", {2: "123456789m123p45s99p"}, live="8p", indicator="9p"),
        Rare("三金倒", {1: "147m258s369p14m2s555p"}, indicator="5p"),
        Rare("抢金", {2: _READY}, live="8p", indicator="9p"),
        Rare("平胡", {2: "123456789s456p78m1p4m"}, live="2p1p3s7p2s9m", indicator="3p"),
        Rare("四同花", {2: "abcd123456789s78m1p"}, live="2p9m", tail="1p456p3p"),
        Rare("robbed", _ROBBED_LONG, live="7s1m2m5p", indicator="3p", options={"rob_gold": False}),
    ),
    "fujian": (
        Rare("heavenly", {0: "123456789m123p789s11s"}, indicator="5p"),
        Rare("游金", {2: "123456789s456p123m5p"}, live="9m", indicator="5p"),
        Rare("kong_replacement", _KONGED_LONG, tail="9s", indicator="3p"),
        Rare("robbed", _ROBBED_LONG, live="7s1m2m5p", indicator="3p"),
        Rare("大字暗刻", {2: "123456789sCCC78m11p"}, live="2p9m", indicator="3p", options={"count": "full"}),
    ),
    "zhenjiang": (
        Rare("天胡", {0: "123456m123p777s9sN"}, indicator="W"),
        Rare("成搭", {0: "19m19p19sESWCFP9mN", 2: "123456m123p777sN"}, indicator="W"),
        Rare("暗杠杠开", _KONGED, tail="9s", indicator="C"),
        Rare("明杠杠开", {0: "234m678m234s66s22p5p", 1: "555p123s789s88m78m"}, tail="9m", live="1p", indicator="C"),
        Rare("robbed", _ROBBED, live="7s1m1p5p", indicator="C"),
        Rare("跑搭脱搭", {1: "123p456p789sEEE5m"}, live="5m", indicator="4m", options={"first_wildcard_rule": "free"}),
    ),
    "beijing": (
        Rare("天和", {0: "123456m123p777s99s"}),
        Rare("人和", {2: "456789m456p88p78s", 0: "123456m123p77sEE9s"}),
        Rare("地和", {1: "123456m123p777s9s", 0: "147m258p369sESWNN"}, live="9s"),
        Rare("robbed", _ROBBED, live="7s1m1p5p"),
        Rare("杠上开花", _KONGED, tail="9s"),
        Rare("豪华七小对", {1: "1111m3355p2288s9s"}, live="9s"),
        Rare("清一色", {1: "1112345678999m"}, live="5m"),
        Rare("大吊车", _HOOKED),
        Rare("match: bust", {}, options={"start_points": 1500}, hands_played=None),
    ),
}


def play(rules: str, rare: Rare, seed: int) -> QuickTable:
    """One match (or its first hands) with these tiles in every hand."""
    with stacked(rare.hands, live=rare.live, tail=rare.tail, indicator=rare.indicator):
        return played(load(rules, dict(rare.options)), seed, rare.hands_played, notices=1.0)
