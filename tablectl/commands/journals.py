"""What the commands about a table's records share: where the journal is, its matches and hands."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tablectl.commands.running import DEFAULT_CONFIG
from tablectl.commands.terminal import FOUND_WRONG, fail

if TYPE_CHECKING:
    from tablectl.base.journal import Entry

Hand = list[dict[str, Any]]
JournalPath = Annotated[
    Path | None, typer.Option("--journal", help="The journal; left out: that of the configuration.")
]
Config = Annotated[Path, typer.Option("--config", help="The site's configuration: it says where the journal is.")]
__all__ = ["DEFAULT_CONFIG", "Config", "Hand", "JournalPath", "entries_of", "finished_hands", "journal_path", "matches"]


def journal_path(journal: Path | None, config: Path) -> Path:
    """Where the journal is; ends the command where there is none."""
    from tablectl.base.settings import load

    path = journal or load(config).journal.path
    try:
        there = path.is_file()
    except OSError as error:
        fail(f"{path}: cannot be read: {error.strerror}. The table's own files: sudo -u tablectl tablectl …")
    if not there:
        fail(f"{path}: no journal there; expected the file of a table that ran (--journal FILE)")
    return path


def entries_of(journal: Path | None, config: Path) -> list[Entry]:
    """All events of the journal; ends the command where it cannot be read."""
    from tablectl.base.clock import LoopClock
    from tablectl.base.journal import Journal, JournalError

    try:
        with Journal(journal_path(journal, config), LoopClock(), read_only=True) as kept:
            return list(kept.read())
    except JournalError as error:
        fail(error, code=FOUND_WRONG)


def matches(entries: list[Entry]) -> Iterator[list[Entry]]:
    """The entries of each match: from one start to the next."""
    starts = [place for place, entry in enumerate(entries) if entry.type == "start_game"]
    for begin, end in zip(starts, [*starts[1:], len(entries)], strict=False):
        yield entries[begin:end]


def finished_hands(entries: list[Entry]) -> Iterator[tuple[int, Hand]]:
    """The records of the finished hands of all matches, numbered through."""
    from tablectl.game.events import from_json
    from tablectl.game.record import records

    number = 0
    for match in matches(entries):
        for hand in records([from_json(entry.data) for entry in match], match[0].seq):
            if hand[-1]["type"] == "end_kyoku":
                number += 1
                yield number, hand
