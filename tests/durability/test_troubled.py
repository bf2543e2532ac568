"""A disk that fails again and again, and days that jump, cost nothing; ``python -m benchmarks.kill full readonly
clock`` does hundreds."""

from __future__ import annotations

from pathlib import Path

import pytest
from troubled_table import Trouble, TroubledTable

pytestmark = pytest.mark.virtual_limit(20_000)


@pytest.mark.parametrize("trouble", ["full", "readonly", "clock"])
async def test_a_hand_goes_on_and_a_person_is_told(tmp_path: Path, trouble: Trouble) -> None:
    table = TroubledTable(tmp_path, seed=2, trouble=trouble)
    outcome = await table.play()
    assert table.troubles >= (1 if trouble == "readonly" else 4)
    assert (table.silent, outcome.lost, outcome.wrong) == ([], [], [])
