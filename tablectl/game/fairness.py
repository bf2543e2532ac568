"""Fairness that can be checked: the table binds itself to the wall before the dice are thrown, and shows it afterwards.

When the walls are raised the table knows what the lanes told: which tile lies where. It publishes the SHA-256 of a
random salt and that order (the event ``commitment``), on the display and on every page, before the dice key works. So
it can change nothing any more. After the hand the salt and the order are published (``opened``), and anybody can do the
sum again, and see that the tiles dealt and drawn are those that the dice made of that order.

The text that is hashed: the salt in hexadecimal, a bar, the four sides in turn joined by ``/``; a side is the tiles on
its stacks, stack 1 first (from the right-hand end as the seat before it sees it), the upper tile before the lower one,
joined by spaces; ``-`` is a tile that its lane has missed. The text is UTF-8::

    9f3c…|1m E 3p - …/…/…/…

A tile that a lane missed is not in the commitment: ``unknown`` says how many those are.
"""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tablectl.game import actions as act
from tablectl.game import events as ev
from tablectl.rules.api import RuleSet
from tablectl.tiles.notation import parse_tile
from tablectl.tiles.tile import Tile
from tablectl.tiles.wall import Deck, Place

if TYPE_CHECKING:
    from tablectl.game.table import Table

SALT_BYTES: Final = 32

#: the tiles of the four sides in the order that is hashed; None where the lane missed one
Built = Sequence[Sequence[Tile | None]]


# --- the sum, for everybody who wants to check it


def written(built: Built, salt: str) -> str:
    """The text that is hashed; ``salt`` in hexadecimal."""
    sides = (" ".join("-" if tile is None else tile.code for tile in side) for side in built)
    return f"{salt}|{'/'.join(sides)}"


def digest_of(built: Built, salt: str) -> str:
    """The commitment to a wall: SHA-256 in hexadecimal."""
    return hashlib.sha256(written(built, salt).encode()).hexdigest()


def verify(digest: str, built: Built, salt: str) -> str:
    """Whether ``digest`` was made of this wall and salt; the empty text, or what is wrong."""
    if not hmac.compare_digest(digest_of(built, salt), digest):
        return "salt and wall are not those that were committed to"
    return ""


def unknown(built: Built) -> int:
    """How many tiles the lanes missed."""
    return sum(side.count(None) for side in built)


# --- in play


def commit(table: Table, action: act.Commit) -> None:
    """The table published a digest."""
    table.emit(ev.Committed(t=action.t, what=action.what, digest=action.digest, unknown=action.unknown))


def open_commitment(table: Table, action: act.OpenCommitment) -> None:
    """The table published what a digest was made of. Only after its hand: before that it stays in memory."""
    hand = table.playing
    if hand is None or action.digest not in hand.commitments.values():
        table.emit(
            ev.CommitmentOpened(
                t=action.t,
                what=action.what,
                digest=action.digest,
                secret=action.secret,
                built=action.built,
                throws=action.throws,
            )
        )


# --- what was drawn, against what was committed to


@dataclass(frozen=True, slots=True)
class Agreement:
    """How many of the tiles that players got lay where the commitment and the dice say: ``agreeing`` of ``compared``.

    They differ where a lane erred, or a player took a wrong tile: a few of a hand, seldom more.
    """

    compared: int
    agreeing: int


def in_drawing_order(built: Built, deck: Deck) -> tuple[Tile | None, ...]:
    """The committed wall by drawing positions, position 1 first."""
    return tuple(_at(built, place) for place in deck.places)


def index_of(place: Place) -> int:
    """Which of the tiles of its side, counted from 0, lies at a place."""
    return 2 * (place.stack - 1) + (0 if place.upper else 1)


def _at(built: Built, place: Place) -> Tile | None:
    side = built[place.side] if place.side < len(built) else ()
    return side[index_of(place)] if index_of(place) < len(side) else None


def agreement(built: Built, record: Sequence[Mapping[str, Any]], rules: RuleSet) -> Agreement | None:
    """Compare the tiles dealt and drawn in a hand's record with the committed wall. None where no wall was broken.

    The deal is compared seat by seat, draws one by one in their order, replacements in theirs.
    """
    start = record[0]
    deck = _deck(start, rules)
    if deck is None:
        return None
    wall = in_drawing_order(built, deck)
    agreeing = compared = 0
    drawn = [event for event in record if event["type"] == "tsumo"]
    first_draw = drawn[:1] if drawn and drawn[0]["actor"] == start["dealer"] else []
    for seat, tiles in enumerate(start["tehais"]):
        got = [*tiles, *(event["pai"] for event in first_draw if event["actor"] == seat)]
        due = Counter(wall[position - 1].code for position in deck.dealt(seat) if wall[position - 1] is not None)  # type: ignore[union-attr]
        named = Counter(tile for tile in got if tile is not None)
        compared += min(sum(due.values()), sum(named.values()))
        agreeing += (due & named).total()
    rest = drawn[len(first_draw) :]
    for end, order in (("live", deck.live), ("tail", deck.tail)):
        taken = (event["pai"] for event in rest if event.get("from", "live") == end)
        positions = (position for position in order if position != deck.indicator)
        for code, position in zip(taken, positions, strict=False):
            tile = wall[position - 1]
            if code is not None and tile is not None:
                compared += 1
                agreeing += code == tile.code
    return Agreement(compared, agreeing)


def _deck(start: Mapping[str, Any], rules: RuleSet) -> Deck | None:
    """The wall of a hand as its dice broke it."""
    throws = [sum(throw) for throw in _pairs(start["dice"], rules.play.dice_count)]
    return None if rules.thrower(start["dealer"], throws) is not None else rules.deck(start["dealer"], throws)


def _pairs(dice: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    return (dice[n : n + size] for n in range(0, len(dice), size))


def built_of(data: Sequence[Sequence[str | None]]) -> tuple[tuple[Tile | None, ...], ...]:
    """The sides of an event's JSON form."""
    return tuple(tuple(None if code is None else parse_tile(code) for code in side) for side in data)
