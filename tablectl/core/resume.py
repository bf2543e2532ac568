"""Going on where the last run ended: the match from the journal, what was under way from the short memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from tablectl.base.clock import Clock
from tablectl.base.journal import MEMORY, Journal, JournalError
from tablectl.base.keeper import Keeper
from tablectl.base.reports import KeyPressed, LanePassed, MachineReported, Report
from tablectl.game import events as ev
from tablectl.game.fold import FoldError
from tablectl.game.limits import by_time
from tablectl.game.table import Table
from tablectl.rules.api import RulesError, RuleSet
from tablectl.rules.registry import load as load_rules
from tablectl.tracking.tracker import Tracker

#: facts that tell how the last run ended
BEGUN: Final = "begun"
ENDED: Final = "ended"
#: the fact that tells with which event the round of games began that is played
ROUND: Final = "round"
#: the fact that is written before walls are lifted
LIFTING: Final = "lifting"

#: keys whose press is told only once the moves before it are
_HELD: Final = frozenset({"chow", "pung", "kong", "win", "show"})
#: seconds for which such a press counts
_FRESH_S: Final = 6.0
#: times are remembered to the microsecond
_ROUNDED_S: Final = 1e-6


class Unreadable(Exception):
    """The record of the last match cannot be followed by this program; the message says where."""


def last_match(journal: Keeper | Journal, rules: RuleSet | None = None) -> Table | None:
    """The table as the last match left it, with the games before it in its round; None where there is none. ``rules``:
    those in force, which the match must have been begun with (None: its own).

    Raises:
        Unreadable: its record cannot be followed.
    """
    begun = journal.latest(ev.MatchStarted.type)
    if begun is None:
        return None
    told = journal.last_fact(ROUND)
    entries = list(journal.read(since=told.data["begun"] - 1)) if told is not None else []
    if not entries or entries[0].type != ev.MatchStarted.type:  # an older journal, or only a part could be saved
        entries = list(journal.read(since=begun - 1))
    first = entries[0].seq
    try:
        played = load_rules(entries[0].data["rules"], entries[0].data.get("options", {}))
        if rules is not None and (played.id, played.options) != (rules.id, rules.options):
            return None
        return Table.replay(rules or played, (ev.from_json(entry.data) for entry in entries), first_seq=first)
    except (ev.EventError, FoldError, RulesError) as error:
        raise Unreadable(f"match of event {begun}: {error}") from error


def peek(path: Path, clock: Clock) -> Table | None:
    """The table as the last run left it, without opening its journal for writing."""
    if str(path) == MEMORY or not path.exists():
        return None
    try:
        with Journal(path, clock, read_only=True) as journal:
            return last_match(journal)
    except (JournalError, Unreadable):
        return None  # told when the journal is opened


def still_lifting(journal: Keeper) -> bool:
    """Whether walls were being lifted when the last run ended: it said so, and no hand was opened since."""
    fact = journal.last_fact(LIFTING)
    if fact is None:
        return False
    return not any(entry.type == ev.HandOpened.type for entry in journal.read(since=fact.data["after"]))


# --- what was under way


def known(reports: Sequence[Report], events: Sequence[ev.Event]) -> Iterator[tuple[Report, bool]]:
    """The remembered reports in order, each with whether the record knows already what it brought about."""
    recorded = last_time(event for event in events if not by_time(event))
    recorded = float("-inf") if recorded is None else recorded
    for report in reports:
        if isinstance(report, KeyPressed) and report.key in _HELD:
            yield report, _answered(report, events) or report.t < recorded - _FRESH_S
        else:
            yield report, report.t <= recorded + _ROUNDED_S


def recall(reports: Sequence[Report], table: Table, tracker: Tracker) -> list[Report]:
    """Tell a new tracker of the walls what is remembered; the reports that the record does not know of yet.

    The dice are not thrown again by themselves: a person presses the key once more.
    """
    unheard = []
    for report, recorded in known(reports, table.events):
        if not recorded and not (isinstance(report, KeyPressed) and report.key == "dice"):
            unheard.append(report)
        elif isinstance(report, LanePassed) or (isinstance(report, MachineReported) and report.machine == "raised"):
            tracker.feed(report)
    if table.events:
        tracker.resume()
    return unheard


def last_time(events: Iterable[ev.Event]) -> float | None:
    """When the last event was (seconds of the table's clock); None where there is none."""
    return max((event.t for event in events if event.t is not None), default=None)


def _answered(press: KeyPressed, events: Sequence[ev.Event]) -> bool:
    """Whether the record holds what came of a call."""
    for event in reversed(events):
        if event.t is not None and event.t < press.t - _FRESH_S:
            return False
        if getattr(event, "actor", None) == press.seat and event.t is not None and event.t >= press.t - _ROUNDED_S:
            if isinstance(event, ev.ClaimCalled) and event.claim == press.key:
                return True
            if isinstance(event, ev.WinDeclared) and press.key == "win":
                return True
            if isinstance(event, ev.TileShown) and press.key == "show":
                return True
    return False


def walls_before(reports: Sequence[Report], events: Sequence[ev.Event]) -> bool:
    """Whether the remembered walls are those of the hand in progress: they were raised when it was opened."""
    opened = next((event.t for event in reversed(events) if isinstance(event, ev.HandOpened)), None)
    raised = [r.t for r in reports if isinstance(r, MachineReported) and r.machine == "raised"]
    return opened is None or not raised or any(abs(t - opened) < 0.001 for t in raised) or raised[-1] > opened
