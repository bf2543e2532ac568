"""Options and the registry: what a person gets told."""

from __future__ import annotations

import pytest

from tablectl.rules.api import RulesError
from tablectl.rules.options import describe
from tablectl.rules.registry import RULE_SETS, load, rule_class


def test_unknown_rule_system_names_the_nearest() -> None:
    with pytest.raises(RulesError, match="unknown rule system 'competiton'; did you mean 'competition'"):
        load("competiton")


def test_all_mistakes_at_once_with_the_nearest_right_name() -> None:
    with pytest.raises(RulesError) as told:
        load(
            "competition",
            {
                "kap": "none",
                "claim_seconds": 99,
                "cap": "all",
                "fan_values": {"清隆": 3},
                "chow_allowed": "yes",
                "seat_plan": [[0, 1, 2, 3], [0, 2, 3, 1], [2, 3, 1, 0], [3, 2, 0, 1]],
            },
        )
    problems = {problem.split(":")[0]: problem for problem in told.value.problems}
    assert len(problems) == 6
    assert "did you mean 'cap'" in problems["kap"]
    assert "99" in problems["claim_seconds"]
    assert "60" in problems["claim_seconds"]
    assert "J20" in problems["claim_seconds"]
    assert "'holdings' or 'none'" in problems["cap"]
    assert "did you mean '清龙'" in problems["fan_values"]
    assert "bool" in problems["chow_allowed"]
    assert "seat 0: a player sits there twice" in problems["seat_plan"]


def test_values_given_are_laid_over_the_table() -> None:
    options = load("competition", {"fan_values": {"花龙": 12}}).options.model_dump()
    assert options["fan_values"]["花龙"] == 12
    assert options["fan_values"]["清一色"] == 30


@pytest.mark.parametrize("id", RULE_SETS)
def test_options_and_card_for_people(id: str) -> None:
    lines = {line.name: line for line in describe(rule_class(id).Options)}
    assert all(line.type and line.meaning and line.paragraph for line in lines.values())
    card = load(id).fan_table()
    assert card
    assert all(entry.name and entry.definition and entry.paragraph for entry in card)


def test_types_are_told_in_words() -> None:
    lines = {line.name: line.type for line in describe(rule_class("competition").Options)}
    assert lines["dice_count"] == "int 1–3"
    assert lines["cap"] == "holdings | none"
    assert lines["fan_values"] == "map"
    assert lines["games"] == "int | null 1–4"
