"""Journals as files: copies, archives, the rest of a damaged one. Nothing is deleted that is not written elsewhere."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tablectl.base.clock import Clock
from tablectl.base.journal import GENESIS, Journal, JournalError, hold, link_of

_BESIDE = ("-wal", "-shm")


@dataclass(frozen=True, slots=True)
class Copied:
    """What a copy holds."""

    events: int
    facts: int
    last: int


def backup(journal: Path, file: Path, clock: Clock) -> Copied:
    """Copy a journal to the new file ``file`` while the table may be writing it, and check the copy.

    Raises:
        JournalError: ``file`` exists, cannot be written, or what was copied is not sound (the copy is taken away).
    """
    with Journal(journal, clock, read_only=True):  # is one, and of this version
        pass
    _new(file)
    try:
        _copy(journal, file)
        return _checked(file, clock)
    except BaseException:
        _remove(file)
        raise


def restore(file: Path, journal: Path, clock: Clock) -> tuple[Copied, Path | None]:
    """Put the copy ``file`` in the place of a journal. The one that was there is kept beside it: its new name.

    Raises:
        JournalError: the copy is not sound, the table is running, or the place cannot be written.
    """
    copied = _checked(file, clock)
    fresh = journal.with_name(journal.name + ".restoring")
    journal.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    _remove(fresh)
    _new(fresh)
    try:
        _copy(file, fresh)
        kept = None
        if journal.exists():
            with _held(journal):
                kept = move_aside(journal, clock.wall(), "before-restore")
        fresh.replace(journal)
        _sync_folder(journal.parent)
    except BaseException:
        _remove(fresh)
        raise
    return copied, kept


def move_aside(journal: Path, wall: float, why: str = "damaged") -> Path:
    """Give a journal another name in its folder: ``journal.sqlite.damaged-20260102T030405``."""
    stamp = datetime.fromtimestamp(wall, UTC).strftime("%Y%m%dT%H%M%S")
    for number in range(1000):
        kept = journal.with_name(f"{journal.name}.{why}-{stamp}" + (f"-{number}" if number else ""))
        if not kept.exists():
            break
    for tail in ("", *_BESIDE):
        part = journal.with_name(journal.name + tail)
        if part.exists():
            part.rename(kept.with_name(kept.name + tail))
    _sync_folder(journal.parent)
    return kept


def salvage(damaged: Path, journal: Path, clock: Clock) -> int:
    """Begin a new journal with what of the last match in ``damaged`` is sound, numbers and hashes as they were; how
    many events that is."""
    rows = _sound_rows(damaged)
    Journal(journal, clock).close()
    if rows:
        begun, before = rows[0][0], rows[0][6]
        with _held(journal), _transaction(journal) as db:
            db.execute("INSERT INTO anchors VALUES ('events', ?, ?)", (begun - 1, before))
            db.execute("INSERT INTO meta VALUES ('latest.start_game', ?)", (str(begun),))
            db.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?)", [row[:6] for row in rows])
    return len(rows)


def _sound_rows(damaged: Path) -> list[tuple[int, float, float, str, str, bytes, bytes]]:
    """The rows of the last match, as far as their chain holds, each with the hash before it."""
    rows: list[tuple[int, float, float, str, str, bytes, bytes]] = []
    try:
        db = sqlite3.connect(f"{damaged.absolute().as_uri()}?mode=ro", uri=True)
    except sqlite3.Error:
        return rows
    with contextlib.closing(db), contextlib.suppress(sqlite3.Error, ValueError):
        (begun,) = db.execute("SELECT max(seq) FROM events WHERE type = 'start_game'").fetchone()
        if begun is None:
            return rows
        before = db.execute("SELECT hash FROM events WHERE seq = ?", (begun - 1,)).fetchone()
        link = before[0] if before else GENESIS
        query = "SELECT seq, wall, t, type, json, hash FROM events WHERE seq >= ? ORDER BY seq"
        for seq, wall, t, kind, text, stored in db.execute(query, (begun,)):
            if seq != begun + len(rows) or link_of(link, seq, wall, t, text) != stored:
                break
            json.loads(text)
            rows.append((seq, wall, t, kind, text, stored, link))
            link = stored
    return rows


def archive(journal: Path, file: Path, before_wall: float, clock: Clock) -> int:
    """Move the matches that ended before ``before_wall`` (seconds since 1970) to the new file ``file`` (gzip, a JSON
    line a row with its hash), and make the journal smaller; how many events went. They are on disk and read back before
    anything is taken out. The present match stays in any case.

    Raises:
        JournalError: the table is running, ``file`` exists or cannot be written, or the journal is not sound.
    """
    with Journal(journal, clock) as kept:
        if wrong := kept.verify():
            raise JournalError(journal, wrong[0], "Nothing was archived; see `tablectl hands verify`.")
    with _held(journal), _transaction(journal) as db:
        last = _last_before(db, before_wall)
        if last is None:
            return 0
        rows = {"events": _rows(db, "events", last[0]), "facts": _rows(db, "facts", last[1])}
        _write_out(file, [json.dumps([table, *row]) for table, found in rows.items() for row in found])
        for table, found in rows.items():
            if found:
                seq, digest = found[-1][0], bytes.fromhex(found[-1][5])
                db.execute("INSERT OR REPLACE INTO anchors VALUES (?, ?, ?)", (table, seq, digest))
                db.execute(f"DELETE FROM {table} WHERE seq <= ?", (seq,))
    with _held(journal), contextlib.closing(sqlite3.connect(journal)) as db, contextlib.suppress(sqlite3.Error):
        db.execute("VACUUM")  # without room for that, the free pages are used again
    return len(rows["events"])


def _last_before(db: sqlite3.Connection, before_wall: float) -> tuple[int, int] | None:
    """The last event of the last match that ended before a time and is not the present one; the last fact by then."""
    row = db.execute(
        "SELECT old.seq, old.wall FROM events AS begun JOIN events AS old ON old.seq = begun.seq - 1 "
        "WHERE begun.type = 'start_game' AND old.wall < ? ORDER BY begun.seq DESC LIMIT 1",
        (before_wall,),
    ).fetchone()
    if row is None:
        return None
    (fact,) = db.execute("SELECT coalesce(max(seq), 0) FROM facts WHERE wall <= ?", (row[1],)).fetchone()
    return row[0], fact


def _rows(db: sqlite3.Connection, table: str, last: int) -> list[tuple[Any, ...]]:
    query = f"SELECT seq, wall, t, type, json, hex(hash) FROM {table} WHERE seq <= ? ORDER BY seq"
    return db.execute(query, (last,)).fetchall()


def _write_out(file: Path, lines: list[str]) -> None:
    """The lines on disk, read back."""
    _new(file)
    try:
        with file.open("wb") as raw:
            with gzip.GzipFile(fileobj=raw, mode="wb", mtime=0) as out:
                out.writelines(f"{line}\n".encode() for line in lines)
            raw.flush()
            os.fsync(raw.fileno())
        with gzip.open(file, "rt", encoding="utf-8") as back:
            if [line.rstrip("\n") for line in back] != lines:
                raise JournalError(file, "it does not read back as it was written", "Nothing was taken out.")
        _sync_folder(file.parent)
    except OSError as error:
        _remove(file)
        raise JournalError(file, f"cannot be written: {error.strerror}", "Nothing was taken out.") from error
    except BaseException:
        _remove(file)
        raise


@contextlib.contextmanager
def _held(journal: Path) -> Iterator[None]:
    """Nobody else writes the journal meanwhile."""
    lock = hold(journal)
    try:
        yield
    finally:
        os.close(lock)


@contextlib.contextmanager
def _transaction(journal: Path) -> Iterator[sqlite3.Connection]:
    try:
        with contextlib.closing(sqlite3.connect(journal, isolation_level=None)) as db:
            db.execute("PRAGMA synchronous = FULL")
            db.execute("BEGIN IMMEDIATE")
            yield db
            db.execute("COMMIT")
    except sqlite3.Error as error:
        raise JournalError(journal, str(error), "Nothing was changed; look at the disk.") from error


def _checked(file: Path, clock: Clock) -> Copied:
    with Journal(file, clock, read_only=True) as copy:
        if wrong := copy.verify():
            raise JournalError(file, wrong[0], "This copy is not sound; take another one.")
        return Copied(sum(1 for _ in copy.read()), sum(1 for _ in copy.facts()), copy.last)


def _copy(source: Path, target: Path) -> None:
    """With SQLite's own means: what is committed at one moment, also while somebody writes."""
    try:
        with (
            contextlib.closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)) as old,
            contextlib.closing(sqlite3.connect(target)) as new,
        ):
            old.backup(new)
            new.execute("PRAGMA journal_mode = DELETE").fetchone()
    except sqlite3.Error as error:
        raise JournalError(source, str(error), "Look at the disk, and for the file's owner.") from error
    descriptor = os.open(target, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _new(file: Path) -> None:
    try:
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        raise JournalError(file, "it exists already", "Give another name.") from None
    except OSError as error:
        raise JournalError(file, f"cannot be created: {error.strerror}", "Check the folder.") from error


def _remove(file: Path) -> None:
    for tail in ("", *_BESIDE, "-journal"):
        file.with_name(file.name + tail).unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
