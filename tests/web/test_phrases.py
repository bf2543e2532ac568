"""What the tracker and the game say of an alert, and why they refuse something, has its Chinese on the page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import tablectl.web
from tablectl.core.offers import MATCH, agreement_refused
from tablectl.game import actions as act
from tablectl.game import rulings
from tablectl.game.table import Table
from tablectl.rules.registry import RULE_SETS, load

STATIC = Path(tablectl.web.__file__).parent / "static"


def forms(script: str) -> list[re.Pattern[str]]:
    text = (STATIC / script).read_text(encoding="utf-8")
    return [re.compile(form) for form in re.findall(r'\[/(\^.+?\$)/, "', text)]


FORMS, REFUSALS = forms("phrases.js"), forms("refusals.js")


@pytest.mark.parametrize(
    "detail",
    [
        *("pung 5m", "chow 5m", "kong E", "win 9p", "after the next draw", "4p drawn before the discard"),
        *("4p taken and put back", "8s is not the tile due", "discarded without having drawn", "discard out of turn"),
        *("F from hand.3 in river.3", "9m from apart in hand.0", "P in hand.1 and in meld.1", "3m 6m 8s laid open"),
        *("13 standing tiles in meld.2", "other tiles dealt than due: seats [1, 0]", "4p in hand.2 is silent"),
        *("the deal is not what the lanes read", "tag e0ffffff00000000 in river.1", "it is the turn of seat 2"),
    ],
)
def test_a_particular_of_an_alert_is_said_in_chinese(detail: str) -> None:
    assert any(form.match(detail) for form in FORMS)


@pytest.mark.parametrize("rules", sorted(RULE_SETS))
def test_why_something_is_refused_is_said_in_chinese(rules: str) -> None:
    table = Table(load(rules))
    said = {words.format(seat=2, rules=table.rules.name_zh) for needs in rulings._NEEDS.values() for _, words in needs}
    for _ in range(2):
        said |= {why for do in rulings.ACTS if (why := rulings.not_now(table, do, 2))}
        said |= {why for refused in MATCH.values() if (why := refused(table))}
        table.apply(act.RaiseWalls(t=0))
    said |= {why for seat in range(4) if (why := agreement_refused(table, seat))}
    assert [words for words in sorted(said) if not any(form.match(words) for form in REFUSALS)] == []
