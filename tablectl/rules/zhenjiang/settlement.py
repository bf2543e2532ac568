"""Judging and settling a hand of 镇江麻将 (Z314, section 5)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from tablectl.rules.api import How, Points, RulesError, Settlement, Situation, Verdict, Win
from tablectl.rules.common.forms import copies, is_pung_or_kong
from tablectl.rules.zhenjiang.accounts import Ledger, with_fine
from tablectl.rules.zhenjiang.hand import Hand, wildcard_kind
from tablectl.rules.zhenjiang.options import Options
from tablectl.rules.zhenjiang.scoring import KONGS, THROWN, Count, amended, count
from tablectl.tiles.tile import Tile

#: refusals that cost nothing: impossible inputs and a lost race (Z314)
NO_FINE: Final = frozenset({"bad_indicator", "bad_meld", "impossible_tiles", "bad_how", "outranked"})


# --- why a win is refused (Z314)


@dataclass(frozen=True, slots=True)
class _Declared:
    """A declared win with what Z314 looks at."""

    win: Win
    situation: Situation
    options: Options
    wildcard: Tile | None

    def has(self, *how: How) -> bool:
        return not self.win.how.isdisjoint(how)

    def events(self, *kinds: str) -> bool:
        """Whether such an event names the winner."""
        return any(event.kind in kinds and event.seat == self.win.seat for event in self.situation.incidents)


def _bad_meld(at: _Declared) -> bool:
    wild = at.options.wildcard_meld == "forbidden" and any(meld.tile is at.wildcard for meld in at.win.melds)
    return wild or not all(map(is_pung_or_kong, at.win.melds))


def _impossible_tiles(at: _Declared) -> bool:
    """The indicator is out of play: three of its kind are left (Z109). The other three of a robbed kind lie in the
    konger's pung."""
    held, indicator = copies(at.win), at.situation.indicator
    if any(tile.is_flower or n > 4 - (tile is indicator) for tile, n in held.items()):
        return True
    return at.has(How.ROBBING_KONG) and (held[at.win.tile] > 1 or at.win.tile is indicator)


def _bad_how(at: _Declared) -> bool:
    win = at.win
    if win.source == win.seat or at.has(How.FLOWER_REPLACEMENT):
        return True
    if at.has(How.HEAVENLY):
        late = win.melds or win.source is not None or at.has(How.KONG_REPLACEMENT) or at.events(*KONGS, *THROWN)
        if win.seat != at.situation.dealer or late:
            return True
    if at.has(How.ROBBING_KONG) and (win.source is None or at.has(How.KONG_REPLACEMENT)):
        return True
    if not at.has(How.KONG_REPLACEMENT):
        return False
    return win.source is not None or not any(meld.is_kong for meld in win.melds) or not at.events(*KONGS)


def dead_by(options: Options) -> frozenset[str]:
    """The events that make their seat 相公 under these options (Z211, Z214, Z215)."""
    by_option = {
        "first_wildcard_kept": options.first_wildcard_rule == "must",
        "wildcard_not_shown": options.second_wildcard_rule == "show_discard",
        "second_wildcard_hidden": options.second_wildcard_rule == "show_held",
        "wrong_count": options.wrong_count_dead_hand,
    }
    return frozenset({"false_win", "dead_hand", *(kind for kind, holds in by_option.items() if holds)})


#: The reasons in the order of Z314, as far as they do not depend on the other claimants and on how the hand is read.
_REASONS: Final[tuple[tuple[str, Callable[[_Declared], bool]], ...]] = (
    ("bad_indicator", lambda at: at.wildcard is None),
    ("bad_meld", _bad_meld),
    ("impossible_tiles", _impossible_tiles),
    ("bad_how", _bad_how),
    ("wrong_tile_count", lambda at: len(at.win.concealed) != 13 - 3 * len(at.win.melds)),
    ("dead_hand", lambda at: at.events(*dead_by(at.options))),
)


