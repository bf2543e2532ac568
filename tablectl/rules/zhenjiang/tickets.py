"""The tickets (底牌) of a seat: large and small ones, how a payment is handed over (Z605)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tablectl.rules.zhenjiang.options import Options


class Tickets(NamedTuple):
    """So many large and so many small tickets."""

    large: int
    small: int

    def worth(self, options: Options) -> int:
        return self.large * options.large_value + self.small * options.small_value


class Handover(NamedTuple):
    """What the payer lays down, and what he gets back."""

    paid: Tickets
    change: Tickets


def at_start(options: Options) -> Tickets:
    """What each seat starts with; where `start_points` were changed alone, those in the fewest tickets."""
    told = Tickets(options.large_tickets, options.small_tickets)
    return told if told.worth(options) == options.start_points else named(options.start_points, options)


def named(amount: int, options: Options) -> Tickets:
    """A payment as large and small tickets, e.g. 12 = 1 large 2 small."""
    large, left = divmod(amount, options.large_value)
    return Tickets(large, -(-left // options.small_value))


def hand_over(payer: Tickets, receiver: Tickets, amount: int, options: Options) -> Handover | None:
    """How ``payer`` pays ``amount`` to ``receiver``, giving change between them, with the fewest tickets moved.

    None where the two cannot do it: then a third seat changes a large ticket first.
    """
    ways = []
    for large in range(payer.large + 1):
        for small in range(payer.small + 1):
            paid = Tickets(large, small)
            back = paid.worth(options) - amount
            change = Tickets(0, back // options.small_value)
            exact = back >= 0 and change.worth(options) == back
            if exact and change.small <= receiver.small + small:
                ways.append(Handover(paid, change))
    return min(ways, key=lambda way: sum(way.paid) + sum(way.change), default=None)


def changer(seats: Sequence[Tickets], options: Options) -> int | None:
    """The seat that can best change a large ticket into small ones; None where nobody can."""
    needed = options.large_value // options.small_value
    able = [seat for seat, tickets in enumerate(seats) if tickets.small >= needed]
    return max(able, key=lambda seat: seats[seat].small, default=None)
