"""The sections of the state that come from the table: what everybody's page shows.

``table`` is `game.views.view`; ``walls`` is where the wall still stands, which everybody in the room sees: for each
side the tiles on each stack (0–2), stack 1 first, from the right-hand end as the seat before it sees it. No section
tells which tile lies where in the wall.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tablectl.game.state import Hand, Phase
from tablectl.game.table import Table
from tablectl.game.views import view
from tablectl.link.server import Link


def add_table(link: Link, table: Callable[[], Table]) -> None:
    """Publish the table. ``table()`` is the one now in play: a new match may bring a new one."""
    link.section("table", lambda role, seat: view(table(), role, seat))
    link.section("walls", lambda role, seat: walls(table()))


def walls(table: Table) -> list[list[int]]:
    """Tiles on each stack of the four walls. Empty walls while none is up."""
    hand = table.hand
    standing = hand is not None and hand.phase is not Phase.IDLE
    stacks = [[2 if standing else 0] * count for count in table.rules.stacks]
    if hand is not None and standing and hand.deck is not None:
        for position in _taken(hand):
            place = hand.deck.places[position - 1]
            stacks[place.side][place.stack - 1] -= 1
    return stacks


def _taken(hand: Hand) -> Iterator[int]:
    """Positions whose tile has left the wall, as far as all were taken where the rules say."""
    deck = hand.deck
    if deck is None or not hand.live_taken:
        return
    # The dealer's last tile of the deal is its first draw, so it leaves after the others.
    last = deck.dealt(hand.dealer)[-1]
    dealt = [position for block in deck.deal for position in block.positions if position != last]
    turned = deck.indicator if hand.indicator is not None else None
    live = [*dealt, last, *deck.live]
    tail = [position for position in deck.tail[: hand.tail_taken] if position != turned]
    taken = set(live[: hand.live_taken]) | set(tail)
    if turned is not None:
        taken.add(turned)
    yield from taken
