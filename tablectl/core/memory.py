"""What a program that is killed would forget: a file in the machine's memory, gone when the power goes.

In it is what devices reported since the walls on the table were stacked, the zones left out: the order of both
walls (the one on the table, the one in the slots), keys and dice; how far the next set is stacked; the salt of the
wall's commitment. The order of a wall must never come to rest on a disk, so the file lies in ``/run`` (tmpfs); after a
power cut the hand goes on without it, and the tracker follows it by the antennas alone.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from tablectl.base.reports import MachineReported, Report, ZoneRead
from tablectl.base.trace import parse_report, report_line

log = logging.getLogger(__name__)


class Memory:
    """The file at ``path`` (None: nothing is kept). What it held is in ``reports``, ``stacked`` and ``salt``."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._file: IO[str] | None = None
        self.reports: list[Report] = []
        self.stacked: list[int] | None = None
        self.salt: str | None = None
        if path is not None and path.exists():
            self._read(path)

    def _read(self, path: Path) -> None:
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            try:
                self._recall(line)
            except ValueError as error:  # the last line, cut short
                log.warning("%s: %s", path, error)

    def _recall(self, line: str) -> None:
        data = json.loads(line)
        if "stacked" in data:
            self.stacked = [int(count) for count in data["stacked"]]
        elif "salt" in data:
            self.salt = str(data["salt"])
        else:
            self._keep(parse_report(line))

    def _keep(self, report: Report) -> None:
        self.reports.append(report)
        if isinstance(report, MachineReported) and report.machine == "raised":
            self.stacked = self.salt = None

    def take(self, report: Report) -> None:
        """Remember a report, before anybody acts on it. With the walls raised, what was before the ones lifted goes."""
        if self._path is None or isinstance(report, ZoneRead):
            return
        self._keep(report)
        if isinstance(report, MachineReported) and report.machine == "raised":
            self._forget()
        else:
            self._write(report_line(report))

    def stack(self, tiles: Sequence[int]) -> None:
        """So many tiles of the next set are stacked at each side."""
        if self._path is not None and list(tiles) != self.stacked:
            self.stacked = list(tiles)
            self._write(json.dumps({"stacked": self.stacked}))

    def seal(self, salt: str) -> None:
        """The salt of the commitment to the wall on the table."""
        if self._path is not None:
            self.salt = salt
            self._write(json.dumps({"salt": salt}))

    def _forget(self) -> None:
        """Keep only the walls just raised: what came after the last ones were."""
        raised = [n for n, r in enumerate(self.reports) if isinstance(r, MachineReported) and r.machine == "raised"]
        if len(raised) > 1:
            del self.reports[: raised[-2] + 1]
        self.begin()

    def begin(self) -> None:
        """Write the file anew with what is remembered."""
        if self._path is None:
            return
        self.close()
        fresh = self._path.with_name(self._path.name + ".new")
        try:
            fresh.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._file = open(  # noqa: SIM115 - stays open
                fresh, "w", encoding="utf-8", opener=lambda name, flags: os.open(name, flags, 0o600)
            )
            self._file.writelines(f"{report_line(report)}\n" for report in self.reports)
            for key, value in (("stacked", self.stacked), ("salt", self.salt)):
                if value is not None:
                    self._file.write(json.dumps({key: value}) + "\n")
            self._file.flush()
            fresh.replace(self._path)
        except OSError as error:
            self._lost(error)

    def _write(self, line: str) -> None:
        if self._file is None:
            return
        try:
            self._file.write(line + "\n")
            self._file.flush()
        except OSError as error:
            self._lost(error)

    def _lost(self, error: OSError) -> None:
        """Without room for it, a restart goes on as after a power cut."""
        log.error("%s: %s; after a restart the hand goes on without it", self._path, error.strerror)
        self.close()

    def forget_all(self) -> None:
        """The tiles are not where they were: nothing of it holds any more."""
        self.reports, self.stacked, self.salt = [], None, None

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
