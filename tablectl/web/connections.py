"""Connections before they say anything: how many there may be, and how long one may take to ask.

uvicorn counts requests, not silent sockets: without this, some hundred idle connections would keep everybody out.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from tablectl.web.limits import network
from tablectl.web.settings import WebSettings
from tablectl.web.wire import EXTENSION, PACKING, Message, unpacks

log = logging.getLogger(__name__)

#: a request's head must have come by then
HEAD_SECONDS: Final = 10.0
#: a client that does not read for so long is gone
READ_SECONDS: Final = 10.0
#: who goes on sending a body after it was refused has so long to read why
LINGER_SECONDS: Final = 2.0
#: connections beside those of the pages
SPARE: Final = 100


class Impatient(asyncio.Protocol):
    """A connection whose client must take what it asked for: else it and what waits for it would stay for ever. It
    stands in front of uvicorn's protocols."""

    loop: asyncio.AbstractEventLoop
    transport: asyncio.Transport
    _slow: asyncio.TimerHandle | None = None

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._slow is None:
            self._slow = self.loop.call_later(READ_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        self._stop_slow()
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_slow()
        super().connection_lost(exc)

    def _stop_slow(self) -> None:
        if self._slow is not None:
            self._slow.cancel()
            self._slow = None


class Live(Impatient, WebSocketsSansIOProtocol):
    """A WebSocket, and as `wire.LiveSocket` what the live view writes to past ASGI: for a crowd, a task that wakes for
    each page and message costs more than the message."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.conn.available_extensions = [PACKING]

    async def run_asgi(self) -> None:
        self.scope["extensions"][EXTENSION] = self  # type: ignore[assignment]
        await super().run_asgi()

    def tell(self, message: Message) -> bool:
        """Send without waiting (`wire.LiveSocket`)."""
        if not self.writable.is_set() or self.disconnected or self.close_sent or self.transport.is_closing():
            return False
        self.transport.write(message.packed if unpacks(self.conn.extensions) else message.plain)
        return True

    async def ready(self) -> None:
        """Wait until the client takes more, or is gone."""
        await self.writable.wait()


def careful(settings: WebSettings) -> type[asyncio.Protocol]:
    """The HTTP protocol with the limits of ``settings``."""
    most = settings.max_pages + SPARE
    trusted = settings.proxies

    class Careful(Impatient, H11Protocol):
        """One connection until it becomes a WebSocket or closes."""

        _patience: asyncio.TimerHandle | None = None
        _farewell: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            if self._too_many():
                log.warning("%s: too many connections, one closed", self.client)
                transport.abort()
                return
            self._wait()

        def _too_many(self) -> bool:
            if len(self.connections) > most:
                return True
            if self.client is None or self.client[0] in trusted:
                return False
            place = network(self.client[0])
            others = (getattr(other, "client", None) for other in self.connections)
            own = sum(client is not None and network(client[0]) == place for client in others)
            return own > settings.max_connections_per_address

        def _wait(self) -> None:
            if self._patience is None:
                self._patience = self.loop.call_later(HEAD_SECONDS, self._out_of_patience)

        def _out_of_patience(self) -> None:
            self._patience = None
            if self.scope is None and not self.transport.is_closing():
                self.transport.abort()

        def handle_websocket_upgrade(self, event: Any) -> None:
            self._stop_waiting()
            super().handle_websocket_upgrade(event)

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.scope is not None:
                self._stop_waiting()

        def on_response_complete(self) -> None:
            super().on_response_complete()
            if self.conn.their_state is h11.SEND_BODY and self._farewell is None:
                self._farewell = self.loop.call_later(LINGER_SECONDS, self.transport.abort)

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop_waiting()
            if self._farewell is not None:
                self._farewell.cancel()
            super().connection_lost(exc)
            self._unset_keepalive_if_required()  # uvicorn leaves it to run where the other end broke the connection

        def _stop_waiting(self) -> None:
            if self._patience is not None:
                self._patience.cancel()
                self._patience = None

    return Careful
