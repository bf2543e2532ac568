"""The sections of the state that come from the table: what everybody's page shows.

``table`` is `game.views.view`; ``walls`` is where the wall still stands, which everybody in the room sees: for each
side the tiles on each stack (0–2), stack 1 first, from the right-hand end as the seat before it sees it. No section
tells which tile lies where in the wall.
"""

from __future__ import annotations

from collections.abc import Callable

from tablectl.game.table import Table
from tablectl.game.views import view
from tablectl.game.walls import walls
from tablectl.link.server import Link


def add_table(link: Link, table: Callable[[], Table]) -> None:
    """Publish the table. ``table()`` is the one now in play: a new match may bring a new one."""
    link.section("table", lambda role, seat: view(table(), role, seat))
    link.section("walls", lambda role, seat: walls(table()))
