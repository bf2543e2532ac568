"""The program as a whole: start, memory, idle processor, virtual time, from a report to the event on the link.

Peers of start and memory are mpf and Moonraker; they need their own installation, so their published figures stand in
the column of the bar.
"""

from __future__ import annotations

import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks import Row

ROOT = Path(__file__).parents[1]
IDLE_SECONDS = 10.0
MATCH_SEEDS = range(1, 4)


def run() -> list[Row]:
    return [*_start(), *_matches(), _latency(), _replay()]


def _python(code: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    ).stdout.strip()


def _start() -> list[Row]:
    bare = min(_seconds("pass") for _ in range(5))
    imported = min(_seconds("import tablectl.core.running") for _ in range(5))
    return [
        Row("import of the core, over bare Python", imported - bare, "s", "≤ 0.3 (mpf 0.2, OctoPrint 1.9)"),
        *_process(),
    ]


def _seconds(code: str) -> float:
    begun = time.perf_counter()
    _python(code)
    return time.perf_counter() - begun


def _process() -> list[Row]:
    """A core by itself with a simulated table whose lift key nobody presses: ready, memory, processor while idle."""
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "table.yaml"
        text = (ROOT / "config" / "sim.yaml").read_text().replace("../hardware", str(ROOT / "hardware"))
        socket = Path(folder) / "link.sock"
        config.write_text(re.sub(r"socket: .*", f"socket: {socket}", text))
        begun = time.perf_counter()
        core = subprocess.Popen(
            [sys.executable, "-m", "tablectl", "run", str(config), "--state", folder],
            stdout=subprocess.DEVNULL,
            cwd=ROOT,
        )
        try:
            while not socket.exists():
                time.sleep(0.002)
            ready = time.perf_counter() - begun
            time.sleep(3)
            memory = _memory_mb(core.pid)
            before = _cpu_seconds(core.pid)
            time.sleep(IDLE_SECONDS)
            used = (_cpu_seconds(core.pid) - before) / IDLE_SECONDS * 100
        finally:
            core.terminate()
            core.wait()
    return [
        Row("core ready (simulated)", ready, "s", "≤ 0.6 (mpf 0.4, Moonraker 0.6–1.0)"),
        Row("resident memory, with two displays", memory, "MB", "≤ 40 (mpf 40, Moonraker 51, OctoPrint 88)"),
        Row("processor while a set is shuffled, simulation included", used, "% of a core", "≤ 0.5 idle"),
    ]


def _memory_mb(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    return int(found[1]) / 1024 if found else 0.0


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _matches() -> list[Row]:
    from tablectl.app import shipped
    from tablectl.core.simulation import play
    from tablectl.core.site import load_site

    site = load_site(shipped("config", "sim.yaml"))
    matches = [play(site, seed) for seed in MATCH_SEEDS]
    hands = sum(match.hands for match in matches)
    cpu = sum(match.cpu_s for match in matches)
    virtual = sum(match.virtual_s for match in matches)
    return [
        Row("a hand on virtual time, everything on", cpu / hands, "s", "≤ 0.15"),
        Row("16 hands on virtual time", 16 * cpu / hands, "s", "≤ 2.5"),
        Row("table seconds a processor second", virtual / cpu, "", "mpf about 1,400"),
    ]


def _latency() -> Row:
    """From a reading to its events as the link sends them: the work alone, on a noisy trace."""
    from tablectl.base.trace import Trace
    from tablectl.commands.replay import pipeline_for
    from tablectl.game.events import to_json

    trace = Trace(ROOT / "tests" / "traces" / "competition-normal.trace.jsonl.gz")
    pipeline = pipeline_for(trace.header)
    spent = []
    for report in trace:
        begun = time.perf_counter()
        events = pipeline.feed(report)
        for event in events:
            json.dumps(to_json(event))
        spent.append((time.perf_counter() - begun) * 1000)
    return Row("report to event, p99 of all reports", statistics.quantiles(spent, n=100)[98], "ms", "≤ 5")


def _replay() -> Row:
    from tablectl.base.trace import Trace
    from tablectl.commands.replay import pipeline_for
    from tablectl.tracking.replay import replay

    trace = Trace(ROOT / "tests" / "traces" / "competition-clean.trace.jsonl.gz")
    begun = time.process_time()
    replay(pipeline_for(trace.header), trace)
    return Row("replay of a clean trace", 60 / (time.process_time() - begun), "hands a minute", "≥ 200")
