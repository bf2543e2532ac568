"""Pins as the wiring names them: ``^!gpio.17``, ``relays.3``.

``<chip>.<number>``: ``gpio`` is the Raspberry Pi's header by BCM number, any other chip is a board of the wiring.
Before it ``^`` pulls the pin up, ``~`` pulls it down, ``!`` turns it round (low is on).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

GPIO: Final = "gpio"
#: BCM numbers on the 40-pin header; 0 and 1 belong to the EEPROM of a HAT and are left alone.
HEADER: Final = range(2, 28)

Pull = Literal["", "up", "down"]
_PULLS: Final[dict[str, Pull]] = {"": "", "^": "up", "~": "down"}
_PIN: Final = re.compile(r"([\^~]?)(!?)([a-z][a-z0-9_]*)\.([0-9]{1,3})")


@dataclass(frozen=True, slots=True)
class Pin:
    """A pin of the header or of a board. ``place`` is what only one part of the table can have."""

    chip: str
    number: int
    pull: Pull = ""
    invert: bool = False

    @property
    def place(self) -> str:
        return f"{self.chip}.{self.number}"

    def level(self, on: bool) -> bool:
        """The electrical level (True = high) that stands for ``on``; also the other way round."""
        return on is not self.invert

    def __str__(self) -> str:
        pull = {"": "", "up": "^", "down": "~"}[self.pull]
        return f"{pull}{'!' if self.invert else ''}{self.place}"


def parse_pin(text: str) -> Pin:
    """Raises ValueError where ``text`` is no pin."""
    match = _PIN.fullmatch(text)
    if match is None:
        raise ValueError(f"found {text!r}, expected a pin: gpio.17 or relays.3, before it ^ or ~ (pull) and ! (invert)")
    pull, invert, chip, number = match.groups()
    pin = Pin(chip, int(number), _PULLS[pull], bool(invert))
    if chip == GPIO and pin.number not in HEADER:
        raise ValueError(f"found {text!r}, expected gpio.{HEADER[0]} to gpio.{HEADER[-1]} (BCM numbers of the header)")
    if chip != GPIO and pin.pull:
        raise ValueError(f"found {text!r}: only pins of the header can be pulled; leave {text[0]} out")
    return pin


class PinTaken(ValueError):
    """A pin is named twice."""


class PinRegistry:
    """Who has which pin. One for a table: a pin or coil named twice is a mistake in the wiring."""

    def __init__(self) -> None:
        self._holders: dict[str, str] = {}

    def claim(self, pin: Pin, holder: str, kind: str = "") -> None:
        """Reserve ``pin`` for ``holder``. ``kind`` tells the outputs of a board from its inputs, which are counted
        apart.

        Raises:
            PinTaken: another one has it.
        """
        key = pin.place if pin.chip == GPIO else f"{pin.place} {kind}"
        if key in self._holders:
            raise PinTaken(f"{pin.place} is wired to {self._holders[key]} already; a pin has one purpose")
        self._holders[key] = holder
