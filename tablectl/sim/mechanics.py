"""The lifts of the simulated table: the cams of dome and trays. Drum, belts and heads are in `sim.stacking`.

An output command schedules sensor changes; the program outside learns what happened from the sensors alone. Where no
measurement is published, times are assumptions.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from tablectl.sim.devices import SimInput, SimOutput
from tablectl.sim.stacking import Head
from tablectl.sim.world import World
from tablectl.tiles.wall import lane_places

#: seconds of a turn: half of it lifts the dome, the other half lowers it
DOME_TURN_S: Final = 3.0
TRAY_TURN_S: Final = 3.0


@dataclass(frozen=True, slots=True)
class Stop:
    """A part of a cam's turn around ``phase`` (0–1): ``over(True)`` where it begins, ``over(False)`` where it ends."""

    phase: float
    over: Callable[[bool], None]
    width: float = 0.06


class Cam:
    """A motor that turns a cam in one direction, a turn in about ``turn_s`` seconds, past its stops.

    ``block``: something holds it. ``kill``: the motor does not turn. The output looks the same in both cases.
    ``friction``: every run makes it slower by this part. ``geared_to``: one on the same shaft, whose pace it has.
    """

    def __init__(
        self, motor: SimOutput, turn_s: float, rng: random.Random, stops: Sequence[Stop], friction: float = 0.0
    ) -> None:
        self.turn_s = turn_s
        self._friction = friction
        self.blocked = False
        self.dead = False
        self.geared_to: Cam | None = None
        self._motor = motor
        self._rng = rng
        self._phase = 0.0
        self._speed = 1 / turn_s
        self._since: float | None = None
        self._armed: tuple[asyncio.TimerHandle, float] | None = None
        self._marks: list[tuple[float, Callable[[bool], None], bool]] = []
        for stop in stops:
            self._marks.append(((stop.phase - stop.width / 2) % 1, stop.over, True))
            self._marks.append(((stop.phase + stop.width / 2) % 1, stop.over, False))
            stop.over(abs((self._phase - stop.phase + 0.5) % 1 - 0.5) < stop.width / 2)
        motor.connect(lambda on: self._update())

    def block(self, blocked: bool = True) -> None:
        self.blocked = blocked
        self._update()

    def kill(self, dead: bool = True) -> None:
        self.dead = dead
        self._update()

    def turn(self, part: float) -> None:
        """Somebody turns it by hand, forwards, by this part of a turn (less than one)."""
        self._halt()
        begin = self._phase
        ahead = sorted(
            (((phase - begin) % 1 or 1.0, over, begins) for phase, over, begins in self._marks),
            key=lambda mark: mark[0],
        )
        for distance, over, begins in ahead:
            if distance <= part:
                self._phase = (begin + distance) % 1
                over(begins)
        self._phase = (begin + part) % 1
        self._update()

    def _update(self) -> None:
        self._halt()
        if self._motor.runs and not self.blocked and not self.dead:
            self.turn_s *= 1 + self._friction
            own = 1 / (self.turn_s * self._rng.uniform(0.95, 1.05))
            self._speed = own if self.geared_to is None else self.geared_to._speed
            self._arm()

    def _halt(self) -> None:
        if self._armed is None or self._since is None:
            return
        timer, distance = self._armed
        timer.cancel()
        passed = (asyncio.get_running_loop().time() - self._since) * self._speed
        # Just short of the mark at most: it is still ahead as long as its timer has not fired.
        self._phase = (self._phase + min(passed, distance - 1e-9)) % 1
        self._armed = self._since = None

    def _arm(self) -> None:
        """Wait for the mark ahead."""
        loop = asyncio.get_running_loop()
        distance, phase, over, begins = min(
            (((phase - self._phase) % 1 or 1.0, phase, over, begins) for phase, over, begins in self._marks),
            key=lambda mark: mark[0],
        )
        timer = loop.call_later(distance / self._speed, self._pass, phase, over, begins)
        self._armed, self._since = (timer, distance), loop.time()

    def _pass(self, phase: float, over: Callable[[bool], None], begins: bool) -> None:
        self._phase = phase
        self._arm()
        over(begins)


class Tray:
    """One side's lid and tray: in one turn the lid drops, the tray takes the stacks from the slot and lifts the wall.
    Below a wall that still stands it is stuck.

    ``up(side)`` is called when the wall stands and the tray is home: people see it."""

    def __init__(
        self,
        side: int,
        world: World,
        rng: random.Random,
        head: Head,
        motor: SimOutput,
        home: SimInput,
        stacks: Sequence[int],
        first_left: bool,
        lower_first: bool,
        up: Callable[[int], None],
        friction: float = 0.0,
    ) -> None:
        self.side = side
        self._world = world
        self._head = head
        self._home = home
        self._up = up
        self._lifted = False
        self._order = (first_left, lower_first)
        self.build(stacks)
        self.cam = Cam(motor, TRAY_TURN_S, rng, [Stop(0.0, self._closed), Stop(0.9, self._lift, 0.02)], friction)

    def build(self, stacks: Sequence[int]) -> None:
        """So many stacks stand at each side from now on."""
        first_left, lower_first = self._order
        self._places = lane_places(stacks, self.side, first_left=first_left, lower_first=lower_first)

    def _closed(self, reached: bool) -> None:
        self._home.drive(reached)
        if reached and self._lifted:
            self._lifted = False
            self._up(self.side)

    def _lift(self, reached: bool) -> None:
        if not reached:
            return
        stacks = list(zip(self._world.tags(f"slot.{self.side}"), self._places, strict=False))
        if any(place in self._world.walls for _, place in stacks):
            self.cam.block()  # it meets a wall that still stands on the table
            return
        self._lifted = True
        for tag, place in stacks:
            self._world.stand(tag, place)
        self._head.slot_changed()


class Dome:
    """The centre: half a turn of its cam up, half a turn down. Up, the opening is free (``moved(True)``)."""

    def __init__(
        self,
        world: World,
        rng: random.Random,
        motor: SimOutput,
        down: SimInput,
        up: SimInput,
        moved: Callable[[bool], None],
        friction: float = 0.0,
    ) -> None:
        self._world = world
        self._up = up
        self._moved = moved
        self.cam = Cam(motor, DOME_TURN_S, rng, [Stop(0.0, down.drive), Stop(0.5, self._top)], friction)

    def _top(self, reached: bool) -> None:
        if self._world.opening_free is not reached:
            self._world.opening_free = reached
            self._moved(reached)
        self._up.drive(reached)
