"""Four simulated people and their referee at the table: they play hands by moving tiles in the world.

What they do they tell nobody but the `truth`: a table of the game that is fed with what really happened, against which
the record of the tracker can be compared. It also keeps order among the four, as people do by looking and speaking.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from typing import Any, Final

from tablectl.base.clock import Clock
from tablectl.game import actions as act
from tablectl.game.claims import chows
from tablectl.game.counting import drawable, view
from tablectl.game.events import Event, HandEnded, MatchEnded
from tablectl.game.judge import candidate, judge
from tablectl.game.state import Hand, Phase
from tablectl.game.table import Table
from tablectl.rules.api import RuleSet
from tablectl.sim.devices import SimDice, SimReferee
from tablectl.sim.person import Person
from tablectl.sim.plans import Standing
from tablectl.sim.world import SEATS, World
from tablectl.tiles.meld import Meld, MeldKind, source_of
from tablectl.tiles.tile import Tile
from tablectl.tiles.wall import Place

#: seconds after which the dice key is pressed again when nothing rolls
DICE_PATIENCE_S: Final = 15.0
#: seconds that people watch a lift before they look at the lamp again
LIFT_PATIENCE_S: Final = 15.0
#: seconds the simulated referee looks at a declared win
REFEREE_S: Final = (3.0, 6.0)


class Players:
    """The people at one table. ``press_lift`` presses a lift key; ``referee`` None: somebody else confirms (`rule`)."""

    def __init__(
        self,
        world: World,
        rules: RuleSet,
        people: Sequence[Person],
        dice: SimDice,
        referee: SimReferee | None,
        press_lift: Callable[[], Coroutine[Any, Any, None]],
        clock: Clock,
        rng: random.Random,
        names: tuple[str, str, str, str],
    ) -> None:
        self.truth = Table(rules, names=names, simulated=True)
        #: hands played to their end
        self.hands_played = 0
        #: seen by everybody: the ready lamp is lit; the opening is free; the walls are up
        self.lamp_lit = asyncio.Event()
        self.opening_free = asyncio.Event()
        self.walls_up = asyncio.Event()
        self._world = world
        self._rules = rules
        self._people = tuple(people)
        self._referee = referee
        self._press_lift = press_lift
        self._clock = clock
        self._rng = rng
        self._ruled = asyncio.Event()
        self._dice_rested: asyncio.Queue[tuple[int, ...]] = asyncio.Queue()
        dice.connect(self._dice_rested.put_nowait)
        self._aside: set[asyncio.Task[None]] = set()
        #: how many of each kind lie open on the table
        self._open = [0] * 34
        self._live: Iterator[int] = iter(())
        self._tail: Iterator[int] = iter(())
        self._wall: tuple[Tile | None, ...] = ()
        self._last_tag = ""
        self._steps: Mapping[Phase, Callable[[Hand], Coroutine[Any, Any, None]]] = {
            Phase.STAKES: self._stakes,
            Phase.DICE: self._throw,
            Phase.DEALING: self._deal,
            Phase.FLOWERS: self._open_flowers,
            Phase.INDICATOR: self._turn_indicator,
            Phase.TURN: self._turn,
            Phase.CLAIMED: self._turn,
            Phase.REPLACING: self._replace,
            Phase.DISCARDED: self._after_discard,
            Phase.ROBBING: self._robbing,
            Phase.LAST_ROUND: self._last_round,
            Phase.DECLARED: self._declared,
        }

    # --- the match

    async def run(self, hands: int | None = None) -> None:
        """Play until so many hands or the match are over; None: match after match, for ever."""
        self._tell(act.StartMatch(t=self._clock.now(), names=self.truth.names, simulated=True))
        try:
            while hands is None or self.hands_played < hands:
                await self._next_walls()
                if await self._play_hand() and hands is not None:
                    return
        finally:
            for task in self._aside:
                task.cancel()
            await asyncio.gather(*self._aside, return_exceptions=True)

    async def _next_walls(self) -> None:
        """Wait for the lamp, open, push the tiles in, close, and wait until the walls are up; again where it failed."""
        await asyncio.gather(*self._aside)
        self.walls_up.clear()
        while not self.walls_up.is_set():
            await self.lamp_lit.wait()
            await self._anybody.spend("talk")
            await self._press_lift()
            if not await self._seen(self.opening_free):
                continue
            self._tell(act.ClearTable(t=self._clock.now()))
            await asyncio.gather(*(person.push_in(self._before(person.seat)) for person in self._people))
            await self._anybody.spend("look")
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
        spots = [f"{part}.{seat}" for part in ("hand", "meld", "river", "wall", "fingers")]
        return [tag for spot in spots for tag in self._world.tags(spot)] + list(self._world.tags("felt"))[seat::4]

    async def _play_hand(self) -> bool:
        """One hand from the raised walls to its end; whether the match ended with it."""
        self._open = [0] * 34
        for person in self._people:
            person.mind.begin()
        begin = len(self.truth.events)
        self._tell(act.RaiseWalls(t=self._clock.now()))
        while (hand := self.truth.playing) is not None:
            await self._steps[hand.phase](hand)
        self._tell(act.RevealWall(t=self._clock.now(), wall=self._wall))
        ended = self.truth.events[begin:]
        self.hands_played += any(isinstance(event, HandEnded) for event in ended)
        return any(isinstance(event, MatchEnded) for event in ended)

    def rule(self, ruling: act.Rule) -> list[Event]:
        """A ruling that people at the table hear, from a referee outside the simulation."""
        events = self._tell(ruling)
        self._ruled.set()
        return events

    def _tell(self, action: act.Action) -> list[Event]:
        return self.truth.apply(action)

    @property
    def _anybody(self) -> Person:
        return self._rng.choice(self._people)

    def _meanwhile(self, doing: Coroutine[Any, Any, None]) -> None:
        """Somebody does this while the others go on."""
        task = asyncio.create_task(doing)
        self._aside.add(task)
        task.add_done_callback(self._aside.discard)

    # --- before the first discard

    async def _stakes(self, hand: Hand) -> None:
        for seat in (hand.dealer, *((hand.dealer + n) % 4 for n in (1, 2, 3))):
            person, key = self._people[seat], "sit" if seat == hand.dealer else "pull"
            await person.spend("react")
            n = self._rng.randint(0, 1 if key == "sit" else 2)
            person.press(key, n)
            self._tell(act.Press(t=self._clock.now(), seat=seat, key=key, n=n))

    async def _throw(self, hand: Hand) -> None:
        thrower = self._rules.thrower(hand.dealer, [sum(throw) for throw in hand.throws])
        assert thrower is not None
        person = self._people[thrower]
        await person.spend("react")
        while self._dice_rested.empty():
            person.press("dice")
            self._tell(act.Press(t=self._clock.now(), seat=thrower, key="dice"))
            if self.truth.playing is not hand:  # the game's time was over before this hand began
                return
            await self._within(DICE_PATIENCE_S, self._dice_rested)
        self._tell(act.RestDice(t=self._clock.now(), dice=self._dice_rested.get_nowait()))

    @staticmethod
    async def _within(seconds: float, queue: asyncio.Queue[tuple[int, ...]]) -> None:
        """Wait until something is in the queue, at most so long."""
        try:
            async with asyncio.timeout(seconds):
                queue.put_nowait(await queue.get())
        except TimeoutError:
            return

    async def _deal(self, hand: Hand) -> None:
        """Blocks in the order of the rules; then the deal is complete."""
        deck = hand.deck
        assert deck is not None
        lying = self._world.walls
        self._wall = tuple(self._world.kinds[lying[place]] if place in lying else None for place in deck.places)
        self._live, self._tail = iter(deck.live), iter(deck.tail)
        dealt: list[list[Tile]] = [[], [], [], []]
        for block in deck.deal:
            places = [deck.places[p - 1] for p in block.positions]
            tags = await self._people[block.seat].take(places, "block")
            dealt[block.seat] += [self._world.kinds[tag] for tag in tags]
        drawn = dealt[hand.dealer].pop()
        self._tell(act.Deal(t=self._clock.now(), hands=tuple(map(tuple, dealt)), drawn=drawn))
        for person in self._people:
            if person.seat != hand.dealer:
                self._rest(hand, person)
            self._meanwhile(person.sort())

    async def _open_flowers(self, hand: Hand) -> None:
        """Opening replacement, in the order of the rules, until nobody holds a flower."""
        mode = self._rules.play.opening_flowers
        order = [self._people[(hand.dealer + n) % 4] for n in SEATS]
        for person in order:
            again = True
            while again and (flowers := self._flowers(person)) and hand.phase is Phase.FLOWERS:
                await self._lay_flowers(hand, person, flowers[:1] if mode == "one_each" else flowers)
                await self._take_replacements(hand, person)
                again = mode == "complete"
            if hand.phase is not Phase.FLOWERS:
                break

    async def _turn_indicator(self, hand: Hand) -> None:
        """Where the dice decide it, the indicator stays where it lies; else it comes from the tail and lies apart."""
        deck, person = hand.deck, self._people[hand.dealer]
        assert deck is not None
        await person.spend("reach")
        if deck.indicator is not None:
            tile = self._world.kinds[self._world.walls[deck.places[deck.indicator - 1]]]
        else:
            tag = self._world.take(self._next(hand, self._tail), person.seat)
            await person.spend("put")
            tile = self._world.kinds[tag]
            self._world.move(tag, f"meld.{person.seat}" if tile in self._rules.play.flowers else "felt")
        self._see(tile)
        self._tell(act.TurnIndicator(t=self._clock.now(), tile=tile, seat=person.seat))

    # --- play

    def _flowers(self, person: Person) -> list[Tile]:
        return [tile for tile in person.tiles() if tile in self._rules.play.flowers]

    async def _lay_flowers(self, hand: Hand, person: Person, flowers: Sequence[Tile]) -> None:
        if person.presses():
            person.press("flower")
            self._tell(act.Press(t=self._clock.now(), seat=person.seat, key="flower"))
        for tile in flowers:
            await person.lay([tile])
            self._tell(act.LayFlower(t=self._clock.now(), seat=person.seat, tile=tile))

    async def _take_replacements(self, hand: Hand, person: Person) -> None:
        while self.truth.playing is hand and hand.seats[person.seat].owed:
            (tag,) = await person.take([self._next(hand, self._tail)], "reach")
            self._tell(act.Draw(t=self._clock.now(), seat=person.seat, tile=self._world.kinds[tag], end="tail"))

    def _next(self, hand: Hand, positions: Iterator[int]) -> Place:
        """The next place from one end of the wall at which a tile still lies."""
        assert hand.deck is not None
        for position in positions:
            place = hand.deck.places[position - 1]
            if place in self._world.walls and position != hand.deck.indicator:
                return place
        raise AssertionError("the wall is empty, but a tile is due")

    async def _replace(self, hand: Hand) -> None:
        await self._take_replacements(hand, self._people[hand.turn])

    async def _turn(self, hand: Hand) -> None:
        """The seat in turn holds a tile to spare: flower, win, kong or discard."""
        person = self._people[hand.turn]
        seat = hand.seats[person.seat]
        flowers = self._flowers(person)
        if flowers:
            await self._lay_flowers(hand, person, flowers)
            return
        standing, melds = person.standing(self._open, hand.wild), tuple(seat.melds)
        if seat.dead is not None and seat.drawn is not None:
            await self._discard(hand, person, seat.drawn)
            return
        own_draw = hand.phase is Phase.TURN and hand.after not in ("chow", "pung")
        drawn = seat.drawn
        if own_draw and drawn is not None and self._of_no_use(person, standing, melds, drawn):
            await person.spend("think", 0.6)
            await self._discard(hand, person, drawn)
            return
        person.mind.look(standing, melds)
        if own_draw and person.mind.complete and self._may_win(hand, person.seat):
            await person.spend("react")
            await self._call_win([person], None)
            return
        if own_draw and drawable(hand, self._rules) > 0:
            kong = person.mind.kong(standing, melds, self._kongs(person, melds))
            if kong is not None:
                await self._lay_kong(hand, person, kong)
                return
        await person.spend("think")
        if person.happens(person.habits.sorted):
            self._meanwhile(person.sort())
        allowed = [kind for kind, count in enumerate(standing.counts) if count] or [int(t) for t in person.tiles()]
        await self._discard(hand, person, Tile(person.mind.discard(standing, allowed, hand.wall_left)))

    @staticmethod
    def _of_no_use(person: Person, standing: Standing, melds: Sequence[Meld], drawn: Tile) -> bool:
        """The tile drawn goes without a second thought: it helps no plan and makes no kong."""
        kong = drawn < 34 and (standing.counts[drawn] == 4 or any(m.tile is drawn for m in melds))
        return drawn < 34 and not kong and person.mind.settled_without(int(drawn))

    async def _discard(self, hand: Hand, person: Person, tile: Tile) -> None:
        self._last_tag = await person.discard(tile)
        self._see(tile)
        self._tell(act.DiscardTile(t=self._clock.now(), seat=person.seat, tile=tile))

    def _see(self, *tiles: Tile) -> None:
        """Tiles come to lie open."""
        for tile in tiles:
            if tile < 34:
                self._open[tile] += 1

    def _rest(self, hand: Hand, person: Person) -> None:
        """The person looks over the hand between two turns."""
        person.mind.rest(person.standing(self._open, hand.wild), tuple(hand.seats[person.seat].melds))

    def _kongs(self, person: Person, melds: Sequence[Meld]) -> list[Meld]:
        tiles = person.tiles()
        found = [Meld(MeldKind.CONCEALED_KONG, (tile,) * 4) for tile in sorted(set(tiles)) if tiles.count(tile) == 4]
        for meld in melds:
            if meld.kind is MeldKind.PUNG and meld.tile in tiles:
                found.append(Meld(MeldKind.ADDED_KONG, (meld.tile,) * 4, meld.source))
        return found

    async def _lay_kong(self, hand: Hand, person: Person, kong: Meld) -> None:
        if person.presses():
            person.press("kong")
            self._tell(act.Press(t=self._clock.now(), seat=person.seat, key="kong"))
        added = kong.kind is MeldKind.ADDED_KONG
        laid = kong.tiles[:1] if added else kong.tiles
        await person.lay(laid)
        self._see(*laid)
        self._tell(
            act.LayMeld(
                t=self._clock.now(),
                seat=person.seat,
                kind=kong.kind,
                tile=kong.tile if added else None,
                consumed=kong.tiles[:3] if added else kong.tiles,
            )
        )

    # --- on another's discard

    async def _after_discard(self, hand: Hand) -> None:
        discard = hand.last_discard
        assert discard is not None
        others = [self._people[(discard.seat + n) % 4] for n in (1, 2, 3)]
        winners = self._winners(hand, others, discard.tile)
        if winners:
            await self._call_win(winners, self._last_tag)
        elif drawable(hand, self._rules) <= 0:
            await self._see_the_end()
        elif (claim := self._claim(hand, others, discard.tile)) is not None:
            await self._make_claim(hand, *claim, discard.tile)
        else:
            await others[0].spend("wait")
            await self._draw(hand, others[0])

    async def _draw(self, hand: Hand, person: Person) -> None:
        tag = await person.draw(self._next(hand, self._live))
        self._tell(act.Draw(t=self._clock.now(), seat=person.seat, tile=self._world.kinds[tag]))

    async def _see_the_end(self) -> None:
        """The wall is empty: everybody sees that nobody wins on the last discard."""
        deadline = self.truth.next_deadline()
        now = self._clock.now()
        await self._clock.sleep((deadline if deadline is not None else now) - now + 0.01)
        self._tell(act.PassTime(t=self._clock.now()))

    def _winners(self, hand: Hand, others: Sequence[Person], tile: Tile) -> list[Person]:
        if not self._rules.play.win_on_discard or tile >= 34:
            return []
        found = [p for p in others if p.mind.hopes_for(int(tile)) and self._may_win(hand, p.seat)]
        return found if self._rules.play.multiple_winners else found[:1]

    def _may_win(self, hand: Hand, seat: int) -> bool:
        """Whether the person, who knows the rules, sees a legal win."""
        if hand.seats[seat].dead is not None:
            return False
        win = candidate(hand, self._rules, seat)
        return win is not None and judge(self.truth.game, hand, self._rules, (win,)).verdicts[0].legal

    def _claim(self, hand: Hand, others: Sequence[Person], tile: Tile) -> tuple[Person, Meld] | None:
        """Who claims the discard, for what: pung and kong before chow."""
        if tile >= 34 or tile in hand.wild:
            return None
        play = self._rules.play
        for n, person in enumerate(others):
            count = person.tiles().count(tile) if person.mind.cares_for(int(tile)) else 0
            options = []
            if count >= 2:
                options.append(Meld(MeldKind.PUNG, (tile,) * 3, source_of(person.seat, hand.turn)))
            if count == 3 and (n > 0 or play.next_seat_may_kong):
                options.append(Meld(MeldKind.EXPOSED_KONG, (tile,) * 4, source_of(person.seat, hand.turn)))
            meld = self._choose(hand, person, options, tile)
            if meld is not None:
                return person, meld
        person = others[0]
        if not play.chow_allowed or not person.mind.cares_for(int(tile)):
            return None
        runs = [tuple(sorted((*pair, tile))) for pair in chows(list(person.tiles()), tile)]
        meld = self._choose(hand, person, [Meld(MeldKind.CHOW, run, 1, tile) for run in runs], tile)
        return None if meld is None else (person, meld)

    def _choose(self, hand: Hand, person: Person, options: Sequence[Meld], tile: Tile) -> Meld | None:
        seat = hand.seats[person.seat]
        if not options or seat.dead is not None:
            return None
        standing = person.standing(self._open, hand.wild)
        allowed = [o for o in options if self._rules.refuse_claim(view(hand), person.seat, o) is None]
        return person.mind.claim(standing, tuple(seat.melds), allowed, int(tile))

    async def _make_claim(self, hand: Hand, person: Person, meld: Meld, tile: Tile) -> None:
        play = self._rules.play
        await person.spend("react")
        if meld.kind is MeldKind.CHOW and play.chow_waits and hand.claims_until is not None:
            await self._clock.sleep(max(0.0, hand.claims_until - self._clock.now()))
        if person.presses():
            key = {MeldKind.CHOW: "chow", MeldKind.PUNG: "pung"}.get(meld.kind, "kong")
            person.press(key)
            self._tell(act.Press(t=self._clock.now(), seat=person.seat, key=key))
        consumed = list(meld.tiles)
        consumed.remove(tile)
        await person.claim(self._last_tag, consumed)
        self._see(*consumed)
        self._tell(
            act.LayMeld(t=self._clock.now(), seat=person.seat, kind=meld.kind, tile=tile, consumed=tuple(consumed))
        )

    async def _robbing(self, hand: Hand) -> None:
        """A tile was added to a pung: it is won on, or its replacement is drawn."""
        konger = self._people[hand.turn]
        assert hand.added is not None
        winners = self._winners(hand, [self._people[(hand.turn + n) % 4] for n in (1, 2, 3)], hand.added)
        if winners:
            await self._call_win(winners, None)
        else:
            await konger.spend("wait")
            await self._take_replacements(hand, konger)

    async def _last_round(self, hand: Hand) -> None:
        """One tile each, nothing is discarded; the table itself sees a win."""
        person = self._people[(hand.turn + 1) % 4]
        (tag,) = await person.take([self._next(hand, self._live)], "reach")
        self._tell(act.Draw(t=self._clock.now(), seat=person.seat, tile=self._world.kinds[tag]))

    # --- a win

    async def _call_win(self, winners: Sequence[Person], winning: str | None) -> None:
        """Press the key, one after the other, and lay the hands open."""
        for person in winners:
            await person.spend("react", 0.7)
            person.press("win")
            self._tell(act.Press(t=self._clock.now(), seat=person.seat, key="win"))
        for n, person in enumerate(winners):
            await person.open_hand(winning if n == 0 else None)

    async def _declared(self, hand: Hand) -> None:
        """The referee, or the other players, agree to the proposal."""
        if not self._rules.play.referee_confirms:
            for person in self._people:
                if person.seat not in hand.winners and self.truth.playing is hand and hand.phase is Phase.DECLARED:
                    await person.spend("react")
                    person.press("pass")
                    self._tell(act.Press(t=self._clock.now(), seat=person.seat, key="pass"))
        elif self._referee is not None:
            await self._clock.sleep(self._rng.uniform(*REFEREE_S))
            self._referee.act(do="confirm")
            self._tell(act.Rule(t=self._clock.now(), do="confirm", by="referee"))
        else:
            self._ruled.clear()
            await self._ruled.wait()
