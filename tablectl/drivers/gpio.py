"""Pins of the Raspberry Pi's header through the RPi.GPIO API (package rpi-lgpio, or RPi.GPIO on old kernels).

The module is imported when the first pin is opened. It calls back from a thread of its own; that only puts the time
into the loop. Debouncing is done here, on our clock and for both levels: the backends' own differs (RPi.GPIO reports
the first edge and mutes, lgpio waits and reports late). An edge is taken as a hint: the level is read again when it has
been quiet, and all inputs are looked at now and then in case an edge was lost.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import logging
from collections.abc import AsyncIterator, Callable
from typing import Any, Final

from tablectl.base.clock import Clock
from tablectl.base.faults import DeviceError
from tablectl.base.tasks import beside
from tablectl.drivers import gpio_check
from tablectl.drivers.hardware_edges import BREAKER_SECONDS, Breaker, EdgeFeed
from tablectl.drivers.hardware_pins import Pin

log = logging.getLogger(__name__)

#: seconds between two looks at all inputs: where edges are told, and where the backend has none
LOOK_SECONDS: Final = 0.25
POLL_SECONDS: Final = 0.005
#: An input that never is quiet is reported all the same, after so many debounce times.
LONGEST_BURST: Final = 8

#: told what an input does that it should not: its name, what was seen
Told = Callable[[str, str], object]


class Gpio:
    """The header: makes outputs and inputs. ``module``: the RPi.GPIO module, imported at first use where None.

    ``noisy`` is told of an input that chatters and was switched off, ``lost`` of one that cannot be read any more.
    """

    def __init__(
        self,
        clock: Clock,
        module: Any = None,
        noisy: Told = lambda name, why: None,
        lost: Told = lambda name, why: None,
    ) -> None:
        self.clock = clock
        self.noisy = noisy
        self.lost = lost
        self._given = module
        self._module: Any = None
        self._inputs: dict[str, GpioInput] = {}
        self._looking: asyncio.Task[None] | None = None
        #: edges are not told by this backend: inputs are polled
        self.polling = False

    # --- the module

    def module(self) -> Any:
        """The RPi.GPIO module, ready for BCM numbers.

        Raises:
            DeviceError: it cannot be used on this machine; the message says which package to install or remove.
        """
        if self._module is None:
            module = self._given if self._given is not None else _load()
            module.setwarnings(False)
            try:
                module.setmode(module.BCM)
            except Exception as error:  # RPi.GPIO and lgpio each have their own
                raise DeviceError(
                    "gpio",
                    "/dev/gpiochip*",
                    f"cannot be opened: {error}",
                    next_step="Check that the user is in the group gpio, and run tablectl doctor.",
                ) from None
            self._module = module
        return self._module

    # --- what hangs on it

    def output(self, name: str, pin: Pin, safe: bool = False) -> GpioOutput:
        return GpioOutput(self, name, pin, safe)

    def pwm(self, name: str, pin: Pin, hertz: float, duty_percent: float) -> GpioPwm:
        """Something that runs at ``duty_percent`` of full power while it is on; off is its safe value."""
        return GpioPwm(self, name, pin, hertz, duty_percent)

    def input(self, name: str, pin: Pin, debounce_seconds: float = 0.01) -> GpioInput:
        return GpioInput(self, name, pin, debounce_seconds)

    # --- looking at the inputs

    def _follow(self, port: GpioInput) -> None:
        self._inputs[port.name] = port
        if self._looking is None:
            self._looking = beside(self._look(), "gpio inputs")

    async def _unfollow(self, port: GpioInput) -> None:
        self._inputs.pop(port.name, None)
        if not self._inputs and self._looking is not None:
            looking, self._looking = self._looking, None
            looking.cancel()
            await asyncio.gather(looking, return_exceptions=True)

    async def _look(self) -> None:
        while True:
            await self.clock.sleep(POLL_SECONDS if self.polling else LOOK_SECONDS)
            for port in list(self._inputs.values()):
                port.look()

    def no_edges(self, why: str) -> None:
        """The backend cannot tell edges; said once."""
        if not self.polling:
            self.polling = True
            log.warning(
                "GPIO: no edges (%s): inputs are polled every %g ms. rpi-lgpio has edges: %s",
                why,
                POLL_SECONDS * 1e3,
                gpio_check.USE_NEW,
            )


def _load() -> Any:
    """The installed module, after everything that can be wrong with it was looked at."""
    facts = gpio_check.gather()
    found = gpio_check.findings(facts)
    _refuse(found)
    try:
        module = importlib.import_module("RPi.GPIO")
    except (ImportError, RuntimeError, OSError) as error:
        raise DeviceError("gpio", "", f"RPi.GPIO does not load: {error}", next_step=gpio_check.USE_NEW) from None
    _refuse([gpio_check.module_finding(module, facts)])
    return module


def _refuse(found: list[gpio_check.Finding]) -> None:
    wrong = [finding for finding in found if finding.state == "wrong"]
    if wrong:
        what = "; ".join(finding.what for finding in wrong)
        raise DeviceError("gpio", "", what, next_step="Mend it with: " + "; ".join(finding.mend for finding in wrong))


class _GpioDevice:
    """What outputs and inputs share: name, pin, and errors that a person understands."""

    backend = "gpio"

    def __init__(self, chip: Gpio, name: str, pin: Pin) -> None:
        self.name = name
        self.pin = pin
        self._chip = chip
        self._open = False

    def _call(self, function: Callable[..., Any], *args: Any, **keywords: Any) -> Any:
        """Call the backend; what it raises becomes a DeviceError."""
        try:
            return function(*args, **keywords)
        except Exception as error:  # RPi.GPIO and lgpio each have their own
            busy = "busy" in str(error).lower() or "not allocated" in str(error).lower()
            raise self._error(
                f"{error}",
                next_step="Another program holds this pin (gpioinfo names it): stop it; is tablectl running already?"
                if busy
                else "Check that the user is in the group gpio, and run tablectl doctor.",
            ) from None

    def _error(self, what: str, expected: str = "", next_step: str = "") -> DeviceError:
        return DeviceError(self.name, str(self.pin), what, expected, next_step)

    def _needs_open(self) -> None:
        if not self._open:
            raise self._error("is not open")


class GpioOutput(_GpioDevice):
    """Satisfies `ports.Output`. ``safe``: its value when it is opened and closed."""

    def __init__(self, chip: Gpio, name: str, pin: Pin, safe: bool = False) -> None:
        super().__init__(chip, name, pin)
        self.safe = safe

    async def open(self) -> None:
        """Drive the pin to the safe value and read it back.

        Raises:
            DeviceError: no GPIO here, the pin is held by another program, or it does not follow.
        """
        gpio = self._chip.module()
        level = int(self.pin.level(self.safe))
        self._call(gpio.setup, self.pin.number, gpio.OUT, initial=level)
        self._open = True
        read = self._call(gpio.input, self.pin.number)
        if bool(read) != bool(level):
            await self.close()
            raise self._error(
                f"driven {_word(level)}, it reads {_word(read)}",
                _word(level),
                "Look for a short circuit on this pin, and that no other software drives it.",
            )

    async def close(self) -> None:
        """Safe value, then let go of the pin."""
        if self._open:
            self._open = False
            gpio = self._chip.module()
            self._call(gpio.output, self.pin.number, int(self.pin.level(self.safe)))
            self._call(gpio.cleanup, self.pin.number)

    async def set(self, on: bool) -> None:
        self.drive(on)

    def drive(self, on: bool) -> None:
        """The same from any thread. Raises DeviceError: the pin cannot be driven."""
        self._needs_open()
        self._call(self._chip.module().output, self.pin.number, int(self.pin.level(on)))


class GpioPwm(GpioOutput):
    """Satisfies `ports.Output` for a motor at a fraction of its speed: while on, the pin is on for ``duty_percent`` of
    the time, ``hertz`` times a second (software PWM: it suits motors and lamps, not stepper pulses).

    The pin must not be inverted: RPi.GPIO leaves it low when a PWM stops, and once more when its object is freed.
    """

    def __init__(self, chip: Gpio, name: str, pin: Pin, hertz: float, duty_percent: float) -> None:
        if pin.invert:
            raise ValueError(f"{name}: a PWM on an inverted pin ({pin}) would be on when it is stopped")
        super().__init__(chip, name, pin, safe=False)
        self._hertz = hertz
        self._duty = duty_percent
        #: kept: a PWM that nobody refers to stops
        self._pwm: Any = None

    async def close(self) -> None:
        if self._open:
            await self.set(False)
        await super().close()

    async def set(self, on: bool) -> None:
        self._needs_open()
        if on and self._pwm is None:
            self._pwm = self._call(self._chip.module().PWM, self.pin.number, self._hertz)
            self._call(self._pwm.start, self._duty)
        elif not on and self._pwm is not None:
            self._call(self._pwm.stop)
            self._pwm = None
            await super().set(False)


class GpioInput(_GpioDevice):
    """Satisfies `ports.Input`. The time of an edge is that of the first change of its burst."""

    def __init__(self, chip: Gpio, name: str, pin: Pin, debounce_seconds: float) -> None:
        super().__init__(chip, name, pin)
        self._debounce = debounce_seconds
        self._feed = EdgeFeed()
        self._breaker = Breaker()
        self._began: float | None = None
        self._last = 0.0
        self._settling: asyncio.TimerHandle | None = None
        self._edges_told = False

    async def open(self) -> None:
        """Raises DeviceError: no GPIO here, or the pin is held by another program."""
        gpio = self._chip.module()
        pull = {"": gpio.PUD_OFF, "up": gpio.PUD_UP, "down": gpio.PUD_DOWN}[self.pin.pull]
        self._call(gpio.setup, self.pin.number, gpio.IN, pull_up_down=pull)
        self._open = True
        loop = asyncio.get_running_loop()
        clock = self._chip.clock

        def told(_channel: int) -> None:  # in the backend's thread
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody wants to know any more
                loop.call_soon_threadsafe(self._changed, clock.now())

        try:
            gpio.add_event_detect(self.pin.number, gpio.BOTH, callback=told)
            self._edges_told = True
        except Exception as error:  # RuntimeError of RPi.GPIO, lgpio.error of rpi-lgpio
            self._chip.no_edges(str(error))
        self._feed.set(clock.now(), self._level())
        self._chip._follow(self)

    async def close(self) -> None:
        if not self._open:
            return
        self._open = False
        if self._settling is not None:
            self._settling.cancel()
            self._settling = self._began = None
        await self._chip._unfollow(self)
        gpio = self._chip.module()
        if self._edges_told:
            self._call(gpio.remove_event_detect, self.pin.number)
            self._edges_told = False
        self._call(gpio.cleanup, self.pin.number)

    async def read(self) -> bool:
        """The debounced level; while it is unsettled, the one before. Raises DeviceError where it is not open."""
        self._needs_open()
        assert self._feed.level is not None
        return self._feed.level

    def edges(self) -> AsyncIterator[tuple[float, bool]]:
        return self._feed.edges()

    def reset(self) -> None:
        """Listen again after it was switched off because it chattered."""
        self._breaker.reset()
        self.look()

    def look(self) -> None:
        """Notice a change that no edge told of."""
        if self._open and self._began is None and self._level_now() is not self._feed.level:
            self._changed(self._chip.clock.now())

    def _level_now(self) -> bool:
        """The level; where it cannot be read any more that is told, and it stays what it was."""
        try:
            return self._level()
        except DeviceError as error:
            self._chip.lost(self.name, str(error))
            return bool(self._feed.level)

    def _level(self) -> bool:
        return self.pin.level(bool(self._call(self._chip.module().input, self.pin.number)))

    def _changed(self, t: float) -> None:
        """Something moved at ``t``; find out when it is quiet."""
        if not self._open or self._breaker.tripped:
            return
        if self._breaker.edge(t):
            self._chip.noisy(self.name, f"more than 50 changes a second for {BREAKER_SECONDS:g} s; switched off")
            return
        self._last = t
        if self._began is None:
            self._began = t
            self._settling = asyncio.get_running_loop().call_later(self._debounce, self._settle)

    def _settle(self) -> None:
        assert self._began is not None
        quiet_at = min(self._last, self._began + LONGEST_BURST * self._debounce) + self._debounce
        wait = quiet_at - self._chip.clock.now()
        if wait > 1e-6:
            self._settling = asyncio.get_running_loop().call_later(wait, self._settle)
            return
        began, self._began, self._settling = self._began, None, None
        self._feed.set(began, self._level_now())


def _word(level: object) -> str:
    return "high" if level else "low"
