"""The state of the hand in progress, as events build it.

Everybody reads it (tracker, views, displays, simulated players); only `fold` in `game.fold` writes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Literal

from tablectl.game.events import Alerted, HandDrawn, HandWon, PointsPaid, WinDeclared
from tablectl.rules.api import NO_POINTS, Discard, HandResult, Incident, MatchState, Points
from tablectl.tiles.meld import Meld
from tablectl.tiles.tile import Tile
from tablectl.tiles.wall import Deck

#: what moves points
Paid = PointsPaid | HandWon | HandDrawn


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
    LAST_ROUND = "last_round"  # fuzhou, fujian: one tile each, nothing is discarded
    DECLARED = "declared"  # one or more wins are declared and wait for confirmation
    ENDED = "ended"


class MatchPhase(Enum):
    """Where a match stands."""

    WAITING = "waiting"  # none was started
    BETWEEN = "between"  # between two hands
    HAND = "hand"
    OVER = "over"


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
    #: replacements this seat is owed (for flowers and kongs)
    owed: int = 0
    #: the wrong number of standing tiles that was last reported, 0 = none
    miscount: int = 0
    #: the tile that must be this seat's next discard (罚张)
    penalty_tile: Tile | None = None


@dataclass(frozen=True, slots=True)
class OpenAlert:
    """An alert that nobody has answered yet: its sequence number and event, and how often the seat gave cause for it in
    this hand."""

    seq: int
    alert: Alerted
    count: int = 1


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
    #: digests published before the dice, by what they bind the table to: ``wall``, ``dice``
    commitments: dict[str, str] = field(default_factory=dict)
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
    declared: list[WinDeclared] = field(default_factory=list)
    #: points that winners named themselves, by seat
    announced: dict[int, int] = field(default_factory=dict)
    #: fans that the referee put in place of those counted, by seat
    amended: dict[int, Mapping[str, int]] = field(default_factory=dict)
    opened_at: float | None = None
    #: when the last thing happened from which a time limit counts
    since: float | None = None
    #: when the current time limit ends, when claims on the discard end; None = no limit
    deadline: float | None = None
    claims_until: float | None = None
    #: the warning before the limit, and the report of its overrun, were given
    warned: bool = False
    overrun: bool = False
    #: what replacements followed one another since the last turn draw: ``kong``, ``flower``
    chain: tuple[str, ...] = ()
    #: seats that pressed a key since the last discard, and what they called
    calls: dict[int, str] = field(default_factory=dict)
    #: seats that passed (in DISCARDED, ROBBING), or agreed to the declared win (in DECLARED)
    passed: set[int] = field(default_factory=set)
    #: codes raised since the last discard, so that one offence is one alert
    raised: set[tuple[str, int | None]] = field(default_factory=set)
    alerts: list[OpenAlert] = field(default_factory=list)
    #: how often each alert was raised in this hand, answered ones included
    offences: dict[tuple[str, int | None], int] = field(default_factory=dict)
    #: the dice key was pressed for the throw that is awaited, and by whom
    dice_pressed: bool = False
    dice_presser: int | None = None
    dice_pressed_at: float | None = None
    #: who pressed for a throw after the deal before its last tiles were seen, and when (tianjin T103)
    early_dice: tuple[int, float] | None = None
    #: the phase to which the hand returns when a declared win falls
    resume: Phase | None = None
    #: penalties during the hand, and what is booked beside the table
    penalties: Points = NO_POINTS
    off_board: Points = NO_POINTS
    payments: list[Paid] = field(default_factory=list)
    carry: dict[str, int] = field(default_factory=dict)
    #: the tile last added to a pung: it may be robbed in ROBBING
    added: Tile | None = None
    #: the last discard lies, and the next tile has not left the wall
    open_discard: bool = False
    #: tiles still to draw in the last round
    last_round: int = 0
    paused_at: float | None = None
    winners: list[int] = field(default_factory=list)
    #: why the hand ended without a winner
    drawn_reason: str | None = None

    @property
    def last_discard(self) -> Discard | None:
        """The discard on which claims are possible, or None: none lies, it was claimed, or the next one is due."""
        return self.discards[-1] if self.discards and not self.discards[-1].claimed else None

    @property
    def next_seat(self) -> int:
        return (self.turn + 1) % 4


@dataclass(slots=True)
class Game:
    """The match and the hand in progress, as events build them."""

    match: MatchState
    phase: MatchPhase = MatchPhase.WAITING
    hand: Hand | None = None
    names: tuple[str, str, str, str] = ("", "", "", "")
    simulated: bool = False
    #: when the present game began, and how long it stood still since
    started_at: float | None = None
    paused_seconds: float = 0
    #: since when play is stopped, and since when the game's time stands still for it
    paused_at: float | None = None
    standing_since: float | None = None
    pauses: int = 0
    #: seats without a player, played mechanically (三缺一)
    empty_seats: frozenset[int] = frozenset()
    #: the match before each hand that can be undone, latest last
    before: tuple[MatchState, ...] = ()
    #: who sat where in each of those hands
    seated: tuple[tuple[str, str, str, str], ...] = ()
    #: what was paid before the first hand, and in each of those hands and after it
    paid: tuple[tuple[Paid, ...], ...] = ((),)
    result: HandResult | None = None
    #: the referee has confirmed the result of the match that is over
    confirmed: bool = False
    #: announcements of the game's time already made: seconds left
    time_told: frozenset[float] = frozenset()

    @property
    def payments(self) -> list[Paid]:
        """All payments of the match, in their order."""
        ended = [event for hand in self.paid for event in hand]
        running = self.hand is not None and self.hand.phase is not Phase.ENDED
        return [*ended, *self.hand.payments] if self.hand is not None and running else ended

    def minutes(self, t: float | None) -> float:
        """Minutes of play since the game began, pauses left out."""
        if t is None or self.started_at is None:
            return 0
        standing = self.paused_seconds + (t - self.standing_since if self.standing_since is not None else 0)
        return max(0.0, (t - self.started_at - standing) / 60)
