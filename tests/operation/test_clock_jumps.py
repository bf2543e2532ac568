"""A table whose time of day jumps by a day, forth and back, in the middle of a hand: nobody's rule notices."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tablectl.base.clock import HandClock, LoopClock, run_virtual
from tablectl.base.journal import Journal
from tablectl.base.settings import load
from tablectl.core.logbook import Logbook
from tablectl.core.running import assemble
from tablectl.core.site import CHECKS, Site
from tablectl.game import events as ev
from tablectl.rules.registry import load as load_rules

ROOT = Path(__file__).parents[2]
DAY_S = 86_400.0


async def _hand(path: Path, jumps: tuple[float, ...]) -> list[dict[str, Any]]:
    """A hand at a simulated table; the time of day jumps after 60 s, 90 s and so on."""
    settings = load(ROOT / "config" / "sim.yaml", CHECKS)
    sim = settings.sim.model_copy(update={"hands": 1, "noise": "clean"})
    journal = settings.journal.model_copy(update={"path": path})
    settings = settings.model_copy(update={"sim": sim, "journal": journal, "displays": settings.displays[:1]})
    core = assemble(Site(settings, load_rules("competition")), LoopClock(), 3)
    Logbook(core)
    loop: Any = asyncio.get_running_loop()
    for number, jump in enumerate(jumps):
        loop.call_at(60.0 + 30 * number, lambda by=jump: setattr(loop, "_start", loop._start + by))
    running = asyncio.create_task(core.run())
    await core.backend.finished.wait()  # type: ignore[attr-defined]
    await asyncio.sleep(20)
    events = [_without_chance(ev.to_json(event)) for event in core.table.events]
    core.stop()
    await running
    return events


def _without_chance(event: dict[str, Any]) -> dict[str, Any]:
    """An event without the salt of the wall's seal, which is another one every time."""
    return {key: value for key, value in event.items() if key not in ("digest", "secret")}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    return run_virtual(_hand(tmp_path_factory.mktemp("j") / "journal.sqlite", ()), limit_s=3600)


def test_a_day_forth_and_two_back(tmp_path: Path, undisturbed: list[dict[str, Any]]) -> None:
    path = tmp_path / "journal.sqlite"
    events = run_virtual(_hand(path, (DAY_S, -2 * DAY_S)), limit_s=3600)
    assert any(event["type"] == "end_kyoku" for event in events)
    assert events == undisturbed
    with Journal(path, HandClock(), read_only=True) as journal:
        assert journal.verify() == []
        entries = list(journal.read())
        assert [_without_chance(entry.data) for entry in entries][: len(events)] == events
    walls = [entry.wall for entry in entries]
    assert max(later - earlier for earlier, later in pairwise(walls)) > 0.9 * DAY_S
    assert min(later - earlier for earlier, later in pairwise(walls)) < -1.9 * DAY_S
    assert all(later.t >= earlier.t for earlier, later in pairwise(entries))
