"""What the lanes say about the order of the wall, and what has left it.

A lane may miss a tile or two, or see one twice; one that was unplugged for a while misses many in a row. So each side
has several possible orders with weights: where the count is right, one; where tiles are lacking, one for every place
where they could be missing, the likelier where the lane was silent for about as long as they take. Every tile seen to
leave the wall weighs them anew. The prediction is evidence for the tracker, never truth.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import combinations, permutations
from statistics import median
from typing import Literal

from tablectl.tiles.tile import Tile
from tablectl.tiles.wall import Deck, Place

End = Literal["live", "tail"]

#: probability that a tile of a wall whose lane counted right is another than the lane said
WRONG = 0.002
#: how well a missed tile fits where the lane was not silent for about two tiles, against where it was; and at the ends
#: of the lane, where there is no silence to see
NO_GAP = 0.003
LANE_END = 0.03
#: probability of a certain tag where an order knows nothing
UNKNOWN = 0.02
#: probability from which a tile of the wall goes to the record
CERTAIN = 0.95
#: tiles that a side may lack at different places; more are missing in one row, while the lane was silent
MOST_MISSING = 2
#: orders less likely than this against the best are forgotten
FORGET = 1e-6


@dataclass(slots=True)
class Order:
    """One possible order of a side, in the lane's order; None where nothing is known."""

    tags: Sequence[str | None]
    weight: float


@dataclass(slots=True)
class Side:
    """The passages of one lane."""

    tags: list[str] = field(default_factory=list)
    times: list[float] = field(default_factory=list)

    def passed(self, tag: str, t: float) -> None:
        """The first reading gives the place; a second one is an echo."""
        if tag not in self.tags:
            self.tags.append(tag)
            self.times.append(t)

    def orders(self, length: int, lost: Sequence[str]) -> list[Order]:
        """Every order that explains the passages; ``lost`` are tags that no lane saw."""
        lack = length - len(self.tags)
        if lack == 0:
            return [Order(list(self.tags), 1.0)]
        if lack < 0:  # a tile of a neighbour's lane among them: any one of them may be it
            dropped = range(len(self.tags))
            return [Order([tag for n, tag in enumerate(self.tags) if n != i][:length], 1.0) for i in dropped]
        if not self.tags:
            return [Order([None] * lack, 1.0)]
        if lack > MOST_MISSING:
            gaps = self._silences(lack)
            return [Order([*self.tags[:n], *[None] * lack, *self.tags[n:]], gap) for n, gap in enumerate(gaps)]
        fillers: list[tuple[str | None, ...]] = [(None,) * lack]
        if len(lost) <= 3 and len(lost) >= lack:
            fillers = list(permutations(lost, lack))
        gaps = self._gaps()
        orders = []
        for places in combinations(range(length), lack):
            weight = 1.0
            for i, place in enumerate(places):
                weight *= gaps[min(place - i, len(self.tags))]
            for filler in fillers:
                tags: list[str | None] = list(self.tags)
                for place, tag in zip(places, filler, strict=True):
                    tags.insert(place, tag)
                orders.append(Order(tags, weight / len(fillers)))
        return orders

    def _gaps(self) -> list[float]:
        """How well a missed tile fits before each passage, and after the last."""
        inner = [1.0 if 1.3 < step < 2.9 else NO_GAP for step in self._steps()]
        return [LANE_END, *inner, LANE_END]

    def _silences(self, tiles: int) -> list[float]:
        """The same for so many tiles in a row."""
        inner = [max(NO_GAP, min(1.0, step / (tiles + 1)) ** 4) for step in self._steps()]
        return [LANE_END, *inner, LANE_END]

    def _steps(self) -> list[float]:
        """The times between passages, as multiples of the usual one."""
        steps = [b - a for a, b in zip(self.times, self.times[1:], strict=False)]
        usual = median(steps) if steps else 1.0
        return [step / usual for step in steps]


