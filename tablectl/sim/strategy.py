"""How a simulated player decides: the nearest plan counts, its tiles are kept, what brings it nearer is claimed.

A `Mind` sees what a person at that seat sees, and no more. Its decisions are those of a fair club player: it has some
kinds of hand in mind, stays with what it plays for, lets many claims pass, and late in a hand that goes nowhere it
discards what looks safe.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from tablectl.sim.form import is_complete, lacking, ready_for
from tablectl.sim.plans import ANY_TILE, FAR, AnyTile, Plan, Standing
from tablectl.sim.repertoire import plans, repertoire
from tablectl.tiles.meld import Meld, MeldKind

#: plans looked at closely
CLOSE_PLANS: Final = 3
#: so many tiles nearer (less than one: a tie) another plan must be before the player leaves the present one
FAITHFUL: Final = 0.5
#: this near or nearer, a drawn tile that does not help goes without further thought
SETTLED: Final = 3
#: with so few tiles left to draw, a player this far away plays safe
LATE_TILES: Final = 28
HOPELESS: Final = 3
#: farther away than this a player claims nothing: the hand is still open to everything
CLAIM_DISTANCE: Final = 4
#: discards that a player weighs closely when the hand may be ready after them
WEIGHED: Final = 4
#: a bolder player throws a wildcard away: where it is safe and the hand goes nowhere, or where it counts more thrown
BOLD: Final = 0.5
#: with so few tiles left to draw nobody lets a win pass
LAST_TILES: Final = 12


@dataclass(frozen=True, slots=True)
class Outlook:
    """A plan as it stands between two turns: tiles lacking, and the kinds that help."""

    plan: Plan
    distance: int
    wanted: frozenset[int]


class Mind:
    """One player's decisions under a rule system (``rules``: its id; ``sets``: how many a hand has). ``notices``: of
    the claims that would help, the share that is noticed in time. ``bold``, 0 to 1, is the player's temperament."""

    def __init__(self, rules: str, sets: int, rng: random.Random, notices: float = 0.3) -> None:
        self._rules = rules
        self._sets = sets
        self._rng = rng
        self._notices = notices
        self.bold = rng.random()
        self._in_mind: frozenset[str] = frozenset()
        #: nearest first, of the hand with a tile to spare
        self._near: list[tuple[int, Plan]] = []
        #: nearest first, of the hand between two turns
        self._outlooks: tuple[Outlook, ...] = ()
        #: the kinds that complete the hand between two turns
        self._ready: frozenset[int] = frozenset()
        self._standing_sets = sets

    def begin(self) -> None:
        """A new hand: the player has some kinds of hand in mind, and forgets the last one."""
        known = repertoire(self._rules)
        names, weights = list(known.weights), list(known.weights.values())
        self._in_mind = frozenset(self._rng.choices(names, weights, k=known.thinks_of)) if names else frozenset()
        self._near, self._outlooks, self._ready = [], (), frozenset()

    @property
    def counts_points(self) -> bool:
        """A complete hand may be worth too little."""
        return repertoire(self._rules).counts_points

    def stake(self, most: int) -> int:
        """How often the player sits or pulls, at most so often."""
        return sum(self._rng.random() < self.bold for _ in range(most))

    def _survey(self, hand: Standing, melds: tuple[Meld, ...]) -> list[tuple[int, Plan]]:
        """The nearest plans with the tiles that lack, best first; the present plan first where others are no nearer."""
        found = self._nearest(hand, plans(self._rules, self._sets, melds, self._in_mind))
        return found or self._nearest(hand, plans(self._rules, self._sets, melds, frozenset()))

    def _nearest(self, hand: Standing, possible: Sequence[Plan]) -> list[tuple[int, Plan]]:
        present = self._outlooks[0].plan if self._outlooks else None
        best = FAR
        found: list[tuple[float, int, int, Plan]] = []
        for bound, n, plan in sorted((plan.at_least(hand), n, plan) for n, plan in enumerate(possible)):
            if bound > best:
                break
            distance = plan.distance(hand)
            if distance < FAR:
                best = min(best, distance)
                found.append((distance - FAITHFUL * (plan is present), n, distance, plan))
        return [(distance, plan) for _, _, distance, plan in sorted(found)[:CLOSE_PLANS] if distance <= best + 1]

    def rest(self, hand: Standing, melds: tuple[Meld, ...]) -> None:
        """Look over the hand between two turns (13 tiles, melds included)."""
        self._outlooks = self._outlook(hand, self._survey(hand, melds))
        self._standing_sets = self._sets - len(melds)
        self._ready = ready_for(hand, self._standing_sets)

    @staticmethod
    def _outlook(hand: Standing, near: Iterable[tuple[int, Plan]]) -> tuple[Outlook, ...]:
        return tuple(Outlook(plan, distance, plan.wanted(hand)) for distance, plan in near)

    def look(self, hand: Standing, melds: tuple[Meld, ...]) -> None:
        """Look over the hand with a tile to spare (14 tiles, melds included)."""
        self._near = self._survey(hand, melds)
        self._standing_sets = self._sets - len(melds)

    def sees_complete(self, hand: Standing, melds: Sequence[Meld]) -> bool:
        """The hand is complete in form, with the tile just drawn."""
        return is_complete(hand, self._sets - len(melds))

    def would_swim(self, hand: Standing, tiles_left: int) -> bool:
        """A bold player with a wildcard wants to wait on every tile, which wins more (游金, fujian T306; 跑搭,
        zhenjiang Z306), and lets the tiles of others pass while there is time."""
        return hand.wilds > 0 and self.bold >= BOLD and ANY_TILE in self._in_mind and tiles_left > LAST_TILES

    def plays_on(self, hand: Standing, melds: Sequence[Meld], tiles_left: int) -> bool:
        """Such a player whose complete hand could wait on every tile instead, and did not yet, does not win."""
        plan = AnyTile(self._sets - len(melds))
        swam = any(outlook.plan.name == ANY_TILE and outlook.distance == 1 for outlook in self._outlooks)
        if swam or not self.would_swim(hand, tiles_left):
            return False
        return any(plan.distance(hand.more(kind, -1)) == 1 for kind in hand.kinds())

    @property
    def distance(self) -> int:
        """Tiles that lack between two turns."""
        return self._outlooks[0].distance if self._outlooks else FAR

    def hopes_for(self, kind: int) -> bool:
        """The hand is ready, and this kind completes it in form."""
        return kind in self._ready

    @property
    def is_ready(self) -> bool:
        return bool(self._ready)

    def cares_for(self, kind: int) -> bool:
        """The kind brings one of the plans nearer."""
        return any(kind in outlook.wanted for outlook in self._outlooks)

    def settled_without(self, kind: int) -> bool:
        """The player knows what to play for, and a drawn tile of this kind is of no use for it."""
        return self.distance <= SETTLED and not self.cares_for(kind)

    def discard(
        self,
        hand: Standing,
        allowed: Collection[int],
        tiles_left: int,
        worth: Callable[[int], float] | None = None,
        wilds: Sequence[int] = (),
    ) -> int:
        """The kind to discard from the hand last looked at, among ``allowed``; ``tiles_left`` to draw. ``worth``:
        what the hand can win when a kind is gone. ``wilds``: wildcards that may go."""
        near = self._near
        if len(allowed) == 1:
            return self._part_with(hand, *allowed)
        if wilds and self._throws_wild(tiles_left):
            return self._part_with(hand, self._rng.choice(wilds))
        if worth is not None and (kind := self._best_worth(hand, allowed, worth)) is not None:
            return self._part_with(hand, kind)
        if not near or (near[0][0] >= HOPELESS and tiles_left <= LATE_TILES):
            safest = min(sorted(allowed), key=lambda kind: (hand.unseen[kind], self._rng.random()))
            return self._part_with(hand, safest)
        loose = [plan.loose(hand).intersection(allowed) for _, plan in near]
        free = loose[0] or set(allowed)
        plan = near[0][1]
        if len(free) > 1 and near[0][0] <= 2:
            live = {kind: self._live_without(kind, hand, plan) for kind in free}
            most = max(live.values())
            free = {kind for kind in free if live[kind] >= most - 1}
        return self._part_with(
            hand, min(sorted(free), key=lambda kind: (self._use(kind, hand, loose), self._rng.random()))
        )

    def _throws_wild(self, tiles_left: int) -> bool:
        """A wildcard goes: nobody can use it, and the hand goes nowhere; or it counts for who threw it and wins."""
        far = self._near[0][0] if self._near else FAR
        if self.bold < BOLD:
            return False
        if tiles_left <= LATE_TILES:
            return far >= HOPELESS
        return repertoire(self._rules).thrown_wilds_count and far > 1 and self._rng.random() < self.bold / 4

    def _part_with(self, hand: Standing, kind: int) -> int:
        """Discard the kind (a wildcard, where it is none of those that count), and see how the hand stands then."""
        after = hand.more(kind, -1) if hand.counts[kind] else Standing(hand.counts, hand.unseen, hand.wilds - 1)
        self._outlooks = self._outlook(after, [(plan.distance(after), plan) for _, plan in self._near])
        self._ready = ready_for(after, self._standing_sets)
        return kind

    def _best_worth(self, hand: Standing, allowed: Collection[int], worth: Callable[[int], float]) -> int | None:
        """Where the hand can be ready now: what to discard so that it can win most."""
        sets = self._standing_sets
        if lacking(hand, sets) > 1 and all(distance > 1 for distance, _ in self._near):
            return None
        ready = [kind for kind in sorted(allowed) if hand.counts[kind] and ready_for(hand.more(kind, -1), sets)]
        best = max(((worth(kind), -kind) for kind in ready[:WEIGHED]), default=(0.0, 0))
        return -best[1] if best[0] > 0 else None

    @staticmethod
    def _live_without(kind: int, hand: Standing, plan: Plan) -> int:
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
        """The meld to claim a discarded tile of ``kind`` for, among ``options``; None: let it go. It has to bring the
        hand nearer; a kong must not set it back."""
        if self.distance > CLAIM_DISTANCE + 1:
            return None
        if self._rng.random() > self._notices:  # who holds three does not miss the fourth
            options = [meld for meld in options if meld.is_kong]
        best: tuple[int, Meld] | None = None
        for meld in options:
            left = list(hand.counts)
            left[kind] += 1
            for tile in meld.tiles:
                left[tile] -= 1
            near = self._survey(Standing(left, hand.unseen, hand.wilds), (*melds, meld))
            after = near[0][0] if near else FAR
            most = min(self.distance, CLAIM_DISTANCE + 1) + (self._kong_slack(self.distance) if meld.is_kong else -1)
            if after <= most and (best is None or after <= best[0]):
                best = (after, meld)
        return best[1] if best else None

    def _kong_slack(self, distance: int) -> int:
        """How far a kong may set back a hand that lacks so many tiles: where it is paid at once, by one."""
        return int(repertoire(self._rules).kongs_pay and distance > 1)

    def kong(self, hand: Standing, melds: tuple[Meld, ...], options: Iterable[Meld]) -> Meld | None:
        """A concealed or added kong worth making from the hand last looked at: it must not set it back much."""
        now = self._near[0][0] if self._near else FAR
        now += self._kong_slack(now)
        known = repertoire(self._rules)
        for meld in options:
            left, wilds = list(hand.counts), hand.wilds
            for tile in meld.tiles if meld.kind is MeldKind.CONCEALED_KONG else meld.tiles[:1]:
                if left[tile]:
                    left[tile] -= 1
                else:
                    wilds -= 1
            kept = tuple(m for m in melds if meld.kind is not MeldKind.ADDED_KONG or m.tile is not meld.tile)
            near = self._survey(Standing(left, hand.unseen, wilds), (*kept, meld))
            pays = wilds < hand.wilds and known.kongs_pay and now >= HOPELESS  # a kong of wildcards (金杠)
            if pays or (near and near[0][0] <= now):
                return meld
        return None
