"""Readings: a hand divided into groups, and where in them the winning tile lies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Final, NamedTuple

from tablectl.rules.reading.groups import Group, of_meld
from tablectl.rules.reading.shapes import knitted_divisions, scattered, seven_pairs, thirteen_orphans
from tablectl.rules.reading.standard import divisions
from tablectl.rules.reading.tables import Counts
from tablectl.tiles.meld import Meld
from tablectl.tiles.tile import Tile


class Shape(StrEnum):
    """The form of a complete hand."""

    STANDARD = "standard"  # sets and a pair
    SEVEN_PAIRS = "seven_pairs"  # 七对
    KNITTED = "knitted"  # 组合龙: nine knitted tiles, a set and a pair
    SCATTERED = "scattered"  # 全不靠, 十四不靠
    ORPHANS = "orphans"  # 十三幺


#: ``Reading.won`` where no tile is the winning one (heavenly win).
NO_TILE: Final = -1


class Reading(NamedTuple):
    """One way to read a complete hand.

    ``groups``: the melds in the order made, then the standing groups, the pair last where the shape has one.
    ``won`` is the index in ``groups`` of the group that holds the winning tile, ``place`` its place in that group's
    ``tiles``.
    """

    shape: Shape
    groups: tuple[Group, ...]
    pair: Group | None
    won: int = NO_TILE
    place: int = 0

    @property
    def sets(self) -> tuple[Group, ...]:
        """The groups without the pair."""
        return self.groups if self.pair is None else self.groups[:-1]

    @property
    def winning(self) -> Group | None:
        """The group that holds the winning tile."""
        return None if self.won == NO_TILE else self.groups[self.won]

    def __str__(self) -> str:
        """``[123m] 45*6p 789s EE, 9s in 789s``; see `Group.text` for the signs."""
        text = " ".join([group.text for group in self.groups])
        group = self.winning
        if group is None:
            return text
        tile = group.tiles[self.place].code if group.tiles else "*"
        return f"{text}, {tile} in {group.text}"


def readings(
    counts: Counts,
    melds: Iterable[Meld] = (),
    tile: Tile | None = None,
    *,
    sets: int = 4,
    wilds: int = 0,
    drawn_wild: bool = False,
    shapes: frozenset[Shape] = frozenset({Shape.STANDARD}),
    quads: bool = True,
    patterned: bool = False,
) -> Iterator[Reading]:
    """Every reading of a complete hand, each with every place the winning tile may lie in it; none if incomplete.

    Args:
        counts: natural standing tiles by kind, the winning tile included (if it is natural).
        melds: melds in the order made; they count among ``sets``.
        tile: the winning tile, None for a win on the dealt tiles (each division then comes once).
        sets: sets of a whole hand: 4, or 5 for hands of 16 tiles.
        wilds: wildcards among the standing tiles, a drawn one included.
        drawn_wild: the winning tile is a wildcard: it lies wherever a wildcard lies.
        shapes: the forms the rules know. Special shapes are looked for without wildcards only.
        quads: four alike may be two of seven pairs.
        patterned: a scattered hand must fit a knitted pattern (see `shapes.scattered`).
    """
    laid = tuple(of_meld(meld) for meld in melds)
    for shape, groups, eyes in _undecided(counts, laid, sets, wilds, shapes, quads, patterned):
        if tile is None:
            yield Reading(shape, groups, eyes)
        else:
            yield from _placed(shape, groups, eyes, len(laid), None if drawn_wild else tile)


def _undecided(
    counts: Counts,
    laid: tuple[Group, ...],
    sets: int,
    wilds: int,
    shapes: frozenset[Shape],
    quads: bool,
    patterned: bool,
) -> Iterator[tuple[Shape, tuple[Group, ...], Group | None]]:
    if Shape.STANDARD in shapes:
        for division in divisions(counts, sets - len(laid), wilds):
            if division.pair is not None:
                yield Shape.STANDARD, (*laid, *division.sets, division.pair), division.pair
    if wilds:
        return
    if Shape.KNITTED in shapes:
        for division in knitted_divisions(counts, sets - len(laid)):
            if division.pair is not None:
                yield Shape.KNITTED, (*laid, *division.sets, division.pair), division.pair
    if laid:
        return
    if Shape.SEVEN_PAIRS in shapes and (pairs := seven_pairs(counts, quads=quads)):
        yield Shape.SEVEN_PAIRS, pairs, None
    if Shape.SCATTERED in shapes and (single := scattered(counts, patterned=patterned)):
        yield Shape.SCATTERED, (single,), None
    if Shape.ORPHANS in shapes and (orphans := thirteen_orphans(counts)):
        yield Shape.ORPHANS, orphans, orphans[1]


def _placed(
    shape: Shape, groups: tuple[Group, ...], eyes: Group | None, melds: int, tile: Tile | None
) -> Iterator[Reading]:
    """The reading with the winning tile at each distinct place; ``tile`` None: a wildcard is the winning tile."""
    for number in range(melds, len(groups)):
        group = groups[number]
        if group in groups[melds:number]:
            continue  # an equal group: the same reading again
        if tile is None:
            for place in group.wild if group.tiles else group.wild[:1]:
                yield Reading(shape, groups, eyes, number, place)
        else:
            for place, other in enumerate(group.tiles):
                if other is tile and place not in group.wild:
                    yield Reading(shape, groups, eyes, number, place)
                    break
