"""Thousands of hands at one table that is never switched off: ``python -m benchmarks.endurance_hands [--hands N]``.

The whole core on virtual time, match after match, with its journal on disk, a display and people. Printed at every
tenth of the way are resident memory, open descriptors, threads, objects that the garbage collector knows, events held
in memory, bytes of the journal a hand, and the processor's time a hand; exit code 1 where descriptors or threads grow.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import logging
import sys
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.endurance import resident_mb
from tablectl.base.clock import LoopClock, cpu_seconds, run_virtual
from tablectl.base.settings import load
from tablectl.core.running import assemble
from tablectl.core.running import run as run_core
from tablectl.core.site import CHECKS, Site
from tablectl.game import events as ev
from tablectl.rules.registry import load as load_rules

HANDS = 5_000


@dataclass(frozen=True)
class Look:
    hands: int
    megabytes: float
    descriptors: int
    threads: int
    objects: int
    events: int
    journal_bytes: int
    cpu_s: float

    def __str__(self) -> str:
        return (
            f"{self.hands:6} hands: {self.megabytes:6.1f} MB, {self.descriptors} descriptors, {self.threads} threads, "
            f"{self.objects:,} objects, {self.events} events held, {self.journal_bytes / self.hands:,.0f} bytes of "
            f"journal a hand, {1000 * self.cpu_s / self.hands:.0f} ms CPU a hand"
        )


async def play(rules: str, noise: str, hands: int, folder: Path) -> list[Look]:
    settings = load(Path(__file__).parents[1] / "config" / "sim.yaml", CHECKS)
    link = settings.link.model_copy(update={"socket": folder / "link.sock"})
    journal = settings.journal.model_copy(update={"path": folder / "journal.sqlite"})
    sim = settings.sim.model_copy(update={"hands": None, "noise": noise})
    settings = settings.model_copy(update={"link": link, "journal": journal, "sim": sim})
    core = assemble(Site(settings, load_rules(rules)), LoopClock(), 1)
    begun, ended, looks, enough = cpu_seconds(), 0, [], asyncio.Event()

    def count(last: int, events: Sequence[ev.Event]) -> None:
        nonlocal ended
        for event in events:
            if not isinstance(event, ev.HandEnded):
                continue
            ended += 1
            if ended % max(1, hands // 10) == 0:
                gc.collect()
                looks.append(
                    Look(
                        ended,
                        resident_mb(),
                        len(list(Path("/proc/self/fd").iterdir())),
                        threading.active_count(),
                        len(gc.get_objects()),
                        len(core.table.events),
                        sum(path.stat().st_size for path in folder.glob("journal.sqlite*")),
                        cpu_seconds() - begun,
                    )
                )
                print(looks[-1], flush=True)
            if ended >= hands:
                enough.set()

    core.listeners.append(count)
    working = asyncio.ensure_future(run_core(core))
    await asyncio.wait([working, asyncio.ensure_future(enough.wait())], return_when=asyncio.FIRST_COMPLETED)
    core.stop()
    await working
    return looks


def command(given: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hands", type=int, default=HANDS)
    parser.add_argument("--rules", default="competition")
    parser.add_argument("--noise", default="normal", help="how well the antennas read")
    words = parser.parse_args(given)
    logging.disable(logging.CRITICAL)
    with tempfile.TemporaryDirectory(prefix="tablectl-endurance-") as folder:
        looks = run_virtual(play(words.rules, words.noise, words.hands, Path(folder)))
    grown = [what for what in ("descriptors", "threads") if getattr(looks[-1], what) > getattr(looks[0], what)]
    print(f"grown: {', '.join(grown) or 'nothing'}")
    return 1 if grown else 0


if __name__ == "__main__":
    sys.exit(command(sys.argv[1:]))