class WallOrder:
    """The wall of one hand: places, probable tags, what is still there."""

    def __init__(self, sides: Sequence[Side], stacks: Sequence[int], set_tags: frozenset[str]) -> None:
        seen = {tag for side in sides for tag in side.tags}
        lost = sorted(set_tags - seen) if seen else []
        self.orders = [side.orders(2 * stacks[i], lost) for i, side in enumerate(sides)]
        self._passed = [frozenset(side.tags) for side in sides]
        #: whether every lane counted what it had to
        self.complete = all(len(side.tags) == 2 * stacks[i] for i, side in enumerate(sides))
        self.known = bool(seen)
        self._lane: list[dict[tuple[int, bool], int]] = [{} for _ in sides]
        self.deck: Deck | None = None
        #: positions already taken; of the tags seen to leave, which position they left
        self.emptied: set[int] = set()
        self.taken: dict[str, int] = {}
        self._odds: dict[int, Mapping[str, float]] = {}
        self._found: dict[str, int] = {}

    def break_at(self, deck: Deck, lane_places: Sequence[Sequence[Place]]) -> None:
        """The dice gave the deck; ``lane_places`` tells at which place each passage of each lane came to lie."""
        self.deck = deck
        self._lane = [{(p.stack, p.upper): i for i, p in enumerate(places)} for places in lane_places]
        self._odds.clear()
        self._found.clear()

    def told(self) -> tuple[tuple[str | None, ...], ...]:
        """For each side its tags in the lane's order, as the lane told them; None where it missed one (at the place
        where that is likeliest). Asked before anything is drawn."""
        best = (max(orders, key=lambda order: order.weight).tags for orders in self.orders)
        return tuple(
            tuple(tag if tag in passed else None for tag in tags)
            for tags, passed in zip(best, self._passed, strict=True)
        )

    def side_of(self, tag: str) -> int | None:
        """The side in whose lane ``tag`` passed."""
        for side, orders in enumerate(self.orders):
            if orders and tag in orders[0].tags:
                return side
        return None

    # --- prediction

    def odds(self, position: int) -> Mapping[str, float]:
        """Which tag lies at a drawing position, with probabilities; what is missing to 1 is unknown."""
        found = self._odds.get(position)
        if found is None:
            found = self._odds[position] = self._mix(position)
        return found

    def likely(self, position: int) -> str | None:
        """The tag of a position where one is more probable than all others together."""
        odds = self.odds(position)
        best = max(odds, key=lambda tag: odds[tag], default=None)
        return best if best is not None and odds[best] > 0.5 else None

    def find(self, tag: str) -> int | None:
        """The position where ``tag`` probably lies or lay."""
        if not self._found and self.deck is not None:
            positions = range(1, len(self.deck.places) + 1)
            self._found = {found: p for p in positions if (found := self.likely(p)) is not None}
        return self._found.get(tag)

    def due(self, end: End, gone: Set[int] = frozenset()) -> int | None:
        """The position due at an end, when those in ``gone`` are taken too; None if the wall is empty or unknown."""
        if self.deck is None:
            return None
        for position in self.deck.live if end == "live" else self.deck.tail:
            if position not in self.emptied and position not in gone:
                return position
        return None

    def _mix(self, position: int) -> Mapping[str, float]:
        assert self.deck is not None
        place = self.deck.places[position - 1]
        orders = self.orders[place.side]
        index = self._lane[place.side].get((place.stack, place.upper))
        if index is None:
            return {}
        total = sum(order.weight for order in orders)
        mix: dict[str, float] = {}
        for order in orders:
            tag = order.tags[index]
            if tag is not None:
                mix[tag] = mix.get(tag, 0.0) + order.weight / total
        return mix

    # --- what happened

    def dealt(self, hands: Sequence[Set[str]]) -> None:
        """The deal is over: ``hands`` are the tags that each seat got. Orders are weighed by them."""
        assert self.deck is not None
        for block in self.deck.deal:
            for position in block.positions:
                place = self.deck.places[position - 1]
                index = self._lane[place.side].get((place.stack, place.upper))
                if index is not None:
                    for order in self.orders[place.side]:
                        tag = order.tags[index]
                        order.weight *= UNKNOWN if tag is None else 1.0 if tag in hands[block.seat] else WRONG
        for side, orders in enumerate(self.orders):
            self._keep_likely(side, orders)
        left = {tag for tags in hands for tag in tags}
        due = [position for block in self.deck.deal for position in block.positions]
        for position in due:
            tag = self.likely(position)
            if tag in left:
                left.discard(tag)
                self.taken[tag] = position
                self.emptied.add(position)
        for tag in sorted(left):
            found = self.find(tag)
            if found is not None:
                self.taken[tag] = found
                self.emptied.add(found)
        lacking = sum(len(tags) for tags in hands) - len(self.emptied)
        self.emptied.update([position for position in due if position not in self.emptied][: max(0, lacking)])

    def _keep_likely(self, side: int, orders: list[Order]) -> None:
        best = max(order.weight for order in orders)
        kept = [order for order in orders if order.weight >= best * FORGET]
        for order in kept:
            order.weight /= best
        self.orders[side] = kept
        self._odds.clear()
        self._found.clear()

    def count_off(self, live_taken: int, tail_taken: int, *, indicator: bool) -> None:
        """Go on with a wall from which so many tiles were taken at both ends."""
        assert self.deck is not None
        dealt = [position for block in self.deck.deal for position in block.positions]
        later = [position for position in self.deck.live if position not in set(dealt)]
        self.emptied = {*[*dealt, *later][:live_taken], *self.deck.tail[:tail_taken]}
        if indicator and self.deck.indicator is not None:
            self.emptied.add(self.deck.indicator)

    def still_there(self, tag: str) -> bool:
        """Whether ``tag`` lies at a place of the wall from which nothing was taken."""
        position = self.find(tag)
        return position is not None and position not in self.emptied

    def identify(self, on_table: Set[str]) -> None:
        """These tags are among those that were taken (`count_off`)."""
        assert self.deck is not None
        for position, place in enumerate(self.deck.places, 1):
            index = self._lane[place.side].get((place.stack, place.upper))
            if index is not None:
                for order in self.orders[place.side]:
                    tag = order.tags[index]
                    if tag is not None and (tag in on_table) is not (position in self.emptied):
                        order.weight *= WRONG
        for side, orders in enumerate(self.orders):
            self._keep_likely(side, orders)
        untaken = [p for p in sorted(self.emptied) if (tag := self.likely(p)) is not None and tag not in on_table]
        for tag in sorted(on_table):
            found = self.find(tag)
            if found is not None and found not in self.emptied and untaken:  # another tile was taken than the one due
                self.emptied.discard(untaken.pop())
                self.emptied.add(found)
            if found in self.emptied:
                self.taken[tag] = found

    def took(self, tag: str | None, due: int | None) -> int | None:
        """``tag`` left the wall where the position ``due`` was to be taken. The position it left, by the best guess."""
        if tag is None or due is None or tag in self.odds(due) or not self.odds(due):
            position = due
        else:
            position = self.find(tag) or due
        if position is None:
            return None
        self.emptied.add(position)
        if tag is not None:
            self.taken[tag] = position
            self._weigh(tag, position)
        return position

    def put_back(self, tag: str) -> None:
        """``tag`` was put back unplayed."""
        self.emptied.discard(self.taken.pop(tag, -1))

    def _weigh(self, tag: str, position: int) -> None:
        assert self.deck is not None
        place = self.deck.places[position - 1]
        index = self._lane[place.side].get((place.stack, place.upper))
        orders = self.orders[place.side]
        if index is None or len(orders) < 2:
            return
        for order in orders:
            order.weight *= 1.0 if order.tags[index] == tag else UNKNOWN if order.tags[index] is None else WRONG
        self._keep_likely(place.side, orders)

    def tiles(self, named: Mapping[str, Tile]) -> tuple[Tile | None, ...]:
        """The whole wall in drawing positions: what was seen to leave it, else what the lanes leave no doubt about."""
        if self.deck is None:
            return ()
        seen = {position: tag for tag, position in self.taken.items()}
        wall: list[Tile | None] = []
        for position in range(1, len(self.deck.places) + 1):
            kinds: dict[Tile, float] = {}
            for tag, p in self.odds(position).items():
                if tag in named:
                    kinds[named[tag]] = kinds.get(named[tag], 0.0) + p
            best = max(kinds, key=lambda kind: kinds[kind], default=None)
            if best is not None and kinds[best] >= CERTAIN:
                wall.append(best)
            else:
                wall.append(named.get(seen[position]) if position in seen and not kinds else None)
        return tuple(wall)
