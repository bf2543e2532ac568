"""The geometry of the wall: sides, stacks, the break, the order of drawing, the deal, the tail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """Where a tile lies in the wall: the side (seat in front of which it stands), the stack counted from 1 from the
    right-hand end as that seat sees it, the upper or the lower tile."""

    side: int
    stack: int
    upper: bool


@dataclass(frozen=True, slots=True)
class DealBlock:
    """Tiles one seat takes at once in the deal. ``positions`` count from 1 in drawing order."""

    seat: int
    positions: tuple[int, ...]


@dataclass(frozen=True)
class Deck:
    """The wall after the break.

    Positions count from 1 in drawing order, in every stack the upper tile before the lower: ``places[p - 1]``.
    """

    places: tuple[Place, ...]
    #: the deal, block by block in the order of taking
    deal: tuple[DealBlock, ...]
    #: positions of turn draws, in order; replacements may shorten it from the other end
    live: tuple[int, ...]
    #: positions of replacements, in order of taking
    tail: tuple[int, ...]
    #: position of the indicator where the dice alone decide it
    indicator: int | None = None

    def dealt(self, seat: int) -> tuple[int, ...]:
        """All positions dealt to ``seat``, in the order of taking (the dealer's last one is its drawn tile)."""
        return tuple(p for block in self.deal if block.seat == seat for p in block.positions)


def round_the_city(stacks: Sequence[int], side: int, stack: int, *, clockwise: bool = True) -> tuple[Place, ...]:
    """All places in drawing order, beginning with the ``stack``-th (from 1) counted on the wall of ``side``.

    Clockwise, stacks are counted from a wall's right-hand end, and after a wall comes the previous seat's,
    ``(side - 1) mod 4``. Anticlockwise (beijing T3), they are counted from its left-hand end, and the next seat's wall
    comes after it. A count beyond the wall goes on in the one after it (mcr T5). The places are physical ones either
    way: `Place.stack` counts from the right-hand end.
    """
    walls = [(side - i if clockwise else side + i) % 4 for i in range(4)]
    order = [(w, s) for w in walls for s in (range(1, stacks[w] + 1) if clockwise else range(stacks[w], 0, -1))]
    start = (stack - 1) % len(order)
    return tuple(Place(w, s, upper) for w, s in order[start:] + order[:start] for upper in (True, False))


def tail_order(length: int, *, upper_first: bool = True) -> tuple[int, ...]:
    """Positions from the end of a deck of ``length`` tiles, stack by stack: 143, 144, 141, 142 … (upper first)."""
    pairs = ((p, p + 1) if upper_first else (p + 1, p) for p in range(length - 1, 0, -2))
    return tuple(p for pair in pairs for p in pair)


def lane_places(stacks: Sequence[int], side: int, *, first_left: bool, lower_first: bool) -> tuple[Place, ...]:
    """The places of ``side`` in the order in which the tiles passed its lane reader while the wall was built.

    ``first_left``: the first stack built lies at the left-hand end as the seat sees it.
    """
    numbers = range(stacks[side], 0, -1) if first_left else range(1, stacks[side] + 1)
    return tuple(Place(side, s, upper) for s in numbers for upper in ((False, True) if lower_first else (True, False)))
