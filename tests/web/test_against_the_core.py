"""What the page and the API send, held against a real core: accepted, done, told why not, and written down by whom."""

from __future__ import annotations

import copy
import dataclasses
import logging
from pathlib import Path
from typing import Any

import httpx
import pytest
from browser import launched, needs_chromium
from console_table import ADMIN, NAMES, OPERATOR, REFEREE, client, play, table
from played import HANDS, OPENING, PLAY, WIN, discard, draw, tiles

from tablectl.core.console import ruling_of
from tablectl.core.offers import keys, offered
from tablectl.core.rules_info import rules_json
from tablectl.game import actions as act
from tablectl.game import record, rulings
from tablectl.game.table import Table
from tablectl.game.views import Role
from tablectl.rules.registry import RULE_SETS, load
from tablectl.sim.faults import FAULTS
from tablectl.tiles.tile import Tile

pytestmark = pytest.mark.real_time


async def event(one: httpx.AsyncClient, kind: str, nth: int = 0) -> dict[str, Any]:
    """The ``nth`` event of a type, as the page has it."""
    told = (await one.get("/api/events")).json()["events"]
    found: dict[str, Any] = [event for event in told if event["type"] == kind][nth]
    return found


def facts(core: Any, kind: str) -> list[Any]:
    return [entry.data for entry in core.journal.facts(type=kind)]


@pytest.mark.parametrize("rules", sorted(RULE_SETS))
async def test_every_penalty_that_the_page_offers_is_taken(tmp_path: Path, rules: str) -> None:
    async with table(tmp_path, rules=rules) as (core, url), client(url, token=REFEREE) as referee:
        play(core, OPENING[:2])
        offered = rules_json(core.rules)["penalties"]["amounts"]
        for points in offered:
            for to in ("nobody", "each", 2):
                ruling = {"seat": 1, "points": points, "to": to}
                answer = await referee.post("/api/referee/penalty", json=ruling)
                assert answer.status_code == 200, (ruling, answer.text)
                if core.table.playing is None:  # it cost too much: the hand is broken off
                    return


def stages(rules: str) -> list[tuple[str, list[act.Action]]]:
    """A hand of a rule system as far as it goes without its deal, and one of the competition as a whole."""
    begun = [("waiting", []), ("between", [*OPENING[:1]]), ("walls", [*OPENING[1:2]])]
    if rules != "competition":
        return begun
    won = act.Rule(t=0, do="confirm", by="referee Wu")
    return [*begun, ("dealt", [*OPENING[2:]]), ("play", [*PLAY]), ("declared", [*WIN]), ("ended", [won])]


#: what a ruling or a command says beside its seat, so that nothing is wrong with it but the moment
SAID: dict[str, dict[str, Any]] = {
    "penalty_tile": {"pai": "1m"},
    "expose": {"tiles": ["1m"]},
    "announce": {"points": 8},
    "count": {"points": 50},
    "amend": {"fans": {"花牌": 1}},
    "extra_time": {"seconds": 60},
    "dismiss": {"alert": 1},
    "dice": {"dice": [1, 2]},
    "indicator": {"tile": "1m"},
    "start": {"names": list(NAMES)},
    "seats": {"names": list(NAMES)},
}


@pytest.mark.parametrize("rules", sorted(RULE_SETS))
def test_what_is_offered_is_taken_and_the_rest_is_not(rules: str) -> None:
    table_ = Table(load(rules), names=NAMES)
    penalty = {"points": table_.rules.penalties.amounts[0], "to": "nobody"}
    for stage, actions in stages(rules):
        for action in actions:
            table_.apply(action)
        can = offered(table_, Role.REFEREE)
        for do in rulings.ACTS:
            if do == "correct":
                continue
            for seat in range(4) if do in rulings.OF_A_SEAT else (None,):
                where = can["rulings"] if seat is None else can["seats"][seat]["rulings"]
                given = {"seat": seat, **SAID.get(do, {}), **(penalty if do == "penalty" else {})}
                ruling = ruling_of(do, {"by": "Wu", **given}, table_, 0.0)
                why = table_.refusal(ruling)
                assert (do in where) == (why is None), (stage, do, seat, why)
                if do in where:  # and it does something: nothing is offered in vain
                    assert copy.deepcopy(table_).apply(ruling), (stage, do, seat)
        assert offered(table_, Role.SPECTATOR) == {}
        operator = offered(table_, Role.OPERATOR)
        assert operator["match"] == can["match"]
        assert operator["rulings"] == []
        assert all(seat["rulings"] == [] for seat in operator["seats"])


