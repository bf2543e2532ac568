"""In front of an imitated header (`sim.wire.header`) stands either an imitation of the RPi.GPIO module (`FakeGPIO`) or
the real rpi-lgpio over an imitation of lgpio (`rpi_lgpio`): pins are exclusive there, as they really are.
"""

from __future__ import annotations

import importlib
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from tablectl.sim.wire.header import FakeGPIO, Header

__all__ = ["FakeGPIO", "FakeLgpio", "Header", "rpi_lgpio"]

# --- lgpio, below the real rpi-lgpio

_INPUT, _OUTPUT, _ALERT, _UP, _DOWN = 0x100, 0x200, 0x400, 0x20, 0x40


class FakeLgpio(types.ModuleType):
    """The functions of lgpio that rpi-lgpio calls. Errors are raised, as lgpio's module does by default."""

    SET_PULL_NONE, SET_PULL_UP, SET_PULL_DOWN = 0x80, _UP, _DOWN
    RISING_EDGE, FALLING_EDGE, BOTH_EDGES = 1, 2, 3
    GPIO_BUSY = -79

    class error(Exception):
        pass

    def __init__(self, header: Header) -> None:
        super().__init__("lgpio")
        self.header = header
        self.modes: dict[int, int] = {}

    def gpiochip_open(self, number: int) -> int:
        return 0

    def gpio_get_mode(self, chip: int, pin: int) -> int:
        return self.modes.get(pin, 0)

    def _claim(self, pin: int, mode: int) -> int:
        if pin in self.header.held:
            raise self.error("GPIO busy")
        self.modes[pin] = mode
        return 0

    def gpio_claim_input(self, chip: int, pin: int, flags: int) -> int:
        self.header.driven.pop(pin, None)
        self.header.pulls.pop(pin, None)
        if flags & (_UP | _DOWN):
            self.header.pulls[pin] = flags == _UP
        return self._claim(pin, _INPUT | flags)

    def gpio_claim_output(self, chip: int, pin: int, level: bool, flags: int) -> int:
        self._claim(pin, _OUTPUT)
        self.header.put(pin, bool(level))
        return 0

    def gpio_claim_alert(self, chip: int, pin: int, edges: int, flags: int) -> int:
        return self._claim(pin, _ALERT | flags | edges << 17)

    def gpio_free(self, chip: int, pin: int) -> int:
        if pin not in self.modes:
            raise self.error("GPIO not allocated")
        del self.modes[pin]
        return 0

    def gpio_read(self, chip: int, pin: int) -> int:
        return int(self.header.level(pin))

    def gpio_write(self, chip: int, pin: int, level: bool) -> int:
        self.header.put(pin, bool(level))
        return 0

    def callback(self, chip: int, pin: int, func: Callable[[int, int, int, int], None]) -> _FakeCallback:
        self.header.listening[pin] = lambda level: func(chip, pin, level, 0)
        return _FakeCallback(self.header, pin)

    def tx_pwm(self, chip: int, pin: int, hertz: float, duty: float) -> int:
        self.header.pwm.pop(pin, None)
        if hertz:
            self.header.pulse(pin, hertz, duty)
        return 0


class _FakeCallback:
    def __init__(self, header: Header, pin: int) -> None:
        self.header, self.pin = header, pin

    def cancel(self) -> None:
        del self.header.listening[self.pin]


@contextmanager
def rpi_lgpio(header: Header) -> Iterator[types.ModuleType]:
    """The real rpi-lgpio, freshly imported over an imitation of lgpio."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RPI_LGPIO_REVISION", "c03114")
        patch.setitem(sys.modules, "lgpio", FakeLgpio(header))
        for name in ("RPi", "RPi.GPIO"):
            patch.delitem(sys.modules, name, raising=False)
        module = importlib.import_module("RPi.GPIO")
        try:
            yield module
        finally:
            for name in ("RPi", "RPi.GPIO"):
                sys.modules.pop(name, None)
