"""Judging declared wins and settling a hand of 国标麻将 (T29, T33, T47–T57)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from tablectl.rules.api import NO_POINTS, Incident, Points, Settlement, Situation, Verdict, Win
from tablectl.rules.common.payments import points, total
from tablectl.rules.common.wildcards import refuse_wildcards
from tablectl.rules.mcr.hand import Hand
from tablectl.rules.mcr.options import Options
from tablectl.rules.mcr.proof import prove
from tablectl.rules.mcr.ready import SHAPES
from tablectl.rules.mcr.scoring import Count, best, hand_of, names
from tablectl.rules.waits import shanten
from tablectl.rules.wins import turn_order

#: Incidents after which a seat may not win: a false win, or barred by the referee (T25).
BARRING = frozenset({"false_win", "dead_hand"})


class Judged(NamedTuple):
    """A declared win measured against T33; ``counted`` where the hand is complete."""

    reason: str | None
    hand: Hand | None = None
    counted: Count | None = None


def judge(win: Win, situation: Situation, options: Options) -> Judged:
    """The first reason of T33 that refuses the win, but for `not_first`."""
    standing = [tile for tile in win.concealed if not tile.is_flower]
    if len(standing) + 3 * len(win.melds) != 13 or len(standing) != len(win.concealed):
        return Judged("wrong_count")
    if any(incident.seat == win.seat and incident.kind in BARRING for incident in situation.incidents):
        return Judged("barred")
    hand = hand_of(win, situation, options)
    forms = hand.forms(win.tile) if hand.may_hold(win.tile) else []
    count = best(hand, win.tile, forms, win.source is None, win.how, options)
    if count is None:
        return Judged(_distance(hand), hand)
    if count.fans.total < options.minimum_points:
        return Judged("below_minimum", hand, count)
    return Judged(None, hand, count)


def _distance(hand: Hand) -> str:
    """How far the 13 tiles were from ready, over all shapes (T57)."""
    distance = shanten(hand.standing, 4 - len(hand.laid), shapes=SHAPES, patterned=True)
    return "wrong_tile" if distance <= 0 else "not_complete_near" if distance == 1 else "not_complete_far"


def verdict(win: Win, judged: Judged, options: Options, announced: int | None = None) -> Verdict:
    """The verdict with its proof. A refused hand counts nothing, but the proof says what was there."""
    if judged.hand is None or judged.counted is None:
        return Verdict(False, judged.reason, {}, 0)
    count = judged.counted
    reading = str(count.reading(win.tile))
    proof = prove(judged.hand, win, count, options)
    if judged.reason is not None:
        return Verdict(False, judged.reason, {}, 0, reading, proof)
    fans = names(count.fans, len(win.flowers), options)
    score = sum(fans.values())
    if announced is not None and options.score_mode == "announced":
        score = min(score, announced)
    return Verdict(True, None, fans, score, reading, proof)


def settle(situation: Situation, options: Options, announced: Mapping[int, int] | None = None) -> Settlement:
    """The whole hand: false wins before it, then the declared wins in the order of T29.

    ``announced``: the points that winners named themselves, by seat; with `score_mode` announced the smaller count
    stands (T31).

    Raises:
        RulesError: a wildcard or a stake, which this game does not have.
    """
    refuse_wildcards(situation, "T11")
    paid = total(*(paid_for(incident) for incident in situation.incidents))
    if not situation.wins:
        return Settlement((Verdict(True, None, {}, 0),), paid)
    verdicts: dict[int, Verdict] = {}
    win_payments: list[Points] = []
    for number in turn_order(situation.wins):
        win = situation.wins[number]
        judged = judge(win, situation, options)
        if judged.reason is None and win_payments:
            verdicts[number] = Verdict(False, "not_first", {}, 0)
            continue
        found = verdict(win, judged, options, (announced or {}).get(win.seat))
        if found.legal and (fans := situation.amended.get(win.seat)) is not None:
            found = replace(found, fans=fans, score=sum(fans.values()))
        verdicts[number] = found
        payment = _won(win, found.score, options) if found.legal else false_win(win.seat, judged.reason, options)
        if found.legal:
            win_payments.append(payment)
        paid = total(paid, payment)
    ordered = tuple([verdicts[number] for number in range(len(situation.wins))])
    return Settlement(ordered, paid, win_payments=tuple(win_payments))


def _won(win: Win, score: int, options: Options) -> Points:
    """T48, T49. Points may fall below 0 (T52)."""
    base = options.base_points
    change = [-base] * 4
    if win.source is None:
        change = [-base - score] * 4
    else:
        change[win.source] -= score
    change[win.seat] = 0
    change[win.seat] = -sum(change)
    return points(change)


def to_each(seat: int, amount: int) -> Points:
    """``seat`` pays ``amount`` to each of the others."""
    change = [amount] * 4
    change[seat] = -3 * amount
    return points(change)


def false_win(seat: int, reason: str | None, options: Options) -> Points:
    """What a refused declaration costs (T57)."""
    if reason in ("below_minimum", "wrong_tile"):
        return to_each(seat, options.false_win_points)
    if reason in ("not_complete_near", "wrong_count", "barred"):
        return to_each(seat, options.false_win_not_ready_points)
    return NO_POINTS


def paid_for(incident: Incident) -> Points:
    """A false win earlier in the hand (T55); other incidents are facts."""
    amount = incident.extra.get("points", 0)
    return to_each(incident.seat, amount) if incident.kind == "false_win" and amount else NO_POINTS
