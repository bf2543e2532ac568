"""Standings of an event: places at the tables, ranks of players and teams over all rounds (docs/standings.md).

What a place is worth, who advances and how ties are broken, the rule system says (`RuleSet.placings`, `event_ranks`,
`team_ranks`): competition J103–J109, mcr T61–T62, zhenjiang Z607–Z609, the others by points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Final

from tablectl import documents
from tablectl.rules.api import MatchState, Placing, RoundResult, RulesError, RuleSet
from tablectl.rules.results import Event, GameResult, Ruling

#: more than a group has players: a referee's order moves nobody past a player with more points
_SCALE: Final = 1000


@dataclass(frozen=True, slots=True)
class PlayerLine:
    """A player at a table in a round. ``games``: his game points by game, None for one not handed in. ``placing`` is
    None for who is not ranked, and where the group cannot be ranked yet."""

    name: str
    team: str
    games: tuple[int | None, ...]
    points: int
    placing: Placing | None


@dataclass(frozen=True, slots=True)
class GroupLines:
    """The players ranked together in a round, best first."""

    round: int
    group: str
    players: tuple[PlayerLine, ...]


@dataclass(frozen=True, slots=True)
class TotalLine:
    """A player or a team over all rounds. ``rounds`` are those that count for him."""

    rank: int
    name: str
    team: str
    rounds: int
    standard: Fraction
    points: int


@dataclass(frozen=True, slots=True)
class Note:
    """Something a person should know. ``wrong``: the results cannot be right as they are."""

    text: str
    wrong: bool = False


@dataclass(slots=True)
class Standings:
    """``advancing``: by round who goes on. ``substitutes``: by round those filed, the most points first (competition
    J103)."""

    groups: list[GroupLines] = field(default_factory=list)
    players: tuple[TotalLine, ...] = ()
    teams: tuple[TotalLine, ...] = ()
    advancing: dict[int, tuple[str, ...]] = field(default_factory=dict)
    substitutes: dict[int, tuple[str, ...]] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)


def standings(event: Event) -> Standings:
    """The standings after the results there are.

    Raises:
        RulesError: options that do not fit, a team that the rules do not allow.
    """
    found = Standings()
    for round_ in sorted({result.round for result in event.results}):
        rules = event.rules_of(round_)
        results = [result for result in event.results if result.round == round_]
        found.notes += _checked(results, rules)
        for group in dict.fromkeys(result.group for result in results):
            own = [result for result in results if result.group == group]
            found.groups.append(_group(event, rules, own, found.notes))
    for round_ in dict.fromkeys(group.round for group in found.groups):
        _gather(event, found, round_)
    found.notes += _next_round(event, found)
    _total(event, found)
    return found


# --- one group in one round


def games_of_round(rules: RuleSet) -> int:
    """How many games a round has (competition J96)."""
    games, match = 1, rules.first_hand()
    while (following := rules.next_game(match)) is not None:
        games, match = games + 1, following
    return games


def _checked(results: Sequence[GameResult], rules: RuleSet) -> Iterator[Note]:
    """Sums that do not come out, games that do not exist or are missing."""
    games, total = games_of_round(rules), sum(rules.first_hand().points)
    for result in results:
        where = f"round {result.round}, table {result.table}, game {result.game} ({result.spot})"
        if sum(result.points) != total:
            yield Note(f"{where}: the points add up to {sum(result.points)}, expected {total}", wrong=True)
        if result.game > games:
            yield Note(f"{where}: a round has {games} game{'s' * (games > 1)}", wrong=True)
    for table in dict.fromkeys(result.table for result in results):
        played = {result.game for result in results if result.table == table}
        if missing := [str(game) for game in range(1, games + 1) if game not in played]:
            yield Note(f"round {results[0].round}, table {table}: game {', '.join(missing)} not handed in")


def _group(event: Event, rules: RuleSet, results: Sequence[GameResult], notes: list[Note]) -> GroupLines:
    players = list(dict.fromkeys(name for result in sorted(results, key=_by_game) for name in result.players))
    by_game: dict[tuple[str, int], int] = {}
    for result in results:
        match = MatchState(result.points, off_board=result.off_board)
        for name, points in zip(result.players, rules.game_points(match), strict=True):
            by_game[name, result.game] = points
    games = range(1, max(games_of_round(rules), *(result.game for result in results)) + 1)
    of_player = {name: tuple(by_game.get((name, game)) for game in games) for name in players}
    totals = {name: sum(points or 0 for points in of_player[name]) for name in players}
    unranked = frozenset().union(*(result.unranked for result in results))
    placings = _placings(event, rules, totals, unranked, results[0], notes)
    lines = [
        PlayerLine(name, team_of(event, name), of_player[name], totals[name], placings.get(name)) for name in players
    ]
    lines.sort(key=lambda line: (line.placing is None, line.placing.rank if line.placing else 0, -line.points))
    return GroupLines(results[0].round, results[0].group, tuple(lines))


def _by_game(result: GameResult) -> tuple[int, str]:
    return result.game, result.table


def _placings(
    event: Event,
    rules: RuleSet,
    totals: dict[str, int],
    unranked: frozenset[str],
    first: GameResult,
    notes: list[Note],
) -> dict[str, Placing]:
    """The places with the referee's rulings. Who is not ranked lies behind all others (zhenjiang Z609)."""
    where = f"round {first.round}, table {first.group}"
    rulings = [ruling for ruling in event.rulings if ruling.round == first.round]
    order = {name: _SCALE * points for name, points in totals.items()}
    for ruling in rulings:
        notes += _put_in_order(ruling, totals, order, where)
    last = min(order.values()) - 1
    try:
        found = rules.placings([last if name in unranked else order[name] for name in totals])
    except RulesError as error:
        notes.append(Note(f"{where}: not ranked: {error}", wrong=True))
        return {}
    placings = {name: place for name, place in zip(totals, found, strict=True) if name not in unranked}
    best = max((place.standard for place in placings.values()), default=Fraction(0))
    for name in (name for ruling in rulings for name in ruling.advances if name in placings):
        placings[name] = replace(placings[name], advances=True, filed=False, tied=False, standard=best)
    if tied := [name for name, place in placings.items() if place.tied]:
        notes.append(Note(f"{where}: {'、'.join(tied)} are equal at the border; the referee decides (rulings: order)"))
    return placings


