"""Requests about the table as it is: state, events, faults; rulings and what staff and players may do."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Path, Query
from fastapi.responses import JSONResponse
from pydantic import Field

from tablectl.link.client import LinkClient
from tablectl.web.doors import (
    By,
    Link,
    PlayerSeat,
    TheHub,
    Watcher,
    only_referee,
    only_staff,
    seat_now,
)
from tablectl.web.hub import Hub, sitting_of
from tablectl.web.models import ERRORS, Body, EventsOut, FaultsOut, Health, Open, Result, StateOut
from tablectl.web.roles import WebRole, Who

router = APIRouter(prefix="/api", responses=ERRORS)

#: the machine's commands answer when they are done
MACHINE_SECONDS = 60.0
Since = Annotated[int, Query(ge=0, le=2**53, description="the last event that is known")]


class MachineDo(StrEnum):
    """What the machine can be told (link methods ``machine.<do>``)."""

    LIFT = "lift"
    PAUSE = "pause"
    RESUME = "resume"
    SHUFFLE = "shuffle"
    STOP = "stop"
    PROGRAMME = "programme"


class MatchDo(StrEnum):
    """The match (link methods ``match.<do>``)."""

    START = "start"
    END = "end"
    SEATS = "seats"
    DICE = "dice"
    KEY = "key"
    INDICATOR = "indicator"


class PlayerDo(StrEnum):
    """What a player may do from his phone (link methods ``player.<do>``)."""

    AGREE = "agree"
    SCORE_QUERY = "score_query"
    CALL = "call"


class Ruling(Open):
    """Particulars of a ruling; which ones there are and which are needed depends on the act, the table says so."""

    seat: int | None = Field(default=None, ge=0, le=3)
    points: int | None = Field(default=None, ge=0, le=1_000_000)
    to: Annotated[int, Field(ge=0, le=3)] | str | None = Field(default=None, description="each, nobody, or a seat")
    reason: str = Field(default="", max_length=200)
    replaces: int | None = Field(default=None, ge=1, description="place in the hand's record that was read wrongly")
    event: dict[str, Any] | None = Field(default=None, description="the right event; none: it did not happen")


class MachineAct(Body):
    tiles: int | None = Field(default=None, ge=0, le=1000, description="programme: tiles of a set")


class MatchAct(Body):
    names: list[Annotated[str, Field(max_length=40)]] | None = Field(default=None, min_length=4, max_length=4)
    dice: list[Annotated[int, Field(ge=1, le=6)]] | None = Field(default=None, min_length=1, max_length=4)
    reason: str = Field(default="", max_length=200)
    key: str | None = Field(default=None, max_length=20, description="a key pressed for a seat, e.g. `dice`, `win`")
    tile: str | None = Field(default=None, max_length=2, description="the indicator that lies")
    seat: int | None = Field(default=None, ge=0, le=3)
    n: int | None = Field(default=None, ge=0, le=2)


class FaultId(Body):
    id: str = Field(max_length=100, description="as `faults` gives it, or a code for all of that code")


class SimFault(Open):
    fault: str = Field(max_length=100)


class Nothing(Body):
    pass


# --- reading


@router.get("/health")
async def health(hub: TheHub) -> Health:
    """Whether the core answers."""
    return Health(core=hub.staff.connected, age=hub.staff.age)


@router.get("/state", responses={200: {"model": StateOut}})
async def state(hub: TheHub, link: Link, who: Watcher, by: By) -> JSONResponse:
    """The whole state as this role sees it."""
    if who.role is WebRole.SPECTATOR:
        told = hub.spectators.snapshot()
        if told is None:
            raise HTTPException(503, _not_yet(hub))
        return JSONResponse(told)
    return JSONResponse(await _seen(hub, link, who, by))


def _not_yet(hub: Hub) -> str:
    if not hub.staff.connected:
        return f"the core does not answer: {hub.staff.trouble}"
    return f"spectators are {hub.spectators.delay:g} s behind, and this page was started just now; wait a moment"


async def _seen(hub: Hub, link: LinkClient, who: Who, by: str) -> dict[str, Any]:
    """The state as staff or a player sees it. The seats may have changed by the time it comes."""
    seat = seat_now(hub, who) if who.role is WebRole.PLAYER else None
    seated = None if seat is None else sitting_of(hub.now, seat)
    given = {"role": who.role.view.value, "by": by} | ({} if seat is None else {"seat": seat})
    told: dict[str, Any] = await link.call("state.get", given)
    if seat is not None and sitting_of(told["state"], seat) != seated:
        raise HTTPException(403, "the players change seats just now; ask again")
    return told


@router.get("/events", responses={200: {"model": EventsOut}})
async def events(hub: TheHub, link: Link, who: Watcher, by: By, since: Since = 0) -> JSONResponse:
    """The events after number ``since`` as this role sees them; a player reads what everybody may."""
    if who.role in (WebRole.SPECTATOR, WebRole.PLAYER):
        return JSONResponse(await hub.spectators.since(since, link))
    told = await link.call("events.since", {"role": who.role.view.value, "seq": since, "by": by})
    return JSONResponse({**told, "events": hub.shown(who.role.view, told["events"])})


@router.get("/faults", responses={200: {"model": FaultsOut}})
async def faults(hub: TheHub, link: Link, who: Watcher) -> JSONResponse:
    """The faults that stand."""
    if who.role is WebRole.SPECTATOR and hub.spectators.delay:
        return JSONResponse({"result": hub.spectators.state.get("faults", [])})
    return JSONResponse({"result": await link.call("faults.list", {"role": who.role.view.value})})


@router.get("/methods")
async def methods(link: Link, who: Watcher) -> Result:
    """What the core can be asked: methods of the link, sections of the state, roles."""
    return Result(result=await link.call("rpc.methods"))


# --- changing


def _given(body: Body | Open, by: str) -> dict[str, Any]:
    return {**body.model_dump(exclude_unset=True), "by": by}


@router.post("/referee/{do}", dependencies=[only_referee])
async def rule(do: Annotated[str, Path(pattern=r"^[a-z_]{1,40}$")], body: Ruling, link: Link, by: By) -> Result:
    """A referee's act (link method ``referee.<do>``; `methods` lists them)."""
    return Result(result=await link.call(f"referee.{do}", _given(body, by)))


