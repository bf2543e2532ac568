"""The web server over real HTTP and WebSocket, against a real link and a real table."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from browser import served
from played import OPENING, PLAY, WIN, PlayedCore, discard
from pydantic import ValidationError
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tablectl.game import actions as act
from tablectl.web.access import COOKIE
from tablectl.web.app import create_app
from tablectl.web.limits import MAX_WRONG
from tablectl.web.settings import Tokens, WebSettings

pytestmark = pytest.mark.real_time

TOKENS = Tokens.model_validate({"referee": "referee-token", "operator": "operator-token"})
OPEN = WebSettings(tokens=TOKENS)
CLOSED = WebSettings(tokens=Tokens.model_validate({"referee": "referee-token", "spectator": "let-me-see"}))


@asynccontextmanager
async def site(tmp_path: Path, settings: WebSettings = OPEN) -> AsyncIterator[tuple[PlayedCore, httpx.AsyncClient]]:
    core = PlayedCore(tmp_path / "core.sock")
    await core.start()
    try:
        async with served(settings, core.path) as url, httpx.AsyncClient(base_url=url) as client:
            yield core, client
    finally:
        await core.stop()


async def log_in(client: httpx.AsyncClient, token: str = "referee-token") -> None:
    answer = await client.post("/api/login", json={"token": token})
    assert answer.status_code == 200, answer.text


def live(client: httpx.AsyncClient, query: str = "", **headers: str) -> Any:
    cookies = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    address = str(client.base_url).replace("http", "ws") + f"/ws{query}"
    return connect(address, additional_headers={"Cookie": cookies, **headers})


async def message(socket: ClientConnection, kind: str) -> dict[str, Any]:
    """The next message of this kind."""
    async with asyncio.timeout(10):
        while True:
            found: dict[str, Any] = json.loads(await socket.recv())
            if found["type"] == kind:
                return found


# --- who may what


async def test_a_token_in_the_address_opens_a_session_and_leaves_the_address(tmp_path: Path) -> None:
    async with site(tmp_path) as (_, client):
        answer = await client.get("/?token=referee-token")
        assert (answer.status_code, answer.headers["location"]) == (303, "/")
        cookie = answer.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        assert "referee-token" not in cookie
        known = {"open": True, "delay_seconds": 0.0, "records": "all", "name": None, "seat": None}
        assert (await client.get("/api/session")).json() == {"role": "referee", **known}
        await client.post("/api/logout")
        assert (await client.get("/api/session")).json() == {"role": "spectator", **known}
        refused = await client.get("/?token=nonsense")
        assert refused.headers["location"] == "/?refused=401"
        assert "set-cookie" not in refused.headers


@pytest.mark.parametrize("forged", ["referee", "1", "%s0", "%s.", "x" * 43, "' OR 1=1 --", "é", "x" * 4000])
async def test_a_forged_session_is_a_spectators(tmp_path: Path, forged: str) -> None:
    async with site(tmp_path) as (_, client):
        await log_in(client)
        value = client.cookies[COOKIE]
        client.cookies.clear()
        forged = forged.replace("%s", value)
        answer = await client.get("/api/session", headers={"Cookie": f"{COOKIE}={forged}".encode()})
        assert answer.json()["role"] == "spectator"


async def test_guessing_is_slowed_down(tmp_path: Path) -> None:
    async with site(tmp_path) as (_, client):
        for _ in range(MAX_WRONG):
            assert (await client.post("/api/login", json={"token": "guess"})).status_code == 401
        answer = await client.post("/api/login", json={"token": "referee-token"})
        assert answer.status_code == 429
        assert "wait a minute" in answer.json()["error"]["message"]


async def test_roles_decide_what_may_be_changed(tmp_path: Path) -> None:
    calls = ["/api/referee/pause", "/api/machine/lift", "/api/match/start", "/api/faults/clear", "/api/sim/fault"]
    bodies = {"/api/faults/clear": {"id": "H02"}, "/api/sim/fault": {"fault": "jam"}}
    async with site(tmp_path) as (core, client):
        core.play(*OPENING)
        for token, allowed in ((None, set()), ("operator-token", set(calls[1:])), ("referee-token", set(calls))):
            if token:
                await log_in(client, token)
            for path in calls:
                answer = await client.post(path, json=bodies.get(path, {}))
                assert answer.status_code == (200 if path in allowed else 403), (token, path, answer.text)
        by = [params["by"] for _, params in core.said]
        assert by == ["operator@127.0.0.1"] * 4 + ["referee@127.0.0.1"] * 5


async def test_nothing_is_shown_without_the_spectators_token_where_there_is_one(tmp_path: Path) -> None:
    async with site(tmp_path, CLOSED) as (core, client):
        core.play(*OPENING)
        for path in ("/api/state", "/api/events", "/api/hands", "/api/hands/1", "/api/faults"):
            answer = await client.get(path)
            assert answer.status_code == 401
            assert "token" in answer.json()["error"]["message"]
        async with live(client) as socket:
            with pytest.raises(ConnectionClosed) as closed:
                await socket.recv()
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 4401
        await log_in(client, "let-me-see")
        assert (await client.get("/api/state")).json()["role"] == "spectator"


async def test_requests_from_other_sites_pages_are_refused(tmp_path: Path) -> None:
    settings = OPEN.model_copy(update={"origins": frozenset({"https://club.example"})})
    async with site(tmp_path, settings) as (core, client):
        core.play(*OPENING)
        await log_in(client)
        own = str(client.base_url)
        for origin, status in (("https://evil.example", 403), ("null", 403), (own, 200), ("https://club.example", 200)):
            answer = await client.post("/api/machine/lift", headers={"Origin": origin})
            assert answer.status_code == status
            if status == 200:
                async with live(client, Origin=origin) as socket:
                    assert (await message(socket, "state"))["role"] == "referee"
            else:
                with pytest.raises(InvalidStatus):
                    async with live(client, Origin=origin):
                        pass


async def test_every_answer_has_the_security_headers_and_the_page_needs_nothing_inline(tmp_path: Path) -> None:
    async with site(tmp_path) as (_, client):
        for path in ("/", "/static/main.js", "/api/state", "/nowhere", "/openapi.json"):
            headers = (await client.get(path)).headers
            policy = headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "frame-ancestors 'none'" in policy
            assert "unsafe" not in policy
            assert headers["x-content-type-options"] == "nosniff"
            assert "server" not in headers
        page = (await client.get("/")).text
        assert "<style" not in page
        assert " style=" not in page
        assert " on" + "click" not in page
        assert "http://" not in page
        assert "https://" not in page
        assert (await client.head("/")).status_code == 200


async def test_bodies_are_limited_also_without_a_length(tmp_path: Path) -> None:
    async def endless() -> AsyncIterator[bytes]:
        for _ in range(100):
            yield b"x" * 1024

    async with site(tmp_path) as (_, client):
        await log_in(client)
        for body in (b"x" * 20_000, endless()):
            answer = await client.post("/api/sim/fault", content=body)
            assert answer.status_code == 413
            assert "larger than 16384 bytes" in answer.json()["error"]["message"]


# --- requests


async def test_state_and_events_by_role(tmp_path: Path) -> None:
    async with site(tmp_path) as (core, client):
        core.play(*OPENING)
        state = (await client.get("/api/state")).json()
        assert state["seq"] == core.table.last_seq
        assert state["state"]["table"]["hand"]["seats"][0]["standing"] is None
        assert len(state["state"]["walls"]) == 4
        events = (await client.get("/api/events", params={"since": 2})).json()
        assert [event["seq"] for event in events["events"]] == list(range(3, core.table.last_seq + 1))
        assert {event["pai"] for event in events["events"] if event["type"] == "tsumo"} == {None}
        await log_in(client)
        state = (await client.get("/api/state")).json()
        assert len(state["state"]["table"]["hand"]["seats"][0]["standing"]) == 14
        assert (await client.get("/api/hands")).json() == {"result": []}
        assert [by for _, _, by in core.looks] == ["referee@127.0.0.1"]


@pytest.mark.parametrize(
    ("path", "body", "status", "words"),
    [
        ("/api/referee/confirm", {"seat": 4, "points": -1}, 422, ["seat: ", "points: "]),
        ("/api/referee/confirn", {}, 404, ["referee.confirn", "did you mean"]),
        ("/api/referee/Confirm", {}, 422, ["do: "]),
        ("/api/referee/confirm", {}, 409, ["win"]),
        ("/api/machine/programme", {}, 404, ["machine.programme", "did you mean"]),
        ("/api/match/start", {"names": ["a", "b"]}, 422, ["names"]),
    ],
)
async def test_wrong_requests_are_explained(
    tmp_path: Path, path: str, body: dict[str, Any], status: int, words: list[str]
) -> None:
    async with site(tmp_path) as (core, client):
        core.play(*OPENING)
        await log_in(client)
        answer = await client.post(path, json=body)
        assert answer.status_code == status, answer.text
        for word in words:
            assert word in answer.json()["error"]["message"]


async def test_without_a_core_everything_says_so(tmp_path: Path) -> None:
    async with served(OPEN, tmp_path / "core.sock") as url, httpx.AsyncClient(base_url=url) as client:
        answer = await client.get("/api/state")
        assert answer.status_code == 503
        assert "the core does not answer" in answer.json()["error"]["message"]
        assert (await client.get("/")).status_code == 200
        async with live(client) as socket:
            tick = await message(socket, "tick")
            assert (tick["connected"], tick["age"]) == (False, None)
            assert "core.sock" in tick["trouble"]


def test_the_openapi_document_is_valid_and_complete(tmp_path: Path) -> None:
    document = create_app(OPEN, tmp_path / "core.sock").openapi()
    assert document["openapi"].startswith("3.")
    paths = {
        *("session", "login", "logout", "password", "pairing", "health", "state", "events", "methods", "faults"),
        *("hands", "hands/{number}", "hands/{number}/playback", "hands/{number}/page", "sheet", "stats"),
        *("hands/{number}/export", "sheet.csv"),
        *("referee/{do}", "machine/{do}", "match/{do}", "player/{do}", "faults/clear", "sim/fault"),
        *("accounts", "accounts/{name}", "accounts/{name}/password", "accounts/{name}/unlock"),
        *("sessions", "sessions/{number}", "access"),
    }
    assert set(document["paths"]) == {f"/api/{path}" for path in paths}
    names = set(document["components"]["schemas"])
    references = {part.split('"')[0] for part in json.dumps(document).split("#/components/schemas/")[1:]}
    assert references <= names
    operations = [method for path in document["paths"].values() for method in path.values()]
    assert all(operation.get("description") for operation in operations)
    assert len({operation["operationId"] for operation in operations}) == len(operations)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"tokens": {"referee": "short"}}, "too short"),
        ({"tokens": {"referee": "same-token", "spectator": "same-token"}}, "same token"),
        ({"certificate": "a.pem"}, "both 'certificate' and 'key'"),
        ({"prot": 80}, "prot"),
        ({"port": 70000}, "port"),
    ],
)
def test_settings_are_checked(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        WebSettings.model_validate(settings)


# --- the live view


async def test_the_whole_state_then_what_changes(tmp_path: Path) -> None:
    async with site(tmp_path) as (core, client):
        core.play(*OPENING)
        async with live(client) as socket:
            whole = await message(socket, "state")
            assert whole["role"] == "spectator"
            assert whole["age"] < 5
            assert whole["t"] == pytest.approx(asyncio.get_running_loop().time(), abs=2)
            assert set(whole["state"]) >= {"table", "walls", "machine", "faults", "display", "sim"}
            assert [event["seq"] for event in whole["events"]] == list(range(1, core.table.last_seq + 1))
            core.play(discard(0, "N"))
            update = await message(socket, "update")
            assert [event["type"] for event in update["events"]] == ["dahai"]
            assert set(update["state"]) == {"table"}
            assert update["state"]["table"]["hand"]["seats"][0]["river"] == [{"tile": "N", "claimed_by": None}]
            core.machine = {**core.machine, "state": "ready"}
            core.touch("machine")
            update = await message(socket, "update")
            assert (update["events"], list(update["state"])) == ([], ["machine"])
            tick = await message(socket, "tick")
            assert tick["connected"] is True
            assert tick["age"] < 5


async def test_a_page_that_comes_back_gets_only_what_it_missed(tmp_path: Path) -> None:
    async with site(tmp_path) as (core, client):
        core.play(*OPENING)
        async with live(client) as socket:
            seq = (await message(socket, "state"))["seq"]
        core.play(*PLAY)
        async with asyncio.timeout(10):  # the page hears of what was played when it was played
            while (await client.get("/api/state")).json()["seq"] < core.table.last_seq:
                pass
        async with live(client, f"?since={seq}") as socket:
            whole = await message(socket, "state")
            assert [event["seq"] for event in whole["events"]] == list(range(seq + 1, core.table.last_seq + 1))
            assert whole["gap"] is False
        async with live(client, f"?since={core.table.last_seq + 50}") as socket:
            assert (await message(socket, "state"))["gap"] is True  # another journal: the page must forget


async def test_a_core_that_comes_back_is_told_as_a_whole(tmp_path: Path) -> None:
    async with site(tmp_path) as (core, client):
        core.play(*OPENING)
        async with live(client) as socket:
            seq = (await message(socket, "state"))["seq"]
            await core.stop()
            async with asyncio.timeout(10):
                while (await message(socket, "tick"))["connected"]:
                    pass
            core.play(*PLAY)
            await core.start()
            whole = await message(socket, "state")
            assert whole["seq"] == core.table.last_seq
            assert [event["seq"] for event in whole["events"]] == list(range(seq + 1, core.table.last_seq + 1))


async def test_one_subscription_serves_all_pages_of_a_role_and_ends_with_the_last(tmp_path: Path) -> None:
    async with site(tmp_path) as (core, client):
        core.play(*OPENING)
        await log_in(client)
        async with live(client) as first, live(client) as second:
            for socket in (first, second):
                await message(socket, "state")
            assert [by for _, _, by in core.looks].count("referee@127.0.0.1") == 2
            assert core.link is not None
            assert core.link.clients == 2  # one for staff, one for everybody else
            channels = core.link._channels._channels
            told = {role.value: len(channel.subscribers) for (role, _), channel in channels.items()}
            assert told == {"referee": 1, "spectator": 1}
        async with asyncio.timeout(10):
            while len(core.link._channels._channels) > 1:  # noqa: ASYNC110 - the pages' leaving has no event here
                await asyncio.sleep(0.01)


async def test_too_many_pages_are_turned_away(tmp_path: Path) -> None:
    async with site(tmp_path, OPEN.model_copy(update={"max_pages": 1})) as (_, client), live(client) as first:
        await message(first, "state")
        async with live(client) as second:
            with pytest.raises(ConnectionClosed) as closed:
                await second.recv()
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 4429


async def test_a_page_that_falls_behind_gets_the_whole_state_once(tmp_path: Path) -> None:
    async with site(tmp_path) as (core, client):
        core.play(*OPENING)
        async with live(client) as socket:
            seen = [event["seq"] for event in (await message(socket, "state"))["events"]]
            for action in (*PLAY, *WIN, act.Rule(t=0, do="confirm", by="r")):
                core.play(action)
                assert core.link is not None
                core.link._channels._flush()  # an update for each action, faster than any page reads
            seq = 0
            async with asyncio.timeout(10):
                while seq < core.table.last_seq:
                    news = json.loads(await socket.recv())
                    seq = news.get("seq", seq)
                    seen += [event["seq"] for event in news.get("events", []) if event["seq"] > seen[-1]]
            hidden = {n for n, event in enumerate(core.table.events, 1) if event.type == "alert"}
            assert seen == [n for n in range(1, core.table.last_seq + 1) if n not in hidden]


async def test_what_a_page_says_is_ignored_and_too_much_of_it_ends_it(tmp_path: Path) -> None:
    async with site(tmp_path) as (_, client), live(client) as socket:
        await message(socket, "state")
        await socket.send("hello")
        await message(socket, "tick")
        await socket.send("x" * 10_000)
        await socket.wait_closed()
        assert socket.close_code == 1009
