"""Writing traces: one file, and the bounded row of files of a table."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from tablectl.base.reports import LanePassed, MachineReported, Report, ZoneRead
from tablectl.base.trace import Trace, TraceHeader
from tablectl.base.trace_log import TraceFile, TraceLog

HEADER = TraceHeader(rules="mcr", tags={"e001": "1m"})


def hand(start: float, reads: int = 20) -> list[Report]:
    """Walls built, raised, read ``reads`` times, collected."""
    built: list[Report] = [LanePassed(start + n / 10, n % 4, f"e{n:03}") for n in range(8)]
    read = [ZoneRead(start + 2 + n, "hand.0", frozenset({"e001"})) for n in range(reads)]
    return [*built, MachineReported(start + 1, "raised"), *read, MachineReported(start + 2 + reads, "collecting")]


def hands(count: int) -> Iterable[Report]:
    return [report for number in range(count) for report in hand(number * 100.0)]


@pytest.mark.parametrize("name", ["one.trace.jsonl", "one.trace.jsonl.gz"])
def test_a_file_holds_what_was_written(tmp_path: Path, name: str) -> None:
    reports = list(hands(3))
    with TraceFile(tmp_path / name, HEADER) as file:
        for report in reports:
            file.write(report)
    trace = Trace(tmp_path / name)
    assert trace.header == HEADER
    assert list(trace) == reports


def test_a_trace_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    with TraceFile(tmp_path / "x.trace.jsonl", HEADER):
        pass
    assert (tmp_path / "x.trace.jsonl").stat().st_mode & 0o777 == 0o600


def test_flushed_it_can_be_read_while_it_is_written(tmp_path: Path) -> None:
    with TraceFile(tmp_path / "x.trace.jsonl", HEADER) as file:
        file.write(MachineReported(1.0, "raised"))
        file.flush()
        assert list(Trace(tmp_path / "x.trace.jsonl")) == [MachineReported(1.0, "raised")]


def keep(folder: Path, reports: Iterable[Report], *, max_bytes: int, files: int = 100) -> list[Path]:
    log = TraceLog(folder, lambda: HEADER, max_bytes=max_bytes, files=files)
    for report in reports:
        log.write(report)
    log.close()
    return sorted(folder.iterdir())


def test_a_new_file_begins_between_hands_and_has_the_wall(tmp_path: Path) -> None:
    paths = keep(tmp_path, hands(6), max_bytes=2000)
    assert len(paths) > 2
    for path in paths:
        reports = list(Trace(path))
        assert [type(report) for report in reports[:9]] == [LanePassed] * 8 + [MachineReported]
        points = [report.machine for report in reports if isinstance(report, MachineReported)]
        assert points == ["raised", "collecting"] * (len(points) // 2)
    raised = [r.t for path in paths for r in Trace(path) if isinstance(r, MachineReported) and r.machine == "raised"]
    assert raised == [number * 100.0 + 1 for number in range(6)]


def test_a_table_left_alone_stays_within_its_bound(tmp_path: Path) -> None:
    alone = (ZoneRead(float(n), "hand.0", frozenset()) for n in range(5000))
    paths = keep(tmp_path, alone, max_bytes=5000, files=3)
    assert len(paths) == 3
    assert sum(path.stat().st_size for path in paths) <= 3 * 2 * 5000 + 3 * 200
    last = list(Trace(paths[-1]))
    assert last[-1].t == 4999.0


def test_the_oldest_files_go_and_numbers_go_on_after_a_restart(tmp_path: Path) -> None:
    keep(tmp_path, hands(6), max_bytes=2000)
    (tmp_path / "notes.txt").write_text("mine")
    paths = keep(tmp_path, hands(6), max_bytes=2000, files=2)
    assert [path.name for path in paths] == ["notes.txt", "table-000005.trace.jsonl", "table-000006.trace.jsonl"]


def test_a_folder_that_cannot_be_written_is_an_os_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="file"):
        TraceLog(tmp_path / "file" / "traces", lambda: HEADER, max_bytes=2000, files=2)
