"""``tablectl report``: what the table tells of itself, over the last days."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from tablectl.commands.journals import DEFAULT_CONFIG, NOTHING_YET, Config, JournalPath, journal_so_far
from tablectl.commands.terminal import FOUND_WRONG, JsonOption, fail, print_json, say, tells_errors

if TYPE_CHECKING:
    from tablectl.core.report import Report

DAY_S: Final = 86_400.0
#: reports that are kept: two years of weeks
KEPT: Final = 104


@tells_errors
def report(
    journal: JournalPath = None,
    config: Config = DEFAULT_CONFIG,
    days: Annotated[int, typer.Option(min=1, help="So many days back from now.")] = 7,
    keep: Annotated[Path | None, typer.Option(help="Keep it as JSON in this folder too.")] = None,
    json: JsonOption = False,
) -> None:
    """Cycles, faults, slow mechanisms, bad tags and how well antennas read. Exit code 1 where a person should look."""
    from tablectl.base.clock import LoopClock
    from tablectl.base.journal import Journal, JournalError
    from tablectl.core.report import Report
    from tablectl.core.report import report as make

    clock = LoopClock()
    path = journal_so_far(journal, config)
    until = clock.wall()
    if path is None:
        print_json(Report(until - days * DAY_S, until).as_json()) if json else say(NOTHING_YET)
        return
    try:
        with Journal(path, clock, read_only=True) as kept:
            made = make(kept.read(), kept.facts(), until - days * DAY_S, until, _tiles(config))
    except JournalError as error:
        fail(error, code=FOUND_WRONG)
    if keep is not None:
        _keep(made, keep)
    if json:
        print_json(made.as_json())
    else:
        _tell(made)
    if made.look_at:
        raise typer.Exit(FOUND_WRONG)


def _tiles(config: Path) -> dict[str, str]:
    """The tile of each tag, where the table has a register."""
    from tablectl.base.settings import SettingsError, load
    from tablectl.documents import DocumentError
    from tablectl.tiles.tags import load_register

    try:
        register = load(config).tiles
        sets = load_register(register).sets if register is not None else {}
    except (SettingsError, DocumentError):
        return {}
    return {tag: f"{tile.code} of set {name}" for name, tags in sets.items() for tag, tile in tags.items()}


def _keep(made: Report, folder: Path) -> None:
    from json import dumps

    day = datetime.fromtimestamp(made.until, UTC).strftime("%Y-%m-%d")
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    (folder / f"report-{day}.json").write_text(dumps(made.as_json(), ensure_ascii=False) + "\n", encoding="utf-8")
    for old in sorted(folder.glob("report-*.json"))[:-KEPT]:
        old.unlink()


def _tell(made: Report) -> None:
    say(
        f"{_day(made.since)} to {_day(made.until)}: {made.matches} matches, {made.hands} hands, {made.cycles} cycles "
        f"of the machine ({made.cycles_ever} in its life)",
        f"started {made.starts} times, {made.cut_off} times cut off; {made.retried} jams freed by itself; "
        f"{made.looks} looks at standing tiles",
    )
    for fault in made.faults:
        say(f"fault {fault.code} {fault.title_en} / {fault.title_zh}: {fault.times} times")
    for code, times in made.alerts.items():
        say(f"alert {code}: {times} times")
    for travel in made.travel:
        say(f"{travel.name}: {travel.last_s:g} s, {travel.first_s:g} s before{' (slower)' if travel.slower else ''}")
    for zone in made.zones:
        say(f"zone {zone.name}: {1 - zone.missed:.1%} of its tags read, {zone.rounds} rounds")
    say(*([f"LOOK AT: {line}" for line in made.look_at] or ["nothing to look at"]))


def _day(wall: float) -> str:
    return datetime.fromtimestamp(wall, UTC).astimezone().strftime("%Y-%m-%d")
