"""Whole simulated matches on virtual time, watched by everybody who has no right to the tiles that stand.

Every text that reaches a watcher is held against what really lies open then: a tile that is named must have been seen
by the whole table in this hand (or stand in the watcher's own hand), and no tag may be told at all.
"""

from __future__ import annotations

import asyncio
import json
import re
from bisect import bisect_right
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
from fastapi import FastAPI

from tablectl.app import Core
from tablectl.base.clock import LoopClock
from tablectl.core.backends import people as people_of
from tablectl.core.running import assemble, run
from tablectl.core.site import Site, load_site
from tablectl.game import events as ev
from tablectl.rules.registry import load as load_rules
from tablectl.web.access import COOKIE
from tablectl.web.app import create_app
from tablectl.web.roles import WebRole, Who
from tablectl.web.settings import Records, WebSettings
from tablectl.web.wire import EXTENSION, Message

ROOT = Path(__file__).parents[2]
#: what everybody may ask for, with a hand in play
PATHS = (
    *("session", "health", "state", "events", "events?since=1", "methods", "faults", "hands", "sheet", "stats"),
    *("hands/{hand}", "hands/{hand}/playback", "hands/{hand}/page"),
)
SPECTATOR = -1
#: what may be a tag
WORD = re.compile(r"[0-9A-Za-z]{8,}")
#: texts of these keys are no tiles, or (`kinds`, with what the game is played) tell of none that lies anywhere
NO_TILES = frozenset({"prevalent", "wind", "bakaze", "png", "digest", "secret", "commitments", "kinds"})
DELAY_S = 20.0
#: events between two rounds of requests
ASKS_EVERY = 60


def names_in(value: Any, key: str = "") -> Iterator[str]:
    """Every tile that is named in a JSON value, as a code or in a line of notation."""
    if isinstance(value, dict):
        for name, item in value.items():
            if name not in NO_TILES:
                yield from names_in(item, name)
    elif isinstance(value, list):
        for item in value:
            yield from names_in(item, key)
    elif isinstance(value, str):
        if value in CODES:
            yield value
        for run_ in re.findall(r"[1-9]+[mps](?![a-z])", value):
            yield from (f"{rank}{run_[-1]}" for rank in run_[:-1] if f"{rank}{run_[-1]}" in CODES)


CODES = frozenset(f"{rank}{suit}" for rank in range(1, 10) for suit in "mps") | set("ESWNCFP") | set("abcdefgh")


_QUICK = re.compile(r'"(?:png|prevalent|wind|bakaze)":"[^"]*"')
_CODE = re.compile(r'"([1-9][mps]|[ESWNCFPa-h])"|([1-9]+[mps])(?![a-z])')


def quick_names(text: str) -> set[str]:
    """At least the tiles that `names_in` finds in a text of JSON."""
    found = set()
    for code, run_ in _CODE.findall(_QUICK.sub("", text)):
        found.update([code] if code else (f"{rank}{run_[-1]}" for rank in run_[:-1]))
    return found


