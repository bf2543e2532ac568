"""A journal of a year, and how long a start takes with it: ``python -m benchmarks.journal_year [--hands 20000]``.

A match of real events is written over and over, sixteen hands a match, in the journal's own form with its chain of
hashes. Printed are its size, how long the journal takes to open with the present match checked, how long to stand where
the last match stood, how long the whole file takes to be checked, how long a backup and an archive of all but the last
quarter take, and the same start for a new journal beside it.
"""

from __future__ import annotations

import argparse
import itertools
import logging
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from tablectl.base.clock import VIRTUAL_START, HandClock
from tablectl.base.journal import Journal
from tablectl.base.journal_files import archive, backup
from tablectl.base.keeper import Keeper
from tablectl.base.settings import load
from tablectl.core.resume import BEGUN, LIFTING, last_match
from tablectl.core.running import assemble
from tablectl.core.running import run as run_core
from tablectl.core.site import CHECKS, Site
from tablectl.game import events as ev
from tablectl.rules.registry import load as load_rules

HANDS = 20_000
HANDS_A_MATCH = 16
#: seconds of a hand, shuffling with it
HAND_S = 300.0

T = TypeVar("T")


def match() -> list[list[dict[str, Any]]]:
    """The events of a match, those of each hand apart; the first begins the match."""
    from tablectl.base.clock import run_virtual

    settings = load(Path(__file__).parents[1] / "config" / "sim.yaml", CHECKS)
    with tempfile.TemporaryDirectory() as folder:
        link = settings.link.model_copy(update={"socket": Path(folder) / "link.sock"})
        sim = settings.sim.model_copy(update={"hands": HANDS_A_MATCH, "noise": "clean"})
        site = Site(settings.model_copy(update={"link": link, "sim": sim, "displays": []}), load_rules("competition"))
        return run_virtual(_played(site))


async def _played(site: Site) -> list[list[dict[str, Any]]]:
    import asyncio

    from tablectl.base.clock import LoopClock
    from tablectl.core.backends import people

    core = assemble(site, LoopClock(), 1)
    working = asyncio.ensure_future(run_core(core))
    sim = people(core.backend)
    assert sim is not None
    await sim.finished.wait()
    core.stop()
    await working
    hands: list[list[dict[str, Any]]] = [[]]
    for event in core.table.events:
        if isinstance(event, ev.HandOpened) and len(hands[-1]) > 1:
            hands.append([])
        hands[-1].append(ev.to_json(event))
    return hands


def write(path: Path, hands: int, played: list[list[dict[str, Any]]]) -> int:
    """The journal; how many events it holds. One transaction a match, as the table's own would take a day."""
    clock = HandClock()
    matches: Iterator[int] = itertools.count()
    with Journal(path, clock) as journal:
        for number in matches:
            if number * len(played) >= hands:
                return journal.last
            wall = VIRTUAL_START + number * len(played) * HAND_S
            for kind in (BEGUN, LIFTING, "upkeep"):
                journal.put("facts", [{"type": kind, "after": journal.last, "kept": {}}], wall, 0.0)
            journal.put("events", [event for hand in played for event in hand], wall, 0.0)
    return 0


def timed(what: str, work: Callable[[], T]) -> T:
    begun, cpu = time.perf_counter(), time.process_time()
    found = work()
    passed, used = time.perf_counter() - begun, time.process_time() - cpu
    print(f"  {what}: {1000 * passed:,.0f} ms, {1000 * used:,.0f} ms of them on the processor", flush=True)
    return found


def start(path: Path) -> None:
    keeper = timed("open, the present match checked", lambda: Keeper(path, HandClock()))
    table = timed("stand where the match stood", lambda: last_match(keeper))
    assert table is not None
    timed("facts of the last run", lambda: (keeper.last_fact(BEGUN), keeper.last_fact(LIFTING)))
    keeper.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hands", type=int, default=HANDS)
    hands = parser.parse_args().hands
    logging.disable(logging.CRITICAL)
    played = match()
    with tempfile.TemporaryDirectory(prefix="tablectl-year-") as folder:
        path, young = Path(folder) / "year.sqlite", Path(folder) / "young.sqlite"
        write(young, len(played), played)
        events = timed("written", lambda: write(path, hands, played))
        size = path.stat().st_size
        print(f"{hands} hands, {events} events, {size / 1e6:,.0f} MB, {size / hands:,.0f} bytes a hand")
        for title, which in (("one match", young), ("the year", path)):
            print(f"start with {title}")
            start(which)
        print("upkeep of the year")
        with Journal(path, HandClock(), read_only=True) as journal:
            assert timed("the whole file checked", journal.verify) == []
        timed("backup, checked", lambda: backup(path, Path(folder) / "copy.sqlite", HandClock()))
        until = VIRTUAL_START + 0.75 * hands * HAND_S
        gone = timed("three quarters archived", lambda: archive(path, Path(folder) / "old.gz", until, HandClock()))
        print(f"  {gone} events went to the archive; {path.stat().st_size / 1e6:,.0f} MB are left")
        start(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
