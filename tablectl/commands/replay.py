"""``tablectl replay``: run a trace through the same tracker, game and scoring as a live table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tablectl.commands.terminal import FINE, FOUND_WRONG, MISUSE, JsonOption, fail, print_json, say, tells_errors, warn

if TYPE_CHECKING:
    from tablectl.base.trace import Trace, TraceHeader
    from tablectl.game.events import Event
    from tablectl.tracking.replay import Pipeline


@tells_errors
def replay(
    trace: Annotated[Path, typer.Argument(help="A trace (docs/trace-format.md); .gz is read too.")],
    json: JsonOption = False,
    explain: Annotated[
        float | None, typer.Option(help="Say instead what spoke for what at this moment (seconds of the trace).")
    ] = None,
    truth: Annotated[
        Path | None, typer.Option(help="Hand records to compare with (JSON lines); exit code 1 if they differ.")
    ] = None,
) -> None:
    """Say what was played, from a table's log. With --json: the hand records, one event a line."""
    from tablectl.base.trace import Trace, TraceError
    from tablectl.game.record import matches_of, records
    from tablectl.rules.api import RulesError
    from tablectl.tracking.replay import replayed

    log = Trace(trace)
    try:
        pipeline = pipeline_for(log.header)
    except RulesError as error:
        fail(*(f"{trace}:1: {problem}" for problem in error.problems))
    if explain is not None:
        _explain(pipeline, log, explain)
        return
    broken: TraceError | None = None
    events: list[Event] = []
    first_seq = pipeline.table.last_seq + 1
    try:
        events.extend(replayed(pipeline, log))
    except TraceError as error:
        broken = error  # everything before the broken line was read, and is told
    hands = [hand for begin, match in matches_of(events) for hand in records(match, first_seq + begin)]
    if json:
        for hand in hands:
            for event in hand:
                print_json(event)
    else:
        for hand in hands:
            tell_hand(hand)
        if not hands:
            say("no hand was dealt in this trace")
    if broken is not None:
        warn(*broken.problems, f"{trace}: read up to the first of these lines; what was played before it stands")
        raise typer.Exit(MISUSE)
    if truth is not None:
        raise typer.Exit(_compare([event for hand in hands for event in hand], truth))


def pipeline_for(header: TraceHeader) -> Pipeline:
    """Tracker and table as the header of a trace says."""
    from tablectl.game.table import Table
    from tablectl.rules.api import MatchState
    from tablectl.rules.registry import load
    from tablectl.tiles.notation import parse_tile
    from tablectl.tracking.replay import Pipeline
    from tablectl.tracking.tracker import Tracker

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
    return Pipeline(table, tracker)


def _explain(pipeline: Pipeline, log: Trace, t: float) -> None:
    from itertools import takewhile

    from tablectl.tracking.explain import explain
    from tablectl.tracking.replay import replay as run

    run(pipeline, takewhile(lambda report: report.t <= t, log))
    pipeline.advance(t)
    say(*explain(pipeline.tracker))


def _compare(record: list[dict[str, Any]], truth: Path) -> int:
    from json import loads

    from tablectl.documents import read_text
    from tablectl.game.record import differences

    lines = [loads(line) for line in read_text(truth).splitlines() if line.strip()]
    found = differences(record, lines)
    warn(*(found or [f"equal to {truth}"]))
    return FOUND_WRONG if found else FINE


_MOVES = {
    "tsumo": "draws",
    "dahai": "discards",
    "flower": "lays flower",
    "chi": "chow",
    "pon": "pung",
    "daiminkan": "kong from discard",
    "ankan": "concealed kong",
    "kakan": "added kong",
}


def tell_hand(hand: list[dict[str, Any]]) -> None:
    """A hand record in words, one event a line."""
    for event in hand:
        say(_words(event))


def _words(event: dict[str, Any]) -> str:
    kind = event["type"]
    time = f"{event['t']:8.2f}  " if event.get("t") is not None else ""
    if kind == "start_kyoku":
        hands = "\n".join(
            f"          seat {n}: {' '.join(str(t) for t in tiles)}" for n, tiles in enumerate(event["tehais"])
        )
        return (
            f"hand {event['hand']} ({event['rules']}): dealer {event['dealer']}, {event['bakaze']}, streak "
            f"{event['streak']}, scores {event['scores']}, dice {event['dice']}\n{hands}"
        )
    if kind in _MOVES:
        consumed = f" with {' '.join(event['consumed'])}" if event.get("consumed") else ""
        source = f" from seat {event['target']}" if "target" in event else ""
        return f"{time}seat {event['actor']} {_MOVES[kind]} {event.get('pai') or ''}{consumed}{source}"
    if kind == "hora":
        fans = " ".join(f"{name} {value}" for name, value in event["fans"].items())
        how = "self-drawn" if event["target"] == event["actor"] else f"from seat {event['target']}"
        return f"{time}seat {event['actor']} wins on {event['pai']} {how}: {event['score']} ({fans}) {event['deltas']}"
    rest = {key: value for key, value in event.items() if key not in ("type", "t")}
    return f"{time}{kind} {' '.join(f'{key}={value}' for key, value in rest.items())}"
