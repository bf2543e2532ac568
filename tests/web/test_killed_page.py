"""The page's process is killed and started again: nobody loses an event or has to log in again."""

from __future__ import annotations

import asyncio
import json
import queue
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml
from played import OPENING, PLAY, WIN, PlayedCore

from tablectl.client import Table

pytestmark = [pytest.mark.real_time, pytest.mark.slow]

ROOT = Path(__file__).parents[2]
PATIENCE_S = 60.0


def configuration(folder: Path, link: Path) -> Path:
    settings = yaml.safe_load((ROOT / "config" / "sim.yaml").read_text(encoding="utf-8"))
    settings["machine"] = str(ROOT / "hardware" / "reference-4port")
    settings["link"] = {"socket": str(link), "mode": "0600"}
    settings["web"]["accounts"] = "accounts.sqlite"
    file = folder / "table.yaml"
    file.write_text(yaml.safe_dump(settings, allow_unicode=True), encoding="utf-8")
    return file


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@asynccontextmanager
async def page(config: Path, port: int) -> AsyncIterator[asyncio.subprocess.Process]:
    """`tablectl web` as a process, until it is killed."""
    words = ("-m", "tablectl", "web", str(config), "--port", str(port))
    process = await asyncio.create_subprocess_exec(sys.executable, *words, stderr=asyncio.subprocess.DEVNULL)
    try:
        async with asyncio.timeout(PATIENCE_S):
            while True:
                try:
                    _, writer = await asyncio.open_connection("127.0.0.1", port)
                except OSError:
                    await asyncio.sleep(0.05)
                    continue
                writer.close()
                await writer.wait_closed()
                break
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


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
