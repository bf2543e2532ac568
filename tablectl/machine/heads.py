"""The four stacking heads: what was counted at each side, and when a side is full.

Tiles are counted three times over: by the eye (S1), by the cam (a pair pushed), and by the lane's tag reader where its
passages are told; a fourth eye sees that the row fills its slot. A side is full when cam and row say so. Where they
disagree its head stands still for a moment and the other counts decide; what differed is told, never hidden.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from tablectl.machine.description import SIDES, Shuffle, Stacks
from tablectl.machine.sensors import Sensors
from tablectl.machine.trust import Trust

#: seconds after its second tile in which a pair must have been pushed, where no cam tells it
PUSH_SECONDS: Final = 2.0
#: seconds in which cam and row must come to the same end: eyes of slots are polled and debounced
SETTLE_SECONDS: Final = 0.4


@dataclass(slots=True)
class Side:
    """One side while its wall is built. ``target`` is in pairs (stacks)."""

    number: int
    target: int
    pairs: int = 0
    eye: int = 0
    passages: int = 0
    #: tiles that eye and reader saw since the last pair, pairs since the eye saw a tile
    since_pair: int = 0
    unseen: int = 0
    #: edges of the belt's eye, and whether a belt that is said to be full is believed
    belt_edges: int = 0
    belt_believed: bool = True
    #: when something last moved here
    moved_at: float = 0.0
    #: cam or row came to the end: when; the head stands still until it is settled
    ending_at: float | None = None
    full: bool = False
    #: counted by the eye alone: when the last pair must have been pushed
    pushed_at: float | None = None
    #: how many pairs stand in the slot is not known: only its row tells the end
    by_row: bool = False
    #: pairs that the cam told too often, or did not tell
    cam_doubled: int = 0
    cam_missed: int = 0

    @property
    def running(self) -> bool:
        return not self.full and self.ending_at is None

    @property
    def moved(self) -> bool:
        return bool(self.pairs or self.eye or self.passages)

    def corroborated(self, eye_believed: bool) -> int:
        """Pairs that the other counts speak for."""
        return max(self.eye if eye_believed else 0, self.passages) // 2

    def begin(self, target: int) -> None:
        """A new row."""
        fresh = Side(self.number, target)
        for name in Side.__slots__:
            setattr(self, name, getattr(fresh, name))


@dataclass
class Heads:
    """Counts what the heads do. ``changed`` is called at every pair."""

    sensors: Sensors
    limits: Shuffle
    trust: Trust
    stacks: Stacks
    changed: Callable[[], object]
    #: eyes of the slots that tell of all four at once: complete rows, loaded slots
    rows_joined: bool = False
    slots_joined: bool = False
    sides: tuple[Side, ...] = field(init=False)
    #: something happened that the shuffle has to look at: a row came to its end, all belts filled or one cleared
    attention: bool = False
    #: disc and ring rest: set by the shuffle
    resting: bool = False

    def __post_init__(self) -> None:
        self.sides = tuple(Side(n, self.stacks[n]) for n in SIDES)
        for n in SIDES:
            self.sensors.watch(f"head_eye.{n}", self._eye_edge)
            self.sensors.watch(f"head_cam.{n}", self._cam_edge)
            self.sensors.watch(f"belt_full.{n}", self._belt_edge)
            self.sensors.watch(f"slot_full.{n}", self._row_edge)

    def begin(self, t: float) -> None:
        """A new set is stacked from ``t`` on, in empty slots."""
        for side in self.sides:
            side.begin(self.stacks[side.number])
            row = f"slot_full.{side.number}"
            if self.sensors[row]:
                self.trust.ignore(row, f"{row} says that the row is complete while the slot is empty")
        self.go_on(t)

    def begin_unknown(self, t: float) -> None:
        """A shuffle that was cut is taken up: rows stand in the slots, how long they are is not known."""
        for side in self.sides:
            side.begin(self.stacks[side.number])
            side.by_row = True
            side.full = self.sensors[f"slot_full.{side.number}"]
            side.pairs = side.target if side.full else 0
        self.go_on(t)

    def adopt(self, stacked: Sequence[int]) -> None:
        """Tiles stacked at each side before the program ended: a shuffle that was cut is taken up from there."""
        for side in self.sides:
            side.begin(self.stacks[side.number])
            side.pairs = stacked[side.number] // 2
            side.eye = side.passages = 2 * side.pairs
            side.full = side.pairs >= side.target

    def go_on(self, t: float) -> None:
        """The motors start (again) at ``t``: silence counts from here."""
        for side in self.sides:
            side.moved_at = t
        self.attention = False
        self.resting = False

    def contradicted(self) -> bool:
        """The eyes of the slots say otherwise: somebody took stacks out, or they were never lifted."""
        known = not any(side.by_row for side in self.sides)
        return known and not self.fits([side.pairs for side in self.sides])

    def fits(self, stacked: Sequence[int]) -> bool:
        """Whether the eyes of the slots do not contradict that so much stands in each."""
        loaded = [any(stacked)] * len(SIDES) if self.slots_joined else [bool(count) for count in stacked]
        eyes = [f"slot_loaded.{n}" for n in SIDES]
        return all(loaded[n] is self.sensors[eye] for n, eye in enumerate(eyes) if eye in self.trust)

    def passed(self, lane: int, t: float) -> None:
        """The tag reader of a lane reported a tile."""
        side = self.sides[lane]
        side.passages += 1
        side.moved_at = t

    @property
    def full(self) -> bool:
        return all(side.full for side in self.sides)

    @property
    def waiting(self) -> Sequence[Side]:
        return [side for side in self.sides if not side.full]

    @property
    def throttled(self) -> bool:
        """Every belt that still has to deliver is full: disc and ring may rest."""
        return all(side.full or self.belt_full(side) for side in self.sides)

    def belt_full(self, side: Side) -> bool:
        name = f"belt_full.{side.number}"
        return side.belt_believed and name in self.trust and self.sensors[name]

    # --- edges

    def _side(self, name: str) -> Side:
        return self.sides[int(name[-1])]

    def _eye_edge(self, name: str, t: float, level: bool) -> None:
        side = self._side(name)
        side.moved_at = t
        if level:
            side.eye += 1
            side.since_pair += 1
            side.unseen = 0
            if f"head_cam.{side.number}" not in self.trust:
                self._counted_by_eye(side)
            if {f"head_cam.{side.number}", f"slot_full.{side.number}"} & set(self.trust.ignored):
                self._last_tile(side, t)

    def _cam_edge(self, name: str, t: float, level: bool) -> None:
        side = self._side(name)
        side.moved_at = t
        if level and name in self.trust:
            side.since_pair = 0
            side.unseen += 1
            self._counted(side, side.pairs + 1, t)

    def _counted_by_eye(self, side: Side) -> None:
        """A tile below the eye: the pairs before it have been pushed."""
        side.pairs = max(side.pairs, (side.eye - 1) // 2)
        self.changed()

    def _last_tile(self, side: Side, t: float) -> None:
        """Cam or row cannot tell the end: it is when the last tile that eye and reader count must have been pushed."""
        read = not side.passages or side.passages >= 2 * side.target - 1
        if side.eye >= 2 * side.target and read and not side.by_row and side.pushed_at is None:
            side.pushed_at = t + PUSH_SECONDS
            self.attention = True

    def _counted(self, side: Side, pairs: int, t: float) -> None:
        if pairs == side.pairs:
            return
        side.pairs = pairs
        if pairs >= side.target:
            self._ends(side, t)
        self.changed()

    def _row_edge(self, name: str, t: float, level: bool) -> None:
        if level and name in self.trust:
            self._ends(self._side(name), t)

    def _ends(self, side: Side, t: float) -> None:
        if not side.full and side.ending_at is None:
            side.ending_at = t
        self.attention = True

    def _belt_edge(self, name: str, t: float, level: bool) -> None:
        self._side(name).belt_edges += 1
        if self.throttled is not self.resting:
            self.attention = True

    # --- is it full

    def settle_at(self) -> float:
        """When the first side that seems to have come to its end is to be settled."""
        ending = [s.ending_at + SETTLE_SECONDS for s in self.sides if s.ending_at is not None and not s.full]
        pushed = [s.pushed_at for s in self.sides if s.pushed_at is not None and s.running]
        return min((*ending, *pushed), default=float("inf"))

    def settle(self, t: float) -> None:
        """Decide about the sides that seem to have come to their end."""
        for side in self.sides:
            if side.pushed_at is not None and side.running and t >= side.pushed_at - 1e-6:
                side.pairs = max(side.pairs, side.eye // 2)
                side.ending_at, side.pushed_at = t, None
            if side.ending_at is not None and not side.full and t - side.ending_at >= SETTLE_SECONDS - 1e-6:
                side.full = self._is_full(side)
                side.ending_at = None
                side.moved_at = t
                self.changed()

    def _is_full(self, side: Side) -> bool:
        row = f"slot_full.{side.number}"
        complete = self.sensors[row]
        if row not in self.trust:
            return side.pairs >= side.target
        if side.by_row and complete:
            side.pairs = side.target
            return True
        enough = side.pairs >= side.target
        if enough is complete:
            return complete
        others = side.corroborated(f"head_eye.{side.number}" in self.trust)
        if enough and others < side.target:  # the row is short: the cam told a pair twice
            side.cam_doubled += side.pairs - others
            side.pairs = others
            return False
        if self.rows_joined and any(other.pairs < other.target for other in self.sides):
            return enough  # its eye waits for the other rows too
        if complete and others >= side.target:  # the row is complete: the cam missed a pair
            if f"head_cam.{side.number}" in self.trust:
                side.cam_missed += side.target - side.pairs
            side.pairs = side.target
            return True
        self.trust.ignore(row, f"it says {'complete' if complete else 'not complete'} at {side.pairs} of {side.target}")
        return enough

    # --- counts that differ

    def disagreements(self) -> list[tuple[str, str, str]]:
        """Of a full set: (cause, where, detail) of every side whose counts differ. A lane that told nothing is left
        out, and sensors that are not believed."""
        found = []
        for side in self.sides:
            if side.by_row:
                continue
            where, tiles = f"head.{side.number}", 2 * side.pairs
            if side.cam_doubled:
                found.append(("double_count", where, f"the cam told {side.cam_doubled} pairs twice"))
            if side.cam_missed:
                found.append(("missed_count", where, f"the cam did not tell {side.cam_missed} pairs"))
            lane = f", lane {side.passages}" if side.passages else ""
            detail = f"tiles counted: cam {tiles}, eye {side.eye}{lane}"
            if f"head_eye.{side.number}" in self.trust and side.eye != tiles:
                found.append(("double_count" if side.eye > tiles else "missed_count", where, detail))
            if 0 < side.passages < tiles:
                found.append(("lane_missed", f"lane.{side.number}", detail))
            elif side.passages > tiles:
                found.append(("count_mismatch", where, detail))
        return found


#: what `Heads.disagreements` may find: each ends by itself when the next shuffle counts right
COUNT_CAUSES: Final = (
    *((cause, "head") for cause in ("double_count", "missed_count", "count_mismatch")),
    ("lane_missed", "lane"),
)
