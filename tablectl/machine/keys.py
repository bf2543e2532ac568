"""The two lift keys: one press or both together."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from tablectl.machine.description import Keys
from tablectl.machine.sensors import Sensors

KEYS: Final = ("lift_key.0", "lift_key.1")


class LiftKeys:
    """Calls ``single`` when one key was pressed and the other did not follow within ``both_seconds``, else ``both``.

    A key that is held for ``stuck_seconds`` does not count until it is released; ``stuck(name, is_stuck)`` is told.
    """

    def __init__(
        self,
        sensors: Sensors,
        times: Keys,
        single: Callable[[], None],
        both: Callable[[], None],
        stuck: Callable[[str, bool], object] = lambda name, is_stuck: None,
    ) -> None:
        self._sensors = sensors
        self._both_seconds = times.both_seconds
        self._stuck_seconds = times.stuck_seconds
        self._stuck_told = stuck
        self._stuck: set[str] = set()
        self._held: dict[str, asyncio.TimerHandle] = {}
        self._single = single
        self._both = both
        #: the key that was pressed, until it is known that the other does not follow
        self._pressed = ""
        self._timer: asyncio.TimerHandle | None = None
        for name in KEYS:
            sensors.watch(name, self._edge)

    def start(self) -> None:
        """A key that is pressed already (something lies on it) may be stuck."""
        for name in KEYS:
            if self._sensors[name]:
                self._hold(name)

    def close(self) -> None:
        """Nothing is called any more."""
        self._forget()
        for timer in self._held.values():
            timer.cancel()
        self._held.clear()

    def _forget(self) -> None:
        """What was pressed last does not count any more."""
        self._pressed = ""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _edge(self, name: str, _t: float, level: bool) -> None:
        if level:
            self._hold(name)
            self._press(name)
            return
        held = self._held.pop(name, None)
        if held is not None:
            held.cancel()
        if name in self._stuck:
            self._stuck.discard(name)
            self._stuck_told(name, False)

    def _hold(self, name: str) -> None:
        if name not in self._held:
            self._held[name] = asyncio.get_running_loop().call_later(self._stuck_seconds, self._is_stuck, name)

    def _is_stuck(self, name: str) -> None:
        del self._held[name]
        self._stuck.add(name)
        self._stuck_told(name, True)

    def _press(self, name: str) -> None:
        if name == self._pressed:
            return
        together = self._pressed or all(self._sensors[key] and key not in self._stuck for key in KEYS)
        self._forget()
        if together:
            self._both()
        else:
            self._pressed = name
            self._timer = asyncio.get_running_loop().call_later(self._both_seconds, self._alone)

    def _alone(self) -> None:
        self._forget()
        self._single()
