"""Judging and settling a hand of 天津麻将 (T310, T501–T511)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from tablectl.rules.api import NO_POINTS, How, Incident, Points, RulesError, Settlement, Situation, Verdict, Win
from tablectl.rules.common.forms import copies, is_pung_or_kong
from tablectl.rules.common.payments import Transfer, moved, others, total
from tablectl.rules.tianjin.hand import wild_kinds
from tablectl.rules.tianjin.options import Options
from tablectl.rules.tianjin.patterns import Values
from tablectl.rules.tianjin.scoring import Count, count
from tablectl.tiles.meld import MeldKind
from tablectl.tiles.tile import Tile

#: events that are kongs (T510); ``added_kong`` is an exposed kong without a discarder
KONGS: Final = frozenset({"exposed_kong", "added_kong", "concealed_kong", "gold_kong"})


# --- why a win is refused (T310)


@dataclass(frozen=True, slots=True)
class _Declared:
    """A declared win with what T310 looks at."""

    win: Win
    situation: Situation
    options: Options
    kinds: frozenset[Tile]

    def has(self, *how: How) -> bool:
        return not self.win.how.isdisjoint(how)

    def event(self, kind: str) -> bool:
        """Whether such an event names the winner."""
        return any(event.kind == kind and event.seat == self.win.seat for event in self.situation.incidents)


def _bad_tile(at: _Declared) -> bool:
    return bool(at.win.flowers) or any(tile.is_flower for tile in copies(at.win))


def _bad_meld(at: _Declared) -> bool:
    return not all(map(is_pung_or_kong, at.win.melds))


def _wild_in_meld(at: _Declared) -> bool:
    return any(meld.tile in at.kinds and meld.kind is not MeldKind.CONCEALED_KONG for meld in at.win.melds)


def _impossible_tiles(at: _Declared) -> bool:
    """The indicator lies in the wall, so three tiles of its kind are in play (T112)."""
    return any(n > 4 - (tile == at.situation.indicator) for tile, n in copies(at.win).items())


def _wrong_tile_count(at: _Declared) -> bool:
    return len(at.win.concealed) != 13 - 3 * len(at.win.melds)  # five melds leave less than none


def _bad_how(at: _Declared) -> bool:
    is_dealer, melds = at.win.seat == at.situation.dealer, at.win.melds
    if at.has(How.HEAVENLY) and (not is_dealer or melds or at.has(How.KONG_REPLACEMENT)):
        return True
    if at.has(How.EARTHLY) and (is_dealer or melds):
        return True
    without_kong = at.has(How.KONG_REPLACEMENT) and not any(meld.is_kong for meld in melds)
    return without_kong or at.has(How.FLOWER_REPLACEMENT)


#: The reasons in the order of T310, as far as they do not depend on how the hand is read.
_REASONS: Final[tuple[tuple[str, Callable[[_Declared], bool]], ...]] = (
    ("bad_indicator", lambda at: not at.kinds),
    ("bad_tile", _bad_tile),
    ("bad_meld", _bad_meld),
    ("wild_in_meld", _wild_in_meld),
    ("impossible_tiles", _impossible_tiles),
    ("wrong_tile_count", _wrong_tile_count),
    ("bad_how", _bad_how),
    ("discard_win", lambda at: at.win.source is not None or at.has(How.ROBBING_KONG)),
    ("small_xianggong", lambda at: at.event("wild_discard") and at.options.wild_discard == "small_xianggong"),
    ("dead_hand", lambda at: at.event("dead_hand")),
)


@dataclass(frozen=True, slots=True)
class Judged:
    """A declared win: why it is refused, and its count where the hand could be read."""

    reason: str | None
    score: int = 0
    counted: Count | None = None

    @property
    def worth(self) -> Verdict:
        """The verdict without the proof, for waits."""
        legal = self.reason is None and self.counted is not None
        fans = self.counted.fans if legal and self.counted else {}
        return Verdict(legal, self.reason, fans, self.score if legal else 0)

    @property
    def verdict(self) -> Verdict:
        """With the reading and the proof; a refused win says what was there."""
        worth = self.worth
        if self.counted is None:
            return worth
        return Verdict(
            worth.legal, worth.reason, worth.fans, worth.score, str(self.counted.reading), self.counted.proof
        )


def judge(win: Win, situation: Situation, options: Options) -> Judged:
    """The first reason of T310 that holds, else the score (T402)."""
    kinds = wild_kinds(situation.indicator)
    declared = _Declared(win, situation, options, kinds)
    for name, holds in _REASONS:
        if holds(declared):
            return Judged(name)
    counted = count(win, kinds, options)
    if counted is None:
        return Judged("not_complete")
    score = _capped(counted.score, options)
    reason = "below_minimum" if score < options.minimum else None
    if reason is None and (fans := situation.amended.get(win.seat)) is not None:
        score = Values(options).amended(fans)
        counted = replace(counted, score=score, fans=dict(fans))
    return Judged(reason, _capped(score, options), counted)


def _capped(score: int, options: Options) -> int:
    return score if options.score_cap is None else min(score, options.score_cap)


# --- who pays (T501–T511)


def factor(situation: Situation, options: Options, a: int, b: int) -> int:
    """f(a, b): what sitting and pulling make of a payment between two seats (T501)."""
    dealer = situation.dealer
    if dealer not in (a, b):
        return 1
    sits = options.sit_factor if situation.stakes.get("sit") else 1
    pulls: Mapping[int, int] = situation.stakes.get("pull", {})
    return sits * int(options.pull_factor ** pulls.get(a + b - dealer, 0))


def paid_for(incident: Incident, situation: Situation, options: Options) -> Points:
    """What an event of the hand moves: kongs and chan (T505, T506); facts move nothing."""
    return moved(_transfers(incident, situation, options))


def _transfers(incident: Incident, situation: Situation, options: Options) -> Iterator[Transfer]:
    seat, kind = incident.seat, incident.kind
    worth = {
        "exposed_kong": options.exposed_kong,
        "added_kong": options.exposed_kong,
        "concealed_kong": options.concealed_kong,
        "gold_kong": options.gold_kong,
    }
    if kind == "chan" and options.chan_enabled:
        amount = options.unit * (options.exposed_kong if options.chan is None else options.chan)
        for other in others(seat):
            yield Transfer(seat, other, amount * factor(situation, options, seat, other))
    elif kind == "exposed_kong" and incident.source is not None and options.exposed_kong_payer == "discarder":
        amount = 3 * worth[kind] * options.unit
        yield Transfer(incident.source, seat, amount * factor(situation, options, seat, incident.source))
    elif kind in worth:
        for other in others(seat):
            yield Transfer(other, seat, worth[kind] * options.unit * factor(situation, options, seat, other))


def paid_for_win(win: Win, score: int, situation: Situation, options: Options) -> Points:
    """Each of the three others pays `unit` × score × f (T502)."""
    amount = options.unit * score
    return moved(
        Transfer(other, win.seat, amount * factor(situation, options, win.seat, other)) for other in others(win.seat)
    )


def settle(situation: Situation, options: Options) -> Settlement:
    """The whole hand: kongs and chan, then the win.

    Raises:
        RulesError: a situation that no hand brings about (T205, T301, T510).
    """
    problems = tuple(_problems(situation, options))
    if problems:
        raise RulesError(*problems)
    drawn = not situation.wins
    paying = [
        event for event in situation.incidents if event.kind not in KONGS or not drawn or options.kongs_paid_on_draw
    ]
    change = total(*(paid_for(event, situation, options) for event in paying))
    if drawn:
        return Settlement((Verdict(True, None, {}, 0),), change)
    judged = [judge(win, situation, options) for win in situation.wins]
    paid = [
        paid_for_win(win, found.score, situation, options)
        for win, found in zip(situation.wins, judged, strict=True)
        if found.reason is None
    ]
    fines = [
        moved(Transfer(win.seat, other, options.false_win_penalty) for other in others(win.seat))
        for win, found in zip(situation.wins, judged, strict=True)
        if found.reason is not None
    ]
    return Settlement(
        tuple(found.verdict for found in judged), total(change, *paid, *fines), NO_POINTS, win_payments=tuple(paid)
    )


def _problems(situation: Situation, options: Options) -> Iterator[str]:
    """What is no hand of this game at all. Two seats may well claim one discard: both are refused."""
    if len(situation.wins) > 1 and any(win.source is None for win in situation.wins):
        seats = " and ".join(str(win.seat) for win in situation.wins)
        yield f"wins: seats {seats} win; expected one win at most, a self-draw (T301)"
    chans = [event.seat for event in situation.incidents if event.kind == "chan"]
    for seat in chans:
        if seat != situation.dealer:
            yield f"events: chan of seat {seat}; expected the dealer, seat {situation.dealer} (T510)"
    if len(chans) > 1:
        yield f"events: {len(chans)} times chan; expected one at most (T510)"
    pulls: Mapping[int, int] = situation.stakes.get("pull", {})
    for seat, times in pulls.items():
        if seat == situation.dealer and times:
            yield f"stakes.pull: seat {seat} is the dealer, who never pulls (T205)"
        if not 0 <= times <= options.pull_max:
            yield f"stakes.pull: seat {seat} pulls {times} times; expected 0 to {options.pull_max} (T204, pull_max)"
