"""The fold: the only writer of the state of a match. The state is a pure function of the events in order."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from typing import Any, Final

from tablectl.game import events as ev
from tablectl.game import fold_match, fold_play
from tablectl.game.counting import drawable, view
from tablectl.game.machine import IllegalStep
from tablectl.game.state import Game, MatchPhase
from tablectl.rules.api import RuleSet

__all__ = ["Fold", "FoldError", "drawable", "view"]


class FoldError(ValueError):
    """An event that cannot follow those before it. The message names its sequence number, type and the phase."""


class Fold:
    """Events in, state out. ``game`` is for reading only.

    ``log[n]`` has sequence number ``first_seq + n``; it begins with the match, or the round of games, that is played.
    """

    def __init__(self, rules: RuleSet, *, first_seq: int = 1) -> None:
        self.rules = rules
        self.first_seq = first_seq
        self.log: list[ev.Event] = []
        self.game = Game(match=rules.first_hand())
        #: what stands in place of an event: sequence number → the right event, or None
        self.replaced: dict[int, ev.Event | None] = {}
        #: corrections that wait for the one that completes them: what stood before them, and the first event changed
        self._begun: tuple[dict[int, ev.Event | None], list[tuple[int, Game]], int] | None = None
        #: the state before each hand was opened, by sequence number
        self._checkpoints: list[tuple[int, Game]] = [(first_seq, copy.copy(self.game))]

    @property
    def last_seq(self) -> int:
        """The sequence number of the latest event, ``first_seq - 1`` when there is none."""
        return self.first_seq + len(self.log) - 1

    @property
    def hand_seq(self) -> int:
        """The sequence number of the latest `HandOpened`; ``first_seq`` when there is none."""
        return self._checkpoints[-1][0]

    @property
    def unconfirmed(self) -> bool:
        """The match is over, and its ranking waits for the chief referee (zhenjiang Z611)."""
        game = self.game
        return self.rules.play.result_confirmed and game.phase is MatchPhase.OVER and not game.confirmed

    def forget(self) -> None:
        """Let go of the events so far, which a journal has: a table that is never switched off must not grow."""
        self.first_seq, self.log, self.replaced = self.last_seq + 1, [], {}
        self._checkpoints = [(self.first_seq, copy.copy(self.game))]

    def apply(self, event: ev.Event) -> int:
        """Take one event and return its sequence number.

        Raises:
            FoldError: the event cannot follow those before it. The state is then as before.
        """
        seq = self.last_seq + 1
        if isinstance(event, ev.Corrected):
            self._correct(seq, event)
        else:
            self._fold(seq, event)
        self.log.append(event)
        return seq

    def effective(self, first_seq: int | None = None) -> Iterable[tuple[int, ev.Event]]:
        """Events with their numbers as corrections left them, corrections themselves left out."""
        for seq in range(first_seq or self.first_seq, self.first_seq + len(self.log)):
            event = self.replaced.get(seq, self.log[seq - self.first_seq])
            if event is not None and not isinstance(event, ev.Corrected):
                yield seq, event

    def told(self, seq: int) -> ev.Event | None:
        """Event ``seq`` as it was told at first, before any correction; None for one that is told just now."""
        place = seq - self.first_seq
        return self.log[place] if place < len(self.log) else None

    def objection(self, *events: ev.Corrected) -> str | None:
        """Why these corrections cannot be taken together, in words; None where they can. The state stays as it is."""
        before = self.replaced.copy(), self._checkpoints.copy()
        try:
            for event in events:
                self._correct(self.last_seq + 1, event)
        except FoldError as error:
            return str(error).partition(": ")[2]
        self._restore(*before, min(event.replaces for event in events))
        return None

    def _correct(self, seq: int, event: ev.Corrected) -> None:
        if not self.first_seq <= event.replaces < seq or isinstance(event.event, ev.Corrected):
            raise FoldError(f"event {seq} (correction): there is no event {event.replaces} to correct")
        replaced, checkpoints, first = self._begun or (self.replaced.copy(), self._checkpoints.copy(), event.replaces)
        changed = min(first, event.replaces)
        self._begun = (replaced, checkpoints, changed) if event.more else None
        self.replaced[event.replaces] = event.event
        if event.more:
            return
        try:
            self._refold(changed)
        except FoldError as error:
            self._restore(replaced, checkpoints, changed)
            raise FoldError(f"event {seq} (correction of {event.replaces}): {error}") from None

    def _restore(self, replaced: dict[int, ev.Event | None], checkpoints: list[tuple[int, Game]], changed: int) -> None:
        """Take a correction of event ``changed`` back."""
        self.replaced, self._checkpoints = replaced, checkpoints
        self._refold(changed)

    def _refold(self, changed: int) -> None:
        while len(self._checkpoints) > 1 and self._checkpoints[-1][0] > changed:
            self._checkpoints.pop()
        start, game = self._checkpoints[-1]
        if len(self._checkpoints) > 1:
            self._checkpoints.pop()  # taken again when its hand opens
        self.game = copy.copy(game)
        for seq, event in self.effective(start):
            self._fold(seq, event)

    def _fold(self, seq: int, event: ev.Event) -> None:
        if isinstance(event, ev.HandOpened):
            self._checkpoints.append((seq, copy.copy(self.game)))
        try:
            _HANDLERS[type(event)](self, event, seq)
        except IllegalStep as error:
            raise FoldError(f"event {seq} ({event.type}): {error}") from None


_HANDLERS: Final[dict[type[ev.Event], Callable[[Fold, Any, int], None]]] = {
    ev.MatchStarted: fold_match.match_started,
    ev.SeatsNamed: fold_match.seats_named,
    ev.MatchEnded: fold_match.match_ended,
    ev.HandOpened: fold_match.hand_opened,
    ev.StakeChosen: fold_play.stake_chosen,
    ev.DealerThrown: fold_play.dealer_thrown,
    ev.DiceThrown: fold_play.dice_thrown,
    ev.HandDealt: fold_play.dealt,
    ev.IndicatorTurned: fold_play.indicator_turned,
    ev.TileDrawn: fold_play.drawn,
    ev.FlowerLaid: fold_play.flower_laid,
    ev.TileDiscarded: fold_play.discarded,
    ev.ClaimCalled: fold_play.called,
    ev.ChowMade: fold_play.claimed,
    ev.PungMade: fold_play.claimed,
    ev.ExposedKongMade: fold_play.claimed,
    ev.ConcealedKongMade: fold_play.concealed_kong,
    ev.AddedKongMade: fold_play.added_kong,
    ev.TileShown: fold_play.tile_shown,
    ev.IncidentNoted: fold_match.incident,
    ev.PointsPaid: fold_match.paid,
    ev.HandKilled: fold_match.killed,
    ev.TimeWarned: fold_match.warned,
    ev.Alerted: fold_match.alerted,
    ev.WinDeclared: fold_match.win_declared,
    ev.WinWithdrawn: fold_match.win_withdrawn,
    ev.HandWon: fold_match.hand_won,
    ev.HandDrawn: fold_match.hand_drawn,
    ev.WallRevealed: fold_match.for_the_record,
    ev.Committed: fold_match.committed,
    ev.CommitmentOpened: fold_match.for_the_record,
    ev.HandEnded: fold_match.hand_ended,
    ev.Ruled: fold_match.ruled,
}
