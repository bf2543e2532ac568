"""What somebody on the network might try, and what happens (docs/security.md has the table)."""

from __future__ import annotations

import asyncio
import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from console_table import ADMIN, OPERATOR, REFEREE, client, play, table
from played import OPENING
from websockets.asyncio.client import connect

from tablectl.game import actions as act
from tablectl.web import connections, guard
from tablectl.web.access import COOKIE
from tablectl.web.settings import WebSettings
from tablectl.web.store import MAX_WRONG

pytestmark = pytest.mark.real_time

#: another machine, as seen from here
EVIL = "127.0.0.2"
HOSTILE = "</script><img src=x onerror=alert(1)>"


def place(url: str) -> tuple[str, int]:
    host, port = url.removeprefix("http://").split(":")
    return host, int(port)


async def raw(url: str, request: bytes, address: str = "127.0.0.1") -> bytes:
    """What a socket answers to these bytes, until it is closed."""
    reader, writer = await asyncio.open_connection(*place(url), local_addr=(address, 0))
    writer.write(request)
    answer = b""
    with contextlib.suppress(ConnectionError):
        async with asyncio.timeout(20):
            answer = await reader.read()
    writer.close()
    await asyncio.gather(writer.wait_closed(), return_exceptions=True)
    return answer


def alive(reader: asyncio.StreamReader) -> bool:
    return not reader.at_eof() and reader.exception() is None


def files(folder: Path) -> bytes:
    """The accounts as they lie on the disk."""
    return b"".join(file.read_bytes() for file in folder.glob("accounts.sqlite*"))


def get(path: str, *headers: str) -> bytes:
    return "\r\n".join([f"GET {path} HTTP/1.1", "Host: table", "Connection: close", *headers, "", ""]).encode()


# --- pretending to be somebody


async def test_an_account_locks_against_guesses_from_many_places(tmp_path: Path) -> None:
    async with table(tmp_path) as (_, url):
        body = json.dumps({"name": ADMIN["name"], "password": "a wrong guess"})
        post = "POST /api/login HTTP/1.1\r\nHost: t\r\nConnection: close\r\nContent-Type: application/json\r\n"
        request = f"{post}Content-Length: {len(body)}\r\n\r\n{body}".encode()
        answers = [await raw(url, request, f"127.0.1.{n // 4 + 1}") for n in range(MAX_WRONG + 1)]
        assert [answer.split()[1] for answer in answers] == [b"401"] * MAX_WRONG + [b"423"]
        async with client(url) as owner:
            right = await owner.post("/api/login", json=ADMIN)
            assert right.status_code == 423
            assert (await owner.post("/api/login", json={"token": REFEREE})).status_code == 200  # the links still open


async def test_a_session_that_was_ended_cannot_be_replayed(tmp_path: Path) -> None:
    async with table(tmp_path) as (_, url), client(url, token=REFEREE) as referee, client(url) as thief:
        stolen = referee.cookies[COOKIE]
        await referee.post("/api/logout")
        thief.cookies.set(COOKIE, stolen)
        assert (await thief.get("/api/session")).json()["role"] == "spectator"
        assert (await thief.post("/api/referee/pause", json={})).status_code == 403


async def test_the_database_of_sessions_opens_nothing(tmp_path: Path) -> None:
    async with table(tmp_path) as (_, url), client(url, token=REFEREE) as referee:
        kept = await asyncio.to_thread(files, tmp_path)
        for secret in (referee.cookies[COOKIE], REFEREE, ADMIN["password"]):
            assert secret.encode() not in kept


async def test_names_and_passwords_are_told_apart_neither_by_words_nor_by_status(tmp_path: Path) -> None:
    async with table(tmp_path) as (_, url), client(url) as one:
        unknown = await one.post("/api/login", json={"name": "Nobody", "password": "correct horse"})
        wrong = await one.post("/api/login", json={"name": ADMIN["name"], "password": "incorrect horse"})
        assert (unknown.status_code, unknown.json()) == (wrong.status_code, wrong.json())


# --- other sites


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "https://evil.example", "Content-Type": "application/json"}, 403),
        ({"Origin": "null", "Content-Type": "application/json"}, 403),
        ({"Sec-Fetch-Site": "cross-site", "Content-Type": "application/json"}, 403),
        ({"Content-Type": "text/plain"}, 415),
        ({"Content-Type": "application/x-www-form-urlencoded"}, 415),
        ({}, 415),
    ],
)
async def test_another_sites_form_does_nothing(tmp_path: Path, headers: dict[str, str], status: int) -> None:
    async with table(tmp_path) as (core, url), client(url, token=REFEREE) as referee:
        play(core)
        before = core.table.last_seq
        answer = await referee.post("/api/referee/pause", content=b"{}", headers=headers)
        assert answer.status_code == status
        assert core.table.last_seq == before


