"""What is wrong on this machine, and the command that mends it: packages, groups, devices, disk, clock, supply.

Nothing is opened and nothing is changed. ``root`` is the file system that is looked at, for tests.
"""

from __future__ import annotations

import grp
import os
import shutil
import sys
from collections.abc import Collection, Iterator
from importlib import metadata
from pathlib import Path
from typing import Final

from tablectl.base.clock import Clock
from tablectl.drivers import gpio_check
from tablectl.drivers.gpio_check import Finding
from tablectl.drivers.hardware_files import Wiring
from tablectl.drivers.hardware_guard import throttled

#: groups of a table's user, and what each is for
GROUPS: Final = {"gpio": "the header", "dialout": "serial adapters", "i2c": "displays", "spi": "displays"}
#: packages that drivers need: name, the version that was tested, where it comes from
PACKAGES: Final = (
    ("pymodbus", "3.16", "tablectl"),
    ("pyserial", "3.5", "tablectl"),
    ("luma.oled", "3", "tablectl[display]"),
    ("luma.lcd", "2", "tablectl[display]"),
    ("luma.led_matrix", "1", "tablectl[display]"),
)
PROGRAMS: Final = {"aplay": "alsa-utils", "espeak-ng": "espeak-ng"}
#: free space in megabytes below which the journal is in danger, and soon will be
LEAST_MB, FEW_MB = 50, 500
#: flags of the firmware
_NOW, _SINCE_START = 0x1, 0x10000
#: 2026-01-01: no table is older, so a clock before it was never set
_BEFORE_ANY_TABLE_S: Final = 1_767_225_600.0


def examine(
    wiring: Wiring | None, folder: Path, clock: Clock, root: Path = Path("/"), *, simulated: bool = False
) -> list[Finding]:
    """Everything that can be looked at; ``folder``: where the journal is kept. A ``simulated`` table has no devices."""
    return [
        *(() if simulated else _of_devices(wiring, root)),
        *disk(folder),
        *time_of_day(clock, root),
        *packages(),
        *programs(),
    ]


def _of_devices(wiring: Wiring | None, root: Path) -> Iterator[Finding]:
    yield from gpio_check.findings(gpio_check.gather(root))
    yield from groups()
    if wiring is not None:
        yield from devices(wiring, root)
    yield from serial_console(wiring, root)
    yield from supply(root)


def groups(member_of: Collection[str] | None = None) -> Iterator[Finding]:
    """Whether this user may open the devices."""
    if member_of is None:
        if os.geteuid() == 0:
            yield Finding("groups", "fine", "root may open everything")
            return
        member_of = {grp.getgrgid(number).gr_name for number in os.getgroups()}
    missing = [name for name in GROUPS if name not in member_of]
    if missing:
        what = ", ".join(f"{name} ({GROUPS[name]})" for name in missing)
        mend = f"sudo usermod -aG {','.join(missing)} $USER, then log in again"
        yield Finding("groups", "wrong", f"this user is not in the groups {what}", mend)
    else:
        yield Finding("groups", "fine", f"in {', '.join(GROUPS)}")


def devices(wiring: Wiring, root: Path = Path("/")) -> Iterator[Finding]:
    """The adapters and buses that the wiring names."""
    file = wiring.file
    wanted = {bus.port: f"bus {name}" for name, bus in file.buses.items()}
    for reader in wiring.readers:
        if reader.port.startswith("/dev/"):
            wanted[reader.port] = f"reader {reader.name or f'lane.{reader.lane}'}"
    uses = " ".join(file.reserved.values())
    wanted |= {"/dev/i2c-1": "I2C"} if "I2C" in uses or file.panel else {}
    if "SPI" in uses or file.digits:
        wanted["/dev/spidev0.0"] = "SPI"
    for port, user in wanted.items():
        path = root / port.lstrip("/")
        if not path.exists():
            rules = f"sudo cp {wiring.folder}/99-tablectl.rules /etc/udev/rules.d/ && sudo udevadm trigger"
            mend = f"{rules}; look at the plug"
            if "/tablectl/" not in port:
                mend = f"sudo raspi-config nonint do_{user.lower()} 0, then restart"
            yield Finding("devices", "wrong", f"{port} ({user}) is not there", mend)
        elif not os.access(path, os.R_OK | os.W_OK):
            yield Finding(
                "devices", "wrong", f"{port} ({user}) may not be opened by this user", f"ls -lL {port}; see groups"
            )
        else:
            yield Finding("devices", "fine", f"{port} ({user})")


