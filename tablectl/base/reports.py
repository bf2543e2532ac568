"""Reports: what the devices said, each with the time taken at the device. The lines of a trace are these objects.

A report never says what really happened: antennas miss and leak, keys bounce, people press the wrong one.
``t`` is seconds on the table's monotonic clock.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple


@dataclass(frozen=True, slots=True)
class LanePassed:
    """A tile passed the reader of a side's lane while the walls were built."""

    t: float
    lane: int
    tag: str


class ZoneRead(NamedTuple):
    """One inventory of one antenna zone: every tag that answered in this round. ``zone``: ``hand.0`` … ``wall.3``.

    The report that comes fifty times a second; a named tuple is made in a quarter of the time.
    """

    t: float
    zone: str
    tags: frozenset[str]


@dataclass(frozen=True, slots=True)
class KeyPressed:
    """A seat pressed a key; ``n`` only for keys that carry a number (``pull``)."""

    t: float
    key: str
    seat: int
    n: int | None = None


@dataclass(frozen=True, slots=True)
class DiceRested:
    """The dice came to rest with these values."""

    t: float
    dice: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MachineReported:
    """The table's mechanism reached a point of its cycle that matters to the game: ``raised``, ``collecting``."""

    t: float
    machine: str


@dataclass(frozen=True, slots=True)
class RefereeActed:
    """A referee's act at the console; keys of ``act`` as in docs/trace-format.md."""

    t: float
    act: Mapping[str, Any]


Report = LanePassed | ZoneRead | KeyPressed | DiceRested | MachineReported | RefereeActed
