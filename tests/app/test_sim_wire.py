"""The simulated table behind real wires: a hand through the drivers of a real table, on virtual time."""

from __future__ import annotations

from pathlib import Path

import pytest

from tablectl.core import simulation
from tablectl.core.site import Site, load_site

CONFIG = Path(__file__).parents[2] / "config"


def site(folder: Path, hands: int = 1, tempo: float = 0.5) -> Site:
    loaded = load_site(CONFIG / "sim-wire.yaml")
    sim = loaded.settings.sim.model_copy(update={"tempo": tempo, "hands": hands})
    link = loaded.settings.link.model_copy(update={"socket": folder / "link.sock"})
    return Site(loaded.settings.model_copy(update={"sim": sim, "link": link}), loaded.rules)


def test_the_shipped_configuration_is_simulated_and_wired(tmp_path: Path) -> None:
    settings = site(tmp_path).settings
    assert (settings.backend, settings.sim.wires) == ("simulated", True)


@pytest.mark.slow
def test_a_hand_through_the_wires_is_recorded_as_it_was_played(tmp_path: Path) -> None:
    match = simulation.play(site(tmp_path), seed=1, hands=1, limit_s=3600)
    assert match.wrong == []
    assert match.hands == 1
