"""Where the wall still stands, which everybody in the room sees. Not which tile lies where."""

from __future__ import annotations

from collections.abc import Iterator

from tablectl.game.state import Hand, Phase
from tablectl.game.table import Table


def walls(table: Table) -> list[list[int]]:
    """Tiles on each stack (0–2) of the four walls, stack 1 first, from the right-hand end as its seat sees it.
    Empty walls while none is up."""
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
