"""The core's end of the link: answers requests and tells subscribers what changed.

The core never waits for a client: what one does not read in time is its own loss, it is dropped and has to come back
with ``since``. State is computed only while somebody has subscribed, once for each role, not for each client.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tablectl.game.events import Event
from tablectl.game.views import Role
from tablectl.link.channels import Channels, History, Provider, Redact
from tablectl.link.connection import Client, Limits
from tablectl.link.protocol import (
    BUSY,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    RpcError,
    did_you_mean,
    encode,
    refusal_error,
    text,
)
from tablectl.link.socketfile import bind
from tablectl.refusals import Refused

log = logging.getLogger(__name__)

#: roles whose view holds standing tiles: who takes it is noted
SEES_STANDING = frozenset({Role.REFEREE, Role.PLAYER})
#: a look that is asked for again within so many seconds is the same one
LOOK_SECONDS = 60.0
#: characters of ``by``
MAX_BY = 120

Handler = Callable[[dict[str, Any], Client], Any | Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class Look:
    """Somebody sees standing tiles (or, ``ended``, no longer does): by their own word ``by``, through the program
    ``peer``."""

    role: Role
    seat: int | None
    by: str
    peer: str
    ended: bool = False


@dataclass(frozen=True)
class _Method:
    handler: Handler
    changes: bool
    help: str


class Link:
    """The server. Register methods and sections, then `start`.

    ``redact`` is `game.views.redact` with the play of the rules in force: the event as a role may see it, or None.
    ``history`` gives the events after a number from the journal, for clients that were away longer than the link
    remembers. ``looked(look)`` is called when somebody asks for a view with standing tiles.
    """

    def __init__(
        self,
        path: Path,
        *,
        redact: Redact,
        mode: int = 0o660,
        limits: Limits | None = None,
        history: History | None = None,
        looked: Callable[[Look], None] | None = None,
    ) -> None:
        self.path = path
        self._mode = mode
        self._limits = limits or Limits()
        self._channels = Channels(redact, history)
        self._looked = looked
        self._last_looks: dict[Look, float] = {}
        self._methods: dict[str, _Method] = {}
        self._clients: set[Client] = set()
        self._serving: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None
        self._inode: int | None = None
        self.method("state.get", self._state_get, changes=False)
        self.method("state.subscribe", self._subscribe, changes=False)
        self.method("state.unsubscribe", self._unsubscribe, changes=False)
        self.method("state.looked", self._note_look)
        self.method("state.left", self._note_left)
        self.method("events.since", self._events_since, changes=False)
        self.method("rpc.methods", self._list_methods, changes=False)
        self.method("rpc.ping", self._ping, changes=False)

    # --- for the core

    def method(self, name: str, handler: Handler, *, changes: bool = True) -> None:
        """Answer ``name`` with what ``handler(params, client)`` returns (or awaits to).

        A method that ``changes`` something is refused without ``by``, the person or program who does it.
        """
        if name in self._methods:
            raise ValueError(f"method {name} is registered twice")
        self._methods[name] = _Method(handler, changes, (inspect.getdoc(handler) or "").partition("\n")[0])

    def section(self, name: str, provider: Provider, *, follows_events: bool = True) -> None:
        """A part of the state. ``provider(role, seat)`` gives it as JSON can hold it; it is asked after every
        published event (if it ``follows_events``) and after ``touch(name)``."""
        self._channels.section(name, provider, follows_events)

    def publish(self, seq: int, events: Sequence[Event]) -> None:
        """Journaled events, the last of which has number ``seq``. Cheap while nobody has subscribed."""
        self._channels.publish(seq, events)

    def touch(self, *sections: str) -> None:
        """These sections may have changed without an event."""
        self._channels.touch(sections)

    @property
    def clients(self) -> int:
        """Connections now open."""
        return len(self._clients)

    async def start(self) -> None:
        """Open the socket. Raises LinkError where the path is unusable or another core holds it."""
        sock = bind(self.path, self._mode)
        self._inode = self.path.stat().st_ino
        self._server = await asyncio.start_unix_server(self._accept, sock=sock, limit=self._limits.line_bytes)

    async def stop(self) -> None:
        """Close all connections and remove the socket."""
        if self._server is None:
            return
        self._server.close()
        self._channels.close()
        for client in self._clients:
            client.abort()
        await asyncio.gather(*self._serving)
        await self._server.wait_closed()
        self._server = None
        # Another core may have taken the path over meanwhile: that socket stays.
        if self.path.exists() and self.path.stat().st_ino == self._inode:
            self.path.unlink()

    # --- connections

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(self._serve(reader, writer))
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        client = Client(reader, writer, self._limits)
        if len(self._clients) >= self._limits.clients:
            client.send(_failure(None, RpcError(BUSY, f"the link has its {self._limits.clients} clients already")))
            await client.close()
            return
        self._clients.add(client)
        try:
            await self._read(client)
        except ConnectionError:
            log.debug("link client %s went away", client.peer)
        finally:
            self._channels.forget(client)
            await client.close()
            self._clients.discard(client)

    async def _read(self, client: Client) -> None:
        while True:
            try:
                line = await client.reader.readline()
            except ValueError:
                error = RpcError(INVALID_REQUEST, f"a line longer than {self._limits.line_bytes} bytes")
                client.send(_failure(None, error))
                return
            if not line:
                return
            if line.strip():
                self._answer(client, line)
                await asyncio.sleep(0)  # a client that floods takes turns with the rest of the core

    def _answer(self, client: Client, line: bytes) -> None:
        call_id: str | int | None = None
        in_time = client.take_token()
        try:
            request = _parse(line)
            call_id = _id(request)
            name, params = _check(request)
            if not in_time:
                rate = self._limits.requests_per_second
                raise RpcError(BUSY, f"more than {rate:g} requests a second; wait a moment and ask again")
            result = self._call(client, name, params)
            if inspect.isawaitable(result):
                self._await(client, request, result, line)
            elif "id" in request:
                client.send(_success(call_id, result))
        except RpcError as error:
            client.send(_failure(call_id, error))
        except Refused as refused:
            client.send(_failure(call_id, refusal_error(refused)))
        except Exception:
            client.send(_internal(call_id, line))

    def _await(self, client: Client, request: dict[str, Any], result: Awaitable[Any], line: bytes) -> None:
        if len(client.calls) >= self._limits.in_flight:
            if inspect.iscoroutine(result):
                result.close()
            raise RpcError(BUSY, f"{self._limits.in_flight} requests of this client wait for an answer already")
        task = asyncio.ensure_future(self._finish(client, request, result, line))
        client.calls.add(task)
        task.add_done_callback(client.calls.discard)

    async def _finish(self, client: Client, request: dict[str, Any], result: Awaitable[Any], line: bytes) -> None:
        try:
            value = await result
            if "id" in request:
                client.send(_success(request["id"], value))
        except RpcError as error:
            client.send(_failure(request.get("id"), error))
        except Refused as refused:
            client.send(_failure(request.get("id"), refusal_error(refused)))
        except Exception:
            client.send(_internal(request.get("id"), line))

    def _call(self, client: Client, name: str, params: dict[str, Any]) -> Any:
        method = self._methods.get(name)
        if method is None:
            raise RpcError(METHOD_NOT_FOUND, f"there is no method {name!r}{did_you_mean(name, self._methods)}")
        if method.changes:
            by = params.get("by")
            if not isinstance(by, str) or not 0 < len(by.strip()) <= MAX_BY:
                raise RpcError(INVALID_PARAMS, f"{name}: 'by' is missing: say who does this (1–{MAX_BY} characters)")
        return method.handler(params, client)

    # --- built-in methods

    def _state_get(self, params: dict[str, Any], client: Client) -> dict[str, Any]:
        """The whole state as a role sees it: {role, seat?, by?} -> {role, seat, seq, t, state}."""
        role, seat = self._who(params, client)
        return self._channels.snapshot(role, seat)

    def _subscribe(self, params: dict[str, Any], client: Client) -> dict[str, Any]:
        """The whole state and the events after `since`, then `update` notifications: {role, seat?, since?, by?}."""
        role, seat = self._who(params, client)
        since = _number(params, "since", None)
        return self._channels.subscribe(client, role, seat, since)

    def _unsubscribe(self, params: dict[str, Any], client: Client) -> bool:
        """End a subscription: {role, seat?} -> whether there was one."""
        role, seat = _role(params)
        return self._channels.unsubscribe(client, role, seat)

    def _events_since(self, params: dict[str, Any], client: Client) -> dict[str, Any]:
        """The events after a number, as a role may see them: {seq, role, seat?, by?} -> {seq, events, complete}."""
        role, seat = self._who(params, client)
        seq = _number(params, "seq", 0)
        return self._channels.since(role, seat, seq or 0)

    def _list_methods(self, params: dict[str, Any], client: Client) -> dict[str, Any]:
        """Every method with what it does, and the sections of the state."""
        methods = {name: {"help": m.help, "changes": m.changes} for name, m in sorted(self._methods.items())}
        return {"methods": methods, "sections": self._channels.sections, "roles": [role.value for role in Role]}

    def _ping(self, params: dict[str, Any], client: Client) -> dict[str, Any]:
        """Whether the core answers: its last event's number and its clock in seconds."""
        return {"seq": self._channels.seq, "t": asyncio.get_running_loop().time()}

    def _note_look(self, params: dict[str, Any], client: Client) -> None:
        """Somebody looks through a subscription that others share: {role, seat?, by}."""
        self._note(params, client, ended=False)

    def _note_left(self, params: dict[str, Any], client: Client) -> None:
        """… and no longer: {role, seat?, by}."""
        self._note(params, client, ended=True)

    def _note(self, params: dict[str, Any], client: Client, *, ended: bool) -> None:
        role, seat = _role(params)
        if role in SEES_STANDING:
            self._tell_looks(Look(role, seat, params["by"], client.peer, ended))

    def _who(self, params: dict[str, Any], client: Client) -> tuple[Role, int | None]:
        """Role and seat of somebody who wants to see; noted where that shows standing tiles. A program that asks again
        and again is noted once in `LOOK_SECONDS`."""
        role, seat = _role(params)
        if role in SEES_STANDING:
            by = params.get("by")
            look = Look(role, seat, by if isinstance(by, str) and by else client.peer, client.peer)
            now = asyncio.get_running_loop().time()
            if now - self._last_looks.get(look, float("-inf")) >= LOOK_SECONDS:
                self._last_looks = {old: at for old, at in self._last_looks.items() if now - at < LOOK_SECONDS}
                self._last_looks[look] = now
                self._tell_looks(look)
        return role, seat

    def _tell_looks(self, look: Look) -> None:
        ends = "no longer looks" if look.ended else "looks"
        log.info("%s %s as %s%s", look.by, ends, look.role, "" if look.seat is None else f" of seat {look.seat}")
        if self._looked is not None:
            self._looked(look)


