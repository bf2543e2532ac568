"""People and the truth alone: no machine, no antennas, and no time but that of the people's own hands.

Whole matches take milliseconds a hand, so that thousands of them can be looked at.
"""

from __future__ import annotations

import asyncio
import random
from typing import Any

from tablectl.base.clock import Clock, HandClock
from tablectl.game.record import records
from tablectl.game.table import Table
from tablectl.rules.api import RuleSet
from tablectl.sim.devices import SimDice, SimKeys, SimReferee
from tablectl.sim.person import Habits, Person
from tablectl.sim.players import Players
from tablectl.sim.scene import Scene
from tablectl.sim.strategy import Mind
from tablectl.sim.world import World, make_sets
from tablectl.tiles.wall import Place


class _Dice(SimDice):
    """Dice that rest as soon as they are thrown."""

    def throw(self) -> None:
        dice = (self._rng.randint(1, 6), self._rng.randint(1, 6))
        for see in self._watching:
            see(dice)


class _Keys(SimKeys):
    """Key pads on which nobody but the dice listens."""

    def __init__(self, clock: Clock, dice: _Dice) -> None:
        super().__init__(clock)
        self._dice = dice

    def press(self, seat: int, key: str, n: int | None = None) -> None:
        if key == "dice":
            self._dice.throw()


class QuickTable:
    """Four people at a table whose walls stand as soon as the opening is closed. The same ``seed``, the same match.
    ``notices``: see `strategy.Mind`."""

    #: the tile sets; the first one is played with
    SETS: tuple[str, ...] = ("A",)

    def __init__(
        self,
        rules: RuleSet,
        seed: int,
        habits: Habits | None = None,
        names: tuple[str, str, str, str] = ("", "", "", ""),
        notices: float = 0.3,
    ) -> None:
        self.rules = rules
        self._rng = random.Random(f"{seed}/walls")
        self._clock = self._new_clock()
        self.world = World(self._clock, make_sets(self.SETS, rules.tile_set.tiles()))
        for tag, name in self.world.set_of.items():
            if name != self.SETS[0]:
                self.world.move(tag, "inside")  # of the machine, which waits for the next hand
        dice, keys, referee = self._new_devices(seed)
        people = []
        for number in range(4):
            rng = random.Random(f"{seed}/person {number}")
            mind = Mind(rules.id, rules.play.hand_tiles // 3, rng, notices)
            people.append(Person(number, self.world, keys, self._clock, rng, mind, habits or Habits()))
        rng = random.Random(f"{seed}/table")
        scene = Scene(self.world, rules, people, dice, referee, self._clock, rng, names)
        self.players = Players(scene, self._press_lift)
        self.players.lamp_lit.set()
        self._places = [
            Place(side, stack, upper)
            for side in range(4)
            for stack in range(1, rules.stacks[side] + 1)
            for upper in (True, False)
        ]

    def _new_clock(self) -> Clock:
        return HandClock()

    def _new_devices(self, seed: int) -> tuple[SimDice, SimKeys, SimReferee]:
        dice = _Dice(random.Random(f"{seed}/dice"), self._clock)
        return dice, _Keys(self._clock, dice), SimReferee(self._clock)

    def play(self, hands: int | None = None) -> Table:
        """Play one match, or so many hands of it; the truth with all its events."""
        asyncio.run(self.players.run(hands if hands is not None else MANY_HANDS))
        return self.players.truth

    @property
    def truth(self) -> list[list[dict[str, Any]]]:
        """The records of the hands played so far."""
        return records(self.players.truth.events)

    async def _press_lift(self) -> None:
        """The opening opens, or closes and the walls stand."""
        world = self.world
        world.opening_free = not world.opening_free
        if world.opening_free:
            await self._opened()
            self.players.opening_free.set()
            return
        self.players.opening_free.clear()
        tags = sorted(world.tags("drum"))
        self._rng.shuffle(tags)
        for tag, place in zip(tags, self._places, strict=True):
            world.stand(tag, place)
        await self._built()
        self.players.walls_up.set()

    async def _opened(self) -> None:
        """The opening is free."""

    async def _built(self) -> None:
        """The walls stand."""


#: more hands than a match has: it ends by itself
MANY_HANDS = 10_000
