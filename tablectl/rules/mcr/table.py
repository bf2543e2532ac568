"""The 81 fans of 国标麻将 (T45): values, definitions, and what is not counted beside what. Data only.

A fan that may be counted several times has several *entries*, one for each time, and a reading is a set of entries: one
bit each, in the order of the table. `fans_of` applies the column "not with" to such a set and adds up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Final, NamedTuple


@dataclass(frozen=True, slots=True, eq=False)
class Fan:
    """One line of T45. ``without`` are the fans not counted beside it; ``times`` is how often it can count."""

    number: int
    name: str
    points: int
    zh: str
    en: str
    without: tuple[int, ...] = ()
    times: int = 1


#: Number of 明暗杠 in ``without``; it has none of its own and stands between 57 and 58 (T34).
MIXED_KONGS: Final = 0
FLOWERS: Final = Fan(81, "花牌", 1, "每张摆出的花牌", "each flower laid down; not counted towards the minimum")

#: In ascending order of their numbers, which is the order of T34; without F81, which no reading decides.
FANS: Final[tuple[Fan, ...]] = (
    Fan(1, "大四喜", 88, "四副风刻", "four wind pungs", (38, 48, 60, 61, 73)),
    Fan(2, "大三元", 88, "三副箭刻", "three dragon pungs", (54, 59)),
    Fan(3, "绿一色", 88, "全是 23468 条和发", "tiles only 2 3 4 6 8 s and F", (49,)),
    Fan(
        4, "九莲宝灯", 88, "一门 1112345678999，见同花色任何一张即和", "1112345678999 of one suit and any tile of it",
        (22, 56, 62, 76),
    ),
    Fan(5, "四杠", 88, "四副杠", "four kongs", (48, 53, 57, 67, 74, 79)),
    Fan(6, "连七对", 88, "一门序数相连的七对", "seven pairs in a row in one suit", (19, 22, 56, 62, 76, 79)),
    Fan(7, "十三幺", 88, "幺九牌各一张加其中一对", "each 1, 9 and honour, one of them twice", (18, 51, 56, 62, 79)),
    Fan(8, "清幺九", 64, "全是一、九", "tiles only 1 and 9", (18, 48, 55, 65, 73, 76)),
    Fan(9, "小四喜", 64, "三副风刻，第四种风作将", "three wind pungs, the fourth wind as the pair", (38,)),
    Fan(10, "小三元", 64, "两副箭刻，第三种箭作将", "two dragon pungs, the third dragon as the pair", (54, 59)),
    Fan(11, "字一色", 64, "全是字牌", "tiles only honours", (18, 48, 55, 73)),
    Fan(12, "四暗刻", 64, "四副暗刻（暗杠）", "four concealed pungs or kongs", (33, 48, 56, 62, 66)),
    Fan(
        13, "一色双龙会", 64, "一门两副老少副，五作将", "123 123 789 789 and a pair of 5 in one suit",
        (19, 22, 63, 69, 72, 76),
    ),
    Fan(14, "一色四同顺", 48, "一门四副相同的顺子", "four equal chows", (19, 23, 24, 64, 69)),
    Fan(15, "一色四节高", 48, "一门四副依次递增一位的刻子", "four pungs of one suit, each one higher", (23, 24, 48)),
    Fan(
        16, "一色四步高", 32, "一门四副依次递增一位或两位的顺子", "four chows of one suit, each one or each two higher",
        (30, 71, 72),
    ),
    Fan(17, "三杠", 32, "三副杠", "three kongs", (53, 57, 67, 74)),
    Fan(18, "混幺九", 32, "全是字牌和一、九", "tiles only 1, 9 and honours, both occurring", (48, 55, 73)),
    Fan(19, "七对", 24, "七个对子", "seven pairs", (56, 62, 79)),
    Fan(
        20, "七星不靠", 24, "七种字牌各一张，加组合龙中的七张序数牌", "all seven honours, the rest knitted",
        (34, 51, 56, 62, 79),
    ),
    Fan(21, "全双刻", 24, "全是偶数的刻子和将", "four pungs and a pair, all of even numbers", (48, 68, 76)),
    Fan(22, "清一色", 24, "全是一门序数牌", "tiles of one suit only", (76,)),
    Fan(23, "一色三同顺", 24, "一门三副相同的顺子", "three equal chows", (24,)),
    Fan(24, "一色三节高", 24, "一门三副依次递增一位的刻子", "three pungs of one suit, each one higher", (23,)),
    Fan(25, "全大", 24, "全是七、八、九", "tiles only 7 8 9", (36, 76)),
    Fan(26, "全中", 24, "全是四、五、六", "tiles only 4 5 6", (68, 76)),
    Fan(27, "全小", 24, "全是一、二、三", "tiles only 1 2 3", (37, 76)),
    Fan(28, "清龙", 16, "一门 123 456 789", "123 456 789 of one suit"),
    Fan(
        29, "三色双龙会", 16, "两门老少副，第三门五作将", "123 and 789 in two suits, a pair of 5 in the third",
        (63, 70, 72, 76),
    ),
    Fan(30, "一色三步高", 16, "一门三副依次递增一位或两位的顺子", "three chows of one suit, each one or two higher"),
    Fan(31, "全带五", 16, "每副牌和将都有五", "a 5 in every set and in the pair", (68, 76)),
    Fan(32, "三同刻", 16, "三门序数相同的刻子", "pungs of one number in all three suits"),
    Fan(33, "三暗刻", 16, "三副暗刻（暗杠）", "three concealed pungs or kongs", (66,)),
    Fan(
        34, "全不靠", 12, "字牌和一副组合龙中各不相同的十四张", "fourteen different honours and knitted tiles",
        (51, 56, 62, 79),
    ),
    Fan(35, "组合龙", 12, "三门的 147 258 369", "147 258 369, each in a suit of its own"),
    Fan(36, "大于五", 12, "全是六至九", "tiles only 6 7 8 9", (76,)),
    Fan(37, "小于五", 12, "全是一至四", "tiles only 1 2 3 4", (76,)),
    Fan(38, "三风刻", 12, "三副风刻", "three wind pungs"),
    Fan(39, "花龙", 8, "三门的 123 456 789", "123, 456 and 789, one in each suit"),
    Fan(40, "推不倒", 8, "全是 1234589 饼、245689 条和白", "tiles only 1 2 3 4 5 8 9 p, 2 4 5 6 8 9 s and P", (75,)),
    Fan(41, "三色三同顺", 8, "三门序数相同的顺子", "equal chows in all three suits"),
    Fan(42, "三色三节高", 8, "三门依次递增一位的刻子", "pungs in three suits, each one higher"),
    Fan(43, "无番和", 8, "花牌以外没有任何番", "no other fan at all, flowers aside"),
    Fan(44, "妙手回春", 8, "自摸牌墙最后一张", "self-drawn on the last tile of the wall", (80,)),
    Fan(45, "海底捞月", 8, "和牌墙摸完后打出的牌", "won on the discard after the last tile was drawn"),
    Fan(46, "杠上开花", 8, "开杠补进的牌成和", "won on the replacement for a kong", (80,)),
    Fan(47, "抢杠和", 8, "和别人加杠的牌", "won on a tile added to a pung", (58,)),
    Fan(48, "碰碰和", 6, "四副刻子（杠）", "four pungs or kongs"),
    Fan(49, "混一色", 6, "一门序数牌和字牌", "tiles of one suit and honours"),
    Fan(50, "三色三步高", 6, "三门依次递增一位的顺子", "chows in three suits, each one higher"),
    Fan(51, "五门齐", 6, "三门序数牌、风牌、箭牌齐全", "all three suits, a wind and a dragon occur"),
    Fan(52, "全求人", 6, "四副都是吃、碰、明杠，和别人打出的牌", "four exposed melds, won on a discard", (79,)),
    Fan(53, "双暗杠", 6, "两副暗杠", "two concealed kongs", (66, 67)),
    Fan(54, "双箭刻", 6, "两副箭刻", "two dragon pungs", (59,)),
    Fan(55, "全带幺", 4, "每副牌和将都有幺九牌", "a 1, 9 or honour in every set and in the pair"),
    Fan(56, "不求人", 4, "没有吃、碰、明杠，自摸", "no chow, pung or exposed kong, self-drawn", (80,)),
    Fan(57, "双明杠", 4, "两副明杠", "two exposed kongs", (74,)),
    Fan(MIXED_KONGS, "明暗杠", 5, "一副明杠和一副暗杠", "an exposed and a concealed kong"),
    Fan(58, "和绝张", 4, "其余三张都已亮明", "the three other tiles of the kind lie open"),
    Fan(59, "箭刻", 2, "箭牌刻子", "a dragon pung"),
    Fan(60, "圈风刻", 2, "与圈风相同的风刻", "a pung of the prevalent wind"),
    Fan(61, "门风刻", 2, "与门风相同的风刻", "a pung of the seat wind"),
    Fan(62, "门前清", 2, "没有吃、碰、明杠，和别人打出的牌", "no chow, pung or exposed kong, won on a discard"),
    Fan(63, "平和", 2, "四副顺子，序数牌作将", "four chows and a suit pair", (76,)),
    Fan(64, "四归一", 2, "一种牌四张都在手而不作杠，每种", "all four tiles of a kind, not as a kong, each", times=3),
    Fan(65, "双同刻", 2, "两门序数相同的刻子，每对", "two pungs of one number in two suits, each", times=2),
    Fan(66, "双暗刻", 2, "两副暗刻", "two concealed pungs"),
    Fan(67, "暗杠", 2, "一副暗杠", "one concealed kong"),
    Fan(68, "断幺", 2, "没有幺九牌", "no 1, 9 or honour", (76,)),
    Fan(69, "一般高", 1, "一门两副相同的顺子，每对", "two equal chows, each", times=2),
    Fan(70, "喜相逢", 1, "两门序数相同的顺子，每对", "chows of equal numbers in two suits, each", times=2),
    Fan(71, "连六", 1, "一门相连的两副顺子，每对", "two chows of one suit, one three higher, each", times=2),
    Fan(72, "老少副", 1, "一门 123 和 789，每对", "123 and 789 of one suit, each", times=2),
    Fan(73, "幺九刻", 1, "一、九或风牌的刻子，每副", "a pung of 1, 9 or wind, each", times=4),
    Fan(74, "明杠", 1, "一副明杠", "one exposed kong"),
    Fan(75, "缺一门", 1, "只有两门序数牌", "exactly two of the three suits occur"),
    Fan(76, "无字", 1, "没有字牌", "no honours"),
    Fan(77, "边张", 1, "只听 123 的 3 或 789 的 7", "single wait for the 3 of 123 or the 7 of 789"),
    Fan(78, "坎张", 1, "只听顺子中间一张", "single wait for the middle of a chow"),
    Fan(79, "单钓将", 1, "只听将牌", "single wait for the pair"),
    Fan(80, "自摸", 1, "自己摸进成和", "self-drawn"),
)  # fmt: skip

BY_NUMBER: Final[Mapping[int, Fan]] = {fan.number: fan for fan in FANS}
_FIRST: Final[Mapping[int, int]] = dict(
    zip((fan.number for fan in FANS), accumulate((fan.times for fan in FANS), initial=0), strict=False)
)
#: The fan of every entry.
ENTRIES: Final[tuple[Fan, ...]] = tuple(fan for fan in FANS for _ in range(fan.times))


def entries(number: int, times: int = 1) -> int:
    """The bits of a fan counted ``times`` times."""
    return ((1 << times) - 1) << _FIRST[number]


def bits(mask: int) -> Iterator[int]:
    """The entries of a set, ascending."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def _all_of(numbers: tuple[int, ...]) -> int:
    return sum(entries(number, BY_NUMBER[number].times) for number in numbers)


