"""What a program on the socket might try: the core sees a closed client, nothing more."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tablectl.link.connection import Limits
from tablectl.link.server import Link

pytestmark = pytest.mark.real_time

#: seconds that another client waits for its answer at the most, on a busy machine
PATIENCE_S = 1.0


@asynccontextmanager
async def listening(tmp_path: Path, **limits: Any) -> AsyncIterator[Link]:
    link = Link(tmp_path / "core.sock", redact=lambda event, role, seat: event, limits=Limits(**limits))
    await link.start()
    try:
        yield link
    finally:
        await link.stop()


@asynccontextmanager
async def peer(link: Link) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    reader, writer = await asyncio.open_unix_connection(link.path, limit=2**22)
    try:
        yield reader, writer
    finally:
        writer.close()
        await asyncio.gather(writer.wait_closed(), return_exceptions=True)


async def ask(streams: tuple[asyncio.StreamReader, asyncio.StreamWriter], line: bytes) -> dict[str, Any]:
    reader, writer = streams
    writer.write(line + b"\n")
    answer: dict[str, Any] = json.loads(await reader.readline())
    return answer


def request(method: str = "rpc.ping", **params: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()


async def still_serves(link: Link) -> float:
    """Seconds until somebody else has his answer."""
    begun = asyncio.get_running_loop().time()
    async with asyncio.timeout(PATIENCE_S), peer(link) as other:
        assert "result" in await ask(other, request())
    return asyncio.get_running_loop().time() - begun


async def until_closed(reader: asyncio.StreamReader) -> None:
    async with asyncio.timeout(20):
        try:
            while await reader.read(2**16):
                pass
        except ConnectionError:
            return


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\x00\xff\xfe",
        b"{",
        b"[]",
        b"[[[[" * 10_000,
        b'{"a":' * 10_000,
        b'"\\ud800"',
        b'{"jsonrpc": "2.0", "method": "rpc.ping", "params": {"x": "\\udfff"}}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "rpc.ping", "params": {"x": NaN}}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "rpc.ping", "params": {"x": 1e999}}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "rpc.ping", "params": {"x": ' + b"9" * 5000 + b"}}",
        b'{"jsonrpc": "2.0", "id": {}, "method": "rpc.ping"}',
        b'{"jsonrpc": "2.0", "id": 1, "method": ["rpc.ping"]}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "rpc.ping", "params": [1]}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "rpc.__init__"}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "state.get", "params": {"role": {"$ne": null}}}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "events.since", "params": {"role": "spectator", "seq": -1}}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "events.since", "params": {"role": "spectator", "seq": "1; DROP"}}',
    ],
)
async def test_a_strange_line_gets_an_error_and_the_connection_stays(tmp_path: Path, line: bytes) -> None:
    async with listening(tmp_path) as link, peer(link) as streams:
        if line:
            assert "error" in await ask(streams, line)
        else:
            streams[1].write(b"\n\n\n")
        assert "result" in await ask(streams, request())


async def test_a_giant_line_ends_its_connection(tmp_path: Path) -> None:
    async with listening(tmp_path) as link, peer(link) as (reader, writer):
        writer.write(b"x" * 500_000)
        assert b"longer than 65536 bytes" in await reader.readline()
        await until_closed(reader)
        await still_serves(link)


async def test_a_line_that_never_ends_does_not_fill_the_memory(tmp_path: Path) -> None:
    async with listening(tmp_path) as link, peer(link) as (reader, writer):

        async def send_on() -> None:
            for _ in range(2000):
                writer.write(b"x" * 2**16)  # 128 MB, were it read
                await writer.drain()

        sending = asyncio.ensure_future(send_on())
        await until_closed(reader)
        await asyncio.gather(sending, return_exceptions=True)
        await still_serves(link)


@pytest.mark.parametrize("line", [request(), request("no.such.method"), b"nonsense"])
async def test_who_asks_without_end_is_sent_away_and_others_are_served_meanwhile(tmp_path: Path, line: bytes) -> None:
    async with listening(tmp_path) as link, peer(link) as (reader, writer):

        async def flood() -> None:
            for _ in range(500):
                writer.write((line + b"\n") * 100)
                await writer.drain()

        flooding = asyncio.ensure_future(flood())
        await still_serves(link)
        await until_closed(reader)
        await asyncio.gather(flooding, return_exceptions=True)
        await still_serves(link)


async def test_idle_connections_are_counted_and_the_ones_that_are_there_stay(tmp_path: Path) -> None:
    async with listening(tmp_path, clients=8) as link, peer(link) as first:
        assert "result" in await ask(first, request())
        opened = [await asyncio.open_unix_connection(link.path) for _ in range(40)]
        try:
            refused = [await reader.readline() for reader, _ in opened[7:]]
            assert all(b"has its 8 clients already" in line for line in refused)
            assert "result" in await ask(first, request())
        finally:
            for _, writer in opened:
                writer.close()
            await asyncio.gather(*(writer.wait_closed() for _, writer in opened), return_exceptions=True)
