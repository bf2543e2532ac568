"""The referee's work on the page: judging wins, every ruling, corrections, undo; and that each leaves its line."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from browser import Browser, Page, launched, needs_chromium, served
from played import HANDS, NAMES, OPENING, PLAY, WIN, PlayedCore, discard, draw, tiles

from tablectl.game import actions as act
from tablectl.game import rulings
from tablectl.tiles.tile import Tile
from tablectl.web.settings import Tokens, WebSettings

pytestmark = [pytest.mark.browser, pytest.mark.real_time, needs_chromium]

SETTINGS = WebSettings(tokens=Tokens.model_validate({"referee": "referee-token"}))


@asynccontextmanager
async def refereed(
    tmp_path: Path, *play: act.Action, rules: str = "competition", **options: Any
) -> AsyncIterator[tuple[PlayedCore, Page, Browser, str]]:
    """A core with the hand so far, and the referee's page before it."""
    core = PlayedCore(tmp_path / "core.sock", rules, **options)
    await core.start()
    core.play(*play)
    try:
        async with served(SETTINGS, core.path) as url, launched() as browser:
            page = await browser.page()
            await page.open(f"{url}/?token=referee-token")
            await page.wait_for("document.querySelectorAll('.scores tr').length >= 4")
            yield core, page, browser, url
            assert page.complaints == []
    finally:
        await core.stop()


async def caught_up(core: PlayedCore, page: Page) -> None:
    """Wait until the page shows what the core has told: a dialog offers what could be done when it was opened."""
    await page.wait_for(f"Number(document.querySelector('.events')?.dataset.seq) >= {core.table.last_seq}")


async def said(core: PlayedCore, page: Page, done: Callable[[], Any], *expected: tuple[str, dict[str, Any]]) -> None:
    """Touch something; then the core was told ``expected``, and its account sums."""
    before = len(core.said)
    await caught_up(core, page)
    await done()
    await page.wait_for("!document.querySelector('#ruling').open")
    await page.until(lambda: len(core.said) >= before + len(expected))
    told = core.said[before:]
    assert [method for method, _ in told] == [f"referee.{do}" for do, _ in expected]
    for (_, params), (_, wanted) in zip(told, expected, strict=True):
        assert wanted.items() <= params.items()
        assert "referee" in params["by"]
    playing = core.table.playing
    assert sum(core.table.match.points if playing is None else playing.points) == 400


async def test_a_win_is_judged_and_confirmed(tmp_path: Path) -> None:
    async with refereed(tmp_path, *OPENING, *PLAY, *WIN) as (core, page, browser, url):
        await page.wait_for("document.querySelector('#confirm')")
        watcher = await browser.page(390, 844, dark=True)
        await watcher.open(url)
        await watcher.wait_for("document.querySelector('.proposal')")
        assert "清龙" not in await watcher.text("#proposal")  # J107: not before the referee confirms
        assert await watcher.evaluate("document.querySelector('#confirm')") is None

        # each fan with the sets it comes from, what was not counted and why, who pays what
        rows = await page.evaluate("[...document.querySelectorAll('.win .fans tr')].map(r => r.innerText)")
        assert any("清龙" in row and "10" in row for row in rows)
        sets = await page.tiles(".win .fans tr:first-child .sets")
        assert sets == [f"{n}m" for n in range(1, 10)]
        assert "+60" in await page.text("#proposal")
        assert await page.evaluate("document.querySelectorAll('.steps-to-go .done').length") == 1
        await page.click("#language")
        await page.wait_for("document.querySelector('.win .fans').innerText.includes('pure straight')")

        await page.click("#confirm")
        for each, words in ((page, "pure straight"), (watcher, "清龙")):
            await each.wait_for("document.querySelector('.proposal.settled')")
            assert words in await each.text("#proposal")
        assert core.table.match.points == (154, 74, 62, 110)
        assert [method for method, _ in core.said] == ["referee.confirm"]
        await page.wait_for("document.querySelector('#scores').innerText.includes('154')")
        assert "confirmed the result — referee" in await page.text(".events")


async def test_a_win_is_amended_and_the_last_hand_undone(tmp_path: Path) -> None:
    async with refereed(tmp_path, *OPENING, *PLAY, *WIN) as (core, page, _, _):
        await page.click("#amend")
        await page.click("#ruling [data-take-out='门清']")
        await said(core, page, lambda: page.click("#ruling [data-do=amend]"), ("amend", {"seat": 0}))
        await page.wait_for("document.querySelector('#proposal .total').innerText.includes('12')")
        for act_ in ("inserted", "apart", "inserted"):
            await page.click("#amend")
            await said(core, page, lambda act_=act_: page.click(f"#ruling [data-do={act_}]"), (act_, {"seat": 0}))
        await page.click("#confirm")
        await page.wait_for("document.querySelector('.proposal.settled')")
        assert core.table.match.points == (130, 82, 70, 118)
        await page.click("#table-rulings")
        await page.click("#ruling [data-do=undo]")
        await said(core, page, lambda: page.click("#sure"), ("undo", {}))
        assert core.table.match.points == (100, 100, 100, 100)
        await page.wait_for("document.querySelector('#scores').innerText.includes('100')")


