"""``tablectl hands``: the records that a table's journal keeps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from tablectl.commands.journals import (
    DEFAULT_CONFIG,
    Config,
    JournalPath,
    entries_of,
    finished_hands,
    journal_path,
    matches,
)
from tablectl.commands.replay import tell_hand
from tablectl.commands.signing import signed
from tablectl.commands.terminal import FOUND_WRONG, JsonOption, fail, print_json, say, table, tells_errors, warn

if TYPE_CHECKING:
    from tablectl.base.journal import Entry
    from tablectl.game.export_forms import Form
    from tablectl.game.playback import PlayedHand

app = typer.Typer(help="The records of the hands played: list, show, export, page to play one, verify.")

Number = Annotated[int, typer.Argument(min=1, help="The hand, as `tablectl hands list` numbers them.")]


@app.command("list")
@tells_errors
def list_hands(journal: JournalPath = None, config: Config = DEFAULT_CONFIG, json: JsonOption = False) -> None:
    """All finished hands in the journal, over all matches."""
    from tablectl.core.records import hand_line

    lines = [hand_line(number, hand) for number, hand in finished_hands(entries_of(journal, config))]
    if json:
        print_json(lines)
        return
    rows = [
        (line["hand"], line["dealer"], line["bakaze"], _ending(line), line["deltas"], line["scores"]) for line in lines
    ]
    table("Hands", ("hand", "dealer", "wind", "ended", "change", "scores"), rows)


def _ending(line: dict[str, Any]) -> str:
    if not line["wins"]:
        return f"drawn: {line['drawn']}"
    return "; ".join(
        f"seat {win['actor']} on {win['pai']} "
        f"{'self-drawn' if win['actor'] == win['target'] else 'from seat ' + str(win['target'])}, {win['score']}"
        for win in line["wins"]
    )


@app.command()
@tells_errors
def show(
    number: Number, journal: JournalPath = None, config: Config = DEFAULT_CONFIG, json: JsonOption = False
) -> None:
    """One hand, move by move. With --json: its record, one event a line."""
    hands = dict(finished_hands(entries_of(journal, config)))
    if number not in hands:
        fail(_no_hand(number, len(hands)))
    if json:
        for event in hands[number]:
            print_json(event)
    else:
        tell_hand(hands[number])


def _no_hand(number: int, count: int) -> str:
    known = f"expected 1 to {count}" if count else "the journal holds no finished hand"
    return f"there is no hand {number}; {known}"


# --- export


@app.command()
@tells_errors
def export(
    file: Annotated[Path, typer.Argument(help="The file to write; it must not be there yet.")],
    journal: JournalPath = None,
    config: Config = DEFAULT_CONFIG,
    form: Annotated[
        Literal["jsonl", "lines", "botzone", "pmn"],
        typer.Option(
            "--format",
            help="jsonl: hand records, one event a line (docs/trace-format.md); lines: a line a win, for calculators; "
            "botzone, pmn: hands of 国标麻将 for other programs.",
        ),
    ] = "jsonl",
    hand: Annotated[int | None, typer.Option(min=1, help="Only this hand.")] = None,
    event: Annotated[str, typer.Option(help="pmn: the event.")] = "",
    site: Annotated[str, typer.Option(help="pmn: the place.")] = "",
    sign: Annotated[bool, typer.Option("--sign", help="Sign it with the table's key: FILE.sig beside it.")] = False,
) -> None:
    """Write the finished hands to a file. Hands that a format cannot hold are named and left out."""
    entries = entries_of(journal, config)
    texts: list[str] = []
    left_out: list[str] = []
    count = 0
    for number, text in _written(entries, form, event, site):
        count = number
        if hand is None or hand == number:
            (left_out if isinstance(text, Exception) else texts).append(
                f"hand {number}: left out: {text}" if isinstance(text, Exception) else text
            )
    if hand is not None and hand > count:
        fail(_no_hand(hand, count))
    if left_out and not texts:
        fail(*left_out, f"{file}: not written, {form} can hold none of these hands", code=FOUND_WRONG)
    try:
        with file.open("x", encoding="utf-8") as out:
            out.writelines(texts)
    except FileExistsError:
        fail(f"{file}: exists already; give another name")
    warn(*left_out)
    say(f"{len(texts)} hands written to {file}")
    if sign:
        say(f"signed: {signed(file, journal_path(journal, config))}")


def _written(entries: list[Entry], form: Form, event: str, site: str) -> Iterator[tuple[int, str | Exception]]:
    """Every finished hand as ``form`` writes it, or why it cannot."""
    from tablectl.game.export_forms import exported
    from tablectl.game.exports import ExportError

    for number, (begun, hand) in enumerate(_played(entries), 1):
        try:
            yield number, exported(replace(hand, number=number), form, begun, event=event, site=site)
        except ExportError as error:
            yield number, error


def _played(entries: list[Entry]) -> Iterator[tuple[date, PlayedHand]]:
    """The finished hands of all matches, with the day on which their match began."""
    from tablectl.game.events import from_json
    from tablectl.game.playback import played_hands

    for match in matches(entries):
        begun = datetime.fromtimestamp(match[0].wall, UTC).astimezone().date()
        for hand in played_hands([from_json(entry.data) for entry in match], match[0].seq):
            yield begun, hand


@app.command()
@tells_errors
def html(
    number: Number,
    file: Annotated[Path, typer.Argument(help="The page to write.")],
    journal: JournalPath = None,
    config: Config = DEFAULT_CONFIG,
    lang: Annotated[Literal["zh", "en"], typer.Option(help="The language it opens in.")] = "zh",
) -> None:
    """Write one hand as a page that plays it step by step: a single file, with the record in it, that needs nothing."""
    from tablectl.game.playback import playback
    from tablectl.web.offline import replay_page

    hands = [hand for _, hand in _played(entries_of(journal, config))]
    if number > len(hands):
        fail(_no_hand(number, len(hands)))
    file.write_text(replay_page(playback(hands[number - 1]), lang), encoding="utf-8")
    say(f"hand {number} written to {file}; any browser opens it")


# --- verify


@app.command()
@tells_errors
def verify(journal: JournalPath = None, config: Config = DEFAULT_CONFIG, json: JsonOption = False) -> None:
    """Check the journal: its file, the chain of hashes, that every match replays, that every account sums, and that
    the walls and dice are those the table was bound to (docs/fairness.md)."""
    from tablectl.base.clock import LoopClock
    from tablectl.base.journal import Journal, JournalError
    from tablectl.commands.verifying import check_match

    path = journal_path(journal, config)
    try:
        with Journal(path, LoopClock(), read_only=True) as kept:
            found = kept.verify()
            entries = list(kept.read())
    except JournalError as error:
        fail(error, code=FOUND_WRONG)
    checked = [check_match(match) for match in matches(entries)]
    found += [problem for match in checked for problem in match.wrong]
    unopened = [seal for match in checked for seal in match.unopened]
    hands, sealed = sum(match.hands for match in checked), sum(match.sealed for match in checked)
    agreeing, compared = sum(match.agreeing for match in checked), sum(match.compared for match in checked)
    if json:
        print_json(
            {
                "journal": str(path),
                "events": len(entries),
                "hands": hands,
                "seals": sealed,
                "unopened": unopened,
                "tiles_as_sealed": [agreeing, compared],
                "wrong": found,
            }
        )
    else:
        warn(*found, *unopened)
        seals = f", {sealed} seals, {agreeing} of {compared} tiles where they say" if sealed else ""
        say(
            f"{path}: {len(entries)} events, {hands} hands{seals}: "
            f"{f'{len(found)} found wrong' if found else 'all in order'}"
        )
    raise typer.Exit(FOUND_WRONG if found else 0)
