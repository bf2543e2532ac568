"""镇江麻将: Zhenjiang mahjong with one wildcard kind, paid in tickets. Paragraphs: docs/rules/zhenjiang.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
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
    RuleSet,
    Settlement,
    Situation,
    Verdict,
    Wait,
    Win,
)
from tablectl.rules.common.payments import SEATS, Transfer, points
from tablectl.rules.reading import Rest, counts_of
from tablectl.rules.waits import waits
from tablectl.rules.zhenjiang import settlement, tickets, tournament, watch
from tablectl.rules.zhenjiang.accounts import Ledger
from tablectl.rules.zhenjiang.hand import wildcard_kind
from tablectl.rules.zhenjiang.options import Options as ZhenjiangOptions
from tablectl.rules.zhenjiang.scoring import CLAIMED, KONGS, THROWN, card
from tablectl.tiles.deal import counted_seat, jump_deal, lay_out
from tablectl.tiles.meld import Meld
from tablectl.tiles.sets import TILE_SETS
from tablectl.tiles.tile import Tile
from tablectl.tiles.wall import Deck, round_the_city

_STACKS = (17, 17, 17, 17)
#: the tile after the deal: the lower one of the 27th stack drawn (Z107)
_INDICATOR = 54
_FACTS = frozenset({"first_wildcard_kept", "wildcard_not_shown", "second_wildcard_hidden", "wrong_count"})


class Zhenjiang(RuleSet):
    """镇江麻将 under its options."""

    id: ClassVar[str] = "zhenjiang"
    name_zh: ClassVar[str] = "镇江麻将"
    name_en: ClassVar[str] = "Zhenjiang mahjong (wildcard)"
    Options = ZhenjiangOptions
    #: those of Z313; a seat that a ruling made 相公 (Z511); the record of a thrown 百搭 taken back (Z213)
    incident_kinds: ClassVar[frozenset[str]] = KONGS | THROWN.keys() | _FACTS | {"false_win", "dead_hand", CLAIMED}

    #: Z705
    rulings: ClassVar[Mapping[str, str]] = dict.fromkeys(("draw_out_of_turn", "wrong_wall_end"), "warning")

    options: ZhenjiangOptions

    def __init__(self, options: ZhenjiangOptions) -> None:
        super().__init__(options)
        self.tile_set = TILE_SETS["136"]
        self.stacks = _STACKS
        self.play = _play(options)

    def fan_table(self) -> tuple[FanEntry, ...]:
        """The rule card: base items and add-ons, in units."""
        return tuple(card(self.options))

    def handed_over(self, payments: Sequence[Points]) -> tuple[Handover, ...]:
        """In large and small tickets, with the change between seats (Z605)."""
        return tickets.handed_over(payments, self.options)

    # --- equipment and deal (section 1)

    def first_seat(self, presser: int, total: int) -> int:
        """Z103."""
        return tournament.first_seat(presser, total, self.options)

    def thrower(self, dealer: int, throws: Sequence[int]) -> int | None:
        """One throw, by the dealer (Z104)."""
        return None if throws else dealer

    def deck(self, dealer: int, throws: Sequence[int]) -> Deck:
        """The sum fixes the wall and the stack; the indicator is the tile after the deal (Z104–Z107, Z110)."""
        (thrown,) = throws
        places = round_the_city(_STACKS, counted_seat(dealer, thrown), thrown + self.options.first_stack_offset)
        deck = lay_out(places, jump_deal(dealer), indicator=_INDICATOR)
        return replace(deck, tail=deck.live) if self.options.kong_replacement_from == "head" else deck

    def wild(self, indicator: Tile | None) -> frozenset[Tile]:
        """The kind after the indicator's (Z108)."""
        kind = wildcard_kind(indicator)
        return frozenset() if kind is None else frozenset({kind})

    def undrawn(self, hand: HandView) -> int:
        """Z111."""
        return self.options.reserve_tiles

    # --- play (section 2)

    def observe(self, hand: HandView) -> tuple[Incident, ...]:
        """打搭, 首搭必打, 二搭必亮, a wrong number of tiles (Z211–Z215)."""
        return tuple(watch.observe(hand, self.options))

    def must_discard(self, hand: HandView, seat: int) -> frozenset[Tile]:
        """首搭必打 (Z211)."""
        return watch.must_discard(hand, seat, self.options)

    def must_show(self, hand: HandView, seat: int) -> bool:
        """二搭必亮 (Z214)."""
        return watch.must_show(hand, seat, self.options)

    def refuse_claim(self, hand: HandView, seat: int, meld: Meld) -> str | None:
        """Z209."""
        return watch.refuse_claim(hand, meld, self.options)

    # --- winning, scoring, settlement (sections 3–5)

    def settle(self, situation: Situation) -> Settlement:
        """Section 5. ``carry`` keeps the fines that wait for the end of the match (Z509).

        Raises:
            RulesError: wins on different tiles.
        """
        return settlement.settle(situation, self.options)

    def pay(self, situation: Situation, incident: Incident) -> Payment:
        """Kongs, and fines where they are paid on the spot (Z503, Z509); facts pay nothing."""
        ledger = Ledger(situation.points, self.options)
        for event in situation.incidents:
            ledger.book(ledger.incident(event))
        return Payment(ledger.incident(incident))

    @property
    def penalties(self) -> Penalties:
        """Units to each of the others; 诈胡 costs `false_win_units` (Z508, Z511)."""
        return Penalties(tuple(sorted({1, 2, 3, self.options.false_win_units or 1, 10})), to="each")

    def penalty(self, situation: Situation, points: Points, seat: int, amount: int, to: str | int | None) -> Payment:
        """What a referee's penalty moves: nobody pays more than he holds, to each ticket by ticket (Z510, Z511)."""
        ledger = Ledger(points, self.options)
        if to == "each":
            return Payment(ledger.to_each(seat, [amount] * 3))
        if isinstance(to, int):
            return Payment(ledger.due([Transfer(seat, to, amount)]))
        return super().penalty(situation, points, seat, amount, to)

    def waits(self, situation: Situation, hand: Win) -> tuple[Wait, ...]:
        """Every tile that completes the hand, with what it brings on a discard of the previous seat and self-drawn.

        The verdicts look at the tiles and at the 百搭 thrown, not at 相公. A tile of which the seat cannot get another
        one is left out.
        """
        kind = wildcard_kind(situation.indicator)
        if kind is None or any(tile.is_flower for tile in hand.concealed):
            return ()
        natural = [tile for tile in hand.concealed if tile is not kind]
        counts, wilds, sets = counts_of(natural), len(hand.concealed) - len(natural), 4 - len(hand.melds)
        found = set(waits(counts, sets, wilds))
        if Rest.of(counts, sets, wilds + 1).is_complete():
            found.add(kind)
        thrown = tuple(event for event in situation.incidents if event.kind in (*THROWN, CLAIMED, *KONGS))
        here = replace(situation, incidents=thrown)
        previous = (hand.seat + 3) % 4
        told = []
        for tile in sorted(found):
            discard, self_draw = (self._worth(here, replace(hand, tile=tile, source=who)) for who in (previous, None))
            if self_draw.legal:
                told.append(Wait(tile, discard, self_draw))
        return tuple(told)

    def _worth(self, situation: Situation, win: Win) -> Verdict:
        return settlement.judge(win, situation, self.options).verdict(self.options, proof=False)

    # --- match and tournament (section 6)

    def first_hand(self) -> MatchState:
        """Z601, Z605."""
        return tournament.first_hand(self.options)

    def next_hand(self, match: MatchState, result: HandResult, minutes: float) -> MatchState:
        """Z601–Z603."""
        return tournament.next_hand(match, result, minutes, self.options)

    def closed(self, match: MatchState) -> MatchState:
        """Fines are paid (Z606)."""
        return tournament.closed(match, self.options)

    def game_points(self, match: MatchState) -> Points:
        """The tickets after the fines account, with what a referee booked beside the table (Z606)."""
        held = tournament.final_tickets(match, self.options)
        return points([held[seat] + match.off_board[seat] for seat in SEATS])

    def placings(self, totals: Sequence[int]) -> tuple[Placing, ...]:
        """Z607, Z608."""
        return tournament.placings(totals, self.options)


def _play(options: ZhenjiangOptions) -> Play:
    return Play(
        indicator="after_deal",
        chow_allowed=False,
        claim_seconds=options.claim_seconds,
        first_discard_seconds=options.first_discard_seconds,
        discard_seconds=options.discard_seconds,
        referee_confirms=False,
        extra_keys=frozenset({"show"} if options.second_wildcard_rule == "show_discard" else ()),
        dead_hand_claims=True,
        dead_hand_shown=options.show_dead_hand,
        harmless_refusals=settlement.NO_FINE,
        match_minutes=options.match_minutes,
        warn_minutes_left=options.warn_minutes_left,
        time_up=options.time_up,
        pause_stops_clock=False,
        points_in_play=4 * options.start_points,
        result_confirmed=True,
        replacements_from=options.kong_replacement_from,
        first_dealer="dice" if options.first_dealer is None else "set",
    )
