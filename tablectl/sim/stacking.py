"""The drum, the belts and the stacking heads of the simulated table.

Where no measurement is published, times and rates are assumptions: four heads that stack about two tiles a second each,
a drum whose last tiles come slowly.
"""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import Final

from tablectl.sim.devices import SimInput, SimLane, SimOutput
from tablectl.sim.wear import Wear
from tablectl.sim.world import World

#: tiles a second that the ring picks from a full drum; below ``SPARSE`` tiles it comes slower with every tile less
PICK_RATE: Final = 8.0
SPARSE: Final = 40
#: tiles that lie on a belt when its eye reports it full, and when it clears again
BELT_TILES: Final = 4
BELT_CLEAR: Final = 2
#: seconds of the steps of a head (see `Head`), each ± 15 %
HEAD_STEPS_S: Final = (0.15, 0.35, 0.15, 0.25, 0.1)
#: seconds between two flashes of an eye that sees one tile twice, or a cam that flickers
FLICKER_S: Final = 0.05


class Drum:
    """Disc and ring: while both run, tiles are picked at random and laid on the running belts that have room.

    ``dead``: they stand whatever their outputs say. ``clogged``: they turn, but tiles are wedged; turning the disc the
    other way frees them. ``weak``: tiles whose magnet is gone: the ring never picks them.
    """

    def __init__(
        self, world: World, rng: random.Random, disc: SimOutput, ring: SimOutput, reverse: SimOutput, wear: Wear
    ) -> None:
        self.dead = False
        self.clogged = False
        self.weak: set[str] = set()
        self._world = world
        self._rng = rng
        self._disc = disc
        self._ring = ring
        self._reverse = reverse
        self._wear = wear
        self._heads: Sequence[Head] = ()
        self._timer: asyncio.TimerHandle | None = None
        #: tiles that lie face up, those that were looked at, and when they were last turned
        self._face_up: set[str] = set()
        self._known: set[str] = set()
        self._turned_at = 0.0
        for output in (disc, ring):
            output.connect(lambda on: self.update())

    def feeds(self, heads: Sequence[Head]) -> None:
        self._heads = heads

    def update(self) -> None:
        if self._disc.runs and self._reverse.runs:
            self.clogged = False
        running = self._disc.runs and self._ring.runs and not self.dead
        if running and self._timer is None:
            self._turned_at = asyncio.get_running_loop().time()
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
        if not tags or not room or self.clogged or self._reverse.runs:
            return
        if self._wear.face_up:
            self._turn(tags)
        picked = next(islice(tags, self._rng.randrange(len(tags)), None))
        if picked not in self.weak and picked not in self._face_up:
            self._rng.choice(room).receive(picked)

    def _turn(self, tags: Mapping[str, None]) -> None:
        """Some of the tiles that lie face up are turned; of those that are new, some lie so."""
        now = asyncio.get_running_loop().time()
        stays = math.exp(-self._wear.turns_per_second * (now - self._turned_at))
        self._turned_at = now
        here = tags.keys()
        self._face_up = {tag for tag in sorted(self._face_up & here) if self._rng.random() < stays}
        for tag in sorted(here - self._known):
            if self._rng.random() < self._wear.face_up:
                self._face_up.add(tag)
        self._known = set(here)


