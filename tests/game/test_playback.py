"""A hand step by step: every state is that of the real table, however it was told."""

from __future__ import annotations

import json
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from whole_match import NAMES, play_match

from tablectl.game import events as ev
from tablectl.game.playback import changed, difference, playback, played_hands, states
from tablectl.game.record import records
from tablectl.game.table import Table
from tablectl.game.views import Role, view
from tablectl.game.walls import walls
from tablectl.rules.registry import RULE_SETS, load

plain = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["1m", "E"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=12,
)


@given(plain, plain)
def test_a_difference_put_in_gives_the_new_value(old: object, new: object) -> None:
    told = json.loads(json.dumps(difference(old, new)))
    assert changed(old, told) == new


def test_a_difference_is_small() -> None:
    old = {"seats": [{"river": ["1m", "2m"], "points": 100}, {"river": [], "points": 100}], "turn": 0}
    new = {"seats": [{"river": ["1m", "2m", "3m"], "points": 100}, {"river": [], "points": 100}], "turn": 1}
    assert difference(old, new) == {"seats": {"0": {"river": {"+": ["3m"]}}}, "turn": 1}


@pytest.mark.parametrize("rules_id", RULE_SETS)
def test_every_step_is_what_the_table_showed(rules_id: str) -> None:
    table = play_match(rules_id, seed=11, hands=2)
    hands = played_hands(table.events)
    assert [hand.number for hand in hands] == [1, 2]
    told = json.loads(json.dumps(playback(hands[1])))
    live = Table(load(rules_id), names=NAMES)
    shown = iter(states(told))
    begun = False
    for event in table.events:
        live.fold(event)
        begun = begun or (isinstance(event, ev.HandOpened) and event.hand == 2)
        if not begun or isinstance(event, ev.MatchEnded):
            continue
        state = next(shown)
        if event.type in ("wall", "opened"):
            continue
        seen = json.loads(json.dumps(view(live, Role.REFEREE)))
        assert state["table"]["hand"]["seats"] == seen["hand"]["seats"]
        for key in ("phase", "points", "dice", "indicator", "wild", "wall_left", "to_act", "winners"):
            assert state["table"]["hand"][key] == seen["hand"][key], key
        assert state["walls"] == walls(live)
    assert next(shown, None) is None
    assert told["record"] == json.loads(json.dumps(records(table.events)[1]))


def test_names_are_those_of_the_hand() -> None:
    table = play_match("competition", seed=3, hands=2)
    opened = [n for n, event in enumerate(table.events) if isinstance(event, ev.HandOpened)]
    moved = ("B", "A", "D", "C")
    events = [*table.events[: opened[1]], ev.SeatsNamed(names=moved), *table.events[opened[1] :]]
    first, second = played_hands(events)
    assert (first.names, second.names) == (NAMES, moved)
    assert playback(second)["names"] == list(moved)


def test_a_hand_in_progress_cannot_be_played_back() -> None:
    table = play_match("competition", seed=3, hands=2)
    end = max(n for n, event in enumerate(table.events) if isinstance(event, ev.HandEnded))
    assert [hand.number for hand in played_hands(table.events[:end])] == [1]


def test_an_undone_hand_is_left_out() -> None:
    table = play_match("competition", seed=3, hands=1)
    undone = [*table.events, ev.Ruled(do="undo", by="referee")]
    assert played_hands(undone) == []


def test_a_random_walk_through_the_states_stays_within_bounds() -> None:
    told = playback(played_hands(play_match("mcr", seed=5, hands=1).events)[0])
    every = list(states(told))
    assert len(every) == len(told["steps"])
    for state in Random(1).sample(every, 10):
        assert sum(map(sum, state["walls"])) <= 144
