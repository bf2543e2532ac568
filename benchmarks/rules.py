"""The reading engine and the rule systems, beside `mahjong` (pure Python) and PyMahjongGB (C++)."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from mahjong.hand_calculating.hand import HandCalculator
from mahjong.hand_calculating.hand_config import HandConfig
from mahjong.meld import Meld as PeerMeld
from mahjong.shanten import Shanten
from MahjongGB import MahjongFanCalculator, RegularShanten

from benchmarks import Row, per_second, percentiles_ms
from benchmarks.hands import CompleteHand, complete_hand, dealt_hands, with_wildcards
from tablectl.rules.api import RuleSet, Situation, Win
from tablectl.rules.reading import Rest, counts_of, is_complete
from tablectl.rules.registry import RULE_SETS, load
from tablectl.rules.waits import improving, shanten
from tablectl.tiles.tile import PLAYABLE, SUIT_TILES, Tile

HANDS = 1500
MOST_WILDCARDS = 7

_GB = [f"{suit}{rank}" for suit in "WBT" for rank in range(1, 10)] + [f"F{i}" for i in range(1, 5)] + ["J1", "J2", "J3"]


def run() -> list[Row]:
    return [*_engine(), *_scoring(), *_waits(), *_wildcards()]


# --- the engine


def _engine() -> list[Row]:
    hands = dealt_hands(random.Random(1), HANDS)
    counts = [counts_of(hand) for hand in hands]
    peer = Shanten()
    gb = [tuple(_GB[tile] for tile in hand) for hand in hands]
    distance = per_second(lambda: [shanten(hand) for hand in counts], HANDS)
    return [
        Row(
            "distance to ready, 13 tiles",
            distance,
            "hands/s",
            "≥ 33,000 (30 µs)",
            {
                "mahjong": per_second(
                    lambda: [peer.calculate_shanten(hand, False, False) for hand in counts], HANDS, rounds=1
                ),
                "PyMahjongGB": per_second(lambda: [RegularShanten(hand) for hand in gb], HANDS),
            },
        ),
        Row("tiles that shorten it", per_second(lambda: [improving(hand) for hand in counts], HANDS), "hands/s"),
        *_engine_wildcards(),
    ]


def _engine_wildcards() -> list[Row]:
    chance = random.Random(2)
    rests = []
    for _ in range(HANDS):
        wilds = chance.randint(1, MOST_WILDCARDS)
        hand = complete_hand(chance)
        tiles = [*hand.concealed, hand.tile]
        chance.shuffle(tiles)
        rests.append(Rest.of(counts_of(tiles[wilds:]), 4, wilds))
    asked = percentiles_ms([partial(is_complete, rest.counts, rest.sets, rest.wilds) for rest in rests])
    found = percentiles_ms([rest.first_division for rest in rests])
    return [
        Row("complete with 1–7 wildcards? p50", asked[0], "ms"),
        Row("complete with 1–7 wildcards? p99", asked[1], "ms", "< 2"),
        Row("one reading with 1–7 wildcards, p50", found[0], "ms"),
        Row("one reading with 1–7 wildcards, p99", found[1], "ms", "< 2"),
    ]


# --- rule systems without wildcards


def _scoring() -> list[Row]:
    chance = random.Random(3)
    hands = [complete_hand(chance, most_melds=2) for _ in range(HANDS)]
    mahjong = per_second(lambda: [_riichi(hand) for hand in hands], HANDS, rounds=1)
    gb = per_second(lambda: [_gb_fans(hand, hand.tile) for hand in hands], HANDS)
    peers = {"mahjong (riichi hands)": mahjong, "PyMahjongGB (mcr, C++)": gb}
    rows = []
    for rules in _rule_sets(wild=False):
        asked = [Situation(points=(500,) * 4, wins=(_win(hand, hand.tile, 1),)) for hand in hands]
        number = per_second(partial(_each, rules.settle, asked), HANDS)
        bar = "≥ 10,000" if rules.id == "mcr" else ""
        rows.append(Row(f"{rules.id}: settle a declared win, with proof", number, "hands/s", bar, peers))
    return rows


def _waits() -> list[Row]:
    chance = random.Random(4)
    hands = [complete_hand(chance, most_melds=2) for _ in range(HANDS // 3)]

    def gb() -> None:
        for hand in hands:
            for tile in PLAYABLE:
                _gb_fans(hand, tile)

    peers = {"PyMahjongGB, 34 calls": per_second(gb, len(hands))}
    rows = []
    for rules in _rule_sets(wild=False):
        asked = [_win(hand, hand.tile, None) for hand in hands]
        empty = Situation(points=(500,) * 4)
        number = per_second(partial(_each, partial(rules.waits, empty), asked), len(hands))
        bar = "≥ 5,000" if rules.id == "mcr" else ""
        what = f"{rules.id}: all waits of a ready hand, each on a discard and self-drawn"
        rows.append(Row(what, number, "hands/s", bar, peers))
    return rows


def _each(work: Callable[[Any], object], items: Sequence[Any]) -> None:
    for item in items:
        work(item)


def _win(hand: CompleteHand, tile: Tile, source: int | None) -> Win:
    return Win(0, hand.concealed, hand.melds, (), tile, source)


def _gb_fans(hand: CompleteHand, tile: Tile) -> object:
    packs = tuple(
        ("PENG" if meld.tiles[0] is meld.tiles[1] else "CHI", _GB[meld.tiles[1]], meld.source) for meld in hand.melds
    )
    standing = tuple(_GB[other] for other in hand.concealed)
    with suppress(TypeError):  # its way to say that the hand is not complete
        return MahjongFanCalculator(packs, standing, _GB[tile], 0, False, False, False, False, 0, 0)
    return None


_calculator = HandCalculator()


def _riichi(hand: CompleteHand) -> object:
    used = [0] * 34

    def tile_136(tile: Tile) -> int:
        used[tile] += 1
        return int(tile) * 4 + used[tile] - 1

    melds = [
        PeerMeld(PeerMeld.PON if meld.tiles[0] is meld.tiles[1] else PeerMeld.CHI, [tile_136(t) for t in meld.tiles])
        for meld in hand.melds
    ]
    winning = tile_136(hand.tile)
    tiles = [tile for meld in melds for tile in meld.tiles] + [winning] + [tile_136(tile) for tile in hand.concealed]
    return _calculator.estimate_hand_value(tiles, winning, melds, config=HandConfig())


# --- rule systems with wildcards


def _wildcards() -> list[Row]:
    rows = []
    for rules in _rule_sets(wild=True):
        chance = random.Random(5)
        asked = []
        sets = 5 if rules.play.hand_tiles == 16 else 4
        for _ in range(HANDS):
            indicator = chance.choice(SUIT_TILES)
            wild = sorted(rules.wild(indicator))
            count = chance.randint(1, min(MOST_WILDCARDS, 4 * len(wild) - 1))
            tiles = with_wildcards(complete_hand(chance, sets=sets), wild, count, chance)
            win = Win(1, tuple(tiles[1:]), (), (), tiles[0])
            asked.append(Situation(points=(1000,) * 4, indicator=indicator, wins=(win,)))
        p50, p99 = percentiles_ms([partial(rules.settle, each) for each in asked])
        rows.append(Row(f"{rules.id}: settle a hand with 1–7 wildcards, p50", p50, "ms"))
        rows.append(Row(f"{rules.id}: settle a hand with 1–7 wildcards, p99", p99, "ms", "< 2"))
    return rows


def _rule_sets(*, wild: bool) -> list[RuleSet]:
    found = [load(id) for id in RULE_SETS]
    return [rules for rules in found if bool(rules.wild(Tile.M5)) == wild]
