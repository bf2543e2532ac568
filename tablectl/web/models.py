"""Shapes of what goes over the wire, for `/openapi.json` and `/asyncapi.json`.

What the core sends goes out as it is: these models describe it (the tests hold real matches against them), they do not
filter it. Keys may be added to objects of the table; programs ignore those that they do not know.
"""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from tablectl.web.roles import WebRole
from tablectl.web.settings import Records


class Body(BaseModel):
    """What a client sends: unknown keys are mistakes."""

    model_config = ConfigDict(extra="forbid")


class Open(BaseModel):
    """What the table tells: keys may be added."""

    model_config = ConfigDict(extra="allow")


def _named(name: str) -> Any:
    """Stands for a schema that `schemas` makes from the events' own types."""
    return WithJsonSchema({"x-named": name})


EventJson = Annotated[dict[str, Any], _named("Event")]
Code = Annotated[str, _named("Tile")]
Seat = Annotated[int, Field(ge=0, le=3)]
Four = Annotated[list[int], Field(min_length=4, max_length=4)]
Seq = Annotated[int, Field(ge=0, description="number of an event in the journal")]


# --- errors


class Error(BaseModel):
    code: int
    #: for a person: what happened and what was expected
    message: str
    data: Any = None


class ErrorOut(BaseModel):
    error: Error


_MEANING: Final = {
    400: "not a request",
    401: "no token, or it opens nothing",
    403: "the wrong role, or another site's page",
    404: "there is no such thing",
    405: "not by this method",
    408: "the body came too slowly",
    409: "the table cannot do this now",
    413: "the body is too large",
    415: "the body is no JSON",
    422: "something in the request is not as it must be",
    423: "the account is locked",
    429: "too many requests, or too many wrong words",
    502: "the core failed to do this",
    503: "the core does not run",
}
ERRORS: Final[dict[int | str, dict[str, Any]]] = {
    status: {
        "description": meaning,
        # named, not made into a model for each route: the page is to start quickly
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ErrorOut"}}},
    }
    for status, meaning in _MEANING.items()
}


# --- answers


class Result(BaseModel):
    """What the core answered."""

    result: Any


class SessionOut(BaseModel):
    """``role`` null: watching needs a token (``open`` false). ``delay_seconds``: how far behind this role's view is;
    ``records``: what everybody may see of hands that are over."""

    role: WebRole | None
    name: str | None
    seat: int | None
    open: bool
    delay_seconds: float
    records: Records


class Health(BaseModel):
    """``core``: it answers; ``age``: seconds since it was last heard."""

    core: bool
    age: float | None


# --- the state


class Match(Open):
    phase: str
    hand: int
    game: int
    circle: int
    dealer: Seat
    prevalent: str
    streak: int
    points: Four
    off_board: Four
    carry: dict[str, int]
    over: str | None
    empty_seats: list[Seat]
    started_at: float | None
    paused: bool
    unconfirmed: bool
    pause_due: int


class Meld(Open):
    kind: str
    tiles: list[Code | None]
    source: int | None
    source_seat: Seat | None
    taken: Code | None
    sideways: int | None


class RiverTile(Open):
    tile: Code
    claimed_by: Seat | None


class SeatState(Open):
    """``standing``, ``drawn``: null for roles that may not see them."""

    wind: str
    name: str
    points: int
    count: int
    standing: list[Code | None] | None
    drawn: Code | None
    owed: int
    melds: list[Meld]
    flowers: list[Code]
    river: list[RiverTile]
    dead: str | None
    ready: bool
    shown: list[Code]


class HandState(Open):
    number: int
    phase: str
    dealer: Seat
    turn: int | None
    to_act: int | None
    points: Four
    dice: list[list[int]]
    commitments: dict[str, str]
    wall_left: int
    indicator: Code | None
    wild: list[Code]
    deadline: float | None
    seats: Annotated[list[SeatState], Field(min_length=4, max_length=4)]
    declared: list[EventJson]
    alerts: list[EventJson]
    winners: list[Seat]


class TableState(Open):
    role: str
    seat: int | None
    seq: Seq
    rules: str
    simulated: bool
    names: Annotated[list[str], Field(min_length=4, max_length=4)]
    match: Match
    hand: HandState | None


class FaultText(Open):
    title: str
    usual: list[str]
    next: str


class FaultOut(Open):
    id: str
    code: str
    where: str
    severity: str
    detail: str
    since: float
    zh: FaultText
    en: FaultText
    clear_by: list[str]


