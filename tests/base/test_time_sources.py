"""Time has one source: nothing but base/clock.py asks the system for it, and nothing sleeps for real."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CLOCK = ROOT / "tablectl" / "base" / "clock.py"
FILES = sorted(path for folder in ("tablectl", "tests") for path in (ROOT / folder).rglob("*.py"))

#: accounts and sessions of the page's process end by the calendar, not by the table's clock; tests hand in their own
ACCOUNTS = ROOT / "tablectl" / "web" / "store.py"

#: what nobody may import, and where it may be (conftest replaces time.sleep)
MODULES = {"time": {CLOCK, ACCOUNTS, ROOT / "tests" / "conftest.py"}}
#: calls by their last two names
CALLS = {
    ("time", "sleep"),
    ("time", "time"),
    ("time", "monotonic"),
    ("time", "perf_counter"),
    ("datetime", "now"),
    ("datetime", "utcnow"),
    ("datetime", "today"),
    ("date", "today"),
    ("threading", "Timer"),
    ("signal", "alarm"),
    ("signal", "setitimer"),
}


def banned(source: str, path: Path) -> Iterator[str]:
    """Every use of the system's time in ``source``, with its line."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for name in node.names:
                if path not in MODULES.get(name.name, {path}):
                    yield f"{path}:{node.lineno}: import {name.name}"
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            for name in node.names:
                if path not in MODULES.get(node.module or "", {path}) or (node.module, name.name) in CALLS:
                    yield f"{path}:{node.lineno}: from {node.module} import {name.name}"
        elif isinstance(node, ast.Attribute):
            owner = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
            if (owner, node.attr) in CALLS and path not in MODULES.get(owner, set()):
                yield f"{path}:{node.lineno}: {owner}.{node.attr}"


def test_nobody_but_the_clock_asks_for_the_time() -> None:
    assert len(FILES) > 50
    assert [use for path in FILES for use in banned(path.read_text(encoding="utf-8"), path)] == []


@pytest.mark.parametrize(
    "source",
    [
        "import time",
        "import os, time",
        "from time import monotonic",
        "from time import sleep as rest",
        "import datetime\nx = datetime.datetime.now()",
        "from datetime import datetime\nx = datetime.now(tz)",
        "from datetime import date\nx = date.today()",
        "import threading\nthreading.Timer(1, f).start()",
        "from threading import Timer",
        "def f():\n    import time",
        "rest = time.sleep",
    ],
)
def test_each_way_to_the_systems_time_is_found(source: str) -> None:
    assert list(banned(source, ROOT / "tablectl" / "x.py"))


def test_what_only_looks_like_it_is_fine() -> None:
    source = "from datetime import datetime\nx = datetime.fromtimestamp(clock.wall())\ny = self.time()\nz = clock.now()"
    assert list(banned(source, ROOT / "tablectl" / "x.py")) == []
    assert list(banned("import time\nx = time.monotonic()", CLOCK)) == []
