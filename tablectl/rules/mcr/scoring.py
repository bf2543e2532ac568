"""What a win is worth: the best reading (T34), its fans, and what the way of winning adds (T42–T44)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from tablectl.rules.api import How, Situation, Win
from tablectl.rules.mcr.hand import Form, Hand, Place
from tablectl.rules.mcr.options import Options
from tablectl.rules.mcr.sets import CONCEALED_PUNGS, kong_fans
from tablectl.rules.mcr.table import FLOWERS, Fans, counter, entries
from tablectl.rules.reading import Reading
from tablectl.tiles.tile import Tile, seat_wind


class Count(NamedTuple):
    """One reading counted. ``mask`` is what it has, ``fans`` what is counted of that; flowers are left out."""

    fans: Fans
    mask: int
    form: Form
    place: Place

    def reading(self, tile: Tile) -> Reading:
        """The reading in the engine's words."""
        group = self.form.groups[self.place.group]
        return Reading(self.form.shape, self.form.groups, self.form.pair, self.place.group, group.tiles.index(tile))


def hand_of(win: Win, situation: Situation, options: Options) -> Hand:
    """The 13 tiles of ``win``."""
    waiting = options.heavenly_wait_fans or How.HEAVENLY not in win.how
    wind = seat_wind(win.seat, situation.dealer)
    return Hand(win.concealed, win.melds, situation.prevalent, wind, was_waiting=waiting)


def fans_of(options: Options) -> Callable[[int], Fans]:
    """`table.counter` under these options."""
    return counter(options.mixed_kongs_points, options.two_concealed_kongs_points)


def best(
    hand: Hand, tile: Tile, forms: Sequence[Form], self_drawn: bool, how: frozenset[How], options: Options
) -> Count | None:
    """The reading worth most; of equal ones the first in the order of T34. None where there is none."""
    if not forms:
        return None
    value = fans_of(options)
    always = hand.fans_of_tiles(tile) | way_fans(hand, tile, self_drawn, how, options)
    found: Count | None = None
    for form in forms:
        for place in form.places:
            hidden = form.hidden - (place.in_pung and not self_drawn)
            mask = form.mask | always | CONCEALED_PUNGS[hidden] | place.wait
            fans = value(mask)
            if (
                found is None
                or fans.total > found.fans.total
                or (fans.total == found.fans.total and fans.places < found.fans.places)
            ):
                found = Count(fans, mask, form, place)
    return found


def way_fans(hand: Hand, tile: Tile, self_drawn: bool, how: frozenset[How], options: Options) -> int:
    """The entries that the melds and the way of winning bring, in every reading."""
    mask = kong_fans(hand.exposed_kongs, hand.concealed_kongs, options.mixed_kongs_points)
    if self_drawn:
        mask |= _SELF_DRAWN
        if not hand.exposed:
            mask |= _CONCEALED_SELF_DRAWN
        if How.KONG_REPLACEMENT in how and How.FLOWER_REPLACEMENT not in how and mask & _ANY_KONG:
            mask |= _KONG_REPLACEMENT
    else:
        if not hand.exposed:
            mask |= _CONCEALED
        elif hand.exposed == 4:
            mask |= _ALL_CLAIMED
        if How.ROBBING_KONG in how:
            mask |= _ROBBING
    if How.LAST_TILE in how:
        mask |= _LAST_DRAW if self_drawn else _LAST_DISCARD
    if not hand.standing[tile] and (How.LAST_OF_KIND in how or hand.held[tile] == 3):
        mask |= _LAST_OF_KIND
    return mask


_LAST_DRAW, _LAST_DISCARD, _KONG_REPLACEMENT, _ROBBING = (entries(number) for number in (44, 45, 46, 47))
_ALL_CLAIMED, _CONCEALED_SELF_DRAWN, _LAST_OF_KIND = (entries(number) for number in (52, 56, 58))
_CONCEALED, _SELF_DRAWN = entries(62), entries(80)
_ANY_KONG: Final = sum(entries(number) for number in (0, 5, 17, 53, 57, 67, 74))


def names(fans: Fans, flowers: int, options: Options) -> dict[str, int]:
    """The fans by name, 花牌 last."""
    found = dict(fans.names)
    if flowers and options.flower_points:
        found[FLOWERS.name] = flowers * options.flower_points
    return found
