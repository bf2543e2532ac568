"""``tablectl status``: how a table is, for people and scripts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Final

import typer

from tablectl.commands.journals import DEFAULT_CONFIG, Config
from tablectl.commands.terminal import FOUND_WRONG, JsonOption, print_json, say, tells_errors

#: a table that does not answer in so many seconds hangs
PATIENCE_S: Final = 3.0


@tells_errors
def status(
    config: Config = DEFAULT_CONFIG,
    socket: Annotated[Path | None, typer.Option(help="The link's socket, instead of the configuration's.")] = None,
    json: JsonOption = False,
) -> None:
    """Whether the table runs, what it does, and which faults stand. Exit code 0: it runs and nothing stops it; 1: it
    does not run, does not answer, or a fault holds it."""
    from tablectl.base.settings import load
    from tablectl.link.client import call
    from tablectl.link.protocol import RpcError

    path = socket or load(config).link.socket
    try:
        found = _of(call(path, "state.get", {"role": "spectator"}, seconds=PATIENCE_S)["state"])
    except RpcError as error:
        found = {"running": False, "fine": False, "why": str(error)}
    if json:
        print_json(found)
    else:
        _tell(found)
    if not found["fine"]:
        raise typer.Exit(FOUND_WRONG)


def _of(state: dict[str, Any]) -> dict[str, Any]:
    """What of the state a script asks for. Nothing of it is hidden from a spectator."""
    site, machine, table = state["site"], state["machine"] or {}, state["table"]
    faults = [
        {"code": f["code"], "where": f["where"], "severity": f["severity"], "zh": f["zh"], "en": f["en"]}
        for f in state["faults"]
    ]
    hand = table["hand"]
    return {
        "running": True,
        "fine": not any(fault["severity"] == "stop" for fault in faults),
        "version": site["version"],
        "table": site["table"],
        "backend": site["backend"],
        "simulated": site["simulated"],
        "rules": site["rules"]["id"],
        "machine": machine.get("state"),
        "cycles": machine.get("cycles"),
        "degraded": machine.get("degraded", []),
        "hand": table["match"]["hand"],
        "phase": hand["phase"] if hand else table["match"]["phase"],
        # nothing is lost when the program is started again now
        "idle": hand is None,
        "points": table["match"]["points"],
        "faults": faults,
    }


def _tell(found: dict[str, Any]) -> None:
    if not found["running"]:
        say(f"not running: {found['why']}")
        return
    mark = "SIMULATED " if found["simulated"] else ""
    say(
        f"{mark}{found['table']}: {found['rules']}, machine {found['machine']}, hand {found['hand']} {found['phase']}, "
        f"tablectl {found['version']}"
    )
    if found["degraded"]:
        say(f"goes on without: {', '.join(found['degraded'])}")
    for fault in found["faults"]:
        place = f" at {fault['where']}" if fault["where"] else ""
        say(f"{fault['severity'].upper()} {fault['code']}{place}: {fault['en']['title']}. {fault['en']['next']}")
    if not found["faults"]:
        say("no fault stands")
