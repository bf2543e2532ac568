"""A Raspberry Pi's header without a Raspberry Pi.

`Header` is the copper. `FakeGPIO` is an imitation of the RPi.GPIO module in front of it, which behaves as the real one
where that matters: an output cannot be used before it is set up, edges are called back, a PWM that nobody refers to
stops.
"""

from __future__ import annotations

import threading
import types
from collections.abc import Callable
from weakref import WeakValueDictionary


class Header:
    """Levels at the pins. ``drive``: something outside pulls a pin; ``driven``: what the program drives; ``held``: pins
    of another process; ``short``: pins that cannot move; ``pwm``: frequency and duty in percent of those that pulse."""

    def __init__(self) -> None:
        self.outside: dict[int, bool] = {}
        self.pulls: dict[int, bool] = {}
        self.driven: dict[int, bool] = {}
        self.history: dict[int, list[bool]] = {}
        self.held: set[int] = set()
        self.short: dict[int, bool] = {}
        self.pwm: dict[int, tuple[float, float]] = {}
        self.listening: dict[int, Callable[[int], None]] = {}
        self.lost_edges = False
        #: what hangs on a pin that the program drives
        self.loads: dict[int, Callable[[bool], object]] = {}

    def level(self, pin: int) -> bool:
        for levels in (self.short, self.driven, self.outside, self.pulls):
            if pin in levels:
                return levels[pin]
        return False

    def drive(self, pin: int, level: bool) -> None:
        """A switch, a sensor: the program hears of it unless edges get lost."""
        before = self.level(pin)
        self.outside[pin] = level
        if self.level(pin) != before and not self.lost_edges and pin in self.listening:
            self.listening[pin](int(level))

    def drive_from_thread(self, pin: int, level: bool) -> None:
        """As it really is: the backend calls from a thread of its own."""
        thread = threading.Thread(target=self.drive, args=(pin, level))
        thread.start()
        thread.join()

    def put(self, pin: int, level: bool) -> None:
        self.driven[pin] = level
        self.history.setdefault(pin, []).append(level)
        self._load(pin, level)

    def pulse(self, pin: int, hertz: float, duty: float) -> None:
        self.pwm[pin] = (hertz, duty)
        self._load(pin, True)

    def _load(self, pin: int, level: bool) -> None:
        if pin in self.loads:
            self.loads[pin](level)


class FakeGPIO(types.ModuleType):
    """The part of RPi.GPIO that the driver uses. ``has_edges``: False as with RPi.GPIO on kernel 6.6."""

    BCM, OUT, IN, BOTH = 11, 0, 1, 33
    PUD_OFF, PUD_DOWN, PUD_UP = 20, 21, 22
    VERSION = "0.7.1"

    def __init__(self, header: Header, has_edges: bool = True) -> None:
        super().__init__("RPi.GPIO")
        self.header = header
        self.has_edges = has_edges
        self.mode: int | None = None
        self.directions: dict[int, int] = {}
        self.pwms: WeakValueDictionary[int, object] = WeakValueDictionary()

    def setwarnings(self, wanted: bool) -> None:
        assert wanted is False

    def setmode(self, mode: int) -> None:
        self.mode = mode

    def setup(self, pin: int, direction: int, pull_up_down: int = PUD_OFF, initial: int | None = None) -> None:
        assert self.mode == self.BCM
        if pin in self.header.held:
            raise RuntimeError("GPIO busy")
        self.directions[pin] = direction
        if direction == self.OUT:
            self.header.put(pin, bool(initial))
        elif pull_up_down != self.PUD_OFF:
            self.header.pulls[pin] = pull_up_down == self.PUD_UP

    def input(self, pin: int) -> int:
        if pin not in self.directions:
            raise RuntimeError("You must setup() the GPIO channel first")
        return int(self.header.level(pin))

    def output(self, pin: int, level: int) -> None:
        if self.directions.get(pin) != self.OUT:
            raise RuntimeError("The GPIO channel has not been set up as an OUTPUT")
        self.header.put(pin, bool(level))

    def add_event_detect(self, pin: int, edge: int, callback: Callable[[int], None]) -> None:
        assert edge == self.BOTH
        if not self.has_edges:
            raise RuntimeError("Failed to add edge detection")
        self.header.listening[pin] = lambda level: callback(pin)

    def remove_event_detect(self, pin: int) -> None:
        del self.header.listening[pin]

    def cleanup(self, pin: int) -> None:
        del self.directions[pin]
        self.header.driven.pop(pin, None)
        self.header.pulls.pop(pin, None)

    def PWM(self, pin: int, hertz: float) -> _FakePWM:
        if pin in self.pwms:
            raise RuntimeError("A PWM object already exists for this GPIO channel")
        pwm = self.pwms[pin] = _FakePWM(self.header, pin, hertz)
        return pwm


class _FakePWM:
    def __init__(self, header: Header, pin: int, hertz: float) -> None:
        self.header, self.pin, self.hertz = header, pin, hertz

    def start(self, duty: float) -> None:
        self.header.pulse(self.pin, self.hertz, duty)

    def stop(self) -> None:
        self.header.pwm.pop(self.pin, None)
        self.header.put(self.pin, False)

    def __del__(self) -> None:
        self.header.pwm.pop(self.pin, None)
