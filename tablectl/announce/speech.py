"""What the speaker says: by kind, so that each can be switched off (competition J113)."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tablectl.announce.texts import Texts

#: Kinds of speech, and seconds after which one that still waits is no longer worth saying.
KINDS: Final[Mapping[str, float]] = {
    "press_dice": 10,
    "dice": 10,
    "discard": 2,
    "claim": 4,
    "payment": 15,
    "double": 10,
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


def check_quiet(kinds: Iterable[str]) -> frozenset[str]:
    """Kinds of speech to leave out. Raises ValueError naming every unknown one and the nearest known."""
    quiet = frozenset(kinds)
    problems = []
    for kind in sorted(quiet - KINDS.keys()):
        near = difflib.get_close_matches(kind, KINDS, 1)
        problems.append(f"unknown kind of speech {kind!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
    if problems:
        raise ValueError("\n".join([*problems, f"expected any of {', '.join(KINDS)}"]))
    return quiet
