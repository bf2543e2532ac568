"""Signs of life: who has to give one how often, and the pulse that is fed to the watchdog while everybody does.

The pulse looks at its own lateness too: a loop that hangs on something wakes it late. When the pulse stops, systemd
ends the program after its ``WatchdogSec``, outputs are made safe from outside (`tablectl safe-off`), it starts anew.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Final

from tablectl.base.clock import Clock

log = logging.getLogger(__name__)

#: seconds that the loop may be late
LATE_S: Final = 0.5


class Heartbeat:
    """Those who have to give a sign of life."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._every: dict[str, float] = {}
        self._last: dict[str, float] = {}

    def expect(self, name: str, seconds: float) -> None:
        """``name`` has to give a sign at least every ``seconds`` from now on."""
        self._every[name] = seconds
        self.beat(name)

    def beat(self, name: str) -> None:
        """``name`` is alive."""
        self._last[name] = self._clock.now()

    def silent(self) -> list[str]:
        """Who has not given a sign for too long, with how long."""
        now = self._clock.now()
        waits = {name: now - self._last[name] for name in self._every}
        return [f"{name} silent for {wait:.0f} s" for name, wait in waits.items() if wait > self._every[name]]


class Pulse:
    """Feeds the watchdog every ``every_s`` seconds while nobody is ``silent`` and the loop is on time."""

    def __init__(
        self,
        clock: Clock,
        every_s: float,
        silent: Callable[[], Sequence[str]],
        feed: Callable[[], object],
        status: Callable[[str], object],
    ) -> None:
        self._clock = clock
        self._every = every_s
        self._silent = silent
        self._feed = feed
        self._status = status

    async def run(self) -> None:
        """Until it is cancelled. What stops the feeding is told once (``status``), and when it is over ("")."""
        told = ""
        while True:
            begun = self._clock.now()
            await self._clock.sleep(self._every)
            late = self._clock.now() - begun - self._every
            wrong = list(self._silent()) + ([f"event loop {late:.1f} s late"] if late > LATE_S else [])
            if not wrong:
                self._feed()
            if (why := "; ".join(wrong)) != told:
                told = why
                self._status(why)
                if why:
                    log.error("watchdog not fed: %s", why)
