"""From reports to actions: what was played, as far as the antennas, keys and dice can tell.

The tracker reads the state of the hand and never writes it. It gives one step of play at a time: after `Tracker.feed`
and every `Tracker.advance` the actions must be applied to the table before the next call (`Pipeline` does it).

This module says in which order the parts are asked; what each of them knows is in docs/tracking.md.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Final

from tablectl.base.reports import DiceRested, KeyPressed, LanePassed, MachineReported, Report, ZoneRead
from tablectl.game import actions as act
from tablectl.game.state import Hand, Phase
from tablectl.tiles.tile import Tile
from tablectl.tracking.alerts import Watch
from tablectl.tracking.beliefs import PLAYED, Beliefs, TableView, thrown_again
from tablectl.tracking.building import Building, unknown_wall
from tablectl.tracking.deal import Deals
from tablectl.tracking.hypotheses import Judgement
from tablectl.tracking.indicator import Indicator
from tablectl.tracking.judging import SURE, Judge
from tablectl.tracking.mending import rename, swap_twins
from tablectl.tracking.noise import Noise
from tablectl.tracking.offences import Offences
from tablectl.tracking.outages import Sight
from tablectl.tracking.presence import Presence
from tablectl.tracking.recovery import Recovery
from tablectl.tracking.rulings import Rulings, ruling
from tablectl.tracking.telling import Teller
from tablectl.tracking.wall import WallOrder

#: log-weight of unexplained tiles from which calls stay held back: the moves before them are not told yet
UNEXPLAINED: Final = 1.0
#: decisions that are kept, to be explained
DECISIONS: Final = 12


class Tracker:
    """Follows one table, hand after hand.

    ``tags``: every registered tag and its tile (of both sets). ``first_left``, ``lower_first``: how the lanes build, as
    in the header of a trace. ``period_s``: about how often a zone is read.
    """

    def __init__(
        self,
        table: TableView,
        tags: Mapping[str, Tile],
        *,
        first_left: bool = True,
        lower_first: bool = True,
        period_s: float = 0.25,
    ) -> None:
        self.table = table
        self.tiles = tags
        self.period = period_s
        self.presence = Presence(Noise(), period_s)
        #: the last steps told, with when and what spoke for and against them
        self.decided: deque[tuple[float, Judgement]] = deque(maxlen=DECISIONS)
        self._building = Building(tags, first_left=first_left, lower_first=lower_first)
        self._sight = Sight(self.presence, period_s)
        self._begin_hand(unknown_wall(table.rules))

    def _begin_hand(self, wall: WallOrder) -> None:
        places = self._building.places(self.table.rules.stacks)
        self._beliefs = Beliefs(self.table, self.tiles, self.period, self.presence, wall, places, Watch(self.tiles))
        self._rulings = Rulings(self._beliefs)
        self._deals = Deals(self._beliefs)
        self._indicator = Indicator(self._beliefs)
        self._recovery = Recovery(self._beliefs, self._deals)
        self._offences = Offences(self._beliefs, self._sight)
        self._judge = Judge(self._beliefs, self._sight, self._rulings)
        self._teller = Teller(self._beliefs)
        self._thought = 0.0

    # --- in

    def feed(self, report: Report) -> list[act.Action]:
        """Take a report. Actions to apply now; call `advance` after them until nothing more comes."""
        if isinstance(report, ZoneRead):
            return self._read(report)
        if isinstance(report, LanePassed):
            self._building.passed(report)
            return []
        now = self._beliefs
        now.t = max(now.t, report.t)
        if isinstance(report, MachineReported):
            return self._machine(report)
        if isinstance(report, DiceRested):
            return self._deals.dice(act.RestDice(t=report.t, dice=report.dice))
        if isinstance(report, KeyPressed):
            now.restless = True
            return now.keys.pressed(report)
        return self._after_moves(ruling(report))

    def pass_over(self, reads: Sequence[ZoneRead]) -> int:
        """Take in the reads at the head of ``reads`` from which nothing follows: everything lies as before, and as
        believed, and nothing is held back. How many they are; the next one is for `feed`."""
        now, hand = self._beliefs, self.table.hand
        if hand is None or not _followed(hand) or now.restless or self._recovery.looking:
            return 0
        if not self._sight.steady(reads[-1].t):
            return 0
        taken = self.presence.same(reads)
        if taken:
            self._sight.saw(reads[:taken])
            now.t = reads[taken - 1].t
        return taken

    def advance(self, t: float) -> list[act.Action]:
        """What is decided by now without a new report: the next step, or one that was held back long enough."""
        now, hand = self._beliefs, self.table.hand
        now.t = max(now.t, t)
        if hand is None or not _followed(hand):
            return self._after_hand(hand, t)
        if self._recovery.looking:  # what a person says needs no antenna, but where it is about a win not told yet
            return [] if "win" in now.keys.fresh.values() else self._rulings.give()
        if self._holds(now.t):  # a ruling waits too: it is about what was not seen yet
            return []
        return self._think(hand)

    def resume(self) -> None:
        """The program was started again, and the table stands where the record ends. Reports that are still remembered
        were fed before. Nothing is told of the hand until the antennas have said which tag lies where."""
        if self.table.hand is not None:
            self._recovery.begin(self.table.hand)

    @property
    def looking(self) -> bool:
        """Whether it is not known yet, after a start in the middle of a hand, which tag lies where."""
        return self._recovery.looking

    @property
    def unseen(self) -> bool:
        """Whether it is not known just now what happens in some zone: its reader is silent, or was not heard since the
        program was started again."""
        return self._sight.lacking or self._recovery.looking

    def next_deadline(self) -> float | None:
        """When `advance` should be called although nothing was reported; None while nothing is held back."""
        return self._beliefs.t + self.period if self._beliefs.restless else None

    def built(self) -> tuple[tuple[Tile | None, ...], ...]:
        """The walls just raised as the lanes told them: of each side the tile on every place, stack 1 first, the upper
        one before the lower; None where a lane missed it or the tag is unknown. Asked before the dice are thrown."""
        return self._building.built(self._beliefs.wall, self.table.rules.stacks)

    def weigh(self) -> Judgement | None:
        """What speaks for what just now, without deciding anything; None outside play."""
        hand = self.table.hand
        if hand is None or hand.phase not in PLAYED:
            return None
        look = self._beliefs.outlook(hand)
        return self._judge.weigh(look, self._judge.scene(hand), self._offences.nothing(look))

    # --- machine, referee

    def _machine(self, report: MachineReported) -> list[act.Action]:
        if report.machine == "collecting":
            return self._after_moves(act.ClearTable(t=report.t))
        if report.machine != "raised":
            return []
        self.presence.clear()
        rules = self.table.rules
        raised = self._building.raised(rules)
        self._begin_hand(raised.wall)
        for tag, place in raised.lying:
            self.presence.place(tag, place, report.t)
        doubled = self._beliefs.watch.composition(report.t, raised.passed, rules.tile_set)
        return [act.RaiseWalls(t=report.t), *doubled]

    def _after_moves(self, action: act.Action) -> list[act.Action]:
        """Tell ``action`` once nothing more is held back: a person has judged the hand, or takes it in."""
        self._rulings.take(action)
        return self.advance(action.t)

    def _after_hand(self, hand: Hand | None, t: float) -> list[act.Action]:
        now = self._beliefs
        now.restless = False
        if self._rulings:
            return self._rulings.give()
        if hand is None or hand.phase is not Phase.ENDED or now.revealed:
            return []
        now.revealed = True
        wall = now.wall.tiles(self.tiles)
        return [act.RevealWall(t=t, wall=wall)] if wall else []

    # --- looking

    def _read(self, report: ZoneRead) -> list[act.Action]:
        now, hand, name, t = self._beliefs, self.table.hand, report.zone, report.t
        self._sight.read(name, t)
        if hand is not None and thrown_again(hand) and not self._recovery.looking:
            now.t = t
            self.presence.read(name, t, report.tags)  # nobody moves, but hands settle into view
            return []
        if hand is None or not _followed(hand):
            return self._after_hand(hand, t)
        if self._recovery.looking:
            told = self._recovery.read(hand, report)
            if told is None:
                return []
            self._sight.sees(now.t)
            return told or self._think(hand)
        now.t = t
        if self._holds(t):
            self.presence.read(name, t, report.tags)
            return []
        waited = now.restless and t >= self._thought + self.period / 2
        if not self.presence.read(name, t, report.tags):
            return self._think(hand) if waited else []
        alerts = self._alerts(hand, name)
        stirs = waited or hand.phase is Phase.DEALING or self.presence.stirs(name, now.open_tags())
        if stirs and t < self._thought + self.period / 2 and (self._judge.laborious or self._sight.blind):
            stirs, now.restless = False, True  # much is open, and is not weighed at every reading
        told = self._think(hand) if stirs else []
        if not told and hand.phase in PLAYED:  # what is told now may explain what lies there
            alerts += self._misplaced(hand, name)
        return [*alerts, *told]

    def _alerts(self, hand: Hand, name: str) -> list[act.Action]:
        """Tags in zone ``name`` that no move explains: strange, double, silent ones."""
        now, zone = self._beliefs, self.presence.zones[name]
        found: list[act.Action] = []
        if zone.strange:
            swap_twins(now, name)
            found += now.watch.strangers(now.t, name, zone, self.presence)
            if hand.phase in PLAYED:
                found += now.watch.twice(now.t, name, zone, self.presence)
                now.watch.follow(now.t, name, self.presence)
        if zone.missing:
            found += now.watch.silent(now.t, name, zone, self.presence)
        return found

    def _misplaced(self, hand: Hand, name: str) -> list[act.Action]:
        """Tiles of the hand that lie in zone ``name``, where they do not belong."""
        now = self._beliefs
        if not self.presence.zones[name].strange or not self._sight.blames(now.t):
            return []
        doubted = self._judge.doubted() | self._rulings.won(hand, name)
        return [*now.watch.misplaced(now.t, name, self.presence, hand, now.wins, doubted)]

    def _holds(self, t: float) -> bool:
        """Whether nothing is told because a reader is silent."""
        now, held = self._beliefs, self._sight.held
        holds = self._sight.holds(t)
        if held and not holds:  # in which order tiles moved meanwhile is not always known: that is no offence
            now.unwatched |= {tag for zone in self.presence.unfit.values() for tag in zone.strange}
            now.watch.strays.clear()
            self._judge.forget()
        now.restless = now.restless or holds
        return holds

    # --- play

    def _think(self, hand: Hand) -> list[act.Action]:
        now, keys = self._beliefs, self._beliefs.keys
        self._thought = now.t
        self._sight.shorten(now.t)
        if hand.phase is Phase.DEALING:
            return self._rulings.give() or self._deals.watch(hand)
        if hand.phase is Phase.INDICATOR and hand.deck is not None:
            turned = self._indicator.turned(hand, hand.deck)
            if turned or hand.deck.indicator is None:
                return turned
        if self._sight.caught_up(now.t):  # a call made meanwhile may explain what is seen only now
            keys.fade(now.t)
        now.restless = bool(keys.fresh or keys.held or self._rulings)
        look, scene = now.outlook(hand), self._judge.scene(hand)
        unknown = self._recovery.unknown(hand)
        if unknown:
            return unknown
        step = self._recovery.next_step(hand, look, scene)
        if step is not None:
            t = now.event_t
            others = keys.set_aside(step, t)
            told = self._teller.tell(step, dict.fromkeys((tag for tag, _ in step.moves), t), look, t)
            keys.take_back(others)
            return told
        corrected = self._indicator.corrected()
        if corrected:
            return corrected
        self._teller.settle_sure()
        nothing = self._offences.nothing(look)
        judgement = self._judge.judgement(look, scene, nothing)
        now.restless = now.restless or (judgement.step is not None and judgement.margin > 0)
        if judgement.step is not None and self._judge.believes(judgement):
            t = now.t if judgement.t is None else judgement.t
            self.decided.append((now.t, judgement))
            return self._teller.tell(judgement.step, judgement.times, look, min(max(t, now.event_t), now.t))
        if self._rulings:
            if self._rulings.not_discarded(hand):
                return self._teller.take_back(now.t)
            return [*(self._rulings.unsaid_win(hand) or keys.wins()), *self._rulings.give()]
        if (judgement.step is None or judgement.margin < 0) and nothing < UNEXPLAINED:
            told = keys.due(now.t, hand, self._sight.seen_since)
            if told:
                return told
        return [
            *self._recovery.question(hand),
            *self._offences.left_out(),
            *rename(now, SURE),
            *self._offences.out_of_turn(look, judgement),
        ]


def _followed(hand: Hand) -> bool:
    """Whether the antennas say what happens in this phase."""
    return hand.phase in PLAYED or hand.phase is Phase.DEALING
