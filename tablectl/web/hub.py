"""From the core to the pages: one subscription for each role (and seat), shared by all its pages.

A spectator's page is fed from the spectators' subscription alone, so what a role must not see is not even in this
process's messages to it. Where the site wants spectators to be behind, their subscription's messages wait here first;
everything that a spectator is told (`Audience.state`, `Audience.seq`) is what came out at the end of that wait.
"""

from __future__ import annotations

import asyncio
import json
import logging
import zlib
from collections import Counter, deque
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from tablectl.game.views import Role
from tablectl.link.client import LinkClient, Subscription
from tablectl.link.protocol import LinkDown, RpcError, text
from tablectl.web.page import Page
from tablectl.web.settings import Records, WebSettings
from tablectl.web.wire import Message

log = logging.getLogger(__name__)

Json = dict[str, Any]

#: events a page that opens gets to see
RECENT_EVENTS: Final = 300
#: what a hand that is over held: told only where the site opens its records
REVEALING: Final = frozenset({"wall", "opened"})
#: close codes (4000–4999 are an application's own)
CLOSE_SEATS_CHANGED: Final = 4409
#: a page hears at least so often; it calls the connection dead after some of these
TICK_SECONDS: Final = 2.0

AudienceKey = tuple[Role, int | None]


def sitting_of(state: Mapping[str, Any], seat: int) -> str:
    """Since when, in which game, and the name at a seat: while that stays the same, the same player sits there."""
    table = state["table"]
    return f"{state['seating']['since']}/{table['match']['game']}/{table['names'][seat]}"


