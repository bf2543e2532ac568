"""Draws that were left out: told because the turn had passed, and the tile turns up at another seat."""

from __future__ import annotations

from math import inf
from types import SimpleNamespace
from typing import Any

import pytest

from tablectl.game import actions as act
from tablectl.game import events as ev
from tablectl.game.state import Phase
from tablectl.game.table import Table
from tablectl.rules.registry import load
from tablectl.tiles.tile import Tile
from tablectl.tracking.alerts import Watch
from tablectl.tracking.beliefs import Beliefs
from tablectl.tracking.building import unknown_wall
from tablectl.tracking.hypotheses import Judgement
from tablectl.tracking.noise import Noise
from tablectl.tracking.offences import PHANTOM_READS, Offences
from tablectl.tracking.outages import Sight
from tablectl.tracking.outlook import Outlook
from tablectl.tracking.presence import Presence

PERIOD = 0.5
RULES = load("competition")
TILES = {"drawn": Tile.WEST}


def drawn_unseen(turn: int, zone: str, reads: int = PHANTOM_READS) -> Beliefs:
    """Seat 1 was told to have drawn a tile that no antenna saw; it answers in ``zone``; it is the turn of ``turn``."""
    presence = Presence(Noise(), PERIOD)
    presence.place("drawn", "hand.1", 1.0)
    for n in range(2, 2 + reads):
        presence.read("hand.1", n * PERIOD, frozenset())
        presence.read(zone, n * PERIOD + 0.1, frozenset({"drawn"}))
    told = ev.TileDrawn(t=1.0, actor=1, pai=Tile.WEST)
    table: Any = SimpleNamespace(
        rules=RULES, hand=SimpleNamespace(phase=Phase.TURN, turn=turn), events=[told], last_seq=7
    )
    found = Beliefs(table, TILES, PERIOD, presence, unknown_wall(RULES), [], Watch(TILES), t=5.0)
    found.unseen["drawn"] = 1
    return found


def left_out(beliefs: Beliefs) -> list[act.Action]:
    return Offences(beliefs, Sight(beliefs.presence, PERIOD)).left_out()


@pytest.mark.parametrize("zone", ["hand.2", "river.2", "hand.0"])
def test_a_tile_that_turns_up_at_another_seat_was_not_drawn(zone: str) -> None:
    beliefs = drawn_unseen(2, zone)
    assert left_out(beliefs) == [
        act.Amend(t=5.0, replaces=7, event=None),
        act.Suspect(t=5.0, code="wrong_tile_count", seat=1, detail="discarded without having drawn"),
    ]
    assert beliefs.presence.lies("drawn").startswith("wall")
    assert beliefs.unseen == {}


@pytest.mark.parametrize(
    ("turn", "zone", "reads"),
    [
        (1, "hand.2", PHANTOM_READS),  # the seat still plays: the tile may be on its way
        (2, "hand.2", PHANTOM_READS - 1),
        (2, "river.1", PHANTOM_READS),  # discarded
        (2, "meld.2", PHANTOM_READS),  # claimed
    ],
)
def test_a_tile_that_may_have_been_played_was_drawn(turn: int, zone: str, reads: int) -> None:
    assert left_out(drawn_unseen(turn, zone, reads)) == []


def test_a_winner_may_have_taken_it_as_a_discard() -> None:
    beliefs = drawn_unseen(2, "hand.3")
    beliefs.keys.fresh[3] = "win"
    assert left_out(beliefs) == []


def test_a_tile_that_was_read_in_the_hand_was_drawn() -> None:
    beliefs = drawn_unseen(2, "hand.2")
    beliefs.presence.read("hand.1", 4.0, frozenset({"drawn"}))
    assert left_out(beliefs) == []
    assert beliefs.unseen == {}


@pytest.mark.parametrize(("answers", "told"), [("hand.1", ["draw_out_of_turn"]), ("meld.1", [])])
def test_nobody_has_drawn_too_early_while_a_tile_that_left_the_hand_may_be_the_discard(
    answers: str, told: list[str]
) -> None:
    """It lies at the edge of the river, and answers across it. Seat 2 draws."""
    presence = Presence(Noise(), PERIOD)
    presence.place("cast", "hand.1", 0.0)
    presence.place("next", "wall.0", 0.0)
    for n in range(8):
        for zone in ("hand.1", "meld.1", "hand.2"):
            seen = (
                {"next"} if zone == "hand.2" and n > 3 else {"cast"} if zone == (answers if n > 2 else "hand.1") else ()
            )
            presence.read(zone, n * PERIOD, frozenset(seen))
    tiles = {"cast": Tile.EAST, "next": Tile.WEST}
    beliefs = Beliefs(Table(RULES), tiles, PERIOD, presence, unknown_wall(RULES), [], Watch(tiles), t=8 * PERIOD)
    look = Outlook(Phase.TURN, 1, (0, 0, 0, 0), None, None)
    accused = Offences(beliefs, Sight(presence, PERIOD)).out_of_turn(look, Judgement(None, inf, None))
    assert [action.code for action in accused if isinstance(action, act.Suspect)] == told
