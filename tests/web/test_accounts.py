"""Accounts, sessions, pairing, and what players may do from their phones."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from console_table import ADMIN, NAMES, OPERATOR, REFEREE, client, code_on_display, play, table
from played import OPENING, PLAY, WIN
from websockets.asyncio.client import connect

from tablectl.core.pairing import MAX_WRONG as WRONG_CODES
from tablectl.game import actions as act
from tablectl.web.access import COOKIE
from tablectl.web.passwords import hashed, matches
from tablectl.web.roles import SPECTATOR, WebRole, Who
from tablectl.web.store import LOCK_SECONDS, MAX_WRONG, AccountError, Store

pytestmark = pytest.mark.real_time


def live(url: str, one: httpx.AsyncClient) -> Any:
    cookies = "; ".join(f"{name}={value}" for name, value in one.cookies.items())
    return connect(url.replace("http", "ws") + "/ws", additional_headers={"Cookie": cookies})


async def heard(socket: Any, kind: str) -> dict[str, Any]:
    async with asyncio.timeout(20):
        while True:
            found: dict[str, Any] = json.loads(await socket.recv())
            if found["type"] == kind:
                return found


async def closed(socket: Any) -> int:
    async with asyncio.timeout(20):
        await socket.wait_closed()
    return int(socket.close_code)


async def test_referee_operator_and_admin_clear_a_fault(tmp_path: Path) -> None:
    async with table(tmp_path) as (core, url):
        for login in ({"token": REFEREE}, {"token": OPERATOR}, ADMIN):
            core.faults.raise_fault("E01", "table")
            async with client(url, **login) as one:
                answer = await one.post("/api/faults/clear", json={"id": "E01@table"})
                assert answer.status_code == 200, answer.text
            assert not core.faults.active
        core.faults.raise_fault("E01", "table")
        async with client(url) as watching:
            assert (await watching.post("/api/faults/clear", json={"id": "E01@table"})).status_code in (401, 403)
        assert core.faults.active


# --- passwords, the store


def test_passwords_are_kept_as_salted_scrypt() -> None:
    first, second = hashed("correct horse"), hashed("correct horse")
    assert first != second
    assert "correct" not in first
    assert matches("correct horse", first)
    assert not matches("correct horsf", first)
    for bad in ("short", "x" * 201):
        with pytest.raises(ValueError, match="8 to 200 characters"):
            hashed(bad)


def test_accounts_are_made_changed_and_taken_away(tmp_path: Path) -> None:
    file = tmp_path / "accounts.sqlite"
    with Store(file) as store:
        store.add(" Wu  Li ", WebRole.REFEREE, "correct horse")
        cookie, _ = store.begin(Who(WebRole.REFEREE, "Wu Li"), "10.0.0.1", 60, account=True)
        for name, words in (("Wu Li", "already"), ("referee", "role"), ("a@b", "no name"), ("", "no name")):
            with pytest.raises(AccountError, match=words):
                store.add(name, WebRole.PLAYER, "correct horse")
        with pytest.raises(AccountError, match="8 to 200"):
            store.add("Qin", WebRole.PLAYER, "short")
    assert file.stat().st_mode & 0o777 == 0o600
    with Store(file) as again:  # another process, after a restart
        assert [(one.name, one.role) for one in again.accounts()] == [("Wu Li", WebRole.REFEREE)]
        assert again.who(cookie, {}) == Who(WebRole.REFEREE, "Wu Li", session=1)
        again.set_password("Wu Li", "another horse")
        assert again.who(cookie, {}) is None
        cookie, _ = again.begin(Who(WebRole.REFEREE, "Wu Li"), "10.0.0.1", 60, account=True)
        again.remove("Wu Li")
        assert again.who(cookie, {}) is None
        with pytest.raises(AccountError, match="no account 'Wu Li'"):
            again.remove("Wu Li")


def test_a_session_ends_with_its_time_and_with_the_word_that_opened_it() -> None:
    now = [0.0]
    with Store(now=lambda: now[0]) as store:
        cookie, who = store.begin(Who(WebRole.REFEREE), "x", 60, account=False, token="word-of-2025")
        assert store.who(cookie, {WebRole.REFEREE: "word-of-2025"}) == who
        assert store.who(cookie, {WebRole.REFEREE: "word-of-2026"}) is None
        assert store.who(cookie, {}) is None
        now[0] = 60
        assert store.who(cookie, {WebRole.REFEREE: "word-of-2025"}) is None
        assert store.sessions() == []


def test_an_account_locks_and_opens_again_after_a_time() -> None:
    now = [0.0]
    with Store(now=lambda: now[0]) as store:
        store.add("Wu", WebRole.REFEREE, "correct horse")
        for _ in range(MAX_WRONG):
            assert not store.locked("Wu")
            store.note_try("Wu", right=False)
        assert store.locked("Wu")
        assert store.accounts()[0].locked
        now[0] = LOCK_SECONDS
        assert not store.locked("Wu")
        assert store.who("", {}) is None
        assert SPECTATOR.session is None


# --- logging in


async def test_a_password_opens_a_role_and_the_journal_has_the_name(tmp_path: Path) -> None:
    async with table(tmp_path) as (core, url), client(url, **ADMIN) as admin:
        made = await admin.post("/api/accounts", json={"name": "Wu", "role": "referee", "password": "correct horse"})
        assert [one["name"] for one in made.json()["result"]] == ["Wu", "Zhou"]
        async with client(url, name="Wu", password="correct horse") as referee:
            session = (await referee.get("/api/session")).json()
            assert (session["role"], session["name"]) == ("referee", "Wu")
            play(core)
            assert (await referee.post("/api/referee/pause", json={})).status_code == 200
            assert core.table.events[-1].by == "referee:Wu@127.0.0.1"  # type: ignore[attr-defined]
            assert (await admin.post("/api/referee/resume", json={})).status_code == 403
            state = (await admin.get("/api/state")).json()
            assert state["state"]["table"]["hand"]["seats"][0]["standing"] is None  # an admin is no referee
            assert (await admin.delete("/api/accounts/Wu")).status_code == 200
            assert (await referee.get("/api/session")).json()["role"] == "spectator"
        assert (await admin.delete("/api/accounts/Zhou")).status_code == 409
        assert (await admin.delete("/api/accounts/Nobody")).status_code == 404


async def test_only_an_admin_keeps_accounts(tmp_path: Path) -> None:
    requests = [
        ("GET", "/api/accounts"),
        ("POST", "/api/accounts"),
        ("DELETE", "/api/accounts/Zhou"),
        ("POST", "/api/accounts/Zhou/password"),
        ("POST", "/api/accounts/Zhou/unlock"),
        ("GET", "/api/sessions"),
        ("DELETE", "/api/sessions/1"),
        ("GET", "/api/access"),
    ]
    body = {"name": "Evil", "role": "admin", "password": "correct horse"}
    async with table(tmp_path) as (_, url):
        for login in ({}, {"token": OPERATOR}, {"token": REFEREE}):
            async with client(url, **login) as one:
                for method, path in requests:
                    answer = await one.request(method, path, json=body if method == "POST" else None)
                    assert answer.status_code == 403, (login, path, answer.text)


async def test_the_own_password_changes_and_other_sessions_end(tmp_path: Path) -> None:
    async with table(tmp_path) as (_, url), client(url, **ADMIN) as here, client(url, **ADMIN) as elsewhere:
        wrong = await here.post("/api/password", json={"old": "nonsense", "new": "battery staple"})
        assert wrong.status_code == 401
        short = await here.post("/api/password", json={"old": ADMIN["password"], "new": "short"})
        assert (short.status_code, "8 to 200" in short.text) == (422, True)
        assert (
            await here.post("/api/password", json={"old": ADMIN["password"], "new": "battery staple"})
        ).status_code == 200
        assert (await here.get("/api/session")).json()["role"] == "admin"
        assert (await elsewhere.get("/api/session")).json()["role"] == "spectator"


async def test_sessions_are_listed_and_ended_by_the_admin_and_a_page_ends_with_its_session(tmp_path: Path) -> None:
    async with table(tmp_path) as (core, url), client(url, **ADMIN) as admin, client(url, token=REFEREE) as referee:
        play(core)
        async with live(url, referee) as socket:
            await heard(socket, "state")
            lines = (await admin.get("/api/sessions")).json()["result"]
            assert {(line["role"], line["own"]) for line in lines} == {("admin", True), ("referee", False)}
            number = next(line["id"] for line in lines if line["role"] == "referee")
            assert (await admin.delete(f"/api/sessions/{number}")).status_code == 200
            assert (await admin.delete(f"/api/sessions/{number}")).status_code == 404
            assert await closed(socket) == 4401
        assert (await referee.get("/api/session")).json()["role"] == "spectator"


# --- who looked


async def test_who_looked_at_standing_tiles_and_until_when(tmp_path: Path) -> None:
    async with table(tmp_path) as (core, url), client(url, **ADMIN) as admin:
        play(core)
        async with client(url, token=REFEREE) as referee:
            async with live(url, referee) as socket:
                await heard(socket, "state")
            for _ in range(3):  # asked again and again: noted once a minute
                await referee.get("/api/state")
        async with asyncio.timeout(20):
            while True:
                looks = (await admin.get("/api/access")).json()["result"]
                own = [look["what"] for look in looks if look["by"] == "referee@127.0.0.1"]
                if own.count("left") == 1:
                    break
                await asyncio.sleep(0.02)
        assert sorted(own) == ["left", "looked", "looked"]
        assert all(look["role"] == "referee" for look in looks)
        assert [look["n"] for look in looks] == sorted((look["n"] for look in looks), reverse=True)
        older = (await admin.get("/api/access", params={"before": looks[0]["n"], "limit": 1})).json()["result"]
        assert older == [looks[1]]
        assert {fact.type for fact in core.journal.facts()} >= {"looked", "left"}


# --- players


async def test_a_code_on_the_display_makes_a_phone_the_players(tmp_path: Path) -> None:
    async with table(tmp_path) as (core, url), client(url, token=REFEREE) as referee, client(url) as phone:
        play(core)
        refused = await phone.post("/api/pairing", json={"seat": 2})
        assert refused.status_code == 403
        shown = (await referee.post("/api/pairing", json={"seat": 2})).json()["result"]
        assert shown == {"seat": 2, "seconds": 90}
        code = code_on_display(core)
        # the page shows spectators what the displays show, but not now
        async with asyncio.timeout(20):
            while (await phone.get("/api/state")).json()["state"]["display"]["screens"]:
                pass
        assert (await referee.get("/api/state")).json()["state"]["display"]["screens"] != []
        assert code not in (await referee.get("/api/events")).text
        session = (await phone.post("/api/login", json={"code": code})).json()
        assert (session["role"], session["seat"], session["name"]) == ("player", 2, NAMES[2])
        hands = (await phone.get("/api/state")).json()["state"]["table"]["hand"]["seats"]
        assert [seat["standing"] is not None for seat in hands] == [False, False, True, False]
        async with client(url) as second:
            assert (await second.post("/api/login", json={"code": code})).status_code == 401  # it opens once


async def test_codes_cannot_be_guessed(tmp_path: Path) -> None:
    async with table(tmp_path) as (core, url), client(url, token=REFEREE) as referee:
        play(core)
        await referee.post("/api/pairing", json={"seat": 1})
        code = code_on_display(core)
        wrong = [f"{number:06d}" for number in range(WRONG_CODES) if f"{number:06d}" != code]
        async with client(url) as phone:
            for guess in wrong:
                await phone.post("/api/login", json={"code": guess})
            if len(wrong) < WRONG_CODES:
                await phone.post("/api/login", json={"code": "999999"})
            assert core.announcer._codes == {}
            answer = await phone.post("/api/login", json={"code": code})
            assert answer.status_code == 429


async def asked_until(person: httpx.AsyncClient, path: str, words: str) -> httpx.Response:
    """Ask again until the answer holds ``words``: the page is told of a change a moment after the core."""
    async with asyncio.timeout(10):
        while words not in (answer := await person.get(path)).text:
            pass
    return answer


async def test_a_players_view_ends_when_the_seats_change(tmp_path: Path) -> None:
    async with (
        table(tmp_path) as (core, url),
        client(url, **ADMIN) as admin,
        client(url, token=REFEREE) as referee,
        client(url) as paired,
    ):
        play(core)
        player = {"name": NAMES[1], "role": "player", "password": "correct horse"}
        await admin.post("/api/accounts", json=player)
        await referee.post("/api/pairing", json={"seat": 1})
        await paired.post("/api/login", json={"code": code_on_display(core)})
        async with client(url, name=NAMES[1], password="correct horse") as phone:
            async with live(url, paired) as first, live(url, phone) as second:
                for socket in (first, second):
                    assert (await heard(socket, "state"))["seat"] == 1
                core.apply(act.NameSeats(t=core.clock.now(), names=(NAMES[1], NAMES[0], NAMES[2], NAMES[3])))
                for socket in (first, second):
                    assert await closed(socket) == 4409
            # the paired phone was for that seat, the account goes with its player
            gone = await paired.get("/api/state")
            assert (gone.status_code, "log in again" in gone.text) == (403, True)
            hands = (await asked_until(phone, "/api/state", '"seats"')).json()["state"]["table"]["hand"]["seats"]
            assert [seat["standing"] is not None for seat in hands] == [True, False, False, False]
            async with live(url, phone) as socket:
                assert (await heard(socket, "state"))["seat"] == 0
            core.apply(act.NameSeats(t=core.clock.now(), names=("A", "B", "C", "D")))
            await asked_until(phone, "/api/state", "does not sit")
            async with live(url, phone) as socket:
                assert await closed(socket) == 4403


async def test_players_agree_ask_for_scores_and_call_the_referee(tmp_path: Path) -> None:
    async with table(tmp_path) as (core, url), client(url, token=REFEREE) as referee:
        play(core, [*OPENING, *PLAY])
        await referee.post("/api/pairing", json={"seat": 1})
        async with client(url, code=code_on_display(core)) as phone, client(url) as spectator:
            assert "no win is declared" in (await phone.post("/api/player/agree", json={})).text
            play(core, WIN)
            assert (await phone.post("/api/player/agree", json={})).status_code == 200
            told = await asked_until(spectator, "/api/state", '"passed":[1]')
            assert told.json()["state"]["table"]["hand"]["phase"] == "declared"  # the referee confirms (J107)
            assert (await phone.post("/api/player/call", json={})).status_code == 200
            assert "asked already" in (await phone.post("/api/player/call", json={})).text
            (request,) = (await referee.get("/api/state")).json()["state"]["requests"]
            assert (request["seat"], request["what"]) == (1, "call")
            assert (await spectator.get("/api/state")).json()["state"]["requests"] == []
            assert (await referee.post("/api/referee/answer", json={"id": request["id"]})).status_code == 200
            assert (await referee.get("/api/state")).json()["state"]["requests"] == []
            assert "game 4" in (await phone.post("/api/player/score_query", json={})).text  # J102
            assert (await phone.post("/api/player/agree", json={"seat": 2})).status_code == 422
            assert (await spectator.post("/api/player/call", json={})).status_code == 403


async def test_the_scores_may_be_asked_for_twice_in_the_fourth_game(tmp_path: Path) -> None:
    """J102; the third time is refused."""
    async with table(tmp_path) as (core, url), client(url, token=REFEREE) as referee:
        play(core)
        core.table.game.match = replace(core.table.game.match, game=4)
        await referee.post("/api/pairing", json={"seat": 0})
        async with client(url, code=code_on_display(core)) as phone:
            for left in (1, 0):
                asked = await phone.post("/api/player/score_query", json={})
                assert asked.json()["result"] == {"left": left}
                (request,) = (await referee.get("/api/state")).json()["state"]["requests"]
                told = (await referee.post("/api/referee/answer", json={"id": request["id"]})).json()["result"]
                assert told["left"] == left
                assert told["totals"] == [200, 200, 200, 200]  # this game and the one before
                answers = (await phone.get("/api/state")).json()["state"]["answers"]
                assert answers[-1]["totals"] == told["totals"]
            refused = await phone.post("/api/player/score_query", json={})
            assert (refused.status_code, "2 times already" in refused.text) == (409, True)
            assert (await referee.post("/api/referee/answer", json={"id": 99})).status_code == 409


async def test_the_cookie_is_for_this_page_alone(tmp_path: Path) -> None:
    async with table(tmp_path) as (_, url), client(url) as one:
        answer = await one.post("/api/login", json={"token": REFEREE})
        cookie = answer.headers["set-cookie"]
        assert cookie.startswith(f"{COOKIE}=")
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        assert answer.headers["cache-control"] == "no-store"
