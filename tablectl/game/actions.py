"""Actions: what the tracker, the keys and the referee say was done, before the game has judged it.

`game.table.Table.apply` turns an action into events. Tiles really moved, so an action that breaks a rule is not
undone: it becomes an alert, a dead hand, or both. ``t`` is seconds on the table's monotonic clock.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from tablectl.game.events import Event
from tablectl.tiles.meld import MeldKind
from tablectl.tiles.tile import Tile


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """Base of all actions."""

    t: float


# --- from the machine and the keys


@dataclass(frozen=True, slots=True, kw_only=True)
class RaiseWalls(Action):
    """The built walls were lifted: open the next hand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClearTable(Action):
    """The opening is free and the hand's tiles leave the table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Press(Action):
    """A key: dice, chow, pung, kong, win, flower, pass, call, ready, show, sit, pull (with ``n``)."""

    seat: int
    key: str
    n: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RestDice(Action):
    """The dice came to rest."""

    dice: tuple[int, ...]


# --- from the tracker


@dataclass(frozen=True, slots=True, kw_only=True)
class Deal(Action):
    """The deal is complete: the tiles dealt to each seat before flowers are replaced; ``drawn``: the dealer's last."""

    hands: tuple[tuple[Tile | None, ...], ...]
    drawn: Tile | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnIndicator(Action):
    """The indicator was turned up; where one lies already, it was another (``by``: who says so)."""

    tile: Tile
    seat: int | None = None
    by: str = "tracker"


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw(Action):
    """A seat took a tile from the wall."""

    seat: int
    tile: Tile | None
    end: Literal["live", "tail"] = "live"


@dataclass(frozen=True, slots=True, kw_only=True)
class LayFlower(Action):
    """A seat laid a flower open."""

    seat: int
    tile: Tile


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscardTile(Action):
    """A tile went to a seat's river."""

    seat: int
    tile: Tile


@dataclass(frozen=True, slots=True, kw_only=True)
class LayMeld(Action):
    """A seat laid a meld. ``tile``: the claimed tile, or the one added; None for a concealed kong. ``consumed``: the
    tiles from the hand (for an added kong: the pung it extends)."""

    seat: int
    kind: MeldKind
    tile: Tile | None
    consumed: tuple[Tile, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowTile(Action):
    """A tile shown face up; ``what`` as in `events.TileShown`."""

    seat: int
    tile: Tile
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclareWin(Action):
    """A seat called a win and laid its hand open (the key, or the hand seen open). ``tile`` where it is known."""

    seat: int
    tile: Tile | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspect(Action):
    """The tracker saw something that a person should look at (alert codes: docs/rules/README.md)."""

    code: str
    seat: int | None
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Amend(Action):
    """The tracker read an earlier event wrongly; see `events.Corrected`."""

    replaces: int
    event: Event | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RevealWall(Action):
    """The wall of the finished hand, in drawing positions."""

    wall: tuple[Tile | None, ...]


# --- from the program itself: fairness that can be checked


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit(Action):
    """A digest was published before the dice; see `events.Committed`."""

    what: Literal["wall", "dice"]
    digest: str
    unknown: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenCommitment(Action):
    """What the digest was made of is published after the hand; see `events.CommitmentOpened`."""

    what: Literal["wall", "dice"]
    digest: str
    secret: str
    built: tuple[tuple[Tile | None, ...], ...] = ()
    throws: tuple[Mapping[str, Any], ...] = ()


# --- from the referee, or by the clock


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule(Action):
    """A referee's act (or that of all other seats, where there is no referee): confirm (the declared win, or the result
    of a match that is over, `Play.result_confirmed`), refuse, false_win, amend (``fans`` in place of those counted),
    inserted (the winning tile, among the standing ones), apart, dead_hand, revive, penalty, penalty_tile (``pai``),
    expose (``tiles`` seen together, 曝光牌), unclear_call, announce, warning, put_back (the tile last drawn), count
    (``points`` that lie before a seat), dismiss, draw_hand, replay_hand, correct, undo, pause, resume, extra_time
    (``seconds``), seat_empty, seat_taken, end_game. Keys as in `events.Ruled`.

    ``correct``: ``event`` in place of number ``replaces`` of the hand's record (trace format); ``alert``: the sequence
    number of the alert that is answered.
    """

    do: str
    by: str
    seat: int | None = None
    points: int | None = None
    to: str | int | None = None
    reason: str = ""
    replaces: int | None = None
    event: Event | None = None
    pai: Tile | None = None
    tiles: tuple[Tile, ...] = ()
    alert: int | None = None
    fans: Mapping[str, Any] | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PassTime(Action):
    """Time went by: limits and warnings are looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StartMatch(Action):
    """Begin a match with these players. ``dealer``: the seat drawn to deal first, where the rules want it drawn at
    random (`Play.first_dealer`)."""

    names: tuple[str, str, str, str] = ("", "", "", "")
    simulated: bool = False
    dealer: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NameSeats(Action):
    """Who sits where."""

    names: tuple[str, str, str, str]
