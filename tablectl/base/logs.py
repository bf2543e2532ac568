"""The log of a program that runs for years: one line a fact, with its level, to journald or a terminal.

journald reads the level from a prefix (sd-daemon(3)) and adds time and service itself. What repeats without end is
counted instead of repeated, so that a loose plug cannot fill a card.
"""

from __future__ import annotations

import logging
import os
import re
import sys
import traceback
from collections import OrderedDict
from collections.abc import Callable
from typing import Final, TextIO

from tablectl.base.clock import LoopClock

#: a fact is told so often in so many seconds; then it is only counted
OFTEN: Final = 5
WINDOW_S: Final = 300.0
#: different facts that are counted at a time
FACTS: Final = 500
#: frames of an exception that are told, innermost first
FRAMES: Final = 6
#: levels of syslog(3)
_SYSLOG: Final = ((logging.CRITICAL, 2), (logging.ERROR, 3), (logging.WARNING, 4), (logging.INFO, 6))
_DEBUG: Final = 7


def set_up(stream: TextIO | None = None) -> None:
    """Send the log of this process to standard error: ours from INFO on, other libraries' from WARNING on."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(OneLine(journald="JOURNAL_STREAM" in os.environ))
    handler.addFilter(Sparing(LoopClock().now))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("tablectl").setLevel(logging.INFO)


class OneLine(logging.Formatter):
    """One line a record, an exception in it told from the inside out. ``journald``: with the prefix it reads."""

    def __init__(self, *, journald: bool) -> None:
        super().__init__()
        self._journald = journald

    def format(self, record: logging.LogRecord) -> str:
        text = "; ".join(filter(None, (line.strip() for line in record.getMessage().splitlines())))
        if record.exc_info and record.exc_info[1] is not None:
            text += f": {in_one_line(record.exc_info[1])}"
        text += getattr(record, "repeated", "")
        if self._journald:
            level = next((number for least, number in _SYSLOG if record.levelno >= least), _DEBUG)
            return f"<{level}>{record.name}: {text}"
        return f"{record.levelname.lower()}: {record.name}: {text}"


def in_one_line(error: BaseException) -> str:
    """What was raised and where: the innermost frames of its traceback, innermost first."""
    frames = traceback.extract_tb(error.__traceback__)[-FRAMES:]
    places = " < ".join(
        f"{frame.filename.rpartition('/')[2]}:{frame.lineno} {frame.name}" for frame in reversed(frames)
    )
    inner = f" [{'; '.join(map(in_one_line, error.exceptions))}]" if isinstance(error, BaseExceptionGroup) else ""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}{inner}" + (f" ({places})" if places else "")


class Sparing(logging.Filter):
    """Lets the same fact pass `OFTEN` times in `WINDOW_S`; the next time after that says how often it was kept back.
    Numbers in it may differ: "0.7 s late" and "0.9 s late" are the same fact."""

    def __init__(self, now: Callable[[], float]) -> None:
        super().__init__()
        self._now = now
        #: since when, and how often
        self._told: OrderedDict[tuple[str, int, str], tuple[float, int]] = OrderedDict()

    def filter(self, record: logging.LogRecord) -> bool:
        fact = (record.name, record.levelno, re.sub(r"\d+", "#", record.getMessage()))
        now = self._now()
        since, count = self._told.pop(fact, (now, 0))
        if now - since > WINDOW_S:
            if count > OFTEN:
                record.repeated = f" (and {count - OFTEN} times more in {now - since:.0f} s)"
            since, count = now, 0
        self._told[fact] = (since, count + 1)
        if len(self._told) > FACTS:
            self._told.popitem(last=False)
        if count + 1 == OFTEN:
            record.repeated = getattr(record, "repeated", "") + f" (said {OFTEN} times; counted only from now on)"
        return count < OFTEN
