"""Who was dealt what: the wall's word and the antennas' together."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from tablectl.rules.registry import load
from tablectl.tiles.tile import Tile
from tablectl.tiles.wall import lane_places
from tablectl.tracking.deal import Dealt, DealWatch
from tablectl.tracking.lanes import Side
from tablectl.tracking.noise import Noise
from tablectl.tracking.places import HAND, RIVER, WALL
from tablectl.tracking.presence import Presence
from tablectl.tracking.wall import WallOrder

RULES = load("competition")
DECK = RULES.deck(0, [7])
PLACES = [lane_places(RULES.stacks, side, first_left=True, lower_first=True) for side in range(4)]
TAGS = [f"{n:03d}" for n in range(144)]
BY_PLACE = {place: TAGS[36 * side + i] for side in range(4) for i, place in enumerate(PLACES[side])}
#: tag of every drawing position, from 1
TRUE = ["", *(BY_PLACE[place] for place in DECK.places)]
DUE = [{TRUE[p] for p in DECK.dealt(seat)} for seat in range(4)]
KINDS = dict.fromkeys(TAGS, Tile.EAST)
PERIOD = 0.5


class Dealing:
    """A deal under way: the tiles arrive block by block, a read round each."""

    def __init__(self, missed: Iterable[str] = (), *, rhythm: bool = True) -> None:
        missed = set(missed)
        sides = [Side() for _ in range(4)]
        for n, tag in enumerate(TAGS):
            if tag not in missed:
                sides[n // 36].passed(tag, 0.5 * (n % 36) if rhythm else 0.5 * len(sides[n // 36].tags))
        self.wall = WallOrder(sides, RULES.stacks, frozenset(TAGS))
        self.wall.break_at(DECK, PLACES)
        self.presence = Presence(Noise(), PERIOD)
        for tag in TAGS:
            self.presence.place(tag, WALL[self.wall.side_of(tag) or 0] if tag not in missed else "wall", 0.0)
        self.watch = DealWatch(DECK, 0, self.wall)
        self.t = 0.0
        self.watch.start(self.t)
        self.seen: list[set[str]] = [set() for _ in range(4)]

    def block(self, seat: int, tags: Iterable[str], silent: Iterable[str] = ()) -> Dealt | None:
        self.seen[seat] |= set(tags) - set(silent)
        return self.rounds(1)

    def deal(self, silent: Iterable[str] = ()) -> Dealt | None:
        dealt = None
        for block in DECK.deal:
            dealt = self.block(block.seat, [TRUE[p] for p in block.positions], silent)
        return dealt

    def rounds(self, count: int, wall: Iterable[str] | None = None) -> Dealt | None:
        dealt = None
        for _ in range(count):
            self.t += PERIOD
            for seat in range(4):
                self.presence.read(HAND[seat], self.t, frozenset(self.seen[seat]))
            if wall is not None:
                for side in range(4):
                    self.presence.read(WALL[side], self.t, frozenset(wall) & set(TAGS[36 * side : 36 * side + 36]))
            dealt = dealt or self.watch.watch(self.presence, KINDS, self.t, PERIOD)
        return dealt


def hands(dealt: Dealt | None) -> list[set[str]]:
    assert dealt is not None
    return [set(tags) for tags in dealt.hands]


def test_deal_is_told_when_its_last_tile_is_seen() -> None:
    assert hands(Dealing().deal()) == DUE


def test_tile_that_no_antenna_finds_is_dealt_where_the_wall_has_it() -> None:
    dealing = Dealing()
    assert dealing.deal(silent=[TRUE[5]]) is None
    assert hands(dealing.rounds(10)) == DUE


def test_replacement_drawn_before_the_deal_was_seen_goes_back_to_the_wall() -> None:
    """The lane missed the first tile dealt, and its rhythm does not say where: the second tile of the tail could lie
    there. But it came last."""
    dealing = Dealing(missed=[TRUE[1]], rhythm=False)
    replacement = TRUE[DECK.tail[1]]
    dealing.deal(silent=[TRUE[53]])
    dealing.seen[0] |= {TRUE[53], replacement}
    assert hands(dealing.rounds(6)) == DUE
    assert dealing.presence.lies(replacement).startswith("wall")


def test_a_tile_due_that_has_left_the_hand_before_the_deal_was_seen_was_dealt() -> None:
    """The dealer replaced a flower and discarded meanwhile: the tile that came for the flower was not dealt."""
    dealing = Dealing(missed=[TRUE[1]], rhythm=False)
    dealing.deal(silent=[TRUE[53]])
    dealing.rounds(2)
    dealing.seen[0] -= {TRUE[36]}
    dealing.rounds(4)
    dealing.seen[0] |= {TRUE[53], TRUE[DECK.tail[1]]}
    assert hands(dealing.rounds(6)) == DUE


def test_dealers_last_tile_is_the_one_that_the_wall_puts_nowhere() -> None:
    """The lanes missed it and another one, and the antennas saw the one before it later."""
    dealing = Dealing(missed=[TRUE[53], TRUE[100]])
    dealt = dealing.deal() or dealing.rounds(10)
    assert hands(dealt) == DUE
    assert dealt is not None
    dealing.watch.arrivals |= {TRUE[53]: 0.0, TRUE[49]: 99.0}
    assert dealing.watch.drawn(dealt.hands) == TRUE[53]


def test_tile_of_the_wall_that_answers_across_an_edge_is_not_dealt_and_does_not_end_the_deal() -> None:
    dealing = Dealing()
    ghost = TRUE[54]
    left = set(TAGS)
    dealing.seen[2].add(ghost)
    dealt = None
    for block in DECK.deal:
        assert dealt is None
        tags = {TRUE[p] for p in block.positions}
        left -= tags
        dealing.seen[block.seat] |= tags
        dealt = dealing.rounds(1, wall=left)
    assert hands(dealt) == DUE
    assert not dealing.watch.over


def test_surplus_of_one_hand_is_not_what_another_lacks_and_stays_with_it() -> None:
    """A tile is read at a neighbour's hand, and missed in its own."""
    dealing = Dealing()
    strayed = TRUE[DECK.dealt(3)[-1]]
    dealing.deal(silent=[strayed])
    dealing.seen[1].add(strayed)
    dealt = dealing.rounds(12)
    assert hands(dealt) == DUE
    assert dealing.presence.lies(strayed) == HAND[3]


