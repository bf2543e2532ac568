"""What goes over the socket.

JSON-RPC 2.0 (https://www.jsonrpc.org/specification), UTF-8, one message a line, no batches. A client sends requests and
gets a reply to each one that has an ``id``; replies may come in another order. After `state.subscribe` it also gets
``update`` notifications::

    {"jsonrpc": "2.0", "method": "update",
     "params": {"role": "spectator", "seat": null, "seq": 41, "t": 97.25,
                "events": [{"seq": 41, "type": "dahai", …}], "state": {"table": {…}}}}

``seq`` is the journal's number of the last event, ``t`` the core's monotonic clock in seconds, ``state`` holds only
the sections that changed, each as a whole.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any, Final

from tablectl.refusals import LANGUAGES, Refused

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
#: the core understood and does not do it now: the table's state does not allow it
REFUSED: Final = -32000
#: too many clients, requests or calls in flight
BUSY: Final = -32001
#: no answer from the core: it does not run, or the connection broke
LINK_DOWN: Final = -32002


class RpcError(Exception):
    """A request that was not carried out. ``message`` is for a person: what happened and what was expected."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data

    def to_json(self) -> dict[str, Any]:
        out: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.data is not None:
            out["data"] = self.data
        return out


def refusal_error(refused: Refused) -> RpcError:
    """The error of a refusal: its message in English, ``data`` in every language."""
    refusal = refused.refusal
    return RpcError(REFUSED, str(refusal), {language: refusal.text(language) for language in LANGUAGES})


class LinkDown(RpcError):
    """The core cannot be reached, or the connection broke before it answered."""

    def __init__(self, message: str) -> None:
        super().__init__(LINK_DOWN, message)


def encode(message: Any) -> bytes:
    """One message as a line."""
    return text(message).encode() + b"\n"


def text(value: Any) -> str:
    """Compact JSON; NaN and infinity are an error."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """``; did you mean 'x'?``, or the list of what is known where nothing is near."""
    names = sorted(known)
    near = get_close_matches(word, names, n=1)
    return f"; did you mean {near[0]!r}?" if near else f"; known: {', '.join(names)}"
