"""The tickets (底牌) of a seat: large and small ones, how a payment is handed over and who gives change (Z605)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tablectl.rules.api import Handover, Points
from tablectl.rules.common.payments import SEATS
from tablectl.rules.zhenjiang.options import Options


class Tickets(NamedTuple):
    """So many large and so many small tickets."""

    large: int
    small: int

    def worth(self, options: Options) -> int:
        return self.large * options.large_value + self.small * options.small_value

    def plus(self, other: Tickets, times: int = 1) -> Tickets:
        return Tickets(self.large + times * other.large, self.small + times * other.small)

    def by_value(self, options: Options) -> dict[int, int]:
        values = {options.large_value: self.large, options.small_value: self.small}
        return {value: number for value, number in values.items() if number}


class Way(NamedTuple):
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


def way(payer: Tickets, receiver: Tickets, amount: int, options: Options) -> Way | None:
    """How ``payer`` pays ``amount`` to ``receiver``: exactly if he can, else with change between them; with the fewest
    tickets moved. None where the two cannot do it: then a third seat changes a large ticket first.
    """
    ways = []
    for large in range(payer.large + 1):
        left = amount - large * options.large_value
        small = max(0, -(-left // options.small_value))
        paid = Tickets(large, small)
        back = paid.worth(options) - amount
        change = Tickets(0, back // options.small_value)
        if small <= payer.small and change.worth(options) == back and change.small <= receiver.small + small:
            ways.append(Way(paid, change))
    return min(ways, key=lambda found: (sum(found.change) > 0, sum(found.paid) + sum(found.change)), default=None)


def changer(seats: Sequence[Tickets], options: Options) -> int | None:
    """The seat that can best change a large ticket into small ones; None where nobody can."""
    needed, left = divmod(options.large_value, options.small_value)
    able = [seat for seat, tickets in enumerate(seats) if tickets.small >= needed and not left]
    return max(able, key=lambda seat: seats[seat].small, default=None)


def handed_over(payments: Sequence[Points], options: Options) -> tuple[Handover, ...]:
    """How the last of a match's ``payments`` is handed over, if all before it were handed over as they were told.

    Where the four together cannot, the amount is named alone, and their tickets are changed from outside.
    """
    held = [at_start(options)] * 4
    told: tuple[Handover, ...] = ()
    for deltas in payments:
        due = list(deltas)
        told = tuple(_pay(held, due, payer, options) for payer in SEATS if due[payer] < 0)
    return told


def _pay(held: list[Tickets], due: list[int], payer: int, options: Options) -> Handover:
    """``payer`` pays what he owes to those who still get something; ``held`` and ``due`` are what it leaves."""
    paid, change, third = Tickets(0, 0), {}, None
    for payee in SEATS:
        amount = min(-due[payer], due[payee])
        if amount <= 0:
            continue
        due[payer] += amount
        due[payee] -= amount
        found = way(held[payer], held[payee], amount, options)
        if found is None and held[payer].large and (able := changer(held, options)) is not None:
            third, changed = able, Tickets(1, -(options.large_value // options.small_value))
            held[payer], held[third] = held[payer].plus(changed, -1), held[third].plus(changed)
            found = way(held[payer], held[payee], amount, options)
        if found is None:
            found = Way(named(amount, options), Tickets(0, 0))
            held[payer] = named(held[payer].worth(options) - amount, options)
            held[payee] = named(held[payee].worth(options) + amount, options)
        else:
            held[payer] = held[payer].plus(found.paid, -1).plus(found.change)
            held[payee] = held[payee].plus(found.paid).plus(found.change, -1)
        paid = paid.plus(found.paid)
        if found.change.small:
            change[payee] = found.change.by_value(options)
    return Handover(payer, paid.by_value(options), change, third)
