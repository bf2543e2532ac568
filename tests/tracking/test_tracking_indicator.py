"""The indicator that lies in the wall: no antenna sees it, only the order of the wall says which tile it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace as _replace
from itertools import pairwise
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import pytest
from followed import pipeline_of

from tablectl.base.reports import LanePassed, Report
from tablectl.game import actions as act
from tablectl.game import events as ev
from tablectl.game.table import Table
from tablectl.rules.registry import load
from tablectl.sim.noise import PROFILES
from tablectl.sim.observed import ObservedTable, record
from tablectl.tiles.notation import parse_tile
from tablectl.tiles.tile import Tile
from tablectl.tracking.alerts import SURE_READS, Watch
from tablectl.tracking.beliefs import Beliefs
from tablectl.tracking.building import unknown_wall
from tablectl.tracking.indicator import Indicator
from tablectl.tracking.noise import Noise
from tablectl.tracking.presence import Presence
from tablectl.tracking.replay import Pipeline, replay
from tablectl.tracking.wall import WallOrder

RULES = load("tianjin")


def missed(reports: list[Report], tag: str) -> Iterator[Report]:
    """The reports of lanes that missed ``tag``, and whose rhythm does not say where."""
    passed = [0, 0, 0, 0]
    for report in reports:
        if isinstance(report, LanePassed):
            if report.tag == tag:
                continue
            passed[report.lane] += 1
            yield moved(report, 0.1 * passed[report.lane])
        elif report.t > 0.1 * 36:
            yield report


def moved(report: Any, t: float) -> Report:
    return report._replace(t=t) if hasattr(report, "_replace") else _replace(report, t=t)


def until_turned(line: Pipeline, reports: Iterator[Report]) -> list[ev.Event]:
    for report in reports:
        replay(line, [report])
        if line.table.hand is not None and line.table.hand.indicator is not None:
            break
    return line.table.events


def asked(events: list[ev.Event]) -> list[str]:
    return [e.detail for e in events if isinstance(e, ev.Alerted) and e.detail.startswith("the indicator may be")]


def left_open(table: ObservedTable) -> list[Pipeline]:
    """Tables with the indicator just turned whose lane missed the tile before it, so that a person was asked."""
    true = parse_tile(table.truth[0][0]["indicator"])
    passages = [report for report in table.reports if isinstance(report, LanePassed)]
    found = []
    for side in range(4):
        for before, here in pairwise(p for p in passages if p.lane == side):
            line = pipeline_of(table)
            if table.world.kinds[here.tag] is true and asked(until_turned(line, missed(table.reports, before.tag))):
                found.append(line)
    return found


def test_which_tile_is_the_indicator_is_asked_where_the_lanes_leave_it_open() -> None:  # T107
    table = record(RULES, 1, PROFILES["clean"], 1)
    true = parse_tile(table.truth[0][0]["indicator"])
    (line,) = left_open(table)
    (question,) = asked(line.table.events)
    assert true.code in question
    line.apply(act.TurnIndicator(t=table.reports[-1].t, tile=true, by="referee"))
    assert line.table.hand is not None
    assert line.table.hand.indicator is true


def test_what_a_person_said_of_the_indicator_stands() -> None:
    """Later draws may tell which of the tiles it was that the lanes left open; a person has seen it."""
    table = record(RULES, 1, PROFILES["clean"], 1)
    (line,) = left_open(table)
    assert line.table.hand is not None
    kinds, told, t = table.world.kinds, line.table.hand.indicator, table.reports[-1].t
    said, drawn = [tag for tag, tile in kinds.items() if tile is not told and table.world.set_of[tag]][:40:20]
    with patch.object(WallOrder, "odds", return_value={drawn: 1.0}):
        line.apply(act.TurnIndicator(t=t, tile=kinds[said], by="referee"))
        line.advance(t)
    assert line.table.hand.indicator is kinds[said]


def test_a_tile_that_turns_up_in_a_hand_was_not_the_indicator() -> None:
    table = record(RULES, 1, PROFILES["clean"], 1)
    (line,) = left_open(table)
    hand = line.table.hand
    assert hand is not None
    told = hand.indicator
    kinds, t = table.world.kinds, table.reports[-1].t
    taken = next(tag for tag, tile in kinds.items() if tile is told and table.world.set_of[tag])
    other = next(tag for tag, tile in kinds.items() if tile is not told and table.world.set_of[tag])
    beliefs = Beliefs(line.table, kinds, 0.5, line.tracker.presence, unknown_wall(RULES), [], Watch(kinds), t=t)
    indicator = Indicator(beliefs)
    deck: Any = SimpleNamespace(indicator=5)
    with patch.object(WallOrder, "odds", return_value={taken: 0.6, other: 0.4}):
        [turned, *_] = indicator.turned(hand, deck)
        assert isinstance(turned, act.TurnIndicator)
        assert turned.tile is told
        for n in range(SURE_READS):
            assert indicator.corrected() == []
            line.tracker.presence.read("river.2", t + n, frozenset({taken}))
        [corrected] = indicator.corrected()
    assert isinstance(corrected, act.TurnIndicator)
    assert corrected.tile is kinds[other]


def test_the_likeliest_kind_is_told_and_not_the_likeliest_tag() -> None:
    """Three tags of one kind are likelier together than one of another."""
    kinds = {"a": Tile.EAST, "b": Tile.EAST, "c": Tile.EAST, "d": Tile.WEST}
    presence = Presence(Noise(), 0.5)
    for tag in kinds:
        presence.place(tag, "wall", 0.0)
    beliefs = Beliefs(Table(RULES), kinds, 0.5, presence, unknown_wall(RULES), [], Watch(kinds))
    hand: Any = SimpleNamespace(dealer=0, since=0.0)
    deck: Any = SimpleNamespace(indicator=5)
    with patch.object(WallOrder, "odds", return_value={"a": 0.2, "b": 0.2, "c": 0.2, "d": 0.4}):
        [turned, _] = Indicator(beliefs).turned(hand, deck)
    assert isinstance(turned, act.TurnIndicator)
    assert turned.tile is Tile.EAST


@pytest.mark.parametrize("shown", [True, False])
def test_a_flower_turned_up_is_read_before_the_dealer(shown: bool) -> None:  # fuzhou T109
    rules = load("fuzhou")
    flower = min(rules.play.flowers)
    kinds = {"a": flower, "b": parse_tile("5p"), "before": flower}
    presence = Presence(Noise(), 0.5)
    for tag in "ab":
        presence.place(tag, "wall", 0.0)
    presence.place("before", "meld.2", 0.0)  # laid there before
    for n in range(8):
        presence.read("meld.2", 0.5 * n, frozenset({"a", "before"} if shown and n > 2 else {"before"}))
    beliefs = Beliefs(Table(rules), kinds, 0.5, presence, unknown_wall(rules), [], Watch(kinds), t=4.0)
    hand: Any = SimpleNamespace(dealer=2, since=0.0)
    deck: Any = SimpleNamespace(indicator=5)
    with patch.object(WallOrder, "odds", return_value={"a": 0.4, "b": 0.4, "before": 0.2}):
        told = Indicator(beliefs).turned(hand, deck)
    assert [action.tile for action in told if isinstance(action, act.TurnIndicator)] == [kinds["a" if shown else "b"]]
    assert len(told) == 1  # nobody is asked


def test_nothing_is_asked_where_the_lanes_know_it() -> None:
    table = record(RULES, 1, PROFILES["clean"], 1)
    line = pipeline_of(table)
    assert not asked(until_turned(line, iter(table.reports)))
    assert line.table.hand is not None
    assert line.table.hand.indicator is parse_tile(table.truth[0][0]["indicator"])
