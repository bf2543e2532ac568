"""A table in real time with clients: ``python -m benchmarks.real_time [--minutes N] [--clients N]``.

Core and page are the two processes of a table, with people who play on and a journal on disk. Spectators keep the live
view open all the time; a referee comes every few seconds, asks for everything a page shows, and goes. Printed every
minute: memory, open descriptors and threads of both processes, hands, and bytes of the journal a hand. In the end: what
grew since the first tenth of the time, and whether every spectator heard every event.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from websockets.asyncio.client import connect

from benchmarks.processes import ROOT, resident_mb
from tablectl.client import ApiError, Table

PORT = 18981
EVERY_S = 60.0
VISIT_S = 5.0
#: what a process may hold more at the end than after the first tenth of the time
MORE_MB, MORE_DESCRIPTORS = 2.0, 8


@dataclass(frozen=True)
class Look:
    minute: float
    hands: int
    journal_bytes: int
    core: tuple[float, int, int]
    page: tuple[float, int, int]

    def __str__(self) -> str:
        each = (
            f"{name} {mb:.1f} MB, {files} descriptors, {threads} threads"
            for name, (mb, files, threads) in (("core", self.core), ("page", self.page))
        )
        return f"{self.minute:6.1f} min, {self.hands:4} hands, journal {self.journal_bytes:,} bytes; {'; '.join(each)}"


def held(pid: int) -> tuple[float, int, int]:
    """Resident megabytes, open descriptors and threads of a process."""
    status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    files = len(list(Path(f"/proc/{pid}/fd").iterdir()))
    return resident_mb(pid), files, int(status["Threads"])


def journal_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.glob("journal.sqlite*"))


def configured(folder: Path) -> Path:
    text = (ROOT / "config" / "sim.yaml").read_text(encoding="utf-8").replace("../hardware", str(ROOT / "hardware"))
    text = re.sub(r"socket: .*", f"socket: {folder}/link.sock", text)
    text = text.replace('":memory:"', str(folder / "journal.sqlite")).replace("port: 8080", f"port: {PORT}")
    path = folder / "table.yaml"
    path.write_text(text, encoding="utf-8")
    return path


@contextmanager
def running(*words: str) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "tablectl", *words]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


async def watch(heard: set[int]) -> None:
    """A spectator's page: the numbers of all events it is told."""
    async with connect(f"ws://127.0.0.1:{PORT}/ws", max_size=None) as socket:
        async for message in socket:
            heard.update(event["seq"] for event in json.loads(message).get("events", []))


def visit(counted: dict[str, int]) -> None:
    """A referee looks at everything there is and goes."""
    table = Table(f"http://127.0.0.1:{PORT}", token="simulated-referee")
    table.state()
    counted["hands"] = max(counted["hands"], len(table.hands()))
    table.sheets()
    table.post("logout")
    counted["visits"] += 1


async def go(minutes: float, clients: int) -> tuple[list[Look], list[set[int]], dict[str, int]]:
    looks: list[Look] = []
    heard: list[set[int]] = [set() for _ in range(clients)]
    counted = {"hands": 0, "visits": 0, "refused": 0}
    with tempfile.TemporaryDirectory(prefix="tablectl-hours-") as name:
        folder = Path(name)
        config = configured(folder)
        with running("run", str(config), "--state", name) as core, running("web", str(config)) as page:
            await _answering()
            watching = [asyncio.ensure_future(watch(one)) for one in heard]
            begun, looked = time.monotonic(), 0.0
            while (gone := time.monotonic() - begun) < minutes * 60:
                try:
                    await asyncio.to_thread(visit, counted)
                except ApiError:
                    counted["refused"] += 1
                if gone >= looked:
                    looked += EVERY_S
                    size = journal_bytes(folder)
                    looks.append(Look(gone / 60, counted["hands"], size, held(core.pid), held(page.pid)))
                    print(looks[-1], flush=True)
                await asyncio.sleep(VISIT_S)
            for one in watching:
                one.cancel()
            await asyncio.gather(*watching, return_exceptions=True)
    return looks, heard, counted


async def _answering() -> None:
    for _ in range(600):
        with suppress(ApiError):
            await asyncio.to_thread(Table(f"http://127.0.0.1:{PORT}").state)
            return
        await asyncio.sleep(0.1)
    raise SystemExit("the table did not answer within a minute")


def grown(looks: list[Look]) -> list[str]:
    early, last = looks[len(looks) // 10], looks[-1]
    found = []
    for name in ("core", "page"):
        (mb, files, threads), (mb_then, files_then, threads_then) = getattr(last, name), getattr(early, name)
        for what, more, most in (
            ("MB", mb - mb_then, MORE_MB),
            ("descriptors", files - files_then, MORE_DESCRIPTORS),
            ("threads", threads - threads_then, 0),
        ):
            if more > most:
                found.append(f"{name}: {more:.1f} {what} more")
    return found


def command(given: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=120)
    parser.add_argument("--clients", type=int, default=6)
    words = parser.parse_args(given)
    looks, heard, counted = asyncio.run(go(words.minutes, words.clients))
    found = grown(looks)
    told = set().union(*heard)  # some alerts are no spectator's
    gaps = sum(len({n for n in told if n >= min(numbers)} - numbers) for numbers in heard if numbers)
    most = max(len(numbers) for numbers in heard)
    print(
        f"{counted['visits']} visits, {counted['refused']} refused; {most} events heard, {gaps} missed by a spectator"
    )
    print(f"grown: {'; '.join(found) or 'nothing'}")
    return 1 if found or gaps else 0


if __name__ == "__main__":
    sys.exit(command(sys.argv[1:]))
