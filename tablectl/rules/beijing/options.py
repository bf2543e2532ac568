"""Options of 北京麻将 (beijing.md section 8)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, ValidationInfo

from tablectl.rules.options import RuleOptions, option, values

#: In the order of T29, which decides between readings worth the same (T32).
FAN_VALUES: Final[Mapping[str, int]] = {
    "门清": 1,
    "对对和": 1,
    "大吊车": 1,
    "捉五魁": 1,
    "海底捞月": 1,
    "杠上开花": 1,
    "一条龙": 2,
    "七小对": 2,
    "豪华七小对": 3,
    "清一色": 3,
    "天和": 4,
    "地和": 4,
    "人和": 4,
    "自摸": 0,
    "抢杠和": 0,
    "海底炮": 0,
    "十三幺": 4,
    "混一色": 0,
    "字一色": 0,
}


def _not_negative(fans: Mapping[str, int]) -> Mapping[str, int]:
    if wrong := [f"{name} {value}" for name, value in fans.items() if value < 0]:
        raise ValueError(f"{', '.join(wrong)}: expected 0 (not counted) or more")
    return fans


def _not_before_the_goal(max_rounds: int, info: ValidationInfo) -> int:
    if max_rounds < (rounds := info.data.get("rounds", 0)):
        raise ValueError(f"expected at least the {rounds} rounds before the goal is looked at")
    return max_rounds


def _falling(uma: tuple[int, ...]) -> tuple[int, ...]:
    if any(worse > better for better, worse in pairwise(uma)):
        raise ValueError("expected no more for a lower rank than for a higher one")
    return uma


class Options(RuleOptions):
    """Everything of 北京麻将 that an organiser may set."""

    start_points: int = option(25_000, "points of a seat at the start", "T12", ge=1, le=10_000_000)
    goal_points: int = option(
        30_000, "who has so many after the last of `rounds` ends the match", "T49", ge=1, le=10_000_000
    )
    rounds: int = option(2, "rounds before the goal is looked at", "T49", ge=1, le=4)
    max_rounds: Annotated[int, AfterValidator(_not_before_the_goal)] = option(
        4, "rounds after which the match ends in any case", "T49", ge=1, le=16
    )
    sudden_death: bool = option(False, "in the further rounds the goal is looked at after every hand", "T49")
    bust_ends: bool = option(True, "a seat below 0 ends the match", "T50")
    wall_direction: Literal["anticlockwise", "clockwise"] = option(
        "anticlockwise", "which way stacks are counted and drawn, seen from above", "T3"
    )
    lay_down_kong_tile: bool = option(True, "the first replacement is laid beside its stack after the break", "T7")
    dead_wall_tiles: int = option(14, "tiles that stay undrawn; 0 = draw to the end", "T10", ge=0, le=82)
    fan_values: Annotated[Mapping[str, int], AfterValidator(_not_negative), AfterValidator(values(FAN_VALUES))] = (
        option(FAN_VALUES, "values of fans by name; 0 = not counted", "T29, T37")
    )
    thirteen_orphans: bool = option(False, "thirteen orphans are a hand", "T22")
    big_hook_discard_only: bool = option(False, "大吊车 only on a discard", "T29")
    concealed_kong_keeps: bool = option(True, "a concealed kong keeps the hand concealed", "T15")
    limit_fan: int = option(4, "so many fans are 满贯, and no more count", "T30", ge=0, le=20)
    base_value: int = option(500, "points of a hand without a fan; each fan doubles", "T31", ge=1, le=1_000_000)
    round_to: int = option(100, "every payment is rounded up to a multiple of", "T39", ge=1, le=100_000)
    penalty_points: int = option(1000, "penalty that goes into the pot", "T40", ge=0, le=1_000_000)
    pot_leftover: Literal["leader", "nobody"] = option("leader", "who gets a pot left at the end of the match", "T40")
    multiple_winners: Literal["nearest", "all"] = option("nearest", "who wins where several call one tile", "T26")
    lowest_reading: bool = option(False, "the smallest count, for one hand", "T38")
    exposed_kong_points: int = option(0, "exposed kong, by the discarder", "T42", ge=0, le=1_000_000)
    added_kong_points: int = option(0, "added kong, by each", "T42", ge=0, le=1_000_000)
    concealed_kong_points: int = option(0, "concealed kong, by each", "T42", ge=0, le=1_000_000)
    draw_ready_points: int = option(
        0, "in a drawn hand, shared from the seats not ready to the ready ones", "T42", ge=0, le=1_000_000
    )
    after_false_win: Literal["replay", "pass_deal", "continue"] = option(
        "replay", "the hand is dealt again, counts as drawn, or goes on for the others", "T44"
    )
    burn_dealer: bool = option(False, "烧庄 is played", "T46")
    burn_dealer_points: int = option(1000, "烧庄, to each; twice as much each time more", "T46", ge=0, le=1_000_000)
    dealer_repeat: Literal["never", "win", "win_or_draw"] = option("never", "when the dealer deals again", "T48")
    rank_tie: Literal["seat_order", "share"] = option(
        "seat_order", "equal points: by seat from the first dealer, or a shared rank", "T51"
    )
    uma: Annotated[tuple[int, int, int, int], AfterValidator(_falling)] = option(
        (0, 0, 0, 0), "points added for ranks 1 to 4", "T51"
    )
    turn_seconds: int = option(0, "for a discard; 0 = no limit", "T20", ge=0, le=3600)
    claim_seconds: int = option(0, "for a call; 0 = no limit", "T20", ge=0, le=600)
