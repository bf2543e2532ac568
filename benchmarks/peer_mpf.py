"""mpf, the Mission Pinball Framework, beside a core: a Python program that runs a machine with motors, switches and
displays, on its virtual platform and with an empty machine.

Its libraries are not those of tablectl, so it gets an environment of its own in a temporary folder. Where it cannot be
installed (no network) there are no figures of it.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.processes import Figures, import_seconds, left_alone

#: what it says once it waits for its machine
RUNS = "Starting the main run loop"


def measure() -> Figures | None:
    """The figures of today, on this machine; None where mpf cannot be had."""
    with tempfile.TemporaryDirectory(prefix="tablectl-mpf-") as name:
        folder = Path(name)
        python = folder / "env" / "bin" / "python"
        machine = folder / "machine"
        (machine / "config").mkdir(parents=True)
        (machine / "config" / "config.yaml").write_text("#config_version=6\n")
        subprocess.run([sys.executable, "-m", "venv", folder / "env"], check=True)
        installed = subprocess.run([python, "-m", "pip", "install", "-q", "mpf"], capture_output=True, check=False)
        if installed.returncode:
            return None
        imported = import_seconds(str(python), "mpf.core.machine")
        with _running(python, machine):  # what it compiles and caches at its first start is no start of every day
            pass
        begun = time.perf_counter()
        with _running(python, machine) as pid:
            ready = time.perf_counter() - begun
            return Figures(imported, ready, *left_alone(pid))


@contextmanager
def _running(python: Path, machine: Path) -> Iterator[int]:
    """mpf at work, without hardware (-x), media controller (-b) and text display (-t)."""
    process = subprocess.Popen(
        [python, "-m", "mpf", "game", machine, "-x", "-b", "-t"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    assert process.stdout is not None
    said = []
    try:
        for line in process.stdout:
            said.append(line.decode(errors="replace"))
            if RUNS in said[-1]:
                yield process.pid
                return
        raise RuntimeError("mpf ended before it ran:\n" + "".join(said[-20:]))
    finally:
        process.kill()
        process.communicate()
