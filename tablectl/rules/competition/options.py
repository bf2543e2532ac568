"""Options of 竞技麻将 (competition.md section 8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final, Literal, NamedTuple

from pydantic import AfterValidator

from tablectl.rules.options import RuleOptions, option, values

FAN_VALUES: Final[Mapping[str, int]] = {
    "花龙": 10,
    "清龙": 10,
    "组合龙": 10,
    "混一色": 20,
    "对对和": 20,
    "大乱": 20,
    "全求独钓": 20,
    "夹绝张": 20,
    "全大": 20,
    "全中": 20,
    "全小": 20,
    "清一色": 30,
    "七对": 30,
    "三箭刻": 30,
}
BONUS_VALUES: Final[Mapping[str, int]] = {
    "花牌": 2,
    "单张和牌": 4,
    "补花和": 6,
    "杠上开花": 8,
    "海底捞月": 8,
    "妙手回春": 8,
    "门清": 8,
}


class Format(NamedTuple):
    """A format of play (J96). ``rest_after_games``: a rest after so many games each time, 0 = none."""

    games: int
    circles: int
    minutes: int
    rest_minutes: int
    rest_after_games: int


FORMATS: Final[Mapping[str, Format]] = {
    "sixteen": Format(4, 4, 120, 15, 1),
    "eight": Format(4, 2, 60, 15, 2),
    "four": Format(1, 4, 120, 0, 0),
}

_Seats = tuple[int, int, int, int]


def _check_plan(plan: tuple[_Seats, ...]) -> tuple[_Seats, ...]:
    for game, seats in enumerate(plan, 1):
        if sorted(seats) != [0, 1, 2, 3]:
            raise ValueError(f"game {game}: {list(seats)} is no seating; expected each of 0, 1, 2, 3 once")
    for seat in range(4):
        if len({seats[seat] for seats in plan}) < len(plan):
            raise ValueError(f"seat {seat}: a player sits there twice; expected another player in every game")
    return plan


class Options(RuleOptions):
    """Everything of 竞技麻将 that an organiser may set."""

    dice_count: int = option(2, "dice thrown at once", "J3", ge=1, le=3)
    dice_pressed_by: Literal["dealer", "any"] = option("dealer", "who may press the dice", "J3")
    break_stack: Literal["at", "after"] = option("at", "stack t is the first taken, or the one after it", "J4")
    tail_upper_first: bool = option(True, "replacements: the upper tile of a stack first", "J8")
    initial_flowers: Literal["complete", "one_each"] = option(
        "complete", "first flowers: each seat completely in turn, or one pass each, repeated", "J10"
    )
    last_lap_tiles: int = option(
        4, "last tiles of the wall that form the last lap; 1 = only the last tile", "J32", ge=1, le=91
    )
    first_discard_seconds: int = option(20, "dealer's first discard, from the end of the deal", "J30", ge=1, le=600)
    discard_seconds: int = option(10, "every later discard, from the discard before it", "J30", ge=1, le=600)
    claim_seconds: int = option(3, "a pung or kong must be called so soon after the discard", "J20", ge=0, le=60)
    warn_before_seconds: int = option(3, "warning so long before a time limit", "J30", ge=0, le=60)
    discards_per_row: int = option(6, "discards in a row of the pool", "J27", ge=1, le=24)
    discard_rows: Literal["away", "towards"] = option("away", "further rows away from or towards the player", "J27")
    announce_discards: bool = option(False, "the table names discards aloud", "J19")
    chow_allowed: bool = option(True, "chows from the previous seat", "J17")
    kong_after_claim: bool = option(False, "a kong directly after a chow or pung", "J22")
    multiple_winners: Literal["all", "first"] = option("all", "who wins where several call one tile", "J47")
    require_fan: bool = option(True, "no fan, no win", "J35")
    fan_values: Annotated[Mapping[str, int], AfterValidator(values(FAN_VALUES))] = option(
        FAN_VALUES, "values of fans by name; 0 = not played", "J40"
    )
    bonus_values: Annotated[Mapping[str, int], AfterValidator(values(BONUS_VALUES))] = option(
        BONUS_VALUES, "values of add-ons by name, 花牌 each; 0 = not played", "J52"
    )
    heavenly_bonus: int = option(0, "add-on 天和 for a win on the initial 14 tiles", "J57", ge=0, le=1000)
    earthly_bonus: int = option(0, "add-on 地和 for a win by a seat that announced it", "J57", ge=0, le=1000)
    seven_pairs_quads: bool = option(True, "four equal tiles may be two of seven pairs", "J36")
    scattered_knitted: bool = option(True, "组合龙 counts within 大乱", "J40")
    full_claim_self_draw: bool = option(True, "全求独钓 also by self-draw", "J40")
    last_of_kind_needs_pung: bool = option(
        True, "夹绝张: the other three lie as a pung; false: visible in any way", "J44"
    )
    last_of_kind_robbed: bool = option(True, "夹绝张 on a robbed kong", "J44")
    single_wait_unique: bool = option(True, "单张和牌, 夹绝张 need a single wait; false: the shape decides", "J44")
    single_wait_with_implied: bool = option(False, "单张和牌 also with 全求独钓 and 夹绝张", "J46")
    own_four_waits: Literal["ignored", "counted"] = option("ignored", "waits on a kind held four times", "J43")
    knitted_wait_counts: bool = option(False, "a tile of the knitted nine counts as gap", "J43")
    concealed_bonus: Literal["any_win", "self_draw"] = option("any_win", "门清 however the tile comes", "J52")
    concealed_bonus_with_implied: bool = option(False, "门清 also with 七对 and 大乱", "J52")
    flower_kong_flowers_count: bool = option(False, "the flowers of a flower kong count at the win too", "J64")
    reading: Literal["highest", "lowest"] = option("highest", "which reading of a hand counts", "J39")
    start_points: int = option(100, "points of a seat at the start of a game", "J11", ge=1, le=1_000_000)
    discard_factor: int = option(2, "times P, by the discarder", "J68", ge=1, le=100)
    self_draw_factor: int = option(1, "times P, by each other seat", "J68", ge=1, le=100)
    robbed_factor: int = option(3, "times P, by the konger", "J68", ge=1, le=100)
    liability_factor: int = option(3, "times P, by the liable seat", "J68", ge=1, le=100)
    double_play_factor: int = option(
        2, "times everything while the dealer keeps the deal; 1 = off", "J60", ge=1, le=100
    )
    double_play_scope: Literal["all", "wins"] = option("all", "whether kongs and chase double too", "J60")
    double_penalties: bool = option(False, "penalties double too", "J60")
    exposed_kong_points: int = option(4, "exposed kong, three times by the discarder", "J62", ge=0, le=10_000)
    added_kong_points: int = option(4, "added kong, by each", "J63", ge=0, le=10_000)
    concealed_kong_points: int = option(6, "concealed kong, by each", "J64", ge=0, le=10_000)
    flower_kong_points: int = option(8, "flower kong, by each", "J64", ge=0, le=10_000)
    chase_points: int = option(4, "chase, to each; 0 = off", "J66", ge=0, le=10_000)
    liability_claims: int = option(3, "so many first claims from one seat make both liable; 0 = off", "J80", ge=0, le=4)
    liability_counts_kongs: bool = option(True, "exposed kongs are claims for liability", "J80")
    liability_mutual: bool = option(True, "feeder and fed are liable for each other; false: the feeder alone", "J80")
    liability_third_party: Literal["liable_only", "discarder"] = option(
        "liable_only", "who pays where a third seat discards", "J80, J83"
    )
    pure_suit_liability: bool = option(True, "discard to 清一色 with three melds of the suit on the table", "J82")
    fourth_meld_liability: bool = option(True, "feeding the fourth meld of a suit", "J83")
    hung_tile_range: int = option(2, "ranks around a hung tile; −1 = no liability", "J84", ge=-1, le=8)
    cap: Literal["holdings", "none"] = option("holdings", "nobody pays more than he holds", "J69")
    bust_seats_to_end: int = option(2, "seats at 0 that end the game", "J72", ge=1, le=4)
    losing_finish: Literal["bust", "off"] = option("bust", "a win that ends the game by poverty must be first", "J75")
    tie_counts_as_first: bool = option(True, "a tie for first is first", "J75, J76")
    kong_at_losing_finish: Literal["off_board", "void"] = option(
        "off_board", "kongs and chase that would end the game", "J76, J77"
    )
    win_from_empty: bool = option(False, "winning on a seat without points is allowed", "J73")
    empty_fine: int = option(10, "to each, for a win declared on an empty seat", "J74", ge=0, le=10_000)
    penalty_unit: int = option(10, "penalties come in units of", "J100", ge=1, le=1000)
    penalty_max: int = option(50, "most for one offence", "J100", ge=1, le=10_000)
    dealer_keeps_on_draw: bool = option(False, "the dealer keeps the deal in an exhaustive draw", "J94")
    match_format: Literal["sixteen", "eight", "four"] = option("sixteen", "十六圈制, 八圈制, 四圈制", "J96")
    games: int | None = option(None, "games of a round; null = by format", "J96", ge=1, le=4)
    circles_per_game: int | None = option(None, "circles of a game; null = by format", "J96", ge=1, le=16)
    game_minutes: int | None = option(None, "limit of a game; null = by format, 0 = none", "J96", ge=0, le=1440)
    rest_minutes: int | None = option(None, "length of a rest; null = by format", "J96", ge=0, le=240)
    rest_after_games: int | None = option(None, "a rest after so many games; null = by format", "J96", ge=0, le=4)
    warn_minutes_left: int = option(5, "announcement so long before the time is over", "J98", ge=0, le=60)
    seat_plan: Annotated[tuple[_Seats, _Seats, _Seats, _Seats], AfterValidator(_check_plan)] = option(
        ((0, 1, 2, 3), (1, 0, 3, 2), (2, 3, 1, 0), (3, 2, 0, 1)),
        "for each game the players on seats 0–3, numbered by their seats in game 1",
        "J97",
    )
    score_queries: int = option(2, "times a player may ask the score in the fourth game", "J102", ge=0, le=100)
    score_query_scope: Literal["player", "table"] = option(
        "player", "whether they are counted by player or table", "J102"
    )
    advance_per_table: Literal[1, 2] = option(1, "players of a table that advance", "J103")
    round_standard_points: int = option(1, "standard points of this round", "J104", ge=0, le=100)
    referee_present: bool = option(True, "a referee confirms; false: all other seats", "J107")

    @property
    def format(self) -> Format:
        """The format played, with what the options set apart from it (J96)."""
        base = FORMATS[self.match_format]
        own = (self.games, self.circles_per_game, self.game_minutes, self.rest_minutes, self.rest_after_games)
        return Format(*(mine if mine is not None else given for mine, given in zip(own, base, strict=True)))
