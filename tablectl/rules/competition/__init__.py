"""竞技麻将: the competition rules with twelve fans. Paragraphs: docs/rules/competition.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import ClassVar

from tablectl.rules.api import (
    FanEntry,
    HandResult,
    HandView,
    Incident,
    MatchState,
    Payment,
    Penalties,
    Placing,
    Play,
    Points,
    RuleSet,
    ScoreQueries,
    Settlement,
    Situation,
    Wait,
    Win,
)
from tablectl.rules.competition import rounds, watch
from tablectl.rules.competition.fans import FANS, wait_set
from tablectl.rules.competition.ledger import Ledger
from tablectl.rules.competition.options import Options as CompetitionOptions
from tablectl.rules.competition.settlement import judge, settle
from tablectl.tiles.deal import counted_seat, jump_deal, lay_out
from tablectl.tiles.sets import TILE_SETS
from tablectl.tiles.tile import FLOWERS
from tablectl.tiles.wall import Deck, round_the_city, tail_order

_STACKS = (18, 18, 18, 18)

_BONUS_WORDS = {
    "花牌": ("every flower shown, but those of a flower kong", "J52", "每张亮出的花，花杠的四张除外"),
    "单张和牌": ("single wait in a gap, at an edge or in the pair", "J46", "独听一种牌，和坎张、边张或单钓将"),
    "补花和": ("the winning tile replaced a flower", "J52", "和牌的牌是补花摸来的"),
    "杠上开花": ("the winning tile replaced a kong of tiles", "J52", "和牌的牌是开杠后补来的"),
    "海底捞月": ("won on a discard of the last lap", "J32", "最后一巡中和他家打出的牌"),
    "妙手回春": ("self-drawn in the last lap", "J32", "最后一巡中自摸"),
    "门清": ("no chow, pung or exposed kong; not with 七对 or 大乱", "J52", "没有吃、碰、明杠；七对、大乱不计"),
}


class Competition(RuleSet):
    """竞技麻将 under its options."""

    id: ClassVar[str] = "competition"
    name_zh: ClassVar[str] = "竞技麻将"
    name_en: ClassVar[str] = "competition mahjong (12 fans)"
    Options = CompetitionOptions
    incident_kinds: ClassVar[frozenset[str]] = frozenset(
        {"exposed_kong", "added_kong", "concealed_kong", "flower_kong", "chase", "bao", "hung", "inserted", "dead_hand"}
    )

    #: J28, J122
    rulings: ClassVar[Mapping[str, str]] = {"wrong_tile_count": "dead_hand"}

    options: CompetitionOptions

    def __init__(self, options: CompetitionOptions) -> None:
        super().__init__(options)
        self.tile_set = TILE_SETS["144"]
        self.stacks = _STACKS
        self.play = _play(options)

    def fan_table(self) -> tuple[FanEntry, ...]:
        """The rule card: the fans of J40, then the add-ons of J52."""
        options = self.options
        fans = [
            FanEntry(f.name, options.fan_values[f.name], f.definition, f.paragraph, f.number, f.definition_zh)
            for f in FANS
        ]
        bonuses = [
            FanEntry(name, options.bonus_values[name], definition, paragraph, definition_zh=chinese)
            for name, (definition, paragraph, chinese) in _BONUS_WORDS.items()
        ]
        return (*fans, *bonuses)

    # --- equipment and deal (section 1)

    def thrower(self, dealer: int, throws: Sequence[int]) -> int | None:
        """One throw, by the dealer (J3)."""
        return None if throws else dealer

    def deck(self, dealer: int, throws: Sequence[int]) -> Deck:
        """The sum fixes both the wall and the stack (J4–J8)."""
        (total,) = throws
        side = counted_seat(dealer, total)
        stack = total + (self.options.break_stack == "after")
        if stack > _STACKS[side]:
            side, stack = (side - 1) % 4, 1
        deck = lay_out(round_the_city(_STACKS, side, stack), jump_deal(dealer))
        if self.options.tail_upper_first:
            return deck
        out = {position for block in deck.deal for position in block.positions}
        tail = tail_order(len(deck.places), upper_first=False)
        return replace(deck, tail=tuple(position for position in tail if position not in out))

    # --- play (section 2)

    def observe(self, hand: HandView) -> tuple[Incident, ...]:
        """Chase, flower kongs, feeding, the hung tile (J64, J66, J80, J84)."""
        return tuple(watch.observe(hand, self.options))

    def broken_off(self, points: Points) -> bool:
        """Two seats at 0 (J72)."""
        return rounds.is_broken_off(points, self.options)

    # --- winning, scoring, settlement (sections 3–5)

    def settle(self, situation: Situation) -> Settlement:
        """Section 5. ``win_payments`` has one entry for each legal win."""
        return settle(situation, self.options)

    def pay(self, situation: Situation, incident: Incident) -> Payment:
        """Kongs, flower kongs and chase (J62–J67), off-board at a losing finish (J76, J77); facts pay nothing."""
        return self._ledger(situation).incident(incident)

    def factor(self, streak: int) -> int:
        """A dealer who keeps the deal brings double play (J60)."""
        return self.options.double_play_factor if streak else 1

    @property
    def penalties(self) -> Penalties:
        """Units up to a limit (J100)."""
        unit, most = self.options.penalty_unit, self.options.penalty_max
        return Penalties(tuple(range(unit, most + 1, unit)))

    def penalty(self, situation: Situation, points: Points, seat: int, amount: int, to: str | int | None) -> Payment:
        """J100, J101, J79.

        Raises:
            RulesError: no multiple of `penalty_unit`, or more than `penalty_max`.
        """
        rounds.check_penalty(amount, self.options)
        ledger = Ledger(self.options, points, situation.streak)
        return ledger.penalty(seat, amount * ledger.penalty_factor, to)

    def waits(self, situation: Situation, hand: Win) -> tuple[Wait, ...]:
        """The wait set of J43 with what each tile brings, without the proof.

        The verdicts look at the hand alone: whether the discarder holds points and how the game would end (J73, J75) is
        settled when the win is declared.
        """
        if len(hand.concealed) != 13 - 3 * len(hand.melds) or any(tile.is_flower for tile in hand.concealed):
            return ()
        kinds = wait_set(hand, self.options)
        sources = ((hand.seat + 3) % 4, None)
        found = []
        for tile in kinds:
            wins = (replace(hand, tile=tile, source=source) for source in sources)
            discard, self_draw = (judge(win, situation, self.options, kinds).worth for win in wins)
            found.append(Wait(tile, discard, self_draw))
        return tuple(found)

    def _ledger(self, situation: Situation) -> Ledger:
        ledger = Ledger(self.options, situation.points, situation.streak)
        for incident in situation.incidents:
            ledger.book(ledger.incident(incident))
        return ledger

    # --- match (section 6)

    def first_hand(self) -> MatchState:
        return rounds.first_hand(self.options)

    def next_hand(self, match: MatchState, result: HandResult, minutes: float) -> MatchState:
        """J94, J95, J98."""
        return rounds.next_hand(match, result, minutes, self.options)

    def next_game(self, match: MatchState) -> MatchState | None:
        return rounds.next_game(match, self.options)

    def seating(self, game: int) -> tuple[int, int, int, int]:
        return rounds.seating(game, self.options)

    def rest_minutes(self, game: int) -> int:
        return rounds.rest_after(game, self.options)

    # --- event

    def placings(self, totals: Sequence[int]) -> tuple[Placing, ...]:
        """J103, J104."""
        ranked = super().placings(totals)
        a, b, c, d = totals
        of_player = {standing.player: standing for standing in rounds.standings((a, b, c, d), self.options)}
        return tuple(
            Placing(place.rank, Fraction(own.standard_points), own.advances, own.filed, own.tied)
            for place, own in zip(ranked, (of_player[player] for player in range(4)), strict=True)
        )

    def byes(self, players: int) -> tuple[int, int]:
        """J106."""
        return rounds.byes(players)


def _score_queries(options: CompetitionOptions) -> ScoreQueries | None:
    """J102: in the last game of a format with change of seats."""
    games = options.format.games
    return ScoreQueries(options.score_queries, games, options.score_query_scope == "table") if games > 1 else None


def _play(options: CompetitionOptions) -> Play:
    return Play(
        flowers=frozenset(FLOWERS),
        opening_flowers=options.initial_flowers,
        chow_allowed=options.chow_allowed,
        kong_after_claim=options.kong_after_claim,
        multiple_winners=options.multiple_winners == "all",
        claim_seconds=options.claim_seconds,
        first_discard_seconds=options.first_discard_seconds,
        discard_seconds=options.discard_seconds,
        warn_before_seconds=options.warn_before_seconds,
        referee_confirms=options.referee_present,
        score_queries=_score_queries(options),
        discards_per_row=options.discards_per_row,
        discard_rows=options.discard_rows,
        announce_discards=options.announce_discards,
        announce_hands=False,
        extra_keys=frozenset({"ready", "show"}),
        any_seat_throws=options.dice_pressed_by == "any",
        dice_count=options.dice_count,
        last_tiles=options.last_lap_tiles,
        last_of_kind="pung" if options.last_of_kind_needs_pung else "visible",
        earthly="announced",
        dead_hand_mechanical=True,
        flower_discard_kills=True,
        match_minutes=options.format.minutes or None,
        warn_minutes_left=options.warn_minutes_left,
    )
