"""A thousand random scripts of faults on virtual time, with counted outcomes: ``python -m benchmarks fault_scripts``.

Each script (tests/random_faults.py) lets faults, wrong presses, stops and restarts happen for 400 virtual seconds, then
a technician mends everything and the table must raise its walls twice more. Counted is what was done, what the table
said, and what was wrong: tiles lost, an output on too long or while a fault stood, a table that does not play on.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tablectl.base.clock import cpu_seconds, run_virtual
from tablectl.base.faults import catalogue

SCRIPTS = 1000
#: virtual seconds after which a script counts as hanging
LIMIT_S = 10_000.0


@dataclass
class Total:
    scripts: int = 0
    visits: int = 0
    restarts: int = 0
    retries: int = 0
    cycles: int = 0
    injected: Counter[str] = field(default_factory=Counter)
    told: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    cpu_s: float = 0.0


def play(seed: int) -> Total:
    """One script in this process."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
    from random_faults import play as script

    logging.disable(logging.CRITICAL)
    begun = cpu_seconds()
    try:
        outcome = run_virtual(script(seed), limit_s=LIMIT_S)
    except Exception as error:
        return Total(scripts=1, wrong=[f"seed {seed}: {type(error).__name__}: {error}"])
    return Total(
        scripts=1,
        visits=outcome.visits,
        restarts=outcome.restarts,
        retries=outcome.retries,
        cycles=outcome.cycles,
        injected=outcome.injected,
        told=outcome.told,
        wrong=[f"seed {seed}: {line}" for line in outcome.wrong],
        cpu_s=cpu_seconds() - begun,
    )


def play_all(scripts: int, first: int = 0) -> Total:
    total = Total()
    with ProcessPoolExecutor() as pool:
        for one in pool.map(play, range(first, first + scripts), chunksize=10):
            for name, value in vars(one).items():
                setattr(total, name, getattr(total, name) + value)
    return total


def command(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks fault_scripts", description=__doc__)
    parser.add_argument("--scripts", type=int, default=SCRIPTS)
    parser.add_argument("--seed", type=int, default=0, help="the first one")
    asked = parser.parse_args(arguments)
    total = play_all(asked.scripts, asked.seed)
    console = Console()
    console.print(
        f"{total.scripts} scripts, {total.injected.total()} things done to the table, {total.restarts} restarts, "
        f"{total.retries} new starts by itself, {total.visits} visits of a technician, {total.cycles} cycles, "
        f"{len(total.wrong)} wrong, {total.cpu_s:.0f} s CPU"
    )
    for title, counts in (("done", total.injected), ("told", total.told)):
        table = Table(title, "times", "")
        for name, count in sorted(counts.items()):
            table.add_row(name, str(count), catalogue()[name].texts["en"].title if name in catalogue() else "")
        console.print(table)
    for line in total.wrong:
        console.print(line)
    return 1 if total.wrong else 0
