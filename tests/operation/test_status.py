"""``status``: what scripts get from a running table, a stopped one, and one that is not there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from service_manager import Manager
from typer.testing import CliRunner

import tablectl
from tablectl.cli import app


def status(*words: object) -> Any:
    return CliRunner().invoke(app, ["status", *map(str, words)])


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[Manager]:
    manager = Manager(tmp_path)
    yield manager
    manager.close()


def test_no_table(tmp_path: Path) -> None:
    done = status("--socket", tmp_path / "link.sock")
    assert done.exit_code == 1
    assert done.output.startswith(f"not running: {tmp_path}/link.sock: the core does not answer")
    found = json.loads(status("--socket", tmp_path / "link.sock", "--json").output)
    assert (found["running"], found["fine"]) == (False, False)


def test_a_table_that_runs_and_one_that_a_fault_holds(manager: Manager) -> None:
    manager.start()
    socket = manager.folder / "link.sock"
    manager.until(lambda line: line == "WATCHDOG=1")
    done = status("--config", manager.folder / "table.yaml", "--json")
    found = json.loads(done.output)
    assert done.exit_code == 0
    assert (found["running"], found["fine"], found["idle"], found["simulated"]) == (True, True, True, False)
    assert (found["table"], found["rules"], found["version"]) == ("一号桌", "competition", tablectl.__version__)
    assert {fault["code"] for fault in found["faults"]} == {"R01", "R02"}  # no reader is plugged in: warnings
    words = status("--socket", socket).output
    assert words.startswith("一号桌: competition, machine homing, hand 1 ")
    assert "WARN R01 at reader.hands: A tile reader does not answer." in words
    # the trays never come up here: a fault, once their time is over
    while '"stop"' not in status("--socket", socket, "--json").output:
        manager.until(lambda line: line == "WATCHDOG=1")
    held = status("--socket", socket)
    assert held.exit_code == 1
    assert "STOP W05 at tray.0: A tray is stuck." in held.output
