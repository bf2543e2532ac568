"""`tablectl doctor`: what is wrong on this machine, and the command that mends it. Nothing is opened or changed.

The devices' part is `drivers.hardware_doctor`; here is what concerns the system around them: kernel, supply of the
outputs' pins, card, memory, services, secrets, copies, versions. ``root`` is the file system looked at, for tests.
"""

from __future__ import annotations

import json
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tablectl import __version__
from tablectl.base.clock import Clock
from tablectl.drivers.gpio_check import Finding, text_of

if TYPE_CHECKING:
    from tablectl.base.settings import Settings

ROOT: Final = Path("/")
#: the header's pin controllers: of a Pi up to 4, and of a Pi 5
PIN_CONTROLLERS: Final = ("pinctrl_bcm2835", "pinctrl_rp1")
#: kernels that were tested: from, to
KERNELS: Final = ((6, 1), (6, 18))
HOT_C: Final = 80
LEAST_MEMORY_MB: Final = 100
#: a copy of the records should be younger
COPY_DAYS: Final = 2
DAY_S: Final = 86_400
#: wear of a soldered flash memory in tenths of its life (JEDEC eMMC 5.0, DEVICE_LIFE_TIME_EST)
WORN: Final = 8
UNITS: Final = ("tablectl.service", "tablectl-web.service", "tablectl-backup.timer", "tablectl-report.timer")
CREDENTIALS: Final = Path("/etc/tablectl/credentials")


def examine(config: Path, clock: Clock, root: Path = ROOT) -> Iterator[Finding]:
    """Everything that can be looked at; what cannot be is left out."""
    from tablectl.base.settings import MEMORY, SettingsError
    from tablectl.core.site import load_site
    from tablectl.drivers import hardware_doctor
    from tablectl.drivers.hardware_files import load_wiring
    from tablectl.machine.description import load_machine

    wiring, settings = None, None
    try:
        settings = load_site(config).settings
    except SettingsError as error:
        first = error.problems[0]
        more = f" (and {len(error.problems) - 1} more)" if len(error.problems) > 1 else ""
        yield Finding("configuration", "wrong", f"{first}{more}", f"tablectl check {config}")
    else:
        yield from _configuration(config, settings)
        if settings.backend == "hardware":
            machine = load_machine(settings.machine / "machine.yaml")
            outputs = [name for name, _ in machine.output_names()]
            wiring = load_wiring(settings.machine, outputs, list(machine.input_names()))
            yield from tiles(settings)
    simulated = settings is not None and settings.backend == "simulated"
    state = settings.journal.path.parent if settings is not None else Path("/var/lib/tablectl")
    yield from fonts()
    yield from hardware_doctor.examine(wiring, state, clock, root, simulated=simulated)
    if not simulated:
        yield from pins(root)
        yield from kernel(root)
        yield from services(root)
        yield from credentials(root)
    yield from temperature(root)
    yield from memory(root)
    yield from card(root)
    yield from file_systems(root)
    if settings is not None:
        if settings.journal.path != MEMORY:  # what is never written needs no lock and no copy
            yield from modes(settings)
            yield from copies(state, clock)
        yield from versions(settings)


def _configuration(config: Path, settings: Settings) -> Iterator[Finding]:
    from tablectl import documents
    from tablectl.base.config_versions import newest, version_of

    yield Finding("configuration", "fine", f"{config}: backend {settings.backend}")
    if version_of(documents.load(config), str(config)) < newest():
        what = f"{config} is of an older version of its format; it is read all the same"
        yield Finding("configuration", "warning", what, f"sudo tablectl config migrate {config}")


def tiles(settings: Settings) -> Iterator[Finding]:
    """The register of the tile sets: without it a table does not start; it shuffles only whole sets."""
    from tablectl.core.register import ENROLL
    from tablectl.documents import DocumentError
    from tablectl.rules.registry import load
    from tablectl.tiles.tags import lacking, load_register

    assert settings.tiles is not None  # `base.settings` asks for it where there is hardware
    enroll = ENROLL.format("NAME")
    try:
        register = load_register(settings.tiles)
    except DocumentError as error:
        yield Finding("tiles", "wrong", str(error.problems[0]), enroll)
        return
    if not register.sets:
        yield Finding("tiles", "wrong", f"{settings.tiles}: holds no tile set", enroll)
    tile_set = load(settings.rules.id, settings.rules.options).tile_set
    lack = lacking(register.sets, tile_set)
    for name in register.sets:
        found = register.check_set(name, tile_set)
        if name in lack:
            yield Finding("tiles", "wrong", f"set {name} lacks {lack[name]}", ENROLL.format(name))
        elif found:
            more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
            yield Finding("tiles", "warning", f"{found[0].text}{more}", "tablectl tags check")
        else:
            yield Finding("tiles", "fine", f"set {name}: complete")


