"""One live view: what it still has to be sent."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final

#: updates a page may be behind before it gets the whole state instead
MAX_BEHIND: Final = 32
#: a page hears at least so often; it calls the connection dead after some of these
TICK_SECONDS: Final = 2.0


class PageEnded(Exception):
    """The page is not for this client any more."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


class Page:
    """``since``: the last event this page knows; ``sitting``: the player it is for (`hub.sitting_of`)."""

    def __init__(self, since: int | None, sitting: str = "") -> None:
        self.since = since
        self.sitting = sitting
        self.behind = True
        #: messages with the number of the last event each one tells
        self.pending: deque[tuple[int | None, str]] = deque()
        self._ended: PageEnded | None = None
        self._wake = asyncio.Event()
        self._wake.set()

    def add(self, message: str, seq: int | None) -> None:
        if not self.behind:
            self.pending.append((seq, message))
        if len(self.pending) > MAX_BEHIND:
            self.fall_behind()
        self._wake.set()

    def fall_behind(self) -> None:
        """Give up the single messages: the page gets the whole state next."""
        self.behind = True
        self.pending.clear()
        self._wake.set()

    def told(self, seq: int | None) -> None:
        """The page gets the whole state with event ``seq``."""
        self.behind = False
        self.pending.clear()
        self.since = seq

    def end(self, code: int, reason: str) -> None:
        """Nothing more is for this page, not even what waits."""
        self.pending.clear()
        self._ended = PageEnded(code, reason)
        self._wake.set()

    def take(self) -> list[str]:
        """The waiting messages; they count as sent."""
        messages = [message for _, message in self.pending]
        self.since = max((seq for seq, _ in self.pending if seq is not None), default=self.since)
        self.pending.clear()
        return messages

    async def news(self) -> bool:
        """Wait until there is something to send, or a tick is due (False). Raises PageEnded."""
        try:
            async with asyncio.timeout(TICK_SECONDS):
                await self._wake.wait()
        except TimeoutError:
            return False
        self._wake.clear()
        self.check()
        return True

    def check(self) -> None:
        """Raises PageEnded where the page is over."""
        if self._ended is not None:
            raise self._ended
