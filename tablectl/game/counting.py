"""What everybody counts on a hand: tiles to draw, tiles to hold, points."""

from __future__ import annotations

from typing import cast

from tablectl.game import events as ev
from tablectl.game.machine import IllegalStep
from tablectl.game.state import Game, Hand
from tablectl.rules.api import HandView, Points, RuleSet


def add(a: Points, b: Points) -> Points:
    """The sum, seat by seat."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3])


def minus(a: Points, b: Points) -> Points:
    """The difference, seat by seat."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3])


def view(hand: Hand) -> HandView:
    """The hand as rules look at it. A tile that the antennas have not named is None among the standing tiles."""
    return cast(HandView, hand)


def flowers_left(hand: Hand, rules: RuleSet) -> bool:
    """Whether the opening replacement goes on: a flower stands, a replacement is owed, or a tile is not named yet."""
    return any(seat.owed or any(t is None or t in rules.play.flowers for t in seat.standing) for seat in hand.seats)


def drawable(hand: Hand, rules: RuleSet) -> int:
    """Tiles that may still leave the wall."""
    return hand.wall_left - rules.undrawn(view(hand))


def wanted_tiles(hand: Hand, rules: RuleSet, seat: int) -> int:
    """Standing tiles of ``seat`` at a rest point, i.e. outside its own turn (competition J15)."""
    return rules.play.hand_tiles - 3 * len(hand.seats[seat].melds)


def dealer_throw_due(game: Game, rules: RuleSet) -> bool:
    """Whether the next throw finds the seat that deals first (zhenjiang Z103)."""
    hand = game.hand
    return rules.play.first_dealer == "dice" and game.match.first is None and hand is not None and not hand.throws


def hand_of(game: Game, event: ev.Event) -> Hand:
    hand = game.hand
    if hand is None:
        raise IllegalStep(f"{event.type!r} needs a hand, and none is open")
    return hand


def later(t: float | None, seconds: float | None) -> float | None:
    return None if t is None or seconds is None else t + seconds
