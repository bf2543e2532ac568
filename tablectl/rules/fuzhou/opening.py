"""Wins before the first draw of 福州麻将: robbing the gold (T307–T309) and three golds on dealt tiles (T312)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from tablectl.rules.api import HandView, How, SeatView, Situation, Win
from tablectl.rules.fuzhou.scoring import Count
from tablectl.rules.gold.checks import HAND_TILES
from tablectl.rules.gold.hand import Judged
from tablectl.tiles.tile import Tile

Judge = Callable[[Win, Situation], Judged[Count]]


def opening_win(hand: HandView, seat: int, judge: Judge, *, dealer_robs: bool) -> Win | None:
    """The best win of ``seat`` that needs no draw; None where it has none, or its ordinary win is as good."""
    view, gold = hand.seats[seat], hand.indicator
    is_dealer = seat == hand.dealer
    has_played = any(discard.seat == seat for discard in hand.discards) or bool(view.melds)
    if gold is None or has_played or len(view.standing) != HAND_TILES + is_dealer or None in view.standing:
        return None
    situation = Situation(dealer=hand.dealer, indicator=gold, incidents=tuple(hand.incidents))

    def worth(win: Win) -> int:
        """The score; 0 for what may not be won."""
        judged = judge(win, situation)
        return judged.count.score if judged.count is not None and judged.reason is None else 0

    found = list(_robbing(seat, view, gold)) if is_dealer or dealer_robs or hand.discards else []
    if is_dealer:
        dealt = _win(seat, view, view.standing[:-1], view.standing[-1], How.HEAVENLY)
        counted = judge(dealt, situation).count
        if counted is not None and counted.hand.is_complete:
            return None  # the heavenly win goes before robbing (T310)
        least = worth(dealt)
    else:
        least = 0
        if not hand.discards and view.standing.count(gold) == 3:
            found.append(_win(seat, view, _without(view.standing, gold), gold, How.HUMAN))
    best = max(found, key=worth, default=None)
    return best if best is not None and worth(best) > least else None


def _robbing(seat: int, view: SeatView, gold: Tile) -> Iterator[Win]:
    """The indicator in place of a tile that the dealer lays out (T307), or with the 16 tiles of another seat (T308)."""
    if len(view.standing) == HAND_TILES:
        yield _win(seat, view, view.standing, gold, How.EARTHLY)
        return
    for tile in sorted(set(view.standing)):
        yield _win(seat, view, _without(view.standing, tile), gold, How.EARTHLY)


def _win(seat: int, view: SeatView, concealed: Sequence[Tile], tile: Tile, how: How) -> Win:
    return Win(seat, tuple(sorted(concealed)), (), tuple(view.flowers), tile, None, frozenset({how}))


def _without(tiles: Sequence[Tile], tile: Tile) -> list[Tile]:
    left = list(tiles)
    left.remove(tile)
    return left
