"""What 福州麻将 and 福建麻将 share at the table: wall, reserve, claims, facts, match. T… without a name: both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from rule_hands import HandOf, SeatOf, situation

from tablectl.rules.api import NO_POINTS, Discard, HandResult, Incident, MatchState, Payment, RulesError
from tablectl.rules.registry import load
from tablectl.tiles.notation import parse_melds, parse_tile, parse_tiles
from tablectl.tiles.tile import FLOWERS, HONOURS, Tile
from tablectl.tiles.wall import Place

BOTH = pytest.mark.parametrize("id", ["fuzhou", "fujian"])


def hand(melds: Sequence[str] = (), flowers: Sequence[str] = (), *, wall: int = 60, indicator: str = "9s") -> HandOf:
    """A hand in progress: ``melds`` and ``flowers`` by seat."""
    seats = [SeatOf() for _ in range(4)]
    for seat, text in zip(seats, melds, strict=False):
        seat.melds = list(parse_melds(text))
    for seat, text in zip(seats, flowers, strict=False):
        seat.flowers = list(parse_tiles(text))
    return HandOf(seats=seats, wall_left=wall, indicator=parse_tile(indicator))


# --- wall and deal


def test_fuzhou_worked_example() -> None:  # fuzhou T101–T107
    rules = load("fuzhou")
    assert rules.stacks == (18, 18, 18, 18)
    assert rules.tile_set.total == 144
    assert rules.thrower(0, ()) == 0
    assert rules.thrower(0, (7,)) is None
    deck = rules.deck(0, (7,))
    assert deck.places[0] == Place(2, 7, True)
    assert [len(deck.dealt(seat)) for seat in range(4)] == [17, 16, 16, 16]
    assert [block.seat for block in deck.deal] == [0, 1, 2, 3] * 4 + [0]
    assert deck.places[deck.dealt(0)[-1] - 1] == Place(0, 3, True)
    assert deck.places[deck.live[0] - 1] == Place(0, 3, False)
    assert deck.places[deck.tail[0] - 1] == Place(2, 6, True)
    assert len(deck.live) == 79
    assert rules.deck(1, (7,)).places[0] == Place(3, 7, True)


def test_fujian_worked_example() -> None:  # fujian T103–T107
    deck = load("fujian").deck(3, (5,))
    assert deck.places[0] == Place(3, 5, True)
    assert deck.places[deck.dealt(3)[-1] - 1] == Place(1, 1, True)
    assert deck.places[deck.live[0] - 1] == Place(1, 1, False)
    assert deck.places[deck.tail[0] - 1] == Place(3, 4, True)


@BOTH
def test_the_seat_of_the_dice_may_take_first(id: str) -> None:  # T106
    deck = load(id, {"first_taker": "dice_seat"}).deck(0, (7,))
    assert [block.seat for block in deck.deal] == [2, 3, 0, 1] * 4 + [0]


def test_flowers_and_gold() -> None:  # fuzhou T101, T109, T110; fujian T101, T102
    pictures, all_flowers = frozenset(FLOWERS), frozenset(FLOWERS) | frozenset(HONOURS)
    assert load("fuzhou").play.flowers == load("fujian").play.flowers == all_flowers
    full = load("fujian", {"count": "full"})
    assert full.play.flowers == pictures
    assert load("fujian", {"count": "full", "honours_are_flowers": True}).play.flowers == all_flowers
    assert load("fujian", {"honours_are_flowers": False}).play.flowers == pictures
    assert full.wild(Tile.RED) == {Tile.RED}
    assert load("fujian").wild(Tile.RED) == load("fuzhou").wild(None) == frozenset()
    assert load("fuzhou").wild(Tile.P5) == {Tile.P5}


@BOTH
def test_how_the_hand_is_played(id: str) -> None:  # T108, T109, T112; fuzhou T203–T212, fujian T203–T209
    play = load(id).play
    assert (play.hand_tiles, play.opening_flowers, play.indicator) == (16, "rounds", "after_flowers")
    assert (play.last_round_tiles, play.indicator_flower) == (4, "dealer")
    assert (play.next_seat_may_kong, play.rob_added_kong, play.kong_after_claim) == (False, True, False)
    assert (play.chow_allowed, play.multiple_winners, play.wild_discard_forbidden) == (True, False, False)
    assert play.first_discard_seconds is play.discard_seconds is play.claim_seconds is play.match_minutes is None
    assert "outranked" in play.harmless_refusals
    assert play.earthly == ("indicator" if id == "fuzhou" else "first_draw")
    house = load(
        id,
        {
            "first_discard_seconds": 20,
            "discard_seconds": 10,
            "claim_seconds": 3,
            "next_seat_may_kong": True,
            "rob_added_kong": False,
            "gold_discard": "forbidden",
            "flip_flower_to": "nobody",
            "last_round_tiles": 2,
            "match_minutes": 90,
            "warn_minutes_left": 10,
        },
    ).play
    assert (house.first_discard_seconds, house.discard_seconds, house.claim_seconds) == (20, 10, 3)
    assert (house.next_seat_may_kong, house.rob_added_kong, house.wild_discard_forbidden) == (True, False, True)
    assert (house.indicator_flower, house.last_round_tiles) == ("nobody", 2)
    assert (house.match_minutes, house.warn_minutes_left) == (90, 10)


# --- the end of the wall


@BOTH
def test_reserve(id: str) -> None:  # T111
    rules = load(id)
    assert rules.undrawn(hand()) == 18
    assert rules.undrawn(hand(["[8888s,7]", "[2222p]"], ["abcd", "", "EEEE"])) == 25
    assert rules.undrawn(hand(["[888s,3][123m,1]"], ["abcEEE", "d", "E"])) == 18
    assert rules.undrawn(hand(["[8888s,3]"], ["abcdefghEEEESSSS"])) == 18 + 1 + 8
    other = load(
        id,
        {"reserve_tiles": 10, "reserve_exposed_kong": 3, "reserve_concealed_kong": 4, "reserve_flower_set": 5},
    )
    assert other.undrawn(hand(["[8888s,7]", "[2222p]"], ["abcd"])) == 22


@BOTH
def test_a_kong_needs_its_replacement(id: str) -> None:  # fuzhou T114, fujian T113
    rules = load(id)
    exposed, added, concealed = parse_melds("[8888s,3][7777s,6][2222p]")
    pung = parse_melds("[888s,3]")[0]
    for meld, least in ((exposed, 20), (added, 20), (concealed, 21)):
        assert rules.refuse_claim(hand(wall=least), 0, meld) is None
        assert rules.refuse_claim(hand(wall=least - 1), 0, meld) == "kong_refused: no replacement left: D = 0"
    assert rules.refuse_claim(hand(wall=19), 0, pung) is None


@BOTH
def test_what_is_no_meld(id: str) -> None:  # fuzhou T101, T208–T210; fujian T207, T208
    rules = load(id)
    for melds, reason in (
        ("[999s,2]", "gold_in_meld"),
        ("[789s,3]", "gold_in_meld"),
        ("[9999s]", "gold_in_meld"),
        ("[EEE,2]", "bad_meld"),
        ("[789p,3]", None),
        ("[7777p,2]", None),
    ):
        assert rules.refuse_claim(hand(), 1, parse_melds(melds)[0]) == reason, melds
    full = load("fujian", {"count": "full"})
    assert full.refuse_claim(hand(), 1, parse_melds("[EEE,2]")[0]) is None
    assert full.refuse_claim(hand(indicator="E"), 1, parse_melds("[EEE,2]")[0]) == "gold_in_meld"


# --- facts


@BOTH
def test_four_same_flowers_are_told_once(id: str) -> None:  # T111, T603
    rules = load(id)
    table = hand(flowers=["abcd", "EEE"])
    (told,) = rules.observe(table)
    assert told == Incident("flower_set", 0, None, {"flowers": "abcd", "reserve": 20})
    table.incidents.append(told)
    assert rules.observe(table) == ()
    table.seats[1].flowers.append(Tile.EAST)
    (again,) = rules.observe(table)
    assert (again.seat, again.extra) == (1, {"flowers": "EEEE", "reserve": 22})


@BOTH
def test_a_discarded_gold_is_told(id: str) -> None:  # fuzhou T209, fujian T207
    rules = load(id)
    table = hand()
    table.seats[2].standing = list(parse_tiles("123456789m123456p5s"))
    table.discards = [Discard(2, Tile.S9)]
    (told,) = rules.observe(table)
    assert (told.kind, told.seat) == ("wild_discard", 2)
    table.incidents.append(told)
    assert rules.observe(table) == ()
    table.discards = [Discard(2, Tile.S8)]
    assert load(id).observe(table) == ()


@BOTH
def test_a_wrong_number_of_tiles_makes_a_dead_hand(id: str) -> None:  # T701
    table = hand(["", "[888s,3]"])
    table.discards = [Discard(1, Tile.M1)]
    table.seats[1].standing = list(parse_tiles("123456789m1234p"))
    assert load(id).observe(table) == ()
    table.seats[1].standing.append(Tile.P5)
    assert load(id).observe(table) == (Incident("wrong_count", 1, None, {"dead": True}),)
    assert load(id, {"wrong_count_dead_hand": False}).observe(table) == ()
    table.discards = [Discard(1, Tile.M1, claimed=True)]  # looked at when it lay; a count is right at that moment only
    assert load(id).observe(table) == ()


@pytest.mark.parametrize(
    ("id", "options", "charge"),
    [("fuzhou", {}, 8), ("fuzhou", {"escape_units": 5, "base": 10}, 50), ("fujian", {"unit": 2}, 16),
     ("fujian", {"escape_fan": 3}, 3)],
)  # fmt: skip
def test_leaving_is_charged_to_the_house(id: str, options: dict[str, Any], charge: int) -> None:
    """fuzhou T507, fujian T505."""
    rules = load(id, options)
    left = Incident("escape", 2)
    assert rules.pay(situation(), left) == Payment(NO_POINTS, (0, 0, -charge, 0))
    settled = rules.settle(situation(incidents=[left]))
    assert (settled.payments, settled.off_board) == (NO_POINTS, (0, 0, -charge, 0))
    for kind in ("exposed_kong", "added_kong", "concealed_kong", "flower_set", "wild_discard", "dead_hand"):
        assert rules.pay(situation(), Incident(kind, 1)) == Payment(NO_POINTS)  # fuzhou T503, fujian T503


# --- match


def after(rules: Any, match: MatchState, *winners: int, minutes: float = 0, **more: Any) -> MatchState:
    following: MatchState = rules.next_hand(match, HandResult(winners, more.pop("deltas", NO_POINTS), **more), minutes)
    return following


@BOTH
def test_who_deals(id: str) -> None:  # T601
    rules = load(id)
    match = rules.first_hand()
    assert (match.points, match.dealer, match.streak, match.circle) == (NO_POINTS, 0, 0, 1)
    seen = []
    for winners in ((0,), (0,), (2,), (), (2,), (3,), (0,)):
        match = after(rules, match, *winners)
        seen.append((match.dealer, match.streak, match.circle))
    assert seen == [(0, 1, 1), (0, 2, 1), (1, 0, 1), (2, 0, 1), (2, 1, 1), (3, 0, 1), (0, 0, 2)]
    void = after(rules, after(rules, rules.first_hand(), 0), void=True)
    assert (void.dealer, void.streak) == (0, 1)
    keeps = load(id, {"draw_keeps_deal": True})
    assert (after(keeps, match).dealer, after(keeps, match).streak) == (0, 1)


@BOTH
def test_the_first_dealer_may_be_another(id: str) -> None:  # T601, T602
    rules = load(id, {"first_dealer": 2, "match_rounds": 1})
    match = rules.first_hand()
    assert match.dealer == 2
    for dealer in (3, 0, 1):
        match = after(rules, match)
        assert (match.dealer, match.circle, match.over) == (dealer, 1, None)
    match = after(rules, match)
    assert (match.over, match.circle) == ("circles", 1)


@BOTH
def test_a_match_ends_by_rounds_or_time(id: str) -> None:  # T602
    rules = load(id)
    last = MatchState(NO_POINTS, dealer=3, circle=4)
    assert after(rules, last, 3, minutes=1e6).over is None
    ended = after(rules, last, 1, deltas=(-3, 9, -3, -3))
    assert (ended.over, ended.points) == ("circles", (-3, 9, -3, -3))
    assert rules.ranks(ended.points) == (2, 1, 2, 2)
    timed = load(id, {"match_minutes": 60})
    assert after(timed, timed.first_hand(), 0, minutes=59.9).over is None
    assert after(timed, timed.first_hand(), 0, minutes=60).over == "time"


# --- for people


@BOTH
def test_nonsense_in_options_is_told_all_at_once(id: str) -> None:
    with pytest.raises(RulesError) as told:
        load(id, {"reserve_tile": 3, "gold_discard": "alive", "first_dealer": 4, "loss_cap": 0})
    problems = {problem.split(":")[0]: problem for problem in told.value.problems}
    assert set(problems) == {"reserve_tile", "gold_discard", "first_dealer", "loss_cap"}
    assert "did you mean 'reserve_tiles'" in problems["reserve_tile"]
    assert "'dead', 'self_draw_only' or 'forbidden'" in problems["gold_discard"]


@BOTH
@pytest.mark.parametrize("count", ["simple", "full"])
def test_the_card_reads_in_both_languages(id: str, count: str) -> None:
    card = load(id, {"count": count} if id == "fujian" else {}).fan_table()
    assert len({entry.name for entry in card}) == len(card)
    for entry in card:
        assert entry.definition.isascii(), entry
        assert entry.definition_zh, entry
        assert entry.value or entry.name == "连庄", entry
        assert entry.paragraph.startswith("T4") or entry.paragraph.startswith("T3"), entry


def test_the_card_shows_the_values_of_the_house() -> None:
    card = {entry.name: entry for entry in load("fuzhou", {"mult_plain": 25, "gold_unit": 2}).fan_table()}
    assert (card["平胡"].value, card["金"].value, card["底分"].value) == (25, 2, 1)
    simple = {entry.name: entry for entry in load("fujian", {"simple_flowers_per_fan": 3}).fan_table()}
    assert simple["花"].value == 1
    assert "every 3" in simple["花"].definition
    assert "每 3 张" in simple["花"].definition_zh
    assert "大字碰" not in simple
    full = {entry.name: entry for entry in load("fujian", {"count": "full", "full_honour_pung": 4}).fan_table()}
    assert (full["大字碰"].value, full["游金"].value) == (4, 15)
    assert "光杠" not in full
    flowers = load("fujian", {"count": "full", "honours_are_flowers": True}).fan_table()
    assert not any(entry.name.startswith("大字") for entry in flowers)