def _role(params: Mapping[str, Any]) -> tuple[Role, int | None]:
    """Role and seat of a request; only a player has a seat."""
    word = params.get("role")
    try:
        role = Role(str(word))
    except ValueError:
        known = [r.value for r in Role]
        raise RpcError(INVALID_PARAMS, f"role {word!r} is unknown{did_you_mean(str(word), known)}") from None
    seat = params.get("seat")
    if role is not Role.PLAYER:
        if seat is not None:
            raise RpcError(INVALID_PARAMS, f"a {role.value} has no seat; leave 'seat' out")
        return role, None
    if isinstance(seat, bool) or not isinstance(seat, int) or not 0 <= seat <= 3:
        raise RpcError(INVALID_PARAMS, f"seat {seat!r}: a player sits at 0, 1, 2 or 3")
    return role, seat


def _number(params: Mapping[str, Any], key: str, default: int | None) -> int | None:
    value = params.get(key, default)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
        raise RpcError(INVALID_PARAMS, f"{key} {value!r}: expected the number of an event, 0 or more")
    return value


# --- messages


def _parse(line: bytes) -> dict[str, Any]:
    """The request in a line. What the journal could not keep (half a character, a number without an end) goes no
    further than here: a change must not be in the state before it is found that it cannot be written."""
    try:
        request = json.loads(line, parse_float=_finite, parse_constant=_finite)
        if b"\\u" in line:
            text(request).encode()
    except (ValueError, RecursionError) as error:
        raise RpcError(PARSE_ERROR, f"not JSON: {error}") from None
    if not isinstance(request, dict):
        raise RpcError(INVALID_REQUEST, "expected one JSON object a line (no batches)")
    return request


