"""The journal: on disk before it returns, all or nothing, and whatever was changed later is found."""

from __future__ import annotations

import resource
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tablectl.base import journal as journal_module
from tablectl.base.clock import VIRTUAL_START, HandClock
from tablectl.base.journal import MEMORY, Entry, Journal, JournalError

DISCARD = {"type": "dahai", "t": 41.25, "actor": 0, "pai": "N"}
FLOWER = {"type": "flower", "actor": 3, "pai": "a"}
SHOWN = {"type": "seats", "names": ["王", "李", "赵", "孙"]}


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "table" / "journal.sqlite"


@pytest.fixture
def journal(path: Path, clock: HandClock) -> Iterator[Journal]:
    with Journal(path, clock) as opened:
        yield opened


def power_cut(path: Path, name: str = "after") -> Path:
    """The files as they are on the card now, with nobody having closed anything."""
    folder = path.parent.parent / name
    folder.mkdir()
    for file in (path, path.with_name(path.name + "-wal")):
        shutil.copy(file, folder)
    return folder / path.name


def tampered(path: Path, *statements: str) -> Journal:
    db = sqlite3.connect(path)
    for statement in statements:
        assert db.execute(statement).rowcount > 0
    db.commit()
    db.close()
    return Journal(path, HandClock())


# --- writing and reading


def test_numbers_go_on_from_one_and_rows_hold_what_was_given(journal: Journal, clock: HandClock) -> None:
    assert journal.last == 0
    clock.set(3.5)
    assert journal.append([DISCARD, FLOWER]) == 1
    clock.set(4.0)
    assert journal.append([SHOWN]) == 3
    assert journal.last == 3
    assert list(journal.read()) == [
        Entry(1, VIRTUAL_START + 3.5, 3.5, "dahai", DISCARD),
        Entry(2, VIRTUAL_START + 3.5, 3.5, "flower", FLOWER),
        Entry(3, VIRTUAL_START + 4.0, 4.0, "seats", SHOWN),
    ]


def test_reading_since_a_number_and_by_type(journal: Journal) -> None:
    journal.append([DISCARD, FLOWER, DISCARD])
    assert [entry.seq for entry in journal.read(since=1)] == [2, 3]
    assert [entry.seq for entry in journal.read(type="dahai")] == [1, 3]
    assert [entry.seq for entry in journal.read(since=1, type="dahai")] == [3]
    assert list(journal.read(since=3)) == []


def test_reading_goes_in_portions_while_events_are_added(journal: Journal) -> None:
    journal.append([DISCARD] * 1200)
    seen = []
    for entry in journal.read():
        seen.append(entry.seq)
        if entry.seq == 600:
            journal.append([FLOWER])
    assert seen == list(range(1, 1202))


def test_facts_stand_beside_the_events(journal: Journal, clock: HandClock) -> None:
    clock.set(9.0)
    assert journal.note("fault", code="H02", where="head.1") == 1
    journal.append([DISCARD])
    assert journal.note("looked", role="referee", by="Wang", seat=2) == 2
    assert [entry.type for entry in journal.facts()] == ["fault", "looked"]
    assert next(journal.facts(type="fault")).data == {"type": "fault", "code": "H02", "where": "head.1"}
    assert journal.last == 1


def test_nothing_to_append_is_nothing(journal: Journal) -> None:
    assert journal.append([]) == 1
    assert journal.last == 0


def test_in_memory_it_is_the_same(clock: HandClock) -> None:
    with Journal(MEMORY, clock) as journal:
        assert journal.append([DISCARD]) == 1
        assert journal.verify() == []
        assert [entry.data for entry in journal.read()] == [DISCARD]


def test_what_cannot_be_json_is_not_written(journal: Journal) -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        journal.append([DISCARD, {"type": "pay", "points": float("nan")}])
    with pytest.raises(KeyError, match="type"):
        journal.append([{"actor": 1}])
    assert journal.last == 0


def test_opened_again_it_goes_on(path: Path, clock: HandClock) -> None:
    with Journal(path, clock) as first:
        first.append([DISCARD])
        first.note("settings", rules="mcr")
    with Journal(path, clock) as second:
        assert second.append([FLOWER]) == 2
        assert second.note("settings", rules="mcr") == 2
        assert second.verify() == []


# --- power cuts


def test_what_append_returned_survives_a_power_cut(journal: Journal, path: Path) -> None:
    journal.append([DISCARD, FLOWER])
    with Journal(power_cut(path), HandClock()) as after:
        assert [entry.data for entry in after.read()] == [DISCARD, FLOWER]
        assert after.verify() == []
        assert after.append([SHOWN]) == 3


