"""Hundreds of orders of everything that can happen to a table: ``python -m benchmarks.whole_core [--examples N]``.

The machine of tests/fuzz/whole_core.py with more examples, longer and at random. A failure is printed as the shortest
script that Hypothesis finds.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "fuzz"))

from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test
from whole_core import WholeCore

from tablectl.base.clock import cpu_seconds


def command(given: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--examples", type=int, default=300)
    parser.add_argument("--steps", type=int, default=40)
    words = parser.parse_args(given)
    counted: Counter[str] = Counter()

    class Counted(WholeCore):
        def teardown(self) -> None:
            counted["scripts"] += 1
            if hasattr(self, "core"):
                counted["kills"] += self.table.outcome.kills
                counted["events shown"] += len(self.table.shown)
                counted["faults standing at the end"] += len(self.core.faults.active)
                counted["virtual minutes"] += round(self.runner.get_loop().time() / 60)
            super().teardown()

    many = settings(
        max_examples=words.examples,
        stateful_step_count=words.steps,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    try:
        run_state_machine_as_test(Counted, settings=many)
    finally:
        print(f"{cpu_seconds():.0f} s of processor")
        for what, count in counted.items():
            print(f"  {count:7,} {what}")
    return 0


if __name__ == "__main__":
    sys.exit(command(sys.argv[1:]))
