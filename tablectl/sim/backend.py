"""The simulated table: every device behind its port, and the people who play at it."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tablectl.base.bus import Bus
from tablectl.base.clock import Clock
from tablectl.base.faults import FaultLatch
from tablectl.game.record import records
from tablectl.rules.api import RuleSet
from tablectl.sim.antennas import NOISE, SimReader
from tablectl.sim.devices import (
    BACKEND,
    SimDice,
    SimInput,
    SimKeys,
    SimLane,
    SimOutput,
    SimReferee,
)
from tablectl.sim.display import MemoryDisplay, MemorySound
from tablectl.sim.mechanics import Dome, Drum, Head, Tray
from tablectl.sim.person import Habits, Person
from tablectl.sim.players import Players
from tablectl.sim.scene import Scene
from tablectl.sim.strategy import Mind
from tablectl.sim.world import SEATS, WALL_ZONES, ZONES, World, make_sets
from tablectl.tiles.tile import Tile

_SIDE_OUTPUTS: Final = ("tray_motor", "belt_motor", "head_motor")
_SIDE_INPUTS: Final = ("tray_home", "belt_full", "head_eye", "head_cam", "slot_loaded", "slot_full")
OUTPUTS: Final = (
    *("dome_motor", "disc_motor", "ring_motor", "ready_lamp"),
    *(f"{name}.{side}" for name in _SIDE_OUTPUTS for side in SEATS),
)
INPUTS: Final = (
    *("dome_down", "dome_up", "lift_key.0", "lift_key.1"),
    *(f"{name}.{side}" for name in _SIDE_INPUTS for side in SEATS),
)
#: seconds a lift key is held
PRESS_S: Final = 0.15


@dataclass(frozen=True, slots=True)
class SimSettings:
    """What of the simulated table can be chosen. ``noise``: a profile of `antennas.NOISE`; ``hands``: hands to play
    (None: for ever); ``auto_referee``: a simulated referee confirms declared wins; ``walls``: antennas below the walls
    too; ``displays``: name to size in pixels and mode of the picture."""

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


class SimTable:
    """A whole table without hardware: give its ports to the program, `start` it, and four people play.

    The same ``seed`` gives the same table, as long as the program outside answers alike.
    """

    name = BACKEND

    def __init__(self, settings: SimSettings, rules: RuleSet, seed: int, clock: Clock) -> None:
        self.settings = settings
        self.rules = rules
        self.seed = seed
        tiles = rules.tile_set.tiles()
        sets = make_sets(("A", "B"), tiles)
        self.world = World(clock, sets)
        #: every tag of both sets with its tile, as enrolled
        self.tags: dict[str, Tile] = dict(self.world.kinds)
        self.outputs: dict[str, SimOutput] = {name: SimOutput(name) for name in OUTPUTS}
        self.inputs: dict[str, SimInput] = {name: SimInput(name, clock) for name in INPUTS}
        self.lanes = [SimLane(side, clock) for side in SEATS]
        self.keys = SimKeys(clock)
        self.referee = SimReferee(clock)
        self.dice = SimDice(self._rng("dice"), clock)
        self.sound = MemorySound()
        self.displays = {name: MemoryDisplay(name, size, mode) for name, (size, mode) in settings.displays.items()}
        zones = (*ZONES, *WALL_ZONES) if settings.walls else ZONES
        self.readers = [
            SimReader(
                "zones", self.world, clock, self._rng("antennas"), zones, settings.period_s, NOISE[settings.noise]
            )
        ]
        self._build_mechanics()
        self.players = self._seat_people(clock)
        self._clock = clock
        self._keys_rng = self._rng("lift keys")
        #: the people have played what they wanted to play
        self.finished = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def _rng(self, part: str) -> random.Random:
        """A stream of chance of its own for each part, so that more of one does not change another."""
        return random.Random(f"{self.seed}/{part}")

    def _build_mechanics(self) -> None:
        world, outputs, inputs, rng = self.world, self.outputs, self.inputs, self._rng("mechanics")
        s = self.settings
        self.dome = Dome(world, rng, outputs["dome_motor"], inputs["dome_down"], inputs["dome_up"], self._dome_moved)
        self.drum = Drum(world, rng, outputs["disc_motor"], outputs["ring_motor"])
        stacks = self.rules.stacks
        self.heads = [Head(n, world, rng, self.drum, self.lanes[n], outputs, inputs, stacks[n]) for n in SEATS]
        self.drum.feeds(self.heads)
        self.trays = [
            Tray(
                n,
                world,
                rng,
                self.heads[n],
                outputs[f"tray_motor.{n}"],
                inputs[f"tray_home.{n}"],
                stacks,
                s.first_left,
                s.lower_first,
                self._tray_up,
            )
            for n in SEATS
        ]
        self._trays_up: set[int] = set()
        outputs["ready_lamp"].connect(self._lamp)
        # One set was pushed in before the table was switched on, the other lies on it.
        for tag, name in world.set_of.items():
            if name == "A":
                world.load(tag)

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
        """What goes wrong at a simulated table shows in its ports alone."""

    async def open(self) -> None:
        """A simulated table is always there."""

    async def close(self) -> None:
        """Nothing to let go."""

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
