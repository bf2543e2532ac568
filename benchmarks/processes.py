"""What a process of this machine uses, as Linux counts it."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
#: how long a program is left alone before it is looked at, and for how long it is watched
SETTLING_S = 3.0
IDLE_S = 10.0


@dataclass(frozen=True)
class Figures:
    """A program: ``import_s`` over bare Python; ``ready_s`` from its start; ``resident_mb``; ``idle_percent`` of a
    processor while it is left alone."""

    import_s: float
    ready_s: float
    resident_mb: float
    idle_percent: float


def left_alone(pid: int) -> tuple[float, float]:
    """The memory of a process that is ready, in MB, and percent of a processor that it uses then."""
    time.sleep(SETTLING_S)
    memory, before = resident_mb(pid), cpu_seconds(pid)
    time.sleep(IDLE_S)
    return memory, (cpu_seconds(pid) - before) / IDLE_S * 100


def import_seconds(python: str, module: str) -> float:
    """How long ``module`` takes to be imported, beyond the start of ``python``."""
    return seconds_of([python, "-c", f"import {module}"]) - seconds_of([python, "-c", "pass"])


def resident_mb(pid: int) -> float:
    """Memory of a process that is in use, in MB; 0 where the process is not there."""
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) / 1024 if found else 0.0


def cpu_seconds(pid: int) -> float:
    """Processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def seconds_of(command: Sequence[str], rounds: int = 5) -> float:
    """How long a program takes from start to end, the best of ``rounds``."""
    taken = []
    for _ in range(rounds):
        begun = time.perf_counter()
        subprocess.run(command, capture_output=True, check=True, cwd=ROOT)
        taken.append(time.perf_counter() - begun)
    return min(taken)