#: For every entry the entries not counted beside it. Only later ones: superior fans stand first.
WITHOUT: Final[tuple[int, ...]] = tuple(_all_of(fan.without) for fan in ENTRIES)
_NO_FAN: Final = entries(43)


class Fans(NamedTuple):
    """What is counted of a set of entries. ``places`` are the entries' places in the table, for T34's order."""

    total: int
    places: tuple[int, ...]
    #: by name in the order of the table, each with all its points
    names: Mapping[str, int]
    kept: int


@lru_cache(maxsize=8)
def counter(mixed_kongs_points: int, two_concealed_kongs_points: int) -> Callable[[int], Fans]:
    """`fans_of` with the values of these options (T38). What it found is kept: most hands are alike in their fans."""
    own = {MIXED_KONGS: mixed_kongs_points, 53: two_concealed_kongs_points}
    points = tuple(own.get(fan.number, fan.points) for fan in ENTRIES)

    @lru_cache(maxsize=1 << 15)
    def fans_of(mask: int) -> Fans:
        """Leave out what is implied by a counted fan (T37a), add up; 无番和 where nothing is left (F43)."""
        kept = counted(mask) or _NO_FAN
        found = tuple(bits(kept))
        names: dict[str, int] = {}
        for place in found:
            name = ENTRIES[place].name
            names[name] = names.get(name, 0) + points[place]
        return Fans(sum(names.values()), found, names, kept)

    return fans_of


def counted(mask: int) -> int:
    """The entries that remain when every counted fan has struck out what is not counted beside it."""
    kept = struck = 0
    for place in bits(mask):
        if not struck >> place & 1:
            kept |= 1 << place
            struck |= WITHOUT[place]
    return kept
