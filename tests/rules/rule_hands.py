"""Wins, situations and hands in progress from notation, for the tests of every rule system."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tablectl.rules.api import Discard, How, Incident, Points, Situation, Win
from tablectl.tiles.meld import Meld
from tablectl.tiles.notation import parse_melds, parse_tile, parse_tiles
from tablectl.tiles.tile import Tile


def win(
    concealed: str,
    tile: str,
    *,
    melds: str = "",
    seat: int = 0,
    source: int | None = None,
    how: Iterable[str] = (),
    flowers: str = "",
) -> Win:
    """A declared win; tiles and melds in notation, ``source`` None for a self-draw."""
    return Win(
        seat,
        parse_tiles(concealed),
        parse_melds(melds),
        parse_tiles(flowers),
        parse_tile(tile),
        source,
        frozenset(How(word) for word in how),
    )


def situation(
    *wins: Win, points: Points = (100, 100, 100, 100), incidents: Sequence[Incident] = (), **more: Any
) -> Situation:
    """A hand as settlement sees it."""
    return Situation(points=points, wins=wins, incidents=tuple(incidents), **more)


@dataclass
class SeatOf:
    """One seat of a hand in progress."""

    standing: list[Tile] = field(default_factory=list)
    melds: list[Meld] = field(default_factory=list)
    flowers: list[Tile] = field(default_factory=list)
    hung: Tile | None = None
    shown: list[Tile] = field(default_factory=list)


@dataclass
class HandOf:
    """A hand in progress, as a rule system may look at it."""

    dealer: int = 0
    seats: list[SeatOf] = field(default_factory=lambda: [SeatOf() for _ in range(4)])
    discards: list[Discard] = field(default_factory=list)
    indicator: Tile | None = None
    incidents: list[Incident] = field(default_factory=list)
    wall_left: int = 60
    tail_taken: int = 0
    open_discard: bool = False
