"""Whole matches on virtual time, with every part of the program at work, held against what really happened."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

from tablectl.base.clock import Deadlock, LoopClock, TimeLimit, cpu_seconds, run_virtual
from tablectl.base.trace_log import TraceFile
from tablectl.core.backends import people as people_of
from tablectl.core.running import assemble, run
from tablectl.core.site import Site
from tablectl.game import events as ev
from tablectl.game.record import differences, records

#: seconds (virtual) that the tracker is given after the last move, to tell what it still weighs
SETTLE_S: Final = 10.0


@dataclass(frozen=True, slots=True)
class Match:
    """How a simulated match went. ``endings``: how hands ended, counted; ``wrong``: where the record differs from what
    happened, or an account does not sum; ``cpu_s``: processor seconds; ``virtual_s``: seconds on the table's clock."""

    seed: int
    hands: int
    endings: dict[str, int]
    scores: tuple[int, ...]
    over: str | None
    wrong: list[str]
    alerts: int
    cpu_s: float
    virtual_s: float

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def play(
    site: Site, seed: int, *, hands: int | None = None, trace: Path | None = None, limit_s: float = float("inf")
) -> Match:
    """Play one match (or ``hands`` hands) on virtual time; ``trace`` gets what the devices reported.

    Raises:
        base.clock.TimeLimit: it was not over after ``limit_s`` virtual seconds.
    """
    with tempfile.TemporaryDirectory(prefix="tablectl-sim-") as folder:
        link = site.settings.link.model_copy(update={"socket": Path(folder) / "link.sock"})
        sim = site.settings.sim.model_copy(update={"hands": hands if hands is not None else MANY_HANDS})
        settings = site.settings.model_copy(update={"link": link, "sim": sim})
        return run_virtual(_play(Site(settings, site.rules), seed, trace), limit_s=limit_s)


def play_all(
    site: Site, seeds: Sequence[int], *, hands: int | None = None, trace: Path | None = None, limit_s: float
) -> Iterator[Match]:
    """Play the matches of ``seeds``, as many at a time as there are processors; in the order of the seeds. One that
    does not end is told in its `Match.wrong`; it has no hands.

    ``hands``, ``trace`` (of one match), ``limit_s``: as for `play`.
    """
    one = partial(_play_to_the_end, site, hands=hands, trace=trace, limit_s=limit_s)
    processors = min(len(os.sched_getaffinity(0)), len(seeds))
    if processors < 2:
        yield from map(one, seeds)
        return
    with ProcessPoolExecutor(processors, mp_context=get_context("spawn")) as pool:
        try:
            yield from pool.map(one, seeds)
        finally:  # whoever asked wants no more
            pool.shutdown(cancel_futures=True)


def _play_to_the_end(site: Site, seed: int, *, hands: int | None, trace: Path | None, limit_s: float) -> Match:
    try:
        return play(site, seed, hands=hands, trace=trace, limit_s=limit_s)
    except (Deadlock, TimeLimit) as stuck:
        return Match(seed, 0, {}, (), None, [f"the match does not end: {stuck}"], 0, 0.0, 0.0)


#: more hands than a match has: it ends by itself
MANY_HANDS: Final = 10_000


async def _play(site: Site, seed: int, trace: Path | None) -> Match:
    begun = cpu_seconds()
    clock = LoopClock()
    core = assemble(site, clock, seed)
    people = people_of(core.backend)
    assert people is not None
    file = TraceFile(trace, core.trace_header()) if trace is not None else None
    if file is not None:
        core.recorders.append(file.write)
    events: list[ev.Event] = []  # the table itself lets go of a match once the next one begins
    core.listeners.append(lambda last, told: events.extend(told))
    working = asyncio.ensure_future(run(core))
    await people.finished.wait()
    await clock.sleep(SETTLE_S)
    core.stop()
    await working
    if file is not None:
        file.close()
    tracked, truth = records(events), people.truth
    end = next((event for event in reversed(events) if isinstance(event, ev.MatchEnded)), None)
    return Match(
        seed=seed,
        hands=len(truth),
        endings=dict(sorted(Counter(ending(hand) for hand in truth).items())),
        scores=end.scores if end is not None else core.table.match.points,
        over=end.reason if end is not None else None,
        wrong=_wrong(tracked, truth),
        alerts=sum(event["type"] == "alert" for hand in tracked for event in hand),
        cpu_s=cpu_seconds() - begun,
        virtual_s=clock.now(),
    )


def _wrong(tracked: list[list[dict[str, Any]]], truth: list[list[dict[str, Any]]]) -> list[str]:
    found = []
    if len(tracked) != len(truth):
        found.append(f"{len(tracked)} hands in the record, {len(truth)} were played")
    for number, (record, true) in enumerate(zip(tracked, truth, strict=False), 1):
        found += [f"hand {number}: {line}" for line in differences(record, true)]
        end = record[-1]
        if end["type"] != "end_kyoku":
            found.append(f"hand {number}: not ended")
        elif sum(end["deltas"]) != 0:
            found.append(f"hand {number}: changes {end['deltas']} do not sum to zero")
    return found


def ending(hand: list[dict[str, Any]]) -> str:
    """How a hand ended, in a word: ``discard``, ``self_draw``, ``robbed``, ``2_winners``, or the reason of a draw."""
    wins = [event for event in hand if event["type"] == "hora"]
    if not wins:
        return next((event["reason"] for event in hand if event["type"] == "ryukyoku"), "unfinished")
    if len(wins) > 1:
        return f"{len(wins)}_winners"
    if wins[0]["actor"] == wins[0]["target"]:
        return "self_draw"
    moves = [event for event in hand if event["type"] in ("dahai", "kakan")]
    return "robbed" if moves and moves[-1]["type"] == "kakan" else "discard"
