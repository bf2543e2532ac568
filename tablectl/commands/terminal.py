"""What every command shares: errors that reach a person, JSON or words; lines and exit codes are those of `lines`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Annotated, Any, Final, NoReturn, ParamSpec, TypeVar

import typer

from tablectl.commands.lines import FINE, FOUND_WRONG, MISUSE, say, warn

__all__ = [
    "FINE",
    "FOUND_WRONG",
    "MISUSE",
    "JsonOption",
    "confirm",
    "fail",
    "print_json",
    "say",
    "table",
    "tells_errors",
    "warn",
]

#: seconds between two looks whether an answer was typed
ANSWER_S: Final = 0.05

P = ParamSpec("P")
R = TypeVar("R")

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for programs instead of words.")]


def print_json(value: Any) -> None:
    """One JSON document on standard output."""
    json.dump(value, sys.stdout, ensure_ascii=False)
    sys.stdout.write("\n")


def fail(*lines: object, code: int = MISUSE) -> NoReturn:
    """Say what is wrong and end with ``code``."""
    warn(*lines)
    raise typer.Exit(code)


def tells_errors(command: Callable[P, R]) -> Callable[P, R]:
    """Bad input ends a command with its problems, one a line, and exit code 2; so does a file that cannot be read or
    written. Never with a traceback."""

    @wraps(command)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
        from tablectl.base.trace import TraceError
        from tablectl.documents import DocumentError
        from tablectl.rules.api import RulesError
        from tablectl.tiles.notation import NotationError

        try:
            return command(*args, **kwargs)
        except (DocumentError, RulesError, TraceError, NotationError) as error:
            problems: Iterable[object] = getattr(error, "problems", None) or [error]
            fail(*problems)
        except BrokenPipeError:
            raise typer.Exit(FINE) from None
        except OSError as error:
            where = f"{error.filename}: " if error.filename is not None else ""
            hint = ". The table's own files: sudo -u tablectl tablectl …" if isinstance(error, PermissionError) else ""
            fail(f"{where}{error.strerror or error}{hint}")

    return guarded


async def confirm(question: str) -> bool:
    """Ask a person; Return says yes. The event loop goes on while the answer is waited for."""
    import asyncio
    import select

    while True:
        typer.echo(f"{question} [Y/n]: ", nl=False, err=True)
        while sys.stdin.isatty() and not select.select([sys.stdin], [], [], 0)[0]:  # noqa: ASYNC110
            await asyncio.sleep(ANSWER_S)
        line = sys.stdin.readline()
        if not line:
            raise typer.Abort
        match line.strip().lower():
            case "" | "y" | "yes":
                return True
            case "n" | "no":
                return False


def table(title: str, columns: Iterable[str], rows: Iterable[Iterable[object]]) -> None:
    """A table for a person."""
    from rich.console import Console
    from rich.table import Table

    grid = Table(*columns, title=title, title_justify="left", title_style="bold")
    for row in rows:
        grid.add_row(*("" if cell is None else str(cell) for cell in row))
    Console().print(grid)
