"""The account of a hand in 竞技麻将: what moves, in time order, limited to what each payer holds (J60–J79)."""

from __future__ import annotations

from collections.abc import Sequence

from tablectl.rules.api import NO_POINTS, Incident, Payment, Points
from tablectl.rules.common.payments import SEATS, Transfer, moved, others, points, total
from tablectl.rules.competition.options import Options


def from_each(seat: int, amount: int) -> list[Transfer]:
    """``amount`` for ``seat`` from each of the others."""
    return [Transfer(other, seat, amount) for other in others(seat)]


def to_each(seat: int, amount: int) -> list[Transfer]:
    """``amount`` from ``seat`` to each of the others, anticlockwise."""
    return [Transfer(seat, other, amount) for other in others(seat)]


class Ledger:
    """The points on the table while a hand is played, and the off-board account beside it."""

    def __init__(self, options: Options, before: Points, streak: int) -> None:
        self.options = options
        self.held = before
        self.off_board = NO_POINTS
        doubled = options.double_play_factor if streak >= 1 else 1
        #: times wins; times kongs and chase; times penalties (J60)
        self.win_factor = doubled
        self.event_factor = doubled if options.double_play_scope == "all" else 1
        self.penalty_factor = doubled if options.double_penalties else 1

    # --- who is broke

    def broke(self, held: Points) -> int:
        """How many seats hold nothing."""
        return sum(1 for seat in SEATS if held[seat] <= 0)

    def would_end(self, change: Points) -> bool:
        """Whether the game ends by poverty with this change, and not before it (J72)."""
        least = self.options.bust_seats_to_end
        return self.broke(self.held) < least <= self.broke(total(self.held, change))

    def would_lead(self, seat: int, change: Points) -> bool:
        """Whether ``seat`` is first after this change (`tie_counts_as_first`)."""
        after_it = total(self.held, change)
        best_other = max(after_it[other] for other in SEATS if other != seat)
        return after_it[seat] > best_other or (self.options.tie_counts_as_first and after_it[seat] == best_other)

    # --- paying

    def due(self, transfers: Sequence[Transfer]) -> Points:
        """What these transfers would move now."""
        return moved(transfers, self.held if self.options.cap == "holdings" else None)

    def book(self, payment: Payment) -> None:
        self.held = total(self.held, payment.deltas)
        self.off_board = total(self.off_board, payment.off_board)

    def incident(self, incident: Incident) -> Payment:
        """What an incident moves now (J62–J67, J76, J77); nothing for a mere fact."""
        transfers = self._transfers(incident)
        if not self.at_losing_finish(incident):
            return Payment(self.due(transfers))
        if self.options.kong_at_losing_finish == "void":
            return Payment(NO_POINTS)
        return Payment(NO_POINTS, moved(transfers))

    def at_losing_finish(self, incident: Incident) -> bool:
        """Whether paying this kong would end the game without its owner being first (J76), or this chase would end it
        at all (J77)."""
        change = self.due(self._transfers(incident))
        leads = incident.kind != "chase" and self.would_lead(incident.seat, change)
        return self.would_end(change) and not leads

    def _transfers(self, incident: Incident) -> list[Transfer]:
        options, factor, seat = self.options, self.event_factor, incident.seat
        if incident.kind == "exposed_kong" and incident.source is not None:
            return [Transfer(incident.source, seat, 3 * options.exposed_kong_points * factor)]
        if incident.kind == "chase":
            return to_each(seat, options.chase_points * factor)
        each = {
            "exposed_kong": options.added_kong_points,  # without a discarder: an added one (J63)
            "added_kong": options.added_kong_points,
            "concealed_kong": options.concealed_kong_points,
            "flower_kong": options.flower_kong_points,
        }
        return from_each(seat, each[incident.kind] * factor) if incident.kind in each else []

    def penalty(self, seat: int, amount: int, to: str | int | None) -> Payment:
        """A referee's penalty (J101): to a damaged seat on the table, off-board where that would be a losing finish
        (J79); to nobody off-board in full."""
        if to == "each":
            transfers = to_each(seat, amount)
        elif isinstance(to, int):
            transfers = [Transfer(seat, to, amount)]
        else:
            return Payment(NO_POINTS, points([-amount if other == seat else 0 for other in SEATS]))
        change = self.due(transfers)
        leads = isinstance(to, int) and self.would_lead(to, change)
        if leads or not self.would_end(change):
            return Payment(change)
        return Payment(NO_POINTS, moved(transfers))
