"""What a win of 福建麻将 is worth: the reading and the kind of win that count, fans, score (T303–T306, T401–T411)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from tablectl.rules.api import FanProof, How, Situation, Win
from tablectl.rules.fujian.fans import FANS, FULL_MELDS, PI, SIMPLE_MELDS, WIN_KINDS, YOUJIN, ZIMO, WinKind, step
from tablectl.rules.fujian.options import Kept, Options
from tablectl.rules.gold.hand import GoldHand
from tablectl.rules.reading import FREE_PAIR, Division, Rest, of_meld, pair, pung
from tablectl.tiles.meld import Meld
from tablectl.tiles.notation import format_tiles
from tablectl.tiles.tile import PLAYABLE, Tile

STREAK: Final = "连庄"
_KEPT: Final[tuple[Kept, ...]] = ("pi", "zimo", "youjin", "draw")


@dataclass(frozen=True, slots=True)
class Reading:
    """A way to read a hand: the kind of win it allows, the natural triplets taken out, and what makes the other sets
    (and the pair; that of a swimming gold is ``swims``). ``rest`` None: three golds that are no complete hand."""

    kind: WinKind
    rest: Rest | None
    triplets: tuple[Tile, ...] = ()
    swims: str = ""


def readings(hand: GoldHand, options: Options) -> Iterator[Reading]:
    """Every reading that may count more than another (T303): by kind of win and by natural triplets."""
    kind = ZIMO if hand.self_drawn else PI
    if hand.is_complete:
        for triplets, rest in _triplets(hand, hand.rest, options):
            yield Reading(kind, rest, triplets)
    elif options.three_gold_win and hand.has_three_golds:
        yield Reading(kind, None)
    if hand.self_drawn and How.HEAVENLY not in hand.win.how and hand.waited_on_everything:
        tile = hand.win.tile
        swims = FREE_PAIR if tile == hand.gold else pair(tile, (1,))
        for triplets, rest in _triplets(hand, hand.before(), options):
            yield Reading(YOUJIN, rest, triplets, swims.text)


def _triplets(hand: GoldHand, rest: Rest, options: Options) -> Iterator[tuple[tuple[Tile, ...], Rest]]:
    """The largest choices of scoring natural triplets beside which the rest is complete (T304): with fewer of them no
    reading counts more."""
    kinds = [tile for tile in PLAYABLE if rest.counts[tile] >= 3 and triplet_name(hand, tile, options)]
    choices: list[tuple[tuple[Tile, ...], Rest]] = [((), rest)]
    for tile in kinds:
        for triplets, left in list(choices):
            if (taken := left.take(pung(tile), natural=True)) is not None:
                choices.append(((*triplets, tile), taken[1]))
    found: list[frozenset[Tile]] = []
    for triplets, left in sorted(choices, key=lambda choice: -len(choice[0])):
        if not any(larger.issuperset(triplets) for larger in found) and left.is_complete():
            found.append(frozenset(triplets))
            yield triplets, left


def triplet_name(hand: GoldHand, tile: Tile, options: Options) -> str:
    """The fan of three like natural tiles, empty where there is none: only in full; completed by the claimed winning
    tile it is not in hand, and worth something only as an honour (T407)."""
    if options.count == "simple":
        return ""
    in_hand = hand.self_drawn or hand.win.concealed.count(tile) >= 3
    if tile.is_honour:
        return "大字暗刻" if in_hand else "大字碰"
    return "数牌暗刻" if in_hand else ""


def meld_name(meld: Meld, options: Options) -> str:
    """The fan of a meld, empty where there is none (T407)."""
    if options.count == "simple":
        return SIMPLE_MELDS.get(meld.kind, "")
    return FULL_MELDS.get((meld.kind, meld.tile.is_honour), "")


def fan_sources(hand: GoldHand, reading: Reading, options: Options) -> dict[str, list[str]]:
    """What the other fans come from: name → notation of each."""
    found: dict[str, list[str]] = {name: [] for name in FANS}
    found["花"] = [tile.code for tile in sorted(hand.win.flowers)]
    found["金"] = [hand.gold.code] * hand.golds
    for meld in hand.win.melds:
        if name := meld_name(meld, options):
            found[name].append(of_meld(meld).text)
    for tile in reading.triplets:
        found[triplet_name(hand, tile, options)].append(pung(tile).text)
    return found


def other_fans(hand: GoldHand, reading: Reading, options: Options) -> dict[str, int]:
    """The other fans, unweighted, in the order of T407; those of value 0 too."""
    sources = fan_sources(hand, reading, options)
    counted = {name: len(each) and len(each) * FANS[name].value(options) for name, each in sources.items()}
    if options.count == "simple":
        counted["花"] = len(sources["花"]) // options.simple_flowers_per_fan
    return counted


@dataclass(frozen=True, slots=True)
class Count:
    """A hand counted in one reading. ``steps``: s of T406; ``others``: the other fans unweighted, in the order of T407,
    those of value 0 too."""

    hand: GoldHand
    options: Options
    read: Reading
    is_dealer: bool
    steps: int
    others: dict[str, int]
    #: B where a referee put it
    put: int | None = None

    @property
    def kind(self) -> WinKind:
        return self.read.kind

    @property
    def value(self) -> int:
        """B of T406."""
        if self.put is not None:
            return self.put
        return self.kind.value(self.options) * (self.options.dealer_factor if self.is_dealer else 1)

    @property
    def fans(self) -> dict[str, int]:
        """T406: none of value 0."""
        counted = {self.kind.name: self.value, STREAK: self.steps} | self.others
        return {name: value for name, value in counted.items() if value}

    @property
    def score(self) -> int:
        """T406."""
        extra = self.kind.weight(self.options) * sum(self.others.values())
        return self.options.unit * (self.value + self.steps + extra)

    @property
    def rank(self) -> tuple[int, bool, tuple[int, ...]]:
        """What counts before what (T303)."""
        return (self.score, self.kind is YOUJIN, tuple(self.others.values()))

    def reading(self) -> str:
        hand, read = self.hand, self.read
        if read.rest is None:
            return hand.text(None, format_tiles(sorted((*hand.win.concealed, hand.win.tile))))
        left = read.rest.first_division()
        sets = (*map(pung, read.triplets), *(left.sets if left is not None else ()))
        division = Division(sets, left.pair if left is not None else None)
        return hand.text(division, *((read.swims,) if read.swims else ()))

    def proof(self) -> tuple[FanProof, ...]:
        """Every fan with what it comes from, then what is left out with the reason."""
        sources = fan_sources(self.hand, self.read, self.options)
        paragraphs = {self.kind.name: self.kind.paragraph, STREAK: "T408" if self.options.count == "full" else "T411"}
        swims = {self.kind.name: [self.read.swims] if self.read.swims else []}
        counted = [
            FanProof(name, value, tuple((sources | swims).get(name, ())), paragraphs.get(name, "T407"))
            for name, value in self.fans.items()
        ]
        return (*counted, *_left_out(self))


def kept(situation: Situation, options: Options) -> list[str]:
    """How the dealer kept the deal so far, one entry for each time (T408): as the match carries it, or the case says;
    what neither tells counts as 屁胡."""
    carried = [kind for kind in _KEPT for _ in range(situation.carry.get(kind, 0))]
    told = carried or list(options.streak_history or ())
    return [*told, *["pi"] * situation.streak][: situation.streak]


def count(win: Win, situation: Situation, options: Options) -> Count | None:
    """The reading that counts (T303), None where the hand is not complete."""
    assert situation.indicator is not None  # `bad_indicator` comes before
    hand = GoldHand.of(win, situation.indicator)
    is_dealer = win.seat == situation.dealer
    steps = sum(step(each, options) for each in kept(situation, options)) if is_dealer else 0
    counted = (
        Count(hand, options, reading, is_dealer, steps, other_fans(hand, reading, options))
        for reading in readings(hand, options)
    )
    return max(counted, key=lambda each: each.rank, default=None)


def amended(counted: Count, fans: Mapping[str, int]) -> Count:
    """The same with the fans that a referee put: the kind of win among them weighs the others (T403, T406)."""
    kind = next((kind for kind in WIN_KINDS if kind.name in fans), counted.kind)
    others = {name: value for name, value in fans.items() if name not in (kind.name, STREAK)}
    read = replace(counted.read, kind=kind)
    return replace(counted, read=read, steps=fans.get(STREAK, 0), others=others, put=fans.get(kind.name, 0))


def _left_out(counted: Count) -> Iterator[FanProof]:
    """Fans a player might claim and does not get."""
    hand, win, options = counted.hand, counted.hand.win, counted.options
    if counted.kind is ZIMO and hand.waited_on_everything and How.HEAVENLY in win.how:
        yield FanProof("游金", 0, (), "T306", "the dealt hand is a self-draw (T306)")
    elif counted.kind is ZIMO and hand.golds and not hand.waited_on_everything:
        yield FanProof("游金", 0, (), "T306", "the hand did not wait on every tile (T306)")
    if options.count == "simple":
        if odd := len(win.flowers) % options.simple_flowers_per_fan:
            yield FanProof(
                "花", 0, (), "T407", f"{odd} over: {options.simple_flowers_per_fan} flowers make a fan (T407)"
            )
        return
    for meld in win.melds:
        if meld.is_kong is False and meld.tiles[0] == meld.tiles[-1] and not meld.tile.is_honour:
            yield FanProof("数牌碰", 0, (of_meld(meld).text,), "T407", "a claimed suit pung is worth nothing (T407)")
    if not hand.self_drawn and not win.tile.is_honour and win.concealed.count(win.tile) == 2:
        taken = hand.rest.take(pung(win.tile), natural=True)
        if taken is not None and taken[1].is_complete():
            reason = "completed by the claimed tile it is not in hand (T407)"
            yield FanProof("数牌暗刻", 0, (pung(win.tile).text,), "T407", reason)
