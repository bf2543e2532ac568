"""What hangs on the outputs and inputs: the cams of dome and trays, the drum, belts and stacking heads.

An output command schedules sensor changes; the program outside learns what happened from the sensors alone. Where no
measurement is published, times and rates are assumptions: dome 1.5 s, trays 3 s a turn, four heads that stack about
two tiles a second each, a drum whose last tiles come slowly.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from tablectl.sim.devices import SimInput, SimLane, SimOutput
from tablectl.sim.world import World
from tablectl.tiles.wall import lane_places


@dataclass(frozen=True, slots=True)
class Stop:
    """A part of a cam's turn around ``phase`` (0–1): ``over(True)`` where it begins, ``over(False)`` where it ends."""

    phase: float
    over: Callable[[bool], None]
    width: float = 0.06


class Cam:
    """A motor that turns a cam in one direction, a turn in about ``turn_s`` seconds, past its stops.

    ``block``: something holds it. ``kill``: the motor does not turn. The output looks the same in both cases.
    """

    def __init__(self, motor: SimOutput, turn_s: float, rng: random.Random, stops: Sequence[Stop]) -> None:
        self.turn_s = turn_s
        self.blocked = False
        self.dead = False
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

    def _update(self) -> None:
        self._halt()
        if self._motor.on and not self.blocked and not self.dead:
            self._speed = 1 / (self.turn_s * self._rng.uniform(0.95, 1.05))
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


#: tiles a second that the ring picks from a full drum; below ``SPARSE`` tiles it comes slower with every tile less
PICK_RATE: Final = 8.0
SPARSE: Final = 40
#: tiles that lie on a belt when its eye reports it full, and when it clears again
BELT_TILES: Final = 4
BELT_CLEAR: Final = 2
#: seconds of the steps of a head (see `Head`), each ± 15 %
HEAD_STEPS_S: Final = (0.15, 0.35, 0.15, 0.25, 0.1)


class Drum:
    """Disc and ring: while both run, tiles are picked at random and laid on the running belts that have room."""

    def __init__(self, world: World, rng: random.Random, disc: SimOutput, ring: SimOutput) -> None:
        self.dead = False
        self._world = world
        self._rng = rng
        self._disc = disc
        self._ring = ring
        self._heads: Sequence[Head] = ()
        self._timer: asyncio.TimerHandle | None = None
        disc.connect(lambda on: self.update())
        ring.connect(lambda on: self.update())

    def feeds(self, heads: Sequence[Head]) -> None:
        self._heads = heads

    def update(self) -> None:
        running = self._disc.on and self._ring.on and not self.dead
        if running and self._timer is None:
            self._arm()
        elif not running and self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _arm(self) -> None:
        left = len(self._world.spots["drum"].tags)
        rate = PICK_RATE * min(1.0, (left + 5) / SPARSE)
        self._timer = asyncio.get_running_loop().call_later(self._rng.expovariate(rate), self._pick)

    def _pick(self) -> None:
        self._arm()
        tags = self._world.spots["drum"].tags
        room = [head for head in self._heads if head.has_room]
        if tags and room:
            picked = self._rng.randrange(len(tags))
            self._rng.choice(room).receive(next(islice(tags, picked, None)))


