"""A hand won under 镇江麻将: is it complete, natural, did it wait on everything (Z301–Z310)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tablectl.rules.api import How, Win
from tablectl.rules.common.wildcards import kind_after
from tablectl.rules.reading import Counts, Rest, counts_of, is_complete, of_meld
from tablectl.rules.zhenjiang.options import Options
from tablectl.tiles.tile import Tile


def wildcard_kind(indicator: Tile | None) -> Tile | None:
    """The kind after the indicator's (Z108); None without an indicator."""
    return None if indicator is None or indicator.is_flower else kind_after(indicator)


def waits_on_everything(concealed: Sequence[Tile], sets: int, wildcard: Tile) -> bool:
    """跑搭 (Z306): before the draw the tiles in hand make ``sets`` sets, with 百搭 as anything, and exactly one 百搭 is
    left over."""
    natural = [tile for tile in concealed if tile is not wildcard]
    wilds = len(concealed) - len(natural)
    return wilds > 0 and is_complete(counts_of(natural), sets, wilds - 1, with_pair=False)


@dataclass(frozen=True, slots=True)
class Hand:
    """A declared win as the rules read it. ``sets``: those the tiles in hand have to make."""

    win: Win
    wildcard: Tile
    sets: int
    #: tiles in hand with the winning tile, all of them by their own kinds
    own: Counts
    #: those that can only be their own kind, and how many others there are
    fixed: Counts
    wilds: int

    @classmethod
    def of(cls, win: Win, wildcard: Tile, options: Options) -> Hand:
        """A claimed or robbed 百搭 is its own kind unless `claimed_wildcard` says otherwise (Z210)."""
        free = list(win.concealed)
        taken = [win.tile]
        if win.source is None or options.claimed_wildcard == "wild":
            free, taken = [*free, win.tile], []
        fixed = [tile for tile in free if tile is not wildcard] + taken
        return cls(
            win=win,
            wildcard=wildcard,
            sets=4 - len(win.melds),
            own=counts_of([*win.concealed, win.tile]),
            fixed=counts_of(fixed),
            wilds=free.count(wildcard),
        )

    @property
    def complete(self) -> bool:
        """Z301, Z303."""
        return is_complete(self.fixed, self.sets, self.wilds)

    @property
    def natural(self) -> bool:
        """Every 百搭 taken as its own kind, the hand is complete (Z304)."""
        return is_complete(self.own, self.sets)

    @property
    def has_wildcard(self) -> bool:
        """In hand, in a meld, or as the winning tile (Z305)."""
        return self.own[self.wildcard] > 0 or any(meld.tile is self.wildcard for meld in self.win.melds)

    @property
    def any_wait(self) -> bool:
        """It waited on every tile (Z306)."""
        return waits_on_everything(self.win.concealed, self.sets, self.wildcard)

    @property
    def robbed(self) -> bool:
        return How.ROBBING_KONG in self.win.how

    def reading(self) -> str:
        """One way to read it, every 百搭 as itself where that is possible (Z305); empty for no hand."""
        rest = Rest.of(self.own, self.sets) if self.natural else Rest.of(self.fixed, self.sets, self.wilds)
        division = rest.first_division()
        if division is None:
            return ""
        groups = [of_meld(meld) for meld in self.win.melds] + [*division.sets]
        if division.pair is not None:
            groups.append(division.pair)
        return " ".join(group.text for group in groups)