class Truth:
    """What lies open, by the table's own events: a line a moment."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._times: list[float] = []
        #: (number of the event that opened the hand, whether it is over, open tiles, own tiles by seat)
        self._lines: list[tuple[int, bool, frozenset[str], tuple[frozenset[str], ...]]] = []
        self._open: set[str] = set()
        self._own: tuple[set[str], ...] = (set(), set(), set(), set())
        self._begun, self._over = 0, True
        #: concealed kongs that lie face down until the hand is over (mcr)
        self._kongs: set[str] = set()
        self._note()
        core.listeners.insert(0, self._heard)

    def at(self, t: float) -> tuple[int, bool, frozenset[str], tuple[frozenset[str], ...]]:
        return self._lines[max(0, bisect_right(self._times, t + 1e-6) - 1)]

    def _heard(self, seq: int, events: Sequence[ev.Event]) -> None:
        for number, event in enumerate(events, seq - len(events) + 1):
            self._take(number, event)
        self._note()

    def _note(self) -> None:
        self._times.append(self._core.clock.now())
        own = tuple(frozenset(tiles) for tiles in self._own)
        self._lines.append((self._begun, self._over, frozenset(self._open), own))

    def _take(self, number: int, event: ev.Event) -> None:
        hidden = self._core.rules.play.concealed_kong_hidden
        if isinstance(event, ev.HandOpened):
            self._begun, self._over = number, False
            self._open, self._own = set(), (set(), set(), set(), set())
            self._kongs = set()
        elif isinstance(event, ev.HandEnded):
            self._over = True
            self._open |= self._kongs
        elif isinstance(event, ev.HandDealt):
            for seat, tiles in enumerate(event.tehais):
                self._own[seat].update(tile.code for tile in tiles if tile is not None)
        elif isinstance(event, ev.TileDrawn):
            self._own[event.actor].update([event.pai.code] if event.pai is not None else [])
        elif isinstance(event, ev.ConcealedKongMade) and hidden:
            self._kongs.update(tile.code for tile in event.consumed)
            self._own[event.actor].update(tile.code for tile in event.consumed)
        elif isinstance(event, ev.Corrected):
            if event.event is not None:
                self._take(number, event.event)
        elif not isinstance(event, ev.Alerted | ev.WallRevealed | ev.CommitmentOpened):
            self._open |= set(names_in(ev.to_json(event)))
        hand = self._core.table.hand
        if hand is not None:
            self._open |= {tile.code for tile in hand.wild}


class Watcher:
    """Somebody at a page. ``wrong``: what he was told and must not know."""

    def __init__(self, truth: Truth, tags: frozenset[str], name: str, seat: int, delay: float, closed: bool) -> None:
        self.name = name
        self.seat = seat
        self.heard = 0
        self.wrong: list[str] = []
        self._truth = truth
        self._tags = tags
        self._delay = delay
        self._closed = closed

    def hear(self, text: str, where: str) -> None:
        self.heard += 1
        now = asyncio.get_running_loop().time()
        if found := self._tags & {word.upper() for word in WORD.findall(text)}:
            self.wrong.append(f"{where} at {now:.1f} s: tags {sorted(found)}")
        begun, over, seen, own = self._truth.at(now - self._delay)
        if over and not self._closed:
            return
        allowed = seen | (own[self.seat] if self.seat >= 0 else frozenset())
        if quick_names(text) - allowed and (secret := self._secrets(text, begun) - allowed):
            self.wrong.append(f"{where} at {now:.1f} s: {sorted(secret)} do not lie open")

    def _secrets(self, text: str, begun: int) -> set[str]:
        """Tiles that are named in a message or answer about the hand that began with event ``begun``."""
        if not text.startswith("{"):
            return set()
        told = json.loads(text)
        if "state" not in told and "events" not in told:
            return set()
        events = [event for event in told.get("events", []) if event["seq"] >= begun]
        return set(names_in({**told, "events": events}))


class Socket:
    """A live view, spoken to as a server speaks to the application."""

    def __init__(self, app: FastAPI, cookie: str, watcher: Watcher) -> None:
        self._gone = asyncio.Event()
        self._opened = False
        self._watcher = watcher
        headers = [(b"host", b"table"), (b"cookie", f"{COOKIE}={cookie}".encode())]
        scope = {"type": "websocket", "path": "/ws", "query_string": b"", "headers": headers, "subprotocols": []}
        scope["extensions"] = {EXTENSION: self}
        self.closed: int | None = None
        self.task = asyncio.ensure_future(
            app({**scope, "client": ("10.0.0.9", 1), "scheme": "ws"}, self._receive, self._send)
        )

    async def _receive(self) -> dict[str, Any]:
        if not self._opened:
            self._opened = True
            return {"type": "websocket.connect"}
        await self._gone.wait()
        return {"type": "websocket.disconnect", "code": 1001}

    async def _send(self, message: Any) -> None:
        if message["type"] == "websocket.close":
            self.closed = message.get("code")
            self._gone.set()

    def tell(self, message: Message) -> bool:
        self._watcher.hear(message.text, "live")
        return True

    async def ready(self) -> None:
        pass

    async def leave(self) -> None:
        self._gone.set()
        await self.task


def site_of(rules: str, folder: Path, hands: int) -> Site:
    """The simulated table of these rules."""
    site = load_site(ROOT / "config" / "sim.yaml")
    link = site.settings.link.model_copy(update={"socket": folder / "link.sock"})
    sim = site.settings.sim.model_copy(update={"hands": hands, "noise": "clean"})
    return Site(site.settings.model_copy(update={"link": link, "sim": sim, "displays": []}), load_rules(rules))


class Audience:
    """All watchers of a match: spectators, spectators who are behind, spectators who get results only, four players."""

    def __init__(self, core: Core, folder: Path) -> None:
        self._core = core
        self._folder = folder
        self._truth = Truth(core)
        self._tags = frozenset(tag.upper() for tag in core.backend.tags)
        assert all(WORD.fullmatch(tag) for tag in self._tags)
        self.watchers: list[Watcher] = []
        self.sockets: list[Socket] = []
        self._clients: list[tuple[httpx.AsyncClient, Watcher]] = []
        self._opening: list[asyncio.Task[None]] = []
        self._due = asyncio.Event()

    @asynccontextmanager
    async def watching(self) -> AsyncIterator[None]:
        async with asyncio.TaskGroup() as group:
            stops = []
            for name, more in (
                ("open", {}),
                ("behind", {"spectator_delay_seconds": DELAY_S}),
                ("closed", {"records": Records.RESULTS}),
            ):
                app = self._app(name, more)
                stop = asyncio.Event()
                stops.append(stop)
                ready = asyncio.Event()
                group.create_task(self._alive(app, ready, stop))
                await ready.wait()
                self._seat(app, name, more)
            asking = asyncio.ensure_future(self._ask_again_and_again())
            self._core.listeners.append(self._heard)
            yield
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)
            for socket in self.sockets:
                await socket.leave()
            for client, _ in self._clients:
                await client.aclose()
            for stop in stops:
                stop.set()

    def _app(self, name: str, more: dict[str, Any]) -> FastAPI:
        settings = WebSettings(accounts=self._folder / f"{name}.sqlite", requests_per_second=1e6, burst=10**6, **more)
        return create_app(settings, self._core.settings.link.socket)

    async def _alive(self, app: FastAPI, ready: asyncio.Event, stop: asyncio.Event) -> None:
        async with app.router.lifespan_context(app):
            ready.set()
            await stop.wait()

    def _seat(self, app: FastAPI, name: str, more: dict[str, Any]) -> None:
        delay, closed = more.get("spectator_delay_seconds", 0.0), "records" in more
        self._join(app, "", Watcher(self._truth, self._tags, f"{name} spectator", SPECTATOR, delay, closed))
        if name == "open":
            for seat, player in enumerate(self._core.settings.players):
                who = Who(WebRole.PLAYER, player)
                cookie, _ = app.state.access.begin(who, "10.0.0.9", account=False)
                self._join(app, cookie, Watcher(self._truth, self._tags, f"player {seat}", seat, 0.0, False))

    def _join(self, app: FastAPI, cookie: str, watcher: Watcher) -> None:
        self.watchers.append(watcher)
        transport = httpx.ASGITransport(app, client=("10.0.0.9", 1))
        cookies = {COOKIE: cookie} if cookie else {}
        client = httpx.AsyncClient(transport=transport, base_url="http://table", cookies=cookies)
        self._clients.append((client, watcher))
        if watcher.seat == SPECTATOR:
            self.sockets.append(Socket(app, cookie, watcher))
        else:
            self._opening.append(asyncio.ensure_future(self._open(app, cookie, watcher)))

    async def _open(self, app: FastAPI, cookie: str, watcher: Watcher) -> None:
        """A player may open his page once the match knows his name."""
        name = self._core.settings.players[watcher.seat]
        hub = app.state.hub
        while not hub.spectators.subscription.state or hub.seat_of(name) is None:  # noqa: ASYNC110 - no event here
            await asyncio.sleep(0.05)
        self.sockets.append(Socket(app, cookie, watcher))

    def _heard(self, seq: int, events: Sequence[ev.Event]) -> None:
        if seq // ASKS_EVERY != (seq - len(events)) // ASKS_EVERY:
            self._due.set()

    async def _ask_again_and_again(self) -> None:
        while True:
            await self._due.wait()
            self._due.clear()
            await self.ask()

    async def ask(self) -> None:
        """Every request of everybody."""
        hand = self._core.table.match.hand
        for client, watcher in self._clients:
            for path in PATHS:
                answer = await client.get(f"/api/{path.format(hand=hand)}")
                watcher.hear(answer.text, path)
                if "{hand}" in path and self._core.table.playing is not None:
                    told = answer.status_code
                    if told == 200:
                        watcher.wrong.append(f"{path}: a hand in play is told")


async def watched(rules: str, seed: int, folder: Path, hands: int) -> tuple[Core, Audience]:
    """Play a match that everybody watches."""
    core = assemble(site_of(rules, folder, hands), LoopClock(), seed)
    people = people_of(core.backend)
    assert people is not None
    begun = asyncio.Event()
    working = asyncio.ensure_future(run(core, begun.set))
    await begun.wait()
    audience = Audience(core, folder)
    async with audience.watching():
        await people.finished.wait()
        await core.clock.sleep(DELAY_S + 5)
    core.stop()
    await working
    return core, audience