def fonts() -> Iterator[Finding]:
    """Chinese text on the displays."""
    from tablectl.announce.fonts import Fonts

    warning = Fonts().warning
    if warning:
        yield Finding("fonts", "warning", warning, "sudo apt-get install xfonts-wqy fonts-unifont")
    else:
        yield Finding("fonts", "fine", "Chinese fonts for the displays")


# --- kernel and pins


def pins(root: Path = ROOT) -> Iterator[Finding]:
    """Whether the header's pins let go when the program dies (raspberrypi/linux #6117, #6150): kept as outputs, a motor
    on one of them runs on until `safe-off` has come."""
    for name in PIN_CONTROLLERS:
        kept = text_of(root / f"sys/module/{name}/parameters/persist_gpio_outputs")
        if kept in ("Y", "1"):
            what = "pins of the header keep their level when the program dies: motors stop only by the dead-man line"
            mend = "echo dtparam=strict_gpiod | sudo tee -a /boot/firmware/config.txt, then restart"
            yield Finding("pins", "warning", what, mend)
        elif kept:
            yield Finding("pins", "fine", "pins of the header let go when the program dies")


def kernel(root: Path = ROOT) -> Iterator[Finding]:
    """Versions that were tested."""
    release = text_of(root / "proc/sys/kernel/osrelease")
    numbers = tuple(int(part) for part in release.split("-")[0].split(".")[:2] if part.isdecimal())
    if len(numbers) < 2:
        return
    if not KERNELS[0] <= numbers <= KERNELS[1]:
        tested = " to ".join(".".join(map(str, version)) for version in KERNELS)
        what = f"kernel {release}; tested with {tested}"
        yield Finding("kernel", "warning", what, "tablectl selftest, before people play")
    else:
        yield Finding("kernel", "fine", release)


def temperature(root: Path = ROOT) -> Iterator[Finding]:
    """The processor slows down when it is hot."""
    text = text_of(root / "sys/class/thermal/thermal_zone0/temp")
    if not text.lstrip("-").isdecimal():
        return
    degrees = int(text) // 1000
    if degrees >= HOT_C:
        yield Finding("temperature", "warning", f"the processor has {degrees} °C", "a heat sink, and air for the box")
    else:
        yield Finding("temperature", "fine", f"the processor has {degrees} °C")


def memory(root: Path = ROOT) -> Iterator[Finding]:
    """Memory that is left for programs."""
    lines = text_of(root / "proc/meminfo").splitlines()
    free = next((line.split()[1] for line in lines if line.startswith("MemAvailable:")), "")
    if not free.isdecimal():
        return
    megabytes = int(free) // 1000
    if megabytes < LEAST_MEMORY_MB:
        mend = "ps aux --sort=-rss | head says who has it; stop what the table does not need"
        yield Finding("memory", "warning", f"only {megabytes} MB of memory are left", mend)
    else:
        yield Finding("memory", "fine", f"{megabytes} MB left")


# --- the card


def card(root: Path = ROOT) -> Iterator[Finding]:
    """How worn a soldered flash memory is. SD cards do not tell."""
    for device in sorted((root / "sys/block").glob("mmcblk*")):
        tenths = [int(part, 16) for part in text_of(device / "device/life_time").split() if part.startswith("0x")]
        urgent = text_of(device / "device/pre_eol_info")
        mend = "tablectl backup to another disk, then change it"
        if urgent in ("0x03", "0x3"):
            yield Finding("card", "wrong", f"{device.name} is at the end of its life", mend)
        elif tenths and max(tenths) >= WORN:
            yield Finding("card", "warning", f"{device.name} has used {max(tenths) * 10} % of its life", mend)
        elif tenths:
            yield Finding("card", "fine", f"{device.name} has used at most {max(tenths) * 10} % of its life")


