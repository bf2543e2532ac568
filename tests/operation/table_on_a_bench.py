"""`tablectl` as on a Raspberry Pi, with an imitated header: every level of a pin is a line in a file, with its time.

    python table_on_a_bench.py LEVELS run CONFIG …

SIGUSR1 raises an exception that nobody expects; SIGUSR2 lets the event loop hang.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

from tablectl.__main__ import main
from tablectl.base import clock
from tablectl.drivers import gpio
from tablectl.sim.wire.header import FakeGPIO, Header

#: of six-relay; on at low level
DOME_DOWN = 22


class Bench(Header):
    """Writes down what is driven. The dome is down, so that homing begins with the trays, which never come up."""

    def __init__(self, levels: str) -> None:
        super().__init__()
        self._file = os.open(levels, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self.outside[DOME_DOWN] = False

    def put(self, pin: int, level: bool) -> None:
        os.write(self._file, f"{_now():.6f} {pin} {int(level)}\n".encode())
        super().put(pin, level)


def _now() -> float:
    """The system's monotonic clock, that of the tests: the table's own goes on where it stood when it last ended."""
    return clock._monotonic() - clock._ahead


def _fail(*_: Any) -> None:
    raise ZeroDivisionError("nobody expected this")


def _hang(*_: Any) -> None:
    while True:
        signal.pause()


if __name__ == "__main__":
    header = Bench(sys.argv.pop(1))
    gpio._load = lambda: FakeGPIO(header)
    signal.signal(signal.SIGUSR1, _fail)
    signal.signal(signal.SIGUSR2, _hang)
    main()
