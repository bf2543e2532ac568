"""The units as systemd reads them: without a complaint, shut in as far as a table allows, in step with the program."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from service_units import ROOT, SERVICES, SYSTEMD, Unit

from tablectl.base.notify import SIGNS
from tablectl.link.socketfile import MAX_PATH_BYTES

PROGRAM = "/opt/tablectl/current/bin/tablectl"
#: the worst that `systemd-analyze security` may say (0 = shut in, 10 = wide open)
EXPOSURE = {"tablectl": 1.0, "tablectl-web": 1.5, "tablectl-report": 0.5, "tablectl-backup": 0.5}


def analyze(*words: str) -> subprocess.CompletedProcess[str]:
    """systemd's own judgement. It is a Debian package of this project (hardware/debian-packages.sh)."""
    program = shutil.which("systemd-analyze")
    assert program is not None, "systemd-analyze is missing: sudo apt-get install systemd (make setup does it)"
    return subprocess.run([program, *words], capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """The units, with a program that is there: that it is not on this machine is no fault of theirs."""
    program = tmp_path / "tablectl"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    for file in (*SYSTEMD.glob("*.service"), *SYSTEMD.glob("*.timer")):
        (tmp_path / file.name).write_text(file.read_text().replace(PROGRAM, str(program)))
    return tmp_path


@pytest.mark.parametrize(
    "name", [*(f"{name}.service" for name in SERVICES), "tablectl-report.timer", "tablectl-backup.timer"]
)
def test_systemd_has_nothing_to_say_about_a_unit(installed: Path, name: str) -> None:
    done = analyze("verify", "--man=no", str(installed / name))
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_verify_would_find_a_mistake(installed: Path) -> None:
    unit = installed / "tablectl.service"
    unit.write_text(unit.read_text().replace("WatchdogSec=10", "WatchdogSec=soon").replace("UMask", "Umask"))
    said = analyze("verify", "--man=no", str(unit)).stderr
    assert "Failed to parse sec value" in said
    assert "Umask" in said


@pytest.mark.parametrize("name", SERVICES)
def test_how_far_a_service_is_shut_in(name: str) -> None:
    done = analyze("security", "--offline=yes", "--no-pager", str(SYSTEMD / f"{name}.service"))
    found = re.search(r"exposure level for .*: ([0-9.]+) ", done.stdout)
    assert found is not None, done.stdout + done.stderr
    assert float(found[1]) <= EXPOSURE[name]


@pytest.mark.parametrize("name", SERVICES)
def test_nobody_gains_a_right_or_leaves_a_dump(name: str) -> None:
    unit = Unit(name)
    assert unit.last("NoNewPrivileges") == "yes"
    assert unit.last("CapabilityBoundingSet") == ""
    assert unit.last("LimitCORE") == "0"
    assert unit.last("ProtectSystem") == "strict"
    assert int(unit.last("UMask"), 8) & 0o077 == 0o077


def test_the_core_has_no_network_and_only_its_devices() -> None:
    unit = Unit("tablectl")
    assert unit.last("RestrictAddressFamilies") == "AF_UNIX"
    assert unit.last("PrivateNetwork") == "yes"
    assert unit.last("IPAddressDeny") == "any"
    assert unit.last("DevicePolicy") == "closed"
    devices = {line.split()[0] for line in unit.all("DeviceAllow")}
    assert devices == {
        *("char-gpiochip", "/dev/gpiomem", "char-ttyUSB", "char-ttyACM", "char-ttyAMA", "char-ttyS"),
        *("char-i2c", "char-spi", "char-alsa"),
    }


def test_the_page_has_no_device_and_no_record() -> None:
    unit = Unit("tablectl-web")
    assert unit.last("PrivateDevices") == "yes"
    assert unit.all("DeviceAllow") == []
    assert unit.last("InaccessiblePaths") == "-/var/lib/tablectl"
    assert unit.last("User") != Unit("tablectl").last("User")


def test_the_core_is_made_safe_and_comes_back() -> None:
    unit = Unit("tablectl")
    assert unit.last("Type") == "notify"
    assert unit.last("ExecStopPost").split()[:2] == [PROGRAM, "safe-off"]
    assert unit.last("Restart") == "on-failure"
    assert unit.last("RestartPreventExitStatus") == "2"  # misuse: a configuration that cannot be used
    assert float(unit.last("WatchdogSec")) / SIGNS > 1  # a sign every few seconds, not ten a second


@pytest.mark.parametrize("name", SERVICES)
def test_commands_of_the_units_exist(name: str) -> None:
    """Every command and option that a unit gives is one of the program."""
    from typer.main import get_command

    from tablectl.cli import app

    for line in (line for key in ("ExecStart", "ExecStopPost") for line in Unit(name).all(key)):
        program, command, *words = line.split()
        assert program == PROGRAM
        known = get_command(app).commands[command]  # type: ignore[attr-defined]
        options = {option for parameter in known.params for option in parameter.opts}
        assert {word for word in words if word.startswith("--")} <= options


def test_the_folders_of_configuration_units_and_tmpfiles_are_the_same() -> None:
    folders = {line.split()[1] for line in (SYSTEMD / "tmpfiles.conf").read_text().splitlines() if line[:2] == "d "}
    assert {"/run/tablectl", "/var/lib/tablectl", "/etc/tablectl"} <= folders
    config = (ROOT / "config" / "table.yaml").read_text()
    for key in ("tiles", "path", "socket", "folder"):
        found = re.search(rf"^ *{key}: (/\S+)$", config, re.MULTILINE)
        assert found is not None, key
        assert len(found[1]) < MAX_PATH_BYTES
        assert str(Path(found[1]).parent) in folders or str(Path(found[1]).parents[1]) in folders
    for path in Unit("tablectl").last("ReadWritePaths").split():
        assert path in folders


def test_credentials_that_the_page_loads_are_made_with_the_folders() -> None:
    made = {line.split()[1] for line in (SYSTEMD / "tmpfiles.conf").read_text().splitlines() if line[:2] == "f "}
    loaded = {line.partition(":")[2] for line in Unit("tablectl-web").all("LoadCredential")}
    assert loaded == made
    assert "token" in " ".join(loaded)
