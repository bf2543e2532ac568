"""The link over a real Unix socket: requests, errors, limits."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
import stat
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tablectl.game.events import Event, TileDiscarded, TileDrawn
from tablectl.game.views import Role
from tablectl.link.connection import Client, Limits
from tablectl.link.protocol import (
    BUSY,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    REFUSED,
    RpcError,
)
from tablectl.link.server import Link
from tablectl.link.socketfile import LinkError
from tablectl.tiles.tile import Tile


def hide_draws(event: Event, role: Role, seat: int | None) -> Event | None:
    """What `game.views.redact` does to a draw; deaths of hands are nobody's business here."""
    if isinstance(event, TileDrawn) and role is not Role.REFEREE and event.actor != seat:
        return TileDrawn(actor=event.actor, pai=None)
    return event if event.type != "dead_hand" else None


class Peer:
    """A raw client: what it sends and gets is lines."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    def write(self, data: bytes) -> None:
        self.writer.write(data)

    async def read(self) -> Any:
        async with asyncio.timeout(5):
            line = await self.reader.readline()
        return json.loads(line) if line else None

    async def call(self, method: str, **params: Any) -> Any:
        self.write(json.dumps({"jsonrpc": "2.0", "id": "x", "method": method, "params": params}).encode() + b"\n")
        return await self.read()


@asynccontextmanager
async def linked(tmp_path: Path, **options: Any) -> AsyncIterator[tuple[Link, Callable[[], Awaitable[Peer]]]]:
    link = Link(tmp_path / "core.sock", redact=hide_draws, **options)
    writers: list[asyncio.StreamWriter] = []

    async def connect() -> Peer:
        reader, writer = await asyncio.open_unix_connection(link.path, limit=1 << 24)
        writers.append(writer)
        return Peer(reader, writer)

    await link.start()
    try:
        yield link, connect
    finally:
        await link.stop()
        for writer in writers:
            writer.close()
            await asyncio.gather(writer.wait_closed(), return_exceptions=True)


def error_of(message: Any, code: int, *words: str) -> Any:
    """The error of a reply, checked; its id is returned."""
    assert message["jsonrpc"] == "2.0"
    assert "result" not in message
    assert message["error"]["code"] == code, message
    for word in words:
        assert word in message["error"]["message"]
    return message["id"]


@pytest.mark.parametrize(
    ("line", "code", "word", "call_id"),
    [
        (b'{"jsonrpc": "2.0", "id": 1, "meth\n', PARSE_ERROR, "not JSON", None),
        (b"\xff\xfe\n", PARSE_ERROR, "not JSON", None),
        (b"[" * 20000 + b"\n", PARSE_ERROR, "not JSON", None),
        (b"[]\n", INVALID_REQUEST, "no batches", None),
        (b'{"id": 7, "method": "rpc.ping"}\n', INVALID_REQUEST, "jsonrpc", 7),
        (b'{"jsonrpc": "2.0", "id": 7, "method": 3}\n', INVALID_REQUEST, "'method'", 7),
        (b'{"jsonrpc": "2.0", "id": 7, "method": "rpc.ping", "params": [1]}\n', INVALID_REQUEST, "by name", 7),
        (b'{"jsonrpc": "2.0", "id": true, "method": "rpc.ping"}\n', INVALID_REQUEST, "'id'", None),
        (b'{"jsonrpc": "2.0", "id": "a", "method": "state.gte"}\n', METHOD_NOT_FOUND, "did you mean 'state.get'?", "a"),
        (b'{"jsonrpc": "2.0", "id": "a", "method": "qq"}\n', METHOD_NOT_FOUND, "known: events.since", "a"),
    ],
)
async def test_a_bad_request_is_told_why_and_the_connection_lives(
    tmp_path: Path, line: bytes, code: int, word: str, call_id: object
) -> None:
    async with linked(tmp_path) as (_, connect):
        peer = await connect()
        peer.write(line)
        assert error_of(await peer.read(), code, word) == call_id
        assert (await peer.call("rpc.ping"))["result"]["seq"] == 0


async def test_a_giant_line_ends_the_connection_with_a_reason(tmp_path: Path) -> None:
    async with linked(tmp_path, limits=Limits(line_bytes=1000)) as (_, connect):
        giant, other = await connect(), await connect()
        giant.write(b'{"jsonrpc":"2.0","id":1,"method":"rpc.ping","params":{"x":"' + b"x" * 100_000)
        error_of(await giant.read(), INVALID_REQUEST, "longer than 1000 bytes")
        with pytest.raises((ConnectionError, AssertionError)):
            assert await giant.read() is not None
        assert "result" in await other.call("rpc.ping")


async def test_a_request_cut_off_by_the_end_of_the_connection_is_not_carried_out(tmp_path: Path) -> None:
    done: list[str] = []
    async with linked(tmp_path) as (link, connect):
        link.method("machine.lift", lambda params, _: done.append(params["by"]))
        peer, other = await connect(), await connect()
        peer.write(b'{"jsonrpc":"2.0","id":1,"method":"machine.lift","params":{"by":"an')
        peer.writer.write_eof()
        error_of(await peer.read(), PARSE_ERROR)
        assert await peer.read() is None
        assert "result" in await other.call("rpc.ping")
    assert done == []


async def test_a_change_needs_an_actor(tmp_path: Path) -> None:
    done: list[str] = []
    async with linked(tmp_path) as (link, connect):
        link.method("referee.confirm", lambda params, _: done.append(params["by"]))
        peer = await connect()
        for by in ({}, {"by": ""}, {"by": "  "}, {"by": 3}, {"by": "x" * 121}):
            error_of(await peer.call("referee.confirm", **by), INVALID_PARAMS, "'by'", "who")
        assert done == []
        assert (await peer.call("referee.confirm", by="referee 2"))["result"] is None
        assert done == ["referee 2"]


async def test_handlers_may_wait_and_others_are_answered_meanwhile(tmp_path: Path) -> None:
    lifted = asyncio.Event()

    async def lift(params: dict[str, Any], client: Client) -> str:
        await lifted.wait()
        return f"lifted by {params['by']}"

    async with linked(tmp_path) as (link, connect):
        link.method("machine.lift", lift)
        link.method("machine.stop", lambda params, _: lifted.set())
        peer = await connect()
        peer.write(b'{"jsonrpc":"2.0","id":1,"method":"machine.lift","params":{"by":"an"}}\n')
        peer.write(b'{"jsonrpc":"2.0","id":2,"method":"machine.stop","params":{"by":"an"}}\n')
        replies = [await peer.read(), await peer.read()]
    assert [(reply["id"], reply["result"]) for reply in replies] == [(2, None), (1, "lifted by an")]


async def test_what_a_handler_refuses_and_what_it_breaks(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def refuse(params: dict[str, Any], client: Client) -> None:
        raise RpcError(REFUSED, "the walls are not built yet", {"state": "shuffling"})

    async with linked(tmp_path) as (link, connect):
        link.method("machine.lift", refuse)
        link.method("machine.stop", lambda params, _: params["nowhere"])
        link.method("nan", lambda params, _: float("nan"), changes=False)
        peer = await connect()
        reply = await peer.call("machine.lift", by="an")
        error_of(reply, REFUSED, "the walls are not built yet")
        assert reply["error"]["data"] == {"state": "shuffling"}
        reply = await peer.call("machine.stop", by="an")
        error_of(reply, INTERNAL_ERROR, "its log says why")
        assert "nowhere" not in json.dumps(reply)
        error_of(await peer.call("nan"), INTERNAL_ERROR)
    assert "KeyError: 'nowhere'" in caplog.text


async def test_a_notification_gets_no_reply(tmp_path: Path) -> None:
    done: list[str] = []
    async with linked(tmp_path) as (link, connect):
        link.method("machine.stop", lambda params, _: done.append(params["by"]))
        peer = await connect()
        peer.write(b'{"jsonrpc":"2.0","method":"machine.stop","params":{"by":"an"}}\n\n')
        assert "seq" in (await peer.call("rpc.ping"))["result"]
    assert done == ["an"]


async def test_limits_on_rate_clients_and_calls_in_flight(tmp_path: Path) -> None:
    never = asyncio.Event()

    async def wait(params: dict[str, Any], client: Client) -> None:
        await never.wait()

    limits = Limits(clients=2, requests_per_second=0.01, burst=5, in_flight=3)
    async with linked(tmp_path, limits=limits) as (link, connect):
        link.method("wait", wait, changes=False)
        first, second = await connect(), await connect()
        for number in range(4):
            first.write(b'{"jsonrpc":"2.0","id":%d,"method":"wait"}\n' % number)
        assert error_of(await first.read(), BUSY, "3 requests of this client wait") == 3
        assert "result" in await first.call("rpc.ping")
        error_of(await first.call("rpc.ping"), BUSY, "requests a second")
        assert "result" in await second.call("rpc.ping")
        third = await connect()
        error_of(await third.read(), BUSY, "2 clients")
        assert await third.read() is None


async def test_rpc_methods_explains_itself(tmp_path: Path) -> None:
    def lift(params: dict[str, Any], client: Client) -> None:
        """Lift the dome.

        More for developers."""

    async with linked(tmp_path) as (link, connect):
        link.method("machine.lift", lift)
        link.section("table", lambda role, seat: {})
        result = (await (await connect()).call("rpc.methods"))["result"]
    assert result["methods"]["machine.lift"] == {"help": "Lift the dome.", "changes": True}
    assert all(method["help"] for method in result["methods"].values())
    assert result["sections"] == ["table"]


async def test_the_socket_has_its_mode_and_goes_with_the_core(tmp_path: Path) -> None:
    for mode in (0o600, 0o660):
        async with linked(tmp_path, mode=mode) as (link, _):
            assert stat.S_IMODE(link.path.stat().st_mode) == mode
        assert not link.path.exists()


async def test_a_stale_socket_is_taken_over_and_a_live_one_is_not(tmp_path: Path) -> None:
    stale = socket.socket(socket.AF_UNIX)
    stale.bind(os.fspath(tmp_path / "core.sock"))
    stale.close()
    async with linked(tmp_path) as (_, connect):
        with pytest.raises(LinkError, match="another tablectl answers"):
            await Link(tmp_path / "core.sock", redact=hide_draws).start()
        assert "result" in await (await connect()).call("rpc.ping")


@pytest.mark.parametrize(
    ("name", "words"), [("no/such/core.sock", "does not exist"), ("x" * 120, "107 bytes"), ("file", "is no socket")]
)
def test_an_unusable_path_is_explained(tmp_path: Path, name: str, words: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(LinkError, match=words):
        asyncio.run(Link(tmp_path / name, redact=hide_draws).start())
    assert (tmp_path / "file").exists()


def test_names_are_registered_once(tmp_path: Path) -> None:
    link = Link(tmp_path / "core.sock", redact=hide_draws)
    with pytest.raises(ValueError, match=r"rpc\.ping is registered twice"):
        link.method("rpc.ping", lambda params, client: None)
    link.section("table", lambda role, seat: {})
    with pytest.raises(ValueError, match="table is registered twice"):
        link.section("table", lambda role, seat: {})
    with pytest.raises(ValueError, match="no section 'tabel'"):
        link.touch("tabel")


# --- state and events


def discards(*tiles: Tile) -> list[Event]:
    return [TileDiscarded(actor=0, pai=tile) for tile in tiles]


async def test_subscribers_hear_what_their_role_may_hear(tmp_path: Path) -> None:
    looks: list[tuple[Role, int | None, str]] = []
    async with linked(tmp_path, looked=lambda look: looks.append((look.role, look.seat, look.by))) as (link, connect):
        link.section("table", lambda role, seat: {"role": role, "seat": seat, "seq": link_seq[0]})
        link_seq = [0]
        peers = {}
        for role, seat in (("referee", None), ("spectator", None), ("player", 2), ("player", 3)):
            peers[role, seat] = await connect()
            who = {"role": role} if seat is None else {"role": role, "seat": seat}
            reply = await peers[role, seat].call("state.subscribe", by="someone", **who)
            assert reply["result"]["state"] == {"table": {"role": role, "seat": seat, "seq": 0}}
            assert reply["result"]["events"] == []
        link_seq[0] = 2
        link.publish(2, [TileDrawn(actor=2, pai=Tile.M5), TileDiscarded(actor=2, pai=Tile.EAST)])
        for (role, seat), peer in peers.items():
            update = (await peer.read())["params"]
            seen = "5m" if role == "referee" or seat == 2 else None
            assert update["events"][0] == {"seq": 1, "type": "tsumo", "actor": 2, "pai": seen, "from": "live"}
            assert update["events"][1]["seq"] == update["seq"] == 2
            assert update["events"][1]["pai"] == "E"
            assert (update["role"], update["seat"]) == (role, seat)
            assert update["state"]["table"] == {"role": role, "seat": seat, "seq": 2}
    assert looks == [(Role.REFEREE, None, "someone"), (Role.PLAYER, 2, "someone"), (Role.PLAYER, 3, "someone")]


async def test_only_changed_sections_are_sent_and_each_is_computed_once_a_role(tmp_path: Path) -> None:
    computed: list[str] = []
    values = {"table": 1, "machine": 1, "faults": 1}

    def provider(name: str) -> Any:
        def provide(role: Role, seat: int | None) -> int:
            computed.append(name)
            return values[name]

        return provide

    async with linked(tmp_path) as (link, connect):
        for name in values:
            link.section(name, provider(name), follows_events=name == "table")
        link.publish(1, discards(Tile.M1))
        link.touch("machine")
        await asyncio.sleep(0)
        assert computed == []  # nobody listens
        peers = [await connect() for _ in range(3)]
        for peer in peers:
            await peer.call("state.subscribe", role="spectator")
        computed.clear()
        values["machine"] = 2
        link.touch("machine", "faults")
        for peer in peers:
            update = (await peer.read())["params"]
            assert update["state"] == {"machine": 2}
            assert update["events"] == []
        assert sorted(computed) == ["faults", "machine"]
        computed.clear()
        link.publish(2, discards(Tile.M1))
        assert [(await peer.read())["params"]["state"] for peer in peers] == [{}, {}, {}]
        assert computed == ["table"]


async def test_a_burst_of_events_arrives_in_few_updates(tmp_path: Path) -> None:
    async with linked(tmp_path) as (link, connect):
        link.section("table", lambda role, seat: link_seq[0])
        link_seq = [0]
        peer = await connect()
        await peer.call("state.subscribe", role="spectator")
        for seq in range(1, 151):
            link_seq[0] = seq
            link.publish(seq, discards(Tile.M1))
        update = (await peer.read())["params"]
        assert [event["seq"] for event in update["events"]] == list(range(1, 151))
        assert update["state"] == {"table": 150}


async def test_a_newcomer_and_old_subscribers_agree_after_an_untouched_change(tmp_path: Path) -> None:
    value = ["a"]
    async with linked(tmp_path) as (link, connect):
        link.section("display", lambda role, seat: value[0], follows_events=False)
        old, new = await connect(), await connect()
        await old.call("state.subscribe", role="spectator")
        value[0] = "b"
        assert (await new.call("state.subscribe", role="spectator"))["result"]["state"] == {"display": "b"}
        value[0] = "a"
        link.touch("display")
        assert [(await old.read())["params"]["state"]["display"] for _ in range(2)] == ["b", "a"]
        assert (await new.read())["params"]["state"] == {"display": "a"}


async def test_events_published_before_the_reply_come_once(tmp_path: Path) -> None:
    async with linked(tmp_path) as (link, connect):
        first, second = await connect(), await connect()
        await first.call("state.subscribe", role="spectator")
        link.publish(1, discards(Tile.M1))
        reply = await second.call("state.subscribe", role="spectator", since=0)
        assert [event["seq"] for event in reply["result"]["events"]] == [1]
        link.publish(2, discards(Tile.M2))
        assert [event["seq"] for event in (await second.read())["params"]["events"]] == [2]
        assert [event["seq"] for event in (await first.read())["params"]["events"]] == [1]


async def test_one_failing_section_does_not_silence_the_others(tmp_path: Path) -> None:
    broken = [False]

    def table(role: Role, seat: int | None) -> str:
        if broken[0]:
            raise RuntimeError("no view")
        return "fine"

    problems: list[Any] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: problems.append(context["exception"]))
    async with linked(tmp_path) as (link, connect):
        link.section("table", table)
        link.section("scores", lambda role, seat: link_seq[0])
        link_seq = [0]
        peer = await connect()
        await peer.call("state.subscribe", role="spectator")
        broken[0], link_seq[0] = True, 1
        link.publish(1, discards(Tile.M1))
        assert (await peer.read())["params"]["state"] == {"scores": 1}
    assert [str(error.exceptions[0]) for error in problems] == ["no view"]


async def test_events_since_says_whether_it_is_complete(tmp_path: Path) -> None:
    events = discards(*(Tile.M1,) * 10)
    journal = [(number, event) for number, event in enumerate(events, 1)]
    async with linked(tmp_path, history=lambda seq: [item for item in journal if item[0] > seq]) as (link, connect):
        link.publish(10, events[7:])  # the link came up with the journal at 7
        peer = await connect()

        async def since(seq: int) -> tuple[list[int], bool]:
            result = (await peer.call("events.since", role="spectator", seq=seq))["result"]
            assert result["seq"] == 10
            return [event["seq"] for event in result["events"]], result["complete"]

        assert await since(8) == ([9, 10], True)
        assert await since(7) == ([8, 9, 10], True)
        assert await since(2) == (list(range(3, 11)), True)
        assert await since(10) == ([], True)
        assert await since(11) == ([], False)  # the client knows more: that was another journal
        del journal[:4]
        assert await since(2) == (list(range(5, 11)), False)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({}, "role None"),
        ({"role": "refree"}, "did you mean 'referee'?"),
        ({"role": "player"}, "0, 1, 2 or 3"),
        ({"role": "player", "seat": 4}, "0, 1, 2 or 3"),
        ({"role": "player", "seat": True}, "0, 1, 2 or 3"),
        ({"role": "referee", "seat": 1}, "has no seat"),
        ({"role": "spectator", "since": "now"}, "number of an event"),
        ({"role": "spectator", "since": -1}, "number of an event"),
    ],
)
async def test_who_looks_is_checked(tmp_path: Path, params: dict[str, Any], words: str) -> None:
    async with linked(tmp_path) as (_, connect):
        error_of(await (await connect()).call("state.subscribe", **params), INVALID_PARAMS, words)


async def test_a_slow_reader_is_dropped_and_the_others_go_on(tmp_path: Path) -> None:
    big = ["x" * 40_000]
    async with linked(tmp_path, limits=Limits(unread_bytes=100_000)) as (link, connect):
        link.section("display", lambda role, seat: big[0])
        slow, good = await connect(), await connect()
        for peer in (slow, good):
            await peer.call("state.subscribe", role="spectator")
        slow.writer.transport.pause_reading()  # type: ignore[attr-defined]
        for number in range(200):
            big[0] = f"{number:05}" + "x" * 40_000
            link.publish(number + 1, discards(Tile.M1))
            link._channels._flush()
            assert (await good.read())["params"]["state"]["display"][:5] == f"{number:05}"
        assert link.clients == 1
        slow.writer.transport.resume_reading()  # type: ignore[attr-defined]
        with contextlib.suppress(ConnectionResetError):
            async with asyncio.timeout(5):
                await slow.reader.read()  # to the end: the core has closed it


async def test_unsubscribed_and_gone_clients_cost_nothing(tmp_path: Path) -> None:
    computed: list[int] = []
    async with linked(tmp_path) as (link, connect):
        link.section("table", lambda role, seat: computed.append(1))
        peer, other = await connect(), await connect()
        await peer.call("state.subscribe", role="spectator")
        assert (await peer.call("state.unsubscribe", role="spectator"))["result"] is True
        assert (await peer.call("state.unsubscribe", role="spectator"))["result"] is False
        await other.call("state.subscribe", role="referee", by="r")
        other.writer.close()
        await peer.call("rpc.ping")
        await peer.call("rpc.ping")
        computed.clear()
        link.publish(1, discards(Tile.M1))
        await peer.call("rpc.ping")
        assert computed == []
