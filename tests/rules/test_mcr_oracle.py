"""国标麻将 against PyMahjongGB: equal totals in every hand, equal names but for equally valued readings (T34, T45)."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from mcr_hands import won_hand
from mcr_oracle import compare, distance, equally_valued, oracle_distance

from tablectl.rules.mcr.table import FANS, FLOWERS

HANDS = 3_000


@pytest.mark.slow
def test_totals_and_names_are_those_of_the_oracle() -> None:  # T34–T45, decision 18
    rng = Random(144)
    found: Counter[str] = Counter()
    reached: set[str] = set()
    for _ in range(HANDS):
        compared = compare(*won_hand(rng))
        found[compared.verdict] += 1
        reached.update(compared.ours)
        assert compared.verdict != "different", compared
    assert found["same"] > 0.99 * HANDS, found
    assert {fan.name for fan in (*FANS, FLOWERS)} == reached  # the sample passes through the whole table


@pytest.mark.slow
def test_of_equal_readings_the_first_in_the_order_of_the_table_is_reported() -> None:  # T34, T37
    rng = Random(81)
    ties = 0
    for _ in range(1_000):
        win, situation = won_hand(rng)
        equal = equally_valued(win, situation)
        ours = compare(win, situation).ours
        assert ours == equal[0], (win, equal)
        ties += len(equal) > 1
    assert ties > 5


@pytest.mark.slow
def test_the_distance_to_ready_is_that_of_the_oracle() -> None:  # T57
    rng = Random(57)
    found: Counter[int] = Counter()
    for _ in range(600):
        win, _ = won_hand(rng)
        mine = distance(win, rng)
        found[mine.distance] += 1
        assert mine.distance == oracle_distance(mine.win), mine
    assert found[0]
    assert found[1]
    assert found[2]
