"""The commands that make something of a journal: hands, sheet, stats."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from journals import NAMES, Match, played, write
from typer.testing import CliRunner, Result

from tablectl.cli import app
from tablectl.commands import printing
from tablectl.tiles.notation import parse_line

ROOT = Path(__file__).parents[2]


def run(*arguments: object) -> Result:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return played(tmp_path_factory.mktemp("journal") / "journal.sqlite")


@pytest.fixture(scope="module")
def competition(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return played(tmp_path_factory.mktemp("journal") / "journal.sqlite", "competition", 2)


# --- hands


def test_hands_are_listed_with_how_they_ended(journal: Path) -> None:
    lines = json.loads(run("hands", "list", "--journal", journal, "--json").output)
    assert [(line["hand"], bool(line["wins"]), line["drawn"]) for line in lines] == [
        (1, True, None),
        (2, False, "exhausted"),
        (3, False, "exhausted"),
    ]
    table = run("hands", "list", "--journal", journal).output
    assert "drawn: exhausted" in table


def test_export_as_lines(journal: Path, tmp_path: Path) -> None:
    file = tmp_path / "wins.txt"
    assert run("hands", "export", file, "--format", "lines", "--journal", journal).exit_code == 0
    (line,) = file.read_text().splitlines()
    assert parse_line(line).self_drawn
    assert line.startswith("1112345678999")


def test_export_as_records_and_of_one_hand(journal: Path, tmp_path: Path) -> None:
    every, one = tmp_path / "all.jsonl", tmp_path / "one.jsonl"
    assert run("hands", "export", every, "--journal", journal).exit_code == 0
    assert run("hands", "export", one, "--journal", journal, "--hand", "2").exit_code == 0
    records = [json.loads(line) for line in every.read_text().splitlines()]
    assert [record["type"] for record in records].count("start_kyoku") == 3
    assert one.read_text() in every.read_text()
    refused = run("hands", "export", tmp_path / "x", "--journal", journal, "--hand", "9")
    assert (refused.exit_code, "expected 1 to 3" in refused.stderr) == (2, True)
    again = run("hands", "export", every, "--journal", journal)
    assert (again.exit_code, "exists already" in again.stderr) == (2, True)


@pytest.mark.parametrize(("form", "first"), [("botzone", "Match "), ("pmn", '[Event "Open"]')])
def test_export_for_other_programs(journal: Path, tmp_path: Path, form: str, first: str) -> None:
    file = tmp_path / "hands.txt"
    result = run("hands", "export", file, "--format", form, "--journal", journal, "--event", "Open")
    assert result.exit_code == 0, result.output
    assert file.read_text().startswith(first)
    assert file.read_text().count(first) == 3


def test_hands_that_a_format_cannot_hold_are_named(competition: Path, tmp_path: Path) -> None:
    file = tmp_path / "hands.txt"
    result = run("hands", "export", file, "--format", "pmn", "--journal", competition)
    assert result.exit_code == 1
    assert "hand 1: left out: the format is of 国标麻将" in result.stderr
    assert "pmn can hold none of these hands" in result.stderr
    assert not file.exists()


def test_a_hand_as_a_page(journal: Path, tmp_path: Path) -> None:
    file = tmp_path / "hand.html"
    assert run("hands", "html", "1", file, "--journal", journal, "--lang", "en").exit_code == 0
    text = file.read_text()
    assert 'data-lang="en"' in text
    told = re.search(r'<script id="hand" type="application/json">(.*?)</script>', text, re.DOTALL)
    assert told is not None
    assert json.loads(told[1])["names"] == list(NAMES)
    refused = run("hands", "html", "7", file, "--journal", journal)
    assert (refused.exit_code, "expected 1 to 3" in refused.stderr) == (2, True)
    assert run("hands", "html", "1", tmp_path / "none" / "x.html", "--journal", journal).exit_code == 2


def test_the_check_that_anybody_can_do_is_right(journal: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program in docs/fairness.md."""
    run("hands", "export", tmp_path / "hand-3.jsonl", "--journal", journal, "--hand", "3")
    text = (ROOT / "docs" / "fairness.md").read_text(encoding="utf-8")
    (program,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    said: list[object] = []
    exec(program, {"print": said.append})
    assert said == [True]


# --- verify


def test_a_journal_in_order(journal: Path) -> None:
    result = run("hands", "verify", "--journal", journal, "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert (found["hands"], found["seals"], found["unopened"], found["wrong"]) == (3, 6, [], [])
    agreeing, compared = found["tiles_as_sealed"]
    assert agreeing == compared == 3 * 53
    assert (
        "6 seals, 159 of 159 tiles where they say: all in order" in run("hands", "verify", "--journal", journal).stdout
    )


def events_of_a_match() -> list[dict[str, Any]]:
    match = Match()
    match.hand(won=True)
    match.hand()
    return match.events


def verified(path: Path, events: list[dict[str, Any]]) -> tuple[int, str]:
    result = run("hands", "verify", "--journal", write(path, events))
    return result.exit_code, result.output


def _first(events: list[dict[str, Any]], kind: str, what: str | None = None) -> dict[str, Any]:
    return next(event for event in events if event["type"] == kind and what in (None, event.get("what")))


def test_another_wall_than_the_sealed_one_is_found(tmp_path: Path) -> None:
    events = events_of_a_match()
    built = _first(events, "opened", "wall")["built"]
    built[0][0], built[1][0] = ("1m", "9s") if built[0][0] != "1m" else ("9s", "1m")
    code, output = verified(tmp_path / "j", events)
    assert (code, "salt and wall are not those that were committed to" in output) == (1, True)


def test_tiles_that_did_not_lie_in_the_sealed_wall_are_found(tmp_path: Path) -> None:
    """The seal was kept, but other tiles were dealt."""
    events = events_of_a_match()
    first, second = (event for event in events if event["type"] == "opened" and event["what"] == "wall")
    digests = first["digest"], second["digest"]
    for event in events:
        if event.get("digest") in digests and event["what"] == "wall":
            event["digest"] = digests[1] if event["digest"] == digests[0] else digests[0]
    first["secret"], second["secret"] = second["secret"], first["secret"]
    first["built"], second["built"] = second["built"], first["built"]
    code, output = verified(tmp_path / "j", events)
    assert code == 1
    assert "tiles lay where the sealed wall and the dice say" in output


def test_dice_that_the_secret_does_not_make_are_found(tmp_path: Path) -> None:
    events = events_of_a_match()
    throw = _first(events, "opened", "dice")["throws"][0]
    throw["dice"] = [7 - face for face in throw["dice"]]
    code, output = verified(tmp_path / "j", events)
    assert (code, "dice, throw 1" in output) == (1, True)
    assert "counted" in output


def test_another_secret_is_found(tmp_path: Path) -> None:
    events = events_of_a_match()
    _first(events, "opened", "dice")["secret"] = "00" * 32
    code, output = verified(tmp_path / "j", events)
    assert (code, "the secret is not the one that was committed to" in output) == (1, True)


def test_a_seal_that_was_never_opened_is_named_but_is_no_proof(tmp_path: Path) -> None:
    events = [event for event in events_of_a_match() if event["type"] != "opened"]
    code, output = verified(tmp_path / "j", events)
    assert code == 0
    assert output.count("was never opened") == 4


def test_a_seal_that_was_never_made_is_found(tmp_path: Path) -> None:
    events = [event for event in events_of_a_match() if event["type"] != "commitment"]
    code, output = verified(tmp_path / "j", events)
    assert (code, "a seal was opened that was never made" in output) == (1, True)


def test_an_account_that_does_not_sum_is_found(tmp_path: Path) -> None:
    events = events_of_a_match()
    end = _first(events, "end_kyoku")
    end["scores"] = [points + 1 for points in end["scores"]]
    code, output = verified(tmp_path / "j", events)
    assert (code, "do not make" in output) == (1, True)


def test_a_match_that_does_not_replay_is_told(tmp_path: Path) -> None:
    events = events_of_a_match()
    code, output = verified(tmp_path / "j", [event for event in events if event["type"] != "hand_opened"])
    assert (code, "match of event 1" in output) == (1, True)


# --- sheet


def test_the_sheet_in_words_and_json(competition: Path) -> None:
    words = run("sheet", "--journal", competition)
    assert words.exit_code == 0, words.output
    assert "王小明" in words.output
    assert "▲" in words.output
    sheet = json.loads(run("sheet", "--journal", competition, "--json", "--event", "Open", "--teams", "a,b,c,d").output)
    assert (sheet["head"]["event"], sheet["players"][3]["team"]) == ("Open", "d")
    assert [column["hand"] for column in sheet["columns"]] == [1, 2]
    every = json.loads(run("sheet", "--journal", competition, "--json", "--all").output)
    assert every[0]["columns"] == sheet["columns"]


def test_the_sheet_as_csv(competition: Path, tmp_path: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(run("sheet", "--journal", competition, "--csv", "-").output)))
    assert len(rows) == 2 * 4
    assert (rows[0]["name"], rows[0]["signs"], rows[1]["hand"]) == ("王小明", "▲+", "1")
    assert sum(int(row["change"]) for row in rows) == 0
    file = tmp_path / "sheet.csv"
    assert run("sheet", "--journal", competition, "--csv", file).exit_code == 0
    assert file.read_bytes().startswith(b"\xef\xbb\xbf")  # spreadsheets know the encoding by it


def test_the_sheet_as_a_page(competition: Path, tmp_path: Path) -> None:
    file = tmp_path / "sheet.html"
    assert run("sheet", "--journal", competition, "--html", file, "--lang", "en").exit_code == 0
    text = file.read_text()
    assert "Result sheet" in text
    assert "@page { size: A4 landscape" in text
    assert run("sheet", "--journal", competition, "--html", tmp_path / "none" / "x.html").exit_code == 2


def test_a_pdf_where_no_browser_is(competition: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(printing, "BROWSERS", ("no-such-browser",))
    result = run("sheet", "--journal", competition, "--pdf", tmp_path / "sheet.pdf")
    assert result.exit_code == 1
    assert "needs Chromium" in result.stderr
    assert "--html" in result.stderr


def test_a_browser_that_prints_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(printing, "BROWSERS", ("false",))
    with pytest.raises(printing.PrintError, match="made no PDF"):
        printing.to_pdf("<p>x", tmp_path / "x.pdf")


def test_what_the_sheet_refuses(competition: Path, tmp_path: Path) -> None:
    for arguments, expected in (
        (("--game", "3"), "expected 1 to 1"),
        (("--teams", "a,b"), "expected four"),
    ):
        result = run("sheet", "--journal", competition, *arguments)
        assert (result.exit_code, expected in result.stderr) == (2, True)
    empty = write(tmp_path / "empty", [{"type": "note"}])
    result = run("sheet", "--journal", empty)
    assert (result.exit_code, "no game yet" in result.stderr) == (2, True)
    assert run("sheet", "--journal", tmp_path / "none").exit_code == 2


def test_a_wrong_sum_ends_with_one(tmp_path: Path) -> None:
    events = events_of_a_match()
    _first(events, "hora")["deltas"] = [1, 0, 0, 0]
    result = run("sheet", "--journal", write(tmp_path / "j", events))
    assert result.exit_code == 1
    assert "its payments make" in result.stderr


# --- stats


def test_statistics_of_a_few_hands_say_so(journal: Path) -> None:
    result = run("stats", "--journal", journal, "--json")
    report = json.loads(result.output)
    assert (result.exit_code, report["walls"], report["throws"]) == (0, 3, 6)
    assert {test["verdict"] for test in report["tests"] if test["name"].startswith("beside")} == {"too_few"}
    words = run("stats", "--journal", journal).output
    assert "3 walls, 6 throws" in words
    assert "too few" in words


def test_loaded_dice_end_with_one(tmp_path: Path) -> None:
    events = [{"type": "start_game", "rules": "mcr", "scores": [0, 0, 0, 0]}]
    events += [{"type": "dice", "actor": 0, "dice": [6, 1 + n % 6]} for n in range(60)]
    result = run("stats", "--journal", write(tmp_path / "j", events))
    assert result.exit_code == 1
    assert "suspicious" in result.output