async def test_another_name_for_this_machine_is_refused_where_the_site_names_it(tmp_path: Path) -> None:
    async with table(tmp_path, hosts=["table.club"]) as (_, url):
        assert b" 421 " in (await raw(url, get("/api/state").replace(b"Host: table", b"Host: evil.example")))
        assert b" 421 " not in (await raw(url, get("/api/state").replace(b"Host: table", b"Host: table.club")))


# --- files


@pytest.mark.parametrize(
    "path",
    [
        "/static/../settings.py",
        "/static/%2e%2e/settings.py",
        "/static/..%2fsettings.py",
        "/static/....//settings.py",
        "/static//etc/passwd",
        "/static/%00",
        "/../../../../etc/passwd",
        "/api/hands/..%2f..%2fetc%2fpasswd",
        "/static/",
        "/accounts.sqlite",
    ],
)
async def test_no_path_leads_out_of_the_pages_files(tmp_path: Path, path: str) -> None:
    async with table(tmp_path) as (_, url):
        answer = await raw(url, get(path))
        assert answer.split()[1] in (b"404", b"422", b"400", b"405"), answer
        assert b"root:" not in answer
        assert b"WebSettings" not in answer


# --- too much, too slow


@pytest.mark.parametrize(
    "body",
    [b"[" * 16_000, b'{"id": "' + b"\\ud800" + b'"}', b"\xff\xfe", b'{"id": 1e999}', b'{"id":' + b"9" * 9000 + b"}"],
)
async def test_strange_bodies_are_refused(tmp_path: Path, body: bytes) -> None:
    async with table(tmp_path) as (core, url), client(url, token=REFEREE) as referee:
        play(core)
        for path in ("/api/faults/clear", "/api/referee/correct", "/api/sim/fault", "/api/match/seats"):
            answer = await referee.post(path, content=body, headers={"Content-Type": "application/json"})
            assert answer.status_code in (400, 422), (path, answer.status_code, answer.text)


async def test_a_ruling_with_half_a_character_is_not_in_the_record(tmp_path: Path) -> None:
    async with table(tmp_path) as (core, url), client(url, token=REFEREE) as referee:
        play(core)
        before = core.table.last_seq
        for text in ('{"seat": 1, "reason": "\\ud800"}', '{"seat": 1, "event": {"t": 1e999, "type": "dahai"}}'):
            answer = await referee.post(
                "/api/referee/warning", content=text, headers={"Content-Type": "application/json"}
            )
            assert answer.status_code == 422, answer.text
        assert core.table.last_seq == before == core.journal.last


async def test_a_body_that_drips_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "BODY_SECONDS", 0.2)
    async with table(tmp_path) as (_, url):
        head = "POST /api/login HTTP/1.1\r\nHost: t\r\nContent-Type: application/json\r\nContent-Length: 100"
        reader, writer = await asyncio.open_connection(*place(url))
        writer.write(f"{head}\r\n\r\n{{".encode())
        async with asyncio.timeout(20):
            assert b" 408 " in await reader.readline()
        writer.close()
        await asyncio.gather(writer.wait_closed(), return_exceptions=True)


async def test_two_thousand_sockets_of_one_address_keep_nobody_out(tmp_path: Path) -> None:
    async with table(tmp_path, max_connections_per_address=20) as (core, url), client(url, token=REFEREE) as referee:
        play(core)
        opened = []
        for _ in range(20):
            opened += await asyncio.gather(
                *(asyncio.open_connection(*place(url), local_addr=(EVIL, 0)) for _ in range(100)),
                return_exceptions=True,
            )
        assert (await referee.post("/api/referee/pause", json={})).status_code == 200
        streams = [one for one in opened if not isinstance(one, BaseException)]
        async with asyncio.timeout(30):
            while sum(alive(reader) for reader, _ in streams) > 20:  # noqa: ASYNC110 - no event for all of them
                await asyncio.sleep(0.02)
        for _, writer in streams:
            writer.close()
        await asyncio.gather(*(writer.wait_closed() for _, writer in streams), return_exceptions=True)


async def test_sockets_that_say_nothing_are_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.2)
    async with table(tmp_path) as (_, url):
        for silent in (b"", b"GET /api/state HTTP/1.1\r\nX-Slow: "):
            assert await raw(url, silent) == b""


async def test_a_head_without_an_end_is_refused(tmp_path: Path) -> None:
    async with table(tmp_path) as (_, url):
        answer = await raw(url, b"GET / HTTP/1.1\r\n" + b"X-More: xxxxxxxxxxxxxxxxxxxxxxxx\r\n" * 10_000)
        assert answer.split()[1:2] in ([b"400"], [])


