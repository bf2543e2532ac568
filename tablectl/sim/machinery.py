"""The mechanics of a simulated table without people: everything that hangs on its outputs and inputs."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Final

from tablectl.base.clock import Clock
from tablectl.sim.devices import SimInput, SimLane, SimOutput, Supply
from tablectl.sim.mechanics import Dome, Tray
from tablectl.sim.stacking import Drum, Head
from tablectl.sim.wear import Wear
from tablectl.sim.world import SEATS, World

_SIDE_MOTORS: Final = ("tray_motor", "belt_motor", "head_motor")
_SIDE_INPUTS: Final = ("tray_home", "belt_full", "head_eye", "head_cam", "slot_loaded", "slot_full")
#: what the contactor of the motors feeds
MOTORS: Final = (
    *("dome_motor", "disc_motor", "ring_motor", "disc_reverse"),
    *(f"{name}.{side}" for name in _SIDE_MOTORS for side in SEATS),
)
OUTPUTS: Final = (*MOTORS, "ready_lamp")
INPUTS: Final = (
    *("dome_down", "dome_up", "lift_key.0", "lift_key.1"),
    *(f"{name}.{side}" for name in _SIDE_INPUTS for side in SEATS),
)


class Machinery:
    """Dome, drum, heads and trays of one table.

    Args:
        stacks: stacks that each side's slot takes, until `build` says otherwise.
        bounce_rng: the chance of bouncing contacts, apart from the others so that it changes nothing else.
        dome_moved, tray_up: what people see: the opening is free or not, the wall of a side stands.
    """

    def __init__(
        self,
        world: World,
        stacks: Sequence[int],
        rng: random.Random,
        clock: Clock,
        *,
        wear: Wear = Wear(),  # noqa: B008 - it is frozen
        bounce_rng: random.Random | None = None,
        first_left: bool = True,
        lower_first: bool = True,
        dome_moved: Callable[[bool], None] = lambda up: None,
        tray_up: Callable[[int], None] = lambda side: None,
    ) -> None:
        self.supply = Supply()
        self.outputs = {name: SimOutput(name, self.supply if name in MOTORS else None) for name in OUTPUTS}
        self.inputs = {name: SimInput(name, clock, wear.bounce_s, bounce_rng) for name in INPUTS}
        self.lanes = [SimLane(side, clock) for side in SEATS]
        out, ins = self.outputs, self.inputs
        self.dome = Dome(world, rng, out["dome_motor"], ins["dome_down"], ins["dome_up"], dome_moved, wear.friction)
        self.drum = Drum(world, rng, out["disc_motor"], out["ring_motor"], out["disc_reverse"], wear)
        self.heads = [Head(n, world, rng, self.lanes[n], out, ins, stacks[n], wear) for n in SEATS]
        self.drum.feeds(self.heads)
        self.trays = [
            Tray(
                n,
                world,
                rng,
                self.heads[n],
                out[f"tray_motor.{n}"],
                ins[f"tray_home.{n}"],
                stacks,
                first_left,
                lower_first,
                tray_up,
                wear.friction,
            )
            for n in SEATS
        ]

    def one_shaft_for_heads(self) -> None:
        """One motor turns all heads and belts; a row that is complete lifts its own out."""
        for head in self.heads:
            head.pawl = True

    def one_linkage_for_trays(self) -> None:
        """One motor lifts all four trays together."""
        for tray in self.trays[1:]:
            tray.cam.geared_to = self.trays[0].cam

    def build(self, stacks: Sequence[int]) -> None:
        """A technician sets the slots to rows of so many stacks."""
        for head, tray in zip(self.heads, self.trays, strict=True):
            head.build(stacks[head.side])
            tray.build(stacks)
