"""The live page in a real browser, against a real link and a real table: watching, languages, sizes, the connection."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from browser import Browser, Page, launched, needs_chromium, served
from played import NAMES, OPENING, PLAY, WIN, PlayedCore, discard

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


async def stands(page: Page, tiles: int = 53) -> None:
    await page.wait_for(f"document.querySelectorAll('.standing .tile').length === {tiles}")


async def test_a_hand_is_watched_and_each_role_gets_what_it_may_see(tmp_path: Path) -> None:
    async with running(tmp_path) as (core, url, browser):
        core.play(*OPENING)
        watcher, referee = await browser.page(), await browser.page()
        await watcher.open(url)
        await referee.open(f"{url}/?token=referee-token")
        for page in (watcher, referee):
            await stands(page)
        assert "SIMULATED" in await watcher.text("#simulated")
        assert await watcher.evaluate("document.querySelectorAll('.wall .stack').length") == 72
        assert set(await watcher.tiles(".standing")) == {"back"}
        assert "back" not in await referee.tiles(".standing")
        assert await referee.evaluate("location.search") == ""  # the token left the address bar

        # a tile moves when the core says so
        assert await watcher.tiles(".side[data-seat='0'] .river") == []
        assert await watcher.text("#now strong") == NAMES[0]
        core.play(discard(0, "N"))
        await watcher.wait_for("document.querySelector('.side[data-seat=\"0\"] .river .tile.last')")
        assert await watcher.tiles(".side[data-seat='0'] .river") == ["N"]
        await watcher.wait_for("document.querySelector('.side[data-seat=\"1\"].turn')")
        for action in PLAY[1:]:
            core.play(action)
        for page in (watcher, referee):
            await page.wait_for('document.querySelector(\'.side[data-seat="3"] .river .tile[data-tile="8p"]\')')
        assert "东圈" in await watcher.text("#hand-line")
        # J26: from the opposite seat in the middle, from the previous one at the left
        assert await watcher.tiles(".side[data-seat='3'] .melds .meld:nth-child(3)") == ["E", "E", "E"]
        for meld, place in ((3, 2), (2, 1)):
            selector = f".side[data-seat='3'] .melds .meld:nth-child({meld}) > :nth-child({place})"
            assert await watcher.evaluate(f'document.querySelector("{selector}").className') == "across"
        assert await watcher.evaluate("document.querySelectorAll('[data-seat=\"2\"] .river .claimed').length") == 2

        # what lies open, or lay in a river, reached the spectator; what only ever stood did not
        open_tiles = {"a", "N", "S", "1m", "E", "6m", "1s", "9m", "9s", "5p", "4p", "8p", "W", "7p"}
        assert tiles_named(watcher.frames) == open_tiles
        assert {"2p", "F", "P", "3s", "8m"} <= tiles_named(referee.frames)
        assert set(await watcher.tiles(".standing")) == {"back"}
        assert all(json.loads(frame).get("role") in (None, "spectator") for frame in watcher.frames)
        assert [role for role, _, by in core.looks if "referee" in by] == [Role.REFEREE]

        # the referee sees who waits for what, and what it would bring; nobody else does
        assert "ready" in await referee.evaluate("document.querySelector('.plate[data-seat=\"0\"] .mark').className")
        assert await referee.evaluate("[...document.querySelectorAll('.wait')].map(w => w.dataset.wait)") == [
            "6s",
            "9s",
        ]
        assert "20" in await referee.text(".wait[data-wait='6s']")
        assert "余0" in await referee.text(".wait[data-wait='9s']")  # all four lie in a kong
        assert await watcher.evaluate("document.querySelector('.wait, .mark.ready')") is None

        # a page opened during the hand shows the same as one that watched it all
        await watcher.command("Page.reload")
        await watcher.wait_for("document.querySelectorAll('.events li').length > 10")
        assert await watcher.text(".centre .left") == await referee.text(".centre .left")
        assert await watcher.tiles(".river") == await referee.tiles(".river")
        assert watcher.complaints == referee.complaints == []


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
        fingers = "[...document.querySelectorAll('button')].filter(b => b.checkVisibility()).map(b => b.clientHeight)"
        assert await page.evaluate(f"Math.min(...{fingers})") >= 32
        await page.click("#language")
        await page.wait_for("document.documentElement.lang === 'en'")
        assert "to draw" in await page.text("#now")
        assert await page.text("#health strong") == "All fine"
        await page.click("#theme")
        assert await page.evaluate("document.documentElement.dataset.theme") == "light"
        await page.wait_for("document.querySelector('.events')?.innerText.includes('discards 8 dots')")
        core.play(*WIN)
        await page.wait_for("document.querySelector('.proposal')")
        wide = "[...document.querySelectorAll('main *')].filter(e => e.getBoundingClientRect().right > 391)"
        assert await page.evaluate(f"{wide}.map(e => e.className || e.tagName)") == []
        assert "Waits for the referee" in await page.text("#proposal")


async def test_whether_all_is_well_is_said_at_a_glance(tmp_path: Path) -> None:
    async with running(tmp_path) as (core, url, browser):
        core.play(*OPENING)
        page = await browser.page(1280, 800)
        await page.open(f"{url}/?token=referee-token")
        await stands(page)
        await page.wait_for("document.querySelector('#health').className === 'health fine'")
        assert "洗牌码牌" in await page.text("#health")
        assert (await page.evaluate("document.title")).startswith("● ")
        words = {"title": "机头卡牌", "usual": ["牌签"], "next": "取出卡住的牌"}
        fault = {"id": "H02@head.2", "code": "H02", "where": "head.2", "severity": "fault", "detail": "", "since": 0.0}
        core.faults = [{**fault, "clear_by": ["referee"], "zh": words, "en": {**words, "title": "Head jam"}}]
        commands = ("lift", "pause", "resume", "shuffle", "stop")
        core.machine = {**core.machine, "state": "fault", "commands": commands}
        core.touch("faults")
        core.touch("machine")
        await page.wait_for("document.querySelector('#health').className === 'health bad'")
        assert "取出卡住的牌" in await page.text("#alerts .fault")
        assert (await page.evaluate("document.title")).startswith("▲ ")
        await page.click("#alerts .fault button")
        await page.wait_for("document.querySelector('#toast').innerText !== ''")
        assert core.said[-1][0] == "faults.clear"
        assert core.said[-1][1]["id"] == "H02@head.2"
        await page.click("#tab-machine")
        assert "故障" in await page.text("#tab-body")
        for command in commands:
            await page.click(f"#tab-body [data-do={command}]")
            await page.until(lambda command=command: core.said[-1][0] == f"machine.{command}")
        await page.click("#tab-display")
        await page.wait_for("document.querySelector('.screen img').naturalWidth === 1")
        await page.click("#tab-sim")
        await page.wait_for("document.querySelector('#toast').innerText === ''")
        await page.click("#tab-body button")
        await page.wait_for("document.querySelector('#toast').innerText !== ''")
        assert core.said[-1][0] == "sim.fault"


async def test_a_lost_core_is_told_and_the_page_catches_up(tmp_path: Path) -> None:
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
        await page.wait_for("document.querySelector('#health').className === 'health lost'")
        assert await page.tiles(".standing") != []  # what was known stays, marked as old
        core.play(*PLAY[:1])
        await core.start()
        await page.wait_for("document.documentElement.dataset.link === 'live'")
        assert await page.tiles(".side[data-seat='0'] .river") == ["N"]
        await page.wait_for("[...document.querySelectorAll('.events li')].some(li => li.innerText.includes('打 北风'))")
    await core.stop()


@asynccontextmanager
async def web_process(tmp_path: Path, port: int) -> AsyncIterator[tuple[asyncio.subprocess.Process, str]]:
    """``tablectl web`` in a process of its own before the core in ``tmp_path``; port 0: any."""
    script = (
        "import asyncio, sys; from pathlib import Path; from tablectl.web.app import server;"
        "from tablectl.web.settings import WebSettings\n"
        "async def run():\n"
        f"    web = server(WebSettings(port={port}), Path({str(tmp_path / 'core.sock')!r}))\n"
        "    task = asyncio.ensure_future(web.serve())\n"
        "    while not web.started: await asyncio.sleep(0.02)\n"
        "    print(web.servers[0].sockets[0].getsockname()[1], flush=True)\n"
        "    await task\n"
        "asyncio.run(run())\n"
    )
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", script, stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None
    try:
        async with asyncio.timeout(60):
            line = (await process.stdout.readline()).decode().strip()
        yield process, line
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def test_the_page_comes_back_after_the_web_process_was_killed(tmp_path: Path) -> None:
    core = PlayedCore(tmp_path / "core.sock")
    await core.start()
    core.play(*OPENING)
    async with launched() as browser:
        page = await browser.page()
        async with web_process(tmp_path, 0) as (process, port):
            await page.open(f"http://127.0.0.1:{port}/")
            await stands(page)
            process.kill()
            await process.wait()
            await page.wait_for("document.documentElement.dataset.link === 'down'")
            assert "连接中断" in await page.text("#connection")
        core.play(*PLAY[:3])
        async with web_process(tmp_path, int(port)):
            await page.wait_for("document.documentElement.dataset.link === 'live'", 60)
            assert await page.tiles(".side[data-seat='1'] .river") == ["S"]
            said = await page.text(".events")
            assert "打 北风" in said  # events of the time it was away are told too
            assert "打 南风" in said
    await core.stop()


#: a server that has nothing so old to show as its delayed spectators may see
JUST_BEGUN = """window.WebSocket = class {
  constructor() { setTimeout(() => this.onmessage({ data: JSON.stringify(
    { type: "tick", age: 0.1, connected: true, delay: 300, held: 41.2 }) })); }
  close() {}
};"""


async def test_a_delayed_view_says_when_it_goes_on(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, url, browser):
        page = await browser.page(390, 844)
        await page.command("Page.addScriptToEvaluateOnNewDocument", source=JUST_BEGUN)
        await page.open(url)
        await page.wait_for("document.querySelector('#connection').innerText.includes('延迟观看，42 秒后继续')")
        assert await page.evaluate("document.documentElement.dataset.link") == "late"
        await page.click("#language")
        await page.wait_for("document.querySelector('#connection').innerText === 'Delayed view goes on in 42 s'")


async def test_the_keyboard_reaches_everything(tmp_path: Path) -> None:
    async with running(tmp_path) as (core, url, browser):
        core.play(*OPENING, *PLAY, *WIN)
        page = await browser.page()
        await page.open(f"{url}/?token=referee-token")
        await page.wait_for("document.querySelector('#confirm')")
        reached = []
        for _ in range(60):
            await page.press("Tab")
            reached.append(await page.evaluate("document.activeElement.id || document.activeElement.dataset.ruleSeat"))
        assert {"health", "language", "theme", "role", "refuse", "confirm", "pause", "table-rulings", "tab-events"} <= {
            *reached
        }
        assert {"0", "1", "2", "3"} <= {*reached}
        await page.evaluate("document.getElementById('tab-events').focus()")
        await page.press("ArrowRight")
        await page.wait_for("document.activeElement.id === 'tab-machine'")
        # a ruling: to the seat, into the dialog, done
        await page.evaluate("document.querySelector('[data-rule-seat=\"2\"]').focus()")
        await page.press("Enter")
        await page.wait_for("document.querySelector('#ruling').open")
        for _ in range(12):
            if await page.evaluate("document.activeElement.dataset.do") == "warning":
                break
            await page.press("Tab")
        await page.press("Enter")
        await page.wait_for("!document.querySelector('#ruling').open")
        assert core.said[-1][0] == "referee.warning"
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
        assert [frame for frame in page.frames if "standing" in frame] == []
        await page.click("#login label:has([value=token])")
        await page.click("#login input[name=token]")
        await page.type("wrong-token")
        await page.press("Enter")
        await page.wait_for("document.querySelector('#login .problem').innerText !== ''")
        await page.evaluate("document.querySelector('#login input[name=token]').select()")
        await page.type("let-me-see")
        await page.press("Enter")
        await stands(page)
    await core.stop()


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
        message = json.loads(frame)
        message.get("state", {}).pop("site", None)  # names of the rules, not of tiles
        look(message)
    return found