class Audience:
    """All pages of one role. ``state`` and ``seq`` are what it has been told; ``delay``: seconds it is behind."""

    def __init__(self, role: Role, seat: int | None, link: LinkClient, *, delay: float, revealing: bool) -> None:
        self.role = role
        self.seat = seat
        self.delay = delay
        self.pages: set[Page] = set()
        self.state: Json = {}
        self.seq: int | None = None
        self._link = link
        self._revealing = revealing
        self._recent: deque[Json] = deque(maxlen=RECENT_EVENTS * 4)
        #: the first number from which `_recent` holds all events that are told, once it was filled
        self._from = 0
        self._filled = False
        self._filling = asyncio.Lock()
        self._t = 0.0
        self._t_at = 0.0
        #: (when it is told, message, whether it is a whole state), compressed: an hour of play is some megabytes
        self._waiting: deque[tuple[float, bytes, bool]] = deque()
        self._timer: asyncio.TimerHandle | None = None
        self._ticking: asyncio.TimerHandle | None = None
        self.subscription = Subscription(role, seat, self._changed, by="web")

    def close(self) -> None:
        for timer in (self._timer, self._ticking):
            if timer is not None:
                timer.cancel()
        self._timer = self._ticking = None

    # --- in

    def _changed(self, update: Json, whole: bool) -> None:
        if not self.delay:
            self._tell(update, whole)
            return
        self._waiting.append((_now() + self.delay, zlib.compress(text(update).encode(), 1), whole))
        self._wait()

    def _wait(self) -> None:
        if self._timer is None and self._waiting:
            self._timer = asyncio.get_running_loop().call_at(self._waiting[0][0], self._due)

    def _due(self) -> None:
        self._timer = None
        while self._waiting and self._waiting[0][0] <= _now():
            _, packed, whole = self._waiting.popleft()
            self._tell(json.loads(zlib.decompress(packed)), whole)
        self._wait()

    def _tell(self, update: Json, whole: bool) -> None:
        if whole and (update["seq"] < (self.seq or 0) or not update["complete"]):  # another journal, or a gap
            self._recent.clear()
            self._filled = False
        events = self.shown(update["events"])
        self._recent.extend(events)
        self.state = update["state"] if whole else {**self.state, **update["state"]}
        self.seq, self._t, self._t_at = update["seq"], update["t"], _now()
        self._end_pages_of_others()
        if whole:
            for page in self.pages:
                page.fall_behind()
            return
        news = {"seq": update["seq"], "t": update["t"], "events": events, "state": update["state"]}
        message = Message(text({"type": "update", "age": 0, **news}))
        for page in self.pages:
            page.add(message, update["seq"])
        self._tick_later()

    def shown(self, events: list[Json]) -> list[Json]:
        """Those of ``events`` that the site shows to this role."""
        return events if self._revealing else [event for event in events if event["type"] not in REVEALING]

    def join(self, page: Page) -> None:
        self.pages.add(page)
        self._end_pages_of_others()
        if self.seq is None:
            page.tick(self._tick())
        if self._ticking is None:
            self._tick_later()

    def _tick_later(self) -> None:
        if self._ticking is not None:
            self._ticking.cancel()
        self._ticking = asyncio.get_running_loop().call_later(TICK_SECONDS, self.tick) if self.pages else None

    def tick(self) -> None:
        """A sign of life for every page."""
        message = self._tick()
        for page in self.pages:
            page.tick(message)
        self._tick_later()

    def _tick(self) -> Message:
        link = self._link
        told: Json = {"type": "tick", "age": link.age, "connected": link.connected, "delay": self.delay}
        if not link.connected:
            told["trouble"] = link.trouble
        elif self.seq is None and self.delay:
            told["held"] = max(0.0, self._waiting[0][0] - _now()) if self._waiting else self.delay
        return Message(text(told))

    def _end_pages_of_others(self) -> None:
        """A seat's view ends for whoever no longer sits there."""
        if self.seat is None or self.seq is None:
            return
        sitting = sitting_of(self.state, self.seat)
        for page in tuple(self.pages):
            if page.sitting != sitting:
                self.pages.discard(page)
                page.end(CLOSE_SEATS_CHANGED, "the players changed seats; log in again")

    # --- out

    def snapshot(self) -> Json | None:
        """The state as this audience has been told it; None while it has not been told any."""
        if self.seq is None:
            return None
        return {"role": self.role.value, "seat": self.seat, "seq": self.seq, "t": self._clock(), "state": self.state}

    async def since(self, seq: int, link: LinkClient) -> Json:
        """The events after ``seq`` that this audience has been told. Raises RpcError where the core does not tell."""
        async with self._filling:  # a crowd that comes at once asks the core once
            if not self._filled and self.seq is not None:
                await self._fill(link)
        full = len(self._recent) == self._recent.maxlen
        if seq + 1 >= (self._recent[0]["seq"] if full else self._from):
            events, complete = [event for event in self._recent if event["seq"] > seq], seq <= (self.seq or 0)
        else:
            # A player's past is told as everybody saw it: somebody else may have sat on his seat.
            role = Role.SPECTATOR if self.role is Role.PLAYER else self.role
            told = await link.call("events.since", {"seq": seq, "role": role.value, "by": "web"})
            events = self.shown([event for event in told["events"] if event["seq"] <= (self.seq or 0)])
            complete = told["complete"] and seq <= (self.seq or 0)
        return {"seq": self.seq or 0, "events": events, "complete": complete}

    async def _fill(self, link: LinkClient) -> None:
        """Put what happened before this audience was there in front of what it has heard since."""
        since = max(0, (self.seq or 0) - RECENT_EVENTS)
        role = Role.SPECTATOR if self.role is Role.PLAYER else self.role
        told = await link.call("events.since", {"seq": since, "role": role.value, "by": "web"})
        first = self._recent[0]["seq"] if self._recent else (self.seq or 0) + 1
        earlier = [event for event in told["events"] if event["seq"] < first]
        self._recent.extendleft(reversed(self.shown(earlier)))
        self._from = since + 1 if told["complete"] else first
        self._filled = True

    async def show(self, page: Page) -> None:
        """The whole state and the events the page has not seen. Raises RpcError where the core does not tell."""
        seq = self.seq or 0
        since = max(0, seq - RECENT_EVENTS) if page.since is None else page.since
        told: Json = {"seq": since, "events": [], "complete": True}
        if self._link.connected:
            told = await self.since(since, self._link)
        # What came in while we asked is in the state below, so its events belong here too.
        events = told["events"] + [event for event in self._recent if event["seq"] > told["seq"]]
        gap = page.since is not None and not told["complete"]
        known = {"role": self.role.value, "seat": self.seat, "seq": self.seq, "state": self.state}
        clock = {"t": self._clock(), "age": self._link.age, "delay": self.delay}
        whole = {"type": "state", **known, **clock, "events": events[-RECENT_EVENTS:], "gap": gap}
        page.whole(Message(text(whole)), self.seq)

    def _clock(self) -> float:
        return self._t + _now() - self._t_at


