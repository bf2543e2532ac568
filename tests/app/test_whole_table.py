"""The whole program as `make run` starts it: core, page in its own process, Chromium before it."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from browser import launched, needs_chromium

ROOT = Path(__file__).parents[2]
#: table seconds in a real one; the people hurry besides
SPEED = 8
#: for each wait: a machine that does other work besides is slow
PATIENCE_S = 180.0


@asynccontextmanager
async def simulated(tmp_path: Path, *, referee: str) -> AsyncIterator[str]:
    """`tablectl sim` as a process; gives the referee's address that it prints."""
    text = (ROOT / "config" / "sim.yaml").read_text().replace("../hardware", str(ROOT / "hardware"))
    config = tmp_path / "table.yaml"
    config.write_text(
        re.sub(r"referee: on", f"referee: {referee}", text)
        .replace("noise: normal", "noise: clean")
        .replace("tempo: 1\n", "tempo: 0.3\n")
    )
    words = ("-m", "tablectl", "sim", "--config", str(config), "--seed", "7", "--speed", str(SPEED))
    process = await asyncio.create_subprocess_exec(
        sys.executable, *words, "--port", "0", stdout=asyncio.subprocess.PIPE, cwd=ROOT
    )
    assert process.stdout is not None
    try:
        async with asyncio.timeout(PATIENCE_S):
            while not (line := (await process.stdout.readline()).decode()).startswith("http"):
                assert line, "the program ended before it printed an address"
        yield line.strip()
    finally:
        process.terminate()
        await process.communicate()
        assert process.returncode == 0


@needs_chromium
@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.real_time
async def test_a_hand_is_watched_and_confirmed(tmp_path: Path) -> None:
    async with simulated(tmp_path, referee="off") as address, launched() as browser:
        spectator = await browser.page(390, 844)
        await spectator.open(address.partition("?")[0])
        referee = await browser.page()
        await referee.open(address)
        assert "SIMULATED" in await referee.text("#simulated")

        # A tile moves: discards come to lie in the rivers of both pages.
        lying = "document.querySelectorAll('.river .tile').length"
        await spectator.wait_for(f"{lying} > 3", PATIENCE_S)
        before = await referee.evaluate(lying)
        await referee.wait_for(f"{lying} > {before}", PATIENCE_S)

        # The referee sees standing tiles; a spectator sees their backs, and no message tells him more.
        assert "back" not in await referee.tiles(".standing")
        assert set(await spectator.tiles(".standing")) == {"back"}
        told = [event for frame in spectator.frames for event in json.loads(frame).get("events", [])]
        assert any(event["type"] == "tsumo" for event in told)
        for event in told:
            assert event["type"] != "tsumo" or event.get("pai") is None
            assert event["type"] != "dealt" or not any(tile for hand in event["tehais"] for tile in hand)

        # A win is declared and waits; the referee confirms it, and the hand is settled.
        await referee.wait_for("document.getElementById('confirm')", 2 * PATIENCE_S)
        assert "hora" not in spectator.received
        await referee.click("#confirm")
        await spectator.wait_for("document.querySelector('.proposal.settled')", PATIENCE_S)
        assert '"hora"' in spectator.received
        assert referee.complaints == spectator.complaints == []
