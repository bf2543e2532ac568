"""Documents: every value with its place, every error told, nothing that hangs."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from tablectl import documents
from tablectl.documents import MAX_LENGTH, DocumentError, Node, Problems


def refused(text: str) -> str:
    with pytest.raises(DocumentError) as caught:
        documents.parse(text, "a.yaml")
    return str(caught.value)


def test_every_value_has_its_place() -> None:
    root = documents.parse("a: 1\nb:\n  - x\n  - {c: [true, 2.5]}\n", "a.yaml")
    assert root.plain() == {"a": 1, "b": ["x", {"c": [True, 2.5]}]}
    inner = root.at(["b", 1, "c", 1])
    assert (inner.value, inner.line, inner.column) == (2.5, 4, 16)
    key = root.at(["b", 1]).keys["c"]
    assert (key.line, key.column) == (4, 6)


def test_a_path_that_is_not_there_ends_at_the_value_around_it() -> None:
    root = documents.parse("a: {b: [1]}\n", "a.yaml")
    assert root.at(["a", "b", 5]) is root.at(["a", "b"])
    assert root.at(["a", "x", "y"]) is root.at(["a"])
    assert root.at(["a", "b", 0, "z"]).value == 1


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("no", "no"),
        ("on", "on"),
        ("N", "N"),
        ("5m", "5m"),
        ("~", None),
        ("", None),
        ("Null", None),
        ("TRUE", True),
        ("'1'", "1"),
        ("-12", -12),
        ("010", 10),
        ("1_000", "1_000"),
        ("1:30", "1:30"),
        ("2026-01-01", "2026-01-01"),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("1.", 1.0),
        (".", "."),
    ],
)
def test_scalars_are_those_of_yaml_1_2(text: str, value: object) -> None:
    node = documents.parse(text, "a.yaml")
    assert node.plain() == value
    assert type(node.value) is type(value)


def test_a_scalar_knows_how_it_was_written() -> None:
    assert documents.parse("[0042]", "a.yaml").at([0]) == Node(42, 1, 2, text="0042")


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(codec="utf-8", exclude_characters="\x85\ufeff")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc é", min_size=1), inner, max_size=3),
    max_leaves=10,
)


@given(values)
def test_what_yaml_writes_is_read(value: object) -> None:
    assert documents.parse(yaml.safe_dump(value, allow_unicode=True), "a.yaml").plain() == value


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: [1, 2", "neither YAML nor JSON: while parsing a flow sequence, "),
        ("a: 1\n b: 2", "a.yaml:2:3: neither YAML nor JSON: mapping values are not allowed "),
        ("a: 1\na: 2", "a.yaml:2:1: key 'a' stands twice, first in line 1"),
        ("[1]: 2", "a.yaml:1:1: found a list as a key, expected a word or a number"),
        ("true: 2", "a.yaml:1:1: found true as a key"),
        ("a: &x 1\nb: *x", "a.yaml:1:4: anchor &x: anchors are not read\na.yaml:2:4: alias *x: aliases are not read"),
        ("a: !!python/name:os.system 1", "a.yaml:1:4: tag tag:yaml.org,2002:python/name:os.system: tags are not read"),
        ("--- 1\n--- 2\n", "a.yaml:2:1: a second document begins here; expected only one"),
        ("a: \x00", "neither YAML nor JSON"),
        ("a: \ud800", "a lone surrogate"),
        ("[" * 40 + "]" * 40, "a.yaml:1:33: nested more than 32 deep"),
        ("[" * 100_000, "nest"),
        ("{a: " * 100_000, "nested more than 32 deep"),
        ("x" * (MAX_LENGTH + 1), f"{MAX_LENGTH + 1} characters long; at most {MAX_LENGTH} are read"),
    ],
    ids=range(14),
)
def test_what_cannot_be_read_is_told_with_its_place(text: str, said: str) -> None:
    assert said in refused(text)


def test_a_bomb_of_aliases_is_refused_at_once() -> None:
    lines = ["a0: &a0 [x, x]"] + [f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]" for i in range(1, 60)]
    assert refused("\n".join(lines)).count("aliases are not read") == 118


def test_a_byte_order_mark_and_crlf_are_no_harm() -> None:
    assert documents.parse("\ufeffa: 1\r\nb: 2\r\n", "a.yaml").plain() == {"a": 1, "b": 2}


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    bad = tmp_path / "bad.yaml"
    bad.write_bytes(b"a: \xff\xfe")
    with pytest.raises(DocumentError, match=r"bad\.yaml: not UTF-8 text at byte 3"):
        documents.load(bad)
    with pytest.raises(DocumentError, match="cannot be read: Is a directory"):
        documents.load(tmp_path)


# --- checking against a model


class Lamp(BaseModel):
    model_config = ConfigDict(extra="forbid")
    pin: int = Field(alias="gpio")
    colour: Literal["red", "green"] = "red"


class Table(BaseModel):
    model_config = ConfigDict(extra="forbid")
    lamps: list[Lamp]
    main: Lamp | None = None


def test_a_sound_document_becomes_its_model() -> None:
    problems = Problems("a.yaml")
    table = documents.check(documents.parse("lamps: [{gpio: 4}]", "a.yaml"), Table, problems)
    assert table == Table(lamps=[Lamp(gpio=4)])
    problems.raise_if_any()


def test_every_error_against_a_model_has_its_place_and_the_nearest_spelling() -> None:
    text = "lamps:\n  - gpoi: 4\n  - {gpio: x, colour: gren}\nmain: {gpio: 1, color: red}\nlamp: 3\n"
    problems = Problems("a.yaml")
    assert documents.check(documents.parse(text, "a.yaml"), Table, problems, "table") is None
    with pytest.raises(DocumentError) as caught:
        problems.raise_if_any()
    assert str(caught.value).splitlines() == [
        "a.yaml:2:5: table: lamps[0].gpio: this key is missing",
        "a.yaml:2:5: table: lamps[0].gpoi: unknown key; did you mean 'gpio'?",
        "a.yaml:3:12: table: lamps[1].gpio: found 'x', expected a valid integer, unable to parse string as an integer",
        "a.yaml:3:23: table: lamps[1].colour: found 'gren', expected 'red' or 'green'; did you mean 'green'?",
        "a.yaml:4:17: table: main.color: unknown key; did you mean 'colour'?",
        "a.yaml:5:1: table: lamp: unknown key; did you mean 'lamps'?",
    ]
