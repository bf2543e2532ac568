"""The printed result sheet: what stands on it, and that nothing a person typed can break it."""

from __future__ import annotations

from datetime import timedelta, timezone
from html.parser import HTMLParser
from typing import Any

import pytest

from tablectl.game import events as ev
from tablectl.game.sheet import sheets
from tablectl.game.sheet_model import Head
from tablectl.rules.api import NO_POINTS, Points
from tablectl.rules.registry import RULE_SETS, load
from tablectl.tiles.tile import Tile
from tablectl.web.sheet_page import COLUMNS_A_PART, page
from tablectl.web.sheet_words import word

EVEN: Points = (100, 100, 100, 100)
VOID = {"meta", "link", "br"}


class Tree(HTMLParser):
    """Counts elements by ``tag.class`` and keeps the text; complains where tags do not nest."""

    def __init__(self) -> None:
        super().__init__()
        self.count: dict[str, int] = {}
        self.texts: list[str] = []
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        classes = (dict(attrs).get("class") or "").split()
        for name in (tag, *(f"{tag}.{one}" for one in classes)):
            self.count[name] = self.count.get(name, 0) + 1
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open, f"</{tag}> without its beginning"
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())

    @property
    def whole(self) -> bool:
        return not self._open


def read(html: str) -> Tree:
    tree = Tree()
    tree.feed(html)
    assert tree.whole
    return tree


def data(hands: int = 2, names: tuple[str, str, str, str] = ("A", "B", "C", "D"), **head: Any) -> dict[str, Any]:
    events: list[ev.Event] = [ev.MatchStarted(rules="competition", names=names, scores=EVEN, simulated=True)]
    points = EVEN
    for n in range(1, hands + 1):
        dealt = ev.HandOpened(hand=n, rules="competition", dealer=0, bakaze=Tile.EAST, streak=1, scores=points)
        won = ev.HandWon(
            actor=1, target=2, pai=Tile.M9, fans={"清龙": 10, "<b>番</b>": 2}, score=12, deltas=(0, 3, -3, 0)
        )
        kong = ev.PointsPaid(reason="exposed_kong", deltas=(2, 0, 0, -2), off_board=(1, -1, 0, 0), actor=0, target=3)
        points = (points[0] + 2, points[1] + 3, points[2] - 3, points[3] - 2)
        end = ev.HandEnded(scores=points, deltas=(2, 3, -3, -2), off_board=(1, -1, 0, 0))
        events += [dealt, kong, won, end]
    events.append(ev.Ruled(do="warning", by="referee <Wu>", seat=3, reason='late "again"'))
    (sheet,) = sheets(events, load("competition"), head=Head(**head), when=lambda seq: 1_767_225_600.0)
    return sheet.to_json()


def test_the_sheet_stands_on_one_page_up_to_sixteen_hands() -> None:
    tree = read(page([data(16)], "zh"))
    assert tree.count["section.part"] == 1
    assert tree.count["th.hand"] == 16
    assert tree.count["td.end"] == 4 * 3 + 3
    for expected in ("比赛成绩记录表", "模拟 SIMULATED", "倍打", "▲", "选手签名", "裁判长签名", "明杠", "警告"):
        assert expected in tree.text


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_more_hands_go_on_a_further_part_and_sums_stand_on_the_last(lang: str) -> None:
    size = COLUMNS_A_PART[lang]
    tree = read(page([data(size + 1)], lang))
    assert tree.count["section.part"] == 2
    assert tree.count["th.hand"] == size + 1
    assert tree.count["div.signatures"] == 1
    assert "1/2" in tree.text


def test_parts_have_as_many_hands() -> None:
    html = page([data(18)], "zh")
    assert [part.count('class="hand"') for part in html.split('<section class="part">')[1:]] == [9, 9]


def test_what_people_typed_is_text_and_nothing_else() -> None:
    html = page(
        [data(1, names=("<script>alert(1)</script>", "B & C", '"', "'"), event="<img src=x onerror=alert(1)>")], "en"
    )
    tree = read(html)
    assert "script" not in tree.count
    assert "img" not in tree.count
    assert "<script>alert(1)</script>" in tree.text
    assert "<b>番</b>" in tree.text
    assert "<Wu>" in tree.text


def test_names_of_fans_in_english() -> None:
    tree = read(page([data(1)], "en", fans={"清龙": "pure straight"}))
    assert "pure straight" in tree.text
    assert "清龙" not in tree.text


def test_a_wrong_sum_stands_out() -> None:
    sheet = data(1)
    sheet["columns"][0]["wrong"] = ["the changes sum to 1, to the pot 0"]
    sheet["wrong"] = ["hand 1: the changes sum to 1, to the pot 0"]
    tree = read(page([sheet], "zh"))
    assert tree.count["td.wrong"] == 1
    assert "the changes sum to 1" in tree.text


def test_times_are_those_of_the_place() -> None:
    html = page([data(1)], "zh", zone=timezone(timedelta(hours=8)))
    assert "2026-01-01" in html
    assert "08:00" in html


def test_the_page_needs_nothing_but_itself() -> None:
    html = page([data(1)], "zh")
    assert "@page { size: A4 landscape" in html
    assert "src=" not in html
    assert "href=" not in html
    assert "url(" not in html
    linked = page([data(1)], "zh", style='<link rel="stylesheet" href="/static/sheet.css">')
    assert "@page" not in linked


def test_no_game_and_no_such_language() -> None:
    assert "还没有比赛" in page([], "zh")
    with pytest.raises(ValueError, match="expected one of zh, en"):
        page([], "fr")


@pytest.mark.parametrize("rules_id", RULE_SETS)
def test_every_payment_of_every_rule_system_has_its_words(rules_id: str) -> None:
    rules = load(rules_id)
    situations = {"exposed_kong", "added_kong", "concealed_kong", "flower_kong", "chase", "false_win", "pot_penalty"}
    for kind in rules.incident_kinds & situations:
        assert word(f"reason.{kind}", "zh") != kind.replace("_", " "), kind


def test_the_line_of_the_off_board_account_stands_where_there_is_one() -> None:
    sheet = data(1)
    assert read(page([sheet], "zh")).count["tr.off_board"] == 4
    for column in sheet["columns"]:
        column["off_board"] = NO_POINTS
    assert "tr.off_board" not in read(page([sheet], "zh")).count
