"""`make install` into a folder: everything in its place, the site's own kept, an upgrade that cannot read it refused,
and everything gone again.

To be quick, these environments have no pip and no packages of their own but borrow those of the tests.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LOCK = ROOT / "requirements.lock"
PARTS = ("tablectl", "config", "hardware", "docs", "systemd", "Makefile", "README.md", "README.zh.md", "CHANGELOG.md")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout whose lock asks for nothing."""
    folder = tmp_path_factory.mktemp("checkout")
    for part in PARTS:
        source = ROOT / part
        if source.is_dir():
            ignore = shutil.ignore_patterns("__pycache__", "images")
            shutil.copytree(source, folder / part, ignore=ignore)
        else:
            shutil.copy(source, folder / part)
    (folder / "requirements.lock").write_text("# nothing\n")
    return folder


def target(link: Path) -> str:
    return str(link.readlink())


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Python as on the table, but its environments come without pip, which is borrowed too."""
    program = tmp_path_factory.mktemp("python") / "python3"
    venv = '[ "$1 $2" = "-m venv" ] && exec {0} -m venv --without-pip "$3"\nexec {0} "$@"\n'
    program.write_text("#!/bin/sh\n" + venv.format(sys.executable))
    program.chmod(0o755)
    return program


def make(checkout: Path, goal: str, destdir: Path, **more: str) -> subprocess.CompletedProcess[str]:
    env = {
        **os.environ,
        "PYTHONPATH": sysconfig.get_path("purelib"),
        **more,
    }
    command = ["make", "--no-print-directory", goal, f"DESTDIR={destdir}"]
    return subprocess.run(command, cwd=checkout, env=env, capture_output=True, text=True, timeout=300, check=False)


def tablectl(destdir: Path, *words: object) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": sysconfig.get_path("purelib")}
    program = destdir / "opt/tablectl/current/bin/tablectl"
    return subprocess.run([program, *map(str, words)], env=env, capture_output=True, text=True, timeout=60, check=False)


def test_installed_upgraded_rolled_back_and_gone(checkout: Path, python: Path, tmp_path: Path) -> None:
    done = make(checkout, "install", tmp_path, PYTHON=str(python), MODEL="six-relay")
    assert done.returncode == 0, done.stderr
    etc, opt = tmp_path / "etc/tablectl", tmp_path / "opt/tablectl"
    # the program runs from its own folder, whatever the working directory
    assert target(opt / "current") == "0.1.0-1"
    version = tablectl(tmp_path, "--version")
    assert version.stdout.startswith("tablectl "), version.stderr
    # units, users, folders, devices of the chosen model
    units = {path.name for path in (tmp_path / "usr/local/lib/systemd/system").iterdir()}
    assert units == {path.name for kind in ("service", "timer") for path in (ROOT / "systemd").glob(f"*.{kind}")}
    assert (tmp_path / "usr/local/lib/sysusers.d/tablectl.conf").exists()
    assert (tmp_path / "usr/local/lib/tmpfiles.d/tablectl.conf").exists()
    rules = (tmp_path / "etc/udev/rules.d/99-tablectl.rules").read_text()
    assert rules == (ROOT / "hardware/six-relay/99-tablectl.rules").read_text()
    assert target(tmp_path / "usr/local/bin/tablectl") == "/opt/tablectl/current/bin/tablectl"
    # a configuration, and no secret that an image would share with its copies
    assert "machine: /opt/tablectl/current/src/hardware/six-relay\n" in (etc / "table.yaml").read_text()
    assert "name: rail" not in (etc / "table.yaml").read_text()  # its pins are sensors in this model
    assert etc.stat().st_mode & 0o007 == 0
    assert list((etc / "credentials").iterdir()) == []
    assert {path.name for path in (etc / "rules").iterdir()} == {p.name for p in (ROOT / "config/rules").iterdir()}

    # what a site changed stays
    (etc / "table.yaml").write_text((etc / "table.yaml").read_text().replace("东风一号桌", "西风桌"))
    (etc / "rules/competition.yaml").write_text("# ours\n{}\n")
    done = make(checkout, "install", tmp_path, PYTHON=str(python))
    assert done.returncode == 0, done.stderr
    assert "kept: /etc/tablectl/table.yaml" in done.stdout
    assert "西风桌" in (etc / "table.yaml").read_text()
    assert (etc / "rules/competition.yaml").read_text().startswith("# ours")
    assert (tmp_path / "etc/udev/rules.d/99-tablectl.rules").read_text() == rules  # the model of the site
    assert (target(opt / "current"), target(opt / "previous")) == ("0.1.0-2", "0.1.0-1")

    # a configuration that the new version cannot read leaves the old one in force
    good = (etc / "table.yaml").read_text()
    (etc / "table.yaml").write_text(good.replace("backend: hardware", "backend: hardwear"))
    done = make(checkout, "install", tmp_path, PYTHON=str(python))
    assert done.returncode != 0
    assert "/etc/tablectl/table.yaml:" in done.stderr
    assert "0.1.0-2 stays in force" in done.stderr
    assert target(opt / "current") == "0.1.0-2"
    assert sorted(path.name for path in opt.iterdir()) == ["0.1.0-1", "0.1.0-2", "current", "previous"]
    assert sorted(path.name for path in etc.iterdir()) == ["credentials", "rules", "table.yaml"]
    (etc / "table.yaml").write_text(good)

    # the way back
    done = make(checkout, "rollback", tmp_path)
    assert done.returncode == 0, done.stderr
    assert (target(opt / "current"), target(opt / "previous")) == ("0.1.0-1", "0.1.0-2")
    assert tablectl(tmp_path, "--version").returncode == 0

    # gone, but for what is the site's
    done = make(checkout, "uninstall", tmp_path)
    assert done.returncode == 0, done.stderr
    left = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if not path.is_dir())
    assert "etc/tablectl/table.yaml" in left
    assert [path for path in left if not path.startswith("etc/tablectl/")] == []


def test_a_model_that_is_not_there(checkout: Path, tmp_path: Path) -> None:
    done = make(checkout, "install", tmp_path, MODEL="five-port")
    assert done.returncode != 0
    assert "MODEL=five-port: no such table model; there are: reference-4port six-relay" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_only_root_installs_for_good(checkout: Path) -> None:
    script = ROOT / "systemd" / "install.sh"
    lines = "id() { echo 1000; }\n" + script.read_text().replace('"$(dirname "$0")/.."', f'"{checkout}"')
    done = subprocess.run(["sh", "-s", "install"], input=lines, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert "run it as root (sudo make install)" in done.stderr


def test_a_package_that_is_not_the_one_of_the_lock_is_refused(checkout: Path, python: Path, tmp_path: Path) -> None:
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    wheel = wheels / "tiny-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as file:
        file.writestr("tiny.py", "")
        file.writestr("tiny-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
        file.writestr("tiny-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr("tiny-1.0.dist-info/RECORD", "")
    other = tmp_path / "checkout"
    shutil.copytree(checkout, other)
    wrong = hashlib.sha256(b"another file").hexdigest()
    (other / "requirements.lock").write_text(f"tiny==1.0 --hash=sha256:{wrong}\n")
    done = make(other, "install", tmp_path / "dest", PYTHON=str(python), WHEELS=str(wheels))
    assert done.returncode != 0
    assert "DO NOT MATCH THE HASHES" in done.stderr
    assert list((tmp_path / "dest/opt/tablectl").iterdir()) == []  # nothing half made


# --- the lock


def locked() -> dict[str, str]:
    return dict(re.findall(r"^([a-z0-9.-]+)==([^\s;\\]+)", LOCK.read_text(), re.MULTILINE))


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_every_package_of_the_lock_is_pinned_by_its_hashes() -> None:
    entries = re.split(r"\n(?=[a-z0-9])", LOCK.read_text())[1:]
    assert len(entries) == len(locked()) > 20
    assert [entry.split()[0] for entry in entries if "--hash=sha256:" not in entry] == []


def test_the_lock_has_everything_that_the_project_needs() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *extras["display"], *extras["pi5"]]
    versions = locked()
    for requirement in wanted:
        found = re.match(r"([A-Za-z0-9._-]+)(.*)", requirement)
        assert found is not None
        version = versions[normal(found[1])]
        for operator, bound in re.findall(r"(>=|<)([0-9.]+)", found[2]):
            numbers, limit = ([int(part) for part in text.split(".")] for text in (version, bound))
            assert (numbers >= limit) if operator == ">=" else (numbers < limit), (requirement, version)
