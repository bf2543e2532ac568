"""The page in a real browser, against a real link and a real table."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from browser import Browser, launched, needs_chromium, served
from played import NAMES, OPENING, PLAY, WIN, PlayedCore, discard, draw

from tablectl.game import actions as act
from tablectl.game.views import Role
from tablectl.web.settings import Tokens, WebSettings

pytestmark = [pytest.mark.browser, pytest.mark.real_time, needs_chromium]

SETTINGS = WebSettings(tokens=Tokens.model_validate({"referee": "referee-token", "operator": "operator-token"}))


@asynccontextmanager
async def running(tmp_path: Path) -> AsyncIterator[tuple[PlayedCore, str, Browser]]:
    core = PlayedCore(tmp_path / "core.sock")
    await core.start()
    try:
        async with served(SETTINGS, core.path) as url, launched() as browser:
            yield core, url, browser
    finally:
        await core.stop()


async def test_the_page_opens_and_a_tile_moves_when_the_core_says_so(tmp_path: Path) -> None:
    async with running(tmp_path) as (core, url, browser):
        core.play(*OPENING)
        page = await browser.page()
        await page.open(url)
        await page.wait_for("document.querySelectorAll('.side .tile').length > 40")
        assert await page.evaluate("!document.getElementById('simulated').hidden")
        assert "SIMULATED" in await page.text("#simulated")
        assert await page.evaluate("document.querySelectorAll('.wall .stack').length") == 72
        assert await page.tiles(".side[data-seat='0'] .river") == []
        assert await page.text("#now strong") == NAMES[0]
        core.play(discard(0, "N"))
        await page.wait_for("document.querySelector('.side[data-seat=\"0\"] .river .tile.last')")
        assert await page.tiles(".side[data-seat='0'] .river") == ["N"]
        await page.wait_for("document.querySelector('.side[data-seat=\"1\"].turn')")
        core.play(*PLAY[1:])
        await page.wait_for("document.querySelector('#hand-line').innerText.includes('东圈')")
        await page.wait_for("document.querySelectorAll('.side[data-seat=\"3\"] .meld').length === 3")
        # J26: from the opposite seat in the middle, from the previous one at the left
        assert await page.tiles(".side[data-seat='3'] .melds .meld:nth-child(3)") == ["E", "E", "E"]
        for meld, place in ((3, 2), (2, 1)):
            selector = f".side[data-seat='3'] .melds .meld:nth-child({meld}) > :nth-child({place})"
            assert await page.evaluate(f'document.querySelector("{selector}").className') == "across"
        claimed = "document.querySelectorAll('.side[data-seat=\"2\"] .river .tile.claimed').length"
        assert await page.evaluate(claimed) == 2
        assert page.complaints == []


async def test_a_spectator_gets_no_standing_tile_and_the_referee_gets_them_all(tmp_path: Path) -> None:
    async with running(tmp_path) as (core, url, browser):
        core.play(*OPENING)
        watcher, referee = await browser.page(), await browser.page()
        await watcher.open(url)
        await referee.open(f"{url}/?token=referee-token")
        for page in (watcher, referee):
            await page.wait_for("document.querySelectorAll('.side .standing .tile').length === 53")
        assert set(await watcher.tiles(".standing")) == {"back"}
        assert "back" not in await referee.tiles(".standing")
        assert await referee.evaluate("location.search") == ""  # the token left the address bar
        for action in PLAY:
            core.play(action)
        for page in (watcher, referee):
            await page.wait_for('document.querySelector(\'.side[data-seat="3"] .river .tile[data-tile="8p"]\')')
        seen = tiles_named(watcher.frames)
        # What lies open, or lay in a river, by now. Tiles that only ever stood are not among it.
        open_tiles = {"a", "N", "S", "1m", "E", "6m", "1s", "9m", "9s", "5p", "4p", "8p", "W", "7p"}
        assert seen == open_tiles
        assert {"2p", "F", "P", "3s", "8m"} <= tiles_named(referee.frames)
        assert set(await watcher.tiles(".standing")) == {"back"}
        assert all(json.loads(frame).get("role") in (None, "spectator") for frame in watcher.frames)
        assert [role for role, _, by in core.looks if by.startswith("referee@")] == [Role.REFEREE]


async def test_the_referee_confirms_a_result(tmp_path: Path) -> None:
    async with running(tmp_path) as (core, url, browser):
        core.play(*OPENING, *PLAY, *WIN)
        referee, watcher = await browser.page(), await browser.page(390, 844, dark=True)
        await referee.open(f"{url}/?token=referee-token")
        await watcher.open(url)
        await referee.wait_for("document.querySelector('#confirm')")
        proposal = await referee.text("#proposal")
        assert "清龙" in proposal
        assert "+60" in proposal
        await watcher.wait_for("document.querySelector('.proposal')")
        assert "清龙" not in await watcher.text("#proposal")  # J107: not before the referee confirms
        assert await watcher.evaluate("document.querySelector('#confirm')") is None
        await referee.click("#confirm")
        for page in (referee, watcher):
            await page.wait_for("document.querySelector('.proposal.settled')")
            assert "清龙" in await page.text("#proposal")
        assert core.table.match.points == (154, 74, 62, 110)
        assert core.said == [("referee.confirm", {"by": "referee@127.0.0.1"})]
        await referee.wait_for("document.querySelector('#scores').innerText.includes('154')")
        assert referee.complaints == watcher.complaints == []


async def test_a_penalty_from_the_alert_to_the_record(tmp_path: Path) -> None:
    async with running(tmp_path) as (core, url, browser):
        core.play(*OPENING, *PLAY, act.Suspect(t=0, code="draw_out_of_turn", seat=3))
        page = await browser.page()
        await page.open(f"{url}/?token=referee-token")
        await page.click("#alerts button")
        await page.wait_for("document.querySelector('#ruling').open")
        assert await page.evaluate("document.querySelector('#ruling input[name=seat]:checked').value") == "3"
        for choice in ("do][value=penalty", "points][value='20'", "to][value=nobody"):
            await page.click(f"#ruling label:has(input[name={choice}])")
        await page.click("#ruling button[type=submit]")
        await page.wait_for("!document.querySelector('#ruling').open")
        method, params = core.said[-1]
        assert method == "referee.penalty"
        assert {
            "seat": 3,
            "points": 20,
            "to": "nobody",
            "reason": "抢摸",
            "by": "referee@127.0.0.1",
        }.items() <= params.items()
        assert core.table.hand is not None
        assert core.table.hand.off_board[3] == -20
        await page.wait_for("document.querySelector('#alerts').innerText === ''")


async def test_what_the_core_refuses_is_said(tmp_path: Path) -> None:
    async with running(tmp_path) as (core, url, browser):
        core.play(*OPENING)
        page = await browser.page()
        await page.open(f"{url}/?token=referee-token")
        await page.click("#tab-sim")
        await page.click("#tab-body button")
        await page.wait_for("document.querySelector('#toast').innerText !== ''")
        assert core.said[-1] == ("sim.fault", {"fault": "jam", "side": 1, "by": "referee@127.0.0.1"})
        refused = await page.evaluate(
            "fetch('/api/referee/confirm', {method: 'POST', headers: {'Content-Type': 'application/json'}, body: '{}'})"
            ".then(async (r) => [r.status, (await r.json()).error.message])"
        )
        assert refused[0] == 409
        assert refused[1]


async def test_the_connection_is_told_and_comes_back(tmp_path: Path) -> None:
    core = PlayedCore(tmp_path / "core.sock")
    await core.start()
    core.play(*OPENING)
    async with served(SETTINGS, core.path) as url, launched() as browser:
        page = await browser.page()
        await page.open(url)
        await page.wait_for("document.documentElement.dataset.link === 'live'")
        await core.stop()
        await page.wait_for("document.documentElement.dataset.link === 'down'")
        assert "主控无应答" in await page.text("#connection")
        assert await page.tiles(".standing") != []  # what was known stays, marked as old
        core.play(*PLAY[:1])
        await core.start()
        await page.wait_for("document.documentElement.dataset.link === 'live'")
        assert await page.tiles(".side[data-seat='0'] .river") == ["N"]
        await page.wait_for(
            "[...document.querySelectorAll('.events li')].some((li) => li.innerText.includes('打 北风'))"
        )
    await core.stop()


async def test_the_phone_has_its_own_layout_in_both_languages(tmp_path: Path) -> None:
    async with running(tmp_path) as (core, url, browser):
        core.play(*OPENING, *PLAY)
        page = await browser.page(390, 844, dark=True)
        await page.open(url)
        await page.wait_for("document.querySelectorAll('.card').length === 4")
        assert await page.evaluate("document.documentElement.dataset.theme") == "dark"
        assert await page.evaluate("document.documentElement.scrollWidth <= 390")
        smallest = await page.evaluate(
            "Math.min(...[...document.querySelectorAll('.river .tile')].map(t => t.clientWidth))"
        )
        assert smallest >= 22  # CSS pixels: recognisable
        await page.click("#language")
        await page.wait_for("document.documentElement.lang === 'en'")
        assert "to draw" in await page.text("#now")
        await page.click("#theme")
        assert await page.evaluate("document.documentElement.dataset.theme") == "light"
        await page.wait_for("document.querySelector('.events')?.innerText.includes('discards 8 dots')")


async def test_the_keyboard_reaches_everything(tmp_path: Path) -> None:
    async with running(tmp_path) as (core, url, browser):
        core.play(*OPENING, *PLAY, *WIN)
        page = await browser.page()
        await page.open(f"{url}/?token=referee-token")
        await page.wait_for("document.querySelector('#confirm')")
        reached = set()
        for _ in range(40):
            await page.press("Tab")
            reached.add(await page.evaluate("document.activeElement.id"))
        assert {"language", "theme", "role", "refuse", "confirm", "rule", "tab-events"} <= reached
        await page.evaluate("document.getElementById('tab-events').focus()")
        await page.press("ArrowRight")
        await page.wait_for("document.activeElement.id === 'tab-machine'")
        assert "洗牌码牌" in await page.text("#tab-body")
        await page.evaluate("document.getElementById('confirm').focus()")
        await page.press("Enter")
        await page.wait_for("document.querySelector('.proposal.settled')")


async def test_a_watcher_without_a_token_is_asked_for_it(tmp_path: Path) -> None:
    core = PlayedCore(tmp_path / "core.sock")
    await core.start()
    core.play(*OPENING)
    closed = WebSettings(tokens=Tokens.model_validate({"spectator": "let-me-see"}))
    async with served(closed, core.path) as url, launched() as browser:
        page = await browser.page()
        await page.open(url)
        await page.wait_for("document.querySelector('#login').open")
        assert page.frames == []
        await page.click("#login input")
        await page.type("wrong-token")
        await page.press("Enter")
        await page.wait_for("document.querySelector('#login .problem').innerText !== ''")
        await page.evaluate("document.querySelector('#login input').select()")
        await page.type("let-me-see")
        await page.press("Enter")
        await page.wait_for("document.querySelectorAll('.standing .tile').length === 53")
    await core.stop()


async def test_a_page_opened_during_the_hand_equals_one_that_watched_it_all(tmp_path: Path) -> None:
    async with running(tmp_path) as (core, url, browser):
        core.play(*OPENING)
        early = await browser.page()
        await early.open(url)
        await early.wait_for("document.querySelectorAll('.side .tile').length > 40")
        for action in (*PLAY, draw(0, "6s")):
            core.play(action)
        late = await browser.page()
        await late.open(url)
        for page in (early, late):
            await page.wait_for("document.querySelectorAll('.side[data-seat=\"0\"] .standing .tile').length === 14")
        assert await early.text(".centre .left") == await late.text(".centre .left")
        assert await early.tiles(".felt") == await late.tiles(".felt")
        assert await early.text(".events") == await late.text(".events")


def tiles_named(frames: list[str]) -> set[str]:
    """Every tile that is named anywhere in these messages, in a code or in a line of notation."""
    found: set[str] = set()

    def look(value: Any, key: str = "") -> None:
        if isinstance(value, dict):
            for name, item in value.items():
                look(item, name)
        elif isinstance(value, list):
            for item in value:
                look(item, key)
        elif isinstance(value, str) and key not in ("prevalent", "wind", "bakaze"):
            found.update({value} & set("ESWNCFPabcdefgh"))
            found.update(rank + run[-1] for run in re.findall(r"\d+[mps]", value) for rank in run[:-1])

    for frame in frames:
        look(json.loads(frame))
    return found
