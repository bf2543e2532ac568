"""What the link offers a technician: the machine in detail, its programme and upkeep, and faults of a simulated table.

The upkeep (cycles, hours, learned times) is kept as a fact of the journal, once a cycle.
"""

from __future__ import annotations

import inspect
from typing import Any

from tablectl.app import Core
from tablectl.core.backends import people
from tablectl.link.connection import Client
from tablectl.link.protocol import INVALID_PARAMS, RpcError
from tablectl.link.server import Link
from tablectl.machine.shuffling import Retried
from tablectl.machine.status import MachineStatus
from tablectl.sim.faults import FAULTS, UnknownFault, inject

Params = dict[str, Any]


class Workshop:
    """Methods and sections of one core's link."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._sim = people(core.backend)

    def add_to(self, link: Link) -> None:
        core = self._core
        link.method("machine.programme", self._programme)
        link.method("machine.details", self._details, changes=False)
        core.bus.subscribe(Retried, self._retried)
        if self._sim is not None:
            link.method("sim.fault", self._fault)
            link.section("sim", lambda role, seat: {"faults": offered()}, follows_events=False)

    def _programme(self, params: Params, client: Client) -> Params:
        """Stack sets of ``tiles`` tiles from the next shuffle on."""
        tiles = params.get("tiles")
        if type(tiles) is not int:
            raise RpcError(INVALID_PARAMS, f"tiles: {tiles!r}; expected a number of tiles, e.g. 136")
        self._core.machine.programme(tiles)
        self._core.journal.note("machine", command="programme", tiles=tiles, by=params["by"])
        return machine_json(self._core.machine.status)

    def _details(self, params: Params, client: Client) -> Params:
        """Counts of every side, learned times (seconds), upkeep."""
        status = self._core.machine.status
        return machine_json(status) | {
            "counts": [{"cam": s.tiles, "eye": s.eye, "lane": s.passages} for s in status.sides],
            "learned_s": {name: round(seconds, 2) for name, seconds in status.learned.items()},
            "maintenance": [
                {"task": task.name, "used": round(task.used, 3), "zh": task.zh, "en": task.en}
                for task in status.maintenance
            ],
        }

    def _retried(self, retried: Retried) -> None:
        self._core.journal.note(
            "machine_retried",
            cause=retried.code,
            where=retried.where,
            detail=retried.detail,
            number=retried.number,
        )

    def _fault(self, params: Params, client: Client) -> Params:
        """Bring about a ``fault`` of the simulated table; its arguments stand beside it (``side``, ``name`` …)."""
        assert self._sim is not None
        arguments = {key: value for key, value in params.items() if key not in ("fault", "by")}
        name = params.get("fault")
        if not isinstance(name, str):
            raise RpcError(INVALID_PARAMS, f"fault: {name!r}; expected one of {', '.join(FAULTS)}")
        try:
            done = inject(self._sim, name, **arguments)
        except UnknownFault as unknown:
            raise RpcError(INVALID_PARAMS, str(unknown)) from unknown
        self._core.journal.note("sim_fault", fault=name, arguments=arguments, by=params["by"])
        return {"done": done}


def machine_json(status: MachineStatus) -> Params:
    """The machine as pages show it. ``degraded``: sensors that are done without; ``commands``: those that do something
    now; ``programmes``: tiles of the sets that it can stack."""
    return {
        "state": status.state.value,
        "ready": status.ready,
        "cycles": status.cycles,
        "sides": [{"tiles": side.tiles, "target": side.target} for side in status.sides],
        "programme": status.programme,
        "next_programme": status.next_programme,
        "programmes": list(status.programmes),
        "commands": list(status.commands),
        "degraded": list(status.degraded),
    }


def offered() -> list[Params]:
    """The faults that can be brought about, with arguments that make a button of each."""
    return [
        {"name": name, "help": (inspect.getdoc(fault) or "").partition("\n")[0], "params": example}
        for name, (fault, example) in FAULTS.items()
    ]
