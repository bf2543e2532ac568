"""Configurations of older versions: read as they are, rewritten with every comment in its place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tablectl import documents
from tablectl.base import config_versions
from tablectl.base.config_versions import STEPS, Step, migrated, newest, upgraded
from tablectl.base.settings import SettingsError, load, remember
from tablectl.cli import app
from tablectl.documents import DocumentError

ROOT = Path(__file__).parents[2]
#: two changes as they may come: a key of the table, and one inside a section
MADE_UP = (
    Step("names of times tell their unit", {"zones.period": "period_s", "wait": "wait_s"}),
    Step("one word for one thing", {"zones.period_s": "round_s"}),
)
OLD = """# The table of the club.

# How it is called.
table: 东风一号桌   # wait: what for?
wait: 3
zones:
  # Between two reads.
  "period": 0.25  # fast
list: [wait, period]
"""


def test_every_key_gets_its_new_name_and_nothing_else_moves() -> None:
    text, done = migrated(OLD, "table.yaml", MADE_UP)
    assert text == (
        OLD.replace("wait: 3", "wait_s: 3")
        .replace('"period": 0.25', '"round_s": 0.25')
        .replace(
            "\n\n# How",
            f"\n\n{config_versions._COMMENT}\nversion: 3\n\n# How",
        )
    )
    assert done == [
        "version 2: zones.period is called period_s now",
        "version 2: wait is called wait_s now",
        "version 2: names of times tell their unit",
        "version 3: zones.period_s is called round_s now",
        "version 3: one word for one thing",
    ]
    assert migrated(text, "table.yaml", MADE_UP) == (text, [])


def test_it_is_taken_up_where_it_stands() -> None:
    text, done = migrated("version: 2 # before\nzones: {period_s: 1}\nwait_s: 1\n", "x", MADE_UP)
    assert text == "version: 3 # before\nzones: {round_s: 1}\nwait_s: 1\n"
    assert len(done) == 2


def test_an_old_file_is_read_as_a_new_one_with_its_own_lines() -> None:
    root = upgraded(documents.parse(OLD, "x"), "x", MADE_UP)
    assert root.plain() == {
        "table": "东风一号桌",
        "wait_s": 3,
        "zones": {"round_s": 0.25},
        "list": ["wait", "period"],
    }
    assert root.at(["zones"]).keys["round_s"].line == 8
    assert upgraded(documents.parse("version: 1\nwait: 2\n", "x"), "x", MADE_UP).plain() == {"version": 3, "wait_s": 2}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("version: 9\n", r"x:1:10: version: 9 is of a newer tablectl; this one knows up to 3"),
        ("version: two\n", r"x:1:10: version: found 'two', expected a whole number from 1 to 3"),
        ("version: 0\n", r"expected a whole number from 1 to 3"),
    ],
)
def test_a_version_that_nobody_knows(text: str, message: str) -> None:
    for read in (lambda: migrated(text, "x", MADE_UP), lambda: upgraded(documents.parse(text, "x"), "x", MADE_UP)):
        with pytest.raises(DocumentError, match=message):
            read()


def test_the_shipped_configuration_is_of_the_newest_version() -> None:
    path = ROOT / "config" / "table.yaml"
    assert f"\nversion: {newest()}\n" in path.read_text(encoding="utf-8")
    assert load(path).version == newest() == len(STEPS) + 1


def test_the_last_one_that_worked_says_its_version(tmp_path: Path) -> None:
    remember(load(ROOT / "config" / "table.yaml"), tmp_path)
    assert f"version: {newest()}\n" in (tmp_path / "last-good.yaml").read_text()


# --- the command


@pytest.fixture
def site(tmp_path: Path) -> Path:
    path = tmp_path / "table.yaml"
    text = (ROOT / "config" / "sim.yaml").read_text(encoding="utf-8").replace("../hardware", str(ROOT / "hardware"))
    path.write_text(text, encoding="utf-8")
    path.chmod(0o640)
    return path


def run(*words: object) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["config", "migrate", *map(str, words)])
    return done.exit_code, done.output


def test_the_command_looks_writes_and_keeps(site: Path) -> None:
    before = site.read_text(encoding="utf-8")
    assert run(site, "--check")[0] == 1
    assert site.read_text(encoding="utf-8") == before
    code, said = run(site)
    assert code == 0
    assert f"kept as {site}.before-migrate" in said
    assert (site.parent / "table.yaml.before-migrate").read_text(encoding="utf-8") == before
    assert load(site) == load(site.parent / "table.yaml.before-migrate")
    assert site.stat().st_mode & 0o777 == 0o640
    assert run(site) == (0, f"{site}: is of version {newest()}, the newest\n")
    assert run(site, "--check")[0] == 0
    assert json.loads(run(site, "--json")[1]) == {"version": newest(), "changes": [], "written": False, "kept": None}


def test_a_file_with_mistakes_is_not_touched(site: Path) -> None:
    text = site.read_text(encoding="utf-8").replace("backend: simulated", "backend: imagined")
    site.write_text(text, encoding="utf-8")
    code, said = run(site)
    assert code == 2
    assert f"{site}:" in said
    assert "nothing was changed" in said
    assert site.read_text(encoding="utf-8") == text
    assert [path.name for path in site.parent.iterdir()] == ["table.yaml"]


def test_a_file_that_is_no_configuration(tmp_path: Path) -> None:
    assert run(tmp_path / "none.yaml")[0] == 2
    broken = tmp_path / "broken.yaml"
    broken.write_text("table: [", encoding="utf-8")
    assert run(broken)[0] == 2


def test_the_table_refuses_a_file_of_a_newer_program(site: Path) -> None:
    site.write_text(f"version: {newest() + 1}\n" + site.read_text(encoding="utf-8"), encoding="utf-8")
    with pytest.raises(SettingsError, match="is of a newer tablectl"):
        load(site)