@dataclass(frozen=True, slots=True)
class Judged:
    """A declared win: why it is refused (but for `outranked`), and what it is worth where it could be read."""

    reason: str | None
    counted: Count | None = None

    def verdict(self, options: Options, *, proof: bool = True) -> Verdict:
        counted = self.counted
        if counted is None:
            return Verdict(False, self.reason, {}, 0)
        reading, lines = (counted.hand.reading(), counted.proof) if proof else ("", ())
        if self.reason is not None:
            return Verdict(False, self.reason, {}, 0, reading, lines)
        return Verdict(True, None, counted.fans, options.base * counted.total, reading, lines)


def judge(win: Win, situation: Situation, options: Options) -> Judged:
    """The first reason of Z314 that holds, 1–9, else what the hand is worth."""
    wildcard = wildcard_kind(situation.indicator)
    declared = _Declared(win, situation, options, wildcard)
    for reason, holds in _REASONS:
        if holds(declared):
            return Judged(reason)
    assert wildcard is not None  # bad_indicator
    hand = Hand.of(win, wildcard, options)
    if not hand.complete:
        return Judged("not_complete")
    counted = count(hand, situation.incidents, options)
    if (fans := situation.amended.get(win.seat)) is not None:
        counted = amended(counted, fans)
    if win.source is not None and options.discard_win_natural_only and not hand.natural:
        return Judged("natural_only", counted)
    if win.source is not None and not options.any_wait_discard_win and hand.any_wait:
        return Judged("any_wait_discard", counted)
    return Judged(None, counted)


# --- settling


def settle(situation: Situation, options: Options) -> Settlement:
    """The whole hand: the events in order, then fines for refused wins, then the win of the nearest claimant.

    Raises:
        RulesError: wins on different tiles.
    """
    problems = tuple(_problems(situation))
    if problems:
        raise RulesError(*problems)
    ledger = Ledger(situation.points, options)
    carry = dict(situation.carry)
    at_once = options.false_win_settle == "at_once"
    for event in situation.incidents:
        ledger.book(ledger.incident(event))
        if event.kind == "false_win" and not at_once:
            carry = with_fine(carry, event.seat, options.false_win_units)
    if not situation.wins:
        return Settlement((Verdict(True, None, {}, 0),), ledger.change, carry=carry)

    judged = {win.seat: judge(win, situation, options) for win in situation.wins}
    winner: int | None = None
    for win in in_turn(situation):
        found = judged[win.seat]
        if found.reason is None and winner is not None:
            judged[win.seat] = Judged("outranked")
        elif found.reason is None:
            winner = win.seat
        elif found.reason not in NO_FINE and at_once:
            ledger.book(ledger.fine(win.seat, options.false_win_units))
        elif found.reason not in NO_FINE:
            carry = with_fine(carry, win.seat, options.false_win_units)
    paid: tuple[Points, ...] = ()
    for win in situation.wins:
        counted = judged[win.seat].counted
        if win.seat == winner and counted is not None:
            paid = (ledger.book(ledger.win(win, counted)),)
    verdicts = tuple(judged[win.seat].verdict(options) for win in situation.wins)
    return Settlement(verdicts, ledger.change, carry=carry, win_payments=paid)


def in_turn(situation: Situation) -> list[Win]:
    """The claimants of one tile, the nearest after the discarder first (Z204)."""
    return sorted(situation.wins, key=lambda win: win.after_discarder)


def _problems(situation: Situation) -> Iterator[str]:
    """Several seats can only win one tile (Z312)."""
    claimed = {(win.source, win.tile) for win in situation.wins}
    if len(claimed) > 1 or (len(situation.wins) > 1 and (None, situation.wins[0].tile) in claimed):
        wins = ", ".join(f"seat {win.seat} on {win.tile} from {win.source}" for win in situation.wins)
        yield f"wins: {wins}; expected claimants of one discarded or robbed tile (Z312)"
