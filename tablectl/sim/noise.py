"""How the devices of a simulated table err, and how its people handle tiles: the profiles of ``--noise``.

Figures are shares (of tags and rounds, of tiles, of presses) unless a name says seconds, rounds or tags. They say what
happens at the antennas; what the tracker assumes of errors stands elsewhere and is learned from the reports alone.
`sim.reading` makes the reads, `sim.slips` the errors of lanes and keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from tablectl.sim.person import Habits


@dataclass(frozen=True, slots=True)
class Antennas:
    """Errors of the zone antennas.

    A tag's errors depend on its chip, on the spot where it lies and on what lies beside it; they come in runs, and
    disturbances hit a whole zone. ``miss`` and ``ghost`` are what all of that comes to on average.
    """

    #: a tag stays silent in a round; how many rounds in a row, on average
    miss: float = 0.0
    miss_rounds: float = 1.0
    #: spread (sigma of the logarithm) of good and bad chips and spots about the average
    uneven: float = 0.0
    #: a silent tag silences the one beside it
    company: float = 0.0
    #: chips that answer badly, spots where answers are lost, and how often they are
    weak_tags: float = 0.0
    weak_miss: float = 0.2
    bad_spots: float = 0.0
    spot_miss: float = 0.2
    #: a tag answers across an edge; how many rounds in a row; only there, not where it lies
    ghost: float = 0.0
    ghost_rounds: float = 1.0
    instead: float = 0.3
    #: spots at an edge, and how often a tag answers across it while it lies there
    edges: float = 0.0
    edge_ghost: float = 0.2
    #: a tile held by a person answers in that person's hand, meld or river
    hover: float = 0.0
    #: seconds between two disturbances of a zone, how long one lasts on average, and how many tags it silences
    burst_every_s: float = float("inf")
    burst_s: float = 1.0
    burst_miss: float = 0.5
    #: an inventory is cut short after some tags (collisions)
    cut: float = 0.0
    #: an inventory tells what lay there a round before
    lag: float = 0.0
    #: a round of the reader falls out; the length of rounds varies by this share
    skip: float = 0.0
    jitter: float = 0.0
    #: an inventory holds a valid frame of a tag that does not exist
    phantom: float = 0.0
    #: chips that die in the course of a hand (of a table, not of a tag)
    dying: float = 0.0


@dataclass(frozen=True, slots=True)
class Lanes:
    """Errors of the lane readers: a tile passes unread, is read twice (the second time perhaps one tile ``later``), or
    after the next one (``swapped``)."""

    missed: float = 0.0
    doubled: float = 0.0
    later: float = 0.5
    swapped: float = 0.0


@dataclass(frozen=True, slots=True)
class Keys:
    """Slips with keys that call something: forgotten, pressed after the tiles had moved (up to ``late_s`` seconds),
    pressed twice, or the neighbour's key pressed."""

    missing: float = 0.0
    late: float = 0.0
    late_s: float = 2.5
    doubled: float = 0.0
    wrong_seat: float = 0.0


@dataclass(frozen=True, slots=True)
class Profile:
    """Devices and people together. ``period_s``: a round of the antennas, where the configuration names none."""

    antennas: Antennas = field(default_factory=Antennas)
    lanes: Lanes = field(default_factory=Lanes)
    keys: Keys = field(default_factory=Keys)
    habits: Habits = field(default_factory=Habits)
    period_s: float = 0.25


_NORMAL: Final = Antennas(
    miss=0.02,
    miss_rounds=1.15,
    uneven=0.5,
    company=0.05,
    bad_spots=0.002,
    ghost=0.003,
    ghost_rounds=1.1,
    edges=0.004,
    hover=0.02,
    cut=0.0005,
    lag=0.002,
    jitter=0.03,
)
_HARD: Final = Antennas(
    miss=0.05,
    miss_rounds=1.4,
    uneven=0.7,
    company=0.15,
    weak_tags=0.01,
    bad_spots=0.015,
    ghost=0.01,
    ghost_rounds=1.3,
    instead=0.35,
    edges=0.012,
    edge_ghost=0.2,
    hover=0.06,
    burst_every_s=240.0,
    burst_s=1.2,
    burst_miss=0.5,
    cut=0.002,
    lag=0.01,
    skip=0.002,
    jitter=0.06,
    phantom=0.00002,
    dying=0.01,
)
_BRUTAL: Final = replace(
    _HARD,
    miss=0.10,
    miss_rounds=1.6,
    company=0.2,
    weak_tags=0.02,
    bad_spots=0.03,
    ghost=0.02,
    ghost_rounds=1.5,
    edges=0.025,
    hover=0.12,
    burst_every_s=120.0,
    cut=0.005,
    lag=0.02,
    skip=0.005,
    jitter=0.1,
    phantom=0.0001,
    dying=0.03,
)

#: By name, as ``--noise`` and the setting ``sim.noise`` give them.
PROFILES: Final[Mapping[str, Profile]] = {
    "clean": Profile(),
    "normal": Profile(
        antennas=_NORMAL,
        keys=Keys(missing=0.05, late=0.02),
        habits=Habits(straight=0.12, lifted=0.04, block_early=0.1),
        period_s=0.5,
    ),
    "hard": Profile(
        antennas=_HARD,
        lanes=Lanes(missed=0.006, doubled=0.003),
        keys=Keys(missing=0.15, late=0.08, doubled=0.03),
        habits=Habits(tempo=0.85, straight=0.2, sorted=0.2, lifted=0.08, block_early=0.3, dawdles=0.05, snatches=0.1),
        period_s=0.5,
    ),
    "brutal": Profile(
        antennas=_BRUTAL,
        lanes=Lanes(missed=0.02, doubled=0.01, swapped=0.004),
        keys=Keys(missing=0.3, late=0.15, doubled=0.06, wrong_seat=0.02),
        habits=Habits(tempo=0.75, straight=0.25, sorted=0.3, lifted=0.12, block_early=0.5, dawdles=0.1, snatches=0.2),
        period_s=0.5,
    ),
}
