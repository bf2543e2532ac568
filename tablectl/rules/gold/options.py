"""Options that 福州麻将 and 福建麻将 have in common."""

from __future__ import annotations

from typing import Literal

from tablectl.rules.options import RuleOptions, option

GoldDiscard = Literal["dead", "self_draw_only", "forbidden"]


class GoldOptions(RuleOptions):
    """How the table is played. What has no default here stands in another paragraph of each system."""

    first_taker: Literal["dealer", "dice_seat"] = option(
        "dealer", "who takes the first block: the dealer, or the seat whose wall is opened", "T106"
    )
    flip_flower_to: Literal["dealer", "nobody"] = option(
        "dealer", "a flower turned up as the gold goes to the dealer's flowers, or is set aside", "T109"
    )
    reserve_tiles: int = option(18, "tiles of the wall that stay undrawn", "T111", ge=0, le=78)
    reserve_exposed_kong: int = option(1, "further tiles for each exposed kong of any seat", "T111", ge=0, le=8)
    reserve_concealed_kong: int = option(2, "further tiles for each concealed kong of any seat", "T111", ge=0, le=8)
    reserve_flower_set: int = option(2, "further tiles for each set of four same flowers", "T111", ge=0, le=8)
    last_round_tiles: int = option(4, "tiles of the last round at most; 0 = none is played", "T112", ge=0, le=8)
    next_seat_may_kong: bool = option(False, "the seat after the discarder may kong the discard", "T203")
    rob_added_kong: bool
    gold_discard: GoldDiscard
    first_discard_seconds: int | None
    discard_seconds: int | None
    claim_seconds: int | None
    any_wait_self_draw_only: bool
    loss_cap: int | None
    draw_keeps_deal: bool = option(False, "the dealer keeps the deal in a drawn hand", "T601")
    first_dealer: int = option(0, "the seat that deals first", "T601", ge=0, le=3)
    match_rounds: int = option(4, "rounds (圈) of a match", "T602", ge=1, le=32)
    match_minutes: int | None = option(None, "length of a match; null = by rounds alone", "T602", ge=1, le=1440)
    warn_minutes_left: int | None = option(5, "announcement so long before the time is over", "T602", ge=1, le=60)
    wrong_count_dead_hand: bool = option(True, "a wrong number of tiles makes a dead hand (相公)", "T701")
