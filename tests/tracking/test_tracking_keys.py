"""Keys that are pressed before the table knows what they are about."""

from __future__ import annotations

from tablectl.base.reports import KeyPressed
from tablectl.game import actions as act
from tablectl.game import events as ev
from tablectl.game.state import Hand, Phase
from tablectl.rules.api import Discard
from tablectl.tiles.tile import Tile
from tablectl.tracking.keys import FRESH_S, SAID_AFTER_S, Keys
from tablectl.tracking.outlook import Step

EAST, WEST = Tile.EAST, Tile.WEST
#: the antennas saw all of it all the time
SEEN = 0.0


def hand_in(phase: Phase) -> Hand:
    zero = (0, 0, 0, 0)
    return Hand(number=1, dealer=0, prevalent=Tile.EAST, streak=0, start_points=zero, points=zero, phase=phase)


def test_who_agrees_to_a_win_that_is_still_held_back_is_heard_after_it() -> None:
    keys = Keys()
    assert keys.pressed(KeyPressed(10.0, "win", 3)) == []
    assert keys.pressed(KeyPressed(10.5, "pass", 1)) == []
    assert keys.due(10.6, hand_in(Phase.TURN), SEEN) == []
    assert keys.due(10.6, hand_in(Phase.DECLARED), SEEN) == [act.Press(t=10.5, seat=1, key="pass", n=None)]


def test_who_agrees_to_a_win_on_its_own_discard_is_heard_although_the_discard_is_told_later() -> None:
    keys = Keys()
    keys.pressed(KeyPressed(10.0, "win", 3))
    keys.pressed(KeyPressed(11.0, "pass", 0))
    assert keys.used(step("discard", 0, EAST), 12.0, hand_in(Phase.TURN)) == []
    assert keys.used(step("win", 3, EAST), 12.0, hand_in(Phase.DISCARDED)) == []
    assert keys.due(12.0, hand_in(Phase.DECLARED), SEEN) == [act.Press(t=11.0, seat=0, key="pass", n=None)]


def test_a_pass_that_no_declared_win_answers_is_told_late() -> None:
    keys = Keys()
    keys.pressed(KeyPressed(10.0, "win", 3))
    keys.pressed(KeyPressed(10.5, "pass", 1))
    told = keys.due(10.5 + FRESH_S, hand_in(Phase.TURN), SEEN)
    assert [(press.seat, press.key) for press in told if isinstance(press, act.Press)] == [(3, "win"), (1, "pass")]


def test_a_pass_without_a_call_of_win_is_told_at_once() -> None:
    keys = Keys()
    keys.pressed(KeyPressed(10.0, "pung", 3))
    assert keys.pressed(KeyPressed(10.5, "pass", 1)) == [act.Press(t=10.5, seat=1, key="pass", n=None)]


def discards(hand: Hand, *tiles: Tile, since: float) -> Hand:
    hand.discards = [Discard(0, tile) for tile in tiles]
    hand.since = since
    return hand


def step(kind: str, seat: int, tile: Tile) -> Step:
    return Step(kind, seat, (), 0.0, tile)


def test_a_call_about_the_discard_before_is_told_before_the_next_one() -> None:
    keys = Keys()
    hand = discards(hand_in(Phase.TURN), EAST, since=10.0)
    hand.turn = 1
    hand.seats[3].standing = [EAST, EAST, WEST]
    keys.pressed(KeyPressed(11.0, "pung", 3))
    assert keys.used(step("discard", 1, WEST), 12.0, hand) == [act.Press(t=11.0, seat=3, key="pung", n=None)]
    assert keys.held == []


def test_a_call_that_may_be_about_the_next_discard_waits_for_it() -> None:
    keys = Keys()
    hand = discards(hand_in(Phase.TURN), EAST, since=10.0)
    hand.turn = 1
    hand.seats[3].standing = [WEST, WEST, EAST]
    keys.pressed(KeyPressed(11.5, "pung", 3))  # the antennas saw the discard late
    assert keys.used(step("discard", 1, WEST), 12.0, hand) == []
    assert [press.seat for press in keys.held] == [3]


def test_a_call_that_fits_no_discard_is_about_the_nearer_one() -> None:
    for called_at, told in ((10.5, True), (12.5, False)):
        keys = Keys()
        hand = discards(hand_in(Phase.TURN), EAST, since=10.0)
        hand.turn = 1
        keys.pressed(KeyPressed(called_at, "pung", 3))
        assert bool(keys.used(step("discard", 1, WEST), 13.0, hand)) is told


