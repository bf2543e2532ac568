"""What the play brings about by itself in 北京麻将: 烧庄, and who is ready at the end of the wall (T42, T46)."""

from __future__ import annotations

from collections.abc import Iterator

from tablectl.rules.api import HandView, Incident
from tablectl.rules.beijing.options import Options
from tablectl.rules.beijing.scoring import waits_of
from tablectl.tiles.tile import Tile


def observe(hand: HandView, options: Options) -> Iterator[Incident]:
    """What is new with the latest event; each incident comes once."""
    found = []
    if options.burn_dealer:
        found += list(_burnt(hand))
    if options.draw_ready_points:
        found += list(_ready_at_the_end(hand, options))
    yield from (incident for incident in found if incident not in hand.incidents)


def _burnt(hand: HandView) -> Iterator[Incident]:
    """From the first discard on, four at a time alike: the dealer's and the same kind from the other three, none of
    the first three claimed (T46)."""
    for count in range(1, len(hand.discards) // 4 + 1):
        four = hand.discards[4 * count - 4 : 4 * count]
        in_turn = [discard.seat for discard in four] == [(hand.dealer + i) % 4 for i in range(4)]
        claimed = any(discard.claimed for discard in four[:3])
        if not in_turn or claimed or len({discard.tile for discard in four}) > 1:
            return
        yield Incident("burn_dealer", hand.dealer, None, {"count": count})


def _ready_at_the_end(hand: HandView, options: Options) -> Iterator[Incident]:
    """The seats that wait for a tile when the last discard lies (T42)."""
    if not hand.discards or hand.discards[-1].claimed or hand.wall_left > options.dead_wall_tiles:
        return
    for number, seat in enumerate(hand.seats):
        named = [tile for tile in seat.standing if isinstance(tile, Tile)]
        if len(named) == 13 - 3 * len(seat.melds) and waits_of(named, seat.melds, options):
            yield Incident("ready", number)
