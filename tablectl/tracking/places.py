"""Names of the places where a tile can be. Those with an antenna are the zones of the reports."""

from __future__ import annotations

from functools import cache
from typing import Final

HAND: Final = tuple(f"hand.{seat}" for seat in range(4))
MELD: Final = tuple(f"meld.{seat}" for seat in range(4))
RIVER: Final = tuple(f"river.{seat}" for seat in range(4))
WALL: Final = tuple(f"wall.{side}" for side in range(4))
#: the other set of tiles below the table, a player's pocket: not in this hand
AWAY: Final = "away"

#: on the felt, where no antenna reads: the indicator
APART: Final = "apart"


@cache
def near(one: str, other: str) -> bool:
    """Whether two places share an edge, so that an antenna may read across: those of one seat; rivers with rivers and
    melds, which all meet in the middle of the table."""
    kind, _, seat = one.partition(".")
    other_kind, _, other_seat = other.partition(".")
    return seat == other_seat or (kind in ("river", "meld") and other_kind in ("river", "meld"))
