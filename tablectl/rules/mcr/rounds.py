"""Deal, rounds, sessions, standard points and the final ranking of 国标麻将 (T53, T58–T63), as pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from tablectl.rules.api import HandResult, MatchState, Points, RulesError
from tablectl.rules.common.payments import points
from tablectl.rules.common.rounds import advance, ended
from tablectl.rules.mcr.options import Options

#: Penalty points a referee may take off (T53).
PENALTIES = (5, 10, 20, 30, 40, 50, 60)
#: Offences that cost more each time (T63).
ON_THE_SCALE = frozenset({"draw_out_of_turn", "late_claim", "over_time", "claim_not_carried_out"})


def first_hand(options: Options) -> MatchState:
    """Seat 0 deals first, E prevails (T58)."""
    start = options.start_points
    return MatchState(points=(start, start, start, start))


def next_hand(match: MatchState, result: HandResult, minutes: float, options: Options) -> MatchState:
    """The deal passes after every hand, won or drawn; a void one is played again (T58, T59)."""
    following = advance(match, result, keeps=False)
    over = _over(following.circle, minutes, result, options)
    if following.circle > match.circle and over is None:
        held, off_board = (
            moved(four, match.circle, following.circle, options) for four in (following.points, following.off_board)
        )
        following = replace(following, points=held, off_board=off_board)
    return ended(match, following, over)


def _over(circle: int, minutes: float, result: HandResult, options: Options) -> str | None:
    if circle > options.rounds:
        return "circles"
    return "time" if minutes >= options.minutes_of_play or result.broken_off else None


def seating(round_: int, options: Options) -> tuple[int, int, int, int]:
    """For each seat the player in this round 圈, numbered by his first seat (`seat_rotation_plan`)."""
    plan = ((0, 1, 2, 3), *options.seat_rotation_plan)
    return plan[(round_ - 1) % len(plan)]


def moved(four: Points, before: int, after: int, options: Options) -> Points:
    """What the seats held in one round, by the seats of another: players take their points along."""
    by_player = dict(zip(seating(before, options), four, strict=True))
    return points([by_player[player] for player in seating(after, options)])


# --- time


def break_due(match: MatchState, minutes: float, options: Options) -> bool:
    """Whether the pause of the session may be taken before this hand: after the second round, or from the half time on,
    whichever is earlier (T59). That it was taken already is for the caller to know."""
    between_hands = match.over is None and match.hand > 1
    half = match.circle > 2 or (match.circle == 2 and options.rounds == 2)
    return bool(options.break_minutes) and between_hands and (half or 2 * minutes >= options.minutes_of_play)


# --- penalties


def check_penalty(amount: int, options: Options) -> None:
    """Raises RulesError where ``amount`` is neither one of T53 nor one of the options (T57, T63)."""
    own = {*options.penalty_scale, options.false_win_points, options.false_win_not_ready_points} - {0}
    if amount not in own.union(PENALTIES):
        allowed = ", ".join(map(str, sorted(own.union(PENALTIES))))
        raise RulesError(f"penalty {amount}: expected one of {allowed} (T53)")


def proposed_penalty(offences: int, options: Options) -> int:
    """What the scale proposes after so many like offences of the seat in this hand; 0 is a warning (T63)."""
    return options.penalty_scale[min(offences, len(options.penalty_scale) - 1)]


# --- cards


def cards_for(amount: int, options: Options) -> dict[int, int]:
    """``amount`` in the fewest cards of the values played: value → number, the largest first (T54)."""
    fewest: list[tuple[int, ...]] = [()]
    values = sorted(options.card_values, reverse=True)
    for owed in range(1, amount + 1):
        fewest.append(min(((value, *fewest[owed - value]) for value in values if value <= owed), key=len))
    paid = fewest[amount] if amount > 0 else ()
    return {value: paid.count(value) for value in values if value in paid}


# --- standard points and the final ranking


def standard_points(session: Sequence[int], options: Options) -> tuple[Fraction, ...]:
    """标准分 of a group, from its session points in any order (T61): N for the first, N − rank for the others.

    Raises:
        RulesError: not as many as `group_size`.
    """
    size = options.group_size
    if len(session) != size:
        raise RulesError(f"{len(session)} session points; expected those of a group of {size} (T61, group_size)")
    of_place = [size, *(size - place for place in range(2, size + 1))]

    def share(mine: int) -> Fraction:
        first = sum(other > mine for other in session)
        places = of_place[first : first + sum(other == mine for other in session)]
        return Fraction(sum(places), len(places)) if options.tie_standard_points == "share" else Fraction(places[0])

    return tuple(share(mine) for mine in session)


@dataclass(frozen=True, slots=True)
class SessionResult:
    """What a player took from a session (T60, T61). ``counts`` is false for a substitute, whose points do not rank."""

    points: int
    standard: Fraction
    counts: bool = True


def final_ranks(results: Mapping[str, Iterable[SessionResult]]) -> dict[str, int]:
    """Ranks from 1 by name (T62): sum of standard points, sum of session points, then the standard points of the
    sessions, best first; still equal: the same rank."""
    merits = {}
    for name, sessions in results.items():
        ranked = [session for session in sessions if session.counts]
        standard = sorted((session.standard for session in ranked), reverse=True)
        merits[name] = (sum(standard), sum(session.points for session in ranked), standard)
    return {name: 1 + sum(other > mine for other in merits.values()) for name, mine in merits.items()}


def team_ranks(teams: Mapping[str, Mapping[str, Iterable[SessionResult]]]) -> dict[str, int]:
    """Ranks of teams by the sum over their players (T62).

    Raises:
        RulesError: a team with more than four players and a substitute.
    """
    large = [
        f"team {name}: {len(players)} players; expected at most 5 (T62)"
        for name, players in teams.items()
        if len(players) > 5
    ]
    if large:
        raise RulesError(*large)
    return final_ranks({name: [s for own in players.values() for s in own] for name, players in teams.items()})
