"""What staff do on the page beside rulings: names, a match begun and ended, keys for a seat, the indicator, questions
about the scores. Against the console of a real core."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from browser import Page, launched, needs_chromium
from console_table import OPERATOR, REFEREE, client, code_on_display, play, table
from played import NAMES, OPENING, tiles

from tablectl.app import Core
from tablectl.game import actions as act
from tablectl.game.state import MatchPhase, Phase
from tablectl.tiles.tile import Tile

pytestmark = [pytest.mark.browser, pytest.mark.real_time, needs_chromium]

CLOSED = "!document.querySelector('#ruling').open"


async def staff(page: Page, url: str, token: str) -> None:
    await page.open(f"{url}/?token={token}")
    await page.wait_for("document.querySelector('#players')")


async def caught_up(page: Page, core: Core) -> None:
    await page.wait_for(f"Number(document.querySelector('.events')?.dataset.seq) >= {core.table.last_seq}")


async def test_names_are_entered_and_a_match_begins_and_ends(tmp_path: Path) -> None:
    async with table(tmp_path) as (core, url), launched() as browser:
        operator = await browser.page(390, 844)
        await staff(operator, url, OPERATOR)
        assert await operator.evaluate("document.querySelector('#pause, #table-rulings')") is None  # no referee
        await operator.click("#players")
        for seat, name in enumerate(NAMES):
            await operator.evaluate(f"document.querySelector('[name=name-{seat}]').select()")
            await operator.type(name)
        await operator.click("#ruling [data-do=start]")
        assert " · ".join(NAMES) in await operator.text("#ruling p")
        await operator.click("#sure")
        await operator.wait_for(CLOSED)
        assert (core.table.game.phase, core.table.names) == (MatchPhase.BETWEEN, NAMES)
        await operator.wait_for(f"document.querySelector('#scores').innerText.includes({NAMES[2]!r})")

        # while a hand is played the names can be put right, and nothing else
        play(core, OPENING[1:])
        await caught_up(operator, core)
        await operator.click("#players")
        await operator.wait_for("document.querySelector('#ruling').open")
        assert await operator.evaluate("document.querySelector('#ruling [data-do=start]')") is None
        await operator.evaluate("document.querySelector('[name=name-1]').select()")
        await operator.type("李四方")
        await operator.click("#ruling [data-do=seats]")
        await operator.wait_for("document.querySelector('#scores').innerText.includes('李四方')")
        assert core.table.names[1] == "李四方"
        await operator.click("#players")
        await operator.click("#ruling [data-do=end_game]")
        await operator.click("#sure")
        await operator.wait_for("document.querySelector('#now').innerText.includes('比赛结束')")
        assert core.table.game.phase is MatchPhase.OVER
        assert operator.complaints == []


async def test_keys_are_pressed_for_a_seat(tmp_path: Path) -> None:
    async with table(tmp_path) as (core, url), launched() as browser:
        play(core, OPENING[:2])
        referee = await browser.page()
        await staff(referee, url, REFEREE)
        for seat, key, more in ((0, "dice", OPENING[3:]), (2, "pung", ())):
            await referee.click(f"[data-rule-seat='{seat}']")
            await referee.click(f"#ruling [data-key={key}]")
            await referee.wait_for(CLOSED)
            play(core, more)
            await caught_up(referee, core)
        pressed = [fact.data for fact in core.journal.facts() if fact.type == "key_pressed"]
        assert [(press["seat"], press["key"]) for press in pressed] == [(0, "dice"), (2, "pung")]
        assert all(press["by"].startswith("referee") for press in pressed)
        assert core.table.hand is not None
        assert core.table.hand.dice_presser == 0


async def test_an_operator_does_what_the_api_lets_him(tmp_path: Path) -> None:
    """Keys, pairing, dice and the indicator; and no ruling."""
    async with table(tmp_path, rules="zhenjiang") as (core, url), launched() as browser:
        play(core, OPENING[:2])
        operator = await browser.page(390, 844)
        await staff(operator, url, OPERATOR)
        await operator.click("[data-rule-seat='0']")
        for part in ("[data-do=warning]", ".points", "[name=reason]"):
            assert await operator.evaluate(f"document.querySelector('#ruling {part}')") is None
        await operator.click("#ruling [data-key=dice]")
        await operator.wait_for(CLOSED)
        await operator.click("#table-rulings")
        for die in (0, 1):
            await operator.click(f"#ruling [data-die='{die}-3']")
        await operator.wait_for(CLOSED)
        entered = [fact.data for fact in core.journal.facts(type="dice_entered")]
        assert [(one["dice"], one["by"]) for one in entered] == [([3, 3], "operator@127.0.0.1")]
        await operator.click("[data-rule-seat='2']")
        await operator.click("#ruling [data-do=pairing]")
        await operator.wait_for(CLOSED)
        assert code_on_display(core)
        assert operator.complaints == []


def told(core: Core) -> None:
    """The state of the machine, which does not run here, as the core hears it of one that does."""
    core.status = core.machine.status
    core.bus.publish(core.status)


async def test_an_operator_chooses_the_programme(tmp_path: Path) -> None:
    async with table(tmp_path) as (core, url), launched() as browser:
        operator = await browser.page(390, 844)
        await staff(operator, url, OPERATOR)
        told(core)
        await operator.click("#tab-machine")
        now, other = core.machine.status.programme, min(core.machine.status.programmes)
        assert now != other
        await operator.click(f"#tab-body [data-programme='{other}']")
        await operator.until(lambda: core.machine.status.next_programme == other)
        told(core)
        await operator.wait_for(f"document.querySelector('.programmes p')?.innerText.includes('{other}')")
        # what would be refused now cannot be touched
        stopped = await operator.evaluate(
            "[...document.querySelectorAll('.machine [data-do]:disabled')].map(b => b.dataset.do)"
        )
        assert {*stopped} == {"lift", "pause", "resume", "shuffle"} - {*core.machine.status.commands}


async def test_the_stakes_of_tianjin_have_keys_too(tmp_path: Path) -> None:  # T204
    async with table(tmp_path, rules="tianjin") as (core, url), launched() as browser:
        play(core, OPENING[:2])
        referee = await browser.page()
        await staff(referee, url, REFEREE)
        for seat, key in ((0, "sit1"), (2, "pull2")):
            await referee.click(f"[data-rule-seat='{seat}']")
            await referee.click(f"#ruling [data-key={key}]")
            await referee.wait_for(CLOSED)
        pressed = [fact.data for fact in core.journal.facts() if fact.type == "key_pressed"]
        assert [(press["seat"], press["key"], press["n"]) for press in pressed] == [(0, "sit", 1), (2, "pull", 2)]


async def test_the_indicator_is_entered(tmp_path: Path) -> None:
    async with table(tmp_path, rules="zhenjiang") as (core, url), launched() as browser:
        play(core, [*OPENING[:2], act.RestDice(t=0, dice=(3, 4)), act.RestDice(t=0, dice=(2, 5))])
        hands = tuple(
            tiles("1m 2m 3m 4m 5m 6m 7m 8m 9m 2p 2p 7s 8s") if seat == 0 else (None,) * 13 for seat in range(4)
        )
        play(core, [act.Deal(t=0, hands=hands, drawn=Tile.NORTH)])
        assert core.table.hand is not None
        assert core.table.hand.phase is Phase.INDICATOR
        referee = await browser.page()
        await staff(referee, url, REFEREE)
        await caught_up(referee, core)
        await referee.click("#table-rulings")
        await referee.click("#ruling [data-pai='5p']")
        await referee.wait_for(CLOSED)
        assert core.table.hand.indicator == Tile.P5
        assert core.table.hand.wild == {Tile.P6}
        await referee.wait_for("document.querySelector('.centre')?.querySelector('[data-tile=\"5p\"]')")
        await referee.click("#table-rulings")  # another one lies there
        await referee.click("#ruling details summary")
        await referee.click("#ruling [data-pai='7s']")
        await referee.wait_for(CLOSED)
        assert core.table.hand.indicator == Tile.S7
        assert core.table.hand.wild == {Tile.S8}


async def test_a_question_about_the_scores_is_declined_or_answered(tmp_path: Path) -> None:  # J102
    async with table(tmp_path) as (core, url), launched() as browser, client(url, token=REFEREE) as staff_:
        play(core)
        core.table.game.match = replace(core.table.game.match, game=4)
        referee = await browser.page()
        await staff(referee, url, REFEREE)
        await staff_.post("/api/pairing", json={"seat": 0})
        async with client(url, code=code_on_display(core)) as phone:
            assert (await phone.post("/api/player/score_query", json={})).json()["result"] == {"left": 1}
            await referee.click("[data-request=score_query] [data-do=decline]")
            await referee.wait_for("!document.querySelector('[data-request]')")
            assert (await phone.get("/api/state")).json()["state"][
                "answers"
            ] == []  # a question declined does not count
            assert (await phone.post("/api/player/score_query", json={})).json()["result"] == {"left": 1}
            await referee.click("[data-request=score_query] [data-do=answer]")
            await referee.wait_for("document.querySelector('#alerts .answer')")
            (told,) = (await phone.get("/api/state")).json()["state"]["answers"]
            assert (told["left"], told["totals"]) == (1, [200, 200, 200, 200])
        # another asks the referee himself
        await referee.click("[data-rule-seat='1']")
        await referee.click("#ruling [data-do=score_query]")
        await referee.wait_for("document.querySelector('#ruling .answer')")
        rows = await referee.evaluate("document.querySelectorAll('#ruling .answer tr').length")
        assert (rows, NAMES[3] in await referee.text("#ruling .answer")) == (4, True)
