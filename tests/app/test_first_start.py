"""A table that starts for the first time, or on a machine where something is not as it should be."""

from __future__ import annotations

import asyncio
import errno
import os
import socket
from pathlib import Path
from typing import Any

import pytest

from tablectl.base.clock import LoopClock
from tablectl.base.faults import DeviceError
from tablectl.base.settings import SettingsError
from tablectl.base.trace_log import TraceLog
from tablectl.commands.running import run_table
from tablectl.core.running import assemble
from tablectl.core.site import Site, load_site
from tablectl.drivers.serial_line import LineSettings, SerialLine

ROOT = Path(__file__).parents[2]


def traced(folder: Path) -> Site:
    """The simulated table, keeping traces in ``folder``."""
    site = load_site(ROOT / "config/sim.yaml")
    traces = site.settings.traces.model_copy(update={"folder": folder})
    return Site(site.settings.model_copy(update={"trace": True, "traces": traces}), site.rules)


async def test_without_a_place_for_traces_the_table_plays(tmp_path: Path) -> None:
    (tmp_path / "traces").write_text("a file", encoding="utf-8")
    core = assemble(traced(tmp_path / "traces"), LoopClock(), seed=1)
    await plays(core)


async def test_a_disk_that_does_not_take_the_trace_does_not_stop_play(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(TraceLog, "write", full)
    monkeypatch.setattr(TraceLog, "close", full)
    await plays(assemble(traced(tmp_path / "traces"), LoopClock(), seed=1))


async def plays(core: Any) -> None:
    working = asyncio.ensure_future(core.run())
    await core.clock.sleep(20)
    assert not working.done()
    core.stop()
    await working


def test_a_table_without_a_register_says_how_to_get_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "table.yaml"
    path.write_text(
        f"table: new\nbackend: hardware\nmachine: {ROOT}/hardware/six-relay\ntiles: tiles.yaml\n"
        "rules: {id: competition}\njournal: {path: journal.sqlite}\nlink: {socket: link.sock}\n",
        encoding="utf-8",
    )
    assert run_table(path, tmp_path) == 1
    assert "tiles.yaml: no tile set is registered yet: tablectl tags enroll NAME" in capsys.readouterr().err


async def test_a_program_without_a_network_tells_it_of_a_reader_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """As under systemd: RestrictAddressFamilies=AF_UNIX."""
    usual = socket.socket

    def refused(family: int = -1, *more: Any) -> socket.socket:
        if family == socket.AF_INET:
            raise OSError(errno.EAFNOSUPPORT, os.strerror(errno.EAFNOSUPPORT))
        return usual(family, *more)

    monkeypatch.setattr(socket, "socket", refused)
    line = SerialLine("seat0", LineSettings("socket://192.168.1.50:10001"), LoopClock())
    with pytest.raises(DeviceError, match="sudo systemctl edit tablectl"):
        await line.open()


def test_a_display_on_pins_of_the_table_model_is_refused(tmp_path: Path) -> None:
    text = (ROOT / "config/table.yaml").read_text("utf-8")
    for model in ("six-relay", "reference-4port"):
        path = tmp_path / f"{model}.yaml"
        lines = text.replace("../hardware/reference-4port", f"{ROOT}/hardware/{model}")
        path.write_text(lines.replace("rules/competition.yaml", f"{ROOT}/config/rules/competition.yaml"), "utf-8")
    load_site(tmp_path / "reference-4port.yaml")
    with pytest.raises(SettingsError) as refused:
        load_site(tmp_path / "six-relay.yaml")
    (problem,) = refused.value.problems
    assert "displays[1]: the table model has gpio.9 (head_eye.2)" in str(problem)
    assert "gpio.24 (tray_home)" in str(problem)
