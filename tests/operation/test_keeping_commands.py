"""``backup``, ``restore``, ``archive``: everything is somewhere before anything goes; and what they say."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from typing import Any

import pytest
from journals import played
from typer.testing import CliRunner

from tablectl.base.clock import HandClock
from tablectl.base.journal import Journal
from tablectl.cli import app
from tablectl.core import backups

ROOT = Path(__file__).parents[2]
TILES = "sets:\n  green:\n    1m: [e004015000a1b201]\n"


def run(*words: object) -> Any:
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table's folder: records of a match, a register."""
    played(tmp_path / "journal.sqlite")
    (tmp_path / "tiles.yaml").write_text(TILES)
    return tmp_path


def events(path: Path) -> int:
    with Journal(path, HandClock(), read_only=True) as journal:
        assert journal.verify() == []
        return sum(1 for _ in journal.read())


def test_a_copy_is_one_private_file_and_comes_back(table: Path) -> None:
    journal, copy = table / "journal.sqlite", table / "copy.tar.gz"
    places = ("--journal", journal, "--tiles", table / "tiles.yaml")
    count = events(journal)
    with Journal(journal, HandClock()):  # the table is running
        done = run("backup", copy, *places, "--json")
    assert (done.exit_code, json.loads(done.stdout)["events"]) == (0, count)
    assert copy.stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in table.iterdir() if path.name.startswith(".")) == []
    with Journal(journal, HandClock()) as kept:
        kept.append([{"type": "later"}])
    (table / "tiles.yaml").write_text("sets: {}\n")
    back = run("restore", copy, *places)
    assert back.exit_code == 0
    assert f"{count} events, and the tag register" in back.stdout
    assert back.stdout.count("what was there is kept as") == 2
    assert events(journal) == count
    assert (table / "tiles.yaml").read_text() == TILES
    (old,) = table.glob("journal.sqlite.before-restore-*[0-9]")
    assert events(old) == count + 1


def test_a_copy_of_records_alone(table: Path) -> None:
    done = run("backup", table / "copy.tar.gz", "--journal", table / "journal.sqlite")
    assert done.exit_code == 0
    with tarfile.open(table / "copy.tar.gz") as tar:
        assert sorted(tar.getnames()) == ["about.json", "journal.sqlite"]


def test_so_many_copies_stay(table: Path) -> None:
    clock = HandClock()
    for day in range(5):
        clock.set(day * 86_400.0)
        newest, _ = backups.make_in(table / "journal.sqlite", None, table / "backups", 3, clock)
    kept = sorted(path.name for path in (table / "backups").iterdir())
    assert len(kept) == 3
    assert backups.newest(table / "backups") == newest
    assert (table / "backups").stat().st_mode & 0o777 == 0o700


def test_a_copy_goes_over_nothing_and_needs_a_place(table: Path) -> None:
    (table / "taken").write_text("mine")
    done = run("backup", table / "taken", "--journal", table / "journal.sqlite")
    assert (done.exit_code, "exists already" in done.stderr) == (1, True)
    assert (table / "taken").read_text() == "mine"
    assert run("backup", "--journal", table / "journal.sqlite").exit_code == 2
    nowhere = run("backup", table / "none" / "copy", "--journal", table / "journal.sqlite")
    assert (nowhere.exit_code, "cannot be written" in nowhere.stderr) == (1, True)


@pytest.mark.parametrize("content", [b"no archive at all", b""])
def test_what_is_no_copy_changes_nothing(table: Path, content: bytes) -> None:
    journal = table / "journal.sqlite"
    before = events(journal)
    (table / "bad").write_bytes(content)
    done = run("restore", table / "bad", "--journal", journal)
    assert (done.exit_code, "no sound copy" in done.stderr) == (1, True)
    assert events(journal) == before


