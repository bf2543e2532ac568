"""The page's process is killed and started again: nobody loses an event or has to log in again."""

from __future__ import annotations

import asyncio
import json
import queue
from pathlib import Path
from typing import Any

import pytest
from killed_pages import PATIENCE_S, configuration, follow_through, free_port, page
from played import OPENING, PLAY, WIN, PlayedCore

from tablectl.client import Table

pytestmark = [pytest.mark.real_time, pytest.mark.slow]


async def test_a_follower_goes_on_and_a_referee_stays_one(tmp_path: Path) -> None:
    core = PlayedCore(tmp_path / "core.sock")
    await core.start()
    config, port = await asyncio.to_thread(configuration, tmp_path, core.path), free_port()
    messages: queue.Queue[dict[str, Any]] = queue.Queue()
    seen: list[int] = []
    over = asyncio.Event()

    async def told(seq: int) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not seen or seen[-1] < seq:
                message = await asyncio.to_thread(messages.get, True, PATIENCE_S)
                seen.extend(event["seq"] for event in message.get("events", []))

    def follow(table: Table) -> None:
        for message in table.follow():
            messages.put(json.loads(json.dumps(message)))
            if over.is_set():
                return

    core.play(*OPENING)
    async with page(config, port):
        table = await asyncio.to_thread(Table, f"http://127.0.0.1:{port}", "simulated-referee")
        following = asyncio.ensure_future(asyncio.to_thread(follow, table))
        await told(core.table.last_seq)
    core.play(*PLAY)  # while there is no page
    async with page(config, port):
        core.play(*WIN)
        await told(core.table.last_seq)
        assert (await asyncio.to_thread(table.session))["role"] == "referee"
        assert (await asyncio.to_thread(table.referee, "confirm"))["seq"] == core.table.last_seq
        over.set()
        await following
    assert seen == list(range(1, seen[-1] + 1))  # every event once, in order
    await core.stop()
    core.journal.close()
    await asyncio.get_running_loop().shutdown_default_executor()


async def test_core_and_page_are_killed_at_once_again_and_again(tmp_path: Path) -> None:
    told, lost = await follow_through(tmp_path, 2, core_too=True)
    assert told > 10
    assert lost == []
    await asyncio.get_running_loop().shutdown_default_executor()
