"""The tables of transitions."""

from __future__ import annotations

import pytest

from tablectl.game import machine
from tablectl.game.machine import HAND, MATCH, IllegalStep, hand_diagram, match_diagram, step, step_match
from tablectl.game.state import Game, Hand, MatchPhase, Phase
from tablectl.rules.api import MatchState
from tablectl.tiles.tile import Tile


def hand_in(phase: Phase) -> Hand:
    points = (100, 100, 100, 100)
    return Hand(number=1, dealer=0, prevalent=Tile.EAST, streak=0, start_points=points, points=points, phase=phase)


def ways(rows, start):
    """All phases that can be reached from ``start``."""
    reached, open_ = {start}, [start]
    while open_:
        here = open_.pop()
        for _, sources, dest in rows:
            if here in sources and dest is not None and dest not in reached:
                reached.add(dest)
                open_.append(dest)
    return reached


@pytest.mark.parametrize("phase", [p for p in Phase if p is not Phase.ENDED])
def test_every_phase_of_a_hand_leads_to_its_end(phase):
    assert Phase.ENDED in ways(HAND, phase)


def test_every_phase_can_be_reached_and_none_leads_back_from_the_end():
    assert ways(HAND, Phase.IDLE) == set(Phase)
    assert ways(HAND, Phase.ENDED) == {Phase.ENDED}
    assert ways(MATCH, MatchPhase.WAITING) == set(MatchPhase)


@pytest.mark.parametrize(
    ("phase", "trigger"),
    [
        (Phase.IDLE, "draw"),
        (Phase.DICE, "discard"),
        (Phase.ENDED, "draw"),
        (Phase.TURN, "claim"),
        (Phase.DECLARED, "discard"),
        (Phase.DISCARDED, "win"),
    ],
)
def test_a_step_out_of_place_raises_and_changes_nothing(phase, trigger):
    hand = hand_in(phase)
    with pytest.raises(IllegalStep, match=f"not possible in phase '{phase.value}'"):
        step(hand, trigger)
    assert hand.phase is phase


def test_a_row_moves_the_hand_as_it_says():
    for trigger, sources, dest in HAND:
        for source in sources:
            hand = hand_in(source)
            step(hand, trigger)
            assert hand.phase is (dest or source)


def test_match_steps():
    game = Game(match=MatchState(points=(0, 0, 0, 0)))
    with pytest.raises(IllegalStep, match="waiting"):
        step_match(game, "open_hand")
    step_match(game, "start")
    step_match(game, "open_hand")
    assert game.phase is MatchPhase.HAND


def test_no_way_round_the_table():
    """Without automatic transitions nothing leads straight into a phase."""
    triggers = set(machine._hand_machine().events)
    assert triggers == {row[0] for row in HAND}


def test_diagrams_show_every_arrow():
    text = hand_diagram()
    assert text.startswith("stateDiagram-v2\n    [*] --> idle\n")
    for trigger, sources, dest in HAND:
        for source in sources:
            line = next(
                s for s in text.splitlines() if s.startswith(f"    {source.value} --> {(dest or source).value}:")
            )
            assert trigger in line.split(": ")[1].split(", ")
    assert "between --> hand: open_hand" in match_diagram()
