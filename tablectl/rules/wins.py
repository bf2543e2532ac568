"""Wins and incidents of a hand, and what rules say of them: the words in which hands are judged and settled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from tablectl.tiles.meld import Meld
from tablectl.tiles.tile import Tile

Points = tuple[int, int, int, int]
"""One number for each seat 0–3."""

NO_POINTS: Points = (0, 0, 0, 0)


class How(StrEnum):
    """Circumstances of a win, as case files name them (`how`)."""

    KONG_REPLACEMENT = "kong_replacement"  # 杠开
    FLOWER_REPLACEMENT = "flower_replacement"  # 补花和
    ROBBING_KONG = "robbing_kong"  # 抢杠
    LAST_TILE = "last_tile"  # 海底 / 妙手
    LAST_OF_KIND = "last_of_kind"  # 绝张
    HEAVENLY = "heavenly"  # 天和
    EARTHLY = "earthly"  # 地和
    HUMAN = "human"  # 人和
    READY = "ready"  # 听牌 / 立直


@dataclass(frozen=True, slots=True)
class Win:
    """A declared win. ``concealed`` excludes the winning tile and the melds; ``source`` is the seat that
    discarded (or added to a kong) the winning tile, None for a self-draw (自摸)."""

    seat: int
    concealed: tuple[Tile, ...]
    melds: tuple[Meld, ...]
    flowers: tuple[Tile, ...]
    tile: Tile
    source: int | None = None
    how: frozenset[How] = frozenset()

    @property
    def after_discarder(self) -> int:
        """How many seats after the discarder the winner sits, in playing order; 0 for a self-draw."""
        return 0 if self.source is None else (self.seat - self.source) % 4


def turn_order(wins: Sequence[Win]) -> list[int]:
    """The places of ``wins`` in their sequence, the nearest winner after the discarder first."""
    return sorted(range(len(wins)), key=lambda n: wins[n].after_discarder)


@dataclass(frozen=True, slots=True)
class Incident:
    """Something that happened during the hand and moves points or changes who may win (``events`` of a case).

    ``kind`` is one of the rule system's own ``incident_kinds``; ``source`` is ``from`` of the case. ``extra`` holds
    what only some kinds need (``points``, ``count``, ``tiles``).
    """

    kind: str
    seat: int
    source: int | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Situation:
    """A hand as settlement sees it: what stood before it, what happened in it, who declares a win.

    ``points`` are those before the hand. ``carry`` holds what earlier hands left open (the pot of `beijing`).
    ``announced``: the points that winners named themselves, by seat (`Play.points_announced`); ``amended``: fans that
    the referee put in place of those counted, by seat: the score follows from them as from those counted.
    """

    dealer: int = 0
    prevalent: Tile = Tile.EAST
    streak: int = 0
    points: Points = NO_POINTS
    indicator: Tile | None = None
    stakes: Mapping[str, Any] = field(default_factory=dict)
    incidents: tuple[Incident, ...] = ()
    wins: tuple[Win, ...] = ()
    carry: Mapping[str, int] = field(default_factory=dict)
    announced: Mapping[int, int] = field(default_factory=dict)
    amended: Mapping[int, Mapping[str, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FanProof:
    """Why a fan is (or is not) in the count: its name, value, the sets it comes from in the chosen reading, and for
    one left out the reason in words (``implied by 清一色``)."""

    name: str
    value: int
    sets: tuple[str, ...] = ()
    paragraph: str = ""
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """One declared win, judged. ``fans`` and ``score`` as in ``expect`` of a case; ``proof`` shows the reading."""

    legal: bool
    reason: str | None
    fans: Mapping[str, int]
    score: int
    reading: str = ""
    proof: tuple[FanProof, ...] = ()


@dataclass(frozen=True, slots=True)
class Payment:
    """Points that move at one moment. ``off_board`` are booked beside the table (competition J76)."""

    deltas: Points
    off_board: Points = NO_POINTS
    #: what a penalty is in the rule system's own words, to be noted with it: settlement asks for it later (beijing T40:
    #: it lies in the pot)
    incident: Incident | None = None


@dataclass(frozen=True, slots=True)
class Settlement:
    """The whole hand: a verdict for every declared win (one for a drawn hand), the change of points of each seat
    over the hand (incidents included; sums to 0 with what goes to ``carry``), and what stays open."""

    verdicts: tuple[Verdict, ...]
    payments: Points
    off_board: Points = NO_POINTS
    carry: Mapping[str, int] = field(default_factory=dict)
    #: payments of each legal win alone, in the order of ``wins``
    win_payments: tuple[Points, ...] = ()
