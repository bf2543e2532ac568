"""The command line as a person uses it: what is printed, exit codes, and no traceback whatever is given."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tablectl.cli import app

ROOT = Path(__file__).parents[2]
TRACES = ROOT / "tests" / "traces"
CLEAN = TRACES / "competition-clean.trace.jsonl.gz"


def run(*words: str) -> Result:
    result = CliRunner().invoke(app, words)
    assert "Traceback" not in result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


# --- help


def commands(*prefix: str) -> list[tuple[str, ...]]:
    """Every command there is, sub-commands too."""
    listed = re.findall(r"^│ ([a-z-]+) ", run(*prefix, "--help").output.partition("Commands")[2], re.MULTILINE)
    found: list[tuple[str, ...]] = []
    for name in listed:
        words = (*prefix, name)
        found.append(words)
        if not prefix:
            found += commands(*words)
    return found


def test_every_command_explains_itself() -> None:
    found = commands()
    assert {("score",), ("replay",), ("sim",), ("rules", "show"), ("hands", "verify"), ("ctl",)} <= set(found)
    for words in found:
        help = run(*words, "--help")
        assert help.exit_code == 0
        sentence = help.output.split("\n\n")[0] + help.output
        assert len(sentence) > 100, words


def test_help_is_quick_and_the_program_runs_as_a_module() -> None:
    """No part of the table is imported for a help text."""
    code = "import sys; from tablectl.cli import app; print([m for m in sys.modules if m.startswith('tablectl.')])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT).stdout
    parts = {name.split(".")[1] for name in json.loads(out.replace("'", '"'))}
    assert parts <= {"cli", "commands"}
    assert subprocess.run([sys.executable, "-m", "tablectl", "--version"], check=True, cwd=ROOT).returncode == 0


def test_misuse_is_two() -> None:
    assert run("sing").exit_code == 2
    assert run("score").exit_code == 2
    assert run("rules", "show", "compettion").exit_code == 2


# --- score, waits, rules


@pytest.mark.parametrize("rules", ["competition"])
def test_score_prints_what_the_cases_expect(rules: str) -> None:
    result = run("score", str(ROOT / "tests" / "cases" / f"{rules}.yaml"), "--json")
    assert result.exit_code == 0
    results = json.loads(result.output)
    assert len(results) > 50
    assert set(results[0]) == {"id", "legal", "reason", "fans", "score", "payments"}


def test_score_tells_a_difference(tmp_path: Path) -> None:
    text = (ROOT / "tests" / "cases" / "competition.yaml").read_text()
    first = text[: text.index("- id: competition-002")].replace("score: 10", "score: 12")
    file = tmp_path / "case.yaml"
    file.write_text(first)
    result = run("score", str(file))
    assert result.exit_code == 1
    assert "DIFFERS: score is 10, expected 12" in result.output


BROKEN_CASES = {
    "not yaml": ("a: [", "neither YAML nor JSON"),
    "no case": ("7", "expected a case"),
    "unknown key": ("{rules: competition, points: [1,1,1,1], wins: [], winz: []}", "did you mean 'wins'"),
    "no such rules": ("{rules: competitoin, points: [1,1,1,1], wins: []}", "did you mean 'competition'"),
    "five equal tiles": (
        "{rules: competition, points: [100,100,100,100], wins: [{seat: 0, concealed: 11111m234p567s55s, "
        "melds: '', flowers: '', tile: 1m, from: 1, how: []}]}",
        "1m",
    ),
    "seat nine": (
        "{rules: competition, points: [100,100,100,100], wins: [{seat: 9, concealed: 1m, tile: 1m, from: 1}]}",
        "expected",
    ),
}


@pytest.mark.parametrize("name", BROKEN_CASES)
def test_a_broken_case_file_is_told_with_its_place(tmp_path: Path, name: str) -> None:
    text, expected = BROKEN_CASES[name]
    file = tmp_path / "case.yaml"
    file.write_text(text)
    result = run("score", str(file))
    assert result.exit_code == 2
    assert re.search(rf"{re.escape(str(file))}:\d+:\d+: ", result.output)
    assert expected in result.output


def test_waits() -> None:
    result = run("waits", "456p55p78s234m[123m,1]", "--json")
    assert result.exit_code == 0
    waits = json.loads(result.output)
    assert [wait["tile"] for wait in waits] == ["6s", "9s"]
    assert waits[1]["discard"]["fans"] == {"花龙": 10}
    assert run("waits", "123m").exit_code == 2
    assert "nearest" not in run("waits", "12x").output
    assert run("waits", "456p55p78s234m[123m,1]", "-o", "claim_second=3").exit_code == 2


def test_rules() -> None:
    assert "competition" in {entry["id"] for entry in json.loads(run("rules", "list", "--json").output)}
    card = json.loads(run("rules", "show", "competition", "--json").output)
    assert {"大乱", "七对"} <= {fan["name"] for fan in card["fans"]}
    changed = json.loads(run("rules", "show", "competition", "--json", "-o", "fan_values={七对: 40}").output)
    assert next(fan["value"] for fan in changed["fans"] if fan["name"] == "七对") == 40
    options = json.loads(run("rules", "options", "competition", "--json").output)
    assert next(option for option in options if option["name"] == "claim_seconds")["default"] == 3


# --- replay


def test_replay_equals_the_truth() -> None:
    truth = TRACES / "competition-clean.truth.jsonl"
    result = run("replay", str(CLEAN), "--json", "--truth", str(truth))
    assert result.exit_code == 0
    kinds = [json.loads(line)["type"] for line in result.stdout.splitlines()]
    assert kinds[0] == "start_kyoku"
    assert kinds[-1] == "end_kyoku"


def test_replay_tells_a_difference(tmp_path: Path) -> None:
    truth = tmp_path / "truth.jsonl"
    truth.write_text((TRACES / "competition-clean.truth.jsonl").read_text().replace('"pai": "6m"', '"pai": "7m"', 1))
    assert run("replay", str(CLEAN), "--truth", str(truth)).exit_code == 1


def _lines() -> list[str]:
    return gzip.decompress(CLEAN.read_bytes()).decode().splitlines()


def _with(number: int, line: str) -> str:
    lines = _lines()
    return "\n".join([*lines[: number - 1], line, *lines[number - 1 :]]) + "\n"


LATE = 9000  # a line of this trace after the first discards

BROKEN_TRACES = {
    "not JSON": (lambda: _with(LATE, "tiles"), LATE, "not JSON"),
    "cut line": (lambda: "\n".join(_lines()[: LATE - 1]) + '\n{"t":190.1,"zone":"han', LATE, "JSON"),
    "unknown zone": (
        lambda: _with(LATE, '{"t":999,"zone":"hnad.0","tags":[]}'),
        LATE,
        'zone: found "hnad.0"; expected hand',
    ),
    "time running backwards": (lambda: _with(LATE, '{"t":1.0,"zone":"hand.0","tags":[]}'), LATE, "before"),
    "unknown key": (lambda: _with(LATE, '{"t":999,"key":"pong","seat":0}'), LATE, "pung"),
}


@pytest.mark.parametrize("name", BROKEN_TRACES)
def test_a_broken_trace_is_told_and_what_came_before_stands(tmp_path: Path, name: str) -> None:
    text, line, expected = BROKEN_TRACES[name]
    file = tmp_path / "table.trace.jsonl"
    file.write_text(text())
    result = run("replay", str(file), "--json")
    assert result.exit_code == 2
    assert f"{file}:{line}: " in result.stderr
    assert expected in result.stderr
    events = [json.loads(out) for out in result.stdout.splitlines()]
    assert events[0]["type"] == "start_kyoku"
    assert sum(event["type"] == "dahai" for event in events) > 10


def test_all_matches_of_a_trace_are_told(tmp_path: Path) -> None:
    more = [{"referee": {"do": "end_game"}}, {"machine": "collecting"}, {"machine": "raised"}]
    lines = [json.dumps({"t": 9000.0 + 10 * n, **report}) + "\n" for n, report in enumerate(more)]
    file = tmp_path / "table.trace.jsonl"
    file.write_text(gzip.decompress((TRACES / "mcr-clean.trace.jsonl.gz").read_bytes()).decode() + "".join(lines))
    result = run("replay", str(file), "--json", "--truth", str(TRACES / "mcr-clean.truth.jsonl"))
    assert result.exit_code == 0, result.output


def test_five_equal_tiles_in_a_trace(tmp_path: Path) -> None:
    lines = _lines()
    header = json.loads(lines[0])
    tags = [tag for tag, tile in header["tags"].items() if tile == "2m"][:1]
    header["tags"] |= dict.fromkeys(tags, "1m")
    file = tmp_path / "table.trace.jsonl"
    file.write_text(json.dumps(header) + "\n")
    result = run("replay", str(file))
    assert result.exit_code == 2
    assert f"{file}:1: tags: 5 tags are 1m" in result.output


# --- check


def test_check() -> None:
    assert run("check", str(ROOT / "config" / "sim.yaml")).exit_code == 0
    assert run("check", str(ROOT / "config" / "table.yaml")).exit_code == 0


def test_check_tells_every_mistake_with_its_place(tmp_path: Path) -> None:
    text = (ROOT / "config" / "sim.yaml").read_text().replace("../hardware", str(ROOT / "hardware"))
    file = tmp_path / "table.yaml"
    text = text.replace("id: competition", "id: competition\n  options: {claim_second: 3, cap: never}")
    file.write_text(text.replace("port: 8080", "prot: 8080").replace("language: zh\n", "language: cn\n", 1))
    result = run("check", str(file))
    assert result.exit_code == 2
    for expected in ("did you mean 'claim_seconds'", "rules.options.cap", "did you mean 'port'", "language"):
        assert expected in result.output
    places = re.findall(rf"{re.escape(str(file))}:\d+:\d+: ", result.output)
    assert len(places) == 4


# --- a journal


@pytest.mark.parametrize(
    "words",
    [
        *("hands list --journal", "hands check-signature", "status --config", "sim --fast --trace"),
        f"hands check-signature {ROOT}/README.md --key",
        f"tags enroll green --config {ROOT}/config/sim.yaml --tiles",
    ],
)
def test_a_path_that_cannot_be_looked_at_is_told_without_a_traceback(tmp_path: Path, words: str) -> None:
    path = tmp_path / ("x" * 300)
    result = run(*words.split(), str(path))
    assert result.exit_code == 2
    assert re.search(rf"{path}: (cannot be read: )?File name too long", result.output)


def test_files_of_the_table_for_somebody_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def closed(path: Path) -> bool:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "is_file", closed)
    result = run("hands", "list", "--journal", str(tmp_path / "journal.sqlite"))
    assert result.exit_code == 2
    assert "journal.sqlite: Permission denied. The table's own files: sudo -u tablectl tablectl …" in result.output


@pytest.mark.slow
def test_hands_of_a_journal(tmp_path: Path) -> None:
    config = tmp_path / "table.yaml"
    journal = tmp_path / "journal.sqlite"
    text = (ROOT / "config" / "sim.yaml").read_text().replace("../hardware", str(ROOT / "hardware"))
    config.write_text(text.replace('":memory:"', str(journal)).replace("noise: normal", "noise: clean"))
    played = run("sim", "--fast", "--config", str(config), "--hands", "2", "--seed", "3", "--json")
    assert played.exit_code == 0, played.output
    listed = json.loads(run("hands", "list", "--config", str(config), "--json").output)
    assert [line["hand"] for line in listed] == [1, 2]
    shown = run("hands", "show", "2", "--config", str(config), "--json").output
    assert json.loads(shown.splitlines()[0])["type"] == "start_kyoku"
    assert run("hands", "show", "3", "--config", str(config)).exit_code == 2
    assert run("hands", "verify", "--config", str(config)).exit_code == 0
    exported = tmp_path / "hands.jsonl"
    assert run("hands", "export", str(exported), "--config", str(config)).exit_code == 0
    assert run("hands", "export", str(exported), "--config", str(config)).exit_code == 2
    _tamper(journal)
    assert run("hands", "verify", "--config", str(config)).exit_code == 1


def _tamper(journal: Path) -> None:
    import sqlite3

    with sqlite3.connect(journal) as db:
        db.execute("UPDATE events SET json = replace(json, '\"score\":', '\"score\":1') WHERE type = 'hora'")
        db.execute("UPDATE events SET json = replace(json, 'live', 'tail') WHERE type = 'tsumo'")
    db.close()


def test_sim_refuses_what_it_cannot_do() -> None:
    assert "expected" in run("sim", "--fast", "--seed", "a..b").output
    assert run("sim", "--fast", "--noise", "loud").exit_code == 2
    assert run("sim", "--config", str(ROOT / "config" / "table.yaml")).exit_code == 2


def test_ctl_without_a_table(tmp_path: Path) -> None:
    result = run("ctl", "state.get", "--socket", str(tmp_path / "none.sock"))
    assert result.exit_code == 1
    assert str(tmp_path / "none.sock") in result.output
    assert run("ctl", "state.get", "[1]", "--socket", str(tmp_path / "none.sock")).exit_code == 2
