"""The client: calls, subscriptions, and coming back after the core was away."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tablectl.game.events import Event, TileDiscarded
from tablectl.game.views import Role
from tablectl.link.client import LinkClient, Subscription, call
from tablectl.link.protocol import METHOD_NOT_FOUND, LinkDown, RpcError
from tablectl.link.server import Link
from tablectl.tiles.tile import Tile


class Core:
    """A core with a number for a state; it can go away and come back with its journal."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.journal: list[Event] = []
        self.link: Link | None = None

    async def up(self) -> Link:
        link = Link(self.path, redact=lambda event, role, seat: event, history=self.since)
        link.section("count", lambda role, seat: len(self.journal))
        link.section("fixed", lambda role, seat: "same")
        link.publish(len(self.journal), [])
        await link.start()
        self.link = link
        return link

    async def down(self) -> None:
        if self.link is not None:
            await self.link.stop()
            self.link = None

    def since(self, seq: int) -> list[tuple[int, Event]]:
        return [(number, event) for number, event in enumerate(self.journal, 1) if number > seq]

    def play(self, tile: Tile) -> None:
        self.journal.append(TileDiscarded(actor=0, pai=tile))
        if self.link is not None:
            self.link.publish(len(self.journal), self.journal[-1:])


async def until(true: Callable[[], object]) -> None:
    async with asyncio.timeout(20):
        while not true():  # noqa: ASYNC110 - any condition, not an event
            await asyncio.sleep(0.01)


async def test_calls_answer_in_any_order_and_errors_are_raised(tmp_path: Path) -> None:
    core = Core(tmp_path / "s")
    link = await core.up()
    opened = asyncio.Event()

    async def slow(params: dict[str, Any], client: object) -> int:
        await opened.wait()
        return 1

    link.method("slow", slow, changes=False)
    link.method("fast", lambda params, client: params["n"], changes=False)
    async with LinkClient(core.path) as client:
        await until(lambda: client.connected)
        waiting = asyncio.ensure_future(client.call("slow"))
        assert await client.call("fast", {"n": 2}) == 2
        opened.set()
        assert await waiting == 1
        with pytest.raises(RpcError, match="did you mean 'fast'") as refused:
            await client.call("fats")
        assert refused.value.code == METHOD_NOT_FOUND
    await core.down()


async def test_no_core_no_answer(tmp_path: Path) -> None:
    core = Core(tmp_path / "s")
    async with LinkClient(core.path) as client:
        with pytest.raises(LinkDown, match="the core does not answer"):
            await client.call("rpc.ping")
        assert client.age is None
        link = await core.up()
        link.method("never", lambda params, client: asyncio.Event().wait(), changes=False)
        await until(lambda: client.connected)
        with pytest.raises(LinkDown, match=r"did not answer never within 0\.5 s"):
            await client.call("never", seconds=0.5)
        waiting = asyncio.ensure_future(client.call("never"))
        await asyncio.sleep(0.01)
        await core.down()
        with pytest.raises(LinkDown, match="broke before it answered"):
            await waiting


async def test_a_subscription_survives_the_core_going_away(tmp_path: Path) -> None:
    core = Core(tmp_path / "s")
    await core.up()
    tiles: list[str] = []
    wholes: list[bool] = []
    connections: list[bool] = []

    def changed(update: dict[str, Any], whole: bool) -> None:
        tiles.extend(event["pai"] for event in update["events"])
        wholes.append(whole)

    client = LinkClient(core.path)
    client.watch(connections.append)
    subscription = Subscription(Role.SPECTATOR, None, changed)
    client.subscribe(subscription)
    async with client:
        await until(lambda: subscription.seq == 0)
        core.play(Tile.M1)
        core.play(Tile.M2)
        await until(lambda: subscription.seq == 2)
        assert subscription.state == {"count": 2, "fixed": "same"}
        await core.down()
        await until(lambda: not client.connected)
        core.play(Tile.M3)
        await core.up()
        core.play(Tile.M4)
        await until(lambda: subscription.seq == 4)
        assert tiles == ["1m", "2m", "3m", "4m"]
        assert subscription.state == {"count": 4, "fixed": "same"}
        assert wholes[0] is True
        assert wholes.count(True) == 2
        assert connections == [True, False, True]
        client.unsubscribe(subscription)
        await client.call("rpc.ping")
        core.play(Tile.M5)
        await client.call("rpc.ping")
        assert subscription.seq == 4
    await core.down()


async def test_a_refused_subscription_is_asked_for_again(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    core = Core(tmp_path / "s")
    link = await core.up()
    broken = True

    def table(role: Role, seat: int | None) -> str:
        if broken:
            raise RuntimeError("not now")
        return "here"

    link.section("table", table)
    async with LinkClient(core.path, ping_seconds=0.05) as client:
        subscription = Subscription(Role.SPECTATOR, None, lambda update, whole: None)
        client.subscribe(subscription)
        await until(lambda: "the core refused a subscription as spectator" in caplog.text)
        broken = False
        await until(lambda: subscription.state.get("table") == "here")
    await core.down()


async def test_age_tells_a_quiet_table_from_a_dead_core(tmp_path: Path) -> None:
    core = Core(tmp_path / "s")
    await core.up()
    async with LinkClient(core.path, ping_seconds=1) as client:
        await until(lambda: client.age is not None)
        await asyncio.sleep(30)
        assert client.age is not None
        assert client.age < 1.1
        await core.down()
        await asyncio.sleep(30)
        assert client.age > 29


@pytest.mark.real_time
async def test_a_call_without_a_loop(tmp_path: Path) -> None:
    core = Core(tmp_path / "s")
    link = await core.up()
    link.method("machine.lift", lambda params, client: f"lifted by {params['by']}")
    answers: list[Any] = []

    def ask(method: str, params: dict[str, Any] | None) -> None:
        try:
            answers.append(call(core.path, method, params, seconds=5))
        except RpcError as error:
            answers.append(error)

    for method, params in (("machine.lift", {"by": "an"}), ("machine.lfit", None)):
        thread = threading.Thread(target=ask, args=(method, params))
        thread.start()
        await until(lambda: not thread.is_alive())  # noqa: B023
        thread.join()
    assert answers[0] == "lifted by an"
    assert "did you mean 'machine.lift'" in str(answers[1])
    await core.down()
    with pytest.raises(LinkDown, match="is `tablectl run` up"):
        call(core.path, "rpc.ping")
