"""What antennas make of the tiles above them, one round of a reader after another.

Every chip has a sensitivity of its own, every zone has spots of its own, good and bad, some of them at an edge to a
neighbouring zone; a tile that is laid down comes to lie on one of them and stays there until it is lifted. All of this
is drawn here and known to nobody else.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tablectl.sim.noise import Antennas
from tablectl.sim.world import SEATS, WALL_ZONES, ZONES

#: spots of a zone, more than tiles ever lie there
SPOTS_OF_A_ZONE: Final = 64
#: chips and spots that err more than so many times the average are looked at one by one
ORDINARY: Final = 4.0
#: an address that readers are known to report although no such tag exists
PHANTOM: Final = "c219191919191919"


def neighbours(zone: str) -> tuple[str, ...]:
    """The zones whose antennas a tag above ``zone`` may reach across the edge, the nearest first."""
    part, number = zone.split(".")
    seat = int(number)
    left, right = (seat - 1) % 4, (seat + 1) % 4
    if part == "hand":
        return (f"meld.{seat}", f"river.{seat}")
    if part == "meld":
        return (f"hand.{seat}", f"river.{seat}", f"river.{right}")
    if part == "river":
        return (f"meld.{seat}", f"river.{right}", f"river.{left}", f"hand.{seat}")
    return (f"meld.{seat}", f"river.{seat}", f"hand.{seat}")


NEIGHBOURS: Final = {zone: neighbours(zone) for zone in (*ZONES, *WALL_ZONES)}


class Chance:
    """Picks members of a long stream, each with probability ``p``, at a cost that grows with the picks alone."""

    def __init__(self, rng: random.Random, p: float) -> None:
        self._rng = rng
        self._log = math.log1p(-p) if p else 0.0
        self._skip = self._gap()

    def _gap(self) -> float:
        return math.floor(math.log(1.0 - self._rng.random()) / self._log) if self._log else math.inf

    def picks(self, count: int) -> list[int]:
        """Which of the next ``count`` members of the stream are picked (indices)."""
        if self._skip >= count:
            self._skip -= count
            return []
        picked = []
        while self._skip < count:
            picked.append(int(self._skip))
            self._skip += 1 + self._gap()
        self._skip -= count
        return picked


@dataclass(slots=True)
class _Spot:
    """``factor``: how many times the average its tags are missed; ``bad``: beyond that; ``edge``: the zone across."""

    factor: float
    bad: bool
    edge: str | None


class Readings:
    """The errors of the antennas of one reader. ``zones``: its zones, in the order in which it visits them."""

    def __init__(self, noise: Antennas, zones: Sequence[str], rng: random.Random) -> None:
        self.noise = noise
        self.zones = tuple(zones)
        #: tags whose chip is damaged: they never answer
        self.dead_tags: set[str] = set()
        self._rng = rng
        self._index = {zone: n for n, zone in enumerate(self.zones)}
        self._across = [tuple(z for z in NEIGHBOURS[zone] if z in self._index) for zone in self.zones]
        self._spots = [[self._draw_spot(n) for _ in range(SPOTS_OF_A_ZONE)] for n in range(len(self.zones))]
        self._chips: dict[str, float] = {}
        self._weak: set[str] = set()
        n = noise
        # of tags that answer, so many fall silent in a round
        ordinary = max(0.0, n.miss - self._extra()) / (1 - n.miss)
        start = ordinary / (n.miss_rounds * (1 + n.company))
        self._start = start
        self._misses = Chance(rng, min(0.9, ORDINARY * start))
        edges = n.edges * n.edge_ghost
        self._ghosts = Chance(rng, max(0.0, n.ghost - edges) / n.ghost_rounds)
        #: where the tags of a zone lie: spot by tag; and the tags on spots or with chips that err often
        self._lying: list[dict[str, int]] = [{} for _ in self.zones]
        self._known: list[frozenset[str]] = [frozenset() for _ in self.zones]
        self._order: list[list[str]] = [[] for _ in self.zones]
        self._poor: list[list[tuple[str, float]]] = [[] for _ in self.zones]
        self._edgy: list[list[tuple[str, str]]] = [[] for _ in self.zones]
        self._silent: dict[str, int] = {}
        self._across_for: dict[str, tuple[str, int, bool]] = {}
        self._burst_until = [0.0] * len(self.zones)
        self._next_burst = [self._gap_to_burst() for _ in self.zones]
        self._before: list[frozenset[str]] = [frozenset()] * len(self.zones)
        self.errs = noise != Antennas()

    def _extra(self) -> float:
        """The part of the average miss rate that weak chips, bad spots and disturbances bring."""
        n = self.noise
        burst = n.burst_s / n.burst_every_s * n.burst_miss if n.burst_every_s < math.inf else 0.0
        return n.weak_tags * n.weak_miss + n.bad_spots * n.spot_miss + burst + 0.5 * n.cut + n.instead * n.ghost

    def _draw_spot(self, zone: int) -> _Spot:
        rng, noise = self._rng, self.noise
        edge = rng.choice(self._across[zone]) if self._across[zone] and rng.random() < noise.edges else None
        return _Spot(self._uneven(), rng.random() < noise.bad_spots, edge)

    def _uneven(self) -> float:
        """A factor whose mean is 1."""
        sigma = self.noise.uneven / math.sqrt(2)  # of chip and spot together it is ``uneven``
        return self._rng.lognormvariate(-sigma * sigma / 2, sigma) if sigma else 1.0

    def _gap_to_burst(self) -> float:
        every = self.noise.burst_every_s
        return self._rng.expovariate(1 / every) if every < math.inf else math.inf

    # --- one round

    def round(
        self,
        t: float,
        truth: Sequence[frozenset[str]],
        held: Mapping[int, Iterable[str]] | None = None,
    ) -> list[frozenset[str]]:
        """What the antennas report of a round that ends at ``t``. ``truth``: the tags above each zone when it was
        visited; ``held``: those in the fingers of each seat."""
        noise, rng = self.noise, self._rng
        for n, tags in enumerate(truth):
            if tags is not self._known[n]:
                self._lay(n, tags)
        lags = noise.lag > 0
        seen = [self._before[n] if lags and rng.random() < noise.lag else truth[n] for n in range(len(self.zones))]
        self._before = list(truth)
        self._advance_silence(truth)
        hidden = self._silent.keys() | self.dead_tags
        if hidden:
            seen = [tags if hidden.isdisjoint(tags) else tags - hidden for tags in seen]
        self._ghost(seen, truth)
        if noise.hover and held:
            self._hover(seen, held)
        self._disturb(t, seen)
        return seen

    def _lay(self, zone: int, tags: frozenset[str]) -> None:
        """Tiles came or went: give the new ones a spot."""
        lying, rng = self._lying[zone], self._rng
        for tag in self._known[zone] - tags:
            lying.pop(tag, None)
        taken = set(lying.values())
        for tag in sorted(tags - self._known[zone]):
            spot = rng.randrange(SPOTS_OF_A_ZONE)
            while spot in taken and len(taken) < SPOTS_OF_A_ZONE:
                spot = (spot + 1) % SPOTS_OF_A_ZONE
            taken.add(spot)
            lying[tag] = spot
        self._known[zone] = tags
        self._order[zone] = sorted(tags, key=lambda tag: (lying[tag], tag))
        spots = self._spots[zone]
        self._poor[zone] = [(tag, p) for tag in self._order[zone] if (p := self._poor_miss(tag, spots[lying[tag]])) > 0]
        self._edgy[zone] = [(tag, edge) for tag in self._order[zone] if (edge := spots[lying[tag]].edge) is not None]

    def _chip(self, tag: str) -> float:
        factor = self._chips.get(tag)
        if factor is None:
            factor = self._chips[tag] = self._uneven()
            if self._rng.random() < self.noise.weak_tags:
                self._weak.add(tag)
        return factor

    def _poor_miss(self, tag: str, spot: _Spot) -> float:
        """How often a tag is missed that is no ordinary one; 0 for all others."""
        factor = self._chip(tag) * spot.factor
        miss = self._start * factor if factor > ORDINARY else 0.0
        if tag in self._weak:
            miss = max(miss, self.noise.weak_miss)
        if spot.bad:
            miss = max(miss, self.noise.spot_miss)
        return min(miss, 0.9)

    def _advance_silence(self, truth: Sequence[frozenset[str]]) -> None:
        """Tags that were silent answer again, others fall silent, some with their neighbours."""
        rng = self._rng
        if self._silent:
            self._silent = {tag: left - 1 for tag, left in self._silent.items() if left > 1}
        silent = self._silent
        total = sum(map(len, truth))
        for zone, tag in self._pick(self._misses.picks(total)):
            factor = self._chip(tag) * self._spots[zone][self._lying[zone][tag]].factor
            if factor <= ORDINARY and rng.random() * ORDINARY < factor:
                self._fall_silent(zone, tag)
        for poor in self._poor:
            for tag, miss in poor:
                if tag not in silent and rng.random() < miss:
                    silent[tag] = 1

    def _fall_silent(self, zone: int, tag: str) -> None:
        self._silent.setdefault(tag, self._rounds(self.noise.miss_rounds))
        if self.noise.company and self._rng.random() < self.noise.company:
            order = self._order[zone]
            other = order[order.index(tag) - 1]
            self._silent.setdefault(other, self._rounds(self.noise.miss_rounds))

    def _rounds(self, mean: float) -> int:
        rounds = 1
        while mean > 1 and self._rng.random() > 1 / mean:
            rounds += 1
        return rounds

    def _ghost(self, seen: list[frozenset[str]], truth: Sequence[frozenset[str]]) -> None:
        """Tags answer across an edge, too or instead."""
        rng, noise, going = self._rng, self.noise, self._across_for
        total = sum(map(len, truth))
        for zone, tag in self._pick(self._ghosts.picks(total)):
            if self._across[zone] and tag not in going:
                # the nearer edge is crossed more often
                across = self._across[zone]
                to = across[min(int(rng.expovariate(1.0)), len(across) - 1)]
                going[tag] = (to, self._rounds(noise.ghost_rounds), rng.random() < noise.instead)
        for edgy in self._edgy:
            for tag, to in edgy:
                if tag not in going and rng.random() < noise.edge_ghost:
                    going[tag] = (to, 1, rng.random() < noise.instead)
        if not going:
            return
        for tag, (to, left, instead) in list(going.items()):
            home = next((n for n, tags in enumerate(truth) if tag in tags), None)
            if home is not None and tag not in self.dead_tags:
                other = self._index[to]
                if other != home:
                    seen[other] |= {tag}
                    if instead:
                        seen[home] -= {tag}
            if left > 1 and home is not None:
                going[tag] = (to, left - 1, instead)
            else:
                del going[tag]

    def _hover(self, seen: list[frozenset[str]], held: Mapping[int, Iterable[str]]) -> None:
        """Tiles in somebody's fingers answer below them."""
        for seat in SEATS:
            for tag in held.get(seat, ()):
                if tag not in self.dead_tags and self._rng.random() < self.noise.hover:
                    zone = self._index.get(f"{self._rng.choice(('hand', 'meld', 'river'))}.{seat}")
                    if zone is not None:
                        seen[zone] |= {tag}

    def _disturb(self, t: float, seen: list[frozenset[str]]) -> None:
        """Disturbances of whole zones, inventories cut short, tags that do not exist."""
        noise, rng = self.noise, self._rng
        for zone, tags in enumerate(seen):
            if t >= self._next_burst[zone]:
                self._burst_until[zone] = t + rng.expovariate(1 / noise.burst_s)
                self._next_burst[zone] = self._burst_until[zone] + self._gap_to_burst()
            if t < self._burst_until[zone]:
                seen[zone] = frozenset(tag for tag in sorted(tags) if rng.random() >= noise.burst_miss)
            if noise.cut and tags and rng.random() < noise.cut:
                answering = sorted(tags)
                rng.shuffle(answering)
                seen[zone] = frozenset(answering[: rng.randrange(len(answering))])
            if noise.phantom and rng.random() < noise.phantom:
                seen[zone] |= {PHANTOM}

    def _pick(self, picks: list[int]) -> list[tuple[int, str]]:
        """The picked members of all zones in a row, as (index of the zone, tag)."""
        found = []
        zone, before = 0, 0
        for pick in picks:
            while pick >= before + len(self._order[zone]):
                before += len(self._order[zone])
                zone += 1
            found.append((zone, self._order[zone][pick - before]))
        return found
