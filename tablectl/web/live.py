"""The live view's WebSocket: the whole state, then what changes; a ``tick`` while nothing does."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import Counter
from typing import Final

from fastapi import HTTPException, WebSocket
from starlette.websockets import WebSocketDisconnect, WebSocketState

from tablectl.game.views import Role
from tablectl.link.protocol import RpcError
from tablectl.web.access import Access
from tablectl.web.doors import address, seat_now
from tablectl.web.hub import Audience, Hub, sitting_of
from tablectl.web.limits import Rates, network
from tablectl.web.page import CLOSE_LOG_IN, Page, PageEnded
from tablectl.web.roles import WebRole, Who
from tablectl.web.settings import WebSettings
from tablectl.web.wire import EXTENSION

log = logging.getLogger(__name__)

#: a page that takes so long to hear that it is over is gone
CLOSE_SECONDS: Final = 10.0
#: the client has nothing to say: messages in one burst, and a second, that are forgiven
SAID_BURST: Final = 20
SAID_PER_SECOND: Final = 1.0
#: close codes (4000–4999 are an application's own)
CLOSE_NOT_ALLOWED: Final = 4403
CLOSE_FULL: Final = 4429
CLOSE_TALKS: Final = 1008
CLOSE_GONE: Final = 1001


class Doorkeeper:
    """How many live views are open, in all and by address."""

    def __init__(self, settings: WebSettings) -> None:
        self._settings = settings
        self._open: Counter[str] = Counter()

    def refuses(self, place: str) -> str | None:
        """Why one more page from ``place`` is too many; None where it is not."""
        if self._open.total() >= self._settings.max_pages:
            return f"{self._settings.max_pages} pages are open already"
        if self._open[place] >= self._settings.max_pages_per_address:
            return f"{self._settings.max_pages_per_address} pages of this address are open already"
        return None

    def enter(self, place: str) -> None:
        self._open[place] += 1

    def leave(self, place: str) -> None:
        self._open[place] -= 1
        if not self._open[place]:
            del self._open[place]


async def live(socket: WebSocket, since: int | None = None) -> None:
    """``GET /ws``."""
    keeper: Doorkeeper = socket.app.state.doorkeeper
    access: Access = socket.app.state.access
    await socket.accept()
    place = network(address(socket))
    who = access.who(socket.cookies)
    if who is None:
        await socket.close(CLOSE_LOG_IN, "this page needs a token")
    elif (full := keeper.refuses(place)) is not None:
        await socket.close(CLOSE_FULL, full)
    else:
        keeper.enter(place)
        try:
            await _serve(socket, who, since)
        finally:
            keeper.leave(place)


async def _serve(socket: WebSocket, who: Who, since: int | None) -> None:
    hub: Hub = socket.app.state.hub
    role, seat, store = who.role.view, None, socket.app.state.access.store
    page = Page(
        socket.scope["extensions"][EXTENSION],
        since,
        valid=lambda: who.session is None or store.alive(who.session),
    )
    if who.role is WebRole.PLAYER:
        try:
            seat = seat_now(hub, who)
            page.sitting = sitting_of(hub.now, seat)
        except HTTPException as error:
            await socket.close(CLOSE_NOT_ALLOWED, str(error.detail))
            return
        except RpcError as error:
            await socket.close(CLOSE_GONE, error.message[:120])
            return
    audience = hub.join(role, seat, page)
    sending = asyncio.ensure_future(_send(hub, audience, page, socket, who))
    try:
        await _hear_out(socket)
    finally:
        sending.cancel()
        await asyncio.gather(sending, return_exceptions=True)
        hub.leave(audience, page)


async def _hear_out(socket: WebSocket) -> None:
    """Until the client goes; one that talks all the time is sent away."""
    said = Rates(SAID_PER_SECOND, SAID_BURST)
    while True:
        await socket.receive()
        if socket.client_state is WebSocketState.DISCONNECTED:
            return
        if not said.take(""):
            await _close(socket, CLOSE_TALKS, "this socket is for listening")
            return


async def _send(hub: Hub, audience: Audience, page: Page, socket: WebSocket, who: Who) -> None:
    looks = who.role.view is Role.REFEREE or audience.seat is not None
    by = who.by(address(socket))
    code, reason = CLOSE_GONE, ""
    try:
        if looks:
            await _note_look(hub, audience, page, by)
        await hub.tell(audience, page)
    except PageEnded as ended:
        code, reason = ended.code, ended.reason
    finally:
        if looks:
            _note_left(hub, audience, by)
    await _close(socket, code, reason)


async def _close(socket: WebSocket, code: int, reason: str) -> None:
    with contextlib.suppress(RuntimeError, TimeoutError, WebSocketDisconnect):  # it may be closed already
        async with asyncio.timeout(CLOSE_SECONDS):
            await socket.close(code, reason)


async def _note_look(hub: Hub, audience: Audience, page: Page, by: str) -> None:
    """The core's log says who sees standing tiles; no note, no look."""
    while True:
        try:
            await hub.staff.call("state.looked", _look(audience, by))
            return
        except RpcError as error:
            log.warning("a page that shows standing tiles waits: %s", error)
            await asyncio.sleep(1)
            page.check()


def _note_left(hub: Hub, audience: Audience, by: str) -> None:
    """… and until when. Without a core nobody can be told; its log shows the next look anyway."""
    if hub.staff.connected:
        hub.staff.notify("state.left", _look(audience, by))


def _look(audience: Audience, by: str) -> dict[str, object]:
    seat = {} if audience.seat is None else {"seat": audience.seat}
    return {"role": audience.role.value, "by": by, **seat}