async def test_wins_are_refused(tmp_path: Path) -> None:
    async with refereed(tmp_path, *OPENING, *PLAY, *WIN) as (core, page, _, _):
        await page.click("#refuse")
        await said(core, page, lambda: page.click("#ruling [data-why=taken_back]"), ("refuse", {"reason": "收回"}))
        await page.wait_for("document.querySelector('#proposal').innerText === ''")
        assert core.table.hand is not None
        assert core.table.hand.seats[0].dead is None
        core.play(act.DeclareWin(t=0, seat=0))
        await page.click("#refuse")
        await said(core, page, lambda: page.click("#ruling [data-why=false_win]"), ("false_win", {"seat": 0}))
        await page.wait_for("document.querySelector('.plate[data-seat=\"0\"] .mark.bad')")
        assert core.table.hand.seats[0].dead == "false_win"
        # what the table itself refuses is said with its reason
        core.play(discard(0, "6s"), draw(1, "1s"), act.DeclareWin(t=0, seat=1))
        await page.wait_for("document.querySelector('#proposal .problem')")
        assert "不成和牌" in await page.text("#proposal .problem")


async def test_a_button_is_clicked_though_play_goes_on_under_the_finger(tmp_path: Path) -> None:
    """What stands before the seats changes at every move; what is pressed stays until it is let go."""
    async with refereed(tmp_path, *OPENING) as (core, page, _, _):
        await page.press_down("[data-rule-seat='2']")
        core.play(*PLAY[:2])
        await caught_up(core, page)
        await page.let_go()
        await page.wait_for("document.querySelector('#ruling').open")
        await page.wait_for("document.querySelector('tr.turn').dataset.seat === '1'")


async def test_every_ruling_on_a_seat(tmp_path: Path) -> None:
    suspect = act.Suspect(t=0, code="draw_out_of_turn", seat=3, detail="before the discard")
    async with refereed(tmp_path, *OPENING, *PLAY, suspect) as (core, page, _, _):
        hand = core.table.hand
        assert hand is not None
        # from the alert: the ruling that is proposed is one touch away, its reason is the alert's
        await page.wait_for("document.querySelector('[data-code=draw_out_of_turn]')")
        assert "上家尚未出牌" in await page.text("[data-code=draw_out_of_turn]")
        alert = next(alert.seq for alert in hand.alerts if alert.alert.code == "draw_out_of_turn")
        await page.click("[data-code=draw_out_of_turn] [data-do=more]")
        await said(
            core,
            page,
            lambda: page.click("#ruling [data-points='20']"),
            ("penalty", {"seat": 3, "points": 20, "to": "nobody", "reason": "抢摸", "alert": alert}),
        )
        assert hand.off_board[3] == -20
        await page.wait_for("!document.querySelector('[data-code=draw_out_of_turn]')")
        core.play(act.Suspect(t=0, code="tile_exposed", seat=2, detail=""))
        dismiss = "[data-code=tile_exposed] [data-do=dismiss]"
        await said(core, page, lambda: page.click(dismiss), ("dismiss", {"alert": core.table.last_seq}))
        await page.wait_for("!document.querySelector('[data-code=tile_exposed]')")

        async def on(seat: int, *touched: str) -> None:
            await page.click(f"[data-rule-seat='{seat}']")
            for selector in touched:
                await page.click(f"#ruling {selector}")

        await said(core, page, lambda: on(1, "[data-do=warning]"), ("warning", {"seat": 1}))
        await said(
            core,
            page,
            lambda: on(1, ".chip", "label:has([value='2'])", "[data-points='10']"),
            ("penalty", {"seat": 1, "points": 10, "to": 2, "reason": "迟到"}),
        )
        assert hand.penalties[1:3] == (-10, 10)
        await said(core, page, lambda: on(2, "[data-do=dead_hand]"), ("dead_hand", {"seat": 2}))
        await page.wait_for("document.querySelector('.plate[data-seat=\"2\"] .mark.bad')")
        await said(core, page, lambda: on(2, "[data-do=revive]"), ("revive", {"seat": 2}))
        # 罚张 in both forms (J134)
        await said(core, page, lambda: on(1, "[data-pai='4s']"), ("penalty_tile", {"seat": 1, "pai": "4s"}))
        assert hand.seats[1].penalty_tile is Tile.S4
        await page.wait_for("document.querySelector('.remarks [data-tile=\"4s\"]')")
        await said(
            core,
            page,
            lambda: on(2, "label:has([value=mixed])", "[data-pai='3s']"),
            ("penalty_tile", {"seat": 2, "pai": "3s"}),
            ("dead_hand", {"seat": 2}),
        )
        await said(core, page, lambda: on(3, "[data-do=seat_empty]"), ("seat_empty", {"seat": 3}))
        await said(core, page, lambda: on(3, "[data-do=seat_taken]"), ("seat_taken", {"seat": 3}))
        # a draw that was no turn goes back
        core.play(draw(0, "5s"))
        await page.wait_for("document.querySelector('#now').innerText.includes('出牌')")
        await said(core, page, lambda: on(0, "[data-do=put_back]"), ("put_back", {"seat": 0}))
        assert core.table.hand is not None
        assert len(core.table.hand.seats[0].standing) == 13
        lines = await page.text(".events")
        for words in ("罚分", "警告", "相公", "罚张", "缺席陪打", "错抓放回"):
            assert words in lines
        assert "迟到" in lines  # who, when and why stand in the line
        assert "— referee" in lines


