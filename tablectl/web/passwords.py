"""Passwords are kept as scrypt hashes (RFC 7914), each with its own salt and parameters in one line of text."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from typing import Final

#: 16 MiB and some 50 ms (a Raspberry Pi 4: 150 ms) for each guess
N: Final = 2**14
R: Final = 8
P: Final = 1
MIN_LENGTH: Final = 8
MAX_LENGTH: Final = 200


def hashed(password: str) -> str:
    """The line to keep. Raises ValueError where the password is too short or too long."""
    if not MIN_LENGTH <= len(password) <= MAX_LENGTH:
        raise ValueError(f"a password has {MIN_LENGTH} to {MAX_LENGTH} characters; this one has {len(password)}")
    salt = secrets.token_bytes(16)
    return f"scrypt${N}${R}${P}${_text(salt)}${_text(_scrypt(password, salt, N, R, P))}"


def matches(password: str, kept: str) -> bool:
    """Whether ``password`` is the one of the line ``kept``; takes the same time either way."""
    _, n, r, p, salt, digest = kept.split("$")
    found = _scrypt(password[:MAX_LENGTH], base64.b64decode(salt), int(n), int(r), int(p))
    return hmac.compare_digest(found, base64.b64decode(digest))


def _scrypt(password: str, salt: bytes, n: int, r: int, p: int) -> bytes:
    return hashlib.scrypt(password.encode(), salt=salt, n=n, r=r, p=p, maxmem=256 * n * r, dklen=32)


def _text(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


#: what an unknown account is checked against, so that it takes as long as a known one
NOBODY: Final = f"scrypt${N}${R}${P}${_text(bytes(16))}${_text(bytes(32))}"
