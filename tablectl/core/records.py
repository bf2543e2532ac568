"""What the link tells of the hands that are over: list, record, replay, result sheet, statistics.

All of it comes from the events; what takes more than a moment is kept until another hand is over, and the statistics
of a whole journal are counted in slices, so that play never waits for somebody who reads.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Final

from tablectl.announce.texts import load_texts
from tablectl.app import Core
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
#: events of the journal that are counted without a pause
SLICE: Final = 200


class _Over:
    """The hands that are over, as of now."""

    def __init__(self, core: Core) -> None:
        self._core = core

    @cached_property
    def hands(self) -> list[PlayedHand]:
        table = self._core.table
        return played_hands(table.events, table.state.first_seq)

    @cached_property
    def records(self) -> list[list[Params]]:
        return [records(hand.events)[0] for hand in self.hands]

    @cached_property
    def sheets(self) -> list[Params]:
        core, table = self._core, self._core.table
        head = Head(table=core.settings.table)
        found = sheets(table.events, table.rules, first_seq=table.state.first_seq, head=head, when=self._when)
        return [sheet.to_json() for sheet in found]

    def _when(self, seq: int) -> float | None:
        entry = next(self._core.journal.read(seq - 1), None)
        return entry.wall if entry is not None and entry.seq == seq else None


class Records:
    """The methods ``hands.*``, ``sheet.get`` and ``stats.get`` of a link."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._over = _Over(core)
        self._tally = Tally()
        #: the last event of the journal that was counted
        self._counted = 0
        self._counting = asyncio.Lock()
        core.listeners.append(self._heard)

    def add_to(self, link: Link) -> None:
        link.method("hands.list", self._list, changes=False)
        link.method("hands.get", self._get, changes=False)
        link.method("hands.events", self._events, changes=False)
        link.method("sheet.get", self._sheet, changes=False)
        link.method("stats.get", self._stats, changes=False)

    def _heard(self, seq: int, events: Sequence[ev.Event]) -> None:
        if any(isinstance(event, _CHANGING) for event in events):
            self._over = _Over(self._core)

    # --- methods

    def _list(self, params: Params, client: Client) -> list[Params]:
        """The hands of this match that are over: number, dealer, winners, change of points."""
        return [hand_line(number, hand) for number, hand in enumerate(self._over.records, 1)]

    def _get(self, params: Params, client: Client) -> list[Params]:
        """The record of a hand that is over: {hand}, its number in the match."""
        return self._over.records[self._number(params) - 1]

    def _events(self, params: Params, client: Client) -> Params:
        """All events of a hand that is over, for a replay: {hand} -> {number, start, events}."""
        hand = self._over.hands[self._number(params) - 1]
        return {
            "number": hand.number,
            "start": ev.to_json(hand.start),
            "events": [ev.to_json(event) for event in hand.events],
        }

    def _number(self, params: Params) -> int:
        wanted, count = params.get("hand"), len(self._over.hands)
        if type(wanted) is not int or not 1 <= wanted <= count:
            known = f"expected 1 to {count}" if count else "no hand is over yet"
            raise RpcError(INVALID_PARAMS, f"there is no hand {wanted!r}; {known}")
        return wanted

    def _sheet(self, params: Params, client: Client) -> Params:
        """The result sheets of this match, one a game: -> {sheets, zone: of their times, fans: English names}."""
        sheets, english = self._over.sheets, load_texts("en").fans
        used = {
            fan for sheet in sheets for column in sheet["columns"] for cell in column["cells"] for fan in cell["fans"]
        }
        names = {fan: english[fan] for fan in sorted(used) if fan in english}
        return {"sheets": sheets, "zone": self._core.settings.time_zone, "fans": {"en": names}}

    async def _stats(self, params: Params, client: Client) -> Params:
        """Fairness statistics over all walls and dice in the journal (docs/fairness.md)."""
        async with self._counting:
            for n, entry in enumerate(self._core.journal.read(self._counted), 1):
                if entry.type in Tally.TYPES:
                    self._tally.add(ev.from_json(entry.data))
                self._counted = entry.seq
                if n % SLICE == 0 or entry.type in ("wall", "opened"):
                    await self._core.clock.sleep(0)
        return self._tally.report().to_json()


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
