"""Judging declared wins and settling a hand of 北京麻将 (T19, T24, T26, T28, T39–T47)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from tablectl.rules.api import NO_POINTS, Incident, Points, RulesError, Settlement, Situation, Verdict, Win
from tablectl.rules.beijing.exposed import barred, exposed
from tablectl.rules.beijing.fans import WonHand
from tablectl.rules.beijing.options import Options
from tablectl.rules.beijing.scoring import Count, count, value
from tablectl.rules.common.forms import copies
from tablectl.rules.common.payments import SEATS, Transfer, moved, others, points, total
from tablectl.rules.common.wildcards import unknown_wildcards
from tablectl.rules.wins import turn_order
from tablectl.tiles.meld import Meld, MeldKind

#: The events of T45, and facts that the table or the referee notes: an unclear call of the win with the hand laid open
#: (T24), a self-drawn tile put among the others (T25), a hand that may not win any more (T44), a seat that was ready
#: when the wall was used up (T42).
INCIDENT_KINDS: Final = frozenset(
    {
        "pot_penalty",
        "exposure",
        "burn_dealer",
        "exposed_kong",
        "added_kong",
        "concealed_kong",
        "unclear_call",
        "inserted",
        "dead_hand",
        "ready",
    }
)


# --- judging


@dataclass(frozen=True, slots=True)
class Judged:
    """A declared win measured against T28, but for `not_first`; ``counted`` where the hand is complete."""

    reason: str | None
    counted: Count | None = None

    @property
    def worth(self) -> Verdict:
        """The verdict without the proof, for waits."""
        if self.counted is None or self.reason is not None:
            return Verdict(False, self.reason, {}, 0)
        return Verdict(True, None, self.counted.names, self.counted.score)

    @property
    def verdict(self) -> Verdict:
        """The verdict; the proof of a refused hand says what was there."""
        if self.counted is None:
            return self.worth
        worth = self.worth
        return Verdict(
            worth.legal, worth.reason, worth.fans, worth.score, str(self.counted.reading), self.counted.proof
        )


def judge(win: Win, situation: Situation, options: Options) -> Judged:
    """The first reason of T28 that refuses the win."""
    if len(win.concealed) != 13 - 3 * len(win.melds):
        return Judged("wrong_count")
    held = copies(win)
    if not all(map(is_meld, win.melds)) or max(held.values()) > 4 or any(tile.is_flower for tile in held):
        return Judged("not_complete")
    facts = {incident.kind for incident in situation.incidents if incident.seat == win.seat}
    lowest = options.lowest_reading or ("inserted" in facts and win.source is None)
    counted = count(WonHand(win, situation, options, lowest=lowest))
    if counted is None:
        return Judged("not_complete")
    if win.source is not None and win.tile in barred(situation.incidents, win.seat):
        return Judged("exposed_tile", counted)
    for fact in ("unclear_call", "dead_hand"):
        if fact in facts:
            return Judged(fact, counted)
    return Judged(None, counted)


def is_meld(meld: Meld) -> bool:
    """A chow, pung or kong (T28)."""
    if meld.kind is MeldKind.CHOW:
        low = meld.tile
        return bool(low.suit) and low.rank <= 7 and meld.tiles == (low, low + 1, low + 2)
    return meld.tiles == (meld.tile,) * (4 if meld.is_kong else 3)


# --- settling


def settle(situation: Situation, options: Options) -> Settlement:
    """The whole hand: its events, then the declared wins in the order of T26. The pot, and what 烧庄 costs, come to the
    first winner's payments.

    Raises:
        RulesError: wins and events that no table could show.
    """
    _check(situation)
    payments = total(*(paid_for(incident, options) for incident in situation.incidents))
    pot = situation.carry.get("pot", 0) + sum(penalty_of(i, options) for i in situation.incidents)
    if not situation.wins:
        ready = {incident.seat for incident in situation.incidents if incident.kind == "ready"}
        payments = total(payments, _shared_by_ready(ready, options))
        return Settlement((Verdict(True, None, {}, 0),), payments, carry=_carried(pot))
    verdicts: dict[int, Verdict] = {}
    paid: dict[int, Points] = {}
    for number in turn_order(situation.wins):
        win = situation.wins[number]
        judged = judge(win, situation, options)
        if judged.reason is None and paid and options.multiple_winners == "nearest":
            verdicts[number] = Verdict(False, "not_first", {}, 0)
            continue
        found = verdicts[number] = _amended(judged.verdict, situation.amended.get(win.seat), options)
        if not found.legal:
            payments = total(payments, false_win(win.seat, situation.dealer, options))
            continue
        paid[number] = won(win, found.score, situation.dealer, options)
        if len(paid) == 1:
            paid[number] = total(paid[number], _to(win.seat, pot), _burnt(situation.incidents, options))
            pot = 0
    in_order = range(len(situation.wins))
    return Settlement(
        tuple(verdicts[number] for number in in_order),
        total(payments, *paid.values()),
        carry=_carried(pot),
        win_payments=tuple(paid[number] for number in in_order if number in paid),
    )


def _amended(found: Verdict, fans: Mapping[str, int] | None, options: Options) -> Verdict:
    """The verdict with the fans that the referee put (T30, T31)."""
    if fans is None or not found.legal:
        return found
    return replace(found, fans=fans, score=value(sum(fans.values()), options))


def _check(situation: Situation) -> None:
    problems = [
        *_impossible_wins(situation.wins),
        *_incomplete_events(situation),
        *unknown_wildcards(situation, "T11"),
    ]
    if problems:
        raise RulesError(*problems)


def _impossible_wins(wins: tuple[Win, ...]) -> Iterator[str]:
    for win in wins:
        if win.source == win.seat:
            yield f"seat {win.seat} cannot win on its own tile; expected another seat, or null if self-drawn"
    if len({(win.tile, win.source) for win in wins}) > 1:
        yield "several wins are on different tiles; expected one tile of one seat (T26)"
    elif len(wins) > 1 and wins[0].source is None:
        yield "several wins are self-drawn; expected one, or a tile of another seat (T26)"


def _incomplete_events(situation: Situation) -> Iterator[str]:
    for event in situation.incidents:
        if event.kind == "exposure" and not exposed(event):
            yield f'exposure of seat {event.seat}: expected its tiles, e.g. tiles: "45m" (T45)'
        elif event.kind == "exposed_kong" and event.source is None:
            yield f"exposed_kong of seat {event.seat}: expected from, the seat that discarded the tile (T45)"
        elif event.kind == "burn_dealer" and event.seat != situation.dealer:
            yield f"burn_dealer of seat {event.seat}: expected the dealer, seat {situation.dealer} (T46)"


def _carried(pot: int) -> dict[str, int]:
    return {"pot": pot} if pot else {}


# --- payments


def won(win: Win, score: int, dealer: int, options: Options) -> Points:
    """T41: on a discard the discarder pays all, self-drawn each his part. ``score`` is V."""
    if win.source is not None:
        due = rounded(3 * score if win.seat == dealer else 2 * score, 2, options)
        return moved([Transfer(win.source, win.seat, due)])
    return moved(
        Transfer(other, win.seat, _part(other, win.seat, score, dealer, options)) for other in others(win.seat)
    )


def false_win(seat: int, dealer: int, options: Options) -> Points:
    """T43: to each what he would have paid for a self-drawn 满贯."""
    limit = value(options.limit_fan, options)
    return moved(Transfer(seat, other, _part(other, seat, limit, dealer, options)) for other in others(seat))


def _part(payer: int, winner: int, score: int, dealer: int, options: Options) -> int:
    """What ``payer`` pays for a self-drawn hand worth ``score`` (T41)."""
    return rounded(score, 2 if dealer in (payer, winner) else 4, options)


def rounded(amount: int, parts: int, options: Options) -> int:
    """``amount / parts``, rounded up (T39)."""
    return -(-amount // (parts * options.round_to)) * options.round_to


def penalty_of(incident: Incident, options: Options) -> int:
    """What a penalty puts into the pot (T40, T45)."""
    return int(incident.extra.get("points", options.penalty_points)) if incident.kind == "pot_penalty" else 0


def paid_for(incident: Incident, options: Options) -> Points:
    """What an event moves when it happens (T40, T42); 烧庄 is paid at the end of the hand (T46)."""
    seat = incident.seat
    if incident.kind == "pot_penalty":
        return _to(seat, -penalty_of(incident, options))
    if incident.kind == "exposed_kong" and incident.source is not None:
        return moved([Transfer(incident.source, seat, options.exposed_kong_points)])
    from_each = {"added_kong": options.added_kong_points, "concealed_kong": options.concealed_kong_points}
    return moved(Transfer(other, seat, from_each.get(incident.kind, 0)) for other in others(seat))


def _burnt(incidents: Iterable[Incident], options: Options) -> Points:
    """烧庄: the last count stands for those before it (T46)."""
    burns = [incident for incident in incidents if incident.kind == "burn_dealer"]
    if not burns or not options.burn_dealer:
        return NO_POINTS
    last = max(burns, key=lambda burn: int(burn.extra.get("count", 1)))
    due = options.burn_dealer_points << max(0, int(last.extra.get("count", 1)) - 1)
    return moved(Transfer(last.seat, other, due) for other in others(last.seat))


def _shared_by_ready(ready: set[int], options: Options) -> Points:
    """A drawn hand: the seats not ready pay the sum in equal parts, the ready ones share it (T42). Two pay two."""
    payers = [seat for seat in SEATS if seat not in ready]
    parts = max(len(payers), len(ready))
    if not ready or not payers:
        return NO_POINTS
    due = rounded(options.draw_ready_points, parts, options)
    receivers = sorted(ready)
    return moved(Transfer(payers[n % len(payers)], receivers[n % len(receivers)], due) for n in range(parts))


def _to(seat: int, amount: int) -> Points:
    return points([amount if other == seat else 0 for other in SEATS])
