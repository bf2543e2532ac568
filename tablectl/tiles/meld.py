"""Melds (副露): sets laid open beside the standing tiles."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from tablectl.tiles.tile import Tile


class MeldKind(StrEnum):
    """What a meld is. The value is the word used in texts and keys."""

    CHOW = "chow"  # 吃
    PUNG = "pung"  # 碰
    EXPOSED_KONG = "exposed_kong"  # 明杠, from a discard
    ADDED_KONG = "added_kong"  # 加杠, a pung extended
    CONCEALED_KONG = "concealed_kong"  # 暗杠


KONGS = frozenset({MeldKind.EXPOSED_KONG, MeldKind.ADDED_KONG, MeldKind.CONCEALED_KONG})


@dataclass(frozen=True, slots=True)
class Meld:
    """One meld.

    ``tiles`` are sorted. ``source`` says who discarded the claimed tile, seen from the owner: 1 previous seat
    (上家), 2 opposite (对家), 3 next (下家), 0 for a concealed kong. ``taken`` is the claimed tile of a chow.
    """

    kind: MeldKind
    tiles: tuple[Tile, ...]
    source: int = 0
    taken: Tile | None = None

    @property
    def tile(self) -> Tile:
        """The lowest tile: the kind of a pung or kong, the first of a chow."""
        return self.tiles[0]

    @property
    def is_kong(self) -> bool:
        return self.kind in KONGS

    @property
    def is_concealed(self) -> bool:
        return self.kind is MeldKind.CONCEALED_KONG

    def source_seat(self, owner: int) -> int | None:
        """The seat that discarded the claimed tile, or None for a concealed kong."""
        return (owner - self.source) % 4 if self.source else None


def source_of(owner: int, discarder: int) -> int:
    """``source`` of a meld that ``owner`` claims from ``discarder``: 1 previous, 2 opposite, 3 next seat."""
    return (owner - discarder) % 4
