"""``tablectl hands key`` and ``hands check-signature``: whether an export is as the table wrote it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tablectl.commands.journals import DEFAULT_CONFIG, Config, JournalPath, journal_path
from tablectl.commands.terminal import FOUND_WRONG, JsonOption, fail, print_json, say, tells_errors


@tells_errors
def key(journal: JournalPath = None, config: Config = DEFAULT_CONFIG, json: JsonOption = False) -> None:
    """The table's public key, one line: give it to whoever checks exports. It is made at its first use."""
    from tablectl.core.signing import SigningError, public_key

    try:
        line = public_key(journal_path(journal, config).parent)
    except SigningError as error:
        fail(f"tablectl hands key: {error}", code=FOUND_WRONG)
    if json:
        print_json({"key": line})
    else:
        say(line)


@tells_errors
def check_signature(
    file: Annotated[Path, typer.Argument(help="An export that was written with --sign; FILE.sig lies beside it.")],
    key: Annotated[
        str | None, typer.Option(help="The table's public key (`tablectl hands key`), or a file with it.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Whether an export is as the table wrote it. Exit code 1 where it was changed, or another key signed it."""
    from tablectl.core.signing import SigningError, verify

    expected = Path(key).read_text(encoding="utf-8") if key is not None and Path(key).is_file() else key
    try:
        signed = verify(file, Path(f"{file}.sig"), expected)
    except SigningError as error:
        if json:
            print_json({"file": str(file), "holds": False, "why": str(error)})
            raise typer.Exit(FOUND_WRONG) from None
        fail(f"{file}: the signature does not hold: {error}", code=FOUND_WRONG)
    if json:
        print_json({"file": str(file), "holds": True, "key": signed.fingerprint, "known": signed.known})
    elif signed.known:
        say(f"{file}: as this table wrote it ({signed.fingerprint})")
    else:
        say(f"{file}: unchanged since {signed.fingerprint} signed it; with --key it is told whose key that is")


def signed(file: Path, journal: Path) -> Path:
    """Sign an export with the key of the table whose journal it comes from; ends the command where that fails."""
    from tablectl.core.signing import SigningError, sign

    try:
        return sign(file, journal.parent)
    except SigningError as error:
        fail(f"{file} was written, but not signed: {error}", code=FOUND_WRONG)
