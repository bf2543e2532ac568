"""The other end of the link: for the web process, the hall, and ``tablectl ctl``."""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
import os
import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tablectl.game.views import Role
from tablectl.link.protocol import INVALID_PARAMS, LinkDown, RpcError, encode

log = logging.getLogger(__name__)

#: a state with its displays' pictures stays well below this
MAX_LINE_BYTES = 8 * 1024 * 1024
RETRY_SECONDS = (0.1, 3.0)
PING_SECONDS = 2.0
CALL_SECONDS = 10.0

Params = dict[str, Any]


@dataclass
class Subscription:
    """A copy of the state as one role sees it, kept up to date across broken connections.

    ``changed(update, whole)`` is called with each message: ``update`` as in `link.protocol`, ``whole`` true where it
    holds all sections (after each connect).
    """

    role: Role
    seat: int | None
    changed: Callable[[Params, bool], None]
    by: str = ""
    seq: int | None = None
    state: dict[str, Any] = field(default_factory=dict)

    def request(self) -> Params:
        params: Params = {"role": self.role.value, "seat": self.seat, "since": self.seq, "by": self.by}
        return {key: value for key, value in params.items() if value not in (None, "")}

    def take(self, update: Params, whole: bool) -> None:
        self.seq = update["seq"]
        self.state = update["state"] if whole else {**self.state, **update["state"]}
        self.changed(update, whole)


