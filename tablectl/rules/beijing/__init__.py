"""北京麻将, tournament form with 25000 points. Paragraphs: docs/rules/beijing.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from tablectl.rules.api import (
    FanEntry,
    HandResult,
    HandView,
    Incident,
    MatchState,
    Payment,
    Penalties,
    Play,
    Points,
    Proposal,
    RulesError,
    RuleSet,
    Settlement,
    Situation,
    Wait,
    Win,
)
from tablectl.rules.beijing import exposed, rounds, watch
from tablectl.rules.beijing.fans import FANS
from tablectl.rules.beijing.options import Options as BeijingOptions
from tablectl.rules.beijing.scoring import waits_of
from tablectl.rules.beijing.settlement import INCIDENT_KINDS, judge, paid_for, settle
from tablectl.tiles.deal import counted_seat, jump_deal, lay_out
from tablectl.tiles.sets import TILE_SETS
from tablectl.tiles.tile import Tile
from tablectl.tiles.wall import Deck, round_the_city

_STACKS = (17, 17, 17, 17)


class Beijing(RuleSet):
    """北京麻将 under its options."""

    id: ClassVar[str] = "beijing"
    name_zh: ClassVar[str] = "北京麻将"
    name_en: ClassVar[str] = "Beijing mahjong (25000 points)"
    Options = BeijingOptions
    incident_kinds: ClassVar[frozenset[str]] = INCIDENT_KINDS
    #: T53: into the pot (T4, T16), or an exposed tile of that seat (T17)
    rulings: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("dice_wrong_seat", "wrong_call"), "penalty"),
        **dict.fromkeys(("tile_exposed", "claim_not_carried_out", "false_meld"), "expose"),
        "draw_out_of_turn": "warning",
    }

    options: BeijingOptions

    def __init__(self, options: BeijingOptions) -> None:
        super().__init__(options)
        self.tile_set = TILE_SETS["136"]
        self.stacks = _STACKS
        self.play = _play(options)

    def fan_table(self) -> tuple[FanEntry, ...]:
        """The rule card: the fans of T29 that count under these options."""
        values, orphans = self.options.fan_values, self.options.thirteen_orphans
        played = [fan for fan in FANS if values[fan.name] and (fan.name != "十三幺" or orphans)]
        return tuple(FanEntry(fan.name, values[fan.name], fan.en, "T29", definition_zh=fan.zh) for fan in played)

    # --- equipment and deal (section 1)

    def thrower(self, dealer: int, throws: Sequence[int]) -> int | None:
        """One throw, by the dealer (T4)."""
        return None if throws else dealer

    def deck(self, dealer: int, throws: Sequence[int]) -> Deck:
        """The sum fixes the wall and how many of its stacks are counted; the next one is the first drawn (T4–T9)."""
        (total,) = throws
        clockwise = self.options.wall_direction == "clockwise"
        places = round_the_city(_STACKS, counted_seat(dealer, total), total + 1, clockwise=clockwise)
        return lay_out(places, jump_deal(dealer))

    def undrawn(self, hand: HandView) -> int:
        """The dead wall; a replacement moves its border, for it takes a tile from it (T10)."""
        return self.options.dead_wall_tiles

    # --- play (section 2)

    def observe(self, hand: HandView) -> tuple[Incident, ...]:
        """烧庄, and who is ready at the end of the wall, where these are played (T42, T46)."""
        return tuple(watch.observe(hand, self.options))

    def barred(self, incidents: Sequence[Incident], seat: int) -> frozenset[Tile]:
        """What the exposed tiles of ``seat`` bar (T18)."""
        return exposed.barred(incidents, seat)

    def broken_off(self, points: Points) -> bool:
        """A seat below 0 after a penalty (T50)."""
        return rounds.is_bust(points, self.options)

    # --- winning, scoring, settlement (sections 3–5)

    def settle(self, situation: Situation) -> Settlement:
        """Section 5. ``win_payments`` has one entry for each legal win; the first one's holds the pot and 烧庄."""
        return settle(situation, self.options)

    def pay(self, situation: Situation, incident: Incident) -> Payment:
        """Penalties into the pot, and kongs where they pay (T40, T42); facts pay nothing."""
        return Payment(paid_for(incident, self.options))

    def carry_after(
        self,
        situation: Situation,
        won: Sequence[tuple[int, Mapping[str, int]]],
        deltas: Points,
        carry: Mapping[str, int],
    ) -> Mapping[str, int]:
        """The pot holds what the seats paid and nobody took (T40)."""
        pot = situation.carry.get("pot", 0) - sum(deltas)
        return {"pot": pot} if pot else {}

    @property
    def penalties(self) -> Penalties:
        """Into the pot (T40)."""
        one = self.options.penalty_points or self.options.round_to
        return Penalties((one, 2 * one, 4 * one), pot=True)

    def proposal(self, code: str, count: int) -> Proposal | None:
        """A penalty is `penalty_points` (T40)."""
        found = super().proposal(code, count)
        return replace(found, points=self.options.penalty_points) if found and found.do == "penalty" else found

    def penalty(self, situation: Situation, points: Points, seat: int, amount: int, to: str | int | None) -> Payment:
        """A penalty for no other seat goes into the pot, as the incident ``pot_penalty`` (T40).

        Raises:
            RulesError: no multiple of `round_to`, the smallest stick.
        """
        stick = self.options.round_to
        if amount % stick:
            raise RulesError(
                f"penalty {amount}: expected a multiple of {stick}, e.g. {self.options.penalty_points} (T40)"
            )
        if to == "each" or isinstance(to, int):
            return super().penalty(situation, points, seat, amount, to)
        into_pot = Incident("pot_penalty", seat, None, {"points": amount})
        return replace(self.pay(situation, into_pot), incident=into_pot)

    def waits(self, situation: Situation, hand: Win) -> tuple[Wait, ...]:
        """Every tile that completes the hand with what it brings, without the proof; none of which all four are held.

        On a kind barred by an exposed tile the discard is refused (T19).
        """
        if len(hand.concealed) != 13 - 3 * len(hand.melds) or any(tile.is_flower for tile in hand.concealed):
            return ()
        discarder = situation.dealer if hand.seat != situation.dealer else (hand.seat + 3) % 4
        found = []
        for tile in waits_of(hand.concealed, hand.melds, self.options):
            wins = (replace(hand, tile=tile, source=source) for source in (discarder, None))
            discard, self_draw = (judge(win, situation, self.options).worth for win in wins)
            found.append(Wait(tile, discard, self_draw))
        return tuple(found)

    # --- match (section 6)

    def first_hand(self) -> MatchState:
        return rounds.first_hand(self.options)

    def next_hand(self, match: MatchState, result: HandResult, minutes: float) -> MatchState:
        """T40, T48–T50; ``over`` is ``bust``, ``goal``, ``rounds`` or ``referee``."""
        return rounds.next_hand(match, result, self.options)

    def note(self, match: MatchState) -> str | None:
        """The last hand of the rounds planned, and that another round is played (T52)."""
        return rounds.note(match, self.options)

    def closed(self, match: MatchState) -> MatchState:
        """T40."""
        return rounds.closed(match, self.options)

    def game_points(self, match: MatchState) -> Points:
        """T40, T51."""
        return rounds.game_points(match, self.options)

    def ranks(self, totals: Points) -> tuple[int, int, int, int]:
        """T51."""
        return rounds.ranks(totals, self.options)


def _play(options: BeijingOptions) -> Play:
    return Play(
        multiple_winners=options.multiple_winners == "all",
        claim_seconds=options.claim_seconds or None,
        first_discard_seconds=options.turn_seconds or None,
        discard_seconds=options.turn_seconds or None,
        referee_confirms=False,  # the other three agree, else the referee decides (T25)
        false_win_kills=options.after_false_win == "continue",
        false_call_taken_back=True,
        after_false_win="draw" if options.after_false_win == "pass_deal" else options.after_false_win,
        lay_down_last_tile=options.lay_down_kong_tile,
    )
