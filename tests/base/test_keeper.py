"""The journal of a running table: no disk stops play, and nothing is lost while the program lives."""

from __future__ import annotations

import resource
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tablectl.base.clock import HandClock
from tablectl.base.journal import MEMORY, Journal, JournalError
from tablectl.base.keeper import Keeper

START = {"type": "start_game", "rules": "mcr"}
DISCARD = {"type": "dahai", "t": 41.25, "actor": 0, "pai": "N"}
FLOWER = {"type": "flower", "actor": 3, "pai": "a"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "table" / "journal.sqlite"


@pytest.fixture
def told() -> list[str | None]:
    return []


@pytest.fixture
def keeper(path: Path, told: list[str | None]) -> Iterator[Keeper]:
    kept = Keeper(path, HandClock(), told.append)
    yield kept
    kept.close()


@contextmanager
def full_disk(path: Path) -> Iterator[None]:
    """No file may grow."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.with_name(path.name + "-wal").stat().st_size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def on_disk(path: Path) -> list[dict[str, Any]]:
    with Journal(path, HandClock(), read_only=True) as journal:
        assert journal.verify() == []
        return [entry.data for entry in journal.read()]


def test_what_happens_is_on_disk_at_once(keeper: Keeper, path: Path, told: list[str | None]) -> None:
    assert keeper.append([START, DISCARD]) == 1
    assert keeper.append([FLOWER]) == 3
    assert keeper.note("looked", by="Wang") == 1
    assert on_disk(path) == [START, DISCARD, FLOWER]
    assert (keeper.last, keeper.waiting, keeper.trouble, told) == (3, 0, None, [])


def test_a_full_disk_does_not_stop_play_and_everything_is_written_when_there_is_room(
    keeper: Keeper, path: Path, told: list[str | None]
) -> None:
    keeper.append([START])
    with full_disk(path):
        assert keeper.append([DISCARD, FLOWER]) == 2
        assert keeper.note("looked", by="Wang") == 1
        assert keeper.append([FLOWER]) == 4
        assert [entry.seq for entry in keeper.read(since=1)] == [2, 3, 4]
        assert [entry.data for entry in keeper.read(type="flower")] == [FLOWER, FLOWER]
        fact = keeper.last_fact("looked")
        assert fact is not None
        assert fact.data["by"] == "Wang"
        assert keeper.waiting == 4
        assert len(told) == 1
        assert str(told[0]).startswith("the disk reports an error.")
        assert keeper.trouble == told[0]
        assert not keeper.write()
    assert on_disk(path) == [START]
    assert keeper.write()
    assert told[1:] == [None]
    assert on_disk(path) == [START, DISCARD, FLOWER, FLOWER]
    assert [entry.data["by"] for entry in keeper.facts()] == ["Wang"]
    assert (keeper.waiting, keeper.trouble, keeper.last) == (0, None, 4)


def test_the_next_event_writes_what_waits_too_and_the_times_stay(path: Path) -> None:
    clock = HandClock()
    keeper = Keeper(path, clock)
    keeper.append([START])
    with full_disk(path):
        clock.set(5.0)
        keeper.append([DISCARD])
    clock.set(9.0)
    keeper.append([FLOWER])
    keeper.close()
    with Journal(path, HandClock(), read_only=True) as journal:
        assert [entry.t for entry in journal.read()] == [0.0, 5.0, 9.0]


def test_a_commit_whose_answer_failed_is_not_written_twice(
    keeper: Keeper, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keeper.append([START])
    put = Journal.put

    def answerless(self: Journal, *args: Any) -> int:
        put(self, *args)
        raise JournalError(self.path, "the disk reports an error", "Change the card.")

    with monkeypatch.context() as patched:
        patched.setattr(Journal, "put", answerless)
        keeper.append([DISCARD])
    keeper.append([FLOWER])
    assert on_disk(path) == [START, DISCARD, FLOWER]
    assert keeper.waiting == 0


def test_a_table_starts_without_a_disk(tmp_path: Path, told: list[str | None]) -> None:
    folder = tmp_path / "card"
    folder.touch()  # where the folder should be is something else
    keeper = Keeper(folder / "journal.sqlite", HandClock(), told.append)
    assert keeper.append([START]) == 1
    assert keeper.latest("start_game") == 1
    assert len(told) == 1
    folder.unlink()
    assert keeper.write()
    assert on_disk(folder / "journal.sqlite") == [START]
    keeper.close()


def test_the_present_match_is_found_without_a_search(path: Path) -> None:
    with Journal(path, HandClock()) as journal:
        journal.append([START, DISCARD])
        journal.append([DISCARD, START, FLOWER])
        assert journal.latest("start_game") == 4
        looked_at: list[str] = []
        journal._db.set_trace_callback(looked_at.append)
        journal.latest("start_game")
        assert looked_at == ["SELECT value FROM meta WHERE key = 'latest.start_game'"]


# --- damage


def test_a_changed_row_of_the_present_match_is_moved_aside_and_what_is_before_it_goes_on(path: Path) -> None:
    with Journal(path, HandClock()) as journal:
        journal.append([START, DISCARD, START, DISCARD, FLOWER, DISCARD])
        journal.note("looked", by="Wang")
    db = sqlite3.connect(path)
    db.execute("UPDATE events SET json = replace(json, 'N', 'E') WHERE seq = 6")
    db.commit()
    db.close()
    keeper = Keeper(path, HandClock())
    assert keeper.damage is not None
    assert keeper.damage.startswith("events: number 6 is not what was written")
    assert "3 events of the present match" in keeper.damage
    assert [(entry.seq, entry.data["type"]) for entry in keeper.read()] == [
        (3, "start_game"),
        (4, "dahai"),
        (5, "flower"),
    ]
    assert keeper.latest("start_game") == 3
    assert keeper.append([FLOWER]) == 6
    keeper.close()
    assert on_disk(path)[-1] == FLOWER
    (kept,) = path.parent.glob("journal.sqlite.damaged-*[0-9]")
    with Journal(kept, HandClock(), read_only=True) as old:
        assert old.last == 6


def test_a_file_that_is_no_journal_any_more_is_moved_aside(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"not a database, and long enough to be looked at" * 40)
    keeper = Keeper(path, HandClock())
    assert keeper.damage is not None
    assert keeper.append([START]) == 1
    keeper.close()
    assert on_disk(path) == [START]
    assert len(list(path.parent.glob("journal.sqlite.damaged-*"))) == 1


def test_damage_in_matches_long_over_does_not_stop_the_table(path: Path) -> None:
    with Journal(path, HandClock()) as journal:
        journal.append([START, DISCARD, START, DISCARD])
    db = sqlite3.connect(path)
    db.execute("UPDATE events SET json = replace(json, 'N', 'E') WHERE seq = 2")
    db.commit()
    db.close()
    keeper = Keeper(path, HandClock())
    assert keeper.damage is None
    keeper.close()


def test_two_tables_on_one_journal_are_a_mistake_of_a_person(keeper: Keeper, path: Path) -> None:
    with pytest.raises(JournalError, match="another tablectl is writing it"):
        Keeper(path, HandClock())


def test_nothing_is_kept_in_memory(told: list[str | None]) -> None:
    keeper = Keeper(MEMORY, HandClock(), told.append)
    keeper.append([START])
    assert [entry.data for entry in keeper.read()] == [START]
    keeper.close()
    assert told == []


def test_what_has_to_know_that_the_disk_is_waited_for_is_told(tmp_path: Path) -> None:
    told: list[int] = []

    @contextmanager
    def pausing() -> Iterator[None]:
        told.append(keeper._journal.last)
        yield
        told.append(keeper._journal.last)

    keeper = Keeper(tmp_path / "journal.sqlite", HandClock(), pausing=pausing)
    keeper.append([{"type": "one"}])
    keeper.append([{"type": "two"}, {"type": "three"}])
    keeper.close()
    assert told == [0, 1, 1, 3]
