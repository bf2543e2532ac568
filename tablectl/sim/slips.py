"""Errors of lane readers and slips of people with keys, between what happens and what is reported."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final

from tablectl.sim.noise import Keys, Lanes

#: calls that a person may forget, call too late, twice, or with the neighbour's key; nothing else waits for them
CALLS: Final = frozenset({"chow", "pung", "kong", "flower", "win"})
#: seconds between the two presses of somebody who presses twice
TWICE_S: Final = (0.25, 0.9)


class LaneErrors:
    """What one lane reader makes of the tiles that pass it."""

    def __init__(self, noise: Lanes, rng: random.Random) -> None:
        self._noise = noise
        self._rng = rng
        #: read after the next tile
        self._behind: list[str] = []

    def ends(self) -> list[str]:
        """The tags that are read when the last tile has passed."""
        behind, self._behind = self._behind, []
        return behind

    def passes(self, tag: str) -> list[str]:
        """The tags that are read when a tile passes, in order."""
        noise, rng = self._noise, self._rng
        behind, self._behind = self._behind, []
        chance = rng.random()
        if chance < noise.missed:
            return behind
        chance -= noise.missed
        if chance < noise.doubled:
            if rng.random() < noise.later:
                self._behind = [tag]
                return [tag, *behind]
            return [tag, tag, *behind]
        chance -= noise.doubled
        if chance < noise.swapped and not behind:
            self._behind = [tag]
            return []
        return [tag, *behind]


class KeySlips:
    """What becomes of a call. ``needed``: calls for whose answer on the display people wait, so that none is forgotten.

    ``later(seconds, action)`` does something after so many seconds.
    """

    def __init__(
        self,
        noise: Keys,
        rng: random.Random,
        later: Callable[[float, Callable[[], None]], object],
        needed: frozenset[str] = frozenset(),
    ) -> None:
        self._noise = noise
        self._rng = rng
        self._later = later
        self._needed = needed

    def press(self, seat: int, key: str, put: Callable[[int], None]) -> None:
        """A person at ``seat`` means to press ``key``; ``put(seat)`` reports a press."""
        noise, rng = self._noise, self._rng
        if key not in CALLS or key in self._needed:
            put(seat)
            return
        if rng.random() < noise.missing:
            return
        pad = (seat + rng.choice((1, 3))) % 4 if rng.random() < noise.wrong_seat else seat
        if rng.random() < noise.late:
            self._later(rng.uniform(0.3, noise.late_s), lambda: put(pad))
        else:
            put(pad)
        if rng.random() < noise.doubled:
            self._later(rng.uniform(*TWICE_S), lambda: put(pad))
