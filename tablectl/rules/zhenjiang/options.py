"""Options of 镇江麻将 (zhenjiang.md section 8)."""

from __future__ import annotations

from typing import Literal

from tablectl.rules.options import RuleOptions, option


class Options(RuleOptions):
    """Everything of 镇江麻将 that an organiser may set. Values are units; a unit is ``base`` tickets."""

    base: int = option(1, "tickets a unit 底牌", "Z401, Z406", ge=1, le=10_000)
    ron_discarder: int = option(4, "放冲: what the discarder pays", "Z401", ge=0, le=1000)
    ron_other: int = option(2, "放冲: what each of the two others pays", "Z401", ge=0, le=1000)
    self_draw_youda: int = option(3, "有搭自摸", "Z402", ge=0, le=1000)
    self_draw_tuoda: int = option(6, "脱搭自摸", "Z402", ge=0, le=1000)
    kong_youda: int = option(5, "有搭杠开", "Z402", ge=0, le=1000)
    kong_exposed_tuoda: int = option(8, "明杠杠开", "Z402", ge=0, le=1000)
    kong_concealed_tuoda: int = option(9, "暗杠杠开", "Z402", ge=0, le=1000)
    paoda: int = option(5, "跑搭", "Z402", ge=0, le=1000)
    paoda_tuoda: int = option(10, "跑搭脱搭", "Z402", ge=0, le=1000)
    heavenly_win: int = option(12, "天胡", "Z402", ge=0, le=1000)
    bonus_first: int = option(6, "首搭", "Z403", ge=0, le=1000)
    bonus_mid: int = option(4, "半途打搭, each", "Z403", ge=0, le=1000)
    bonus_pung: int = option(2, "碰后打搭, each", "Z403", ge=0, le=1000)
    bonus_rob_kong: int = option(1, "抢杠", "Z403", ge=0, le=1000)
    bonus_chengda: int = option(1, "成搭", "Z403", ge=0, le=1000)
    wildcard_bonus_sum: bool = option(True, "all 打搭 add up; false: only the one worth most", "Z405")
    plus_one_payer: Literal["all", "discarder"] = option("all", "who pays 抢杠 and 成搭", "Z502")
    kong_exposed: int = option(1, "exposed or added kong, from each", "Z503", ge=0, le=1000)
    kong_concealed: int = option(2, "concealed kong, from each", "Z503", ge=0, le=1000)
    kong_payer: Literal["all", "discarder"] = option(
        "all", "an exposed kong: each pays, or the discarder three times", "Z503"
    )
    cap_by_holdings: bool = option(True, "nobody pays more than he holds", "Z504")
    false_win_units: int = option(6, "fine for 诈胡", "Z508", ge=0, le=1000)
    false_win_payee: Literal["each", "split"] = option(
        "each", "the fine goes to each of the others, or is divided among them", "Z508"
    )
    false_win_settle: Literal["match_end", "at_once"] = option(
        "match_end", "the fine is paid after the match, or on the spot", "Z509"
    )
    first_wildcard_rule: Literal["must", "free"] = option("must", "首搭必打", "Z211")
    second_wildcard_rule: Literal["show_discard", "show_held", "none"] = option(
        "show_discard", "二搭必亮: later wildcards thrown, or held, must be shown", "Z214"
    )
    first_wildcard_run: bool = option(False, "wildcards thrown without a gap from the first are 首搭 too", "Z213")
    claimed_wildcard: Literal["natural", "wild"] = option(
        "natural", "what a claimed or robbed 百搭 is in a win", "Z210"
    )
    claimed_wildcard_keeps_bonus: bool = option(True, "打搭 counts though a meld took the tile", "Z213")
    wildcard_meld: Literal["natural", "forbidden"] = option("natural", "melds of the wildcard kind", "Z209")
    no_wildcard_self_draw: Literal["tuoda", "youda"] = option(
        "tuoda", "what a self-drawn hand without any 百搭 counts as", "Z305"
    )
    discard_win_natural_only: bool = option(False, "only natural hands win on a discard", "Z310")
    any_wait_discard_win: bool = option(True, "a hand waiting on every tile may win on a discard", "Z310")
    wrong_count_dead_hand: bool = option(True, "a wrong number of tiles makes 相公", "Z215")
    show_dead_hand: bool = option(False, "the table shows who is 相公", "Z716")
    first_dealer: int | None = option(None, "the chair that is seat 0; null = by dice", "Z103", ge=0, le=3)
    first_stack_offset: int = option(0, "the first stack taken is this many behind the sum", "Z104", ge=0, le=5)
    kong_replacement_from: Literal["tail", "head"] = option("tail", "where replacements come from", "Z110")
    reserve_tiles: int = option(0, "tiles of the wall that stay undrawn", "Z111", ge=0, le=81)
    draw_keeps_deal: bool = option(True, "the dealer keeps the deal after a drawn hand", "Z601")
    dealer_win_keeps_deal: bool = option(True, "the dealer keeps the deal after a win of his own", "Z601")
    match_rounds: int = option(4, "rounds 圈 of a match", "Z602", ge=1, le=100)
    match_minutes: int | None = option(60, "length of a match; null = no limit", "Z603", ge=1, le=1440)
    warn_minutes_left: int | None = option(
        10, "announcement so long before the time is up; null = none", "Z604", ge=1, le=240
    )
    time_up: Literal["stop_now", "finish_hand"] = option(
        "stop_now", "when the time is up the hand is broken off, or played to its end", "Z603"
    )
    out_seats: int | None = option(2, "so many seats without tickets end the match; null = never", "Z603", ge=1, le=4)
    start_points: int = option(50, "tickets of a seat at the start", "Z605", ge=1, le=1_000_000)
    large_tickets: int = option(4, "large tickets of a seat at the start", "Z605", ge=0, le=10_000)
    small_tickets: int = option(10, "small tickets of a seat at the start", "Z605", ge=0, le=10_000)
    large_value: int = option(10, "what a large ticket counts", "Z605", ge=1, le=10_000)
    small_value: int = option(1, "what a small ticket counts", "Z605", ge=1, le=10_000)
    stage: Literal["preliminary", "second"] = option("preliminary", "stage of the tournament", "Z608")
    advance_preliminary: int = option(1, "how many of a table go on from the preliminary stage", "Z608", ge=1, le=4)
    advance_second: int = option(2, "how many of a table go on from the second stage", "Z608", ge=1, le=4)
    sign_in_minutes: int = option(
        30, "sign in at least so long before the start; the desk sees to it", "Z610", ge=0, le=1440
    )
    seated_minutes: int = option(
        5, "on the seat at least so long before the start; staff see to it", "Z610", ge=0, le=1440
    )
    first_discard_seconds: int | None = option(None, "dealer's first discard; null = no limit", "Z217", ge=1, le=600)
    discard_seconds: int | None = option(None, "every later discard; null = no limit", "Z217", ge=1, le=600)
    claim_seconds: int | None = option(
        None, "a claim may be made so long; null = until the next draw", "Z205, Z217", ge=0, le=60
    )