async def test_a_ruling_that_comes_too_late_is_refused_in_the_language_of_the_page(tmp_path: Path) -> None:
    async with refereed(tmp_path, *OPENING, *PLAY) as (core, page, _, _):
        for expected in (
            f"东 {NAMES[0]} 手上没有刚抓的牌",
            f"E {NAMES[0]} holds no tile that it has just drawn",
        ):
            core.play(draw(0, "5s"))
            await caught_up(core, page)
            await page.click("[data-rule-seat='0']")
            core.play(discard(0, "5s"))
            await page.click("#ruling [data-do=put_back]")
            await page.wait_for("document.querySelector('#ruling .problem').innerText")
            assert await page.text("#ruling .problem") == expected
            await page.evaluate("document.querySelector('#ruling').close()")
            core.play(draw(1, "9p"), discard(1, "9p"), draw(2, "9p"), discard(2, "9p"), draw(3, "9p"), discard(3, "9p"))
            await page.click("#language")
        assert all("409" in line for line in page.complaints)  # Chromium's own word for it
        page.complaints.clear()


async def test_every_ruling_on_the_table(tmp_path: Path) -> None:
    async with refereed(tmp_path, *OPENING[:3]) as (core, page, _, _):
        # two dice that the table cannot read
        await page.click("#table-rulings")
        for die in ("0-3", "1-4"):
            await page.click(f"#ruling [data-die='{die}']")
        await page.wait_for("!document.querySelector('#ruling').open")
        assert core.said[-1][0] == "match.dice"
        assert core.said[-1][1]["dice"] == [3, 4]
        core.play(*OPENING[3:], discard(0, "N"))

        async def table(*touched: str) -> None:
            await page.click("#table-rulings")
            for selector in touched:
                await page.click(selector)

        await said(core, page, lambda: page.click("#pause"), ("pause", {}))
        await page.wait_for("document.querySelector('.banner.paused')")
        await said(core, page, lambda: page.click("#pause"), ("resume", {}))
        minutes = core.table.game.paused_seconds
        await said(core, page, lambda: table("#ruling [data-minutes='5']"), ("extra_time", {"seconds": 300}))
        assert core.table.game.paused_seconds == minutes + 300
        # an event that was read wrongly: another tile, another seat, or it never happened
        await page.click(".events li:has(.fix):not(.faint) .fix")
        await page.click("#ruling input[name=reason]")
        await page.type("读错了")
        right = "#ruling .all-tiles [data-pai='9m']"
        await said(core, page, lambda: page.click(right), ("correct", {"reason": "读错了"}))
        assert core.table.hand is not None
        assert [lying.tile.code for lying in core.table.hand.seats[0].river] == ["9m"]
        await page.wait_for("document.querySelector('.events .ruling').innerText.includes('打 九万（读错了）')")
        await said(core, page, lambda: table("[data-do=replay_hand]", "#sure"), ("replay_hand", {}))
        await page.wait_for("document.querySelector('#now').innerText.includes('本盘结束')")
        assert core.table.match.dealer == 0
        core.play(*OPENING[1:])
        await said(core, page, lambda: table("[data-do=draw_hand]", "#sure"), ("draw_hand", {}))
        await said(core, page, lambda: table("[data-do=end_game]", "#sure"), ("end_game", {}))
        await page.wait_for("document.querySelector('#now').innerText.includes('比赛结束')")