class Head:
    """One side's belt and stacking head.

    Steps: a tile comes below the eye (1) and passes the lane reader (2); the second of a pair too (3), then the cam
    leaves its sensor (4), and comes back when the pair has been pushed into the slot (5).

    ``pawl``: one shaft turns all heads and belts, and a complete row lifts its own out. ``dead``: the motor does not
    turn. ``belt_dead``: the belt stands. ``flaws`` are done once each by the next tiles or
    pairs: the eye sees a tile ``double`` or ``missed``, a tile is ``dropped`` to the floor of the machine after the
    reader saw it, the cam's sensor ``flickers``, or misses a pair (``unseen``).
    """

    def __init__(
        self,
        side: int,
        world: World,
        rng: random.Random,
        lane: SimLane,
        outputs: Mapping[str, SimOutput],
        inputs: Mapping[str, SimInput],
        stacks: int,
        wear: Wear,
    ) -> None:
        self.side = side
        self.pawl = False
        self.dead = False
        self.belt_dead = False
        self.flaws: dict[str, int] = dict.fromkeys(("double", "missed", "dropped", "flickers", "unseen"), 0)
        #: new starts after which a stuck pair comes loose; None: nothing is stuck
        self._stuck: float | None = None
        self._world = world
        self._rng = rng
        self._lane = lane
        self._wear = wear
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
        self.build(stacks)
        self._cam.drive(True)
        self._belt.connect(self._belt_switched)
        self._motor.connect(self._motor_switched)

    def build(self, stacks: int) -> None:
        """The eye at the end of the slot stands where a row of so many stacks ends."""
        self._row = 2 * stacks

    # --- faults

    def jam(self, starts: float = math.inf) -> None:
        """The next pair sticks; it comes loose when the head is started for the ``starts``-th time after that."""
        self._stuck = starts

    def mend(self) -> None:
        """What sticks is taken out, motor and belt work again."""
        self._stuck = None
        self.dead = self.belt_dead = False
        self.update()

    def _flaw(self, name: str, rate: float = 0.0) -> bool:
        """Whether a flaw happens now: it is due, or by chance."""
        if self.flaws[name]:
            self.flaws[name] -= 1
            return True
        return rate > 0 and self._rng.random() < rate

    # --- what moves

    @property
    def has_room(self) -> bool:
        return (
            self._belt.runs
            and not (self.belt_dead or self.lifted_out)
            and len(self._world.spots[self._belt_spot].tags) < BELT_TILES
        )

    @property
    def lifted_out(self) -> bool:
        """The row is complete and has lifted the pawl: belt and head stand although the shaft turns."""
        return self.pawl and len(self._world.spots[self._slot_spot].tags) >= self._row

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

    def clear(self) -> list[str]:
        """Somebody takes everything out of belt, head and slot; the tags."""
        spots = (self._belt_spot, self._head_spot, self._slot_spot)
        tags = [tag for spot in spots for tag in self._world.tags(spot)]
        for tag in tags:
            self._world.move(tag, "felt")
        if self._timer is not None:  # what the head was about to do with them
            self._timer.cancel()
            self._timer = None
        self._step = self._take
        self._eye.drive(False)
        self._cam.drive(True)
        self._full.drive(False)
        self.slot_changed()
        self.update()
        return tags

    def _belt_switched(self, on: bool) -> None:
        if not on or self.lifted_out:  # a stopped belt is inclined: what lies on it slides back
            for tag in self._world.tags(self._belt_spot):
                self._world.move(tag, "drum")
            self._full.drive(False)

    def _motor_switched(self, on: bool) -> None:
        if on and self._stuck is not None and self._step == self._push:
            self._stuck -= 1
            if self._stuck <= 0:
                self._stuck = None
        self.update()

    def update(self) -> None:
        """Start or stop, as motor and faults have it."""
        running = self._motor.runs and not self.dead and not self.lifted_out
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
        if not tags:
            return
        self._world.move(tags[0], self._head_spot)
        if len(tags) <= BELT_CLEAR:
            self._full.drive(False)
        if self._flaw("missed", self._wear.missed_count):
            self._then(HEAD_STEPS_S[0], self._pass)
            return
        self._eye.drive(True)
        if self._flaw("double", self._wear.double_count):
            self._then(FLICKER_S, self._blink)
        else:
            self._then(HEAD_STEPS_S[0], self._pass)

    def _blink(self) -> None:
        """The eye loses the tile for a moment."""
        self._eye.drive(False)
        self._then(FLICKER_S, self._see_again)

    def _see_again(self) -> None:
        self._eye.drive(True)
        self._then(HEAD_STEPS_S[0], self._pass)

    def _pass(self) -> None:
        tags = self._world.tags(self._head_spot)
        self._lane.see(tags[-1])
        self._eye.drive(False)
        if self._flaw("dropped"):
            self._world.move(tags[-1], "inside")
            tags = tags[:-1]
        if len(tags) < 2:
            self._then(HEAD_STEPS_S[1], self._take)
        else:
            self._then(HEAD_STEPS_S[2], self._lift)

    def _lift(self) -> None:
        if not self._flaw("unseen"):
            self._cam.drive(False)
        if self._wear.jam and self._stuck is None and self._rng.random() < self._wear.jam:
            self.jam(1)
        self._then(HEAD_STEPS_S[3], self._push)

    def _push(self) -> None:
        if self._stuck is not None:
            self._timer = None
            return
        for tag in self._world.tags(self._head_spot):
            self._world.move(tag, self._slot_spot)
        self.slot_changed()
        self._cam.drive(True)
        if self.lifted_out:
            self._timer, self._step = None, self._take
            self._belt_switched(True)
        elif self._flaw("flickers"):
            self._then(FLICKER_S, self._flicker)
        else:
            self._then(HEAD_STEPS_S[4], self._take)

    def _flicker(self) -> None:
        """The cam's sensor loses it for a moment."""
        self._cam.drive(False)
        self._then(FLICKER_S, self._flickered)

    def _flickered(self) -> None:
        self._cam.drive(True)
        self._then(HEAD_STEPS_S[4], self._take)
