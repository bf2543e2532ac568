"""One simulated person: hands that move tiles in human time, and a mind that sees what that seat sees."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from tablectl.base.clock import Clock
from tablectl.sim.devices import SimKeys
from tablectl.sim.plans import Standing
from tablectl.sim.strategy import Mind
from tablectl.sim.world import World
from tablectl.tiles.tile import Tile
from tablectl.tiles.wall import Place


@dataclass(frozen=True, slots=True)
class Habits:
    """How a person handles tiles. ``tempo``: 1 is an unhurried club player, 0.5 twice as fast. The others are
    probabilities: a drawn tile stays in the fingers, so that it may go ``straight`` to the river; a key
    is ``forgotten``; the hand is ``sorted`` after a draw; a tile is ``lifted`` and put back before a discard; a won
    hand is laid open in the meld zone (``opened_at_meld``); the winning discard is taken (``takes_winning_tile``); a
    block of the deal is taken before its turn (``block_early``); between call and tiles the person ``dawdles``, or
    ``snatches`` the tile as it lands."""

    tempo: float = 1.0
    straight: float = 0.1
    forgotten: float = 0.0
    sorted: float = 0.1
    opened_at_meld: float = 0.3
    takes_winning_tile: float = 0.5
    lifted: float = 0.0
    block_early: float = 0.0
    dawdles: float = 0.0
    snatches: float = 0.0


#: Median seconds of what people do; each time is drawn around it.
SECONDS: Final = {
    "reach": 0.45,  # for a tile of the wall, the hand or the river
    "put": 0.35,
    "look": 0.35,  # at the tile drawn
    "think": 0.75,
    "react": 0.8,  # until a claim is called
    "wait": 0.95,  # for claims of others, before drawing
    "block": 0.55,  # of the deal
    "sort": 0.6,
    "open": 1.0,  # lay the hand open
    "talk": 2.5,  # about the hand that is over
    "dawdle": 2.0,  # between a call and its tiles
}


class Person:
    """The player at ``seat``."""

    def __init__(
        self, seat: int, world: World, keys: SimKeys, clock: Clock, rng: random.Random, mind: Mind, habits: Habits
    ) -> None:
        self.seat = seat
        self.mind = mind
        self.habits = habits
        self._world = world
        self._keys = keys
        self._clock = clock
        self._rng = rng
        #: both hands: one movement at a time
        self._hands = asyncio.Lock()
        self._hand, self._meld, self._river = f"hand.{seat}", f"meld.{seat}", f"river.{seat}"
        self._fingers = f"fingers.{seat}"

    # --- time

    async def spend(self, what: str, times: float = 1.0) -> None:
        """Let the time pass that ``what`` (of `SECONDS`) takes this person."""
        await self._clock.sleep(self.seconds(what, times))

    def seconds(self, what: str, times: float = 1.0) -> float:
        return SECONDS[what] * times * self.habits.tempo * min(2.5, self._rng.lognormvariate(0.0, 0.3))

    def happens(self, probability: float) -> bool:
        return self._rng.random() < probability

    # --- what the person sees

    def tiles(self) -> list[Tile]:
        """The standing tiles, with one held in the fingers."""
        kinds = self._world.kinds
        return [kinds[tag] for spot in (self._hand, self._fingers) for tag in self._world.spots[spot].tags]

    def standing(self, seen: Sequence[int], wild: Iterable[Tile]) -> Standing:
        """The hand as plans look at it; ``seen``: how many of each kind lie open on the table."""
        counts = [0] * 34
        for tile in self.tiles():
            if tile < 34:
                counts[tile] += 1
        unseen = [4 - count - open_ for count, open_ in zip(counts, seen, strict=True)]
        wilds = 0
        for tile in wild:
            if tile < 34:
                wilds += counts[tile]
                counts[tile] = 0
        return Standing(counts, unseen, wilds)

    # --- what the hands do

    def press(self, key: str, n: int | None = None) -> None:
        self._keys.press(self.seat, key, n)

    def press_surely(self, key: str, n: int | None = None) -> None:
        """Press a key that is not meant for another, and not forgotten."""
        self._keys.touch(self.seat, key, n)

    def presses(self) -> bool:
        """Whether the person thinks of pressing the key."""
        return not self.happens(self.habits.forgotten)

    async def take(self, places: Sequence[Place], what: str = "put") -> list[str]:
        """Take tiles from the wall at once and stand them in the hand."""
        async with self._hands:
            tags = [self._world.take(place, self.seat) for place in places]
            await self.spend(what)
            for tag in tags:
                self._world.move(tag, self._hand)
            return tags

    async def draw(self, place: Place) -> str:
        """Take one tile, look at it, and stand it in the hand; or keep it in the fingers until it is decided."""
        async with self._hands:
            await self.spend("reach")
            tag = self._world.take(place, self.seat)
            await self.spend("look")
            if not self.happens(self.habits.straight):
                self.keep()
            return tag

    def keep(self) -> None:
        """Put what is in the fingers into the hand."""
        for tag in self._world.tags(self._fingers):
            self._world.move(tag, self._hand)

    async def discard(self, tile: Tile) -> str:
        """Put a tile of this kind into the river: the one in the fingers, if it is that. The tag that lies there."""
        async with self._hands:
            held = self._world.tags(self._fingers)
            if held and self._world.kinds[held[0]] is tile:
                tag = held[0]
            else:
                self.keep()
                tag = self._own(tile)
                await self.spend("reach")
            self._world.move(tag, self._fingers)
            await self.spend("put")
            self._world.move(tag, self._river)
            return tag

    async def lay(self, tiles: Iterable[Tile]) -> None:
        """Lay tiles of the hand open beside it, one after another."""
        async with self._hands:
            self.keep()
            for tile in tiles:
                tag = self._own(tile)
                self._world.move(tag, self._fingers)
                await self.spend("put", 0.6)
                self._world.move(tag, self._meld)

    async def claim(self, tag: str, consumed: Iterable[Tile]) -> None:
        """Lay own tiles open and add the claimed one from another's river, in either order."""
        if self.happens(0.5):
            await self._fetch(tag, self._meld)
            await self.lay(consumed)
        else:
            await self.lay(consumed)
            await self._fetch(tag, self._meld)

    async def _fetch(self, tag: str, to: str) -> None:
        async with self._hands:
            await self.spend("reach")
            self._world.move(tag, self._fingers)
            await self.spend("put")
            self._world.move(tag, to)

    async def carry(self, tag: str, to: str) -> None:
        """Take a tile that lies somewhere on the table, and put it somewhere else."""
        await self._fetch(tag, to)

    async def put_back(self, tag: str, place: Place) -> None:
        """Put a tile into a place of the wall."""
        async with self._hands:
            await self.spend("reach")
            self._world.move(tag, self._fingers)
            await self.spend("put")
            self._world.stand(tag, place)

    async def show_hand(self) -> None:
        """Lay the standing tiles open beside the hand, all at once."""
        async with self._hands:
            await self.spend("open")
            for tag in self._world.tags(self._hand):
                self._world.move(tag, self._meld)

    async def open_hand(self, winning: str | None) -> None:
        """Lay the won hand open; ``winning`` is a discarded tile that may be taken to it."""
        async with self._hands:
            self.keep()
            await self.spend("open")
            zone = self._meld if self.happens(self.habits.opened_at_meld) else self._hand
            for tag in self._world.tags(self._hand):
                self._world.move(tag, zone)
        if winning is not None and self.happens(self.habits.takes_winning_tile):
            await self._fetch(winning, zone)

    async def sort(self) -> None:
        """Take some tiles out of the hand and put them back in order."""
        async with self._hands:
            tags = self._world.tags(self._hand)
            for tag in self._rng.sample(tags, min(len(tags), self._rng.randint(1, 3))):
                self._world.move(tag, self._fingers)
                await self.spend("sort")
                self._world.move(tag, self._hand)

    async def lift(self) -> None:
        """Take one tile out of the hand, and put it back."""
        async with self._hands:
            tag = self._rng.choice(self._world.tags(self._hand))
            self._world.move(tag, self._fingers)
            await self.spend("look")
            self._world.move(tag, self._hand)

    async def hold(self, tags: Sequence[str], seconds: float) -> None:
        """Take up tiles that lie somewhere, and put them back where they lay after so many seconds."""
        async with self._hands:
            homes = [(tag, self._world.where(tag)) for tag in tags]
            for tag, _ in homes:
                self._world.move(tag, self._fingers)
                await self.spend("put", 0.5)
            await self._clock.sleep(seconds)
            for tag, home in homes:
                self._world.move(tag, home)
                await self.spend("put", 0.5)

    async def push_in(self, tags: Sequence[str]) -> None:
        """Push tiles into the opening, a handful at a time, as long as it is free."""
        async with self._hands:
            left = list(tags)
            while left:
                await self.spend("put")
                if not self._world.opening_free:
                    return
                handful, left = left[:8], left[8:]
                for tag in handful:
                    self._world.move(tag, "drum")

    def _own(self, tile: Tile) -> str:
        """A tag of this kind among the standing tiles."""
        return next(tag for tag in self._world.spots[self._hand].tags if self._world.kinds[tag] is tile)
