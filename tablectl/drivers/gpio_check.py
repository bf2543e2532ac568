"""Which GPIO package fits this Raspberry Pi, and what is wrong with the one that is installed.

RPi.GPIO and rpi-lgpio are two packages that install the same module ``RPi.GPIO``: pip installs both without complaint,
the last one wins, and taking one away deletes the files of the other. RPi.GPIO cannot work on a Pi 5, and on kernels
from 6.6 on it has levels but no edges (the numbers in sysfs begin at 512 there). rpi-lgpio works on all of them.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, Final, Literal

OLD: Final = "RPi.GPIO"
NEW: Final = "rpi-lgpio"
#: From this kernel on RPi.GPIO has no edges.
NO_EDGES_SINCE: Final = (6, 6)
USE_NEW: Final = f"pip uninstall -y {OLD} {NEW} && pip install {NEW}"


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found. ``mend``: the command, or what a person does; empty where nothing is to be done."""

    name: str
    state: Literal["fine", "warning", "wrong"]
    what: str
    mend: str = ""


@dataclass(frozen=True, slots=True)
class GpioFacts:
    """What decides. ``model`` is empty off a Raspberry Pi; ``lg_folder``: where lgpio makes its pipe at import."""

    model: str
    kernel: tuple[int, int]
    installed: frozenset[str]
    lg_folder: Path
    lg_writable: bool


def gather(root: Path = Path("/")) -> GpioFacts:
    """The facts of this machine."""
    release = text_of(root / "proc/sys/kernel/osrelease")
    match = re.match(r"(\d+)\.(\d+)", release)
    installed = frozenset(name for name in (OLD, NEW) if _has(name))
    folder = Path(os.environ.get("LG_WD", "") or Path.cwd())
    return GpioFacts(
        model=text_of(root / "proc/device-tree/model"),
        kernel=(int(match[1]), int(match[2])) if match else (0, 0),
        installed=installed,
        lg_folder=folder,
        lg_writable=os.access(folder, os.W_OK),
    )


def text_of(path: Path) -> str:
    """What a small file of the system says; "" where it is not there."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip("\0\n ")
    except OSError:
        return ""


def _has(distribution: str) -> bool:
    try:
        metadata.distribution(distribution)
    except metadata.PackageNotFoundError:
        return False
    return True


def findings(facts: GpioFacts) -> list[Finding]:
    """What is fine and what is wrong, most important first."""
    name = "GPIO package"
    kernel = "{}.{}".format(*facts.kernel)
    pi5 = "Raspberry Pi 5" in facts.model or "Compute Module 5" in facts.model
    needs_new = pi5 or facts.kernel >= NO_EDGES_SINCE
    found = []
    if "Raspberry Pi" not in facts.model:
        machine = facts.model or "this machine"
        found.append(Finding("board", "wrong", f"{machine} is no Raspberry Pi", "set backend: simulated here"))
    else:
        found.append(Finding("board", "fine", f"{facts.model}, kernel {kernel}"))
    if facts.installed == {OLD, NEW}:
        what = f"{OLD} and {NEW} are both installed; they own the same files, and nobody knows whose are there"
        found.append(Finding(name, "wrong", what, USE_NEW))
    elif not facts.installed:
        extra = "pi5" if needs_new else "pi"
        package = NEW if needs_new else OLD
        found.append(Finding(name, "wrong", f"{package} is not installed", f"pip install 'tablectl[{extra}]'"))
    elif facts.installed == {OLD} and pi5:
        found.append(Finding(name, "wrong", f"{OLD} cannot work on a Raspberry Pi 5", USE_NEW))
    elif facts.installed == {OLD} and needs_new:
        what = f"{OLD} has no edges on kernel {kernel} (6.6 and later): inputs are polled, which costs time"
        found.append(Finding(name, "warning", what, USE_NEW))
    else:
        (package,) = facts.installed
        found.append(Finding(name, "fine", f"{package} fits this board and kernel"))
    if NEW in facts.installed and not facts.lg_writable:
        what = f"lgpio cannot make its pipe in {facts.lg_folder}, which is not writable: it would fail at import"
        found.append(Finding("LG_WD", "wrong", what, "set LG_WD=/run/tablectl (the systemd unit does)"))
    return found


def module_finding(module: Any, facts: GpioFacts) -> Finding:
    """Whether the module that was loaded is the one of the package that is installed. rpi-lgpio calls itself 0.7.2."""
    package = NEW if hasattr(module, "lgpio") else OLD
    version = getattr(module, "VERSION", "?")
    if package not in facts.installed:
        what = f"the module RPi.GPIO {version} is that of {package}, which is not installed (any more)"
        return Finding("GPIO module", "wrong", what, USE_NEW)
    return Finding("GPIO module", "fine", f"RPi.GPIO {version} of {package}")
