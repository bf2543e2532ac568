"""Steps of play as they are read from a scene, and weighed."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from tablectl.game import actions as act
from tablectl.game import events as ev
from tablectl.game.state import Phase
from tablectl.game.table import Table
from tablectl.rules.registry import load
from tablectl.tiles.tile import Tile
from tablectl.tiles.wall import lane_places
from tablectl.tracking.alerts import Watch
from tablectl.tracking.beliefs import Beliefs
from tablectl.tracking.building import unknown_wall
from tablectl.tracking.hypotheses import RETRACT, RETRACT_GROWING, Judgement, judge, to_explain
from tablectl.tracking.judging import PUT_DOWN_PERIODS, RETRACT_PERIODS, SURE, Judge
from tablectl.tracking.lanes import Side
from tablectl.tracking.noise import Noise
from tablectl.tracking.offences import Offences
from tablectl.tracking.outages import Sight
from tablectl.tracking.outlook import Outlook, Step, Told, after
from tablectl.tracking.presence import Presence
from tablectl.tracking.rulings import Rulings
from tablectl.tracking.scene import Scene
from tablectl.tracking.steps import (
    DISCARD,
    FLOWER,
    HURRIED,
    ILLEGAL_WIN,
    LEGAL_WIN,
    NOT_PUT_DOWN,
    OFFENCE,
    UNSEEN,
    UNSEEN_FLOWER,
    WIN,
    WIN_KEY,
    before_their_turn,
    steps,
)
from tablectl.tracking.telling import Teller
from tablectl.tracking.wall import End, WallOrder

PERIOD = 0.5
RULES = load("competition")
FLOWER_TILE = min(RULES.play.flowers)
TILES = {"flower": FLOWER_TILE, "cast": Tile.EAST, "a": Tile.EAST, "b": Tile.EAST, "next": Tile.WEST}


def scene_of(presence: Presence, keys: dict[int, str] | None = None) -> Scene:
    called = keys or {}
    pressed = dict.fromkeys(called, 0.0)
    return Scene(presence, unknown_wall(RULES), TILES, RULES.play, [[], [], [], []], called, pressed)


def weighed(look: Outlook, scene: Scene) -> Judgement:
    return judge(look, scene, [], 0.0, to_explain(look, scene))


def seats(judgement: Judgement) -> list[tuple[str, int]]:
    """The likeliest sequence of steps."""
    return [(step.kind, step.seat) for step in judgement.weighed[0][1]]


# --- flowers laid before their turn


def opening(owed: tuple[int, int, int, int]) -> Outlook:
    return Outlook(Phase.FLOWERS, 0, owed, None, None)


def laid(reads: int) -> Presence:
    """Seat 1 lays its flower, and it is read so often in the meld zone."""
    presence = Presence(Noise(), PERIOD)
    for tag in ("flower", "a", "b"):
        presence.place(tag, "hand.1", 0.0)
    for n in range(3 + reads):
        lies = n >= 3
        presence.read("hand.1", n * PERIOD, frozenset("ab" if lies else ["a", "b", "flower"]))
        presence.read("meld.1", n * PERIOD + 0.1, frozenset(["flower"] if lies else []))
    return presence


@pytest.mark.parametrize(
    ("owed", "prior"),
    [
        ((0, 0, 0, 0), FLOWER),
        ((0, 1, 0, 0), FLOWER),
        ((1, 0, 0, 0), FLOWER + HURRIED),
        ((0, 0, 2, 0), FLOWER + HURRIED),
    ],
)
def test_a_seat_does_not_lay_flowers_while_another_waits_for_a_replacement(
    owed: tuple[int, int, int, int], prior: float
) -> None:
    [flower] = [step for step in steps(opening(owed), scene_of(laid(2))) if step.kind == "flower"]
    assert (flower.seat, flower.tile, flower.prior) == (1, FLOWER_TILE, prior)


def test_the_replacement_that_another_seat_waited_for_came_before_the_flower() -> None:
    assert seats(weighed(opening((0, 0, 0, 0)), scene_of(laid(4)))) == [("flower", 1)]
    assert seats(weighed(opening((1, 0, 0, 0)), scene_of(laid(4)))) == [("draw", 0), ("flower", 1)]


def test_a_flower_that_does_not_answer_before_the_seat_yet_is_less_likely() -> None:
    presence = laid(0)
    for n in (3, 4):
        presence.read("hand.1", n * PERIOD, frozenset("ab"))
        presence.read("meld.1", n * PERIOD + 0.1, frozenset())
    [flower] = [step for step in steps(opening((0, 0, 0, 0)), scene_of(presence)) if step.kind == "flower"]
    assert flower.prior == FLOWER + UNSEEN_FLOWER


#: flowers held: two of seat 1, one of seat 2; which of them come before their turn, by who laid last and what it drew
FLOWERS = sorted(RULES.play.flowers)[:3]
TURNS = [
    ("complete", 0, (), {2: {"q"}}),
    ("complete", 1, (), {2: {"q"}}),
    ("complete", 1, (FLOWERS[0],), {2: {"q"}}),
    ("rounds", 1, (), {2: {"q"}}),
    ("rounds", 1, (FLOWERS[0],), {1: {"f"}, 2: {"q"}}),
    ("rounds", 1, FLOWERS[:2], {1: {"f", "g"}}),
    ("rounds", 2, (), {1: {"f", "g"}}),
    ("rounds", 2, FLOWERS[2:], {2: {"q"}}),
    ("rounds", 0, (), {2: {"q"}}),
    ("rounds", 3, (), {2: {"q"}}),
    ("one_each", 1, (), {1: {"f", "g"}}),
    ("one_each", 2, (), {2: {"q"}}),
]


@pytest.mark.parametrize(("mode", "last", "drawn", "early"), TURNS)
def test_flowers_are_laid_seat_after_seat_as_the_rules_have_it(  # fuzhou T108, competition J10
    mode: Any, last: int, drawn: tuple[Tile, ...], early: dict[int, set[str]]
) -> None:
    presence = Presence(Noise(), PERIOD)
    for tag, place in (("f", "hand.1"), ("g", "hand.1"), ("q", "hand.2")):
        presence.place(tag, place, 0.0)
    scene = scene_of(presence)
    scene.tiles = dict(zip("fgq", FLOWERS, strict=True))
    scene.play = replace(RULES.play, opening_flowers=mode)
    look = Outlook(Phase.FLOWERS, last, (0, 0, 0, 0), None, None, fresh=tuple(drawn))
    found = dict(enumerate(before_their_turn(look, scene)))
    assert {seat: set(tags) for seat, tags in found.items() if tags} == early


# --- a win called while the tile just drawn is still in the fingers


@pytest.mark.parametrize(
    ("in_hand", "wins", "more"), [(3, True, LEGAL_WIN), (0, True, LEGAL_WIN), (3, False, ILLEGAL_WIN)]
)
def test_a_win_may_be_on_the_tile_just_drawn_as_long_as_no_read_lacks_it(in_hand: int, wins: bool, more: float) -> None:
    """Seat 1 draws ``next``, calls after three reads of its hand, and three more follow."""
    presence = Presence(Noise(), PERIOD)
    presence.place("a", "hand.1", 0.0)
    presence.place("next", "wall.0", 0.0)
    for n in range(6):
        presence.read("hand.1", n * PERIOD, frozenset(["a", "next"] if n >= 6 - in_hand else "a"))
    scene = scene_of(presence, {1: "win"})
    scene.pressed = {1: 2.5 * PERIOD}
    scene.legal = lambda seat, drawn: wins if (seat, drawn) == (1, Tile.WEST) else None
    look = Outlook(Phase.TURN, 1, (0, 0, 0, 0), None, "next", {"next": ("hand.1",)})
    [win] = [step for step in steps(look, scene) if step.kind == "win"]
    assert win.prior == WIN + WIN_KEY + more + (3 - in_hand) * NOT_PUT_DOWN


def test_a_win_called_by_the_next_seat_waits_for_its_draw_where_the_wall_is_not_known() -> None:
    hand = SimpleNamespace(phase=Phase.DISCARDED, next_seat=1)
    table: Any = SimpleNamespace(hand=hand)
    presence = taken(0)
    beliefs = Beliefs(table, TILES, PERIOD, presence, unknown_wall(RULES), [], Watch(TILES))
    deciding = Judge(beliefs, Sight(presence, PERIOD), Rulings(beliefs))

    def believed(seat: int, periods: float) -> bool:
        beliefs.t = 10.0 + periods * PERIOD
        return deciding.believes(Judgement(Step("win", seat, (), 0.0, t=10.0), 2 * SURE, 10.0))

    assert not believed(1, PUT_DOWN_PERIODS - 0.1)
    assert believed(1, PUT_DOWN_PERIODS)
    assert believed(2, 0.0)


# --- the winner takes the winning tile


def taken(reads: int) -> Presence:
    """The discard of seat 0 goes to the hand of seat 2."""
    presence = Presence(Noise(), PERIOD)
    presence.place("cast", "river.0", 0.0)
    for tag in "ab":
        presence.place(tag, "hand.2", 0.0)
    for n in range(3 + reads):
        gone = n >= 3
        presence.read("river.0", n * PERIOD, frozenset([] if gone else ["cast"]))
        presence.read("hand.2", n * PERIOD + 0.1, frozenset(["a", "b", "cast"] if gone else "ab"))
    return presence


def test_a_tile_taken_from_the_river_is_no_win_unless_it_is_called_or_makes_a_hand() -> None:
    look = Outlook(Phase.DISCARDED, 0, (0, 0, 0, 0), "cast", None)
    assert "win" not in {step.kind for step in steps(look, scene_of(taken(4)))}
    called = weighed(look, scene_of(taken(4), {2: "win"}))
    assert called.step is not None
    assert (called.step.kind, called.step.seat, called.step.moves) == ("win", 2, (("cast", "hand.2"),))
    assert called.margin >= SURE
    wins = {1: False, 4: True}  # reads that show it, and whether that is enough where the seat says nothing
    for reads, enough in wins.items():
        silent = weighed(look, replace(scene_of(taken(reads)), legal=lambda seat, _: seat == 2))
        assert (silent.step is not None and silent.step.kind == "win" and silent.margin >= SURE) is enough


def test_a_seat_may_win_without_a_turn_on_the_tiles_that_were_dealt() -> None:
    """fuzhou T307, T312: nobody has to have discarded for it."""
    look = Outlook(Phase.TURN, 0, (0, 0, 0, 0), None, None)
    called = scene_of(taken(0), {2: "win"})
    assert not [step for step in steps(look, called) if step.kind == "win"]
    won = weighed(look, replace(called, legal=lambda seat, _: seat == 2))
    assert won.step is not None
    assert (won.step.kind, won.step.seat, won.margin >= SURE) == ("win", 2, True)


@pytest.mark.parametrize("carried_over", [False, True])
def test_a_tile_that_came_through_the_river_to_the_hand_has_not_been_seen_discarded(carried_over: bool) -> None:
    """It was drawn over the river: what that antenna read says nothing about the next silence of the hand."""
    presence = Presence(Noise(), PERIOD)
    presence.place("next", "hand.0", 0.0)
    seen_at = ("river.0", "hand.0") if carried_over else ("hand.0", "river.0")
    for n in range(8):
        for zone in ("river.0", "hand.0"):
            there = n < 6 and zone == seen_at[n // 3]
            presence.read(zone, n * PERIOD + 0.1 * (zone == "hand.0"), frozenset({"next"} if there else ()))
    look = Outlook(Phase.TURN, 0, (0, 0, 0, 0), None, "next")
    [discard] = [step for step in steps(look, scene_of(presence)) if step.kind == "discard"]
    assert discard.prior == DISCARD + (UNSEEN if carried_over else 0.0)


# --- the last discard


@pytest.mark.parametrize("key", ["pung", None])
def test_the_last_discard_is_claimed_against_the_rules_only(key: str | None) -> None:
    """competition J33: once nothing is left to draw it can only be won on."""
    presence = taken(0)
    for n in range(3, 7):
        presence.read("meld.2", n * PERIOD + 0.3, frozenset({"cast", "a", "b"}))
    look = Outlook(Phase.DISCARDED, 0, (0, 0, 0, 0), "cast", None)
    scene = scene_of(presence, {2: key} if key else None)
    early, late = (
        next(step.prior for step in steps(look, replace(scene, exhausted=exhausted)) if step.kind == "pung")
        for exhausted in (lambda: False, lambda: True)
    )
    assert late == early + OFFENCE


# --- a kong that begins like a pung


@pytest.mark.parametrize(("later", "prior"), [(1, RETRACT_GROWING), (8, RETRACT)])
def test_a_fourth_tile_laid_at_once_makes_a_kong_of_the_pung_that_was_told(later: int, prior: float) -> None:
    """No key was pressed, and the antennas see one tile after the other. The later it is laid, the less likely."""
    presence = taken(0)
    presence.place("fourth", "hand.2", 0.0)
    pung = Step("pung", 2, (("cast", "meld.2"), ("a", "meld.2"), ("b", "meld.2")), 0.0, Tile.EAST, (Tile.EAST,) * 2)
    for tag, place in pung.moves:
        presence.follow(tag, place, 3 * PERIOD)
    for n in range(3, 8 + later):
        laid = {"fourth"} if n >= 3 + later else set()
        presence.read("river.0", n * PERIOD, frozenset())
        presence.read("hand.2", n * PERIOD + 0.1, frozenset({"fourth"} - laid))
        presence.read("meld.2", n * PERIOD + 0.2, frozenset({"cast", "a", "b"} | laid))
    before = Outlook(Phase.DISCARDED, 0, (0, 0, 0, 0), "cast", None)
    told = Told(pung, before, (("cast", "river.0"), ("a", "hand.2"), ("b", "hand.2")), 3 * PERIOD)
    look = Outlook(Phase.CLAIMED, 2, (0, 0, 0, 0), None, None, kong_allowed=False)
    scene = scene_of(presence)
    scene = replace(scene, tiles={**TILES, "fourth": Tile.EAST}, pungs=[[], [], [("cast", "a", "b")], []])
    judgement = judge(look, scene, [told], 0.0, to_explain(look, scene))
    assert seats(judgement) == [("retract", 2), ("exposed_kong", 2)]
    assert judgement.weighed[0][1][0].prior == prior


# --- discards in the opening


@pytest.mark.parametrize(("dealer", "prior"), [(1, DISCARD), (0, DISCARD + OFFENCE)])
def test_the_opening_ends_with_a_discard_of_the_dealer(dealer: int, prior: float) -> None:
    presence = Presence(Noise(), PERIOD)
    presence.place("a", "hand.1", 0.0)
    for n in range(3):
        presence.read("hand.1", n * PERIOD, frozenset())
        presence.read("river.1", n * PERIOD + 0.1, frozenset("a"))
    look = Outlook(Phase.FLOWERS, 1, (0, 0, 0, 0), None, None)
    [discard] = [step for step in steps(look, replace(scene_of(presence), dealer=dealer)) if step.kind == "discard"]
    assert (discard.seat, discard.prior) == (1, prior)


@pytest.mark.parametrize("flowers", [0, 1])
def test_after_the_last_replacement_of_the_opening_the_dealer_discards(flowers: int) -> None:
    """The tile drawn for it need not have been seen yet; whoever holds a flower lays it first."""
    presence = Presence(Noise(), PERIOD)
    presence.place("a", "hand.0", 0.0)
    for tag in ["flower"][:flowers]:
        presence.place(tag, "hand.2", 0.0)
    for n in range(3):
        presence.read("river.0", n * PERIOD, frozenset("a"))
    supposed = after(Outlook(Phase.FLOWERS, 3, (0, 0, 0, 1), None, None), Step("draw", 3, (("next", "hand.3"),), 0.0))
    found = [step for step in steps(supposed, scene_of(presence)) if (step.kind, step.seat) == ("discard", 0)]
    assert [step.prior for step in found] == [DISCARD][flowers:]


# --- flowers between two turns


def test_flowers_and_their_replacements_do_not_hide_the_turn_to_which_they_belong() -> None:
    """Seat 1 draws a flower that is hardly read, lays it, draws another, lays it, draws, and discards."""
    deck = RULES.deck(0, [7])
    places = [lane_places(RULES.stacks, side, first_left=True, lower_first=True) for side in range(4)]
    tags = [[f"{side}.{n}" for n in range(36)] for side in range(4)]
    sides = [Side(tags[side], [0.5 * n for n in range(36)]) for side in range(4)]
    wall = WallOrder(sides, RULES.stacks, frozenset(tag for side in tags for tag in side))
    wall.break_at(deck, places)
    ends: tuple[End, ...] = ("live", "tail", "tail")
    due: list[int] = []
    for end in ends:
        due.append(next(wall.coming(end, frozenset(due))))
    unread, laid, drawn = (str(wall.likely(position)) for position in due)
    first, second = sorted(RULES.play.flowers)[:2]
    presence = Presence(Noise(), PERIOD)
    presence.place("a", "hand.1", 0.0)
    for tag in (unread, laid, drawn):
        presence.place(tag, "wall.0", 0.0)
    for n in range(9):
        presence.read("hand.1", n * PERIOD, frozenset({"a"} if n < 3 else {drawn} if n > 4 else ()))
        before = {unread} if n == 3 else {laid} if 3 < n < 7 else {unread, laid} if n > 3 else set()
        presence.read("meld.1", n * PERIOD + 0.1, frozenset(before))
        presence.read("river.1", n * PERIOD + 0.2, frozenset({"a"} if n > 6 else ()))
    kinds = {**TILES, unread: first, laid: second, drawn: Tile.WEST}
    scene = replace(scene_of(presence), wall=wall, tiles=kinds)
    found = weighed(Outlook(Phase.DISCARDED, 0, (0, 0, 0, 0), None, None), scene)
    assert found.step is not None
    assert (found.step.kind, found.step.tile, found.step.offence) == ("draw", first, "")
    turn = [step.kind for step in found.weighed[0][1]]
    assert turn == ["draw", "flower", "draw", "flower", "draw", "discard"]


# --- what was taken back


def test_with_a_discard_the_alerts_go_that_it_brought_about() -> None:
    table = Table(RULES)
    kinds = [tile for tile in RULES.tile_set.tiles() if tile.suit]
    hands = (tuple(kinds[:13]), tuple(kinds[13:26]), (*kinds[26:38], Tile.EAST), tuple(kinds[39:52]))
    dealt = act.Deal(t=2.0, hands=hands, drawn=kinds[52])
    for action in (act.RaiseWalls(t=0.0), act.RestDice(t=1.0, dice=(3, 4)), dealt):
        table.apply(action)
    presence = Presence(Noise(), PERIOD)
    presence.place("cast", "hand.2", 0.0)
    now = Beliefs(table, TILES, PERIOD, presence, unknown_wall(RULES), [], Watch(TILES))
    teller, look = Teller(now), Outlook(Phase.TURN, 2, (0, 0, 0, 0), None, None)

    def told(step: Step, t: float) -> list[str]:
        now.t = t
        for action in teller.tell(step, {"cast": t}, look, t):
            table.apply(action)
        return [event.code for _, event in now.standing() if isinstance(event, ev.Alerted)]

    assert "impossible_move" in told(Step("discard", 2, (("cast", "river.2"),), 0.0, Tile.EAST), 3.0)
    assert told(Step("retract", 2, (), 0.0), 4.0) == []


def test_a_step_taken_back_and_told_again_is_not_called_in_question_at_once() -> None:
    """Seat 1 drew, and the tile goes back for the pung of seat 2. What is explained is what is decided."""
    presence = taken(0)
    presence.place("next", "wall", 0.0)
    presence.follow("next", "hand.1", 2 * PERIOD)
    for n in range(3, 7):
        presence.read("river.0", n * PERIOD, frozenset())
        presence.read("hand.1", n * PERIOD + 0.1, frozenset())
        presence.read("hand.2", n * PERIOD + 0.2, frozenset())
        presence.read("meld.2", n * PERIOD + 0.3, frozenset({"cast", "a", "b"}))
    beliefs = Beliefs(Table(RULES), TILES, PERIOD, presence, unknown_wall(RULES), [], Watch(TILES), t=7 * PERIOD)
    beliefs.keys.fresh[2] = "pung"
    beliefs.keys.since[2] = 2 * PERIOD
    sight = Sight(presence, PERIOD)
    deciding, offences = Judge(beliefs, sight, Rulings(beliefs)), Offences(beliefs, sight)
    draw = Step("draw", 1, (("next", "hand.1"),), 0.0, Tile.WEST)
    before = Outlook(Phase.DISCARDED, 0, (0, 0, 0, 0), "cast", None)
    beliefs.told.append(Told(draw, before, (("next", "wall"),), 2 * PERIOD))
    look = Outlook(Phase.TURN, 1, (0, 0, 0, 0), None, "next")
    hand: Any = SimpleNamespace(phase=Phase.TURN, wild=frozenset(), dealer=0)

    def decided() -> list[tuple[str, int]]:
        scene = replace(deciding.scene(hand), exhausted=lambda: False)
        nothing = offences.nothing(look)
        found = [seats(deciding.weigh(look, scene, nothing)), seats(deciding.judgement(look, scene, nothing))]
        assert found[0] == found[1]
        return found[0]

    assert decided() == [("retract", 1), ("pung", 2)]
    beliefs.retracted[draw.sense] = beliefs.t - PERIOD
    assert ("retract", 1) not in decided()
    beliefs.retracted[draw.sense] = beliefs.t - (RETRACT_PERIODS + 1) * PERIOD
    assert decided() == [("retract", 1), ("pung", 2)]
