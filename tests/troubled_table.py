"""A table whose program lives on while something else fails: the disk is full for a while or read-only for good, the
time of day jumps by a day."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random
from typing import Any, Literal
from unittest.mock import patch

from killed_table import KilledTable, Outcome

from tablectl.app import Core
from tablectl.base.journal import Journal, JournalError
from tablectl.base.keeper import RETRY_S
from tablectl.game import events as ev

Trouble = Literal["full", "readonly", "clock"]

#: seconds between two troubles, and for which a disk stays full
PAUSE_S, FULL_S = (3.0, 45.0), (0.5, 60.0)
DAY_S = 86_400.0


@dataclass
class Disk:
    """Whether writes fail now, and with what words."""

    why: str = ""

    @contextmanager
    def put(self) -> Iterator[None]:
        real = Journal.put

        def put(journal: Journal, *args: Any) -> int:
            if self.why:
                raise JournalError(journal.path, self.why, "Free space on the card.")
            return real(journal, *args)

        with patch.object(Journal, "put", put):
            yield


class TroubledTable(KilledTable):
    """Play a hand through ``trouble`` again and again; ``troubles`` counts, ``silent`` says where nobody was told."""

    def __init__(self, *args: Any, trouble: Trouble, **how: Any) -> None:
        super().__init__(*args, **how)
        self.trouble: Trouble = trouble
        self.disk = Disk()
        self.troubles = 0
        self._over = False
        self.silent: list[str] = []
        self._rng = Random(f"{self.settings.sim.seed}/{trouble}")

    async def play(self) -> Outcome:
        with self.disk.put():
            return await super().play()

    async def _live(self, core: Core) -> bool:
        making = asyncio.ensure_future(self._make(core))
        try:
            return await super()._live(core)
        finally:
            making.cancel()
            await asyncio.gather(making, return_exceptions=True)

    async def _finished(self) -> None:
        """In the end somebody has made room on the card."""
        await super()._finished()
        if self.trouble == "full":
            self._over, self.disk.why = True, ""
            await self.clock.sleep(RETRY_S + 1.0)

    async def _make(self, core: Core) -> None:
        while not self._over:
            await self.clock.sleep(self._rng.uniform(*PAUSE_S))
            self.troubles += 1
            if self.trouble == "clock":
                loop: Any = asyncio.get_running_loop()
                loop._start += self._rng.choice((DAY_S, -DAY_S))
                continue
            self.disk.why = "the disk is full" if self.trouble == "full" else "the disk is read-only"
            core.journal.note("looked", by="the experiment")
            if not any(fault.code == "J01" for fault in core.faults.active):
                self.silent.append(f"trouble {self.troubles}: no J01")
            if self.trouble == "readonly":
                return
            await self.clock.sleep(self._rng.uniform(*FULL_S))
            self.disk.why = ""
            await self.clock.sleep(RETRY_S + 1.0)
            if core.journal.waiting or any(fault.code == "J01" for fault in core.faults.active):
                self.silent.append(f"trouble {self.troubles}: not written although there is room again")

    def _compare(self, core: Core) -> list[str]:
        """Besides the record: what is on the disk is all of it, or up to when it failed, in order and unbroken."""
        with Journal(self.folder / str(self._life) / "journal.sqlite", self.clock, read_only=True) as journal:
            wrong = journal.verify()
            stored = [entry.data for entry in journal.read()]
        events = [ev.to_json(event) for event in core.table.events]
        whole = len(stored) if self.trouble == "readonly" else len(events)
        if stored[:whole] != events[:whole]:
            self.outcome.lost.append(f"{len(stored)} events on the disk are not the first of {len(events)}")
        return wrong + super()._compare(core)
