"""What a complete hand is worth in 天津麻将: its dearest reading, the patterns of it, and the proof (T304–T413)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from tablectl.rules.api import FanProof, How, Win
from tablectl.rules.reading import Group, Reading
from tablectl.rules.tianjin.hand import DRAGONS, Hand, as_themselves, candidates, every_reading
from tablectl.rules.tianjin.options import Options
from tablectl.rules.tianjin.patterns import (
    BENHUN,
    DOUBLE_HUNDIAO,
    EARTHLY,
    HEAVENLY,
    HUNDIAO,
    KONG_WIN,
    LONG,
    PARAGRAPHS,
    SU,
    SU_BEN,
    ZHUOWU,
    Values,
)
from tablectl.tiles.tile import Tile


@dataclass(frozen=True)
class Count:
    """One reading counted. ``names``: the patterns present; ``score``: A × B before any cap."""

    hand: Hand
    reading: Reading
    names: frozenset[str]
    score: int
    fans: dict[str, int]

    @cached_property
    def proof(self) -> tuple[FanProof, ...]:
        """For each pattern counted its sets, for each one that a player might claim the reason why not."""
        counted = [FanProof(name, value, self._sets(name), PARAGRAPHS[name]) for name, value in self.fans.items()]
        return (*counted, *_left_out(self))

    def _sets(self, name: str) -> tuple[str, ...]:
        if name in (LONG, BENHUN, SU_BEN):
            return tuple(group.text for group in _dragon(self.hand, self.reading))
        if name in (ZHUOWU, HUNDIAO, DOUBLE_HUNDIAO) and self.reading.winning is not None:
            return (self.reading.winning.text,)
        return ()


def count(win: Win, kinds: frozenset[Tile], options: Options) -> Count | None:
    """The reading that counts (T306); None where the tiles are no complete hand."""
    values = Values(options)
    always = values.played(_circumstances(win, kinds, options))
    best: Count | None = None
    rank: tuple[int, ...] = ()
    for hand in _hands(win, kinds, HEAVENLY in always and options.heavenly_free_tile):
        for reading in _readings(hand, values, always):
            for found in _present(hand, reading, values):
                names = always | values.played(found)
                mine = values.rank(names)
                if mine > rank:
                    best, rank = Count(hand, reading, names, mine[0], values.fans(names)), mine
    return best


def _readings(hand: Hand, values: Values, always: frozenset[str]) -> Iterator[Reading]:
    """Readings of which one is the dearest.

    A pattern more never makes a hand cheaper, unless 提溜 is worth more than 捉五 or 龙: then all are looked at.
    """
    if not hand.rest.is_complete():
        return
    if SU_BEN in values.factors and hand.wilds:
        yield from as_themselves(hand)
    if values.diliu > min(values.adds.get(name, values.diliu) for name in (ZHUOWU, LONG)):
        yield from every_reading(hand)
    found = candidates(hand, dragons=LONG in values.adds, double_inside_dragon=values.double_inside_dragon)
    ranked = sorted(found, key=lambda candidate: values.rank(always | values.played(candidate.names)), reverse=True)
    yield from next(filter(None, (candidate.readings(hand) for candidate in ranked)), ())


def _hands(win: Win, kinds: frozenset[Tile], any_tile: bool) -> Iterator[Hand]:
    """The hand; with ``any_tile`` once for each kind among its tiles that may be the drawn one (T410)."""
    hand = Hand.of(win, kinds)
    yield hand
    if any_tile:
        for tile in sorted({*win.concealed} - {win.tile}):
            yield replace(hand, drawn=tile)


def _circumstances(win: Win, kinds: frozenset[Tile], options: Options) -> Iterator[str]:
    """The patterns that no reading changes (T408–T410)."""
    if How.HEAVENLY in win.how:
        yield HEAVENLY
    if How.EARTHLY in win.how:
        yield EARTHLY
    if How.KONG_REPLACEMENT in win.how:
        yield KONG_WIN
    in_melds = options.gold_kong_breaks_su and any(meld.tile in kinds for meld in win.melds)
    if not in_melds and kinds.isdisjoint((*win.concealed, win.tile)):
        yield SU


def _present(hand: Hand, reading: Reading, values: Values) -> Iterator[frozenset[str]]:
    """The patterns of this reading; twice where the set of 双混吊 is one that the 龙 needs (T407)."""
    found = set()
    winning, place = reading.winning, reading.place
    if winning is None:
        return
    dragon = _dragon(hand, reading) if LONG in values.adds else ()
    if dragon:
        found.add(LONG)
        if dragon[0].tile in hand.dragon_of_wilds and BENHUN in values.factors:
            found.add(BENHUN)
            if _all_as_themselves(hand, reading):
                found.add(SU_BEN)
    if winning.is_chow and winning.tile is Tile.M4 and place == 1:
        found.add(ZHUOWU)
    if _with_wilds_only(reading):
        found.add(HUNDIAO if winning is reading.pair else DOUBLE_HUNDIAO)
    needed = winning in dragon and _standing(hand, reading).count(winning) == 1
    if DOUBLE_HUNDIAO in found and needed and not values.double_inside_dragon:
        yield frozenset(found - {LONG, BENHUN, SU_BEN})
        found.discard(DOUBLE_HUNDIAO)
    yield frozenset(found)


def _with_wilds_only(reading: Reading) -> bool:
    """Whether all other tiles of the drawn tile's group are wilds (T407)."""
    group = reading.winning
    return group is not None and {*range(len(group.tiles or group.wild))} - {reading.place} <= {*group.wild}


