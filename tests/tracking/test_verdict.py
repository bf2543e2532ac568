"""A judgement stands while no step can have become sure since: a tag that is only silent starts no search anew."""

import pytest

from tablectl.tracking.hypotheses import Judgement, Verdict
from tablectl.tracking.outlook import Step

POINT = (17, 0)
GAINS = {("tag", "hand.0"): 5.0}
DRAW = Step("draw", 0, (("tag", "hand.0"),), -0.5)


def verdict(total: float | None = 4.5) -> Verdict:
    weighed = () if total is None else ((total, (DRAW,)),)
    step = DRAW if weighed else None
    return Verdict(Judgement(step, total or 0.0, 1.0, weighed=weighed), POINT, GAINS, 0.0, until=10.0)


@pytest.mark.parametrize(
    "gains",
    [
        GAINS,
        {("tag", "hand.0"): 7.5},  # 4.5 and 2.5 more
        {("tag", "hand.0"): 5.0, ("other", ""): 2.9},
        {("tag", "hand.0"): 3.0},
    ],
)
def test_little_that_changed_makes_no_step_sure(gains: dict[tuple[str, str], float]) -> None:
    assert verdict().stands(9.9, POINT, gains, 0.0, 7.5)


@pytest.mark.parametrize(
    ("t", "point", "gains", "nothing"),
    [
        (9.9, POINT, {("tag", "hand.0"): 8.1}, 0.0),  # 4.5 and 3.1 more
        (9.9, POINT, {("tag", "hand.0"): 5.0, ("other", ""): 3.1}, 0.0),
        (9.9, POINT, {("tag", "river.0"): 1.0}, 0.0),  # what spoke for something else is gone
        (9.9, POINT, GAINS, 3.5),
        (9.9, (18, 0), GAINS, 0.0),
        (10.0, POINT, GAINS, 0.0),
    ],
)
def test_everything_else_is_judged_anew(
    t: float, point: tuple[object, ...], gains: dict[tuple[str, str], float], nothing: float
) -> None:
    assert not verdict().stands(t, point, gains, nothing, 7.5)


def test_a_step_that_nothing_spoke_for_may_still_be_the_next() -> None:
    assert verdict(None).stands(0.0, POINT, {("tag", "hand.0"): 12.0}, 0.0, 7.5)
    assert not verdict(None).stands(0.0, POINT, {("tag", "hand.0"): 12.6}, 0.0, 7.5)


def test_less_is_enough_for_a_step_that_waited() -> None:
    assert not verdict().stands(9.9, POINT, GAINS, 0.0, 4.5)
