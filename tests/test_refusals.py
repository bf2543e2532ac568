"""What a person is refused is said in Chinese and in English: every reason of the program has its words."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterator
from pathlib import Path

import pytest
from linked_core import running

import tablectl
from tablectl.link.protocol import RpcError
from tablectl.machine.states import State
from tablectl.refusals import LANGUAGES, Refusal, words

PACKAGE = Path(tablectl.__file__).parent
BY = {"by": "referee:Wu"}
#: what looks like a key; problems of documents are told by functions of the same names
KEY = re.compile(r"[a-z_]+")
#: keys that are made of a state of the machine and of a role
MADE = re.compile(r"(state|role)\..*")


def named(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def reasons() -> Iterator[tuple[str, set[str]]]:
    """Every reason in the program: its key, and the values that stand with it."""
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) in (
                *("Refusal", "_refused", "_wants", "LoginRefused", "wrong"),
            ):
                values = {keyword.arg or "" for keyword in node.keywords} | {"state"}
                for key in chosen(node.args[-1]):
                    if isinstance(key, ast.Constant) and KEY.fullmatch(str(key.value)):
                        yield str(key.value), values


def chosen(argument: ast.expr) -> tuple[ast.expr, ...]:
    """The key that is given last, or those of which one is."""
    return (argument.body, argument.orelse) if isinstance(argument, ast.IfExp) else (argument,)


def test_every_reason_has_its_words_and_its_values() -> None:
    from tablectl.game.rulings import _NEEDS

    used = dict(reasons()) | {key: {"seat", "rules"} for needs in _NEEDS.values() for _, key in needs}
    assert {key for key in words() if not MADE.fullmatch(key)} == used.keys()
    for key, values in used.items():
        for language in LANGUAGES:
            assert named(words()[key][language]) <= values, (key, language)


def test_chinese_words_are_chinese() -> None:
    for key, texts in words().items():
        assert texts.keys() == set(LANGUAGES), key
        assert not any(re.search(r"(seat|座位) \d", text) for text in texts.values()), key  # the page puts a name there
        plain = re.sub(r"\{\w+\}", "", texts["zh"])
        assert not plain or re.search(r"[\u4e00-\u9fff]", plain), key


def test_every_state_of_the_machine_has_a_word() -> None:
    for state in State:
        assert Refusal(f"state.{state.value}").text("en") == state.value


async def test_the_link_says_it_in_every_language(tmp_path: Path) -> None:
    async with running(tmp_path) as (core, client):
        while core.machine.state is not State.SHUFFLING:
            await core.clock.sleep(0.1)
        for method, params, zh, en in (
            (
                "machine.resume",
                {},
                "没有暂停（牌桌洗牌）；",
                "nothing is paused: the table is shuffling; press both",
            ),
            ("machine.programme", {"tiles": 7}, "没有 7 张的挡位", "has no programme for 7 tiles"),
            ("referee.confirm", {}, "没有人报和", "no win is declared"),
            ("match.dice", {"dice": [1, 2]}, "现在不用掷骰", "no throw of dice is awaited"),
            ("faults.clear", {"id": "H02"}, "没有故障 H02；现有：无", "fault H02 does not stand; standing: none"),
            ("referee.answer", {"id": 9}, "没有这个请求", "there is no request 9"),
        ):
            with pytest.raises(RpcError) as refused:
                await client.call(method, {**params, **BY})
            assert en in refused.value.message
            assert refused.value.data["en"] == refused.value.message
            assert zh in refused.value.data["zh"]