def test_a_copy_cut_short_or_with_other_things_in_it(table: Path) -> None:
    journal = table / "journal.sqlite"
    run("backup", table / "copy.tar.gz", "--journal", journal)
    whole = (table / "copy.tar.gz").read_bytes()
    (table / "short").write_bytes(whole[: len(whole) // 2])
    assert run("restore", table / "short", "--journal", journal).exit_code == 1
    with tarfile.open(table / "strange", "w:gz") as tar:
        tar.add(table / "tiles.yaml", "../../escaped")
    done = run("restore", table / "strange", "--journal", journal)
    assert (done.exit_code, "no records in it" in done.stderr) == (1, True)
    assert not (table.parents[1] / "escaped").exists()


def test_a_running_table_is_not_restored_over(table: Path) -> None:
    journal = table / "journal.sqlite"
    run("backup", table / "copy.tar.gz", "--journal", journal)
    with Journal(journal, HandClock()):
        done = run("restore", table / "copy.tar.gz", "--journal", journal)
    assert done.exit_code == 1
    assert "another tablectl is writing it" in done.stderr
    assert "systemctl" in done.stderr


def test_old_matches_go_to_an_archive(table: Path) -> None:
    journal = table / "journal.sqlite"
    with Journal(journal, HandClock(start=1_800_000_000.0)) as kept:
        kept.append([{"type": "start_game", "rules": "mcr"}])
    before = events(journal)
    file = table / "old.jsonl.gz"
    none = run("archive", file, "--before", "2020-01-01", "--journal", journal)
    assert (none.exit_code, "nothing was moved" in none.stdout, file.exists()) == (0, True, False)
    done = run("archive", file, "--before", "2026-12-31", "--journal", journal, "--json")
    assert done.exit_code == 0
    assert json.loads(done.stdout)["events"] == before - 1
    assert events(journal) == 1
    again = run("archive", file, "--before", "2027-12-31", "--journal", journal)
    assert again.exit_code == 0  # nothing left to move: the present match stays
    with Journal(journal, HandClock()):
        running = run("archive", table / "more.gz", "--before", "2026-12-31", "--journal", journal)
    assert (running.exit_code, "another tablectl" in running.stderr) == (1, True)


@pytest.fixture
def new(tmp_path: Path) -> Path:
    """The configuration of a table that has not run yet."""
    text = (ROOT / "config" / "sim.yaml").read_text(encoding="utf-8").replace("../hardware", f"{ROOT}/hardware")
    path = tmp_path / "table.yaml"
    path.write_text(text.replace('":memory:"', "records/journal.sqlite"), encoding="utf-8")
    return path


@pytest.mark.parametrize("words", [("backup", "--into", "{0}/backups"), ("report", "--keep", "{0}/reports")])
def test_before_the_first_run_there_is_nothing_yet(new: Path, words: tuple[str, ...]) -> None:
    """The timers of a new table are no failures."""
    command = [word.format(new.parent) for word in words]
    done = run(*command, "--config", new)
    assert (done.exit_code, done.stdout) == (0, "no records yet: this table has not run\n")
    assert [path.name for path in new.parent.iterdir()] == ["table.yaml"]
    done = run(*command, "--config", new, "--json")
    assert done.exit_code == 0
    told = json.loads(done.stdout)
    assert (told.get("events", 0), told.get("hands", 0)) == (0, 0)


def test_a_mistyped_configuration_is_no_new_table(new: Path) -> None:
    for command in (("backup", "--into", new.parent), ("report",)):
        done = run(*command, "--config", new.with_name("tabel.yaml"))
        assert (done.exit_code, "cannot be read" in done.stderr) == (2, True)


def test_records_that_are_gone_are_no_new_table(new: Path) -> None:
    """There is a copy of what the configuration names no more."""
    copies = new.parent / "backups"
    played(new.parent / "records.sqlite")
    assert run("backup", "--into", copies, "--journal", new.parent / "records.sqlite").exit_code == 0
    (copy,) = copies.iterdir()
    done = run("backup", "--into", copies, "--config", new)
    assert (done.exit_code, f"tablectl restore {copy}" in done.stderr) == (1, True)


def test_records_that_are_not_there(tmp_path: Path) -> None:
    for command in (("backup", tmp_path / "x"), ("archive", tmp_path / "x", "--before", "2026-01-01"), ("report",)):
        done = run(*command, "--journal", tmp_path / "none.sqlite")
        assert (done.exit_code, "no journal there" in done.stderr) == (2, True)
