"""What the people at a table share: the tiles before them, what lies open, the end of the wall, and the truth."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Coroutine, Iterator, Sequence
from typing import Any, Literal

from tablectl.base.clock import Clock
from tablectl.game import actions as act
from tablectl.game.events import Event
from tablectl.game.state import Hand
from tablectl.game.table import Table
from tablectl.rules.api import RuleSet
from tablectl.sim.devices import SimDice, SimReferee
from tablectl.sim.person import Person
from tablectl.sim.world import World
from tablectl.tiles.tile import Tile
from tablectl.tiles.wall import Place


class Scene:
    """The table as the four see it. ``truth`` is fed with what really happened (`tell`); ``referee`` None: a person."""

    def __init__(
        self,
        world: World,
        rules: RuleSet,
        people: Sequence[Person],
        dice: SimDice,
        referee: SimReferee | None,
        clock: Clock,
        rng: random.Random,
        names: tuple[str, str, str, str],
    ) -> None:
        self.truth = Table(rules, names=names, simulated=True)
        self.world = world
        self.rules = rules
        self.people = tuple(people)
        self.referee = referee
        self.clock = clock
        self.rng = rng
        #: a ruling was heard
        self.ruled = asyncio.Event()
        self.dice_rested: asyncio.Queue[tuple[int, ...]] = asyncio.Queue()
        dice.connect(self.dice_rested.put_nowait)
        #: how many of each kind lie open on the table
        self.lying = [0] * 34
        #: positions still to come at both ends of the wall
        self.live: Iterator[int] = iter(())
        self.tail: Iterator[int] = iter(())
        #: the wall of this hand in drawing positions, for the record after it
        self.wall: tuple[Tile | None, ...] = ()
        #: the tile last discarded, and the indicator where it lies apart
        self.last_tag = ""
        self.indicator_tag: str | None = None
        self._aside: set[asyncio.Task[None]] = set()

    def begin(self) -> None:
        """A new hand: nothing lies open, everybody forgets the last one."""
        self.lying = [0] * 34
        for person in self.people:
            person.mind.begin()

    # --- what happens

    def tell(self, action: act.Action) -> list[Event]:
        """Something happened."""
        return self.truth.apply(action)

    def see(self, *tiles: Tile) -> None:
        """Tiles come to lie open."""
        for tile in tiles:
            if tile < 34:
                self.lying[tile] += 1

    def look_over(self, hand: Hand, person: Person) -> None:
        """The person looks over the hand between two turns."""
        person.mind.rest(person.standing(self.lying, hand.wild), tuple(hand.seats[person.seat].melds))

    def next_place(self, hand: Hand, positions: Iterator[int]) -> Place:
        """The next place from one end of the wall at which a tile still lies."""
        assert hand.deck is not None
        for position in positions:
            place = hand.deck.places[position - 1]
            if place in self.world.walls and position != hand.deck.indicator:
                return place
        raise AssertionError("the wall is empty, but a tile is due")

    # --- who does it

    @property
    def anybody(self) -> Person:
        return self.rng.choice(self.people)

    def meanwhile(self, doing: Coroutine[Any, Any, None]) -> None:
        """Somebody does this while the others go on."""
        task = asyncio.create_task(doing)
        self._aside.add(task)
        task.add_done_callback(self._aside.discard)

    async def settle(self) -> None:
        """Wait until nobody does anything aside."""
        await asyncio.gather(*self._aside)

    async def leave(self) -> None:
        """Everybody stops what they do aside."""
        for task in self._aside:
            task.cancel()
        await asyncio.gather(*self._aside, return_exceptions=True)

    async def wait_for_dice(self, seconds: float) -> None:
        """Wait until the dice rest, at most so long."""
        try:
            async with asyncio.timeout(seconds):
                self.dice_rested.put_nowait(await self.dice_rested.get())
        except TimeoutError:
            return

    # --- flowers, in the opening and in play

    def flowers_of(self, person: Person) -> list[Tile]:
        """The flowers among somebody's standing tiles."""
        return [tile for tile in person.tiles() if tile in self.rules.play.flowers]

    async def lay_flowers(self, person: Person, flowers: Sequence[Tile]) -> None:
        """Call, then lay them open one after another."""
        if person.presses():
            person.press("flower")
            self.tell(act.Press(t=self.clock.now(), seat=person.seat, key="flower"))
        for tile in flowers:
            await person.lay([tile])
            self.tell(act.LayFlower(t=self.clock.now(), seat=person.seat, tile=tile))

    async def take_replacements(self, hand: Hand, person: Person) -> None:
        """All that the seat is owed, from the end of the wall that the rules name."""
        from_tail = self.rules.play.replacements_from == "tail"
        positions = self.tail if from_tail else self.live
        end: Literal["live", "tail"] = "tail" if from_tail else "live"
        while self.truth.playing is hand and hand.seats[person.seat].owed:
            (tag,) = await person.take([self.next_place(hand, positions)], "reach")
            self.tell(act.Draw(t=self.clock.now(), seat=person.seat, tile=self.world.kinds[tag], end=end))
