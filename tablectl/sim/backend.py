"""The simulated table: every device behind its port, and the people who play at it."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from tablectl.base.bus import Bus
from tablectl.base.clock import Clock
from tablectl.base.faults import Fault, FaultLatch
from tablectl.game.record import records
from tablectl.refusals import Refusal
from tablectl.rules.api import RuleSet
from tablectl.sim.antennas import SimReader
from tablectl.sim.devices import BACKEND, SimDice, SimInput, SimKeys, SimReferee
from tablectl.sim.display import MemoryDisplay, MemorySound
from tablectl.sim.machinery import Machinery
from tablectl.sim.noise import PROFILES
from tablectl.sim.person import Habits, Person
from tablectl.sim.players import Players
from tablectl.sim.scene import Scene
from tablectl.sim.slips import KeySlips, LaneErrors
from tablectl.sim.strategy import Mind
from tablectl.sim.wear import Wear
from tablectl.sim.world import SEATS, WALL_ZONES, ZONES, World, make_sets
from tablectl.tiles.tile import Tile

#: what cuts the supply of the motors
EMERGENCY: Final = "emergency stop"
#: seconds a lift key is held
PRESS_S: Final = 0.15


@dataclass(frozen=True, slots=True)
class SimSettings:
    """What of the simulated table can be chosen. ``noise``: a profile of `noise.PROFILES`; ``hands``: hands to play
    (None: for ever); ``auto_referee``: a simulated referee confirms declared wins; ``walls``: antennas below the walls
    too; ``displays``: name to size in pixels and mode of the picture; ``wear``: how worn the mechanics are."""

    period_s: float = 0.25
    noise: str = "clean"
    walls: bool = False
    first_left: bool = True
    lower_first: bool = True
    auto_referee: bool = True
    hands: int | None = None
    habits: Habits = field(default_factory=Habits)
    names: tuple[str, str, str, str] = ("Lin", "Chen", "Wang", "Zhao")
    displays: Mapping[str, tuple[tuple[int, int], str]] = field(default_factory=dict)
    wear: Wear = field(default_factory=Wear)


def _after(seconds: float, action: Callable[[], None]) -> None:
    asyncio.get_running_loop().call_later(seconds, action)


class Cable(Protocol):
    """The plug of a reader."""

    def unplug(self) -> object: ...

    def plug(self) -> object: ...


class SimTable:
    """A whole table without hardware: give its ports to the program, `start` it, and four people play.

    The same ``seed`` gives the same table, as long as the program outside answers alike.
    """

    name = BACKEND
    #: a simulated world lives as long as the program
    resumes = False

    def __init__(self, settings: SimSettings, rules: RuleSet, seed: int, clock: Clock) -> None:
        self.settings = settings
        self.rules = rules
        self.seed = seed
        tiles = rules.tile_set.tiles()
        sets = make_sets(("A", "B"), tiles)
        self.world = World(clock, sets)
        #: the tile sets as enrolled, and every tag of both with its tile
        self.sets: Mapping[str, Mapping[str, Tile]] = sets
        self.tags: dict[str, Tile] = dict(self.world.kinds)
        self._trays_up: set[int] = set()
        machinery = self.machinery = Machinery(
            self.world,
            rules.stacks,
            self._rng("mechanics"),
            clock,
            wear=settings.wear,
            bounce_rng=self._rng("bounce"),
            first_left=settings.first_left,
            lower_first=settings.lower_first,
            dome_moved=self._dome_moved,
            tray_up=self._tray_up,
        )
        self.outputs, self.inputs, self.lanes = machinery.outputs, machinery.inputs, machinery.lanes
        self.dome, self.drum, self.heads, self.trays = machinery.dome, machinery.drum, machinery.heads, machinery.trays
        self.outputs["ready_lamp"].connect(self._lamp)
        # One set was pushed in before the table was switched on, the other lies on it.
        for tag, name in self.world.set_of.items():
            if name == "A":
                self.world.load(tag)
        self.keys = SimKeys(clock)
        self.referee = SimReferee(clock)
        self.dice = SimDice(self._rng("dice"), clock)
        self.sound = MemorySound()
        self.displays = {name: MemoryDisplay(name, size, mode) for name, (size, mode) in settings.displays.items()}
        zones = (*ZONES, *WALL_ZONES) if settings.walls else ZONES
        noise = PROFILES[settings.noise]
        self.readers = [
            SimReader("zones", self.world, clock, self._rng("antennas"), zones, settings.period_s, noise.antennas)
        ]
        for lane in self.lanes:
            lane.errors = LaneErrors(noise.lanes, self._rng(f"lane {lane.side}")).passes
        # where no referee confirms, a hand does not end without the call
        needed = frozenset() if rules.play.referee_confirms else frozenset({"win"})
        self.keys.slips = KeySlips(noise.keys, self._rng("keys"), _after, needed).press
        #: what can be unplugged, by name of the reader or lane
        self.cables: dict[str, Cable] = {device.name: device for device in (*self.readers, *self.lanes)}
        #: the second contact of the emergency stop: on while it is pressed
        self.emergency = SimInput("emergency_stop", clock)
        self.players = self._seat_people(clock)
        self._clock = clock
        self._faults: FaultLatch | None = None
        #: chance of the fault commands
        self.chance = self._rng("faults")
        self._keys_rng = self._rng("lift keys")
        #: the people have played what they wanted to play
        self.finished = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def _rng(self, part: str) -> random.Random:
        """A stream of chance of its own for each part, so that more of one does not change another."""
        return random.Random(f"{self.seed}/{part}")

    def _seat_people(self, clock: Clock) -> Players:
        people = []
        sets = self.rules.play.hand_tiles // 3
        for seat in SEATS:
            rng = self._rng(f"person {seat}")
            people.append(
                Person(seat, self.world, self.keys, clock, rng, Mind(self.rules.id, sets, rng), self.settings.habits)
            )
        referee = self.referee if self.settings.auto_referee else None
        scene = Scene(
            self.world,
            self.rules,
            people,
            self.dice,
            referee,
            clock,
            self._rng("table"),
            self.settings.names,
        )
        return Players(scene, self.press_lift)

    # --- life

    def watch(self, bus: Bus, faults: FaultLatch) -> None:
        """The emergency stop is told here; everything else that goes wrong shows in the ports alone."""
        self._faults = faults
        faults.add_obstacle(self._obstacle)

    def _obstacle(self, fault: Fault) -> Refusal | None:
        pressed = fault.code == "E01" and EMERGENCY in self.machinery.supply.cuts
        return Refusal("emergency_pressed") if pressed else None

    def press_emergency_stop(self) -> None:
        """It cuts the motors by itself, and its second contact tells the program."""
        self.machinery.supply.cut(EMERGENCY)
        self.emergency.drive(True)
        if self._faults is not None:
            self._faults.raise_fault("emergency_stop", "table", "the emergency stop is pressed")

    def release_emergency_stop(self) -> None:
        self.machinery.supply.restore(EMERGENCY)
        self.emergency.drive(False)

    async def open(self) -> None:
        """A simulated table is always there."""

    async def close(self) -> None:
        """Nothing to let go."""

    def pausing(self) -> contextlib.AbstractContextManager[None]:
        """No line has to bear that a disk is waited for."""
        return contextlib.nullcontext()

    async def start(self) -> None:
        """The people begin to play."""
        self._task = asyncio.create_task(self.run(), name="simulated players")

    async def run(self) -> None:
        """Play until the hands or the match are over."""
        try:
            await self.players.run(self.settings.hands)
        finally:
            self.finished.set()

    async def stop(self) -> None:
        """The people stand up."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    @property
    def truth(self) -> list[list[dict[str, Any]]]:
        """What really happened so far, as hand records, one a hand."""
        return records(self.players.truth.events)

    # --- what people press and see

    async def press_lift(self, *, both: bool = False) -> None:
        """Somebody presses a lift key, or both of them."""
        keys = ("lift_key.0", "lift_key.1") if both else (self._keys_rng.choice(("lift_key.0", "lift_key.1")),)
        for key in keys:
            self.inputs[key].drive(True)
        await self._clock.sleep(PRESS_S)
        for key in keys:
            self.inputs[key].drive(False)

    def _lamp(self, on: bool) -> None:
        (self.players.lamp_lit.set if on else self.players.lamp_lit.clear)()

    def _dome_moved(self, up: bool) -> None:
        (self.players.opening_free.set if up else self.players.opening_free.clear)()

    def _tray_up(self, side: int) -> None:
        self._trays_up.add(side)
        if len(self._trays_up) == len(self.trays):
            self._trays_up.clear()
            self.players.walls_up.set()
