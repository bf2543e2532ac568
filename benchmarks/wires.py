"""Matches through the drivers of a real table: every byte of every protocol on pseudo terminals, on virtual time.

``python -m benchmarks wires --hands 4``: the record is held against what really happened. With ``--unplugged 10`` the
reader of a seat is pulled out for so many seconds in every hand, at any moment of it. Prints what was wrong, how soon
the loss was told, and how soon the reader was back.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

from tablectl.app import Core
from tablectl.base.clock import LoopClock
from tablectl.base.faults import FaultCleared, FaultRaised
from tablectl.core import simulation
from tablectl.core.running import assemble
from tablectl.core.site import Site, load_site
from tablectl.core.wired import WiredTable
from tablectl.drivers.dice import ElectronicDice
from tablectl.game import events as ev
from tablectl.sim.faults import inject

CONFIG = Path(__file__).parents[1] / "config" / "sim-wire.yaml"
#: seconds after the deal between which a reader is pulled out
PULLED_S = (3.0, 90.0)
LIMIT_S = 8 * 3600.0


@dataclass
class Pulled:
    """What became of readers that were pulled out; seconds."""

    rng: random.Random
    seconds: float
    times: int = 0
    told_s: list[float] = field(default_factory=list)
    back_s: list[float] = field(default_factory=list)
    alerts: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)

    def watch(self, core: Core, clock: LoopClock) -> None:
        """Pull out a reader in every hand that ``core`` plays."""
        begun: dict[str, float] = {}
        tasks: set[asyncio.Task[None]] = set()

        async def pull() -> None:
            assert isinstance(core.backend, WiredTable)
            await clock.sleep(self.rng.uniform(*PULLED_S))
            name = f"seat{self.rng.randrange(4)}"
            inject(core.backend.sim, "unplug_reader", name=name)
            begun[f"reader.{name}"] = clock.now()
            self.times += 1
            await clock.sleep(self.seconds)
            inject(core.backend.sim, "plug_reader", name=name)

        def heard(seq: int, events: Sequence[ev.Event]) -> None:
            self.alerts.update(event.code for event in events if isinstance(event, ev.Alerted))
            if self.seconds and any(isinstance(event, ev.HandDealt) for event in events):
                task = asyncio.get_running_loop().create_task(pull())
                tasks.add(task)
                task.add_done_callback(tasks.discard)

        def raised(told: FaultRaised) -> None:
            self.faults[told.fault.code] += 1
            if told.fault.where in begun:
                self.told_s.append(clock.now() - begun[told.fault.where])

        def cleared(told: FaultCleared) -> None:
            if told.fault.where in begun:
                self.back_s.append(clock.now() - begun[told.fault.where] - self.seconds)

        core.listeners.append(heard)
        core.bus.subscribe(FaultRaised, raised)
        core.bus.subscribe(FaultCleared, cleared)


def play(site: Site, seed: int, hands: int | None, seconds: float) -> tuple[simulation.Match, Pulled]:
    """A match, or so many hands of it; the same seed gives the same hands."""
    pulled = Pulled(random.Random(f"pulled/{seed}"), seconds)
    chance = random.Random(f"dice/{seed}")

    def watched(site: Site, clock: LoopClock, seed: int | None = None) -> Core:
        core = assemble(site, clock, seed)
        pulled.watch(core, clock)
        return core

    defaults = {**(ElectronicDice.__init__.__kwdefaults__ or {}), "entropy": chance.randbytes}
    with (
        patch.object(simulation, "assemble", watched),
        patch.object(ElectronicDice.__init__, "__kwdefaults__", defaults),
    ):
        return simulation.play(site, seed, hands=hands, limit_s=LIMIT_S), pulled


def command(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks wires", description=__doc__)
    parser.add_argument("--hands", type=int, help="a whole match without it")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tempo", type=float, default=1.0, help="0.5: people twice as fast")
    parser.add_argument("--unplugged", type=float, default=0.0, metavar="SECONDS")
    asked = parser.parse_args(arguments)
    logging.disable(logging.CRITICAL)
    site = load_site(CONFIG)
    sim = site.settings.sim.model_copy(update={"tempo": asked.tempo})
    site = Site(site.settings.model_copy(update={"sim": sim}), site.rules)
    match, pulled = play(site, asked.seed, asked.hands, asked.unplugged)
    print(
        f"seed {match.seed}: {match.hands} hands in {match.virtual_s / 60:.0f} minutes of the table, "
        f"{len(match.wrong)} differences, alerts {dict(pulled.alerts)}, faults {dict(pulled.faults)}, "
        f"{match.cpu_s:.0f} s CPU"
    )
    if pulled.times:
        print(
            f"{pulled.times} times pulled out: told after at most {1e3 * max(pulled.told_s):.0f} ms, "
            f"back {max(pulled.back_s):.1f} s after it was plugged in at the latest"
        )
    for line in match.wrong:
        print(f"  {line}")
    return 1 if match.wrong else 0
