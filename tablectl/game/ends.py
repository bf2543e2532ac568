"""Every end of a hand, and of a match."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablectl.game import actions as act
from tablectl.game import events as ev
from tablectl.game.claims import claims_until
from tablectl.game.counting import drawable, minus
from tablectl.game.judge import situation
from tablectl.game.state import Hand, MatchPhase, Phase
from tablectl.rules.api import NO_POINTS, Points

if TYPE_CHECKING:
    from tablectl.game.table import Table

#: where the rules set no claim window, the last discard of the wall can be won on for so long
LAST_DISCARD_SECONDS = 5.0


def paid_for_incidents(hand: Hand) -> Points:
    """What was paid during the hand, penalties left out."""
    return minus(minus(hand.points, hand.start_points), hand.penalties)


def end_hand(table: Table, t: float, carry: dict[str, int]) -> None:
    """Close the account of the hand, and the match where that ends it."""
    hand = table.playing
    if hand is None:
        return
    before = table.game.match
    table.emit(
        ev.HandEnded(
            t=t,
            scores=hand.points,
            deltas=minus(hand.points, hand.start_points),
            off_board=hand.off_board if hand.off_board != NO_POINTS else None,
            carry=carry,
        )
    )
    _add_up(table, t, hand.points)
    end_match_if_over(table, t)
    if table.game.match.over is None:
        move_players(table, table.rules.seats_after(before, table.game.match), t)


def _add_up(table: Table, t: float, points: Points) -> None:
    """What the four hold is what there is (zhenjiang Z605)."""
    in_play = table.rules.play.points_in_play
    if in_play not in (None, sum(points)):
        table.alert(t, "tickets_mismatch", None, f"{sum(points)} in all, expected {in_play}")


def move_players(table: Table, seats: tuple[int, int, int, int], t: float) -> None:
    """Players change seats between two rounds (mcr `seat_rotation_plan`): for each seat the one its player had."""
    if seats != (0, 1, 2, 3):
        a, b, c, d = (table.game.names[seat] for seat in seats)
        table.emit(ev.SeatsNamed(t=t, names=(a, b, c, d)))


def end_match_if_over(table: Table, t: float) -> None:
    if table.game.match.over is not None and table.game.phase is MatchPhase.BETWEEN:
        end_match(table, t, table.game.match.over)


def end_match(table: Table, t: float, reason: str) -> None:
    """Close the match: what the hands left open is settled (the pot, beijing T40; fines, zhenjiang Z606)."""
    table.emit(match_ended(table, t, reason))
    _add_up(table, t, table.game.match.points)


def match_ended(table: Table, t: float | None, reason: str) -> ev.MatchEnded:
    """The event that closes the match as it stands."""
    match = table.rules.closed(table.game.match)
    return ev.MatchEnded(
        t=t,
        reason=reason,
        scores=match.points,
        off_board=match.off_board if match.off_board != NO_POINTS else None,
        ranks=table.rules.ranks(table.rules.game_points(match)),
    )


def draw_hand(table: Table, t: float, reason: str) -> None:
    """End the hand without a winner. ``exhausted`` is settled by the rules; other ends leave what was paid, and what
    lies open (beijing T44)."""
    hand = table.playing
    if hand is None:
        return
    settlement = table.rules.settle(situation(table.game, hand))
    deltas = minus(settlement.payments, paid_for_incidents(hand)) if reason == "exhausted" else NO_POINTS
    table.emit(ev.HandDrawn(t=t, reason=reason, deltas=deltas))
    end_hand(table, t, dict(settlement.carry))


def break_off_if_over(table: Table, t: float) -> None:
    """End the hand where the points now held end the game at once (competition J72)."""
    hand = table.playing
    if hand is not None and table.rules.broken_off(hand.points):
        draw_hand(table, t, "broken_off")


def exhausted_at(table: Table) -> float | None:
    """When the hand is drawn because the wall is empty and nobody won on the last discard; None while it is not."""
    hand = table.playing
    if hand is None or hand.phase is not Phase.DISCARDED or hand.since is None or drawable(hand, table.rules) > 0:
        return None
    return max(claims_until(table, hand) or 0.0, max(hand.since, table.seen_since) + LAST_DISCARD_SECONDS)


def end_if_exhausted(table: Table, t: float) -> None:
    """Draw the hand where the wall is empty and nobody can, or wants to, win any more (competition J33)."""
    hand = table.playing
    if hand is None:
        return
    left = drawable(hand, table.rules)
    owed = any(seat.owed for seat in hand.seats)
    nobody = (
        table.rules.play.last_discard_claims == "none" or len(hand.passed | table.game.empty_seats | {hand.turn}) == 4
    )
    if (
        (left <= 0 and owed)
        or (left <= 0 and hand.phase is Phase.DISCARDED and nobody)
        or (hand.phase is Phase.LAST_ROUND and hand.last_round <= 0)
    ):
        draw_hand(table, t, "exhausted")


def clear_table(table: Table, action: act.ClearTable) -> None:
    """The tiles go in: an exhausted hand is over; a declared win that was not agreed yet loses its evidence."""
    hand = table.playing
    if hand is None:
        return
    if hand.phase is Phase.DECLARED and any(win.legal for win in hand.declared):
        table.alert(action.t, "hand_mixed_early", None)
    elif hand.phase is Phase.DISCARDED and drawable(hand, table.rules) <= 0:
        draw_hand(table, action.t, "exhausted")


def abandon(table: Table, t: float) -> None:
    """The next walls stand although the hand was not finished: it is void, and played again by the same dealer."""
    hand = table.playing
    if hand is None:
        return
    if hand.phase is Phase.DISCARDED and drawable(hand, table.rules) <= 0:
        draw_hand(table, t, "exhausted")
    else:
        draw_hand(table, t, "void")


def stop_at_time(table: Table, t: float) -> None:
    """The game's time is up: where the rules stop at once, the hand in progress is broken off (zhenjiang Z603); a win
    that was declared before still counts."""
    hand = table.playing
    if hand is None or table.rules.play.time_up != "stop_now" or not _begun(hand):
        return
    if not any(win.legal for win in hand.declared):
        draw_hand(table, t, "broken_off")


def _begun(hand: Hand) -> bool:
    """A hand begins with the press of the dice (competition J98)."""
    return bool(hand.throws or hand.dice_pressed or hand.live_taken)


def end_by_time(table: Table, t: float) -> bool:
    """Where the game's time is over before a hand has begun, none begins (J98).

    True where the match ended so."""
    hand, game = table.hand, table.game
    begun = hand is not None and hand.phase is not Phase.ENDED and _begun(hand)
    if begun or not game.before or game.result is None or game.phase not in (MatchPhase.BETWEEN, MatchPhase.HAND):
        return False
    late = table.rules.next_hand(game.before[-1], game.result, game.minutes(t))
    if late.over is None:
        return False
    end_match(table, t, late.over)
    return True


def reveal_wall(table: Table, action: act.RevealWall) -> None:
    hand = table.hand
    if hand is not None and hand.phase is Phase.ENDED:
        table.emit(ev.WallRevealed(t=action.t, wall=action.wall))
