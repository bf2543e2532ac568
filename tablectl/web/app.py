"""The application: routes, the live view's WebSocket, errors for people, and how it is served."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI, HTTPException, Request, Response, WebSocket
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse, RedirectResponse
from fastapi.staticfiles import StaticFiles
from starlette.websockets import WebSocketDisconnect, WebSocketState

import tablectl
from tablectl.game.views import Role
from tablectl.link.protocol import INVALID_PARAMS, RpcError
from tablectl.web.access import Access
from tablectl.web.api import STATUS, address, open_session, router
from tablectl.web.guard import Guard
from tablectl.web.hub import Hub, Page
from tablectl.web.records import router as records
from tablectl.web.settings import WebSettings

log = logging.getLogger(__name__)

STATIC = Path(__file__).parent / "static"
#: a page that takes so long for one message is gone
SEND_SECONDS = 10.0
#: the page tells its wish for a token by these codes (4000–4999 are an application's own)
CLOSE_NO_ROLE = 4401
CLOSE_FULL = 4429


def create_app(settings: WebSettings, link_path: Path) -> FastAPI:
    """The page of the table whose core listens at ``link_path``."""
    hub = Hub(link_path)

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with hub.client:
            yield

    app = FastAPI(
        title="tablectl",
        version=tablectl.__version__,
        summary="The live table: state, events, rulings.",
        lifespan=lifespan,
        docs_url=None,  # those pages load scripts from elsewhere
        redoc_url=None,
    )
    app.state.hub = hub
    app.state.access = Access(settings.tokens)
    app.state.settings = settings
    app.include_router(router)
    app.include_router(records)
    app.add_api_route("/", _page, methods=["GET", "HEAD"], include_in_schema=False, response_model=None)
    app.add_api_route("/records", _records, methods=["GET", "HEAD"], include_in_schema=False, response_model=None)
    app.add_api_websocket_route("/ws", _live)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    app.add_exception_handler(RpcError, _rpc_error)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_middleware(Guard, body_bytes=settings.body_bytes, origins=settings.origins, https=settings.https)
    return app


def serve(settings: WebSettings, link_path: Path) -> None:
    """Serve until a signal ends it (the ``tablectl web`` command)."""
    server(settings, link_path).run()


def server(settings: WebSettings, link_path: Path) -> uvicorn.Server:
    """The server, for who runs it in an event loop of its own: ``await server(…).serve()``."""
    config = uvicorn.Config(
        create_app(settings, link_path),
        host=settings.host,
        port=settings.port,
        ssl_certfile=settings.certificate,
        ssl_keyfile=settings.key,
        ws="websockets-sansio",
        ws_max_size=4096,
        ws_ping_interval=10.0,
        ws_ping_timeout=20.0,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=settings.max_pages * 2 + 50,
        timeout_graceful_shutdown=3,
    )
    return uvicorn.Server(config)


# --- the page


async def _page(request: Request, token: str | None = None) -> Response:
    """The page. With ``?token=`` it opens a session first and drops the token from the address bar."""
    if token is None:
        return FileResponse(STATIC / "index.html")
    response = RedirectResponse("/", status_code=303)
    try:
        open_session(request, response, token, request.app.state.access)
    except HTTPException as error:
        return RedirectResponse(f"/?refused={error.status_code}", status_code=303)
    return response


async def _records() -> Response:
    """The page of the hands that are over."""
    return FileResponse(STATIC / "records.html")


# --- the live view


async def _live(socket: WebSocket, since: int | None = None) -> None:
    """The whole state, then what changes; a ``tick`` with the age of the data while nothing does."""
    hub: Hub = socket.app.state.hub
    settings: WebSettings = socket.app.state.settings
    access: Access = socket.app.state.access
    await socket.accept()
    role = access.role(socket.cookies)
    if role is None:
        await socket.close(CLOSE_NO_ROLE, "this page needs a token")
        return
    if hub.pages >= settings.max_pages:
        await socket.close(CLOSE_FULL, f"{settings.max_pages} pages are open already")
        return
    page = Page(since)
    audience = hub.join(role, page)
    sending = asyncio.ensure_future(_send(hub, audience, page, socket, role))
    try:
        while True:
            await socket.receive()  # a page says nothing; this ends when it goes
            if socket.client_state is WebSocketState.DISCONNECTED:
                break
    finally:
        sending.cancel()
        await asyncio.gather(sending, return_exceptions=True)
        hub.leave(audience, page)


async def _send(hub: Hub, audience: Any, page: Page, socket: WebSocket, role: Role) -> None:
    if role is Role.REFEREE:
        await _note_look(hub, role, socket)
    with contextlib.suppress(WebSocketDisconnect, TimeoutError):
        while True:
            for message in await hub.messages(audience, page):
                async with asyncio.timeout(SEND_SECONDS):
                    await socket.send_text(message)
    with contextlib.suppress(RuntimeError):  # it may be closed already
        await socket.close(1001)


async def _note_look(hub: Hub, role: Role, socket: WebSocket) -> None:
    """The core's log says who sees standing tiles; no note, no look."""
    who = f"{role.value}@{address(socket.client)}"
    while True:
        try:
            await hub.client.call("state.looked", {"role": role.value, "by": who})
            return
        except RpcError as error:
            log.warning("the referee's page waits: %s", error)
            await socket.send_text(hub.tick())
            await asyncio.sleep(1)


# --- errors


def _error(status: int, code: int, message: str, data: Any = None) -> JSONResponse:
    error: dict[str, Any] = {"code": code, "message": message}
    if data is not None:
        error["data"] = data
    return JSONResponse({"error": error}, status)


async def _rpc_error(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RpcError)
    return _error(STATUS.get(error.code, 502), error.code, error.message, error.data)


async def _http_error(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    return _error(error.status_code, error.status_code, str(error.detail))


async def _invalid(_: Request, error: Exception) -> JSONResponse:
    """All that is wrong with a request, each with its place."""
    assert isinstance(error, RequestValidationError)
    wrong = "; ".join(f"{'.'.join(map(str, e['loc'][1:])) or e['loc'][0]}: {e['msg']}" for e in error.errors())
    return _error(422, INVALID_PARAMS, wrong)
