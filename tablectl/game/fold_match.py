"""How events change the match and the account of a hand: payments, statuses, wins, ends, rulings."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from tablectl.game import events as ev
from tablectl.game.counting import add, hand_of, later
from tablectl.game.machine import DECLARABLE, IllegalStep, step, step_match
from tablectl.game.state import Game, Hand, MatchPhase, OpenAlert, Phase
from tablectl.rules.api import NO_POINTS, HandResult, Incident, MatchState, Situation
from tablectl.tiles.meld import Meld, MeldKind

if TYPE_CHECKING:
    from tablectl.game.fold import Fold

_DEATHS: Final = ("dead_hand", "wrong_count", "first_wildcard_kept", "wildcard_not_shown", "second_wildcard_hidden")


# --- match


def match_started(fold: Fold, event: ev.MatchStarted, seq: int) -> None:
    game = fold.game
    step_match(game, "start")
    match = fold.rules.first_hand()
    dealer = match.dealer if event.dealer is None else event.dealer
    fold.game = Game(
        match=replace(match, points=event.scores, dealer=dealer, first=event.dealer),
        phase=game.phase,
        names=event.names,
        simulated=event.simulated,
        empty_seats=game.empty_seats,
    )


def seats_named(fold: Fold, event: ev.SeatsNamed, seq: int) -> None:
    fold.game.names = event.names


def match_ended(fold: Fold, event: ev.MatchEnded, seq: int) -> None:
    step_match(fold.game, "finish")
    if fold.game.hand is not None and fold.game.hand.phase is not Phase.ENDED:
        fold.game.hand = None  # walls stood, but no hand was begun
    fold.game.match = replace(fold.rules.closed(fold.game.match), over=event.reason)
    fold.game.confirmed = False


def hand_opened(fold: Fold, event: ev.HandOpened, seq: int) -> None:
    game = fold.game
    step_match(game, "open_hand")
    if game.started_at is None:
        game.started_at, game.paused_seconds, game.time_told = event.t, 0, frozenset()
    game.match = replace(
        game.match,
        points=event.scores,
        dealer=event.dealer,
        streak=event.streak,
        prevalent=event.bakaze,
        hand=event.hand,
        circle=event.circle,
        game=event.game,
        carry=dict(event.carry),
        over=None,
    )
    hand = game.hand = Hand(
        number=event.hand,
        dealer=event.dealer,
        prevalent=event.bakaze,
        streak=event.streak,
        start_points=event.scores,
        points=event.scores,
        phase=Phase.IDLE,
        turn=event.dealer,
        wall_left=fold.rules.tile_set.total,
        opened_at=event.t,
        carry=dict(event.carry),
    )
    for seat in game.empty_seats:
        hand.seats[seat].dead = "mechanical"
    step(hand, "open_stakes" if "sit" in fold.rules.play.extra_keys else "open")


# --- facts, payments, statuses


def incident(fold: Fold, event: ev.IncidentNoted, seq: int) -> None:
    hand_of(fold.game, event).incidents.append(Incident(event.kind, event.actor, event.target, dict(event.extra)))


def paid(fold: Fold, event: ev.PointsPaid, seq: int) -> None:
    hand, game = fold.game.hand, fold.game
    off_board = event.off_board or (0, 0, 0, 0)
    if hand is None or hand.phase is Phase.ENDED:
        game.match = _paid_between_hands(fold, event)
        game.paid = (*game.paid[:-1], (*game.paid[-1], event))
        return
    hand.payments.append(event)
    hand.points = add(hand.points, event.deltas)
    hand.off_board = add(hand.off_board, off_board)
    if event.actor is not None:
        hand.incidents.append(Incident(event.reason, event.actor, event.target, dict(event.extra)))
    else:
        hand.penalties = add(hand.penalties, event.deltas)


def _paid_between_hands(fold: Fold, event: ev.PointsPaid) -> MatchState:
    """The match after a penalty between two hands; what is a fact of the rule system may stay open (beijing T40)."""
    match = fold.game.match
    carry = match.carry
    if event.actor is not None:
        fact = Incident(event.reason, event.actor, event.target, dict(event.extra))
        carry = fold.rules.settle(Situation(points=match.points, incidents=(fact,), carry=carry)).carry
    return replace(
        match,
        points=add(match.points, event.deltas),
        off_board=add(match.off_board, event.off_board or NO_POINTS),
        carry=dict(carry),
    )


def killed(fold: Fold, event: ev.HandKilled, seq: int) -> None:
    hand = hand_of(fold.game, event)
    hand.seats[event.actor].dead = event.reason
    kind = event.reason if event.reason in fold.rules.incident_kinds else "dead_hand"
    noted = any(fact.kind == kind and fact.seat == event.actor for fact in hand.incidents)
    if kind in fold.rules.incident_kinds and not noted:
        hand.incidents.append(Incident(kind, event.actor))


def warned(fold: Fold, event: ev.TimeWarned, seq: int) -> None:
    if event.what == "match":
        fold.game.time_told |= {event.seconds}
    else:
        hand_of(fold.game, event).warned = True


def alerted(fold: Fold, event: ev.Alerted, seq: int) -> None:
    hand = fold.game.hand
    if hand is None:
        return
    offence = (event.code, event.seat)
    hand.offences[offence] = hand.offences.get(offence, 0) + 1
    hand.alerts.append(OpenAlert(seq, event, hand.offences[offence]))
    hand.raised.add(offence)
    if event.code == "over_time":
        hand.overrun = True
    if event.code == "dice_wrong_seat" and hand.early_dice is not None and event.seat == hand.early_dice[0]:
        hand.early_dice = None
    if event.code == "wrong_tile_count" and event.seat is not None:
        hand.seats[event.seat].miscount = len(hand.seats[event.seat].standing)


# --- the end of a hand


def win_declared(fold: Fold, event: ev.WinDeclared, seq: int) -> None:
    hand = hand_of(fold.game, event)
    before = hand.phase
    step(hand, "declare")
    if before in DECLARABLE:
        hand.resume = before
        hand.passed.clear()
    others = [win for win in hand.declared if win.actor != event.actor]
    start = event.target if event.target != event.actor else event.actor
    hand.declared = sorted([*others, event], key=lambda win: (win.actor - start - 1) % 4)
    hand.deadline = None


def win_withdrawn(fold: Fold, event: ev.WinWithdrawn, seq: int) -> None:
    hand = hand_of(fold.game, event)
    left = [win for win in hand.declared if win.actor != event.actor]
    if len(left) == len(hand.declared) or hand.resume is None:
        raise IllegalStep(f"seat {event.actor} has not declared a win")
    if not left:
        step(hand, f"withdraw_to_{hand.resume.value}")
        hand.resume = None
        hand.passed.clear()
        hand.warned = hand.overrun = False
        hand.deadline = later(event.t, fold.rules.play.discard_seconds)
    hand.declared = left
    hand.announced.pop(event.actor, None)


def hand_won(fold: Fold, event: ev.HandWon, seq: int) -> None:
    hand = hand_of(fold.game, event)
    step(hand, "win")
    hand.payments.append(event)
    hand.points = add(hand.points, event.deltas)
    hand.winners.append(event.actor)
    if event.target != event.actor and hand.resume is Phase.ROBBING:
        konger = hand.seats[event.target]
        konger.melds = [
            Meld(MeldKind.PUNG, m.tiles[:3], m.source) if m.kind is MeldKind.ADDED_KONG and m.tile == event.pai else m
            for m in konger.melds
        ]
    elif event.target != event.actor and hand.seats[event.target].river:
        hand.seats[event.target].river[-1].claimed_by = event.actor


def hand_drawn(fold: Fold, event: ev.HandDrawn, seq: int) -> None:
    hand = hand_of(fold.game, event)
    step(hand, "end_drawn")
    hand.payments.append(event)
    hand.points = add(hand.points, event.deltas)
    hand.drawn_reason = event.reason
    hand.deadline = None


def hand_ended(fold: Fold, event: ev.HandEnded, seq: int) -> None:
    hand, game = hand_of(fold.game, event), fold.game
    step(hand, "end")
    step_match(game, "close_hand")
    hand.points = event.scores
    hand.deadline = None
    game.before, game.seated = (*game.before, game.match), (*game.seated, game.names)
    game.paid = (*game.paid, tuple(hand.payments))
    game.result = HandResult(
        winners=tuple(hand.winners),
        deltas=event.deltas,
        off_board=event.off_board or (0, 0, 0, 0),
        carry=dict(event.carry),
        void=hand.drawn_reason == "void",
        broken_off=hand.drawn_reason == "broken_off",
    )
    game.match = fold.rules.next_hand(game.match, game.result, game.minutes(event.t))
    if game.match.game != game.before[-1].game:
        game.started_at = None


def committed(fold: Fold, event: ev.Committed, seq: int) -> None:
    if fold.game.hand is not None:
        fold.game.hand.commitments[event.what] = event.digest


def for_the_record(fold: Fold, event: ev.Event, seq: int) -> None:
    """Part of the record only."""


# --- rulings


def ruled(fold: Fold, event: ev.Ruled, seq: int) -> None:
    game, hand = fold.game, fold.game.hand
    if event.do == "seat_empty" and event.seat is not None:
        game.empty_seats |= {event.seat}
    elif event.do == "seat_taken" and event.seat is not None:
        game.empty_seats -= {event.seat}
    elif event.do == "confirm":
        game.confirmed = game.phase is MatchPhase.OVER
    elif event.do == "undo":
        _undo_hand(game)
        return
    elif event.do == "pause":
        game.paused_at, game.pauses = event.t, game.pauses + 1
        game.standing_since = event.t if fold.rules.play.pause_stops_clock else None
    elif event.do == "resume":
        _resume(fold, event)
    elif event.do == "extra_time" and event.seconds is not None:
        game.paused_seconds += event.seconds
        game.time_told = frozenset()
    if hand is not None:
        _ruled_in_hand(hand, event)


def _ruled_in_hand(hand: Hand, event: ev.Ruled) -> None:
    if event.do == "revive" and event.seat is not None:
        hand.seats[event.seat].dead = None
        hand.incidents = [i for i in hand.incidents if i.seat != event.seat or i.kind not in _DEATHS]
    elif event.do == "penalty_tile" and event.seat is not None:
        hand.seats[event.seat].penalty_tile = event.pai
    elif event.do == "announce" and event.seat is not None and event.points is not None:
        hand.announced[event.seat] = event.points
    elif event.do == "amend" and event.seat is not None and event.fans is not None:
        hand.amended[event.seat] = dict(event.fans)
    answered = event.seat if event.do in ("penalty", "penalty_tile", "dead_hand", "warning", "revive") else None
    hand.alerts = [a for a in hand.alerts if a.seq != event.alert and (answered is None or a.alert.seat != answered)]


def _undo_hand(game: Game) -> None:
    if not game.before:
        raise IllegalStep("there is no hand to undo")
    step_match(game, "undo_hand")
    game.match, game.before = game.before[-1], game.before[:-1]
    if sorted(game.seated[-1]) == sorted(game.names):  # who had changed seats since is back on his own
        game.names = game.seated[-1]
    game.seated, game.paid = game.seated[:-1], game.paid[:-1]
    game.hand = game.result = None


def _resume(fold: Fold, event: ev.Ruled) -> None:
    game, hand = fold.game, fold.game.hand
    if game.paused_at is None or event.t is None:
        return
    stood = event.t - game.paused_at
    game.paused_seconds += stood if game.standing_since is not None else 0
    game.paused_at = game.standing_since = None
    if hand is not None:
        hand.since, hand.deadline, hand.claims_until = (
            later(moment, stood) for moment in (hand.since, hand.deadline, hand.claims_until)
        )
