"""Every command in README and handbooks, done: against a real table where it concerns one, looked up where it would
change this machine. What is written of faults is what the program says."""

from __future__ import annotations

import importlib.util
import re
import shlex
import signal
import subprocess
import tomllib
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from journals import played
from PIL import Image, ImageChops
from service_manager import PATIENCE_S, Manager
from service_units import SYSTEMD
from typer.main import get_command
from typer.testing import CliRunner

from tablectl.base.faults import catalogue
from tablectl.cli import app

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
HANDBOOKS = (ROOT / "README.md", DOCS / "operation.md", DOCS / "wiring.md")
TRANSLATED = ((ROOT / "README.md", ROOT / "README.zh.md"), (DOCS / "operation.md", DOCS / "operation.zh.md"))
CONFIG = """\
version: 1
table: 一号桌
backend: simulated
machine: {root}/hardware/reference-4port
tiles: tiles.yaml
rules: {{id: competition}}
journal: {{path: journal.sqlite}}
link: {{socket: link.sock}}
web: {{accounts: accounts.sqlite}}
sim: {{tempo: 100}}
"""
#: commands that also tell what they found by exit code 1
FIND = {"doctor", "report", "tags", "status"}
#: programs of the system that nobody runs in a test, and their first words that are known
SYSTEM = {
    "git": {"pull", "clone"},
    "raspi-config": {"nonint"},
    "reboot": {""},
    "tee": {"-a"},
    "echo": {"dtparam=strict_gpiod"},
    "cd": {"tablectl"},
    "curl": {"-c", "-b"},
}


