"""The console of a real core, with the page in front of it. The machine does not run: tests play by `Core.apply`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
from browser import served
from played import NAMES, OPENING
from watched_match import site_of

from tablectl.app import Core
from tablectl.base.clock import LoopClock
from tablectl.core.console import Console
from tablectl.core.running import assemble
from tablectl.core.site import Site, load_site
from tablectl.game import actions as act
from tablectl.rules.registry import load
from tablectl.web.roles import WebRole
from tablectl.web.settings import WebSettings
from tablectl.web.store import Store

ROOT = Path(__file__).parents[2]
REFEREE, OPERATOR = "referee-token", "operator-token"
TOKENS = {"referee": REFEREE, "operator": OPERATOR}
ADMIN = {"name": "Zhou", "password": "correct horse"}


@asynccontextmanager
async def table(
    tmp_path: Path, options: dict[str, Any] | None = None, *, rules: str = "competition", **settings: Any
) -> AsyncIterator[tuple[Core, str]]:
    """A core with its link, and the address of its page. There is an admin's account."""
    site = site_of(rules, tmp_path, 1)
    if options:
        site = Site(site.settings, load(rules, options))
    displays = load_site(ROOT / "config" / "sim.yaml").settings.displays[:1]
    site = Site(site.settings.model_copy(update={"displays": displays}), site.rules)
    core = assemble(site, LoopClock(), 1)
    console = Console(core)
    await console.link.start()
    accounts = tmp_path / "accounts.sqlite"
    given = {"tokens": TOKENS, "accounts": accounts, "requests_per_second": 1000, "burst": 1000, **settings}
    with Store(accounts) as store:
        if not store.accounts():
            store.add(ADMIN["name"], WebRole.ADMIN, ADMIN["password"])
    try:
        async with served(WebSettings.model_validate(given), site.settings.link.socket) as url:
            yield core, url
    finally:
        await console.link.stop()
        for roll in core._rolls:  # of dice keys that were pressed on a page
            roll.cancel()
        await asyncio.gather(*core._rolls, return_exceptions=True)
        core.journal.close()


def play(core: Core, actions: Sequence[act.Action] = OPENING) -> None:
    """Do these as if each was done now. They say what the dice show: the table's own are stopped, or they would come to
    rest seconds later, in whatever is played then."""
    for action in actions:
        core.apply(replace(action, t=core.clock.now()))
    for roll in core._rolls:
        roll.cancel()


@asynccontextmanager
async def client(url: str, **login: str) -> AsyncIterator[httpx.AsyncClient]:
    """Somebody; with a login (``token``, ``name`` and ``password``, or ``code``) as that."""
    async with httpx.AsyncClient(base_url=url, timeout=20) as one:
        if login:
            answer = await one.post("/api/login", json=login)
            assert answer.status_code == 200, answer.text
        yield one


def code_on_display(core: Core) -> str:
    """The code that a person reads on the table's display."""
    ((code, _),) = core.announcer._codes.values()
    return code


__all__ = ["ADMIN", "NAMES", "OPERATOR", "REFEREE", "client", "code_on_display", "play", "table"]
