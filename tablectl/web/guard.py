"""What holds for every request: how many, how large, how slow, where from; security headers on every answer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tablectl.web.limits import Rates, network
from tablectl.web.settings import WebSettings

#: the page needs nothing but its own files; pictures of the displays come as ``data:``
CONTENT_POLICY: Final = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    ]
)
HEADERS: Final[Mapping[str, str]] = {
    "Content-Security-Policy": CONTENT_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
READING: Final = frozenset({"GET", "HEAD", "OPTIONS"})
#: a body that takes so long to arrive is given up
BODY_SECONDS: Final = 10.0


def same_origin(headers: Headers, allowed: frozenset[str]) -> bool:
    """Whether a browser's request comes from our own page (or an allowed one). Programs send no Origin."""
    origin = headers.get("origin")
    if origin is not None and origin not in allowed and urlsplit(origin).netloc != headers.get("host"):
        return False
    return origin in allowed or headers.get("sec-fetch-site") in (None, "same-origin", "none")


class Refused(Exception):
    """This request goes no further."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Guard:
    """ASGI middleware around the whole application."""

    def __init__(self, app: ASGIApp, settings: WebSettings) -> None:
        self._app = app
        self._settings = settings
        self._rates = Rates(settings.requests_per_second, settings.burst)
        self._headers = dict(HEADERS)
        if settings.https:
            self._headers["Strict-Transport-Security"] = "max-age=31536000"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] == "http":
            send = self._with_headers(send, scope["path"])
        try:
            self._check(scope)
            if scope["type"] == "http":
                receive = await self._received(scope, receive)
        except Refused as refused:
            await _refuse(scope, send, refused)
        else:
            await self._app(scope, receive, send)

    def _check(self, scope: Scope) -> None:
        """What can be told without the body. Raises Refused."""
        settings, headers = self._settings, Headers(scope=scope)
        client = scope.get("client")
        if not self._rates.take(network(client[0]) if client else ""):
            raise Refused(429, f"more than {settings.requests_per_second:g} requests a second; wait a moment")
        if settings.hosts and headers.get("host") not in settings.hosts:
            raise Refused(421, "this page is not called by that name")
        # A WebSocket's handshake is a GET, but its data flows to whoever opened it.
        writes = scope["type"] == "websocket" or scope["method"] not in READING
        if writes and not same_origin(headers, settings.origins):
            raise Refused(403, "this request comes from another site's page")

    async def _received(self, scope: Scope, receive: Receive) -> Receive:
        """The same request with its body read as a whole. Raises Refused."""
        try:
            async with asyncio.timeout(BODY_SECONDS):
                first = await _body(receive, self._settings.body_bytes)
        except TimeoutError:
            raise Refused(408, f"the body did not arrive within {BODY_SECONDS:g} s") from None
        if first is None:
            raise Refused(413, f"the body is larger than {self._settings.body_bytes} bytes")
        kind = Headers(scope=scope).get("content-type", "").partition(";")[0].strip().lower()
        # Another site's form can send text, but not JSON.
        if first.get("body") and scope["method"] not in READING and kind != "application/json":
            raise Refused(415, f"the body is {kind or 'of no type'}; expected application/json")
        return _replay(first, receive)

    def _with_headers(self, send: Send, path: str) -> Send:
        caching = "no-cache" if path.startswith("/static/") else "no-store"

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update({**self._headers, "Cache-Control": caching})
            await send(message)

        return send_with_headers


async def _refuse(scope: Scope, send: Send, refused: Refused) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 4403, "reason": str(refused)})
        return
    body = json.dumps({"error": {"code": refused.status, "message": str(refused)}}).encode()
    head = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if refused.status == 429:
        head.append((b"retry-after", b"1"))
    await send({"type": "http.response.start", "status": refused.status, "headers": head})
    await send({"type": "http.response.body", "body": body})


async def _body(receive: Receive, most: int) -> Message | None:
    """The whole body as one message (or the disconnect that came instead); None where it is too large."""
    body = b""
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return message
        body += message.get("body", b"")
        if len(body) > most:
            return None
        if not message.get("more_body", False):
            return {"type": "http.request", "body": body, "more_body": False}


def _replay(first: Message, receive: Receive) -> Receive:
    waiting = [first]

    async def receive_again() -> Message:
        return waiting.pop() if waiting else await receive()

    return receive_again
