"""The patterns of 天津麻将: what adds, what doubles, and the score they make (T401–T413)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import Final

from tablectl.rules.api import FanEntry
from tablectl.rules.tianjin.options import Options

DILIU: Final = "提溜"
ZHUOWU: Final = "捉五"
LONG: Final = "龙"
HEAVENLY: Final = "天和"
EARTHLY: Final = "地和"
BENHUN: Final = "本混"
HUNDIAO: Final = "混吊"
DOUBLE_HUNDIAO: Final = "双混吊"
SU: Final = "素"
KONG_WIN: Final = "杠开"
SU_BEN: Final = "素本"


@dataclass(frozen=True, slots=True)
class Pattern:
    """One line of T401. ``option`` holds its value, or its factor."""

    name: str
    option: str
    doubles: bool
    paragraph: str
    zh: str
    en: str


#: In the order of T401; 地和 (T410) beside 天和.
PATTERNS: Final = (
    Pattern(DILIU, "diliu", False, "T411", "成和而无捉五、龙等，底分；单独不能和", "the base where nothing else adds"),
    Pattern(
        ZHUOWU, "zhuowu", False, "T404", "摸到的牌是手中四五六万的五万", "the drawn tile is the 5m of a 4m 5m 6m run"
    ),
    Pattern(
        LONG, "long", False, "T405", "一种花色的一二三、四五六、七八九", "123, 456 and 789 of one suit, all concealed"
    ),
    Pattern(HEAVENLY, "heavenly", False, "T410", "庄家起手十四张即和", "the dealer wins with the fourteen tiles dealt"),
    Pattern(
        EARTHLY, "earthly", False, "T410", "闲家第一张摸牌即和，此前无人副露", "a non-dealer wins with its first draw"
    ),
    Pattern(BENHUN, "benhun_factor", True, "T406", "龙与混儿同花色", "龙 in the suit of the wilds"),
    Pattern(
        HUNDIAO, "hundiao_factor", True, "T407", "摸到的牌与一张混儿成将", "the drawn tile makes the pair with a wild"
    ),
    Pattern(
        DOUBLE_HUNDIAO,
        "double_hundiao_factor",
        True,
        "T407",
        "摸到的牌与两张混儿成一副",
        "the drawn tile makes a set with two wilds",
    ),
    Pattern(SU, "su_factor", True, "T408", "手中没有混儿（没混）", "no wild in hand"),
    Pattern(KONG_WIN, "kong_win_factor", True, "T409", "用杠后补的牌和", "won with the replacement of a kong"),
    Pattern(
        SU_BEN,
        "su_ben_factor",
        True,
        "T412",
        "本混龙，混儿都当本身用",
        "龙 in the wilds' suit, all wilds as themselves",
    ),
)

#: Paragraph of each pattern, for proofs.
PARAGRAPHS: Final = {pattern.name: pattern.paragraph for pattern in PATTERNS}

#: Where one of these is there, 提溜 is not listed (T403).
_MORE_THAN_DILIU: Final = frozenset({ZHUOWU, LONG, HEAVENLY, EARTHLY, HUNDIAO, DOUBLE_HUNDIAO})

#: Of readings that score the same the one with the first of these counts (T306).
_BEFORE: Final = (LONG, ZHUOWU, BENHUN, SU_BEN, DOUBLE_HUNDIAO)


class Values:
    """The values and factors of the patterns under some options; a pattern that is not played has none (T401)."""

    def __init__(self, options: Options) -> None:
        multiplied = {HEAVENLY, EARTHLY} if options.heavenly_mode == "multiply" else set()
        given: Mapping[str, int] = {pattern.name: getattr(options, pattern.option) for pattern in PATTERNS}
        #: patterns that multiply, played or not
        self.doubling = doubling = frozenset({pattern.name for pattern in PATTERNS if pattern.doubles} | multiplied)
        self.diliu = options.diliu
        self.double_inside_dragon = options.hundiao_inside_dragon
        #: adding patterns but 提溜, and doubling ones, as far as they are played
        self.adds = {name: n for name, n in given.items() if name not in (*doubling, DILIU) and n > 0}
        self.factors = {name: n for name, n in given.items() if name in doubling and n > 1}

    def score(self, names: Collection[str]) -> tuple[int, int]:
        """A and A × B of the patterns present, before any cap (T402)."""
        added = [value for name, value in self.adds.items() if name in names]
        a = sum(added) if added else self.diliu
        score = a
        for name, factor in self.factors.items():
            if name in names:
                score *= factor
        return a, score

    def amended(self, fans: Mapping[str, int]) -> int:
        """A × B of patterns with the values that a referee put, before any cap (T402)."""
        a = sum(value for name, value in fans.items() if name not in self.doubling) or self.diliu
        return a * prod(value for name, value in fans.items() if name in self.doubling)

    def rank(self, names: Collection[str]) -> tuple[int, ...]:
        """What decides between readings (T306): of the patterns present the greater rank counts."""
        a, score = self.score(names)
        return (score, a, *(name in names for name in _BEFORE))

    def played(self, names: Iterable[str]) -> frozenset[str]:
        """Those of the patterns that are played."""
        return frozenset(name for name in names if name in self.adds or name in self.factors)

    def fans(self, names: Collection[str]) -> dict[str, int]:
        """The patterns present with their values and factors, in the order of T401 (T403)."""
        values = {**self.adds, **self.factors}
        present = {pattern.name: values[pattern.name] for pattern in PATTERNS if pattern.name in {*names} & {*values}}
        if self.diliu and not _MORE_THAN_DILIU.intersection(present):
            return {DILIU: self.diliu, **present}
        return present


def card(options: Options) -> Iterator[FanEntry]:
    """The patterns that are played, with what they add or by how much they multiply."""
    values = Values(options)
    for pattern in PATTERNS:
        name = pattern.name
        if name in values.factors:
            factor = values.factors[name]
            yield FanEntry(
                name, factor, f"{pattern.en}; times {factor}", pattern.paragraph, 0, f"{pattern.zh}；乘{factor}"
            )
        elif value := values.diliu if name == DILIU else values.adds.get(name, 0):
            yield FanEntry(name, value, f"{pattern.en}; adds", pattern.paragraph, 0, f"{pattern.zh}；相加")


def spoken(fans: Collection[str]) -> str:
    """The name of a win, put together in the order of T604: 杠开素捉五龙, 双混捉五本混龙, 混吊本混龙."""
    double = "双混" if ZHUOWU in fans else DOUBLE_HUNDIAO
    ben = "素本混" if SU_BEN in fans else BENHUN
    order = (
        (HEAVENLY, HEAVENLY),
        (EARTHLY, EARTHLY),
        (KONG_WIN, KONG_WIN),
        (SU, SU),
        (HUNDIAO, HUNDIAO),
        (DOUBLE_HUNDIAO, double),
        (ZHUOWU, ZHUOWU),
        (BENHUN, ben),
        (LONG, LONG),
        (DILIU, DILIU),
    )
    return "".join(said for name, said in order if name in fans)
