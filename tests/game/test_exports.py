"""Hands in the formats of others, read back by programs that are not ours."""

from __future__ import annotations

import json
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

import majiang.board
import pytest
from game_script import Script
from game_truths import load as load_truth
from MahjongGB import MahjongFanCalculator
from majiang.board import Board

from tablectl.game import events as ev
from tablectl.game.exports import ExportError, botzone, hand_lines, pmn
from tablectl.game.record import records
from tablectl.rules.registry import load
from tablectl.tiles.notation import parse_line
from tablectl.tiles.tile import Tile

MCR = load("mcr")
RECORD = [json.loads(line) for line in Path(__file__).with_name("mcr-won.record.jsonl").read_text().splitlines()]
NAMES = ("A", 'B "the wall"', "C", "D")


# --- one line a win


def test_a_win_in_one_line() -> None:
    script = Script(load("competition"), {0: "1112345678999m"}, drawn="5m")
    script.win(0)
    script.rule("confirm")
    (line,) = hand_lines(script.table.events)
    assert line == "11123456789995m|EE1000|"
    assert parse_line(line).self_drawn


def test_the_line_knows_winds_flags_and_flowers() -> None:
    opened = next(e for e in Script(MCR, deal=False).table.events if isinstance(e, ev.HandOpened))
    win = ev.WinDeclared(
        actor=2,
        target=1,
        pai=Tile.M1,
        hand="2345678m55p",
        melds="[EEE,2][1111s]",
        flowers="ab",
        how=("last_of_kind", "robbing_kong"),
        legal=True,
        reason=None,
        fans={},
        score=8,
        payments=(0, 0, 0, 0),
    )
    won = ev.HandWon(actor=2, target=1, pai=win.pai, fans={}, score=8, deltas=(0, 0, 0, 0))
    assert hand_lines([opened, win, won]) == ["[EEE,2][1111s]2345678m55p1m|EW0101|ab"]


def test_a_drawn_hand_has_no_line() -> None:
    script = Script(load("competition"))
    script.rule("draw_hand", reason="fire")
    assert hand_lines(script.table.events) == []


# --- Botzone


class Replayed:
    """Plays a match of Botzone's text, in the words of its data's description."""

    def __init__(self, text: str) -> None:
        lines = text.splitlines()
        assert lines[0].startswith("Match ")
        self.wind = int(lines[1].removeprefix("Wind "))
        self.hands: list[Counter[str]] = []
        for player in range(4):
            words = lines[2 + player].split()
            assert words[:3] == ["Player", str(player), "Deal"]
            self.hands.append(Counter(words[3:]))
        self.packs: list[list[tuple[str, str, int]]] = [[], [], [], []]
        self.last: tuple[int, str, str] = (0, "", "")
        self.end: list[str] = []
        for n, line in enumerate(lines[6:], 6):
            if line.split()[0] in ("Huang", "Fan", "Score"):
                self.end = lines[n:]
                break
            self._play(line)

    def _take(self, player: int, *codes: str) -> None:
        self.hands[player].subtract(codes)
        assert min(self.hands[player].values()) >= 0, f"player {player} does not hold {codes}"

    def _play(self, line: str) -> None:
        words = line.split()
        player, act, tile = int(words[1]), words[2], words[3]
        who, _, thrown = self.last
        source = (player - who) % 4
        if act == "Draw":
            self.hands[player][tile] += 1
        elif act == "Play":
            self._take(player, tile)
        elif act == "Chi":
            middle = int(tile[1])
            run = [f"{tile[0]}{n}" for n in (middle - 1, middle, middle + 1)]
            assert source == 1
            assert thrown in run
            self._take(player, *(code for code in run if code != thrown))
            self.packs[player].append(("CHI", tile, run.index(thrown) + 1))
        elif act in ("Peng", "Gang"):
            assert tile == thrown
            self._take(player, *[tile] * (2 if act == "Peng" else 3))
            self.packs[player].append((act.upper(), tile, source))
        elif act == "AnGang":
            self._take(player, *[tile] * 4)
            self.packs[player].append(("GANG", tile, 0))
        elif act == "BuGang":
            self._take(player, tile)
            at = next(n for n, pack in enumerate(self.packs[player]) if pack[:2] == ("PENG", tile))
            self.packs[player][at] = ("GANG", tile, self.packs[player][at][2])
        else:
            assert act == "Hu"
            self.winner, self.tile = player, tile
            self.self_drawn = self.last[:2] == (player, "Draw")
            assert self.last[2] == tile
        self.last = (player, act, tile)


