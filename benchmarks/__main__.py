"""Run the benchmarks and print their tables."""

from __future__ import annotations

import sys
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

from rich.console import Console
from rich.table import Table

from benchmarks import Row, __path__


def main(names: list[str]) -> int:
    if names and names[0] in {module.name for module in iter_modules(__path__)}:
        command = getattr(_module(names[0]), "command", None)
        if command is not None:
            return int(command(names[1:]))
    known = [
        module.name
        for module in iter_modules(__path__)
        if module.name != "__main__" and hasattr(_module(module.name), "run")
    ]
    unknown = [name for name in names if name not in known]
    if unknown:
        print(f"unknown benchmark {', '.join(unknown)}; expected some of {', '.join(known)}", file=sys.stderr)
        return 2
    for name in names or known:
        Console().print(table(name, _module(name).run()))
    return 0


def _module(name: str) -> ModuleType:
    return import_module(f"benchmarks.{name}")


def table(title: str, rows: list[Row]) -> Table:
    printed = Table("what", "tablectl", "unit", "bar", "peer", "peer's number", "times the peer", title=title)
    for row in rows:
        first = [row.what, _short(row.value), row.unit, row.bar]
        peers = [(peer, _short(number), _times(row.value, number)) for peer, number in row.peers.items()]
        for peer in peers or [("", "", "")]:
            printed.add_row(*first, *peer)
            first = ["", "", "", ""]
    return printed


def _times(value: float, number: float) -> str:
    """How many times a peer's number; none where that is too small to be measured."""
    return f"{value / number:.2f}" if number else "–"


def _short(number: float) -> str:
    return f"{number:,.4g}" if number < 1000 else f"{number:,.0f}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
