"""What a table remembers over the years: cycles, hours that its motors ran, travel times, and when what was done.

It is data in JSON form; whoever runs the machine keeps it (`Upkeep.as_json`) and gives it back at the next start.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tablectl.base.faults import FaultLatch
from tablectl.machine.description import MachineSpec, Maintenance

#: runs from which a travel time is learned
LEARNED_RUNS: Final = 20
CAUSE: Final = "maintenance_due"


@dataclass(frozen=True, slots=True)
class UpkeepChanged:
    """Published after every cycle and when a maintenance is done: ``kept`` is to be kept over a restart."""

    kept: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Task:
    """A maintenance: how much of its interval is used (1 = due), in both languages."""

    name: str
    used: float
    zh: str
    en: str


class Upkeep:
    """``kept``: what `as_json` gave before the last stop; what does not fit in it is forgotten."""

    def __init__(self, spec: MachineSpec, faults: FaultLatch, kept: Mapping[str, Any] | None = None) -> None:
        kept = kept or {}
        self._tasks = spec.maintenance
        self._faults = faults
        self.cycles: int = kept.get("cycles", 0)
        self.run_seconds: dict[str, float] = defaultdict(float, kept.get("run_seconds", {}))
        self._done: dict[str, float] = dict(kept.get("done", {}))
        self._times: dict[str, deque[float]] = {
            name: deque(times, maxlen=LEARNED_RUNS) for name, times in kept.get("times", {}).items()
        }

    def as_json(self) -> dict[str, Any]:
        return {
            "cycles": self.cycles,
            "run_seconds": {name: round(seconds, 1) for name, seconds in self.run_seconds.items()},
            "done": self._done,
            "times": {name: [round(t, 3) for t in times] for name, times in self._times.items()},
        }

    # --- travel times

    def learn(self, name: str, seconds: float) -> None:
        self._times.setdefault(name, deque(maxlen=LEARNED_RUNS)).append(seconds)

    def learned(self, name: str) -> float | None:
        """The mean of the last runs in seconds; None before the first."""
        times = self._times.get(name)
        return sum(times) / len(times) if times else None

    @property
    def all_learned(self) -> dict[str, float]:
        return {name: sum(times) / len(times) for name, times in self._times.items()}

    # --- counters

    def ran(self, output: str, seconds: float) -> None:
        """An output was on so long."""
        self.run_seconds[output] += seconds

    def cycle(self) -> None:
        """Walls were raised."""
        self.cycles += 1
        self.check()

    # --- maintenance

    @property
    def tasks(self) -> list[Task]:
        return [Task(name, self._used(name, task), task.zh, task.en) for name, task in self._tasks.items()]

    def check(self) -> None:
        """Tell what is due."""
        for task in self.tasks:
            if task.used >= 1:
                every = self._tasks[task.name]
                unit = f"{every.every_cycles} cycles" if every.every_cycles else f"{every.every_hours:g} hours"
                self._faults.raise_fault(CAUSE, f"upkeep.{task.name}", f"{task.zh} / {task.en} (every {unit})")

    def done(self, name: str) -> None:
        """A person did it: its interval begins anew."""
        if name in self._tasks:
            self._done[name] = self._meter(self._tasks[name])

    def _used(self, name: str, task: Maintenance) -> float:
        interval = float(task.every_cycles or 3600 * (task.every_hours or 0))
        return (self._meter(task) - self._done.get(name, 0.0)) / interval

    def _meter(self, task: Maintenance) -> float:
        """Cycles; or seconds of that output of the group which was on longest."""
        if task.group is None:
            return float(self.cycles)
        return max((s for name, s in self.run_seconds.items() if name.partition(".")[0] == task.group), default=0.0)
