"""The application: routes, errors for people, and how it is served."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse, RedirectResponse
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException as StarletteHTTPException
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

import tablectl
from tablectl.link.protocol import INTERNAL_ERROR, INVALID_PARAMS, RpcError, refusal_error
from tablectl.web import admin_api, api, metrics, records, schemas, session_api
from tablectl.web.access import Access, LoginRefused
from tablectl.web.connections import Live, careful
from tablectl.web.doors import STATUS, address
from tablectl.web.guard import Guard
from tablectl.web.hub import Hub
from tablectl.web.live import Doorkeeper, live
from tablectl.web.settings import WebSettings
from tablectl.web.store import Store

STATIC = Path(__file__).parent / "static"
#: pages by address
PAGES = {"/": "index.html", "/records": "records.html", "/login": "login.html", "/access": "access.html"}


def create_app(settings: WebSettings, link_path: Path) -> FastAPI:
    """The page of the table whose core listens at ``link_path``. Raises StoreError: the accounts cannot be opened."""
    hub = Hub(link_path, settings)
    store = Store(settings.accounts)

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await hub.start()
        try:
            yield
        finally:
            await hub.close()
            store.close()

    app = FastAPI(
        title="tablectl",
        version=tablectl.__version__,
        summary="The live table: state, events, rulings.",
        lifespan=lifespan,
        docs_url=None,  # those pages load scripts from elsewhere
        redoc_url=None,
    )
    app.state.hub = hub
    app.state.access = Access(settings, store)
    app.state.settings = settings
    app.state.doorkeeper = Doorkeeper(settings)
    for part in (session_api, api, records, admin_api, metrics):
        app.include_router(part.router)
    for path, file in PAGES.items():
        page = _start if path == "/" else _file(file)
        app.add_api_route(path, page, methods=["GET", "HEAD"], include_in_schema=False, response_model=None)
    app.add_api_route("/asyncapi.json", lambda: JSONResponse(schemas.asyncapi(app)), include_in_schema=False)
    app.add_api_websocket_route("/ws", live)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    app.add_exception_handler(RpcError, _rpc_error)
    app.add_exception_handler(LoginRefused, _login_refused)
    app.add_exception_handler(StarletteHTTPException, _http_error)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(Exception, _unexpected)
    app.add_middleware(Guard, settings=settings)
    if settings.proxies:
        app.add_middleware(ProxyHeadersMiddleware, trusted_hosts=sorted(settings.proxies))
    app.openapi = lambda: schemas.openapi(app)  # type: ignore[method-assign]
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
        http=careful(settings),
        ws=Live,
        ws_max_size=4096,
        ws_ping_interval=10.0,
        ws_ping_timeout=20.0,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=3,
    )
    return uvicorn.Server(config)


# --- pages


async def _start(request: Request, token: str | None = None) -> Response:
    """The page. With ``?token=`` it opens a session first and drops the token from the address bar."""
    if token is None:
        return FileResponse(STATIC / PAGES["/"])
    access: Access = request.app.state.access
    try:
        cookie, _ = access.by_token(token, address(request))
    except LoginRefused as refused:
        return RedirectResponse(f"/?refused={refused.status}", status_code=303)
    response = RedirectResponse("/", status_code=303)
    session_api.set_cookie(request, response, cookie, access)
    return response


def _file(name: str) -> Any:
    async def page() -> FileResponse:
        return FileResponse(STATIC / name)

    return page


# --- errors


def _error(status: int, code: int, message: str, data: Any = None) -> JSONResponse:
    error: dict[str, Any] = {"code": code, "message": message}
    if data is not None:
        error["data"] = data
    return JSONResponse({"error": error}, status)


async def _rpc_error(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RpcError)
    return _error(STATUS.get(error.code, 502), error.code, error.message, error.data)


async def _login_refused(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, LoginRefused)
    told = refusal_error(error)
    return _error(error.status, error.status, told.message, told.data)


async def _http_error(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, StarletteHTTPException)
    answer = _error(error.status_code, error.status_code, str(error.detail))
    answer.headers.update(error.headers or {})
    return answer


async def _invalid(_: Request, error: Exception) -> JSONResponse:
    """All that is wrong with a request, each with its place."""
    assert isinstance(error, RequestValidationError)
    wrong = "; ".join(f"{'.'.join(map(str, e['loc'][1:])) or e['loc'][0]}: {e['msg']}" for e in error.errors())
    return _error(422, INVALID_PARAMS, wrong)


async def _unexpected(_: Request, error: Exception) -> JSONResponse:
    """A mistake of this program: the log has the particulars, the client has not."""
    return _error(500, INTERNAL_ERROR, f"the page failed to do this ({type(error).__name__}); its log says why")
