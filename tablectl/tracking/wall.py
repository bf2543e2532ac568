"""The wall of one hand: what lies where, and what has left it.

The lanes leave several possible orders of each side (`lanes`). What lies at a place that no lane knows is one of the
tiles that the set has and no lane saw. Every tile seen to leave the wall weighs the orders anew. The prediction is
evidence for the tracker, never truth.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Literal

from tablectl.tiles.tile import Tile
from tablectl.tiles.wall import Deck, Place
from tablectl.tracking.lanes import Order, Side

End = Literal["live", "tail"]

#: probability that a tile of a wall whose lane counted right is another than the lane said
WRONG = 0.002
#: probability of a certain tag where an order knows nothing, and no lane missed that tag
UNKNOWN = 0.002
#: probability that a tile of the deal was not found (yet) in the hand to which it went
ABSENT = 0.005
#: probability from which a tile of the wall goes to the record
CERTAIN = 0.95
#: orders less likely than this against the best are forgotten
FORGET = 1e-6


class WallOrder:
    """The wall of one hand: places, probable tags, what is still there."""

    def __init__(self, sides: Sequence[Side], stacks: Sequence[int], set_tags: frozenset[str]) -> None:
        seen = {tag for side in sides for tag in side.tags}
        self.orders = [side.orders(2 * stacks[i]) for i, side in enumerate(sides)]
        #: tags that no lane saw, as long as they were not seen to leave the wall
        self.lost = set(set_tags - seen) if seen else set()
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
        self._found: dict[str, int] | None = None
        #: orders and lost tags when the deal was over, and what was seen to be drawn since
        self._at_deal: tuple[list[list[Order]], set[str]] | None = None
        self._drawn: dict[str, int] = {}

    def break_at(self, deck: Deck, lane_places: Sequence[Sequence[Place]]) -> None:
        """The dice gave the deck; ``lane_places`` tells at which place each passage of each lane came to lie."""
        self.deck = deck
        self._lane = [{(p.stack, p.upper): i for i, p in enumerate(places)} for places in lane_places]
        self._odds.clear()
        self._found = None

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
        if self.deck is None:
            return None
        if self._found is None:
            positions = range(1, len(self.deck.places) + 1)
            self._found = {found: p for p in positions if (found := self.likely(p)) is not None}
        return self._found.get(tag)

    def due(self, end: End, gone: Set[int] = frozenset()) -> int | None:
        """The position due at an end, when those in ``gone`` are taken too; None if the wall is empty or unknown."""
        return next(self.coming(end, gone), None)

    def coming(self, end: End, gone: Set[int] = frozenset()) -> Iterator[int]:
        """The positions due at an end one after another, when those in ``gone`` are taken; none while the wall is
        unknown."""
        if self.deck is not None:
            for position in self.deck.live if end == "live" else self.deck.tail:
                if position not in self.emptied and position not in gone:
                    yield position

    def _mix(self, position: int) -> Mapping[str, float]:
        assert self.deck is not None
        side, index = self._index(position)
        orders = self.orders[side]
        if index is None:
            return {}
        total = sum(order.weight for order in orders)
        mix: dict[str, float] = {}
        unknown = 0.0
        for order in orders:
            tag = order.tags[index]
            if tag is not None:
                mix[tag] = mix.get(tag, 0.0) + order.weight / total
            else:
                unknown += order.weight / total
        if unknown > 0.0:
            for tag in sorted(self.lost):
                mix[tag] = unknown / len(self.lost)
        return mix

    def _index(self, position: int) -> tuple[int, int | None]:
        """The side of a position, and the passage of its lane."""
        assert self.deck is not None
        place = self.deck.places[position - 1]
        return place.side, self._lane[place.side].get((place.stack, place.upper))

    # --- what happened

    def shares(self, hands: Sequence[Set[str]]) -> list[dict[str, float]]:
        """For each seat the tags that it may be dealt, with probabilities: by the lanes, as far as they agree with what
        was found in the ``hands`` so far."""
        assert self.deck is not None
        weights = [[order.weight * fits for order, fits in self._fits(side, hands, ABSENT)] for side in range(4)]
        shares: list[dict[str, float]] = [{} for _ in hands]
        for block in self.deck.deal:
            share = shares[block.seat]
            for position in block.positions:
                side, index = self._index(position)
                if index is None:
                    continue
                total = sum(weights[side])
                for order, weight in zip(self.orders[side], weights[side], strict=True):
                    tag = order.tags[index]
                    for each in self.lost if tag is None else (tag,):
                        share[each] = share.get(each, 0.0) + weight / total / (1 if tag else len(self.lost))
        return shares

    def _fits(self, side: int, hands: Sequence[Set[str]], absent: float) -> list[tuple[Order, float]]:
        """How well each order of a side agrees with the deal. ``absent``: for a tile that is not where it should be."""
        assert self.deck is not None
        found = [len(self.lost.intersection(tags)) / max(1, len(self.lost)) for tags in hands]
        due = [
            (index, block.seat)
            for block in self.deck.deal
            for position in block.positions
            for at, index in [self._index(position)]
            if at == side and index is not None
        ]
        fits = []
        for order in self.orders[side]:
            fit = 1.0
            for index, seat in due:
                tag = order.tags[index]
                if tag is None:
                    fit *= found[seat] or absent
                elif tag not in hands[seat]:
                    fit *= absent
            fits.append((order, fit))
        return fits

    def dealt(self, hands: Sequence[Set[str]]) -> None:
        """The deal is over: ``hands`` are the tags that each seat got. Orders are weighed by them."""
        assert self.deck is not None
        for side in range(len(self.orders)):
            self._reweigh(side, [fit for _, fit in self._fits(side, hands, WRONG)])
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
        self._seen(tag for tags in hands for tag in tags)
        self._at_deal = list(self.orders), self.lost
        lacking = sum(len(tags) for tags in hands) - len(self.emptied)
        self.emptied.update([position for position in due if position not in self.emptied][: max(0, lacking)])

    def _seen(self, tags: Iterable[str]) -> None:
        """These tags left the wall: they lie at none of the places that no lane knows."""
        lost = self.lost.difference(tags)
        if len(lost) != len(self.lost):
            self.lost = lost
            self._odds.clear()
            self._found = None

    def _reweigh(self, side: int, fits: Sequence[float]) -> None:
        """Multiply the weights of a side's orders; forget those that have become unlikely."""
        orders = [Order(order.tags, order.weight * fit) for order, fit in zip(self.orders[side], fits, strict=True)]
        best = max(order.weight for order in orders)
        self.orders[side] = [
            Order(order.tags, order.weight / best) for order in orders if order.weight >= best * FORGET
        ]
        self._odds.clear()
        self._found = None

    def count_off(self, live_taken: int, tail_taken: int, *, turned: int) -> None:
        """Go on with a wall from which so many tiles were taken at both ends, and so many ``turned`` up as indicators:
        where the dice do not say which, those came from the tail too."""
        assert self.deck is not None
        dealt = [position for block in self.deck.deal for position in block.positions]
        later = [position for position in self.deck.live if position not in set(dealt)]
        apart = self.deck.indicator if turned else None
        tail = tail_taken + (turned if apart is None else 0)
        self.emptied = {*[*dealt, *later][:live_taken], *self.deck.tail[:tail]}
        if apart is not None:
            self.emptied.add(apart)

    def still_there(self, tag: str) -> bool:
        """Whether ``tag`` lies at a place of the wall from which nothing was taken."""
        position = self.find(tag)
        return position is not None and position not in self.emptied

    def identify(self, on_table: Set[str]) -> None:
        """These tags are among those that were taken (`count_off`)."""
        assert self.deck is not None
        for side, orders in enumerate(self.orders):
            fits = [1.0] * len(orders)
            for position in range(1, len(self.deck.places) + 1):
                at, index = self._index(position)
                if at != side or index is None:
                    continue
                for n, order in enumerate(orders):
                    tag = order.tags[index]
                    if tag is not None and (tag in on_table) is not (position in self.emptied):
                        fits[n] *= WRONG
            self._reweigh(side, fits)
        self._at_deal = list(self.orders), self.lost
        untaken = [p for p in sorted(self.emptied) if (tag := self.likely(p)) is not None and tag not in on_table]
        for tag in sorted(on_table):
            found = self.find(tag)
            if found is not None and found not in self.emptied and untaken:  # another tile was taken than the one due
                self.emptied.discard(untaken.pop())
                self.emptied.add(found)
            if found in self.emptied:
                self.taken[tag] = found

    def took(self, tag: str | None, due: int | None, *, seen: bool = True) -> int | None:
        """``tag`` left the wall where the position ``due`` was to be taken, and was ``seen`` elsewhere (what was only
        concluded says nothing about the order). The position it left, by the best guess."""
        if tag is None or due is None or tag in self.odds(due) or not self.odds(due):
            position = due
        else:
            position = self.find(tag) or due
        if position is None:
            return None
        self.emptied.add(position)
        if tag is not None:
            self.taken[tag] = position
            if seen:
                self._drawn[tag] = position
                self._weigh(tag, position)
        return position

    def put_back(self, tag: str) -> None:
        """``tag`` was put back unplayed, or it was another tile that was drawn."""
        self.emptied.discard(self.taken.pop(tag, -1))
        if self._drawn.pop(tag, None) is not None and self._at_deal is not None:
            orders, self.lost = self._at_deal
            self.orders = list(orders)
            for drawn, position in self._drawn.items():
                self._weigh(drawn, position)

    def _weigh(self, tag: str, position: int) -> None:
        side, index = self._index(position)
        if index is not None and len(self.orders[side]) > 1:
            unknown = 1 / len(self.lost) if tag in self.lost else UNKNOWN
            tags = [order.tags[index] for order in self.orders[side]]
            self._reweigh(side, [1.0 if each == tag else unknown if each is None else WRONG for each in tags])
        self._seen([tag])

    def tiles(self, named: Mapping[str, Tile]) -> tuple[Tile | None, ...]:
        """The whole wall in drawing positions: what was seen to leave it, else what the lanes leave no doubt about."""
        if self.deck is None:
            return ()
        seen = {position: tag for tag, position in self.taken.items()}
        wall: list[Tile | None] = []
        for position in range(1, len(self.deck.places) + 1):
            kinds: dict[Tile, float] = {}
            for tag, p in self.odds(position).items():
                gone = tag in self.lost and position in self.emptied  # nobody has seen it leave that place
                if tag in named and (not gone or seen.get(position) == tag):
                    kinds[named[tag]] = kinds.get(named[tag], 0.0) + p
            best = max(kinds, key=lambda kind: kinds[kind], default=None)
            if best is not None and kinds[best] >= CERTAIN:
                wall.append(best)
            else:
                wall.append(named.get(seen[position]) if position in seen and not kinds else None)
        return tuple(wall)
