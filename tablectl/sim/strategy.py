"""How a simulated player decides: the nearest plan counts, its tiles are kept, what brings it nearer is claimed.

A `Mind` sees what a person at that seat sees, and no more. Its decisions are those of a fair club player: quick, not
perfect, without defence.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from tablectl.sim.plans import FAR, Plan, Standing, plans
from tablectl.tiles.meld import Meld, MeldKind

#: plans looked at closely
CLOSE_PLANS: Final = 3
#: farther away than this a player claims nothing: the hand is still open to everything
CLAIM_DISTANCE: Final = 4


@dataclass(frozen=True, slots=True)
class Outlook:
    """A plan as it stands: tiles lacking, the kinds that help, and how many of those are unseen."""

    plan: Plan
    distance: int
    wanted: frozenset[int]
    live: int


class Mind:
    """One player's decisions under a rule system (``rules``: its id)."""

    def __init__(self, rules: str, rng: random.Random) -> None:
        self._rules = rules
        self._rng = rng
        #: the hand between two turns, and with a tile to spare
        self._nearest: tuple[Outlook, ...] = ()
        self._turn: tuple[Outlook, ...] = ()

    def survey(self, hand: Standing, melds: tuple[Meld, ...]) -> tuple[Outlook, ...]:
        """The nearest plans, best first: the fewest tiles lacking, then the most that would help."""
        best = FAR
        found: list[tuple[int, Plan]] = []
        bounds = sorted(((plan.at_least(hand), n, plan) for n, plan in enumerate(plans(self._rules, melds))))
        for bound, _, plan in bounds:
            if bound > best:
                break
            distance = plan.distance(hand)
            if distance < FAR:
                found.append((distance, plan))
                best = min(best, distance)
        found.sort(key=lambda item: item[0])
        near = [
            self._outlook(plan, distance, hand) for distance, plan in found[: 2 * CLOSE_PLANS] if distance <= best + 1
        ]
        near.sort(key=lambda outlook: (outlook.distance - 0.03 * outlook.live, outlook.distance))
        return tuple(near[:CLOSE_PLANS])

    @staticmethod
    def _outlook(plan: Plan, distance: int, hand: Standing) -> Outlook:
        wanted = plan.wanted(hand)
        return Outlook(plan, distance, wanted, sum(hand.unseen[kind] for kind in wanted))

    def rest(self, hand: Standing, melds: tuple[Meld, ...]) -> None:
        """Look over the hand between two turns (13 tiles, melds included)."""
        self._nearest = self.survey(hand, melds)

    def look(self, hand: Standing, melds: tuple[Meld, ...]) -> None:
        """Look over the hand with a tile to spare (14 tiles, melds included)."""
        self._turn = self.survey(hand, melds)

    @property
    def complete(self) -> bool:
        """The hand last looked at has all that one of its plans needs."""
        return bool(self._turn) and any(outlook.distance == 0 for outlook in self._turn)

    @property
    def distance(self) -> int:
        return self._nearest[0].distance if self._nearest else FAR

    def hopes_for(self, kind: int) -> bool:
        """The hand is ready, as far as the player knows, and this kind may complete it."""
        return any(o.distance == 1 and kind in o.wanted for o in self._nearest)

    def cares_for(self, kind: int) -> bool:
        """The kind brings one of the plans nearer."""
        return any(kind in outlook.wanted for outlook in self._nearest)

    def discard(self, hand: Standing, allowed: Iterable[int]) -> int:
        """The kind to discard from the hand last looked at, among ``allowed``."""
        near = self._turn
        candidates = set(allowed)
        if not near:
            return self._rng.choice(sorted(candidates))
        loose = [outlook.plan.loose(hand) & candidates for outlook in near]
        free = loose[0] or candidates
        if len(free) > 1 and near[0].distance <= 2:
            live = {kind: self._live_without(kind, hand, near[0].plan) for kind in free}
            most = max(live.values())
            free = {kind for kind in free if live[kind] >= most - 1}
        return min(sorted(free), key=lambda kind: (self._use(kind, hand, loose), self._rng.random()))

    def _live_without(self, kind: int, hand: Standing, plan: Plan) -> int:
        return sum(hand.unseen[wanted] for wanted in plan.wanted(hand.more(kind, -1)))

    @staticmethod
    def _use(kind: int, hand: Standing, loose: Sequence[set[int]]) -> float:
        """What a tile is still good for: to the other plans, then by its neighbours."""
        others = sum(1.0 for tiles in loose[1:] if kind not in tiles)
        counts = hand.counts
        if kind >= 27:
            return others + 0.2 * (counts[kind] - 1) + 0.02 * hand.unseen[kind]
        rank = kind % 9
        near = sum(counts[kind + step] > 0 for step in (-2, -1, 1, 2) if 0 <= rank + step < 9)
        return others + 0.2 * (counts[kind] - 1) + 0.1 * near + 0.02 * min(rank, 8 - rank)

    def claim(self, hand: Standing, melds: tuple[Meld, ...], options: Iterable[Meld], kind: int) -> Meld | None:
        """The meld to claim a discarded tile of ``kind`` for, among ``options``; None: let it go."""
        if self.distance > CLAIM_DISTANCE + 1 or not self.cares_for(kind):
            return None
        best: tuple[float, Meld] | None = None
        for meld in options:
            left = hand.more(kind, 1)
            for tile in meld.tiles:
                left = left.more(int(tile), -1)
            near = self.survey(left, (*melds, meld))
            if near and near[0].distance < self.distance and near[0].distance <= CLAIM_DISTANCE:
                value = near[0].distance - 0.03 * near[0].live
                if best is None or value < best[0]:
                    best = (value, meld)
        return best[1] if best else None

    def kong(self, hand: Standing, melds: tuple[Meld, ...], options: Iterable[Meld]) -> Meld | None:
        """A concealed or added kong worth making from the hand last looked at: it must not set it back."""
        now = self._turn[0].distance if self._turn else FAR
        for meld in options:
            left = hand
            for tile in meld.tiles if meld.kind is MeldKind.CONCEALED_KONG else meld.tiles[:1]:
                left = left.more(int(tile), -1)
            kept = tuple(m for m in melds if meld.kind is not MeldKind.ADDED_KONG or m.tile is not meld.tile)
            after = self.survey(left, (*kept, meld))
            if after and after[0].distance <= now:
                return meld
        return None
