"""福建麻将: sixteen tiles with swimming gold 游金, counted by fan, simple or full. Paragraphs: docs/rules/fujian.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from tablectl.rules.api import FanEntry, HandResult, How, MatchState, Points, Situation, Win
from tablectl.rules.common.payments import Transfer, others
from tablectl.rules.fujian.fans import FANS, WIN_KINDS, WinKind
from tablectl.rules.fujian.options import Options as FujianOptions
from tablectl.rules.fujian.scoring import Count, amended, count, kept
from tablectl.rules.gold import GoldRules, Judged


class Fujian(GoldRules):
    """福建麻将 under its options."""

    id: ClassVar[str] = "fujian"
    name_zh: ClassVar[str] = "福建麻将"
    name_en: ClassVar[str] = "Fujian mahjong (swimming gold)"
    Options = FujianOptions
    idle: ClassVar[frozenset[How]] = frozenset({How.LAST_OF_KIND, How.READY, How.EARTHLY, How.HUMAN})

    options: FujianOptions

    @property
    def honours_are_flowers(self) -> bool:
        """T102."""
        chosen = self.options.honours_are_flowers
        return self.options.count == "simple" if chosen is None else chosen

    @property
    def false_win_points(self) -> int:
        """T505."""
        return self.options.false_win_fan * self.options.unit

    @property
    def escape_points(self) -> int:
        """T505."""
        return self.options.escape_fan * self.options.unit

    def fan_table(self) -> tuple[FanEntry, ...]:
        """The rule card: the kinds of win, the streak, then the other fans that this count knows."""
        options = self.options
        dealer = f"; {options.dealer_factor} times where the dealer wins"
        zh = f"；庄家 {options.dealer_factor} 倍"
        card = [
            FanEntry(
                kind.name, kind.value(options), kind.definition + dealer, kind.paragraph, 0, kind.definition_zh + zh
            )
            for kind in WIN_KINDS
        ]
        card.append(self._streak_entry())
        for fan in FANS.values():
            if not fan.option(options) or (self.honours_are_flowers and fan.name.startswith("大字")):
                continue
            value, definition, chinese = fan.value(options), fan.definition, fan.definition_zh
            if fan.option(options) == "simple_flowers_per_fan":
                definition, chinese = (
                    f"{definition}: 1 for every {value}, rounded down",
                    f"{chinese}，每 {value} 张 1 番",
                )
                value = 1
            card.append(FanEntry(fan.name, value, definition, "T407", 0, chinese))
        return tuple(card)

    def _streak_entry(self) -> FanEntry:
        options = self.options
        if options.count == "simple":
            words = "each hand the dealer has kept the deal, where he wins", "庄家胡，每连一庄"
            return FanEntry("连庄", options.simple_streak_step, words[0], "T411", 0, words[1])
        pi, zimo, youjin = options.full_step_pi, options.full_step_zimo, options.full_step_youjin
        return FanEntry(
            "连庄",
            pi,
            "where the dealer wins, for each earlier win since he took the deal: "
            f"{pi} plain, {zimo} self-draw, {youjin} swimming gold",
            "T408",
            0,
            f"庄家胡，上庄以来每胡一次：屁胡 {pi}，自摸 {zimo}，游金 {youjin}",
        )

    # --- winning, scoring, settlement

    def count(self, win: Win, situation: Situation) -> Count | None:
        """T303."""
        return count(win, situation, self.options)

    def amended(self, counted: Count, fans: Mapping[str, int]) -> Count:
        """T406, with the kind of win that is among the fans."""
        return amended(counted, fans)

    def bill(self, win: Win, judged: Judged[Count], situation: Situation) -> Iterable[Transfer]:
        """T501, T502: all three pay whatever the kind, or a discard is paid by its discarder alone."""
        assert judged.count is not None
        options = self.options
        alone = win.source is not None and options.discard_payer == "discarder"
        for payer in others(win.seat):
            if alone and payer != win.source:
                continue
            factor = options.discarder_multiple if alone else 1
            factor *= options.dealer_pays_factor if payer == situation.dealer else 1
            yield Transfer(payer, win.seat, factor * judged.count.score)

    def precedence(self, win: Win, judged: Judged[Count], situation: Situation) -> tuple[int, ...]:
        """The first in turn order after the discarder (T204)."""
        return (win.after_discarder,)

    def carried(self, win: Win, judged: Judged[Count], situation: Situation) -> dict[str, int]:
        """How the dealer has kept the deal: kind of win → times (T408); empty where another seat wins."""
        assert judged.count is not None
        return self._kept_by(win.seat, judged.count.kind, situation)

    def carry_after(
        self,
        situation: Situation,
        won: Sequence[tuple[int, Mapping[str, int]]],
        deltas: Points,
        carry: Mapping[str, int],
    ) -> Mapping[str, int]:
        """A corrected win keeps the deal by its own kind (T408)."""
        if not won:
            return situation.carry
        seat, fans = won[0]
        kind = next((kind for kind in WIN_KINDS if kind.name in fans), None)
        return carry if kind is None else self._kept_by(seat, kind, situation)

    def _kept_by(self, seat: int, kind: WinKind, situation: Situation) -> dict[str, int]:
        if seat != situation.dealer:
            return {}
        return dict(Counter([*kept(situation, self.options), kind.key]))

    # --- match

    def next_hand(self, match: MatchState, result: HandResult, minutes: float) -> MatchState:
        """T601: the history of the streak goes with the deal; a deal kept in a drawn hand is told in it."""
        following = super().next_hand(match, result, minutes)
        if following.dealer != match.dealer:
            return replace(following, carry={})
        if result.winners or result.void:
            return following
        return replace(following, carry=dict(Counter(result.carry) + Counter(draw=1)))
