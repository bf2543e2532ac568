"""A code on the table's display: who reads it sits there.

A referee or operator lets the table show it; the player types it on his phone and is taken for the player of that seat.
The core makes, shows and checks the code; the page's process, which has a network, does not know it.
"""

from __future__ import annotations

import secrets
from typing import Any, Final

from tablectl.app import Core
from tablectl.link.connection import Client
from tablectl.link.protocol import INVALID_PARAMS, RpcError
from tablectl.link.server import Link
from tablectl.refusals import Refusal, Refused

Params = dict[str, Any]

#: seconds that a code stands
SECONDS: Final = 90.0
#: wrong codes after which all that stand are void
MAX_WRONG: Final = 5


class Pairing:
    """Methods ``pairing.show`` and ``pairing.redeem``."""

    def __init__(self, core: Core) -> None:
        self._core = core
        #: by seat: the code, and until when it holds
        self._codes: dict[int, tuple[str, float]] = {}
        self._wrong = 0
        self._link: Link | None = None

    def add_to(self, link: Link) -> None:
        self._link = link
        link.method("pairing.show", self._show)
        link.method("pairing.redeem", self._redeem)

    @property
    def active(self) -> bool:
        """Whether a code stands on a display now."""
        return bool(self._standing())

    def _standing(self) -> dict[int, str]:
        now = self._core.clock.now()
        self._codes = {seat: (code, until) for seat, (code, until) in self._codes.items() if until > now}
        return {seat: code for seat, (code, _) in self._codes.items()}

    def _show(self, params: Params, client: Client) -> Params:
        """Show a code for a seat on the display: {seat} -> {seat, seconds}."""
        seat = params.get("seat")
        if type(seat) is not int or not 0 <= seat <= 3:
            raise RpcError(INVALID_PARAMS, f"seat: {seat!r}; expected 0, 1, 2 or 3")
        if not self._core.backend.displays:
            raise Refused(Refusal("no_display"))
        known = set(self._standing().values())
        code = next(code for code in iter(_code, "") if code not in known)
        if not known:
            self._wrong = 0
        self._codes[seat] = (code, self._core.clock.now() + SECONDS)
        self._core.announcer.pair(seat, code, SECONDS, self._core.clock.now())
        self._shown_changed()
        self._core.journal.note("pairing_shown", seat=seat, by=params["by"])
        return {"seat": seat, "seconds": SECONDS}

    def _redeem(self, params: Params, client: Client) -> Params:
        """Give the code on the display: {code} -> {seat}. It opens once."""
        given = str(params.get("code")).encode(errors="replace")
        for seat, code in self._standing().items():
            if secrets.compare_digest(given, code.encode()):
                self._end(seat)
                self._core.journal.note("paired", seat=seat, by=params["by"])
                return {"seat": seat}
        self._wrong += 1
        if self._wrong >= MAX_WRONG:
            for seat in tuple(self._codes):
                self._end(seat)
        raise Refused(Refusal("code_opens_nothing"))

    def _end(self, seat: int) -> None:
        del self._codes[seat]
        self._core.announcer.unpair(seat)
        self._shown_changed()

    def _shown_changed(self) -> None:
        """The pages of spectators do without the displays' pictures while a code stands on one."""
        if self._link is not None:
            self._link.touch("display")


def _code() -> str:
    return f"{secrets.randbelow(10**6):06d}"
