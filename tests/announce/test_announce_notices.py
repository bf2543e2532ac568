"""The priority stack: what is shown is the most important notice alive, and what lay below it comes back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl.announce.notices import LIFETIME, PRIORITY, Stack


def kind(stack: Stack, now: float) -> str | None:
    notice = stack.top(now)
    return notice.kind if notice else None


def test_a_warning_returns_to_what_was_below_it() -> None:
    stack = Stack()
    stack.put("turn", 0.0, seat=1)
    stack.put("claim", 1.0, word="pung")
    stack.put("offence", 2.0, text="x")
    assert kind(stack, 2.0) == "offence"
    assert kind(stack, 2.0 + LIFETIME["offence"]) == "turn"  # the claim's time is over as well


def test_a_claim_comes_back_when_a_fault_is_cleared_in_its_time() -> None:
    stack = Stack()
    stack.put("claim", 0.0)
    stack.put("fault", 0.5, code="H02")
    assert kind(stack, 1.0) == "fault"
    stack.drop("fault")
    assert kind(stack, 1.0) == "claim"
    assert kind(stack, LIFETIME["claim"]) is None


def test_the_same_key_is_replaced_and_equal_rank_goes_to_the_younger() -> None:
    stack = Stack()
    stack.put("claim", 0.0, word="chow")
    stack.put("claim", 1.0, word="pung")
    top = stack.top(1.0)
    assert top is not None
    assert top.values == {"word": "pung"}
    stack.put("offence_seat", 2.0, key="a", seat=0)
    stack.put("offence_seat", 3.0, key="b", seat=1)
    top = stack.top(3.5)
    assert top is not None
    assert top.values == {"seat": 1}


def test_an_unchanged_notice_keeps_its_time_and_so_its_page() -> None:
    stack = Stack()
    stack.put("totals", 0.0, changes=(1, 2, 3, 4))
    stack.put("totals", 9.0, changes=(1, 2, 3, 4))
    top = stack.top(9.0)
    assert top is not None
    assert top.since == 0.0
    stack.put("totals", 9.0, changes=(0, 0, 0, 0))
    top = stack.top(9.0)
    assert top is not None
    assert top.since == 9.0


def test_a_notice_that_waits_appears_at_its_time() -> None:
    stack = Stack()
    stack.put("win", 0.0, key="win.1", seat=1)
    stack.put("win", 0.0, key="win.2", delay=12, seat=2)
    for now, seat in ((0.0, 1), (11.9, 1), (12.0, 2), (41.0, 2)):
        top = stack.top(now)
        assert top is not None
        assert top.values["seat"] == seat, now
    assert kind(stack, 42.0) is None


def test_rank_lets_a_kind_stand_elsewhere() -> None:
    stack = Stack()
    stack.put("totals", 0.0)
    stack.put("machine", 1.0, rank="rest")
    assert kind(stack, 1.0) == "totals"
    stack.put("machine", 2.0, title="opening")
    assert kind(stack, 2.0) == "machine"


def test_keep_takes_all_others_away() -> None:
    stack = Stack()
    for name in ("fault", "turn", "totals"):
        stack.put(name, 0.0)
    stack.keep("fault", "totals", "paused")
    assert "turn" not in stack
    assert "fault" in stack
    assert "totals" in stack


@pytest.mark.parametrize(
    ("upper", "lower"),
    [
        ("fault", "paused"),
        ("paused", "offence"),
        ("offence", "proposed"),
        ("proposed", "hurry"),
        ("hurry", "claim"),
        ("claim", "turn"),
        ("turn", "totals"),
        ("totals", "idle"),
    ],
)
def test_the_order_of_importance(upper: str, lower: str) -> None:
    assert PRIORITY[upper] > PRIORITY[lower]


puts = st.lists(
    st.tuples(st.sampled_from(sorted(PRIORITY)), st.floats(0, 100), st.floats(0, 20)), min_size=1, max_size=12
)


@given(puts=puts, now=st.floats(0, 150))
def test_top_is_alive_and_nothing_alive_stands_above_it(puts: list[tuple[str, float, float]], now: float) -> None:
    stack = Stack()
    latest: dict[str, tuple[float, float]] = {}
    for number, (name, start, wait) in enumerate(puts):
        if name == "rest":
            continue
        stack.put(name, start, delay=wait, number=number)
        latest[name] = (start + wait, start + wait + LIFETIME.get(name, float("inf")))
    alive = {name for name, (since, until) in latest.items() if since <= now < until}
    top = stack.top(now)
    assert (top is None) == (not alive)
    if top is not None:
        assert top.kind in alive
        assert PRIORITY[top.kind] == max(PRIORITY[name] for name in alive)


@given(puts=puts, now=st.floats(0, 150))
def test_nothing_changes_before_next_change(puts: list[tuple[str, float, float]], now: float) -> None:
    stack = Stack()
    for name, start, wait in puts:
        stack.put(name if name != "rest" else "idle", start, delay=wait)
    top = stack.top(now)
    change = stack.next_change(now)
    assert change is None or change > now
    later = now + 1000 if change is None else now + (change - now) * 0.999
    assert stack.top(later) == top
