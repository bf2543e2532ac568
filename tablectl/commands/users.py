"""``tablectl users``: who may log in to the page by a name and a password."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tablectl.commands.running import DEFAULT_CONFIG
from tablectl.commands.terminal import FOUND_WRONG, JsonOption, fail, print_json, say, table, tells_errors

if TYPE_CHECKING:
    from tablectl.web.store import Store

app = typer.Typer(
    help="Accounts of the page. Run it as the page's own user: sudo -u tablectl-web tablectl users list",
    no_args_is_help=True,
)

Config = Annotated[Path, typer.Option(help="The site's configuration: it says where the accounts are.")]
Name = Annotated[str, typer.Argument(help="Of the account; a player's is the name that the match gives to his seat.")]
PasswordFile = Annotated[
    typer.FileText | None, typer.Option("--password-file", help="A file with the password, - is standard input.")
]


@contextmanager
def _store(config: Path) -> Iterator[Store]:
    from tablectl.base.settings import load
    from tablectl.core.site import CHECKS
    from tablectl.web.settings import MEMORY, WebSettings
    from tablectl.web.store import AccountError, Store, StoreError

    web = WebSettings.model_validate(load(config, CHECKS).web).anchored(config.absolute().parent)
    if web.accounts == MEMORY:
        fail(
            f"{config}: web.accounts is not set; expected a file, e.g. accounts: /var/lib/tablectl-web/accounts.sqlite"
        )
    try:
        with Store(web.accounts) as store:
            yield store
    except (AccountError, StoreError) as error:
        fail(f"tablectl users: {error}", code=FOUND_WRONG)


def _password(file: typer.FileText | None) -> str:
    """From a file, or asked for twice."""
    if file is not None:
        return file.readline().rstrip("\r\n")
    return str(typer.prompt("Password", hide_input=True, confirmation_prompt=True))


@app.command()
@tells_errors
def add(
    name: Name,
    role: Annotated[str, typer.Option(help="player, operator, referee or admin.")],
    password_file: PasswordFile = None,
    config: Config = DEFAULT_CONFIG,
) -> None:
    """Make an account."""
    from tablectl.web.roles import WebRole

    if role not in tuple(WebRole):
        fail(f"--role {role!r}: expected one of {', '.join(WebRole)}")
    with _store(config) as store:
        account = store.add(name, WebRole(role), _password(password_file))
        say(f"{account.name}: {account.role.value}")


@app.command("list")
@tells_errors
def list_(config: Config = DEFAULT_CONFIG, json: JsonOption = False) -> None:
    """All accounts."""
    with _store(config) as store:
        accounts = store.accounts()
    if json:
        rows = [
            {"name": one.name, "role": one.role, "locked": one.locked, "created": one.created, "changed": one.changed}
            for one in accounts
        ]
        print_json(rows)
        return
    lines = ((one.name, one.role.value, "locked" if one.locked else "", _day(one.created)) for one in accounts)
    table("Accounts of the page", ("name", "role", "", "since"), lines)


def _day(at: float) -> str:
    return datetime.fromtimestamp(at).strftime("%Y-%m-%d")


@app.command()
@tells_errors
def remove(name: Name, config: Config = DEFAULT_CONFIG) -> None:
    """Take an account away; its sessions end at once."""
    with _store(config) as store:
        store.remove(name)
        say(f"{name}: removed")


@app.command()
@tells_errors
def passwd(name: Name, password_file: PasswordFile = None, config: Config = DEFAULT_CONFIG) -> None:
    """Give an account another password: it is unlocked, and its sessions end at once."""
    with _store(config) as store:
        store.set_password(name, _password(password_file))
        say(f"{name}: changed")


@app.command()
@tells_errors
def unlock(name: Name, config: Config = DEFAULT_CONFIG) -> None:
    """Let an account be tried again that too many wrong passwords have locked."""
    with _store(config) as store:
        store.unlock(name)
        say(f"{name}: unlocked")


@app.command()
@tells_errors
def looks(
    limit: Annotated[int, typer.Option(min=1, max=500, help="How many.")] = 50,
    config: Config = DEFAULT_CONFIG,
    json: JsonOption = False,
) -> None:
    """Who looked at standing tiles, the latest first (the table has to run)."""
    from tablectl.base.settings import load
    from tablectl.link.client import call
    from tablectl.link.protocol import RpcError

    try:
        found = call(load(config).link.socket, "access.log", {"limit": limit})
    except RpcError as error:
        fail(f"tablectl users looks: {error.message}", code=FOUND_WRONG)
    if json:
        print_json(found)
        return
    rows = (
        (
            datetime.fromtimestamp(look["at"]).strftime("%Y-%m-%d %H:%M:%S"),
            look["what"],
            look["by"],
            look["role"] if look["seat"] is None else f"{look['role']} {look['seat']}",
            look["via"],
        )
        for look in found
    )
    table("Who looked at standing tiles", ("when", "", "who", "as", "through"), rows)