def test_full_synchronisation_is_on(journal: Journal) -> None:
    db = journal._db
    assert db.execute("PRAGMA synchronous").fetchone() == (2,)
    assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert db.execute("PRAGMA page_size").fetchone() == (journal_module.PAGE_BYTES,)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(cut=st.integers(0, 40_000), batches=st.lists(st.integers(1, 4), min_size=1, max_size=6))
def test_a_write_torn_anywhere_leaves_whole_batches(
    tmp_path_factory: pytest.TempPathFactory, cut: int, batches: list[int]
) -> None:
    path = tmp_path_factory.mktemp("torn") / "t" / "journal.sqlite"
    ends = [0]
    with Journal(path, HandClock()) as journal:
        for count in batches:
            journal.append([DISCARD] * count)
            ends.append(journal.last)
        torn = power_cut(path)
    wal = torn.with_name(torn.name + "-wal")
    wal.write_bytes(wal.read_bytes()[: -cut or None])
    with Journal(torn, HandClock()) as after:
        assert after.last in ends
        assert after.verify() == []


# --- what was changed later


@pytest.fixture
def written(path: Path, clock: HandClock) -> Path:
    with Journal(path, clock) as journal:
        for number in range(6):
            clock.set(float(number))
            journal.append([{**DISCARD, "actor": number % 4}])
        journal.note("looked", by="Wang")
    return path


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        (
            "UPDATE events SET json = replace(json, 'N', 'E') WHERE seq = 3",
            ["events: number 3 is not what was written, or one before it was changed"],
        ),
        (
            "UPDATE events SET t = 2.5 WHERE seq = 3",
            ["events: number 3 is not what was written, or one before it was changed"],
        ),
        (
            "UPDATE events SET wall = wall + 1 WHERE seq = 1",
            ["events: number 1 is not what was written, or one before it was changed"],
        ),
        ("DELETE FROM events WHERE seq = 3", ["events: 3 missing"]),
        ("DELETE FROM events WHERE seq IN (2, 3, 4)", ["events: 2 to 4 missing"]),
        ("DELETE FROM events WHERE seq = 1", ["events: 1 missing"]),
        (
            "UPDATE events SET hash = (SELECT hash FROM events WHERE seq = 1) WHERE seq = 2",
            [
                "events: number 2 is not what was written, or one before it was changed",
                "events: number 3 is not what was written, or one before it was changed",
            ],
        ),
        (
            "UPDATE facts SET json = replace(json, 'Wang', 'Li')",
            ["facts: number 1 is not what was written, or one before it was changed"],
        ),
    ],
)
def test_what_was_changed_is_found(written: Path, statement: str, found: list[str]) -> None:
    with tampered(written, statement) as journal:
        assert journal.verify() == found


def test_a_row_renumbered_into_a_gap_is_found(written: Path) -> None:
    with tampered(
        written,
        "DELETE FROM events WHERE seq = 3",
        "UPDATE events SET seq = 3 WHERE seq = 4",
        "UPDATE events SET seq = 4 WHERE seq = 5",
        "UPDATE events SET seq = 5 WHERE seq = 6",
    ) as journal:
        assert journal.verify()[0] == "events: number 3 is not what was written, or one before it was changed"


def test_an_untouched_journal_is_sound(written: Path) -> None:
    with Journal(written, HandClock(), read_only=True) as journal:
        assert journal.verify() == []


def test_damage_in_the_file_is_found_and_reading_says_what_to_do(path: Path, clock: HandClock) -> None:
    with Journal(path, clock) as journal:
        journal.append([DISCARD] * 400)
    raw = bytearray(path.read_bytes())
    page = journal_module.PAGE_BYTES
    raw[20 * page : 24 * page] = b"\xff" * (4 * page)
    path.write_bytes(raw)
    with Journal(path, clock, read_only=True) as journal:
        assert journal.verify()
        with pytest.raises(JournalError, match="the file is damaged"):
            list(journal.read())


# --- files, owners, versions


def test_only_the_owner_may_read_it(path: Path, clock: HandClock) -> None:
    path.parent.mkdir()
    path.touch(mode=0o644)
    with Journal(path, clock) as journal:
        journal.append([DISCARD])
        for file in path.parent.iterdir():
            assert file.stat().st_mode & 0o777 == 0o600, file


