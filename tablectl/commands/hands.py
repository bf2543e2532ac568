"""``tablectl hands``: the records that a table's journal keeps."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tablectl.commands.replay import tell_hand
from tablectl.commands.site import DEFAULT_CONFIG
from tablectl.commands.terminal import FOUND_WRONG, JsonOption, fail, print_json, say, table, tells_errors, warn

if TYPE_CHECKING:
    from tablectl.base.journal import Entry

app = typer.Typer(help="The records of the hands played: list, show, export, verify.")

Hand = list[dict[str, Any]]
JournalPath = Annotated[
    Path | None, typer.Option("--journal", help="The journal; left out: that of the configuration.")
]
Config = Annotated[Path, typer.Option("--config", help="The site's configuration: it says where the journal is.")]
Number = Annotated[int, typer.Argument(min=1, help="The hand, as `tablectl hands list` numbers them.")]


@app.command("list")
@tells_errors
def list_hands(journal: JournalPath = None, config: Config = DEFAULT_CONFIG, json: JsonOption = False) -> None:
    """All finished hands in the journal, over all matches."""
    from tablectl.console import hand_line

    lines = [hand_line(number, hand) for number, hand in _finished(_events(journal, config))]
    if json:
        print_json(lines)
        return
    rows = [
        (line["hand"], line["dealer"], line["bakaze"], _ending(line), line["deltas"], line["scores"]) for line in lines
    ]
    table("Hands", ("hand", "dealer", "wind", "change", "scores", "ended"), rows)


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
    hands = dict(_finished(_events(journal, config)))
    if number not in hands:
        known = f"expected 1 to {max(hands)}" if hands else "the journal holds no finished hand"
        fail(f"there is no hand {number}; {known}")
    if json:
        for event in hands[number]:
            print_json(event)
    else:
        tell_hand(hands[number])


@app.command()
@tells_errors
def export(
    file: Annotated[Path, typer.Argument(help="The file to write: one event a line (docs/trace-format.md).")],
    journal: JournalPath = None,
    config: Config = DEFAULT_CONFIG,
) -> None:
    """Write the records of all finished hands to a file."""
    from json import dumps

    hands = list(_finished(_events(journal, config)))
    lines = [dumps(event, ensure_ascii=False) + "\n" for _, hand in hands for event in hand]
    try:
        with file.open("x", encoding="utf-8") as out:
            out.writelines(lines)
    except FileExistsError:
        fail(f"{file}: exists already; give another name")
    except OSError as error:
        fail(f"{file}: cannot be written: {error.strerror}")
    say(f"{len(hands)} hands, {len(lines)} events written to {file}")


@app.command()
@tells_errors
def verify(journal: JournalPath = None, config: Config = DEFAULT_CONFIG, json: JsonOption = False) -> None:
    """Check the journal: its file, the chain of hashes, that every match replays and every account sums."""
    from tablectl.base.clock import LoopClock
    from tablectl.base.journal import Journal, JournalError

    path = _path(journal, config)
    try:
        with Journal(path, LoopClock(), read_only=True) as kept:
            found = kept.verify()
            entries = list(kept.read())
    except JournalError as error:
        fail(error, code=FOUND_WRONG)
    hands = 0
    for match in _matches(entries):
        lines, count = _check_match(match)
        found += lines
        hands += count
    if json:
        print_json({"journal": str(path), "events": len(entries), "hands": hands, "wrong": found})
    else:
        warn(*found)
        say(f"{path}: {len(entries)} events, {hands} hands: {f'{len(found)} found wrong' if found else 'all in order'}")
    raise typer.Exit(FOUND_WRONG if found else 0)


def _check_match(entries: list[Entry]) -> tuple[list[str], int]:
    """What is wrong with a match, and how many hands of it are over."""
    from tablectl.game.events import EventError, from_json
    from tablectl.game.fold import FoldError
    from tablectl.game.record import records
    from tablectl.game.table import Table
    from tablectl.rules.api import RulesError
    from tablectl.rules.registry import load

    start = entries[0]
    try:
        rules = load(start.data["rules"], start.data.get("options", {}))
        replayed = Table.replay(rules, (from_json(entry.data) for entry in entries), first_seq=start.seq)
    except (EventError, FoldError, RulesError) as error:
        return [f"match of event {start.seq}: {error}"], 0
    wrong, ended = [], 0
    for number, hand in enumerate(records(replayed.events, start.seq), 1):
        if hand[-1]["type"] == "end_kyoku":
            ended += 1
            moved = sum(hand[-1]["deltas"])
            pot = sum(hand[-1].get("carry", {}).values()) - sum(hand[0].get("carry", {}).values())
            if moved + pot != 0:
                wrong.append(f"match of event {start.seq}, hand {number}: changes sum to {moved}, to the pot {pot}")
    return wrong, ended


def _matches(entries: list[Entry]) -> Iterator[list[Entry]]:
    """The entries of each match: from one start to the next."""
    starts = [place for place, entry in enumerate(entries) if entry.type == "start_game"]
    for begin, end in zip(starts, [*starts[1:], len(entries)], strict=True):
        yield entries[begin:end]


def _path(journal: Path | None, config: Path) -> Path:
    from tablectl.base.settings import load

    path = journal or load(config).journal.path
    if not path.is_file():
        fail(f"{path}: no journal there; expected the file of a table that ran (--journal FILE)")
    return path


def _events(journal: Path | None, config: Path) -> list[Entry]:
    from tablectl.base.clock import LoopClock
    from tablectl.base.journal import Journal, JournalError

    try:
        with Journal(_path(journal, config), LoopClock(), read_only=True) as kept:
            return list(kept.read())
    except JournalError as error:
        fail(error, code=FOUND_WRONG)


def _finished(entries: list[Entry]) -> Iterator[tuple[int, Hand]]:
    """The finished hands of all matches, numbered through."""
    from tablectl.game.events import from_json
    from tablectl.game.record import records

    number = 0
    for match in _matches(entries):
        for hand in records([from_json(entry.data) for entry in match], match[0].seq):
            if hand[-1]["type"] == "end_kyoku":
                number += 1
                yield number, hand
