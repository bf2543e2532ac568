"""Three hundred broken configurations: the shipped files, each with one thing done to it that people do to files.

Whatever it is: every mistake is told in one line with file, line and what was expected; nothing else comes out. What
was done is drawn from a seed, so a failure can be looked at again.
"""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from tablectl.base.settings import SettingsError, load_or_last_good, remember
from tablectl.core.site import CHECKS, load_site

ROOT = Path(__file__).parents[2]
BROKEN = 300
MODEL = "hardware/reference-4port"
#: files of a site, and how often each is taken
FILES = {
    "config/table.yaml": 4,
    "config/sim.yaml": 3,
    f"{MODEL}/machine.yaml": 3,
    f"{MODEL}/wiring.yaml": 3,
    "hardware/boards/waveshare-io-8ch.yaml": 1,
}
_KEY = re.compile(r"^(\s*(?:- )?)([A-Za-z_]\w*)(\s*:)(.*)$")
#: file, line and column, and what is wrong there; only a file that cannot be read as text has no line
_TOLD = re.compile(r"^(?P<file>/\S+\.yaml)(:(?P<line>\d+):(?P<column>\d+))?: (?P<what>.+)$", re.S)
#: what a message is made of: what was expected, or what to do
_HELP = re.compile(
    r"expected|did you mean|unknown key|is missing|stands twice|neither YAML nor JSON|(are|is) not read|not UTF-8|"
    r"leave it out|needs|only for|at most|does not know|already|cannot be read|; add|too|in both"
)


def keys(lines: list[str]) -> list[int]:
    """The lines that say ``key: …``."""
    return [n for n, line in enumerate(lines) if _KEY.match(line) and not line.lstrip().startswith("#")]


def values(lines: list[str]) -> list[int]:
    """... of those, the ones with a value behind the key."""
    return [n for n in keys(lines) if _KEY.match(lines[n])[4].partition("#")[0].strip()]  # type: ignore[index]


def renamed(lines: list[str], rng: Random, change: Callable[[str], str]) -> None:
    n = rng.choice(keys(lines))
    lines[n] = _KEY.sub(lambda m: f"{m[1]}{change(m[2])}{m[3]}{m[4]}", lines[n])


def letters_swapped(lines: list[str], rng: Random) -> None:
    renamed(lines, rng, lambda key: key[:-2] + key[-1] + key[-2] if len(key) > 2 else key + "x")


def letter_lost(lines: list[str], rng: Random) -> None:
    renamed(lines, rng, lambda key: key[:1] + key[2:] if len(key) > 2 else key * 2)


def line_lost(lines: list[str], rng: Random) -> None:
    del lines[rng.choice(keys(lines))]


def line_twice(lines: list[str], rng: Random) -> None:
    n = rng.choice(keys(lines))
    lines.insert(n, lines[n])


def other_value(lines: list[str], rng: Random) -> None:
    n = rng.choice(values(lines))
    value = rng.choice(["", "-1", "99999999", "maybe", "[]", "{a: 1}", "0.5x", "''", "null", "1e400", ".nan", "第一"])
    lines[n] = _KEY.sub(lambda m: f"{m[1]}{m[2]}{m[3]} {value}", lines[n])


def wrong_indent(lines: list[str], rng: Random) -> None:
    n = rng.choice(keys(lines))
    lines[n] = rng.choice([" ", "\t", "   "]) + lines[n]


def bracket_open(lines: list[str], rng: Random) -> None:
    n = rng.choice(values(lines))
    lines[n] += rng.choice([" [", " {", "'", '"', ": :", " &a", " !!x"])


def cut_off(lines: list[str], rng: Random) -> None:
    text = "\n".join(lines)
    lines[:] = text[: rng.randrange(len(text))].split("\n")


def colon_lost(lines: list[str], rng: Random) -> None:
    n = rng.choice(keys(lines))
    lines[n] = lines[n].replace(":", "", 1)


def rubbish(lines: list[str], rng: Random) -> None:
    n = rng.randrange(len(lines))
    lines[n] += rng.choice(["\0", "\x1b[2J", "\udcff", "\ufffe", "\x80"])


DONE = (
    letters_swapped,
    letter_lost,
    line_lost,
    line_twice,
    other_value,
    wrong_indent,
    bracket_open,
    cut_off,
    colon_lost,
    rubbish,
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what a site edits."""
    folder = tmp_path_factory.mktemp("site")
    for part in ("config", "hardware"):
        shutil.copytree(ROOT / part, folder / part)
    return folder


def configuration(name: str) -> str:
    """The configuration that reads this file."""
    return name if name.startswith("config") else "config/table.yaml"


def test_every_broken_configuration_says_where_and_what(site: Path) -> None:
    rng = Random(20_260_101)
    broken: Counter[str] = Counter()
    unclear: list[str] = []
    while broken.total() < BROKEN:
        name = rng.choices(list(FILES), list(FILES.values()))[0]
        done = rng.choice(DONE)
        path = site / name
        good = path.read_text(encoding="utf-8")
        lines = good.split("\n")
        done(lines, rng)
        path.write_bytes("\n".join(lines).encode("utf-8", "surrogateescape"))
        try:
            load_site(site / configuration(name))
        except SettingsError as error:
            broken[done.__name__] += 1
            for told in map(str, error.problems):
                found = _TOLD.match(told)
                whole = done is rubbish or "cannot be read" in told
                if found is None or not _HELP.search(found["what"]) or not (found["line"] or whole):
                    unclear.append(f"{name}, {done.__name__}: {told}")
                elif found["line"] and not 0 < int(found["line"]) <= len(lines) + 1:
                    unclear.append(f"{name}, {done.__name__}: no such line: {told}")
        finally:
            path.write_text(good, encoding="utf-8")
    assert unclear == [], "\n".join(unclear)
    assert set(broken) == {done.__name__ for done in DONE}


def test_a_table_that_worked_once_goes_on_with_what_worked(site: Path, tmp_path: Path) -> None:
    rng = Random(5)
    path = site / "config" / "sim.yaml"
    good = path.read_text(encoding="utf-8")
    settings = load_site(path).settings
    remember(settings, tmp_path)
    fallen_back = 0
    try:
        while fallen_back < 20:
            lines = good.split("\n")
            rng.choice(DONE)(lines, rng)
            path.write_bytes("\n".join(lines).encode("utf-8", "surrogateescape"))
            found, warning = load_or_last_good(path, tmp_path, CHECKS)
            if warning is not None:
                fallen_back += 1
                assert found == settings
                assert str(path) in warning
                assert "In force is the last configuration that worked" in warning
    finally:
        path.write_text(good, encoding="utf-8")
