"""The journal: what happened, on disk before anybody is shown it.

One SQLite file in WAL mode with full synchronisation and one writer. Two append-only tables: ``events`` (the game's
events; their ``seq`` numbers them for ever) and ``facts`` (machine faults, who looked, settings in force). In both,
every row carries the SHA-256 of the row before and its own content, so a row changed, taken out or put in later is
found. Where old matches were archived (`base.journal_files.archive`), ``anchors`` holds number and hash of the last row
that went, and the chain begins there.

Small writes, for the SD card's sake: no index beside the row number, so a commit touches the last page only, and
pages of 1024 bytes. An event costs 1.5 kB written and, as the file system writes blocks of 4 KiB, 5.7 kB on the card
(pages of 4096 bytes: 4.6 kB and 8.7 kB); events appended together share that. The WAL is folded into the file every 256
pages and then written from its beginning again, so it stays below 300 kB and a commit does not change its size (which
would cost the file system's own journal another block).
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Literal, Self

from tablectl.base.clock import Clock

MEMORY: Final = ":memory:"
PAGE_BYTES: Final = 1024
CHECKPOINT_PAGES: Final = 256
#: rows read at a time, so that no reader holds the file while it thinks
READ_ROWS: Final = 500
#: hash before the first row
GENESIS: Final = bytes(32)
#: types of events whose latest number is kept, so that it is found without a search: where the present match begins
KEPT: Final = frozenset({"start_game"})

_TABLE: Final = """
    CREATE TABLE {name} (
        seq  INTEGER PRIMARY KEY,
        wall REAL NOT NULL,
        t    REAL NOT NULL,
        type TEXT NOT NULL,
        json TEXT NOT NULL,
        hash BLOB NOT NULL
    )"""

#: ``MIGRATIONS[n]`` are the statements that bring a journal from version n to n + 1
MIGRATIONS: Final[Sequence[Sequence[str]]] = (
    (
        "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
        _TABLE.format(name="events"),
        _TABLE.format(name="facts"),
    ),
    (
        "INSERT INTO meta SELECT 'latest.start_game', seq FROM events WHERE type = 'start_game' "
        "ORDER BY seq DESC LIMIT 1",
        "CREATE TABLE anchors (name TEXT PRIMARY KEY, seq INTEGER NOT NULL, hash BLOB NOT NULL) WITHOUT ROWID",
    ),
)

_PRAGMAS: Final = (
    f"page_size = {PAGE_BYTES}",
    "journal_mode = WAL",
    "synchronous = FULL",
    f"wal_autocheckpoint = {CHECKPOINT_PAGES}",
    "cache_size = -512",  # KiB
)

Table = Literal["events", "facts"]

_ADVICE: Final[Mapping[str, tuple[str, str]]] = {
    "SQLITE_FULL": ("the disk is full", "Free space on the card (old traces first), then clear the fault."),
    "SQLITE_READONLY": (
        "the file or its disk is read-only",
        "A card that turned read-only is failing: copy the journal and change the card; otherwise check the owner.",
    ),
    "SQLITE_PERM": ("access is denied", "Check the owner of the file and of its folder."),
    "SQLITE_CANTOPEN": ("it cannot be opened", "Check that the folder exists and belongs to the table's user."),
    "SQLITE_CORRUPT": (
        "the file is damaged",
        "Move it away and keep it (`tablectl hands verify` says how far it is sound); a new journal is begun at start.",
    ),
    "SQLITE_NOTADB": ("this is not a journal", "Check `journal.path` in the configuration."),
    "SQLITE_IOERR": ("the disk reports an error", "The card is failing: copy the journal and change the card."),
    "SQLITE_BUSY": ("another program holds it", "Stop the other program that writes to this journal."),
}


class JournalError(Exception):
    """The journal cannot be opened, written or read: the message says which file, what happened and what to do."""

    def __init__(self, path: Path | str, what: str, next_step: str, *, code: str = "", fatal: bool = False) -> None:
        self.path = str(path)
        self.what = what
        self.next_step = next_step
        #: SQLite's name of the error, where it has one
        self.code = code
        #: not the disk's doing: a person has to decide
        self.fatal = fatal
        super().__init__(f"journal {path}: {what}. {next_step}")


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of the journal. ``wall``: seconds since 1970; ``t``: seconds of the table's monotonic clock, which begins
    anew at every start; ``data``: the JSON object that was appended."""

    seq: int
    wall: float
    t: float
    type: str
    data: dict[str, Any]


