"""``tablectl bundle``: what a person far away needs to help."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tablectl.commands.journals import DEFAULT_CONFIG, Config
from tablectl.commands.terminal import FOUND_WRONG, JsonOption, fail, print_json, say, tells_errors, warn

if TYPE_CHECKING:
    from tablectl.base.settings import Settings


@tells_errors
def bundle(
    file: Annotated[Path, typer.Argument(help="The file to write (.tar.gz); it must not be there yet.")],
    config: Config = DEFAULT_CONFIG,
    json: JsonOption = False,
) -> None:
    """Pack versions, configuration, faults, log and report for somebody who helps: without words that open a role,
    without tags, tiles and names. Look into it before you send it."""
    from tablectl.base.clock import LoopClock
    from tablectl.base.settings import SettingsError, load
    from tablectl.core.bundle import BundleError, write
    from tablectl.core.redact import Redactor

    settings = None
    try:
        settings = load(config)
    except SettingsError as error:
        warn(*error.problems, "Without a configuration the bundle says little; it is made all the same.")
    try:
        parts = write(file, config, settings, LoopClock(), Redactor(_secrets(settings)))
    except BundleError as error:
        fail(f"tablectl bundle: {error}", code=FOUND_WRONG)
    if json:
        print_json({"file": str(file), "parts": parts})
    else:
        say(f"{file}: {', '.join(parts)}", "Look into it before you send it: tar -xzf, then read.")


def _secrets(settings: Settings | None) -> list[str]:
    """Words of the configuration and of the credentials that may stand in a log by accident; names of players too."""
    from tablectl.core.doctor import CREDENTIALS

    words = [name for name in settings.players if len(name) > 1] if settings is not None else []
    web = settings.web if settings is not None else {}
    words += [str(word) for word in web.get("tokens", {}).values()]
    words.append(str(web.get("metrics_token", "")))
    with contextlib.suppress(OSError):  # closed to this user: then no log of this user holds them either
        words += [path.read_text(encoding="utf-8").strip() for path in CREDENTIALS.glob("*.token")]
    return words
