"""Many spectators on one table: how long from an event in the core to their sockets, and what that costs the core.

`python -m benchmarks.spectators [SPECTATORS] [SECONDS]`. Core, page and spectators are three processes, as on a real
table. The core plays a fixed hand again and again, four actions a second (people at a table: one or two); each event
carries the time at which it happened, and the clock is the same in all processes (CLOCK_MONOTONIC). The core's
processor time is taken with one spectator there, and with all of them.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from socket import create_connection as connect_to
from statistics import median, quantiles

from websockets.asyncio.client import connect

ROOT = Path(__file__).parents[1]
EVERY_S = 0.25
#: connections that are being made at a time
AT_A_TIME = 20
PORT = 18980
UPDATE = re.compile(r'\{"type":"update","age":0,"seq":(\d+),')


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


async def watch(spectators: int, seconds: float, pids: tuple[int, int]) -> tuple[list[float], float, float]:
    """Seconds from an event to each socket; what the two processes cost while all are there, in processors."""
    heard: list[tuple[float, int]] = []
    happened: dict[int, float] = {}
    there = asyncio.Semaphore(0)
    begun = 0.0
    ends = asyncio.get_running_loop().create_future()

    async def hear(number: int) -> None:
        async with _connected() as socket:
            there.release()
            async for message in socket:
                now = time.monotonic()
                if ends.done():
                    return
                found = UPDATE.match(str(message))
                if found and begun:  # all are there
                    heard.append((now, int(found[1])))
                    if number == 0:  # one reads them: 200 that do so in this process would wait for each other
                        happened.update((event["seq"], event["t"]) for event in json.loads(message)["events"])

    tasks = []
    for number in range(spectators):
        tasks.append(asyncio.ensure_future(hear(number)))
        if number >= AT_A_TIME:
            await there.acquire()
    for _ in range(min(spectators, AT_A_TIME)):
        await there.acquire()
    begun, before = time.monotonic(), [cpu_seconds(pid) for pid in pids]
    await asyncio.sleep(seconds)
    took = time.monotonic() - begun
    core_cost, page_cost = ((cpu_seconds(pid) - old) / took for pid, old in zip(pids, before, strict=True))
    ends.set_result(None)
    await asyncio.gather(*tasks)
    return [now - happened[seq] for now, seq in heard if seq in happened], core_cost, page_cost


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
        for count in (1, spectators):
            late, core_cost, page_cost = asyncio.run(watch(count, seconds, (table.pid, web.pid)))
            p99 = quantiles(late, n=100)[98]
            print(
                f"{count:4} spectators: {len(late)} events heard; median {median(late) * 1000:.1f} ms, p99 "
                f"{p99 * 1000:.1f} ms, longest {max(late) * 1000:.1f} ms; core {core_cost:.1%} of a processor, "
                f"page {page_cost:.1%}; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors"
            )


def _until_it_listens() -> None:
    ends = time.monotonic() + 180
    while time.monotonic() < ends:
        with contextlib.suppress(OSError), connect_to(("127.0.0.1", PORT), timeout=5):
            return
        time.sleep(0.1)
    raise SystemExit("the page did not start within three minutes")


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
