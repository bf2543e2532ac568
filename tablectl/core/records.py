"""What the link tells of the hands that are over: list, record, replay, result sheet, statistics.

All of it comes from the events; what takes more than a moment is kept until another hand is over, and the statistics
of a whole journal are counted in slices, so that play never waits for somebody who reads.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Final

from tablectl.announce.texts import load_texts
from tablectl.app import Core
from tablectl.core.rules_info import rules_json
from tablectl.game import events as ev
from tablectl.game.playback import PlayedHand, played_hands
from tablectl.game.record import records
from tablectl.game.sheet import sheets
from tablectl.game.sheet_model import Head
from tablectl.game.statistics import Tally
from tablectl.link.connection import Client
from tablectl.link.protocol import INVALID_PARAMS, RpcError
from tablectl.link.server import Link

Params = dict[str, Any]

#: events after which what was made of the hands that are over is no longer right
_CHANGING: Final = (
    ev.MatchStarted,
    ev.SeatsNamed,
    ev.MatchEnded,
    ev.HandOpened,
    ev.HandEnded,
    ev.WallRevealed,
    ev.CommitmentOpened,
    ev.PointsPaid,
    ev.Ruled,
    ev.Corrected,
)
#: such events that are remembered: more than any spectator is behind
KEPT: Final = 1000
#: events of the journal that are counted without a pause
SLICE: Final = 200


class _Over:
    """The hands that are over, as far as the events up to number ``upto`` tell (None: all there are)."""

    def __init__(self, core: Core, upto: int | None = None) -> None:
        self._core = core
        self._upto = upto

    @cached_property
    def _events(self) -> Sequence[ev.Event]:
        table = self._core.table
        return table.events if self._upto is None else table.events[: max(0, self._upto - table.state.first_seq + 1)]

    @cached_property
    def hands(self) -> list[PlayedHand]:
        return played_hands(self._events, self._core.table.state.first_seq)

    @cached_property
    def records(self) -> list[list[Params]]:
        return [records(hand.events)[0] for hand in self.hands]

    @cached_property
    def sheets(self) -> list[Params]:
        core, table = self._core, self._core.table
        head = Head(table=core.settings.table)
        found = sheets(self._events, table.rules, first_seq=table.state.first_seq, head=head, when=self._when)
        return [sheet.to_json() for sheet in found]

    def _when(self, seq: int) -> float | None:
        entry = next(self._core.journal.read(seq - 1), None)
        return entry.wall if entry is not None and entry.seq == seq else None


class _Counted:
    """Statistics of the journal as far as it was counted."""

    def __init__(self) -> None:
        self.tally = Tally()
        #: the last event that was counted
        self.seq = 0


class Records:
    """The methods ``hands.*``, ``sheet.get`` and ``stats.get`` of a link. Each takes ``upto``, the number of the last
    event that the answer may tell of: spectators may be behind."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._over = _Over(core)
        #: what spectators who are behind are told
        self._behind: tuple[int, _Over] | None = None
        #: numbers of the events that change what is told
        self._changes: list[int] = []
        self._counted = _Counted()
        self._counted_behind = _Counted()
        self._counting = asyncio.Lock()
        core.listeners.append(self._heard)

    def add_to(self, link: Link) -> None:
        link.method("hands.list", self._list, changes=False)
        link.method("hands.get", self._get, changes=False)
        link.method("hands.events", self._events, changes=False)
        link.method("sheet.get", self._sheet, changes=False)
        link.method("stats.get", self._stats, changes=False)

    def _heard(self, seq: int, events: Sequence[ev.Event]) -> None:
        changes = [n for n, event in enumerate(events, seq - len(events) + 1) if isinstance(event, _CHANGING)]
        if changes:
            self._over = _Over(self._core)
            self._changes = [*self._changes, *changes][-KEPT:]

    def _of(self, params: Params) -> _Over:
        """What is over for who asks. Kept until the next change that he is told of."""
        upto = _upto(params)
        if upto is None:
            return self._over
        known = bisect_right(self._changes, upto)  # those long ago, and before this program was started, are not listed
        last = self._changes[known - 1] if known else upto
        if self._behind is None or self._behind[0] != last:
            self._behind = (last, _Over(self._core, last))
        return self._behind[1]

    # --- methods

    def _list(self, params: Params, client: Client) -> list[Params]:
        """The hands of this match that are over: number, dealer, winners, change of points."""
        return [hand_line(number, hand) for number, hand in enumerate(self._of(params).records, 1)]

    def _get(self, params: Params, client: Client) -> list[Params]:
        """The record of a hand that is over: {hand}, its number in the match."""
        return self._of(params).records[self._number(params) - 1]

    def _events(self, params: Params, client: Client) -> Params:
        """All events of a hand that is over, for a replay: {hand} -> {number, begun, fans, start, events}; ``begun`` in
        seconds since 1970, ``fans`` the English names of the rule system's fans."""
        over = self._of(params)
        hand = over.hands[self._number(params) - 1]
        return {
            "number": hand.number,
            "begun": over.sheets[0]["begun"] if over.sheets else None,
            "fans": rules_json(self._core.table.rules)["fans"]["en"],
            "start": ev.to_json(hand.start),
            "events": [ev.to_json(event) for event in hand.events],
        }

    def _number(self, params: Params) -> int:
        wanted, count = params.get("hand"), len(self._of(params).hands)
        if type(wanted) is not int or not 1 <= wanted <= count:
            known = f"expected 1 to {count}" if count else "no hand is over yet"
            raise RpcError(INVALID_PARAMS, f"there is no hand {wanted!r}; {known}")
        return wanted

    def _sheet(self, params: Params, client: Client) -> Params:
        """The result sheets of this match, one a game: -> {sheets, zone: of their times, fans: English names}."""
        sheets, english = self._of(params).sheets, load_texts("en").fans
        used = {
            fan for sheet in sheets for column in sheet["columns"] for cell in column["cells"] for fan in cell["fans"]
        }
        names = {fan: english[fan] for fan in sorted(used) if fan in english}
        return {"sheets": sheets, "zone": self._core.settings.time_zone, "fans": {"en": names}}

    async def _stats(self, params: Params, client: Client) -> Params:
        """Fairness statistics over all walls and dice in the journal (docs/fairness.md)."""
        upto = _upto(params)
        async with self._counting:
            if upto is not None and upto < self._counted_behind.seq:
                self._counted_behind = _Counted()
            counted = self._counted if upto is None else self._counted_behind
            for n, entry in enumerate(self._core.journal.read(counted.seq), 1):
                if upto is not None and entry.seq > upto:
                    break
                if entry.type in Tally.TYPES:
                    counted.tally.add(ev.from_json(entry.data))
                counted.seq = entry.seq
                if n % SLICE == 0 or entry.type in ("wall", "opened"):
                    await self._core.clock.sleep(0)
        return counted.tally.report().to_json()


def _upto(params: Params) -> int | None:
    upto = params.get("upto")
    if upto is not None and (type(upto) is not int or upto < 0):
        raise RpcError(INVALID_PARAMS, f"upto: {upto!r}; expected the number of an event")
    return upto


def hand_line(number: int, hand: Sequence[Params]) -> Params:
    """One line about a finished hand."""
    start, end = hand[0], hand[-1]
    wins = [event for event in hand if event["type"] == "hora"]
    return {
        "hand": number,
        "dealer": start["dealer"],
        "bakaze": start["bakaze"],
        "wins": [{key: win[key] for key in ("actor", "target", "pai", "fans", "score")} for win in wins],
        "drawn": next((event["reason"] for event in hand if event["type"] == "ryukyoku"), None),
        "deltas": end["deltas"],
        "scores": end["scores"],
    }
