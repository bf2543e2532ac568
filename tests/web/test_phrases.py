"""What the tracker and the game say of an alert has its Chinese on the page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import tablectl.web
from tablectl.game.alerts import ALERTS
from tablectl.tracking.recovery import GUESSED, UNORDERED

STATIC = Path(tablectl.web.__file__).parent / "static"
WORDS = (STATIC / "words.js").read_text(encoding="utf-8")
FORMS = [
    re.compile(form) for form in re.findall(r'\[/(\^.+?\$)/, "', (STATIC / "phrases.js").read_text(encoding="utf-8"))
]


@pytest.mark.parametrize(
    "detail",
    [
        *("pung 5m", "chow 5m", "kong E", "win 9p", "after the next draw", "4p drawn before the discard"),
        *("4p taken and put back", "8s is not the tile due", "discarded without having drawn", "discard out of turn"),
        *("F from hand.3 in river.3", "9m from apart in hand.0", "P in hand.1 and in meld.1", "3m 6m 8s laid open"),
        *("13 standing tiles in meld.2", "other tiles dealt than due: seats [1, 0]", "4p in hand.2 is silent"),
        *("the deal is not what the lanes read", "tag e0ffffff00000000 in river.1", "it is the turn of seat 2"),
        *(GUESSED, f"{GUESSED}: 4p in hand.1", f"{UNORDERED}: seat 0 7s 9m, seat 1 1s 9p"),
    ],
)
def test_a_particular_of_an_alert_is_said_in_chinese(detail: str) -> None:
    assert any(form.match(detail) for form in FORMS)


def test_every_alert_has_its_words() -> None:
    assert [code for code in ALERTS if f" {code}: [" not in WORDS] == []
