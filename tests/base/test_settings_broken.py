"""A corpus of broken configurations: what is told about each, word for word."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl.base.settings import SettingsError, load

GOOD = """\
table: Table 1
backend: hardware
machine: machine
tiles: tiles.yaml
rules:
  id: mcr
journal:
  path: journal.sqlite
link:
  socket: link.sock
"""
SIMULATED = GOOD.replace("hardware", "simulated")
DISPLAY = "{name: a, driver: ssd1306, width_px: 128, height_px: 64, i2c: {}}"


def changed(old: str, new: str) -> str:
    assert old in GOOD
    return GOOD.replace(old, new)


#: name: (text, everything that is told, without the file's name)
CORPUS: dict[str, tuple[str | bytes, list[str]]] = {
    "empty": ("", [":1:1: found null, expected a mapping (key: value)"]),
    "only comments": ("# nothing\n", [":1:1: found null, expected a mapping (key: value)"]),
    "a list": ("- table\n", [":1:1: found a list, expected a mapping (key: value)"]),
    "a word": ("table\n", [":1:1: found 'table', expected a mapping (key: value)"]),
    "unknown key": (GOOD + "langauge: zh\n", [":11:1: langauge: unknown key; did you mean 'language'?"]),
    "unknown key, nothing near": (GOOD + "xyz: 1\n", [":11:1: xyz: unknown key"]),
    "unknown key inside": (
        changed("  socket: link.sock", "  sokcet: link.sock"),
        [":10:3: link.socket: this key is missing", ":10:3: link.sokcet: unknown key; did you mean 'socket'?"],
    ),
    "key missing": (changed("backend: hardware\n", ""), [":1:1: backend: this key is missing"]),
    "section empty": (
        changed("  id: mcr\n", ""),
        [":5:7: rules: found null, expected a mapping (key: value)"],
    ),
    "key twice": (GOOD + "table: Table 2\n", [":11:1: key 'table' stands twice, first in line 1"]),
    "backend guessed": (
        changed("hardware", "auto"),
        [":2:10: backend: found 'auto', expected 'simulated' or 'hardware'"],
    ),
    "backend misspelt": (
        changed("hardware", "hardwear"),
        [":2:10: backend: found 'hardwear', expected 'simulated' or 'hardware'; did you mean 'hardware'?"],
    ),
    "language": (GOOD + "language: cn\n", [":11:11: language: found 'cn', expected 'zh' or 'en'"]),
    "time zone": (
        GOOD + "time_zone: Asia/Shangai\n",
        [
            ":11:12: time_zone: found 'Asia/Shangai', expected a time zone, e.g. Asia/Shanghai; "
            "did you mean 'Asia/Shanghai'?"
        ],
    ),
    "number as a name": (changed("Table 1", "1"), [":1:8: table: found 1, expected text"]),
    "name empty": (changed("Table 1", '""'), [":1:8: table: found '', string should have at least 1 character"]),
    "three players": (GOOD + "players: [a, b, c]\n", [":11:10: players[3]: this key is missing"]),
    "players as text": (GOOD + "players: a b c d\n", [":11:10: players: found 'a b c d', expected a list"]),
    "period zero": (
        GOOD + "zones: {period_s: 0}\n",
        [":11:19: zones.period_s: found 0, expected greater than 0"],
    ),
    "period in words": (
        GOOD + "zones: {period_s: 250ms}\n",
        [":11:19: zones.period_s: found '250ms', expected a number"],
    ),
    "period without unit": (
        GOOD + "zones: {period: 0.25}\n",
        [":11:9: zones.period: unknown key; did you mean 'period_s'?"],
    ),
    "switch": (GOOD + "trace: maybe\n", [":11:8: trace: found 'maybe', expected on or off"]),
    "files too few": (
        GOOD + "traces: {files: 0}\n",
        [":11:17: traces.files: found 0, expected greater than or equal to 1"],
    ),
    "files half": (GOOD + "traces: {files: 1.5}\n", [":11:17: traces.files: found 1.5, expected a whole number"]),
    "socket too long": (
        changed("link.sock", "/tmp/" + "x" * 110),
        [":10:3: link.socket: 115 bytes long; a socket's path has at most 107"],
    ),
    "socket for everybody": (
        GOOD + "  mode: 0666\n",
        [":11:3: link.mode: every program on this machine could command the table; expected 0600 or 0660"],
    ),
    "mode in letters": (
        GOOD + "  mode: rw-rw----\n",
        [":11:9: link.mode: found 'rw-rw----', expected a file mode of three octal digits, e.g. 0660"],
    ),
    "mode not octal": (
        GOOD + "  mode: 0680\n",
        [":11:9: link.mode: found 680, expected a file mode of three octal digits, e.g. 0660"],
    ),
    "options here and there": (
        changed("  id: mcr\n", "  id: mcr\n  options: {a: 1}\n  options_file: o.yaml\n"),
        [
            ":8:3: rules.options_file: options stand here and in a file; expected one of them",
            ":8:17: rules.options_file: o.yaml: cannot be read: No such file or directory",
        ],
    ),
    "options as a list": (
        changed("  id: mcr\n", "  id: mcr\n  options: [a]\n"),
        [":7:12: rules.options: found a list, expected a mapping (key: value)"],
    ),
    "hardware without tiles": (
        changed("tiles: tiles.yaml\n", ""),
        [":2:1: backend: hardware needs the register of the tile sets; add the key tiles"],
    ),
    "simulation of a real table": (
        GOOD + "sim: {seed: 1}\n",
        [":11:1: sim: only for a simulated table; expected backend: simulated, or no key sim"],
    ),
    "noise": (
        SIMULATED + "sim: {noise: nromal}\n",
        [":11:14: sim.noise: found 'nromal', expected 'clean', 'normal', 'hard' or 'brutal'; did you mean 'normal'?"],
    ),
    "seed below zero": (
        SIMULATED + "sim: {seed: -1}\n",
        [":11:13: sim.seed: found -1, expected greater than or equal to 0"],
    ),
    "display not connected": (
        GOOD + "displays:\n  - {name: a, driver: ssd1306, width_px: 128, height_px: 64}\n",
        [":12:15: displays[0].driver: how is it connected? expected one of the keys i2c and spi"],
    ),
    "two displays of one name": (
        GOOD + f"displays:\n  - {DISPLAY}\n  - {DISPLAY}\n",
        [":13:6: displays[1].name: 'a' is the name of another display too; each needs its own"],
    ),
    "display without size": (
        GOOD + "displays:\n  - {name: a, driver: ssd1306, i2c: {}}\n",
        [":12:5: displays[0].width_px: this key is missing", ":12:5: displays[0].height_px: this key is missing"],
    ),
    "display turned a little": (
        GOOD + f"displays:\n  - {DISPLAY[:-1]}, rotate_degrees: 45}}\n",
        [":12:87: displays[0].rotate_degrees: found 45, expected 0, 90, 180 or 270"],
    ),
    "address out of range": (
        GOOD + f"displays:\n  - {DISPLAY.replace('{}', '{address: 0x3cc}')}\n",
        [":12:77: displays[0].i2c.address: found '0x3cc', expected an I²C address from 0x03 to 0x77"],
    ),
    "tab": ("table: x\nlink:\n\tsocket: y\n", [":3:1: a tab; expected spaces: YAML is indented with spaces only"]),
    "bracket open": (
        GOOD + "players: [a, b\n",
        [":12:1: neither YAML nor JSON: while parsing a flow sequence, did not find expected ',' or ']'"],
    ),
    "colon in a text": (
        changed("Table 1", "Table: one"),
        [":1:13: neither YAML nor JSON: mapping values are not allowed in this context"],
    ),
    "not utf-8": ("table: 一号桌\n".encode("gbk"), [": not UTF-8 text at byte 9"]),
    "utf-16": ("table: x\n".encode("utf-16"), [": not UTF-8 text at byte 0"]),
    "zeros from a power cut": (
        b"\0" * 512,
        [": neither YAML nor JSON: unacceptable character #x0000: control characters are not allowed"],
    ),
    "alias": (
        changed("machine: machine", "machine: &m machine") + "players: [*m, *m, *m, *m]\n",
        [
            ":3:10: anchor &m: anchors are not read",
            ":11:11: alias *m: aliases are not read; write the value itself",
            ":11:15: alias *m: aliases are not read; write the value itself",
            ":11:19: alias *m: aliases are not read; write the value itself",
            ":11:23: alias *m: aliases are not read; write the value itself",
        ],
    ),
    "a tag that runs code": (
        GOOD + "web: !!python/object/apply:os.system [id]\n",
        [":11:6: tag tag:yaml.org,2002:python/object/apply:os.system: tags are not read"],
    ),
    "nested without end": (GOOD + "web: " + "[" * 40 + "]" * 40, [":11:37: nested more than 32 deep"]),
    "two documents": (GOOD + "---\ntable: y\n", [":11:1: a second document begins here; expected only one"]),
    "much too large": (
        GOOD + "# " + "x" * 300_000 + "\n",
        [": 300146 bytes; expected a configuration, at most 262144 bytes"],
    ),
    "several at once": (
        "table: 7\nbackend: hardwear\nmachine: m\nlangauge: zh\nrules: {di: mcr}\njournal: {path: j}\n"
        "link: {socket: s, mode: 777}\nweb: {}\nzones: {period_s: -1}\n",
        [
            ":1:8: table: found 7, expected text",
            ":2:10: backend: found 'hardwear', expected 'simulated' or 'hardware'; did you mean 'hardware'?",
            ":4:1: langauge: unknown key; did you mean 'language'?",
            ":5:8: rules.id: this key is missing",
            ":5:9: rules.di: unknown key",
            ":9:19: zones.period_s: found -1, expected greater than 0",
        ],
    ),
}


@pytest.mark.parametrize("name", CORPUS)
def test_everything_that_is_wrong_is_told(tmp_path: Path, name: str) -> None:
    text, expected = CORPUS[name]
    path = tmp_path / "t.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(SettingsError) as caught:
        load(path)
    told = [str(problem).removeprefix(str(path)).replace(f"{tmp_path}/", "") for problem in caught.value.problems]
    assert sorted(told) == sorted(expected)
    assert told == sorted(told, key=expected.index)


def test_a_file_that_is_not_there_or_no_file(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"none\.yaml: cannot be read: No such file or directory"):
        load(tmp_path / "none.yaml")
    with pytest.raises(SettingsError, match="cannot be read: File name too long"):
        load(tmp_path / ("x" * 300))
    with pytest.raises(SettingsError, match="cannot be read: Is a directory"):
        load(tmp_path)


def test_the_good_ones_are_good(tmp_path: Path) -> None:
    for text in (GOOD, SIMULATED, GOOD + f"displays:\n  - {DISPLAY}\n"):
        path = tmp_path / "t.yaml"
        path.write_text(text)
        load(path)


@given(at=st.integers(0, len(GOOD)), junk=st.binary(max_size=6), cut=st.integers(0, 30))
def test_whatever_is_done_to_a_file_it_loads_or_says_what_is_wrong(
    tmp_path_factory: pytest.TempPathFactory, at: int, junk: bytes, cut: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzzed.yaml"
    path.write_bytes(GOOD.encode()[:at] + junk + GOOD.encode()[at + cut :])
    try:
        told: list[object] = [load(path)]
    except SettingsError as error:
        told = list(error.problems)
    assert told
