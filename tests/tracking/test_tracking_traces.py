"""The example traces give exactly the true hand records."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tablectl.base.trace import Trace
from tablectl.game.record import differences, records
from tablectl.game.table import Table
from tablectl.rules.api import MatchState
from tablectl.rules.registry import load
from tablectl.tiles.notation import parse_tile
from tablectl.tracking.replay import Pipeline, replay
from tablectl.tracking.tracker import Tracker

TRACES = Path(__file__).parent.parent / "traces"


@pytest.mark.parametrize("name", ["competition-clean", "competition-normal", "competition-offence"])
def test_record_of_a_trace_is_the_truth(name: str) -> None:
    trace = Trace(TRACES / f"{name}.trace.jsonl.gz")
    header = trace.header
    rules = load(header.rules, header.options)
    match = MatchState(
        points=header.points, dealer=header.dealer, streak=header.streak, prevalent=parse_tile(header.prevalent)
    )
    table = Table(rules, match=match)
    tracker = Tracker(
        table,
        {tag: parse_tile(code) for tag, code in header.tags.items()},
        first_left=header.first_left,
        lower_first=header.lower_first,
        period_s=header.period_s,
    )
    replay(Pipeline(table, tracker), trace)
    (record,) = records(table.events)
    truth = [json.loads(line) for line in (TRACES / f"{name}.truth.jsonl").read_text(encoding="utf-8").splitlines()]
    assert differences(record, truth) == []
