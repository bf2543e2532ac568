"""People and the truth, and devices that report of them: no machine, no program.

Whole matches with every error of the antennas, as a list of reports, at a few hundredths of a second a hand.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from typing import Any

from tablectl.base.clock import Clock, LoopClock, run_virtual
from tablectl.base.reports import DiceRested, KeyPressed, LanePassed, MachineReported, RefereeActed, Report
from tablectl.base.trace import TraceHeader
from tablectl.game.opening import may_throw
from tablectl.rules.api import RuleSet
from tablectl.sim.antennas import SimReader
from tablectl.sim.devices import SimDice, SimKeys, SimReferee
from tablectl.sim.noise import Profile
from tablectl.sim.offences import Offence, Once
from tablectl.sim.quick import QuickTable
from tablectl.sim.slips import KeySlips, LaneErrors
from tablectl.sim.world import SEATS, WALL_ZONES, ZONES
from tablectl.tiles.wall import lane_places

#: seconds between two tiles that pass a lane
LANE_S = 0.12
#: seconds that the antennas go on after the people have stopped
AFTER_S = 8.0


class _Keys(SimKeys):
    """Key pads that report; the dice key rolls the dice. ``slipped``: alerts that a neighbour's key may bring."""

    def __init__(
        self, clock: Clock, dice: SimDice, reports: list[Report], slipped: set[tuple[str, int | None]]
    ) -> None:
        super().__init__(clock)
        self._dice = dice
        self._reports = reports
        self._slipped = slipped
        self._rolling: asyncio.Task[Any] | None = None
        #: whether the dice roll for this seat now
        self.may_throw: Callable[[int], bool] = lambda seat: True

    def press(self, seat: int, key: str, n: int | None = None) -> None:
        self.slips(seat, key, lambda pad: self._reach(seat, pad, key, n))

    def _reach(self, seat: int, pad: int, key: str, n: int | None) -> None:
        if pad != seat:
            self._slipped |= {("claim_not_carried_out", pad), ("late_claim", pad), ("wrong_call", pad)}
        self.touch(pad, key, n)

    def touch(self, seat: int, key: str, n: int | None = None) -> None:
        self._reports.append(KeyPressed(self._clock.now(), key, seat, n))
        rolling = self._rolling is not None and not self._rolling.done()
        if key == "dice" and not rolling and self.may_throw(seat):
            self._rolling = asyncio.get_running_loop().create_task(self._dice.roll())


class _Referee(SimReferee):
    """The console of a referee, which reports."""

    def __init__(self, clock: Clock, reports: list[Report]) -> None:
        super().__init__(clock)
        self._reports = reports

    def act(self, **act: object) -> None:
        self._reports.append(RefereeActed(self._clock.now(), act))


