"""Ten thousand cycles of the machine on virtual time; memory must stay flat: ``python -m benchmarks endurance``.

Prints the resident memory and the objects that the garbage collector knows, every tenth of the way, and the seconds of
CPU that a cycle takes. The people only press and push; nothing is played.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import logging
import sys
from collections.abc import Sequence
from pathlib import Path

from tablectl.base.clock import cpu_seconds, run_virtual

CYCLES = 10_000


def resident_mb() -> float:
    """Resident memory of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6


async def turn(cycles: int) -> list[tuple[int, float, int, float]]:
    """(cycles, MB, objects, CPU seconds) at every tenth of the way."""
    from simulated_table import Rig

    from tablectl.sim.wear import Wear

    found = []
    async with Rig(wear=Wear(double_count=0.0002, missed_count=0.0002, jam=0.00005)) as rig:
        kept = (rig.states, rig.points, rig.ignored, rig.passages, rig.runs, rig.retried)
        for number in range(1, cycles + 1):
            while not rig.machine.status.ready:
                await asyncio.sleep(1)
                if rig.faults.stopped:
                    await rig.mend()
            await rig.cycle()
            for log in kept:
                log.clear()  # what the test bench keeps is not the table's memory
            if number % max(1, cycles // 10) == 0:
                gc.collect()
                found.append((number, resident_mb(), len(gc.get_objects()), cpu_seconds()))
    return found


def command(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks endurance", description=__doc__)
    parser.add_argument("--cycles", type=int, default=CYCLES)
    asked = parser.parse_args(arguments)
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
    logging.disable(logging.CRITICAL)
    for number, megabytes, objects, cpu in run_virtual(turn(asked.cycles)):
        print(f"{number:6} cycles: {megabytes:6.1f} MB, {objects} objects, {1000 * cpu / number:.1f} ms CPU a cycle")
    return 0
