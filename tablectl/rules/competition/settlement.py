"""Judging and settling a hand of 竞技麻将 (J35, J60–J92)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tablectl.rules.api import NO_POINTS, How, Payment, Points, Settlement, Situation, Verdict, Win
from tablectl.rules.common.payments import Transfer
from tablectl.rules.common.wildcards import refuse_wildcards
from tablectl.rules.competition.fans import WonHand
from tablectl.rules.competition.ledger import Ledger, to_each
from tablectl.rules.competition.liability import Bill, bill
from tablectl.rules.competition.options import Options
from tablectl.rules.competition.scoring import Count, count
from tablectl.rules.reading import counts_of
from tablectl.rules.wins import turn_order
from tablectl.tiles.meld import MeldKind
from tablectl.tiles.tile import Tile


@dataclass(frozen=True, slots=True)
class Judged:
    """A declared win measured against J35 (a)–(c), before anybody's points are looked at."""

    hand: WonHand | None
    reason: str | None
    counted: Count | None = None

    @property
    def refused(self) -> Verdict:
        """The verdict of a false win: nothing counts, but the proof says what was there."""
        proof = self.counted.proof if self.counted else ()
        return Verdict(False, self.reason, {}, 0, str(self.counted.reading) if self.counted else "", proof)

    @property
    def worth(self) -> Verdict:
        """The verdict without the proof, for waits."""
        if self.counted is None or self.reason is not None:
            return Verdict(False, self.reason, {}, 0)
        return Verdict(True, None, self.counted.names, self.counted.total)

    def verdict(self, reason: str | None = None) -> Verdict:
        """The verdict of a hand that is worth something; ``reason`` where it may not be won all the same."""
        if self.counted is None or self.reason is not None:
            return self.refused
        counted = self.counted
        return Verdict(reason is None, reason, counted.names, counted.total, str(counted.reading), counted.proof)


def judge(win: Win, situation: Situation, options: Options, waits: tuple[Tile, ...] | None = None) -> Judged:
    """J35 (a)–(c), in the order of J90. ``waits``: the wait set, where the caller knows it."""
    if len(win.concealed) != 13 - 3 * len(win.melds) or any(tile.is_flower for tile in win.concealed):
        return Judged(None, "wrong_tile_count")
    facts = {incident.kind for incident in situation.incidents if incident.seat == win.seat}
    if "dead_hand" in facts:
        return Judged(None, "dead_hand")
    if win.tile.is_flower or not all(_is_meld(win, number) for number in range(len(win.melds))):
        return Judged(None, "not_a_hand")
    if max(counts_of((*win.concealed, win.tile, *(tile for meld in win.melds for tile in meld.tiles)))) > 4:
        return Judged(None, "not_a_hand")
    hand = WonHand(win, options, mixed_in="inserted" in facts, waits=waits)
    counted = count(hand)
    if counted is None:
        return Judged(hand, "not_a_hand")
    if options.require_fan and not counted.fans:
        return Judged(hand, "no_fan", counted)
    return Judged(hand, None, counted)


def _is_meld(win: Win, number: int) -> bool:
    meld = win.melds[number]
    tile = meld.tile
    if meld.kind is MeldKind.CHOW:
        return not tile.is_honour and tile.rank <= 7 and meld.tiles == (tile, tile + 1, tile + 2)
    return not tile.is_flower and meld.tiles == (tile,) * (4 if meld.is_kong else 3)


def settle(situation: Situation, options: Options) -> Settlement:
    """The whole hand: incidents in time order, then the wins in the order of J70.

    Raises:
        RulesError: a wildcard or a stake, which this game does not have.
    """
    refuse_wildcards(situation, "J1")
    ledger = Ledger(options, situation.points, situation.streak)
    for incident in situation.incidents:
        ledger.book(ledger.incident(incident))
    if not situation.wins:
        change = _difference(ledger.held, situation.points)
        return Settlement((Verdict(True, None, {}, 0),), change, ledger.off_board)
    empty = {seat for seat in range(4) if ledger.held[seat] <= 0}
    verdicts: dict[int, Verdict] = {}
    paid: dict[int, Points] = {}
    won = False
    for number in turn_order(situation.wins):
        win = situation.wins[number]
        verdict, payment = _settle_one(win, situation, ledger, empty)
        if won and verdict.legal and options.multiple_winners == "first":
            verdict, payment = Verdict(False, "not_first", {}, 0), Payment(NO_POINTS)
        ledger.book(payment)
        won = won or verdict.legal
        verdicts[number], paid[number] = verdict, payment.deltas
    numbers = range(len(situation.wins))
    return Settlement(
        tuple(verdicts[number] for number in numbers),
        _difference(ledger.held, situation.points),
        ledger.off_board,
        win_payments=tuple(paid[number] for number in numbers if verdicts[number].legal),
    )


def _settle_one(win: Win, situation: Situation, ledger: Ledger, empty: set[int]) -> tuple[Verdict, Payment]:
    options = ledger.options
    judged = judge(win, situation, options)
    if judged.hand is None or judged.counted is None or judged.reason is not None:
        return judged.refused, Payment(NO_POINTS)
    fans = situation.amended.get(win.seat, judged.counted.names)
    worth = sum(fans.values()) * ledger.win_factor
    if win.source in empty and not options.win_from_empty:
        return judged.verdict("discarder_no_points"), _compensation(win, worth, ledger)
    who = bill(judged.hand, situation.incidents)
    change = ledger.due(_transfers(win, who, worth))
    if options.losing_finish == "bust" and ledger.would_end(change) and not ledger.would_lead(win.seat, change):
        return judged.verdict("losing_finish"), Payment(NO_POINTS)
    return replace(judged.verdict(), fans=fans, score=sum(fans.values())), Payment(change)


def _transfers(win: Win, who: Bill, worth: int) -> list[Transfer]:
    return [Transfer(payer, win.seat, who.factor * worth) for payer in who.payers]


def _compensation(win: Win, worth: int, ledger: Ledger) -> Payment:
    """A win declared on a seat without points (J74): what he would have received, and a fine to each of the three."""
    options = ledger.options
    assert win.source is not None
    factor = options.robbed_factor if How.ROBBING_KONG in win.how else options.discard_factor
    transfers = [Transfer(win.seat, win.source, factor * worth)]
    transfers += to_each(win.seat, options.empty_fine * ledger.penalty_factor)
    return Payment(ledger.due(transfers))


def _difference(now: Points, before: Points) -> Points:
    return (now[0] - before[0], now[1] - before[1], now[2] - before[2], now[3] - before[3])
