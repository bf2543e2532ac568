"""The ``tablectl`` program, also as ``python -m tablectl``."""

from __future__ import annotations

import sys

from tablectl.commands import running


def main() -> None:
    """Entry point. A table's core begins without the command line's library, and without what a network needs."""
    table = running.given(sys.argv[1:])
    if table is not None:
        running.without_network()
        sys.exit(running.run_table(*table))
    from tablectl.cli import app

    app()


if __name__ == "__main__":
    main()
