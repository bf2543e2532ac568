"""What a rule system is: the contract between `rules/` and everybody who asks it.

The game machine, ``tablectl score`` and the simulator ask the same questions, so a hand settled live and the same
hand written as a case file can never differ. The words of the contract stand beside it: `wins` (what is judged, and
what comes of it) and `play` (how the hand is played).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar, Literal, Protocol

from pydantic import BaseModel

from tablectl.rules.play import Play, ScoreQueries
from tablectl.rules.wins import (
    NO_POINTS,
    FanProof,
    How,
    Incident,
    Payment,
    Points,
    Settlement,
    Situation,
    Verdict,
    Win,
)
from tablectl.tiles.meld import Meld, MeldKind
from tablectl.tiles.sets import TileSet
from tablectl.tiles.tile import Tile
from tablectl.tiles.wall import Deck

__all__ = [
    "NO_POINTS",
    "Discard",
    "FanEntry",
    "FanProof",
    "HandResult",
    "HandView",
    "Handover",
    "How",
    "Incident",
    "MatchState",
    "Payment",
    "Penalties",
    "Placing",
    "Play",
    "Points",
    "Proposal",
    "RoundResult",
    "RuleSet",
    "RulesError",
    "ScoreQueries",
    "SeatView",
    "Settlement",
    "Situation",
    "Verdict",
    "Wait",
    "Win",
]


class RulesError(Exception):
    """Something a person gave to the rules is wrong: an unknown rule system, bad options, an impossible penalty.

    The message has one line for each of ``problems``: what is wrong, what was expected, the nearest right name.
    """

    def __init__(self, *problems: str) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


class SeatView(Protocol):
    """One seat as rules may look at it during the hand."""

    @property
    def standing(self) -> Sequence[Tile]: ...
    @property
    def melds(self) -> Sequence[Meld]: ...
    @property
    def flowers(self) -> Sequence[Tile]: ...
    #: the tile hung face up on the wall (competition J84), None where none hangs
    @property
    def hung(self) -> Tile | None: ...
    #: tiles shown without leaving the hand (zhenjiang Z214 with `show_held`)
    @property
    def shown(self) -> Sequence[Tile]: ...


@dataclass(frozen=True, slots=True)
class Discard:
    """A discard in order of play. ``drawn``: it was the tile just drawn; ``claimed``: a meld took it; ``after``: what
    the seat did just before it (``draw``, ``chow``, ``pung``, ``replacement``, ``deal``); ``shown``: the seat showed it
    with its key (亮搭)."""

    seat: int
    tile: Tile
    drawn: bool = False
    claimed: bool = False
    after: str = "draw"
    shown: bool = False


class HandView(Protocol):
    """The hand in progress as rules may look at it."""

    @property
    def dealer(self) -> int: ...
    @property
    def seats(self) -> Sequence[SeatView]: ...
    @property
    def discards(self) -> Sequence[Discard]: ...
    @property
    def indicator(self) -> Tile | None: ...
    @property
    def incidents(self) -> Sequence[Incident]: ...
    #: face-down tiles in the wall
    @property
    def wall_left(self) -> int: ...
    #: replacements taken so far (flowers and kongs)
    @property
    def tail_taken(self) -> int: ...
    #: the last discard lies, and neither a claim nor the next draw has followed it
    @property
    def open_discard(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class MatchState:
    """Where a match stands between two hands. ``hand`` counts from 1 within the match, ``game`` from 1 within the
    round, ``circle`` from 1 within the game. ``over`` is why the match ended: ``circles``, ``time``, ``poverty`` …
    ``first``: the seat that dealt first, where it was drawn (`Play.first_dealer`); None: that of `RuleSet.first_hand`.
    """

    points: Points
    dealer: int = 0
    streak: int = 0
    prevalent: Tile = Tile.EAST
    hand: int = 1
    circle: int = 1
    game: int = 1
    off_board: Points = NO_POINTS
    carry: Mapping[str, int] = field(default_factory=dict)
    over: str | None = None
    first: int | None = None


@dataclass(frozen=True, slots=True)
class HandResult:
    """How a hand ended, for the match: who won (none for a draw), the change of points, whether it is void."""

    winners: tuple[int, ...]
    deltas: Points
    off_board: Points = NO_POINTS
    carry: Mapping[str, int] = field(default_factory=dict)
    void: bool = False
    #: the game ends in the middle of the hand (competition J72)
    broken_off: bool = False


@dataclass(frozen=True, slots=True)
class Placing:
    """A player's place at his table after a round of an event, or in his group where the rules rank larger groups.

    ``standard``: standard points (标准分) earned. ``advances``: he goes on to the next round; ``filed``: the best who
    does not, a possible substitute (competition J103). ``tied``: equal points at such a border, the referee decides.
    """

    rank: int
    standard: Fraction = Fraction(0)
    advances: bool = False
    filed: bool = False
    tied: bool = False


@dataclass(frozen=True, slots=True)
class RoundResult:
    """What a player took from a round: game points and standard points."""

    points: int
    standard: Fraction = Fraction(0)


@dataclass(frozen=True, slots=True)
class Wait:
    """A tile that would complete the hand. ``discard`` / ``self_draw`` are the verdicts it would bring; None where that
    way of winning does not exist."""

    tile: Tile
    discard: Verdict | None
    self_draw: Verdict | None


@dataclass(frozen=True, slots=True)
class FanEntry:
    """One line of a rule system's card. ``number`` is that of its specification, 0 for what has none (add-ons)."""

    name: str
    value: int
    definition: str
    paragraph: str
    number: int = 0
    #: ``definition`` in Chinese; empty where it has both languages
    definition_zh: str = ""


