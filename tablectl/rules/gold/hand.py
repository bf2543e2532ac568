"""A declared hand with its golds apart from the natural tiles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from tablectl.rules.api import FanProof, How, Verdict, Win
from tablectl.rules.reading import Division, Rest, counts_of, is_complete, of_meld
from tablectl.tiles.meld import MeldKind
from tablectl.tiles.tile import Tile

#: Sets of a complete hand (T301).
SETS = 5


@dataclass(frozen=True, slots=True)
class GoldHand:
    """A win as scoring looks at it. ``natural`` counts the standing tiles that stand for themselves, ``wilds`` the
    golds that may stand for any kind, both with the winning tile; ``golds`` are all golds in hand."""

    win: Win
    gold: Tile
    natural: tuple[int, ...]
    wilds: int
    golds: int

    @classmethod
    def of(cls, win: Win, gold: Tile, *, natural_indicator: bool = False) -> GoldHand:
        """``natural_indicator``: the winning tile is the robbed indicator and stands for its own kind (fuzhou T309)."""
        counts = counts_of((*win.concealed, win.tile))
        golds = counts[gold]
        counts[gold] = 1 if natural_indicator else 0
        return cls(win, gold, tuple(counts), golds - counts[gold], golds)

    @property
    def self_drawn(self) -> bool:
        return self.win.source is None

    @property
    def sets(self) -> int:
        """Sets that the standing tiles have to make."""
        return SETS - len(self.win.melds)

    @property
    def rest(self) -> Rest:
        return Rest(self.natural, self.sets, self.wilds)

    @property
    def is_complete(self) -> bool:
        return is_complete(self.natural, self.sets, self.wilds)

    @property
    def golds_drawn(self) -> int:
        """Golds of the seat's own: without the robbed indicator (fuzhou T312)."""
        return self.golds - (How.EARTHLY in self.win.how)

    @property
    def has_three_golds(self) -> bool:
        """By self-draw: neither the indicator nor a claimed tile is the third (fuzhou T312, fujian T308)."""
        return self.self_drawn and self.golds_drawn == 3

    def before(self) -> Rest:
        """What stood before the winning tile, one gold put aside: sets alone where the hand waited on every tile."""
        counts = counts_of(self.win.concealed)
        golds, counts[self.gold] = counts[self.gold], 0
        return Rest(tuple(counts), self.sets, golds - 1, with_pair=False)

    @property
    def waited_on_everything(self) -> bool:
        """Before the winning tile: complete sets and one gold, other golds wild (fuzhou T315, fujian T306)."""
        return self.gold in self.win.concealed and self.before().is_complete()

    def kongs(self, *kinds: MeldKind) -> int:
        return sum(1 for meld in self.win.melds if meld.kind in kinds)

    def text(self, division: Division | None, *more: str) -> str:
        """The reading in notation: melds, sets, pair; ``*`` marks a gold that stands for the tile before it."""
        groups = [of_meld(meld).text for meld in self.win.melds]
        if division is not None:
            groups += [group.text for group in division.sets]
            groups += [division.pair.text] if division.pair is not None else []
        return " ".join([*groups, *more])


class Count(Protocol):
    """A hand counted under the rules of one system."""

    @property
    def fans(self) -> Mapping[str, int]: ...
    @property
    def score(self) -> int: ...
    def reading(self) -> str: ...
    def proof(self) -> tuple[FanProof, ...]: ...


C = TypeVar("C", bound=Count)


@dataclass(frozen=True, slots=True)
class Judged(Generic[C]):
    """A declared win: the reason that refuses it, and what it counts where it counts anything."""

    reason: str | None
    count: C | None = None

    def worth(self) -> Verdict:
        """The verdict without its proof, for waits."""
        if self.count is None or self.reason is not None:
            return Verdict(False, self.reason, {}, 0)
        return Verdict(True, None, self.count.fans, self.count.score)

    def verdict(self, reason: str | None = None) -> Verdict:
        """The verdict; ``reason`` refuses a win that is good in itself. A refused one still says what was there."""
        reason = self.reason or reason
        if self.count is None:
            return Verdict(False, reason, {}, 0)
        reading, proof = self.count.reading(), self.count.proof()
        if reason is not None:
            return Verdict(False, reason, {}, 0, reading, proof)
        return Verdict(True, None, self.count.fans, self.count.score, reading, proof)
