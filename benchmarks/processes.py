"""What a process of this machine uses, as Linux counts it."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]


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