def file_systems(root: Path = ROOT) -> Iterator[Finding]:
    """Errors that the kernel found on ext4, and what was written in its life."""
    for folder in sorted((root / "sys/fs/ext4").glob("*")):
        errors = text_of(folder / "errors_count")
        written = text_of(folder / "lifetime_write_kbytes")
        if errors.isdecimal() and int(errors):
            mend = "tablectl backup to another disk at once; then change the card"
            yield Finding("file system", "wrong", f"{folder.name}: {errors} errors; the card is failing", mend)
        elif written.isdecimal():
            yield Finding(
                "file system", "fine", f"{folder.name}: no errors, {int(written) / 1e6:.0f} GB written in its life"
            )
    for line in text_of(root / "proc/mounts").splitlines():
        device, place, kind, options, *_ = line.split()
        if place == "/" and device.startswith("/dev/") and "ro" in options.split(","):
            what = f"{device} ({kind}) became read-only: nothing is kept"
            yield Finding("file system", "wrong", what, "tablectl backup to another disk; then change the card")


# --- services, secrets, copies


def services(root: Path = ROOT) -> Iterator[Finding]:
    """Whether the table starts with the machine."""
    places = [root / "etc/systemd/system", root / "usr/local/lib/systemd/system"]
    if not any((place / UNITS[0]).exists() for place in places):
        what = "not installed as a service: it does not start by itself, and nobody makes outputs safe after it"
        yield Finding("services", "warning", what, "sudo make install")
        return
    wanted = {path.name for path in (root / "etc/systemd/system").glob("*.target.wants/*")}
    missing = [unit for unit in UNITS if unit not in wanted]
    if missing:
        what = f"not started with the machine: {', '.join(missing)}"
        yield Finding("services", "warning", what, f"sudo systemctl enable --now {' '.join(missing)}")
    else:
        yield Finding("services", "fine", ", ".join(UNITS))


def credentials(root: Path = ROOT) -> Iterator[Finding]:
    """Secrets that others may read."""
    folder = root / CREDENTIALS.relative_to("/")
    try:
        loose = [path for path in (folder, *folder.iterdir()) if path.stat().st_mode & 0o077]
    except OSError:  # not there, or closed to this user: as it should be
        return
    if loose:
        what = f"others may read {', '.join(path.name for path in loose)}"
        yield Finding("secrets", "wrong", what, f"sudo chmod -R go= {CREDENTIALS}")
    else:
        yield Finding("secrets", "fine", "readable by root only")


def modes(settings: Settings) -> Iterator[Finding]:
    """Records, traces and register are for the table's user only: they tell who holds what."""
    files = [settings.journal.path, settings.journal.path.parent, settings.traces.folder]
    loose = [path for path in files if _mode(path) & 0o077]
    if loose:
        names = " ".join(map(str, loose))
        yield Finding("records", "warning", f"others may read {names}", f"sudo chmod go= {names}")
    else:
        yield Finding("records", "fine", "for the table's user only")


def _mode(path: Path) -> int:
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except OSError:
        return 0


def copies(state: Path, clock: Clock) -> Iterator[Finding]:
    """When the records were copied last."""
    from tablectl.core.backups import newest

    try:
        file = newest(state / "backups")
        age = (clock.wall() - file.stat().st_mtime) / DAY_S if file is not None else None
    except OSError:
        return
    if file is None or age is None:
        what = "there is no copy of the records yet"
        yield Finding("copies", "warning", what, "sudo systemctl enable --now tablectl-backup.timer")
    elif age > COPY_DAYS:
        what = f"the last copy of the records is {age:.0f} days old"
        yield Finding("copies", "warning", what, "systemctl status tablectl-backup.service says why")
    else:
        yield Finding("copies", "fine", f"{file.name}; one on another disk saves more")


def versions(settings: Settings) -> Iterator[Finding]:
    """The program that runs and the one that is installed."""
    from tablectl.link.client import call
    from tablectl.link.protocol import RpcError

    try:
        state: Mapping[str, Any] = call(settings.link.socket, "state.get", {"role": "spectator"}, seconds=2)["state"]
    except (RpcError, json.JSONDecodeError):
        yield Finding("version", "fine", f"tablectl {__version__}; no table runs")
        return
    version = state["site"].get("version", "an older one")
    if version != __version__:
        what = f"the table runs {version}, installed is {__version__}"
        yield Finding("version", "warning", what, "between two matches: sudo systemctl restart tablectl tablectl-web")
    else:
        yield Finding("version", "fine", f"tablectl {__version__} runs")


def told(finding: Finding) -> dict[str, str]:
    """A finding as JSON holds it."""
    return {"name": finding.name, "state": finding.state, "what": finding.what, "mend": finding.mend}
