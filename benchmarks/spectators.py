"""Many spectators on one table: how long from an event in the core to their sockets, and what that costs the core.

`python -m benchmarks.spectators [SPECTATORS] [SECONDS]`. Core, page and spectators are three processes, as on a real
table. The core plays a fixed hand again and again, an event every 50 ms; each event carries the time at which it
happened, and the clock is the same in all processes (CLOCK_MONOTONIC). The core's processor time is taken with nobody
there, and with all of them.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from socket import create_connection as connect_to
from statistics import median, quantiles

from websockets.asyncio.client import connect

ROOT = Path(__file__).parents[1]
EVERY_S = 0.05
PORT = 18980


async def core(socket: Path) -> None:
    """Play until the end of the world."""
    sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "web")]
    from played import OPENING, PLAY, WIN, PlayedCore

    from tablectl.game import actions as act

    table = PlayedCore(socket)
    await table.start()
    print("ready", flush=True)
    hand = [*OPENING[1:], *PLAY, *WIN, act.Rule(t=0, do="draw_hand", by="benchmark")]
    table.play(OPENING[0])
    while True:
        for action in hand:
            table.play(action)
            await asyncio.sleep(EVERY_S)


def page(socket: Path, spectators: int) -> None:
    """Serve the page."""
    from tablectl.web.app import serve
    from tablectl.web.settings import WebSettings

    many = spectators + 50
    limits = {"max_pages": many, "max_pages_per_address": many, "max_connections_per_address": many}
    serve(WebSettings(port=PORT, requests_per_second=1e4, burst=10**4, **limits), socket)


async def watch(spectators: int, seconds: float) -> list[float]:
    """Seconds from each event to each socket."""
    late: list[float] = []
    async with contextlib.AsyncExitStack() as stack:
        sockets = [await stack.enter_async_context(_connected()) for _ in range(spectators)]
        ends = time.monotonic() + seconds

        async def hear(socket: object) -> None:
            async for message in socket:  # type: ignore[attr-defined]
                now = time.monotonic()
                told = json.loads(message)
                if told["type"] == "update":
                    late.extend(now - event["t"] for event in told["events"])
                if now > ends:
                    return

        await asyncio.gather(*(hear(socket) for socket in sockets))
    return late


def _connected() -> connect:
    return connect(f"ws://127.0.0.1:{PORT}/ws", max_size=None, compression=None, open_timeout=30)


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main(spectators: int = 200, seconds: float = 20) -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory(prefix="tablectl-") as folder, contextlib.ExitStack() as stack:
        socket = Path(folder) / "core.sock"
        own = [sys.executable, "-m", "benchmarks.spectators"]
        table = subprocess.Popen([*own, "core", str(socket)], cwd=ROOT, stdout=subprocess.PIPE)
        stack.callback(_end, table)
        assert table.stdout is not None
        table.stdout.readline()
        web = subprocess.Popen([*own, "page", str(socket), str(spectators)], cwd=ROOT)
        stack.callback(_end, web)
        _until_it_listens()
        costs = {}
        for count in (1, spectators):
            before, web_before, begun = cpu_seconds(table.pid), cpu_seconds(web.pid), time.monotonic()
            late = asyncio.run(watch(count, seconds))
            took = time.monotonic() - begun
            costs[count] = (cpu_seconds(table.pid) - before) / took
            page_cost = (cpu_seconds(web.pid) - web_before) / took
            p99 = quantiles(late, n=100)[98]
            print(
                f"{count:4} spectators: {len(late)} events heard; median {median(late) * 1000:.1f} ms, p99 "
                f"{p99 * 1000:.1f} ms, longest {max(late) * 1000:.1f} ms; core {costs[count]:.1%} of a processor, "
                f"page {page_cost:.1%}; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors"
            )


def _until_it_listens() -> None:
    ends = time.monotonic() + 60
    while time.monotonic() < ends:
        with contextlib.suppress(OSError), connect_to(("127.0.0.1", PORT), timeout=5):
            return
        time.sleep(0.1)
    raise SystemExit("the page did not start within a minute")


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    process.wait()


if __name__ == "__main__":
    words = sys.argv[1:]
    if words[:1] == ["core"]:
        asyncio.run(core(Path(words[1])))
    elif words[:1] == ["page"]:
        page(Path(words[1]), int(words[2]))
    else:
        main(*(kind(word) for kind, word in zip((int, float), words, strict=False)))