class ObservedTable(QuickTable):
    """Four people at a table with antennas, lanes, keys and dice that err like ``profile``.

    The same ``seed``, the same match and the same errors. ``walls``: antennas below the walls too. How the lanes build
    is drawn. Made and played on a virtual-time loop (`record`).
    """

    SETS = ("A", "B")

    def __init__(
        self, rules: RuleSet, seed: int, profile: Profile, *, walls: bool = False, offence: Offence | None = None
    ) -> None:
        self.reports: list[Report] = []
        #: alerts that may be raised or not, with their seats: a chip died, a neighbour's key was pressed
        self.may_alert: set[tuple[str, int | None]] = set()
        super().__init__(rules, seed, profile.habits)
        rng = random.Random(f"{seed}/noise")
        self.period_s = profile.period_s
        self.first_left, self.lower_first = rng.random() < 0.5, rng.random() < 0.5
        self.walls = walls
        zones = (*ZONES, *WALL_ZONES) if walls else ZONES
        order = list(zones)
        rng.shuffle(order)
        self.reader = SimReader("zones", self.world, self._clock, rng, order, profile.period_s, profile.antennas)
        self._lanes = [LaneErrors(profile.lanes, rng) for _ in SEATS]
        needed = frozenset[str]() if rules.play.referee_confirms else frozenset({"win"})
        loop = asyncio.get_running_loop()
        self._scene_keys.may_throw = self._may_throw
        self._scene_keys.slips = KeySlips(profile.keys, rng, loop.call_later, needed).press
        self._chance = rng
        self._misdeed = Once(offence, random.Random(f"{seed}/offence")) if offence is not None else None
        if self._misdeed is not None:
            self.players.misdeed = self._misdeed
        self._dying = profile.antennas.dying
        #: where the match stood when the first walls were raised
        self.header: TraceHeader | None = None

    @property
    def offended(self) -> bool:
        """Whether there was an occasion for the offence."""
        return self._misdeed is not None and bool(self._misdeed.done)

    def _may_throw(self, seat: int) -> bool:
        truth = self.players.truth
        return truth.playing is not None and may_throw(truth, truth.playing, seat)

    def _new_clock(self) -> Clock:
        return LoopClock()

    def _new_devices(self, seed: int) -> tuple[SimDice, SimKeys, SimReferee]:
        dice = SimDice(random.Random(f"{seed}/dice"), self._clock)
        dice.connect(lambda dice: self.reports.append(DiceRested(self._clock.now(), dice)))
        self._scene_keys = _Keys(self._clock, dice, self.reports, self.may_alert)
        return dice, self._scene_keys, _Referee(self._clock, self.reports)

    async def observe(self, hands: int) -> None:
        """Play so many hands (or the match); then `reports` holds what the devices said, in order of time."""
        watching = asyncio.ensure_future(self._watch())
        try:
            await self.players.run(hands)
            await self._clock.sleep(AFTER_S)
        finally:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)
        self.reports.sort(key=lambda report: report.t)

    async def _watch(self) -> None:
        async for reads in self.reader.inventories():
            self.reports += reads

    async def _opened(self) -> None:
        self.reports.append(MachineReported(self._clock.now(), "collecting"))

    async def _built(self) -> None:
        await asyncio.gather(*map(self._pass_lane, SEATS))
        if self.header is None:
            self.header = self._header()
        self.reports.append(MachineReported(self._clock.now(), "raised"))
        if self._chance.random() < self._dying:
            asyncio.get_running_loop().call_later(self._chance.uniform(20.0, 150.0), self._lose_a_chip)

    async def _pass_lane(self, side: int) -> None:
        places = lane_places(self.rules.stacks, side, first_left=self.first_left, lower_first=self.lower_first)
        for tag in [self.world.walls[place] for place in places]:
            for read in self._lanes[side].passes(tag):
                self.reports.append(LanePassed(self._clock.now(), side, read))
            await self._clock.sleep(LANE_S)
        for read in self._lanes[side].ends():
            self.reports.append(LanePassed(self._clock.now(), side, read))

    def _lose_a_chip(self) -> None:
        tags = [tag for seat in SEATS for tag in self.world.tags(f"hand.{seat}")]
        if tags:
            self.reader.dead_tags.add(self._chance.choice(tags))
            self.may_alert |= {("tag_lost", seat) for seat in (None, *SEATS)}

    def _header(self) -> TraceHeader:
        match = self.players.truth.match
        return TraceHeader(
            rules=self.rules.id,
            tags={tag: tile.code for tag, tile in self.world.kinds.items()},
            options=self.rules.options.model_dump(mode="json", exclude_defaults=True),
            dealer=match.dealer,
            prevalent=match.prevalent.code,
            streak=match.streak,
            points=match.points,
            first_left=self.first_left,
            lower_first=self.lower_first,
            period_s=self.period_s,
            wall_zones=self.walls,
        )


def record(
    rules: RuleSet,
    seed: int,
    profile: Profile,
    hands: int = 1,
    *,
    walls: bool = False,
    offence: Offence | None = None,
) -> ObservedTable:
    """Play so many hands with antennas that err like ``profile``, on virtual time; in each somebody commits
    ``offence``, where there is an occasion."""

    async def play() -> ObservedTable:
        table = ObservedTable(rules, seed, profile, walls=walls, offence=offence)
        await table.observe(hands)
        return table

    return run_virtual(play())