def _finite(number: str) -> float:
    value = float(number)
    if not math.isfinite(value):
        raise ValueError(f"{number} is no finite number")
    return value


def _id(request: dict[str, Any]) -> str | int | None:
    call_id = request.get("id")
    if isinstance(call_id, bool) or not isinstance(call_id, (str, int, type(None))):
        raise RpcError(INVALID_REQUEST, "'id' must be a string or a whole number")
    return call_id


def _check(request: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Method and parameters."""
    if request.get("jsonrpc") != "2.0":
        raise RpcError(INVALID_REQUEST, "'jsonrpc' must be \"2.0\"")
    name, params = request.get("method"), request.get("params", {})
    if not isinstance(name, str):
        raise RpcError(INVALID_REQUEST, "'method' must be a string")
    if not isinstance(params, dict):
        raise RpcError(INVALID_REQUEST, "'params' must be an object (parameters by name)")
    return name, params


def _success(call_id: str | int | None, result: Any) -> bytes:
    return encode({"jsonrpc": "2.0", "id": call_id, "result": result})


def _failure(call_id: str | int | None, error: RpcError) -> bytes:
    return encode({"jsonrpc": "2.0", "id": call_id, "error": error.to_json()})


def _internal(call_id: str | int | None, line: bytes) -> bytes:
    """Called while an unexpected exception is handled."""
    log.exception("a request on the link failed: %s", line[:200].decode(errors="replace"))
    return _failure(call_id, RpcError(INTERNAL_ERROR, "the core failed to do this; its log says why"))
