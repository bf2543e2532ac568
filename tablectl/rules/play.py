"""How the hand is played under a rule system, as data for the game machine and the tracker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tablectl.tiles.tile import Tile


@dataclass(frozen=True, slots=True)
class ScoreQueries:
    """How often the scores of all games so far may be asked for, in which ``game``; counted by player, or ``by_table``
    (问分, competition J102)."""

    times: int
    game: int
    by_table: bool = False


@dataclass(frozen=True, slots=True)
class Play:
    """How the hand is played, as data for the game machine and the tracker. Times are in seconds; None = no limit."""

    hand_tiles: int = 13
    #: kinds laid open and replaced when drawn
    flowers: frozenset[Tile] = frozenset()
    #: ``complete``: each seat in turn until it has none; ``one_each``: one pass each, repeated;
    #: ``rounds``: all of a seat's flowers in a round, replacements that are flowers wait for the next round
    opening_flowers: Literal["complete", "one_each", "rounds"] = "complete"
    #: False: a flower may be kept, or discarded (mcr T15)
    flowers_compulsory: bool = True
    #: a flower may be laid right after a chow or pung (not so: mcr T15)
    flowers_after_claim: bool = True
    #: when the indicator (开混, 开金, 正搭) is turned up
    indicator: Literal["none", "after_deal", "after_flowers"] = "none"
    #: a flower turned up as the indicator goes to the dealer's flowers, or is set aside (fuzhou T109)
    indicator_flower: Literal["dealer", "nobody"] = "dealer"
    #: the indicator stays face up in the wall where it lies (tianjin T107), or is laid apart
    indicator_lies: Literal["wall", "apart"] = "apart"
    chow_allowed: bool = True
    win_on_discard: bool = True
    rob_added_kong: bool = True
    next_seat_may_kong: bool = True
    kong_after_claim: bool = False
    multiple_winners: bool = False
    #: a chow waits until the claim window is over or the seats that could pung have passed (mcr T16)
    chow_waits: bool = False
    claim_seconds: float | None = None
    initial_flower_seconds: float | None = None
    first_discard_seconds: float | None = None
    discard_seconds: float | None = None
    warn_before_seconds: float = 3
    #: the result counts only when the referee (True) or all other seats (False) confirm it
    referee_confirms: bool = True
    #: None: the points stand open, nobody has to ask
    score_queries: ScoreQueries | None = None
    #: winners name their points, and the referee enters them (mcr T31)
    points_announced: bool = False
    discards_per_row: int = 6
    #: where a further row of discards lies, seen from its player
    discard_rows: Literal["away", "towards"] = "away"
    #: the table says round, hand and dealer when a hand begins (mcr T59; not in the list of competition J113)
    announce_hands: bool = True
    #: the table names discards aloud (competition J19)
    announce_discards: bool = False
    #: keys beyond those of every table: ``ready``, ``show``, ``sit``, ``pull``
    extra_keys: frozenset[str] = frozenset()
    #: throws made before the deal (tianjin throws again after it); None = all
    throws_before_deal: int | None = None
    #: any seat may press the dice (competition `dice_pressed_by`)
    any_seat_throws: bool = False
    #: dice thrown at once
    dice_count: int = 2
    #: a tile drawn with fewer than this many drawable tiles left after it is a last tile (competition J32: 4)
    last_tiles: int = 1
    #: when the fourth of a kind is `How.LAST_OF_KIND`: three visible in any way, or lying as a pung (competition J44)
    last_of_kind: Literal["visible", "pung"] = "visible"
    #: what may be claimed when no turn draw can follow the discard
    last_discard_claims: Literal["win", "none"] = "win"
    #: with so many drawable tiles left or fewer the last round begins: drawn one each, nothing discarded (fuzhou T112)
    last_round_tiles: int = 0
    #: what `How.EARTHLY` is: a self-draw on a seat's first draw, a win by a seat that announced 听牌 before the first
    #: discard (competition J57), or the indicator taken before a seat's first draw (fuzhou T307, T308)
    earthly: Literal["first_draw", "announced", "indicator"] = "first_draw"
    #: a concealed kong lies face down to the end of the hand (mcr T19)
    concealed_kong_hidden: bool = False
    #: a dead hand discards the tile it drew (competition J28)
    dead_hand_mechanical: bool = False
    #: a dead hand may still pung and kong (zhenjiang Z215)
    dead_hand_claims: bool = False
    #: everybody sees who is a dead hand, not the referee and the seat itself alone (zhenjiang Z716)
    dead_hand_shown: bool = True
    #: a discarded flower makes its seat a dead hand (competition J25)
    flower_discard_kills: bool = False
    #: a refused win makes its seat a dead hand (competition J89), but for these reasons (J75, J47)
    false_win_kills: bool = True
    harmless_refusals: frozenset[str] = frozenset({"losing_finish", "not_first"})
    #: what becomes of the hand after a false win where nobody else won it: it goes on, it is void and dealt again, or
    #: it is drawn (beijing T44)
    after_false_win: Literal["continue", "replay", "draw"] = "continue"
    #: a win that was called falsely, and taken back before the hand was laid open, is none (beijing T43, tianjin T511)
    false_call_taken_back: bool = False
    #: the upper tile of the wall's last stack is taken down and laid beside it after the break (beijing T7)
    lay_down_last_tile: bool = False
    #: a discarded wildcard is an offence (`wild_discarded`)
    wild_discard_forbidden: bool = False
    #: length of a game, and how long before its end the table says so; None = no limit
    match_minutes: float | None = None
    warn_minutes_left: float | None = None
    #: when the time is up the hand in progress is played out, or broken off at once (zhenjiang Z603)
    time_up: Literal["finish_hand", "stop_now"] = "finish_hand"
    #: the game's time stands still while the referee has stopped play (never: zhenjiang Z604)
    pause_stops_clock: bool = True
    #: a seat that has not chosen its stakes in time does not sit or pull (tianjin T205)
    stakes_seconds: float | None = None
    #: how often a non-dealer may pull at most (tianjin T204)
    pull_max: int = 2
    #: which end of the wall a kong is replaced from (zhenjiang Z110)
    replacements_from: Literal["tail", "head"] = "tail"
    #: how the seat that deals first is found: set beforehand, drawn at random by the table (tianjin T201), or by a
    #: throw that any one player makes before the first hand (zhenjiang Z103, `RuleSet.first_seat`). Seats are chairs:
    #: they keep their numbers, and rounds are counted from the seat that was found (`MatchState.first`)
    first_dealer: Literal["set", "random", "dice"] = "set"
    #: what all four hold together, where something else is an offence (tickets, zhenjiang Z605)
    points_in_play: int | None = None
    #: the ranking is told once the chief referee has confirmed the result of the table (zhenjiang Z611)
    result_confirmed: bool = False

    def never_discarded(self, wild: frozenset[Tile]) -> frozenset[Tile]:
        """The tiles that nobody may discard in a hand with the wildcards ``wild``: flowers to be laid, wildcards."""
        flowers = self.flowers if self.flowers_compulsory else frozenset()
        return flowers | wild if self.wild_discard_forbidden else flowers
