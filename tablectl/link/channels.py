"""Who has subscribed to what, and what they have been told.

A channel is a role (and seat). Everything is computed and encoded once a channel; its subscribers get the same bytes.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from tablectl.game.events import Event, to_json
from tablectl.game.views import Role
from tablectl.link.protocol import text

Provider = Callable[[Role, int | None], Any]
Redact = Callable[[Event, Role, int | None], Event | None]
History = Callable[[int], Iterable[tuple[int, Event]]]

#: events kept at hand for clients that come back; about ten hands
REMEMBERED = 2000
#: at most one update in so many seconds; the first one after a pause leaves at once
COALESCE_SECONDS = 0.03


class Subscriber(Protocol):
    def send(self, line: bytes) -> None: ...


@dataclass
class _Channel:
    role: Role
    seat: int | None
    subscribers: list[Subscriber] = field(default_factory=list)
    #: the JSON text of each section as last sent
    sent: dict[str, str] = field(default_factory=dict)


class Channels:
    """The state's sections, the recent events, and the channels that hear of them."""

    def __init__(self, redact: Redact, history: History | None) -> None:
        self._redact = redact
        self._history = history
        self._providers: dict[str, tuple[Provider, bool]] = {}
        self._channels: dict[tuple[Role, int | None], _Channel] = {}
        self._recent: deque[tuple[int, Event]] = deque(maxlen=REMEMBERED)
        self.seq = 0
        #: published and not told yet
        self._fresh: list[tuple[int, Event]] = []
        self._touched: set[str] = set()
        self._timer: asyncio.Handle | None = None
        self._flushed_at = float("-inf")

    @property
    def sections(self) -> list[str]:
        return sorted(self._providers)

    def section(self, name: str, provider: Provider, follows_events: bool) -> None:
        if name in self._providers:
            raise ValueError(f"section {name} is registered twice")
        self._providers[name] = (provider, follows_events)

    def publish(self, seq: int, events: Sequence[Event]) -> None:
        numbered = tuple(enumerate(events, seq - len(events) + 1))
        self._recent.extend(numbered)
        self.seq = seq
        if self._channels:
            self._fresh.extend(numbered)
            self._touched.update(name for name, (_, follows) in self._providers.items() if follows)
            self._schedule()

    def touch(self, sections: Iterable[str]) -> None:
        for name in sections:
            if name not in self._providers:
                raise ValueError(f"there is no section {name!r}")
            if self._channels:
                self._touched.add(name)
                self._schedule()

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    # --- questions

    def snapshot(self, role: Role, seat: int | None) -> dict[str, Any]:
        state = {name: provider(role, seat) for name, (provider, _) in self._providers.items()}
        return {"role": role.value, "seat": seat, "seq": self.seq, "t": _now(), "state": state}

    def since(self, role: Role, seat: int | None, seq: int) -> dict[str, Any]:
        """The events after ``seq``. ``complete`` is false where some of them are no longer known, or ``seq`` is of
        another journal: then only the state tells what happened."""
        events: Iterable[tuple[int, Event]] = self._recent
        oldest = self._recent[0][0] if self._recent else self.seq + 1
        if seq + 1 < oldest and self._history is not None:
            events = tuple(self._history(seq))
            oldest = events[0][0] if events else self.seq + 1
        shown = self._shown(((n, event) for n, event in events if n > seq), role, seat)
        return {"seq": self.seq, "events": shown, "complete": oldest <= seq + 1 and seq <= self.seq}

    # --- subscriptions

    def subscribe(self, who: Subscriber, role: Role, seat: int | None, since: int | None) -> dict[str, Any]:
        """Add ``who`` and give it the state that the channel's next update builds on."""
        self._flush()
        key = (role, seat)
        channel = self._channels.get(key) or _Channel(role, seat)
        # Sections that changed without a touch are brought up to date for the others too: all share `sent`.
        errors = self._update(channel, self._providers, ())
        if errors:
            raise ExceptionGroup("the state for the link could not be computed", errors)
        self._channels[key] = channel
        if who not in channel.subscribers:
            channel.subscribers.append(who)
        missed = self.since(role, seat, self.seq if since is None else since)
        whole = {"role": role.value, "seat": seat, "t": _now(), **missed}
        return {**whole, "state": {name: json.loads(value) for name, value in channel.sent.items()}}

    def unsubscribe(self, who: Subscriber, role: Role, seat: int | None) -> bool:
        channel = self._channels.get((role, seat))
        if channel is None or who not in channel.subscribers:
            return False
        channel.subscribers.remove(who)
        if not channel.subscribers:
            del self._channels[role, seat]
        return True

    def forget(self, who: Subscriber) -> None:
        """End every subscription of ``who``."""
        for role, seat in tuple(self._channels):
            self.unsubscribe(who, role, seat)

    # --- updates

    def _schedule(self) -> None:
        if self._timer is None:
            loop = asyncio.get_running_loop()
            wait = self._flushed_at + COALESCE_SECONDS - loop.time()
            self._timer = loop.call_later(wait, self._flush) if wait > 0 else loop.call_soon(self._flush)

    def _flush(self) -> None:
        """Tell every channel what changed. What fails does not keep the rest from being told."""
        self.close()
        self._flushed_at = _now()
        touched, self._touched = sorted(self._touched), set()
        fresh, self._fresh = self._fresh, []
        errors = [
            error for channel in tuple(self._channels.values()) for error in self._update(channel, touched, fresh)
        ]
        if errors:
            raise ExceptionGroup("the state for the link could not be computed", errors)

    def _update(
        self, channel: _Channel, sections: Iterable[str], fresh: Sequence[tuple[int, Event]]
    ) -> list[Exception]:
        changed: dict[str, str] = {}
        errors: list[Exception] = []
        for name in sections:
            try:
                value = text(self._providers[name][0](channel.role, channel.seat))
            except Exception as error:  # the other sections are still told
                errors.append(error)
                continue
            if channel.sent.get(name) != value:
                changed[name] = channel.sent[name] = value
        events = self._shown(fresh, channel.role, channel.seat)
        if channel.subscribers and (changed or events):
            line = self._encode(channel, events, changed)
            for subscriber in tuple(channel.subscribers):
                subscriber.send(line)
        return errors

    def _encode(self, channel: _Channel, events: list[dict[str, Any]], changed: dict[str, str]) -> bytes:
        head = text({"role": channel.role.value, "seat": channel.seat, "seq": self.seq, "t": _now(), "events": events})
        state = ",".join(f"{text(name)}:{value}" for name, value in changed.items())
        params = f'{head[:-1]},"state":{{{state}}}}}'
        return f'{{"jsonrpc":"2.0","method":"update","params":{params}}}\n'.encode()

    def _shown(self, events: Iterable[tuple[int, Event]], role: Role, seat: int | None) -> list[dict[str, Any]]:
        seen = ((number, self._redact(event, role, seat)) for number, event in events)
        return [{"seq": number, **to_json(event)} for number, event in seen if event is not None]


def _now() -> float:
    return asyncio.get_running_loop().time()
