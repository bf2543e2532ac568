"""Random scripts of faults, wrong presses, stops and restarts at the simulated table, and what must hold all the while.

A script is drawn from its seed. Whatever happens: tiles are conserved, no output is on beyond its limit, nothing moves
while a fault stands, and in the end, when a technician has mended everything, the table plays on.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final

from simulated_table import Rig

from tablectl.base.faults import ClearRefused, FaultCleared, FaultRaised, Severity
from tablectl.machine.states import State
from tablectl.machine.status import CommandRefused
from tablectl.sim.faults import UnknownFault, inject

#: virtual seconds of a script, and the seconds between two things that go wrong
SCRIPT_S: Final = 400.0
BETWEEN_S: Final = (2.0, 60.0)
#: seconds after a fault in which the outputs must be off
SAFE_S: Final = 0.05
#: seconds in which a table that was mended must have raised its walls again
PLAYS_ON_S: Final = 900.0

SENSORS: Final = (
    *("dome_up", "dome_down", "lift_key.0"),
    *(
        f"{name}.{n}"
        for name in ("tray_home", "belt_full", "head_eye", "head_cam", "slot_loaded", "slot_full")
        for n in range(4)
    ),
)
LIFTS: Final = ("dome", *(f"tray.{n}" for n in range(4)))


@dataclass
class Outcome:
    """What a script brought: faults ``injected`` and codes ``told``, counted; what was ``wrong``."""

    seed: int
    injected: Counter[str] = field(default_factory=Counter)
    told: Counter[str] = field(default_factory=Counter)
    retries: int = 0
    visits: int = 0
    cycles: int = 0
    restarts: int = 0
    wrong: list[str] = field(default_factory=list)


def draw(rng: random.Random) -> tuple[str, dict[str, Any]]:
    """A fault with arguments."""
    side = rng.randrange(4)
    name, arguments = rng.choice(
        (
            ("jam_head", {"side": side, "starts": rng.choice((1, 2, 3, float("inf")))}),
            ("kill_head", {"side": side}),
            ("kill_belt", {"side": side}),
            ("double_count", {"side": side, "tiles": rng.randint(1, 3)}),
            ("miss_count", {"side": side, "tiles": rng.randint(1, 3)}),
            ("flicker_cam", {"side": side}),
            ("miss_cam", {"side": side}),
            ("drop_tile", {"side": side, "tiles": rng.randint(1, 2)}),
            ("kill_drum", {}),
            ("clog_drum", {}),
            ("weaken_magnet", {}),
            ("blind_sensor", {"name": rng.choice(SENSORS)}),
            ("stick_sensor", {"name": rng.choice(SENSORS)}),
            ("stall_lift", {"part": rng.choice(LIFTS)}),
            ("kill_lift", {"part": rng.choice(LIFTS)}),
            ("slow_lift", {"part": rng.choice(LIFTS), "times": rng.uniform(1.1, 2.0)}),
            ("turn_lift", {"part": rng.choice(LIFTS), "turn": rng.choice((0.2, 0.5))}),
            ("unplug_reader", {"name": f"lane.{side}"}),
            ("kill_tag", {}),
            ("lose_tile", {}),
            ("mix_tile", {}),
            ("add_foreign_tile", {"tag": f"e00409990000{rng.randrange(10_000):04d}"}),
            ("press_emergency_stop", {}),
            ("cut_supply", {}),
            ("loosen_wire", {"name": rng.choice(("dome_motor", "disc_motor", "tray_motor.1", "head_motor.2"))}),
        )
    )
    return name, arguments


class Script:
    """One script on one table."""

    def __init__(self, rig: Rig, seed: int) -> None:
        self.rig = rig
        self.rng = random.Random(f"script/{seed}")
        self.outcome = Outcome(seed)
        self._limits = {name: spec.max_on_seconds for name, spec in rig.spec.output_names()}
        self._since: dict[str, float] = {}
        for name, output in rig.sim.outputs.items():
            output.connect(lambda on, name=name: self._switched(name, on))  # type: ignore[misc]
        rig.bus.subscribe(FaultRaised, self._raised)
        rig.bus.subscribe(FaultCleared, lambda cleared: None)

    # --- what must hold

    def _wrong(self, text: str) -> None:
        self.outcome.wrong.append(f"{self.rig.clock.now():.2f} s: {text}")

    def _switched(self, name: str, on: bool) -> None:
        now = self.rig.clock.now()
        if on:
            self._since[name] = now
            if self.rig.faults.stopped:
                self._wrong(f"{name} goes on while {[f.code for f in self.rig.faults.active]} stand")
            return
        limit = self._limits[name]
        if limit is not None and now - self._since[name] > limit + 1e-6:
            self._wrong(f"{name} was on for {now - self._since[name]:.2f} s, limit {limit:g} s")

    def _raised(self, raised: FaultRaised) -> None:
        self.outcome.told[raised.fault.code] += 1
        if raised.fault.code == "E03":
            self._wrong(f"error in the program: {raised.fault.detail}")
        if raised.fault.severity is Severity.STOP:
            asyncio.get_running_loop().call_later(SAFE_S, self._must_be_off, raised.fault.code)

    def _must_be_off(self, code: str) -> None:
        on = [name for name, output in self.rig.sim.outputs.items() if output.on]
        if on and self.rig.faults.stopped:
            self._wrong(f"{on} still on {SAFE_S} s after {code}")

    def _tiles(self) -> None:
        try:
            self.rig.sim.world.check()
        except AssertionError as error:
            self._wrong(str(error))

    # --- who acts

    async def run(self) -> Outcome:
        rig, rng = self.rig, self.rng
        end = rig.clock.now() + SCRIPT_S
        next_fault = rig.clock.now() + rng.uniform(*BETWEEN_S)
        stopped_at = None
        while rig.clock.now() < end:
            await self._press()
            await rig.advance(rng.uniform(0.1, 1.5))
            self._tiles()
            if rig.clock.now() >= next_fault:
                await self._something_happens()
                next_fault = rig.clock.now() + rng.uniform(*BETWEEN_S)
            if rig.machine.state not in (State.FAULT, State.IDLE):
                stopped_at = None
            elif stopped_at is None:
                stopped_at = rig.clock.now()
            elif rig.clock.now() - stopped_at > 15:
                await self._visit(thorough=rng.random() < 0.7)
                stopped_at = None
        await self._ends()
        self.outcome.retries = len(rig.retried)
        self.outcome.cycles = rig.machine.status.cycles
        return self.outcome

    async def _press(self) -> None:
        """What people do, and now and then something wrong."""
        rig, state = self.rig, self.rig.machine.state
        if self.rng.random() < 0.03:
            await rig.sim.press_lift(both=self.rng.random() < 0.5)
        elif state is State.READY:
            await rig.press()
        elif state in (State.COLLECTING, State.PAUSED):
            if rig.sim.world.opening_free and state is State.COLLECTING:
                rig.push_in()
            await rig.press()

    async def _something_happens(self) -> None:
        rig, rng = self.rig, self.rng
        what = rng.random()
        try:
            if what < 0.06:
                await rig.machine.stop()
                self.outcome.injected["stop"] += 1
            elif what < 0.1:
                with contextlib.suppress(ExceptionGroup):  # a board does not answer: told already
                    await rig.machine.close()
                rig.machine = rig.new_machine()
                await rig.machine.start()
                self.outcome.restarts += 1
            elif what < 0.15:
                rng.choice((rig.machine.pause, rig.machine.resume, rig.machine.shuffle, rig.machine.lift))()
            else:
                name, arguments = draw(rng)
                inject(rig.sim, name, **arguments)
                self.outcome.injected[name] += 1
        except (CommandRefused, UnknownFault):
            pass  # it does not fit now

    async def _visit(self, thorough: bool) -> None:
        """A technician mends (or only clears) and lets the table go on."""
        rig = self.rig
        self.outcome.visits += 1
        await rig.faults.settled()
        if thorough:
            self._mend()
        for code in {fault.code for fault in rig.faults.active}:
            try:
                rig.faults.clear(code, by="technician")
            except ClearRefused:
                return  # its cause is still there
        if rig.machine.state is State.IDLE:
            rig.machine.resume()

    def _mend(self) -> None:
        """Everything works again; every tile of the set that is stacked lies in the machine, no other one does."""
        sim = self.rig.sim
        for name in ("mend_drum", "mend_magnets", "release_emergency_stop", "restore_supply", "take_out_foreign_tiles"):
            inject(sim, name)
        for n in range(4):
            sim.heads[n].flaws = dict.fromkeys(sim.heads[n].flaws, 0)
            inject(sim, "mend_head", side=n)
            inject(sim, "plug_reader", name=f"lane.{n}")
        for part in LIFTS:
            inject(sim, "mend_lift", part=part)
        for cam, turn_s in ((sim.dome.cam, 3.0), *((tray.cam, 3.0) for tray in sim.trays)):
            cam.turn_s = turn_s
        for name in sim.inputs:
            inject(sim, "mend_sensor", name=name)
        for name in sim.outputs:
            inject(sim, "mend_wire", name=name)
        for lane in sim.lanes:
            lane.dead_tags.clear()
        self._put_tiles_right()

    def _put_tiles_right(self) -> None:
        """Tiles from the floor go to their set; where sets are mixed or not whole, everything is sorted anew."""
        sim, world = self.rig.sim, self.rig.sim.world
        lost = [tag for spot in ("floor", "inside") for tag in world.tags(spot) if world.set_of[tag]]
        spots = ("drum", *(f"{part}.{n}" for part in ("belt", "head", "slot") for n in range(4)))
        inside = [tag for spot in spots for tag in world.tags(spot)]
        names = Counter(world.set_of[tag] for tag in inside)
        if self.rig.machine.state is not State.SHUFFLING:  # a wall that stands keeps the next one from rising
            lost += [tag for n in range(4) for tag in world.tags(f"wall.{n}")]
        for tag in lost:
            world.move(tag, "felt")
        heads = [tag for n in range(4) for tag in world.tags(f"head.{n}")]
        last_missing = any(fault.code in ("D02", "D05", "C01") for fault in self.rig.faults.active)
        elsewhere = last_missing and (heads or not world.tags("drum"))  # a head or row holds what another side lacks
        not_whole = names and (len(names) > 1 or max(names.values()) < len(sim.sets["A"]))
        if elsewhere or not_whole:
            inject(sim, "sort_sets")
        elif not names:
            for tag in sim.sets["A"]:
                world.load(tag)

    async def _ends(self) -> None:
        """Everything mended: the table must play on by itself."""
        rig = self.rig
        await self._visit(thorough=True)
        if rig.machine.state is not State.FAULT and rig.machine.state is not State.IDLE:
            self._mend()
        begin, cycles = rig.clock.now(), rig.machine.status.cycles
        visited = begin
        while rig.machine.status.cycles < cycles + 2:
            await self._press_right()
            await rig.advance(0.5)
            self._tiles()
            if rig.machine.state in (State.FAULT, State.IDLE) and rig.clock.now() - visited > 5:
                visited = rig.clock.now()
                await self._visit(thorough=True)
            if rig.clock.now() - begin > PLAYS_ON_S:
                stands = [f"{fault.code}@{fault.where}: {fault.detail}" for fault in rig.faults.active]
                self._wrong(f"it does not play on: {rig.machine.state} {stands}")
                return

    async def _press_right(self) -> None:
        rig = self.rig
        if rig.machine.state is State.COLLECTING and rig.sim.world.opening_free:
            rig.push_in()
        if rig.machine.state in (State.READY, State.COLLECTING, State.PAUSED):
            await rig.press()


async def play(seed: int) -> Outcome:
    """One script, as its seed has it. An exception in a timer is wrong like everything else that must not be."""
    uncaught: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: uncaught.append(context))
    async with Rig(seed=seed) as rig:
        outcome = await Script(rig, seed).run()
    outcome.wrong += [f"{context['message']}: {context.get('exception')!r}" for context in uncaught]
    return outcome
