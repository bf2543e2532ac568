"""Who is who: words of the configuration, accounts, codes from the table's display; sessions and their cookie."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Mapping
from typing import Final

from starlette.concurrency import run_in_threadpool

from tablectl.refusals import Refusal, Refused
from tablectl.web.limits import Guesses
from tablectl.web.passwords import matches
from tablectl.web.roles import SPECTATOR, WebRole, Who
from tablectl.web.settings import WebSettings
from tablectl.web.store import Store

COOKIE: Final = "tablectl_session"
#: passwords hashed at a time: a flood of logins must not take the machine
HASHING: Final = 1


class LoginRefused(Refused):
    """Nobody was let in; ``status`` as in HTTP."""

    def __init__(self, status: int, key: str) -> None:
        super().__init__(Refusal(key))
        self.status = status


class Access:
    """Roles by word, by account and by session."""

    def __init__(self, settings: WebSettings, store: Store) -> None:
        tokens = settings.tokens
        named = {
            WebRole.REFEREE: tokens.referee,
            WebRole.OPERATOR: tokens.operator,
            WebRole.SPECTATOR: tokens.spectator,
        }
        self._tokens = {role: token.get_secret_value() for role, token in named.items() if token.get_secret_value()}
        self._seconds = settings.session_hours * 3600
        self._hashing = asyncio.Semaphore(HASHING)
        self.store = store
        self.guesses = Guesses()
        #: watching needs no session
        self.open = WebRole.SPECTATOR not in self._tokens

    def who(self, cookies: Mapping[str, str]) -> Who | None:
        """Who asks, or None where he may see nothing."""
        cookie = cookies.get(COOKIE, "")
        known = self.store.who(cookie, self._tokens) if cookie else None
        return known or (SPECTATOR if self.open else None)

    @property
    def cookie_seconds(self) -> int:
        return round(self._seconds)

    # --- logging in: the cookie's value and who it is; raise LoginRefused

    def by_token(self, token: str, address: str) -> tuple[str, Who]:
        """A word of the configuration. All are compared, each in constant time."""
        self.may_try(address)
        found = None
        for role, expected in self._tokens.items():
            if hmac.compare_digest(token.encode(errors="replace"), expected.encode()):
                found = role
        if found is None:
            raise self.wrong(address, "token_opens_nothing")
        return self.store.begin(Who(found), address, self._seconds, account=False, token=self._tokens[found])

    async def by_password(self, name: str, password: str, address: str) -> tuple[str, Who]:
        """An account. The answer to a wrong name and to a wrong password is the same, and takes as long."""
        self.may_try(address)
        if not await self.right_password(name, password):
            raise self.wrong(address, "wrong_name_or_password")
        return self.begin(Who(self.store.role_of(name), name), address, account=True)

    async def right_password(self, name: str, password: str) -> bool:
        """Whether the password is right; counts wrong ones. Raises LoginRefused where the account is locked."""
        async with self._hashing:
            if self.store.locked(name):
                raise LoginRefused(423, "account_locked")
            right = await run_in_threadpool(matches, password, self.store.kept(name))
        self.store.note_try(name, right)
        return right

    def begin(self, who: Who, address: str, *, account: bool) -> tuple[str, Who]:
        """A session of somebody who has shown who he is."""
        return self.store.begin(who, address, self._seconds, account=account)

    # --- guessing

    def may_try(self, address: str) -> None:
        """Raises LoginRefused after too many wrong words."""
        if self.guesses.too_many(address):
            raise LoginRefused(429, "too_many_words")

    def wrong(self, address: str, key: str) -> LoginRefused:
        """Count one more wrong word; what to raise."""
        self.guesses.note(address)
        return LoginRefused(401, key)
