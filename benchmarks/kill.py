"""Kill the program a thousand times and count what came of it: ``python -m benchmarks.kill [--kills N]``.

The core is dropped in the middle of a write of the journal (nothing on disk; on disk and not shown; shown) and at any
time, as after a crash and as after a power cut; and a process is killed with SIGKILL. The next one must have everything
that anybody saw, and the match must end with the scores it had.
"""

from __future__ import annotations

import argparse
import logging
import random
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from killed_process import Killed, record
from killed_table import KilledTable, Kind, Moment

from tablectl.base.clock import cpu_seconds, run_virtual

MOMENTS: tuple[Moment, ...] = ("before", "after", "shown")
#: writes of a hand, about
WRITES = 150


def dropped(kills: int, kind: Kind, noise: str, counted: Counter[str]) -> None:
    """Kill at write after write, hand after hand, every moment in turn."""
    done = 0
    seed = 0
    while done < kills:
        seed += 1
        first = 2 + seed % 17
        moments = {n: MOMENTS[(n // 17 + seed) % 3] for n in range(first, WRITES, 17)}
        rng = random.Random(seed)
        timers = iter([rng.uniform(20, 90) for _ in range(3)])
        with tempfile.TemporaryDirectory(prefix="tablectl-kill-") as folder:
            table = KilledTable(
                Path(folder), seed=seed, kind=kind, noise=noise, when=lambda n, m=moments: m.get(n), timers=timers
            )
            outcome = run_virtual(table.play(), limit_s=50_000)
        done += outcome.kills
        counted["kills"] += outcome.kills
        counted["hands"] += outcome.hands
        counted["events lost that were seen"] += len(outcome.lost)
        counted["outputs on while nobody drives them"] += len(outcome.moved)
        counted["questions to a person"] += outcome.questions
        scores = [line for line in outcome.wrong if line.startswith(("scores", "0 hands"))]
        counted["hands with other scores"] += bool(scores)
        counted["hands with the same scores, another order or alert"] += bool(outcome.wrong) and not scores
        counted["hands exactly as played"] += not outcome.wrong
        if scores:
            counted["... of them without any kill too"] += _differs_anyway(seed, noise)
            print(f"  {kind}, {noise}, seed {seed}: {scores[0]}")


def _differs_anyway(seed: int, noise: str) -> bool:
    """Whether the antennas alone lead the tracker astray in this hand."""
    with tempfile.TemporaryDirectory(prefix="tablectl-kill-") as folder:
        return bool(run_virtual(KilledTable(Path(folder), seed=seed, noise=noise).play(), limit_s=50_000).wrong)


def killed(kills: int, counted: Counter[str]) -> None:
    """SIGKILL of processes that take in a recorded hand."""
    with tempfile.TemporaryDirectory(prefix="tablectl-kill-") as name:
        folder = Path(name)
        done = number = 0
        recorded = record(folder, seed=1)
        while done < kills:
            number += 1
            match = Killed(recorded, folder / str(number))
            wrong = match.match(random.Random(number), 500)
            done += match.kills
            counted["kills"] += match.kills
            counted["hands"] += 1
            counted["events lost that were seen"] += len(match.lost)
            scores = [line for line in wrong if line.startswith("scores") or "in the record" in line]
            counted["hands with other scores"] += bool(scores)
            counted["hands with the same scores, another order or alert"] += bool(wrong) and not scores
            counted["hands exactly as played"] += not wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=1000, help="how often, in all")
    kills = parser.parse_args().kills
    logging.disable(logging.CRITICAL)
    total: Counter[str] = Counter()
    for name, share in (("crash", 0.45), ("power", 0.25), ("SIGKILL", 0.3)):
        begun, counted = cpu_seconds(), Counter[str]()
        if name == "SIGKILL":
            killed(round(share * kills), counted)
        else:
            for noise in ("clean", "normal"):
                dropped(round(share * kills / 2), "crash" if name == "crash" else "power", noise, counted)
        print(f"{name}: {cpu_seconds() - begun:.0f} s of processor")
        for what, count in sorted(counted.items()):
            print(f"  {count:6} {what}")
        total += counted
    print("all:")
    for what, count in sorted(total.items()):
        print(f"  {count:6} {what}")
    if total["events lost that were seen"]:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
