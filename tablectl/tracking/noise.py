"""How well the antennas read: miss and ghost rates, learned while the hand goes on.

Rates are learned from what resolved itself: a tag that was silent and answered again where it lies was missed; a tag
that answered in a zone and then no more, while it still lies elsewhere, was a ghost there. Tiles that really moved are
never counted, so that a lively game does not look like a bad antenna.

Runs matter as much as rates: a hand lifted for a moment, or a tag at the edge of two zones, errs several rounds in a
row. Therefore the second error of a run has a probability of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import log
from typing import NamedTuple

from tablectl.tracking.places import near

#: what is assumed before anything was read: (rate, how many observations that opinion is worth)
MISS_PRIOR = (0.03, 150.0)
MISS_RUN_PRIOR = (0.25, 16.0)
GHOST_RUN_PRIOR = (0.2, 16.0)
#: ghosts a read from one other zone, by how near that zone is
GHOSTS_NEAR_PRIOR = (0.02, 60.0)
GHOSTS_FAR_PRIOR = (0.002, 60.0)
#: a single tag keeps the rate of its zone until it has been looked at about this often
TAG_PRIOR_READS = 30.0

#: part of the ghosts that answer only in the wrong zone
INSTEAD = 0.4

#: a tag that was silent for long (covered, in a bad spot, damaged) is silent again
MISS_LONG = 0.97

MISS_FLOOR = 0.004
RUN_FLOOR = 0.08
GHOST_FLOOR = 0.0002

_SILENCE = log(MISS_LONG)


@dataclass(slots=True)
class Rate:
    """A rate with a prior opinion: hits of tries."""

    prior: tuple[float, float]
    hits: float = 0.0
    tries: float = 0.0

    @property
    def value(self) -> float:
        rate, weight = self.prior
        return (self.hits + rate * weight) / (self.tries + weight)


class Weights(NamedTuple):
    """Logarithms of the probabilities of one tag's answers in one zone: lying there it answers, is missed, is missed
    again; lying elsewhere it answers, answers again; lying there it is missed while it answers elsewhere, is
    silent after a long silence."""

    hit: float
    miss: float
    miss_run: float
    ghost: float
    ghost_run: float
    instead: float
    miss_long: float


@dataclass(slots=True)
class Noise:
    """What was learned so far. One for a table: antennas do not change between hands."""

    miss: dict[str, Rate] = field(default_factory=dict)
    miss_run: Rate = field(default_factory=lambda: Rate(MISS_RUN_PRIOR))
    ghost_run: Rate = field(default_factory=lambda: Rate(GHOST_RUN_PRIOR))
    #: ghosts from one zone's tags in another zone, tries = reads of that other zone
    ghosts: dict[tuple[str, str], float] = field(default_factory=dict)
    #: reads of the zones in which a tag lay, at all its places but the present one: errors count over the same time
    tag_looks: dict[str, float] = field(default_factory=dict)
    tag_misses: dict[str, float] = field(default_factory=dict)
    tag_ghosts: dict[tuple[str, str], float] = field(default_factory=dict)

    def looked(self, zone: str, tags: int) -> None:
        """A read of a zone where ``tags`` tags lie."""
        rate = self.miss.get(zone)
        if rate is None:
            rate = self.miss[zone] = Rate(MISS_PRIOR)
        rate.tries += tags

    def lay(self, tag: str, reads: int) -> None:
        """A tag leaves a place where it was looked at so often."""
        self.tag_looks[tag] = self.tag_looks.get(tag, 0.0) + reads

    def missed(self, zone: str, tag: str, run: int) -> None:
        """A tag that lies in ``zone`` was silent for ``run`` reads and answered again."""
        self.miss.setdefault(zone, Rate(MISS_PRIOR)).hits += run
        self.miss_run.hits += run - 1
        self.miss_run.tries += run
        self.tag_misses[tag] = self.tag_misses.get(tag, 0.0) + run

    def ghosted(self, home: str, zone: str, tag: str, run: int) -> None:
        """A tag that lies in ``home`` answered ``run`` reads in ``zone`` and then no more."""
        self.ghosts[home, zone] = self.ghosts.get((home, zone), 0.0) + run
        self.ghost_run.hits += run - 1
        self.ghost_run.tries += run
        self.tag_ghosts[tag, zone] = self.tag_ghosts.get((tag, zone), 0.0) + run

    def weights(self, tag: str, home: str, home_tags: int, zone: str, reads: int, seen_for: float) -> Weights:
        """The weights of ``tag`` in ``zone`` while it is believed to lie in ``home`` among ``home_tags``.

        ``reads`` of the zone so far; ``seen_for`` reads of the tag where it lies."""
        seen_for += self.tag_looks.get(tag, 0.0)
        rate = self.miss.get(zone)
        miss = rate.value if rate else MISS_PRIOR[0]
        miss = (self.tag_misses.get(tag, 0.0) + miss * TAG_PRIOR_READS) / (seen_for + TAG_PRIOR_READS)
        miss = min(max(miss, MISS_FLOOR), 0.9)
        run = max(self.miss_run.value, miss, RUN_FLOOR)
        prior, weight = GHOSTS_NEAR_PRIOR if near(home, zone) else GHOSTS_FAR_PRIOR
        ghost = (self.ghosts.get((home, zone), 0.0) + prior * weight) / (reads + weight) / max(home_tags, 6)
        ghost = (self.tag_ghosts.get((tag, zone), 0.0) + ghost * TAG_PRIOR_READS) / (seen_for + TAG_PRIOR_READS)
        ghost = min(max(ghost, GHOST_FLOOR), 0.5)
        ghost_run = max(self.ghost_run.value, ghost, RUN_FLOOR)
        return Weights(
            hit=log(1 - miss),
            miss=log(miss),
            miss_run=log(min(run, 0.95)),
            ghost=log(ghost),
            ghost_run=log(min(ghost_run, 0.95)),
            instead=log(max(INSTEAD, miss)),
            miss_long=_SILENCE,
        )

    @staticmethod
    def damaged(weights: Weights) -> Weights:
        """The weights of a tag that may be damaged: where it is silent does not matter any more."""
        return weights._replace(miss=_SILENCE, miss_run=_SILENCE, instead=_SILENCE)
