"""``tablectl check``, ``run``, ``web`` and ``ctl``: a table of a configuration file."""

from __future__ import annotations

from json import JSONDecodeError, loads
from pathlib import Path
from typing import Annotated, Any

import typer

from tablectl.commands.running import DEFAULT_CONFIG, STATE_DIR, run_table
from tablectl.commands.terminal import FOUND_WRONG, MISUSE, JsonOption, fail, print_json, say, tells_errors, warn

Config = Annotated[Path, typer.Argument(help="The site's configuration (config/table.yaml shows every key).")]


@tells_errors
def check(config: Config = DEFAULT_CONFIG, json: JsonOption = False) -> None:
    """Look at a configuration: every mistake with its file, line, column and key."""
    from tablectl.base.settings import SettingsError, render
    from tablectl.core.register import problems
    from tablectl.core.site import load_site

    try:
        site = load_site(config)
        if found := list(problems(site)):
            raise SettingsError(found)
    except SettingsError as error:
        if json:
            print_json(
                [{"file": p.source, "line": p.line, "column": p.column, "message": p.message} for p in error.problems]
            )
        else:
            warn(render(error.problems))
        raise typer.Exit(MISUSE) from None
    if json:
        print_json([])
    else:
        settings = site.settings
        say(f"{config}: fine. {settings.table}, {site.rules.name_zh} ({site.rules.id}), backend {settings.backend}")


@tells_errors
def run(
    config: Config = DEFAULT_CONFIG,
    state: Annotated[Path, typer.Option(help="Where the last configuration that worked is kept.")] = STATE_DIR,
) -> None:
    """Run a table: the core, which owns the devices and has no network. `tablectl web` serves the page."""
    raise typer.Exit(run_table(config, state))


@tells_errors
def web(
    config: Config = DEFAULT_CONFIG,
    port: Annotated[int | None, typer.Option(help="Another port than the configuration's.")] = None,
    socket: Annotated[Path | None, typer.Option(help="Another link socket than the configuration's.")] = None,
) -> None:
    """Serve the page of a table: the process with the network and without devices."""
    from pydantic import ValidationError

    from tablectl.base import logs
    from tablectl.base.settings import load
    from tablectl.core.credentials import CredentialError, with_credentials
    from tablectl.core.site import CHECKS
    from tablectl.web.app import serve
    from tablectl.web.settings import WebSettings
    from tablectl.web.store import StoreError

    logs.set_up()
    settings = load(config, CHECKS)
    try:
        page = WebSettings.model_validate(with_credentials(settings.web)).anchored(config.absolute().parent)
    except CredentialError as error:
        fail(error)
    except ValidationError as error:
        fail(*(f"secrets of the page: {'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()))
    if port is not None:
        page = page.model_copy(update={"port": port})
    try:
        serve(page, socket or settings.link.socket)
    except StoreError as error:
        fail(f"tablectl web: {error}", code=FOUND_WRONG)


@tells_errors
def ctl(
    method: Annotated[str, typer.Argument(help="A method of the link, e.g. state.get; rpc.methods lists them all.")],
    params: Annotated[str, typer.Argument(help='Its parameters as JSON, e.g. \'{"role": "spectator"}\'.')] = "{}",
    config: Annotated[Path, typer.Option(help="The site's configuration: it says where the socket is.")] = (
        DEFAULT_CONFIG
    ),
    socket: Annotated[Path | None, typer.Option(help="The link's socket, instead of the configuration's.")] = None,
) -> None:
    """Ask a running table directly. What changes something is done in the name of this user."""
    from getpass import getuser

    from tablectl.base.settings import load
    from tablectl.link.client import call
    from tablectl.link.protocol import RpcError

    given = _params(params)
    given.setdefault("by", f"ctl:{getuser()}")
    path = socket or load(config).link.socket
    try:
        print_json(call(path, method, given))
    except RpcError as error:
        fail(f"{method}: {error.message}", code=FOUND_WRONG)


def _params(text: str) -> dict[str, Any]:
    try:
        given = loads(text)
    except JSONDecodeError as error:
        fail(f"PARAMS: {text!r} is not JSON ({error.msg} at character {error.pos + 1}); expected an object, e.g. {{}}")
    if not isinstance(given, dict):
        fail(f'PARAMS: {text!r}; expected a JSON object, e.g. {{"role": "spectator"}}')
    return given
