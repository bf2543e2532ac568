"""``tablectl sim``: a simulated table, with its page at human speed, or as fast as the machine can."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tablectl.commands.running import banner
from tablectl.commands.score import OptionPairs
from tablectl.commands.terminal import (
    FINE,
    FOUND_WRONG,
    JsonOption,
    fail,
    print_json,
    say,
    table,
    tells_errors,
    warn,
)

if TYPE_CHECKING:
    from tablectl.base.settings import Settings
    from tablectl.core.site import Site

#: the longest a simulated match may take in its own time (seconds): eight hours
LONGEST_MATCH_S = 8 * 3600.0


@tells_errors
def sim(
    config: Annotated[Path | None, typer.Option(help="A configuration with `backend: simulated`.")] = None,
    rules: Annotated[str | None, typer.Option(help="Another rule system than the configuration's.")] = None,
    option: OptionPairs = None,
    hands: Annotated[int | None, typer.Option(min=1, help="Hands to play; left out: they play on.")] = None,
    fast: Annotated[bool, typer.Option("--fast", help="Virtual time, no page: play and say how it ended.")] = False,
    seed: Annotated[str | None, typer.Option(help="The seed of chance; with --fast also a range, 1..50.")] = None,
    trace: Annotated[
        Path | None,
        typer.Option(help="Write what devices report to this file; without --fast: to files in this folder."),
    ] = None,
    noise: Annotated[str | None, typer.Option(help="How well antennas read: clean, normal, hard or brutal.")] = None,
    port: Annotated[int | None, typer.Option(help="Port of the page.")] = None,
    speed: Annotated[
        float, typer.Option(min=0.1, max=20, help="Table seconds in a real one, to watch in a hurry.")
    ] = 1,
    json: JsonOption = False,
) -> None:
    """Play a simulated table: tiles, motors, antennas and four people, followed only through what devices report.

    With --fast every record is held against what really happened, and every account must sum; exit code 1 if not.
    """
    from tablectl.app import shipped

    site = _site(config or shipped("config", "sim.yaml"), rules, option, noise, hands)
    seeds = _seeds(seed)
    if fast:
        _fast(site, seeds, hands, trace, json)
    else:
        _live(site, seeds[0] if seeds else None, trace, port, speed)


def _site(config: Path, rules: str | None, option: list[str] | None, noise: str | None, hands: int | None) -> Site:
    """The site of ``config`` with what the command line changes."""
    from typing import get_args

    from tablectl.base.settings import SimSection
    from tablectl.commands.score import load_rules
    from tablectl.core.site import Site, load_site

    site = load_site(config)
    settings = site.settings
    if settings.backend != "simulated":
        fail(f"{config}: backend: {settings.backend}; `tablectl sim` needs a configuration with backend: simulated")
    known = get_args(SimSection.model_fields["noise"].annotation)
    if noise is not None and noise not in known:
        fail(f"--noise {noise!r}: expected one of {', '.join(known)}")
    system = site.rules
    if rules is not None or option:
        system = load_rules(rules or settings.rules.id, option)
        chosen = system.options.model_dump(exclude_defaults=True)
        section = settings.rules.model_copy(update={"id": system.id, "options": chosen, "options_file": None})
        settings = settings.model_copy(update={"rules": section})
    changed = {key: value for key, value in (("noise", noise), ("hands", hands)) if value is not None}
    settings = settings.model_copy(update={"sim": settings.sim.model_copy(update=changed)})
    return Site(settings, system, site.warning)


def _seeds(text: str | None) -> list[int]:
    if text is None:
        return []
    first, dots, last = text.partition("..")
    if not first.isdecimal() or (dots and not last.isdecimal()) or (dots and int(last) < int(first)):
        fail(f"--seed {text!r}: expected a number, or a range like 1..50")
    return list(range(int(first), int(last or first) + 1))


# --- at human speed, with the page


def _live(site: Site, seed: int | None, trace: Path | None, port: int | None, speed: float) -> None:
    import asyncio
    import tempfile

    from tablectl.base.clock import SpedLoop
    from tablectl.base.journal import JournalError
    from tablectl.link.socketfile import LinkError

    with tempfile.TemporaryDirectory(prefix="tablectl-sim-") as folder:
        link = site.settings.link.model_copy(update={"socket": Path(folder) / "link.sock"})
        settings = site.settings.model_copy(update={"link": link})
        if trace is not None:
            section = settings.traces.model_copy(update={"folder": trace})
            settings = settings.model_copy(update={"trace": True, "traces": section})
        from tablectl.core.site import Site

        try:
            with asyncio.Runner(loop_factory=lambda: SpedLoop(speed)) as runner:
                runner.run(_with_page(Site(settings, site.rules, site.warning), seed, port))
        except (JournalError, LinkError) as error:
            fail(f"tablectl sim: {error}", code=FOUND_WRONG)


async def _with_page(site: Site, seed: int | None, port: int | None) -> None:
    """The core here, the page in a process of its own, until the core ends."""
    import asyncio

    from tablectl.core.running import serve
    from tablectl.web.settings import WebSettings

    page = WebSettings.model_validate(site.settings.web)
    port = free_port(page.host, page.port if port is None else port)
    web: asyncio.subprocess.Process | None = None
    listening = asyncio.Event()
    core = asyncio.ensure_future(serve(site, seed=seed, ready=listening.set))
    try:
        await _first(listening, core)
        config = _page_config(site.settings)
        command = ("-m", "tablectl", "web", str(config), "--port", str(port))
        web = await asyncio.create_subprocess_exec(sys.executable, *command, start_new_session=True)
        await _reachable(page.host, port, web)
        banner(site)
        say(f"http://{page.host}:{port}/?token={page.tokens.referee.get_secret_value()}")
        say("The referee's page; leave out ?token=… to watch as a spectator. Ctrl-C ends the table.")
        sys.stdout.flush()
        await core
    finally:
        core.cancel()
        await asyncio.gather(core, return_exceptions=True)
        if web is not None and web.returncode is None:
            web.terminate()
            await web.wait()


def _page_config(settings: Settings) -> Path:
    """A configuration file for the page's process: that of this table. Its accounts and sessions, where the site keeps
    none, last as long as the table."""
    from tablectl.base.settings import LAST_GOOD, remember

    folder = settings.link.socket.parent
    web = {"accounts": str(folder / "accounts.sqlite"), **settings.web}
    remember(settings.model_copy(update={"web": web}), folder)
    return folder / LAST_GOOD


async def _first(listening: Any, core: Any) -> None:
    """Until the core listens; what kept it from doing so is raised."""
    import asyncio

    waiting = asyncio.ensure_future(listening.wait())
    await asyncio.wait({waiting, core}, return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    if core.done():
        await core


async def _reachable(host: str, port: int, web: Any) -> None:
    """Until somebody listens there."""
    import asyncio

    while web.returncode is None:
        try:
            _, writer = await asyncio.open_connection(host, port)
        except OSError:
            await asyncio.sleep(0.05)
            continue
        writer.close()
        await writer.wait_closed()
        return
    fail(f"the page did not start (exit code {web.returncode}); `tablectl web` says why", code=FOUND_WRONG)


def free_port(host: str, wanted: int) -> int:
    """``wanted``, or a free port where another program has it."""
    import socket

    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, wanted))
        except OSError:
            probe.bind((host, 0))
        port: int = probe.getsockname()[1]
        return port


# --- fast


def _fast(site: Site, seeds: list[int], hands: int | None, trace: Path | None, json: bool) -> None:
    from rich.progress import Progress

    from tablectl.core.simulation import play_all

    seeds = seeds or [site.settings.sim.seed or 1]
    if trace is not None and len(seeds) > 1:
        fail("--trace FILE holds one match; give one --seed with it")
    if trace is not None:
        trace.touch(mode=0o600)  # raises here, not in a process of its own
    playing = play_all(site, seeds, hands=hands, trace=trace, limit_s=LONGEST_MATCH_S)
    with Progress(transient=True, disable=json or len(seeds) == 1 or not os.isatty(2)) as progress:
        matches = list(progress.track(playing, total=len(seeds), description="matches"))
    wrong = [f"seed {match.seed}: {line}" for match in matches for line in match.wrong]
    if json:
        print_json([match.as_json() for match in matches])
    else:
        rows = [
            (
                match.seed,
                match.hands,
                " ".join(f"{name} {count}" for name, count in match.endings.items()),
                " ".join(map(str, match.scores)),
                match.over or "",
                len(match.wrong) or "",
                match.alerts or "",
                f"{match.cpu_s:.2f}",
                f"{match.virtual_s / 60:.0f}",
            )
            for match in matches
        ]
        columns = ("seed", "hands", "endings", "scores", "over", "wrong", "alerts", "CPU s", "table min")
        table(f"Simulated matches, {site.rules.name_zh} ({site.rules.id})", columns, rows)
    warn(*wrong)
    raise typer.Exit(FOUND_WRONG if wrong else FINE)
