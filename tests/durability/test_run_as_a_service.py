"""The program as systemd runs it: it tells when it is ready, gives signs of life, and ends in order on SIGTERM."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from killed_table import ROOT

from tablectl.base.clock import HandClock
from tablectl.base.journal import Journal

PATIENCE_S = 30.0


@pytest.fixture
def config(tmp_path: Path) -> Path:
    text = (ROOT / "config" / "sim.yaml").read_text(encoding="utf-8")
    text = text.replace('":memory:"', str(tmp_path / "journal.sqlite"))
    text = text.replace("/tmp/tablectl-sim.sock", str(tmp_path / "link.sock"))
    text = text.replace("../hardware", str(ROOT / "hardware"))
    path = tmp_path / "table.yaml"
    path.write_text(text, encoding="utf-8")
    return path


class Systemd:
    """A notify socket, and a service that knows it."""

    def __init__(self, folder: Path, config: Path, watchdog_s: float) -> None:
        self.heard: list[str] = []
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(folder / "notify"))
        self.socket.settimeout(PATIENCE_S)
        env = {**os.environ, "NOTIFY_SOCKET": str(folder / "notify"), "WATCHDOG_USEC": str(round(watchdog_s * 1e6))}
        command = [sys.executable, "-m", "tablectl", "run", str(config), "--state", str(folder / "state")]
        self.process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT)

    def until(self, field: str) -> None:
        """Wait until the service says ``field``."""
        while not any(field in line for line in self.heard):
            self.heard += self.socket.recv(4096).decode().splitlines()

    def end(self, number: signal.Signals) -> int:
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=PATIENCE_S)
        self.socket.close()
        self.out, self.err = out.decode(), err.decode()
        return self.process.returncode


def test_a_service_from_start_to_end(tmp_path: Path, config: Path) -> None:
    service = Systemd(tmp_path, config, watchdog_s=0.6)
    service.until("READY=1")
    assert any(line.startswith("STATUS=SIMULATED, 模拟桌, competition, machine ") for line in service.heard)
    service.heard.clear()
    service.until("WATCHDOG=1")
    assert service.end(signal.SIGTERM) == 0
    assert "Traceback" not in service.err
    assert (tmp_path / "state" / "last-good.yaml").exists()
    with Journal(tmp_path / "journal.sqlite", HandClock(), read_only=True) as journal:
        assert [entry.type for entry in journal.facts() if entry.type in ("begun", "ended")] == ["begun", "ended"]
        assert journal.verify() == []
