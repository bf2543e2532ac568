"""Events: what happened, in the past tense. They are the only truth; every state is a fold of them.

The JSON form is that of the hand record (mjai with what these rules add), so the journal, the link, the page and
``tablectl replay --json`` show the same objects. ``type`` comes first; tiles are written in notation, None as ``null``.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, ClassVar, Literal, Union, get_args, get_origin, get_type_hints

from tablectl.rules.api import Points
from tablectl.tiles.notation import parse_tile
from tablectl.tiles.tile import Tile


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Base of all events. ``t``: seconds on the table's monotonic clock; None in records written by hand."""

    type: ClassVar[str]
    t: float | None = None


# --- match


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchStarted(Event):
    """A match began: rule system, options that differ from the defaults, who sits where. ``dealer``: the seat that was
    drawn to deal first, None where the rules say it or dice will."""

    type: ClassVar[str] = "start_game"
    rules: str
    options: Mapping[str, Any] = field(default_factory=dict)
    names: tuple[str, str, str, str] = ("", "", "", "")
    scores: Points = (0, 0, 0, 0)
    simulated: bool = False
    dealer: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatsNamed(Event):
    """Players took their seats (start of a match, change of seats)."""

    type: ClassVar[str] = "seats"
    names: tuple[str, str, str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchEnded(Event):
    """A match (局) is over. ``reason``: ``circles``, ``time``, ``poverty``, ``referee`` …; ``ranks`` from 1."""

    type: ClassVar[str] = "end_game"
    reason: str
    scores: Points
    off_board: Points | None = None
    ranks: tuple[int, int, int, int]


# --- hand: from the walls to the first discard


@dataclass(frozen=True, slots=True, kw_only=True)
class HandOpened(Event):
    """The walls were raised: a hand can begin."""

    type: ClassVar[str] = "hand_opened"
    hand: int
    rules: str
    dealer: int
    bakaze: Tile
    streak: int
    scores: Points
    game: int = 1
    circle: int = 1
    carry: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Committed(Event):
    """The table bound itself to something it keeps secret, before the dice were thrown: ``digest`` is a SHA-256 in
    hexadecimal. ``what``: the ``wall`` (`game.fairness`; ``unknown``: tiles that the lanes missed), or the secret of
    electronic ``dice`` (`drivers.dice`)."""

    type: ClassVar[str] = "commitment"
    what: Literal["wall", "dice"]
    digest: str
    unknown: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class StakeChosen(Event):
    """tianjin 坐庄 / 拉庄: ``sit`` 0 or 1 for the dealer, ``pull`` 0–2 for another seat."""

    type: ClassVar[str] = "stake"
    actor: int
    stake: Literal["sit", "pull"]
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DealerThrown(Event):
    """``actor`` threw for the seat that deals first (zhenjiang Z103): ``dealer``."""

    type: ClassVar[str] = "first_dealer"
    actor: int
    dice: tuple[int, ...]
    dealer: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DiceThrown(Event):
    """The dice came to rest."""

    type: ClassVar[str] = "dice"
    actor: int
    dice: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HandDealt(Event):
    """The deal is complete. ``tehais`` by seat, sorted, before flowers are replaced; the dealer's last tile is
    its first `TileDrawn`. None = a tile the antennas have not named yet."""

    type: ClassVar[str] = "dealt"
    tehais: tuple[tuple[Tile | None, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class IndicatorTurned(Event):
    """The indicator (开混, 开金, 正搭) lies open. ``actor``: the seat that turned it up."""

    type: ClassVar[str] = "indicator"
    pai: Tile
    actor: int | None = None


# --- play


@dataclass(frozen=True, slots=True, kw_only=True)
class TileDrawn(Event):
    """A tile left the wall for a hand. ``from_`` is ``from`` in JSON: ``live`` or ``tail``."""

    type: ClassVar[str] = "tsumo"
    actor: int
    pai: Tile | None
    from_: Literal["live", "tail"] = "live"


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowerLaid(Event):
    """A flower was laid open (补花)."""

    type: ClassVar[str] = "flower"
    actor: int
    pai: Tile


@dataclass(frozen=True, slots=True, kw_only=True)
class TileDiscarded(Event):
    """A tile was discarded. ``tsumogiri``: it is the tile just drawn (摸切)."""

    type: ClassVar[str] = "dahai"
    actor: int
    pai: Tile
    tsumogiri: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimCalled(Event):
    """A seat called (key or console). ``claim``: chow, pung, kong, win, flower, pass, call, ready, show."""

    type: ClassVar[str] = "call"
    actor: int
    claim: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChowMade(Event):
    """吃."""

    type: ClassVar[str] = "chi"
    actor: int
    target: int
    pai: Tile
    consumed: tuple[Tile, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PungMade(Event):
    """碰."""

    type: ClassVar[str] = "pon"
    actor: int
    target: int
    pai: Tile
    consumed: tuple[Tile, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExposedKongMade(Event):
    """明杠 from a discard."""

    type: ClassVar[str] = "daiminkan"
    actor: int
    target: int
    pai: Tile
    consumed: tuple[Tile, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConcealedKongMade(Event):
    """暗杠."""

    type: ClassVar[str] = "ankan"
    actor: int
    consumed: tuple[Tile, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AddedKongMade(Event):
    """加杠: a fourth tile laid to an own pung. It stays in the record when robbed."""

    type: ClassVar[str] = "kakan"
    actor: int
    pai: Tile
    consumed: tuple[Tile, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TileShown(Event):
    """A tile shown face up: one that stays in the hand (``hung`` 挂牌, ``held``), or the ``discard`` (亮搭)."""

    type: ClassVar[str] = "show"
    actor: int
    pai: Tile
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentNoted(Event):
    """A fact of the rule system that pays nothing by itself (`bao`, `wild_discard` …); see `rules.api.Incident`."""

    type: ClassVar[str] = "incident"
    kind: str
    actor: int
    target: int | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PointsPaid(Event):
    """Points moved during the hand. ``reason``: an incident kind, or ``penalty``. Right after the event it is for.

    For an incident, ``actor``, ``target`` and ``extra`` are its seat, source and particulars (`rules.api.Incident`)."""

    type: ClassVar[str] = "pay"
    reason: str
    deltas: Points
    off_board: Points | None = None
    actor: int | None = None
    target: int | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class HandKilled(Event):
    """A seat may not win (or claim) for the rest of the hand (相公). ``reason`` in the rule system's words."""

    type: ClassVar[str] = "dead_hand"
    actor: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeWarned(Event):
    """A time limit is near. ``what``: ``first_discard``, ``discard``, ``match``; ``seconds`` left."""

    type: ClassVar[str] = "time_warning"
    actor: int | None
    what: str
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Alerted(Event):
    """A person should look. Codes: docs/rules/README.md. ``seat`` None where no seat is concerned."""

    type: ClassVar[str] = "alert"
    code: str
    seat: int | None
    detail: str = ""


# --- the end of a hand


@dataclass(frozen=True, slots=True, kw_only=True)
class WinDeclared(Event):
    """A seat called a win and showed its hand: the proposal that waits for confirmation. ``target`` = ``actor`` for a
    self-draw. ``hand``, ``melds``, ``flowers`` as in a case; ``payments`` of this win alone."""

    type: ClassVar[str] = "win_declared"
    actor: int
    target: int
    pai: Tile
    hand: str
    melds: str
    flowers: str
    how: tuple[str, ...]
    legal: bool
    reason: str | None
    fans: Mapping[str, int]
    score: int
    payments: Points
    proof: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WinWithdrawn(Event):
    """A declared win fell (refused, taken back, overtaken); the hand goes on."""

    type: ClassVar[str] = "win_withdrawn"
    actor: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HandWon(Event):
    """A confirmed win. ``target`` = ``actor`` for a self-draw. Several: one each, anticlockwise from the discarder."""

    type: ClassVar[str] = "hora"
    actor: int
    target: int
    pai: Tile
    fans: Mapping[str, int]
    score: int
    deltas: Points


@dataclass(frozen=True, slots=True, kw_only=True)
class HandDrawn(Event):
    """The hand ended without a winner. ``reason``: ``exhausted`` (荒牌), ``broken_off``, or the referee's words."""

    type: ClassVar[str] = "ryukyoku"
    reason: str
    deltas: Points


@dataclass(frozen=True, slots=True, kw_only=True)
class WallRevealed(Event):
    """After the hand: the wall in the order of the rule's drawing positions, None where unknown."""

    type: ClassVar[str] = "wall"
    wall: tuple[Tile | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitmentOpened(Event):
    """After the hand: what ``digest`` was made of. ``secret`` in hexadecimal (of a wall: the salt); ``built``: the four
    sides as `game.fairness` hashes them; ``throws``: those made with the secret of the dice, each with ``message``,
    ``counter`` and ``dice`` (`drivers.dice`)."""

    type: ClassVar[str] = "opened"
    what: Literal["wall", "dice"]
    digest: str
    secret: str
    built: tuple[tuple[Tile | None, ...], ...] = ()
    throws: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HandEnded(Event):
    """The account of the hand is closed. ``deltas``: the change over the hand, everything included."""

    type: ClassVar[str] = "end_kyoku"
    scores: Points
    deltas: Points
    off_board: Points | None = None
    carry: Mapping[str, int] = field(default_factory=dict)


# --- rulings


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruled(Event):
    """A referee's act, with who and why. ``do``: confirm, refuse, false_win, amend (``fans`` that count instead),
    inserted, apart, dead_hand, revive, penalty, penalty_tile (``pai``), expose (``tiles``), unclear_call, announce
    (``points`` that a winner named), warning, put_back, count, dismiss, draw_hand, replay_hand, undo, pause, resume,
    extra_time (``seconds`` more for the game), seat_empty, seat_taken, end_game. ``alert``: the sequence number of the
    alert it answers."""

    type: ClassVar[str] = "ruling"
    do: str
    by: str
    seat: int | None = None
    points: int | None = None
    to: str | int | None = None
    reason: str = ""
    pai: Tile | None = None
    tiles: tuple[Tile, ...] = ()
    alert: int | None = None
    fans: Mapping[str, Any] | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected(Event):
    """An earlier event was read wrongly: in every fold, ``event`` stands in place of number ``replaces`` (the
    journal's sequence number); ``event`` None takes it out. ``reason``: the referee's. ``more``: the next event is a
    correction that belongs to it, and only both together fit the rest."""

    type: ClassVar[str] = "correction"
    replaces: int
    event: Event | None
    by: str = "tracker"
    reason: str = ""
    more: bool = False


EVENTS: dict[str, type[Event]] = {cls.type: cls for cls in Event.__subclasses__()}


# --- JSON


class EventError(ValueError):
    """An event's JSON form is wrong; the message names the key and what was expected."""


def _plain(value: Any) -> Any:
    if isinstance(value, Event):
        return to_json(value)
    if isinstance(value, Tile):
        return value.code
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return value


def to_json(event: Event) -> dict[str, Any]:
    """The JSON object of an event. Fields with an empty default (None, "", {}, ()) are left out while they hold it."""
    out: dict[str, Any] = {"type": event.type}
    for item in fields(event):
        value = getattr(event, item.name)
        required = item.default is MISSING and item.default_factory is MISSING
        if required or value or value == 0:
            out[item.name.rstrip("_")] = _plain(value)
    return out


def from_json(data: Mapping[str, Any]) -> Event:
    """The event of a JSON object.

    Raises:
        EventError: unknown ``type``, a missing key, or a value of the wrong form. Unknown keys are ignored.
    """
    cls = EVENTS.get(str(data.get("type")))
    if cls is None:
        raise EventError(f"unknown event type {data.get('type')!r}; expected one of {', '.join(sorted(EVENTS))}")
    hints = _hints(cls)
    values: dict[str, Any] = {}
    for item in fields(cls):
        key = item.name.rstrip("_")
        if key in data:
            try:
                values[item.name] = typed(hints[item.name], data[key])
            except (ValueError, TypeError, KeyError) as error:
                raise EventError(f"{cls.type}.{key}: {data[key]!r}: {error}") from error
        elif item.default is MISSING and item.default_factory is MISSING:
            raise EventError(f"{cls.type}: key {key!r} is missing")
    return cls(**values)


_HINTS: dict[type[Event], dict[str, Any]] = {}


def _hints(cls: type[Event]) -> dict[str, Any]:
    if cls not in _HINTS:
        _HINTS[cls] = get_type_hints(cls)
    return _HINTS[cls]


def typed(hint: Any, value: Any) -> Any:
    """``value`` of a JSON object as the annotated type; raises ValueError where it is something else."""
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        if value is None and type(None) in args:
            return None
        last: Exception | None = None
        for arg in args:
            if arg is not type(None):
                try:
                    return typed(arg, value)
                except (ValueError, TypeError) as error:
                    last = error
        raise ValueError(str(last) if last else f"{value!r} is not allowed")
    if origin is Literal:
        if value not in args:
            raise ValueError(f"expected one of {', '.join(map(str, args))}")
        return value
    if origin is tuple:
        if not isinstance(value, (list, tuple)):
            raise ValueError("expected a list")
        if len(args) == 2 and args[1] is Ellipsis:
            return tuple(typed(args[0], item) for item in value)
        if len(args) != len(value):
            raise ValueError(f"expected {len(args)} values")
        return tuple(typed(arg, item) for arg, item in zip(args, value, strict=True))
    if hint is Tile:
        return parse_tile(value)
    if isinstance(hint, type) and issubclass(hint, Event):
        return from_json(value)
    if origin is not None and issubclass(origin, Mapping):
        if not isinstance(value, Mapping):
            raise ValueError("expected a mapping")
        return dict(value)
    if hint is float and isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    if hint is typing.Any or (isinstance(hint, type) and type(value) is hint):
        return value
    raise ValueError(f"expected {getattr(hint, '__name__', hint)}")
