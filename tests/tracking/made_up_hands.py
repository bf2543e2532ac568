"""Hands played by made-up people at a made-up table, and what its antennas report of them.

`Player` plays a hand on a real `Table`, so that the truth is the table's own record, and notes when each tile lay
where. `read` turns that into reports with the errors of a `Noise`. Everything is drawn from one seed.
"""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from tablectl.base.reports import (
    DiceRested,
    KeyPressed,
    LanePassed,
    MachineReported,
    RefereeActed,
    Report,
    ZoneRead,
)
from tablectl.game import actions as act
from tablectl.game.judge import candidate, judge
from tablectl.game.record import records
from tablectl.game.state import Phase
from tablectl.game.table import Table
from tablectl.rules.api import RuleSet
from tablectl.tiles.meld import MeldKind
from tablectl.tiles.tile import Tile
from tablectl.tiles.wall import lane_places
from tablectl.tracking.places import HAND, MELD, RIVER, WALL
from tablectl.tracking.replay import Pipeline, replay
from tablectl.tracking.tracker import Tracker


@dataclass(frozen=True)
class Noise:
    """How antennas and lanes err; probabilities a tag and read unless said otherwise."""

    period_s: float = 0.25
    miss: float = 0.0
    #: reads that a tag stays silent, on average
    miss_run: float = 1.0
    ghost: float = 0.0
    instead: float = 0.35
    #: part of the places where a tag lies on an edge (and answers across it), or in a bad spot
    edge: float = 0.0
    edge_ghost: float = 0.2
    bad: float = 0.0
    bad_miss: float = 0.2
    #: a read of a zone brings next to nothing
    blackout: float = 0.0
    #: tiles a lane misses, tiles it sees twice, in a hand
    lane_missed: int = 0
    lane_doubled: int = 0
    #: people: part of the draws discarded at once, of the moments when tiles are lifted and put back
    hasty: float = 0.1
    lifts: float = 0.05
    walls: bool = False


CLEAN = Noise()
NORMAL = Noise(period_s=0.5, miss=0.02, ghost=0.003, miss_run=1.1)
HARD = Noise(
    period_s=0.5,
    miss=0.05,
    miss_run=1.5,
    ghost=0.01,
    edge=0.01,
    bad=0.01,
    blackout=0.002,
    lane_missed=1,
    hasty=0.2,
    lifts=0.1,
)

NEIGHBOURS = {
    **{HAND[s]: (MELD[s],) for s in range(4)},
    **{MELD[s]: (HAND[s], RIVER[s]) for s in range(4)},
    **{RIVER[s]: (MELD[s], HAND[s], RIVER[(s + 1) % 4], RIVER[(s + 3) % 4]) for s in range(4)},
    **{WALL[s]: (MELD[s],) for s in range(4)},
}


@dataclass
class World:
    """When every tag came to lie where (None: in the air, or away)."""

    moves: list[tuple[float, str, str | None]] = field(default_factory=list)

    def move(self, t: float, tag: str, place: str | None) -> None:
        self.moves.append((t, tag, place))


@dataclass
class Played:
    """A played match: reports of everything but the antennas, the moves, the truth."""

    tags: dict[str, Tile]
    reports: list[Report]
    world: World
    truth: list[list[dict[str, Any]]]
    table: Table
    first_left: bool
    lower_first: bool


