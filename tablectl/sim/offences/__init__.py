"""What people do that the rules forbid, one thing a hand, with what really happened told to the truth.

Each function is asked when something is due (`players.STEPS`). It answers None where there is no occasion, True where
it was done instead of what is due, False where it was done and that is due still. It moves tiles and presses keys as a
person would, and tells the truth what happened. Where the game cannot see the offence from moves alone, the truth is
told the alert that is due. Each is named after that alert, and, where there are several, its cause.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Final

from tablectl.game.state import Hand
from tablectl.sim.offences import calls, discards, draws, opening, strays
from tablectl.sim.scene import Scene

#: discards before the offence: it comes with the first occasion after so many
EARLIEST: Final = (2, 10)

Offence = Callable[[Scene, Hand], Coroutine[Any, Any, bool | None]]

#: offences that come with their first occasion: it is seldom, or before the first discard
AT_ONCE: Final = frozenset[Offence](
    {
        *opening.OFFENCES,
        *(calls.hand_shown_early, draws.draw_from_reserve, discards.last_round_discard),
    }
)

#: by name: the alert that is due, and the cause where there are several
OFFENCES: Final[Mapping[str, Offence]] = {
    offence.__name__: offence for part in (opening, draws, discards, calls, strays) for offence in part.OFFENCES
}


class Once:
    """Does ``offence`` once in every hand, at a random moment from `EARLIEST` discards on."""

    def __init__(self, offence: Offence, rng: random.Random) -> None:
        self._offence = offence
        self._rng = rng
        self._hand = 0
        self._after = 0
        #: numbers of the hands in which it was done
        self.done: set[int] = set()

    async def __call__(self, scene: Scene, hand: Hand) -> bool:
        if hand.number != self._hand:
            self._hand, self._after = hand.number, self._rng.randint(*EARLIEST)
        played = len(hand.discards) >= self._after or self._offence in AT_ONCE
        if hand.number in self.done or not played:
            return False
        instead = await self._offence(scene, hand)
        if instead is not None:
            self.done.add(hand.number)
        return bool(instead)
