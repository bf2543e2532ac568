"""``tablectl standings``: places, standard points and ranks of an event from the results of its tables."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tablectl.commands.terminal import FINE, FOUND_WRONG, JsonOption, fail, print_json, say, table, tells_errors, warn

if TYPE_CHECKING:
    from tablectl.rules.results import Event
    from tablectl.rules.standings import GroupLines, PlayerLine, Standings, TotalLine


@tells_errors
def standings(
    files: Annotated[list[Path], typer.Argument(help="Results, YAML or JSON, one event (docs/standings.md).")],
    round: Annotated[
        int | None, typer.Option(help="The round whose tables are shown; the last one unless said.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Who stands where: every table of a round, who advances, and the ranks of players and teams over all rounds.

    Exit code 1 where results cannot be right as they are (a sum that does not come out).
    """
    from tablectl.documents import read_text
    from tablectl.rules.results import parse_results
    from tablectl.rules.standings import standings as standings_of

    event = parse_results((read_text(file), str(file)) for file in files)
    found = standings_of(event)
    rounds = sorted({group.round for group in found.groups})
    if round is not None and round not in rounds:
        fail(f"--round {round}: no result of this round; expected one of {', '.join(map(str, rounds))}")
    if json:
        print_json(_document(event, found))
    else:
        _tell(event, found, rounds[-1] if round is None else round)
    raise typer.Exit(FOUND_WRONG if any(note.wrong for note in found.notes) else FINE)


# --- for people


def _tell(event: Event, found: Standings, round_: int) -> None:
    rules = event.rules_of(round_)
    say(" · ".join(filter(None, (event.name, rules.name_zh, rules.name_en))))
    for group in found.groups:
        if group.round == round_:
            _tell_group(group)
    for names, words in ((found.advancing, "goes on"), (found.substitutes, "possible substitutes, best first")):
        if round_ in names:
            say(f"round {round_}, {words}: {' '.join(names[round_])}")
    _tell_totals("Players", found.players)
    _tell_totals("Teams", found.teams)
    warn(*(f"{'WRONG' if note.wrong else 'note'}: {note.text}" for note in found.notes))


def _tell_group(group: GroupLines) -> None:
    """One line a player; a column for each game and for teams only where there are several, or any."""
    several = len(group.players[0].games) > 1
    teams = any(line.team for line in group.players)
    columns = ["rank", "player", *(["team"] if teams else [])]
    columns += [str(game) for game in range(1, len(group.players[0].games) + 1)] if several else []
    rows = [
        (
            line.placing.rank if line.placing else "–",
            line.name,
            *([line.team] if teams else []),
            *(line.games if several else []),
            line.points,
            _number(line.placing.standard) if line.placing else "",
            _mark(line),
        )
        for line in group.players
    ]
    table(f"Round {group.round}, table {group.group}", (*columns, "points", "standard", ""), rows)


def _mark(line: PlayerLine) -> str:
    place = line.placing
    if place is None:
        return "not ranked"
    marks = ((place.advances, "advances"), (place.filed, "filed"), (place.tied, "tie: the referee decides"))
    return ", ".join(words for holds, words in marks if holds)


def _tell_totals(title: str, lines: tuple[TotalLine, ...]) -> None:
    if not lines:
        return
    teams = any(line.team for line in lines)
    rows = [
        (line.rank, line.name, *([line.team] if teams else []), line.rounds, _number(line.standard), line.points)
        for line in lines
    ]
    table(title, ("rank", "name", *(["team"] if teams else []), "rounds", "standard", "points"), rows)


def _number(number: Fraction) -> int | float:
    """Standard points as people write them: 3, 3.5, 2.33."""
    return int(number) if number.denominator == 1 else float(f"{float(number):.2f}")


# --- for programs


def _document(event: Event, found: Standings) -> dict[str, Any]:
    return {
        "event": event.name,
        "rules": event.rules,
        "tables": [
            {"round": group.round, "table": group.group, "players": [_player(line) for line in group.players]}
            for group in found.groups
        ],
        "advancing": {str(number): list(names) for number, names in found.advancing.items()},
        "substitutes": {str(number): list(names) for number, names in found.substitutes.items()},
        "players": [_total(line) for line in found.players],
        "teams": [_total(line) for line in found.teams],
        "notes": [{"text": note.text, "wrong": note.wrong} for note in found.notes],
    }


def _player(line: PlayerLine) -> dict[str, Any]:
    place = line.placing
    return {
        "rank": place.rank if place else None,
        "name": line.name,
        "team": line.team,
        "games": list(line.games),
        "points": line.points,
        "standard": float(place.standard) if place else None,
        "advances": bool(place and place.advances),
        "filed": bool(place and place.filed),
        "tied": bool(place and place.tied),
    }


def _total(line: TotalLine) -> dict[str, Any]:
    return {
        "rank": line.rank,
        "name": line.name,
        "team": line.team,
        "rounds": line.rounds,
        "standard": float(line.standard),
        "points": line.points,
    }