def serial_console(wiring: Wiring | None, root: Path = Path("/")) -> Iterator[Finding]:
    """The kernel may talk on the Pi's own UART, where the wiring wants something else."""
    try:
        line = (root / "proc/cmdline").read_text()
    except OSError:
        return
    used = wiring is not None and any(pin.chip == "gpio" and pin.number in (14, 15) for *_, pin in wiring.pins())
    talks = any(f"console={name}" in line for name in ("serial0", "ttyAMA0", "ttyS0"))
    if talks and used:
        mend = "sudo raspi-config nonint do_serial_cons 1, then restart"
        yield Finding("serial console", "wrong", "the kernel uses GPIO 14 and 15, which are wired", mend)


def supply(root: Path = Path("/")) -> Iterator[Finding]:
    """Undervoltage, from the firmware (as ``vcgencmd get_throttled`` says it)."""
    flags = throttled(root)
    mend = "use the official supply, and give readers and hubs one of their own"
    if flags is None:
        return
    if flags & _NOW:
        yield Finding("supply", "wrong", f"the voltage is too low now (0x{flags:x})", mend)
    elif flags & _SINCE_START:
        yield Finding("supply", "warning", f"the voltage was too low since the start (0x{flags:x})", mend)
    else:
        yield Finding("supply", "fine", "no undervoltage since the start")


def disk(folder: Path) -> Iterator[Finding]:
    """Room for the journal, on a disk that can be written."""
    place = next((path for path in (folder, *folder.parents) if path.exists()), Path("/"))
    free = shutil.disk_usage(place).free // 1_000_000
    if not os.access(place, os.W_OK):
        mend = "give the folder to the table's user: sudo chown $USER; a card that turned read-only must be changed"
        yield Finding("disk", "wrong", f"{place} cannot be written", mend)
    elif free < FEW_MB:
        state: Finding = Finding("disk", "warning", f"{free} MB free at {place}", "take old traces away")
        yield state if free >= LEAST_MB else Finding("disk", "wrong", state.what, state.mend)
    else:
        yield Finding("disk", "fine", f"{free} MB free at {place}")


def time_of_day(clock: Clock, root: Path = Path("/")) -> Iterator[Finding]:
    """A Raspberry Pi without a battery clock begins with an old time; records carry the time of day."""
    mend = "sudo timedatectl set-ntp true, or set it by hand: sudo timedatectl set-time"
    if clock.wall() < _BEFORE_ANY_TABLE_S:
        yield Finding("clock", "wrong", "the time of day was never set", mend)
    elif (root / "run/systemd/timesync/synchronized").exists():
        yield Finding("clock", "fine", "synchronized")
    else:
        yield Finding("clock", "warning", "the time of day is not synchronized", mend)


def packages() -> Iterator[Finding]:
    """Python and the libraries of the drivers."""
    python = ".".join(map(str, sys.version_info[:3]))
    yield Finding("Python", "fine", python)
    for name, tested, source in PACKAGES:
        try:
            version = metadata.version(name)
        except metadata.PackageNotFoundError:
            yield Finding("packages", "wrong", f"{name} is not installed", f"pip install '{source}'")
            continue
        if not f"{version}.".startswith(f"{tested}."):
            mend = f"pip install --upgrade '{source}'"
            yield Finding("packages", "warning", f"{name} {version}; tested with {tested}", mend)
        else:
            yield Finding("packages", "fine", f"{name} {version}")


def programs() -> Iterator[Finding]:
    """Programs that speak."""
    for program, package in PROGRAMS.items():
        if shutil.which(program) is None:
            what = f"{program} is not installed: the table says less, or nothing"
            yield Finding("sound", "warning", what, f"sudo apt-get install {package}")
        else:
            yield Finding("sound", "fine", program)
