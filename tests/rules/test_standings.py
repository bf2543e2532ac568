"""Standings of an event: places, standard points, who goes on, ties, teams (competition J103–J109, mcr T61–T62)."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from tablectl.commands.standings import standings as command
from tablectl.documents import DocumentError
from tablectl.rules.registry import load
from tablectl.rules.results import Event, parse_results
from tablectl.rules.standings import GroupLines, Standings, games_of_round, standings

J109 = """
rules: competition
results:
  - {table: 1, game: 1, points: {A: 180, B: 60, C: 0, D: 160}}
  - {table: 1, game: 2, points: {B: 160, A: 40, D: 100, C: 100}}
  - {table: 1, game: 3, points: {C: 120, D: 80, B: 100, A: 100}}
  - {table: 1, game: 4, points: {D: 100, C: 100, A: 90, B: 110}}
"""


def event(*texts: str) -> Event:
    return parse_results((text, f"{number}.yaml") for number, text in enumerate(texts, 1))


def told(*texts: str) -> Standings:
    return standings(event(*texts))


def places(group: GroupLines) -> list[tuple[int | None, str]]:
    return [(line.placing.rank if line.placing else None, line.name) for line in group.players]


def refused(*texts: str) -> str:
    with pytest.raises(DocumentError) as caught:
        event(*texts)
    return str(caught.value)


def table(points: str, **more: object) -> str:
    rest = "".join(f", {key}: {json.dumps(value, ensure_ascii=False)}" for key, value in more.items())
    return f"  - {{points: {{{points}}}{rest}}}\n"


# --- 竞技麻将


def test_worked_ranking() -> None:  # J109
    found = told(J109)
    (group,) = found.groups
    assert places(group) == [(1, "D"), (2, "B"), (3, "A"), (4, "C")]
    assert [line.points for line in group.players] == [440, 430, 410, 320]
    assert group.players[2].games == (180, 40, 100, 90)
    assert (found.advancing, found.substitutes) == ({1: ("D",)}, {1: ("B",)})
    first = found.players[0]
    assert (first.rank, first.name, first.standard, first.points) == (1, "D", 1, 440)
    assert found.notes == []


def test_options_may_differ_in_a_round() -> None:  # J103, J104
    found = told(J109 + "rounds: {1: {advance_per_table: 2, round_standard_points: 9}}\n")
    assert found.advancing == {1: ("D", "B")}
    assert [line.standard for line in found.players] == [9, 9, 0, 0]


FOUR = "rules: competition\noptions: {match_format: four}\n"
TIE = FOUR + "results:\n" + table("A: 120, B: 120, C: 100, D: 60", table=1)


def test_a_tie_at_the_border_waits_for_the_referee() -> None:  # J103
    found = told(TIE)
    assert found.advancing == {}
    assert found.notes[0].text.startswith("round 1, table 1: A、B are equal at the border")
    assert not found.notes[0].wrong
    decided = told(TIE + "rulings: [{round: 1, order: [B, A]}]\n")
    assert (decided.advancing, decided.substitutes) == ({1: ("B",)}, {1: ("A",)})
    assert places(decided.groups[0])[:2] == [(1, "B"), (2, "A")]
    assert [line.points for line in decided.groups[0].players] == [120, 120, 100, 60]
    assert decided.notes == []


def test_the_referee_puts_nobody_before_more_points() -> None:  # J103
    found = told(TIE + "rulings: [{round: 1, order: [C, A]}]\n")
    assert [note.wrong for note in found.notes] == [True, False]
    assert "C、A are not equal" in found.notes[0].text
    assert found.advancing == {}


@pytest.mark.parametrize(
    ("tables", "notes"),
    [
        (2, []),  # two play no round more
        (3, ["round 1: 3 go on; a mechanical seat fills the last table"]),
        (4, []),
        (5, ["round 1: 5 go on; of them 1 draw a bye by lot (round 2, rulings: advances)"]),
        (6, ["round 1: 6 go on; of them 2 draw a bye by lot (round 2, rulings: advances)"]),
    ],
)
def test_numbers_that_do_not_fill_the_tables_of_the_next_round(tables: int, notes: list[str]) -> None:  # J106
    first = "".join(table(f"A{n}: 140, B{n}: 120, C{n}: 90, D{n}: 50", table=n) for n in range(tables))
    assert [note.text for note in told(FOUR + "results:\n" + first).notes] == notes
    if tables == 5:  # it is played already
        second = table("A0: 140, A1: 120, A2: 90, A3: 50", round=2, table=1)
        assert told(FOUR + "results:\n" + first + second + "rulings: [{round: 2, advances: [A4]}]").notes == []


SECONDS = (
    FOUR
    + "results:\n"
    + table("A: 140, B: 120, C: 90, D: 50", table=1)
    + table("E: 160, F: 130, G: 60, H: 50", table=2)
)


def test_the_best_second_may_be_taken_and_earns_the_points_too() -> None:  # J103, J106
    found = told(SECONDS)
    assert (found.advancing, found.substitutes) == ({1: ("A", "E")}, {1: ("F", "B")})
    taken = told(SECONDS + "rulings: [{round: 1, advances: [F, 轮空]}]\n")
    assert taken.advancing == {1: ("A", "E", "F", "轮空")}
    assert taken.substitutes == {1: ("B",)}
    assert {line.name: line.standard for line in taken.players}["F"] == 1


def test_individuals_and_teams_over_rounds() -> None:  # J105
    second = "results:\n" + table("A: 100, E: 110, F: 130, B: 60", table=1, round=2)
    teams = "teams: {红: [A, H], 蓝: [E, B], 白: [F, D]}\n"
    found = told(SECONDS + teams, second)
    assert [(line.rank, line.name, line.standard, line.points, line.rounds) for line in found.players][:4] == [
        (1, "E", 1, 270, 2),
        (2, "F", 1, 260, 2),
        (3, "A", 1, 240, 2),
        (4, "B", 0, 180, 2),
    ]
    assert [(line.rank, line.name, line.standard, line.points) for line in found.teams] == [
        (1, "蓝", 1, 450),
        (2, "白", 1, 310),
        (3, "红", 1, 290),
    ]
    assert found.players[0].team == "蓝"


def test_a_mechanical_seat_is_not_ranked() -> None:  # J106
    text = FOUR + "results:\n" + table("A: 90, 空位: 150, C: 100, D: 60", table=1, unranked=["空位"])
    found = told(text)
    assert places(found.groups[0]) == [(1, "C"), (2, "A"), (3, "D"), (None, "空位")]
    assert found.advancing == {1: ("C",)}
    assert "空位" not in [line.name for line in found.players]


def test_the_off_board_account_counts() -> None:  # J99, J111
    text = (
        FOUR
        + "results:\n"
        + table("A: 70, B: 4, C: 0, D: 326", table=1, off_board={"A": 18, "B": -6, "C": -6, "D": -6})
    )
    assert [line.points for line in told(text).groups[0].players] == [320, 88, -2, -6]
    assert told(text).notes == []


def test_games_of_a_round_come_from_the_rules() -> None:  # J96
    assert games_of_round(load("competition")) == 4
    assert games_of_round(load("competition", {"match_format": "four"})) == 1
    assert games_of_round(load("beijing")) == 1
    missing = told(J109.replace("  - {table: 1, game: 3, points: {C: 120, D: 80, B: 100, A: 100}}\n", ""))
    assert [note.text for note in missing.notes] == ["round 1, table 1: game 3 not handed in"]
    assert missing.groups[0].players[0].games[2] is None
    many = told(FOUR + "results:\n" + table("A: 100, B: 100, C: 90, D: 110", table=1, game=2))
    assert any(note.wrong and "a round has 1 game" in note.text for note in many.notes)


def test_sums_that_do_not_come_out_are_told() -> None:  # J108
    found = told(FOUR + "results:\n" + table("A: 140, B: 120, C: 90, D: 40", table=1))
    assert found.notes[0].wrong
    assert "(1.yaml:4): the points add up to 390, expected 400" in found.notes[0].text


# --- 国标麻将


def mcr(*rows: str, more: str = "") -> str:
    return "rules: mcr\nresults:\n" + "".join(rows) + more


def test_standard_points_of_a_table() -> None:  # T61
    found = told(
        mcr(table("A: 600, B: 520, C: 500, D: 380", table=1), table("E: 520, F: 520, G: 480, H: 480", table=2))
    )
    by_name = {line.name: line.standard for line in found.players}
    assert [by_name[name] for name in "ABCD"] == [4, 2, 1, 0]
    assert [by_name[name] for name in "EFGH"] == [3, 3, Fraction(1, 2), Fraction(1, 2)]
    assert places(found.groups[1]) == [(1, "E"), (1, "F"), (3, "G"), (3, "H")]
    assert found.advancing == {}


def test_groups_larger_than_a_table() -> None:  # T61
    tables = (
        table("A: 540, B: 510, C: 490, D: 460", table=1, group="甲"),
        table("E: 536, F: 510, G: 490, H: 464", table=2, group="甲"),
    )
    found = told(mcr(*tables, more="options: {group_size: 8}\n"))
    (group,) = found.groups
    assert (group.group, [line.name for line in group.players]) == ("甲", list("AEBFCGHD"))
    assert [line.standard for line in found.players] == [8, 6, 4.5, 4.5, 2.5, 2.5, 1, 0]
    half = told(mcr(tables[0], more="options: {group_size: 8}\n"))
    assert half.notes[0].wrong
    assert "4 session points; expected those of a group of 8" in half.notes[0].text
    assert half.players == ()


def test_the_better_sessions_decide() -> None:  # T62
    rows = [
        table("A: 600, B: 500, C: 500, D: 400", table=1, round=1),
        table("D: 600, C: 550, B: 450, A: 400", table=1, round=2),
    ]
    ranks = {line.name: (line.rank, line.standard, line.points) for line in told(mcr(*rows)).players}
    assert ranks["A"] == (1, 4, 1000)
    assert ranks["D"] == (1, 4, 1000)
    assert ranks["C"] == (3, Fraction(7, 2), 1050)
    assert ranks["B"] == (4, Fraction(5, 2), 950)


def test_a_substitute_takes_no_place() -> None:  # T62
    found = told(mcr(table("A: 600, B: 500, C: 500, 替补: 400", table=1, unranked=["替补"])))
    assert [line.name for line in found.players] == ["A", "B", "C"]
    large = mcr(table("A: 600, B: 520, C: 500, D: 380", table=1), more="teams: {队: [A, B, C, D, E, F]}\n")
    with pytest.raises(Exception, match="team 队: 6 players; expected at most 5"):
        told(large)


# --- 北京麻将 and others


def test_beijing_ranks_by_seat_and_adds_points_for_ranks() -> None:  # beijing T51
    rows = table("A: 25000, B: 30000, C: 25000, D: 20000", table=1)
    found = told("rules: beijing\nresults:\n" + rows)
    assert places(found.groups[0]) == [(1, "B"), (2, "A"), (3, "C"), (4, "D")]
    options = "options: {uma: [15000, 5000, -5000, -15000]}\n"
    with_uma = told("rules: beijing\n" + options + "results:\n" + rows)
    assert [line.points for line in with_uma.players] == [45_000, 30_000, 20_000, 5000]


# --- several documents


def test_an_event_in_pieces() -> None:
    head = FOUR + "event: 春季赛\nteams: {红: [A]}\n"
    listed = '[{"table": 1, "points": {"A": 140, "B": 120, "C": 90, "D": 50}}]'
    more = "rules: competition\nteams: {红: [B]}\nresults:\n" + table("E: 160, F: 130, G: 60, 12: 50", table="二")
    found = event(head, listed, more)
    assert (found.name, found.rules, found.options) == ("春季赛", "competition", {"match_format": "four"})
    assert found.teams == {"红": ("A", "B")}
    assert [result.table for result in found.results] == ["1", "二"]
    assert found.results[1].players[3] == "12"
    assert parse_results([(listed, "b"), (FOUR, "a")]).results[0].group == "1"  # the head may come last


def test_a_round_named_before_the_rules_keeps_its_options() -> None:
    found = event("rounds: {2: {advance_per_table: 2}}", TIE)
    assert found.rules_of(2).options.model_dump()["advance_per_table"] == 2
    assert found.rules_of(1).options.model_dump()["advance_per_table"] == 1


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["results: []"], "no document names the rule system"),
        (["rules: competition"], "no document holds a result"),
        (
            ["rules: competiton"],
            "1.yaml:1:8: rules: found 'competiton', expected one of .*; did you mean 'competition'",
        ),
        (["7"], "found 7, expected a mapping"),
        ([FOUR + "result: []"], "1.yaml:3:1: result: unknown key; did you mean 'results'"),
        ([TIE, "rules: mcr"], "2.yaml:1:8: rules: found 'mcr', but 1.yaml:1 says 'competition'"),
        ([TIE, "options: {match_format: eight}"], "2.yaml:1:10: options: found a mapping, but others in 1.yaml:2"),
        ([TIE + "rounds: {2: {advance_per_tabel: 2}}"], "rounds.2: advance_per_tabel: unknown key; did you mean"),
        ([TIE + "rounds: {zwei: {}}"], "found 'zwei', expected a round's number"),
        ([TIE + "rounds: [2]"], "rounds: found a list, expected a mapping"),
        ([TIE + "rounds: {2: 3}"], "rounds.2: found 3, expected a mapping"),
        ([TIE + "teams: [A]"], "teams: found a list, expected a mapping"),
        ([TIE + "teams: {红: [A], 蓝: [A]}"], "teams.蓝: A is in team 红 already"),
        ([TIE + "teams: {红: [true]}"], "teams.红: found true, expected a name"),
        ([TIE + "rulings: [{round: 1, order: [X]}]"], "order: X has no result"),
        ([TIE + "rulings: {}"], "rulings: found a mapping, expected a list"),
        ([TIE + table("E: 1, F: 2, G: 3", table=2)], "3 players; expected the four of the table"),
        (
            [TIE + table("E: 1, F: 2, G: 3, H: x", table=2)],
            r"results\[1\]: points.H: found 'x', expected a whole number",
        ),
        ([TIE + table("E: 1, F: 2, G: 3, H: 4", table=2, game=0)], r"results\[1\]: game: found 0"),
        ([TIE + "  - {points: {E: 1, F: 2, G: 3, H: 4}}\n"], "table: this key is missing"),
        ([TIE + table("E: 1, F: 2, G: 3, H: 4", table=2, unranked=["K"])], "unranked: K does not sit at this table"),
        ([TIE + table("A: 1, B: 2, C: 3, D: 4", table=1)], "game 1: the second result; the first is in 1.yaml:4"),
        ([TIE + table("A: 1, F: 2, G: 3, H: 4", table=2)], "table 2: A sits at table 1 in round 1"),
        ([TIE + table("A: 1, B: 2, C: 3, E: 4", table=1, game=2)], "E did not play game 1 of this table"),
    ],
)
def test_bad_documents_are_refused(texts: list[str], message: str) -> None:
    assert re.search(message, refused(*texts))


def test_all_mistakes_are_told_at_once() -> None:
    lines = refused("rules: mrc\nresult: []\n", "results:\n" + table("A: 1, B: 2", table=1)).splitlines()
    assert [line.split(":")[:2] for line in lines] == [["1.yaml", "1"], ["1.yaml", "2"], ["2.yaml", "2"]]


# --- what holds for every event


@given(
    st.lists(st.permutations([120, 110, 90, 80]) | st.just([100] * 4), min_size=1, max_size=5),
    st.randoms(use_true_random=False),
)
def test_the_order_of_results_changes_nothing(games: list[list[int]], random: Random) -> None:
    rows = [
        table(", ".join(f"{name}{n}: {p}" for name, p in zip("ABCD", points, strict=True)), table=n)
        for n, points in enumerate(games, 1)
    ]
    first = told(FOUR + "results:\n" + "".join(rows))
    random.shuffle(rows)
    second = told(FOUR + "results:\n" + "".join(rows))
    assert {line.name: (line.rank, line.standard, line.points) for line in first.players} == {
        line.name: (line.rank, line.standard, line.points) for line in second.players
    }
    assert len(first.players) == 4 * len(games)
    best = max(first.players, key=lambda line: (line.standard, line.points))
    assert best.rank == 1


# --- the command


APP = typer.Typer()
APP.command()(command)


def run(tmp_path: Path, *texts: str, words: tuple[str, ...] = ()) -> tuple[int, str, str]:
    files = []
    for number, text in enumerate(texts, 1):
        path = tmp_path / f"{number}.yaml"
        path.write_text(text, encoding="utf-8")
        files.append(str(path))
    result = CliRunner().invoke(APP, [*files, *words])
    return result.exit_code, result.stdout, result.stderr


def test_the_command_tells_tables_and_ranks(tmp_path: Path) -> None:
    code, out, err = run(tmp_path, "event: 春季赛\nteams: {红: [A]}\n" + J109)
    assert (code, err) == (0, "")
    assert "春季赛 · 竞技麻将" in out
    for words in ("Round 1, table 1", "points", "advances", "filed", "Players", "Teams", "round 1, goes on: D"):
        assert words in out


def test_the_command_shows_the_round_asked_for(tmp_path: Path) -> None:
    second = "results:\n" + table("A: 100, E: 110, F: 130, B: 60", table=7, round=2)
    assert "Round 2, table 7" in run(tmp_path, SECONDS, second)[1]
    code, out, _ = run(tmp_path, SECONDS, second, words=("--round", "1"))
    assert (code, "Round 1, table 2" in out, "table 7" in out) == (0, True, False)
    code, _, err = run(tmp_path, SECONDS, second, words=("--round", "3"))
    assert (code, err) == (2, "--round 3: no result of this round; expected one of 1, 2\n")


def test_the_command_speaks_json(tmp_path: Path) -> None:
    code, out, _ = run(tmp_path, SECONDS, words=("--json",))
    document = json.loads(out)
    assert code == 0
    assert document["tables"][0]["players"][0] == {
        "rank": 1, "name": "A", "team": "", "games": [140], "points": 140, "standard": 1.0,
        "advances": True, "filed": False, "tied": False,
    }  # fmt: skip
    assert document["advancing"] == {"1": ["A", "E"]}
    assert document["players"][0] == {"rank": 1, "name": "E", "team": "", "rounds": 1, "standard": 1.0, "points": 160}


def test_the_command_says_what_is_wrong(tmp_path: Path) -> None:
    code, out, err = run(tmp_path, FOUR + "results:\n" + table("A: 140, B: 120, C: 90, D: 40", table=1))
    assert (code, "WRONG: round 1, table 1, game 1" in err, "advances" in out) == (1, True, True)
    code, out, err = run(tmp_path, "rules: mrc\n")
    assert (code, out) == (2, "")
    assert "did you mean 'mcr'" in err
    code, _, err = run(
        tmp_path, mcr(table("A: 600, B: 520, C: 500, D: 380", table=1), more="teams: {队: [A, B, C, D, E, F]}\n")
    )
    assert (code, "team 队: 6 players" in err) == (2, True)
