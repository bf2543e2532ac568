"""Cases: a hand with its declared wins as a document, YAML or JSON, one or a list (docs/rules/README.md, "A case").

Bad input is told whole: every error with file, line, column, key and what was expected. A hand that no wall could give
is not bad input where a rule system's specification has a reason to refuse it: then it is read, and judged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Annotated, Any, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StrictBool, StrictInt, StrictStr

from tablectl import documents
from tablectl.documents import Node, Problems, shown
from tablectl.rules.api import How, Incident, Points, RuleSet, Situation, Win
from tablectl.tiles.meld import Meld
from tablectl.tiles.notation import NotationError, format_tiles, parse_melds, parse_tile, parse_tiles
from tablectl.tiles.tile import Tile

#: Rule systems that answer an impossible hand (five equal tiles, a wrong number in a meld, a tile from the winner
#: himself) with a reason of refusal: beijing T28, fujian T310, fuzhou T318, tianjin T310, zhenjiang Z314.
_JUDGE_THE_IMPOSSIBLE: Final = frozenset({"beijing", "fujian", "fuzhou", "tianjin", "zhenjiang"})

#: Keys that only some kinds of events carry.
_EXTRA: Final = ("points", "count", "tiles")


@dataclass(frozen=True, slots=True)
class Expect:
    """The right result. ``legal``, ``reason``, ``fans`` and ``score`` hold one entry for each declared win, in order; a
    drawn hand has one entry too."""

    legal: tuple[bool, ...]
    reason: tuple[str | None, ...]
    fans: tuple[Mapping[str, int], ...]
    score: tuple[int, ...]
    payments: Points


@dataclass(frozen=True, slots=True)
class Case:
    """One case. ``options`` override those of the rule system ``rules``; its own model checks them."""

    id: str
    rules: str
    options: Mapping[str, Any]
    situation: Situation
    expect: Expect | None = None
    why: str = ""


# --- the document's form


def _text_as(read: Any, expected: str) -> BeforeValidator:
    """Reads text in the notation; nothing stands for no tiles."""

    def validate(value: object) -> object:
        if not isinstance(value, str | None):
            raise ValueError(f"found {shown(value)}, expected {expected}")
        return read(value or "")

    return BeforeValidator(validate)


def _wind(text: str) -> Tile:
    tile = parse_tile(text)
    if not tile.is_wind:
        raise ValueError(f"found {text!r}, expected a wind: E, S, W or N")
    return tile


def _four_numbers(value: object) -> object:
    if not isinstance(value, list) or len(value) != 4 or any(type(number) is not int for number in value):
        found = f"{len(value)} values" if isinstance(value, list) and len(value) != 4 else shown(value)
        raise ValueError(f"found {found}, expected four whole numbers, for seats 0, 1, 2 and 3")
    return tuple(value)


def _one_of(numbers: Sequence[int], what: str) -> BeforeValidator:
    def validate(value: object) -> object:
        if type(value) is not int or value not in numbers:
            *most, last = map(str, numbers)
            raise ValueError(f"found {shown(value)}, expected {what}: {', '.join(most)} or {last}")
        return value

    return BeforeValidator(validate)


def _each(value: object) -> object:
    """One win's result stands without brackets."""
    return value if isinstance(value, list) else [value]


def _seats(value: object) -> object:
    """JSON writes the seats of ``pull`` as text."""
    if not isinstance(value, dict):
        return value
    return {int(key) if isinstance(key, str) and key in ("0", "1", "2", "3") else key: n for key, n in value.items()}


Seat = Annotated[int, _one_of(range(4), "a seat")]
Pull = Annotated[int, _one_of(range(3), "times pulled")]
Count = Annotated[StrictInt, Field(ge=0)]
OneTile = Annotated[Tile, _text_as(parse_tile, "a tile, e.g. 5m")]
Wind = Annotated[Tile, _text_as(_wind, "a wind: E, S, W or N")]
Tiles = Annotated[tuple[Tile, ...], _text_as(parse_tiles, 'tiles, e.g. "123m55p"')]
Melds = Annotated[
    tuple[Meld, ...], _text_as(partial(parse_melds, strict=False), 'melds, e.g. "[123m,1][777s,2][EEEE]"')
]
FourNumbers = Annotated[Points, BeforeValidator(_four_numbers)]


class _Document(BaseModel):
    model_config = ConfigDict(extra="forbid", arbitrary_types_allowed=True)


class _Stakes(_Document):
    sit: StrictBool = False
    pull: Annotated[dict[Seat, Pull], BeforeValidator(_seats)] = {}


class _Event(_Document):
    kind: StrictStr
    seat: Seat
    source: Seat | None = Field(None, alias="from")
    points: StrictInt | None = None
    count: Count | None = None
    tiles: Tiles | None = None


class _Win(_Document):
    seat: Seat
    concealed: Tiles
    melds: Melds = ()
    flowers: Tiles = ()
    tile: OneTile
    source: Seat | None = Field(alias="from")
    how: list[How] = []


class _Expect(_Document):
    legal: Annotated[list[StrictBool], BeforeValidator(_each)]
    reason: Annotated[list[StrictStr | None], BeforeValidator(_each)]
    fans: Annotated[list[dict[StrictStr, StrictInt]], BeforeValidator(_each)]
    score: Annotated[list[StrictInt], BeforeValidator(_each)]
    payments: FourNumbers


class _Case(_Document):
    id: Annotated[StrictStr, BeforeValidator(lambda value: str(value) if type(value) is int else value)] = ""
    rules: StrictStr
    options: dict[StrictStr, Any] = {}
    dealer: Seat = 0
    prevalent: Wind = Tile.EAST
    streak: Count = 0
    points: FourNumbers
    indicator: OneTile | None = None
    stakes: _Stakes | None = None
    carry: dict[StrictStr, StrictInt] = {}
    events: list[_Event] = []
    wins: list[_Win]
    expect: _Expect | None = None
    why: StrictStr = ""


