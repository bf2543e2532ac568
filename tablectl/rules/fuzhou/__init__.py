"""福州麻将: sixteen tiles, honours are flowers, one suit kind a hand is gold. Paragraphs: docs/rules/fuzhou.md."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import ClassVar

from tablectl.rules.api import FanEntry, HandView, How, Situation, Win
from tablectl.rules.common.payments import Transfer, others
from tablectl.rules.fuzhou.forms import FORMS
from tablectl.rules.fuzhou.opening import opening_win
from tablectl.rules.fuzhou.options import Options as FuzhouOptions
from tablectl.rules.fuzhou.scoring import Count, amended, count
from tablectl.rules.gold import GoldRules, Judged
from tablectl.rules.gold.checks import FORM_CHECKS, PLAY_CHECKS, Check, Declared

_UNITS = (
    ("底分", None, "T401", "every win that is no special form", "不属特殊牌型的胡牌"),
    (
        "连庄/抓庄",
        "streak_unit",
        "T407",
        "each hand the dealer has kept the deal, whoever wins",
        "庄家每连一庄，不论谁胡",
    ),
    ("花", "flower_unit", "T404", "each flower of the winner outside sets of four", "胡家每张不成套的花"),
    (
        "四同花",
        "flower_set_units",
        "T405",
        "four same flowers: one honour four times, the four plants, or the four seasons",
        "四张相同的字牌，或梅兰竹菊，或春夏秋冬",
    ),
    ("金", "gold_unit", "T406", "each gold in hand, the robbed one too", "胡家手中每张金，抢来的金也算"),
    ("明杠", "exposed_kong_units", "T406", "each exposed kong, from a discard or added", "胡家每副明杠或加杠"),
    ("暗杠", "concealed_kong_units", "T406", "each concealed kong", "胡家每副暗杠"),
)


def _rob_gold_closed(declared: Declared) -> bool:
    win, options = declared.win, declared.options
    assert isinstance(options, FuzhouOptions)
    return How.EARTHLY in win.how and (
        not options.rob_gold or bool(win.melds) or win.source is not None or win.tile != declared.gold
    )


class Fuzhou(GoldRules):
    """福州麻将 under its options."""

    id: ClassVar[str] = "fuzhou"
    name_zh: ClassVar[str] = "福州麻将"
    name_en: ClassVar[str] = "Fuzhou mahjong (gold)"
    Options = FuzhouOptions
    checks: ClassVar[tuple[tuple[str, Check], ...]] = (
        *FORM_CHECKS,
        ("rob_gold_closed", _rob_gold_closed),
        *PLAY_CHECKS,
    )

    options: FuzhouOptions

    def __init__(self, options: FuzhouOptions) -> None:
        super().__init__(options)
        self.play = replace(self.play, earthly="indicator")

    @property
    def honours_are_flowers(self) -> bool:
        """T101."""
        return True

    @property
    def false_win_points(self) -> int:
        """T508."""
        return self.options.false_win_units * self.options.base

    @property
    def escape_points(self) -> int:
        """T507."""
        return self.options.escape_units * self.options.base

    def fan_table(self) -> tuple[FanEntry, ...]:
        """The rule card: special forms, then what is counted besides, in units of the base."""
        forms = [
            FanEntry(form.name, form.units(self.options), form.definition, form.paragraph, 0, form.definition_zh)
            for form in FORMS
        ]
        units = [
            FanEntry(name, 1 if option is None else getattr(self.options, option), english, paragraph, 0, chinese)
            for name, option, paragraph, english, chinese in _UNITS
        ]
        return (units[0], *forms, *units[1:])

    # --- play

    def opening_win(self, hand: HandView, seat: int, *, dealer_robs: bool = False) -> Win | None:
        """Robbing the gold, and three golds before the first draw (T307, T308, T312)."""
        return opening_win(hand, seat, self.judge, dealer_robs=dealer_robs)

    # --- winning, scoring, settlement

    def count(self, win: Win, situation: Situation) -> Count | None:
        """T304."""
        return count(win, situation, self.options)

    def amended(self, counted: Count, fans: Mapping[str, int]) -> Count:
        """T408–T412, with the special form that is among the fans."""
        return amended(counted, fans)

    def bill(self, win: Win, judged: Judged[Count], situation: Situation) -> Iterable[Transfer]:
        """T501, T502: each pays the score; the discarder or robbed seat alone pays a multiple of it."""
        assert judged.count is not None
        factor = 1 if win.source is None else self.options.discard_factor
        for payer in others(win.seat) if win.source is None else (win.source,):
            yield Transfer(payer, win.seat, factor * self._share(judged.count, win, payer, situation.dealer))

    def _share(self, counted: Count, win: Win, payer: int, dealer: int) -> int:
        """The score as this payer pays it: with `dealer_only` only the dealer pays another seat's 抓庄 (T407)."""
        spared = self.options.streak_payer == "dealer_only" and dealer not in (payer, win.seat)
        return counted.score_with(0) if spared else counted.score

    def precedence(self, win: Win, judged: Judged[Count], situation: Situation) -> tuple[int, ...]:
        """In the opening heavenly, three golds, robbing by others, robbing by the dealer (T310), then a win on the
        first discard (T204); on a discard the golden pair, then the nearest after the discarder (T311)."""
        assert judged.count is not None
        hand = judged.count.hand
        from_dealer = (win.seat - situation.dealer) % 4
        if How.HEAVENLY in win.how and hand.is_complete:
            return (0,)
        if hand.has_three_golds:
            return (1, from_dealer)
        if How.EARTHLY in win.how:
            return (2, (from_dealer - 1) % 4)
        return (3, not judged.count.golden, win.after_discarder)
