"""What stands on a result sheet: head, players, columns with their cells and lines, rulings (competition J108)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from tablectl.rules.api import NO_POINTS, Points

#: signs of the sheet (J108)
DEALER: Final = "▲"
DISCARDER: Final = "−"
SELF_DRAW: Final = "+"
DRAWN: Final = "○"
FALSE_WIN: Final = "✓"
WARNING: Final = "×"


@dataclass(frozen=True, slots=True)
class Head:
    """What the events do not know. ``teams``, ``numbers``: of the players, by their seats at the start."""

    event: str = ""
    round: str = ""
    table: str = ""
    teams: tuple[str, str, str, str] = ("", "", "", "")
    numbers: tuple[str, str, str, str] = ("", "", "", "")


@dataclass(frozen=True, slots=True)
class Line:
    """Points that moved at one moment, by row. ``kind``: ``win``, ``drawn``, ``event`` (a kong, a chase …), ``penalty``
    or ``settled`` (by the rules between two hands); ``reason``: the event's, in the rule system's own words."""

    kind: str
    reason: str
    deltas: Points
    off_board: Points = NO_POINTS
    #: row of who did it, and of the one it was done to
    actor: int | None = None
    target: int | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """One player in one column. ``fans`` and ``name`` of his win (`RuleSet.win_name`); ``won`` and ``lost`` are what
    the lines gave and took, ``lost`` as a number above 0."""

    seat: int
    signs: str = ""
    fans: Mapping[str, int] = field(default_factory=dict)
    name: str = ""
    score: int | None = None
    won: int = 0
    lost: int = 0
    off_board: int = 0


@dataclass(frozen=True, slots=True)
class Column:
    """A hand (``hand`` is its number), or what happened between two (``hand`` None). ``points`` and ``off_board``:
    where the players stood after it; ``ended``: how it ended; ``wrong``: sums that are not right."""

    hand: int | None
    circle: int
    prevalent: str
    dealer: int
    streak: int
    doubled: bool
    ended: str
    cells: tuple[Cell, ...]
    lines: tuple[Line, ...]
    deltas: Points
    points: Points
    off_board: Points
    pot: int = 0
    wrong: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Note:
    """A referee's act that the sheet keeps: after ``hand`` hands; ``row`` is the player concerned."""

    hand: int
    do: str
    by: str
    row: int | None = None
    points: int | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Player:
    """One row. ``seat`` is that at the start; ``total``: points with what is off the board; ``rank`` from 1;
    ``standard``: the standard points (标准分) that the game earned, as text (mcr T61); ``advances``: he goes on to the
    next round of an event in which a round is one game (competition J103, zhenjiang Z608)."""

    name: str
    seat: int
    team: str = ""
    number: str = ""
    won: int = 0
    lost: int = 0
    points: int = 0
    off_board: int = 0
    total: int = 0
    rank: int = 1
    standard: str = ""
    advances: bool = False


@dataclass(frozen=True, slots=True)
class Sheet:
    """One game. ``begun``, ``ended``: seconds since 1970; ``over``: why it ended, None while it goes on. ``confirmed``:
    whether the referee confirmed its result, None where the rules do not ask for that (zhenjiang Z611)."""

    rules: str
    rules_zh: str
    rules_en: str
    head: Head
    game: int
    simulated: bool
    start: Points
    columns: tuple[Column, ...]
    players: tuple[Player, ...]
    notes: tuple[Note, ...] = ()
    begun: float | None = None
    ended: float | None = None
    over: str | None = None
    confirmed: bool | None = None
    referee: tuple[str, ...] = ()

    @property
    def wrong(self) -> list[str]:
        """Every sum that is not right, with its hand."""
        return [f"hand {c.hand or 'between'}: {problem}" for c in self.columns for problem in c.wrong]

    def to_json(self) -> dict[str, Any]:
        data: dict[str, Any] = asdict(self)
        return {**data, "wrong": self.wrong}
