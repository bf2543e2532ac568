"""For the referee's eyes: what each seat waits for, and what every such tile would bring it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, Final

from tablectl.game.judge import situation
from tablectl.game.state import Hand, Phase
from tablectl.game.table import Table
from tablectl.game.views import Role
from tablectl.rules.api import Verdict, Win
from tablectl.tiles.tile import Tile

Json = dict[str, Any]

#: phases in which tiles stand in hands
_STANDING: Final = frozenset(Phase) - {Phase.IDLE, Phase.STAKES, Phase.DICE, Phase.DEALING, Phase.ENDED}


class Waiting:
    """The section ``waits`` of the link: for the referee a list for each seat, for everybody else nothing.

    A wait is ``{tile, left, discard, self_draw}``: how many of the kind do not lie open and are not in the hand itself,
    and what a win on a discard and a self-draw would score (None where there is no such win, a reason in words where
    it would be refused). A seat that has just drawn waits for what it waited for before.

    ``table()`` is the one in play.
    """

    def __init__(self, table: Callable[[], Table]) -> None:
        self._table = table
        #: what was last found for each seat, and for which tiles
        self._found: list[tuple[Any, list[Json]]] = [(None, [])] * 4

    def section(self, role: Role, seat: int | None) -> list[list[Json]]:
        hand = self._table().playing
        if role is not Role.REFEREE or hand is None or hand.phase not in _STANDING:
            return []
        lying = _lying(hand)
        return [self._of(hand, n, lying) for n in range(4)]

    def _of(self, hand: Hand, number: int, lying: list[Tile]) -> list[Json]:
        table, seat = self._table(), hand.seats[number]
        standing = list(seat.standing)
        if seat.drawn in standing:
            standing.remove(seat.drawn)
        concealed = tuple(sorted(tile for tile in standing if tile is not None))
        whole = len(concealed) == len(standing) == table.rules.play.hand_tiles - 3 * len(seat.melds)
        if not whole or seat.dead is not None:
            return []
        melds, flowers = tuple(seat.melds), tuple(seat.flowers)
        key = (concealed, melds, flowers, tuple(hand.incidents), hand.indicator, hand.start_points, hand.number)
        if self._found[number][0] != key:
            win = Win(number, concealed, melds, flowers, Tile.EAST)
            found = table.rules.waits(situation(table.game, hand), win)
            told = [
                {"tile": w.tile.code, "discard": _brings(w.discard), "self_draw": _brings(w.self_draw)} for w in found
            ]
            self._found[number] = key, told
        held = [tile for tile in seat.standing if tile is not None]
        held += [tile for meld in melds if meld.is_concealed for tile in meld.tiles]
        seen = Counter(tile.code for tile in (*held, *lying))
        return [{**wait, "left": max(0, 4 - seen[wait["tile"]])} for wait in self._found[number][1]]


def _brings(verdict: Verdict | None) -> int | str | None:
    if verdict is None:
        return None
    return verdict.score if verdict.legal else verdict.reason or "refused"


def _lying(hand: Hand) -> list[Tile]:
    """All tiles that lie open: rivers (claimed ones lie in the melds), melds, the indicator."""
    found = [lying.tile for seat in hand.seats for lying in seat.river if lying.claimed_by is None]
    found += [tile for seat in hand.seats for meld in seat.melds if not meld.is_concealed for tile in meld.tiles]
    return found if hand.indicator is None else [*found, hand.indicator]
