"""The announcer: from events, the table's cycle and its faults to what stands on each display now and what is said.

It decides nothing about the game and changes nothing: it reads the match's state, keeps a stack of notices and tells,
for a given moment, which is on top. What it never shows: `announce.narrator`, and the number of tiles left in the wall
(competition J12).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from tablectl.announce.narrator import Narrator, Table
from tablectl.announce.notices import PRIORITY, Notice
from tablectl.announce.screens import LAYOUTS, Screen, screen
from tablectl.announce.speech import Speech
from tablectl.announce.texts import Texts
from tablectl.announce.words import FaultLine, Phrase, Seat, Signed, Wind
from tablectl.base.bus import Bus
from tablectl.base.clock import Clock
from tablectl.base.faults import Fault, FaultCleared, FaultLatch, FaultRaised, Severity
from tablectl.game import events as ev
from tablectl.game.state import MatchPhase
from tablectl.rules.api import Points
from tablectl.tiles.tile import Tile

#: Seconds that a page of a long screen is shown.
PAGE_SECONDS: Final = 4.0
#: Hexadecimal digits of a commitment that a display shows; all 64 are on the page and in the record.
SHOWN_DIGITS: Final = 16
#: Kinds of notice with a countdown in them.
COUNTDOWNS: Final = frozenset({"turn", "hurry"})
#: States of the table's cycle in which nothing moves and nobody has to act: shown when there is nothing else.
RESTING: Final = frozenset({"idle", "ready"})


@dataclass(frozen=True)
class View:
    """Who looks: the language, and the seat that a display belongs to (None: it stands for all)."""

    texts: Texts
    seat: int | None = None


class Announcer:
    """One for a table. ``changed`` is called whenever a display may have to be redrawn or something is to be said.

    ``texts`` and ``quiet`` as for `Narrator`. All times are seconds on the table's clock.
    """

    def __init__(
        self, table: Table, texts: Texts, *, quiet: Iterable[str] = (), changed: Callable[[], object] = lambda: None
    ) -> None:
        self.changed = changed
        self._table = table
        self._narrator = Narrator(table, texts, quiet)
        self._stack = self._narrator.stack
        #: warnings that were there the last time, by code and place
        self._warned: set[tuple[str, str]] = set()
        #: the notice on top for each view, what it was filled with besides, and its screen
        self._filled: dict[View, tuple[Notice, object, Screen]] = {}
        #: codes that pair a phone with a seat: (code, until when)
        self._codes: dict[int, tuple[str, float]] = {}

    # --- what is shown and said

    def current(self, view: View, now: float) -> Screen:
        """What stands on a display at ``now``."""
        values: dict[str, Any] = {"context": self._header(view.texts), "simulated": self._table.game.simulated}
        notice = self._stack.top(now)
        codes = self._shown_codes(view, now)
        if codes and (notice is None or notice.rank < PRIORITY["pairing"]):
            return screen("pairing", values | {"codes": codes}, view.texts)
        if notice is None:
            return screen("idle", values, view.texts)
        if notice.kind in COUNTDOWNS:
            values["seconds"] = _seconds_left(notice, now)
        elif notice.kind == "totals":
            values["totals"] = self._totals(notice.values["changes"], view.seat)
        page = _page(notice, now)
        before = self._filled.get(view)
        if before is None or before[0] is not notice or before[1] != (values, page):
            before = notice, (values, page), screen(notice.kind, {**notice.values, **values}, view.texts, page)
            self._filled[view] = before
        return before[2]

    def next_change(self, now: float) -> float | None:
        """When a display next changes by time alone: a countdown ticks, a page turns, a notice ends. None = never."""
        moments = [self._stack.next_change(now), *(until for _, until in self._codes.values() if until > now)]
        notice = self._stack.top(now)
        if notice is not None and notice.kind in COUNTDOWNS:
            seconds = _seconds_left(notice, now)
            if seconds:
                moments.append(notice.values["deadline"] - (seconds - 1))
        elif notice is not None and LAYOUTS[notice.kind].turns_pages:
            moments.append(notice.since + (_page(notice, now) + 1) * PAGE_SECONDS)
        return min((moment for moment in moments if moment is not None), default=None)

    def take_speech(self) -> list[Speech]:
        """What is to be said since the last call, in order."""
        spoken, self._narrator.spoken = self._narrator.spoken, []
        return spoken

    # --- what happened

    def event(self, event: ev.Event, now: float) -> None:
        """An event, after the state was folded from it."""
        if isinstance(event, ev.Committed) and event.what == "wall":
            self.commit(" ".join(event.digest[n : n + 4] for n in range(0, SHOWN_DIGITS, 4)), now)
            return
        self._narrator.tell(event, now)
        self.changed()

    def machine(self, state: str, sides: Sequence[tuple[int, int]], now: float) -> None:
        """The table's cycle: its state by name, and (tiles stacked, of how many) of each side."""
        if state == "shuffling":
            self._stack.drop("machine")
            bars = [(Wind(seat, self._narrator.dealer), done, total) for seat, (done, total) in enumerate(sides)]
            self._stack.put("shuffling", now, sides=bars)
        else:
            self._stack.drop("shuffling")
            if state == "homing":
                self._stack.put("homing", now, key="machine")
            elif state != "fault":
                rank = "rest" if state in RESTING else "machine"
                title, note = Phrase(f"machine.{state}"), Phrase(f"machine_note.{state}")
                self._stack.put("machine", now, rank=rank, title=title, note=note)
        self.changed()

    def faults(self, standing: Sequence[Fault], now: float) -> None:
        """All faults that stand, oldest first. One that stops the table stays until it is cleared, the oldest of them
        in front: it caused the stop. A warning is shown for a while when it is new."""
        stops = [fault for fault in standing if fault.severity is Severity.STOP]
        if stops and "fault" not in self._stack:
            self._narrator.say("fault", "say.fault", now=now)
        if stops:
            self._stack.put("fault", now, **fault_values(stops[0]))
        else:
            self._stack.drop("fault")
        warned = {(fault.code, fault.where) for fault in standing if fault.severity is Severity.WARN}
        for fault in standing:
            if (fault.code, fault.where) in warned - self._warned:
                self._stack.put("warning", now, **fault_values(fault))
        self._warned = warned
        self.changed()

    def pair(self, seat: int, code: str, seconds: float, now: float) -> None:
        """Show a code that makes a phone the one of ``seat``: on that seat's display, and on those that stand for
        all."""
        self._codes[seat] = (code, now + seconds)
        self.changed()

    def unpair(self, seat: int) -> None:
        """The code was used, or is void."""
        self._codes.pop(seat, None)
        self.changed()

    def commit(self, digest: str, now: float) -> None:
        """A commitment to the built wall, to stand on the display until the dice are thrown."""
        self._narrator.commitment = digest
        self._narrator.await_people(now)
        self.changed()

    def listen(self, bus: Bus, clock: Clock, faults: FaultLatch) -> Callable[[], None]:
        """Show what is waited for, and follow the events and faults on ``bus``; the result ends it. The table's cycle
        is told by `machine`."""
        self._narrator.await_people(clock.now())

        def fault_changed(_: object) -> None:
            self.faults(faults.active, clock.now())

        ends = [
            bus.subscribe(ev.Event, lambda event: self.event(event, clock.now())),
            *(bus.subscribe(kind, fault_changed) for kind in (FaultRaised, FaultCleared)),
        ]

        def stop() -> None:
            for end in ends:
                end()

        return stop

    # ---

    def _shown_codes(self, view: View, now: float) -> list[tuple[object, ...]]:
        dealer = self._narrator.dealer
        return [
            (Seat(seat, dealer), code)
            for seat, (code, until) in sorted(self._codes.items())
            if until > now and view.seat in (None, seat)
        ]

    def _header(self, texts: Texts) -> str:
        """The header of a hand: its circle and number, and whether it counts double."""
        game = self._table.game
        if game.hand is None or game.phase is MatchPhase.WAITING:
            return texts("header.table")
        return _header_of_hand(texts, game.hand.prevalent, game.hand.number, doubled=self._narrator.doubled)

    def _totals(self, changes: Points, seat: int | None) -> list[tuple[object, ...]]:
        """Points of the current game (never of earlier games, J102) with the change of the last hand; on a seat's own
        display with the differences to its own points, itself first."""
        game, dealer = self._table.game, self._narrator.dealer
        points = game.match.points
        order = range(4) if seat is None else [(seat + n) % 4 for n in range(4)]
        differences = changes if seat is None else tuple(points[s] - points[seat] for s in range(4))
        return [(Wind(s, dealer, marked=True), game.names[s], points[s], Signed(differences[s])) for s in order]


@lru_cache(maxsize=16)
def _header_of_hand(texts: Texts, prevalent: Tile, number: int, *, doubled: bool) -> str:
    """Kept, because it is asked for every second."""
    double = texts("header.double") if doubled else ""
    return texts("header.hand", {"wind": texts(f"wind.{prevalent.code}"), "hand": number, "double": double})


def _page(notice: Notice, now: float) -> int:
    return int((now - notice.since) / PAGE_SECONDS + 1e-9) if LAYOUTS[notice.kind].turns_pages else 0


def _seconds_left(notice: Notice, now: float) -> int | None:
    deadline = notice.values["deadline"]
    return None if deadline is None else max(0, math.ceil(deadline - now - 1e-6))


def fault_values(fault: Fault) -> dict[str, Any]:
    """The values of a notice of a fault."""
    return {
        "code": fault.code,
        "where": fault.where,
        "title": FaultLine(fault, "title"),
        "cause": FaultLine(fault, "cause"),
        "next": FaultLine(fault, "next_step"),
    }
