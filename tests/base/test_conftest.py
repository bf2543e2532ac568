"""The hygiene of tests: what the fixtures of conftest.py refuse."""

from __future__ import annotations

import fnmatch
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

CASES = {
    "task": (
        """
        import asyncio
        async def test_it():
            asyncio.create_task(asyncio.sleep(5), name="forgotten")
        """,
        "*task forgotten: *",
    ),
    "timer": (
        """
        import asyncio
        async def test_it():
            asyncio.get_running_loop().call_later(5, print)
        """,
        "*timer <TimerHandle when=5.0*",
    ),
    "exception": (
        """
        import asyncio
        async def test_it():
            asyncio.get_running_loop().call_soon(lambda: 1 / 0)
        """,
        "*exception nobody caught: *ZeroDivisionError*",
    ),
    "thread": (
        """
        import threading
        go = threading.Event()
        def test_it():
            threading.Thread(target=go.wait, name="stray", daemon=True).start()
        """,
        "*thread stray*",
    ),
    "socket": (
        """
        import socket
        kept = []
        def test_it():
            kept.append(socket.socketpair())
        """,
        "*socket:*(descriptor *",
    ),
    "sleep": (
        """
        import time
        def test_it():
            time.sleep(0)
        """,
        "*time.sleep; wait on the clock instead*",
    ),
    "deadlock": (
        """
        import asyncio
        async def test_it():
            await asyncio.Event().wait()
        """,
        "*Deadlock: nothing is ready and nothing is scheduled*",
    ),
    "endless": (
        """
        import asyncio, pytest
        @pytest.mark.virtual_limit(10)
        async def test_it():
            while True:
                await asyncio.sleep(1)
        """,
        "*TimeLimit: virtual time reached its limit of 10 s*",
    ),
}


PASSING = """
import asyncio
from hypothesis import given, strategies as st
async def test_fixtures_and_an_hour(tmp_path):
    assert tmp_path.exists()
    await asyncio.sleep(3600)
@given(seconds=st.floats(0, 100))
async def test_given(seconds):
    await asyncio.sleep(seconds)
    assert asyncio.get_running_loop().time() == seconds
"""


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What pytest printed about each of these tests, run together in a process of their own."""
    folder = tmp_path_factory.mktemp("hygiene")
    conftest = (Path(__file__).parents[1] / "conftest.py").read_text()
    (folder / "conftest.py").write_text(conftest.replace("THREAD_GRACE_S = 1.0", "THREAD_GRACE_S = 0.01"))
    (folder / "test_passing.py").write_text(PASSING)
    for name, (source, _) in CASES.items():
        (folder / f"test_{name}.py").write_text(textwrap.dedent(source))
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--tb=short", "-rA", "-c", "/dev/null", "."]
    env = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    result = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=60, check=False)
    sections: dict[str, str] = {}
    for line in result.stdout.splitlines():
        for name in CASES:
            if f"test_{name}.py::" in line:
                sections[name] = sections.get(name, "") + line + "\n"
    return {**sections, "all": result.stdout}


@pytest.mark.parametrize("name", CASES)
def test_what_a_test_leaves_fails_it(output: dict[str, str], name: str) -> None:
    assert "FAILED" in output[name] or "ERROR" in output[name]
    assert fnmatch.filter(output["all"].splitlines(), CASES[name][1])


def test_clean_async_tests_pass_with_fixtures_and_with_hypothesis(output: dict[str, str]) -> None:
    assert "PASSED test_passing.py::test_fixtures_and_an_hour" in output["all"]
    assert "PASSED test_passing.py::test_given" in output["all"]