async def test_commands_of_the_match_are_offered_when_they_are_taken(tmp_path: Path) -> None:
    async with table(tmp_path) as (core, url), client(url, token=OPERATOR) as operator:
        for _, actions in stages("competition"):
            play(core, actions)
            offers = (await operator.get("/api/state")).json()["state"]["can"]["match"]
            for do in {"dice", "indicator"} - {*offers}:
                answer = await operator.post(f"/api/match/{do}", json=SAID[do])
                assert answer.status_code == 409, (do, answer.text)
            if "start" not in offers:
                assert (await operator.post("/api/match/start", json=SAID["start"])).status_code == 409


@pytest.mark.parametrize("rules", sorted(RULE_SETS))
def test_a_key_that_is_offered_costs_nobody_an_alert(rules: str) -> None:
    table_ = Table(load(rules), names=NAMES)
    for stage, actions in stages(rules):
        for action in actions:
            table_.apply(action)
        for seat in range(4):
            for press in keys(table_, seat):
                told = copy.deepcopy(table_).apply(act.Press(t=0, seat=seat, key=press["key"], n=press.get("n")))
                assert not [one for one in told if one.type == "alert" and one.code != "false_win"], (
                    stage,
                    seat,
                    press,
                )


def test_every_event_that_the_page_corrects_is_of_the_record() -> None:
    table_ = Table(load("competition"), names=NAMES)
    for action in (*OPENING, *PLAY):
        table_.apply(action)
    seen = set()
    for seq, one in table_.state.effective(table_.state.hand_seq):
        if one.type in rulings.CORRECTABLE:
            seen.add(one.type)
            assert record.place_of(table_.state, seq) is not None, one
            changed = {"pai", "consumed"} & {field.name for field in dataclasses.fields(one)}
            assert ("tile" in rulings.CORRECTABLE[one.type]) == bool(changed)
    assert seen == {"tsumo", "flower", "dahai", "pon", "daiminkan", "ankan", "pay"}


async def test_a_penalty_before_the_first_hand_is_paid(tmp_path: Path) -> None:
    async with table(tmp_path) as (core, url), client(url, token=REFEREE) as referee:
        await referee.post("/api/match/start", json={"names": list(NAMES)})
        for to in (2, "nobody"):
            late = {"seat": 1, "points": 10, "to": to, "reason": "迟到"}
            answer = await referee.post("/api/referee/penalty", json=late)
            assert answer.status_code == 200, answer.text
        assert core.table.match.points == (100, 90, 110, 100)
        play(core, [act.RaiseWalls(t=0)])
        assert core.table.hand is not None
        assert core.table.hand.points == (100, 90, 110, 100)
        await referee.post("/api/referee/draw_hand", json={})
        assert core.table.match.points == (100, 90, 110, 100)
        assert core.table.match.off_board == (0, -10, 0, 0)
        await referee.post("/api/referee/undo", json={})
        assert core.table.match.points == (100, 90, 110, 100)


async def test_a_penalty_after_the_match_is_in_its_result(tmp_path: Path) -> None:
    async with table(tmp_path) as (core, url), client(url, token=REFEREE) as referee:
        play(core, [*OPENING, *PLAY, *WIN])
        for do, ruling in (("confirm", {}), ("end_game", {}), ("penalty", {"seat": 1, "points": 20, "to": 2})):
            assert (await referee.post(f"/api/referee/{do}", json=ruling)).status_code == 200
        assert core.table.match.points == (154, 54, 82, 110)
        (sheet,) = (await referee.get("/api/sheet")).json()["result"]["sheets"]
        assert [row["total"] for row in sheet["players"]] == [154, 54, 82, 110]
        assert [row["rank"] for row in sheet["players"]] == [1, 4, 3, 2]
        # the next game is another one
        await referee.post("/api/match/start", json={"names": list(NAMES)})
        await referee.post("/api/referee/penalty", json={"seat": 0, "points": 10, "to": "nobody"})
        assert core.table.match.off_board == (-10, 0, 0, 0)
        sheet = (await referee.get("/api/sheet")).json()["result"]["sheets"][0]
        assert [row["total"] for row in sheet["players"]] == [154, 54, 82, 110]


