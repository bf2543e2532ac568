"""One live view: what it still has to be sent."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from tablectl.web.wire import LiveSocket, Message

#: the session behind a page ended (4000–4999 are an application's own codes)
CLOSE_LOG_IN: Final = 4401


class PageEnded(Exception):
    """The page is not for this client any more."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


class Page:
    """``since``: the last event this page knows; ``sitting``: the player it is for (`hub.sitting_of`); ``valid``:
    whether its session stands; ``behind``: it waits for the whole state, single messages are nothing to it."""

    def __init__(
        self, socket: LiveSocket, since: int | None, *, sitting: str = "", valid: Callable[[], bool] = lambda: True
    ) -> None:
        self.since = since
        self.sitting = sitting
        self.behind = True
        self.socket = socket
        self._valid = valid
        self._ended: PageEnded | None = None
        self._wake = asyncio.Event()
        self._wake.set()

    def add(self, message: Message, seq: int) -> None:
        """What happened, up to event ``seq``. A client that takes no more gets the whole state when it does."""
        if self.behind or not self._stands():
            return
        if self.socket.tell(message):
            self.since = seq
        else:
            self.fall_behind()

    def whole(self, message: Message, seq: int | None) -> None:
        """The whole state, up to event ``seq``."""
        if self._stands() and self.socket.tell(message):
            self.behind = False
            self.since = seq

    def tick(self, message: Message) -> None:
        """A sign of life; one that waits for the whole state tries again."""
        if self._stands():
            self.socket.tell(message)
        if self.behind:
            self._wake.set()

    def fall_behind(self) -> None:
        """Give up the single messages: the page gets the whole state next."""
        self.behind = True
        self._wake.set()

    def end(self, code: int, reason: str) -> None:
        """Nothing more is for this page."""
        self._ended = PageEnded(code, reason)
        self._wake.set()

    def _stands(self) -> bool:
        if self._ended is None and not self._valid():
            self.end(CLOSE_LOG_IN, "the session has ended")
        return self._ended is None

    async def wanted(self) -> None:
        """Wait until the whole state may be wanted and the client takes it. Raises PageEnded."""
        await self._wake.wait()
        self._wake.clear()
        self.check()
        await self.socket.ready()

    def check(self) -> None:
        """Raises PageEnded where the page is over."""
        if self._ended is not None:
            raise self._ended
