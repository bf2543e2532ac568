"""Accounts and sessions: an SQLite file of the page's own.

The page's process cannot reach the core's journal (and must not: it is the one with a network), so what it has to
remember lies here: names with hashed passwords, and the digests of session cookies. A stolen copy opens nothing by
itself. `tablectl users` writes the same file.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from tablectl.web.passwords import NOBODY, hashed
from tablectl.web.roles import WebRole, Who
from tablectl.web.settings import MEMORY

#: wrong passwords in a row that lock an account, and for how long
MAX_WRONG: Final = 10
LOCK_SECONDS: Final = 15 * 60.0
MAX_NAME: Final = 40
#: the time of last use is kept to the minute, for the SD card's sake
USED_SECONDS: Final = 60.0
#: sessions kept; the longest unused one goes first
MAX_SESSIONS: Final = 2000

_TABLES: Final = (
    """CREATE TABLE IF NOT EXISTS accounts (
        name TEXT PRIMARY KEY, role TEXT NOT NULL, password TEXT NOT NULL, created REAL NOT NULL, changed REAL NOT NULL,
        wrong INTEGER NOT NULL DEFAULT 0, locked_until REAL NOT NULL DEFAULT 0) WITHOUT ROWID""",
    """CREATE TABLE IF NOT EXISTS sessions (
        id INTEGER PRIMARY KEY AUTOINCREMENT, digest BLOB UNIQUE NOT NULL, account TEXT, role TEXT NOT NULL,
        name TEXT NOT NULL, seat INTEGER, sitting TEXT NOT NULL, proof BLOB, address TEXT NOT NULL,
        begun REAL NOT NULL, used REAL NOT NULL, ends REAL NOT NULL)""",
)


class AccountError(Exception):
    """An account cannot be made, changed or found: the message is for a person."""


class StoreError(Exception):
    """The database cannot be opened: the message says which file and what to do."""


@dataclass(frozen=True, slots=True)
class Account:
    """``locked``: too many wrong passwords lately; times in seconds since 1970."""

    name: str
    role: WebRole
    locked: bool
    created: float
    changed: float


@dataclass(frozen=True, slots=True)
class Session:
    """``used``: when it was last used, to the minute; ``address``: from where it was begun."""

    id: int
    role: WebRole
    name: str
    seat: int | None
    address: str
    begun: float
    used: float


class Store:
    """The database at ``path``. Close it, or use it as a context manager.

    Raises:
        StoreError: it cannot be opened.
    """

    def __init__(self, path: Path = MEMORY, *, now: Callable[[], float] = time.time) -> None:
        self._now = now
        try:
            if path != MEMORY:
                path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
            self._db = sqlite3.connect(path, isolation_level=None, timeout=2)
            self._db.execute("PRAGMA journal_mode = WAL")
            for statement in _TABLES:
                self._db.execute(statement)
        except (OSError, sqlite3.Error) as error:
            hint = "Check `web.accounts` in the configuration, and the owner of its folder."
            raise StoreError(f"{path}: the accounts cannot be opened: {error}. {hint}") from error

    def close(self) -> None:
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    # --- accounts

    def accounts(self) -> list[Account]:
        """All accounts, by name."""
        rows = self._db.execute("SELECT name, role, locked_until, created, changed FROM accounts ORDER BY name")
        return [Account(name, WebRole(role), until > self._now(), made, then) for name, role, until, made, then in rows]

    def add(self, name: str, role: WebRole, password: str) -> Account:
        """A new account. Raises AccountError: the name is taken or not one, or the password is too short."""
        name, line = _name(name), _hashed(password)
        now = self._now()
        try:
            self._db.execute("INSERT INTO accounts VALUES (?, ?, ?, ?, ?, 0, 0)", (name, role.value, line, now, now))
        except sqlite3.IntegrityError:
            raise AccountError(f"there is an account {name!r} already") from None
        return Account(name, role, False, now, now)

    def remove(self, name: str) -> None:
        """Take an account away and end its sessions. Raises AccountError: there is none."""
        self._known(name)
        with self._transaction():
            self._db.execute("DELETE FROM accounts WHERE name = ?", (name,))
            self._db.execute("DELETE FROM sessions WHERE account = ?", (name,))

    def set_password(self, name: str, password: str) -> None:
        """Another password: the account is no longer locked, its sessions end. Raises AccountError."""
        self._known(name)
        line = _hashed(password)
        with self._transaction():
            change = "UPDATE accounts SET password = ?, changed = ?, wrong = 0, locked_until = 0 WHERE name = ?"
            self._db.execute(change, (line, self._now(), name))
            self._db.execute("DELETE FROM sessions WHERE account = ?", (name,))

    def unlock(self, name: str) -> None:
        """Let the account be tried again at once. Raises AccountError: there is none."""
        self._known(name)
        self._db.execute("UPDATE accounts SET wrong = 0, locked_until = 0 WHERE name = ?", (name,))

    def locked(self, name: str) -> bool:
        """Whether too many wrong passwords were given for this name lately."""
        row = self._db.execute("SELECT locked_until FROM accounts WHERE name = ?", (name,)).fetchone()
        return row is not None and row[0] > self._now()

    def kept(self, name: str) -> str:
        """The line that `passwords.matches` wants; one that nothing matches where there is no such account."""
        row = self._db.execute("SELECT password FROM accounts WHERE name = ?", (name,)).fetchone()
        return str(row[0]) if row else NOBODY

    def note_try(self, name: str, right: bool) -> None:
        """Count a wrong password, or forget the wrong ones after the right one."""
        if right:
            self._db.execute("UPDATE accounts SET wrong = 0 WHERE name = ? AND wrong > 0", (name,))
            return
        self._db.execute("UPDATE accounts SET wrong = wrong + 1 WHERE name = ?", (name,))
        lock = "UPDATE accounts SET wrong = 0, locked_until = ? WHERE name = ? AND wrong >= ?"
        self._db.execute(lock, (self._now() + LOCK_SECONDS, name, MAX_WRONG))

    def role_of(self, name: str) -> WebRole:
        """The role of an account. Raises AccountError: there is none."""
        return self._known(name)

    def _known(self, name: str) -> WebRole:
        row = self._db.execute("SELECT role FROM accounts WHERE name = ?", (name,)).fetchone()
        if row is None:
            raise AccountError(f"there is no account {name!r}")
        return WebRole(row[0])

    # --- sessions

    def begin(self, who: Who, address: str, seconds: float, *, account: bool, token: str = "") -> tuple[str, Who]:
        """Begin a session: the cookie's value, and ``who`` with its number. ``token``: the word of the configuration
        that opened it; where that changes, the session ends."""
        cookie, now = secrets.token_urlsafe(32), self._now()
        values = (
            _digest(cookie),
            who.name if account else None,
            who.role.value,
            who.name,
            who.seat,
            who.sitting,
            proof(cookie, token) if token else None,
            address,
            now,
            now,
            now + seconds,
        )
        columns = "digest, account, role, name, seat, sitting, proof, address, begun, used, ends"
        with self._transaction():
            self._db.execute("DELETE FROM sessions WHERE ends <= ?", (now,))
            oldest = "SELECT id FROM sessions ORDER BY used DESC, id DESC LIMIT -1 OFFSET ?"
            self._db.execute(f"DELETE FROM sessions WHERE id IN ({oldest})", (MAX_SESSIONS - 1,))
            row = self._db.execute(f"INSERT INTO sessions ({columns}) VALUES ({', '.join('?' * 11)})", values)
        return cookie, Who(who.role, who.name, who.seat, who.sitting, row.lastrowid)

    def who(self, cookie: str, tokens: dict[WebRole, str]) -> Who | None:
        """Whose session this is; None: nobody's (any more). ``tokens``: those of the configuration."""
        query = "SELECT id, role, name, seat, sitting, proof, used FROM sessions WHERE digest = ? AND ends > ?"
        now = self._now()
        row = self._db.execute(query, (_digest(cookie), now)).fetchone()
        if row is None:
            return None
        number, role, name, seat, sitting, shown, used = row
        if shown is not None and not secrets.compare_digest(shown, proof(cookie, tokens.get(WebRole(role), ""))):
            return None
        if now - used > USED_SECONDS:
            self._db.execute("UPDATE sessions SET used = ? WHERE id = ?", (now, number))
        return Who(WebRole(role), name, seat, sitting, number)

    def alive(self, session: int) -> bool:
        """Whether the session has not ended."""
        query = "SELECT 1 FROM sessions WHERE id = ? AND ends > ?"
        return self._db.execute(query, (session, self._now())).fetchone() is not None

    def end(self, session: int) -> bool:
        """End a session; whether there was one."""
        return self._db.execute("DELETE FROM sessions WHERE id = ?", (session,)).rowcount > 0

    def sessions(self) -> list[Session]:
        """All sessions that have not ended, the last used first."""
        query = (
            "SELECT id, role, name, seat, address, begun, used FROM sessions WHERE ends > ? ORDER BY used DESC, id DESC"
        )
        rows = self._db.execute(query, (self._now(),))
        return [Session(row[0], WebRole(row[1]), *row[2:]) for row in rows]

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._db.execute("COMMIT")
        except BaseException:
            self._db.execute("ROLLBACK")
            raise


def proof(cookie: str, token: str) -> bytes:
    """Binds a session to the word that opened it, without keeping either."""
    return hashlib.blake2b(token.encode(), key=_digest(cookie + "."), digest_size=32).digest()


def _digest(cookie: str) -> bytes:
    return hashlib.sha256(cookie.encode()).digest()


def _hashed(password: str) -> str:
    try:
        return hashed(password)
    except ValueError as error:
        raise AccountError(str(error)) from None


def _name(given: Any) -> str:
    name = " ".join(str(given).split())
    if not 0 < len(name) <= MAX_NAME or not name.isprintable() or set(name) & set("@:/?#") or name in (".", ".."):
        raise AccountError(f"{given!r} is no name: expected 1 to {MAX_NAME} characters, none of @ : / ? #")
    if name in {role.value for role in WebRole}:
        raise AccountError(f"{name!r} is the name of a role; give the account a person's name")
    return name
