"""What every request passes: who asks, what that role may do, by which link, and how errors are told."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Coroutine
from typing import Annotated, Any, Final

from fastapi import Depends, HTTPException
from starlette.requests import HTTPConnection

from tablectl.link.client import LinkClient
from tablectl.link.protocol import BUSY, INTERNAL_ERROR, INVALID_PARAMS, LINK_DOWN, METHOD_NOT_FOUND, REFUSED
from tablectl.web.access import Access
from tablectl.web.hub import Hub, sitting_of
from tablectl.web.roles import OWNERS, STAFF, WebRole, Who
from tablectl.web.settings import WebSettings

#: HTTP status for each error of the link
STATUS: Final = {
    REFUSED: 409,
    BUSY: 429,
    INVALID_PARAMS: 422,
    METHOD_NOT_FOUND: 404,
    LINK_DOWN: 503,
    INTERNAL_ERROR: 502,
}
#: roles that a spectator's link serves
PUBLIC: Final = frozenset({WebRole.SPECTATOR, WebRole.PLAYER})


def address(connection: HTTPConnection) -> str:
    """The network address at the other end, for the log and the journal."""
    return connection.client.host if connection.client is not None else "unknown address"


async def hub_of(connection: HTTPConnection) -> Hub:
    hub: Hub = connection.app.state.hub
    return hub


async def access_of(connection: HTTPConnection) -> Access:
    access: Access = connection.app.state.access
    return access


async def settings_of(connection: HTTPConnection) -> WebSettings:
    settings: WebSettings = connection.app.state.settings
    return settings


TheHub = Annotated[Hub, Depends(hub_of)]
Gate = Annotated[Access, Depends(access_of)]
Site = Annotated[WebSettings, Depends(settings_of)]


async def watcher(connection: HTTPConnection, access: Gate) -> Who:
    """Whoever may watch. Raises HTTPException 401."""
    who = access.who(connection.cookies)
    if who is None:
        raise HTTPException(401, "this page needs a token: open it with the link you were given, or log in")
    return who


Watcher = Annotated[Who, Depends(watcher)]


async def by_of(connection: HTTPConnection, who: Watcher) -> str:
    return who.by(address(connection))


async def link_of(hub: TheHub, who: Watcher) -> LinkClient:
    return hub.public if who.role in PUBLIC else hub.staff


By = Annotated[str, Depends(by_of)]
Link = Annotated[LinkClient, Depends(link_of)]


def _only(roles: frozenset[WebRole], message: str) -> Callable[[Who], Coroutine[Any, Any, Who]]:
    async def only(who: Watcher) -> Who:
        if who.role not in roles:
            raise HTTPException(403, message)
        return who

    return only


only_referee: Final = Depends(_only(frozenset({WebRole.REFEREE}), "only the referee may do this: log in as referee"))
only_staff: Final = Depends(_only(STAFF, "only the operator or the referee may do this: log in as one of them"))
only_admin: Final = Depends(_only(frozenset({WebRole.ADMIN}), "only the admin may do this: log in as admin"))
_players = _only(frozenset({WebRole.PLAYER}), "only a player at the table may do this: log in as a player")


def seat_now(hub: Hub, who: Who) -> int:
    """Where a player sits now. Raises HTTPException 403 where he does not (any more), RpcError while nobody knows."""
    if who.seat is not None:
        if sitting_of(hub.now, who.seat) != who.sitting:
            raise HTTPException(403, "the players changed seats since you logged in; log in again")
        return who.seat
    seat = hub.seat_of(who.name)
    if seat is None:
        raise HTTPException(403, f"{who.name} does not sit at this table; the operator names the seats")
    return seat


async def player(who: Annotated[Who, Depends(_players)], hub: TheHub) -> int:
    """The seat of the player who asks."""
    return seat_now(hub, who)


PlayerSeat = Annotated[int, Depends(player)]


async def may_read_figures(connection: HTTPConnection, access: Gate, settings: Site) -> None:
    """Operator, admin, or a program with the metrics token. Raises HTTPException 401."""
    token = settings.metrics_token.get_secret_value()
    scheme, _, given = connection.headers.get("authorization", "").partition(" ")
    if token and scheme.lower() == "bearer" and secrets.compare_digest(given.strip().encode(), token.encode()):
        return
    who = access.who(connection.cookies)
    if who is None or who.role not in OWNERS:
        raise HTTPException(401, "log in as operator or admin, or give the metrics token (Authorization: Bearer …)")
