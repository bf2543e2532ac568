"""Who is who: tokens, the session cookie, and what slows guessing down."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
from collections import OrderedDict
from collections.abc import Mapping

from tablectl.game.views import Role
from tablectl.web.settings import Tokens

COOKIE = "tablectl_session"
SESSION_SECONDS = 7 * 24 * 3600
#: wrong tokens from one address before it has to wait, and how long
MAX_WRONG = 5
WRONG_SECONDS = 60.0
#: addresses remembered; the oldest is forgotten first
MAX_ADDRESSES = 1000


class Access:
    """Roles by token. A session is ``<role>.<mac>``, made with the role's token: a changed token ends its sessions."""

    def __init__(self, tokens: Tokens) -> None:
        named = {Role.REFEREE: tokens.referee, Role.OPERATOR: tokens.operator, Role.SPECTATOR: tokens.spectator}
        self._tokens = {role: token.get_secret_value() for role, token in named.items() if token.get_secret_value()}
        self._everybody = None if Role.SPECTATOR in self._tokens else Role.SPECTATOR
        self._wrong: OrderedDict[str, list[float]] = OrderedDict()

    def login(self, token: str) -> Role | None:
        """The role that ``token`` opens. All tokens are compared, each in constant time."""
        found = None
        for role, expected in self._tokens.items():
            if hmac.compare_digest(token.encode(), expected.encode()):
                found = role
        return found

    def session(self, role: Role) -> str:
        """The cookie's value for a role that has a token."""
        mac = hmac.new(self._tokens[role].encode(), f"tablectl session {role.value}".encode(), hashlib.sha256)
        return f"{role.value}.{mac.hexdigest()}"

    def role(self, cookies: Mapping[str, str]) -> Role | None:
        """The role of a request, or None where it may see nothing."""
        given = cookies.get(COOKIE, "")
        for role in self._tokens:
            if hmac.compare_digest(given.encode(), self.session(role).encode()):
                return role
        return self._everybody

    # --- guessing

    def must_wait(self, address: str) -> bool:
        """Whether too many wrong tokens came from ``address`` lately."""
        return len(self._lately(address)) >= MAX_WRONG

    def note_wrong(self, address: str) -> None:
        self._wrong[address] = [*self._lately(address), _now()]
        self._wrong.move_to_end(address)
        while len(self._wrong) > MAX_ADDRESSES:
            self._wrong.popitem(last=False)

    def _lately(self, address: str) -> list[float]:
        return [at for at in self._wrong.get(address, ()) if _now() - at < WRONG_SECONDS]


def _now() -> float:
    return asyncio.get_running_loop().time()
