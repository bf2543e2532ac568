"""The records of hands over HTTP: list, replay, result sheet, statistics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse
from starlette.concurrency import run_in_threadpool

from tablectl.game.events import MatchStarted, from_json
from tablectl.game.playback import PlayedHand, playback
from tablectl.web.api import Link, Result, Watcher
from tablectl.web.offline import replay_page
from tablectl.web.sheet_page import page
from tablectl.web.sheet_words import word

router = APIRouter()
Lang = Annotated[Literal["zh", "en"], Query(description="language of the page")]


async def _played(link: Any, number: int) -> dict[str, Any]:
    """A hand step by step. The folding is done here, not in the core, and not in the loop."""
    told = await link.call("hands.events", {"hand": number})
    return await run_in_threadpool(_playback, told)


def _playback(told: Mapping[str, Any]) -> dict[str, Any]:
    start = from_json(told["start"])
    assert isinstance(start, MatchStarted)
    return playback(PlayedHand(told["number"], start, tuple(from_json(event) for event in told["events"])))


@router.get("/api/hands")
async def hands(link: Link, role: Watcher) -> Result:
    """The hands played."""
    return Result(result=await link.call("hands.list", {"role": role.value}))


@router.get("/api/hands/{number}")
async def hand(link: Link, role: Watcher, number: int) -> Result:
    """The record of one hand."""
    return Result(result=await link.call("hands.get", {"role": role.value, "hand": number}))


@router.get("/api/hands/{number}/playback")
async def hand_playback(link: Link, role: Watcher, number: int) -> Result:
    """One hand step by step: what the board shows after every event."""
    return Result(result=await _played(link, number))


@router.get("/api/hands/{number}/page", response_class=HTMLResponse)
async def hand_page(link: Link, role: Watcher, number: int, lang: Lang = "zh") -> HTMLResponse:
    """One hand as a page to save: a single file that plays it without a network."""
    text = replay_page(await _played(link, number), lang)
    return HTMLResponse(text, headers={"Content-Disposition": f'attachment; filename="hand-{number}.html"'})


@router.get("/api/sheet")
async def sheet(link: Link, role: Watcher) -> Result:
    """The result sheets of the match, one a game, and the English names of the fans on them."""
    return Result(result=await link.call("sheet.get", {"role": role.value}))


@router.get("/api/stats")
async def stats(link: Link, role: Watcher) -> Result:
    """Fairness statistics over all walls and dice in the table's journal."""
    return Result(result=await link.call("stats.get", {"role": role.value}, seconds=120))


@router.get("/sheet", include_in_schema=False)
async def sheet_page(link: Link, role: Watcher, lang: Lang = "zh", game: int | None = None) -> HTMLResponse:
    """The result sheets as pages to print."""
    told = await link.call("sheet.get", {"role": role.value})
    sheets = told["sheets"]
    chosen = [one for one in sheets if game is None or one["game"] == game]
    other = "en" if lang == "zh" else "zh"
    games = "".join(
        f'<a href="/sheet?lang={lang}&amp;game={one["game"]}">{word("game", lang)} {one["game"]}</a>' for one in sheets
    )
    links = (
        f"<nav><strong>{word('title', lang)}</strong>{games if len(sheets) > 1 else ''}"
        f'<a href="/sheet?lang={other}">{"English" if other == "en" else "中文"}</a>'
        f'<a href="/records">{word("records", lang)}</a><a href="/">{word("live", lang)}</a></nav>'
    )
    style = '<link rel="icon" href="/static/icon.svg"><link rel="stylesheet" href="/static/sheet.css">'
    return HTMLResponse(
        page(chosen, lang, style=style, fans=told["fans"].get(lang, {}), zone=ZoneInfo(told["zone"]), links=links)
    )