class Player:
    """Plays hands for all four seats."""

    def __init__(self, rules: RuleSet, seed: int, noise: Noise, *, offences: tuple[str, ...] = ()) -> None:
        self.rng = random.Random(seed)
        self.rules = rules
        self.noise = noise
        self.offences = offences
        self.table = Table(rules)
        self.world = World()
        self.reports: list[Report] = []
        tiles = [t for t, n in rules.tile_set.counts.items() for _ in range(n)]
        self.tags = {f"e0040150{i:08x}": tile for i, tile in enumerate(tiles)}
        self.first_left = self.rng.random() < 0.5
        self.lower_first = self.rng.random() < 0.5
        self.t = 0.0

    def play(self, hands: int = 1) -> Played:
        for _ in range(hands):
            self._hand()
        truth = records(self.table.events)
        return Played(self.tags, self.reports, self.world, truth, self.table, self.first_left, self.lower_first)

    # --- helpers

    def _wait(self, low: float, high: float) -> float:
        self.t += self.rng.uniform(low, high)
        return self.t

    def _apply(self, action: act.Action) -> None:
        self.table.apply(action)

    def _of(self, seat: int, tile: Tile) -> str:
        return self.rng.choice([tag for tag in self.hands[seat] if self.tags[tag] == tile])

    def _carry(self, tag: str, place: str, air: float = 0.3) -> None:
        """Lift a tag now and lay it down after at most ``air`` seconds; time goes on to that moment."""
        self.world.move(self.t, tag, None)
        self._wait(0.1, air)
        self.world.move(self.t, tag, place)

    def _key(self, seat: int, key: str, chance: float = 0.8) -> None:
        if self.rng.random() < chance:
            self.reports.append(KeyPressed(self.t + self.rng.uniform(-0.2, 0.2), key, seat))

    # --- before play

    def _build(self) -> None:
        order = list(self.tags)
        self.rng.shuffle(order)
        stacks = self.rules.stacks
        self.at: dict[Any, str] = {}
        missed = set(self.rng.sample(range(144), self.noise.lane_missed))
        doubled = set(self.rng.sample(range(144), self.noise.lane_doubled))
        lanes: list[Report] = []
        n = 0
        for side in range(4):
            t = self.t + self.rng.uniform(0.5, 2.0)
            places = lane_places(stacks, side, first_left=self.first_left, lower_first=self.lower_first)
            for place in places:
                tag = order[n]
                self.at[place] = tag
                t += self.rng.uniform(0.35, 0.75) if self.rng.random() > 0.02 else self.rng.uniform(1.0, 3.0)
                if n not in missed:
                    lanes.append(LanePassed(t, side, tag))
                if n in doubled:
                    lanes.append(LanePassed(t + self.rng.choice([0.1, 0.8]), side, tag))
                n += 1
        self.reports += lanes
        self.t += 32.0
        for place, tag in self.at.items():
            self.world.move(self.t, tag, WALL[place.side])

    def _hand(self) -> None:
        rng, table = self.rng, self.table
        self._build()
        self.reports.append(MachineReported(self.t, "raised"))
        self._apply(act.RaiseWalls(t=self.t))
        hand = table.hand
        assert hand is not None
        while hand.phase is Phase.DICE:
            thrower = self.rules.thrower(hand.dealer, [sum(t) for t in hand.throws])
            assert thrower is not None
            self._wait(1, 2)
            self.reports.append(KeyPressed(self.t, "dice", thrower))
            self._apply(act.Press(t=self.t, seat=thrower, key="dice"))
            self._wait(1, 2)
            dice = (rng.randint(1, 6), rng.randint(1, 6))
            self.reports.append(DiceRested(self.t, dice))
            self._apply(act.RestDice(t=self.t, dice=dice))
        assert hand.deck is not None
        self.wall = {p: self.at[place] for p, place in enumerate(hand.deck.places, 1)}
        self.live = list(hand.deck.live)
        self.tail = list(hand.deck.tail)
        self.hands: list[list[str]] = [[], [], [], []]
        self.melds: list[list[tuple[Tile, list[str]]]] = [[], [], [], []]
        blocks = list(hand.deck.deal)
        if rng.random() < 0.3:  # a block taken a little early
            i = rng.randrange(1, len(blocks) - 5)
            blocks[i], blocks[i + 1] = blocks[i + 1], blocks[i]
        end = self._wait(1, 2)
        for block in blocks:
            self._wait(0.4, 1.3)
            for position in block.positions:
                tag = self.wall[position]
                self.world.move(self.t, tag, None)
                landing = self.t + rng.uniform(0.1, 0.5)
                self.world.move(landing, tag, HAND[block.seat])
                end = max(end, landing)
                self.hands[block.seat].append(tag)
        self.t = end
        drawn = self.wall[hand.deck.dealt(hand.dealer)[-1]]
        hands = tuple(
            tuple(self.tags[tag] for tag in tags if tag != drawn or seat != hand.dealer)
            for seat, tags in enumerate(self.hands)
        )
        self._apply(act.Deal(t=self.t, hands=hands, drawn=self.tags[drawn]))
        self.done: set[str] = set()
        self._opening()
        self._play()
        self._wait(3, 6)
        self.reports.append(MachineReported(self.t, "collecting"))
        self._apply(act.ClearTable(t=self.t))
        hand = table.hand
        assert hand is not None
        assert hand.phase is Phase.ENDED, hand
        wall = tuple(self.tags[self.wall[p]] for p in range(1, len(self.wall) + 1))
        self._apply(act.RevealWall(t=self.t, wall=wall))
        for tag in self.tags:
            self.world.move(self._scatter(), tag, None)
        self._wait(4, 6)

    def _scatter(self) -> float:
        return self.t + self.rng.uniform(0.1, 3.5)

    def _flowers(self, seat: int) -> list[str]:
        return [tag for tag in self.hands[seat] if self.tags[tag] in self.rules.play.flowers]

    def _opening(self) -> None:
        hand = self.table.hand
        assert hand is not None
        for i in range(4):
            seat = (hand.dealer + i) % 4
            while self._flowers(seat):
                self._wait(0.5, 1.5)
                laid = self._flowers(seat)
                for tag in laid:
                    self._lay_flower(seat, tag)
                for _ in laid:
                    self._draw(seat, "tail")

    def _lay_flower(self, seat: int, tag: str) -> None:
        self._key(seat, "flower", 0.3)
        self.hands[seat].remove(tag)
        self._carry(tag, MELD[seat])
        self._apply(act.LayFlower(t=self.t, seat=seat, tile=self.tags[tag]))

    def _draw(self, seat: int, end: str) -> str:
        position = self.live[0] if end == "live" else self.tail[0]
        self.live = [p for p in self.live if p != position]
        self.tail = [p for p in self.tail if p != position]
        tag = self.wall[position]
        self._wait(0.3, 1.2)
        self._carry(tag, HAND[seat])
        self.hands[seat].append(tag)
        self._apply(act.Draw(t=self.t, seat=seat, tile=self.tags[tag], end="live" if end == "live" else "tail"))
        return tag

    # --- play

    def _play(self) -> None:
        hand = self.table.hand
        assert hand is not None
        seat, drawn, fresh = hand.dealer, None, True
        while True:
            hand = self.table.hand
            assert hand is not None
            if hand.phase is Phase.ENDED:
                return None
            if fresh and not self.done and self._wins(seat, 0.9):
                return self._win(seat)
            if drawn is not None and self.tags[drawn] in self.rules.play.flowers:
                self._wait(0.3, 0.9)
                self._lay_flower(seat, drawn)
                if not self.tail or hand.phase is Phase.ENDED:
                    return None
                drawn = self._draw(seat, "tail")
                continue
            kong = self._own_kong(seat) if fresh and self.tail else False
            if kong:
                winners = [s for s in self._others(seat) if hand.phase is Phase.ROBBING and self._wins(s, 0.9)]
                if winners:
                    return self._win(winners[0])
                drawn = self._draw(seat, "tail")
                continue
            self._discard(seat, drawn)
            winners = [s for s in self._others(seat) if self._wins(s, 0.9)]
            if winners:
                return self._win(*winners)
            if not self.live:
                return None
            claimed = self._claim(seat)
            if claimed is not None:
                seat, kind = claimed
                drawn, fresh = None, False
                if kind is MeldKind.EXPOSED_KONG:
                    drawn, fresh = self._draw(seat, "tail"), True
                continue
            seat = (seat + 1) % 4
            if self._offends("missing_draw"):
                drawn, fresh = None, False
                continue
            end = "tail" if self._offends("wrong_end") else "live"
            drawn, fresh = self._draw(seat, end), True
            if self._offends("double_draw"):
                self._draw(seat, "live")

    def _others(self, seat: int) -> list[int]:
        return [(seat + i) % 4 for i in (1, 2, 3)]

    def _wins(self, seat: int, chance: float) -> bool:
        hand = self.table.hand
        assert hand is not None
        win = candidate(hand, self.rules, seat)
        if win is None or self.rng.random() > chance:
            return False
        return judge(self.table.game, hand, self.rules, (win,)).verdicts[0].legal

    def _win(self, *seats: int) -> None:
        for seat in seats:
            self._wait(0.3, 0.9)
            self.reports.append(KeyPressed(self.t, "win", seat))
            self._apply(act.DeclareWin(t=self.t, seat=seat))
        for seat in seats:
            for tag in self.hands[seat]:
                landing = self.t + self.rng.uniform(0.2, 1.5)
                self.world.move(landing - 0.1, tag, None)
                self.world.move(landing, tag, MELD[seat])
        self._wait(4, 7)
        self.reports.append(RefereeActed(self.t, {"do": "confirm"}))
        self._apply(act.Rule(t=self.t, do="confirm", by="referee"))

    def _own_kong(self, seat: int) -> bool:
        for pung in self.melds[seat]:
            tile, tags = pung
            fourth = [tag for tag in self.hands[seat] if self.tags[tag] == tile]
            if len(tags) == 3 and fourth and self.rng.random() < 0.5:
                self._wait(0.3, 1.0)
                self._key(seat, "kong")
                self._carry(fourth[0], MELD[seat])
                self.hands[seat].remove(fourth[0])
                tags.append(fourth[0])
                self._apply(act.LayMeld(t=self.t, seat=seat, kind=MeldKind.ADDED_KONG, tile=tile, consumed=(tile,) * 3))
                return True
        kinds = [self.tags[tag] for tag in self.hands[seat]]
        for tile in sorted(set(kinds)):
            if kinds.count(tile) == 4 and self.rng.random() < 0.7:
                self._wait(0.3, 1.0)
                self._key(seat, "kong")
                self._lay([tag for tag in self.hands[seat] if self.tags[tag] == tile], seat)
                self._apply(
                    act.LayMeld(t=self.t, seat=seat, kind=MeldKind.CONCEALED_KONG, tile=None, consumed=(tile,) * 4)
                )
                return True
        return False

    def _lay(self, tags: list[str], seat: int) -> None:
        """Lay standing tiles open, one shortly after the other."""
        end = self.t
        for tag in tags:
            self.hands[seat].remove(tag)
            lift = self.t + self.rng.uniform(0.0, 0.3)
            self.world.move(lift, tag, None)
            landing = lift + self.rng.uniform(0.1, 0.4)
            self.world.move(landing, tag, MELD[seat])
            end = max(end, landing)
        self.t = end

    def _discard(self, seat: int, drawn: str | None) -> None:
        if drawn is not None and self.rng.random() < self.noise.hasty:
            tag = drawn
            self._wait(0.0, 0.2)
        else:
            self._wait(0.4, 2.4)
            if drawn is not None and self._offends("early_draw"):
                self._draw_early((seat + 1) % 4)
            if self.rng.random() < self.noise.lifts:
                self._sort(seat)
            tag = self._worst(seat)
        self.hands[seat].remove(tag)
        self._carry(tag, RIVER[seat], 0.4)
        self.last = tag
        self._apply(act.DiscardTile(t=self.t, seat=seat, tile=self.tags[tag]))

    def _offends(self, offence: str) -> bool:
        """Whether ``offence`` happens now: once in a hand, after a few turns."""
        hand = self.table.hand
        assert hand is not None
        if offence not in self.offences or offence in self.done or len(hand.discards) < 6 or self.rng.random() > 0.2:
            return False
        self.done.add(offence)
        return True

    def _draw_early(self, seat: int) -> None:
        """Take the next tile before the discard lies, and put it back."""
        tag = self.wall[self.live[0]]
        side = next(place.side for place, each in self.at.items() if each == tag)
        self._carry(tag, HAND[seat])
        self._apply(act.Suspect(t=self.t, code="draw_out_of_turn", seat=seat, detail="before the discard"))
        self._wait(2.0, 3.0)
        self._carry(tag, WALL[side])
        self._wait(1.0, 2.0)

    def _sort(self, seat: int) -> None:
        for tag in self.rng.sample(self.hands[seat], min(3, len(self.hands[seat]))):
            lift = self.t + self.rng.uniform(0.0, 0.4)
            self.world.move(lift, tag, None)
            self.world.move(lift + self.rng.uniform(0.2, 1.0), tag, HAND[seat])
        self._wait(1.5, 2.0)

    def _worst(self, seat: int) -> str:
        """The tile with the fewest friends."""
        kinds = [self.tags[tag] for tag in self.hands[seat]]

        def friends(tag: str) -> float:
            tile = self.tags[tag]
            near = [k for k in kinds if k.suit and k.suit == tile.suit and 0 < abs(k - tile) <= 2]
            return 3 * (kinds.count(tile) - 1) + len(near) + self.rng.random() * 0.8

        return min(self.hands[seat], key=friends)

    def _claim(self, discarder: int) -> tuple[int, MeldKind] | None:
        tile = self.tags[self.last]
        if tile.is_flower:
            return None
        for seat in self._others(discarder):
            same = [tag for tag in self.hands[seat] if self.tags[tag] == tile]
            if len(same) == 3 and self.tail and self.rng.random() < 0.4:
                return self._meld(seat, discarder, MeldKind.EXPOSED_KONG, same)
            if len(same) >= 2 and self.rng.random() < 0.6:
                return self._meld(seat, discarder, MeldKind.PUNG, same[:2])
        seat = (discarder + 1) % 4
        if tile.suit and self.rng.random() < 0.35:
            for a, b in ((-2, -1), (-1, 1), (1, 2)):
                if tile.rank + a >= 1 and tile.rank + b <= 9 and self.rng.random() < 0.7:
                    own = [
                        next((tag for tag in self.hands[seat] if self.tags[tag] == Tile(tile + off)), None)
                        for off in (a, b)
                    ]
                    if None not in own:
                        return self._meld(seat, discarder, MeldKind.CHOW, [tag for tag in own if tag])
        return None

    def _meld(self, seat: int, discarder: int, kind: MeldKind, own: list[str]) -> tuple[int, MeldKind]:
        self._wait(0.1, 1.6)
        self._key(seat, {MeldKind.CHOW: "chow", MeldKind.PUNG: "pung"}.get(kind, "kong"))
        self._wait(0.1, 0.5)
        end = self.t
        self.world.move(self.t, self.last, None)
        landing = self.t + self.rng.uniform(0.2, 0.6)
        self.world.move(landing, self.last, MELD[seat])
        consumed = tuple(sorted(self.tags[tag] for tag in own))
        self._lay(own, seat)
        self.t = max(self.t, landing, end)
        tile = self.tags[self.last]
        if kind is MeldKind.PUNG:
            self.melds[seat].append((tile, [self.last, *own]))
        self._apply(act.LayMeld(t=self.t, seat=seat, kind=kind, tile=tile, consumed=consumed))
        return seat, kind


