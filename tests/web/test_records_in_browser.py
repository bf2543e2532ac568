"""Records in a real browser: list and filter, replay by buttons and keys, seals, the saved page, print."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from browser import Browser, Page, launched, needs_chromium, served
from played import NAMES, PlayedCore, sealed_hand

from tablectl.commands.printing import to_pdf
from tablectl.game import actions as act
from tablectl.game.playback import PlayedHand, playback, played_hands, states
from tablectl.web.offline import replay_page
from tablectl.web.settings import WebSettings

pytestmark = [pytest.mark.browser, pytest.mark.real_time, needs_chromium]


@asynccontextmanager
async def running(tmp_path: Path) -> AsyncIterator[tuple[PlayedCore, str, Browser]]:
    core = PlayedCore(tmp_path / "core.sock")
    await core.start()
    try:
        async with served(WebSettings(), core.path) as url, launched() as browser:
            yield core, url, browser
    finally:
        await core.stop()
        core.journal.close()


def hand() -> PlayedHand:
    core = PlayedCore(Path("unused"))
    for action in sealed_hand():
        core.table.apply(action)
    core.journal.close()
    (found,) = played_hands(core.table.events)
    return found


async def shown(page: Page) -> dict[str, Any]:
    """What stands on the board: the tiles of each seat."""
    return {
        zone: [await page.tiles(f".side[data-seat='{seat}'] .{zone}") for seat in range(4)]
        for zone in ("standing", "river", "melds", "flowers")
    }


async def test_the_list_is_filtered_and_a_hand_opens(tmp_path: Path) -> None:
    async with running(tmp_path) as (core, url, browser):
        core.play(*sealed_hand())
        core.play(act.RaiseWalls(t=0), act.RestDice(t=0, dice=(2, 5)))
        core.play(act.Deal(t=0, hands=((None,) * 13,) * 4, drawn=None))
        core.play(act.Rule(t=0, do="draw_hand", by="referee", reason="exhausted"))
        page = await browser.page()
        await page.open(f"{url}/records")
        await page.wait_for("document.querySelectorAll('#list button').length === 2")
        assert "清龙" in await page.text("#list")
        assert "荒牌" in await page.text("#list")
        count = "document.querySelectorAll('#list button').length"
        for field, value, left in (("ending", "drawn", 1), ("ending", "all", 2), ("seat", "0", 1), ("seat", "1", 0)):
            await page.evaluate(
                f"(n => (n.value = {value!r}, n.dispatchEvent(new Event('input', {{bubbles: true}}))))"
                f"(document.getElementById({field!r}))"
            )
            assert await page.evaluate(count) == left, (field, value)
        await page.evaluate("document.getElementById('seat').value = ''")
        await page.click("#words")
        await page.type("清龙")
        assert await page.evaluate(count) == 1
        await page.click("#list button")
        await page.wait_for("document.querySelectorAll('.viewer .side .standing .tile').length === 52")
        assert await page.evaluate("location.hash") == "#1"
        assert await page.evaluate("document.querySelector('#save-page').href") == f"{url}/api/hands/1/page?lang=zh"
        await page.click("#language")
        await page.wait_for("document.querySelector('.replay-head').innerText.startsWith('hand 1')")
        assert "123456789m22p786s|EE1000|a" in await page.text(".share")
        assert await page.evaluate("document.querySelector('[data-form=jsonl]').checkVisibility()")
        assert not await page.evaluate("document.querySelector('[data-form=pmn]').checkVisibility()")
        await page.click("a[href='#stats']")
        await page.wait_for("document.querySelectorAll('.stats tbody tr').length === 11")
        verdict = "document.querySelector('[data-test=\"dice_faces\"] td:last-child').className"
        assert await page.evaluate(verdict) == "too_few"
        assert "too few" in await page.text(".stats")
        assert page.complaints == []


async def test_a_hand_is_played_by_buttons_and_keys(tmp_path: Path) -> None:
    async with running(tmp_path) as (core, url, browser):
        core.play(*sealed_hand())
        page = await browser.page()
        await page.open(f"{url}/records#1")
        await page.wait_for("document.querySelectorAll('.viewer .side .standing .tile').length === 52")
        here = "document.querySelector('.steps .here').innerText"
        assert await page.evaluate(here) == "抓牌完毕"
        await page.click("[data-act='next']")
        assert "抓 北风" in await page.evaluate(here)
        await page.press("ArrowRight")
        assert "补花 梅" in await page.evaluate(here)
        await page.press("ArrowLeft")
        assert "抓 北风" in await page.evaluate(here)
        await page.click("[data-act='turn_next']")
        assert "打 北风" in await page.evaluate(here)
        await page.wait_for("document.querySelector('.side[data-seat=\"0\"] .river .tile.last')")
        assert await page.tiles(".side[data-seat='0'] .river") == ["N"]
        await page.evaluate("document.querySelector('input[type=range]').value = 9")
        await page.evaluate("document.querySelector('input[type=range]').dispatchEvent(new Event('input'))")
        assert await page.evaluate("document.querySelector('input[type=range]').checkVisibility()")
        assert await page.evaluate("document.querySelector('.steps .here').dataset.stop") == "9"
        await page.click("[data-act='last']")
        await page.wait_for("document.querySelector('.proposal.settled')")
        assert "清龙" in await page.text(".proposal.settled")
        await page.click("[data-act='first']")
        assert await page.evaluate("document.querySelectorAll('.viewer .side .standing .tile').length") == 0
        await page.evaluate("document.querySelector('.controls select').value = 'fast'")
        await page.evaluate("document.querySelector('.controls select').dispatchEvent(new Event('change'))")
        await page.click("[data-act='play']")
        await page.wait_for("document.querySelectorAll('.viewer .side .standing .tile').length > 40")
        await page.click("[data-act='pause']")
        await page.wait_for("document.querySelector('[data-act=\"play\"]')")
        assert page.complaints == []


async def test_the_saved_page_plays_every_step_as_the_table_was(tmp_path: Path) -> None:
    told = json.loads(json.dumps(playback(hand())))
    file = tmp_path / "hand.html"
    file.write_text(replay_page(told, "zh"), encoding="utf-8")
    async with launched() as browser:
        page = await browser.page()
        await page.open(file.as_uri())
        await page.wait_for("document.querySelectorAll('.side .standing .tile').length === 52")
        kinds = [step["event"]["type"] for step in told["steps"]]
        stops = [n for n, kind in enumerate(kinds) if kind not in ("wall", "opened", "call")]
        every = list(states(told))
        for stop in range(0, len(stops), 4):
            await page.evaluate(f"document.querySelector('[data-stop=\"{stop}\"] button').click()")
            seats = every[stops[stop]]["table"]["hand"]["seats"]
            board = await shown(page)
            assert [sorted(tiles) for tiles in board["standing"]] == [sorted(seat["standing"]) for seat in seats], stop
            assert board["river"] == [[lying["tile"] for lying in seat["river"]] for seat in seats]
            assert board["flowers"] == [seat["flowers"] for seat in seats]
            left = await page.evaluate(
                "[...document.querySelectorAll('.wall')].map(w => [...w.children]"
                ".reduce((sum, s) => sum + Number(s.className.match(/n(\\d)/)[1]), 0))"
            )
            assert left == [sum(side) for side in every[stops[stop]]["walls"]]
        assert await page.text("#names") == " · ".join(NAMES)
        await page.click("#language")
        assert await page.text("#heading") == "Replay of a hand"
        assert page.complaints == []


async def checked(page: Page, told: dict[str, Any]) -> list[bool]:
    """Whether the page finds each seal of a hand kept."""
    script = f"import('seal.js').then(m => m.checkSeals({json.dumps(told)})).then(all => all.map(seal => seal.ok))"
    return list(await page.evaluate(script))


async def test_seals_are_checked_in_the_browser(tmp_path: Path) -> None:
    from tablectl.drivers.dice import commit, roll

    told = json.loads(json.dumps(playback(hand())))
    start = told["record"][0]
    secret = bytes(range(32))
    throw = {"message": "0@81000000001", "counter": 1, "dice": list(roll(secret, "0@81000000001", 1))}
    dice = {"what": "dice", "digest": commit(secret), "secret": secret.hex(), "throws": [throw]}
    file = tmp_path / "hand.html"
    file.write_text(replay_page(told, "en"), encoding="utf-8")
    async with launched() as browser:
        page = await browser.page()
        await page.open(file.as_uri())
        await page.wait_for("document.querySelector('.seal[data-ok=true]')")
        words = await page.text(".seals")
        assert "53 of the 53 tiles" in words
        assert "the lanes missed 91" in words
        assert await checked(page, told) == [True]
        start["opened"][0]["built"][0][0] = "9s"
        assert await checked(page, told) == [False]
        del start["opened"]
        assert await checked(page, told) == [False]  # never opened
        start["commitments"] = [{"what": "dice", "digest": dice["digest"]}]
        start["opened"] = [dice]
        start["dice"] = throw["dice"]
        assert await checked(page, told) == [True]
        start["dice"] = [7 - face for face in throw["dice"]]
        assert await checked(page, told) == [False]
        start["dice"] = throw["dice"]
        dice["throws"] = [{**throw, "message": "0@81000000002"}]
        assert await checked(page, told) == [False]
        del start["commitments"]
        assert await checked(page, told) == []


async def test_a_phone_shows_the_controls_first(tmp_path: Path) -> None:
    async with running(tmp_path) as (core, url, browser):
        core.play(*sealed_hand())
        page = await browser.page(390, 844)
        await page.open(f"{url}/records#1")
        await page.wait_for("document.querySelectorAll('.viewer .card').length === 4")
        box = "document.querySelector({!r}).getBoundingClientRect().top"
        assert await page.evaluate(box.format(".controls")) < await page.evaluate(box.format(".card"))
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert page.complaints == []


async def test_the_result_sheet_fits_the_page_and_prints(tmp_path: Path) -> None:
    async with running(tmp_path) as (core, url, browser):
        core.play(*sealed_hand())
        page = await browser.page(1280, 900)
        await page.open(f"{url}/sheet")
        assert "比赛成绩记录表" in await page.text("h1")
        assert await page.evaluate("getComputedStyle(document.querySelector('.grid')).borderCollapse") == "collapse"
        printed = await page.command("Page.printToPDF", preferCSSPageSize=True)
        assert printed["data"].startswith("JVBERi0")  # %PDF-
        await page.click("nav a[href='/sheet?lang=en']")
        await page.wait_for("document.querySelector('h1')?.innerText.startsWith('Result sheet')")
        await page.wait_for("document.readyState === 'complete'")
        await page.command("Page.navigate", url="about:blank")  # nothing is asked of the server while it ends
        assert page.complaints == []


def test_a_page_becomes_a_pdf(tmp_path: Path) -> None:
    made = tmp_path / "sheet.pdf"
    to_pdf("<!doctype html><title>t</title><p>比赛成绩记录表", made)
    assert made.read_bytes().startswith(b"%PDF-")