@dataclass(frozen=True, slots=True)
class Penalties:
    """The referee's penalties in the units of a rule system: ``amounts`` to offer, ascending, and whom they usually go
    ``to`` (as in `RuleSet.penalty`). ``pot``: what goes to nobody lies in the pot for the next winner (beijing T40)."""

    amounts: tuple[int, ...] = (1, 2, 5, 10, 20)
    to: Literal["nobody", "each"] = "nobody"
    pot: bool = False


@dataclass(frozen=True, slots=True)
class Proposal:
    """The ruling that a rule system has for an offence; the referee makes it, changes it or lets it be. ``do`` and
    ``points`` as in a referee's act (`game.actions.Rule`)."""

    do: str
    points: int | None = None


@dataclass(frozen=True, slots=True)
class Handover:
    """In what ``seat`` hands a payment over: value → number, the largest first. ``change``: what comes back, by the
    seat that gives it. ``changer``: the seat with whom it changes one of the largest before."""

    seat: int
    paid: Mapping[int, int]
    change: Mapping[int, Mapping[int, int]] = field(default_factory=dict)
    changer: int | None = None


class RuleSet(ABC):
    """One rule system with its options. Instances are immutable; make them with `rules.registry.load`."""

    id: ClassVar[str]
    name_zh: ClassVar[str]
    name_en: ClassVar[str]
    #: the pydantic model of section 8 of the specification
    Options: ClassVar[type[BaseModel]]
    #: kinds that may stand in ``events`` of a case
    incident_kinds: ClassVar[frozenset[str]]
    #: offences (alert codes) for which there is one ruling, and which
    rulings: ClassVar[Mapping[str, str]] = {}

    options: BaseModel
    play: Play
    tile_set: TileSet
    #: stacks of the wall before each seat
    stacks: tuple[int, int, int, int]

    def __init__(self, options: BaseModel) -> None:
        self.options = options

    def fan_table(self) -> tuple[FanEntry, ...]:
        """The rule card: every fan with the value it has under these options."""
        return ()

    def win_name(self, fans: Mapping[str, int]) -> str:
        """A win in one name made of its ``fans``, where the rule system has such names (tianjin T604); else empty."""
        return ""

    # --- equipment and deal (section 1)

    def first_seat(self, presser: int, total: int) -> int:
        """The seat that deals first: where the throw of ``presser`` ends (`Play.first_dealer`, zhenjiang Z103)."""
        return 0

    @abstractmethod
    def thrower(self, dealer: int, throws: Sequence[int]) -> int | None:
        """The seat that throws next after ``throws`` (sums so far), or None when the dice are complete."""

    @abstractmethod
    def deck(self, dealer: int, throws: Sequence[int]) -> Deck:
        """The wall in drawing order, who is dealt what, where replacements come from."""

    def wild(self, indicator: Tile | None) -> frozenset[Tile]:
        """The wild kinds of this hand."""
        return frozenset()

    def undrawn(self, hand: HandView) -> int:
        """Tiles of the wall that stay undrawn (reserve, dead wall)."""
        return 0

    # --- play (section 2)

    def observe(self, hand: HandView) -> tuple[Incident, ...]:
        """Incidents that the latest event of play brings about by itself (chase, liability, a wildcard discarded, a
        flower kong). Kongs of tiles are not among them: the game machine reports those.

        Asked after every discard, meld, flower and tile shown, and after the draw that follows a discarded wildcard.
        An incident whose kind is an alert code also raises that alert; ``extra["dead"]`` true makes its seat a dead
        hand."""
        return ()

    def kong(self, hand: HandView, seat: int, meld: Meld) -> Incident:
        """The incident that a kong just laid is; ``meld`` is the kong. A rule system may know more kinds than those of
        melds (the gold kong, tianjin T209)."""
        return Incident(meld.kind.value, seat, meld.source_seat(seat) if meld.kind is MeldKind.EXPOSED_KONG else None)

    def refuse_claim(self, hand: HandView, seat: int, meld: Meld) -> str | None:
        """Why ``seat`` may not make this meld now, or None: the detail of the alert ``false_meld``, which begins with
        the reason in the rules' own word; ``kong_refused: …`` is that alert with what follows. Called after the general
        checks."""
        return None

    def must_discard(self, hand: HandView, seat: int) -> frozenset[Tile]:
        """The kinds of which ``seat`` has to discard one now (首搭必打, zhenjiang Z211); empty where it is free."""
        return frozenset()

    def must_show(self, hand: HandView, seat: int) -> bool:
        """Whether ``seat`` has to show the tile it has just discarded (二搭必亮, zhenjiang Z214)."""
        return False

    def barred(self, incidents: Sequence[Incident], seat: int) -> frozenset[Tile]:
        """The kinds on which ``seat`` may not win another seat's tile in this hand (beijing T18)."""
        return frozenset()

    def opening_win(self, hand: HandView, seat: int, *, dealer_robs: bool = False) -> Win | None:
        """A win on dealt tiles that no draw or discard makes: by the indicator, or by what the tiles are (fuzhou T307,
        T308, T312). None where ``seat`` has none, or where its ordinary win is as good.

        Asked, once the indicator lies, of a seat that has not taken its turn yet, and of the dealer before his first
        discard. ``dealer_robs``: the dealer has declared such a win, so that others may come before him (fuzhou T310).
        """
        return None

    # --- winning, scoring, settlement (sections 3–5)

    @abstractmethod
    def settle(self, situation: Situation) -> Settlement:
        """Judge the declared wins and compute all payments of the hand."""

    @abstractmethod
    def pay(self, situation: Situation, incident: Incident) -> Payment:
        """What ``incident`` moves at the moment it happens, after those in ``situation.incidents``."""

    def broken_off(self, points: Points) -> bool:
        """Whether the game ends in the middle of the hand now that the seats hold ``points`` (competition J72)."""
        return False

    def factor(self, streak: int) -> int:
        """By how much the dealer's streak multiplies what a win is worth (倍打, competition J60)."""
        return 1

    @property
    def penalties(self) -> Penalties:
        """What a referee may choose from."""
        return Penalties()

    def proposal(self, code: str, count: int) -> Proposal | None:
        """The ruling for an offence (alert code) that a seat commits for the ``count``-th time in a hand; None where it
        is the referee's alone (section 7)."""
        do = self.rulings.get(code)
        return None if do is None else Proposal(do)

    def handed_over(self, payments: Sequence[Points]) -> tuple[Handover, ...]:
        """In what each seat that pays hands over the last of the match's ``payments``: cards (mcr T54), tickets
        (zhenjiang Z605). Nothing where points are only written down."""
        return ()

    def note(self, match: MatchState) -> str | None:
        """What everybody is told about the hand to come: ``last_of_round``, ``extra_round`` (beijing T52)."""
        return None

    def penalty(self, situation: Situation, points: Points, seat: int, amount: int, to: str | int | None) -> Payment:
        """What a referee's penalty of ``amount`` for ``seat`` moves while the seats hold ``points``.

        ``to``: ``"each"`` (each other seat gets ``amount``), a seat, or ``"nobody"`` (booked beside the table).
        """
        deltas, off_board = [0, 0, 0, 0], [0, 0, 0, 0]
        if to == "each":
            deltas = [amount] * 4
            deltas[seat] = -3 * amount
        elif isinstance(to, int):
            deltas[seat] -= amount
            deltas[to] += amount
        else:
            off_board[seat] = -amount
        return Payment(
            (deltas[0], deltas[1], deltas[2], deltas[3]), (off_board[0], off_board[1], off_board[2], off_board[3])
        )

    @abstractmethod
    def waits(self, situation: Situation, hand: Win) -> tuple[Wait, ...]:
        """Every tile that completes ``hand`` (its ``tile`` and ``source`` are ignored), by kind in ascending order."""

    # --- match (section 6)

    @abstractmethod
    def first_hand(self) -> MatchState:
        """The state before the first hand of a match."""

    @abstractmethod
    def next_hand(self, match: MatchState, result: HandResult, minutes: float) -> MatchState:
        """The state after a hand; ``minutes`` have passed since the game began. ``over`` is set where it ends."""

    def carry_after(
        self,
        situation: Situation,
        won: Sequence[tuple[int, Mapping[str, int]]],
        deltas: Points,
        carry: Mapping[str, int],
    ) -> Mapping[str, int]:
        """What stays open after a hand whose wins a referee corrected. ``won``: the winners with their fans and
        ``deltas``: what the hand moved, as they are now; ``carry``: what stayed open as it was settled first."""
        return carry

    def closed(self, match: MatchState) -> MatchState:
        """The match at its end, with what the hands left open settled: the pot, fines (beijing T40, zhenjiang Z606)."""
        return match

    def seats_after(self, before: MatchState, after: MatchState) -> tuple[int, int, int, int]:
        """Who sits where when the match has gone from ``before`` to ``after``: for each seat the seat its player had
        (mcr `seat_rotation_plan`)."""
        return (0, 1, 2, 3)

    def pause_due(self, match: MatchState, minutes: float) -> int:
        """Minutes of the pause that may be taken before this hand, 0 for none (mcr T59)."""
        return 0

    def next_game(self, match: MatchState) -> MatchState | None:
        """The state before the first hand of the round's next game, None where the round is over (competition J96)."""
        return None

    def seating(self, game: int) -> tuple[int, int, int, int]:
        """Who sits where in a game of the round: for each seat the player, numbered by his seat in game 1."""
        return (0, 1, 2, 3)

    def rest_minutes(self, game: int) -> int:
        """How long to rest after this game of the round (competition J96)."""
        return 0

    def game_points(self, match: MatchState) -> Points:
        """What a game counts for each seat in the ranking (competition J99)."""
        a, b, c, d = (sum(pair) for pair in zip(match.points, match.off_board, strict=True))
        return (a, b, c, d)

    def ranks(self, totals: Points) -> tuple[int, int, int, int]:
        """Ranks from 1 by ``totals``; equal totals share a rank."""
        a, b, c, d = (1 + sum(other > total for other in totals) for total in totals)
        return (a, b, c, d)

    def standard_points(self, totals: Points) -> tuple[Fraction, ...] | None:
        """Standard points (标准分) that a game earns the four players of a table, where it does (mcr T61)."""
        return None

    # --- event: several tables, several rounds

    def placings(self, totals: Sequence[int]) -> tuple[Placing, ...]:
        """The places of the players of a table (or group) by their game points of a round. Only the order of ``totals``
        counts.

        Raises:
            RulesError: a group of another size than these rules rank.
        """
        if len(totals) != 4:
            raise RulesError(f"{len(totals)} players; expected the four of a table")
        a, b, c, d = totals
        return tuple(Placing(rank) for rank in self.ranks((a, b, c, d)))

    def byes(self, players: int) -> tuple[int, int]:
        """How many of the ``players`` of a round draw a bye, and how many mechanical seats fill its last table, where
        the rules say so (competition J106)."""
        return (0, 0)

    def event_ranks(self, results: Mapping[str, Sequence[RoundResult]]) -> dict[str, int]:
        """Ranks from 1 by name over all rounds: by standard points, then by game points; still equal: a shared rank
        (competition J105)."""
        merits = {name: (sum(r.standard for r in own), sum(r.points for r in own)) for name, own in results.items()}
        return {name: 1 + sum(other > mine for other in merits.values()) for name, mine in merits.items()}

    def team_ranks(self, teams: Mapping[str, Mapping[str, Sequence[RoundResult]]]) -> dict[str, int]:
        """Ranks of teams by what their members took together.

        Raises:
            RulesError: a team that the rules do not allow.
        """
        return self.event_ranks({team: [r for own in members.values() for r in own] for team, members in teams.items()})
