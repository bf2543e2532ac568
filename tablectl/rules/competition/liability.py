"""Who pays a win in 竞技麻将: the ordinary case (J68) and liability 包付 (J80–J88)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tablectl.rules.api import Incident, Win
from tablectl.rules.competition.fans import WonHand
from tablectl.rules.competition.options import Options
from tablectl.tiles.meld import Meld, MeldKind
from tablectl.tiles.tile import Tile


class Bill(NamedTuple):
    """Who pays: ``payers``, each ``factor`` times P. ``paragraph`` says why."""

    payers: tuple[int, ...]
    factor: int
    paragraph: str


def bill(hand: WonHand, incidents: Sequence[Incident]) -> Bill:
    """Exactly one rule decides a win, the nearer cause first (J85)."""
    options, win = hand.options, hand.win
    source = win.source
    if source is not None and hand.robbed:
        return Bill((source,), options.robbed_factor, "J68")
    if source is not None and _dangerous_suit(hand):
        return Bill((source,), options.liability_factor, "J82")
    if source is not None and _hung(win, incidents, options):
        return Bill((source,), options.liability_factor, "J84")
    liable, paragraph = _fed_fourth_meld(win, options), "J83"
    if liable is None:
        liable, paragraph = _fed(win, incidents, options), "J80"
    third_party = source is not None and source != liable
    if liable is not None and not (third_party and options.liability_third_party == "discarder"):
        return Bill((liable,), options.liability_factor, paragraph)
    if source is not None:
        return Bill((source,), options.discard_factor, "J68")
    others = tuple(seat for seat in range(4) if seat != win.seat)
    return Bill(others, options.self_draw_factor, "J68")


def _claimed(melds: Sequence[Meld]) -> list[Meld]:
    """Melds taken from others."""
    return [meld for meld in melds if not meld.is_concealed]


def _of_one_suit(melds: Sequence[Meld]) -> bool:
    return len({meld.tile.suit for meld in melds}) == 1 and not melds[0].tile.is_honour


def _dangerous_suit(hand: WonHand) -> bool:
    """A real 清一色 won with three or more claimed melds, all melds of the suit (J82)."""
    melds = hand.win.melds
    return hand.options.pure_suit_liability and len(_claimed(melds)) >= 3 and _of_one_suit(melds) and hand.pure


def _hung(win: Win, incidents: Sequence[Incident], options: Options) -> bool:
    """The discard lies within the range of the tile the winner hung on the wall (J84).

    The last `hung` fact of the seat counts; with ``count`` 0 it says that the tile was exchanged.
    """
    facts = [incident for incident in incidents if incident.kind == "hung" and incident.seat == win.seat]
    if not facts or options.hung_tile_range < 0 or len(_claimed(win.melds)) != 4:
        return False
    if facts[-1].extra.get("count") == 0:
        return False
    return win.tile in hung_range(win.concealed[0], options.hung_tile_range)


def hung_range(hung: Tile, ranks: int) -> frozenset[Tile]:
    """The kinds whose discard a hung tile makes dangerous: ranks around it in its suit, all winds, or all dragons."""

    def near(tile: Tile) -> bool:
        if hung.suit:
            return tile.suit == hung.suit and abs(tile.rank - hung.rank) <= ranks
        return (tile.is_wind, tile.is_dragon) == (hung.is_wind, hung.is_dragon) and not tile.suit and not tile.is_flower

    return frozenset(tile for tile in Tile if near(tile))


def _fed_fourth_meld(win: Win, options: Options) -> int | None:
    """The seat that fed a fourth claimed meld of one suit to three of it and no other (J83)."""
    melds = win.melds
    if not options.fourth_meld_liability or len(_claimed(melds)) != 4 or not _of_one_suit(melds):
        return None
    return melds[3].source_seat(win.seat)


def fed_by(melds: Sequence[Meld], seat: int, options: Options) -> int | None:
    """The seat from which all of the first three claims of ``seat`` came (J80), None where there is none.

    ``melds`` in the order made. An added kong keeps the place and source of its pung.
    """
    need = options.liability_claims
    skipped = {MeldKind.CONCEALED_KONG}
    if not options.liability_counts_kongs:
        skipped.add(MeldKind.EXPOSED_KONG)
    claims = [meld.source_seat(seat) for meld in melds if meld.kind not in skipped][:need]
    return claims[0] if need and len(claims) == need and len(set(claims)) == 1 else None


def _fed(win: Win, incidents: Sequence[Incident], options: Options) -> int | None:
    """The seat liable by feeding: of several the discarder, else the winner's own feeder, else the earliest fact
    (J80, J85)."""
    if not options.liability_claims:
        return None
    liable: list[int] = []
    own = fed_by(win.melds, win.seat, options)
    if own is not None:
        liable.append(own)
    facts = [incident for incident in incidents if incident.kind == "bao" and incident.source is not None]
    liable += [incident.source for incident in facts if incident.seat == win.seat and incident.source is not None]
    if options.liability_mutual:
        liable += [incident.seat for incident in facts if incident.source == win.seat]
    if win.source in liable:
        return win.source
    return liable[0] if liable else None
