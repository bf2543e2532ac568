"""Messages that a crowd shares: framed and packed once, read by every kind of client; and clients that read slowly."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from browser import served
from played import OPENING, PLAY, PlayedCore
from websockets.asyncio.client import connect
from websockets.extensions.permessage_deflate import ClientPerMessageDeflateFactory, PerMessageDeflate
from websockets.frames import Frame

from tablectl.web.hub import TICK_SECONDS
from tablectl.web.page import CLOSE_LOG_IN, Page, PageEnded
from tablectl.web.settings import WebSettings
from tablectl.web.wire import Message, unpacks


@pytest.mark.real_time
async def test_all_kinds_of_clients_read_the_same(tmp_path: Path) -> None:
    """One that cannot unpack, one as browsers are, one that unpacks less than the server packs."""
    core = PlayedCore(tmp_path / "core.sock")
    await core.start()
    core.play(*OPENING)
    small = [ClientPerMessageDeflateFactory(server_max_window_bits=9)]
    kinds: tuple[dict[str, Any], ...] = ({"compression": None}, {}, {"compression": None, "extensions": small})
    async with served(WebSettings(), core.path) as url:
        address = url.replace("http", "ws") + "/ws"
        sockets = [await connect(address, **kind) for kind in kinds]
        assert [len(socket.protocol.extensions) for socket in sockets] == [0, 1, 1]
        told: list[list[str]] = []
        for socket in sockets:
            while json.loads(await socket.recv())["type"] != "state":
                pass
        for action in PLAY[:6]:
            core.play(action)
        for socket in sockets:
            told.append([])
            async with asyncio.timeout(20):
                while len(told[-1]) == 0 or json.loads(told[-1][-1])["seq"] < core.table.last_seq:
                    message = str(await socket.recv())
                    told[-1] += [message] if '"update"' in message[:20] else []
        assert told[0] == told[1] == told[2]
        for socket in sockets:
            await socket.close()
    await core.stop()


def test_who_unpacks_less_than_the_server_packs_gets_it_plain() -> None:
    assert [unpacks([PerMessageDeflate(False, True, 12, bits)]) for bits in (9, 11, 12, 15)] == [
        False,
        False,
        True,
        True,
    ]
    assert not unpacks([])


def test_a_packed_message_is_smaller_and_stands_for_itself() -> None:
    message = Message(json.dumps({"type": "update", "tiles": ["1m", "2m"] * 400}))
    assert len(message.packed) < len(message.plain) / 10
    for _ in range(2):  # what one client has read before changes nothing
        unpacker = PerMessageDeflate(True, False, 12, 12)
        frames = [parsed(message.packed), parsed(message.packed)]
        assert [unpacker.decode(frame).data for frame in frames] == [message.text.encode()] * 2
    tick = Message('{"type":"tick"}')
    assert tick.packed == tick.plain


def parsed(data: bytes) -> Any:
    """The frame in these bytes, as it is on the wire."""
    length, start = (data[1], 2) if data[1] < 126 else (int.from_bytes(data[2:4], "big"), 4)
    assert len(data) == start + length
    return Frame(data[0] & 0x0F, data[start:], rsv1=bool(data[0] & 0x40))


class Slow:
    """A client that takes only as much as a test lets it."""

    def __init__(self) -> None:
        self.took: list[str] = []
        self.takes = asyncio.Event()

    def tell(self, message: Message) -> bool:
        if self.takes.is_set():
            self.took.append(message.text)
        return self.takes.is_set()

    async def ready(self) -> None:
        await self.takes.wait()


async def test_a_page_that_is_behind_gets_the_whole_state_when_it_reads_again() -> None:
    client = Slow()
    page = Page(client, since=3)
    client.takes.set()
    await page.wanted()
    page.add(Message("update 4"), 4)  # nothing before the whole state
    page.whole(Message("whole 4"), 4)
    page.add(Message("update 5"), 5)
    client.takes.clear()
    page.add(Message("update 6"), 6)
    page.add(Message("update 7"), 7)
    assert (page.behind, page.since) == (True, 5)
    waiting = asyncio.ensure_future(page.wanted())
    await asyncio.sleep(TICK_SECONDS)
    page.tick(Message("tick"))
    assert not waiting.done()
    client.takes.set()
    page.add(Message("update 8"), 8)  # it reads again, but the whole state has not been told
    await waiting
    page.whole(Message("whole 8"), 8)
    page.add(Message("update 9"), 9)
    assert client.took == ["whole 4", "update 5", "whole 8", "update 9"]
    assert page.since == 9


async def test_nothing_reaches_a_page_whose_session_ended() -> None:
    client, sessions = Slow(), {7}
    client.takes.set()
    page = Page(client, since=None, valid=lambda: 7 in sessions)
    await page.wanted()
    page.whole(Message("whole"), 1)
    sessions.clear()
    for tell in (lambda: page.add(Message("update"), 2), lambda: page.tick(Message("tick"))):
        tell()
    page.whole(Message("whole"), 2)
    assert client.took == ["whole"]
    with pytest.raises(PageEnded) as ended:
        await page.wanted()
    assert ended.value.code == CLOSE_LOG_IN