def _standing(hand: Hand, reading: Reading) -> tuple[Group, ...]:
    return reading.groups[len(hand.melds) :]


def _dragon(hand: Hand, reading: Reading) -> tuple[Group, ...]:
    """The three runs of the 龙 (T405), empty where there is none; where a run is there twice, one that the drawn tile
    does not lie in."""
    standing = [group for group in _standing(hand, reading) if group.is_chow and group is not reading.winning]
    standing += [reading.winning] if reading.winning is not None else []
    for dragon in DRAGONS:
        runs = tuple(group for first in dragon for group in standing if group.is_chow and group.tile is first)
        if {group.tile for group in runs} == set(dragon):
            return tuple(next(group for group in runs if group.tile is first) for first in dragon)
    return ()


def _all_as_themselves(hand: Hand, reading: Reading) -> bool:
    """Every wild of the hand stands as its own kind, the drawn one where it lies (T412)."""
    stands = Counter(group.tiles[p] for group in _standing(hand, reading) if group.tiles for p in group.wild)
    winning = reading.winning
    if not hand.wilds or stands != Counter(hand.wilds) or winning is None:
        return False
    return not hand.drawn_wild or winning.tiles[reading.place] is hand.drawn


def _left_out(counted: Count) -> Iterator[FanProof]:
    """Patterns that a player might claim in the reading that counts, and does not get."""
    hand, names, winning = counted.hand, counted.names, counted.reading.winning
    if SU not in names and (hand.wilds or any(meld.tile in hand.kinds for meld in hand.melds)):
        wilds = " ".join(tile.code for tile in hand.wilds) or "the gold kong"
        yield FanProof(SU, 0, (), "T408", f"{wilds} in the hand (T308)")
    if ZHUOWU not in names and hand.drawn is Tile.M5 and winning is not None:
        yield FanProof(ZHUOWU, 0, (winning.text,), "T404", "the drawn 5m is not the middle of 456m (T404)")
    if LONG in names and BENHUN not in names and hand.wilds:
        yield FanProof(BENHUN, 0, (), "T406", "the 龙 is not in the suit of the wilds (T406)")
    if winning is None:
        return
    if HUNDIAO not in names and winning is counted.reading.pair and hand.drawn_wild:
        yield FanProof(HUNDIAO, 0, (winning.text,), "T407", "a drawn wild that pairs a natural tile (T407)")
    if winning in _dragon(hand, counted.reading) and _with_wilds_only(counted.reading):
        other = DOUBLE_HUNDIAO if LONG in names else LONG
        if other not in names:
            yield FanProof(other, 0, (winning.text,), "T407", "the set of 双混吊 is one that the 龙 needs (T407)")
