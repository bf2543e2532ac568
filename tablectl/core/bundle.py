"""The support bundle: what a person far away needs to help, and nothing that opens or betrays anything.

Of the records it holds chosen facts only, never an event of a hand: no tile, no tag, no word that opens a role, no
name. `core.redact` goes over everything that is put in.
"""

from __future__ import annotations

import io
import json
import platform
import shutil
import subprocess
import sys
import tarfile
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tablectl import __version__
from tablectl.base.clock import Clock
from tablectl.base.journal import Journal, JournalError
from tablectl.core.logbook import FAULT, FAULT_ENDED, READING
from tablectl.core.redact import HIDDEN, Redactor

if TYPE_CHECKING:
    from tablectl.base.settings import Settings

#: facts that go in, and which of their particulars
FACTS: Final = {
    "begun": (),
    "ended": (),
    "stopped": (),
    FAULT: ("code", "where", "severity", "detail"),
    FAULT_ENDED: ("code", "where", "stood_s"),
    READING: ("zones",),
    "upkeep": ("kept",),
    "machine": ("command", "tiles"),
    "machine_retried": ("cause", "where", "number", "detail"),
    "sim_fault": ("fault",),
}
#: so many of the last facts, and days of the log
LAST_FACTS: Final = 5000
LOG_DAYS: Final = 7
LOG_LINES: Final = 20_000
REPORT_DAYS: Final = 30
DAY_S: Final = 86_400.0
UNITS: Final = ("tablectl", "tablectl-web", "tablectl-backup", "tablectl-report")


class BundleError(Exception):
    """The bundle was not written; the message says why."""


def write(file: Path, config: Path, settings: Settings | None, clock: Clock, redactor: Redactor) -> list[str]:
    """Write the bundle to the new file ``file`` (.tar.gz); what is in it. A part that cannot be had says why instead.

    Raises:
        BundleError: the file exists or cannot be written.
    """
    parts: dict[str, Callable[[], Any]] = {
        "about.json": lambda: _about(clock),
        "doctor.json": lambda: _doctor(config, clock),
        "log.txt": _log,
    }
    if settings is not None:
        parts |= {
            "status.json": lambda: _status(settings),
            "configuration.json": lambda: _configuration(settings),
            "facts.jsonl": lambda: _facts(settings, clock),
            "report.json": lambda: _report(settings, clock),
            "files.txt": lambda: _files(settings),
        }
        parts |= {
            f"machine/{path.name}": (lambda path=path: path.read_text(encoding="utf-8"))  # type: ignore[misc]
            for path in sorted(settings.machine.glob("*.yaml"))
        }
    try:
        with file.open("xb") as raw, tarfile.open(fileobj=raw, mode="w:gz") as tar:
            file.chmod(0o600)
            for name, make in parts.items():
                try:
                    content = make()
                except (JournalError, OSError, ValueError) as error:
                    content = {"could not be had": str(error)}
                data = _written(name, redactor.data(content)).encode()
                entry = tarfile.TarInfo(f"tablectl-bundle/{name}")
                entry.size, entry.mode, entry.mtime = len(data), 0o600, int(clock.wall())
                tar.addfile(entry, io.BytesIO(data))
    except FileExistsError:
        raise BundleError(f"{file}: exists already; give another name") from None
    except OSError as error:
        raise BundleError(f"{file}: cannot be written: {error.strerror}") from error
    return list(parts)


def _written(name: str, content: Any) -> str:
    """A part as its file says it: text as it is, one JSON document, or a line an object."""
    if isinstance(content, str):
        return content
    if name.endswith(".jsonl") and isinstance(content, list):
        return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in content)
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


# --- parts


def _about(clock: Clock) -> dict[str, Any]:
    packages = sorted({f"{found.name} {found.version}" for found in metadata.distributions()})
    return {
        "tablectl": __version__,
        "python": sys.version.split()[0],
        "system": platform.platform(),
        "machine": platform.machine(),
        "made": clock.wall(),
        "packages": packages,
    }


def _doctor(config: Path, clock: Clock) -> list[dict[str, str]]:
    from tablectl.core.doctor import examine, told

    return [told(finding) for finding in examine(config, clock)]


def _status(settings: Settings) -> dict[str, Any]:
    """The machine and its faults as they are; nothing of the hand."""
    from tablectl.link.client import call
    from tablectl.link.protocol import RpcError

    try:
        state = call(settings.link.socket, "state.get", {"role": "spectator"}, seconds=3)["state"]
    except RpcError as error:
        return {"running": False, "why": str(error)}
    faults = [{key: fault[key] for key in ("code", "where", "severity", "since")} for fault in state["faults"]]
    return {"running": True, "version": state["site"].get("version"), "machine": state["machine"], "faults": faults}


def _configuration(settings: Settings) -> Any:
    data = settings.model_dump(mode="json")
    data["players"] = HIDDEN
    return data


def _facts(settings: Settings, clock: Clock) -> list[dict[str, Any]]:
    with Journal(settings.journal.path, clock, read_only=True) as journal:
        facts = [fact for fact in journal.facts() if fact.type in FACTS][-LAST_FACTS:]
        counts = Counter(event.type for event in journal.read())
    chosen = [{key: fact.data[key] for key in FACTS[fact.type] if key in fact.data} for fact in facts]
    head = [{"seq": fact.seq, "wall": fact.wall, "t": fact.t, "type": fact.type} for fact in facts]
    return [{"events": dict(counts)}, *(about | told for about, told in zip(head, chosen, strict=True))]


def _report(settings: Settings, clock: Clock) -> dict[str, Any]:
    from tablectl.core.report import report

    until = clock.wall()
    with Journal(settings.journal.path, clock, read_only=True) as journal:
        made = report(journal.read(), journal.facts(), until - REPORT_DAYS * DAY_S, until, {})
    return replace(made, bad_tags={"tags": len(made.bad_tags)}, look_at=[]).as_json()


def _files(settings: Settings) -> str:
    """Names, sizes and modes in the table's folder: what fills the card, what others may read."""
    folder = settings.journal.path.parent
    free = shutil.disk_usage(folder).free // 1_000_000
    lines = [f"{folder}: {free} MB free"]
    for path in sorted(folder.rglob("*"))[:2000]:
        found = path.lstat()
        lines.append(f"{found.st_mode:o} {found.st_uid} {found.st_size:>12} {path.relative_to(folder)}")
    return "\n".join(lines) + "\n"


def _log() -> str:
    program = shutil.which("journalctl")
    if program is None:
        return "could not be had: there is no journalctl on this machine\n"
    units = [word for unit in UNITS for word in ("-u", unit)]
    command = [program, *units, f"--since=-{LOG_DAYS} days", "--no-pager", "-o", "short-iso", "-n", str(LOG_LINES)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=60, check=False)
    return done.stdout or f"could not be had: {done.stderr.strip() or 'it is empty'}\n"
