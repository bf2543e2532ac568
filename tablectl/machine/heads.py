"""The four stacking heads: pairs counted per side, and what a silent side means.

Tiles are counted three times over: by the eye (S1), by the cam (a pair pushed), and by the lane's tag reader where
its passages are told. The cam decides; a disagreement is reported, never hidden.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tablectl.machine.description import SIDES, Shuffle
from tablectl.machine.mechanism import MechanismFault
from tablectl.machine.sensors import Sensors


@dataclass(slots=True)
class Side:
    """One side while its wall is built. ``target`` is in pairs (stacks)."""

    number: int
    target: int
    pairs: int = 0
    eye: int = 0
    passages: int = 0
    #: when something last moved here
    moved_at: float = 0.0

    @property
    def full(self) -> bool:
        return self.pairs >= self.target

    @property
    def moved(self) -> bool:
        return bool(self.pairs or self.eye or self.passages)


class Heads:
    """Counts what the heads do. ``changed`` is called at every pair and whenever a belt fills or clears."""

    def __init__(self, sensors: Sensors, limits: Shuffle, stacks: Sequence[int], changed: Callable[[], object]) -> None:
        self.sides = tuple(Side(n, stacks[n]) for n in SIDES)
        self._sensors = sensors
        self._limits = limits
        self._changed = changed
        #: something happened that the cycle has to look at: a side got full, all belts filled or one cleared
        self.attention = False
        #: disc and ring rest: set by the cycle
        self.resting = False
        for side in self.sides:
            sensors.watch(f"head_eye.{side.number}", self._eye_edge)
            sensors.watch(f"head_cam.{side.number}", self._cam_edge)
            sensors.watch(f"belt_full.{side.number}", self._belt_edge)

    def begin(self, t: float) -> None:
        """A new set is stacked from ``t`` on."""
        for side in self.sides:
            side.pairs = side.eye = side.passages = 0
        self.go_on(t)

    def go_on(self, t: float) -> None:
        """The motors start (again) at ``t``: silence counts from here."""
        for side in self.sides:
            side.moved_at = t
        self.attention = False
        self.resting = False

    def passed(self, lane: int, t: float) -> None:
        """The tag reader of a lane reported a tile."""
        self.sides[lane].passages += 1
        self.sides[lane].moved_at = t

    @property
    def full(self) -> bool:
        return all(side.full for side in self.sides)

    @property
    def throttled(self) -> bool:
        """Every belt that still has to deliver is full: disc and ring may rest."""
        return all(side.full or self._sensors[f"belt_full.{side.number}"] for side in self.sides)

    def _eye_edge(self, name: str, t: float, level: bool) -> None:
        side = self._side(name)
        side.moved_at = t
        side.eye += level

    def _cam_edge(self, name: str, t: float, level: bool) -> None:
        side = self._side(name)
        side.moved_at = t
        if level:
            side.pairs += 1
            self.attention |= side.full
            self._changed()

    def _belt_edge(self, name: str, t: float, level: bool) -> None:
        if self.throttled is not self.resting:
            self.attention = True

    def _side(self, name: str) -> Side:
        return self.sides[int(name[-1])]

    # --- what silence means

    def quiet_at(self) -> float:
        """When the first side that is not full will have been silent for too long."""
        return min(side.moved_at for side in self.sides if not side.full) + self._limits.silent_seconds

    def diagnose(self, t: float) -> MechanismFault | None:
        """The fault of the sides that are silent at ``t``; None while all move.

        Jam, empty, blind sensor and dead motor are told apart by what moved and what did not.
        """
        waiting = [side for side in self.sides if not side.full]
        blind = [s for s in waiting if s.pairs >= self._limits.blind_pairs and not s.eye]
        if blind:
            return self._fault(blind[0], "sensor_blind", f"{blind[0].pairs} pairs were pushed but the eye saw no tile")
        quiet = [side for side in waiting if t - side.moved_at >= self._limits.silent_seconds]
        for side in quiet:
            if not self._sensors[f"head_cam.{side.number}"]:
                return self._fault(side, "jam", "the cam left its place and did not come back: a pair is stuck")
            if self._sensors[f"belt_full.{side.number}"]:
                return self._fault(side, "no_motion", "the belt is full but the head takes no tile: its motor is dead")
        if quiet and len(quiet) == len(waiting):
            return self._nothing_comes(waiting)
        for side in quiet:
            return self._fault(side, "starved", "no tile reaches this head while the others get theirs")
        return None

    def _nothing_comes(self, waiting: Sequence[Side]) -> MechanismFault:
        counts = ", ".join(f"side {s.number}: {2 * s.pairs} of {2 * s.target}" for s in self.sides)
        if not any(side.moved for side in self.sides):
            return MechanismFault("no_tiles", "drum", "no tile came to any side: drum empty, or disc or ring stands")
        return MechanismFault("tiles_missing", "drum", f"no more tiles come ({counts})")

    def _fault(self, side: Side, code: str, detail: str) -> MechanismFault:
        return MechanismFault(
            code, f"head.{side.number}", f"{detail} ({2 * side.pairs} of {2 * side.target} tiles stacked)"
        )

    def disagreements(self) -> list[tuple[str, str]]:
        """Of a full set: (where, detail) of every side whose counts differ. A lane that told nothing is left out."""
        found = []
        for side in self.sides:
            if not self._sensors[f"slot_full.{side.number}"]:
                found.append((f"head.{side.number}", f"{side.pairs} pairs counted, but the row does not fill the slot"))
                continue
            counts = {"cam": 2 * side.pairs, "eye": side.eye} | ({"lane": side.passages} if side.passages else {})
            if len(set(counts.values())) > 1:
                detail = ", ".join(f"{name} {count}" for name, count in counts.items())
                found.append((f"head.{side.number}", f"tiles counted: {detail}"))
        return found
