"""What it means when a side is silent, or goes on in a way that cannot be.

Jam, empty, blind sensor, dead motor, missing tile and a tile fallen into the machine are told apart by what moved and
what did not.
"""

from __future__ import annotations

from typing import Final

from tablectl.machine.census import Census
from tablectl.machine.heads import Heads, Side
from tablectl.machine.mechanism import MechanismFault
from tablectl.machine.sensors import Sensors
from tablectl.machine.trust import Trust

#: so many tiles may be the last ones that do not come up; where more stay away the drum itself does nothing
LAST_TILES: Final = 12


class Diagnosis:
    """Looks at the heads while a set is stacked."""

    def __init__(self, heads: Heads, sensors: Sensors, trust: Trust, census: Census) -> None:
        self._heads = heads
        self._sensors = sensors
        self._trust = trust
        self._census = census

    def quiet_at(self, t: float, silent_seconds: float) -> float:
        """When the next side that runs will have been silent for too long, seen from ``t``."""
        times = [side.moved_at + silent_seconds for side in self._heads.sides if side.running]
        return min((time for time in times if time > t + 1e-6), default=float("inf"))

    def check_sensors(self) -> None:
        """Sensors that contradict what the others say are done without. Raises MechanismFault where that is not
        allowed."""
        limit = self._heads.limits.blind_pairs
        for side in self._heads.waiting:
            n = side.number
            eye, cam, slot = f"head_eye.{n}", f"head_cam.{n}", f"slot_loaded.{n}"
            if eye in self._trust and side.unseen >= limit:
                why = f"{side.unseen} pairs were pushed but the eye saw no tile"
                self._without(eye, side, "head", why)
            elif cam in self._trust and side.since_pair > 2 * limit and eye in self._trust:
                why = f"{side.since_pair} tiles went by, but no pair was told"
                self._without(cam, side, "cam", why)
                side.pairs = side.eye // 2
            if slot in self._trust and side.pairs >= limit and not self._sensors[slot]:
                self._without(slot, side, "slot", f"{side.pairs} pairs were pushed, but the slot seems empty")

    def _without(self, sensor: str, side: Side, part: str, why: str) -> None:
        if not self._trust.may_ignore(sensor):
            raise self._fault(side, "sensor_blind", why, part)
        self._trust.ignore(sensor, f"{why}; counted by the others")

    def silence(self, t: float, silent_seconds: float) -> MechanismFault | None:
        """The fault of the sides that are silent at ``t``; None while all move."""
        waiting = self._heads.waiting
        quiet = [s for s in waiting if s.running and t - s.moved_at >= silent_seconds - 1e-6]
        away = [
            s for s in waiting if not self._sensors[f"head_cam.{s.number}"] and f"head_cam.{s.number}" in self._trust
        ]
        others = max((side.moved_at for side in waiting if side not in quiet), default=t)
        if not quiet or t - others > silent_seconds / 2:
            return None  # where the others fall silent too, it is nothing of one side alone: wait for them
        if away and len(quiet) == len(waiting) > 1:
            return MechanismFault("no_current", "power", "everything stopped in the middle of its motion")
        for side in quiet:
            cam = f"head_cam.{side.number}"
            if cam in self._trust and not self._sensors[cam]:
                return self._fault(side, "jam", "the cam left its place and did not come back: a pair is stuck")
            if self._sensors[f"belt_full.{side.number}"] and (side.belt_believed or side.belt_edges):
                return self._fault(side, "no_motion", "the belt is full but the head takes no tile: its motor is dead")
        if len(quiet) == len(waiting):
            return self._nothing_comes()
        return self._starved(quiet[0])

    def _nothing_comes(self) -> MechanismFault:
        sides = self._heads.sides
        counts = ", ".join(f"side {s.number}: {2 * s.pairs} of {2 * s.target}" for s in sides)
        if not any(side.moved for side in sides):
            return MechanismFault("no_tiles", "drum", "no tile came to any side: drum empty, or disc or ring stands")
        last = self._heads.waiting[-1]
        if len(self._heads.waiting) == 1 and not last.by_row and 2 * (last.target - last.pairs) > LAST_TILES:
            return self._starved(last)
        lacking = sum(2 * (side.target - side.pairs) for side in sides if not side.by_row)
        if lacking > LAST_TILES:
            return MechanismFault(
                "no_tiles", "drum", f"no more tiles come: disc or ring stands, or not all in ({counts})"
            )
        census = self._census
        if not census.whole or not census.set_name or any(side.eye and not side.passages for side in sides):
            return MechanismFault("tiles_missing", "drum", f"no more tiles come ({counts})")
        if unread := census.unread():
            return MechanismFault("tiles_missing", "drum", f"missing: {census.named(unread)} ({counts})")
        fallen = [side for side in sides if side.passages - 2 * side.pairs > (0 if side.full else 1)]
        where = fallen[0].number if fallen else self._heads.waiting[0].number
        return MechanismFault(
            "tile_inside", f"head.{where}", f"every tile passed a lane, but not all are in a stack ({counts})"
        )

    def _starved(self, side: Side) -> MechanismFault:
        return self._fault(side, "starved", "no tile reaches this head while the others get theirs")

    def _fault(self, side: Side, code: str, detail: str, part: str = "head") -> MechanismFault:
        return MechanismFault(
            code, f"{part}.{side.number}", f"{detail} ({2 * side.pairs} of {2 * side.target} tiles stacked)"
        )
