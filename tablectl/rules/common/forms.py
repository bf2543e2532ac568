"""The form of a declared hand, before anybody asks whether it is complete."""

from __future__ import annotations

from collections import Counter

from tablectl.rules.api import Win
from tablectl.tiles.meld import Meld, MeldKind
from tablectl.tiles.tile import Tile


def is_pung_or_kong(meld: Meld) -> bool:
    """Three or four like tiles with a number after the comma that means something (tianjin T310.3, zhenjiang Z314.2).

    A pung and an exposed or added kong name the seat they came from, a concealed kong nobody.
    """
    size = 3 if meld.kind is MeldKind.PUNG else 4
    is_alike = meld.kind is not MeldKind.CHOW and meld.tiles == (meld.tile,) * size
    return is_alike and (meld.is_concealed or meld.source in (1, 2, 3))


def copies(win: Win) -> Counter[Tile]:
    """How many tiles of each kind the winner has: standing, in melds, the winning tile, flowers."""
    return Counter([*win.concealed, win.tile, *win.flowers, *(tile for meld in win.melds for tile in meld.tiles)])