async def test_tickets_are_counted_and_the_result_confirmed(tmp_path: Path) -> None:  # zhenjiang Z605, Z611
    begin = (act.StartMatch(t=0, names=NAMES), act.RaiseWalls(t=0))
    async with refereed(tmp_path, *begin, rules="zhenjiang") as (core, page, browser, url):
        await caught_up(core, page)
        await page.click("[data-rule-seat='1']")
        await page.click("#ruling input[name=counted]")
        await page.type("47")
        await page.click("#ruling [data-do=count]")
        await page.wait_for("document.querySelector('[data-code=tickets_mismatch]')")
        assert core.said[-1][0] == "referee.count"
        assert "清点 47，应为 50" in await page.text("[data-code=tickets_mismatch]")
        core.play(act.Rule(t=0, do="draw_hand", by="referee"), act.Rule(t=0, do="end_game", by="referee"))
        await page.wait_for("document.querySelector('#now').innerText.includes('待裁判长确认')")
        watcher = await browser.page()
        await watcher.open(url)
        await watcher.wait_for("document.querySelector('#now').innerText.includes('请勿离座')")
        assert await watcher.evaluate("document.querySelector('#confirm-result')") is None
        await page.click("#confirm-result")
        await page.wait_for("!document.querySelector('#confirm-result')")
        assert core.said[-1][0] == "referee.confirm"
        assert not core.table.unconfirmed
        await watcher.wait_for("!document.querySelector('#now').innerText.includes('请勿离座')")


async def test_winners_who_name_their_points(tmp_path: Path) -> None:
    """mcr T31: the smaller of what was named and what the table counts."""
    opening = (*OPENING[:4], act.RestDice(t=0, dice=(2, 5)), *OPENING[4:])
    played = (*opening, *PLAY, *WIN)
    async with refereed(tmp_path, *played, rules="mcr", score_mode="announced") as (core, page, _, _):
        await page.wait_for("document.querySelector('.announce')")
        counted = core.table.playing.declared[0].score if core.table.playing else 0
        assert counted > 8
        assert "未自报" in await page.text(".announce")
        await page.evaluate("document.querySelector('.announce input').select()")
        await page.type(str(counted - 1))
        await page.press("Enter")
        await page.wait_for("!document.querySelector('.announce').innerText.includes('未自报')")
        assert core.said[-1][0] == "referee.announce"
        assert core.said[-1][1]["points"] == counted - 1
        assert core.table.playing is not None
        assert core.table.playing.declared[0].score == counted - 1
        await page.click("#confirm")
        await page.wait_for("document.querySelector('.proposal.settled')")
        assert core.table.match.points == (500 + 3 * (8 + counted - 1), *[500 - 8 - (counted - 1)] * 3)


def test_no_ruling_is_left_out_here() -> None:
    source = Path(__file__).read_text(encoding="utf-8")
    assert [do for do in rulings.ACTS if f'"{do}"' not in source and f"referee.{do}" not in source] == []


BEIJING = tuple("1m 2m 3m 4m 5m 6m 7m 8m 9m 2p 2p 7s 8s" if seat == 0 else hand for seat, hand in enumerate(HANDS))


async def test_exposed_tiles_and_an_unclear_call(tmp_path: Path) -> None:
    opening = (
        *OPENING[:4],
        act.Deal(t=0, hands=tuple(tiles(hand) for hand in BEIJING), drawn=Tile.NORTH),
    )
    async with refereed(tmp_path, *opening, discard(0, "N"), rules="beijing") as (core, page, _, _):
        await page.wait_for("document.querySelectorAll('.standing .tile').length > 40")
        await page.click("[data-rule-seat='1']")
        await page.click("#ruling label:has([value='4s'])")
        await page.click("#ruling label:has([value='5s'])")
        await page.click("#ruling button[data-do=expose]")
        await page.until(lambda: bool(core.said))
        assert core.said[-1][0] == "referee.expose"
        assert core.said[-1][1]["tiles"] == ["4s", "5s"]
        await page.wait_for("document.querySelector('.remarks')")  # T18: the kinds on which the seat may not win
        await caught_up(core, page)
        await page.click("[data-rule-seat='2']")
        await page.click("#ruling [data-points='1000']")
        await page.wait_for("document.querySelector('.pot')?.innerText.includes('1000')")  # T40
        await page.click("[data-rule-seat='3']")
        await page.click("#ruling [data-do=unclear_call]")
        await page.until(lambda: core.said[-1][0] == "referee.unclear_call")
        await page.wait_for(f"document.querySelector('.events').innerText.includes('报和不清 北 {NAMES[3]}')")