class LinkClient:
    """A connection that comes back by itself. Use as ``async with``, or await `close`."""

    def __init__(self, path: Path, *, ping_seconds: float = PING_SECONDS) -> None:
        self.path = path
        self.connected = False
        #: why there is no connection, for people
        self.trouble = f"{path}: not connected yet"
        self._ping_seconds = ping_seconds
        self._heard: float | None = None
        self._ids = itertools.count(1)
        self._waiting: dict[Any, asyncio.Future[Any]] = {}
        self._filling: dict[Any, Subscription] = {}
        self._refused: list[Subscription] = []
        self._subscriptions: list[Subscription] = []
        self._watchers: list[Callable[[bool], None]] = []
        self._writer: asyncio.StreamWriter | None = None
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> LinkClient:
        self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def start(self) -> None:
        """Connect, and connect again whenever the connection breaks."""
        self._task = asyncio.ensure_future(self._stay_connected())

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None

    @property
    def age(self) -> float | None:
        """Seconds since the core was last heard; None before the first word."""
        return None if self._heard is None else asyncio.get_running_loop().time() - self._heard

    def watch(self, receive: Callable[[bool], None]) -> None:
        """``receive(connected)`` is called whenever the connection comes or goes."""
        self._watchers.append(receive)

    async def call(self, method: str, params: Params | None = None, *, seconds: float = CALL_SECONDS) -> Any:
        """The result of ``method``.

        Raises:
            LinkDown: no connection, or no answer within ``seconds``.
            RpcError: the core refused, or ``params`` are no JSON.
        """
        if self._writer is None:
            raise LinkDown(f"the core does not answer: {self.trouble}")
        call_id = next(self._ids)
        try:
            line = encode({"jsonrpc": "2.0", "id": call_id, "method": method, "params": params or {}})
        except (ValueError, RecursionError) as error:  # half a character, a number without an end
            raise RpcError(INVALID_PARAMS, f"this cannot be written down: {error}") from None
        waiting: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting[call_id] = waiting
        try:
            self._writer.write(line)
            async with asyncio.timeout(seconds):
                return await waiting
        except TimeoutError:
            raise LinkDown(f"the core did not answer {method} within {seconds:g} s") from None
        finally:
            del self._waiting[call_id]

    def notify(self, method: str, params: Params) -> None:
        """Say something without waiting for an answer. Without a connection it is lost."""
        if self._writer is not None:
            self._writer.write(encode({"jsonrpc": "2.0", "method": method, "params": params}))

    def subscribe(self, subscription: Subscription) -> None:
        """Keep ``subscription`` up to date from now on; it is filled as soon as the core answers."""
        self._subscriptions.append(subscription)
        if self._writer is not None:
            self._ask(self._writer, subscription)

    def unsubscribe(self, subscription: Subscription) -> None:
        self._subscriptions.remove(subscription)
        self.notify("state.unsubscribe", {"role": subscription.role.value, "seat": subscription.seat})

    # --- the connection

    async def _stay_connected(self) -> None:
        wait, longest = RETRY_SECONDS
        while True:
            try:
                reader, writer = await asyncio.open_unix_connection(os.fspath(self.path), limit=MAX_LINE_BYTES)
            except OSError as error:
                self.trouble = f"{self.path}: {error.strerror or error}"
            else:
                wait = RETRY_SECONDS[0]
                await self._talk(reader, writer)
            await asyncio.sleep(wait)
            wait = min(longest, wait * 2)

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        pinging = asyncio.ensure_future(self._ping(writer))
        try:
            for subscription in self._subscriptions:
                self._ask(writer, subscription)
            self._set_connected(True)
            while line := await reader.readline():
                self._take(json.loads(line))
            self.trouble = f"{self.path}: the core closed the connection"
        except (OSError, ValueError) as error:
            self.trouble = f"{self.path}: {error}"
            log.warning("the link broke: %s", error)
        finally:
            pinging.cancel()
            self._writer = None
            self._filling.clear()
            self._refused.clear()
            for waiting in self._waiting.values():
                if not waiting.done():
                    waiting.set_exception(LinkDown("the connection to the core broke before it answered"))
            writer.close()
            self._set_connected(False)

    def _set_connected(self, connected: bool) -> None:
        self.connected = connected
        for receive in self._watchers:
            receive(connected)

    async def _ping(self, writer: asyncio.StreamWriter) -> None:
        """Ask for a sign of life, so that `age` tells a quiet table from a core that hangs; and ask again for what
        the core refused to subscribe."""
        while True:
            await asyncio.sleep(self._ping_seconds)
            writer.write(encode({"jsonrpc": "2.0", "id": "ping", "method": "rpc.ping"}))
            refused, self._refused = self._refused, []
            for subscription in refused:
                self._ask(writer, subscription)

    def _ask(self, writer: asyncio.StreamWriter, subscription: Subscription) -> None:
        call_id = next(self._ids)
        self._filling[call_id] = subscription
        request = {"jsonrpc": "2.0", "id": call_id, "method": "state.subscribe", "params": subscription.request()}
        writer.write(encode(request))

    def _take(self, message: Params) -> None:
        self._heard = asyncio.get_running_loop().time()
        if message.get("method") == "update":
            update = message["params"]
            for subscription in self._subscriptions:
                if (subscription.role, subscription.seat) == (update["role"], update["seat"]):
                    subscription.take(update, whole=False)
            return
        call_id = message.get("id")
        if (filled := self._filling.pop(call_id, None)) is not None:
            self._fill(filled, message)
        elif (waiting := self._waiting.get(call_id)) is not None and not waiting.done():
            try:
                waiting.set_result(_result(message))
            except RpcError as error:
                waiting.set_exception(error)

    def _fill(self, subscription: Subscription, message: Params) -> None:
        if subscription not in self._subscriptions:  # ended before the core answered
            return
        try:
            subscription.take(_result(message), whole=True)
        except RpcError as error:
            log.error("the core refused a subscription as %s: %s", subscription.role.value, error)
            self._refused.append(subscription)


def _result(message: Params) -> Any:
    """The result in a reply; raises RpcError for an error."""
    if "error" in message:
        error = message["error"]
        raise RpcError(error["code"], error["message"], error.get("data"))
    return message.get("result")


def call(path: Path, method: str, params: Params | None = None, *, seconds: float = CALL_SECONDS) -> Any:
    """One call without an event loop, on a connection of its own. Raises as `LinkClient.call` does."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
        sock.settimeout(seconds)
        try:
            sock.connect(os.fspath(path))
            sock.sendall(encode({"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}))
            with sock.makefile("rb") as lines:
                line = lines.readline(MAX_LINE_BYTES)
        except TimeoutError:
            raise LinkDown(f"the core did not answer {method} within {seconds:g} s") from None
        except OSError as error:
            hint = "is `tablectl run` up?"
            raise LinkDown(f"{path}: the core does not answer ({error.strerror or error}); {hint}") from None
    if not line.endswith(b"\n"):
        raise LinkDown(f"{path}: the core closed the connection before it answered {method}")
    return _result(json.loads(line))
