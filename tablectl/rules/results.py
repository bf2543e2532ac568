"""Results of an event as documents: game points by round, table and game (docs/standings.md).

Bad input is told whole: every error with file, line, column and what was expected.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StrictInt, StrictStr

from tablectl import documents
from tablectl.documents import DocumentError, Node, Problem, Problems, shown
from tablectl.rules import registry
from tablectl.rules.api import NO_POINTS, Points, RuleSet


@dataclass(frozen=True, slots=True)
class Spot:
    """Where something stands, for messages."""

    source: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.source}:{self.line}"


@dataclass(frozen=True, slots=True)
class GameResult:
    """One game at one table. ``players`` sit on seats 0–3; ``points`` lay before them at the end, ``off_board`` were
    booked beside the table. ``group``: who is ranked together, the table unless said."""

    round: int
    table: str
    game: int
    players: tuple[str, ...]
    points: Points
    off_board: Points = NO_POINTS
    unranked: frozenset[str] = frozenset()
    group: str = ""
    spot: Spot = Spot("", 0, 0)


@dataclass(frozen=True, slots=True)
class Ruling:
    """What a referee decided. ``order``: equal players of a group, the better one first. ``advances``: players who go
    on besides (a substitute, a bye)."""

    round: int
    order: tuple[str, ...] = ()
    advances: tuple[str, ...] = ()
    spot: Spot = Spot("", 0, 0)


@dataclass(slots=True)
class Event:
    """Everything that the documents of an event say. ``round_options``: options that differ in a round."""

    name: str = ""
    rules: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    round_options: dict[int, Mapping[str, Any]] = field(default_factory=dict)
    teams: dict[str, tuple[str, ...]] = field(default_factory=dict)
    results: list[GameResult] = field(default_factory=list)
    rulings: list[Ruling] = field(default_factory=list)

    def rules_of(self, round_: int) -> RuleSet:
        """The rule system as it is played in a round. Raises RulesError."""
        return registry.load(self.rules, {**self.options, **self.round_options.get(round_, {})})


# --- the document's form


def _name(value: object) -> object:
    text = str(value).strip() if isinstance(value, str) or type(value) is int else ""
    if not text:
        raise ValueError(f"found {shown(value)}, expected a name")
    return text


def _by_name(value: object) -> object:
    return {_name(key): number for key, number in value.items()} if isinstance(value, dict) else value


Name = Annotated[StrictStr, BeforeValidator(_name)]
ByName = Annotated[dict[StrictStr, StrictInt], BeforeValidator(_by_name)]
Number = Annotated[StrictInt, Field(ge=1, le=10_000)]


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _Result(_Form):
    table: Name
    points: ByName
    round: Number = 1
    game: Number = 1
    off_board: ByName = {}
    unranked: list[Name] = []
    group: Name | None = None


class _Ruling(_Form):
    round: Number = 1
    order: list[Name] = []
    advances: list[Name] = []


_TOP: Final = ("event", "rules", "options", "rounds", "teams", "results", "rulings")


# --- reading


def parse_results(texts: Iterable[tuple[str, str]]) -> Event:
    """The event told by several documents, each with the name that stands for it in errors.

    A document is a mapping, or only the list of its ``results``. Raises `DocumentError` with everything that is wrong.
    """
    reader = _Reader()
    for text, source in texts:
        try:
            reader.read(documents.parse(text, source), source)
        except DocumentError as error:
            reader.found += error.problems
    reader.finish()
    if reader.found:
        raise DocumentError(reader.found)
    return reader.event


Form = TypeVar("Form", bound=_Form)


class _Reader:
    """Gathers documents into one event, and what is wrong with them."""

    def __init__(self) -> None:
        self.event = Event()
        self.found: list[Problem] = []
        #: the head: key → where it was said first
        self.said: dict[str, tuple[Node, Spot]] = {}
        #: options to check once the rule system is known: source, round (0 = all), place
        self.options: list[tuple[str, int, Node]] = []

    def wrong(self, spot: Spot, message: str) -> None:
        self.found.append(Problem(spot.source, spot.line, spot.column, message))

    def read(self, root: Node, source: str) -> None:
        """One document. Raises DocumentError where it is neither a mapping nor a list."""
        problems = Problems(source)
        if isinstance(root.value, list):
            root = Node({"results": root}, root.line, root.column, {"results": root})
        if not isinstance(root.value, dict):
            problems.add(root, f"found {shown(root.plain())}, expected a mapping (rules: …, results: …) or a list")
            raise DocumentError(problems.found)
        for key in root.value:
            if key not in _TOP:
                problems.add(root.keys[key], f"{key}: unknown key{documents.nearest(key, _TOP)}")
        self._head(root, problems)
        self._rounds(root, problems)
        self._teams(root, problems)
        for node, result in _each(root, "results", _Result, problems):
            self._result(result, node, problems)
        for node, ruling in _each(root, "rulings", _Ruling, problems):
            spot = Spot(source, node.line, node.column)
            self.event.rulings.append(Ruling(ruling.round, tuple(ruling.order), tuple(ruling.advances), spot))
        self.found += problems.found

    # --- the head

    def _head(self, root: Node, problems: Problems) -> None:
        """The event's name, rule system and options; every document that says them says the same."""
        for key in ("event", "rules", "options"):
            if key not in root.keys:
                continue
            node = root.at([key])
            spot = Spot(problems.source, node.line, node.column)
            first, where = self.said.setdefault(key, (node, spot))
            if first.plain() != node.plain():
                there = f"{where} says {shown(first.plain())}" if key != "options" else f"others in {where}"
                problems.add(node, f"{key}: found {shown(node.plain())}, but {there}")
            elif key == "rules" and node.value not in registry.RULE_SETS:
                known = ", ".join(sorted(registry.RULE_SETS))
                hint = documents.nearest(node.value, registry.RULE_SETS)
                problems.add(node, f"rules: found {shown(node.plain())}, expected one of {known}{hint}")
            elif key == "rules":
                self.event.rules = str(node.value)
            elif key == "event":
                self.event.name = str(node.plain() or "")
            elif first is node:
                self.options.append((problems.source, 0, node))

    def _rounds(self, root: Node, problems: Problems) -> None:
        for key, node in _mapping(root, "rounds", "2: {option: value}", problems):
            if not str(key).isdigit() or not int(key):
                problems.add(root.at(["rounds"]).keys[key], f"rounds: found {shown(key)}, expected a round's number")
            else:
                self.options.append((problems.source, int(key), node))

    def _check_options(self) -> None:
        model = registry.rule_class(self.event.rules).Options
        for source, round_, node in self.options:
            problems = Problems(source)
            name = f"rounds.{round_}" if round_ else "options"
            if not isinstance(node.value, dict):
                problems.add(node, f"{name}: found {shown(node.plain())}, expected a mapping (option: value)")
            elif documents.check(node, model, problems, name) is None:
                pass
            elif round_:
                self.event.round_options[round_] = {**self.event.round_options.get(round_, {}), **node.plain()}
            else:
                self.event.options = node.plain()
            self.found += problems.found

    def _teams(self, root: Node, problems: Problems) -> None:
        team_of = {name: team for team, members in self.event.teams.items() for name in members}
        for key, node in _mapping(root, "teams", "team: [player, …]", problems):
            team, members = str(key), list(self.event.teams.get(str(key), ()))
            for member in node.items():
                try:
                    name = str(_name(member.value))
                except ValueError as error:
                    problems.add(member, f"teams.{team}: {error}")
                    continue
                if team_of.setdefault(name, team) != team:
                    problems.add(member, f"teams.{team}: {name} is in team {team_of[name]} already")
                elif name not in members:
                    members.append(name)
            self.event.teams[team] = tuple(members)

    # --- results

    def _result(self, result: _Result, node: Node, problems: Problems) -> None:
        players = tuple(result.points)
        if len(players) != 4:
            text = f"points: {len(players)} players; expected the four of the table, in the order of their seats"
            problems.add(node.at(["points"]), text)
            return
        for key, names in (("off_board", result.off_board), ("unranked", result.unranked)):
            for name in names:
                if name not in players:
                    hint = documents.nearest(name, players)
                    problems.add(node.at([key]), f"{key}: {name} does not sit at this table{hint}")
        self.event.results.append(
            GameResult(
                round=result.round,
                table=result.table,
                game=result.game,
                players=players,
                points=_four(result.points, players),
                off_board=_four(result.off_board, players),
                unranked=frozenset(result.unranked),
                group=result.group or result.table,
                spot=Spot(problems.source, node.line, node.column),
            )
        )

    # --- what only all documents together tell

    def finish(self) -> None:
        """What does not fit together."""
        if not self.event.rules and not self.found:
            self.wrong(Spot("results", 0, 0), "rules: no document names the rule system, e.g. rules: competition")
        if self.event.rules:
            self._check_options()
        if not self.event.results and not self.found:
            self.wrong(Spot("results", 0, 0), "results: no document holds a result")
        self._check_games()
        self._check_seats()
        self._check_rulings()

    def _check_games(self) -> None:
        first: dict[tuple[int, str, int], GameResult] = {}
        for result in self.event.results:
            key = (result.round, result.table, result.game)
            if key in first:
                text = f"round {result.round}, table {result.table}, game {result.game}: the second result"
                self.wrong(result.spot, f"{text}; the first is in {first[key].spot}")
            first.setdefault(key, result)

    def _check_seats(self) -> None:
        """Nobody sits at two tables in a round, and a table keeps its players."""
        table_of: dict[tuple[int, str], GameResult] = {}
        players_of: dict[tuple[int, str], GameResult] = {}
        for result in self.event.results:
            for name in result.players:
                other = table_of.setdefault((result.round, name), result)
                if other.table != result.table:
                    text = f"{name} sits at table {other.table} in round {result.round} ({other.spot})"
                    self.wrong(result.spot, f"table {result.table}: {text}")
            before = players_of.setdefault((result.round, result.table), result)
            for name in result.players:
                if name not in before.players and table_of[result.round, name] is result:
                    hint = documents.nearest(name, before.players)
                    text = f"{name} did not play game {before.game} of this table ({before.spot})"
                    self.wrong(result.spot, f"table {result.table}: {text}{hint}")

    def _check_rulings(self) -> None:
        names = {name for result in self.event.results for name in result.players}
        for ruling in self.event.rulings:
            for name in ruling.order:
                if name not in names:
                    self.wrong(ruling.spot, f"order: {name} has no result{documents.nearest(name, names)}")


def _mapping(root: Node, key: str, form: str, problems: Problems) -> Iterable[tuple[str | int, Node]]:
    """The entries of a mapping in the document, none where it is left out."""
    if key not in root.keys:
        return {}.items()
    node = root.at([key])
    if isinstance(node.value, dict):
        return node.value.items()
    problems.add(node, f"{key}: found {shown(node.plain())}, expected a mapping ({form})")
    return {}.items()


def _each(root: Node, key: str, form: type[Form], problems: Problems) -> Iterator[tuple[Node, Form]]:
    """The elements of a list in the document that have the right form."""
    if key not in root.keys:
        return
    listed = root.at([key])
    if not isinstance(listed.value, list):
        problems.add(listed, f"{key}: found {shown(listed.plain())}, expected a list")
        return
    for number, node in enumerate(listed.value):
        found = documents.check(node, form, problems, f"{key}[{number}]")
        if found is not None:
            yield node, found


def _four(points: Mapping[str, int], players: tuple[str, ...]) -> Points:
    a, b, c, d = (points.get(name, 0) for name in players)
    return (a, b, c, d)
