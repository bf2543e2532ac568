"""Options of 福州麻将 (fuzhou.md section 8)."""

from __future__ import annotations

from typing import Literal

from tablectl.rules.gold.options import GoldDiscard, GoldOptions
from tablectl.rules.options import option


class Options(GoldOptions):
    """Everything of 福州麻将 that a house may set."""

    rob_added_kong: bool = option(True, "a tile added to a pung may be won", "T207")
    gold_discard: GoldDiscard = option(
        "dead",
        "a discarded gold lies dead; binds its discarder to self-draw besides; or is an offence",
        "T209",
    )
    first_discard_seconds: int | None = option(
        None, "limit of the dealer's first discard; null = none", "T212", ge=1, le=600
    )
    discard_seconds: int | None = option(None, "limit of every later discard; null = none", "T212", ge=1, le=600)
    claim_seconds: int | None = option(
        None, "claims are open so long after the discard; null = until the next draw", "T205", ge=1, le=60
    )
    rob_gold: bool = option(True, "the gold may be robbed", "T307")
    rob_gold_as: Literal["wild", "natural"] = option(
        "wild", "the robbed gold stands for any kind, or for its own only", "T309"
    )
    any_wait_self_draw_only: bool = option(False, "a hand waiting on every tile wins by self-draw only", "T315")
    base: int = option(1, "points a unit (底分)", "T401", ge=1, le=10_000)
    mult_golden_pair: int = option(60, "units of 金雀; 0 = not played", "T402", ge=0, le=10_000)
    mult_three_gold: int = option(40, "units of 三金倒; 0 = not played", "T402", ge=0, le=10_000)
    mult_heavenly: int = option(30, "units of 天胡; 0 = not played", "T402", ge=0, le=10_000)
    mult_rob_gold: int = option(30, "units of 抢金; 0 = counted as an ordinary self-draw", "T402", ge=0, le=10_000)
    mult_plain: int = option(30, "units of 平胡; 0 = not played", "T402", ge=0, le=10_000)
    streak_unit: int = option(1, "units for each hand the dealer has kept the deal", "T403", ge=0, le=1000)
    flower_unit: int = option(1, "units of a flower outside complete sets", "T404", ge=0, le=1000)
    flower_set_units: int = option(6, "units of four same flowers", "T405", ge=0, le=1000)
    gold_unit: int = option(1, "units of a gold", "T406", ge=0, le=1000)
    exposed_kong_units: int = option(1, "units of an exposed kong", "T406", ge=0, le=1000)
    concealed_kong_units: int = option(2, "units of a concealed kong", "T406", ge=0, le=1000)
    streak_payer: Literal["all", "dealer_only"] = option(
        "all", "who pays the streak where another seat than the dealer wins", "T407"
    )
    self_draw_factor: int = option(2, "times the units, at an ordinary self-draw", "T411", ge=1, le=100)
    special_flower_factor: int = option(2, "times flowers, golds and kongs, at a special form", "T412", ge=1, le=100)
    streak_in_special: Literal["add", "multiply", "none"] = option(
        "add", "how the streak counts at a special form", "T412"
    )
    discard_factor: int = option(2, "times the score, by the discarder alone", "T502", ge=1, le=100)
    loss_cap: int | None = option(None, "most points a seat loses in a hand (封顶); null = none", "T505", ge=1)
    escape_units: int = option(8, "units charged to a seat that leaves during the hand", "T507", ge=0, le=10_000)
    false_win_units: int = option(0, "units a false win pays to each other seat", "T508", ge=0, le=10_000)
