"""The 42 kinds of tile (34 playable kinds and 8 flowers)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Final

_CODES: Final = [f"{rank}{suit}" for suit in "mps" for rank in range(1, 10)] + list("ESWNCFP") + list("abcdefgh")
_NAMES_ZH: Final = (
    [f"{rank}{suit}" for suit in "万饼条" for rank in "一二三四五六七八九"]
    + ["东风", "南风", "西风", "北风", "红中", "发财", "白板"]
    + list("梅兰竹菊春夏秋冬")
)
_NAMES_EN: Final = (
    [f"{rank} {suit}" for suit in ("characters", "dots", "bamboo") for rank in range(1, 10)]
    + ["east", "south", "west", "north", "red dragon", "green dragon", "white dragon"]
    + ["plum", "orchid", "bamboo flower", "chrysanthemum", "spring", "summer", "autumn", "winter"]
)


class Tile(IntEnum):
    """A kind of tile. Its value indexes count arrays: 0–8 万, 9–17 饼, 18–26 条, 27–33 honours, 34–41 flowers.

    ``code`` is the notation of the Chinese official community (``1m``, ``E``, ``a``); see `tiles.notation`.
    """

    # fmt: off
    M1 = 0;  M2 = 1;  M3 = 2;  M4 = 3;  M5 = 4;  M6 = 5;  M7 = 6;  M8 = 7;  M9 = 8  # noqa: E702
    P1 = 9;  P2 = 10; P3 = 11; P4 = 12; P5 = 13; P6 = 14; P7 = 15; P8 = 16; P9 = 17  # noqa: E702
    S1 = 18; S2 = 19; S3 = 20; S4 = 21; S5 = 22; S6 = 23; S7 = 24; S8 = 25; S9 = 26  # noqa: E702
    EAST = 27; SOUTH = 28; WEST = 29; NORTH = 30  # noqa: E702
    RED = 31; GREEN = 32; WHITE = 33  # noqa: E702
    PLUM = 34; ORCHID = 35; BAMBOO = 36; CHRYSANTHEMUM = 37  # noqa: E702
    SPRING = 38; SUMMER = 39; AUTUMN = 40; WINTER = 41  # noqa: E702
    # fmt: on

    code: str
    #: ``"m"``, ``"p"``, ``"s"``, or ``""`` for honours and flowers.
    suit: str
    #: 1–9 for suit tiles, 0 for honours and flowers.
    rank: int
    is_wind: bool
    is_dragon: bool
    is_honour: bool
    is_flower: bool
    #: 1 or 9 of a suit.
    is_terminal: bool
    name_zh: str
    name_en: str

    def __init__(self, value: int) -> None:
        self.code = _CODES[value]
        self.suit = "mps"[value // 9] if value < 27 else ""
        self.rank = value % 9 + 1 if value < 27 else 0
        self.is_wind = 27 <= value < 31
        self.is_dragon = 31 <= value < 34
        self.is_honour = 27 <= value < 34
        self.is_flower = value >= 34
        self.is_terminal = self.rank in (1, 9)
        self.name_zh = _NAMES_ZH[value]
        self.name_en = _NAMES_EN[value]

    __hash__ = int.__hash__  # Enum hashes by name, in Python code: ten times slower in the reading engine

    def __str__(self) -> str:
        return self.code

    __repr__ = __str__


TILES: Final[tuple[Tile, ...]] = tuple(Tile)
PLAYABLE: Final[tuple[Tile, ...]] = TILES[:34]
SUIT_TILES: Final[tuple[Tile, ...]] = TILES[:27]
WINDS: Final[tuple[Tile, ...]] = TILES[27:31]
DRAGONS: Final[tuple[Tile, ...]] = TILES[31:34]
HONOURS: Final[tuple[Tile, ...]] = TILES[27:34]
FLOWERS: Final[tuple[Tile, ...]] = TILES[34:]
BY_CODE: Final[Mapping[str, Tile]] = {tile.code: tile for tile in TILES}


def seat_wind(seat: int, dealer: int) -> Tile:
    """The wind of ``seat`` while ``dealer`` deals: E, S, W, N anticlockwise from the dealer."""
    return WINDS[(seat - dealer) % 4]
