"""Ports: the small protocols behind which a device stands, real (`drivers/`) or simulated (`sim/`).

Every implementation passes the contract tests of its port (tests/contract/). Opening and closing is the owner's
business: each port is an async context manager of its own kind where it needs one (`Device`).
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from tablectl.base.reports import LanePassed, ZoneRead

if TYPE_CHECKING:
    from PIL import Image


class Device(Protocol):
    """Anything with a life: opened once, closed once. ``backend`` is what it is behind (``simulated``, ``gpio`` …)."""

    name: str
    backend: str

    async def open(self) -> None:
        """Raises `base.faults.DeviceError` with the port and what to do next where it cannot be opened."""

    async def close(self) -> None: ...


class TileReader(Device, Protocol):
    """Antenna zones: inventories for ever, one zone after another."""

    def inventories(self) -> AsyncIterator[tuple[ZoneRead, ...]]:
        """Batches of inventories in order of time; a batch is what one exchange with the reader brought."""


class Lane(Device, Protocol):
    """The reader beside one side's stacking head: one tile after another."""

    side: int

    def passages(self) -> AsyncIterator[LanePassed]: ...


class Output(Device, Protocol):
    """Something that can be switched: motor, solenoid, relay, lamp. Off is safe unless its wiring says otherwise."""

    async def set(self, on: bool) -> None: ...


class Pulse(Device, Protocol):
    """A solenoid that the board itself releases after ``pulse_ms``."""

    async def fire(self, pulse_ms: int) -> None: ...


class Input(Device, Protocol):
    """A sensor or a key: its level now, and its debounced edges with the time taken at the device."""

    async def read(self) -> bool: ...

    def edges(self) -> AsyncIterator[tuple[float, bool]]: ...


class Dice(Device, Protocol):
    """Two dice. There is no way to ask for a value."""

    async def roll(self) -> tuple[int, ...]: ...


class Reveal(Protocol):
    """What dice publish after a hand."""

    def to_json(self) -> dict[str, Any]:
        """``secret`` in hexadecimal, and ``throws``: each with ``message``, ``counter``, ``dice``."""
        ...


@runtime_checkable
class CommittedDice(Dice, Protocol):
    """Dice that everybody can check afterwards: they commit before the key works and reveal after the hand."""

    @property
    def commitment(self) -> str:
        """The SHA-256 of the secret now in force, in hexadecimal."""
        ...

    def reveal(self) -> Reveal:
        """The secret with its throws; the next throw has a new one."""
        ...


class Display(Device, Protocol):
    """A picture display. ``size`` in pixels, ``mode`` of the image (``1``, ``RGB``)."""

    size: tuple[int, int]
    mode: str

    async def show(self, image: Image.Image) -> None: ...


class Sound(Device, Protocol):
    """Beeper or speaker: a prompt by name with the words it stands for."""

    async def say(self, prompt: str, text: str) -> None: ...
