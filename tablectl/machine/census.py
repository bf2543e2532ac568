"""Which tiles passed the lanes while a set was stacked, held against the tile sets as enrolled.

So a tile that is missing has a name, and two sets that were mixed or a tile of another table are found before anybody
plays with them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from tablectl.machine.description import SIDES

#: tiles of the other set in one shuffle from which on it is not worth finishing
MIXED_TILES = 4


class Census:
    """``sets``: by name of the set, tag to the tile in the notation. None enrolled: nothing is ever found."""

    def __init__(self, sets: Mapping[str, Mapping[str, str]]) -> None:
        self._sets = sets
        self._set_of = {tag: name for name, tags in sets.items() for tag in tags}
        self._lanes: list[dict[str, None]] = [{} for _ in SIDES]
        self._counts: Counter[str] = Counter()
        #: not read in the last shuffle of each set
        self._unread: dict[str, frozenset[str]] = {}
        #: the shuffle was watched from its beginning
        self.whole = False

    def begin(self, whole: bool = True) -> None:
        """A new set is stacked. ``whole``: from its first tile on."""
        self._lanes = [{} for _ in SIDES]
        self._counts.clear()
        self.whole = whole

    def passed(self, side: int, tag: str) -> None:
        if tag not in self._lanes[side]:
            self._lanes[side][tag] = None
            self._counts[self._set_of.get(tag, "")] += 1

    @property
    def seen(self) -> set[str]:
        return {tag for tags in self._lanes for tag in tags}

    @property
    def set_name(self) -> str:
        """The set that is being stacked: that of most tiles; empty where no tile of any was read."""
        known = [(count, name) for name, count in self._counts.items() if name]
        return max(known)[1] if known else ""

    @property
    def mixed(self) -> bool:
        """So many tiles of another set are among them that it is not worth finishing."""
        return sum(n for name, n in self._counts.items() if name not in ("", self.set_name)) >= MIXED_TILES

    def strangers(self) -> list[str]:
        """Tiles that are in no set, in words: where they were stacked, and their tags."""
        if not self._set_of:
            return []
        return [f"{_place(side, n)} ({tag})" for side, n, tag in self._all() if tag not in self._set_of]

    def others(self) -> list[str]:
        """Tiles of another set, in words."""
        own = self.set_name
        found = [(side, n, tag) for side, n, tag in self._all() if self._set_of.get(tag, own) != own]
        return [f"{self._name(tag)} of set {self._set_of[tag]}, {_place(side, n)}" for side, n, tag in found]

    def unread(self) -> list[str]:
        """Tags of the set that no lane read."""
        own = self._sets.get(self.set_name, {})
        return sorted(own.keys() - self.seen)

    def named(self, tags: Sequence[str]) -> str:
        """``5m, 0z`` … for a person, the first dozen."""
        names = ", ".join(self._name(tag) for tag in tags[:12])
        return names + (f" and {len(tags) - 12} more" if len(tags) > 12 else "")

    def silent_again(self) -> list[str]:
        """The shuffle is over: tags that no lane read in it, nor in the one before of the same set."""
        unread = frozenset(self.unread())
        before = self._unread.get(self.set_name, frozenset())
        self._unread[self.set_name] = unread
        return sorted(unread & before)

    def _all(self) -> list[tuple[int, int, str]]:
        return [(side, n, tag) for side, tags in enumerate(self._lanes) for n, tag in enumerate(tags)]

    def _name(self, tag: str) -> str:
        return next((tags[tag] for tags in self._sets.values() if tag in tags), tag)


def _place(side: int, n: int) -> str:
    return f"side {side}, stack {n // 2 + 1} as built"