@router.post("/machine/{do}", dependencies=[only_staff])
async def machine(do: MachineDo, link: Link, by: By, body: MachineAct | None = None) -> Result:
    """Tell the machine."""
    given = _given(body or MachineAct(), by)
    return Result(result=await link.call(f"machine.{do.value}", given, seconds=MACHINE_SECONDS))


@router.post("/match/{do}", dependencies=[only_staff])
async def match(do: MatchDo, body: MatchAct, link: Link, by: By) -> Result:
    """Begin or end a match, name the seats, enter the dice, press a key for a seat."""
    return Result(result=await link.call(f"match.{do.value}", _given(body, by)))


@router.post("/faults/clear", dependencies=[only_staff])
async def clear_faults(body: FaultId, link: Link, by: By) -> Result:
    """Clear a fault after its cause was seen to."""
    return Result(result=await link.call("faults.clear", _given(body, by)))


@router.post("/sim/fault", dependencies=[only_staff])
async def sim_fault(body: SimFault, link: Link, by: By) -> Result:
    """Bring about a fault of the simulated table."""
    return Result(result=await link.call("sim.fault", _given(body, by)))


@router.post("/player/{do}")
async def act(do: PlayerDo, body: Nothing, hub: TheHub, link: Link, seat: PlayerSeat, by: By) -> Result:
    """A player's act, for his own seat: agree to the declared win, ask for the scores, call the referee."""
    name = hub.now["table"]["names"][seat]
    return Result(result=await link.call(f"player.{do.value}", {"seat": seat, "name": name, "by": by}))
