"""The core's process: what it does without, and that ``tablectl run`` says the same by either way in."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tablectl.commands.running import STATE_DIR, given

#: of other commands and of the page
NOT_WANTED = (
    "ssl",
    "_ssl",
    "_hashlib",
    "typer",
    "click",
    "rich",
    "fastapi",
    "starlette",
    "uvicorn",
    "httpx",
    "websockets",
)
LOADED = f"""
import sys
from tablectl.commands import running
running.without_network()
import tablectl.core.running, tablectl.core.backends, hashlib
print(hashlib.sha256(b"table").hexdigest())
print(*(name for name in {NOT_WANTED!r} if sys.modules.get(name) is not None))
"""


def test_the_core_does_without_command_line_and_network() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True, timeout=60)
    digest, loaded = done.stdout.split("\n")[:2]
    assert loaded == ""
    assert digest == "0d4fc4a78d3706edccafb665a8b2fdd9309e82c78625bb0f2b8e7bb9e1c4d21c"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["run", "a.yaml"], (Path("a.yaml"), STATE_DIR)),
        (["run", "a.yaml", "--state", "s"], (Path("a.yaml"), Path("s"))),
        (["run"], None),
        (["run", "--help"], None),
        (["run", "--state", "s", "a.yaml"], None),
        (["run", "a.yaml", "b.yaml"], None),
        (["web", "a.yaml"], None),
        ([], None),
    ],
)
def test_only_plain_words_are_read_here(words: list[str], expected: object) -> None:
    assert given(words) == expected


def test_both_ways_in_explain_a_missing_configuration(tmp_path: Path) -> None:
    missing, state = str(tmp_path / "missing.yaml"), str(tmp_path / "state")
    told = []
    for words in ((missing, "--state", state), ("--state", state, missing)):  # the second: by the library
        command = [sys.executable, "-m", "tablectl", "run", *words]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stdout) == (2, "")
        told.append(done.stderr)
    assert told[0] == told[1]
    assert "missing.yaml" in told[0]
    assert "Traceback" not in told[0]
