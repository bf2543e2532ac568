"""People play under every preset of ``config/rules`` without an offence."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from quick_people import played

from tablectl.rules.registry import load
from tablectl.sim.endings import endings

PRESETS = sorted((Path(__file__).parents[2] / "config" / "rules").glob("*-*.yaml"))


@pytest.mark.parametrize("path", PRESETS, ids=lambda path: path.stem)
def test_a_preset_is_played(path: Path) -> None:
    """`played` sees that nobody offends, that accounts sum to zero and that the events replay."""
    given = yaml.safe_load(path.read_text(encoding="utf-8"))
    truth = played(load(given["base"], given["options"]), seed=3, hands=1).players.truth
    assert endings(truth.events)["hands"] == 1
