"""Four simulated people and their referee at the table: they play hands by moving tiles in the world.

What they do they tell nobody but the `truth`: a table of the game that is fed with what really happened, against which
the record of the tracker can be compared. It also keeps order among the four, as people do by looking and speaking.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Final

from tablectl.game import actions as act
from tablectl.game.events import Event, HandEnded, MatchEnded
from tablectl.game.state import Hand, Phase
from tablectl.game.table import Table
from tablectl.sim import opening, play
from tablectl.sim.person import Person
from tablectl.sim.scene import Scene

#: seconds that people watch a lift before they look at the lamp again
LIFT_PATIENCE_S: Final = 15.0

#: What is done when something is due.
STEPS: Final[Mapping[Phase, Callable[[Scene, Hand], Coroutine[Any, Any, None]]]] = {
    Phase.STAKES: opening.stakes,
    Phase.DICE: opening.throw_dice,
    Phase.DEALING: opening.deal_tiles,
    Phase.FLOWERS: opening.open_flowers,
    Phase.INDICATOR: opening.turn_indicator,
    Phase.TURN: play.take_turn,
    Phase.CLAIMED: play.take_turn,
    Phase.REPLACING: play.replace_tiles,
    Phase.DISCARDED: play.after_discard,
    Phase.ROBBING: play.robbing,
    Phase.LAST_ROUND: play.last_round,
    Phase.DECLARED: play.agree,
}


class Players:
    """The people at one table. ``press_lift`` presses a lift key."""

    def __init__(self, scene: Scene, press_lift: Callable[[], Coroutine[Any, Any, None]]) -> None:
        #: hands played to their end
        self.hands_played = 0
        #: seen by everybody: the ready lamp is lit; the opening is free; the walls are up
        self.lamp_lit = asyncio.Event()
        self.opening_free = asyncio.Event()
        self.walls_up = asyncio.Event()
        #: how people learn which seat was drawn to deal first, where the table draws it
        self.drawn_dealer: Callable[[], int] = lambda: scene.rng.randrange(4)
        #: what somebody does instead of what is due; whether it was done
        self.misdeed: Callable[[Scene, Hand], Coroutine[Any, Any, bool]] = _no_misdeed
        self._scene = scene
        self._press_lift = press_lift

    @property
    def truth(self) -> Table:
        """What really happened, as a game."""
        return self._scene.truth

    @property
    def people(self) -> tuple[Person, ...]:
        return self._scene.people

    def rule(self, ruling: act.Rule) -> list[Event]:
        """A ruling that people at the table hear, from a referee outside the simulation."""
        events = self._scene.tell(ruling)
        self._scene.ruled.set()
        return events

    def meanwhile(self, doing: Coroutine[Any, Any, None]) -> None:
        """Somebody at the table does this while the others go on; nobody does once they have left."""
        self._scene.meanwhile(doing)

    async def run(self, hands: int | None = None) -> None:
        """Play until so many hands or the match are over; None: match after match, for ever."""
        scene = self._scene
        drawn = self.drawn_dealer() if scene.rules.play.first_dealer == "random" else None
        scene.tell(act.StartMatch(t=scene.clock.now(), names=scene.truth.names, simulated=True, dealer=drawn))
        try:
            while hands is None or self.hands_played < hands:
                await self._next_walls()
                scene.tell(act.PassTime(t=scene.clock.now()))
                if hands is not None and self.truth.match.over is not None:  # its time ran out between two hands
                    return
                if await self._play_hand() and hands is not None:
                    return
        finally:
            await scene.leave()

    async def _next_walls(self) -> None:
        """Wait for the lamp, open, push the tiles in, close, and wait until the walls are up; again where it failed."""
        scene = self._scene
        await scene.settle()
        self.walls_up.clear()
        while not self.walls_up.is_set():
            await _either(self.lamp_lit, self.walls_up)
            if self.walls_up.is_set():  # late, but there they stand
                break
            await scene.anybody.spend("talk")
            await self._press_lift()
            if not await self._seen(self.opening_free):
                continue
            scene.tell(act.ClearTable(t=scene.clock.now()))
            await asyncio.gather(*(person.push_in(self._before(person.seat)) for person in scene.people))
            await scene.anybody.spend("look")
            await self._press_lift()
            await self._seen(self.walls_up)

    @staticmethod
    async def _seen(event: asyncio.Event) -> bool:
        """Watch the table until something happens, as long as a person does before trying again."""
        try:
            async with asyncio.timeout(LIFT_PATIENCE_S):
                await event.wait()
        except TimeoutError:
            return False
        return True

    def _before(self, seat: int) -> list[str]:
        """What lies before a seat, and its share of what lies between."""
        world = self._scene.world
        spots = [f"{part}.{seat}" for part in ("hand", "meld", "river", "wall", "fingers")]
        return [tag for spot in spots for tag in world.tags(spot)] + list(world.tags("felt"))[seat::4]

    async def _play_hand(self) -> bool:
        """One hand from the raised walls to its end; whether the match ended with it."""
        scene = self._scene
        scene.begin()
        before = self.truth.last_seq
        scene.tell(act.RaiseWalls(t=scene.clock.now()))
        while (hand := self.truth.playing) is not None:
            if await self.misdeed(scene, hand) or self.truth.playing is not hand:
                continue
            await STEPS[hand.phase](scene, hand)
        scene.tell(act.RevealWall(t=scene.clock.now(), wall=scene.wall))
        ended = self.truth.events[max(0, before + 1 - self.truth.state.first_seq) :]
        if self.truth.unconfirmed:
            await play.confirm(scene)
        self.hands_played += any(isinstance(event, HandEnded) for event in ended)
        return any(isinstance(event, MatchEnded) for event in ended)


async def _no_misdeed(scene: Scene, hand: Hand) -> bool:
    return False


async def _either(one: asyncio.Event, other: asyncio.Event) -> None:
    """Watch two things until one of them happens."""
    waits = [asyncio.ensure_future(event.wait()) for event in (one, other)]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()
        await asyncio.gather(*waits, return_exceptions=True)
