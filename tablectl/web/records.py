"""The records of hands over HTTP: list, replay, result sheet, statistics."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Depends, HTTPException, Path, Query
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse
from starlette.concurrency import run_in_threadpool

from tablectl.game.events import MatchStarted, from_json
from tablectl.game.export_forms import Form, exported
from tablectl.game.exports import ExportError
from tablectl.game.playback import PlayedHand, playback
from tablectl.game.sheet_csv import sheet_csv
from tablectl.link.client import LinkClient
from tablectl.web.doors import Link, Site, TheHub, Watcher
from tablectl.web.models import ERRORS, HandsOut, PlaybackOut, RecordOut, SheetsOut, StatsOut
from tablectl.web.offline import replay_page
from tablectl.web.roles import WebRole
from tablectl.web.settings import Records
from tablectl.web.sheet_page import page
from tablectl.web.sheet_words import word

router = APIRouter(responses=ERRORS)
_FOLDING = asyncio.Semaphore(1)
Number = Annotated[int, Path(ge=1, le=2**31, description="of the hand, from 1")]
Lang = Annotated[Literal["zh", "en"], Query(description="language of the page")]


async def _played(link: LinkClient, number: int, upto: Mapping[str, int]) -> dict[str, Any]:
    """A hand step by step. The folding is done here, not in the core, and not in the loop; one at a time, so that a
    crowd that opens records does not take the machine."""
    told = await link.call("hands.events", {"hand": number, **upto})
    async with _FOLDING:
        return await run_in_threadpool(_playback, told)


def _playback(told: Mapping[str, Any]) -> dict[str, Any]:
    return {**playback(_hand(told)), "fans": told["fans"]}


def _hand(told: Mapping[str, Any]) -> PlayedHand:
    start = from_json(told["start"])
    assert isinstance(start, MatchStarted)
    return PlayedHand(told["number"], start, tuple(from_json(event) for event in told["events"]))


async def _upto(hub: TheHub, who: Watcher) -> dict[str, int]:
    """The last event that this role has been told, where that is not the last there is."""
    if who.role is not WebRole.SPECTATOR or not hub.spectators.delay:
        return {}
    return {"upto": hub.spectators.seq or 0}


async def _open(who: Watcher, settings: Site) -> None:
    """Raises HTTPException 403 where the site shows results only."""
    if settings.records is not Records.ALL and who.role is not WebRole.REFEREE:
        raise HTTPException(403, "this table shows the results of its hands only; the referee sees the records")


UpTo = Annotated[dict[str, int], Depends(_upto)]
opened = Depends(_open)


@router.get("/api/hands", responses={200: {"model": HandsOut}})
async def hands(link: Link, upto: UpTo) -> JSONResponse:
    """The hands played."""
    return JSONResponse({"result": await link.call("hands.list", dict(upto))})


@router.get("/api/hands/{number}", dependencies=[opened], responses={200: {"model": RecordOut}})
async def hand(link: Link, upto: UpTo, number: Number) -> JSONResponse:
    """The record of one hand."""
    return JSONResponse({"result": await link.call("hands.get", {"hand": number, **upto})})


@router.get("/api/hands/{number}/playback", dependencies=[opened], responses={200: {"model": PlaybackOut}})
async def hand_playback(link: Link, upto: UpTo, number: Number) -> JSONResponse:
    """One hand step by step: what the board shows after every event."""
    return JSONResponse({"result": await _played(link, number, upto)})


@router.get("/api/hands/{number}/page", dependencies=[opened], response_class=HTMLResponse)
async def hand_page(link: Link, upto: UpTo, number: Number, lang: Lang = "zh") -> HTMLResponse:
    """One hand as a page to save: a single file that plays it without a network."""
    text = replay_page(await _played(link, number, upto), lang)
    return HTMLResponse(text, headers={"Content-Disposition": f'attachment; filename="hand-{number}.html"'})


@router.get("/api/hands/{number}/export", dependencies=[opened], response_class=PlainTextResponse)
async def hand_export(link: Link, upto: UpTo, number: Number, form: Form) -> PlainTextResponse:
    """One hand for other programs: its record, its wins in one line each, Botzone or Portable Majiang Notation (these
    two of 国标麻将)."""
    told = await link.call("hands.events", {"hand": number, **upto})
    try:
        text = exported(_hand(told), form, datetime.fromtimestamp(told["begun"] or 0, UTC).date())
    except ExportError as error:
        raise HTTPException(409, str(error)) from error
    return PlainTextResponse(text, headers={"Content-Disposition": f'attachment; filename="hand-{number}.{form}.txt"'})


class CsvResponse(PlainTextResponse):
    """A table for a spreadsheet."""

    media_type = "text/csv"


@router.get("/api/sheet.csv", response_class=CsvResponse)
async def sheet_as_csv(link: Link, upto: UpTo) -> CsvResponse:
    """The result sheets as CSV, a row for each player and hand, with the mark of UTF-8 that spreadsheets want."""
    told = await link.call("sheet.get", dict(upto))
    headers = {"Content-Disposition": 'attachment; filename="sheet.csv"'}
    return CsvResponse("\ufeff" + sheet_csv(told["sheets"]), headers=headers)


@router.get("/api/sheet", responses={200: {"model": SheetsOut}})
async def sheet(link: Link, upto: UpTo) -> JSONResponse:
    """The result sheets of the match, one a game, and the English names of the fans on them."""
    return JSONResponse({"result": await link.call("sheet.get", dict(upto))})


@router.get("/api/stats", responses={200: {"model": StatsOut}})
async def stats(link: Link, upto: UpTo) -> JSONResponse:
    """Fairness statistics over all walls and dice in the table's journal."""
    return JSONResponse({"result": await link.call("stats.get", dict(upto), seconds=120)})


@router.get("/sheet", include_in_schema=False)
async def sheet_page(link: Link, upto: UpTo, lang: Lang = "zh", game: int | None = None) -> HTMLResponse:
    """The result sheets as pages to print."""
    told = await link.call("sheet.get", dict(upto))
    sheets = told["sheets"]
    chosen = [one for one in sheets if game is None or one["game"] == game]
    other = "en" if lang == "zh" else "zh"
    games = "".join(
        f'<a href="/sheet?lang={lang}&amp;game={one["game"]}">{word("game", lang)} {one["game"]}</a>' for one in sheets
    )
    links = (
        f"<nav><strong>{word('title', lang)}</strong>{games if len(sheets) > 1 else ''}"
        f'<a href="/sheet?lang={other}">{"English" if other == "en" else "中文"}</a>'
        f'<a href="/api/sheet.csv">{word("as_csv", lang)}</a><a href="/api/sheet" download="sheet.json">'
        f'{word("as_json", lang)}</a><a href="/records">{word("records", lang)}</a>'
        f'<a href="/">{word("live", lang)}</a></nav>'
    )
    style = '<link rel="icon" href="/static/icon.svg"><link rel="stylesheet" href="/static/sheet.css">'
    return HTMLResponse(
        page(chosen, lang, style=style, fans=told["fans"].get(lang, {}), zone=ZoneInfo(told["zone"]), links=links)
    )
