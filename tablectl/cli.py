"""The command line. Commands stand in `tablectl.commands`, one module a group; here they get their names."""

from __future__ import annotations

from typing import Annotated

import typer

from tablectl import __version__
from tablectl.commands import (
    bundle,
    configure,
    diagram,
    hands,
    hardware,
    keeping,
    replay,
    report,
    rules,
    score,
    sheet,
    signing,
    sim,
    site,
    standings,
    stats,
    status,
    tags,
    users,
)

app = typer.Typer(
    name="tablectl",
    help="Controller of an automatic mahjong table (自动麻将机) whose tiles carry RFID tags.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tablectl {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """Exit codes: 0 fine, 1 something wrong was found, 2 misuse or bad input."""


app.command()(score.score)
app.command()(score.waits)
app.command()(replay.replay)
app.command()(diagram.diagram)
app.command()(site.check)
app.command()(site.run)
app.command()(site.web)
app.command()(site.ctl)
app.command()(sim.sim)
app.command()(status.status)
app.command()(report.report)
app.command()(keeping.backup)
app.command()(keeping.restore)
app.command()(keeping.archive)
app.command()(bundle.bundle)
app.command()(hardware.doctor)
app.command()(hardware.selftest)
app.command("safe-off")(hardware.safe_off)
app.command()(standings.standings)
app.command()(sheet.sheet)
app.command()(stats.stats)
app.add_typer(configure.app, name="config")
app.add_typer(rules.app, name="rules")
hands.app.command()(signing.key)
hands.app.command("check-signature")(signing.check_signature)
app.add_typer(hands.app, name="hands")
app.add_typer(tags.app, name="tags")
app.add_typer(users.app, name="users")
