"""The table: actions in, events out. It decides, folds what it decided, and never raises for what people do.

Tiles really moved, so an action that breaks a rule is not undone: it becomes an alert, a dead hand, or both, and play
goes on with the tiles where they lie. There is no clock here: time passes with the actions' ``t``, and `PassTime` must
be applied at `Table.next_deadline`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from math import inf
from typing import Any, Final

from tablectl.game import actions as act
from tablectl.game import ends, fairness, limits, opening, play, rulings, winning
from tablectl.game import events as ev
from tablectl.game.alerts import ALERTS
from tablectl.game.counting import view
from tablectl.game.fold import Fold, FoldError
from tablectl.game.judge import situation
from tablectl.game.options import Options, legal
from tablectl.game.state import Game, Hand, MatchPhase, Phase
from tablectl.refusals import Refusal
from tablectl.rules.api import NO_POINTS, Incident, MatchState, RuleSet


class Table:
    """One match at one table under ``rules``.

    ``match``: where the match stands before the first hand (default: `RuleSet.first_hand`). ``first_seq``: the
    sequence number of the first event.
    """

    def __init__(
        self,
        rules: RuleSet,
        *,
        match: MatchState | None = None,
        names: tuple[str, str, str, str] = ("", "", "", ""),
        simulated: bool = False,
        first_seq: int = 1,
    ) -> None:
        self.rules = rules
        self.names = names
        self.simulated = simulated
        self.start = match
        self.state = Fold(rules, first_seq=first_seq)
        #: what is due next, and the event up to which that was reckoned: asked after every antenna read
        self._due: tuple[int, float | None] | None = None
        #: since when all that happens is seen: no limit of a seat runs before (monotonic seconds)
        self.seen_since = -inf

    # --- reading

    @property
    def game(self) -> Game:
        return self.state.game

    @property
    def match(self) -> MatchState:
        """Where the match stands: before the first hand, and between hands, the state of the hand to come."""
        game, start = self.state.game, self.start
        if start is None or game.hand is not None or game.before:
            return game.match
        if game.phase is not MatchPhase.BETWEEN:
            return start
        # begun, and a penalty may have been paid since: a player came late
        carry = {**start.carry, **game.match.carry}
        return replace(start, points=game.match.points, off_board=game.match.off_board, carry=carry)

    @property
    def hand(self) -> Hand | None:
        """The hand in progress or just ended; None before the first one."""
        return self.state.game.hand

    @property
    def events(self) -> list[ev.Event]:
        """All events of the match, or of the round of games, that is played; ``events[n]`` has sequence number
        ``state.first_seq + n``."""
        return self.state.log

    @property
    def last_seq(self) -> int:
        return self.state.last_seq

    def next_deadline(self) -> float | None:
        """When `PassTime` must be applied next (monotonic seconds); None while nothing is timed."""
        if self._due is None or self._due[0] != self.last_seq:
            self._due = self.last_seq, limits.next_deadline(self)
        return self._due[1]

    def stop_clock(self, t: float) -> None:
        """Until ``t`` it was not seen what happened at some seat (a reader was silent): the limits of all seats begin
        anew then."""
        self.seen_since = t
        self._due = None

    @property
    def pause_due(self) -> int:
        """Minutes of the pause that the referee may call now, between two hands; 0 for none, or when it was taken."""
        game = self.game
        if self.playing is not None or game.phase is not MatchPhase.BETWEEN or game.pauses or not game.before:
            return 0
        return self.rules.pause_due(self.match, game.minutes(self.events[-1].t))

    @property
    def unconfirmed(self) -> bool:
        """As of `Fold.unconfirmed`."""
        return self.state.unconfirmed

    def legal(self, seat: int) -> Options:
        """What ``seat`` may do now."""
        return legal(self, seat)

    def refusal(self, ruling: act.Rule) -> Refusal | None:
        """Why this ruling has no effect now, for the console; None where it has one."""
        return rulings.refusal(self, ruling)

    # --- acting

    def apply(self, action: act.Action) -> list[ev.Event]:
        """Judge an action, fold what it brought about, and return the new events.

        Never raises for what people do. A ruling that has no effect now returns no event (see `refusal`).
        """
        before = self.last_seq
        due = self.next_deadline()
        if due is not None and due <= action.t:
            limits.pass_time(self, action.t)
        handler = _HANDLERS.get(type(action))
        if handler is None:
            raise TypeError(f"{type(action).__name__} is not an action of the table")
        try:
            handler(self, action)
        except FoldError as error:  # tiles moved in a way that no play explains
            self.alert(action.t, "impossible_move", getattr(action, "seat", None), str(error))
        return self.state.log[before + 1 - self.state.first_seq :]

    def fold(self, event: ev.Event) -> int:
        """Take an event of a journal as it stands and return its sequence number.

        Raises:
            FoldError: it cannot follow those before it.
        """
        return self.state.apply(event)

    @classmethod
    def replay(cls, rules: RuleSet, events: Iterable[ev.Event], *, first_seq: int = 1) -> Table:
        """The table after these events.

        Raises:
            FoldError: an event cannot follow those before it; the message says which.
        """
        table = cls(rules, first_seq=first_seq)
        for event in events:
            table.fold(event)
        return table

    # --- for the modules that decide

    def emit(self, event: ev.Event) -> int:
        """Fold a new event and return its sequence number."""
        return self.state.apply(event)

    def alert(self, t: float, code: str, seat: int | None, detail: str = "") -> None:
        """Raise an alert, unless the same one was raised since the last discard."""
        hand = self.hand
        if hand is None or (code, seat) not in hand.raised:
            self.emit(ev.Alerted(t=t, code=code, seat=seat, detail=detail))

    def observe(self, t: float) -> None:
        """Let the rules look at the hand after a move, and settle what the move brought about."""
        hand = self.hand
        if hand is None:
            return
        for incident in self.rules.observe(view(hand)):
            self.settle_incident(t, incident)
            if incident.kind in ALERTS:
                self.alert(t, incident.kind, incident.seat, str(incident.extra.get("detail", "")))
            if incident.extra.get("dead") and hand.seats[incident.seat].dead is None:
                self.emit(ev.HandKilled(t=t, actor=incident.seat, reason=incident.kind))

    def settle_incident(self, t: float, incident: Incident) -> None:
        """Pay what an incident moves; note it where it moves nothing; end the hand where that ends the game."""
        hand = self.hand
        if hand is None or incident.kind not in self.rules.incident_kinds:
            return
        payment = self.rules.pay(situation(self.game, hand), incident)
        if payment.deltas == NO_POINTS and payment.off_board == NO_POINTS:
            event: ev.Event = ev.IncidentNoted(
                t=t, kind=incident.kind, actor=incident.seat, target=incident.source, extra=dict(incident.extra)
            )
        else:
            event = ev.PointsPaid(
                t=t,
                reason=incident.kind,
                deltas=payment.deltas,
                off_board=payment.off_board if payment.off_board != NO_POINTS else None,
                actor=incident.seat,
                target=incident.source,
                extra=dict(incident.extra),
            )
        self.emit(event)
        ends.break_off_if_over(self, t)

    @property
    def playing(self) -> Hand | None:
        """The hand while it is being played (from the dice to its end), else None."""
        hand = self.hand
        return hand if hand is not None and hand.phase not in (Phase.IDLE, Phase.ENDED) else None


_HANDLERS: Final[dict[type[act.Action], Callable[[Table, Any], None]]] = {
    act.StartMatch: opening.start_match,
    act.NameSeats: opening.name_seats,
    act.RaiseWalls: opening.raise_walls,
    act.ClearTable: ends.clear_table,
    act.Press: opening.press,
    act.RestDice: opening.rest_dice,
    act.Deal: opening.deal,
    act.TurnIndicator: opening.turn_indicator,
    act.Draw: play.draw,
    act.LayFlower: play.lay_flower,
    act.DiscardTile: play.discard,
    act.LayMeld: play.lay_meld,
    act.ShowTile: play.show_tile,
    act.DeclareWin: winning.declare_win,
    act.Suspect: play.suspect,
    act.Amend: play.amend,
    act.RevealWall: ends.reveal_wall,
    act.Commit: fairness.commit,
    act.OpenCommitment: fairness.open_commitment,
    act.Rule: rulings.rule,
    act.PassTime: limits.already_passed,
}

__all__ = ["FoldError", "Table"]
