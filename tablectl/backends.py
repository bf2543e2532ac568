"""The backends by name: what stands behind the ports. Named in the configuration, never guessed."""

from __future__ import annotations

from tablectl.app import Backend
from tablectl.base.clock import Clock
from tablectl.base.settings import Settings
from tablectl.drivers.display_luma import CHIPS
from tablectl.rules.api import RuleSet
from tablectl.sim.backend import SimSettings, SimTable
from tablectl.sim.person import Habits


class BackendError(Exception):
    """The backend of the configuration cannot be had; the message says why and what to do."""


def simulated(settings: Settings, rules: RuleSet, seed: int, clock: Clock) -> SimTable:
    """A simulated table with people at it."""
    sim = settings.sim
    names = settings.players
    return SimTable(
        SimSettings(
            period_s=settings.zones.period_s,
            noise=sim.noise,
            walls=settings.zones.walls,
            first_left=settings.lanes.first == "left",
            lower_first=settings.lanes.lower_first,
            auto_referee=sim.referee,
            hands=sim.hands,
            habits=Habits(tempo=sim.tempo),
            names=names,
            displays={d.name: ((d.width_px, d.height_px), CHIPS[d.driver].mode) for d in settings.displays},
        ),
        rules,
        seed,
        clock,
    )


def backend(settings: Settings, rules: RuleSet, seed: int, clock: Clock) -> Backend:
    """The backend that the configuration names.

    Raises:
        BackendError: it cannot be had.
    """
    if settings.backend == "simulated":
        return simulated(settings, rules, seed, clock)
    raise BackendError(
        "backend: hardware: this version has no drivers for readers and motors yet; "
        "set backend: simulated, or use `tablectl sim`"
    )
