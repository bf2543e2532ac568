"""国标麻将: Chinese Official mahjong with 81 fans. Paragraphs: docs/rules/mcr.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import ClassVar

from tablectl.rules.api import (
    FanEntry,
    Handover,
    HandResult,
    HandView,
    Incident,
    MatchState,
    Payment,
    Penalties,
    Placing,
    Play,
    Points,
    Proposal,
    RoundResult,
    RuleSet,
    Settlement,
    Situation,
    Verdict,
    Wait,
    Win,
)
from tablectl.rules.mcr import rounds, settlement
from tablectl.rules.mcr.hand import Form, Hand
from tablectl.rules.mcr.options import Options as McrOptions
from tablectl.rules.mcr.proof import PARAGRAPHS
from tablectl.rules.mcr.ready import all_waits
from tablectl.rules.mcr.scoring import best, hand_of, names
from tablectl.rules.mcr.table import FANS, FLOWERS, MIXED_KONGS, Fan
from tablectl.tiles.deal import counted_seat, jump_deal, lay_out
from tablectl.tiles.meld import Meld, MeldKind
from tablectl.tiles.sets import TILE_SETS
from tablectl.tiles.tile import FLOWERS as FLOWER_TILES
from tablectl.tiles.tile import TILES, Tile
from tablectl.tiles.wall import Deck, round_the_city

_STACKS = (18, 18, 18, 18)


class Mcr(RuleSet):
    """国标麻将 under its options."""

    id: ClassVar[str] = "mcr"
    name_zh: ClassVar[str] = "国标麻将"
    name_en: ClassVar[str] = "Chinese Official mahjong (81 fans)"
    Options = McrOptions
    #: besides T55's own: a seat barred by a ruling (T25), a flower discarded where that is an offence (T63)
    incident_kinds: ClassVar[frozenset[str]] = frozenset({"false_win", "dead_hand", "flower_discarded"})

    #: T63, for what is not on the scale
    rulings: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("wrong_tile_count", "false_meld"), "dead_hand"),
        **dict.fromkeys(("dice_wrong_seat", "wrong_break", "wrong_wall_end", "wrong_call"), "warning"),
        **dict.fromkeys(("hand_shown_early", "winning_tile_mixed_in", "penalty_tile_kept"), "warning"),
        "tile_exposed": "penalty_tile",
    }

    options: McrOptions

    def __init__(self, options: McrOptions) -> None:
        super().__init__(options)
        self.tile_set = TILE_SETS["144"]
        self.stacks = _STACKS
        self.play = _play(options)

    def fan_table(self) -> tuple[FanEntry, ...]:
        """The rule card: the fans of T45, with 明暗杠 where it is played."""
        played = [fan for fan in (*FANS, FLOWERS) if fan.number != MIXED_KONGS or self.options.mixed_kongs_points]
        return tuple(
            FanEntry(fan.name, self._points(fan), fan.en, PARAGRAPHS[fan], fan.number, fan.zh) for fan in played
        )

    def _points(self, fan: Fan) -> int:
        options = self.options
        own = {
            MIXED_KONGS: options.mixed_kongs_points,
            53: options.two_concealed_kongs_points,
            81: options.flower_points,
        }
        return own.get(fan.number, fan.points)

    # --- equipment and deal (section 1)

    def thrower(self, dealer: int, throws: Sequence[int]) -> int | None:
        """The dealer throws first, then the seat at which that count ends (T4, T5)."""
        if not throws:
            return dealer
        return counted_seat(dealer, throws[0]) if len(throws) == 1 else None

    def deck(self, dealer: int, throws: Sequence[int]) -> Deck:
        """The stack after the one at which both throws together end is the first (T5, T6)."""
        first, second = throws
        places = round_the_city(_STACKS, counted_seat(dealer, first), first + second + 1)
        return lay_out(places, jump_deal(dealer))

    # --- play (section 2)

    def observe(self, hand: HandView) -> tuple[Incident, ...]:
        """A flower discarded where that is not allowed (T63)."""
        last = hand.discards[-1] if hand.discards else None
        if self.options.flower_discard_allowed or last is None or not last.tile.is_flower:
            return ()
        offence = Incident(
            "flower_discarded", last.seat, None, {"detail": last.tile.code, "discard": len(hand.discards)}
        )
        return () if offence in hand.incidents else (offence,)

    def refuse_claim(self, hand: HandView, seat: int, meld: Meld) -> str | None:
        """A barred seat draws and discards only: no kong from its own tiles either (T25)."""
        if self.options.barred_may_claim or meld.kind not in (MeldKind.CONCEALED_KONG, MeldKind.ADDED_KONG):
            return None
        barred = any(incident.seat == seat and incident.kind in settlement.BARRING for incident in hand.incidents)
        return "dead_hand" if barred else None

    # --- winning, scoring, settlement (sections 3–5)

    def settle(self, situation: Situation) -> Settlement:
        """Section 5. ``win_payments`` has one entry for each legal win."""
        return settlement.settle(situation, self.options, situation.announced)

    def pay(self, situation: Situation, incident: Incident) -> Payment:
        """A false win pays its points to each (T55)."""
        return Payment(settlement.paid_for(incident))

    @property
    def penalties(self) -> Penalties:
        """The steps of T53."""
        return Penalties(rounds.PENALTIES)

    def penalty(self, situation: Situation, points: Points, seat: int, amount: int, to: str | int | None) -> Payment:
        """T53.

        Raises:
            RulesError: an amount that is not among those of T53, T57 and the options.
        """
        rounds.check_penalty(amount, self.options)
        return super().penalty(situation, points, seat, amount, to)

    def proposal(self, code: str, count: int) -> Proposal | None:
        """What is on the scale begins with a warning (T63)."""
        if code not in rounds.ON_THE_SCALE:
            return super().proposal(code, count)
        points = rounds.proposed_penalty(count - 1, self.options)
        return Proposal("penalty", points) if points else Proposal("warning")

    def handed_over(self, payments: Sequence[Points]) -> tuple[Handover, ...]:
        """In the fewest cards (T54)."""
        return tuple(
            Handover(seat, rounds.cards_for(-amount, self.options))
            for seat, amount in enumerate(payments[-1])
            if amount < 0
        )

    def waits(self, situation: Situation, hand: Win) -> tuple[Wait, ...]:
        """Every tile that completes the hand with what it brings, without the proof; none of which all four are held.

        A tile that completes a hand worth less than the minimum has verdicts with the reason `below_minimum`.
        """
        if len(hand.concealed) != 13 - 3 * len(hand.melds) or any(tile.is_flower for tile in hand.concealed):
            return ()
        facts = hand_of(hand, situation, self.options)
        found = []
        for kind in all_waits(facts.standing, 4 - len(hand.melds)):
            tile = TILES[kind]
            if facts.may_hold(tile):
                forms = facts.forms(tile)
                discard, self_draw = (self._worth(facts, tile, forms, drawn, hand) for drawn in (False, True))
                found.append(Wait(tile, discard, self_draw))
        return tuple(found)

    def _worth(self, facts: Hand, tile: Tile, forms: list[Form], self_drawn: bool, hand: Win) -> Verdict:
        count = best(facts, tile, forms, self_drawn, hand.how, self.options)
        if count is None or count.fans.total < self.options.minimum_points:
            return Verdict(False, "below_minimum", {}, 0)
        fans = names(count.fans, len(hand.flowers), self.options)
        return Verdict(True, None, fans, sum(fans.values()))

    # --- match (section 6)

    def first_hand(self) -> MatchState:
        return rounds.first_hand(self.options)

    def next_hand(self, match: MatchState, result: HandResult, minutes: float) -> MatchState:
        """T58, T59."""
        return rounds.next_hand(match, result, minutes, self.options)

    def seats_after(self, before: MatchState, after: MatchState) -> tuple[int, int, int, int]:
        """Players change seats between rounds (`seat_rotation_plan`)."""
        if after.circle == before.circle:
            return (0, 1, 2, 3)
        return rounds.moved((0, 1, 2, 3), before.circle, after.circle, self.options)

    def pause_due(self, match: MatchState, minutes: float) -> int:
        """The pause in the middle of the session (T59)."""
        return self.options.break_minutes if rounds.break_due(match, minutes, self.options) else 0

    def standard_points(self, totals: Points) -> tuple[Fraction, ...] | None:
        """T61, where the group is the table."""
        return rounds.standard_points(totals, self.options) if self.options.group_size == 4 else None

    # --- event

    def placings(self, totals: Sequence[int]) -> tuple[Placing, ...]:
        """T61, in groups of `group_size`."""
        standard = rounds.standard_points(totals, self.options)
        ranks = (1 + sum(other > mine for other in totals) for mine in totals)
        return tuple(Placing(rank, points) for rank, points in zip(ranks, standard, strict=True))

    def event_ranks(self, results: Mapping[str, Sequence[RoundResult]]) -> dict[str, int]:
        """T62."""
        return rounds.final_ranks({name: _sessions(own) for name, own in results.items()})

    def team_ranks(self, teams: Mapping[str, Mapping[str, Sequence[RoundResult]]]) -> dict[str, int]:
        """T62.

        Raises:
            RulesError: a team with more than four players and a substitute.
        """
        return rounds.team_ranks(
            {team: {name: _sessions(own) for name, own in players.items()} for team, players in teams.items()}
        )


def _sessions(results: Sequence[RoundResult]) -> list[rounds.SessionResult]:
    return [rounds.SessionResult(result.points, result.standard) for result in results]


def _play(options: McrOptions) -> Play:
    return Play(
        flowers=frozenset(FLOWER_TILES),
        opening_flowers="complete",
        flowers_compulsory=False,
        chow_waits=True,
        claim_seconds=options.claim_seconds,
        initial_flower_seconds=options.initial_flower_seconds,
        first_discard_seconds=options.first_discard_seconds,
        discard_seconds=options.discard_seconds,
        dead_hand_claims=options.barred_may_claim,
        flowers_after_claim=False,
        points_announced=options.score_mode == "announced",
        concealed_kong_hidden=True,
        match_minutes=options.minutes_of_play,
        warn_minutes_left=options.warn_minutes_left or None,
        time_up="stop_now" if options.at_time == "stop" else "finish_hand",
    )
