"""Numbers to hold, printed side by side with the peers. Never timed tests: run them on a quiet machine.

``python -m benchmarks`` runs every module of this package that has ``run() -> list[Row]``; names of modules as
arguments choose some.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Row:
    """One number: ``value`` in ``unit`` beside its ``bar`` in words and the same work done by ``peers``."""

    what: str
    value: float
    unit: str
    bar: str = ""
    peers: Mapping[str, float] = field(default_factory=dict)


def per_second(work: Callable[[], object], items: int, *, rounds: int = 3) -> float:
    """Items a second of CPU time in the best of ``rounds``, after one round to fill the memo tables."""
    work()
    return items / min(_cpu(work) for _ in range(rounds))


def percentiles_ms(calls: Iterable[Callable[[], object]]) -> tuple[float, float]:
    """The 50th and 99th percentile of the CPU time of single calls, in milliseconds. Nothing is warmed up."""
    taken = sorted(_cpu(call) * 1000 for call in calls)
    return taken[len(taken) // 2], taken[int(len(taken) * 0.99)]


def _cpu(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start
