"""The simulated table behind real wires: a hand through the drivers of a real table, on virtual time.

Whole matches, with a reader pulled out in every hand: ``python -m benchmarks wires``.
"""

from __future__ import annotations

import asyncio
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tablectl.app import Core
from tablectl.base.clock import LoopClock
from tablectl.base.faults import FaultCleared, FaultRaised
from tablectl.core import simulation, wired
from tablectl.core.running import assemble
from tablectl.core.site import Site, load_site
from tablectl.core.wired import WiredTable
from tablectl.drivers.dice import ElectronicDice
from tablectl.sim.faults import inject

CONFIG = Path(__file__).parents[2] / "config"
#: the buses are asked less often than at a real table, for every byte costs the kernel a switch; keys are held longer
POLLS = {"poll_ms: 20}": "poll_ms: 100}", "poll_ms: 10}": "poll_ms: 400}"}
PRESS_S = 0.5
#: ... and all antennas of a reader in one exchange, twice a second
SCAN = "baud: 115200, period_seconds: 0.5, options: {scan: repeated_index}, antennas:"
UNPLUGGED_S = 10.0


def site(folder: Path) -> Site:
    """The shipped configuration, its table model with slower polls."""
    loaded = load_site(CONFIG / "sim-wire.yaml")
    hardware = shutil.copytree(CONFIG.parent / "hardware", folder / "hardware")
    machine = hardware / loaded.settings.machine.name
    readers = (machine / "readers.yaml").read_text("utf-8")
    (machine / "readers.yaml").write_text(readers.replace("baud: 115200, antennas:", SCAN), "utf-8")
    wiring = (machine / "wiring.yaml").read_text("utf-8")
    for usual, slower in POLLS.items():
        assert usual in wiring
        wiring = wiring.replace(usual, slower)
    (machine / "wiring.yaml").write_text(wiring, "utf-8")
    return Site(loaded.settings.model_copy(update={"machine": machine}), loaded.rules)


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], simulation.Match]:
    """Play a hand; the same seed gives the same hand, for the dice are thrown with its chance."""

    def one(seed: int) -> simulation.Match:
        monkeypatch.setattr(wired, "PRESS_S", PRESS_S)
        chance = random.Random(seed)
        assert ElectronicDice.__init__.__kwdefaults__ is not None
        monkeypatch.setitem(ElectronicDice.__init__.__kwdefaults__, "entropy", chance.randbytes)
        return simulation.play(site(tmp_path), seed, hands=1, limit_s=600)

    return one


def test_the_shipped_configuration_is_simulated_and_wired() -> None:
    settings = load_site(CONFIG / "sim-wire.yaml").settings
    assert (settings.backend, settings.sim.wires) == ("simulated", True)


@pytest.mark.slow
def test_a_hand_in_which_a_reader_is_unplugged_is_recorded_as_it_was_played(
    play: Callable[[int], simulation.Match], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten seconds of the game are not seen by the antennas of one seat; its reader comes back by itself."""
    told: list[tuple[float, str, str]] = []

    async def pull(core: Core, clock: LoopClock) -> None:
        table = core.backend
        assert isinstance(table, WiredTable)
        while core.table.hand is None or core.table.hand.deck is None:
            await clock.sleep(1)
        await clock.sleep(40)
        inject(table.sim, "unplug_reader", name="seat1")
        told.append((clock.now(), "unplugged", "seat1"))
        await clock.sleep(UNPLUGGED_S)
        inject(table.sim, "plug_reader", name="seat1")

    def watched(site: Site, clock: LoopClock, seed: int | None = None) -> Core:
        core = assemble(site, clock, seed)
        core.bus.subscribe(FaultRaised, lambda t: told.append((clock.now(), "lost", t.fault.where)))
        core.bus.subscribe(FaultCleared, lambda t: told.append((clock.now(), "back", t.fault.where)))
        pulling.append(asyncio.get_running_loop().create_task(pull(core, clock)))
        return core

    pulling: list[asyncio.Task[None]] = []
    monkeypatch.setattr(simulation, "assemble", watched)
    match = play(22)
    assert match.hands == 1
    assert match.wrong == []
    (begun, *_), (lost, *raised), (back, *cleared) = told
    assert (raised, cleared) == (["lost", "reader.seat1"], ["back", "reader.seat1"])
    assert lost - begun < 1.0, "an unplugged line is noticed at once"
    assert back - begun - UNPLUGGED_S < 5.0, "and found again soon"
