"""What holds for every request: security headers, the size of bodies, where writing requests come from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: the page needs nothing but its own files; pictures of the displays come as ``data:``
CONTENT_POLICY = "; ".join(
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
HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": CONTENT_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-cache",
}
READING = frozenset({"GET", "HEAD", "OPTIONS"})


def same_origin(headers: Headers, allowed: frozenset[str]) -> bool:
    """Whether a browser's request comes from our own page (or an allowed one). Programs send no Origin."""
    origin = headers.get("origin")
    if origin is None or origin in allowed:
        return True
    return urlsplit(origin).netloc == headers.get("host")


class Guard:
    """ASGI middleware around the whole application."""

    def __init__(self, app: ASGIApp, *, body_bytes: int, origins: frozenset[str], https: bool) -> None:
        self._app = app
        self._body_bytes = body_bytes
        self._origins = origins
        self._headers = dict(HEADERS)
        if https:
            self._headers["Strict-Transport-Security"] = "max-age=31536000"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        # A WebSocket's handshake is a GET, but its data flows to whoever opened it.
        writes = scope["type"] == "websocket" or scope["method"] not in READING
        if writes and not same_origin(headers, self._origins):
            await self._refuse(scope, send, 403, "this request comes from another site's page")
        elif scope["type"] == "websocket":
            await self._app(scope, receive, send)
        elif (body := await _body(receive, self._body_bytes)) is None:
            await self._refuse(scope, send, 413, f"the body is larger than {self._body_bytes} bytes")
        else:
            await self._app(scope, _replay(body, receive), self._with_headers(send))

    def _with_headers(self, send: Send) -> Send:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(self._headers)
            await send(message)

        return send_with_headers

    async def _refuse(self, scope: Scope, send: Send, status: int, message: str) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 4403, "reason": message})
            return
        body = json.dumps({"error": {"code": status, "message": message}}).encode()
        head = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        send = self._with_headers(send)
        await send({"type": "http.response.start", "status": status, "headers": head})
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
