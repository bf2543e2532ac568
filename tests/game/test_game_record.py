"""The record of a hand: the example traces' true records played through the table, and how records are compared."""

from __future__ import annotations

import copy

import pytest
from game_script import Script, find
from game_truths import TRACES, play
from game_truths import load as load_truth

from tablectl.game import events as ev
from tablectl.game.record import differences, records, sequence_number
from tablectl.rules import registry

#: every true record of a rule system that is registered
TRUTHS = sorted(
    path.name.removesuffix(".truth.jsonl")
    for path in TRACES.glob("*.truth.jsonl")
    if load_truth(path.name.removesuffix(".truth.jsonl"))[0]["rules"] in registry.RULE_SETS
)
RULES = registry.load("competition")


def test_the_competition_records_are_among_them():
    assert {"competition-clean", "competition-normal", "competition-offence"} <= set(TRUTHS)


@pytest.mark.parametrize("name", TRUTHS)
def test_a_true_record_played_again_gives_itself(name):
    truth = load_truth(name)
    table = play(registry.load(truth[0]["rules"]), truth)
    (record,) = records(table.events)
    assert differences(record, truth) == []


@pytest.mark.parametrize("name", TRUTHS)
def test_the_record_ends_with_the_account_and_has_no_internal_events(name):
    truth = load_truth(name)
    (record,) = records(play(registry.load(truth[0]["rules"]), truth).events)
    assert record[0]["type"] == "start_kyoku"
    assert record[-1]["type"] == "end_kyoku"
    assert len(record[0]["wall"]) == 144
    known = {"start_kyoku", "tsumo", "flower", "dahai", "chi", "pon", "daiminkan", "ankan", "kakan", "pay", "alert"}
    assert {event["type"] for event in record} <= known | {"hora", "ryukyoku", "end_kyoku"}


def changed(record, place, **keys):
    other = copy.deepcopy(record)
    other[place].update(keys)
    return other


def place_of(record, kind, nth=0):
    return [n for n, event in enumerate(record) if event["type"] == kind][nth]


def test_differences_finds_what_counts():
    truth = load_truth("competition-offence")
    assert differences(truth, truth) == []
    wrong = {
        "tile": changed(truth, place_of(truth, "dahai", 3), pai="9m"),
        "actor": changed(truth, place_of(truth, "tsumo", 5), actor=3),
        "target": changed(truth, place_of(truth, "pon"), target=1),
        "consumed": changed(truth, place_of(truth, "chi"), consumed=["6p", "6p"]),
        "payment": changed(truth, place_of(truth, "pay"), deltas=[-4, -4, 8, 0]),
        "reason": changed(truth, place_of(truth, "pay"), reason="exposed_kong"),
        "value of a fan": changed(truth, place_of(truth, "hora"), fans={"清龙": 10, "花牌": 6}),
        "scores": changed(truth, place_of(truth, "end_kyoku"), scores=[100, 100, 100, 100]),
        "alert code": changed(truth, place_of(truth, "alert"), code="wrong_break"),
        "alert seat": changed(truth, place_of(truth, "alert"), seat=1),
        "dice": changed(truth, 0, dice=[5, 6]),
        "hand": changed(truth, 0, tehais=[[*truth[0]["tehais"][0][:-1], "9m"], *truth[0]["tehais"][1:]]),
        "wall": changed(truth, 0, wall=[*truth[0]["wall"][1:], truth[0]["wall"][0]]),
        "order": [*truth[:20], truth[21], truth[20], *truth[22:]],
        "missing": [*truth[:30], *truth[31:]],
        "too many": [*truth[:30], truth[30], *truth[30:]],
        "no alert": [e for e in truth if e["type"] != "alert"],
    }
    assert [name for name, record in wrong.items() if not differences(record, truth)] == []


def test_differences_leaves_free_what_is_free():
    truth = load_truth("competition-normal")
    alert = {"type": "alert", "code": "wall_mismatch", "seat": None, "detail": "stack 3"}
    first, second = place_of(truth, "flower", 0), place_of(truth, "flower", 1)
    same = {
        "names of fans": changed(truth, place_of(truth, "hora"), fans={"a": 20, "b": 2}),
        "tsumogiri": changed(truth, place_of(truth, "dahai"), tsumogiri=None),
        "from": changed(truth, place_of(truth, "tsumo", 4), **{"from": "tail"}),
        "t": [{k: v for k, v in e.items() if k != "t"} for e in truth],
        "unknown keys": changed(truth, 5, note="x"),
        "order of flowers": [*truth[:first], truth[second], truth[first], *truth[second + 1 :]],
        "unknown tile of the wall": changed(truth, 0, wall=[None, *truth[0]["wall"][1:]]),
    }
    assert {name: differences(record, truth) for name, record in same.items()} == {name: [] for name in same}
    assert differences([*truth[:9], alert, *truth[9:]], [*truth[:50], {**alert, "detail": ""}, *truth[50:]]) == []


def test_differences_are_readable():
    truth = load_truth("competition-clean")
    record = changed(truth, place_of(truth, "dahai"), pai="9m")
    (line,) = differences(record, truth)
    assert "expected dahai" in line
    assert "9m" in line


def test_several_flowers_at_once_stand_before_their_replacements():
    """Several flowers laid at once: all `flower` events, then their `tsumo`."""
    script = Script(RULES, {0: "123456789m1p1sab"}, drawn="2p")
    script.flower(0, "a")
    script.flower(0, "b")
    script.draw(0, "5p")
    script.draw(0, "6p")
    script.discard(0, "6p")
    (record,) = records(script.table.events)
    assert [e["type"] for e in record[1:]] == ["tsumo", "flower", "flower", "tsumo", "tsumo", "dahai"]
    assert [e.get("from") for e in record if e["type"] == "tsumo"] == ["live", "tail", "tail"]


def test_places_in_the_record_lead_to_events():
    script = Script(RULES)
    script.discard(0, "9p")
    script.turn(1, "E")
    table = script.table
    (record,) = records(table.events)
    for place, entry in enumerate(record):
        seq = sequence_number(table.state, place)
        if place == 0:
            assert seq is None
            continue
        assert seq is not None
        assert ev.to_json(table.events[seq - 1])["type"] == entry["type"]
    assert sequence_number(table.state, len(record)) is None


def test_an_undone_hand_leaves_no_record():
    script = Script(RULES)
    script.discard(0, "9p")
    script.rule("draw_hand", reason="fire alarm")
    assert len(records(script.table.events)) == 1
    script.rule("undo")
    assert records(script.table.events) == []
    assert find(script.table.events, ev.HandDrawn)[0].reason == "fire alarm"
