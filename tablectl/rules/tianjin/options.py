"""Options of 天津麻将 (tianjin.md section 8)."""

from __future__ import annotations

from typing import Literal

from tablectl.rules.options import RuleOptions, option


class Options(RuleOptions):
    """Everything of 天津麻将 that a house may set."""

    diliu: int = option(1, "提溜, the base where nothing else adds", "T401, T402", ge=0, le=1000)
    zhuowu: int = option(3, "捉五 adds; 0 = not played", "T401", ge=0, le=1000)
    long: int = option(4, "龙 adds; 0 = not played", "T401", ge=0, le=1000)
    heavenly: int = option(4, "天和; 0 = not played", "T410", ge=0, le=1000)
    earthly: int = option(0, "地和; 0 = not played", "T410", ge=0, le=1000)
    heavenly_mode: Literal["add", "multiply"] = option("add", "天和 and 地和 add, or they double", "T410")
    heavenly_free_tile: bool = option(False, "天和: any of the 14 tiles may be taken as the drawn one", "T410")
    benhun_factor: int = option(2, "本混 doubles; 1 = not played", "T401", ge=1, le=100)
    hundiao_factor: int = option(2, "混吊 doubles; 1 = not played", "T401", ge=1, le=100)
    double_hundiao_factor: int = option(2, "双混吊 doubles; 1 = not played", "T401", ge=1, le=100)
    su_factor: int = option(2, "素 doubles; 1 = not played", "T401", ge=1, le=100)
    kong_win_factor: int = option(2, "杠开 doubles; 1 = not played", "T401", ge=1, le=100)
    su_ben_factor: int = option(1, "素本 doubles; 1 = not played", "T401, T412", ge=1, le=100)
    hundiao_inside_dragon: bool = option(False, "双混吊 also counts with a 龙 it completes", "T407")
    gold_kong_breaks_su: bool = option(True, "four wilds in a gold kong exclude 素", "T308")
    minimum: int = option(2, "score a win needs; 1 allows 提溜, 3 forbids 混吊 and 素提溜 alone", "T307", ge=0, le=1000)
    score_cap: int | None = option(None, "most a win can score; null = no limit", "T402", ge=1, le=1_000_000)
    unit: int = option(1, "points for 1 of score, kong or chan value", "T502", ge=1, le=10_000)
    sit_factor: int = option(2, "坐庄: payments between the dealer and the others times so much", "T501", ge=1, le=100)
    pull_factor: int = option(2, "拉庄: payments with the dealer times so much for each pull", "T501", ge=1, le=100)
    pull_max: int = option(2, "how often a non-dealer may pull", "T204", ge=0, le=2)
    exposed_kong: int = option(1, "exposed kong, from a discard or added", "T505", ge=0, le=10_000)
    concealed_kong: int = option(2, "concealed kong", "T505", ge=0, le=10_000)
    gold_kong: int = option(4, "gold kong 金杠", "T505", ge=0, le=10_000)
    exposed_kong_payer: Literal["all", "discarder"] = option(
        "all", "a kong from a discard: each pays, or the discarder three times; an added one is paid by all", "T505"
    )
    kongs_paid_on_draw: bool = option(True, "a drawn hand pays its kongs", "T505")
    chan: int | None = option(None, "铲; null = the value of an exposed kong", "T506", ge=0, le=10_000)
    chan_enabled: bool = option(True, "铲 is played", "T506")
    wild_discard: Literal["small_xianggong", "forbidden"] = option(
        "small_xianggong", "who discards a wild cannot win, or must take it back", "T211"
    )
    undrawn_tiles: int = option(0, "tiles of the wall that stay undrawn", "T111", ge=0, le=82)
    false_win_penalty: int = option(0, "a refused win pays each other seat", "T511", ge=0, le=10_000)
    false_win_dead_hand: bool = option(True, "after a refused win the seat cannot win", "T511")
    wrong_count_dead_hand: bool = option(True, "a seat with a wrong number of tiles cannot win or claim", "T701")
    draw_keeps_deal: bool = option(True, "the dealer keeps the deal after a drawn hand", "T601")
    first_dealer: Literal["random", "seat"] = option("random", "drawn by the table, or the first seat", "T201")
    match_rounds: int | None = option(4, "rounds 圈 of a session; null = no limit", "T603", ge=1, le=100)
    match_hands: int | None = option(None, "hands of a session; null = no limit", "T603", ge=1, le=1000)
    match_minutes: int | None = option(None, "length of a session; null = no limit", "T603", ge=1, le=1440)
    warn_minutes_left: int | None = option(
        5, "announcement so long before the time is up; null = none", "T603", ge=1, le=240
    )
    first_discard_seconds: int | None = option(None, "dealer's first discard; null = no limit", "T214", ge=1, le=600)
    discard_seconds: int | None = option(None, "every later discard; null = no limit", "T214", ge=1, le=600)
    claim_seconds: int | None = option(
        None, "a pung or kong may be called so long; null = until the next draw", "T207, T214", ge=0, le=60
    )
    stakes_seconds: int | None = option(
        None, "who has not chosen in time does not sit or pull; null = no limit", "T205, T214", ge=1, le=600
    )