def blocks(path: Path) -> list[str]:
    return re.findall(r"^```sh\n(.*?)^```", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def commands(path: Path) -> list[list[str]]:
    """The commands of a page's blocks, one a line, pipes taken apart, without sudo and comments."""
    found = []
    for line in "".join(blocks(path)).splitlines():
        for part in re.split(r" \| | && ", line.partition(" #")[0]):
            words = shlex.split(part)
            if words[:1] == ["sudo"]:
                words = words[3:] if words[1] == "-u" else words[1:]
            if words:
                found.append(words)
    return found


class Bench:
    """A table's folder, and the table that runs in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manager = Manager(folder, config=CONFIG)
        played(folder / "journal.sqlite")
        (folder / "tiles.yaml").write_text("sets: {}\n")
        (folder / "usb").mkdir()

    def do(self, words: list[str]) -> None:
        program, *rest = words
        known = getattr(self, f"_{program}", None)
        if known is not None:
            known(rest)
        else:
            assert program in SYSTEM, f"no test knows {' '.join(words)}"
            assert (rest or [""])[0] in SYSTEM[program], words

    def _tablectl(self, words: list[str]) -> None:
        config = str(self.folder / "table.yaml")
        here = {
            "/etc/tablectl/table.yaml": config,
            "/media/usb/": f"{self.folder}/usb/",
            "/tmp/": f"{self.folder}/usb/",
        }
        words = [re.sub("|".join(here), lambda found: here[found[0]], word) for word in words]
        if words[0] in ("doctor", "check", "safe-off", "selftest", "run", "web") and config not in words:
            words.append(config)
        elif config not in words and "check-signature" not in words:
            words += ["--config", config]
        if words[0] in ("run", "web", "sim"):  # they stay until somebody ends them: other tests start those
            known("tablectl", words)
            return
        done = CliRunner().invoke(app, words)
        assert done.exit_code in ({0, 1} if words[0] in FIND else {0}), (words, done.output)
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
        assert len(done.output.strip()) > 5, words

    def _systemctl(self, words: list[str]) -> None:
        verb, *units = (word for word in words if not word.startswith("-"))
        for unit in units:
            name = unit if "." in unit else f"{unit}.service"
            assert (SYSTEMD / name).exists(), unit
        if "tablectl" in units:
            {"start": self._start, "stop": self._stop, "restart": self._restart, "status": lambda: None}[verb]()
        else:
            assert verb in ("list-timers", "restart", "status")

    def _start(self) -> None:
        self.manager.start()

    def _stop(self) -> None:
        process = self.manager.process
        assert process is not None
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0

    def _restart(self) -> None:
        self._stop()
        self._start()

    def _journalctl(self, words: list[str]) -> None:
        for flag, unit in pairwise(words):
            assert flag != "-u" or (SYSTEMD / f"{unit}.service").exists(), unit

    def _cat(self, words: list[str]) -> None:
        (path,) = words
        made = (SYSTEMD / "tmpfiles.conf").read_text()
        assert f" {path} " in made, path

    def _make(self, words: list[str]) -> None:
        goals = [word for word in words if "=" not in word]
        done = subprocess.run(["make", "-n", *words], cwd=ROOT, capture_output=True, text=True, check=False)
        assert (goals != [], done.returncode) == (True, 0), done.stderr
        for word in words:
            if word.startswith("MODEL="):
                assert (ROOT / "hardware" / word[6:] / "machine.yaml").exists()


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(tmp_path)
    yield bench
    bench.manager.close()


@pytest.mark.parametrize("path", HANDBOOKS, ids=lambda path: path.name)
def test_every_command_of_a_handbook_works(path: Path, bench: Bench) -> None:
    found = commands(path)
    assert found
    for words in found:
        bench.do(words)


@pytest.mark.parametrize(("english", "chinese"), TRANSLATED, ids=lambda path: path.name)
def test_the_translation_gives_the_same_commands(english: Path, chinese: Path) -> None:
    plain = [[line.partition(" #")[0].rstrip() for line in block.splitlines()] for block in blocks(english)]
    assert plain == [[line.partition(" #")[0].rstrip() for line in block.splitlines()] for block in blocks(chinese)]
    heads = [len(re.findall(r"^#+ ", path.read_text(encoding="utf-8"), re.MULTILINE)) for path in (english, chinese)]
    assert heads[0] == heads[1]


@cache
def tree() -> Any:
    """All commands; to build it takes every part of the program."""
    return get_command(app)


def known(program: str, words: list[str]) -> None:
    """Whether ``words`` is a command of the program with options that it has."""
    group = tree()
    words = list(words)
    while words and not words[0].startswith("-") and hasattr(group, "commands"):
        name = words.pop(0)
        assert name in group.commands, f"{program} has no command {name}"
        group = group.commands[name]
    options = {option for parameter in getattr(group, "params", []) for option in parameter.opts} | {"--help"}
    for word in words:
        if word.startswith("--"):
            assert word.partition("=")[0] in options, f"{group.name} has no option {word}"


@pytest.mark.parametrize(
    "path", [ROOT / "README.md", ROOT / "README.zh.md", *sorted(DOCS.glob("*.md"))], ids=lambda p: p.name
)
def test_every_command_in_passing_exists(path: Path) -> None:
    for code in re.findall(r"`tablectl ([^`]+)`", path.read_text(encoding="utf-8")):
        words = [
            word for word in code.replace("[", " ").replace("]", " ").split() if not re.fullmatch(r"…|\.\.\.", word)
        ]
        for first in words[0].split("|") if "|" in words[0] else [words[0]]:
            names = words[1].split("\\|") if len(words) > 1 and "\\|" in words[1] else [*words[1:2]]
            for second in names or [""]:
                known("tablectl", [word for word in (first, second, *words[2:]) if word])


@pytest.mark.parametrize(
    "path", [ROOT / "README.md", ROOT / "README.zh.md", *sorted(DOCS.glob("*.md"))], ids=lambda p: p.name
)
def test_every_link_leads_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (path.parent / target).exists(), target


def test_the_extras_that_are_named_exist() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for path in (ROOT / "README.md", *DOCS.glob("*.md")):
        for names in re.findall(r"tablectl\[([a-z0-9,]+)\]", path.read_text(encoding="utf-8")):
            assert set(names.split(",")) <= set(extras)


# --- faults by code


def _make_faults() -> Any:
    spec = importlib.util.spec_from_file_location("make_faults", DOCS / "make_faults.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_pages_of_the_faults_are_those_of_the_catalogue() -> None:
    made = _make_faults()
    for language, name in (("en", "faults.md"), ("zh", "faults.zh.md")):
        assert (DOCS / name).read_text(encoding="utf-8") == made.page(language), "run python docs/make_faults.py"
    pictures = {path.name for path in (DOCS / "images" / "faults").iterdir()}
    assert pictures == {f"{code}-{language}.png" for code in catalogue() for language in ("en", "zh")}


@pytest.mark.parametrize("code", ["H02", "D04", "M01"])
def test_a_picture_is_what_the_display_shows(code: str) -> None:
    made = _make_faults()
    for language in ("en", "zh"):
        drawn = made.picture(catalogue()[code], language, made.Fonts())
        kept = Image.open(DOCS / "images" / "faults" / f"{code}-{language}.png")
        assert ImageChops.difference(drawn.convert("L"), kept.convert("L")).getbbox() is None
