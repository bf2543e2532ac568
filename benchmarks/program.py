"""The program as a whole: start, memory, idle processor, virtual time, from a report to the event on the link.

The peer of start and memory is mpf, measured in the same run where it can be installed; the published figures of others
stand in the column of the bar.
"""

from __future__ import annotations

import json
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from benchmarks import Row, peer_mpf
from benchmarks.processes import ROOT, Figures, import_seconds, left_alone

MATCH_SEEDS = range(1, 4)
#: how much slower than people at ease the simulated ones are: the walls are raised minutes after they are built
IN_NO_HURRY = 100


def run() -> list[Row]:
    return [*_start(), *_matches(), _latency(), _replay()]


#: figure, what it is, unit, bar
FIGURES = (
    ("import_s", "import of the core, over bare Python", "s", "≤ 0.3 (mpf 0.2, OctoPrint 1.9)"),
    ("ready_s", "core ready (simulated)", "s", "≤ 0.6 (mpf 0.4, Moonraker 0.6–1.0)"),
    ("resident_mb", "resident memory, with two displays", "MB", "≤ 40 (mpf 40, Moonraker 51, OctoPrint 88)"),
    ("idle_percent", "processor at rest: antennas are read, walls wait to be raised", "% of a core", "≤ 0.5"),
)


def _start() -> list[Row]:
    core, peer = _core(), peer_mpf.measure()
    return [
        Row(what, getattr(core, name), unit, bar, {"mpf, no machine": getattr(peer, name)} if peer else {})
        for name, what, unit, bar in FIGURES
    ]


def _core() -> Figures:
    """A core by itself with a simulated table whose people are in no hurry to press the lift key."""
    imported = import_seconds(sys.executable, "tablectl.core.running")
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "table.yaml"
        text = (ROOT / "config" / "sim.yaml").read_text().replace("../hardware", str(ROOT / "hardware"))
        text = text.replace("tempo: 1\n", f"tempo: {IN_NO_HURRY}\n")
        link = Path(folder) / "link.sock"
        config.write_text(re.sub(r"socket: .*", f"socket: {link}", text))
        said = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        said.bind(f"{folder}/notify")
        begun = time.perf_counter()
        core = subprocess.Popen(
            [sys.executable, "-m", "tablectl", "run", str(config), "--state", folder],
            stdout=subprocess.DEVNULL,
            cwd=ROOT,
            env={**os.environ, "NOTIFY_SOCKET": f"{folder}/notify"},
        )
        try:
            while b"READY=1" not in said.recv(4096):
                pass
            ready = time.perf_counter() - begun
            while _machine(link) != "ready":
                time.sleep(1.0)
            return Figures(imported, ready, *left_alone(core.pid))
        finally:
            said.close()
            core.terminate()
            core.wait()


def _machine(link: Path) -> str:
    """What the machine of a running table does, as `tablectl status` says it."""
    words = [sys.executable, "-m", "tablectl", "status", "--socket", str(link), "--json"]
    return str(json.loads(subprocess.run(words, capture_output=True, check=True, cwd=ROOT).stdout)["machine"])


def _matches() -> list[Row]:
    """With antennas that do not err, as the bar is meant, and with those of every day."""
    return [*_match_rows("clean", "≤ 0.15", "≤ 2.5", "mpf about 1,400"), *_match_rows("normal")]


def _match_rows(noise: str, hand_bar: str = "", match_bar: str = "", pace_bar: str = "") -> list[Row]:
    from tablectl.app import shipped
    from tablectl.core.simulation import play
    from tablectl.core.site import load_site

    site = load_site(shipped("config", "sim.yaml"))
    sim = site.settings.sim.model_copy(update={"noise": noise})
    site = replace(site, settings=site.settings.model_copy(update={"sim": sim}))
    matches = [play(site, seed) for seed in MATCH_SEEDS]
    hands = sum(match.hands for match in matches)
    cpu = sum(match.cpu_s for match in matches)
    virtual = sum(match.virtual_s for match in matches)
    return [
        Row(f"a hand on virtual time, everything on, noise {noise}", cpu / hands, "s", hand_bar),
        Row(f"16 hands on virtual time, noise {noise}", 16 * cpu / hands, "s", match_bar),
        Row(f"table seconds a processor second, noise {noise}", virtual / cpu, "", pace_bar),
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
