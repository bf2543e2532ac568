"""How a match goes on from hand to hand: who deals, and which round (圈) it is."""

from __future__ import annotations

from dataclasses import replace

from tablectl.rules.api import HandResult, MatchState
from tablectl.rules.common.payments import total
from tablectl.tiles.tile import WINDS


def advance(match: MatchState, result: HandResult, *, keeps: bool, first: int = 0) -> MatchState:
    """The hand after this one. ``keeps``: the dealer deals again and his streak grows; else the deal goes to the next
    seat. A void hand is played again as it was.

    A round is over when the deal is back at the ``first`` dealer, or at the one that was drawn (`MatchState.first`).
    """
    first = first if match.first is None else match.first
    dealer, streak = match.dealer, match.streak
    if not result.void:
        dealer, streak = (dealer, streak + 1) if keeps else ((dealer + 1) % 4, 0)
    circle = match.circle + (match.dealer != dealer == first)
    return replace(
        match,
        points=total(match.points, result.deltas),
        off_board=total(match.off_board, result.off_board),
        carry=result.carry,
        dealer=dealer,
        streak=streak,
        circle=circle,
        prevalent=WINDS[(circle - 1) % 4],
        hand=match.hand + (not result.void),
    )


def ended(match: MatchState, following: MatchState, over: str | None) -> MatchState:
    """``following``, over for this reason; the round shown stays the one that was played."""
    if over is None:
        return following
    return replace(following, over=over, circle=match.circle, prevalent=match.prevalent)
