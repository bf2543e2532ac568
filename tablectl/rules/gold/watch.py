"""What the play brings about by itself under golds: a gold discarded, a wrong number of tiles, a set of flowers."""

from __future__ import annotations

from collections.abc import Iterator

from tablectl.rules.api import HandView, Incident
from tablectl.rules.gold.checks import HAND_TILES
from tablectl.rules.gold.options import GoldOptions
from tablectl.rules.gold.reserve import flower_sets, reserve
from tablectl.tiles.notation import format_tiles


def observe(hand: HandView, options: GoldOptions) -> Iterator[Incident]:
    """What is new with the latest event; each incident comes once."""
    for incident in (*_gold_discarded(hand), *_wrong_count(hand, options), *_flower_sets(hand, options)):
        if not any(_same(incident, noted) for noted in hand.incidents):
            yield incident


def _same(one: Incident, other: Incident) -> bool:
    named = one.extra.get("flowers") == other.extra.get("flowers")
    return (one.kind, one.seat) == (other.kind, other.seat) and named


def _gold_discarded(hand: HandView) -> Iterator[Incident]:
    """It lies dead, and may bind its discarder (fuzhou T209, fujian T207)."""
    if hand.discards and hand.discards[-1].tile == hand.indicator:
        yield Incident("wild_discard", hand.discards[-1].seat)


def _wrong_count(hand: HandView, options: GoldOptions) -> Iterator[Incident]:
    """多张, 少张 after the own discard (T701). Counts change at other moments too, but only then they must be right."""
    last = hand.discards[-1] if hand.discards else None
    if last is None or last.claimed or not options.wrong_count_dead_hand:
        return
    seat = hand.seats[last.seat]
    if len(seat.standing) != HAND_TILES - 3 * len(seat.melds):
        yield Incident("wrong_count", last.seat, None, {"dead": True})


def _flower_sets(hand: HandView, options: GoldOptions) -> Iterator[Incident]:
    """Four same flowers raise the reserve, and the table says so (T111, T603)."""
    for number, seat in enumerate(hand.seats):
        for kinds in flower_sets(seat.flowers):
            yield Incident(
                "flower_set", number, None, {"flowers": format_tiles(kinds), "reserve": reserve(hand, options)}
            )
