"""Options of 福建麻将 (fujian.md section 8)."""

from __future__ import annotations

from typing import Literal

from tablectl.rules.gold.options import GoldDiscard, GoldOptions
from tablectl.rules.options import option

#: How a kept deal was won, as `streak_history` names it; ``draw``: kept in a drawn hand.
Kept = Literal["pi", "zimo", "youjin", "draw"]


class Options(GoldOptions):
    """Everything of 福建麻将 that a house may set."""

    rob_added_kong: bool = option(True, "a tile added to a pung may be won", "T206")
    gold_discard: GoldDiscard = option(
        "dead", "a discarded gold lies dead; binds its discarder to self-draw besides; or is an offence", "T207"
    )
    first_discard_seconds: int | None = option(
        None, "limit of the dealer's first discard; null = none", "T209", ge=1, le=600
    )
    discard_seconds: int | None = option(None, "limit of every later discard; null = none", "T209", ge=1, le=600)
    claim_seconds: int | None = option(
        None, "claims are open so long after the discard; null = until the next draw", "T205", ge=1, le=60
    )
    count: Literal["simple", "full"] = option("simple", "which count is played", "T401")
    honours_are_flowers: bool | None = option(
        None, "honours are flower tiles; null = in simple yes, in full no", "T102"
    )
    any_wait_self_draw_only: bool = option(True, "a hand waiting on every tile wins by self-draw only", "T307")
    three_gold_win: bool = option(False, "three golds in hand win by self-draw without shape, as 自摸", "T308")
    unit: int = option(1, "points a fan", "T406", ge=1, le=10_000)
    simple_pi: int = option(1, "屁胡 in simple", "T401", ge=0, le=1000)
    simple_zimo: int = option(2, "自摸 in simple", "T401", ge=0, le=1000)
    simple_youjin: int = option(3, "游金 in simple", "T401", ge=0, le=1000)
    full_pi: int = option(5, "屁胡 in full", "T402", ge=0, le=1000)
    full_zimo: int = option(10, "自摸 in full", "T402", ge=0, le=1000)
    full_youjin: int = option(15, "游金 in full", "T402", ge=0, le=1000)
    dealer_factor: int = option(2, "times the value of the win where the dealer wins", "T401", ge=1, le=100)
    simple_weights: bool = option(False, "simple weighs the other fans by full_weight_… too", "T403")
    full_weight_pi: int = option(1, "times the other fans at 屁胡", "T404", ge=0, le=100)
    full_weight_zimo: int = option(2, "times the other fans at 自摸", "T404", ge=0, le=100)
    full_weight_youjin: int = option(3, "times the other fans at 游金", "T404", ge=0, le=100)
    full_step_pi: int = option(5, "step of a deal kept by 屁胡", "T405", ge=0, le=1000)
    full_step_zimo: int = option(10, "step of a deal kept by 自摸", "T405", ge=0, le=1000)
    full_step_youjin: int = option(15, "step of a deal kept by 游金", "T405", ge=0, le=1000)
    streak_history: tuple[Kept, ...] | None = option(
        None, "case files: how the dealer won since he took the deal, oldest first; null = all 屁胡", "T408"
    )
    simple_streak_step: int = option(0, "step of each kept deal in simple", "T411", ge=0, le=1000)
    simple_flowers_per_fan: int = option(2, "flowers that make a fan in simple", "T407", ge=1, le=36)
    simple_gold: int = option(1, "each gold in simple", "T407", ge=0, le=1000)
    simple_exposed_kong: int = option(1, "光杠 in simple, each", "T407", ge=0, le=1000)
    simple_concealed_kong: int = option(2, "暗杠 in simple, each", "T407", ge=0, le=1000)
    full_flower: int = option(1, "each flower in full", "T407", ge=0, le=1000)
    full_gold: int = option(1, "each gold in full", "T407", ge=0, le=1000)
    full_honour_pung: int = option(1, "大字碰, each", "T407", ge=0, le=1000)
    full_suit_triplet: int = option(1, "数牌暗刻, each", "T407", ge=0, le=1000)
    full_honour_triplet: int = option(2, "大字暗刻, each", "T407", ge=0, le=1000)
    full_suit_added_kong: int = option(1, "数牌补杠, each", "T407", ge=0, le=1000)
    full_suit_exposed_kong: int = option(2, "数牌光杠, each", "T407", ge=0, le=1000)
    full_suit_concealed_kong: int = option(3, "数牌暗杠, each", "T407", ge=0, le=1000)
    full_honour_added_kong: int = option(2, "大字补杠, each", "T407", ge=0, le=1000)
    full_honour_exposed_kong: int = option(3, "大字光杠, each", "T407", ge=0, le=1000)
    full_honour_concealed_kong: int = option(4, "大字暗杠, each", "T407", ge=0, le=1000)
    discard_payer: Literal["all", "discarder"] = option("all", "who pays a win on a discard", "T501")
    discarder_multiple: int = option(2, "times the score, where the discarder alone pays", "T501", ge=1, le=100)
    dealer_pays_factor: int = option(1, "times what the dealer pays for another seat's win", "T502", ge=1, le=100)
    loss_cap: int | None = option(None, "most points a seat loses in a hand; null = no limit", "T504", ge=1)
    false_win_fan: int = option(0, "fan a false win pays to each other seat", "T505", ge=0, le=10_000)
    escape_fan: int = option(8, "fan charged to a seat that leaves during the hand", "T505", ge=0, le=10_000)
