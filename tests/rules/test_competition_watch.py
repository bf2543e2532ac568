"""竞技麻将: what the table sees by itself during a hand (J64, J66, J80, J84)."""

from __future__ import annotations

from rule_hands import HandOf, situation

from tablectl.rules.api import Discard, Incident
from tablectl.rules.registry import load
from tablectl.tiles.notation import parse_melds, parse_tiles
from tablectl.tiles.tile import Tile

RULES = load("competition")


def seen(hand: HandOf) -> list[Incident]:
    """What is new, noted in the hand as the game machine does."""
    found = list(RULES.observe(hand))
    hand.incidents += found
    return found


def throw(hand: HandOf, seat: int, tile: Tile, *, after: str = "draw") -> list[Incident]:
    hand.discards.append(Discard(seat, tile, after=after))
    return seen(hand)


def test_chase() -> None:  # J66
    hand = HandOf()
    assert not throw(hand, 1, Tile.S9)
    for seat in (2, 3, 0):
        assert not throw(hand, seat, Tile.EAST)
    (chase,) = throw(hand, 1, Tile.EAST)
    assert (chase.kind, chase.seat, chase.source) == ("chase", 2, None)
    assert not seen(hand)  # it is told once
    assert not throw(hand, 2, Tile.S9)
    assert RULES.pay(situation(), chase).deltas == (4, 4, -12, 4)


def test_no_chase_where_a_discard_was_claimed_or_the_order_was_broken() -> None:  # J66
    claimed = HandOf()
    for seat in (0, 1, 2):
        throw(claimed, seat, Tile.M1)
    claimed.discards[1] = Discard(1, Tile.M1, claimed=True)
    assert not throw(claimed, 3, Tile.M1)
    skipped = HandOf()
    for seat in (0, 1, 3):
        throw(skipped, seat, Tile.M1)
    assert not throw(skipped, 2, Tile.M1)


def test_two_chases_in_one_hand() -> None:  # J66: any time
    hand = HandOf()
    kinds = (Tile.M1, Tile.M2)
    found = [incident for tile in kinds for seat in range(4) for incident in throw(hand, seat, tile)]
    assert [(incident.kind, incident.seat) for incident in found] == [("chase", 0), ("chase", 0)]


def test_flower_kongs_are_automatic() -> None:  # J21, J64
    hand = HandOf()
    hand.seats[2].flowers = list(parse_tiles("abce"))
    assert not seen(hand)
    hand.seats[2].flowers = list(parse_tiles("abcedfgh"))
    assert [(incident.kind, incident.seat) for incident in seen(hand)] == [("flower_kong", 2), ("flower_kong", 2)]
    assert not seen(hand)


def test_feeding() -> None:  # J80
    hand = HandOf()
    hand.seats[1].melds = list(parse_melds("[123m,1][EEEE][456p,1]"))
    assert not seen(hand)
    hand.seats[1].melds += parse_melds("[777s,1]")
    assert seen(hand) == [Incident("bao", 1, 0)]
    hand.seats[1].melds += parse_melds("[999s,2]")
    assert not seen(hand)
    other = HandOf()
    other.seats[1].melds = list(parse_melds("[123m,1][EEE,2][456p,1][777s,1]"))
    assert not seen(other)


def test_the_hung_tile_until_it_is_exchanged() -> None:  # J84
    hand = HandOf()
    seat = hand.seats[3]
    seat.standing = [Tile.M5]
    assert not seen(hand)
    seat.hung = Tile.M5
    (hung,) = seen(hand)
    assert (hung.kind, hung.seat, dict(hung.extra)) == ("hung", 3, {"count": 1})
    seat.standing = [Tile.M5, Tile.S1]
    assert not seen(hand)
    seat.standing = [Tile.S1]
    (down,) = seen(hand)
    assert dict(down.extra) == {"count": 0}
    assert not seen(hand)
    seat.hung = Tile.S1
    assert [dict(incident.extra) for incident in seen(hand)] == [{"count": 1}]
