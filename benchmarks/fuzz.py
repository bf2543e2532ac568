"""Every parser that takes bytes from outside, fuzzed with coverage: ``python -m benchmarks.fuzz [TARGET …]``.

Atheris (libFuzzer; the extra ``fuzz``) mutates the seeds and keeps what reaches new code. Each target runs in a process
of its own. A parser may refuse what it is given with its own error; anything else that comes out of it is a crash: the
input is printed, and belongs into tests/fuzz/crashes.yaml once it is mended.

Where atheris has no wheel, ``tests/fuzz/test_fuzz.py`` does the same with mutations of the seeds, without coverage.
"""

from __future__ import annotations

import argparse
import logging
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "fuzz"))
sys.path.insert(0, str(ROOT / "tests" / "drivers"))

RUNS = 200_000
MAX_BYTES = 4096


def fuzz(name: str, runs: int, corpus: Path) -> None:
    """One target in this process; atheris ends it."""
    import atheris

    with atheris.instrument_imports(include=["tablectl"]):
        import fuzz_targets
    logging.disable(logging.CRITICAL)
    target = fuzz_targets.TARGETS[name]
    for number, seed in enumerate(target.seeds()):
        (corpus / f"seed-{number}").write_bytes(seed)
    words = [
        sys.argv[0],
        f"-atheris_runs={runs}",
        f"-max_len={MAX_BYTES}",
        "-rss_limit_mb=1024",
        f"-artifact_prefix={corpus}/",
        str(corpus),
    ]
    atheris.Setup(words, target.take)
    atheris.Fuzz()


def command(given: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*")
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--here", type=Path, help=argparse.SUPPRESS)
    words = parser.parse_args(given)
    if words.here is not None:
        fuzz(words.targets[0], words.runs, words.here)
        return 0
    from fuzz_targets import TARGETS

    unknown = sorted(set(words.targets) - set(TARGETS))
    if unknown:
        parser.error(f"no target {', '.join(unknown)}; expected some of {', '.join(TARGETS)}")
    crashed, total = [], 0
    for name in words.targets or TARGETS:
        with tempfile.TemporaryDirectory(prefix="tablectl-fuzz-") as corpus:
            command = [sys.executable, "-m", "benchmarks.fuzz", name, "--runs", str(words.runs), "--here", corpus]
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, errors="replace")
            kept = len(list(Path(corpus).iterdir()))
            total += words.runs if done.returncode == 0 else 0
            found = re.findall(r"cov: (\d+)", done.stderr)
            coverage = found[-1] if found else "?"
            print(f"{name:18} {words.runs:>9,} inputs, coverage {coverage:>6}, {kept} kept", flush=True)
            if done.returncode != 0:
                crashed.append(name)
                print(done.stderr[-3000:])
                for path in Path(corpus).glob("crash-*"):
                    print(f"  input: {path.read_bytes()!r}")
    print(f"{total:,} inputs, crashes in: {', '.join(crashed) or 'none'}")
    return 1 if crashed else 0


if __name__ == "__main__":
    sys.exit(command(sys.argv[1:]))
