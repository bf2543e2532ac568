"""In what a payment is handed over, as displays show it: cards (mcr T54), tickets (zhenjiang Z605)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import takewhile

from tablectl.announce.words import Joined, Phrase, Wind
from tablectl.game.state import Game, Paid
from tablectl.rules.api import Handover, Points, RuleSet

#: for each seat that pays, its wind and ``2×10 4×1``; who gives change, and with whom it changes one before
Rows = list[tuple[Wind, Joined]]


def handed_over(game: Game, rules: RuleSet, event: Paid, points: Points, dealer: int) -> Rows:
    """How ``points``, those of ``event``, are handed over; nothing where they are only written down."""
    before = takewhile(lambda paid: paid != event, game.payments)
    found = rules.handed_over([*(paid.deltas for paid in before), points])
    return [(Wind(handover.seat, dealer), _words(handover, dealer)) for handover in found if handover.paid]


def in_a_line(rows: Rows) -> Phrase | None:
    """The same for one line of a display; None where it takes several."""
    if len(rows) == 1:
        return Phrase("cards.of", (("seat", rows[0][0]), ("cards", rows[0][1])))
    if rows and all(cards == rows[0][1] for _, cards in rows):
        return Phrase("cards.each", (("cards", rows[0][1]),))
    return None


def _words(handover: Handover, dealer: int) -> Joined:
    parts: list[object] = [_numbered(handover.paid)]
    for seat, cards in handover.change.items():
        parts.append(Phrase("cards.back", (("seat", Wind(seat, dealer)), ("cards", _numbered(cards)))))
    if handover.changer is not None:
        parts.append(Phrase("cards.first", (("seat", Wind(handover.changer, dealer)),)))
    return Joined(parts, " ")


def _numbered(cards: Mapping[int, int]) -> str:
    return " ".join(f"{number}×{value}" for value, number in cards.items())
