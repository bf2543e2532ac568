"""What a win is worth in 镇江麻将: one base item and the add-ons (Z401–Z408). All values are units."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tablectl.rules.api import FanEntry, FanProof, How, Incident
from tablectl.rules.zhenjiang.hand import Hand
from tablectl.rules.zhenjiang.options import Options

#: records of a thrown 百搭 (Z213), with their add-ons
THROWN: Final = {"wildcard_first": "首搭", "wildcard_mid": "半途打搭", "wildcard_pung": "碰后打搭"}
#: takes back the record of a thrown 百搭 that a meld took (`claimed_wildcard_keeps_bonus`: false)
CLAIMED: Final = "wildcard_claimed"
KONGS: Final = frozenset({"exposed_kong", "added_kong", "concealed_kong"})


@dataclass(frozen=True, slots=True)
class Item:
    """One line of the table of section 4."""

    name: str
    option: str
    paragraph: str
    zh: str
    en: str


RON: Final = Item(
    "放冲",
    "ron_discarder",
    "Z401",
    "别人打出或加杠的牌和，打牌者付此数",
    "win on a discard or a robbed kong; the discarder pays this",
)
#: In the order in which the first of equal value counts (Z404).
SELF_DRAWN: Final = (
    Item("天胡", "heavenly_win", "Z309", "庄家起手十四张即胡", "the dealer's fourteen dealt tiles"),
    Item(
        "跑搭脱搭",
        "paoda_tuoda",
        "Z307",
        "见张就胡，胡成时百搭都当本身用",
        "waited on everything, and natural when won",
    ),
    Item(
        "暗杠杠开",
        "kong_concealed_tuoda",
        "Z308",
        "暗杠补牌胡，脱搭",
        "on the replacement of a concealed kong, natural",
    ),
    Item(
        "明杠杠开", "kong_exposed_tuoda", "Z308", "明杠补牌胡，脱搭", "on the replacement of an exposed kong, natural"
    ),
    Item(
        "脱搭自摸", "self_draw_tuoda", "Z305", "自摸，无百搭或百搭当本身用", "self-drawn, every 百搭 as itself or none"
    ),
    Item("跑搭", "paoda", "Z306", "见张就胡，有搭", "waited on everything; a 百搭 stands for another kind"),
    Item(
        "有搭杠开",
        "kong_youda",
        "Z308",
        "杠后补牌胡，有搭",
        "on the replacement of a kong; a 百搭 stands for another kind",
    ),
    Item("有搭自摸", "self_draw_youda", "Z305", "自摸，有搭", "self-drawn; a 百搭 stands for another kind"),
)
ADD_ONS: Final = (
    Item("首搭", "bonus_first", "Z213", "首张打出百搭", "threw a 百搭 as the first discard"),
    Item("半途打搭", "bonus_mid", "Z213", "中途打出百搭，每张", "each 百搭 thrown later"),
    Item("碰后打搭", "bonus_pung", "Z213", "碰后随即打出百搭，每张", "each 百搭 thrown right after a pung"),
    Item("抢杠", "bonus_rob_kong", "Z207", "抢加杠，加在放冲上", "robbed kong, added to 放冲"),
    Item("成搭", "bonus_chengda", "Z311", "别人打出的百搭放冲", "won on a discarded 百搭, added to 放冲"),
)


@dataclass(frozen=True, slots=True)
class Count:
    """What a win is worth: the base item, the add-ons by name, and the base items that hold besides."""

    hand: Hand
    base: Item
    value: int
    add_ons: dict[str, int]
    besides: tuple[Item, ...] = ()

    @property
    def total(self) -> int:
        """Units that a payer of everything pays."""
        return self.value + sum(self.add_ons.values())

    @property
    def fans(self) -> dict[str, int]:
        """Items by name with their total values; those of value 0 are not listed (Z406)."""
        return {name: value for name, value in {self.base.name: self.value, **self.add_ons}.items() if value}

    @property
    def proof(self) -> tuple[FanProof, ...]:
        """What counts and by which paragraph, and which base items hold but do not count."""
        paragraphs = {item.name: item.paragraph for item in (RON, *SELF_DRAWN, *ADD_ONS)}
        counted = [FanProof(name, value, (), paragraphs[name]) for name, value in self.fans.items()]
        reason = f"one base item counts, the dearest: {self.base.name} (Z404)"
        return (*counted, *(FanProof(item.name, 0, (), item.paragraph, reason) for item in self.besides))


def count(hand: Hand, incidents: Sequence[Incident], options: Options) -> Count:
    """What this complete hand is worth."""
    add_ons = {name: value for name, value in _add_ons(hand, incidents, options) if value}
    if hand.win.source is not None:
        return Count(hand, RON, options.ron_discarder, add_ons)
    holding = [item for item in SELF_DRAWN if item.name in _self_drawn(hand, incidents, options)]
    best = max(holding, key=lambda item: int(getattr(options, item.option)))  # of equal ones the first (Z404)
    if How.HEAVENLY in hand.win.how:
        best = SELF_DRAWN[0]
    besides = tuple(item for item in holding if item is not best)
    return Count(hand, best, getattr(options, best.option), add_ons, besides)


def amended(counted: Count, fans: Mapping[str, int]) -> Count:
    """The same with the items that a referee put: the first base item among them counts as such (Z404)."""
    items = (RON,) if counted.hand.win.source is not None else SELF_DRAWN
    base = next((item for item in items if item.name in fans), counted.base)
    add_ons = {name: value for name, value in fans.items() if name != base.name}
    return Count(counted.hand, base, fans.get(base.name, 0), add_ons)


def _self_drawn(hand: Hand, incidents: Sequence[Incident], options: Options) -> set[str]:
    """The base items that hold for a self-draw (Z305–Z309)."""
    tuoda = hand.natural and (hand.has_wildcard or options.no_wildcard_self_draw == "tuoda")
    found = {"脱搭自摸" if tuoda else "有搭自摸"}
    heavenly = How.HEAVENLY in hand.win.how
    if heavenly:
        found.add("天胡")
    if not heavenly and hand.any_wait:
        found.add("跑搭脱搭" if tuoda else "跑搭")
    if How.KONG_REPLACEMENT in hand.win.how:
        kongs = [event.kind for event in incidents if event.seat == hand.win.seat and event.kind in KONGS]
        of_kind = "暗杠杠开" if kongs[-1] == "concealed_kong" else "明杠杠开"
        found.add(of_kind if tuoda else "有搭杠开")
    return found


def _add_ons(hand: Hand, incidents: Sequence[Incident], options: Options) -> Iterator[tuple[str, int]]:
    """Z403, in its order."""
    thrown = thrown_by(hand.win.seat, incidents, options)
    each = {"首搭": options.bonus_first, "半途打搭": options.bonus_mid, "碰后打搭": options.bonus_pung}
    if not options.wildcard_bonus_sum:
        thrown = sorted(set(thrown), key=lambda name: -each[name])[:1]  # only the one worth most (Z405)
    yield from ((name, value * thrown.count(name)) for name, value in each.items())
    if hand.robbed:
        yield "抢杠", options.bonus_rob_kong
    elif hand.win.source is not None and hand.win.tile is hand.wildcard:
        yield "成搭", options.bonus_chengda


def thrown_by(seat: int, incidents: Sequence[Incident], options: Options) -> list[str]:
    """The add-ons of the 百搭 that a seat threw, in order; a second 首搭 is one thrown midway (Z313)."""
    found: list[str] = []
    for event in incidents:
        if event.seat != seat:
            continue
        if event.kind in THROWN:
            name = THROWN[event.kind]
            again = name == "首搭" and "首搭" in found and not options.first_wildcard_run
            found.append("半途打搭" if again else name)
        elif event.kind == CLAIMED and found and not options.claimed_wildcard_keeps_bonus:
            found.pop()
    return found


def card(options: Options) -> Iterator[FanEntry]:
    """The items that are worth something, in units."""
    others = f"; each of the two others {options.ron_other}", f"，其他两家各付{options.ron_other}"
    for item in (RON, *SELF_DRAWN, *ADD_ONS):
        en, zh = others if item is RON else ("", "")
        if value := int(getattr(options, item.option)):
            yield FanEntry(item.name, value, item.en + en, item.paragraph, 0, item.zh + zh)
