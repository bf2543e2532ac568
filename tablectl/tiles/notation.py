"""The notation of tiles, melds and hands, that of the Chinese official (国标) community.

Tiles: ``1m``–``9m`` 万, ``1p``–``9p`` 饼, ``1s``–``9s`` 条, winds ``E S W N``, dragons ``C F P`` 中发白, flowers
``a``–``h`` 梅兰竹菊春夏秋冬. Runs of one suit share a suffix: ``123m55p``.

Melds: ``[123m,1]`` 吃, the number says which tile of the run was taken; ``[777s,2]`` 碰, it says who discarded: 1 the
previous seat, 2 the opposite, 3 the next; ``[EEEE,3]`` 明杠; ``[EEEE,7]`` 加杠, source + 4; ``[EEEE]`` 暗杠.

A hand in one line: ``hand|EE1000|ab``, see `HandLine`.

Everything here reads shapes only: whether ``[135m,1]`` is a chow that may be laid, or whether a hand holds five equal
tiles, is for the rules to say. Spaces between tiles and melds are ignored.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from tablectl.tiles.meld import Meld, MeldKind
from tablectl.tiles.tile import BY_CODE, FLOWERS, WINDS, Tile

_RANKS: Final = "123456789"
_SUITS: Final = "mps"
_A_TILE: Final = "a tile (1m–9m, 1p–9p, 1s–9s, E S W N, C F P or a–h)"
_A_MELD: Final = "a meld such as [123m,1], [777s,2], [EEEE,7] or [EEEE]"
_A_WIND: Final = "a wind: E, S, W or N"
_WINDS: Final = {wind.code: wind for wind in WINDS}


class NotationError(ValueError):
    """Text that is not in the notation. The message says at which character (from 1), what stands there, what was
    expected."""

    def __init__(self, text: str, at: int, expected: str) -> None:
        self.text = text
        #: the character, counted from 1; one beyond the text where something is missing
        self.position = at + 1
        self.expected = expected
        found = repr(text[at]) if at < len(text) else "the end"
        shown = text if len(text) <= 80 else text[:79] + "…"
        super().__init__(f"{shown!r}, character {at + 1}: found {found}, expected {expected}")


@dataclass(frozen=True, slots=True)
class HandLine:
    """A whole hand in one line, ``[melds]standing tiles|EE1000|ab``, as the calculators of the community take it.

    After the first bar: prevalent wind, seat wind, four flags 自摸 绝张 海底 杠 (杠开 with a self-draw, else 抢杠).
    After the second: the flowers, or how many (then the first of ``abcdefgh``).
    """

    #: standing tiles without the winning tile
    concealed: tuple[Tile, ...]
    melds: tuple[Meld, ...] = ()
    #: the winning tile: the last standing one where there are 3n + 2 of them, else None
    tile: Tile | None = None
    prevalent: Tile = Tile.EAST
    seat_wind: Tile = Tile.EAST
    self_drawn: bool = False
    last_of_kind: bool = False
    last_tile: bool = False
    kong: bool = False
    flowers: tuple[Tile, ...] = ()


# --- tiles


def parse_tile(text: str) -> Tile:
    """One tile, e.g. ``5m``, ``E``, ``a``. Raises `NotationError`."""
    tile = BY_CODE.get(text)
    if tile is None:
        tiles = _tiles(text, 0, len(text))
        raise NotationError(text, len(text), _A_TILE if not tiles else f"one tile only, not {len(tiles)}")
    return tile


def parse_tiles(text: str) -> tuple[Tile, ...]:
    """Tiles in the order written, e.g. ``123m55pEE``. Raises `NotationError`."""
    return tuple(_tiles(text, 0, len(text)))


def format_tiles(tiles: Iterable[Tile]) -> str:
    """The tiles in the given order; neighbours of one suit share a suffix."""
    return "".join(
        "".join(str(tile.rank) for tile in group) + suit if suit else "".join(tile.code for tile in group)
        for suit, group in groupby(tiles, key=lambda tile: tile.suit)
    )


def _tiles(text: str, start: int, end: int) -> list[Tile]:
    tiles: list[Tile] = []
    ranks = ""
    for at in range(start, end):
        char = text[at]
        if char in _RANKS:
            ranks += char
        elif ranks and char in _SUITS:
            tiles += (BY_CODE[rank + char] for rank in ranks)
            ranks = ""
        elif ranks:
            raise NotationError(text, at, f"m, p or s after {ranks}")
        elif char in BY_CODE:
            tiles.append(BY_CODE[char])
        elif char in _SUITS:
            raise NotationError(text, at, f"a number 1–9 before {char}")
        elif not char.isspace():
            raise NotationError(text, at, _A_TILE)
    if ranks:
        raise NotationError(text, end, f"m, p or s after {ranks}")
    return tiles


# --- melds


def parse_meld(text: str) -> Meld:
    """One meld, e.g. ``[345m,2]`` or ``[345m2]``. Raises `NotationError`."""
    melds = parse_melds(text)
    if len(melds) != 1:
        raise NotationError(text, text.find("]") + 1 if melds else len(text), "one meld only" if melds else _A_MELD)
    return melds[0]


def parse_melds(text: str, *, strict: bool = True) -> tuple[Meld, ...]:
    """Melds in the order written, e.g. ``[123m,1][EEEE]``. Raises `NotationError`.

    Three equal tiles are a pung, four a kong, three others a chow; a missing number leaves ``source`` (or ``taken``)
    open. Not ``strict``: also another count of tiles, flowers, and a number that does not fit, for the rules to refuse.
    """
    return tuple(_split(text, 0, len(text), strict=strict, standing=None))


def format_meld(meld: Meld) -> str:
    """The meld in brackets. Raises ValueError for an exposed or added kong without a source."""
    return f"[{format_tiles(meld.tiles)}{_mark(meld)}]"


def format_melds(melds: Iterable[Meld]) -> str:
    """The melds one after another, each in brackets."""
    return "".join(map(format_meld, melds))


def _mark(meld: Meld) -> str:
    match meld.kind:
        case MeldKind.CONCEALED_KONG:
            number = 0
        case MeldKind.CHOW:
            number = 0 if meld.taken is None else meld.tiles.index(meld.taken) + 1
        case MeldKind.PUNG:
            number = meld.source
        case MeldKind.EXPOSED_KONG | MeldKind.ADDED_KONG:
            if not meld.source:
                raise ValueError(f"{meld.kind} of {meld.tile} needs a source: without one it reads as a concealed kong")
            number = meld.source + 4 * (meld.kind is MeldKind.ADDED_KONG)
    return f",{number}" if number else ""


def _split(text: str, start: int, end: int, *, strict: bool, standing: list[Tile] | None) -> list[Meld]:
    """The melds in ``text[start:end]``; the tiles between them go to ``standing`` (None: there may be none)."""
    melds: list[Meld] = []
    at = start
    while at < end:
        opening = text.find("[", at, end)
        until = end if opening < 0 else opening
        if standing is not None:
            standing += _tiles(text, at, until)
        elif between := text[at:until].strip():
            raise NotationError(text, text.index(between, at), _A_MELD)
        if opening < 0:
            break
        closing = text.find("]", opening, end)
        if closing < 0:
            raise NotationError(text, end, f"] for the [ at character {opening + 1}")
        melds.append(_meld(text, opening, closing, strict=strict))
        at = closing + 1
    return melds


def _meld(text: str, opening: int, closing: int, *, strict: bool) -> Meld:
    """The meld between the brackets at ``opening`` and ``closing``."""
    comma = text.find(",", opening, closing)
    if comma < 0 and text[closing - 1].isdigit():
        comma, mark = closing - 1, text[closing - 1]
    elif comma < 0:
        comma, mark = closing, ""
    else:
        mark = text[comma + 1 : closing].strip()
    tiles = tuple(sorted(_tiles(text, opening + 1, comma)))
    if not tiles:
        raise NotationError(text, opening + 1, _A_MELD)
    equal = len(set(tiles)) == 1
    if strict and not (len(tiles) == 3 or (len(tiles) == 4 and equal)):
        raise NotationError(text, opening + 1, f"three tiles, or four equal ones, in a meld, not {format_tiles(tiles)}")
    if strict and any(tile.is_flower for tile in tiles):
        raise NotationError(text, opening + 1, f"no flowers in a meld, not {format_tiles(tiles)}")

    kong = equal and len(tiles) == 4
    fitting = "123567" if kong else "123"
    if comma < closing and mark not in tuple(fitting if strict else _RANKS):
        at = closing if not mark else text.index(mark, comma)
        meaning = (
            "who discarded it, 4 more if added later" if kong else "who discarded it" if equal else "which was taken"
        )
        raise NotationError(text, at, f"one of {' '.join(fitting)} ({meaning})")
    number = int(mark or 0)
    if kong:
        if not number:
            return Meld(MeldKind.CONCEALED_KONG, tiles)
        if number > 4:
            return Meld(MeldKind.ADDED_KONG, tiles, number - 4)
        return Meld(MeldKind.EXPOSED_KONG, tiles, number)
    if equal and len(tiles) == 3:
        return Meld(MeldKind.PUNG, tiles, number)
    return Meld(MeldKind.CHOW, tiles, source=1, taken=tiles[number - 1] if 1 <= number <= len(tiles) else None)


# --- a whole hand in one line


def parse_line(text: str) -> HandLine:
    """A whole hand, e.g. ``[777s,2]123m456m789m11p|EE1000|ab``; everything after a bar may be missing.

    Standing tiles may stand between the melds. With 3n + 2 of them the last one written is the winning tile, with
    3n + 1 there is none. Raises `NotationError`.
    """
    bars = [at for at, char in enumerate(text) if char == "|"]
    if len(bars) > 2:
        raise NotationError(text, bars[2], "at most two bars: hand|EE1000|ab")
    hand_end, context_end = (*bars, len(text), len(text))[:2]

    standing: list[Tile] = []
    melds = _split(text, 0, hand_end, strict=True, standing=standing)
    if len(standing) % 3 == 0:
        expected = f"3n + 1 standing tiles, or 3n + 2 with the winning tile, not {len(standing)}"
        raise NotationError(text, hand_end, expected)
    tile = standing.pop() if len(standing) % 3 == 2 else None
    prevalent, seat_wind, (self_drawn, last_of_kind, last_tile, kong) = _context(text, hand_end + 1, context_end)
    flowers = _flowers(text, context_end + 1, len(text))
    return HandLine(
        tuple(standing), tuple(melds), tile, prevalent, seat_wind, self_drawn, last_of_kind, last_tile, kong, flowers
    )


def format_line(line: HandLine) -> str:
    """The line that the calculators of the community print: all three parts, flowers by letter, and a space after the
    standing tiles where there is no winning tile. Raises ValueError as `format_meld` does."""
    standing = format_tiles(line.concealed) + " " if line.tile is None else format_tiles((*line.concealed, line.tile))
    flags = (line.self_drawn, line.last_of_kind, line.last_tile, line.kong)
    context = line.prevalent.code + line.seat_wind.code + "".join("01"[flag] for flag in flags)
    return f"{format_melds(line.melds)}{standing}|{context}|{format_tiles(line.flowers)}"


def _context(text: str, start: int, end: int) -> tuple[Tile, Tile, list[bool]]:
    """Prevalent wind, seat wind and the four flags in ``text[start:end]``, e.g. ``EE1000``."""
    if not text[start:end].strip():
        return Tile.EAST, Tile.EAST, [False] * 4
    start += len(text[start:end]) - len(text[start:end].lstrip())
    end = start + len(text[start:end].rstrip())
    names = ("圈风", "门风", "自摸", "绝张", "海底", "杠")
    for at, name in enumerate(names, start):
        allowed, expected = ("ESWN", _A_WIND) if at < start + 2 else ("01", "0 or 1")
        if at >= end or text[at] not in allowed:
            raise NotationError(text, min(at, end), f"{expected} ({name})")
    if end > start + len(names):
        raise NotationError(text, start + len(names), "the end of EE1000 (two winds, four flags)")
    flags = [char == "1" for char in text[start + 2 : end]]
    return _WINDS[text[start]], _WINDS[text[start + 1]], flags


def _flowers(text: str, start: int, end: int) -> tuple[Tile, ...]:
    """The flowers in ``text[start:end]``: tiles, or how many."""
    part = text[start:end].strip()
    if part in tuple("012345678"):
        return FLOWERS[: int(part)]
    if part and part[0].isdigit():
        raise NotationError(text, text.index(part, start), "flowers (a–h), or how many: 0–8")
    return tuple(_tiles(text, start, end))
