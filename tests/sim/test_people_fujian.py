"""Four people play 福建麻将, both counts."""

from __future__ import annotations

import pytest
from quick_people import endings, first_win, needless_wilds, played, stacked

from tablectl.rules.registry import load


@pytest.mark.parametrize("count", ["simple", "full"])
def test_a_few_hands(count: str) -> None:
    truth = played(load("fujian", {"count": count}), 1).players.truth
    found = endings(truth.events)
    assert found["hands"] == 8
    assert found["won"] >= 4
    assert not needless_wilds(truth)


def test_who_waits_on_every_tile_lets_discards_pass(monkeypatch: pytest.MonkeyPatch) -> None:  # T306, T307
    ready = "123456789s456p123m5p"
    with stacked(monkeypatch, {2: ready}, live="9m", indicator="5p"):
        win = first_win(played("fujian", 3, 1))
    assert (win["actor"], win["target"]) == (2, 2)
    assert "游金" in win["fans"]
