"""The walls as they are raised: the passages of the four lanes become the wall of the next hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tablectl.base.reports import LanePassed
from tablectl.rules.api import RuleSet
from tablectl.tiles.tile import Tile
from tablectl.tiles.wall import Place, lane_places
from tablectl.tracking.lanes import Company, Side
from tablectl.tracking.places import WALL
from tablectl.tracking.wall import WallOrder


@dataclass(frozen=True, slots=True)
class Raised:
    """Walls just raised. ``passed``: the tags that the lanes saw; ``lying``: every tag that is in them, and where."""

    wall: WallOrder
    passed: Sequence[str]
    lying: Sequence[tuple[str, str]]


class Building:
    """Follows the lanes of one table, hand after hand.

    ``tiles``: every registered tag and its tile (of both sets). ``first_left``, ``lower_first``: how the lanes build,
    as in the header of a trace.
    """

    def __init__(self, tiles: Mapping[str, Tile], *, first_left: bool, lower_first: bool) -> None:
        self._tiles = tiles
        self._first_left = first_left
        self._lower_first = lower_first
        self._sides = [Side() for _ in range(4)]
        self._company = Company()

    def passed(self, report: LanePassed) -> None:
        """A tile passed a lane."""
        if 0 <= report.lane < 4:
            self._sides[report.lane].passed(report.tag, report.t)

    def raised(self, rules: RuleSet) -> Raised:
        """The walls stand; the lanes begin anew."""
        tiles = self._tiles
        seen = [tag for side in self._sides for tag in side.tags]
        lack = rules.tile_set.missing(tiles[tag] for tag in seen if tag in tiles)
        apart = self._company.others(seen)
        unseen = [tag for tag in tiles if tag not in seen and tag not in apart and tiles[tag] in lack]
        known = [tag for tag in unseen if tag in self._company.own]  # of this set, from an earlier hand
        found = Counter(tiles[tag] for tag in known)
        unseen = [tag for tag in unseen if tag in known or found[tiles[tag]] < lack[tiles[tag]]]
        wall = WallOrder(self._sides, rules.stacks, frozenset([*seen, *unseen]))
        lying = [(tag, WALL[n]) for n, side in enumerate(self._sides) for tag in side.tags if tag in tiles]
        self._sides = [Side() for _ in range(4)]
        return Raised(wall, seen, [*lying, *((tag, "wall") for tag in unseen)])

    def places(self, stacks: Sequence[int]) -> list[Sequence[Place]]:
        """For each lane the places of its passages. ``stacks``: of each side."""
        return [
            lane_places(stacks, side, first_left=self._first_left, lower_first=self._lower_first) for side in range(4)
        ]

    def built(self, wall: WallOrder, stacks: Sequence[int]) -> tuple[tuple[Tile | None, ...], ...]:
        """``wall`` as the lanes told it: of each side the tile on every place, stack 1 first, the upper one before the
        lower; None where a lane missed it or the tag is unknown."""
        sides = []
        for side, (places, tags) in enumerate(zip(self.places(stacks), wall.told(), strict=True)):
            lies = {(p.stack, p.upper): self._tiles.get(tag) for p, tag in zip(places, tags, strict=True) if tag}
            numbers = range(1, stacks[side] + 1)
            sides.append(tuple(lies.get((stack, upper)) for stack in numbers for upper in (True, False)))
        return tuple(sides)


def unknown_wall(rules: RuleSet) -> WallOrder:
    """The wall before anything passed the lanes."""
    return WallOrder([Side() for _ in range(4)], rules.stacks, frozenset())
