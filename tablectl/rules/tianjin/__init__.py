"""天津麻将: Tianjin mahjong with two kinds of wilds, sitting and pulling. Paragraphs: docs/rules/tianjin.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from tablectl.rules.api import (
    NO_POINTS,
    FanEntry,
    HandResult,
    HandView,
    Incident,
    MatchState,
    Payment,
    Play,
    RuleSet,
    Settlement,
    Situation,
    Wait,
    Win,
)
from tablectl.rules.common.rounds import advance, ended
from tablectl.rules.reading import Rest, counts_of
from tablectl.rules.tianjin import settlement, watch
from tablectl.rules.tianjin.hand import wild_kinds
from tablectl.rules.tianjin.options import Options as TianjinOptions
from tablectl.rules.tianjin.patterns import card, spoken
from tablectl.rules.waits import waits
from tablectl.tiles.deal import jump_deal, lay_out, upper_from_tail
from tablectl.tiles.meld import Meld, MeldKind
from tablectl.tiles.sets import TILE_SETS
from tablectl.tiles.tile import Tile
from tablectl.tiles.wall import Deck, round_the_city

_STACKS = (17, 17, 17, 17)


class Tianjin(RuleSet):
    """天津麻将 under its options."""

    id: ClassVar[str] = "tianjin"
    name_zh: ClassVar[str] = "天津麻将"
    name_en: ClassVar[str] = "Tianjin mahjong (wildcards)"
    Options = TianjinOptions
    #: those of T510, and ``added_kong``: an exposed kong without a discarder
    incident_kinds: ClassVar[frozenset[str]] = settlement.KONGS | {"chan", "wild_discard", "dead_hand"}

    options: TianjinOptions

    def __init__(self, options: TianjinOptions) -> None:
        super().__init__(options)
        self.tile_set = TILE_SETS["136"]
        self.stacks = _STACKS
        self.play = _play(options)

    def fan_table(self) -> tuple[FanEntry, ...]:
        """The rule card: the patterns of T401 that are played."""
        return tuple(card(self.options))

    def win_name(self, fans: Mapping[str, int]) -> str:
        """T604: 杠开素捉五龙, 双混捉五本混龙, 混吊本混龙."""
        return spoken(fans)

    # --- equipment and deal (section 1)

    def thrower(self, dealer: int, throws: Sequence[int]) -> int | None:
        """The dealer before the deal, his opposite after it, for the indicator (T103)."""
        return (dealer, (dealer + 2) % 4, None)[len(throws)]

    def deck(self, dealer: int, throws: Sequence[int]) -> Deck:
        """The wall breaks behind the T-th stack of the dealer's own wall; the second throw counts out the stack of the
        indicator from the tail (T104–T108)."""
        places = round_the_city(_STACKS, dealer, throws[0] + 1)
        indicator = upper_from_tail(len(places), throws[1]) if len(throws) > 1 else None
        return lay_out(places, jump_deal(dealer), indicator=indicator)

    def wild(self, indicator: Tile | None) -> frozenset[Tile]:
        """The indicator's kind and the kind after it (T112)."""
        return wild_kinds(indicator)

    def undrawn(self, hand: HandView) -> int:
        """T111."""
        return self.options.undrawn_tiles

    # --- play (section 2)

    def observe(self, hand: HandView) -> tuple[Incident, ...]:
        """Small xianggong, chan, a wrong number of tiles (T211, T213, T701)."""
        return tuple(watch.observe(hand, self.options))

    def kong(self, hand: HandView, seat: int, meld: Meld) -> Incident:
        """A concealed kong of wilds is a gold kong (T209)."""
        if meld.kind is MeldKind.CONCEALED_KONG and meld.tile in wild_kinds(hand.indicator):
            return Incident("gold_kong", seat)
        return super().kong(hand, seat, meld)

    def refuse_claim(self, hand: HandView, seat: int, meld: Meld) -> str | None:
        """T210, T701."""
        return watch.refuse_claim(hand, seat, meld)

    # --- winning, scoring, settlement (sections 3–5)

    def settle(self, situation: Situation) -> Settlement:
        """Section 5.

        Raises:
            RulesError: two self-drawn wins, chan of another seat than the dealer or twice, pulls that are not allowed.
        """
        return settlement.settle(situation, self.options)

    def pay(self, situation: Situation, incident: Incident) -> Payment:
        """Kongs and chan (T505, T506); facts pay nothing."""
        return Payment(settlement.paid_for(incident, situation, self.options), NO_POINTS)

    def waits(self, situation: Situation, hand: Win) -> tuple[Wait, ...]:
        """Every tile that completes the hand, with what it brings self-drawn; nothing can be won on a discard (T301).

        The verdicts look at the tiles alone, not at what happened in the hand. A tile of which the seat cannot get
        another one is left out; one that makes only a 提溜 is there, with the reason `below_minimum`.
        """
        kinds = wild_kinds(situation.indicator)
        standing = [tile for tile in hand.concealed if tile not in kinds]
        if any(tile.is_flower for tile in standing):
            return ()
        counts, wilds, sets = counts_of(standing), len(hand.concealed) - len(standing), 4 - len(hand.melds)
        found = set(waits(counts, sets, wilds))
        if Rest.of(counts, sets, wilds + 1).is_complete():
            found |= kinds
        alone = replace(situation, incidents=())
        told = []
        for tile in sorted(found):
            judged = settlement.judge(replace(hand, tile=tile, source=None), alone, self.options)
            if judged.reason in (None, "below_minimum"):
                told.append(Wait(tile, None, judged.worth))
        return tuple(told)

    # --- match (section 6)

    def first_hand(self) -> MatchState:
        """Seat 0 deals first; points begin at 0 and may be negative (T201, T508)."""
        return MatchState(points=NO_POINTS)

    def next_hand(self, match: MatchState, result: HandResult, minutes: float) -> MatchState:
        """T601, T603."""
        keeps = match.dealer in result.winners or (self.options.draw_keeps_deal and not result.winners)
        following = advance(match, result, keeps=keeps)
        return ended(match, following, self._over(following, minutes))

    def _over(self, following: MatchState, minutes: float) -> str | None:
        options = self.options
        limits = (
            ("circles", following.circle - 1, options.match_rounds),
            ("hands", following.hand - 1, options.match_hands),
            ("time", minutes, options.match_minutes),
        )
        return next((why for why, reached, limit in limits if limit is not None and reached >= limit), None)


def _play(options: TianjinOptions) -> Play:
    has_stakes = options.sit_factor > 1 or (options.pull_factor > 1 and options.pull_max > 0)
    return Play(
        indicator="after_deal",
        indicator_lies="wall",
        chow_allowed=False,
        win_on_discard=False,
        rob_added_kong=False,
        claim_seconds=options.claim_seconds,
        first_discard_seconds=options.first_discard_seconds,
        discard_seconds=options.discard_seconds,
        referee_confirms=False,
        extra_keys=frozenset({"sit", "pull"} if has_stakes else ()),
        throws_before_deal=1,
        last_discard_claims="none",
        dead_hand_claims=True,
        false_win_kills=options.false_win_dead_hand,
        false_call_taken_back=True,
        harmless_refusals=frozenset(),
        wild_discard_forbidden=options.wild_discard == "forbidden",
        match_minutes=options.match_minutes,
        warn_minutes_left=options.warn_minutes_left,
        stakes_seconds=options.stakes_seconds,
        pull_max=options.pull_max,
        first_dealer="random" if options.first_dealer == "random" else "set",
    )