class Journal:
    """The journal at ``path`` (``:memory:`` keeps nothing). Close it, or use it as a context manager.

    Args:
        read_only: look into a journal that another process may be writing.

    Raises:
        JournalError: it cannot be opened, is damaged, is written by somebody else, or comes from a newer program.
    """

    def __init__(self, path: Path | str, clock: Clock, *, read_only: bool = False) -> None:
        self.path = path
        self._clock = clock
        self._lock: int | None = None
        in_memory = str(path) == MEMORY
        if not in_memory and not read_only:
            self._lock = hold(Path(path))
        try:
            with self._advised():
                self._db = self._connect(read_only)
                self._set_up(read_only)
        except BaseException:
            self._unlock()
            raise

    # --- writing

    def append(self, events: Sequence[Mapping[str, Any]]) -> int:
        """Put ``events`` on disk, all or none, and give the number of the first. They are safe when this returns.

        Raises:
            JournalError: they could not be written; nothing of them is in the journal.
        """
        return self.put("events", events, self._clock.wall(), self._clock.now())

    def note(self, type: str, **data: Any) -> int:
        """Put one fact beside the events: a fault, a login, the settings in force. Raises as `append`."""
        return self.put("facts", [{"type": type, **data}], self._clock.wall(), self._clock.now())

    def put(self, table: Table, items: Sequence[Mapping[str, Any]], wall: float, t: float) -> int:
        """`append` or `note` with the times at which it happened (see `Entry`). Raises as `append`."""
        seq, link = self._heads[table]
        rows = []
        for number, item in enumerate(items, seq + 1):
            text = json.dumps(item, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
            link = link_of(link, number, wall, t, text)
            rows.append((number, wall, t, str(item["type"]), text, link))
        with self._advised(), self._transaction():
            self._db.executemany(f"INSERT INTO {table} VALUES (?, ?, ?, ?, ?, ?)", rows)
            for number, _, _, kind, _, _ in rows if table == "events" else ():
                if kind in KEPT:
                    self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (f"latest.{kind}", str(number)))
        self._heads[table] = (seq + len(rows), link)
        return seq + 1

    # --- reading

    @property
    def last(self) -> int:
        """The number of the last event; 0 where there is none."""
        with self._advised():
            return self._head("events")[0]

    def latest(self, kind: str) -> int | None:
        """The number of the last event of a type of `KEPT`; None where there is none."""
        with self._advised():
            row = self._db.execute("SELECT value FROM meta WHERE key = ?", (f"latest.{kind}",)).fetchone()
        return int(row[0]) if row else None

    @property
    def last_fact_number(self) -> int:
        """The number of the last fact; 0 where there is none."""
        with self._advised():
            return self._head("facts")[0]

    def last_fact(self, *types: str) -> Entry | None:
        """The last fact of one of these types, looked for from the end."""
        marks = ", ".join("?" * len(types))
        query = f"SELECT seq, wall, t, type, json FROM facts WHERE type IN ({marks}) ORDER BY seq DESC LIMIT 1"
        with self._advised():
            row = self._db.execute(query, types).fetchone()
            return Entry(row[0], row[1], row[2], row[3], json.loads(row[4])) if row else None

    def read(self, since: int = 0, *, type: str | None = None) -> Iterator[Entry]:
        """The events after number ``since``, in order; with ``type`` only those."""
        return self._read("events", since, type)

    def facts(self, since: int = 0, *, type: str | None = None) -> Iterator[Entry]:
        """The facts after number ``since``, in order; with ``type`` only those."""
        return self._read("facts", since, type)

    def _read(self, table: Table, since: int, type: str | None) -> Iterator[Entry]:
        query = (
            f"SELECT seq, wall, t, type, json FROM {table} "
            f"WHERE seq > ?1 AND (?2 IS NULL OR type = ?2) ORDER BY seq LIMIT {READ_ROWS}"
        )
        while True:
            with self._advised():
                rows = self._db.execute(query, (since, type)).fetchall()
                entries = [Entry(seq, wall, t, kind, json.loads(text)) for seq, wall, t, kind, text in rows]
            yield from entries
            if len(rows) < READ_ROWS:
                return
            since = entries[-1].seq

    def verify(self, since: int = 0) -> list[str]:
        """What is wrong with the journal, in words: damage of the file, gaps, rows that were changed. [] = sound.

        ``since``: look at the events after this number only (`latest`: the present match), not at the whole file.
        """
        try:
            if since:
                return self._broken_links("events", since)
            damage = [row[0] for row in self._db.execute("PRAGMA integrity_check(20)") if row[0] != "ok"]
            return damage + self._broken_links("events") + self._broken_links("facts")
        except sqlite3.DatabaseError as error:
            return [str(error)]

    def _broken_links(self, table: Table, since: int = 0) -> list[str]:
        wrong = []
        last_gone, link = self._anchor(table)
        if since > last_gone:
            row = self._db.execute(f"SELECT hash FROM {table} WHERE seq = ?", (since,)).fetchone()
            if row is None:
                return [f"{table}: {since} missing"]
            last_gone, link = since, row[0]
        expected = last_gone + 1
        rows = self._db.execute(
            f"SELECT seq, wall, t, json, hash FROM {table} WHERE seq > ? ORDER BY seq", (last_gone,)
        )
        for seq, wall, t, text, stored in rows:
            if seq != expected:
                missing = f"{expected} to {seq - 1}" if seq - expected > 1 else f"{expected}"
                wrong.append(f"{table}: {missing} missing")
            elif link_of(link, seq, wall, t, text) != stored:
                wrong.append(f"{table}: number {seq} is not what was written, or one before it was changed")
            link, expected = stored, seq + 1
        return wrong

    # --- life

    def close(self) -> None:
        self._db.close()
        self._unlock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _unlock(self) -> None:
        lock, self._lock = self._lock, None
        if lock is not None:
            os.close(lock)

    def _connect(self, read_only: bool) -> sqlite3.Connection:
        if str(self.path) == MEMORY:
            return sqlite3.connect(MEMORY, isolation_level=None)
        address = f"{Path(self.path).absolute().as_uri()}?mode={'ro' if read_only else 'rw'}"
        return sqlite3.connect(address, uri=True, isolation_level=None, timeout=2)

    def _set_up(self, read_only: bool) -> None:
        try:
            if not read_only:
                for pragma in _PRAGMAS:
                    self._db.execute(f"PRAGMA {pragma}")
                self._migrate()
            if self.version != len(MIGRATIONS):
                what = f"it is of version {self.version}; this program knows version {len(MIGRATIONS)}"
                raise JournalError(self.path, what, "Start the table once with the newest tablectl.", fatal=True)
            self._heads: dict[Table, tuple[int, bytes]] = {"events": self._head("events"), "facts": self._head("facts")}
        except BaseException:
            self._db.close()
            raise

    def _head(self, table: Table) -> tuple[int, bytes]:
        row = self._db.execute(f"SELECT seq, hash FROM {table} ORDER BY seq DESC LIMIT 1").fetchone()
        return row or self._anchor(table)

    def _anchor(self, table: Table) -> tuple[int, bytes]:
        """Number and hash of the last row before those that are here."""
        return self._db.execute("SELECT seq, hash FROM anchors WHERE name = ?", (table,)).fetchone() or (0, GENESIS)

    # --- versions

    @property
    def version(self) -> int:
        """The version of the tables; 0 in a new file."""
        known = self._db.execute("SELECT 1 FROM sqlite_master WHERE name = 'meta'").fetchone()
        if not known:
            return 0
        row = self._db.execute("SELECT value FROM meta WHERE key = 'version'").fetchone()
        return int(row[0]) if row else 0

    def _migrate(self) -> None:
        for number in range(self.version, len(MIGRATIONS)):
            with self._transaction():
                for statement in MIGRATIONS[number]:
                    self._db.execute(statement)
                self._db.execute("INSERT OR REPLACE INTO meta VALUES ('version', ?)", (str(number + 1),))

    # --- errors

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._db.execute("COMMIT")
        except BaseException:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise

    @contextmanager
    def _advised(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            name = getattr(error, "sqlite_errorname", "") or ""
            code = next((code for code in _ADVICE if name.startswith(code)), name)
            what, next_step = _ADVICE.get(code) or (str(error), "Look into the log; `tablectl doctor` checks the disk.")
            raise JournalError(self.path, what, next_step, code=code) from error
        except json.JSONDecodeError as error:
            code = "SQLITE_CORRUPT"
            raise JournalError(self.path, *_ADVICE[code], code=code) from error


def hold(path: Path) -> int:
    """Create a journal's file readable by its owner only, and hold the lock of its one writer: the descriptor to close.

    Raises:
        JournalError: another program holds it, or the folder cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        path.chmod(0o600)
        lock = os.open(path.with_name(path.name + ".lock"), os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        next_step = "Check `journal.path` in the configuration, and the owner of the folder."
        raise JournalError(path, f"cannot be created: {error.strerror}", next_step) from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        next_step = "Stop the other one (`systemctl status tablectl`)."
        raise JournalError(path, "another tablectl is writing it", next_step, fatal=True) from None
    return lock


def link_of(before: bytes, seq: int, wall: float, t: float, text: str) -> bytes:
    """The hash of a row: SHA-256 over the hash of the row before, then ``seq|wall|t|json`` in UTF-8, the two times as
    Python writes floats (the shortest decimal that reads back the same)."""
    return hashlib.sha256(before + f"{seq}|{wall!r}|{t!r}|{text}".encode()).digest()
