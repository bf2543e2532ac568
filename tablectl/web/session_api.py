"""Logging in and out, the own password, and pairing a player's phone with his seat."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, HTTPException, Request, Response
from pydantic import Field, SecretStr, model_validator

from tablectl.link.protocol import REFUSED, RpcError
from tablectl.web.access import COOKIE, Access
from tablectl.web.doors import By, Gate, Link, Site, TheHub, Watcher, address, only_staff
from tablectl.web.hub import Hub, sitting_of
from tablectl.web.models import ERRORS, Body, Result, SessionOut
from tablectl.web.roles import WebRole, Who
from tablectl.web.settings import WebSettings
from tablectl.web.store import AccountError

router = APIRouter(prefix="/api", responses=ERRORS)


class Login(Body):
    """One of them: a ``token``; an account's ``name`` and ``password``; the ``code`` on the table's display."""

    token: str | None = Field(default=None, min_length=1, max_length=200)
    name: str | None = Field(default=None, min_length=1, max_length=40)
    password: SecretStr | None = Field(default=None, min_length=1, max_length=200)
    code: str | None = Field(default=None, pattern=r"^[0-9]{6}$", description="six digits")

    @model_validator(mode="after")
    def _one(self) -> Login:
        ways = [self.token is not None, self.name is not None or self.password is not None, self.code is not None]
        if sum(ways) != 1 or (self.name is None) != (self.password is None):
            raise ValueError("expected a token, or name and password, or a code")
        return self


class NewPassword(Body):
    old: SecretStr = Field(min_length=1, max_length=200)
    new: SecretStr = Field(min_length=1, max_length=200)


class Seat(Body):
    seat: int = Field(ge=0, le=3)


@router.get("/session")
async def session(request: Request, access: Gate, hub: TheHub, settings: Site) -> SessionOut:
    """Who this client is, and what it may see."""
    return _session(access.who(request.cookies), access, hub, settings)


@router.post("/login")
async def login(
    body: Login, request: Request, response: Response, access: Gate, hub: TheHub, settings: Site
) -> SessionOut:
    """Exchange a token, a password or a code for a session cookie."""
    place = address(request)
    if body.token is not None:
        cookie, who = access.by_token(body.token, place)
    elif body.name is not None and body.password is not None:
        cookie, who = await access.by_password(body.name, body.password.get_secret_value(), place)
    else:
        cookie, who = await _by_code(str(body.code), place, access, hub)
    set_cookie(request, response, cookie, access)
    return _session(who, access, hub, settings)


@router.post("/logout")
async def logout(request: Request, response: Response, access: Gate, hub: TheHub, settings: Site) -> SessionOut:
    """End the session: its cookie opens nothing any more, here or elsewhere."""
    who = access.who(request.cookies)
    if who is not None and who.session is not None:
        access.store.end(who.session)
    response.delete_cookie(COOKIE, httponly=True, samesite="strict")
    return _session(access.who({}), access, hub, settings)


@router.post("/password")
async def password(
    body: NewPassword,
    request: Request,
    response: Response,
    who: Watcher,
    access: Gate,
    hub: TheHub,
    settings: Site,
) -> SessionOut:
    """Change the own account's password; all its other sessions end."""
    place = address(request)
    try:
        access.may_try(place)
        if not who.name or not await access.right_password(who.name, body.old.get_secret_value()):
            raise access.wrong(place, "wrong_old_password")
        access.store.set_password(who.name, body.new.get_secret_value())
    except AccountError as error:
        raise HTTPException(422, str(error)) from None
    cookie, again = access.begin(who, place, account=True)
    set_cookie(request, response, cookie, access)
    return _session(again, access, hub, settings)


@router.post("/pairing", dependencies=[only_staff])
async def pairing(body: Seat, link: Link, by: By) -> Result:
    """Show a code on the table's display; whoever gives it at `login` is the player of that seat."""
    return Result(result=await link.call("pairing.show", {"seat": body.seat, "by": by}))


def set_cookie(request: Request, response: Response, cookie: str, access: Access) -> None:
    """The session's cookie: not for scripts, not for other sites, only over HTTPS where the page is."""
    secure = request.url.scheme == "https"
    seconds = access.cookie_seconds
    response.set_cookie(COOKIE, cookie, max_age=seconds, httponly=True, samesite="strict", secure=secure)


async def _by_code(code: str, place: str, access: Access, hub: Hub) -> tuple[str, Who]:
    """The player of the seat whose code this is. The core knows the codes, this process does not."""
    access.may_try(place)
    try:
        told: dict[str, Any] = await hub.public.call("pairing.redeem", {"code": code, "by": f"web@{place}"})
    except RpcError as error:
        if error.code != REFUSED:
            raise
        raise access.wrong(place, "code_opens_nothing") from None
    seat = int(told["seat"])
    sitting = sitting_of(hub.now, seat)
    who = Who(WebRole.PLAYER, hub.now["table"]["names"][seat], seat, sitting)
    return access.begin(who, place, account=False)


def _session(who: Who | None, access: Access, hub: Hub, settings: WebSettings) -> SessionOut:
    seat = None
    if who is not None and who.role is WebRole.PLAYER:
        seat = who.seat
        if seat is None and hub.spectators.subscription.state:
            seat = hub.seat_of(who.name)
    delayed = who is None or who.role is WebRole.SPECTATOR
    return SessionOut(
        role=None if who is None else who.role,
        name=None if who is None else who.name or None,
        seat=seat,
        open=access.open,
        delay_seconds=settings.spectator_delay_seconds if delayed else 0,
        records=settings.records,
    )
