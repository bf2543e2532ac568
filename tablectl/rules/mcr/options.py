"""Options of 国标麻将 (mcr.md section 8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final, Literal

from pydantic import AfterValidator

from tablectl.rules.options import RuleOptions, option

_Seats = tuple[int, int, int, int]
CARD_VALUES: Final[Mapping[int, int]] = {100: 1, 50: 4, 10: 10, 8: 10, 1: 20}


def _check_plan(plan: tuple[_Seats, ...]) -> tuple[_Seats, ...]:
    if len(plan) not in (0, 3):
        raise ValueError(f"{len(plan)} seatings; expected none, or three: for the second, third and fourth round")
    for number, seats in enumerate(plan, 2):
        if sorted(seats) != [0, 1, 2, 3]:
            raise ValueError(f"round {number}: {list(seats)} is no seating; expected each of 0, 1, 2, 3 once")
    return plan


def _check_cards(cards: Mapping[int, int]) -> Mapping[int, int]:
    if bad := [f"{value}: {count}" for value, count in cards.items() if value < 1 or count < 0]:
        raise ValueError(f"{', '.join(bad)}: expected values of at least 1 and counts of at least 0")
    if 1 not in cards:
        raise ValueError("no cards of 1; expected some, or not every amount can be paid")
    return cards


def _check_scale(scale: tuple[int, ...]) -> tuple[int, ...]:
    if not scale or scale[0] < 0 or list(scale) != sorted(scale):
        raise ValueError(
            f"{list(scale)}: expected at least one step, from 0 (warning) or more, each no less than the last"
        )
    return scale


class Options(RuleOptions):
    """Everything of 国标麻将 that an organiser may set."""

    minimum_points: int = option(8, "fans a win needs, flowers not counted", "T27", ge=0, le=1000)
    base_points: int = option(8, "底分 B, paid by each of the others", "T47", ge=0, le=1000)
    start_points: int = option(500, "points of a player at the start of a session", "T12", ge=0, le=1_000_000)
    card_values: Annotated[Mapping[int, int], AfterValidator(_check_cards)] = option(
        CARD_VALUES, "cards of each player: value and number", "T12", strict=False
    )
    initial_flower_seconds: int = option(30, "first flowers of all four seats together", "T14", ge=1, le=600)
    first_discard_seconds: int = option(30, "dealer's first discard, from the end of the deal", "T16", ge=1, le=600)
    discard_seconds: int = option(15, "every later discard, from the discard before it", "T16", ge=1, le=600)
    claim_seconds: int = option(3, "a pung or kong must be called so soon after the discard", "T16", ge=0, le=60)
    session_minutes: int = option(180, "length of a session", "T59", ge=1, le=1440)
    break_minutes: int = option(15, "pause in the middle of a session; 0 = none", "T59", ge=0, le=240)
    break_stops_clock: bool = option(True, "the session's clock stands still in the pause", "T59")
    warn_minutes_left: int = option(15, "announcement so long before the time is up", "T59", ge=0, le=240)
    at_time: Literal["stop", "finish_hand"] = option(
        "stop", "when time is up the hand in progress is broken off, or played to its end", "T59"
    )
    rounds: int = option(4, "rounds 圈 of a session, of four hands each", "T59", ge=1, le=16)
    group_size: int = option(4, "N: players ranked together for standard points", "T61", ge=2, le=1000)
    tie_standard_points: Literal["share", "higher"] = option(
        "share", "equal session points: each gets the mean of the places, or the best of them", "T61"
    )
    seat_rotation_plan: Annotated[tuple[_Seats, ...], AfterValidator(_check_plan)] = option(
        (),
        "for the second to fourth round the players on seats 0–3, numbered by their first seats; [] = never",
        "section 8",
        strict=False,
    )
    flower_points: int = option(1, "花牌, each", "F81", ge=0, le=100)
    flower_discard_allowed: bool = option(True, "a flower may be discarded", "T15")
    mixed_kongs_points: Literal[0, 5, 6] = option(
        0, "明暗杠, an exposed and a concealed kong; 0 = they count as 明杠 and 暗杠", "T38"
    )
    two_concealed_kongs_points: int = option(6, "双暗杠", "F53", ge=1, le=100)
    heavenly_wait_fans: bool = option(False, "九莲宝灯 and the waits count on a heavenly hand too", "T32")
    score_mode: Literal["auto", "announced"] = option(
        "auto", "the table's count stands, or the smaller of it and the announced one", "T31"
    )
    false_win_points: int = option(10, "false win of a ready hand, to each", "T57", ge=0, le=1000)
    false_win_not_ready_points: int = option(20, "false win one tile away from ready, to each", "T57", ge=0, le=1000)
    penalty_scale: Annotated[tuple[int, ...], AfterValidator(_check_scale)] = option(
        (0, 5, 10, 20, 30, 40, 50, 60),
        "penalties within one hand, first to last; 0 = warning, the last step repeats",
        "T63",
        strict=False,
    )
    barred_may_claim: bool = option(False, "a barred seat may still chow, pung and kong", "T25")

    @property
    def minutes_of_play(self) -> int:
        """The session's time without the pause, which is not counted where it stops the clock (T59)."""
        return self.session_minutes - (0 if self.break_stops_clock else self.break_minutes)
