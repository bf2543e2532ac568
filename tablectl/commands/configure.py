"""``tablectl config``: a configuration of an older version brought up to date."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from tablectl.commands.terminal import FOUND_WRONG, JsonOption, fail, print_json, say, tells_errors

app = typer.Typer(help="The site's configuration: bring it up to date.", no_args_is_help=True)


@app.callback()
def group() -> None:
    """The site's configuration: bring it up to date."""


@app.command()
@tells_errors
def migrate(
    config: Annotated[Path, typer.Argument(help="The site's configuration.")] = Path("/etc/tablectl/table.yaml"),
    check: Annotated[
        bool, typer.Option("--check", help="Only look; exit code 1 where something would change.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Bring a configuration to the newest version of its format. Comments stay, the file that was there is kept."""
    from tablectl import documents
    from tablectl.base.config_versions import migrated, newest

    text = documents.read_text(config)
    fresh, done = migrated(text, str(config))
    kept = None
    if done and not check:
        kept = _replace(config, text, fresh)
    if json:
        print_json({"version": newest(), "changes": done, "written": kept is not None, "kept": str(kept or "") or None})
    elif not done:
        say(f"{config}: is of version {newest()}, the newest")
    else:
        say(*(f"{config}: {line}" for line in done))
        if kept:
            say(f"the file that was there is kept as {kept}")
    if check and done:
        raise typer.Exit(FOUND_WRONG)


def _replace(config: Path, text: str, fresh: str) -> Path:
    """Write ``fresh`` in the place of a file that says ``text``, once the table can read it; where the old is kept."""
    from tablectl.base.settings import SettingsError, render
    from tablectl.core.site import load_site

    kept = config.with_name(f"{config.name}.before-migrate")
    trial = config.with_name(f".{config.name}.migrating")
    found = config.stat()
    try:
        for path, content in ((kept, text), (trial, fresh)):
            path.unlink(missing_ok=True)
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
                file.write(content)
            os.chown(path, found.st_uid, found.st_gid)
            path.chmod(found.st_mode & 0o777)
        load_site(trial)
        trial.replace(config)
    except SettingsError as error:
        kept.unlink(missing_ok=True)
        said = render(error.problems).replace(str(trial), str(config))
        fail(said, f"{config}: nothing was changed. Mend what is wrong first; tablectl check names it too.")
    except OSError as error:
        fail(f"{config}: cannot be written: {error.strerror}; try with sudo", code=FOUND_WRONG)
    finally:
        trial.unlink(missing_ok=True)
    return kept
