"""The match and the tournament of 镇江麻将 (Z103, Z601–Z611), as pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tablectl.rules.api import HandResult, MatchState, Placing, Points
from tablectl.rules.common.rounds import advance, ended
from tablectl.rules.zhenjiang.accounts import after_fines
from tablectl.rules.zhenjiang.options import Options


def first_seat(presser: int, total: int, options: Options) -> int:
    """The seat that deals first: the one set, else counted anticlockwise from the presser, who is 1 (Z103)."""
    return (presser + total - 1) % 4 if options.first_dealer is None else options.first_dealer


def first_hand(options: Options) -> MatchState:
    """The first dealer is seat 0 unless another was set or thrown (Z103, Z601); everybody holds the same (Z605)."""
    start, first = options.start_points, options.first_dealer
    return MatchState(points=(start, start, start, start), dealer=first or 0, first=first)


def next_hand(match: MatchState, result: HandResult, minutes: float, options: Options) -> MatchState:
    """Who deals next, and whether the match is over (Z601–Z603)."""
    if result.winners:
        keeps = match.dealer in result.winners and options.dealer_win_keeps_deal
    else:
        keeps = options.draw_keeps_deal
    following = advance(match, result, keeps=keeps)
    return ended(match, following, _over(following, result, minutes, options))


def _over(following: MatchState, result: HandResult, minutes: float, options: Options) -> str | None:
    if following.circle > options.match_rounds:
        return "circles"
    if result.broken_off or (options.match_minutes is not None and minutes >= options.match_minutes):
        return "time"
    out = sum(1 for tickets in following.points if tickets <= 0)  # 两光: tested between hands only
    return "two_out" if options.out_seats is not None and out >= options.out_seats else None


def final_tickets(match: MatchState, options: Options) -> Points:
    """The tickets that rank a seat: those held, after the fines account (Z606)."""
    return after_fines(match.points, match.carry, options)


def closed(match: MatchState, options: Options) -> MatchState:
    """The match at its end, its fines account empty (Z606)."""
    return replace(match, points=final_tickets(match, options), carry={})


def placings(tickets: Sequence[int], options: Options) -> tuple[Placing, ...]:
    """The places at a table and who goes on (Z607, Z608), seat by seat. All seats equal to the last advancing place go
    on too."""
    going_on = options.advance_second if options.stage == "second" else options.advance_preliminary
    ranks = [1 + sum(other > held for other in tickets) for held in tickets]
    return tuple(Placing(rank, advances=rank <= going_on) for rank in ranks)
