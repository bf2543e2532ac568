"""Many spectators on one table: how long from an event in the core to their sockets, and what that costs the core.

The spectators are sockets that note when something came, and read it afterwards: a program that unpacks 200 messages
in one process would measure itself. They say that they can unpack, as browsers do.

`python -m benchmarks spectators [SPECTATORS] [SECONDS]`. Core, page and spectators are three processes, as on a real
table. The core plays a fixed hand again and again, four actions a second (people at a table: one or two); each event
carries the time at which it happened, and the clock is the same in all processes (CLOCK_MONOTONIC). The core's
processor time is taken with one spectator there, and with all of them.
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

from websockets.client import ClientProtocol
from websockets.extensions.permessage_deflate import ClientPerMessageDeflateFactory
from websockets.frames import Frame, Opcode
from websockets.uri import parse_uri

from benchmarks.processes import ROOT, cpu_seconds

EVERY_S = 0.25
PORT = 18980
#: what browsers offer: to unpack
EXTENSIONS = [ClientPerMessageDeflateFactory(client_max_window_bits=True)]
#: the server's sign of life: its first byte, and how many there are
PING, PING_BYTES = 0x89, 6


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


class Spectator(asyncio.Protocol):
    """A browser's socket. ``heard``: when bytes came, and which; they are read afterwards, after `watching`."""

    def __init__(self, there: asyncio.Semaphore) -> None:
        self.heard: list[tuple[float, bytes]] = []
        self.watching = False
        self._there = there
        self._frames = ClientProtocol(parse_uri(f"ws://127.0.0.1:{PORT}/ws"), extensions=EXTENSIONS, max_size=None)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._frames.send_request(self._frames.connect())
        self._answer()

    def data_received(self, data: bytes) -> None:
        if self.watching and not (data[0] == PING and len(data) == PING_BYTES):
            self.heard.append((time.monotonic(), data))
            return
        self.messages(data)
        self._answer()

    def close(self) -> None:
        self._transport.close()

    def messages(self, data: bytes) -> list[str]:
        """The messages in what came."""
        self._frames.receive_data(data)
        came = self._frames.events_received()
        found = [bytes(one.data).decode() for one in came if isinstance(one, Frame) and one.opcode is Opcode.TEXT]
        if any('"type":"state"' in message[:40] for message in found):
            self._there.release()
        return found

    def _answer(self) -> None:
        for data in self._frames.data_to_send():
            self._transport.write(data)


async def watch(spectators: int, seconds: float, pids: tuple[int, int]) -> tuple[list[float], float, float]:
    """Seconds from an event to each socket; what the two processes cost while all are there, in processors."""
    there = asyncio.Semaphore(0)
    loop = asyncio.get_running_loop()
    crowd: list[Spectator] = []
    for _ in range(spectators):
        _, one = await loop.create_connection(lambda: Spectator(there), "127.0.0.1", PORT)
        crowd.append(one)
        await there.acquire()
    for one in crowd:
        one.watching = True
    begun, before = time.monotonic(), [cpu_seconds(pid) for pid in pids]
    await asyncio.sleep(seconds)
    took = time.monotonic() - begun
    core_cost, page_cost = ((cpu_seconds(pid) - old) / took for pid, old in zip(pids, before, strict=True))
    late: list[float] = []
    for one in crowd:
        one.watching = False
        for at, data in one.heard:
            for message in one.messages(data):
                told = json.loads(message)
                if told["type"] == "update":
                    late += [at - event["t"] for event in told["events"]]
        one.close()
    return late, core_cost, page_cost


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


def command(words: list[str]) -> int:
    """`python -m benchmarks spectators [SPECTATORS] [SECONDS]`."""
    main(*(kind(word) for kind, word in zip((int, float), words, strict=False)))
    return 0


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
        command(words)
