"""The page's process gets SIGKILL while somebody follows the table, alone or with the core: what he was told."""

from __future__ import annotations

import asyncio
import contextlib
import queue
import random
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import yaml
from played import NAMES, OPENING, PLAY, PlayedCore

from tablectl.client import Table
from tablectl.game import actions as act
from tablectl.game import events as ev
from tablectl.game.table import Table as Played

ROOT = Path(__file__).parents[2]
PATIENCE_S = 60.0
#: seconds until the page is killed, once it is there
LIVES_S = (0.02, 0.4)


def configuration(folder: Path, link: Path) -> Path:
    """A simulated table's, with the core's socket and accounts that outlive the page."""
    settings = yaml.safe_load((ROOT / "config" / "sim.yaml").read_text(encoding="utf-8"))
    settings["machine"] = str(ROOT / "hardware" / "reference-4port")
    settings["link"] = {"socket": str(link), "mode": "0600"}
    settings["web"]["accounts"] = "accounts.sqlite"
    file = folder / "table.yaml"
    file.write_text(yaml.safe_dump(settings, allow_unicode=True), encoding="utf-8")
    return file


@asynccontextmanager
async def page(config: Path, port: int) -> AsyncIterator[asyncio.subprocess.Process]:
    """`tablectl web` as a process that answers, until it is killed."""
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
            process.send_signal(signal.SIGKILL)
        await process.wait()


async def again(core: PlayedCore) -> PlayedCore:
    """The core that goes on with nothing but what the one before had journaled."""
    stored = [ev.from_json(entry.data) for entry in core.journal.read()]
    await core.stop()
    following = PlayedCore(core.path)
    following.table = Played.replay(core.table.rules, stored)
    following.table.names = NAMES
    following.journal = core.journal
    await following.start()
    return following


async def follow_through(folder: Path, kills: int, *, core_too: bool) -> tuple[int, list[str]]:
    """One client through so many kills: how many events he was told, and which he missed, twice or otherwise."""
    rng, port = random.Random(f"{kills}/{core_too}"), free_port()
    core = PlayedCore(folder / "core.sock")
    await core.start()
    config = await asyncio.to_thread(configuration, folder, core.path)
    told: queue.Queue[dict[str, Any]] = queue.Queue()
    over = asyncio.Event()

    def follow(table: Table) -> None:
        with contextlib.suppress(Exception):
            for message in table.follow():
                told.put(message)
                if over.is_set():
                    return

    core.play(*OPENING)
    hand = _hands()
    following: asyncio.Future[None] | None = None
    for _ in range(kills + 1):
        async with page(config, port):
            if following is None:
                table = await asyncio.to_thread(Table, f"http://127.0.0.1:{port}", "simulated-referee")
                following = asyncio.ensure_future(asyncio.to_thread(follow, table))
            ends = asyncio.get_running_loop().time() + rng.uniform(*LIVES_S)
            while asyncio.get_running_loop().time() < ends:
                core.play(next(hand))
                await asyncio.sleep(0.02)
        core.play(next(hand))  # while there is no page
        if core_too:
            core = await again(core)
    seen: dict[int, Any] = {}
    last = core.table.last_seq
    async with page(config, port):
        async with asyncio.timeout(PATIENCE_S):
            while max(seen, default=0) < last:
                message = await asyncio.to_thread(told.get, True, PATIENCE_S)
                seen.update({event["seq"]: event["type"] for event in message.get("events", [])})
        over.set()
        core.play(next(hand))
        if following is not None:
            await following
    stored = {entry.seq: entry.type for entry in core.journal.read()}
    first = min(seen)
    lost = [f"event {n} {stored[n]} was not told" for n in range(first, last + 1) if n not in seen]
    lost += [f"event {n} {kind} was told and is gone" for n, kind in seen.items() if stored.get(n) != kind]
    await core.stop()
    core.journal.close()
    return len(seen), lost


def _hands() -> Any:
    """The fixed hand again and again, from after its opening."""
    draw_hand = act.Rule(t=0, do="draw_hand", by="referee")
    while True:
        yield from (*PLAY, draw_hand, *OPENING[1:])


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
