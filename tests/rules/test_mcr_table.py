"""国标麻将: the fan table and the options are those of the specification."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from tablectl.rules.api import RulesError
from tablectl.rules.mcr.table import BY_NUMBER, ENTRIES, FANS, FLOWERS, WITHOUT, bits, counted, entries
from tablectl.rules.options import describe
from tablectl.rules.registry import load, rule_class

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "rules" / "mcr.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| F(\d+) \| (\S+) \| (\d+)( each)? \| (.*?) \| (.*?) ?\|$", TEXT, re.MULTILINE)

#: What the column "not with" says in words, and where it is obeyed.
IN_WORDS = {
    3: "F22 is counted if there is no F",
    4: "one 73",
    5: "+kong fans",
    8: "32 may be counted",
    9: "73 of the winds; 60, 61 are counted",
    17: "other kong fans",
    23: "69 among them",
    28: "71, 72 among them",
    32: "65 among them",
    38: "73 of them",
    41: "70 among them",
}


def test_the_whole_table_is_here() -> None:  # T45
    assert [int(row[0]) for row in ROWS] == list(range(1, 82))
    for number, name, points, _, _, _ in ROWS:
        fan = FLOWERS if number == "81" else BY_NUMBER[int(number)]
        assert (fan.name, fan.points) == (name, int(points))


@pytest.mark.parametrize("row", ROWS[:80], ids=lambda row: row[1])
def test_not_with(row: tuple[str, ...]) -> None:  # T37a, T45
    number, column = int(row[0]), row[5]
    words = IN_WORDS.get(number, "")
    assert words in column
    listed = {int(found) for found in re.findall(r"\d+", column.replace(words, ""))}
    kong_fans = {53, 57, 67, 74} if number in (5, 17) else set()
    assert set(BY_NUMBER[number].without) == listed | kong_fans


def test_a_fan_that_is_struck_out_strikes_out_nothing() -> None:  # T45
    # 推不倒 strikes out 缺一门; 七对 is struck out by 连七对, which strikes out 单钓将 itself
    assert counted(entries(40) | entries(75)) == entries(40)
    chain = entries(20) | entries(34) | entries(51) | entries(79)
    assert counted(chain) == entries(20)
    for place in range(len(ENTRIES)):
        assert all(other > place for other in bits(WITHOUT[place] & ~entries(23)))  # superior fans stand first


def test_all_entries_of_a_fan_are_struck_out() -> None:  # T45
    assert counted(entries(11) | entries(73, 4)) == entries(11)
    assert counted(entries(14) | entries(64, 1) | entries(69, 2)) == entries(14)


def test_the_card_has_every_fan_in_both_languages() -> None:  # T45, T38
    card = load("mcr").fan_table()
    assert [entry.number for entry in card] == list(range(1, 82))
    assert all(entry.definition and entry.definition_zh for entry in card)
    assert {entry.paragraph for entry in card if entry.number in (53, 66, 77)} == {"T38", "T39", "T41"}
    more = load("mcr", {"mixed_kongs_points": 6, "two_concealed_kongs_points": 8, "flower_points": 2}).fan_table()
    values = {entry.name: entry.value for entry in more}
    assert (values["明暗杠"], values["双暗杠"], values["花牌"], len(more)) == (6, 8, 2, 82)
    assert len({fan.number for fan in FANS}) == len(FANS)


# --- options


def test_options_are_those_of_section_8() -> None:
    rows = re.findall(r"^\| `(\w+)` \| [^|]* \| (.*?) \|", TEXT[TEXT.index("## 8.") :], re.MULTILINE)
    lines = {line.name: line.default for line in describe(rule_class("mcr").Options)}
    assert [name for name, _ in rows] == list(lines)
    for name, default in rows:
        expected = yaml.safe_load(default.strip("`"))
        mine = lines[name]
        assert (list(mine) if isinstance(mine, tuple) else mine) == expected, name


def test_bad_options_are_told_at_once_with_the_nearest_name() -> None:
    with pytest.raises(RulesError) as told:
        load(
            "mcr",
            {
                "minimum_point": 8,
                "mixed_kongs_points": 4,
                "claim_seconds": 61,
                "seat_rotation_plan": [[0, 1, 2, 3]],
                "card_values": {100: 5},
                "penalty_scale": [5, 0],
                "score_mode": "referee",
            },
        )
    problems = {problem.split(":")[0]: problem for problem in told.value.problems}
    assert len(problems) == 7
    assert "did you mean 'minimum_points'" in problems["minimum_point"]
    assert "0, 5 or 6" in problems["mixed_kongs_points"]
    assert "T16" in problems["claim_seconds"]
    assert "expected none, or three" in problems["seat_rotation_plan"]
    assert "no cards of 1" in problems["card_values"]
    assert "each no less than the last" in problems["penalty_scale"]
    assert "'auto' or 'announced'" in problems["score_mode"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"seat_rotation_plan": [[0, 1, 2, 2]] * 3}, "expected each of 0, 1, 2, 3 once"),
        ({"card_values": {1: 20, 0: 3}}, "values of at least 1"),
    ],
)
def test_plans_and_cards_must_make_sense(options: dict[str, object], words: str) -> None:
    with pytest.raises(RulesError, match=words):
        load("mcr", options)


PRESETS = sorted((ROOT / "config" / "rules").glob("mcr-*.yaml"))


@pytest.mark.parametrize("path", PRESETS, ids=lambda path: path.stem)
def test_presets_load_and_differ_from_the_defaults(path: Path) -> None:  # section 9
    preset = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert preset["base"] == "mcr"
    rules, defaults = load("mcr", preset["options"]), load("mcr")
    changed = {name for name in preset["options"] if getattr(rules.options, name) != getattr(defaults.options, name)}
    assert changed == set(preset["options"])


def test_there_are_presets_for_1998_and_for_today() -> None:
    assert {"mcr-1998", "mcr-practice"} <= {path.stem for path in PRESETS}
