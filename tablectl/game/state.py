"""The state of the hand in progress, as events build it.

Everybody reads it (tracker, views, displays, simulated players); only `fold` in `game.fold` writes it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Literal

from tablectl.game.events import WinDeclared
from tablectl.rules.api import Discard, Incident, Points
from tablectl.tiles.meld import Meld
from tablectl.tiles.tile import Tile
from tablectl.tiles.wall import Deck


class Phase(Enum):
    """Where a hand stands. The table of transitions is in `game.machine`."""

    IDLE = "idle"  # no walls on the table
    STAKES = "stakes"  # tianjin: 坐庄, 拉庄
    DICE = "dice"  # walls up, the next throw is awaited
    DEALING = "dealing"
    INDICATOR = "indicator"  # the indicator is to be turned up
    FLOWERS = "flowers"  # opening replacement of flowers
    TURN = "turn"  # the seat in turn holds its tile: win, kong, flower or discard
    REPLACING = "replacing"  # a flower or kong was laid: a replacement is due from the tail
    CLAIMED = "claimed"  # chow or pung laid: a discard is due
    DISCARDED = "discarded"  # a discard lies: claims are open until the next tile leaves the wall
    ROBBING = "robbing"  # an added kong lies: it may be robbed
    DECLARED = "declared"  # one or more wins are declared and wait for confirmation
    ENDED = "ended"


@dataclass(slots=True)
class RiverTile:
    """A tile in a river. ``claimed_by``: the seat whose meld (or win) took it."""

    tile: Tile
    drawn: bool
    claimed_by: int | None = None


@dataclass(slots=True)
class Seat:
    """One seat of the hand. ``standing`` includes the drawn tile; None = a tile not named by the antennas yet.
    ``drawn``: the tile last drawn while it has not been discarded. ``dead``: why the seat may not win (相公)."""

    standing: list[Tile | None] = field(default_factory=list)
    melds: list[Meld] = field(default_factory=list)
    flowers: list[Tile] = field(default_factory=list)
    river: list[RiverTile] = field(default_factory=list)
    drawn: Tile | None = None
    dead: str | None = None
    ready: bool = False
    hung: Tile | None = None
    shown: list[Tile] = field(default_factory=list)


@dataclass(slots=True)
class Hand:
    """The hand in progress (or just ended). Satisfies `rules.api.HandView`."""

    number: int
    dealer: int
    prevalent: Tile
    streak: int
    start_points: Points
    points: Points
    phase: Phase = Phase.DICE
    #: the seat in turn; in DISCARDED and ROBBING the seat that discarded or added
    turn: int = 0
    seats: list[Seat] = field(default_factory=lambda: [Seat(), Seat(), Seat(), Seat()])
    discards: list[Discard] = field(default_factory=list)
    throws: list[tuple[int, ...]] = field(default_factory=list)
    deck: Deck | None = None
    indicator: Tile | None = None
    wild: frozenset[Tile] = frozenset()
    stakes: dict[str, object] = field(default_factory=dict)
    incidents: list[Incident] = field(default_factory=list)
    #: tiles that left the wall: dealt or drawn from the live end, replacements, the indicator
    live_taken: int = 0
    tail_taken: int = 0
    wall_left: int = 0
    #: what brought the seat in turn its last tile: deal, draw, flower, kong, chow, pung
    after: Literal["deal", "draw", "flower", "kong", "chow", "pung"] = "deal"
    #: replacements the seat in turn is owed
    owed: int = 0
    declared: list[WinDeclared] = field(default_factory=list)
    opened_at: float | None = None
    #: when the last thing happened from which a time limit counts
    since: float | None = None
    #: when the current time limit ends, when claims on the discard end; None = no limit
    deadline: float | None = None
    claims_until: float | None = None