class SeatCan(Open):
    """``rulings``: of a referee on this seat; ``keys``: those that can be pressed for it, each with ``key`` and, where
    it carries a number, ``n``."""

    rulings: list[str]
    keys: list[dict[str, Any]]


class Can(Open):
    """What this role can do now: commands of the match, rulings on the table and on each seat; a player's own acts.
    What a role never does is left out."""

    match: list[str] | None = None
    rulings: list[str] | None = None
    seats: list[SeatCan] | None = None
    player: list[str] | None = None


class Sections(Open):
    """Each section stands as a whole. Every table has ``table`` and ``walls``; ``walls``: for each side the tiles on
    each stack, from the right-hand end as the seat before it sees it."""

    table: TableState | None = None
    walls: list[list[int]] | None = None
    seating: dict[str, int] | None = None
    can: Can | None = None
    faults: list[FaultOut] | None = None
    machine: dict[str, Any] | None = None
    site: dict[str, Any] | None = None
    display: dict[str, Any] | None = None
    requests: list[dict[str, Any]] | None = None
    answers: list[dict[str, Any]] | None = None


class StateOut(BaseModel):
    """``seq``: the last event that it tells; ``t``: the table's clock in seconds."""

    role: str
    seat: int | None
    seq: Seq
    t: float
    state: Sections


class EventsOut(BaseModel):
    """``complete`` false: some events after the number that was asked for are not told; read the state."""

    seq: Seq
    events: list[EventJson]
    complete: bool


# --- the live view


class LiveState(BaseModel):
    """First, and when this client fell behind: the whole state, and the events it has not seen. ``gap``: some of those
    are missing. ``age``: seconds since the core was heard; ``delay``: seconds this view is behind on purpose."""

    type: Annotated[str, Field(pattern="^state$")]
    role: str
    seat: int | None
    seq: Seq
    t: float
    age: float | None
    delay: float
    state: Sections
    events: list[EventJson]
    gap: bool


class LiveUpdate(BaseModel):
    """Something happened: ``state`` holds the sections that changed, each as a whole."""

    type: Annotated[str, Field(pattern="^update$")]
    seq: Seq
    t: float
    age: float | None
    state: Sections
    events: list[EventJson]


class LiveTick(BaseModel):
    """Nothing happened for two seconds, or the core went or came: ``connected``, and why not in ``trouble``. ``held``:
    seconds until a delayed view has something to show."""

    type: Annotated[str, Field(pattern="^tick$")]
    age: float | None
    connected: bool
    delay: float
    trouble: str | None = None
    held: float | None = None


# --- hands that are over


class WinLine(BaseModel):
    actor: Seat
    target: Seat
    pai: Code | None
    fans: dict[str, int]
    score: int


class HandLine(BaseModel):
    hand: int
    dealer: Seat
    bakaze: str
    wins: list[WinLine]
    drawn: str | None
    deltas: Four
    scores: Four


class HandsOut(BaseModel):
    result: list[HandLine]


class RecordLine(Open):
    type: str


class RecordOut(BaseModel):
    """docs/trace-format.md, section 2."""

    result: list[RecordLine]


class Step(BaseModel):
    event: EventJson
    change: dict[str, Any]


class Playback(Open):
    hand: int
    names: list[str]
    rules: dict[str, str]
    first: dict[str, Any]
    steps: list[Step]
    record: list[RecordLine]
    lines: list[str]
    fans: dict[str, str]


class PlaybackOut(BaseModel):
    result: Playback


class Sheets(Open):
    sheets: list[dict[str, Any]]
    zone: str
    fans: dict[str, dict[str, str]]


class SheetsOut(BaseModel):
    result: Sheets


class StatsOut(BaseModel):
    result: dict[str, Any]


class FaultsOut(BaseModel):
    result: list[FaultOut]


# --- accounts, sessions, who looked


class AccountOut(BaseModel):
    name: str
    role: WebRole
    locked: bool
    created: float
    changed: float


class AccountsOut(BaseModel):
    result: list[AccountOut]


class SessionLine(BaseModel):
    """``own``: it is the one that asks."""

    id: int
    role: WebRole
    name: str
    seat: int | None
    address: str
    begun: float
    used: float
    own: bool


class SessionsOut(BaseModel):
    result: list[SessionLine]


class LookOut(BaseModel):
    """Somebody began (``looked``) or ended (``left``) to look at standing tiles. ``n``: number of the fact in the
    journal; ``at``: seconds since 1970."""

    n: int
    at: float
    role: str
    seat: int | None
    by: str
    what: str


class LooksOut(BaseModel):
    result: list[LookOut]