def _put_in_order(ruling: Ruling, totals: dict[str, int], order: dict[str, int], where: str) -> Iterator[Note]:
    """A referee's order among equal players."""
    own = [name for name in ruling.order if name in totals]
    if len({totals[name] for name in own}) > 1:
        yield Note(f"{where}: {'、'.join(own)} are not equal; their order ({ruling.spot}) is left out", wrong=True)
        return
    for place, name in enumerate(reversed(own)):
        order[name] += place


def team_of(event: Event, name: str) -> str:
    """The team of a player, empty for none."""
    return next((team for team, members in event.teams.items() if name in members), "")


def _gather(event: Event, found: Standings, round_: int) -> None:
    """Who goes on after a round, and who may take a place that becomes free."""
    ranked = [
        (line, line.placing)
        for group in found.groups
        if group.round == round_
        for line in group.players
        if line.placing is not None
    ]
    advancing = [line.name for line, placing in ranked if placing.advances]
    for ruling in event.rulings:
        if ruling.round == round_:
            advancing += [name for name in ruling.advances if name not in advancing]
    filed = sorted((line for line, placing in ranked if placing.filed), key=lambda line: -line.points)
    if advancing:
        found.advancing[round_] = tuple(advancing)
    if filed:
        found.substitutes[round_] = tuple(line.name for line in filed)


def _next_round(event: Event, found: Standings) -> Iterator[Note]:
    """Where those who go on after the last round do not fill their tables (competition J106). Fewer than three play no
    round more."""
    last = max(group.round for group in found.groups)
    going = len(found.advancing.get(last, ()))
    byes, mechanical = event.rules_of(last).byes(going) if going >= 3 else (0, 0)
    where = f"round {last}: {going} go on"
    if byes:
        yield Note(f"{where}; of them {byes} draw a bye by lot (round {last + 1}, rulings: advances)")
    if mechanical:
        yield Note(f"{where}; a mechanical seat fills the last table")


# --- over all rounds


def _total(event: Event, found: Standings) -> None:
    """Ranks of players and teams; what a player not ranked took counts for nobody."""
    last = max(group.round for group in found.groups)
    rules = event.rules_of(last)
    results: dict[str, list[RoundResult]] = {}
    for group in found.groups:
        for line in group.players:
            if line.placing is not None:
                results.setdefault(line.name, []).append(RoundResult(line.points, line.placing.standard))
    found.players = _lines(rules.event_ranks(results), results, lambda name: team_of(event, name))
    members = {team: {name: results.get(name, []) for name in names} for team, names in event.teams.items()}
    if members:
        together = {team: [r for own in players.values() for r in own] for team, players in members.items()}
        found.teams = _lines(rules.team_ranks(members), together, lambda team: "")
    for team, names in event.teams.items():
        found.notes += _without_result(team, names, results)


def _without_result(team: str, names: Iterable[str], results: dict[str, list[RoundResult]]) -> Iterator[Note]:
    for name in names:
        if name not in results:
            yield Note(f"team {team}: {name} has no result that counts{documents.nearest(name, results)}")


def _lines(
    ranks: Mapping[str, int], results: Mapping[str, Sequence[RoundResult]], team: Callable[[str], str]
) -> tuple[TotalLine, ...]:
    lines = [
        TotalLine(
            rank=ranks[name],
            name=name,
            team=team(name),
            rounds=len(own),
            standard=sum((result.standard for result in own), Fraction(0)),
            points=sum(result.points for result in own),
        )
        for name, own in results.items()
    ]
    return tuple(sorted(lines, key=lambda line: line.rank))
