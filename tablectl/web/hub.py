"""From the core to the pages: one subscription for each role, shared by all pages of that role.

A spectator's page is fed from the spectators' subscription alone, so what a role must not see is not even in this
process's messages to it.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tablectl.game.views import Role
from tablectl.link.client import LinkClient, Subscription
from tablectl.link.protocol import RpcError, text

log = logging.getLogger(__name__)

#: updates a page may be behind before it gets the whole state instead
MAX_BEHIND = 32
#: events a page that opens gets to see
RECENT_EVENTS = 300
#: a page hears at least so often; it calls the connection dead after some of these
TICK_SECONDS = 2.0


class Page:
    """What one live view still has to be sent."""

    def __init__(self, since: int | None) -> None:
        #: the last event this page knows
        self.since = since
        self.behind = True
        #: messages with the number of the last event each one tells
        self.pending: deque[tuple[int | None, str]] = deque()
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

    def take(self) -> list[str]:
        """The waiting messages; they count as sent."""
        messages = [message for _, message in self.pending]
        self.since = max((seq for seq, _ in self.pending if seq is not None), default=self.since)
        self.pending.clear()
        return messages

    async def news(self) -> bool:
        """Wait until there is something to send, or a tick is due (False)."""
        try:
            async with asyncio.timeout(TICK_SECONDS):
                await self._wake.wait()
        except TimeoutError:
            return False
        self._wake.clear()
        return True


class Audience:
    """All pages of one role."""

    def __init__(self, role: Role, client: LinkClient) -> None:
        self.role = role
        self.pages: set[Page] = set()
        self._client = client
        self._recent: deque[dict[str, Any]] = deque(maxlen=RECENT_EVENTS * 4)
        self._t = 0.0
        self._t_at = 0.0
        self.subscription = Subscription(role, None, self._changed, by="web")

    def _changed(self, update: Mapping[str, Any], whole: bool) -> None:
        self._recent.extend(update["events"])
        self._t, self._t_at = update["t"], _now()
        if whole:
            for page in self.pages:
                page.fall_behind()
            return
        news = {key: update[key] for key in ("seq", "t", "events", "state")}
        message = text({"type": "update", "age": 0, **news})
        for page in self.pages:
            page.add(message, update["seq"])

    async def whole(self, page: Page) -> str:
        """The whole state and the events the page has not seen. Raises RpcError where the core does not tell."""
        seq = self.subscription.seq or 0
        since = max(0, seq - RECENT_EVENTS) if page.since is None else page.since
        told: dict[str, Any] = {"seq": since, "events": [], "complete": True}
        if self._client.connected:
            told = await self._client.call("events.since", {"seq": since, "role": self.role.value, "by": "web"})
        # What came in while we asked is in the state below, so its events belong here too.
        events = told["events"] + [event for event in self._recent if event["seq"] > told["seq"]]
        gap = page.since is not None and not told["complete"]
        page.behind = False
        page.pending.clear()
        page.since = self.subscription.seq
        known = {"role": self.role.value, "seq": self.subscription.seq, "state": self.subscription.state}
        clock = {"t": self._t + _now() - self._t_at, "age": self._client.age}
        return text({"type": "state", **known, **clock, "events": events[-RECENT_EVENTS:], "gap": gap})


class Hub:
    """The link client and the audiences that have pages open."""

    def __init__(self, link_path: Path) -> None:
        self.client = LinkClient(link_path)
        self.client.watch(self._connection)
        self._audiences: dict[Role, Audience] = {}

    @property
    def pages(self) -> int:
        return sum(len(audience.pages) for audience in self._audiences.values())

    def join(self, role: Role, page: Page) -> Audience:
        audience = self._audiences.get(role)
        if audience is None:
            audience = self._audiences[role] = Audience(role, self.client)
            self.client.subscribe(audience.subscription)
        audience.pages.add(page)
        return audience

    def leave(self, audience: Audience, page: Page) -> None:
        """The last page of a role takes the subscription with it: nobody looks, nothing flows."""
        audience.pages.discard(page)
        if not audience.pages and self._audiences.get(audience.role) is audience:
            del self._audiences[audience.role]
            self.client.unsubscribe(audience.subscription)

    async def messages(self, audience: Audience, page: Page) -> list[str]:
        """What to send to ``page`` next; waits for it, at most until a tick is due."""
        news = await page.news()
        if page.behind and audience.subscription.seq is not None:
            try:
                return [await audience.whole(page)]
            except RpcError as error:
                log.warning("a page waits for its state: %s", error)
        return page.take() if news and page.pending else [self.tick()]

    def tick(self) -> str:
        client = self.client
        trouble = {} if client.connected else {"trouble": client.trouble}
        return text({"type": "tick", "age": client.age, "connected": client.connected, **trouble})

    def _connection(self, connected: bool) -> None:
        for audience in self._audiences.values():
            for page in audience.pages:
                page.add(self.tick(), None)


def _now() -> float:
    return asyncio.get_running_loop().time()