def test_a_call_said_once_more_when_its_meld_lies_is_none() -> None:
    keys = Keys()
    hand = discards(hand_in(Phase.DISCARDED), EAST, since=10.0)
    keys.used(step("pung", 3, EAST), 11.0, hand)
    assert keys.pressed(KeyPressed(12.0, "pung", 3)) == []
    assert keys.held == []
    assert keys.pressed(KeyPressed(11.0 + SAID_AFTER_S + 0.1, "pung", 3)) == []
    assert [press.seat for press in keys.held] == [3]


def test_who_calls_a_win_that_is_none_and_plays_on_has_called_it() -> None:
    keys = Keys()
    hand = discards(hand_in(Phase.TURN), EAST, since=10.0)
    hand.turn = 3
    keys.pressed(KeyPressed(11.0, "win", 3))
    keys.pressed(KeyPressed(12.0, "pass", 1))
    told = keys.used(step("discard", 3, WEST), 13.0, hand)
    assert [(press.seat, press.key) for press in told if isinstance(press, act.Press)] == [(3, "win"), (1, "pass")]
    assert keys.held == []


def shows(keys: Keys, seat: int, t: float) -> act.Press:
    """The show key of ``seat``, taken by ``keys``."""
    assert keys.pressed(KeyPressed(t, "show", seat)) == []
    return act.Press(t=t, seat=seat, key="show", n=None)


def test_a_wildcard_is_shown_once_its_discard_is_told_however_many_are_told_before() -> None:  # Z214
    keys, hand = Keys(), discards(hand_in(Phase.TURN), EAST, since=10.0)
    hand.wild, hand.turn = frozenset({WEST}), 3
    press = shows(keys, 0, 14.0)
    assert keys.set_aside(step("discard", 3, EAST), 12.0).held == []  # it waits for its discard in the dark, too
    assert keys.used(step("discard", 3, EAST), 12.0, hand) == []
    assert keys.used(step("draw", 0, WEST), 13.0, hand) == []
    hand.turn = 0
    assert keys.used(step("pung", 0, EAST), 13.0, hand) == []
    assert keys.used(step("discard", 0, WEST), 13.5, hand) == [press]
    assert keys.held == []


def test_a_wildcard_that_lies_is_shown_before_anything_follows_it() -> None:  # Z214
    keys, hand = Keys(), discards(hand_in(Phase.DISCARDED), WEST, since=10.0)
    hand.wild, hand.open_discard = frozenset({WEST}), True
    hand.seats[0].river = []
    press = shows(keys, 0, 11.0)
    assert keys.used(step("draw", 1, EAST), 11.5, hand) == [press]
    press = shows(keys, 0, 11.0)
    assert keys.due(11.0, hand, SEEN) == [press]


def test_with_a_discard_that_was_none_its_show_waits_for_another() -> None:  # Z214
    keys = Keys()
    assert keys.again(ev.TileShown(t=11.0, actor=0, pai=WEST, what="discard"))
    assert keys.held == [act.Press(t=11.0, seat=0, key="show", n=None)]
    assert not keys.again(ev.TileShown(t=11.0, actor=0, pai=WEST, what="held"))


def test_a_win_called_after_a_discard_of_ones_own_waits_for_a_later_tile() -> None:
    """No antenna saw the discard before the key was pressed: it is told late, and the call is not about it."""
    keys = Keys()
    hand = discards(hand_in(Phase.TURN), EAST, since=10.0)
    hand.turn = 3
    keys.pressed(KeyPressed(12.0, "win", 3))
    assert keys.used(step("discard", 3, WEST), 11.8, hand) == []
    assert [press.key for press in keys.held] == ["win"]
    assert keys.fresh == {3: "win"}


def test_calls_of_win_are_told_before_a_ruling() -> None:
    keys = Keys()
    keys.pressed(KeyPressed(11.0, "win", 3))
    keys.pressed(KeyPressed(11.5, "pung", 2))
    assert keys.wins() == [act.Press(t=11.0, seat=3, key="win", n=None)]
    assert [press.key for press in keys.held] == ["pung"]


def test_a_win_called_in_the_dark_waits_until_the_antennas_have_looked_again() -> None:
    keys = Keys()
    keys.pressed(KeyPressed(10.0, "win", 3))
    assert keys.due(21.0, hand_in(Phase.TURN), seen_since=20.0) == []
    told = keys.due(20.0 + FRESH_S, hand_in(Phase.TURN), seen_since=20.0)
    assert told == [act.Press(t=10.0, seat=3, key="win", n=None)]
