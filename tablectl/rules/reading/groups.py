"""Groups: the parts a reading divides a hand into (sets, pairs, and the parts of the special shapes).

Every distinct group exists once, so groups may be compared with ``is`` and used as keys at no cost.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import Final

from tablectl.tiles.meld import Meld, MeldKind
from tablectl.tiles.tile import TILES, Tile


class GroupKind(StrEnum):
    """What a group is."""

    CHOW = "chow"  # 顺子
    PUNG = "pung"  # 刻子
    KONG = "kong"  # 杠
    PAIR = "pair"  # 将, 对子
    FREE = "free"  # a set of three wildcards, or a pair of two: stands for whatever is wanted
    KNITTED = "knitted"  # 147, 258 or 369 of one suit
    SINGLES = "singles"  # the single tiles of a scattered hand, of thirteen orphans


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """One part of a reading. Make it with `chow`, `pung`, `pair`, `of_meld` …, never directly.

    ``tiles`` are what it stands for, ascending (none for FREE); ``wild`` are the places in ``tiles`` where a wildcard
    lies; ``meld`` is how it was laid open, None for standing tiles.
    """

    kind: GroupKind
    tiles: tuple[Tile, ...]
    wild: tuple[int, ...] = ()
    meld: MeldKind | None = None
    #: the lowest tile; `Tile.EAST` for FREE, where nobody should ask
    tile: Tile = field(init=False)
    is_chow: bool = field(init=False)
    #: a pung or a kong
    is_pung: bool = field(init=False)
    is_kong: bool = field(init=False)
    #: laid open from another seat's discard, or an added kong; a concealed kong is not exposed
    exposed: bool = field(init=False)
    #: notation; a wildcard is followed by ``*``, melds stand in brackets: ``123m``, ``45*6m``, ``[777s]``
    text: str = field(init=False)

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "tile", self.tiles[0] if self.tiles else Tile.EAST)
        put(self, "is_chow", self.kind is GroupKind.CHOW)
        put(self, "is_kong", self.kind is GroupKind.KONG)
        put(self, "is_pung", self.kind in (GroupKind.PUNG, GroupKind.KONG))
        put(self, "exposed", self.meld is not None and self.meld is not MeldKind.CONCEALED_KONG)
        put(self, "text", _text(self))

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__


def _text(group: Group) -> str:
    if not group.tiles:
        return "*" * len(group.wild)
    text = ""
    for place, tile in enumerate(group.tiles):
        mark = "*" if place in group.wild else ""
        last = place + 1 == len(group.tiles) or group.tiles[place + 1].suit != tile.suit
        text += f"{tile.rank}{mark}{tile.suit if last else ''}" if tile.suit else f"{tile.code}{mark}"
    return f"[{text}]" if group.meld else text


@cache
def _group(kind: GroupKind, tiles: tuple[Tile, ...], wild: tuple[int, ...] = (), meld: MeldKind | None = None) -> Group:
    return Group(kind, tiles, wild, meld)


@cache
def chow(tile: int, wild: tuple[int, ...] = ()) -> Group:
    """The standing run that begins with ``tile``."""
    return _group(GroupKind.CHOW, (TILES[tile], TILES[tile + 1], TILES[tile + 2]), wild)


@cache
def pung(tile: int, wild: tuple[int, ...] = ()) -> Group:
    """Three standing tiles alike."""
    return _group(GroupKind.PUNG, (TILES[tile],) * 3, wild)


@cache
def pair(tile: int, wild: tuple[int, ...] = ()) -> Group:
    """Two standing tiles alike."""
    return _group(GroupKind.PAIR, (TILES[tile],) * 2, wild)


@cache
def knitted(tile: int) -> Group:
    """Three tiles of one suit, three ranks apart, beginning with ``tile``."""
    return _group(GroupKind.KNITTED, (TILES[tile], TILES[tile + 3], TILES[tile + 6]))


def singles(tiles: tuple[Tile, ...]) -> Group:
    """Single tiles of a special shape. Not kept: there are too many of them."""
    return Group(GroupKind.SINGLES, tiles)


#: A set of three wildcards.
FREE_SET: Final = _group(GroupKind.FREE, (), (0, 1, 2))
#: A pair of two wildcards.
FREE_PAIR: Final = _group(GroupKind.FREE, (), (0, 1))

_KIND_OF_MELD: Final = {
    MeldKind.CHOW: GroupKind.CHOW,
    MeldKind.PUNG: GroupKind.PUNG,
    MeldKind.EXPOSED_KONG: GroupKind.KONG,
    MeldKind.ADDED_KONG: GroupKind.KONG,
    MeldKind.CONCEALED_KONG: GroupKind.KONG,
}


def of_meld(meld: Meld) -> Group:
    """The group of a meld. Who fed it stays with the meld."""
    return _group(_KIND_OF_MELD[meld.kind], meld.tiles, (), meld.kind)
