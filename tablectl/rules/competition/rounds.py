"""Dealer, circles, games, rounds and the event of 竞技麻将 (J93–J106), as pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tablectl.rules.api import HandResult, MatchState, Points, RulesError
from tablectl.rules.common.payments import total
from tablectl.rules.competition.options import Options
from tablectl.tiles.tile import WINDS


def first_hand(options: Options) -> MatchState:
    """Seat 0 deals first, in every game (J93)."""
    start = options.start_points
    return MatchState(points=(start, start, start, start))


def next_hand(match: MatchState, result: HandResult, minutes: float, options: Options) -> MatchState:
    """Who deals next, which circle it is, and whether the game is over (J94, J95, J98)."""
    points = total(match.points, result.deltas)
    dealer, streak = match.dealer, match.streak
    if not result.void:
        if match.dealer in result.winners:
            streak += 1
        else:
            stays = options.dealer_keeps_on_draw and not result.winners
            dealer, streak = (dealer if stays else (dealer + 1) % 4), 0
    circle = match.circle + (match.dealer == 3 and dealer == 0)
    over = _over(points, circle, minutes, result.broken_off, options)
    circle = min(circle, options.format.circles)
    return replace(
        match,
        points=points,
        off_board=total(match.off_board, result.off_board),
        carry=result.carry,
        dealer=dealer,
        streak=streak,
        circle=circle,
        prevalent=WINDS[(circle - 1) % 4],
        hand=match.hand + 1,
        over=over,
    )


def _over(points: Points, circle: int, minutes: float, broken_off: bool, options: Options) -> str | None:
    if broken_off or is_broken_off(points, options):
        return "poverty"
    if circle > options.format.circles:
        return "circles"
    limit = options.format.minutes
    return "time" if limit and minutes >= limit else None


def is_broken_off(points: Points, options: Options) -> bool:
    """Two seats hold nothing: the game ends at once (J72)."""
    return sum(1 for held in points if held <= 0) >= options.bust_seats_to_end


def next_game(match: MatchState, options: Options) -> MatchState | None:
    """Points do not carry over: every game starts again (J98)."""
    if match.game >= options.format.games:
        return None
    return replace(first_hand(options), game=match.game + 1)


def seating(game: int, options: Options) -> tuple[int, int, int, int]:
    """For each seat the player, numbered by his seat in game 1 (J97). Formats of one game never change seats."""
    return options.seat_plan[(game - 1) % len(options.seat_plan)] if options.format.games > 1 else (0, 1, 2, 3)


def rest_after(game: int, options: Options) -> int:
    """Minutes of rest after this game of the round (J96)."""
    plan = options.format
    has_rest = plan.rest_after_games and game < plan.games and game % plan.rest_after_games == 0
    return plan.rest_minutes if has_rest else 0


def totals(games: Sequence[Points], options: Options) -> Points:
    """总局分 of each player, from the game points by seat of the games played (J97, J99)."""
    sums = [0, 0, 0, 0]
    for game, points in enumerate(games, 1):
        for seat, player in enumerate(seating(game, options)):
            sums[player] += points[seat]
    return (sums[0], sums[1], sums[2], sums[3])


@dataclass(frozen=True, slots=True)
class Standing:
    """A player's place at the table after a round (J103). ``tied``: at the border, the referee decides."""

    player: int
    total: int
    rank: int
    advances: bool = False
    #: the best one who does not advance: filed as a possible substitute
    filed: bool = False
    standard_points: int = 0
    tied: bool = False


def standings(total: Points, options: Options) -> tuple[Standing, ...]:
    """The table's ranking by 总局分, first to last (J103, J104).

    Who is tied over the border between advancing and not advancing neither advances nor is filed until the referee has
    decided.
    """
    seats = options.advance_per_table
    order = sorted(range(4), key=lambda player: -total[player])
    border = total[order[seats - 1]] == total[order[seats]]
    filed_tie = total[order[seats]] == total[order[seats + 1]]
    found = []
    for place, player in enumerate(order):
        mine = total[player]
        tied = border and mine == total[order[seats]]
        advances = place < seats and not tied
        next_best = mine == total[order[seats]] and place >= seats and not tied
        found.append(
            Standing(
                player=player,
                total=mine,
                rank=1 + sum(other > mine for other in total),
                advances=advances,
                filed=next_best and not filed_tie,
                standard_points=options.round_standard_points if advances else 0,
                tied=tied or (next_best and filed_tie),
            )
        )
    return tuple(found)


def byes(players: int) -> tuple[int, int]:
    """How many players draw a bye, and how many mechanical seats fill the last table (J106)."""
    return {0: (0, 0), 1: (1, 0), 2: (2, 0), 3: (0, 1)}[players % 4]


def check_penalty(amount: int, options: Options) -> None:
    """A penalty comes in units, up to a limit (J100).

    Raises:
        RulesError: naming the amounts allowed.
    """
    unit, most = options.penalty_unit, options.penalty_max
    if amount not in range(unit, most + 1, unit):
        allowed = ", ".join(map(str, range(unit, most + 1, unit)))
        raise RulesError(f"penalty {amount}: expected one of {allowed} (J100)")
