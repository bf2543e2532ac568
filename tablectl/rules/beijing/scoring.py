"""What a win is worth in 北京麻将: the reading that counts, its fans, and the proof of them (T29–T38)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tablectl.rules.api import FanProof, How
from tablectl.rules.beijing.fans import CONCEALED_ALREADY, FANS, Fan, Groups, WonHand
from tablectl.rules.beijing.options import Options
from tablectl.rules.reading import Reading, Shape, counts_of, readings
from tablectl.rules.waits import waits
from tablectl.tiles.meld import Meld
from tablectl.tiles.tile import Tile

_NUMBER: Final = {fan.name: number for number, fan in enumerate(FANS)}


def shapes(options: Options) -> frozenset[Shape]:
    """The shapes of T22."""
    orphans = {Shape.ORPHANS} if options.thirteen_orphans else set()
    return frozenset({Shape.STANDARD, Shape.SEVEN_PAIRS} | orphans)


def waits_of(standing: Sequence[Tile], melds: Sequence[Meld], options: Options) -> tuple[Tile, ...]:
    """The kinds that complete 13 tiles; none of which they hold all four (T28)."""
    held = counts_of((*standing, *(tile for meld in melds for tile in meld.tiles)))
    kinds = waits(counts_of(standing), 4 - len(melds), shapes=shapes(options))
    return tuple(tile for tile in kinds if held[tile] < 4)


def value(fans: int, options: Options) -> int:
    """V of a hand with so many fans (T30, T31)."""
    return options.base_value << min(fans, options.limit_fan)


@dataclass(frozen=True, slots=True)
class Count:
    """One reading counted. ``fans`` in the order of T29."""

    hand: WonHand
    reading: Reading
    fans: tuple[tuple[Fan, Groups], ...]

    @property
    def names(self) -> dict[str, int]:
        """The fans with their full values, even beyond the limit (T30)."""
        values = self.hand.options.fan_values
        return {fan.name: values[fan.name] for fan, _ in self.fans}

    @property
    def total(self) -> int:
        """The sum before the limit."""
        return sum(self.names.values())

    @property
    def order(self) -> list[int]:
        """For readings worth the same: whose fans come first in the table (T32)."""
        return [_NUMBER[fan.name] for fan, _ in self.fans]

    @property
    def score(self) -> int:
        """V (T31)."""
        return value(self.total, self.hand.options)

    @property
    def proof(self) -> tuple[FanProof, ...]:
        """For each fan counted where it comes from, for each notable one left out the reason."""
        values = self.hand.options.fan_values
        counted = [
            FanProof(fan.name, values[fan.name], tuple(group.text for group in groups), "T29")
            for fan, groups in self.fans
        ]
        return (*counted, *_left_out(self))


def count(hand: WonHand) -> Count | None:
    """The reading that counts: the one worth most (T32), or least in the smallest count (T38). None where the tiles are
    no hand (T22)."""
    tile = None if hand.lowest else hand.win.tile
    counted = [
        Count(hand, reading, _fans(hand, reading))
        for reading in readings(hand.counts, hand.win.melds, tile, shapes=shapes(hand.options))
    ]
    sign = 1 if hand.lowest else -1
    return min(counted, key=lambda each: (sign * each.total, each.order), default=None)


def _fans(hand: WonHand, reading: Reading) -> tuple[tuple[Fan, Groups], ...]:
    values = hand.options.fan_values
    found = [
        (fan, groups)
        for fan in FANS
        if values[fan.name] and not (fan.needs_tile and hand.lowest) and (groups := fan.find(hand, reading)) is not None
    ]
    if CONCEALED_ALREADY.isdisjoint(fan.name for fan, _ in found):
        return tuple(found)
    return tuple((fan, groups) for fan, groups in found if fan.name != "门清")


def _left_out(counted: Count) -> Iterator[FanProof]:
    """The fans a player might claim and does not get, each with the reason."""
    hand, reading, options = counted.hand, counted.reading, counted.hand.options
    names = counted.names
    if hand.concealed and options.fan_values["门清"] and (already := sorted(CONCEALED_ALREADY & names.keys())):
        paragraph = "T34" if reading.shape is not Shape.STANDARD else "T29"
        yield FanProof("门清", 0, (), paragraph, f"part of {'、'.join(already)} ({paragraph})")
    won_in = reading.winning
    if (
        won_in
        and won_in.is_chow
        and hand.win.tile is Tile.M5
        and options.fan_values["捉五魁"]
        and "捉五魁" not in names
    ):
        yield FanProof("捉五魁", 0, (), "T33", f"5m lies in {won_in.text}, not in the middle of 456m (T33)")
    for name, (how, paragraph, need) in _CALLED.items():
        if hand.called(how) and options.fan_values[name] and name not in names:
            if hand.lowest and name != "人和":
                paragraph, need = "T38", "the winning tile is not known in the smallest count"
            yield FanProof(name, 0, (), paragraph, f"{need} ({paragraph})")
    if options.big_hook_discard_only and hand.self_drawn and hand.all_claimed:
        yield FanProof("大吊车", 0, (), "T29", "only on a discard (option big_hook_discard_only)")
    if counted.total > options.limit_fan:
        over = counted.total - options.limit_fan
        yield FanProof("满贯", 0, (), "T30", f"{over} of {counted.total} fans are beyond {options.limit_fan} (T30)")


#: Fans named after the way of winning: what else they need (T27, T29, T35).
_CALLED: Final[Mapping[str, tuple[How, str, str]]] = {
    "海底捞月": (How.LAST_TILE, "T29", "it needs a self-drawn tile"),
    "杠上开花": (How.KONG_REPLACEMENT, "T35", "it needs a self-drawn tile and a kong among the melds"),
    "天和": (How.HEAVENLY, "T27", "it is the dealer's, on the dealt tiles, before any claim or kong"),
    "地和": (How.EARTHLY, "T27", "it is another seat's than the dealer's, self-drawn, before any claim or kong"),
    "人和": (How.HUMAN, "T27", "it is another seat's, on the dealer's first discard, before any claim or kong"),
}
