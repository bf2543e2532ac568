"""The records of hands over HTTP: list, record, replay, page to save, result sheet, statistics."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from browser import served
from played import NAMES, OPENING, PLAY, PlayedCore, sealed_hand

from tablectl.game import actions as act
from tablectl.game.events import EVENTS
from tablectl.game.playback import states
from tablectl.web.app import create_app
from tablectl.web.offline import STATIC, in_script, modules
from tablectl.web.settings import Tokens, WebSettings

pytestmark = pytest.mark.real_time

OPEN = WebSettings(tokens=Tokens.model_validate({"referee": "referee-token"}))
CLOSED = WebSettings(tokens=Tokens.model_validate({"referee": "referee-token", "spectator": "let-me-see"}))


@asynccontextmanager
async def site(tmp_path: Path, settings: WebSettings = OPEN) -> AsyncIterator[tuple[PlayedCore, httpx.AsyncClient]]:
    core = PlayedCore(tmp_path / "core.sock")
    await core.start()
    try:
        async with served(settings, core.path) as url, httpx.AsyncClient(base_url=url) as client:
            yield core, client
    finally:
        await core.stop()
        core.journal.close()


async def result(client: httpx.AsyncClient, path: str) -> Any:
    answer = await client.get(path)
    assert answer.status_code == 200, answer.text
    return answer.json()["result"]


async def test_a_hand_that_is_over_is_listed_told_and_replayed(tmp_path: Path) -> None:
    async with site(tmp_path) as (core, client):
        core.play(*sealed_hand())
        (line,) = await result(client, "/api/hands")
        assert (line["hand"], line["wins"][0]["actor"], line["wins"][0]["fans"]["清龙"]) == (1, 0, 10)
        record = await result(client, "/api/hands/1")
        assert (record[0]["type"], record[-1]["type"]) == ("start_kyoku", "end_kyoku")
        played = await result(client, "/api/hands/1/playback")
        assert played["record"] == record
        assert played["names"] == list(NAMES)
        assert played["lines"] == ["123456789m22p786s|EE1000|a"]
        shown = list(states(played))
        assert len(shown) == len(played["steps"])
        assert shown[-1]["table"]["hand"]["phase"] == "ended"
        assert shown[-1]["table"]["hand"]["winners"] == [0]


async def test_a_hand_in_forms_of_other_programs(tmp_path: Path) -> None:
    async with site(tmp_path) as (core, client):
        core.play(*sealed_hand())
        line = await client.get("/api/hands/1/export?form=lines")
        assert line.text == "123456789m22p786s|EE1000|a\n"
        record = (await client.get("/api/hands/1/export?form=jsonl")).text.splitlines()
        assert json.loads(record[0])["type"] == "start_kyoku"
        other = await client.get("/api/hands/1/export?form=pmn")
        assert other.status_code == 409  # of 国标麻将 alone
        assert other.json()["error"]["message"]
        assert (await client.get("/api/hands/1/export?form=sgf")).status_code == 422


async def test_the_result_sheet_for_a_spreadsheet(tmp_path: Path) -> None:
    async with site(tmp_path) as (core, client):
        core.play(*sealed_hand())
        answer = await client.get("/api/sheet.csv")
        assert answer.headers["content-type"].startswith("text/csv")
        assert answer.content.startswith(b"\xef\xbb\xbfgame,hand,")
        rows = answer.text.splitlines()
        assert len(rows) == 1 + 4
        assert sum(int(row.split(",")[16]) for row in rows[1:]) == 0  # the changes of a hand


async def test_a_hand_in_play_is_not_told_to_anybody(tmp_path: Path) -> None:
    """Its record holds standing tiles and the wall."""
    async with site(tmp_path) as (core, client):
        core.play(*OPENING, *PLAY)
        await client.post("/api/login", json={"token": "referee-token"})
        assert await result(client, "/api/hands") == []
        for path in ("/api/hands/1", "/api/hands/1/playback", "/api/hands/1/page"):
            answer = await client.get(path)
            assert answer.status_code == 422, path
            assert "no hand is over yet" in answer.json()["error"]["message"]
        core.play(act.Rule(t=0, do="draw_hand", by="referee", reason="fire"))
        (line,) = await result(client, "/api/hands")
        assert line["drawn"] == "fire"
        assert "expected 1 to 1" in (await client.get("/api/hands/2")).json()["error"]["message"]


async def test_the_page_to_save_is_one_file_with_the_record_in_it(tmp_path: Path) -> None:
    async with site(tmp_path) as (core, client):
        core.play(*sealed_hand())
        answer = await client.get("/api/hands/1/page", params={"lang": "en"})
        assert answer.headers["content-disposition"] == 'attachment; filename="hand-1.html"'
        text = answer.text
        assert not re.search(r'(?:src|href)\s*=\s*"(?!data:|#)', text)
        assert "url(" not in text
        told = re.search(r'<script id="hand" type="application/json">(.*?)</script>', text, re.DOTALL)
        assert told is not None
        assert json.loads(told[1])["record"] == await result(client, "/api/hands/1")
        imports = re.search(r'<script type="importmap">(.*?)</script>', text, re.DOTALL)
        assert imports is not None
        addresses = json.loads(imports[1])["imports"]
        assert set(addresses) == set(modules())
        for name, address in addresses.items():
            script = base64.b64decode(address.removeprefix("data:text/javascript;base64,")).decode()
            assert 'from "./' not in script, name
            assert set(re.findall(r'from "([^"]+)"', script)) <= set(addresses)
        assert (await client.get("/api/hands/1/page", params={"lang": "fr"})).status_code == 422


def test_nothing_a_player_is_called_ends_the_script() -> None:
    hostile = "</script><script>alert(1)</script><!--"
    assert "<" not in in_script({"names": [hostile]})
    assert json.loads(in_script({"names": [hostile]})) == {"names": [hostile]}


def test_every_module_the_page_imports_is_there() -> None:
    for name in ("play.js", "main.js", "records.js"):
        for imported in modules(name):
            assert (STATIC / imported).is_file()


async def test_the_result_sheet_as_data_and_as_a_page(tmp_path: Path) -> None:
    async with site(tmp_path) as (core, client):
        assert "还没有比赛" in (await client.get("/sheet")).text
        core.play(*sealed_hand())
        told = await result(client, "/api/sheet")
        (sheet,) = told["sheets"]
        assert sheet["head"]["table"] == "Hall 3"
        assert sheet["columns"][0]["cells"][0]["signs"] == "▲+"
        assert sheet["begun"] is not None
        assert sheet["wrong"] == []
        assert told["fans"]["en"]["清龙"] == "pure straight"
        page = await client.get("/sheet")
        assert page.headers["content-type"].startswith("text/html")
        assert "清龙" in page.text
        assert '<link rel="stylesheet" href="/static/sheet.css">' in page.text
        assert "<style>" not in page.text  # the content policy allows none
        english = (await client.get("/sheet", params={"lang": "en"})).text
        assert "pure straight" in english
        assert "Result sheet" in english
        assert (await client.get("/sheet", params={"lang": "fr"})).status_code == 422


async def test_the_sheet_is_that_of_now(tmp_path: Path) -> None:
    async with site(tmp_path) as (core, client):
        core.play(*sealed_hand())
        assert len((await result(client, "/api/sheet"))["sheets"][0]["columns"]) == 1
        core.play(act.Rule(t=0, do="undo", by="referee Wu", reason="wrong tile"))
        (sheet,) = (await result(client, "/api/sheet"))["sheets"]
        assert sheet["columns"] == []
        assert [note["do"] for note in sheet["notes"]] == ["undo"]
        assert await result(client, "/api/hands") == []


async def test_statistics_count_on_from_where_they_were(tmp_path: Path) -> None:
    async with site(tmp_path) as (core, client):
        core.play(*OPENING[:4])
        first = await result(client, "/api/stats")
        assert first["throws"] == 1
        assert {test["verdict"] for test in first["tests"]} == {"too_few"}
        core.play(*OPENING[4:], act.Rule(t=0, do="draw_hand", by="referee", reason="fire"))
        core.play(act.RaiseWalls(t=0), act.RestDice(t=0, dice=(2, 5)))
        assert (await result(client, "/api/stats"))["throws"] == 2
        assert (await result(client, "/api/stats"))["throws"] == 2


async def test_where_watching_needs_a_token_so_do_the_records(tmp_path: Path) -> None:
    async with site(tmp_path, CLOSED) as (core, client):
        core.play(*sealed_hand())
        for path in ("/api/hands", "/api/hands/1/playback", "/api/hands/1/page", "/api/sheet", "/api/stats", "/sheet"):
            assert (await client.get(path)).status_code == 401, path
        await client.post("/api/login", json={"token": "let-me-see"})
        assert (await client.get("/sheet")).status_code == 200


async def test_the_page_of_records_is_served(tmp_path: Path) -> None:
    async with site(tmp_path) as (_, client):
        answer = await client.get("/records")
        assert answer.status_code == 200
        assert "records.js" in answer.text


def test_the_document_of_the_api_names_every_request(tmp_path: Path) -> None:
    text = (Path(__file__).parents[2] / "docs" / "api.md").read_text(encoding="utf-8")
    for path in create_app(OPEN, tmp_path / "core.sock").openapi()["paths"]:
        assert path.replace("{number}", "{n}") in text, path


def test_the_document_of_the_api_names_every_event() -> None:
    text = (Path(__file__).parents[2] / "docs" / "api.md").read_text(encoding="utf-8")
    for kind in EVENTS:
        assert f"`{kind}`" in text, kind
