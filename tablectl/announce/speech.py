"""What the speaker says: by kind, so that each can be switched off (competition J113)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING, Any, Final

from tablectl.announce.texts import Texts
from tablectl.base.clock import Clock
from tablectl.documents import Problem, nearest

if TYPE_CHECKING:
    from tablectl.base.settings import Source

#: Kinds of speech, and seconds after which one that still waits is no longer worth saying.
KINDS: Final[Mapping[str, float]] = {
    "press_dice": 10,
    "dice": 10,
    "discard": 2,
    "claim": 4,
    "payment": 15,
    "double": 10,
    "hand": 10,
    "fact": 10,
    "indicator": 15,
    "time_warning": 2,
    "offence": 10,
    "result": 60,
    "drawn": 20,
    "time_left": 60,
    "last_hand": 60,
    "game_end": 60,
    "seats": 60,
    "fault": 60,
}


@dataclass(frozen=True)
class Speech:
    """One thing to say. ``prompt`` names a recording (``claim.pung``, ``dice.7``); ``text`` is its words."""

    kind: str
    key: str
    variant: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    since: float = 0.0

    @property
    def prompt(self) -> str:
        return f"{self.kind}.{self.variant}" if self.variant else self.kind

    @property
    def until(self) -> float:
        """The time on the table's clock after which it is left out."""
        return self.since + KINDS[self.kind]

    def text(self, texts: Texts) -> str:
        return texts(self.key, self.values)


@dataclass(frozen=True)
class QuietHours:
    """From ``begin`` until ``end`` (``22:30``, over midnight where they lie so) nothing is said."""

    begin: str
    end: str
    zone: tzinfo

    def now(self, clock: Clock) -> bool:
        time = datetime.fromtimestamp(clock.wall(), self.zone).strftime("%H:%M")
        if self.begin <= self.end:
            return self.begin <= time < self.end
        return time >= self.begin or time < self.end


def check(source: Source) -> Iterable[Problem]:
    """Unknown kinds of speech in ``sound.quiet`` (a check for `base.settings.load`)."""
    node = source.find("sound", "quiet")
    for number, kind in enumerate(node.items() if node is not None else ()):
        if kind.value not in KINDS:
            text = f"sound.quiet[{number}]: unknown kind of speech {kind.value!r}; expected any of {', '.join(KINDS)}"
            yield Problem(str(source.path), kind.line, kind.column, text + nearest(kind.value, KINDS))
