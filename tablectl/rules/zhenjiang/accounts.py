"""Who pays what in 镇江麻将: kongs, wins, fines, and the fines account (Z501–Z512). Amounts are tickets."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from tablectl.rules.api import NO_POINTS, Incident, Points, Win
from tablectl.rules.common.payments import Transfer, moved, others, points, total
from tablectl.rules.zhenjiang.options import Options
from tablectl.rules.zhenjiang.scoring import Count

_FINE: Final = re.compile(r"fine_(\d+)_seat_([0-3])")


class Ledger:
    """The tickets of the seats while a hand is played; payments are limited to what a seat holds (Z504)."""

    def __init__(self, held: Points, options: Options) -> None:
        self.start = self.held = held
        self.options = options

    @property
    def change(self) -> Points:
        return points([now - before for now, before in zip(self.held, self.start, strict=True)])

    def book(self, change: Points) -> Points:
        self.held = total(self.held, change)
        return change

    def due(self, transfers: Sequence[Transfer]) -> Points:
        """What these transfers would move now."""
        return moved(transfers, self.held if self.options.cap_by_holdings else None)

    # --- what is paid

    def incident(self, event: Incident) -> Points:
        """What an event of the hand moves now: a kong (Z503), a fine where it is paid on the spot (Z509)."""
        options, seat = self.options, event.seat
        if event.kind == "false_win":
            return self.fine(seat, options.false_win_units) if options.false_win_settle == "at_once" else NO_POINTS
        each = {
            "exposed_kong": options.kong_exposed,
            "added_kong": options.kong_exposed,
            "concealed_kong": options.kong_concealed,
        }
        if event.kind not in each:
            return NO_POINTS
        amount = options.base * each[event.kind]
        if event.kind == "exposed_kong" and event.source is not None and options.kong_payer == "discarder":
            return self.due([Transfer(event.source, seat, 3 * amount)])
        return self.due([Transfer(other, seat, amount) for other in others(seat)])

    def win(self, win: Win, counted: Count) -> Points:
        """Z501, Z502."""
        options = self.options
        if win.source is None:
            return self.due([Transfer(other, win.seat, options.base * counted.total) for other in others(win.seat)])
        add_ons = dict(counted.add_ons)
        if options.plus_one_payer == "discarder":
            add_ons = {name: value for name, value in add_ons.items() if name not in ("抢杠", "成搭")}
        by_others = options.base * (options.ron_other + sum(add_ons.values()))
        transfers = [
            Transfer(other, win.seat, options.base * counted.total if other == win.source else by_others)
            for other in others(win.seat)
        ]
        return self.due(transfers)

    def fine(self, seat: int, units: int) -> Points:
        """A fine for 诈胡 (Z508): ``units`` to each of the others, or divided among them."""
        tickets = self.options.base * units
        if self.options.false_win_payee == "each":
            return self.to_each(seat, [tickets] * 3)
        share, left = divmod(tickets, 3)
        return self.to_each(seat, [share + (number < left) for number in range(3)])

    def to_each(self, seat: int, dues: Sequence[int]) -> Points:
        """``dues`` to the next seat, the opposite, the previous; where they are more than ``seat`` holds, ticket by
        ticket in rounds until it has none (Z510)."""
        left = list(dues)
        funds = max(0, self.held[seat]) if self.options.cap_by_holdings else sum(dues)
        change = [0, 0, 0, 0]
        while funds > 0 and any(left):
            for number, other in enumerate(others(seat)):
                if funds > 0 and left[number]:
                    left[number] -= 1
                    funds -= 1
                    change[other] += 1
                    change[seat] -= 1
        return points(change)


# --- the fines account (Z509, Z606)


def fines(carry: Mapping[str, int]) -> list[tuple[int, int]]:
    """The fines that wait for the end of the match, in the order in which they were incurred: seat and units."""
    found = []
    for key, units in carry.items():
        if match := _FINE.fullmatch(key):
            found.append((int(match[1]), int(match[2]), units))
    return [(seat, units) for _, seat, units in sorted(found)]


def with_fine(carry: Mapping[str, int], seat: int, units: int) -> dict[str, int]:
    """The account with one fine more."""
    return {**carry, f"fine_{len(fines(carry)) + 1}_seat_{seat}": units}


def after_fines(held: Points, carry: Mapping[str, int], options: Options) -> Points:
    """The tickets at the end of the match, the fines paid one after the other (Z606)."""
    ledger = Ledger(held, options)
    for seat, units in fines(carry):
        ledger.book(ledger.fine(seat, units))
    return ledger.held