def test_botzone_data_can_be_played() -> None:
    played = Replayed(botzone(RECORD, MCR, "1"))
    win = next(event for event in RECORD if event["type"] == "hora")
    dealer = RECORD[0]["dealer"]
    assert played.winner == (win["actor"] - dealer) % 4
    assert played.self_drawn == (win["actor"] == win["target"])
    assert played.wind == "ESWN".index(RECORD[0]["bakaze"])
    fan, score = played.end
    assert fan.split()[1] == str(win["score"])
    deltas = RECORD[-1]["deltas"]
    assert score == "Score " + " ".join(str(deltas[(n + dealer) % 4]) for n in range(4))


def test_the_winning_hand_of_botzone_data_counts_the_same_elsewhere() -> None:
    played = Replayed(botzone(RECORD, MCR, "1"))
    win = next(event for event in RECORD if event["type"] == "hora")
    if played.self_drawn:
        played.hands[played.winner][played.tile] -= 1
    flowers = sum(event["type"] == "flower" and event["actor"] == win["actor"] for event in RECORD)
    found: Any = MahjongFanCalculator(
        tuple(played.packs[played.winner]),
        tuple(played.hands[played.winner].elements()),
        played.tile,
        flowers,
        played.self_drawn,
        False,
        False,
        False,
        played.winner,
        played.wind,
        True,
    )
    assert sum(points * times for points, times, _, _ in found) == win["score"]


def test_botzone_knows_no_kept_flower() -> None:
    record = [dict(event) for event in RECORD]
    flower = next(n for n, event in enumerate(record) if event["type"] == "flower" and n > 30)
    with pytest.raises(ExportError, match="kept a flower"):
        botzone(record[:flower] + record[flower + 2 :], MCR, "1")


def test_a_drawn_hand_of_botzone() -> None:
    end = next(n for n, event in enumerate(RECORD) if event["type"] == "hora")
    drawn = {"type": "ryukyoku", "reason": "exhausted", "deltas": [0, 0, 0, 0]}
    last = {**RECORD[-1], "deltas": [0, 0, 0, 0]}
    text = botzone([*RECORD[:end], drawn, last], MCR, "1")
    assert text.splitlines()[-2:] == ["Huang", "Score 0 0 0 0"]


def test_several_winners_of_botzone() -> None:
    hora = next(event for event in RECORD if event["type"] == "hora")
    other = {**hora, "actor": (hora["target"] + 2) % 4 if hora["target"] != hora["actor"] else (hora["actor"] + 1) % 4}
    at = RECORD.index(hora)
    text = botzone([*RECORD[: at + 1], other, *RECORD[at + 1 :]], MCR, "1")
    assert f" Ignore Player {(other['actor'] - RECORD[0]['dealer']) % 4} Hu " in text


@pytest.mark.parametrize("export", [lambda r, m: botzone(r, m, "1"), lambda r, m: pmn(r, m, NAMES)])
def test_only_hands_that_the_format_can_hold(export: Any) -> None:
    with pytest.raises(ExportError, match="国标麻将"):
        export(load_truth("competition-normal"), load("competition"))
    unknown = [dict(event) for event in RECORD]
    unknown[0]["tehais"] = [[None, *hand[1:]] for hand in unknown[0]["tehais"]]
    with pytest.raises(ExportError, match="never named"):
        export(unknown, MCR)


# --- Portable Majiang Notation


def tags(text: str) -> dict[str, str]:
    return {line[1 : line.index(" ")]: line.split('"')[1] for line in text.splitlines()}


