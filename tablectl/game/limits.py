"""Time: limits of discards, warnings, the end of the game's time. Driven by the actions' ``t``; no clock here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tablectl.game import actions as act
from tablectl.game import ends, opening
from tablectl.game import events as ev
from tablectl.game.machine import OPENING
from tablectl.game.state import Hand, MatchPhase, Phase

if TYPE_CHECKING:
    from tablectl.game.table import Table

#: The antennas see a tile up to so many seconds after it moved; a limit counts as overrun only beyond that.
LATENCY_SECONDS = 1.5

#: phases in which a seat owes a discard
_TIMED = (*OPENING, Phase.TURN, Phase.REPLACING, Phase.CLAIMED, Phase.DISCARDED, Phase.ROBBING)


def to_discard(hand: Hand) -> int:
    """The seat whose discard is awaited."""
    if hand.phase in OPENING:
        return hand.dealer
    return hand.next_seat if hand.phase is Phase.DISCARDED else hand.turn


def deadline(table: Table, hand: Hand) -> float | None:
    """When the discard that is awaited is due (monotonic seconds): a seat has its whole time from when it is seen."""
    if hand.deadline is None or hand.since is None:
        return hand.deadline
    return max(hand.deadline, table.seen_since + hand.deadline - hand.since)


def _discard_limits(table: Table, hand: Hand) -> Iterator[tuple[float, str]]:
    """When the warning and the overrun of the present limit are due."""
    timed = hand.phase in _TIMED and to_discard(hand) not in table.game.empty_seats
    if hand.deadline is None or not timed or ends.exhausted_at(table) is not None:
        return
    due = deadline(table, hand) or 0.0
    if not hand.warned:
        yield due - table.rules.play.warn_before_seconds, "warn"
    if not hand.overrun:
        yield due + LATENCY_SECONDS, "overrun"


def _stake_limits(table: Table, hand: Hand) -> Iterator[tuple[float, str]]:
    """When the seats that have not chosen their stakes are taken not to sit or pull (tianjin T205)."""
    seconds, since = table.rules.play.stakes_seconds, hand.since if hand.since is not None else hand.opened_at
    if seconds is not None and since is not None:
        yield since + seconds, "stakes"


def _match_limits(table: Table) -> Iterator[tuple[float, str]]:
    game, play = table.game, table.rules.play
    if play.match_minutes is None or game.started_at is None or game.phase in (MatchPhase.WAITING, MatchPhase.OVER):
        return
    end = game.started_at + game.paused_seconds + 60 * play.match_minutes
    if play.warn_minutes_left and 60 * play.warn_minutes_left not in game.time_told:
        yield end - 60 * play.warn_minutes_left, "match_warning"
    if 0.0 not in game.time_told:
        yield end, "match_end"


def _due(table: Table) -> Iterator[tuple[float, str]]:
    """What time will bring about, with the moment of each."""
    if table.game.standing_since is not None:
        return
    yield from _match_limits(table)
    hand = table.playing
    if hand is None or table.game.paused_at is not None:
        return
    if hand.phase is Phase.STAKES:
        yield from _stake_limits(table, hand)
    if hand.phase is Phase.DEALING and hand.early_dice is not None:
        yield max(hand.early_dice[1], table.seen_since) + opening.DEAL_SEEN_SECONDS, "early_dice"
    yield from _discard_limits(table, hand)
    exhausted = ends.exhausted_at(table)
    if exhausted is not None:
        yield exhausted, "exhausted"


def next_deadline(table: Table) -> float | None:
    return min((moment for moment, _ in _due(table)), default=None)


def pass_time(table: Table, t: float) -> None:
    """Bring about, in order, everything that was due before ``t``."""
    while (due := min(_due(table), default=None)) is not None and due[0] <= t:
        _bring_about(table, *due)


def _bring_about(table: Table, t: float, what: str) -> None:
    hand, play = table.playing, table.rules.play
    if what == "match_warning":
        seconds = 60 * (play.warn_minutes_left or 0)
        table.emit(ev.TimeWarned(t=t, actor=None, what="match", seconds=seconds))
    elif what == "match_end":
        table.emit(ev.TimeWarned(t=t, actor=None, what="match", seconds=0.0))
        if not ends.end_by_time(table, t):
            ends.stop_at_time(table, t)
    elif hand is None:
        return
    elif what == "stakes":
        for seat in opening.stakes_due(hand):
            table.alert(t, "over_time", seat, f"stakes: limit {play.stakes_seconds:g} s")
            opening.choose_stake(table, hand, seat, 0, t)
    elif what == "early_dice" and hand.early_dice is not None:
        seat = hand.early_dice[0]
        table.emit(ev.Alerted(t=t, code="dice_wrong_seat", seat=seat, detail="the deal is not complete"))
    elif what == "warn":
        first = "discard" if hand.discards else "first_discard"
        table.emit(ev.TimeWarned(t=t, actor=to_discard(hand), what=first, seconds=play.warn_before_seconds))
    elif what == "overrun":
        limit = (hand.deadline or 0) - (hand.since or 0)
        table.emit(ev.Alerted(t=t, code="over_time", seat=to_discard(hand), detail=f"limit {limit:g} s"))
    else:
        ends.draw_hand(table, t, "exhausted")


def already_passed(table: Table, action: act.PassTime) -> None:
    """`PassTime` brings no more than `pass_time`, which every action does first."""


def by_time(event: ev.Event) -> bool:
    """Whether a limit brought the event about, and nothing that was done or reported."""
    return isinstance(event, ev.TimeWarned) or (isinstance(event, ev.Alerted) and event.code == "over_time")