async def test_a_correction_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    async with table(tmp_path) as (core, url), client(url, token=REFEREE) as referee:
        play(core, [*OPENING, *PLAY])
        last = core.table.last_seq
        refusals = (
            ("tsumo", None, "does not fit"),
            ("pon", {"pai": "5m"}, "of one kind"),
            ("pon", {"target": 3}, "does not fit"),
        )
        for kind, right, why in refusals:
            read = await event(referee, kind)
            correct = {"seq": read["seq"]} | ({} if right is None else {"event": {**read, **right}})
            for _ in range(2):
                answer = await referee.post("/api/referee/correct", json=correct)
                assert answer.status_code == 409, answer.text
                assert why in answer.json()["error"]["message"]
        assert core.table.last_seq == last
        claimed = await event(referee, "pon")
        assert core.table.hand is not None
        assert [meld.tile for meld in core.table.hand.seats[1].melds] == [Tile.M1], claimed


async def test_a_dealer_who_does_not_sit(tmp_path: Path) -> None:
    """tianjin T203, for a dealer whose key pad is broken."""
    async with table(tmp_path, rules="tianjin") as (core, url), client(url, token=REFEREE) as referee:
        play(core, OPENING[:2])
        refused = await referee.post("/api/match/key", json={"seat": 0, "key": "sit", "n": 2})
        assert refused.status_code == 422
        answer = await referee.post("/api/match/key", json={"seat": 0, "key": "sit", "n": 0})
        assert answer.status_code == 200, answer.text
        assert core.table.hand is not None
        assert core.table.hand.stakes["sit"] is False


async def test_who_named_the_seats_and_began_the_match_is_written_down(tmp_path: Path) -> None:
    async with table(tmp_path) as (core, url), client(url, token=OPERATOR) as operator:
        for do in ("start", "seats"):
            assert (await operator.post(f"/api/match/{do}", json={"names": list(NAMES)})).status_code == 200
        for kind in ("match_begun", "seats_named"):
            (fact,) = facts(core, kind)
            assert fact["by"] == "operator@127.0.0.1"
            assert fact["names"] == list(NAMES)


async def test_who_changed_accounts_is_in_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "tablectl.web.admin_api")
    async with table(tmp_path) as (_, url), client(url, **ADMIN) as admin:
        for dots in (".", ".."):  # no address could name them
            made = {"name": dots, "role": "player", "password": "correct horse"}
            assert (await admin.post("/api/accounts", json=made)).status_code == 409
        made = {"name": "Wu Li", "role": "referee", "password": "correct horse"}
        assert (await admin.post("/api/accounts", json=made)).status_code == 200
        async with client(url, name="Wu Li", password="correct horse"):
            (theirs,) = [one for one in (await admin.get("/api/sessions")).json()["result"] if not one["own"]]
            await admin.delete(f"/api/sessions/{theirs['id']}")
        await admin.post("/api/accounts/Wu Li/unlock", json={})
        await admin.post("/api/accounts/Wu Li/password", json={"password": "another horse"})
        await admin.delete("/api/accounts/Wu Li")
    said = [record.getMessage() for record in caplog.records if record.name == "tablectl.web.admin_api"]
    assert [line.partition(" ")[0] for line in said] == ["admin:Zhou@127.0.0.1"] * 5
    assert "horse" not in str(said)


def test_what_the_page_breaks_it_mends() -> None:
    """The page's buttons of a simulated table carry their arguments: what one breaks, another mends."""
    params = {name: example for name, (_, example) in FAULTS.items()}
    for broken in ("stall_lift", "kill_lift", "slow_lift"):
        assert params[broken]["part"] == params["mend_lift"]["part"]
    for broken in ("blind_sensor", "stick_sensor"):
        assert params[broken] == params["mend_sensor"]


# --- with the page itself


async def opened(browser: Any, url: str) -> Any:
    page = await browser.page()
    await page.open(f"{url}/?token={REFEREE}")
    await page.wait_for("document.querySelectorAll('.scores tr').length >= 4")
    return page


@pytest.mark.browser
@needs_chromium
async def test_a_correction_begins_with_what_the_last_one_left(tmp_path: Path) -> None:
    async with table(tmp_path) as (core, url), launched() as browser:
        play(core, [*OPENING, discard(0, "N")])
        page = await opened(browser, url)
        seq = core.table.last_seq
        line = f".events li[data-seq='{seq}']"
        await page.click(f"{line} .fix")
        await page.click("#ruling .all-tiles [data-pai='9m']")
        await page.wait_for(f"document.querySelector({line + ' s'!r})")
        await page.click(f"{line} .fix")
        assert "九万" in await page.text("#ruling p")
        await page.click("#ruling [data-actor='1']")
        await page.wait_for("!document.querySelector('#ruling').open")
        assert core.table.hand is not None
        assert [lying.tile for lying in core.table.hand.seats[1].river] == [Tile.M9]
        # what did not happen cannot be corrected
        await page.click(f"{line} .fix")
        await page.click("#ruling [data-do=take_out]")
        await page.wait_for(f"document.querySelector({line!r}) && !document.querySelector({line + ' .fix'!r})")
        assert [lying for seat in core.table.hand.seats for lying in seat.river] == []