@pytest.fixture
def fresh_board(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reader keeps its tiles between games; every game gets its own."""
    manager = majiang.board.GameTileManager
    monkeypatch.setattr(majiang.board, "GameTileManager", manager._cls)


def without_replacements(record: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A record that the reader can play: it knows no second draw of a seat. The hand is cut short before the first
    flower or kong, and won there by nobody it could be won by."""
    dealt = [[code for code in hand if code not in "abcdefgh"] for hand in record[0]["tehais"]]
    spare = iter(["1m", "2p", "3s", "9m", "9p", "9s"])
    for hand in dealt:
        while len(hand) < 13:
            hand.append(next(spare))
    start = {**record[0], "tehais": dealt}
    moves: list[dict[str, Any]] = []
    for event in record[1:]:
        if event["type"] == "flower":
            if moves and moves[-1]["type"] == "tsumo" and moves[-1]["pai"] == event["pai"]:
                moves.pop()
        elif event["type"] in ("ankan", "kakan", "daiminkan"):
            break
        elif event["type"] in ("tsumo", "dahai", "chi", "pon") and not (event.get("from") == "tail" and len(moves) < 2):
            moves.append(event)
    return [start, *moves]


def test_pmn_is_read_by_its_own_reader(tmp_path: Path, fresh_board: None) -> None:
    record = without_replacements(RECORD)
    hora = next(event for event in RECORD if event["type"] == "hora")
    played = [event for event in record if event["type"] in ("tsumo", "dahai")][:40]
    record = [record[0], *played[: len(played) - len(played) % 2], hora, RECORD[-1]]
    legal = [record[0]]
    turn = record[0]["dealer"]
    for event in record[1:-2]:  # draws and discards only, in turn
        if event["actor"] == turn:
            legal.append(event)
            turn = (turn + 1) % 4 if event["type"] == "dahai" else turn
    if legal[-1]["type"] == "tsumo":
        legal.pop()
    file = tmp_path / "hand.pmn"
    file.write_text(pmn([*legal, hora, RECORD[-1]], MCR, NAMES, event="Open", day=date(2026, 3, 1)), encoding="utf-8")
    board = Board(str(file))
    dealer = record[0]["dealer"]
    held = [Counter(board.get_private_tile_list(player)) for player in range(4)]
    assert all(sum(hand.values()) == 13 for hand in held)
    assert board.get_result() == [RECORD[-1]["deltas"][(n + dealer) % 4] for n in range(4)]
    fans = board.get_fan_zh()[(hora["actor"] - dealer) % 4]
    assert {name for name, _ in fans} == {name.replace("单钓将", "单调将") for name in hora["fans"]}
    steps = len(board.play_log) - 1
    board.next_action(min(steps, 8))
    assert board.play_current_idx == min(steps, 8)


def test_the_tags_of_pmn() -> None:
    found = tags(pmn(RECORD, MCR, NAMES, event="Open", site="A3", day=date(2026, 3, 1)))
    dealer = RECORD[0]["dealer"]
    assert found["Date"] == "2026.03.01"
    assert found["PWind"] == RECORD[0]["bakaze"]
    assert found["East"] == NAMES[dealer].replace('"', "'")
    assert found["Starting"].split() == [str(RECORD[0]["scores"][(n + dealer) % 4]) for n in range(4)]
    assert [len(hand) for hand in found["Deal"].split()] == [13 + 6] * 4  # and the six letters of the suits
    moves = [found["Play"][n : n + 4] for n in range(0, len(found["Play"]), 4)]
    told = [event for event in RECORD[1:] if event["type"] not in ("alert", "pay", "end_kyoku", "ryukyoku")]
    assert len(moves) == len(told)
    letters = {"tsumo": "T", "dahai": "D", "chi": "C", "pon": "P", "flower": "R", "hora": "H"}
    for move, event in zip(moves, told, strict=True):
        if event["type"] in letters:
            assert move[:2] == f"{letters[event['type']]}{(event['actor'] - dealer) % 4}"


def test_penalties_stand_apart_in_pmn() -> None:
    record = [*RECORD[:-1], {"type": "pay", "reason": "penalty", "deltas": [-10, 10, 0, 0]}]
    end = {**RECORD[-1], "deltas": [a + b for a, b in zip(RECORD[-1]["deltas"], (-10, 10, 0, 0), strict=True)]}
    found = tags(pmn([*record, end], MCR, NAMES))
    dealer = RECORD[0]["dealer"]
    assert found["Penalty"].split() == [str((-10, 10, 0, 0)[(n + dealer) % 4]) for n in range(4)]
    assert found["Result"].split() == [str(RECORD[-1]["deltas"][(n + dealer) % 4]) for n in range(4)]


def test_every_fan_has_its_number_in_pmn() -> None:
    names = majiang.board.FAN_NAME_ZH
    for entry in MCR.fan_table():
        record = [RECORD[0], {"type": "hora", "actor": 0, "target": 0, "pai": "1m", "fans": {entry.name: entry.value}}]
        found = tags(pmn([*record, RECORD[-1]], MCR, NAMES))["Fan"].split()[(0 - RECORD[0]["dealer"]) % 4]
        number, count = found.split("/")
        assert names[int(number) - 1].replace("单调将", "单钓将") == entry.name
        assert count == "1"


def test_the_export_of_a_played_hand_is_that_of_its_record() -> None:
    script = Script(MCR)
    script.rule("draw_hand", reason="exhausted")
    (record,) = records(script.table.events)
    assert "Huang" in botzone(record, MCR, "x")
