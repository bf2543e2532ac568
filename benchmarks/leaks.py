"""Many matches of all rule systems, watched by everybody who has no right to the tiles that stand: what was told that
does not lie open. `python -m benchmarks.leaks [SEEDS] [HANDS]`; exit code 1 where something was.

The same search as in `tests/web/test_nothing_leaks.py`, over more seeds.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tablectl.base.clock import run_virtual
from tablectl.rules.registry import RULE_SETS

TESTS = Path(__file__).parents[1] / "tests"


def main(seeds: int = 3, hands: int = 2) -> int:
    """Play and print a line a match; how many tiles or tags were told to somebody who must not know them."""
    sys.path[:0] = [str(TESTS), str(TESTS / "web")]
    from watched_match import watched

    wrong = 0
    for rules in RULE_SETS:
        for seed in range(100, 100 + seeds):
            with tempfile.TemporaryDirectory(prefix="tablectl-") as folder:
                _, audience = run_virtual(watched(rules, seed, Path(folder), hands))
            found = [f"{watcher.name}: {line}" for watcher in audience.watchers for line in watcher.wrong]
            heard = sum(watcher.heard for watcher in audience.watchers)
            print(f"{rules} {seed}: {heard} messages and answers, {len(found)} tell too much", *found[:5], sep="\n  ")
            wrong += len(found)
    return wrong


if __name__ == "__main__":
    raise SystemExit(1 if main(*map(int, sys.argv[1:])) else 0)
