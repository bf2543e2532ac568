"""`hardware/debian-packages.sh`: on a machine that may not install, on one that cannot, and on one that may."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "hardware" / "debian-packages.sh"
#: what the script itself needs
TOOLS = ("sh", "cut", "tr", "cat", "env", "printf", "id")


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """A PATH with nothing in it but what the script needs: every package is missing."""
    for name in TOOLS:
        (tmp_path / name).symlink_to(
            next(f"{folder}/{name}" for folder in ("/usr/bin", "/bin") if Path(folder, name).exists())
        )
    put(tmp_path, "python-without-venv", "exit 1")
    put(tmp_path, "ls", "exit 2")
    return tmp_path


def put(folder: Path, name: str, body: str) -> None:
    program = folder / name
    program.unlink(missing_ok=True)
    program.write_text(f"#!/bin/sh\n{body}\n")
    program.chmod(0o755)


def run(tools: Path) -> subprocess.CompletedProcess[str]:
    env = {"PATH": str(tools), "PYTHON": "python-without-venv", "LOG": str(tools / "log")}
    return subprocess.run(["sh", SCRIPT], env=env, capture_output=True, text=True, timeout=60, check=False)


def test_without_apt_it_says_what_is_missing_and_goes_on(tools: Path) -> None:
    done = run(tools)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "Missing Debian packages, and what does not work without them:"
    told = {line.split()[0] for line in lines[1:-1]}
    assert told >= {"python3-venv", "xfonts-wqy", "espeak-ng", "chromium-headless-shell", "systemd", "openssh-client"}
    assert all(len(line.split()) >= 3 for line in lines[1:-1])
    assert lines[-1].startswith("To install them: sudo apt-get install --no-install-recommends python3-venv ")


def test_who_may_not_install_is_told_the_command(tools: Path) -> None:
    put(tools, "apt-get", 'echo "$@" >> "$LOG"')
    put(tools, "id", "echo 1000")
    put(tools, "sudo", "exit 1")
    done = run(tools)
    assert (done.returncode, "To install them: sudo apt-get install" in done.stdout) == (0, True)
    assert not (tools / "log").exists()


def test_root_installs_and_one_package_that_is_not_to_be_had_keeps_no_other_away(tools: Path) -> None:
    put(tools, "id", "echo 0")
    broken = 'case " $* " in *" update "*|*" chromium-headless-shell "*) exit 100;; esac'
    put(
        tools,
        "apt-get",
        f'echo "$@" >> "$LOG"\n{broken}\ncase "$*" in *espeak*) : > "$(dirname "$0")/espeak-ng";; esac',
    )
    (tools / "dirname").symlink_to("/usr/bin/dirname")
    done = run(tools)
    assert done.returncode == 0
    assert "apt-get update failed: trying with the package lists as they are" in done.stderr
    asked = (tools / "log").read_text().splitlines()
    assert "update" in asked[0]
    assert all("install -y --no-install-recommends" in line for line in asked[1:])
    assert any(line.endswith("install -y --no-install-recommends systemd") for line in asked)
    assert "chromium-headless-shell" in done.stdout.partition("Missing Debian packages")[2]


def test_sudo_without_a_password_is_enough(tools: Path) -> None:
    put(tools, "id", "echo 1000")
    put(tools, "sudo", 'shift; [ "$1" = true ] || exec "$@"')
    (tools / "true").symlink_to(os.path.realpath("/bin/true"))
    put(tools, "apt-get", 'echo "$@" >> "$LOG"')
    assert run(tools).returncode == 0
    assert "install" in (tools / "log").read_text()