@pytest.mark.parametrize("over", [True, False])
def test_dice_thrown_after_it_end_the_deal(over: bool) -> None:
    """A tile of another's in a hand is believed only when nothing more comes; later dice say that nothing does."""
    dealing = Dealing()
    foreign, own = TRUE[80], TRUE[DECK.dealt(1)[-1]]
    dealing.deal(silent=[own])
    dealing.seen[1].add(foreign)
    dealing.rounds(2)
    dealing.watch.over = over
    dealt = dealing.rounds(1)
    assert (dealt is not None) is over
    if dealt is not None:
        assert dealt.wrong == {1: 1}


def test_block_of_another_seat_is_noticed() -> None:
    dealing = Dealing()
    first, second = DECK.deal[2], DECK.deal[3]
    for block in DECK.deal:
        positions = {first: second, second: first}.get(block, block).positions
        dealing.block(block.seat, [TRUE[p] for p in positions])
    dealt = dealing.rounds(8)
    assert dealt is not None
    assert dealt.wrong == {first.seat: 4, second.seat: 4}


def test_tile_of_the_deal_that_answered_beside_a_hand_and_stays_in_the_wall_is_not_dealt_there() -> None:
    """The lane missed the first tile dealt, so that the second tile of the tail could lie there; it answers across the
    edge for a while, and then in the wall again."""
    dealing = Dealing(missed=[TRUE[1]], rhythm=False)
    ghost, left = TRUE[DECK.tail[1]], set(TAGS)
    for tag in (ghost, TRUE[1]):
        assert any(tag in tags for tags in dealing.watch.possible)
    dealing.presence.read(WALL[dealing.wall.side_of(ghost) or 0], 0.1, frozenset(left - {ghost}))
    seat = next(seat for seat in range(4) if ghost in dealing.watch.possible[seat])
    for t in (0.1, 0.2):
        dealing.presence.read(RIVER[seat], t, frozenset({ghost}))
        dealing.watch.watch(dealing.presence, KINDS, t, PERIOD)
    assert dealing.presence.lies(ghost) == HAND[seat]
    dealing.presence.read(RIVER[seat], 0.3, frozenset())
    dealt = None
    for block in DECK.deal:
        tags = {TRUE[p] for p in block.positions}
        left -= tags
        dealing.seen[block.seat] |= tags
        dealt = dealing.rounds(1, wall=left)
    assert hands(dealt or dealing.rounds(6, wall=left)) == DUE
    assert dealing.presence.lies(ghost).startswith("wall")
