"""``tablectl backup``, ``restore`` and ``archive``: the records of a table, kept elsewhere too."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from tablectl.commands.journals import DEFAULT_CONFIG, NOTHING_YET, Config, JournalPath, journal_path, journal_so_far
from tablectl.commands.terminal import FOUND_WRONG, JsonOption, fail, print_json, say, tells_errors

Register = Annotated[Path | None, typer.Option("--tiles", help="The tags' register; left out: the configuration's.")]


@tells_errors
def backup(
    file: Annotated[Path | None, typer.Argument(help="The file to write (.tar.gz); it must not be there yet.")] = None,
    into: Annotated[Path | None, typer.Option(help="A folder instead: a file named after the time.")] = None,
    keep: Annotated[int, typer.Option(min=1, help="With --into: so many copies stay, the oldest go.")] = 14,
    journal: JournalPath = None,
    tiles: Register = None,
    config: Config = DEFAULT_CONFIG,
    json: JsonOption = False,
) -> None:
    """Copy records and tag register to one file, while the table plays. The copy is checked before it counts."""
    from tablectl.base.clock import LoopClock
    from tablectl.core import backups

    if (file is None) == (into is None):
        fail("expected a FILE to write, or --into FOLDER")
    clock = LoopClock()
    source = journal_so_far(journal, config)
    if source is None:
        if into is not None and (before := backups.newest(into)) is not None:
            fail(f"the records are gone, of which {before} is a copy: tablectl restore {before}", code=FOUND_WRONG)
        print_json({"file": None, "events": 0, "facts": 0, "last": 0}) if json else say(NOTHING_YET)
        return
    register = tiles or _register(config, journal)
    try:
        if into is not None:
            file, copied = backups.make_in(source, register, into, keep, clock)
        else:
            assert file is not None
            copied = backups.make(source, register, file, clock)
    except backups.BackupError as error:
        fail(f"tablectl backup: {error}", code=FOUND_WRONG)
    if json:
        print_json({"file": str(file), "events": copied.events, "facts": copied.facts, "last": copied.last})
    else:
        say(f"{file}: {copied.events} events, {copied.facts} facts, all in order")


def _register(config: Path, journal: Path | None) -> Path | None:
    """The tag register of the configuration; none where only a journal was named."""
    from tablectl.base.settings import load

    return None if journal is not None else load(config).tiles


@tells_errors
def restore(
    file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="A copy made by `tablectl backup`.")],
    journal: JournalPath = None,
    tiles: Register = None,
    config: Config = DEFAULT_CONFIG,
    json: JsonOption = False,
) -> None:
    """Put a copy in the place of the records. What was there is kept beside it. Stop the table first."""
    from tablectl.base.clock import LoopClock
    from tablectl.base.settings import load
    from tablectl.core import backups

    target = journal or load(config).journal.path
    try:
        done = backups.restore(file, target, tiles or _register(config, journal), LoopClock())
    except backups.BackupError as error:
        fail(f"tablectl restore: {error}", code=FOUND_WRONG)
    if json:
        kept = [str(path) for path in done.kept]
        print_json({"journal": str(target), "events": done.records.events, "tiles": done.tiles, "kept": kept})
        return
    say(f"{target}: {done.records.events} events{', and the tag register' if done.tiles else ''}")
    for path in done.kept:
        say(f"what was there is kept as {path}")


@tells_errors
def archive(
    file: Annotated[Path, typer.Argument(help="The file to write (.jsonl.gz); it must not be there yet.")],
    before: Annotated[datetime, typer.Option(formats=["%Y-%m-%d"], help="Matches that ended before this day.")],
    journal: JournalPath = None,
    config: Config = DEFAULT_CONFIG,
    json: JsonOption = False,
) -> None:
    """Move old matches out of the records into a file, and make the records smaller. Nothing goes before the file is
    on disk and read back; the present match stays. Stop the table first."""
    from tablectl.base.clock import LoopClock
    from tablectl.base.journal import JournalError
    from tablectl.base.journal_files import archive as move

    source = journal_path(journal, config)
    size = source.stat().st_size
    try:
        moved = move(source, file, before.timestamp(), LoopClock())
    except JournalError as error:
        fail(f"tablectl archive: {error}", code=FOUND_WRONG)
    saved = (size - source.stat().st_size) // 1024
    if json:
        print_json({"file": str(file) if moved else None, "events": moved, "kib_smaller": saved})
    elif moved:
        say(f"{moved} events moved to {file}; {source} is {saved} KiB smaller")
    else:
        say(f"no match ended before {before:%Y-%m-%d}: nothing was moved")
