"""Sensors that are not believed any more: the table goes on without them (degraded), says so, and asks for repair.

Only what another sensor or a learned time can stand in for. What an interlock hangs on is never done without.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Final

from tablectl.base.faults import FaultLatch

#: the cause by which a sensor that is done without stands in the list of faults
CAUSE: Final = "sensor_ignored"


class Trust:
    """``allowed``: the table may go on without a sensor (a tournament may forbid it). ``vital``: sensors that are never
    done without."""

    def __init__(self, faults: FaultLatch, vital: Collection[str], allowed: bool, changed: Callable[[], None]) -> None:
        self._faults = faults
        self._vital = frozenset(vital)
        self._allowed = allowed
        self._changed = changed
        self._ignored: set[str] = set()

    @property
    def ignored(self) -> tuple[str, ...]:
        """The sensors that are done without, in order."""
        return tuple(sorted(self._ignored))

    def __contains__(self, sensor: str) -> bool:
        """Whether a sensor is believed."""
        return sensor not in self._ignored

    def may_ignore(self, sensor: str) -> bool:
        return self._allowed and sensor not in self._vital

    def ignore(self, sensor: str, why: str) -> None:
        """Go on without ``sensor``: a warning that stays until it works again."""
        if sensor not in self._ignored:
            self._ignored.add(sensor)
            self._faults.raise_fault(CAUSE, f"sensor.{sensor}", why)
            self._changed()

    def believe(self, sensor: str) -> None:
        """It works (again)."""
        if sensor in self._ignored:
            self._ignored.discard(sensor)
            self._faults.recover(CAUSE, f"sensor.{sensor}")
            self._changed()

    def cleared(self, where: str) -> None:
        """A person says that the sensor was mended: it is believed until it fails again."""
        self._ignored.discard(where.removeprefix("sensor."))
        self._changed()