# --- reading


def parse_cases(text: str, source: str, rule_sets: Mapping[str, type[RuleSet]] | None = None) -> tuple[Case, ...]:
    """The case or cases in ``text``, YAML or JSON; ``source`` names it in errors.

    With ``rule_sets``, also the name of the rule system, its options and the kinds of its events are checked. Raises
    `DocumentError` with everything that is wrong.
    """
    root = documents.parse(text, source)
    problems = Problems(source)
    if not isinstance(root.value, list | dict):
        problems.add(root, f"found {shown(root.value)}, expected a case (id: …, rules: …) or a list of cases")
    cases: list[Case] = []
    first_line: dict[str, int] = {}
    for number, node in enumerate(root.items() if not problems.found else [], 1):
        identity = str(node.at(["id"]).plain()) if isinstance(node.value, dict) and "id" in node.value else str(number)
        if identity in first_line:
            problems.add(node.at(["id"]), f"{identity}: this id stands twice, first in line {first_line[identity]}")
        first_line.setdefault(identity, node.line)
        document = documents.check(node, _Case, problems, identity)
        if rule_sets is not None:
            _check_against(rule_sets, node, problems, identity)
        if document is not None:
            _check_sense(document, node, problems, identity)
            cases.append(_case(document, identity))
    problems.raise_if_any()
    return tuple(cases)


def _check_against(rule_sets: Mapping[str, type[RuleSet]], node: Node, problems: Problems, identity: str) -> None:
    """The rule system's name, options and kinds of events."""
    if not isinstance(node.value, dict) or "rules" not in node.value:
        return
    rules = node.at(["rules"])
    rule_set = rule_sets.get(str(rules.value))
    if rule_set is None:
        hint = documents.nearest(rules.value, rule_sets)
        message = f"found {shown(rules.plain())}, expected one of {', '.join(sorted(rule_sets))}{hint}"
        problems.add(rules, f"{identity}: rules: {message}")
        return
    if isinstance(node.value.get("options", rules).value, dict):
        documents.check(node.at(["options"]), rule_set.Options, problems, f"{identity}: options")
    for number, event in enumerate(node.at(["events"]).items() if "events" in node.value else []):
        kind = event.at(["kind"])
        if isinstance(event.value, dict) and isinstance(kind.value, str) and kind.value not in rule_set.incident_kinds:
            known = ", ".join(sorted(rule_set.incident_kinds)) or "no events"
            hint = documents.nearest(kind.value, rule_set.incident_kinds)
            message = f"found {shown(kind.value)}, expected an event of {rules.value}: {known}{hint}"
            problems.add(kind, f"{identity}: events[{number}].kind: {message}")


def _check_sense(document: _Case, node: Node, problems: Problems, identity: str) -> None:
    """What no table could show, whatever the rules."""

    def add(path: Sequence[str | int], message: str) -> None:
        problems.add(node.at(path), f"{identity}: {documents.named(path)}: {message}")

    for number, win in enumerate(document.wins):
        if any(win.seat == earlier.seat for earlier in document.wins[:number]):
            add(["wins", number, "seat"], f"seat {win.seat} declares two wins; expected one for each seat")
        if document.rules in _JUDGE_THE_IMPOSSIBLE:
            continue
        if win.source == win.seat:
            add(
                ["wins", number, "from"], f"seat {win.seat} is the winner; expected another seat, or null if self-drawn"
            )
        try:
            parse_melds(str(node.at(["wins", number, "melds"]).value or "") if win.melds else "")
        except NotationError as error:
            add(["wins", number, "melds"], str(error))
        if others := [tile for tile in win.flowers if not tile.is_flower]:
            add(["wins", number, "flowers"], f"found {format_tiles(others)}, expected flowers a–h only")
        held = Counter(chain(win.concealed, win.flowers, (win.tile,), *(meld.tiles for meld in win.melds)))
        for tile, count in sorted(held.items()):
            if count > (copies := 1 if tile.is_flower else 4):
                add(["wins", number, "concealed"], f"{tile} stands {count} times in this hand; a set has {copies}")
    if document.expect is not None:
        verdicts = max(1, len(document.wins))
        for key in ("legal", "reason", "fans", "score"):
            if (count := len(getattr(document.expect, key))) != verdicts:
                add(["expect", key], f"{count} entries, expected {verdicts}: one for each declared win, one for a draw")


def _case(document: _Case, identity: str) -> Case:
    situation = Situation(
        dealer=document.dealer,
        prevalent=document.prevalent,
        streak=document.streak,
        points=document.points,
        indicator=document.indicator,
        stakes=document.stakes.model_dump(exclude_unset=True) if document.stakes else {},
        incidents=tuple(_incident(event) for event in document.events),
        wins=tuple(
            Win(win.seat, win.concealed, win.melds, win.flowers, win.tile, win.source, frozenset(win.how))
            for win in document.wins
        ),
        carry=document.carry,
    )
    expect = None if document.expect is None else _expect(document.expect)
    return Case(identity, document.rules, document.options, situation, expect, document.why)


def _expect(expect: _Expect) -> Expect:
    return Expect(tuple(expect.legal), tuple(expect.reason), tuple(expect.fans), tuple(expect.score), expect.payments)


def _incident(event: _Event) -> Incident:
    extra = {key: value for key in _EXTRA if (value := getattr(event, key)) is not None}
    return Incident(event.kind, event.seat, event.source, extra)
