"""Figures of a running core, for those who watch many tables; and who looked at standing tiles."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Sequence
from heapq import merge
from typing import Any, Final

from tablectl.app import Core
from tablectl.base.faults import FaultRaised
from tablectl.base.journal import Entry
from tablectl.game import events as ev
from tablectl.link.connection import Client
from tablectl.link.protocol import INVALID_PARAMS, RpcError
from tablectl.link.server import Link

Params = dict[str, Any]

#: facts about standing tiles
LOOKS: Final = ("looked", "left")
#: facts that are read without a pause
SLICE: Final = 200
MOST_LOOKS: Final = 500
#: how late the loop is, is measured by so many timers of so many seconds
TIMERS: Final = 10
TIMER_S: Final = 0.01


class Figures:
    """Methods ``core.figures`` and ``access.log``."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._link: Link | None = None
        self._begun = core.clock.now()
        self._hands = 0
        self._faults: Counter[str] = Counter()
        core.listeners.append(self._heard)
        core.bus.subscribe(FaultRaised, self._raised)

    def add_to(self, link: Link) -> None:
        self._link = link
        link.method("core.figures", self._figures, changes=False)
        link.method("access.log", self._looks, changes=False)

    def _heard(self, seq: int, events: Sequence[ev.Event]) -> None:
        self._hands += sum(isinstance(event, ev.HandEnded) for event in events)

    def _raised(self, raised: FaultRaised) -> None:
        self._faults[raised.fault.code] += 1

    async def _figures(self, params: Params, client: Client) -> Params:
        """Counters and gauges for monitoring; a list holds (labels, number) pairs."""
        core, link = self._core, self._link
        assert link is not None
        noise = core.pipeline.tracker.presence.noise
        standing = Counter(fault.severity.value for fault in core.faults.active)
        return {
            "hands_total": self._hands,
            "events_total": core.table.last_seq,
            "cycles_total": core.status.cycles if core.status is not None else 0,
            "faults_total": [({"code": code}, count) for code, count in sorted(self._faults.items())],
            "faults_standing": [({"severity": name}, standing[name]) for name in ("stop", "warn")],
            "read_tags_total": [({"zone": zone}, rate.tries) for zone, rate in sorted(noise.miss.items())],
            "read_misses_total": [({"zone": zone}, rate.hits) for zone, rate in sorted(noise.miss.items())],
            "read_ghosts_total": [
                ({"zone": zone, "home": home}, count) for (home, zone), count in sorted(noise.ghosts.items())
            ],
            "loop_lag_seconds": await _lag(),
            "link_clients": link.clients,
            "uptime_seconds": core.clock.now() - self._begun,
        }

    async def _looks(self, params: Params, client: Client) -> list[Params]:
        """Who looked at standing tiles, the latest first: {limit?, before?: number of a fact}."""
        limit, before = params.get("limit", 100), params.get("before")
        if type(limit) is not int or not 1 <= limit <= MOST_LOOKS:
            raise RpcError(INVALID_PARAMS, f"limit: {limit!r}; expected 1 to {MOST_LOOKS}")
        if before is not None and type(before) is not int:
            raise RpcError(INVALID_PARAMS, f"before: {before!r}; expected the number of a fact")
        found: deque[Entry] = deque(maxlen=limit)
        facts = (self._core.journal.facts(type=kind) for kind in LOOKS)
        for n, entry in enumerate(merge(*facts, key=lambda fact: fact.seq), 1):
            if before is not None and entry.seq >= before:
                break
            found.append(entry)
            if n % SLICE == 0:
                await self._core.clock.sleep(0)
        return [look_json(entry) for entry in reversed(found)]


def look_json(entry: Entry) -> Params:
    """One line of the access log: ``at`` in seconds since 1970, ``via``: the program through which it was seen."""
    keys = ("role", "seat", "by", "via")
    return {"n": entry.seq, "at": entry.wall, "what": entry.type, **{key: entry.data.get(key) for key in keys}}


async def _lag() -> float:
    """How late the loop's timers are now, the worst of some, in seconds."""
    loop = asyncio.get_running_loop()
    worst = 0.0
    for _ in range(TIMERS):
        due = loop.time() + TIMER_S
        await asyncio.sleep(TIMER_S)
        worst = max(worst, loop.time() - due)
    return worst
