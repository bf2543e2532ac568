"""``tablectl run``: the core of a table as a process, until a signal ends it.

It lives for weeks in little memory, so this module stands without what the other commands need.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tablectl.commands.lines import FINE, FOUND_WRONG, MISUSE, say, warn

if TYPE_CHECKING:
    from tablectl.core.site import Site

DEFAULT_CONFIG: Final = Path("/etc/tablectl/table.yaml")
STATE_DIR: Final = Path("/var/lib/tablectl")
#: What Python's own modules load for TLS where they can: 4 MB. The core has no network; hashes are Python's own then.
NO_NETWORK: Final = ("ssl", "_ssl", "_hashlib")


def given(words: Sequence[str]) -> tuple[Path, Path] | None:
    """Configuration and folder of state in ``run CONFIG [--state FOLDER]``; None where the words say something else,
    which is for the command line's library to read."""
    match words:
        case ["run", config] if not config.startswith("-"):
            return Path(config), STATE_DIR
        case ["run", config, "--state", state] if not config.startswith("-"):
            return Path(config), Path(state)
    return None


def without_network() -> None:
    """Keep out of this process what only a network needs. Before anything else is imported."""
    for name in NO_NETWORK:
        sys.modules.setdefault(name, None)  # type: ignore[arg-type]


def run_table(config: Path, state: Path) -> int:
    """Run the table of ``config``; ``state``: the folder for the last configuration that worked. The exit code."""
    import asyncio

    from tablectl.base import logs
    from tablectl.base.clock import TableLoop
    from tablectl.base.faults import DeviceError
    from tablectl.base.journal import JournalError
    from tablectl.core.backends import BackendError
    from tablectl.core.running import serve, take_up
    from tablectl.core.site import load_site
    from tablectl.documents import DocumentError
    from tablectl.link.socketfile import LinkError
    from tablectl.rules.api import RulesError

    logs.set_up()
    try:
        site = take_up(load_site(config, state))
    except (DocumentError, RulesError) as error:
        warn(*error.problems)
        return MISUSE
    banner(site)
    sys.stdout.flush()
    try:
        with asyncio.Runner(loop_factory=TableLoop) as runner:
            runner.run(serve(site, state_dir=state))
    except (BackendError, DeviceError, JournalError, LinkError) as error:
        warn(f"tablectl run: {error}")
        return FOUND_WRONG
    return FINE


def banner(site: Site) -> None:
    """Which table, rules and backend: nobody may take a simulated table for a real one."""
    mark = "SIMULATED " if site.settings.backend == "simulated" else ""
    say(f"{mark}table {site.settings.table}: {site.rules.name_zh} ({site.rules.id}), backend {site.settings.backend}")
    if site.warning:
        warn(f"WARNING: {site.warning}")
