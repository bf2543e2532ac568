"""Notices and their priority stack: what is shown is the most important notice alive; when it goes, what lay below it
is seen again. The kinds are those of `screens.LAYOUTS`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

#: The higher stands above the lower; of equals, the younger.
PRIORITY: Final[Mapping[str, int]] = {
    "fault": 100,
    "pairing": 95,
    "paused": 90,
    "offence": 80,
    "offence_seat": 80,
    "dead": 80,
    "last_hand": 72,
    "time_left": 70,
    "warning": 68,
    "machine": 65,  # the table moves or waits for hands; the states in which it rests are `rest`
    "homing": 65,
    "proposed": 60,
    "hurry": 55,
    "double": 50,
    "payment": 45,
    "common_payment": 45,
    "handover": 45,
    "wild": 44,
    "claim": 40,
    "game_end": 36,
    "game_over": 36,
    "dice": 35,
    "win": 30,
    "drawn": 30,
    "broken_off": 30,
    "walls_ready": 20,
    "dice_again": 20,
    "stakes": 20,
    "dealing": 20,
    "turning": 20,
    "flowers": 20,
    "turn": 20,
    "last_round": 20,
    "next_seats": 15,
    "totals": 10,
    "shuffling": 8,
    "rest": 6,
    "waiting": 4,
    "idle": 0,
}

#: Seconds that a notice lives; one that is not here stays until it is taken away.
LIFETIME: Final[Mapping[str, float]] = {
    "offence": 8,
    "offence_seat": 6,
    "dead": 8,
    "time_left": 8,
    "warning": 8,
    "last_hand": 8,
    "double": 5,
    "payment": 5,
    "common_payment": 5,
    "handover": 5,
    "wild": 6,
    "claim": 3,
    "dice": 6,
    "win": 30,
    "drawn": 10,
    "broken_off": 10,
    "game_end": 40,
}


@dataclass(frozen=True)
class Notice:
    """Something to show. ``key`` names its place in the stack: a notice replaces the one with the same key. Times are
    seconds on the table's clock; before ``since`` it is not seen yet."""

    kind: str
    key: str
    since: float
    until: float | None
    rank: int
    values: Mapping[str, Any]


class Stack:
    """The notices of a table."""

    def __init__(self) -> None:
        self._notices: dict[str, Notice] = {}

    def put(self, kind: str, now: float, *, key: str = "", rank: str = "", delay: float = 0, **values: Any) -> None:
        """Show a notice of ``kind`` from ``delay`` seconds on, for its `LIFETIME`. ``key``: the kind where it is empty.

        An unchanged notice that has no lifetime keeps its place and its page. ``rank``: the kind where it stands.
        """
        key = key or kind
        life = LIFETIME.get(kind)
        old = self._notices.get(key)
        if old is not None and life is None and old.kind == kind and old.values == values:
            return
        since = now + delay
        until = None if life is None else since + life
        self._notices[key] = Notice(kind, key, since, until, PRIORITY[rank or kind], values)

    def drop(self, *keys: str) -> None:
        """Take notices away; keys that are not there do not matter."""
        for key in keys:
            self._notices.pop(key, None)

    def keep(self, *keys: str) -> None:
        """Take all other notices away."""
        self.drop(*(self._notices.keys() - set(keys)))

    def __contains__(self, key: str) -> bool:
        return key in self._notices

    def drop_where(self, test: Callable[[Notice], bool]) -> None:
        self.drop(*[key for key, notice in self._notices.items() if test(notice)])

    def top(self, now: float) -> Notice | None:
        """The notice to show, and forget those whose time is over."""
        top, over = None, []
        for key, notice in self._notices.items():
            if notice.until is not None and notice.until <= now:
                over.append(key)
            elif notice.since <= now and (top is None or (notice.rank, notice.since) > (top.rank, top.since)):
                top = notice
        self.drop(*over)
        return top

    def next_change(self, now: float) -> float | None:
        """When the next notice appears or goes by itself; None = never."""
        moments = [m for n in self._notices.values() for m in (n.since, n.until) if m is not None and m > now]
        return min(moments, default=None)
