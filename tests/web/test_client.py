"""The client for scripts, against the real server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from browser import served
from played import OPENING, PLAY, WIN, PlayedCore, discard, sealed_hand

from tablectl.client import ApiError, Table
from tablectl.web.settings import Tokens, WebSettings

pytestmark = pytest.mark.real_time

SETTINGS = WebSettings(tokens=Tokens.model_validate({"referee": "referee-token", "spectator": "let-me-see"}))


@asynccontextmanager
async def site(tmp_path: Path, settings: WebSettings = SETTINGS) -> AsyncIterator[tuple[PlayedCore, str]]:
    core = PlayedCore(tmp_path / "core.sock")
    await core.start()
    try:
        async with served(settings, core.path) as url:
            yield core, url
    finally:
        await core.stop()
        core.journal.close()
        await asyncio.get_running_loop().shutdown_default_executor()


async def aside(function: Any, *args: Any, **more: Any) -> Any:
    """The client blocks; the server runs in this loop."""
    return await asyncio.to_thread(function, *args, **more)


async def test_what_a_spectator_reads(tmp_path: Path) -> None:
    async with site(tmp_path) as (core, url):
        core.play(*sealed_hand())
        table = await aside(Table, url, "let-me-see")
        assert (await aside(table.session))["role"] == "spectator"
        async with asyncio.timeout(10):  # the page hears of what was played when it was played
            while (state := await aside(table.state))["seq"] < core.table.last_seq:
                pass
        assert state["state"]["table"]["match"]["points"] == [154, 74, 62, 110]
        told = await aside(table.events, state["seq"] - 1)
        assert [event["type"] for event in told["events"]] == ["opened"]
        (line,) = await aside(table.hands)
        assert line["wins"][0]["score"] == 20
        assert (await aside(table.hand, 1))[0]["type"] == "start_kyoku"
        assert "<!doctype html>" in await aside(table.hand_page, 1, "en")
        (sheet,) = await aside(table.sheets)
        assert sheet["players"][0]["total"] == 154
        assert (await aside(table.stats))["throws"] == 1
        assert await aside(table.faults) == []


async def test_what_a_referee_does(tmp_path: Path) -> None:
    async with site(tmp_path) as (core, url):
        core.play(*OPENING, *PLAY, *WIN)
        table = await aside(Table, url, "referee-token")
        assert (await aside(table.referee, "confirm"))["seq"] == core.table.last_seq
        assert core.said[-1][1]["by"] == "referee@127.0.0.1"
        await aside(table.machine, "shuffle")
        await aside(table.match, "start", names=["a", "b", "c", "d"])
        assert [name for name, _ in core.said[-2:]] == ["machine.shuffle", "match.start"]
        with pytest.raises(ApiError, match="no win is declared") as refused:
            await aside(table.referee, "confirm")
        assert refused.value.status == 409


async def test_the_live_view_tells_what_happens(tmp_path: Path) -> None:
    async with site(tmp_path) as (core, url):
        core.play(*OPENING)
        table = await aside(Table, url, "let-me-see")
        messages = table.live()
        whole = await aside(next, messages)
        while whole["type"] == "tick":
            whole = await aside(next, messages)
        assert (whole["type"], whole["seq"]) == ("state", core.table.last_seq)
        core.play(discard(0, "N"))
        update = await aside(next, messages)
        while update["type"] == "tick":
            update = await aside(next, messages)
        assert (update["type"], update["events"][-1]["type"]) == ("update", "dahai")
        await aside(messages.close)


async def test_errors_are_told_in_the_tables_words(tmp_path: Path) -> None:
    async with site(tmp_path) as (_, url):
        with pytest.raises(ApiError, match="opens nothing") as refused:
            await aside(Table, url, "wrong-token")
        assert refused.value.status == 401
        stranger = await aside(Table, url)
        with pytest.raises(ApiError, match="needs a token"):
            await aside(stranger.state)
        with pytest.raises(ApiError, match="needs a token"):
            await aside(lambda: next(stranger.live()))
        watcher = await aside(Table, url, "let-me-see")
        with pytest.raises(ApiError, match="no hand is over yet") as missing:
            await aside(watcher.hand, 1)
        assert missing.value.status == 422
        with pytest.raises(ApiError, match="only the referee"):
            await aside(watcher.referee, "confirm")


async def test_a_table_that_is_not_there(tmp_path: Path) -> None:
    async with site(tmp_path) as (_, url):
        pass
    with pytest.raises(ApiError, match="cannot be reached") as gone:
        Table(url).state()
    assert gone.value.status == 0
    with pytest.raises(ApiError, match=url):
        next(Table(url).live())
