"""Writing traces: one file on demand, or a bounded row of files that a table keeps by itself.

A trace holds the order of the wall and all standing tiles, so files are readable by their owner only. Writing is
buffered: a power cut costs the last 64 KiB of diagnosis, never more of the card's life than needed.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import logging
import os
import re
from collections import deque
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from tablectl.base.reports import LanePassed, MachineReported, Report
from tablectl.base.trace import TraceHeader, header_line, report_line

log = logging.getLogger(__name__)

_BUFFER: Final = 65_536
_NAME: Final = re.compile(r"table-(\d{6})\.trace\.jsonl")
#: lane reports kept for the next file: two sets of 152 tiles
_LANES: Final = 304


class TraceFile:
    """One trace file, written from the header on; ``.gz`` is compressed. Close it, or use it as a context manager.

    Raises:
        OSError: it cannot be written (so do all methods).
    """

    def __init__(self, path: Path, header: TraceHeader) -> None:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        raw = io.BufferedWriter(io.FileIO(descriptor, "w"), _BUFFER)
        self._raw = raw
        self._file = gzip.GzipFile(fileobj=raw, mode="wb", filename="", mtime=0) if path.suffix == ".gz" else raw
        self.path = path
        #: bytes of text written so far
        self.size = 0
        self._line(header_line(header))

    def write(self, report: Report) -> None:
        self._line(report_line(report))

    def flush(self) -> None:
        self._file.flush()
        self._raw.flush()

    def close(self) -> None:
        try:
            self._file.close()
        finally:
            self._raw.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _line(self, text: str) -> None:
        line = text.encode() + b"\n"
        self._file.write(line)
        self.size += len(line)


class TraceLog:
    """The last traces of a table, in ``folder``: ``table-000001.trace.jsonl`` and so on.

    A new file begins between two hands once the present one holds ``max_bytes``, and at twice that in any case (a
    table left alone). What the lanes said of the wall just raised opens the new file, so it can be replayed alone.

    Args:
        header: asked for the situation whenever a file begins, before its first report is written.
        max_bytes: a hand takes about 1,500,000.
        files: how many are kept; the oldest go.

    Raises:
        OSError: the folder or a file cannot be written (so do all methods).
    """

    def __init__(self, folder: Path, header: Callable[[], TraceHeader], *, max_bytes: int, files: int) -> None:
        self._folder = folder
        self._header = header
        self._max_bytes = max_bytes
        self._files = files
        self._lanes: deque[LanePassed] = deque(maxlen=_LANES)
        self._file: TraceFile | None = None
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)

    def write(self, report: Report) -> None:
        if isinstance(report, LanePassed):
            self._lanes.append(report)
        raised = isinstance(report, MachineReported) and report.machine == "raised"
        if self._file is None:
            self._file = self._begin()
        elif raised and self._file.size >= self._max_bytes:
            self._file = self._begin()
            for passage in self._lanes:
                self._file.write(passage)
        elif self._file.size >= 2 * self._max_bytes:
            self._file = self._begin()
        self._file.write(report)
        if raised:
            self._lanes.clear()
        if isinstance(report, MachineReported):
            self._file.flush()

    def close(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            file.close()

    def _begin(self) -> TraceFile:
        self.close()
        kept = sorted(path for path in self._folder.iterdir() if _NAME.fullmatch(path.name))
        number = int(kept[-1].name[6:12]) + 1 if kept else 1
        for path in kept[: max(0, len(kept) + 1 - self._files)]:
            path.unlink()
        return TraceFile(self._folder / f"table-{number:06}.trace.jsonl", self._header())


class TraceKeeper:
    """A `TraceLog` of a table at play: a card that takes nothing more ends the trace, and not the table. The log says
    so once; none is kept until the next start. Arguments as for `TraceLog`."""

    def __init__(self, folder: Path, header: Callable[[], TraceHeader], *, max_bytes: int, files: int) -> None:
        self._folder = folder
        self._log: TraceLog | None = None
        try:
            self._log = TraceLog(folder, header, max_bytes=max_bytes, files=files)
        except OSError as error:
            self._give_up(error)

    def write(self, report: Report) -> None:
        try:
            if self._log is not None:
                self._log.write(report)
        except OSError as error:
            self._give_up(error)
            self.close()

    def close(self) -> None:
        kept, self._log = self._log, None
        if kept is not None:
            with contextlib.suppress(OSError):  # the disk is full: what was not written is lost
                kept.close()

    def _give_up(self, error: OSError) -> None:
        log.warning("%s: %s; no trace is kept until the next start", self._folder, error.strerror)
