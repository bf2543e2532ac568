"""Dice, break and deal: what a rule system needs to say how its wall is opened.

    places = round_the_city(stacks, counted_seat(dealer, total), total)
    deck = lay_out(places, jump_deal(dealer))

Positions count from 1 in drawing order, in every stack the upper tile before the lower: the n-th stack drawn holds
positions 2n - 1 (upper) and 2n (lower).
"""

from __future__ import annotations

from collections.abc import Sequence

from tablectl.tiles.wall import DealBlock, Deck, Place, tail_order

_BLOCK = 4  # tiles: two stacks


def counted_seat(seat: int, total: int) -> int:
    """The seat at which a count of ``total`` ends, anticlockwise from ``seat``, which counts as 1 (competition J4)."""
    return (seat + total - 1) % 4


def jump_deal(dealer: int) -> tuple[DealBlock, ...]:
    """13 tiles: three rounds of two stacks, then the dealer's jump 跳牌 over one stack, then one tile for each of the
    others from what it left (competition J6, mcr T7, tianjin T106, zhenjiang Z106, beijing T8)."""
    rounds = _rounds(dealer, 3)
    jump = [DealBlock(dealer, (49, 53))]
    return (*rounds, *jump, *(DealBlock((dealer + i) % 4, (49 + i,)) for i in (1, 2, 3)))


def block_deal(dealer: int, first_taker: int | None = None) -> tuple[DealBlock, ...]:
    """16 tiles: four rounds of two stacks from ``first_taker`` (the dealer unless said), then the next single tile
    坎门 for the dealer (fuzhou T106, fujian T106)."""
    return (*_rounds(dealer if first_taker is None else first_taker, 4), DealBlock(dealer, (65,)))


def upper_from_tail(length: int, stack: int) -> int:
    """Position of the upper tile of the ``stack``-th stack (from 1) counted from the end of a deck of ``length`` tiles
    (tianjin T107)."""
    return length + 1 - 2 * stack


def lay_out(places: Sequence[Place], deal: Sequence[DealBlock], *, indicator: int | None = None) -> Deck:
    """The deck: what is neither dealt nor the indicator is drawn in order, and replaced from the end, stack by stack,
    the upper tile first."""
    away = {position for block in deal for position in block.positions} | {indicator}
    return Deck(
        places=tuple(places),
        deal=tuple(deal),
        live=tuple(p for p in range(1, len(places) + 1) if p not in away),
        tail=tuple(p for p in tail_order(len(places)) if p not in away),
        indicator=indicator,
    )


def _rounds(first: int, rounds: int) -> list[DealBlock]:
    """Each seat in playing order from ``first`` takes two stacks, ``rounds`` times."""
    return [
        DealBlock((first + i) % 4, tuple(range(_BLOCK * i + 1, _BLOCK * i + _BLOCK + 1))) for i in range(4 * rounds)
    ]
