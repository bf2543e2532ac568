"""Matches of every rule system, played by people who draw lots: stakes, indicators and the last round, too."""

from __future__ import annotations

from random import Random

from game_driver import Players

from tablectl.game import actions as act
from tablectl.game.opening import stakes_due
from tablectl.game.state import Phase
from tablectl.game.table import Table
from tablectl.rules.registry import load

NAMES = ("王小明", "李四", "陈大文", "Zhao Yun")


class Everybody(Players):
    """Players of any rule system."""

    def _dice_and_deal(self) -> None:
        hand = self.table.hand
        assert hand is not None
        while hand.phase is Phase.STAKES:
            for seat in stakes_due(hand):
                key = "sit" if seat == hand.dealer else "pull"
                self.do(act.Press(t=self.tick(), seat=seat, key=key, n=self.random.randint(0, 1)))
        super()._dice_and_deal()
        while hand.phase is Phase.DICE:  # thrown again after the deal (tianjin)
            self.do(act.RestDice(t=self.tick(), dice=(self.random.randint(1, 6), self.random.randint(1, 6))))

    def _step(self) -> None:
        hand = self.table.hand
        assert hand is not None
        if hand.phase is not Phase.INDICATOR:
            super()._step()
            return
        assert hand.deck is not None
        position = hand.deck.indicator
        if position is None:
            position = next(p for p in hand.deck.tail if p not in self.taken)
        self.do(act.TurnIndicator(t=self.tick(), tile=self._take(position), seat=hand.dealer))


def play_match(rules_id: str, seed: int, hands: int = 4, *, claim: float = 0.5, **options: object) -> Table:
    """A match of at most so many hands."""
    table = Table(load(rules_id, options), names=NAMES)
    players = Everybody(table, Random(seed), claim=claim)
    for _ in range(hands):
        if table.match.over is not None:
            break
        players.play_hand()
    return table
