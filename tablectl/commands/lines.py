"""Lines for a person; exit codes of every command: 0 fine, 1 something wrong was found, 2 misuse or bad input."""

from __future__ import annotations

import sys
from typing import Final

FINE: Final = 0
FOUND_WRONG: Final = 1
MISUSE: Final = 2


def say(*lines: object) -> None:
    """Lines for a person on standard output."""
    for line in lines:
        sys.stdout.write(f"{line}\n")


def warn(*lines: object) -> None:
    """Lines for a person on standard error."""
    for line in lines:
        sys.stderr.write(f"{line}\n")