def read(played: Played, noise: Noise, seed: int) -> list[Report]:
    """All reports: those noted, and one inventory of each zone about every period."""
    rng = random.Random(seed)
    zones = [*HAND, *MELD, *RIVER, *(WALL if noise.walls else ())]
    rng.shuffle(zones)
    lying: dict[str, list[tuple[float, str | None]]] = defaultdict(list)
    for t, tag, place in sorted(played.world.moves, key=lambda move: move[0]):
        lying[tag].append((t, place))
    changes = sorted(played.world.moves, key=lambda move: move[0])
    here: dict[str, str | None] = {}
    edges: dict[str, str] = {}
    bad: set[str] = set()
    silent: dict[str, int] = {}
    reports: list[Report] = []
    last = changes[-1][0] + 1
    step = noise.period_s / len(zones)
    i, t = 0, changes[0][0]
    while t < last:
        contents: dict[str, set[str]] = {zone: set() for zone in zones}
        times = {zone: t + step * n for n, zone in enumerate(zones)}
        silent = {tag: left - 1 for tag, left in silent.items() if left > 1}
        ghosts: list[tuple[str, str]] = []
        hidden: set[str] = set()
        for zone in zones:
            while i < len(changes) and changes[i][0] <= times[zone]:
                _, tag, place = changes[i]
                here[tag] = place
                edges.pop(tag, None)
                bad.discard(tag)
                if place is not None and rng.random() < noise.edge:
                    edges[tag] = rng.choice(NEIGHBOURS[place])
                if place is not None and rng.random() < noise.bad:
                    bad.add(tag)
                i += 1
            contents[zone] = {tag for tag, place in here.items() if place == zone}
            tags = contents[zone]
            for tag in sorted(tags):
                if tag in silent:
                    hidden.add(tag)
                elif rng.random() < (noise.bad_miss if tag in bad else noise.miss / noise.miss_run):
                    hidden.add(tag)
                    run = 1
                    while rng.random() < 1 - 1 / noise.miss_run:
                        run += 1
                    silent[tag] = run
                if rng.random() < noise.ghost or (tag in edges and rng.random() < noise.edge_ghost):
                    ghosts.append((tag, edges.get(tag) or rng.choice(NEIGHBOURS[zone])))
                    if rng.random() < noise.instead:
                        hidden.add(tag)
            if rng.random() < noise.blackout:
                hidden |= tags
        for zone in zones:
            seen = {tag for tag in contents[zone] if tag not in hidden}
            seen |= {tag for tag, where in ghosts if where == zone}
            reports.append(ZoneRead(times[zone], zone, frozenset(seen)))
        t += noise.period_s * rng.uniform(0.97, 1.03)
    return sorted([*reports, *played.reports], key=lambda report: report.t)


def pipeline(played: Played, rules: RuleSet, noise: Noise) -> Pipeline:
    """A fresh table with its tracker for the reports of ``played``."""
    table = Table(rules)
    tracker = Tracker(
        table,
        played.tags,
        first_left=played.first_left,
        lower_first=played.lower_first,
        period_s=noise.period_s,
    )
    return Pipeline(table, tracker)


def understood(played: Played, rules: RuleSet, noise: Noise, seed: int) -> list[list[dict[str, Any]]]:
    """The records that the tracker makes of the reports."""
    line = pipeline(played, rules, noise)
    replay(line, read(played, noise, seed))
    return records(line.table.events)


__all__ = ["CLEAN", "HARD", "NORMAL", "Noise", "Player", "pipeline", "read", "understood"]
