"""Where every tag lay when the program ended, in the middle of a hand.

The record says which tiles lie in every hand, meld and river; the antennas say which tags do. Both together tell where
every tag lay: a tag read where the record has a tile of its kind lay there already; one read elsewhere, while
its kind is lacking at a place from which it may have come, was moved meanwhile; any other came from the wall.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Final

from tablectl.game import events as ev
from tablectl.game.record import effective
from tablectl.game.state import Hand
from tablectl.game.table import Table
from tablectl.rules.api import RuleSet
from tablectl.tiles.meld import MeldKind
from tablectl.tiles.tile import Tile
from tablectl.tracking.outlook import EVENT_OF, Outlook, Step, Told, outlook
from tablectl.tracking.places import HAND, MELD, RIVER, WALL
from tablectl.tracking.wall import WallOrder

#: the step that an event tells
_STEPS: Final = {event: kind for kind, event in EVENT_OF.items()}


@dataclass(slots=True)
class Found:
    """Where every tag lay when the program ended, and what the tracker remembers of a hand beside that."""

    places: dict[str, str]
    last: str | None = None
    drawn: str | None = None
    pungs: list[list[tuple[str, ...]]] = field(default_factory=lambda: [[], [], [], []])
    told: list[Told] = field(default_factory=list)

    def in_place(self, place: str, tile: Tile | None, tiles: Mapping[str, Tile], but: Sequence[str] = ()) -> str | None:
        """A tag of this kind in ``place``, the last one that was found there."""
        tags = (tag for tag, at in self.places.items() if at == place and tiles.get(tag) == tile and tag not in but)
        return next(reversed(list(tags)), None)


def find(
    rules: RuleSet,
    hand: Hand,
    events: Sequence[ev.Event],
    first_seq: int,
    answers: Mapping[str, Sequence[str]],
    tiles: Mapping[str, Tile],
    wall: WallOrder,
) -> Found:
    """Where the tags of ``hand`` lay; ``events`` are those of the match, the first numbered ``first_seq``; ``answers``:
    the zones in which each tag answers now, that first where it does most often."""
    found = Found(_places(hand, answers, tiles, wall, rules.play.flowers))
    for seat in range(4):
        for meld in hand.seats[seat].melds:
            if meld.kind is MeldKind.PUNG:
                tags = [tag for tag, at in found.places.items() if at == MELD[seat] and tiles.get(tag) == meld.tile]
                if len(tags) >= 3:
                    found.pungs[seat].append(tuple(tags[:3]))
    found.drawn = found.in_place(HAND[hand.turn], hand.seats[hand.turn].drawn, tiles)
    if hand.last_discard is not None:
        found.last = found.in_place(RIVER[hand.last_discard.seat], hand.last_discard.tile, tiles)
    if hand.added is not None:
        found.last = found.in_place(MELD[hand.turn], hand.added, tiles)
    told = _last_told(rules, events, first_seq, found, tiles)
    if told is not None:
        found.told.append(told)
    return found


# --- the record and the readings together


def _recorded(hand: Hand) -> dict[str, Counter[Tile]]:
    """The tiles of each zone, as the record has them."""
    lying: dict[str, Counter[Tile]] = {}
    for number, seat in enumerate(hand.seats):
        lying[HAND[number]] = Counter(tile for tile in seat.standing if tile is not None)
        lying[MELD[number]] = Counter([tile for meld in seat.melds for tile in meld.tiles] + seat.flowers)
        lying[RIVER[number]] = Counter(cast.tile for cast in seat.river if cast.claimed_by is None)
    return lying


def _came_from(place: str, *, flower: bool) -> Iterator[str]:
    """The places from which a tile may have come to ``place`` while nobody looked, the likelier first. A flower is
    nobody's but the one's who drew it."""
    part, _, number = place.partition(".")
    seat = int(number)
    if part != "hand":
        yield HAND[seat]
    if part == "hand" or (part == "meld" and flower):  # taken back, or told to be a discard and none
        yield RIVER[seat]
    if part == "river" or flower:
        return
    for n in (3, 2, 1):  # claimed, or taken to a hand that wins on it
        yield RIVER[(seat + n) % 4]
        yield HAND[(seat + n) % 4]


class _Settling:
    """Tags find their places: ``lacking`` is what the record has there and no tag stands for yet."""

    def __init__(self, hand: Hand, tiles: Mapping[str, Tile]) -> None:
        self.tiles = tiles
        self.lacking = _recorded(hand)
        self.unnamed = [seat.standing.count(None) for seat in hand.seats]
        self.places: dict[str, str] = {}

    def put(self, tag: str, places: Iterable[str]) -> None:
        """Into the first of ``places`` that lacks its kind; nothing happens where there is none."""
        if tag in self.places:
            return
        kind = self.tiles[tag]
        place = next((place for place in places if place in self.lacking and self.lacking[place][kind] > 0), None)
        if place is not None:
            self.lacking[place][kind] -= 1
            self.places[tag] = place

    def put_unnamed(self, tag: str, place: str) -> None:
        """Into a hand that has drawn a tile which was never named."""
        part, _, seat = place.partition(".")
        if tag not in self.places and part == "hand" and self.unnamed[int(seat)] > 0:
            self.unnamed[int(seat)] -= 1
            self.places[tag] = place

    def put_silent(self, silent: Sequence[str]) -> None:
        """What no antenna finds: for each tile that is lacking still, the first silent tag of its kind."""
        for place, kinds in self.lacking.items():
            for kind in kinds.elements():
                tag = next((tag for tag in silent if self.tiles[tag] == kind and tag not in self.places), None)
                if tag is not None:
                    self.places[tag] = place


def _places(
    hand: Hand, answers: Mapping[str, Sequence[str]], tiles: Mapping[str, Tile], wall: WallOrder, flowers: Set[Tile]
) -> dict[str, str]:
    mostly = {tag: zones[0] for tag, zones in answers.items()}
    read = sorted(tag for tag in mostly if tag in tiles)
    silent = sorted(
        (tag for tag in tiles if tag not in mostly),
        key=lambda tag: (wall.still_there(tag), wall.side_of(tag) is None, tag),  # those taken first
    )
    settling = _Settling(hand, tiles)
    taken = [tag for tag in read if not wall.still_there(tag)]
    for tag in taken:
        settling.put(tag, [mostly[tag]])
    for tag in taken:  # at an edge, or moved just now; or moved meanwhile, from where its kind is lacking
        settling.put(tag, itertools.chain(answers[tag][1:], _came_from(mostly[tag], flower=tiles[tag] in flowers)))
    for tag in read:  # taken out of turn, or the lanes erred
        settling.put(tag, [mostly[tag]])
    for tag in read:
        settling.put_unnamed(tag, mostly[tag])
    settling.put_silent(silent)
    for tag in (*read, *silent):
        side = wall.side_of(tag)
        if tag not in settling.places and (side is not None or not wall.known):
            settling.places[tag] = "wall" if side is None else WALL[side]
    return settling.places


# --- the last step, which may still be taken back


def _last_told(
    rules: RuleSet, events: Sequence[ev.Event], first_seq: int, found: Found, tiles: Mapping[str, Tile]
) -> Told | None:
    number, event = next(
        ((n, e) for n, e in reversed(effective(events, first_seq)) if type(e) in _STEPS or isinstance(e, ev.HandDealt)),
        (0, None),
    )
    kind = _STEPS.get(type(event)) if event is not None else None
    if event is None or kind is None:
        return None
    table = Table.replay(rules, events[: number - first_seq], first_seq=first_seq)
    if table.hand is None:
        return None
    before = _before(table.hand, kind, event, found, tiles)
    moves = _moves(kind, event, found, tiles)
    if moves is None or before is None:
        return None
    step = Step(
        kind,
        event.actor,  # type: ignore[attr-defined]
        tuple((tag, to) for tag, _, to in moves),
        0.0,
        getattr(event, "pai", None),
        tuple(getattr(event, "consumed", ())),
        getattr(event, "from_", "live"),
    )
    return Told(step, before, tuple((tag, home) for tag, home, _ in moves))


def _before(hand: Hand, kind: str, event: ev.Event, found: Found, tiles: Mapping[str, Tile]) -> Outlook | None:
    """The point of play before the last step."""
    last = drawn = None
    if kind in ("draw", "chow", "pung", "exposed_kong") and hand.last_discard is not None:
        seat = hand.last_discard.seat
        last = found.in_place(RIVER[seat], hand.last_discard.tile, tiles)
        if kind != "draw":
            last = found.in_place(MELD[event.actor], hand.last_discard.tile, tiles)  # type: ignore[attr-defined]
    elif kind == "discard" and hand.seats[hand.turn].drawn is not None:
        tile = hand.seats[hand.turn].drawn
        drawn = found.last if getattr(event, "tsumogiri", False) else found.in_place(HAND[hand.turn], tile, tiles)
    return outlook(hand, last, drawn)


def _moves(kind: str, event: ev.Event, found: Found, tiles: Mapping[str, Tile]) -> list[tuple[str, str, str]] | None:
    """Tag, where it lay, where it came to. None where a tag of them is not known."""
    seat: int = event.actor  # type: ignore[attr-defined]
    pai: Tile | None = getattr(event, "pai", None)
    if kind == "draw":
        wanted = [(pai, "wall", HAND[seat])]
    elif kind == "discard":
        wanted = [(pai, HAND[seat], RIVER[seat])]
    elif kind in ("flower", "added_kong"):
        wanted = [(pai, HAND[seat], MELD[seat])]
    else:
        wanted = [(tile, HAND[seat], MELD[seat]) for tile in event.consumed]  # type: ignore[attr-defined]
        if kind != "concealed_kong":
            wanted.append((pai, RIVER[event.target], MELD[seat]))  # type: ignore[attr-defined]
    moves: list[tuple[str, str, str]] = []
    for tile, home, to in wanted:
        tag = found.in_place(to, tile, tiles, [tag for tag, _, _ in moves])
        if tag is None:
            return None
        moves.append((tag, home, to))
    return moves
