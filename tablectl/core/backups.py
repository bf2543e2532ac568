"""Copies of what a table cannot do without: its records and the register of its tags, in one file.

A copy is made while the table plays, checked before it counts, and old ones go only after that.
"""

from __future__ import annotations

import io
import json
import shutil
import tarfile
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from tablectl import __version__
from tablectl.base.clock import Clock
from tablectl.base.journal import JournalError
from tablectl.base.journal_files import Copied
from tablectl.base.journal_files import backup as copy_journal
from tablectl.base.journal_files import restore as restore_journal

JOURNAL: Final = "journal.sqlite"
TILES: Final = "tiles.yaml"
ABOUT: Final = "about.json"
_PATTERN: Final = "tablectl-*.tar.gz"


class BackupError(Exception):
    """A copy was not made or not brought back; the message says why, and what is there all the same."""


@dataclass(frozen=True, slots=True)
class Restored:
    """What came back: the records, and the names under which what was there before is kept."""

    records: Copied
    kept: tuple[Path, ...]
    tiles: bool


def make(journal: Path, tiles: Path | None, file: Path, clock: Clock) -> Copied:
    """Copy the records at ``journal`` and the register ``tiles`` to the new file ``file``, readable by its owner only.

    Raises:
        BackupError: it exists, cannot be written, or the records are not sound. Nothing is left half made.
    """
    try:
        with tempfile.TemporaryDirectory(prefix=".tablectl-backup-", dir=file.parent) as folder:
            copied = copy_journal(journal, Path(folder) / JOURNAL, clock)
            about = {"tablectl": __version__, "made": clock.wall(), "events": copied.events, "facts": copied.facts}
            packed = Path(folder) / "packed"
            with tarfile.open(packed, "x:gz") as tar:
                tar.add(Path(folder) / JOURNAL, JOURNAL)
                if tiles is not None and tiles.is_file():
                    tar.add(tiles, TILES)
                _add(tar, ABOUT, about, clock)
            packed.chmod(0o600)
            if file.exists():
                raise BackupError(f"{file}: exists already; give another name")
            packed.rename(file)
    except JournalError as error:
        raise BackupError(str(error)) from error
    except OSError as error:
        raise BackupError(f"{file}: cannot be written: {error.strerror or error}") from error
    return copied


def _add(tar: tarfile.TarFile, name: str, content: dict[str, Any], clock: Clock) -> None:
    data = json.dumps(content).encode()
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode, entry.mtime = len(data), 0o600, int(clock.wall())
    tar.addfile(entry, io.BytesIO(data))


def make_in(journal: Path, tiles: Path | None, folder: Path, keep: int, clock: Clock) -> tuple[Path, Copied]:
    """`make` a copy in ``folder``, named after the time, and take the oldest away beyond ``keep``."""
    stamp = datetime.fromtimestamp(clock.wall(), UTC).strftime("%Y%m%dT%H%M%S")
    file = folder / f"tablectl-{stamp}.tar.gz"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise BackupError(f"{folder}: cannot be made: {error.strerror}") from error
    copied = make(journal, tiles, file, clock)
    for old in sorted(folder.glob(_PATTERN))[:-keep]:
        old.unlink(missing_ok=True)
    return file, copied


def newest(folder: Path) -> Path | None:
    """The newest copy in a folder."""
    return max(folder.glob(_PATTERN), default=None)


def restore(file: Path, journal: Path, tiles: Path | None, clock: Clock) -> Restored:
    """Put a copy in the place of the records, and its register in the place of the table's. What was there is kept
    beside them.

    Raises:
        BackupError: it is no sound copy, or the table is running. Nothing was changed then.
    """
    try:
        journal.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryDirectory(prefix=".tablectl-restore-", dir=journal.parent) as folder:
            parts = _unpacked(file, Path(folder))
            if JOURNAL not in parts:
                raise BackupError(f"{file}: no records in it; expected a file made by `tablectl backup`")
            copied, old = restore_journal(parts[JOURNAL], journal, clock)
            kept = [old] if old is not None else []
            if tiles is not None and TILES in parts:
                kept += _replace(parts[TILES], tiles, clock)
    except JournalError as error:
        raise BackupError(str(error)) from error
    except OSError as error:
        raise BackupError(f"{file}: {error.strerror or error}") from error
    return Restored(copied, tuple(kept), tiles is not None and TILES in parts)


def _unpacked(file: Path, folder: Path) -> dict[str, Path]:
    """The parts of a copy by name; anything else in it is left alone."""
    parts = {}
    try:
        with tarfile.open(file, "r:gz") as tar:
            for name in (JOURNAL, TILES):
                member = next((m for m in tar.getmembers() if m.name == name and m.isfile()), None)
                content = tar.extractfile(member) if member is not None else None
                if content is None:
                    continue
                parts[name] = folder / name
                with parts[name].open("xb") as out:
                    shutil.copyfileobj(content, out)
                parts[name].chmod(0o600)
    except (tarfile.TarError, EOFError) as error:
        raise BackupError(f"{file}: is no sound copy ({error}); take another one") from error
    return parts


def _replace(fresh: Path, tiles: Path, clock: Clock) -> list[Path]:
    """The register of the copy; the one that was there is kept where it differs."""
    if tiles.is_file() and tiles.read_bytes() == fresh.read_bytes():
        return []
    kept = []
    if tiles.exists():
        stamp = datetime.fromtimestamp(clock.wall(), UTC).strftime("%Y%m%dT%H%M%S")
        kept = [tiles.rename(tiles.with_name(f"{tiles.name}.before-restore-{stamp}"))]
    tiles.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    fresh.rename(tiles)
    return kept
