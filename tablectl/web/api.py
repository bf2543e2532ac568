"""Requests of the page and of programs: JSON over HTTP, each one a call on the link."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

from fastapi import APIRouter, Depends, HTTPException, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from tablectl.game.views import Role
from tablectl.link.client import LinkClient
from tablectl.link.protocol import BUSY, INTERNAL_ERROR, INVALID_PARAMS, LINK_DOWN, METHOD_NOT_FOUND, REFUSED
from tablectl.web.access import COOKIE, SESSION_SECONDS, Access

router = APIRouter(prefix="/api")

#: HTTP status for each error of the link
STATUS = {
    REFUSED: 409,
    BUSY: 429,
    INVALID_PARAMS: 422,
    METHOD_NOT_FOUND: 404,
    LINK_DOWN: 503,
    INTERNAL_ERROR: 502,
}


class RefereeDo(StrEnum):
    """A referee's acts (link methods ``referee.<do>``)."""

    CONFIRM = "confirm"
    REFUSE = "refuse"
    PENALTY = "penalty"
    PENALTY_TILE = "penalty_tile"
    WARNING = "warning"
    DEAD_HAND = "dead_hand"
    REVIVE = "revive"
    DISMISS = "dismiss"
    SEAT_EMPTY = "seat_empty"
    SEAT_TAKEN = "seat_taken"
    DRAW_HAND = "draw_hand"
    CORRECT = "correct"
    UNDO = "undo"
    PAUSE = "pause"
    RESUME = "resume"
    END_GAME = "end_game"


class MachineDo(StrEnum):
    """What the machine can be told (link methods ``machine.<do>``)."""

    LIFT = "lift"
    PAUSE = "pause"
    RESUME = "resume"
    SHUFFLE = "shuffle"
    STOP = "stop"


class MatchDo(StrEnum):
    """The match (link methods ``match.<do>``)."""

    START = "start"
    END = "end"
    SEATS = "seats"


class Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Login(Body):
    token: str = Field(min_length=1, max_length=200)


class Ruling(Body):
    """Particulars of a ruling; which ones are needed depends on the act."""

    seat: int | None = Field(default=None, ge=0, le=3)
    points: int | None = Field(default=None, ge=0, le=1000)
    to: Annotated[int, Field(ge=0, le=3)] | str | None = Field(default=None, description="each, nobody, or a seat")
    reason: str = Field(default="", max_length=200)
    pai: str | None = Field(default=None, max_length=2, description="penalty_tile: which tile goes next")
    alert: int | None = Field(default=None, ge=1, description="number of the alert that this answers")
    replaces: int | None = Field(default=None, ge=1, description="place in the hand's record that was read wrongly")
    event: dict[str, Any] | None = Field(default=None, description="the right event; none: it did not happen")


class MatchAct(Body):
    names: list[Annotated[str, Field(max_length=40)]] | None = Field(default=None, min_length=4, max_length=4)
    rules: str | None = None
    options: dict[str, Any] | None = None


class Session(BaseModel):
    role: Role | None
    #: the page asks for a token where none is needed to watch only on request
    open: bool


class Result(BaseModel):
    """What the core answered."""

    result: Any


# --- who asks


async def _link(request: Request) -> LinkClient:
    link: LinkClient = request.app.state.hub.client
    return link


async def _access(request: Request) -> Access:
    access: Access = request.app.state.access
    return access


Gate = Annotated[Access, Depends(_access)]


async def _role(request: Request, access: Gate) -> Role:
    role = access.role(request.cookies)
    if role is None:
        raise HTTPException(401, "this page needs a token: open it with the link you were given")
    return role


async def _referee(role: Annotated[Role, Depends(_role)]) -> Role:
    if role is not Role.REFEREE:
        raise HTTPException(403, "only the referee may do this: log in with the referee's token")
    return role


async def _staff(role: Annotated[Role, Depends(_role)]) -> Role:
    if role not in (Role.REFEREE, Role.OPERATOR):
        raise HTTPException(403, "only the operator or the referee may do this: log in with such a token")
    return role


