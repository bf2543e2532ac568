"""What a site configures about the page. Imports no web framework, so that the core may read it."""

from __future__ import annotations

from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, SecretStr, model_validator

MIN_TOKEN = 8


class Tokens(BaseModel):
    """The words that open a role: the referee rules and sees all, the operator runs the machine and sees what a
    spectator sees. An empty one: nobody has that role; ``spectator`` empty: everybody may watch."""

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
    """The page's address, who may see it, and its limits."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    host: str = "127.0.0.1"
    port: int = Field(default=8080, ge=0, le=65535)
    tokens: Tokens = Tokens()
    #: TLS: both or none
    certificate: Path | None = None
    key: Path | None = None
    #: other origins that may open the live view, e.g. ``https://club.example`` in front of a reverse proxy
    origins: frozenset[str] = frozenset()
    #: live views open at a time
    max_pages: int = Field(default=100, ge=1)
    body_bytes: int = Field(default=16 * 1024, ge=256)

    @model_validator(mode="after")
    def _both(self) -> Self:
        if (self.certificate is None) != (self.key is None):
            raise ValueError("HTTPS needs both 'certificate' and 'key'")
        return self

    @property
    def https(self) -> bool:
        return self.certificate is not None
