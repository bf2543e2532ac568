"""Logging in, players' phones, accounts and who looked, spectators who are behind; every page for all."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import axe_core_python.base
import pytest
from browser import Page, launched, needs_chromium
from console_table import ADMIN, REFEREE, code_on_display, play, table
from played import OPENING, PLAY, WIN, discard, sealed_hand

from tablectl.game import actions as act
from tablectl.game.playback import playback, played_hands
from tablectl.web.offline import replay_page

pytestmark = [pytest.mark.browser, pytest.mark.real_time, needs_chromium]

AXE = (Path(axe_core_python.base.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
LIVE = "document.documentElement.dataset.link === 'live'"


async def log_in(page: Page, url: str, way: str, **fields: str) -> None:
    """On the page to log in, as a person does it."""
    await page.open(f"{url}/login")
    await page.click(f"label:has([value={way}])")
    for name, value in fields.items():
        await page.click(f"input[name={name}]")
        await page.type(value)
    await page.press("Enter")
    await page.wait_for(f"location.pathname === '/' && {LIVE}")


async def test_a_players_phone(tmp_path: Path) -> None:
    async with table(tmp_path) as (core, url), launched() as browser:
        play(core, [*OPENING, *PLAY])
        referee = await browser.page()
        await log_in(referee, url, "token", token=REFEREE)
        # the referee has the display show a code; the player at seat 3 types it
        await referee.click("[data-rule-seat='3']")
        await referee.click("#ruling [data-do=pairing]")
        await referee.until(lambda: bool(core.announcer._codes))
        phone = await browser.page(390, 844)
        await log_in(phone, url, "code", code=code_on_display(core))
        await phone.wait_for("document.querySelectorAll('.card').length === 4")
        assert set(await phone.tiles(".card[data-seat='3'] .standing")) == {"2s", "8m", "3m"}
        for seat in range(3):
            assert set(await phone.tiles(f".card[data-seat='{seat}'] .standing")) == {"back"}
        assert await phone.evaluate("document.querySelector('.wait, .tools #pause')") is None

        # he calls the referee, and agrees to a win
        await phone.click("#call-referee")
        await referee.wait_for("document.querySelector('[data-request=call]')")
        await referee.click("[data-request=call] [data-do=answer]")
        await referee.wait_for("!document.querySelector('[data-request=call]')")
        play(core, WIN)
        await phone.click("#agree")
        await referee.wait_for("document.querySelector('.agrees.yes')?.innerText.includes('Zhao Yun')")
        assert await phone.evaluate("document.querySelector('#agree')") is None

        # the scores are asked for in the fourth game (J102)
        assert await phone.evaluate("document.querySelector('#score-query')") is None
        core.table.game.match = replace(core.table.game.match, game=4)
        play(core, [act.Press(t=0, seat=1, key="pass")])  # another game: he pairs his phone again
        await referee.click("[data-rule-seat='3']")
        await referee.click("#ruling [data-do=pairing]")
        await referee.until(lambda: bool(core.announcer._codes))
        await log_in(phone, url, "code", code=code_on_display(core))
        await phone.click("#score-query")
        await referee.wait_for("document.querySelector('[data-request=score_query]')")
        assert referee.complaints == []


async def test_accounts_sessions_and_who_looked(tmp_path: Path) -> None:
    async with table(tmp_path) as (core, url), launched() as browser:
        play(core, OPENING)
        referee, admin = await browser.page(), await browser.page(1280, 900)
        await log_in(referee, url, "token", token=REFEREE)
        await log_in(admin, url, "account", **ADMIN)
        assert set(await admin.tiles(".standing")) == {"back"}
        await admin.open(f"{url}/access")
        await admin.wait_for("document.querySelector('[data-account=Zhou]')")
        for name, value in (("name", "Wu"), ("password", "battery staple")):
            await admin.click(f"#accounts > form [name={name}]")
            await admin.type(value)
        await admin.click("#accounts > form [type=submit]")
        await admin.wait_for("document.querySelector('[data-account=Wu]')")
        await admin.click("[data-account=Wu] summary")
        await admin.click("[data-account=Wu] input[name=password]")
        await admin.type("another staple")
        await admin.click("[data-account=Wu] button[type=submit]")
        await admin.wait_for("!document.querySelector('[data-account=Wu] details').open")
        assert "referee@127.0.0.1" in await admin.text("#log")
        await admin.click("#sessions button")  # the referee's
        await referee.wait_for("document.querySelector('#login').open || !document.querySelector('.tools button')")
        await log_in(referee, url, "account", name="Wu", password="another staple")
        await referee.wait_for("document.querySelector('#pause')")
        assert await referee.text("#role") == "裁判"
        await admin.click("#logout")
        await admin.wait_for("document.querySelector('#own a[href=\"/login\"]')")
        assert await admin.evaluate("document.querySelector('#accounts').hidden")
        assert referee.complaints == []


async def test_spectators_are_behind_where_the_site_wants_it(tmp_path: Path) -> None:
    async with table(tmp_path, spectator_delay_seconds=2) as (core, url), launched() as browser:
        play(core, OPENING)
        referee, watcher = await browser.page(), await browser.page()
        await log_in(referee, url, "token", token=REFEREE)
        await watcher.open(url)
        await watcher.wait_for("document.querySelectorAll('.standing .tile').length === 53", 30)
        assert "延迟 2 秒" in await watcher.text("#connection")
        play(core, [discard(0, "N")])
        lies = "document.querySelector('.side[data-seat=\"0\"] .river .tile')"
        await referee.wait_for(lies)
        assert await watcher.evaluate(lies) is None
        await watcher.wait_for(lies)


# --- everybody


async def grave(page: Page, name: str) -> list[str]:
    """What axe finds on the page that keeps somebody from using it."""
    await page.evaluate(f"{AXE}; undefined")
    found: dict[str, Any] = await page.evaluate(
        "axe.run(document, {resultTypes: ['violations']}).then(all => ({list: all.violations.map("
        "v => [v.impact, v.id, v.nodes.slice(0, 3).map(n => n.target.join(' '))])}))"
    )
    return [f"{name}: {json.dumps(one)}" for one in found["list"] if one[0] in ("serious", "critical")]


async def test_every_page_can_be_used_by_all(tmp_path: Path) -> None:
    async with table(tmp_path) as (core, url), launched() as browser:
        play(core, [*sealed_hand(), *OPENING[1:], *PLAY])
        found: list[str] = []
        page = await browser.page(1280, 900)
        await page.open(f"{url}/login")
        await page.wait_for("document.querySelector('form')")
        found += await grave(page, "login")
        await log_in(page, url, "token", token=REFEREE)
        await page.wait_for("document.querySelector('.wait')")
        found += await grave(page, "live")
        await page.click("#theme")
        await page.click("#language")
        await page.click("[data-rule-seat='3']")
        found += await grave(page, "seat")
        await page.press("Escape")
        await page.click("#players")
        found += await grave(page, "players")
        await page.press("Escape")
        play(core, WIN)
        await page.wait_for("document.querySelector('#confirm')")
        found += await grave(page, "win")
        await page.open(f"{url}/records#1")
        await page.wait_for("document.querySelectorAll('.viewer .tile').length > 40")
        found += await grave(page, "records")
        await page.open(f"{url}/records#stats")
        await page.wait_for("document.querySelector('.stats')")
        found += await grave(page, "stats")
        for path, ready in (("/sheet?lang=en", ".grid"), ("/access", "#logout")):
            await page.open(url + path)
            await page.wait_for(f"document.querySelector('{ready}')")
            found += await grave(page, path)
        phone = await browser.page(390, 844)
        await phone.open(url)
        await phone.wait_for("document.querySelectorAll('.card').length === 4")
        found += await grave(phone, "phone")
        (hand,) = played_hands(core.table.events, core.table.state.first_seq)
        file = tmp_path / "hand.html"
        file.write_text(replay_page(playback(hand), "zh"), encoding="utf-8")
        await phone.open(file.as_uri())
        await phone.wait_for("document.querySelector('.controls button')")
        found += await grave(phone, "replay")
        assert not found, "\n".join(found)
