"""The backends by name: what stands behind the ports. Named in the configuration, never guessed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from tablectl.base.clock import Clock
from tablectl.base.settings import Settings
from tablectl.core.backend import Backend
from tablectl.drivers.display_luma import CHIPS
from tablectl.rules.api import RuleSet
from tablectl.sim.backend import SimSettings, SimTable
from tablectl.sim.noise import PROFILES
from tablectl.sim.wear import Wear

if TYPE_CHECKING:
    from tablectl.drivers.hardware import HardwareTable
    from tablectl.tiles.tile import Tile


class BackendError(Exception):
    """The backend of the configuration cannot be had; the message says why and what to do."""


def simulated(settings: Settings, rules: RuleSet, seed: int, clock: Clock) -> SimTable:
    """A simulated table with people at it."""
    sim = settings.sim
    names = settings.players
    habits = PROFILES[sim.noise].habits
    return SimTable(
        SimSettings(
            period_s=settings.zones.period_s,
            noise=sim.noise,
            walls=settings.zones.walls,
            first_left=settings.lanes.first == "left",
            lower_first=settings.lanes.lower_first,
            auto_referee=sim.referee,
            hands=sim.hands,
            habits=replace(habits, tempo=sim.tempo * habits.tempo),
            names=names,
            wear=Wear(**sim.wear.model_dump()),
            displays={d.name: ((d.width_px, d.height_px), CHIPS[d.driver].mode) for d in settings.displays},
        ),
        rules,
        seed,
        clock,
    )


def hardware(
    settings: Settings, clock: Clock, sets: Mapping[str, Mapping[str, Tile]] | None = None
) -> HardwareTable[Tile]:
    """The table that the wiring of the model describes; ``sets``: tile sets instead of those of the register.

    Raises:
        BackendError: wiring or tile sets cannot be used; every mistake with its place.
    """
    # Only here: a simulated table needs none of the drivers' libraries.
    from tablectl.documents import DocumentError
    from tablectl.drivers.display_luma import LumaDisplay
    from tablectl.drivers.hardware import HardwareTable
    from tablectl.drivers.hardware_files import load_wiring
    from tablectl.drivers.sound import SpeakerSound
    from tablectl.machine.description import load_machine
    from tablectl.tiles.tags import load_register

    machine = load_machine(settings.machine / "machine.yaml")
    safe = {name: output.safe for name, output in machine.output_names()}
    try:
        wiring = load_wiring(settings.machine, safe, list(machine.input_names()))
        if sets is None and settings.tiles is not None:
            if not settings.tiles.exists():
                raise BackendError(f"{settings.tiles}: no tile set is registered yet: tablectl tags enroll NAME")
            sets = load_register(settings.tiles).sets
    except DocumentError as error:
        raise BackendError(f"backend: hardware:\n{error}") from error
    displays = {section.name: LumaDisplay.from_settings(section) for section in settings.displays}
    voice = settings.sound
    sound = SpeakerSound(
        language=voice.language or settings.language,
        prompts=voice.prompts,
        device=voice.device,
        mixer=voice.mixer,
        volume_percent=voice.volume_percent,
        words_per_minute=voice.words_per_minute,
    )
    return HardwareTable(wiring, safe, sets or {}, displays, sound, clock)


def wired(settings: Settings, sim: SimTable, clock: Clock) -> Backend:
    """The simulated table ``sim`` behind the drivers of a real one.

    Raises:
        BackendError: the wiring of the model cannot be used; every mistake with its place.
    """
    from tablectl.core.wired import WiredTable
    from tablectl.documents import DocumentError
    from tablectl.drivers.hardware_files import load_wiring
    from tablectl.machine.description import load_machine

    machine = load_machine(settings.machine / "machine.yaml")
    safe = {name: output.safe for name, output in machine.output_names()}
    try:
        wiring = load_wiring(settings.machine, safe, list(machine.input_names()))
    except DocumentError as error:
        raise BackendError(f"sim.wires: on:\n{error}") from error
    return WiredTable(sim, wiring, safe, clock, machine.joined_inputs())


def backend(
    settings: Settings,
    rules: RuleSet,
    seed: int,
    clock: Clock,
    sets: Mapping[str, Mapping[str, Tile]] | None = None,
) -> Backend:
    """The backend that the configuration names; ``sets`` as for `hardware`.

    Raises:
        BackendError: it cannot be had.
    """
    if settings.backend == "hardware":
        return hardware(settings, clock, sets)
    sim = simulated(settings, rules, seed, clock)
    return wired(settings, sim, clock) if settings.sim.wires else sim


def people(backend: Backend) -> SimTable | None:
    """The simulated world behind the ports of a backend, if there is one."""
    return backend if isinstance(backend, SimTable) else getattr(backend, "sim", None)
