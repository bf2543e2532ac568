"""Outputs with their limits: a safe value, a longest time on, and the conditions they need (interlocks)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping

from tablectl.base.faults import DeviceError
from tablectl.base.tasks import beside
from tablectl.machine.description import Interlock, MachineSpec, OutputSpec, members
from tablectl.machine.sensors import Sensors
from tablectl.ports import Output

#: ``fault(code, where, detail)``
RaiseFault = Callable[[str, str, str], object]


class Refused(Exception):
    """An output may not be switched on now; the message says which condition is missing."""


class Frozen(Exception):
    """Nothing may be switched on: a fault stands, or somebody stopped the table."""


class Outputs:
    """All outputs of the table, by name. Whatever happens, none stays on beyond its time or without its conditions.

    ``ran(name, seconds)`` is told how long an output was on, each time it is switched off.
    """

    def __init__(
        self,
        ports: Mapping[str, Output],
        spec: MachineSpec,
        sensors: Sensors,
        raise_fault: RaiseFault,
        ran: Callable[[str, float], object] = lambda name, seconds: None,
    ) -> None:
        self._specs: dict[str, OutputSpec] = dict(spec.output_names())
        self._ports = {name: ports[name] for name in self._specs}
        self._sensors = sensors
        self._raise_fault = raise_fault
        self._ran = ran
        self._inputs = {group: members(group, 4 if s.each_side else s.count) for group, s in spec.inputs.items()}
        self._groups = {group: members(group, 4 if s.each_side else None) for group, s in spec.outputs.items()}
        #: what is on, and since when (the loop's time)
        self._on: dict[str, float] = {}
        #: nothing can be switched on, whoever is still about to
        self.frozen = False
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._cuts: set[asyncio.Task[None]] = set()
        for group in {lock.input for s in self._specs.values() for lock in s.interlocks if lock.input}:
            for name in self._inputs[group]:
                sensors.watch(name, self._look)

    def is_on(self, name: str) -> bool:
        return name in self._on

    def __contains__(self, name: str) -> bool:
        """Whether the table has such an output."""
        return name in self._specs

    async def set(self, name: str, on: bool) -> None:
        """Switch one output.

        Raises:
            Refused: an interlock forbids it.
            Frozen: nothing may be switched on now.
        """
        if not on:
            self._forget(name)
            await self._ports[name].set(False)
            return
        if self.frozen:
            raise Frozen
        missing = [lock for lock in self._specs[name].interlocks if not self._holds(lock)]
        if missing:
            raise Refused(f"{name} may not be switched on: {'; '.join(map(_words, missing))}")
        limit = self._specs[name].max_on_seconds
        if limit is not None and name not in self._timers:
            self._timers[name] = asyncio.get_running_loop().call_later(limit, self._overran, name, limit)
        self._on.setdefault(name, asyncio.get_running_loop().time())
        await self._ports[name].set(True)

    async def set_all(self, names: Iterable[str], on: bool) -> None:
        """Switch several outputs, one after another."""
        for name in names:
            await self.set(name, on)

    async def safe_off(self) -> None:
        """Every output to its safe value, all of them even where one fails. Raises an ExceptionGroup of failures."""
        for name in self._specs:
            self._forget(name)
        results = await asyncio.gather(
            *(self._ports[name].set(spec.safe) for name, spec in self._specs.items()), return_exceptions=True
        )
        errors = [error for error in results if isinstance(error, Exception)]
        if errors:
            raise ExceptionGroup("outputs could not be switched off", errors)

    async def close(self) -> None:
        """Everything safe, and what was being cut is cut."""
        await self.safe_off()
        await asyncio.gather(*self._cuts)

    def _forget(self, name: str) -> None:
        since = self._on.pop(name, None)
        if since is not None:
            self._ran(name, asyncio.get_running_loop().time() - since)
        timer = self._timers.pop(name, None)
        if timer is not None:
            timer.cancel()

    def _holds(self, lock: Interlock) -> bool:
        if lock.output is not None:
            return all((name in self._on) is lock.level for name in self._groups[lock.output])
        assert lock.input is not None
        return all(self._sensors[name] is lock.level for name in self._inputs[lock.input])

    def _look(self, input_name: str, _t: float, _level: bool) -> None:
        """A sensor changed: nothing stays on whose condition has gone."""
        for name in sorted(self._on):
            lost = [lock for lock in self._specs[name].interlocks if lock.input and not self._holds(lock)]
            if lost:
                self._cut(name)
                self._raise_fault("interlock_lost", name, "; ".join(map(_words, lost)))

    def _overran(self, name: str, limit: float) -> None:
        self._cut(name)
        self._raise_fault("on_too_long", name, f"on for {limit:g} s, the longest time allowed")

    def _cut(self, name: str) -> None:
        self._forget(name)
        task = beside(self._off(name), f"cut {name}")
        self._cuts.add(task)
        task.add_done_callback(self._cuts.discard)

    async def _off(self, name: str) -> None:
        try:
            await self._ports[name].set(False)
        except DeviceError as error:
            self._raise_fault("safe_off_failed", name, str(error))


def _words(lock: Interlock) -> str:
    return f"{lock.output or lock.input} must be {'on' if lock.level else 'off'}"