def address(client: Any) -> str:
    """The network address at the other end, for the log and the journal."""
    return client.host if client is not None else "unknown address"


async def _by(request: Request, role: Annotated[Role, Depends(_role)]) -> str:
    return f"{role.value}@{address(request.client)}"


Link = Annotated[LinkClient, Depends(_link)]
Watcher = Annotated[Role, Depends(_role)]
By = Annotated[str, Depends(_by)]
only_referee = [Depends(_referee)]
only_staff = [Depends(_staff)]


# --- session


@router.get("/session")
async def session(request: Request, access: Gate) -> Session:
    """The role of this browser, and whether watching needs a token."""
    return Session(role=access.role(request.cookies), open=access.role({}) is not None)


@router.post("/login")
async def login(body: Login, request: Request, response: Response, access: Gate) -> Session:
    """Exchange a token for a session cookie."""
    role = open_session(request, response, body.token, access)
    return Session(role=role, open=access.role({}) is not None)


@router.post("/logout")
async def logout(response: Response, access: Gate) -> Session:
    """Forget the session."""
    response.delete_cookie(COOKIE, httponly=True, samesite="strict")
    return Session(role=access.role({}), open=access.role({}) is not None)


def open_session(request: Request, response: Response, token: str, access: Access) -> Role:
    """Set the cookie of the role that ``token`` opens. Raises HTTPException 401, or 429 after too many wrong ones."""
    who = address(request.client)
    if access.must_wait(who):
        raise HTTPException(429, "too many wrong tokens; wait a minute")
    role = access.login(token)
    if role is None:
        access.note_wrong(who)
        raise HTTPException(401, "this token opens nothing; ask the operator for a new link")
    cookie = access.session(role)
    secure = request.url.scheme == "https"
    response.set_cookie(COOKIE, cookie, max_age=SESSION_SECONDS, httponly=True, samesite="strict", secure=secure)
    return role


# --- reading


@router.get("/state")
async def state(link: Link, role: Watcher, by: By) -> dict[str, Any]:
    """The whole state as this role sees it."""
    result: dict[str, Any] = await link.call("state.get", {"role": role.value, "by": by})
    return result


@router.get("/events")
async def events(link: Link, role: Watcher, by: By, since: Annotated[int, Query(ge=0)] = 0) -> dict[str, Any]:
    """The events after number ``since`` as this role sees them."""
    result: dict[str, Any] = await link.call("events.since", {"role": role.value, "seq": since, "by": by})
    return result


@router.get("/faults")
async def faults(link: Link, role: Watcher) -> Result:
    """The faults that stand."""
    return Result(result=await link.call("faults.list", {"role": role.value}))


# --- changing


def _given(body: BaseModel, by: str) -> dict[str, Any]:
    return {**body.model_dump(exclude_unset=True), "by": by}


@router.post("/referee/{do}", dependencies=only_referee)
async def rule(do: RefereeDo, body: Ruling, link: Link, by: By) -> Result:
    """A referee's act."""
    return Result(result=await link.call(f"referee.{do.value}", _given(body, by)))


@router.post("/machine/{do}", dependencies=only_staff)
async def machine(do: MachineDo, link: Link, by: By) -> Result:
    """Tell the machine."""
    return Result(result=await link.call(f"machine.{do.value}", {"by": by}, seconds=60))


@router.post("/match/{do}", dependencies=only_staff)
async def match(do: MatchDo, body: MatchAct, link: Link, by: By) -> Result:
    """Begin or end a match, name the seats."""
    return Result(result=await link.call(f"match.{do.value}", _given(body, by)))


@router.post("/faults/clear", dependencies=only_staff)
async def clear_faults(body: dict[str, Any], link: Link, by: By) -> Result:
    """Clear a fault (or all) after its cause was seen to."""
    return Result(result=await link.call("faults.clear", {**body, "by": by}))


@router.post("/sim/fault", dependencies=only_staff)
async def sim_fault(body: dict[str, Any], link: Link, by: By) -> Result:
    """Bring about a fault of the simulated table."""
    return Result(result=await link.call("sim.fault", {**body, "by": by}))
