"""The thread that toggles the dead-man line, in real time."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from itertools import pairwise

import pytest

from tablectl.base.clock import LoopClock
from tablectl.base.faults import DeviceError
from tablectl.drivers.gpio import Gpio, GpioOutput
from tablectl.drivers.hardware_deadman import DISK_S, PATIENCE_S, Deadman, ThreadPulse
from tablectl.drivers.hardware_pins import parse_pin
from tablectl.sim.wire.header import FakeGPIO, Header

TOGGLE_S = 0.004
#: longer than anything here takes on a busy machine
PATIENT_S = 20.0

clock = LoopClock()


class Line(GpioOutput):
    """Keeps when it was driven to which level."""

    def __init__(self) -> None:
        super().__init__(Gpio(clock, FakeGPIO(Header())), "deadman", parse_pin("gpio.21"))
        self.edges: list[tuple[float, bool]] = []
        self.broken = False
        self._edge = threading.Condition()

    def drive(self, on: bool) -> None:
        if self.broken:
            raise DeviceError("deadman", "gpio.21", "is gone")
        super().drive(on)
        with self._edge:
            self.edges.append((clock.now(), on))
            self._edge.notify_all()

    def more(self, count: int = 1, within_s: float = PATIENT_S) -> bool:
        """Whether so many edges come within so many seconds."""
        with self._edge:
            wanted = len(self.edges) + count
            return self._edge.wait_for(lambda: len(self.edges) >= wanted, within_s)


@pytest.fixture
def line() -> Line:
    line = Line()
    asyncio.run(line.open())
    return line


@pytest.fixture
def pulse(line: Line) -> Iterator[ThreadPulse]:
    threads = threading.active_count()
    pulse = ThreadPulse(line, TOGGLE_S)
    pulse.start()
    yield pulse
    pulse.stop()
    assert threading.active_count() == threads


def test_it_stands_still_until_something_lives(line: Line, pulse: ThreadPulse) -> None:
    assert not line.more(within_s=5 * TOGGLE_S)


def test_it_toggles_for_as_long_as_it_bears_silence(line: Line, pulse: ThreadPulse) -> None:
    heard = clock.now()
    pulse.beat(heard + PATIENCE_S)
    assert line.more(2)
    while line.more(within_s=4 * PATIENCE_S):
        pass
    assert line.edges[-1][0] <= heard + PATIENCE_S + TOGGLE_S
    assert all(a[1] is not b[1] for a, b in pairwise(line.edges))
    pulse.beat(clock.now() + PATIENCE_S)
    assert line.more()


def test_a_line_that_is_gone_is_told_with_the_next_sign_of_life(line: Line, pulse: ThreadPulse) -> None:
    line.broken = True
    pulse.beat(clock.now() + PATIENCE_S)
    assert pulse._thread is not None
    pulse._thread.join(PATIENT_S)
    with pytest.raises(DeviceError, match="is gone"):
        pulse.beat(clock.now() + PATIENCE_S)


def test_while_a_disk_is_waited_for_it_bears_more(line: Line, pulse: ThreadPulse) -> None:
    deadman = Deadman(line, pulse, lambda: "", lambda stood: True, clock)
    deadman._looked = clock.now()
    with deadman.pausing():
        begun = clock.now()
        while line.more(within_s=4 * PATIENCE_S):
            pass
    assert line.edges[-1][0] == pytest.approx(begun + DISK_S, abs=PATIENCE_S)
    # that was too long, and something moves
    assert not line.more(within_s=4 * PATIENCE_S)
    assert deadman.stopped.startswith("the program stood still for 0.")
    deadman.release()
    deadman._looked = clock.now()
    with deadman.pausing():
        pass
    ended = clock.now()
    assert line.more()
    while line.more(within_s=4 * PATIENCE_S):
        pass
    assert line.edges[-1][0] <= ended + PATIENCE_S + TOGGLE_S  # and not for as long as a disk may take
