"""``tablectl sheet``: the result sheet 《比赛成绩记录表》 of a game."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from tablectl.commands.journals import DEFAULT_CONFIG, Config, JournalPath, entries_of, matches
from tablectl.commands.terminal import FOUND_WRONG, JsonOption, fail, print_json, say, table, tells_errors, warn

if TYPE_CHECKING:
    from tablectl.game.sheet_model import Head, Sheet

Four = Annotated[str | None, typer.Option(help="Four, with commas between, seat 0 first.")]


@tells_errors
def sheet(
    journal: JournalPath = None,
    config: Config = DEFAULT_CONFIG,
    game: Annotated[
        int | None, typer.Option(min=1, help="Which game, counted from the journal's first; left out: the last one.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="The sheets of all games, one after another.")] = False,
    lang: Annotated[Literal["zh", "en"], typer.Option(help="Language of the printed sheet.")] = "zh",
    html: Annotated[Path | None, typer.Option(help="Write a page to print (A4).")] = None,
    pdf: Annotated[Path | None, typer.Option(help="Write a PDF (A4); needs Chromium on this machine.")] = None,
    csv_file: Annotated[Path | None, typer.Option("--csv", help="Write CSV; - is the standard output.")] = None,
    event: Annotated[str, typer.Option(help="The event, for the sheet's head.")] = "",
    round_: Annotated[str, typer.Option("--round", help="The round, for the sheet's head.")] = "",
    table_name: Annotated[str, typer.Option("--table", help="The table, for the sheet's head.")] = "",
    teams: Four = None,
    numbers: Four = None,
    json: JsonOption = False,
) -> None:
    """The result sheet of a game: hand by hand, with signs, sums and ranks. Exit code 1 where a sum is not right."""
    from tablectl.game.sheet_model import Head

    head = Head(event, round_, table_name, _four(teams, "--teams"), _four(numbers, "--numbers"))
    found = list(_sheets(entries_of(journal, config), head))
    chosen = found if everything else [_chosen(found, game)]
    if html is not None:
        html.write_text(_page(chosen, lang, config), encoding="utf-8")
    if pdf is not None:
        _print(pdf, _page(chosen, lang, config))
    if csv_file is not None:
        _write_csv(csv_file, chosen)
    if json:
        print_json([one.to_json() for one in chosen] if everything else chosen[0].to_json())
    elif html is pdf is csv_file is None:
        for one in chosen:
            _tell(one)
    wrong = [f"game {n}: {problem}" for n, one in enumerate(chosen, 1) for problem in one.wrong]
    warn(*wrong)
    raise typer.Exit(FOUND_WRONG if wrong else 0)


def _four(text: str | None, option: str) -> tuple[str, str, str, str]:
    parts = [part.strip() for part in text.split(",")] if text is not None else [""] * 4
    if len(parts) != 4:
        fail(f"{option} {text!r}: expected four with commas between, e.g. A,B,C,D")
    return (parts[0], parts[1], parts[2], parts[3])


def _sheets(entries: list[Any], head: Head) -> Iterator[Sheet]:
    from tablectl.game.events import EventError, from_json
    from tablectl.game.sheet import sheets
    from tablectl.rules.registry import load

    when = {entry.seq: entry.wall for entry in entries}
    for match in matches(entries):
        start = match[0]
        rules = load(start.data["rules"], start.data.get("options", {}))
        try:
            events = [from_json(entry.data) for entry in match]
        except EventError as error:
            fail(f"match of event {start.seq}: {error}", code=FOUND_WRONG)
        yield from sheets(events, rules, first_seq=start.seq, head=head, when=when.get)


def _chosen(found: Sequence[Sheet], game: int | None) -> Sheet:
    if not found:
        fail("the journal holds no game yet")
    if game is not None and game > len(found):
        fail(f"there is no game {game}; expected 1 to {len(found)}")
    return found[(game or len(found)) - 1]


# --- how it is told


def _tell(sheet: Sheet) -> None:
    """The sheet on a terminal: a line a hand."""
    from tablectl.game.sheet_model import DEALER

    names = [player.name or f"seat {player.seat}" for player in sheet.players]
    rows = []
    for column in sheet.columns:
        cells = []
        for row, cell in enumerate(column.cells):
            signs = cell.signs if cell.signs != DEALER else f"{DEALER} "
            cells.append(f"{signs} {column.deltas[row]:+d} = {column.points[row]}".strip())
        wins = "; ".join("·".join(cell.fans) or cell.name for cell in column.cells if cell.score is not None)
        double = " ×2" if column.doubled else ""
        rows.append((f"{column.prevalent}{column.hand or '·'}{double}", *cells, wins or column.ended))
    table(f"{sheet.rules_zh} ({sheet.rules}), game {sheet.game}", ("hand", *names, "won by"), rows)
    for player in sheet.players:
        off = f" ({player.points} on the table, {player.off_board:+d} off it)" if player.off_board else ""
        on = ", goes on" if player.advances else ""
        say(f"{player.rank}. {player.name or f'seat {player.seat}'}: {player.total}{off}{on}")
    if sheet.confirmed is False:
        say("The chief referee has not confirmed this result yet (on the page).")


def _write_csv(path: Path, sheets: Sequence[Sheet]) -> None:
    """A row for each player and hand."""
    from tablectl.game.sheet_csv import sheet_csv

    told = [sheet.to_json() for sheet in sheets]
    if str(path) == "-":
        sys.stdout.write(sheet_csv(told, "\n"))
        return
    # with a mark of the encoding, without which spreadsheets take Chinese names for something else
    path.write_text(sheet_csv(told), encoding="utf-8-sig", newline="")


def _page(sheets: Sequence[Sheet], lang: str, config: Path) -> str:
    """Times are those of the site; without its configuration, those of this machine."""
    from zoneinfo import ZoneInfo

    from tablectl.announce.texts import load_texts
    from tablectl.base.settings import load
    from tablectl.web.sheet_page import page

    fans = load_texts("en").fans if lang == "en" else {}
    zone = ZoneInfo(load(config).time_zone) if config.is_file() else None
    return page([one.to_json() for one in sheets], lang, fans=fans, zone=zone)


def _print(path: Path, text: str) -> None:
    from tablectl.commands.printing import PrintError, to_pdf

    try:
        to_pdf(text, path)
    except PrintError as error:
        fail(error, code=FOUND_WRONG)
