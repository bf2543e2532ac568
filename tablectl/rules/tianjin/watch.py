"""What play brings about by itself in 天津麻将: wilds discarded, chan, a wrong number of tiles (T211, T213, T701)."""

from __future__ import annotations

from collections.abc import Iterator

from tablectl.rules.api import HandView, Incident
from tablectl.rules.tianjin.hand import wild_kinds
from tablectl.rules.tianjin.options import Options
from tablectl.tiles.meld import Meld, MeldKind

#: ``extra`` of the dead hand that the table itself records, to tell it from a false win (T511), which may still claim
_MISCOUNTED = {"cause": "wrong_count", "dead": True}


def observe(hand: HandView, options: Options) -> Iterator[Incident]:
    """What is new with the latest event; each incident comes once."""
    for incident in (*_wild_discard(hand, options), *_chan(hand, options), *_wrong_count(hand, options)):
        if incident not in hand.incidents:
            yield incident


def _wild_discard(hand: HandView, options: Options) -> Iterator[Incident]:
    """Where it is forbidden the tile goes back, and nothing has happened (T211)."""
    if options.wild_discard == "forbidden" or not hand.discards:
        return
    last = hand.discards[-1]
    if last.tile in wild_kinds(hand.indicator):
        yield Incident("wild_discard", last.seat, None, {"discard": len(hand.discards)})


def _chan(hand: HandView, options: Options) -> Iterator[Incident]:
    """The first four discards, by the four seats from the dealer, are of one kind (T213)."""
    first = hand.discards[:4]
    in_turn = [discard.seat for discard in first] == [(hand.dealer + i) % 4 for i in range(4)]
    if options.chan_enabled and in_turn and len({discard.tile for discard in first}) == 1:
        yield Incident("chan", hand.dealer)


def _wrong_count(hand: HandView, options: Options) -> Iterator[Incident]:
    """The seat that has just discarded holds too many or too few (T701)."""
    if not options.wrong_count_dead_hand or not hand.discards:
        return
    seat = hand.discards[-1].seat
    if len(hand.seats[seat].standing) != 13 - 3 * len(hand.seats[seat].melds):
        yield Incident("dead_hand", seat, None, _MISCOUNTED)


def refuse_claim(hand: HandView, seat: int, meld: Meld) -> str | None:
    """No meld of wilds but the gold kong (T210); no claim by a seat with a wrong number of tiles (T701, T702)."""
    if meld.tile in wild_kinds(hand.indicator) and meld.kind is not MeldKind.CONCEALED_KONG:
        return "wild_in_meld"
    claimed = meld.kind in (MeldKind.PUNG, MeldKind.EXPOSED_KONG)
    if claimed and Incident("dead_hand", seat, None, _MISCOUNTED) in hand.incidents:
        return "dead_hand"
    return None
