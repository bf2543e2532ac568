"""``doctor``, what concerns the system around the devices: machines with one thing wrong, each with its mend."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tablectl.base.clock import HandClock
from tablectl.base.settings import Settings, load
from tablectl.core import doctor
from tablectl.tiles.sets import TILE_SETS
from tablectl.tiles.tags import TagRegister, save_register

ROOT = Path(__file__).parents[2]


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """The files of a Raspberry Pi on which everything is fine."""
    for name, text in {
        "sys/module/pinctrl_rp1/parameters/persist_gpio_outputs": "N\n",
        "proc/sys/kernel/osrelease": "6.12.47+rpt-rpi-2712\n",
        "sys/class/thermal/thermal_zone0/temp": "51234\n",
        "proc/meminfo": "MemTotal: 4000000 kB\nMemAvailable:    3200000 kB\n",
        "proc/mounts": "/dev/mmcblk0p2 / ext4 rw,noatime 0 0\nproc /proc proc rw 0 0\n",
        "sys/block/mmcblk0/device/life_time": "0x02 0x01\n",
        "sys/block/mmcblk0/device/pre_eol_info": "0x01\n",
        "sys/fs/ext4/mmcblk0p2/errors_count": "0\n",
        "sys/fs/ext4/mmcblk0p2/lifetime_write_kbytes": "123456789\n",
        "usr/local/lib/systemd/system/tablectl.service": "",
        "etc/tablectl/credentials/referee.token": "word\n",
    }.items():
        put(tmp_path, name, text)
    for unit in doctor.UNITS:
        put(tmp_path, f"etc/systemd/system/multi-user.target.wants/{unit}", "")
    (tmp_path / "etc/tablectl/credentials").chmod(0o700)
    (tmp_path / "etc/tablectl/credentials/referee.token").chmod(0o600)
    return tmp_path


def put(root: Path, name: str, text: str) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


CHECKS = (
    *(doctor.pins, doctor.kernel, doctor.temperature, doctor.memory),
    *(doctor.card, doctor.file_systems, doctor.services, doctor.credentials),
)


def found(root: Path) -> list[Any]:
    return [finding for check in CHECKS for finding in check(root)]


def test_a_machine_in_good_order(machine: Path) -> None:
    fine = found(machine)
    assert {finding.state for finding in fine} == {"fine"}
    assert [finding.name for finding in fine] == [
        *("pins", "kernel", "temperature", "memory", "card", "file system", "services", "secrets"),
    ]


@pytest.mark.parametrize(
    ("file", "text", "name", "state", "what", "mend"),
    [
        (
            *("sys/module/pinctrl_rp1/parameters/persist_gpio_outputs", "Y\n", "pins", "warning"),
            *(
                "keep their level when the program dies",
                "echo dtparam=strict_gpiod | sudo tee -a /boot/firmware/config.txt",
            ),
        ),
        ("proc/sys/kernel/osrelease", "5.10.1-v7+\n", "kernel", "warning", "5.10.1-v7+; tested with 6.1", "selftest"),
        ("proc/sys/kernel/osrelease", "7.2.0\n", "kernel", "warning", "tested with 6.1 to 6.18", "selftest"),
        ("sys/class/thermal/thermal_zone0/temp", "83100\n", "temperature", "warning", "83 °C", "heat sink"),
        ("proc/meminfo", "MemAvailable: 60000 kB\n", "memory", "warning", "only 60 MB", "--sort=-rss"),
        ("sys/block/mmcblk0/device/life_time", "0x02 0x09\n", "card", "warning", "90 % of its life", "tablectl backup"),
        ("sys/block/mmcblk0/device/pre_eol_info", "0x03\n", "card", "wrong", "end of its life", "tablectl backup"),
        ("sys/fs/ext4/mmcblk0p2/errors_count", "3\n", "file system", "wrong", "3 errors", "change the card"),
        (
            *("proc/mounts", "/dev/mmcblk0p2 / ext4 ro,noatime 0 0\n", "file system", "wrong"),
            *("became read-only", "tablectl backup to another disk"),
        ),
    ],
)
def test_one_thing_wrong(machine: Path, file: str, text: str, name: str, state: str, what: str, mend: str) -> None:
    put(machine, file, text)
    (bad,) = (finding for finding in found(machine) if finding.state != "fine")
    assert (bad.name, bad.state) == (name, state)
    assert what in bad.what
    assert mend in bad.mend


def test_services_that_are_missing_or_do_not_start(machine: Path) -> None:
    (machine / f"etc/systemd/system/multi-user.target.wants/{doctor.UNITS[2]}").unlink()
    (bad,) = doctor.services(machine)
    assert bad.mend == "sudo systemctl enable --now tablectl-backup.timer"
    (machine / "usr/local/lib/systemd/system/tablectl.service").unlink()
    (bad,) = doctor.services(machine)
    assert (bad.state, bad.mend) == ("warning", "sudo make install")


def test_secrets_that_others_may_read(machine: Path) -> None:
    (machine / "etc/tablectl/credentials/referee.token").chmod(0o644)
    (bad,) = doctor.credentials(machine)
    assert (bad.state, bad.mend) == ("wrong", "sudo chmod -R go= /etc/tablectl/credentials")
    assert "referee.token" in bad.what


def test_a_machine_that_tells_nothing(tmp_path: Path) -> None:
    assert [finding.name for finding in found(tmp_path)] == ["services"]


def settings(tmp_path: Path) -> Settings:
    settings = load(ROOT / "config" / "sim.yaml")
    journal = settings.journal.model_copy(update={"path": tmp_path / "journal.sqlite"})
    traces = settings.traces.model_copy(update={"folder": tmp_path / "traces"})
    link = settings.link.model_copy(update={"socket": tmp_path / "link.sock"})
    return settings.model_copy(update={"journal": journal, "traces": traces, "link": link})


def test_tile_sets_that_are_missing_or_incomplete(tmp_path: Path) -> None:
    settings = load(ROOT / "config" / "table.yaml").model_copy(update={"tiles": tmp_path / "tiles.yaml"})
    (missing,) = doctor.tiles(settings)
    assert (missing.state, "cannot be read" in missing.what, "tags enroll" in missing.mend) == ("wrong", True, True)
    save_register(TagRegister({}), tmp_path / "tiles.yaml")
    (empty,) = doctor.tiles(settings)
    assert (empty.state, "holds no tile set" in empty.what) == ("wrong", True)
    whole = {f"e004{n:012x}": tile for n, tile in enumerate(TILE_SETS["144"].tiles())}
    tag, tile = whole.popitem()
    save_register(
        TagRegister({"green": whole | {tag: tile}, "blue": {u.replace("e004", "e005"): t for u, t in whole.items()}}),
        settings.tiles,
    )
    states = {finding.what.partition(":")[0]: finding for finding in doctor.tiles(settings)}
    assert states["set green"].state == "fine"
    blue = states[f"set blue lacks {tile.code} {tile.name_zh} ×1"]
    assert (blue.state, "tablectl tags enroll blue" in blue.mend) == ("wrong", True)


def test_records_that_others_may_read(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    (tmp_path / "journal.sqlite").touch(0o600)
    assert [finding.state for finding in doctor.modes(settings(tmp_path))] == ["fine"]
    (tmp_path / "journal.sqlite").chmod(0o644)
    (bad,) = doctor.modes(settings(tmp_path))
    assert (bad.state, bad.mend) == ("warning", f"sudo chmod go= {tmp_path}/journal.sqlite")


def test_copies_that_are_missing_or_old(tmp_path: Path) -> None:
    clock = HandClock()
    (missing,) = doctor.copies(tmp_path, clock)
    assert "no copy" in missing.what
    put(tmp_path, "backups/tablectl-20260101T000000.tar.gz", "")
    file = tmp_path / "backups/tablectl-20260101T000000.tar.gz"
    os.utime(file, (clock.wall(), clock.wall()))
    assert [finding.state for finding in doctor.copies(tmp_path, clock)] == ["fine"]
    os.utime(file, (clock.wall() - 5 * 86_400,) * 2)
    (old,) = doctor.copies(tmp_path, clock)
    assert (old.state, "5 days old" in old.what) == ("warning", True)


def test_the_program_that_runs_is_the_one_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (none,) = doctor.versions(settings(tmp_path))
    assert "no table runs" in none.what
    site: dict[str, str] = {"version": "0.0.9"}
    call = SimpleNamespace(call=lambda *_, **__: {"state": {"site": site}})
    monkeypatch.setattr("tablectl.link.client.call", call.call)
    (old,) = doctor.versions(settings(tmp_path))
    assert (old.state, "runs 0.0.9" in old.what, "restart" in old.mend) == ("warning", True, True)
    site["version"] = doctor.__version__
    assert [finding.state for finding in doctor.versions(settings(tmp_path))] == ["fine"]


def test_a_configuration_of_an_older_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tablectl.base import config_versions

    text = (ROOT / "config" / "sim.yaml").read_text(encoding="utf-8").replace("../hardware", str(ROOT / "hardware"))
    (tmp_path / "table.yaml").write_text(text, encoding="utf-8")
    monkeypatch.setattr(config_versions, "newest", lambda: 2)
    whole = list(doctor.examine(tmp_path / "table.yaml", HandClock(), tmp_path))
    (old,) = (finding for finding in whole if finding.name == "configuration" and finding.state == "warning")
    assert old.mend == f"sudo tablectl config migrate {tmp_path}/table.yaml"
    assert not {"pins", "services", "groups"} & {finding.name for finding in whole}  # nobody asks a laptop for those
