"""The two lift keys: one press or both together."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from tablectl.machine.sensors import Sensors

KEYS: Final = ("lift_key.0", "lift_key.1")


class LiftKeys:
    """Calls ``single`` when one key was pressed and the other did not follow within ``both_seconds``, else ``both``."""

    def __init__(
        self, sensors: Sensors, both_seconds: float, single: Callable[[], None], both: Callable[[], None]
    ) -> None:
        self._sensors = sensors
        self._both_seconds = both_seconds
        self._single = single
        self._both = both
        #: the key that was pressed, until it is known that the other does not follow
        self._pressed = ""
        self._timer: asyncio.TimerHandle | None = None
        for name in KEYS:
            sensors.watch(name, self._edge)

    def close(self) -> None:
        """What was pressed last does not count any more."""
        self._pressed = ""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _edge(self, name: str, _t: float, level: bool) -> None:
        if not level or name == self._pressed:
            return
        together = self._pressed or all(self._sensors[key] for key in KEYS)
        self.close()
        if together:
            self._both()
        else:
            self._pressed = name
            self._timer = asyncio.get_running_loop().call_later(self._both_seconds, self._alone)

    def _alone(self) -> None:
        self.close()
        self._single()
