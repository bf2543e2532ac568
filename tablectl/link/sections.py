"""The sections of the state that come from the table: what everybody's page shows.

``table`` is `game.views.view`; ``walls`` is where the wall still stands, which everybody in the room sees: for each
side the tiles on each stack (0–2), stack 1 first, from the right-hand end as the seat before it sees it. No section
tells which tile lies where in the wall. ``seating``: ``since``, the number of the event since which the players sit
where they sit now.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tablectl.game.events import MatchStarted, SeatsNamed
from tablectl.game.table import Table
from tablectl.game.views import view
from tablectl.game.walls import walls
from tablectl.link.server import Link


def add_table(link: Link, table: Callable[[], Table]) -> None:
    """Publish the table. ``table()`` is the one now in play: a new match may bring a new one."""
    link.section("table", lambda role, seat: view(table(), role, seat))
    link.section("walls", lambda role, seat: walls(table()))
    seating = _Seating()
    link.section("seating", lambda role, seat: seating.now(table()))


class _Seating:
    """Since which event the players sit where they sit."""

    def __init__(self) -> None:
        self._table: Table | None = None
        self._looked = 0
        self._since = 0

    def now(self, table: Table) -> dict[str, Any]:
        if table is not self._table:
            self._table, self._looked, self._since = table, 0, 0
        first = table.state.first_seq
        for seq in range(max(self._looked + 1, first), table.last_seq + 1):
            if isinstance(table.events[seq - first], MatchStarted | SeatsNamed):
                self._since = seq
        self._looked = table.last_seq
        return {"since": self._since}
