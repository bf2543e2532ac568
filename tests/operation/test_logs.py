"""The log: levels that journald reads, one line a fact, and no endless repeats."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator

import pytest

from tablectl.base import logs
from tablectl.base.clock import HandClock


@pytest.fixture(autouse=True)
def _loggers_as_they_were() -> Iterator[None]:
    root, ours = logging.getLogger(), logging.getLogger("tablectl")
    kept = root.handlers[:], root.level, ours.level
    yield
    root.handlers[:], root.level, ours.level = kept
    root.setLevel(kept[1])
    ours.setLevel(kept[2])


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    monkeypatch.setenv("JOURNAL_STREAM", "8:1")
    stream = io.StringIO()
    logs.set_up(stream)
    return stream


def test_journald_reads_the_level(told: io.StringIO) -> None:
    log = logging.getLogger("tablectl.base.keeper")
    log.debug("not told")
    log.info("written again")
    log.warning("reader lost")
    log.error("disk full")
    log.critical("no outputs")
    assert told.getvalue().splitlines() == [
        "<6>tablectl.base.keeper: written again",
        "<4>tablectl.base.keeper: reader lost",
        "<3>tablectl.base.keeper: disk full",
        "<2>tablectl.base.keeper: no outputs",
    ]


def test_other_libraries_speak_from_warnings_on(told: io.StringIO) -> None:
    logging.getLogger("uvicorn.error").info("Started server process")
    logging.getLogger("uvicorn.error").warning("Invalid HTTP request received.")
    assert told.getvalue() == "<4>uvicorn.error: Invalid HTTP request received.\n"


def test_a_person_at_a_terminal_reads_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JOURNAL_STREAM", raising=False)
    stream = io.StringIO()
    logs.set_up(stream)
    logging.getLogger("tablectl.app").warning("reader %s lost", "east")
    assert stream.getvalue() == "warning: tablectl.app: reader east lost\n"


def test_a_fact_is_one_line_whatever_is_in_it(told: io.StringIO) -> None:
    log = logging.getLogger("tablectl.app")
    log.error("three mistakes:\n  one\n\n  two")

    def inner() -> None:
        raise ValueError("not\na number")

    try:
        inner()
    except ValueError:
        log.exception("a request failed")
    first, second = told.getvalue().splitlines()
    assert first == "<3>tablectl.app: three mistakes:; one; two"
    assert second.startswith("<3>tablectl.app: a request failed: ValueError: not a number (test_logs.py:")
    assert " inner < test_logs.py:" in second


def test_every_exception_of_a_group_is_told() -> None:
    try:
        raise ExceptionGroup("outputs", [OSError(5, "Input/output error"), ValueError("x")])
    except ExceptionGroup as group:
        line = logs.in_one_line(group)
    assert "OSError: [Errno 5] Input/output error; ValueError: x" in line
    assert "\n" not in line


def sparing() -> tuple[HandClock, logging.Logger, io.StringIO]:
    clock, stream = HandClock(), io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logs.OneLine(journald=False))
    handler.addFilter(logs.Sparing(clock.now))
    log = logging.Logger("reader")
    log.addHandler(handler)
    return clock, log, stream


def test_what_repeats_is_counted_and_the_count_is_told() -> None:
    clock, log, stream = sparing()
    for number in range(1000):
        log.warning("no answer within %d ms", number)
        log.warning("another fact") if number == 500 else None
    lines = stream.getvalue().splitlines()
    assert len(lines) == logs.OFTEN + 1
    assert lines[logs.OFTEN - 1].endswith("(said 5 times; counted only from now on)")
    assert lines[-1] == "warning: reader: another fact"
    clock.set(logs.WINDOW_S + 1)
    log.warning("no answer within 7 ms")
    assert stream.getvalue().splitlines()[-1] == (
        "warning: reader: no answer within 7 ms (and 995 times more in 301 s)"
    )


def test_slow_repeats_are_all_told() -> None:
    clock, log, stream = sparing()
    for _ in range(20):
        clock.set(clock.now() + logs.WINDOW_S / 4)
        log.warning("board answers again")
    assert len(stream.getvalue().splitlines()) == 20


def test_endless_different_facts_do_not_fill_the_memory() -> None:
    _, log, _stream = sparing()
    spare = log.handlers[0].filters[0]
    for number in range(5 * logs.FACTS):
        log.warning("%s", "x" * number)
    assert len(spare._told) == logs.FACTS  # type: ignore[union-attr]
