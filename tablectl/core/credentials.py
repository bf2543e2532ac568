"""Secrets of the page that do not stand in the configuration: files that systemd hands to its process alone.

``LoadCredential=`` of the unit puts them into the folder ``$CREDENTIALS_DIRECTORY`` (systemd.exec(5)). An empty file is
no secret. What stands there counts before what stands in the configuration.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

ROLES: Final = ("referee", "operator", "spectator")
CERTIFICATE: Final = ("page.crt", "page.key")


class CredentialError(Exception):
    """A secret is there and cannot be read; the message says which."""


def with_credentials(web: Mapping[str, Any], environment: Mapping[str, str] = os.environ) -> dict[str, Any]:
    """The page's settings with the secrets of `$CREDENTIALS_DIRECTORY`, where there is one.

    Raises:
        CredentialError: a file of it cannot be read as text.
    """
    place = environment.get("CREDENTIALS_DIRECTORY", "")
    if not place:
        return dict(web)
    folder = Path(place)
    changed = dict(web)
    tokens = {role: word for role in ROLES if (word := _word(folder / f"{role}.token"))}
    if tokens:
        changed["tokens"] = {**web.get("tokens", {}), **tokens}
    if word := _word(folder / "metrics.token"):
        changed["metrics_token"] = word
    certificate, key = (folder / name for name in CERTIFICATE)
    if _word(certificate) and _word(key):
        changed |= {"certificate": str(certificate), "key": str(key)}
    return changed


def _word(file: Path) -> str:
    """What is in a file; "" where there is none."""
    try:
        return file.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise CredentialError(
            f"{file}: cannot be read ({error}); expected one line of text, readable by root"
        ) from error