class Head:
    """One side's belt and stacking head.

    Steps: a tile comes below the eye (1) and passes the lane reader (2); the second of a pair too (3), then the cam
    leaves its sensor (4), and comes back when the pair has been pushed into the slot (5).
    """

    def __init__(
        self,
        side: int,
        world: World,
        rng: random.Random,
        drum: Drum,
        lane: SimLane,
        outputs: Mapping[str, SimOutput],
        inputs: Mapping[str, SimInput],
        stacks: int,
    ) -> None:
        self.side = side
        self._row = 2 * stacks
        #: something is stuck: a pair is never pushed to the end
        self.jammed = False
        #: the motor does not turn
        self.dead = False
        self._world = world
        self._rng = rng
        self._drum = drum
        self._lane = lane
        self._belt = outputs[f"belt_motor.{side}"]
        self._motor = outputs[f"head_motor.{side}"]
        self._eye = inputs[f"head_eye.{side}"]
        self._cam = inputs[f"head_cam.{side}"]
        self._full = inputs[f"belt_full.{side}"]
        self._loaded = inputs[f"slot_loaded.{side}"]
        self._complete = inputs[f"slot_full.{side}"]
        self._belt_spot, self._head_spot, self._slot_spot = f"belt.{side}", f"head.{side}", f"slot.{side}"
        self._step: Callable[[], None] = self._take
        self._timer: asyncio.TimerHandle | None = None
        self._cam.drive(True)
        self._belt.connect(self._belt_switched)
        self._motor.connect(lambda on: self.update())

    @property
    def has_room(self) -> bool:
        return self._belt.on and len(self._world.spots[self._belt_spot].tags) < BELT_TILES

    def receive(self, tag: str) -> None:
        """The ring lays a tile on the belt."""
        self._world.move(tag, self._belt_spot)
        if not self.has_room:
            self._full.drive(True)
        self.update()

    def slot_changed(self) -> None:
        """The eyes at both ends of the slot see how long the row is."""
        row = len(self._world.spots[self._slot_spot].tags)
        self._loaded.drive(row > 0)
        self._complete.drive(row >= self._row)

    def _belt_switched(self, on: bool) -> None:
        if not on:  # a stopped belt is inclined: what lies on it slides back
            for tag in self._world.tags(self._belt_spot):
                self._world.move(tag, "drum")
            self._full.drive(False)

    def update(self) -> None:
        """Start or stop, as motor and faults have it."""
        running = self._motor.on and not self.dead
        if running and self._timer is None:
            self._then(0.02, self._step)
        elif not running and self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _then(self, seconds: float, step: Callable[[], None]) -> None:
        self._step = step
        seconds *= self._rng.uniform(0.85, 1.15)
        self._timer = asyncio.get_running_loop().call_later(seconds, step)

    def _take(self) -> None:
        self._timer = None
        tags = self._world.tags(self._belt_spot)
        if tags:
            self._world.move(tags[0], self._head_spot)
            if len(tags) <= BELT_CLEAR:
                self._full.drive(False)
            self._eye.drive(True)
            self._then(HEAD_STEPS_S[0], self._pass)

    def _pass(self) -> None:
        tags = self._world.tags(self._head_spot)
        self._lane.see(tags[-1])
        self._eye.drive(False)
        if len(tags) == 1:
            self._then(HEAD_STEPS_S[1], self._take)
        else:
            self._then(HEAD_STEPS_S[2], self._lift)

    def _lift(self) -> None:
        self._cam.drive(False)
        self._then(HEAD_STEPS_S[3], self._push)

    def _push(self) -> None:
        if self.jammed:
            self._timer = None
            return
        for tag in self._world.tags(self._head_spot):
            self._world.move(tag, self._slot_spot)
        self.slot_changed()
        self._cam.drive(True)
        self._then(HEAD_STEPS_S[4], self._take)


class Tray:
    """One side's lid and tray: in one turn the lid drops, the tray takes the stacks from the slot and lifts the wall.

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
        turn_s: float = 3.0,
    ) -> None:
        self.side = side
        self._world = world
        self._head = head
        self._home = home
        self._up = up
        self._lifted = False
        self._places = lane_places(stacks, side, first_left=first_left, lower_first=lower_first)
        self.cam = Cam(motor, turn_s, rng, [Stop(0.0, self._closed), Stop(0.9, self._lift, 0.02)])

    def _closed(self, reached: bool) -> None:
        self._home.drive(reached)
        if reached and self._lifted:
            self._lifted = False
            self._up(self.side)

    def _lift(self, reached: bool) -> None:
        if reached:
            self._lifted = True
            for tag, place in zip(self._world.tags(f"slot.{self.side}"), self._places, strict=False):
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
        travel_s: float = 1.5,
    ) -> None:
        self._world = world
        self._up = up
        self._moved = moved
        self.cam = Cam(motor, 2 * travel_s, rng, [Stop(0.0, down.drive), Stop(0.5, self._top)])

    def _top(self, reached: bool) -> None:
        if self._world.opening_free is not reached:
            self._world.opening_free = reached
            self._moved(reached)
        self._up.drive(reached)