async def test_requests_beyond_the_rate_are_refused_for_that_address_alone(tmp_path: Path) -> None:
    async with table(tmp_path, requests_per_second=5, burst=20) as (core, url):
        play(core)
        flood = b"GET /api/state HTTP/1.1\r\nHost: t\r\n\r\n" * 300 + get("/api/session")
        answers = await raw(url, flood, EVIL)
        assert answers.count(b"HTTP/1.1 429") > 270
        assert b"retry-after: 1" in answers
        async with client(url, token=REFEREE) as referee:
            assert (await referee.post("/api/referee/pause", json={})).status_code == 200


async def test_a_crowd_that_asks_does_not_keep_the_referee_from_ruling(tmp_path: Path) -> None:
    async with (
        table(tmp_path, max_connections_per_address=300) as (core, url),
        client(url, token=REFEREE) as referee,
        client(url) as crowd,
    ):
        play(core)

        async def ask() -> int:
            return (await crowd.get("/api/hands")).status_code

        asking = [asyncio.ensure_future(ask()) for _ in range(150)]
        for do in ("pause", "resume", "pause"):
            assert (await referee.post(f"/api/referee/{do}", json={})).status_code == 200
        assert set(await asyncio.gather(*asking)) <= {200, 429}


# --- the live view


def socket_of(url: str, path: str = "/ws", cookie: str = "", **more: Any) -> Any:
    headers = {"Cookie": f"{COOKIE}={cookie}"} if cookie else {}
    return connect(url.replace("http", "ws") + path, additional_headers=headers, **more)


async def test_a_client_that_talks_is_sent_away(tmp_path: Path) -> None:
    async with table(tmp_path) as (_, url), socket_of(url) as chatter, socket_of(url) as listener:
        with contextlib.suppress(Exception):
            for _ in range(5000):
                await chatter.send("x" * 100)
        async with asyncio.timeout(20):
            await chatter.wait_closed()
        assert chatter.close_code == 1008
        async with asyncio.timeout(20):
            assert json.loads(await listener.recv())["type"] in ("state", "tick")


async def test_pages_of_one_address_are_limited(tmp_path: Path) -> None:
    async with table(tmp_path, max_pages_per_address=2) as (_, url):
        async with socket_of(url) as first, socket_of(url) as second, socket_of(url) as third:
            await asyncio.gather(first.recv(), second.recv())
            async with asyncio.timeout(20):
                await third.wait_closed()
            assert third.close_code == 4429
        async with socket_of(url, local_addr=(EVIL, 0)) as other:
            await other.recv()


@pytest.mark.parametrize("protocol", [connections.Live, connections.careful(WebSettings())])
async def test_a_client_that_reads_nothing_is_dropped(protocol: type, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bytes that nobody takes fill the buffers of both ends; then the connection goes with all that waits in it."""
    monkeypatch.setattr(connections, "READ_SECONDS", 0.05)
    gone = asyncio.Event()

    class Server(connections.Impatient):
        def connection_made(self, transport: Any) -> None:
            self.loop, self.transport = asyncio.get_running_loop(), transport
            transport.write(b"x" * 2**25)

        def connection_lost(self, error: Exception | None) -> None:
            super().connection_lost(error)
            gone.set()

    assert issubclass(protocol, connections.Impatient)
    listening = await asyncio.get_running_loop().create_server(Server, "127.0.0.1", 0)
    _, writer = await asyncio.open_connection(*listening.sockets[0].getsockname(), limit=1024)
    async with asyncio.timeout(20):
        await gone.wait()
    writer.transport.abort()
    listening.close()
    await listening.wait_closed()


# --- words


async def test_a_script_in_a_name_is_a_name(tmp_path: Path) -> None:
    names = [HOSTILE[:40], "<b>Li</b>", "'; DROP TABLE accounts;--", "=cmd|' /C calc'!A0"]
    async with table(tmp_path) as (core, url), client(url, token=OPERATOR) as operator:
        assert (await operator.post("/api/match/start", json={"names": names})).status_code == 200
        assert core.table.game.names == tuple(names)
        play(core, OPENING[1:])
        play(core, [act.Rule(t=0, do="draw_hand", by="r", reason=HOSTILE)])
        page = (await operator.get("/sheet")).text
        assert "<img" not in page
        assert "<b>Li" not in page
        assert "&lt;b&gt;Li" in page
        saved = (await operator.get("/api/hands/1/page")).text
        assert "<img" not in saved
        assert saved.count("</script>") == saved.count("<script")
        answer = await operator.get("/api/state")
        assert answer.headers["content-type"] == "application/json"
        assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("method", ["TRACE", "PUT", "PATCH", "CONNECT", "DELETE", "BREW", "x" * 100])
async def test_unknown_methods_are_refused(tmp_path: Path, method: str) -> None:
    async with table(tmp_path) as (_, url):
        answer = await raw(url, get("/api/state").replace(b"GET", method.encode()))
        assert answer.split()[1] in (b"405", b"400", b"404")
