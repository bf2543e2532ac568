"""The worked cases of every rule system: legal, reason, fans, score, payments. Their options load and are complete."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tablectl.rules.cases import Case, parse_cases
from tablectl.rules.registry import RULE_SETS, load, rule_class

ROOT = Path(__file__).parents[2]


def all_cases() -> list[Case]:
    found: list[Case] = []
    for id in RULE_SETS:
        shared = ROOT / "tests" / "cases" / f"{id}.yaml"
        for path in (shared, shared.parent / "more" / shared.name):
            if path.exists():
                found += parse_cases(path.read_text(encoding="utf-8"), str(path))
    return found


@pytest.mark.parametrize("case", all_cases(), ids=lambda case: case.id)
def test_case(case: Case) -> None:
    assert case.expect is not None
    found = load(case.rules, case.options).settle(case.situation)
    expect = case.expect
    assert tuple(verdict.legal for verdict in found.verdicts) == expect.legal, case.why
    assert tuple(verdict.reason for verdict in found.verdicts) == expect.reason, case.why
    assert [dict(verdict.fans) for verdict in found.verdicts] == [dict(fans) for fans in expect.fans], case.why
    assert tuple(verdict.score for verdict in found.verdicts) == expect.score, case.why
    assert found.payments == expect.payments, case.why


@pytest.mark.parametrize("id", RULE_SETS)
def test_shipped_options_are_complete_and_are_the_defaults(id: str) -> None:
    given = yaml.safe_load((ROOT / "config" / "rules" / f"{id}.yaml").read_text(encoding="utf-8"))
    model = rule_class(id).Options
    assert set(given) == set(model.model_fields)
    assert load(id, given).options == load(id).options


def presets() -> list[Path]:
    files = sorted((ROOT / "config" / "rules").glob("*-*.yaml"))
    return [path for path in files if path.stem.partition("-")[0] in RULE_SETS]


@pytest.mark.parametrize("path", presets(), ids=lambda path: path.stem)
def test_a_preset_names_its_base_and_lists_only_what_differs(path: Path) -> None:
    given = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert set(given) == {"base", "name", "options"}
    assert given["base"] == path.stem.partition("-")[0]
    assert set(given["name"]) == {"zh", "en"}
    for name, value in given["options"].items():
        rules = load(given["base"], {name: value})
        assert getattr(rules.options, name) != getattr(load(given["base"]).options, name), name
    assert load(given["base"], given["options"])


@pytest.mark.parametrize("id", RULE_SETS)
def test_every_option_says_what_it_is_and_where_it_comes_from(id: str) -> None:
    for name, field in rule_class(id).Options.model_fields.items():
        extra = field.json_schema_extra
        assert field.description, name
        assert isinstance(extra, dict), name
        assert extra["paragraph"], name
