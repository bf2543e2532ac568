"""The rule system that 福州麻将 and 福建麻将 have in common; what they count differs."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Final

from tablectl.rules.api import (
    NO_POINTS,
    HandResult,
    HandView,
    How,
    Incident,
    MatchState,
    Payment,
    Play,
    Points,
    RuleSet,
    Settlement,
    Situation,
    Verdict,
    Wait,
    Win,
)
from tablectl.rules.common.payments import Transfer, moved, others, points, total
from tablectl.rules.common.rounds import advance, ended
from tablectl.rules.gold import watch
from tablectl.rules.gold.checks import FORM_CHECKS, HAND_TILES, PLAY_CHECKS, Check, Declared, is_meld
from tablectl.rules.gold.hand import SETS, Judged
from tablectl.rules.gold.options import GoldOptions
from tablectl.rules.gold.reserve import raised_by, reserve
from tablectl.rules.reading import counts_of
from tablectl.rules.waits import waits
from tablectl.tiles.deal import block_deal, counted_seat, lay_out
from tablectl.tiles.meld import Meld
from tablectl.tiles.sets import TILE_SETS
from tablectl.tiles.tile import FLOWERS, HONOURS, PLAYABLE, Tile
from tablectl.tiles.wall import Deck, round_the_city

_STACKS: Final = (18, 18, 18, 18)


class GoldRules(RuleSet):
    """A rule system with golds under its options."""

    #: besides kongs, which pay nothing: a gold discarded, four same flowers laid, dead hands, a seat that left
    incident_kinds: ClassVar[frozenset[str]] = frozenset(
        {"exposed_kong", "added_kong", "concealed_kong"}
        | {"wild_discard", "flower_set", "wrong_count", "dead_hand", "escape"}
    )
    #: T702
    rulings: ClassVar[Mapping[str, str]] = {"tile_exposed": "warning"}
    #: circumstances of a win without any effect here
    idle: ClassVar[frozenset[How]] = frozenset({How.LAST_OF_KIND, How.READY})
    #: reasons of refusal in the order of testing, before the hand is read
    checks: ClassVar[tuple[tuple[str, Check], ...]] = (*FORM_CHECKS, *PLAY_CHECKS)

    options: GoldOptions

    def __init__(self, options: GoldOptions) -> None:
        super().__init__(options)
        self.tile_set = TILE_SETS["144"]
        self.stacks = _STACKS
        self.flowers = frozenset(FLOWERS) | (frozenset(HONOURS) if self.honours_are_flowers else frozenset())
        self.play = self._play()

    # --- what each system says

    @property
    @abstractmethod
    def honours_are_flowers(self) -> bool:
        """Whether the 28 honours are flower tiles too."""

    @property
    @abstractmethod
    def false_win_points(self) -> int:
        """What a refused win pays to each other seat."""

    @property
    @abstractmethod
    def escape_points(self) -> int:
        """What a seat that leaves during the hand pays to the house."""

    @abstractmethod
    def count(self, win: Win, situation: Situation) -> Any | None:
        """What a win counts; None where its tiles are no hand."""

    @abstractmethod
    def amended(self, counted: Any, fans: Mapping[str, int]) -> Any:
        """The same count with the fans that a referee put in place of those counted."""

    @abstractmethod
    def bill(self, win: Win, judged: Judged[Any], situation: Situation) -> Iterable[Transfer]:
        """Who pays a legal win how much, before the cap."""

    @abstractmethod
    def precedence(self, win: Win, judged: Judged[Any], situation: Situation) -> tuple[int, ...]:
        """Sorts wins that could be won at once: the lowest wins alone."""

    # --- equipment and deal (section 1)

    def thrower(self, dealer: int, throws: Sequence[int]) -> int | None:
        """One throw, by the dealer (fuzhou T103, fujian T104)."""
        return None if throws else dealer

    def deck(self, dealer: int, throws: Sequence[int]) -> Deck:
        """The sum fixes the wall and its stack; blocks of four, then the dealer's single tile (T104–T106)."""
        (total_,) = throws
        side = counted_seat(dealer, total_)
        first = side if self.options.first_taker == "dice_seat" else dealer
        return lay_out(round_the_city(_STACKS, side, total_), block_deal(dealer, first))

    def wild(self, indicator: Tile | None) -> frozenset[Tile]:
        """The gold kind (T109, T110); none where what was turned up is a flower."""
        return frozenset() if indicator is None or indicator in self.flowers else frozenset({indicator})

    def undrawn(self, hand: HandView) -> int:
        """The reserve R (T111)."""
        return reserve(hand, self.options)

    # --- play (section 2)

    def observe(self, hand: HandView) -> tuple[Incident, ...]:
        """A gold discarded, a wrong number of tiles, four same flowers laid."""
        return tuple(watch.observe(hand, self.options))

    def refuse_claim(self, hand: HandView, seat: int, meld: Meld) -> str | None:
        """A gold or a flower in a meld, a kong that leaves nothing to replace it (fuzhou T114, T208; fujian T113,
        T207)."""
        if hand.indicator in meld.tiles:
            return "gold_in_meld"
        if not is_meld(meld, self.flowers):
            return "bad_meld"
        left = hand.wall_left - reserve(hand, self.options) - raised_by(meld, self.options)
        return f"kong_refused: no replacement left: D = {left}" if meld.is_kong and left < 1 else None

    # --- winning, scoring, settlement (sections 3–5)

    def judge(self, win: Win, situation: Situation) -> Judged[Any]:
        """One declared win by itself: the first reason that refuses it, or what it counts (fuzhou T318,
        fujian T310)."""
        win = replace(win, how=win.how - self.idle)
        declared = Declared(win, situation, self.options, self.flowers)
        reason = next((name for name, holds in self.checks if holds(declared)), None)
        if reason is not None:
            return Judged(reason)
        counted, fans = self.count(win, situation), situation.amended.get(win.seat)
        if counted is None:
            return Judged("not_complete")
        if self.options.any_wait_self_draw_only and win.source is not None and counted.hand.waited_on_everything:
            return Judged("any_wait_discard", counted)
        return Judged(None, counted if fans is None else self.amended(counted, fans))

    def settle(self, situation: Situation) -> Settlement:
        """Section 5. Of several legal wins the first by `precedence` wins alone, the others are `outranked`;
        ``win_payments`` holds its payment. A charge for leaving is booked beside the table: the house has it."""
        off_board = total(*(self.pay(situation, incident).off_board for incident in situation.incidents))
        if not situation.wins:
            return Settlement((Verdict(True, None, {}, 0),), NO_POINTS, off_board, situation.carry)
        wins = situation.wins
        judged = [self.judge(win, situation) for win in wins]
        legal = [number for number in range(len(wins)) if judged[number].reason is None]
        false = [wins[number].seat for number in range(len(wins)) if number not in legal]
        refused = moved(
            [Transfer(seat, other, self.false_win_points) for seat in false for other in others(seat)], self._may_lose()
        )
        if not legal:
            return Settlement(tuple(each.verdict() for each in judged), refused, off_board, situation.carry)
        first = min(legal, key=lambda number: self.precedence(wins[number], judged[number], situation))
        paid = moved(self.bill(wins[first], judged[first], situation), self._may_lose(refused))
        verdicts = tuple(each.verdict("outranked" if number != first else None) for number, each in enumerate(judged))
        carry = self.carried(wins[first], judged[first], situation)
        return Settlement(verdicts, total(refused, paid), off_board, carry, (paid,))

    def carried(self, win: Win, judged: Judged[Any], situation: Situation) -> dict[str, int]:
        """What stays open after this win."""
        return dict(situation.carry)

    def _may_lose(self, lost: Points = NO_POINTS) -> Points | None:
        """What each seat can still lose in this hand under the cap (fuzhou T505, fujian T504); None without one."""
        cap = self.options.loss_cap
        return None if cap is None else total((cap, cap, cap, cap), lost)

    def pay(self, situation: Situation, incident: Incident) -> Payment:
        """Nothing but the charge for leaving, to the house pool (fuzhou T503, T507; fujian T503, T505)."""
        if incident.kind != "escape":
            return Payment(NO_POINTS)
        charge = [0, 0, 0, 0]
        charge[incident.seat] = -self.escape_points
        return Payment(NO_POINTS, points(charge))

    def waits(self, situation: Situation, hand: Win) -> tuple[Wait, ...]:
        """Every tile that completes the hand and that may still come, without the proof; none before the gold is known.

        ``discard`` is None for the gold kind, which nobody can claim; a verdict that is refused says why.
        """
        gold = situation.indicator
        if gold is None or gold in self.flowers or len(hand.concealed) != HAND_TILES - 3 * len(hand.melds):
            return ()
        held = counts_of(tile for tile in (*hand.concealed, *_melded(hand)) if tile in PLAYABLE)
        found = []
        for tile in self._candidates(hand, gold):
            if held[tile] >= (3 if tile is gold else 4):
                continue
            discard, self_draw = (
                self.judge(replace(hand, tile=tile, source=source, how=frozenset()), situation).worth()
                for source in ((hand.seat + 3) % 4, None)
            )
            if self_draw.legal or discard.legal:
                found.append(Wait(tile, None if tile is gold else discard, self_draw))
        return tuple(found)

    def _candidates(self, hand: Win, gold: Tile) -> tuple[Tile, ...]:
        """The kinds that complete the hand in form; with two golds also a third."""
        counts = counts_of(tile for tile in hand.concealed if tile in PLAYABLE)
        golds, counts[gold] = counts[gold], 0
        kinds = set(waits(counts, SETS - len(hand.melds), golds))
        if kinds or golds >= 2:
            kinds.add(gold)
        if golds >= 3:
            kinds.update(PLAYABLE)
        return tuple(tile for tile in sorted(kinds) if tile not in self.flowers)

    # --- match (section 6)

    def first_hand(self) -> MatchState:
        """T601: nobody holds points before the first hand, and they may become negative."""
        return MatchState(points=NO_POINTS, dealer=self.options.first_dealer)

    def next_hand(self, match: MatchState, result: HandResult, minutes: float) -> MatchState:
        """T601, T602: the dealer keeps the deal who wins; a match ends by rounds or by time."""
        options = self.options
        keeps = match.dealer in result.winners or (options.draw_keeps_deal and not result.winners)
        following = advance(match, result, keeps=keeps, first=options.first_dealer)
        over = None
        if following.circle > options.match_rounds:
            over = "circles"
        elif options.match_minutes is not None and minutes >= options.match_minutes:
            over = "time"
        return ended(match, following, over)

    def _play(self) -> Play:
        options = self.options
        return Play(
            hand_tiles=HAND_TILES,
            flowers=self.flowers,
            opening_flowers="rounds",
            indicator="after_flowers",
            indicator_flower=options.flip_flower_to,
            rob_added_kong=options.rob_added_kong,
            next_seat_may_kong=options.next_seat_may_kong,
            claim_seconds=options.claim_seconds,
            first_discard_seconds=options.first_discard_seconds,
            discard_seconds=options.discard_seconds,
            last_round_tiles=options.last_round_tiles,
            harmless_refusals=frozenset({"outranked"}),
            wild_discard_forbidden=options.gold_discard == "forbidden",
            match_minutes=options.match_minutes,
            warn_minutes_left=options.warn_minutes_left,
        )


def _melded(hand: Win) -> list[Tile]:
    return [tile for meld in hand.melds for tile in meld.tiles]
