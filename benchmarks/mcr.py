"""国标麻将: scoring and waits, with memo tables filled and on hands never seen, beside `mahjong` and PyMahjongGB.

`mahjong` scores riichi hands in pure Python, each here with a yaku (haitei), for a hand without one is refused early.
PyMahjongGB counts the same fans as we do, in C++. Equality with it: `benchmarks.mcr_oracle`.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from mahjong.hand_calculating.hand import HandCalculator
from mahjong.hand_calculating.hand_config import HandConfig
from mahjong.meld import Meld as PeerMeld
from MahjongGB import MahjongFanCalculator

from benchmarks import Row, per_second
from benchmarks.hands import CompleteHand, complete_hand
from tablectl.rules.api import Situation, Win
from tablectl.rules.mcr import Mcr
from tablectl.rules.mcr.options import Options
from tablectl.rules.mcr.scoring import Count, best, hand_of
from tablectl.tiles.tile import PLAYABLE, Tile

HANDS = 1500
#: hands that fill the memo tables before unseen ones are measured, as a table's first evenings do
SEEN_BEFORE = 5000

_RULES = Mcr(Options())
_EMPTY = Situation(points=(500, 500, 500, 500))
_GB = [f"{suit}{rank}" for suit in "WBT" for rank in range(1, 10)] + [f"F{i}" for i in range(1, 5)] + ["J1", "J2", "J3"]


def run() -> list[Row]:
    chance = random.Random(7)
    hands = [complete_hand(chance, most_melds=2) for _ in range(HANDS)]
    wins = [Win(0, hand.concealed, hand.melds, (), hand.tile, 1) for hand in hands]
    hands_declared = [Situation(points=(500, 500, 500, 500), wins=(win,)) for win in wins]
    scorers = {
        "mahjong (riichi hands)": per_second(lambda: _each(_riichi, hands), HANDS, rounds=1),
        "PyMahjongGB (C++)": per_second(lambda: _each(_gb, hands), HANDS),
    }
    waiters = {"PyMahjongGB, 34 calls": per_second(lambda: _each(_gb_waits, hands), HANDS, rounds=1)}
    return [
        Row("score", per_second(lambda: _each(_score, wins), HANDS), "hands/s", "≥ 10,000", scorers),
        Row("score, unseen hands", _unseen(_score), "hands/s", "≥ 10,000", scorers),
        Row("settle with proof", per_second(lambda: _each(_RULES.settle, hands_declared), HANDS), "hands/s"),
        Row("settle with proof, unseen hands", _unseen(_settle), "hands/s"),
        Row("waits, both ways", per_second(lambda: _each(_waits, wins), HANDS), "hands/s", "≥ 5,000", waiters),
        Row("waits, both ways, unseen hands", _unseen(_waits), "hands/s", "≥ 5,000", waiters),
    ]


def _each(work: Callable[[Any], object], items: Sequence[Any]) -> None:
    for item in items:
        work(item)


def _unseen(work: Callable[[Win], object]) -> float:
    """Hands a second of CPU time, each seen for the first time."""
    chance = random.Random(work.__name__)
    hands = [complete_hand(chance, most_melds=2) for _ in range(SEEN_BEFORE + HANDS)]
    wins = [Win(0, hand.concealed, hand.melds, (), hand.tile, 1) for hand in hands]
    _each(work, wins[:SEEN_BEFORE])
    start = time.process_time()
    _each(work, wins[SEEN_BEFORE:])
    return HANDS / (time.process_time() - start)


def _score(win: Win) -> Count | None:
    """Everything but the report: the best reading, its fans by name, their points."""
    hand = hand_of(win, _EMPTY, _RULES.options)
    return best(hand, win.tile, hand.forms(win.tile), False, win.how, _RULES.options)


def _settle(win: Win) -> object:
    return _RULES.settle(Situation(points=(500, 500, 500, 500), wins=(win,)))


def _waits(win: Win) -> object:
    return _RULES.waits(_EMPTY, win)


def _gb(hand: CompleteHand, tile: Tile | None = None) -> object:
    packs = tuple(
        ("PENG" if meld.tiles[0] is meld.tiles[1] else "CHI", _GB[meld.tiles[1]], meld.source) for meld in hand.melds
    )
    standing = tuple(_GB[other] for other in hand.concealed)
    with suppress(TypeError):  # its way to say that the hand is not complete
        winning = _GB[hand.tile if tile is None else tile]
        return MahjongFanCalculator(packs, standing, winning, 0, False, False, False, False, 0, 0)
    return None


def _gb_waits(hand: CompleteHand) -> None:
    for tile in PLAYABLE:
        _gb(hand, tile)


_calculator = HandCalculator()
_WITH_A_YAKU = HandConfig(is_tsumo=True, is_haitei=True)


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
    return _calculator.estimate_hand_value(tiles, winning, melds, config=_WITH_A_YAKU)
