"""Takes out of a text what nobody outside the table may learn: words that open something, tags, seals."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable
from typing import Any, Final

#: keys whose values are secrets, wherever they stand
SECRET_KEYS: Final = re.compile(r"token|password|passwd|secret|credential|salt|private|^key$", re.IGNORECASE)
#: a UID of a tag, a digest, a salt: 4 bytes or more in hexadecimal, with or without separators
_HEX: Final = re.compile(r"\b[0-9a-f]{8,}\b|\b[0-9a-f]{2}(?:[: -][0-9a-f]{2}){3,}\b", re.IGNORECASE)
#: names and people: e-mail addresses, and addresses in a network
_ADDRESS: Final = re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}\b|\b[\w.+-]+@[\w-]+\.[\w.-]+\b")
HIDDEN: Final = "(taken out)"


class Redactor:
    """``words``: secrets that are known. The same tag gets the same pseudonym in one bundle, another in the next."""

    def __init__(self, words: Iterable[str] = ()) -> None:
        self._words = sorted((word for word in words if word), key=len, reverse=True)
        self._salt = secrets.token_bytes(16)

    def text(self, text: str) -> str:
        """``text`` without anything that is secret."""
        for word in self._words:
            text = text.replace(word, HIDDEN)
        return _ADDRESS.sub(HIDDEN, _HEX.sub(self._pseudonym, text))

    def _pseudonym(self, found: re.Match[str]) -> str:
        plain = re.sub(r"[: -]", "", found[0]).lower()
        return "id-" + hmac.new(self._salt, plain.encode(), hashlib.sha256).hexdigest()[:7]

    def data(self, value: Any) -> Any:
        """A JSON value without anything that is secret: texts as `text`, secrets by the name of their key."""
        if isinstance(value, dict):
            return {
                self.text(str(key)): HIDDEN if _hides(str(key), inner) else self.data(inner)
                for key, inner in value.items()
            }
        if isinstance(value, (list, tuple)):
            return [self.data(inner) for inner in value]
        return self.text(value) if isinstance(value, str) else value


def _hides(key: str, value: Any) -> bool:
    """Whether a value is hidden because of its key: a word or a number, or a mapping of words (``tokens:``)."""
    return bool(SECRET_KEYS.search(key)) and value not in (None, "", {}, [])
