"""What a win is worth in 竞技麻将: the best reading, its fans and add-ons, and the proof of them (J39–J58)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from tablectl.rules.api import FanProof, How
from tablectl.rules.competition.fans import FANS, FORMS, Fan, Groups, WonHand
from tablectl.rules.reading import Reading, readings
from tablectl.tiles.tile import Tile

#: 梅兰竹菊 and 春夏秋冬: the groups that make a flower kong (J21).
FLOWER_GROUPS: Final = (
    frozenset({Tile.PLUM, Tile.ORCHID, Tile.BAMBOO, Tile.CHRYSANTHEMUM}),
    frozenset({Tile.SPRING, Tile.SUMMER, Tile.AUTUMN, Tile.WINTER}),
)

_PARAGRAPHS: Final = {"花牌": "J52", "单张和牌": "J46", "补花和": "J53", "杠上开花": "J53", "海底捞月": "J32",
                      "妙手回春": "J32", "门清": "J52", "天和": "J57", "地和": "J57"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Count:
    """One reading counted. ``fans`` in the order of J40, ``bonuses`` in that of J52."""

    hand: WonHand
    reading: Reading
    fans: tuple[tuple[Fan, Groups], ...]
    bonuses: tuple[tuple[str, int], ...]
    total: int

    @property
    def names(self) -> dict[str, int]:
        """Fans and add-ons by name, as a case lists them (J55)."""
        values = self.hand.options.fan_values
        return {fan.name: values[fan.name] for fan, _ in self.fans} | dict(self.bonuses)

    @property
    def proof(self) -> tuple[FanProof, ...]:
        """For each fan counted where it comes from, for each notable one left out the reason."""
        values = self.hand.options.fan_values
        counted = [
            FanProof(fan.name, values[fan.name], tuple([group.text for group in groups]), fan.paragraph)
            for fan, groups in self.fans
        ]
        winning = self.reading.winning
        for name, value in self.bonuses:
            sets = (winning.text,) if name == "单张和牌" and winning else ()
            counted.append(FanProof(name, value, sets, _PARAGRAPHS[name]))
        return (*counted, *_left_out(self))


def count(hand: WonHand) -> Count | None:
    """The reading that counts (J39), None where the tiles are no hand (J36).

    With `reading` lowest it is the cheapest reading that has a fan.
    """
    options = hand.options
    best: Count | None = None
    rank: tuple[bool, int, list[int]] = (False, 0, [])
    sign = 1 if options.reading == "lowest" else -1
    for reading in readings(hand.counts, hand.win.melds, hand.tile, shapes=FORMS, quads=options.seven_pairs_quads):
        counted = _counted(hand, reading)
        mine = (not counted.fans, sign * counted.total, [fan.number for fan, _ in counted.fans])
        if best is None or mine < rank:
            best, rank = counted, mine
    return best


def _counted(hand: WonHand, reading: Reading) -> Count:
    values = hand.options.fan_values
    fans = tuple((fan, groups) for fan in FANS if values[fan.name] and (groups := fan.find(hand, reading)) is not None)
    names = {fan.name for fan, _ in fans}
    bonuses = tuple((name, value) for name, value in _bonuses(hand, reading, names) if value)
    total = sum(values[fan.name] for fan, _ in fans) + sum(value for _, value in bonuses)
    return Count(hand, reading, fans, bonuses, total)


def paid_flowers(flowers: tuple[Tile, ...]) -> frozenset[Tile]:
    """The flowers that belong to a flower kong (J64)."""
    groups = [group for group in FLOWER_GROUPS if group.issubset(flowers)]
    return frozenset().union(*groups)


def _bonuses(hand: WonHand, reading: Reading, fans: set[str]) -> Iterator[tuple[str, int]]:
    """The add-ons of J52 and J57, in their order; those switched off with value 0."""
    options, win = hand.options, hand.win
    value = options.bonus_values
    flowers = len(win.flowers)
    if not options.flower_kong_flowers_count:
        flowers -= len(paid_flowers(win.flowers))
    yield "花牌", flowers * value["花牌"]
    if not _no_single_wait(hand, reading, fans):
        yield "单张和牌", value["单张和牌"]
    if hand.self_drawn and hand.tile is not None:
        if How.FLOWER_REPLACEMENT in win.how:
            yield "补花和", value["补花和"]
        elif How.KONG_REPLACEMENT in win.how:
            yield "杠上开花", value["杠上开花"]
    if How.LAST_TILE in win.how:
        name = "妙手回春" if hand.self_drawn else "海底捞月"
        yield name, value[name]
    if not _not_concealed(hand, fans):
        yield "门清", value["门清"]
    if How.HEAVENLY in win.how:
        yield "天和", options.heavenly_bonus
    if How.EARTHLY in win.how:
        yield "地和", options.earthly_bonus


def _no_single_wait(hand: WonHand, reading: Reading, fans: set[str]) -> str:
    """Why there is no 单张和牌 (J43–J46, J54, J58); empty where there is."""
    if hand.tile is None:
        return "no tile is the winning one on the initial tiles (J58)"
    if hand.wait_shape(reading) is None:
        return "the winning tile is in no gap, edge or pair (J43)"
    implied = sorted(fans & {"全求独钓", "夹绝张"})
    if implied and not hand.options.single_wait_with_implied:
        return f"implied by {'、'.join(implied)} (J46)"
    if not hand.single_wait:
        return f"the hand waits on {' '.join(tile.code for tile in hand.waits)} (J45)"
    return "the winning tile was put among the standing tiles (J54)" if hand.mixed_in else ""


def _not_concealed(hand: WonHand, fans: set[str]) -> str:
    """Why there is no 门清 (J52); empty where there is."""
    if not hand.concealed:
        return "a meld was claimed (J52)"
    if hand.options.concealed_bonus == "self_draw" and not hand.self_drawn:
        return "only by self-draw (option concealed_bonus)"
    implied = sorted(fans & {"七对", "大乱"})
    if implied and not hand.options.concealed_bonus_with_implied:
        return f"implied by {'、'.join(implied)} (J52)"
    return ""


def _left_out(counted: Count) -> Iterator[FanProof]:
    """The fans and add-ons a player might claim and does not get, each with the reason."""
    hand, reading = counted.hand, counted.reading
    win = hand.win
    fans = {fan.name for fan, _ in counted.fans}
    if hand.tile is not None and "夹绝张" not in fans and hand.wait_shape(reading) in ("gap", "edge"):
        if hand.last_of_kind and not hand.single_wait:
            waits = " ".join(tile.code for tile in hand.waits)
            yield FanProof("夹绝张", 0, (), "J45", f"the hand waits on {waits} (J45)")
        elif hand.single_wait and not hand.last_of_kind:
            yield FanProof("夹绝张", 0, (), "J44", "the other three tiles do not lie as a pung (J44)")
    is_waiting = hand.wait_shape(reading) is not None or bool(fans & {"七对"})
    if is_waiting and (reason := _no_single_wait(hand, reading, fans)):
        if "七对" in fans:
            reason = "implied by 七对 (J46)"
        yield FanProof("单张和牌", 0, (), "J46", reason)
    if hand.concealed and (reason := _not_concealed(hand, fans)):
        yield FanProof("门清", 0, (), "J52", reason)
    if {How.FLOWER_REPLACEMENT, How.KONG_REPLACEMENT} <= win.how:
        yield FanProof("杠上开花", 0, (), "J53", "the last replacement was for a flower: 补花和 (J53)")
    if (paid := paid_flowers(win.flowers)) and not hand.options.flower_kong_flowers_count:
        codes = "".join(sorted(tile.code for tile in paid))
        yield FanProof("花牌", 0, (codes,), "J64", "paid as a flower kong (J64)")
