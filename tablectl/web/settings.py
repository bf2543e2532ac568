"""What a site configures about the page. Imports no web framework, so that the core may read it."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import Final, Self

from pydantic import BaseModel, ConfigDict, Field, SecretStr, model_validator

MIN_TOKEN = 8
MEMORY: Final = Path(":memory:")


class Records(StrEnum):
    """What everybody may see of a hand that is over: ``all`` of it, with hands and wall, or the ``results`` only."""

    ALL = "all"
    RESULTS = "results"


class Tokens(BaseModel):
    """The words that open a role: the referee rules and sees all, the operator runs the machine and sees what a
    spectator sees. An empty one: nobody has that role by a word; ``spectator`` empty: everybody may watch."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    referee: SecretStr = SecretStr("")
    operator: SecretStr = SecretStr("")
    spectator: SecretStr = SecretStr("")

    @model_validator(mode="after")
    def _strong(self) -> Self:
        tokens = {name: getattr(self, name).get_secret_value() for name in type(self).model_fields}
        for name, token in tokens.items():
            if 0 < len(token) < MIN_TOKEN:
                raise ValueError(f"the {name} token is too short; at least {MIN_TOKEN} characters, or none")
        given = [token for token in tokens.values() if token]
        if len(set(given)) < len(given):
            raise ValueError("two roles have the same token; give each its own")
        return self


class WebSettings(BaseModel):
    """The page's address, who may see what of it, and its limits."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    host: str = "127.0.0.1"
    port: int = Field(default=8080, ge=0, le=65535)
    tokens: Tokens = Tokens()
    #: the database of accounts and sessions, the page's own; ``:memory:``: none is kept
    accounts: Path = MEMORY
    #: a session ends after so long
    session_hours: float = Field(default=72, gt=0, le=24 * 365)
    #: spectators see the table as it was so long ago
    spectator_delay_seconds: float = Field(default=0, ge=0, le=3600)
    records: Records = Records.ALL
    #: opens ``/metrics`` to a program (``Authorization: Bearer``); empty: staff only
    metrics_token: SecretStr = SecretStr("")
    #: TLS: both or none
    certificate: Path | None = None
    key: Path | None = None
    #: other origins that may open the live view, e.g. ``https://club.example`` in front of a reverse proxy
    origins: frozenset[str] = frozenset()
    #: names by which the page may be called, with the port where there is one; none: any
    hosts: frozenset[str] = frozenset()
    #: addresses of reverse proxies whose word about the client's address counts
    proxies: frozenset[str] = frozenset()
    #: live views open at a time: in all, and from one address
    max_pages: int = Field(default=300, ge=1)
    max_pages_per_address: int = Field(default=40, ge=1)
    #: connections open at a time from one address
    max_connections_per_address: int = Field(default=80, ge=1)
    #: requests of one address: on average, and in one burst
    requests_per_second: float = Field(default=20, gt=0)
    burst: int = Field(default=100, ge=1)
    body_bytes: int = Field(default=16 * 1024, ge=256)

    @model_validator(mode="after")
    def _both(self) -> Self:
        if (self.certificate is None) != (self.key is None):
            raise ValueError("HTTPS needs both 'certificate' and 'key'")
        token = self.metrics_token.get_secret_value()
        if 0 < len(token) < MIN_TOKEN:
            raise ValueError(f"metrics_token is too short; at least {MIN_TOKEN} characters, or none")
        return self

    @property
    def https(self) -> bool:
        return self.certificate is not None

    def anchored(self, folder: Path) -> WebSettings:
        """These settings with paths that are relative to ``folder`` made absolute."""
        paths = {name: getattr(self, name) for name in ("accounts", "certificate", "key")}
        changes = {
            name: Path(os.path.normpath(folder / path))
            for name, path in paths.items()
            if path is not None and path != MEMORY
        }
        return self.model_copy(update=changes)
