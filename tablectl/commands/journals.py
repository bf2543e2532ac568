"""What the commands about a table's records share: where the journal is, its matches and hands."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

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
#: what is said where `journal_so_far` finds none
NOTHING_YET: Final = "no records yet: this table has not run"
__all__ = [
    "DEFAULT_CONFIG",
    "NOTHING_YET",
    "Config",
    "Hand",
    "JournalPath",
    "entries_of",
    "finished_hands",
    "journal_path",
    "journal_so_far",
    "matches",
]


def journal_path(journal: Path | None, config: Path) -> Path:
    """Where the journal is; ends the command where there is none."""
    from tablectl.base.settings import load

    path = journal or load(config).journal.path
    if not path.is_file():
        fail(f"{path}: no journal there; expected the file of a table that ran (--journal FILE)")
    return path


def journal_so_far(journal: Path | None, config: Path) -> Path | None:
    """As `journal_path`; None where no journal is named and that of the configuration is still to come, the table has
    not run yet."""
    from tablectl.base.settings import MEMORY, load

    path = journal or load(config).journal.path
    new = journal is None and path != MEMORY and not path.exists()
    return None if new else journal_path(path, config)


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
