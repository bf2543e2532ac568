"""The match of 北京麻将: deal, rounds, the goal, below 0, the ranking (T40, T48–T51), as pure functions."""

from __future__ import annotations

from dataclasses import replace

from tablectl.rules.api import NO_POINTS, HandResult, MatchState, Points
from tablectl.rules.beijing.options import Options
from tablectl.rules.common.payments import points, total
from tablectl.rules.common.rounds import advance, ended


def first_hand(options: Options) -> MatchState:
    """Seat 0 deals first, E prevails (T12, T49)."""
    return MatchState(points=(options.start_points,) * 4)


def next_hand(match: MatchState, result: HandResult, options: Options) -> MatchState:
    """Who deals next, which round it is, whether the match is over; a pot left then is given out (T40, T48–T50)."""
    keeps = match.dealer in result.winners and options.dealer_repeat != "never"
    keeps = keeps or (not result.winners and options.dealer_repeat == "win_or_draw")
    following = advance(match, result, keeps=keeps)
    over = _over(match, following, result, options)
    if over is None:
        return following
    return closed(ended(match, following, over), options)


def closed(match: MatchState, options: Options) -> MatchState:
    """The match at its end, the pot given out (T40)."""
    return replace(match, points=total(match.points, leftover(match, options)), carry={})


def _over(before: MatchState, after: MatchState, result: HandResult, options: Options) -> str | None:
    """Why the match is over (T49, T50): ``bust``, ``goal`` or ``rounds``; ``referee`` where he broke it off."""
    if is_bust(after.points, options):
        return "bust"
    if result.broken_off:
        return "referee"
    round_over = after.circle > before.circle
    if round_over and before.circle >= options.max_rounds:
        return "rounds"
    looked_at = (
        before.circle >= options.rounds
        if round_over
        else options.sudden_death and before.circle > options.rounds and not result.void
    )
    return "goal" if looked_at and max(after.points) >= options.goal_points else None


def note(match: MatchState, options: Options) -> str | None:
    """``last_of_round``: after it is looked who has enough; ``extra_round``: nobody had (T52)."""
    if match.circle > options.rounds and match.dealer == 0 and not match.streak:
        return "extra_round"
    return "last_of_round" if match.circle >= options.rounds and match.dealer == 3 else None


def is_bust(held: Points, options: Options) -> bool:
    """A seat has less than 0; exactly 0 goes on (T50)."""
    return options.bust_ends and min(held) < 0


def leftover(match: MatchState, options: Options) -> Points:
    """The pot, for whoever is ranked first; several share it, the odd points to the first of them (T40)."""
    pot = match.carry.get("pot", 0)
    if not pot or options.pot_leftover == "nobody":
        return NO_POINTS
    first = [seat for seat, rank in enumerate(ranks(match.points, options)) if rank == 1]
    return _shared(pot, first)


def game_points(match: MatchState, options: Options) -> Points:
    """The points with a pot still open and the points for ranks (T40, T51). Equal ranks share theirs."""
    held = total(match.points, leftover(match, options))
    placed = ranks(held, options)
    added = NO_POINTS
    for rank in sorted(set(placed)):
        seats = [seat for seat in range(4) if placed[seat] == rank]
        added = total(added, _shared(sum(options.uma[rank - 1 : rank - 1 + len(seats)]), seats))
    return total(held, added)


def ranks(held: Points, options: Options) -> tuple[int, int, int, int]:
    """Ranks from 1; of equal points the seat that comes first from the first dealer, or all alike (T51)."""
    by_seat = options.rank_tie == "seat_order"

    def rank(seat: int) -> int:
        mine = held[seat]
        ahead = sum(other > mine for other in held)
        return 1 + ahead + (sum(other == mine for other in held[:seat]) if by_seat else 0)

    return (rank(0), rank(1), rank(2), rank(3))


def _shared(amount: int, seats: list[int]) -> Points:
    """``amount`` in parts as equal as whole points can be, the larger ones to the first seats."""
    each, odd = divmod(amount, len(seats))
    shares = {seat: each + (place < odd) for place, seat in enumerate(seats)}
    return points([shares.get(seat, 0) for seat in range(4)])
