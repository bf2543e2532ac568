"""Copies and archives of journals: everything is there before anything goes, and every old file can be read."""

from __future__ import annotations

import gzip
import json
import sqlite3
from pathlib import Path

import pytest

from tablectl.base import journal as journal_module
from tablectl.base.clock import VIRTUAL_START, HandClock
from tablectl.base.journal import Journal, JournalError
from tablectl.base.journal_files import archive, backup, restore

START = {"type": "start_game", "rules": "mcr"}
DISCARD = {"type": "dahai", "t": 41.25, "actor": 0, "pai": "N"}
DAY = 86_400.0


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Three matches, a day each."""
    path = tmp_path / "journal.sqlite"
    clock = HandClock()
    with Journal(path, clock) as journal:
        for day in range(3):
            clock.set(day * DAY)
            journal.append([START, *[DISCARD] * 10])
            journal.note("looked", by="Wang")
    return path


def numbers(path: Path) -> list[int]:
    with Journal(path, HandClock(), read_only=True) as journal:
        assert journal.verify() == []
        return [entry.seq for entry in journal.read()]


# --- backup and restore


def test_a_backup_of_a_running_table_is_whole_and_comes_back(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.sqlite"
    with Journal(path, HandClock()) as running:
        running.append([DISCARD])
        copied = backup(path, copy, HandClock())
        running.append([DISCARD] * 5)
    assert (copied.events, copied.facts, copied.last) == (34, 3, 34)
    assert copy.stat().st_mode & 0o777 == 0o600
    restored, kept = restore(copy, path, HandClock())
    assert restored == copied
    assert numbers(path) == list(range(1, 35))
    assert kept is not None
    assert numbers(kept) == list(range(1, 40))


def test_a_backup_goes_over_nothing(path: Path, tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("mine")
    with pytest.raises(JournalError, match="it exists already"):
        backup(path, taken, HandClock())
    assert taken.read_text() == "mine"


def test_a_running_table_is_not_restored_over(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.sqlite"
    backup(path, copy, HandClock())
    with Journal(path, HandClock()) as running:
        with pytest.raises(JournalError, match="another tablectl is writing it"):
            restore(copy, path, HandClock())
        assert running.append([DISCARD]) == 34
    assert sorted(file.name for file in tmp_path.iterdir() if "restor" in file.name) == []


def test_what_is_not_sound_is_not_restored(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.sqlite"
    backup(path, copy, HandClock())
    db = sqlite3.connect(copy)
    db.execute("DELETE FROM events WHERE seq = 7")
    db.commit()
    db.close()
    with pytest.raises(JournalError, match=r"events: 7 missing\. This copy is not sound"):
        restore(copy, path, HandClock())
    assert numbers(path) == list(range(1, 34))


def test_a_backup_of_nothing_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="it cannot be opened"):
        backup(tmp_path / "none.sqlite", tmp_path / "copy.sqlite", HandClock())
    assert not (tmp_path / "copy.sqlite").exists()


# --- archives


def test_old_matches_go_to_the_archive_and_the_chain_goes_on(path: Path, tmp_path: Path) -> None:
    with Journal(path, HandClock(), read_only=True) as journal:
        before = [(e.seq, e.wall, e.t, e.type, e.data) for e in journal.read()]
    size = path.stat().st_size
    file = tmp_path / "old.jsonl.gz"
    assert archive(path, file, VIRTUAL_START + 1.5 * DAY, HandClock()) == 22
    assert numbers(path) == list(range(23, 34))
    assert path.stat().st_size <= size
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    events = [(row[1], row[2], row[3], row[4], json.loads(row[5])) for row in rows if row[0] == "events"]
    assert events == before[:22]
    assert sum(row[0] == "facts" for row in rows) == 2
    with Journal(path, HandClock()) as journal:
        assert journal.latest("start_game") == 23
        assert journal.append([DISCARD]) == 34
        assert journal.note("looked") == 4
        assert journal.verify() == []


def test_a_row_taken_out_of_what_is_left_is_still_found(path: Path, tmp_path: Path) -> None:
    archive(path, tmp_path / "old.jsonl.gz", VIRTUAL_START + 1.5 * DAY, HandClock())
    db = sqlite3.connect(path)
    db.execute("DELETE FROM events WHERE seq = 23")
    db.commit()
    db.close()
    with Journal(path, HandClock()) as journal:
        assert journal.verify() == ["events: 23 missing"]


def test_the_present_match_is_never_archived(path: Path, tmp_path: Path) -> None:
    archive(path, tmp_path / "old.jsonl.gz", VIRTUAL_START + 100 * DAY, HandClock())
    assert numbers(path) == list(range(23, 34))
    assert archive(path, tmp_path / "again.jsonl.gz", VIRTUAL_START + 100 * DAY, HandClock()) == 0
    assert not (tmp_path / "again.jsonl.gz").exists()


def test_an_archive_that_cannot_be_written_takes_nothing_out(path: Path, tmp_path: Path) -> None:
    (tmp_path / "taken").touch()
    with pytest.raises(JournalError, match="it exists already"):
        archive(path, tmp_path / "taken", VIRTUAL_START + 1.5 * DAY, HandClock())
    with pytest.raises(JournalError, match="cannot be created"):
        archive(path, tmp_path / "none" / "old.gz", VIRTUAL_START + 1.5 * DAY, HandClock())
    assert numbers(path) == list(range(1, 34))


# --- every earlier version


@pytest.mark.parametrize("version", range(1, len(journal_module.MIGRATIONS)))
def test_a_journal_of_every_earlier_version_is_brought_up(
    tmp_path: Path, version: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "old.sqlite"
    link = bytes(32)
    db = sqlite3.connect(path, isolation_level=None)
    for statements in journal_module.MIGRATIONS[:version]:
        for statement in statements:
            db.execute(statement)
    db.execute("INSERT INTO meta VALUES ('version', ?)", (str(version),))
    for seq, event in enumerate([START, DISCARD, START, DISCARD], 1):
        text = json.dumps(event, separators=(",", ":"))
        link = journal_module.link_of(link, seq, 100.0, 1.0, text)
        db.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?)", (seq, 100.0, 1.0, event["type"], text, link))
    db.close()
    with Journal(path, HandClock()) as journal:
        assert journal.version == len(journal_module.MIGRATIONS)
        assert journal.latest("start_game") == 3
        assert journal.append([DISCARD]) == 5
        assert journal.verify() == []


def test_an_empty_journal_of_the_first_version(tmp_path: Path) -> None:
    path = tmp_path / "old.sqlite"
    db = sqlite3.connect(path, isolation_level=None)
    for statement in journal_module.MIGRATIONS[0]:
        db.execute(statement)
    db.execute("INSERT INTO meta VALUES ('version', '1')")
    db.close()
    with Journal(path, HandClock()) as journal:
        assert journal.latest("start_game") is None
        assert journal.append([START]) == 1
        assert journal.latest("start_game") == 1