def test_a_second_writer_is_refused_readers_are_not(journal: Journal, path: Path) -> None:
    with pytest.raises(JournalError, match="another tablectl is writing it"):
        Journal(path, HandClock())
    journal.append([DISCARD])
    with Journal(path, HandClock(), read_only=True) as reader:
        assert reader.last == 1
        journal.append([FLOWER])
        assert [entry.data for entry in reader.read(since=1)] == [FLOWER]


def test_closed_it_may_be_opened_again_also_after_a_failure(path: Path, clock: HandClock) -> None:
    path.parent.mkdir()
    path.write_bytes(b"not a database, and long enough to be looked at" * 40)
    for _ in range(2):
        with pytest.raises(JournalError, match="this is not a journal"):
            Journal(path, clock)
    path.unlink()
    Journal(path, clock).close()


def test_a_journal_of_a_newer_program_is_refused(path: Path, clock: HandClock) -> None:
    Journal(path, clock).close()
    db = sqlite3.connect(path)
    db.execute("UPDATE meta SET value = '7' WHERE key = 'version'")
    db.commit()
    db.close()
    with pytest.raises(JournalError, match=r"it is of version 7; this program knows version \d+"):
        Journal(path, clock)


def test_an_older_journal_is_brought_up_step_by_step(
    written: Path, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = (
        *journal_module.MIGRATIONS,
        ("CREATE TABLE hands (number INTEGER PRIMARY KEY)", "INSERT INTO hands VALUES (1)"),
        ("INSERT INTO hands VALUES (2)",),
    )
    monkeypatch.setattr(journal_module, "MIGRATIONS", later)
    with pytest.raises(JournalError, match="Start the table once with the newest tablectl"):
        Journal(written, clock, read_only=True)
    with Journal(written, clock) as journal:
        assert journal.version == len(later)
        assert journal._db.execute("SELECT count(*) FROM hands").fetchone() == (2,)
        assert journal.last == 6
        assert journal.verify() == []


def test_a_step_that_fails_changes_nothing(written: Path, clock: HandClock, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = (*journal_module.MIGRATIONS, ("CREATE TABLE hands (number)", "INSERT INTO nowhere VALUES (1)"))
    with monkeypatch.context() as patched:
        patched.setattr(journal_module, "MIGRATIONS", broken)
        with pytest.raises(JournalError, match="no such table: nowhere"):
            Journal(written, clock)
    with Journal(written, clock) as journal:
        assert journal.version == len(journal_module.MIGRATIONS)
        assert journal.verify() == []


# --- disks that fail


def test_a_full_disk_takes_nothing_and_the_journal_goes_on_after(journal: Journal) -> None:
    journal.append([DISCARD])
    pages = journal._db.execute("PRAGMA page_count").fetchone()[0]
    journal._db.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(JournalError) as caught:
        journal.append([DISCARD] * 100)
    assert str(caught.value) == (
        f"journal {journal.path}: the disk is full. Free space on the card (old traces first), then clear the fault."
    )
    assert journal.last == 1
    journal._db.execute("PRAGMA max_page_count = 1000000")
    assert journal.append([FLOWER]) == 2
    assert journal.verify() == []


def test_a_disk_that_reports_errors(journal: Journal, path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    size = path.with_name(path.name + "-wal").stat().st_size
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 100, hard))
    try:
        with pytest.raises(JournalError, match=r"the disk reports an error\. The card is failing"):
            journal.append([DISCARD] * 100)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert journal.append([FLOWER]) == 1
    assert journal.verify() == []


def test_a_read_only_journal_says_so(written: Path, clock: HandClock) -> None:
    with (
        Journal(written, clock, read_only=True) as journal,
        pytest.raises(JournalError, match="the file or its disk is read-only"),
    ):
        journal.append([DISCARD])


def test_a_folder_that_cannot_be(tmp_path: Path, clock: HandClock) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(JournalError, match=r"journal\.sqlite: cannot be created"):
        Journal(tmp_path / "file" / "journal.sqlite", clock)
    with pytest.raises(JournalError, match="it cannot be opened"):
        Journal(tmp_path / "none.sqlite", clock, read_only=True)


EVENTS = st.fixed_dictionaries(
    {"type": st.text(min_size=1)},
    optional={"x": st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=5)},
)


@given(batches=st.lists(st.lists(EVENTS, max_size=4), max_size=5))
def test_whatever_goes_in_comes_out(batches: list[list[dict[str, Any]]]) -> None:
    with Journal(MEMORY, HandClock()) as journal:
        for batch in batches:
            journal.append(batch)
        assert [entry.data for entry in journal.read()] == [event for batch in batches for event in batch]
        assert journal.verify() == []
