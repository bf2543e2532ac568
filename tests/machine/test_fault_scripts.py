"""Random scripts of faults: a few of the thousand that ``python -m benchmarks fault_scripts`` plays."""

from __future__ import annotations

import pytest
from random_faults import play


@pytest.mark.parametrize("seed", range(5000, 5020))
async def test_nothing_is_lost_and_nothing_moves_while_a_fault_stands(seed: int) -> None:
    outcome = await play(seed)
    assert outcome.wrong == []
    assert outcome.cycles >= 2
