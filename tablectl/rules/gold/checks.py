"""Why a declared win is refused before anybody asks whether it is complete (fuzhou T318, fujian T310)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from tablectl.rules.api import How, Situation, Win
from tablectl.rules.common.forms import copies, is_pung_or_kong
from tablectl.rules.gold.options import GoldOptions
from tablectl.tiles.meld import Meld, MeldKind
from tablectl.tiles.tile import Tile

#: Facts after which a seat may not win or claim (T701).
DEATHS: Final = frozenset({"dead_hand", "wrong_count"})
HAND_TILES: Final = 16


@dataclass(frozen=True, slots=True)
class Declared:
    """A declared win and what it is measured against. ``flowers``: the flower kinds of the rule system."""

    win: Win
    situation: Situation
    options: GoldOptions
    flowers: frozenset[Tile]

    @property
    def gold(self) -> Tile | None:
        return self.situation.indicator

    @property
    def opening_golds(self) -> bool:
        """Three golds of a non-dealer before his first draw: of his 16 tiles one gold is named as `Win.tile` (fuzhou
        T302, T312)."""
        win = self.win
        return (
            How.HUMAN in win.how
            and win.seat != self.situation.dealer
            and win.source is None
            and not win.melds
            and win.tile == self.gold
            and win.concealed.count(win.tile) == 2
        )

    def exist(self, tile: Tile) -> int:
        """Tiles of a kind that a hand can hold: the indicator is no gold of anybody, but of whoever robs it (T110)."""
        return 3 if tile == self.gold and How.EARTHLY not in self.win.how else 4

    def has_fact(self, *kinds: str) -> bool:
        """Whether the seat met with one of these incidents."""
        return any(fact.kind in kinds and fact.seat == self.win.seat for fact in self.situation.incidents)


Check = Callable[[Declared], bool]


def is_meld(meld: Meld, flowers: frozenset[Tile]) -> bool:
    """A run of a suit, three or four like tiles; none of them a flower (T203)."""
    if any(tile in flowers for tile in meld.tiles):
        return False
    if meld.kind is not MeldKind.CHOW:
        return is_pung_or_kong(meld)
    low = meld.tile
    is_run = len(meld.tiles) == 3 and low.suit != "" and low.rank <= 7 and meld.tiles == (low, low + 1, low + 2)
    return is_run and meld.taken is not None


def _bad_indicator(declared: Declared) -> bool:
    return declared.gold is None or declared.gold in declared.flowers


def _bad_meld(declared: Declared) -> bool:
    may_kong = declared.options.next_seat_may_kong
    return any(
        not is_meld(meld, declared.flowers)
        or (meld.kind is MeldKind.EXPOSED_KONG and meld.source == 1 and not may_kong)
        for meld in declared.win.melds
    )


def _gold_in_meld(declared: Declared) -> bool:
    return any(declared.gold in meld.tiles for meld in declared.win.melds)


def _flower_in_hand(declared: Declared) -> bool:
    return any(tile in declared.flowers for tile in (*declared.win.concealed, declared.win.tile))


def _impossible_tiles(declared: Declared) -> bool:
    win, held = declared.win, copies(replace(declared.win, flowers=()))
    laid = Counter(win.flowers)
    return any(count > declared.exist(tile) for tile, count in held.items()) or any(
        tile not in declared.flowers or count > (1 if tile.is_flower else 4) for tile, count in laid.items()
    )


def _wrong_tile_count(declared: Declared) -> bool:
    missing = HAND_TILES - 3 * len(declared.win.melds) - len(declared.win.concealed)
    return missing != 0 and not (missing == 1 and declared.opening_golds)


def _bad_how(declared: Declared) -> bool:
    win = declared.win
    how, drawn = win.how, win.source is None
    kong, flower = How.KONG_REPLACEMENT in how, How.FLOWER_REPLACEMENT in how
    return (
        win.source == win.seat
        or (How.HEAVENLY in how and (win.seat != declared.situation.dealer or bool(win.melds) or not drawn))
        or {How.HEAVENLY, How.EARTHLY} <= how
        or (How.ROBBING_KONG in how and drawn)
        or ((kong or flower) and not drawn)
        or (kong and not any(meld.is_kong for meld in win.melds))
        or (flower and not win.flowers)
        or (How.LAST_TILE in how and (not drawn or kong or flower))
    )


def _gold_claimed(declared: Declared) -> bool:
    return declared.win.source is not None and declared.win.tile == declared.gold


def _gold_discarded(declared: Declared) -> bool:
    only_self_draw = declared.options.gold_discard == "self_draw_only" and declared.has_fact("wild_discard")
    return only_self_draw and declared.win.source is not None


def _dead_hand(declared: Declared) -> bool:
    return declared.has_fact(*DEATHS)


#: Reasons that look at the tiles and the circumstances, in the order of testing (fuzhou T318.1–7, fujian T310.1–7).
FORM_CHECKS: Final[tuple[tuple[str, Check], ...]] = (
    ("bad_indicator", _bad_indicator),
    ("bad_meld", _bad_meld),
    ("gold_in_meld", _gold_in_meld),
    ("flower_in_hand", _flower_in_hand),
    ("impossible_tiles", _impossible_tiles),
    ("wrong_tile_count", _wrong_tile_count),
    ("bad_how", _bad_how),
)

#: Reasons that lie in the play (T318.9, T310.8): a discarded gold, whoever discarded one where he may then win by
#: self-draw only (fuzhou T209, fujian T207), a dead hand (T701, T702).
PLAY_CHECKS: Final[tuple[tuple[str, Check], ...]] = (
    ("gold_claimed", _gold_claimed),
    ("gold_discarded", _gold_discarded),
    ("dead_hand", _dead_hand),
)
