"""What systemd hears, from a socket of our own."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tablectl.base.notify import notify, sign_seconds


@pytest.fixture
def systemd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(str(tmp_path / "notify"))
        listening.settimeout(2)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        yield listening


def test_fields_are_lines_of_one_datagram(systemd: socket.socket) -> None:
    assert notify(READY=1, STATUS="东风一号桌, machine ready")
    assert systemd.recv(4096).decode() == "READY=1\nSTATUS=东风一号桌, machine ready"


def test_an_abstract_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    name = f"tablectl-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(f"\0{name}")
        listening.settimeout(2)
        monkeypatch.setenv("NOTIFY_SOCKET", f"@{name}")
        assert notify(WATCHDOG=1)
        assert listening.recv(100) == b"WATCHDOG=1"


def test_one_who_listens_too_slowly_holds_nobody_up(systemd: socket.socket) -> None:
    sent = 0
    while notify(STATUS="machine ready"):
        sent += 1
        assert sent < 10_000
    assert sent > 0
    assert systemd.recv(100) == b"STATUS=machine ready"
    assert notify(WATCHDOG=1)


def test_nobody_listens(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    assert not notify(READY=1)
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "gone"))
    assert not notify(READY=1)


def test_a_sign_is_due_three_times_in_the_time_of_the_watchdog(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WATCHDOG_USEC", "9000000")
    monkeypatch.setenv("WATCHDOG_PID", str(os.getpid()))
    assert sign_seconds() == 3.0
    monkeypatch.setenv("WATCHDOG_PID", str(os.getpid() + 1))
    assert sign_seconds() is None
    monkeypatch.delenv("WATCHDOG_PID")
    assert sign_seconds() == 3.0
    monkeypatch.setenv("WATCHDOG_USEC", "soon")
    assert sign_seconds() is None
