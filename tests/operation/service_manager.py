"""As much of systemd as a unit of type notify needs: starts what the unit says, listens, watches, cleans up."""

from __future__ import annotations

import os
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from service_units import ROOT, Unit

from tablectl.base.clock import LoopClock
from tablectl.rules.registry import load
from tablectl.tiles.tags import TagRegister, save_register

PROGRAM = "/opt/tablectl/current/bin/tablectl"
BENCH = Path(__file__).with_name("table_on_a_bench.py")
PATIENCE_S = 120.0

CONFIG = """\
table: 一号桌
backend: hardware
machine: {root}/hardware/six-relay
tiles: tiles.yaml
rules: {{id: competition}}
journal: {{path: journal.sqlite}}
link: {{socket: link.sock}}
"""
#: the relays of six-relay, on at low level, and its dead-man line
RELAYS = (5, 6, 13, 16, 19, 20)
DEADMAN = 26


class Level:
    """A line of the bench: pin ``pin`` was driven to ``level`` at ``t``."""

    def __init__(self, line: str) -> None:
        t, pin, level = line.split()
        self.t, self.pin, self.level = float(t), int(pin), level == "1"


class Manager:
    """Runs the unit `tablectl` for the table in ``folder``. ``watchdog_s`` instead of the unit's, which is long."""

    def __init__(self, folder: Path, watchdog_s: float = 0.9, config: str = CONFIG) -> None:
        self.folder = folder
        self.unit = Unit("tablectl")
        self.watchdog_s = watchdog_s
        self.heard: list[str] = []
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(folder / "notify"))
        self._socket.settimeout(PATIENCE_S)
        self.process: subprocess.Popen[str] | None = None
        (folder / "table.yaml").write_text(config.format(root=ROOT), encoding="utf-8")
        tags = {f"e004{n:012x}": tile for n, tile in enumerate(load("competition").tile_set.tiles())}
        save_register(TagRegister({"green": tags}), folder / "tiles.yaml")

    # --- what the unit says

    def _command(self, key: str) -> list[str]:
        line = self.unit.last(key)
        for installed, here in (
            (PROGRAM, f"{sys.executable} {BENCH} {self.folder}/levels"),
            ("/etc/tablectl/table.yaml", f"{self.folder}/table.yaml"),
            ("/var/lib/tablectl", f"{self.folder}/state"),
        ):
            assert installed in line
            line = line.replace(installed, here)
        return shlex.split(line)

    def start(self) -> None:
        """As `systemctl start`: returns when the service is ready."""
        self.begin()
        self.until(lambda line: line == "READY=1")

    def begin(self) -> None:
        """Start the service and do not wait."""
        self._drain()
        self.heard.clear()
        named = dict(setting.split("=") for setting in self.unit.all("Environment") if not setting.startswith("LG_"))
        env = {
            **os.environ,
            **named,
            "NOTIFY_SOCKET": str(self.folder / "notify"),
            "WATCHDOG_USEC": str(round(self.watchdog_s * 1e6)),
        }
        self.process = subprocess.Popen(
            self._command("ExecStart"), env=env, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    def until(self, wanted: Callable[[str], bool]) -> str:
        """Listen until the service says a line that is ``wanted``."""
        ends = LoopClock().now() + PATIENCE_S
        while LoopClock().now() < ends:
            lines = self._socket.recv(4096).decode().splitlines()
            self.heard += lines
            if found := [line for line in lines if wanted(line)]:
                return found[0]
        raise TimeoutError(f"not said within {PATIENCE_S:g} s; heard: {self.heard[-5:]}")

    def signal(self, number: signal.Signals) -> float:
        """Send a signal; when that was."""
        assert self.process is not None
        self.process.send_signal(number)
        return LoopClock().now()

    def silent_for(self, seconds: float) -> None:
        """So long it says nothing from now on."""
        self._drain()
        self._socket.settimeout(seconds)
        try:
            self._socket.recv(4096)
        except TimeoutError:
            return
        finally:
            self._socket.settimeout(PATIENCE_S)
        raise AssertionError("it said something")

    def watch(self) -> None:
        """Until no sign of life comes within the time of the watchdog; then end the service as the unit says."""
        self._socket.settimeout(self.watchdog_s)
        try:
            while True:
                self.until(lambda line: line == "WATCHDOG=1")
        except TimeoutError:
            self.signal(signal.Signals[self.unit.last("WatchdogSignal")])
        finally:
            self._socket.settimeout(PATIENCE_S)

    def ended(self) -> int:
        """Wait for the end, run what the unit runs after it; the exit code (negative: the signal)."""
        assert self.process is not None
        self.out, self.err = self.process.communicate(timeout=PATIENCE_S)
        self._drain()
        done = subprocess.run(
            self._command("ExecStopPost"), cwd=ROOT, text=True, capture_output=True, timeout=PATIENCE_S, check=False
        )
        self.stop_post = done.returncode, done.stdout + done.stderr
        return self.process.returncode

    def _drain(self) -> None:
        self._socket.setblocking(False)
        try:
            while True:
                self.heard += self._socket.recv(4096).decode().splitlines()
        except BlockingIOError:
            self._socket.settimeout(PATIENCE_S)

    def restarts(self, code: int) -> bool:
        """Whether the unit has it started again after this end."""
        assert self.unit.last("Restart") == "on-failure"
        return code != 0 and str(code) not in self.unit.last("RestartPreventExitStatus").split()

    def close(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.communicate()
        self._socket.close()

    # --- the bench

    def levels(self, pin: int | None = None) -> list[Level]:
        """What was driven so far; ``pin``: that one only."""
        path = self.folder / "levels"
        levels = [Level(line) for line in path.read_text().splitlines()] if path.exists() else []
        return levels if pin is None else [level for level in levels if level.pin == pin]

    def motors_on(self) -> set[int]:
        """The relays that are pulled now."""
        last = {level.pin: level.level for level in self.levels()}
        return {pin for pin in RELAYS if not last.get(pin, True)}

    def until_a_motor_runs(self) -> None:
        self.until(lambda line: line == "WATCHDOG=1" and bool(self.motors_on()))
