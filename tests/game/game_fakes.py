"""A small rule system with every hook of the contract set from outside, to try the game machine's paths alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from pydantic import BaseModel

from tablectl.rules.api import (
    NO_POINTS,
    HandResult,
    HandView,
    How,
    Incident,
    MatchState,
    Payment,
    Play,
    Points,
    RuleSet,
    Settlement,
    Situation,
    Verdict,
    Wait,
    Win,
)
from tablectl.tiles.sets import TILE_SETS
from tablectl.tiles.tile import Tile
from tablectl.tiles.wall import DealBlock, Deck, round_the_city, tail_order


class NoOptions(BaseModel):
    pass


class FakeRules(RuleSet):
    """Wins on the kinds in ``winning`` are legal and pay 1 by each other seat, or 3 by the discarder; kongs pay 2."""

    id = "fake"
    name_zh = "假"
    name_en = "fake"
    Options = NoOptions
    incident_kinds = frozenset({"exposed_kong", "added_kong", "concealed_kong", "dead_hand", "wild_discard"})

    def __init__(
        self,
        play: Play | None = None,
        *,
        tiles: str = "136",
        winning: frozenset[Tile] = frozenset({Tile.RED}),
        undrawn: int = 0,
        throws: int = 1,
        observe: Callable[[HandView], tuple[Incident, ...]] | None = None,
        over: Callable[[float], str | None] = lambda minutes: None,
        robs: Callable[[HandView, int], bool] = lambda hand, seat: False,
    ) -> None:
        super().__init__(NoOptions())
        self.play = play or Play()
        self.tile_set = TILE_SETS[tiles]
        side = self.tile_set.total // 8
        self.stacks = (side, side, side, side)
        self.winning = winning
        self.reserve = undrawn
        self.throws = throws
        self.watch = observe
        self.over = over
        self.robs = robs

    def thrower(self, dealer: int, throws: Sequence[int]) -> int | None:
        """The dealer first, then the opposite seat."""
        return (dealer + 2 * len(throws)) % 4 if len(throws) < self.throws else None

    def deck(self, dealer: int, throws: Sequence[int]) -> Deck:
        places = round_the_city(self.stacks, (dealer + throws[0] - 1) % 4, throws[0])
        each = self.play.hand_tiles
        blocks, p = [], 1
        for i in range(4):
            blocks.append(DealBlock((dealer + i) % 4, tuple(range(p, p + each))))
            p += each
        blocks.append(DealBlock(dealer, (p,)))
        return Deck(places, tuple(blocks), tuple(range(p + 1, len(places) + 1)), tail_order(len(places)))

    def wild(self, indicator: Tile | None) -> frozenset[Tile]:
        return frozenset() if indicator is None else frozenset({indicator})

    def undrawn(self, hand: HandView) -> int:
        return self.reserve

    def observe(self, hand: HandView) -> tuple[Incident, ...]:
        return self.watch(hand) if self.watch is not None else ()

    def opening_win(self, hand: HandView, seat: int, *, dealer_robs: bool = False) -> Win | None:
        if hand.indicator is None or not self.robs(hand, seat):
            return None
        held = tuple(hand.seats[seat].standing)[: self.play.hand_tiles]
        return Win(seat, held, (), (), hand.indicator, None, frozenset({How.EARTHLY}))

    def settle(self, situation: Situation) -> Settlement:
        total = self._paid(situation)
        verdicts, win_payments = [], []
        dead = {i.seat for i in situation.incidents if i.kind == "dead_hand"}
        for n, win in enumerate(situation.wins):
            reason = self._refused(win, dead)
            if reason is None and n and not self.play.multiple_winners and any(v.legal for v in verdicts):
                reason = "not_first"
            verdicts.append(Verdict(reason is None, reason, {} if reason else {"win": 1}, 0 if reason else 1))
            if reason is None:
                payment = self._win(win)
                win_payments.append(payment)
                total = _plus(total, payment)
        if not verdicts:
            verdicts.append(Verdict(True, None, {}, 0))
        return Settlement(tuple(verdicts), total, win_payments=tuple(win_payments))

    def _refused(self, win: Win, dead: set[int]) -> str | None:
        if len(win.concealed) != self.play.hand_tiles - 3 * len(win.melds):
            return "wrong_tile_count"
        if win.seat in dead:
            return "dead_hand"
        return None if win.tile in self.winning else "not_a_hand"

    def _win(self, win: Win) -> Points:
        points = [0, 0, 0, 0]
        payers = [s for s in range(4) if s != win.seat] if win.source is None else [win.source] * 3
        for payer in payers:
            points[payer] -= 1
            points[win.seat] += 1
        return (points[0], points[1], points[2], points[3])

    def _paid(self, situation: Situation) -> Points:
        total = NO_POINTS
        for incident in situation.incidents:
            total = _plus(total, self.pay(situation, incident).deltas)
        return total

    def pay(self, situation: Situation, incident: Incident) -> Payment:
        if not incident.kind.endswith("kong"):
            return Payment(NO_POINTS)
        points = [-2, -2, -2, -2]
        points[incident.seat] = 6
        return Payment((points[0], points[1], points[2], points[3]))

    def waits(self, situation: Situation, hand: Win) -> tuple[Wait, ...]:
        return ()

    def first_hand(self) -> MatchState:
        return MatchState(points=(100, 100, 100, 100))

    def next_hand(self, match: MatchState, result: HandResult, minutes: float) -> MatchState:
        stays = result.void or match.dealer in result.winners
        return replace(
            match,
            points=_plus(match.points, result.deltas),
            dealer=match.dealer if stays else (match.dealer + 1) % 4,
            streak=match.streak + 1 if stays and not result.void else 0,
            hand=match.hand + 1,
            over=self.over(minutes),
        )


def _plus(a: Points, b: Points) -> Points:
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3])
