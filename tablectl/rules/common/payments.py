"""Points that move between seats."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from tablectl.rules.api import Points

SEATS: Final = (0, 1, 2, 3)


class Transfer(NamedTuple):
    """Points due from one seat to another, before any limit."""

    payer: int
    receiver: int
    amount: int


def others(seat: int) -> tuple[int, int, int]:
    """The other seats in playing order: next, opposite, previous."""
    return ((seat + 1) % 4, (seat + 2) % 4, (seat + 3) % 4)


def points(values: Sequence[int]) -> Points:
    """Four numbers as `Points`."""
    a, b, c, d = values
    return (a, b, c, d)


def total(*amounts: Points) -> Points:
    """The sum, seat by seat."""
    return points([sum(column) for column in zip((0, 0, 0, 0), *amounts, strict=True)])


def moved(transfers: Iterable[Transfer], held: Points | None = None) -> Points:
    """The change of points when the transfers are made one after the other.

    With ``held`` nobody pays more than he holds at that moment; what is missing is lost to the receiver.
    """
    change = [0, 0, 0, 0]
    for payer, receiver, amount in transfers:
        paid = amount if held is None else min(amount, max(0, held[payer] + change[payer]))
        change[payer] -= paid
        change[receiver] += paid
    return points(change)
