"""Where the wall still stands, as everybody sees it."""

from __future__ import annotations

import pytest

from tablectl.game import actions as act
from tablectl.game.table import Table
from tablectl.game.walls import walls
from tablectl.rules import registry
from tablectl.tiles.tile import Tile

HANDS = (((Tile.M1, Tile.M2, Tile.M3) * 5)[:13],) * 4


def dealt(total: tuple[int, int]) -> Table:
    """A table of the competition rules after the deal; no tile of its walls is known."""
    table = Table(registry.load("competition"))
    table.apply(act.StartMatch(t=0))
    table.apply(act.RaiseWalls(t=1))
    table.apply(act.RestDice(t=2, dice=total))
    table.apply(act.Deal(t=3, hands=HANDS, drawn=Tile.NORTH))
    return table


def test_walls_stand_full_before_the_deal_and_are_empty_without_a_hand() -> None:
    table = Table(registry.load("competition"))
    assert walls(table) == [[0] * 18] * 4
    table.apply(act.StartMatch(t=0))
    table.apply(act.RaiseWalls(t=1))
    assert walls(table) == [[2] * 18] * 4
    table.apply(act.RestDice(t=2, dice=(3, 4)))
    assert walls(table) == [[2] * 18] * 4


def test_the_deal_leaves_the_gap_that_the_worked_table_says() -> None:
    # J7, t = 7: from 2/7 through wall 1 up to stack 14; of 1/15 the upper tile is gone (the jump)
    assert walls(dealt((3, 4))) == [
        [2] * 18,
        [0] * 14 + [1] + [2] * 3,
        [2] * 6 + [0] * 12,
        [2] * 18,
    ]


@pytest.mark.parametrize("total", [(1, 1), (2, 3), (5, 6), (6, 6)])
def test_every_tile_of_the_wall_stands_somewhere(total: tuple[int, int]) -> None:
    table = dealt(total)
    assert table.hand is not None
    assert sum(map(sum, walls(table))) == table.hand.wall_left == 144 - 53


def test_turn_draws_and_replacements_come_from_the_two_ends() -> None:
    table = dealt((3, 4))
    table.apply(act.DiscardTile(t=4, seat=0, tile=Tile.NORTH))
    table.apply(act.Draw(t=5, seat=1, tile=Tile.PLUM))
    table.apply(act.LayFlower(t=6, seat=1, tile=Tile.PLUM))
    table.apply(act.Draw(t=7, seat=1, tile=Tile.RED, end="tail"))
    stacks = walls(table)
    assert stacks[1] == [0] * 15 + [2] * 3  # J7: the first live draw is 1/15 lower
    assert stacks[2] == [2] * 5 + [1] + [0] * 12  # J8: the first replacement is 2/6 upper
