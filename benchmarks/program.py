"""The program as a whole: start, memory, idle processor, virtual time, from a report to the event on the link.

The peer of start and memory is mpf, measured in the same run where it can be installed; the published figures of others
stand in the column of the bar.
"""

from __future__ import annotations

import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks import Row, peer_mpf
from benchmarks.processes import ROOT, cpu_seconds, resident_mb, seconds_of

MATCH_SEEDS = range(1, 4)


def run() -> list[Row]:
    return [*_start(), *_matches(), _latency(), _replay()]


def _start() -> list[Row]:
    """A core by itself with a simulated table whose lift key nobody presses: ready, memory, processor while idle."""
    peer = peer_mpf.measure()
    bare = seconds_of([sys.executable, "-c", "pass"])
    imported = seconds_of([sys.executable, "-c", "import tablectl.core.running"])
    ready, memory, used = _core()

    def beside(figure: Callable[[peer_mpf.Figures], float]) -> dict[str, float]:
        return {"mpf, no machine": figure(peer)} if peer else {}

    return [
        Row(
            "import of the core, over bare Python",
            imported - bare,
            "s",
            "≤ 0.3 (mpf 0.2, OctoPrint 1.9)",
            beside(lambda peer: peer.import_s),
        ),
        Row(
            "core ready (simulated)",
            ready,
            "s",
            "≤ 0.6 (mpf 0.4, Moonraker 0.6–1.0)",
            beside(lambda peer: peer.ready_s),
        ),
        Row(
            "resident memory, with two displays",
            memory,
            "MB",
            "≤ 40 (mpf 40, Moonraker 51, OctoPrint 88)",
            beside(lambda peer: peer.resident_mb),
        ),
        Row(
            "processor while a set is shuffled, simulation included",
            used,
            "% of a core",
            "≤ 0.5 idle",
            beside(lambda peer: peer.idle_percent),
        ),
    ]


def _core() -> tuple[float, float, float]:
    """Seconds until a core is ready, its memory in MB, and percent of a processor while it is left alone."""
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
            time.sleep(peer_mpf.SETTLING_S)
            memory, before = resident_mb(core.pid), cpu_seconds(core.pid)
            time.sleep(peer_mpf.IDLE_S)
            return ready, memory, (cpu_seconds(core.pid) - before) / peer_mpf.IDLE_S * 100
        finally:
            core.terminate()
            core.wait()


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
