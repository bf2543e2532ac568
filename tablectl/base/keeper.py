"""The journal of a running table, whatever the disk does.

While the disk takes it, everything is on disk before it is shown. When the disk fails (full, read-only, broken), play
goes on: what cannot be written is kept in memory in its order, the table says so loudly, and all of it is written when
the disk works again. A damaged file is moved aside, never deleted; what of the present match is sound goes on in a new
one.
"""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, Final

from tablectl.base.clock import Clock
from tablectl.base.journal import MEMORY, Entry, Journal, JournalError, Table
from tablectl.base.journal_files import move_aside, salvage

log = logging.getLogger(__name__)

#: seconds between two attempts to write what waits
RETRY_S: Final = 5.0
#: the file cannot be used as it is
_DAMAGED: Final = ("SQLITE_CORRUPT", "SQLITE_NOTADB")


class Keeper:
    """The journal at ``path`` for its one writer; `append` and `note` never raise for what a disk does.

    ``failing``: told of the first write that failed (why), and of the first that worked again (None). ``pausing``: what
    has to know that the event loop stands still while the disk is waited for.

    Raises:
        JournalError: another program writes it, or it comes from a newer program: a person has to decide.
    """

    def __init__(
        self,
        path: Path | str,
        clock: Clock,
        failing: Callable[[str | None], object] = lambda why: None,
        pausing: Callable[[], AbstractContextManager[object]] = nullcontext,
    ) -> None:
        self.path = path
        self.failing = failing
        self._pausing = pausing
        #: a damaged file was found at the start: what was wrong, where it is now, what was saved
        self.damage: str | None = None
        self._clock = clock
        self._waiting: list[tuple[Table, list[dict[str, Any]], float, float]] = []
        self._next = {"events": 1, "facts": 1}
        self._trouble: str | None = None
        self._journal: Journal | None = None
        self._open()

    def _open(self) -> None:
        """Open the file, a new one where it is damaged; without a disk go on in memory."""
        try:
            self._journal = self._sound()
        except JournalError as error:
            if error.fatal:
                raise
            self._fail(error)
        else:
            self._next = {"events": self._journal.last + 1, "facts": self._journal.last_fact_number + 1}

    def _sound(self) -> Journal:
        """The journal with the present match intact."""
        try:
            journal = Journal(self.path, self._clock)
        except JournalError as error:
            if error.code not in _DAMAGED:
                raise
            return self._renewed([error.what])
        begun = journal.latest("start_game")
        wrong = journal.verify(since=begun - 1) if begun is not None and begun > 1 else []
        if not wrong:
            return journal
        journal.close()
        return self._renewed(wrong)

    def _renewed(self, wrong: Sequence[str]) -> Journal:
        old = move_aside(Path(self.path), self._clock.wall())
        saved = salvage(old, Path(self.path), self._clock)
        self.damage = f"{wrong[0]}. It is kept as {old.name}; {saved} events of the present match go on in a new file."
        log.error("journal %s: %s", self.path, self.damage)
        return Journal(self.path, self._clock)

    # --- writing

    def append(self, events: Sequence[Mapping[str, Any]]) -> int:
        """Keep ``events``: on disk when this returns, or in memory while the disk fails. The number of the first."""
        return self._put("events", events)

    def note(self, type: str, **data: Any) -> int:
        """Keep one fact beside the events, as `append` does."""
        return self._put("facts", [{"type": type, **data}])

    def _put(self, table: Table, items: Sequence[Mapping[str, Any]]) -> int:
        first = self._next[table]
        self._next[table] += len(items)
        self._waiting.append((table, [dict(item) for item in items], self._clock.wall(), self._clock.now()))
        self.write()
        return first

    def write(self) -> bool:
        """Write what waits; whether nothing does any more. Called by itself at every write, and every `RETRY_S`."""
        try:
            if self._trouble is not None:
                self._reopen()
            while self._waiting and self._journal is not None:
                with self._pausing():
                    self._journal.put(*self._waiting[0])
                del self._waiting[0]
        except JournalError as error:
            self._fail(error)
            return False
        if self._trouble is not None:
            self._trouble = None
            log.info("journal %s is written again", self.path)
            self.failing(None)
        return True

    def _fail(self, error: JournalError) -> None:
        if self._trouble is None:
            log.error("%s", error)
            self._trouble = f"{error.what}. {error.next_step}"
            self.failing(self._trouble)

    def _reopen(self) -> None:
        """A file system that failed leaves an open file useless: open it again, and see what of it arrived."""
        if self._journal is not None:
            self._journal.close()
            self._journal = None
        journal = self._journal = Journal(self.path, self._clock)
        here = {"events": journal.last, "facts": journal.last_fact_number}
        number = {name: self._next[name] - sum(len(i) for t, i, _, _ in self._waiting if t == name) for name in here}
        for table in ("events", "facts"):
            while number[table] <= here[table]:  # its commit was done, only the answer failed
                at = next((n for n, group in enumerate(self._waiting) if group[0] == table), None)
                if at is None:
                    break
                number[table] += len(self._waiting.pop(at)[1])

    @property
    def trouble(self) -> str | None:
        """Why the disk does not take what happens; None while it does."""
        return self._trouble

    @property
    def waiting(self) -> int:
        """How many events and facts are in memory only."""
        return sum(len(items) for _, items, _, _ in self._waiting)

    # --- reading

    @property
    def last(self) -> int:
        """The number of the last event; 0 where there is none."""
        return self._next["events"] - 1

    def latest(self, kind: str) -> int | None:
        """As `Journal.latest`."""
        found = [entry.seq for entry in self._in_memory("events") if entry.type == kind]
        return found[-1] if found else self._journal.latest(kind) if self._journal is not None else None

    def last_fact(self, *types: str) -> Entry | None:
        """As `Journal.last_fact`."""
        found = [entry for entry in self._in_memory("facts") if entry.type in types]
        return found[-1] if found else self._journal.last_fact(*types) if self._journal is not None else None

    def read(self, since: int = 0, *, type: str | None = None) -> Iterator[Entry]:
        """The events after number ``since``, in order, those in memory too; with ``type`` only those."""
        here = self._journal.read(since, type=type) if self._journal is not None else ()
        return itertools.chain(here, self._waiting_after("events", since, type))

    def facts(self, since: int = 0, *, type: str | None = None) -> Iterator[Entry]:
        """The facts after number ``since``, as `read`."""
        here = self._journal.facts(since, type=type) if self._journal is not None else ()
        return itertools.chain(here, self._waiting_after("facts", since, type))

    def _waiting_after(self, table: Table, since: int, type: str | None) -> Iterator[Entry]:
        return (e for e in self._in_memory(table) if e.seq > since and type in (None, e.type))

    def _in_memory(self, table: Table) -> list[Entry]:
        entries: list[Entry] = []
        for name, items, wall, t in self._waiting:
            if name == table:
                entries += [Entry(0, wall, t, str(item["type"]), item) for item in items]
        first = self._next[table] - len(entries)
        return [Entry(first + n, e.wall, e.t, e.type, e.data) for n, e in enumerate(entries)]

    # --- life

    def close(self) -> None:
        """Write what still waits, if the disk takes it, and let the file go."""
        if self._waiting and not self.write():
            log.error("journal %s: %d entries were never written and are lost", self.path, self.waiting)
        if self._journal is not None:
            self._journal.close()
            self._journal = None


__all__ = ["MEMORY", "RETRY_S", "Keeper"]
