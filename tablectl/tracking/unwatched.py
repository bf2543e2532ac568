"""What was played while nobody looked: a legal play after which every tile lies where the antennas find it.

Weighing (`hypotheses`) asks what the next step was and looks four steps ahead; it lives on the times of readings. After
a start in the middle of a hand there are no times, and more steps may have been made. Here the play is sought that
explains all places together: draws of the tiles due, discards of what lies in the rivers, melds and flowers that lie
open, a win that took a discard. Where none is found, the steps are weighed one by one, and a person is asked to look at
them (`recovery`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

from tablectl.game.state import Phase
from tablectl.tiles.tile import Tile
from tablectl.tracking.outlook import Outlook, Step, after
from tablectl.tracking.places import HAND, MELD, RIVER
from tablectl.tracking.scene import Scene
from tablectl.tracking.steps import OFFENCE, steps

#: points of play that are looked at before the search is given up
MOST_LOOKS: Final = 3000
#: steps that people make in the dark: a round of flowers of all four, or two rounds of play
MOST_STEPS: Final = 90


@dataclass(slots=True)
class Played:
    """The search: where tags were ``found`` that were believed elsewhere; before which seats a whole hand lies open
    (``open_hands``: zones of melds), so that a tile found there may belong to the hand; which tags moved last, while it
    was looked already (``late``). ``best``: the steps that explain most of it; ``lacking``: how many tags they leave
    unexplained."""

    scene: Scene
    found: Mapping[str, str]
    open_hands: Set[str] = frozenset()
    late: Set[str] = frozenset()
    best: tuple[Step, ...] = ()
    lacking: int = 0
    _way: list[Step] = field(default_factory=list)
    _seen: set[tuple[object, ...]] = field(default_factory=set)

    def search(self, look: Outlook) -> bool:
        """Whether a legal play from ``look`` explains everything."""
        lacking = self._lacking(look)
        if not self._seen or lacking < self.lacking:
            self.best, self.lacking = tuple(self._way), lacking
        if not lacking:
            return True
        lying = frozenset((tag, places[-1]) for tag, places in look.ways.items())
        point = (look.phase, look.turn, look.laying, look.owed, look.last, lying)
        if point in self._seen or len(self._seen) >= MOST_LOOKS or len(self._way) >= MOST_STEPS:
            return False
        self._seen.add(point)
        for step in sorted(self._possible(look), key=self._rank):
            self._way.append(step)
            if self.search(after(look, step)):
                return True
            self._way.pop()
        return False

    def _lacking(self, look: Outlook) -> int:
        return sum(not self._lies(look, tag, place) for tag, place in self.found.items())

    def _lies(self, look: Outlook, tag: str, place: str) -> bool:
        lies = self.scene.lies(look, tag)
        return lies == place or (place in self.open_hands and lies == HAND[int(place[-1])])

    def _possible(self, look: Outlook) -> list[Step]:
        return [
            step
            for step in steps(look, self.scene)
            if step.prior > OFFENCE
            and not step.offence
            and not (step.kind == "discard" and step.tile in self.scene.kept)  # on its way over a river
            and (step.kind != "win" or step.moves)
            and all(self._leads(look, tag, place) for tag, place in step.moves)
        ]

    def _rank(self, step: Step) -> tuple[object, ...]:
        """What moved last comes last; else the likelier first; what moves on again before what stays: a flower that was
        drawn needs a tile after it."""
        stays = all(self.found.get(tag) == place for tag, place in step.moves)
        late = any(tag in self.late for tag, _ in step.moves)
        return late, -step.prior, stays, step.seat, step.moves

    def _leads(self, look: Outlook, tag: str, place: str) -> bool:
        """Whether ``place`` is where the tag was found, or on its way there."""
        goal = self.found.get(tag)
        if goal is None:  # no antenna finds it: drawn, and not seen yet
            return place in HAND and self.scene.lies(look, tag).startswith("wall")
        if place == goal:
            return True
        seat = int(place[-1])
        elsewhere = not goal.endswith(str(seat))
        if place == HAND[seat]:
            return goal == RIVER[seat] or goal in MELD or (elsewhere and goal in HAND)
        return place == RIVER[seat] and elsewhere and goal in (*MELD, *HAND)


def played(
    look: Outlook,
    scene: Scene,
    found: Mapping[str, str],
    open_hands: Set[str] = frozenset(),
    late: Set[str] = frozenset(),
) -> tuple[tuple[Step, ...], bool]:
    """The steps from ``look`` after which the tags of ``found`` lie there, and whether they explain all of it. Flowers
    of the opening are explained by themselves; what followed them is asked for once the table has gone on.

    ``found``: tags that were read elsewhere than they were believed to lie, and where; ``open_hands`` and
    ``late``: see `Played`.
    """
    play = Played(scene, found, open_hands, late)
    complete = play.search(look)
    return (play.best, complete) if complete or look.phase is Phase.FLOWERS else ((), False)


def either_way(steps: Sequence[Step], late: Set[str]) -> dict[int, list[Tile]]:
    """The tiles of each seat that went to its river in ``steps`` and lie there, where two of them may have changed
    places: both stood in the hand before the first was discarded. ``late``: tags that were seen to move last."""
    last = {tag: (n, step) for n, step in enumerate(steps) for tag, _ in step.moves}
    drawn = {tag: n for n, step in enumerate(steps) if step.kind == "draw" for tag, _ in step.moves}
    found: dict[int, list[Tile]] = {}
    for seat in range(4):
        lying = [(n, tag, step.tile) for tag, (n, step) in last.items() if (step.kind, step.seat) == ("discard", seat)]
        lying.sort()
        if any(
            one != other and drawn.get(tag, -1) < n and (first in late) == (tag in late)
            for (n, first, one), (_, tag, other) in combinations(lying, 2)
        ):
            found[seat] = [tile for _, _, tile in lying if tile is not None]
    return found
