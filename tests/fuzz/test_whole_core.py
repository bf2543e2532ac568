"""A few orders of everything that can happen to a table; ``python -m benchmarks.whole_core`` tries hundreds."""

from __future__ import annotations

from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test
from whole_core import WholeCore


def test_whatever_happens_in_whatever_order() -> None:
    few = settings(
        max_examples=4,
        stateful_step_count=15,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(WholeCore, settings=few)