class Hub:
    """The links to the core and the audiences. ``staff``: for those who are logged in; ``public``: the link of
    everybody else, so that a crowd that asks too much does not keep the referee from ruling."""

    def __init__(self, link_path: Path, settings: WebSettings) -> None:
        self.staff = LinkClient(link_path)
        self.public = LinkClient(link_path)
        self.staff.watch(self._connection)
        self._settings = settings
        self._audiences: dict[AudienceKey, Audience] = {}
        self.spectators = self._audience(Role.SPECTATOR, None)

    async def start(self) -> None:
        """Connect. The spectators' subscription stands as long as this process does."""
        self.staff.start()
        self.public.start()
        self.staff.subscribe(self.spectators.subscription)

    async def close(self) -> None:
        await self.staff.close()
        await self.public.close()
        for audience in self._audiences.values():  # last: a link that ends is still told to the pages
            audience.close()

    @property
    def pages_by_role(self) -> Counter[str]:
        """Live views open."""
        found: Counter[str] = Counter()
        for audience in self._audiences.values():
            found[audience.role.value] += len(audience.pages)
        return found

    @property
    def now(self) -> Mapping[str, Any]:
        """The table as it is now, for deciding who sits where; never to be shown. Raises RpcError while unknown."""
        state = self.spectators.subscription.state
        if not state:
            raise LinkDown(f"the core does not answer: {self.staff.trouble}")
        return state

    def seat_of(self, name: str) -> int | None:
        """Where the only player of this name sits now."""
        names = list(self.now["table"]["names"])
        return names.index(name) if name and names.count(name) == 1 else None

    def shown(self, role: Role, events: list[Json]) -> list[Json]:
        """Those of ``events`` that the site shows to ``role``."""
        return events if role is Role.REFEREE else self.spectators.shown(events)

    def _audience(self, role: Role, seat: int | None) -> Audience:
        spectator = role is Role.SPECTATOR
        audience = Audience(
            role,
            seat,
            self.staff,
            delay=self._settings.spectator_delay_seconds if spectator else 0,
            revealing=self._settings.records is Records.ALL or role is Role.REFEREE,
        )
        self._audiences[role, seat] = audience
        return audience

    def join(self, role: Role, seat: int | None, page: Page) -> Audience:
        audience = self._audiences.get((role, seat))
        if audience is None:
            audience = self._audience(role, seat)
            self.staff.subscribe(audience.subscription)
        audience.join(page)
        return audience

    def leave(self, audience: Audience, page: Page) -> None:
        """The last page of a role takes the subscription with it: nobody looks, nothing flows."""
        audience.pages.discard(page)
        key = (audience.role, audience.seat)
        if audience is self.spectators or audience.pages or self._audiences.get(key) is not audience:
            return
        del self._audiences[key]
        audience.close()
        self.staff.unsubscribe(audience.subscription)

    async def tell(self, audience: Audience, page: Page) -> None:
        """Give ``page`` the whole state whenever it needs it; what changes comes to it by itself. Raises PageEnded."""
        while True:
            await page.wanted()
            if not page.behind or audience.seq is None:
                continue
            try:
                await audience.show(page)
            except RpcError as error:  # the next tick tries again
                log.warning("a page waits for its state: %s", error)
            page.check()  # the players may have changed seats meanwhile

    def _connection(self, connected: bool) -> None:
        for audience in self._audiences.values():
            audience.tick()


def _now() -> float:
    return asyncio.get_running_loop().time()
