"""曝光牌: exposed tiles and the kinds on which their owner may not win another seat's tile (T17–T19)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tablectl.rules.api import Incident
from tablectl.tiles.notation import parse_tiles
from tablectl.tiles.tile import TILES, Tile


def exposed(incident: Incident) -> tuple[Tile, ...]:
    """The tiles exposed together by an ``exposure``; its ``tiles`` may be notation."""
    tiles = incident.extra.get("tiles", ())
    return parse_tiles(tiles) if isinstance(tiles, str) else tuple(tiles)


def barred(incidents: Iterable[Incident], seat: int) -> frozenset[Tile]:
    """The kinds barred for ``seat`` in this hand. Exposures at different times are not joined (T18)."""
    own = (incident for incident in incidents if incident.kind == "exposure" and incident.seat == seat)
    return frozenset(kind for exposure in own for kind in kinds_barred(exposed(exposure)))


def kinds_barred(tiles: Iterable[Tile]) -> frozenset[Tile]:
    """What tiles exposed at the same time bar (T18): themselves, and beside two or more consecutive numbers of a suit
    every kind that makes a run with two of them."""
    found: set[Tile] = set()
    for run in _runs(sorted(set(tiles))):
        found.update(run)
        if len(run) > 1:
            low, high = run[0], run[-1]
            found.update(TILES[low - 1 : low] if low.rank > 1 else ())
            found.update(TILES[high + 1 : high + 2] if high.rank < 9 else ())
    return frozenset(found)


def _runs(kinds: list[Tile]) -> Iterator[list[Tile]]:
    """The kinds, ascending, in runs of consecutive numbers of one suit as long as can be."""
    run: list[Tile] = []
    for kind in kinds:
        if run and not (kind.suit and kind.suit == run[-1].suit and kind == run[-1] + 1):
            yield run
            run = []
        run.append(kind)
    if run:
        yield run
