"""What the play brings about by itself in 竞技麻将: chase, flower kongs, feeding, the hung tile (J64–J84)."""

from __future__ import annotations

from collections.abc import Iterator

from tablectl.rules.api import HandView, Incident
from tablectl.rules.competition.liability import fed_by
from tablectl.rules.competition.options import Options
from tablectl.rules.competition.scoring import FLOWER_GROUPS


def observe(hand: HandView, options: Options) -> Iterator[Incident]:
    """What is new with the latest event; each incident comes once."""
    yield from _chase(hand)
    for seat in range(4):
        yield from _flower_kongs(hand, seat)
        yield from _fed(hand, seat, options)
        yield from _hung(hand, seat)


def _is_new(hand: HandView, incident: Incident) -> bool:
    return incident not in hand.incidents


def _chase(hand: HandView) -> Iterator[Incident]:
    """Four consecutive discards of one kind by the four seats, nothing claimed between them (J66)."""
    last = hand.discards[-4:]
    if len(last) < 4 or len({discard.tile for discard in last}) > 1 or last[0].tile.is_flower:
        return
    first = last[0].seat
    if [discard.seat for discard in last] != [(first + i) % 4 for i in range(4)]:
        return
    if any(discard.claimed for discard in last[:3]):
        return
    chase = Incident("chase", first, None, {"discard": len(hand.discards)})
    if _is_new(hand, chase):
        yield chase


def _flower_kongs(hand: HandView, seat: int) -> Iterator[Incident]:
    """All four of a group of flowers in one player's hands: automatic (J21, J64)."""
    for group in FLOWER_GROUPS:
        kong = Incident("flower_kong", seat, None, {"flowers": "".join(sorted(tile.code for tile in group))})
        if group.issubset(hand.seats[seat].flowers) and _is_new(hand, kong):
            yield kong


def _fed(hand: HandView, seat: int, options: Options) -> Iterator[Incident]:
    """The first three claims of a seat came all from one other (J80)."""
    feeder = fed_by(hand.seats[seat].melds, seat, options)
    if feeder is not None and _is_new(hand, Incident("bao", seat, feeder)):
        yield Incident("bao", seat, feeder)


def _hung(hand: HandView, seat: int) -> Iterator[Incident]:
    """The standing tile hangs face up on the wall (J84); ``count`` 0 takes the fact back once it is exchanged."""
    view = hand.seats[seat]
    facts = [incident for incident in hand.incidents if incident.kind == "hung" and incident.seat == seat]
    told = facts[-1].extra.get("count", 1) if facts else 0
    now = int(view.hung is not None and view.hung in view.standing)
    if now != told:
        yield Incident("hung", seat, None, {"count": now})