@pytest.mark.browser
@needs_chromium
async def test_a_claimed_discard_is_corrected_with_its_meld(tmp_path: Path) -> None:
    async with table(tmp_path) as (core, url), launched() as browser:
        play(core, [*OPENING, *PLAY])
        page = await opened(browser, url)
        async with client(url, token=REFEREE) as referee:
            read = await event(referee, "dahai", 2)
        await page.click(f".events li[data-seq='{read['seq']}'] .fix")
        await page.click("#ruling .all-tiles [data-pai='5m']")
        await page.wait_for("!document.querySelector('#ruling').open")
        assert core.table.hand is not None
        assert core.table.hand.seats[1].melds[0].tiles == (Tile.M5,) * 3
        assert core.table.hand.seats[2].river[0].tile is Tile.M5


@pytest.mark.browser
@needs_chromium
async def test_undo_stands_on_the_page_only_when_it_is_taken(tmp_path: Path) -> None:
    async with table(tmp_path) as (core, url), launched() as browser:
        page = await opened(browser, url)
        confirm = act.Rule(t=0, do="confirm", by="referee Wu")
        for actions, there in (
            ((*OPENING, *PLAY, *WIN), False),
            ((confirm,), True),
            ((act.RaiseWalls(t=0),), True),
            (OPENING[2:], False),
        ):
            play(core, actions)
            await page.wait_for(f"Number(document.querySelector('.events')?.dataset.seq) >= {core.table.last_seq}")
            await page.click("#table-rulings")
            await page.wait_for("document.querySelector('#ruling').open")
            undo = await page.evaluate("!!document.querySelector('#ruling [data-do=undo]')")
            assert undo is there, core.table.hand
            await page.click("#ruling .dialog-head button")
            await page.wait_for("!document.querySelector('#ruling').open")


@pytest.mark.browser
@needs_chromium
async def test_a_kong_is_corrected_as_a_whole(tmp_path: Path) -> None:
    async with table(tmp_path) as (core, url), launched() as browser:
        play(core, [*OPENING, *PLAY])
        page = await opened(browser, url)
        async with client(url, token=REFEREE) as referee:
            kong = await event(referee, "ankan")
        await page.click(f".events li[data-seq='{kong['seq']}'] .fix")
        await page.click("#ruling .all-tiles [data-pai='7s']")
        await page.wait_for("!document.querySelector('#ruling').open")
        assert core.table.hand is not None
        assert core.table.hand.seats[3].melds[-1].tiles == (Tile.S7,) * 4


@pytest.mark.browser
@needs_chromium
async def test_the_indicator_is_entered_though_play_has_begun(tmp_path: Path) -> None:
    """The power failed while it was turned up: the table does not know it, the referee does."""
    hands = ("1m 2m 3m 4m 5m 6m 7m 8m 9m 2p 2p 7s 8s", *HANDS[1:])
    async with table(tmp_path, rules="tianjin") as (core, url), launched() as browser:
        pulls = (act.Press(t=0, seat=seat, key="pull", n=0) for seat in (1, 2, 3))
        deal = act.Deal(t=0, hands=tuple(tiles(hand) for hand in hands), drawn=Tile.NORTH)
        second = act.RestDice(t=0, dice=(1, 2))
        play(
            core,
            [
                *OPENING[:2],
                act.Press(t=0, seat=0, key="sit"),
                *pulls,
                *OPENING[2:4],
                deal,
                second,
                discard(0, "N"),
                draw(1, "S"),
            ],
        )
        page = await opened(browser, url)
        await page.click("#table-rulings")
        await page.click("#ruling [data-pai='5m']")
        await page.wait_for("!document.querySelector('#ruling').open")
        assert core.table.hand is not None
        assert core.table.hand.indicator is Tile.M5


@pytest.mark.browser
@needs_chromium
async def test_the_page_offers_both_choices_of_a_dealer(tmp_path: Path) -> None:
    async with table(tmp_path, rules="tianjin") as (core, url), launched() as browser:
        play(core, OPENING[:2])
        page = await opened(browser, url)
        await page.click("[data-rule-seat='0']")
        await page.click("#ruling [data-key=sit0]")
        await page.wait_for("!document.querySelector('#ruling').open")
        assert core.table.hand is not None
        assert core.table.hand.stakes["sit"] is False
